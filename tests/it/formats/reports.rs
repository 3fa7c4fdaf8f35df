//! Every format, with the same findings: complete, well-formed, bounded, and harmless on a
//! terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use runvet::finding::Report;
use runvet::gate::Gate;
use runvet::printable::escape;
use runvet::report::{Format, Options, Style};
use runvet::source::Artifact;
use serde_json::Value;

use crate::support::binary::formats;
use crate::support::corpus::{corpus, expecting_cases};
use crate::support::hostile::{commands, hostile_run};

fn validate(dir: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    let output = command
        .arg("validate")
        .args(args)
        .arg(".")
        .current_dir(dir)
        .env_clear()
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn json_follows_its_schema_and_the_library() {
    let schema: Value = serde_json::from_str(runvet::Schema::Report.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let json: Value = serde_json::from_str(&validate(&corpus(), &["--format", "json"])).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&json)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [] as [&str; 0]);

    let report: Report = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(
        serde_json::to_value(&report).unwrap(),
        json,
        "nothing is lost between the types and the text"
    );
    let returned = Gate::default().run([corpus()]).unwrap();
    assert_eq!(returned.totals, report.totals);
    let dirs: Vec<&str> = report
        .episodes
        .iter()
        .map(|episode| &*episode.dir)
        .collect();
    assert!(dirs.is_sorted());
    assert!(report.episodes.iter().all(|episode| {
        let keys = episode.findings.iter().map(|finding| {
            let at = &finding.location;
            (&at.file, at.offset, &finding.rule)
        });
        keys.is_sorted()
    }));
}

#[test]
fn ndjson_has_the_episodes_of_json_line_by_line() {
    let json: Value = serde_json::from_str(&validate(&corpus(), &["--format", "json"])).unwrap();
    let ndjson = validate(&corpus(), &["--format", "ndjson"]);
    let mut lines: Vec<Value> = ndjson
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.pop().unwrap()["totals"], json["totals"]);
    assert_eq!(lines, *json["episodes"].as_array().unwrap());
}

#[test]
fn human_report_of_the_demo_matches_the_snapshot() {
    for (name, args) in [
        ("demo", &["--color", "never"][..]),
        ("demo-colour", &["--color", "always"][..]),
    ] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.txt"));
        snapbox::assert_data_eq!(
            validate(&corpus().join("demo"), args),
            snapbox::Data::read_from(&path, None).raw()
        );
    }
}

#[test]
fn human_report_has_each_message_in_one_line() {
    for case in expecting_cases("bad")
        .into_iter()
        .chain(expecting_cases("broken"))
    {
        let text = validate(&case, &[]);
        let report = Gate::default().run([&case]).unwrap();
        for finding in report
            .episodes
            .iter()
            .flat_map(|episode| &episode.findings)
        {
            let (severity, rule) = (finding.severity, &finding.rule);
            let line = format!("{severity}[{rule}]: {}", escape(&finding.message));
            assert!(
                text.lines().any(|shown| shown == line),
                "{}: {line}\n{text}",
                case.display()
            );
        }
        // Excerpts are short, however long the line of the record is.
        for line in text
            .lines()
            .filter(|line| line.contains(" │ "))
        {
            let width = line.chars().count();
            assert!(width <= 80, "{}: {width} columns: {line}", case.display());
        }
    }
}

#[test]
fn snippet_underlines_the_place() {
    let report = Gate::default()
        .run([corpus().join("bad")])
        .unwrap();
    for finding in report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings)
    {
        let (Some((excerpt, span)), Some(offset)) =
            (finding.location.excerpt(), finding.location.offset)
        else {
            continue;
        };
        let bytes = fs::read(&finding.location.file).unwrap();
        let text = String::from_utf8_lossy(&bytes[usize::try_from(offset).unwrap()..]);
        let shown = &excerpt[span];
        let visible = |c: char| {
            if runvet::printable::is_hostile(c) {
                '\u{fffd}'
            } else {
                c
            }
        };
        let text: String = text
            .chars()
            .take(shown.chars().count())
            .map(visible)
            .collect();
        assert_eq!(text, shown, "{finding:?}");
    }
}

#[test]
fn place_behind_the_last_line_is_drawn() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("state.json"), "{\"a\":1,\n").unwrap();
    let report = validate(temp.path(), &[]);
    assert!(report.contains("state.json:2:1]"), "{report}");
}

