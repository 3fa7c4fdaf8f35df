//! The files of `tests/cases` -> what their commands print, which the files show.
//!
//! A file is text. A line `# PROMISE` opens a case, which has a shell and an empty directory of its
//! own; the functions of `tests/cases/prelude.sh` fill it. Lines indented by two spaces are
//! commands, `$ ` (continued by `> `), each with what it prints to both streams, and `[CODE]` where
//! it does not exit with 0. Of what is shown, a line `...` stands for any lines, and `[..]` for a
//! part of a line; `make bless` keeps both. `CASES=cli/list` runs one file.
//!
//! `COMMAND | json POINTER [KEY...]` prints what a document in JSON has there, a line for each
//! value, and of each value the keys; `*` stands for every item, and `.` for the document.
//! `COMMAND | found` prints line and message of each finding, the line of a related event, and what
//! was skipped.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use snapbox::filter::NormalizeToExpected;

use crate::support::corpus::corpus;
use crate::support::markdown::read;
use crate::support::repository::without_settings;
use crate::support::sources::files;

/// The line that follows what a command prints.
const END: &str = "--- end of command";

/// A file of cases, as it should be.
pub(crate) struct CaseFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Every file of cases that is asked for. They run once, whichever test needs them first.
pub(crate) fn printed_files() -> &'static [CaseFile] {
    static FILES: OnceLock<Vec<CaseFile>> = OnceLock::new();
    FILES.get_or_init(run_files)
}

fn run_files() -> Vec<CaseFile> {
    let only = std::env::var("CASES").unwrap_or_default();
    let names: Vec<String> = files("tests/cases", "t")
        .into_keys()
        .filter(|name| name.contains(&only))
        .collect();
    assert!(!names.is_empty(), "there is no case like {only}");

    let next = AtomicUsize::new(0);
    let worker = || {
        let own = std::iter::from_fn(|| names.get(next.fetch_add(1, Ordering::Relaxed)));
        own.map(|name| CaseFile {
            name: name.clone(),
            text: as_printed(name),
        })
        .collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism()
        .unwrap()
        .get();
    let mut printed = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(worker))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect::<Vec<_>>()
    });
    printed.sort_by(|one, other| one.name.cmp(&other.name));
    printed
}

/// A file as it should be.
fn as_printed(file: &str) -> String {
    let mut expected = String::new();
    let mut case = String::new();
    for line in read(file)
        .split_inclusive('\n')
        .chain(["# "])
    {
        if line.starts_with("# ") {
            expected += &case_as_printed(file, &case);
            case.clear();
        }
        case += line;
    }
    expected
}

/// A part of a case: text, or a command with what is shown of its output.
struct Part<'c> {
    text: Vec<&'c str>,
    command: Vec<&'c str>,
    shown: Vec<&'c str>,
}

fn parts(case: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut text = Vec::new();
    for line in case.lines() {
        let open = parts
            .last_mut()
            .filter(|_| text.is_empty());
        match (line.strip_prefix("  "), open) {
            (Some(line), _) if line.starts_with("$ ") => parts.push(Part {
                text: std::mem::take(&mut text),
                command: vec![&line[2..]],
                shown: Vec::new(),
            }),
            (Some(line), Some(part)) if line.starts_with("> ") && part.shown.is_empty() => {
                part.command.push(&line[2..]);
            }
            (Some(line), Some(part)) => part.shown.push(line),
            (None, Some(part)) if line.is_empty() => part.shown.push(line),
            _ => text.push(line),
        }
    }
    parts.push(Part {
        text,
        command: Vec::new(),
        shown: Vec::new(),
    });
    parts
}

