//! Property: for any episode, the report is well-formed in each format, and no text of the episode
//! controls a terminal or a CI runner.

#![no_main]

use std::sync::LazyLock;

use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use runvet::Schema;
use runvet::finding::{Deny, EpisodeReport, Statistics, Totals};
use runvet::gate::{Gate, all_rules};
use runvet::printable::is_hostile;
use runvet::report::{Closing, Format, Options, Style};
use runvet_fuzz::artifacts;
use serde_json::Value;

static CHECK: LazyLock<Gate> = LazyLock::new(Gate::default);

static REPORT: LazyLock<Validator> = LazyLock::new(|| {
    jsonschema::draft202012::new(&serde_json::from_str(Schema::Report.text()).unwrap()).unwrap()
});

fuzz_target!(|data: &[u8]| {
    // The first line is the name of the episode.
    let (name, data) = data.split_at(
        data.iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(0),
    );
    let artifacts = artifacts(data.trim_ascii_start());
    let episode = CHECK
        .clone()
        .records(&String::from_utf8_lossy(name), &artifacts);
    let document: Value = serde_json::from_str(&render(Format::Json, &options(), &episode))
        .expect("a report is JSON");
    let errors: Vec<String> = REPORT
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let lines = render(Format::Ndjson, &options(), &episode);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], document["episodes"][0]);
    for style in [Style::Plain, Style::Ascii] {
        render(Format::Human, &options().style(style), &episode);
    }
    for whole in [Format::Sarif, Format::Gitlab] {
        let text = render(whole, &options(), &episode);
        serde_json::from_str::<Value>(&text).expect("a report is JSON");
    }
    for other in [
        Format::Concise,
        Format::Junit,
        Format::Markdown,
        Format::Html,
    ] {
        render(other, &options(), &episode);
    }
    // Each line of this format is a command, except the last.
    let commands = written(Format::Github, &options(), &episode);
    let own = |line: &str| line.starts_with("::error file=") || line.starts_with("::warning file=");
    let last = commands.lines().count() - 1;
    assert!(
        commands
            .lines()
            .enumerate()
            .all(|(index, line)| own(line) == (index < last)),
        "{commands}"
    );
});

/// A report in a format that has no commands to a CI runner.
fn render(format: Format, options: &Options, episode: &EpisodeReport) -> String {
    let text = written(format, options, episode);
    // A CI runner would obey such a line.
    let is_command = |line: &str| {
        line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
    };
    assert!(!text.lines().any(is_command), "{text}");
    text
}

fn options() -> Options {
    let deny = Deny {
        warnings: true,
        unjudged: false,
    };
    Options::default()
        .rules(all_rules())
        .deny(deny)
}

fn written(format: Format, options: &Options, episode: &EpisodeReport) -> String {
    let mut renderer = format.renderer(options);
    let (mut totals, mut statistics) = (Totals::default(), Statistics::default());
    totals.add(episode);
    statistics.add(episode);
    let mut out = Vec::new();
    renderer.begin(&mut out).unwrap();
    renderer
        .episode(&mut out, episode)
        .unwrap();
    let closing = Closing::new(&totals).statistics(&statistics);
    renderer
        .end(&mut out, &closing)
        .unwrap();
    let text = String::from_utf8(out).unwrap();
    let raw: Vec<char> = text
        .chars()
        .filter(|c| *c != '\n' && is_hostile(*c))
        .collect();
    assert!(raw.is_empty(), "{raw:?}");
    text
}
