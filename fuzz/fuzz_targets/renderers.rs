//! Whatever an episode holds, each format says it well-formed, and nothing of it acts on a terminal.

#![no_main]

use std::sync::LazyLock;

use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use runvet::Schema;
use runvet::check::Check;
use runvet::finding::{EpisodeReport, Totals};
use runvet::printable::is_hostile;
use runvet::report::{self, HumanOptions, Renderer, Style};
use runvet_fuzz::artifacts;
use serde_json::Value;

static CHECK: LazyLock<Check> = LazyLock::new(Check::new);

static REPORT: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&serde_json::from_str(Schema::Report.text()).unwrap()).unwrap());

fuzz_target!(|data: &[u8]| {
    // What comes first names the episode.
    let (name, data) = data.split_at(data.iter().position(|byte| *byte == b'\n').unwrap_or(0));
    let artifacts = artifacts(data.trim_ascii_start());
    let episode = CHECK.records(&String::from_utf8_lossy(name), &artifacts);
    let document: Value = serde_json::from_str(&render(report::json(), &episode)).expect("a report is JSON");
    let errors: Vec<String> = REPORT.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let lines = render(report::ndjson(), &episode);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], document["episodes"][0]);
    for (style, width) in [(Style::Plain, 80), (Style::Ascii, 40)] {
        let options = HumanOptions { style, width, max_findings: 0, quiet: false };
        render(report::human(options), &episode);
    }
});

fn render(mut renderer: Box<dyn Renderer>, episode: &EpisodeReport) -> String {
    let mut totals = Totals::default();
    totals.add(episode);
    let mut out = Vec::new();
    renderer.begin(&mut out).unwrap();
    renderer.episode(&mut out, episode).unwrap();
    renderer.end(&mut out, &totals).unwrap();
    let text = String::from_utf8(out).unwrap();
    let raw: Vec<char> = text.chars().filter(|c| *c != '\n' && is_hostile(*c)).collect();
    assert!(raw.is_empty(), "{raw:?}");
    // A runner of workflows would obey such a line.
    let is_command =
        |line: &str| line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[");
    assert!(!text.lines().any(is_command), "{text}");
    text
}