/// A case with what its commands print.
fn case_as_printed(file: &str, case: &str) -> String {
    let parts = parts(case);
    let mut script = format!("exec 2>&1\n{}", read("tests/cases/prelude.sh"));
    for part in &parts {
        let command = part.command.join("\n");
        let command = filtered(&command).map_or(&*command, |(command, _)| command);
        writeln!(script, "{command}\nprintf '\\n{END} %s\\n' $?").unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let printed = printed(dir.path(), &script);
    let end = format!("\n{END} ");
    let mut outputs = printed.split(&end);
    let mut output = outputs.next().unwrap();
    let mut expected = String::new();
    for part in &parts {
        for line in &part.text {
            writeln!(expected, "{line}").unwrap();
        }
        let rest = outputs.next();
        let rest = rest.unwrap_or_else(|| panic!("{file}: the shell ends early: {output}"));
        let (code, next) = rest.split_once('\n').unwrap();
        let command = part.command.join("\n");
        if !command.is_empty() {
            let filter = filtered(&command).map(|(_, filter)| filter);
            let shown = part.shown.join("\n");
            let output = normalized(filter, output, code, shown.trim_end());
            if output != shown.trim_end() {
                eprintln!("{file} shows\n$ {command}\n{shown}\nwhere this is printed\n{output}\n");
            }
            writeln!(expected, "  $ {}", command.replace('\n', "\n  > ")).unwrap();
            for line in output.lines() {
                let indent = if line.is_empty() { "" } else { "  " };
                writeln!(expected, "{indent}{line}").unwrap();
            }
            let blank = part
                .shown
                .iter()
                .rev()
                .take_while(|line| line.is_empty());
            expected.extend(blank.map(|_| '\n'));
        }
        output = next;
    }
    expected
}

fn printed(dir: &Path, script: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_runvet"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut shell: Command = without_settings("sh");
    shell
        .args(["-c", script])
        .current_dir(dir);
    shell
        .env("PATH", path)
        .env("CORPUS", corpus());
    let output = shell
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout)
        .replace(dir.to_str().unwrap(), "[DIR]")
        .replace(corpus().to_str().unwrap(), "[CORPUS]")
        .replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}

/// What a command prints, with what the case leaves open.
fn normalized(filter: Option<&str>, output: &str, code: &str, shown: &str) -> String {
    let mut output = match filter {
        Some(filter) => queried(output, filter),
        None => output.trim_end().to_owned(),
    };
    if code != "0" {
        write!(output, "\n[{code}]").unwrap();
    }
    let output = snapbox::Data::text(output.trim_start_matches('\n'));
    let kept = NormalizeToExpected::new().redact();
    kept.normalize(output, &snapbox::Data::text(shown))
        .to_string()
}

/// A command, and what is taken of the document that it prints.
fn filtered(command: &str) -> Option<(&str, &str)> {
    let (before, filter) = command.rsplit_once(" | ")?;
    let word = filter.split(' ').next()?;
    ["json", "found"]
        .contains(&word)
        .then_some((before, filter))
}

fn queried(output: &str, filter: &str) -> String {
    let Ok(document) = serde_json::from_str::<Value>(output) else {
        return format!("not JSON: {}", output.trim_end());
    };
    let mut words = filter.split(' ').skip(1);
    let Some(pointer) = words.next() else {
        let findings = "/episodes/*/findings/*";
        let of_group = found(&document, findings, &["line", "message", "related/0/line"]);
        let of_group = of_group.lines().map(|line| {
            let (line, other) = line.rsplit_once(' ').unwrap();
            match other {
                "-" => format!("{line}\n"),
                other => format!("{line} <- {other}\n"),
            }
        });
        let skipped = found(&document, "/episodes/*/skipped/*", &["reason"]);
        let skipped = skipped
            .lines()
            .map(|line| format!("skipped: {line}\n"));
        return of_group
            .chain(skipped)
            .collect::<String>()
            .trim_end()
            .to_owned();
    };
    found(&document, pointer, &words.collect::<Vec<_>>())
}

/// The values at a pointer, each on a line, or those of their keys.
fn found(document: &Value, pointer: &str, keys: &[&str]) -> String {
    let mut values = vec![document];
    for name in pointer.split('/').skip(1) {
        let at = format!("/{name}");
        values = match name {
            "*" => values
                .into_iter()
                .flat_map(items)
                .collect(),
            _ => values
                .into_iter()
                .filter_map(|it| it.pointer(&at))
                .collect(),
        };
    }
    let lines = values
        .into_iter()
        .map(|value| match keys {
            [] => text(Some(value)),
            keys => {
                let texts = keys
                    .iter()
                    .map(|key| text(value.pointer(&format!("/{key}"))));
                texts
                    .collect::<Vec<_>>()
                    .join(" ")
                    .trim_end()
                    .to_owned()
            }
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
