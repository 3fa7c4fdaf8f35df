//! A configuration that is wrong is refused, with the place and what was probably meant.

use std::fs;
use std::path::Path;

use runvet::gate::Gate;
use serde_json::Value;

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::read;
use crate::support::project::Project;
use crate::support::runs::{copy_dir, run_of};

/// Each line of `tests/cases/mistakes.txt` is one error, at its place, in words that help.
#[test]
fn mistake_is_one_error_with_its_place_and_nearest_name() {
    let project = Project::new("");
    fs::create_dir(project.path("runs/episodes")).unwrap();
    copy_dir(
        &run_of("good/terminal"),
        &project.path("runs/episodes/ep_answer"),
    );
    project.write("runs/episodes/ep_answer/pack.toml", "");
    let rows = read("tests/cases/mistakes.txt");
    for row in rows
        .lines()
        .filter(|row| row.contains(" | ") && !row.starts_with("# "))
    {
        let cells: Vec<&str> = row.split(" | ").collect();
        project.write("runvet.toml", &cells[0].replace('⏎', "\n"));
        for command in [&["validate", "runs"][..], &["config"]] {
            let output = project.run(command);
            assert_eq!(
                (output.status.code(), stdout(&output)),
                (Some(2), ""),
                "{row}"
            );
            let shown = stderr(&output);
            assert_eq!(shown.matches("error: ").count(), 1, "{row}\n{shown}");
            assert!(
                shown.contains(&format!("[runvet.toml:{}]", cells[1])),
                "{row}\n{shown}"
            );
            let words = shown
                .split_whitespace()
                .filter(|word| *word != "│");
            let words = words.collect::<Vec<_>>().join(" ");
            assert!(
                cells[2..]
                    .iter()
                    .all(|part| words.contains(part)),
                "{row}\n{shown}"
            );
        }
    }
    project.write("runvet.toml", "\"\\u001b[2J\\n::error::x\" = 1 # \u{202e}");
    let shown = project.run(&["config"]);
    assert!(
        !stderr(&shown).contains(['\u{1b}', '\u{202e}']),
        "{}",
        stderr(&shown)
    );
    assert!(
        !stderr(&shown)
            .lines()
            .any(|line| line.starts_with("::")),
        "{}",
        stderr(&shown)
    );
}

#[test]
fn all_mistakes_of_a_configuration_are_reported_at_once() {
    let ignore = "[[ignore]]\nepisode = '*'\n";
    let wrong = format!(
        "fromat = 1\njobs = 0\nselect = ['plan/projecton']\nexclude = [1, 'a[']\n\
         [rules]\n'plan/*' = 'of'\n'plan' = 'off'\n\
         [[override]]\npath = ['runs']\nrules = {{}}\n\
         {ignore}reson = 'x'\n{ignore}rule = 'all'\nreason = ''\nfile = 'x'\npointer = 'x'\n"
    );
    let of_grammar = "a = = 1\nb = 'x\nc = 1\n[d\n";
    let project = Project::new("");
    for (text, places) in [
        (
            wrong.as_str(),
            &[
                "1:1", "2:8", "3:11", "4:12", "4:15", "6:12", "7:1", "9:1", "11:1", "13:1", "16:8",
                "17:10", "18:8", "19:11",
            ][..],
        ),
        (of_grammar, &["1:5", "2:7", "4:3"]),
    ] {
        project.write("runvet.toml", text);
        let output = project.run(&["validate", "runs"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        let shown = stderr(&output).lines();
        let shown: Vec<&str> = shown
            .filter_map(|line| {
                line.split_once("[runvet.toml:")?
                    .1
                    .strip_suffix(']')
            })
            .collect();
        assert_eq!(shown, places, "{}", stderr(&output));
        let error = Gate::default()
            .with_config(Path::new("runvet.toml"), text, None)
            .unwrap_err();
        assert_eq!(error.others.len() + 1, places.len());
        let lines = error.to_string();
        assert!(
            lines
                .lines()
                .zip(places)
                .all(|(line, place)| line.starts_with(&format!("runvet.toml:{place}: "))),
            "{lines}"
        );
    }
    let many = "exclude = [".to_owned() + &"1, ".repeat(100) + "]";
    let error = Gate::default()
        .with_config(Path::new("runvet.toml"), &many, None)
        .unwrap_err();
    assert_eq!(error.others.len(), 19);
}

#[test]
fn config_schema_agrees_with_the_reader() {
    let schema: Value = serde_json::from_str(runvet::Schema::Config.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let read = |text: &str| {
        Gate::default()
            .with_config(Path::new("runvet.toml"), text, None)
            .is_ok()
    };
    let whole =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/runvet.toml")).unwrap();
    for (text, is_right) in [
        (&*whole, true),
        ("", true),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\nexpires = 2026-12-31",
            true,
        ),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\nexpires = '2026-12-31'",
            true,
        ),
        ("[[ignore]]\nrule = 'plan/*'\nepisode = '*'", false),
        (
            "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = ''",
            false,
        ),
        ("[[override]]\npaths = []", false),
        ("[[override]]\npaths = []\nrules = {}", true),
        ("rules = { 'plan/*' = 'fatal' }", false),
        ("jobs = 0", false),
        ("max-findings = -1", false),
        ("max_findings = 1", false),
        ("format = 'xml'", false),
        ("exclude = 'x'", false),
    ] {
        let table: toml::Table = text.parse().unwrap();
        let json = in_json(toml::Value::Table(table));
        assert_eq!(
            (read(text), validator.is_valid(&json)),
            (is_right, is_right),
            "{text}"
        );
    }
}

/// A TOML value as an editor's JSON: dates are strings.
fn in_json(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(in_json).collect(),
        toml::Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, in_json(value)))
            .collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}
