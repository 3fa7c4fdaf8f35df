//! A configuration that is wrong is refused, with the place and what was probably meant.

use std::fs;
use std::path::Path;

use runvet::gate::Gate;
use serde_json::Value;

use crate::support::binary::{stderr, stdout};
use crate::support::project::Project;

/// What stands in the file (`⏎` for a new line), the place, and parts of the message and the help.
const MISTAKES: &str = r#"⏎fromat = 'json' | 2:1 | unknown key "fromat" | did you mean `format`?
zzzzzzzz = 1 | 1:1 | unknown key "zzzzzzzz" | expected one of: baseline, deny-unjudged, deny-warnings
format = 'jsno' | 1:10 | unknown value "jsno" | did you mean `json`?
[rules]⏎plan/projection = 'off' | 2:5 | invalid unquoted key | Put the name in quotes: "plan/projection" = …
jobs = 0 | 1:8 | expected a whole number, at least 1 |
max-findings = -1 | 1:16 | expected a whole number, at least 0 |
jobs = 'x' | 1:8 | expected a whole number, at least 1 |
max-findings = 1.5 | 1:16 | expected a whole number, at least 0 |
exclude = 'x' | 1:11 | expected a list in brackets |
exclude = [1] | 1:12 | expected a string, in quotes |
baseline = 1 | 1:12 | expected a string, in quotes |
rules = 1 | 1:9 | expected a table |
rules = { 'plan/*' = 1 } | 1:22 | expected a string, in quotes |
[ignore]⏎rule = 'plan/*' | 1:1 | expected a list of tables | `[[…]]`
deny-warnings = 'yes' | 1:17 | expected `true` or `false` |
a = = 1 | 1:5 | `=` |
[rules]⏎'plan/projecton' = 'off' | 2:1 | no rule called `plan/projecton` | did you mean `plan/projection`?
[rules]⏎'plan/*' = 'of' | 2:12 | unknown value "of" | did you mean `off`?
[[override]]⏎paths = ['a[']⏎rules = {} | 2:10 | invalid glob |
exclude = ['[a'] | 1:12 | invalid glob |
exclude = [''] | 1:12 | invalid glob |
exclude = ['../runs'] | 1:12 | invalid glob |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = 'plan' | 5:11 | a JSON Pointer starts with `/` |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = '/outcomes/**/tools' | 5:11 | `*` for any one of them, as in `/outcomes/actions/*/tools` |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = '/outcomes/actions[*]/tools' | 5:11 | `*` for any one of them, as in `/outcomes/actions/*/tools` |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = '/outcomes/act*' | 5:11 | `*` for any one of them, as in `/outcomes/actions/*/tools` |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = '/outcomes/' | 5:11 | `*` for any one of them, as in `/outcomes/actions/*/tools` |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎pointer = '/a~2' | 5:11 | `*` for any one of them, as in `/outcomes/actions/*/tools` |
[[ignore]]⏎rule = 'plan'⏎episode = '*'⏎reason = 'x' | 2:8 | no rule called `plan` | did you mean `plan/*`?
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = ' ' | 4:10 | the reason is empty |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*' | 1:1 | the key `reason` is missing |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎expires = 2026-13-01 | 5:11 | month |
[[ignore]]⏎rule = 'plan/*'⏎episode = '*'⏎reason = 'x'⏎expires = 2026-12-01T00:00:00Z | 5:11 | expected a date such as 2026-12-31, without a time |"#;

#[test]
fn unknown_key_is_refused_with_place_and_nearest_name() {
    let project = Project::new("");
    for row in MISTAKES.lines() {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let (text, place, message) = (cells[0].replace('⏎', "\n"), cells[1], cells[2]);
        let help = cells.get(3).copied().unwrap_or_default();
        project.write("runvet.toml", &text);
        for command in [&["validate", "runs"][..], &["config"]] {
            let output = project.run(command);
            assert_eq!(
                (output.status.code(), stdout(&output)),
                (Some(2), ""),
                "{text}"
            );
            let shown = stderr(&output);
            assert!(
                shown.contains(&format!("[runvet.toml:{place}]")),
                "{text}\n{shown}"
            );
            assert!(
                shown.contains(message) && shown.contains(help),
                "{text}\n{shown}"
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
        !stderr(&shown).lines().any(|line| line.starts_with("::")),
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
            .filter_map(|line| line.split_once("[runvet.toml:")?.1.strip_suffix(']'))
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
