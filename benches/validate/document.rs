//! The results -> the parts of `docs/performance.md` that are made of them, and its chart.

use std::fs;
use std::path::Path;

use crate::{Bench, LONG_ROUNDS, ROUNDS, SHORT_ROUNDS, chart, goals, stages};

/// The page, from the root of the repository.
pub(crate) const PAGE: &str = "docs/performance.md";

const CHART: &str = "docs/images/performance.svg";

/// What follows a part that is made.
const END: &str = "<!-- end -->\n";

/// Rewrites the page and its chart.
pub(crate) fn bless(bench: &Bench) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = root.join(PAGE);
    let text = fs::read_to_string(&page).expect("the page can be read");
    let text = with_part(&text, "goals", &goals(bench));
    let text = if bench.stages.is_empty() {
        text
    } else {
        with_part(&text, "stages", &stages::markdown(&bench.stages))
    };
    fs::write(&page, text).expect("the page can be written");
    let chart = chart::drawn(&bench.panels);
    fs::write(root.join(CHART), chart).expect("the chart can be written");
    println!("Rewritten: {PAGE}, {CHART}");
}

/// The text with another content of the part with a name.
fn with_part(text: &str, name: &str, content: &str) -> String {
    let begin = format!("<!-- made by `make bench`: {name} -->\n");
    let (before, rest) = text
        .split_once(&begin)
        .expect("the beginning of a part");
    let (_, after) = rest
        .split_once(END)
        .expect("the end of a part");
    format!("{before}{begin}\n{content}\n{END}{after}")
}

/// The machine, the peers, the tables and what was left out.
fn goals(bench: &Bench) -> String {
    let peers: Vec<&str> = bench
        .peers
        .iter()
        .map(String::as_str)
        .collect();
    let mut text = format!(
        "{}. {}. Medians of {ROUNDS} rounds; of {SHORT_ROUNDS} for the whole process on \
         one episode, and of {LONG_ROUNDS} beside the checker in Python.",
        bench.machine,
        [&[concat!("runvet ", env!("CARGO_PKG_VERSION"))], &*peers]
            .concat()
            .join(", "),
    );
    text = wrapped(&text, 100);
    text += "\n";
    text += &goals::markdown(&bench.tables);
    for left_out in &bench.left_out {
        text += &wrapped(&format!("Left out: {left_out}."), 100);
        text += "\n";
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Words in lines of at most a number of columns.
fn wrapped(text: &str, columns: usize) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let is_first = width == 0;
        if !is_first && width + 1 + length > columns {
            lines.push('\n');
            width = 0;
        } else if !is_first {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += length;
    }
    lines + "\n"
}

/// The processors of this machine, and how busy they are, as far as the system says.
pub(crate) fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let processors = read("/proc/cpuinfo");
    let model = processors.lines().find_map(|line| {
        line.strip_prefix("model name")?
            .split_once(": ")
    });
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model);
    let mut machine = format!("{threads} processors ({model}), {}", std::env::consts::OS);
    if let Some(load) = read("/proc/loadavg")
        .split_whitespace()
        .next()
    {
        machine = format!("{machine}, a load of {load} at the start");
    }
    machine
}