#[test]
fn hostile_text_never_reaches_a_report_raw() {
    let (temp, _) = hostile_run();
    for format in formats() {
        for grouping in ["episode", "rule", "cause"] {
            let text = validate(
                temp.path(),
                &["--format", format, "--group-by", grouping, "--statistics"],
            );
            let raw: Vec<char> = text
                .chars()
                .filter(|c| *c != '\n' && runvet::printable::is_hostile(*c))
                .collect();
            assert_eq!(raw, [] as [char; 0], "{format}:\n{text}");
            assert!(
                !text
                    .lines()
                    .any(|line| line.starts_with("0 episodes")),
                "{format}:\n{text}"
            );
            // In GitHub's format the report consists of commands.
            let forged: Vec<&str> = commands(&text)
                .into_iter()
                .filter(|line| !line.contains("title=runvet"))
                .collect();
            assert_eq!(forged, [] as [&str; 0], "{format}:\n{text}");
        }
    }
    let json: Value = serde_json::from_str(&validate(temp.path(), &["--format", "json"])).unwrap();
    assert_eq!(json["totals"]["invalid"], 1);
    assert!(
        json["episodes"][0]["id"]
            .as_str()
            .unwrap()
            .starts_with("ep\u{1b}[2J"),
        "machines get the text itself"
    );
}

#[test]
fn text_of_a_record_is_never_a_workflow_command() {
    let good = corpus().join("good/terminal/episodes/ep_answer");
    let mut state: Value =
        serde_json::from_str(&fs::read_to_string(good.join("state.json")).unwrap()).unwrap();
    let mut lines = 0;
    for padding in 0..90 {
        for between in ["", " "] {
            let evil = format!("{}{between}::error::x ##[error]y", "a".repeat(padding));
            // One text in a reason, one in a message, one in the name of the directory.
            state["version"] = evil.clone().into();
            state["goal"]["task"] = evil.into();
            let records = [
                (Artifact::State, state.to_string().into_bytes()),
                (Artifact::Summary, b"{}".to_vec()),
            ];
            let records: Vec<_> = records
                .iter()
                .map(|(artifact, bytes)| (*artifact, &**bytes))
                .collect();
            let episode = Gate::default().records("::error::z", &records);
            let options = Options::default();
            let human = |options: Options| Format::Human.renderer(&options);
            let renderers = [
                human(options.clone()),
                human(options.clone().style(Style::Ascii)),
                human(options.clone().verbose(true)),
                Format::Json.renderer(&options),
                Format::Ndjson.renderer(&options),
                Format::Concise.renderer(&options),
            ];
            for mut renderer in renderers {
                let mut text = Vec::new();
                renderer
                    .episode(&mut text, &episode)
                    .unwrap();
                let text = String::from_utf8(text).unwrap();
                assert!(text.contains("error::z"), "it is shown: {text}");
                assert_eq!(commands(&text), [] as [&str; 0], "{text}");
                lines += text.lines().count();
            }
        }
    }
    assert!(lines > 10_000);
}

#[test]
fn line_of_ten_megabytes_makes_a_short_report() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_answer");
    fs::create_dir_all(&dir).unwrap();
    let good = corpus().join("good/terminal/episodes/ep_answer");
    for file in fs::read_dir(&good)
        .unwrap()
        .map(Result::unwrap)
    {
        fs::copy(file.path(), dir.join(file.file_name())).unwrap();
    }
    let mut state: Value =
        serde_json::from_str(&fs::read_to_string(good.join("state.json")).unwrap()).unwrap();
    state["memory"]["scratchpad"] = "é".repeat(5 << 20).into();
    state["version"] = 1.into();
    fs::write(dir.join("state.json"), state.to_string()).unwrap();
    let text = validate(temp.path(), &[]);
    assert!(text.len() < 2000, "{} bytes", text.len());
    let column = text
        .split("state.json:1:")
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .unwrap();
    assert!(
        column.parse::<u64>().unwrap() > 5 << 20,
        "the column is the true one: {column}"
    );
}

#[test]
fn projection_links_names_what_one_side_alone_links() {
    let good = corpus().join("good/terminal/episodes/ep_answer");
    let read = |artifact: Artifact| fs::read_to_string(good.join(artifact.file_name())).unwrap();
    let (state, events) = (read(Artifact::State), read(Artifact::Events));
    let at = events.rfind("\"links\":{").unwrap() + "\"links\":{".len();
    let (before, after) = events.split_at(at);
    let events = format!("{before}\"plan\":\"plan.json\",{after}");
    let records = [
        (Artifact::State, state.as_bytes()),
        (Artifact::Events, events.as_bytes()),
    ];
    let report = Gate::default().records("ep_answer", &records);
    let links = report
        .findings
        .iter()
        .find(|finding| finding.rule == "projection/links")
        .unwrap();
    assert_eq!(
        links.message,
        "only the projection event on line 10 links `plan`"
    );
}
