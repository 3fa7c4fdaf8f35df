//! What commands print as JSON is what its schema says, over the whole corpus.

use std::path::PathBuf;

use jsonschema::{Draft, Validator};
use runvet::Schema;
use runvet::check::Check;
use runvet::diff::{Subject, compare};
use runvet::gate::Gate;
use runvet::plan::PlanPage;
use runvet::read::{Listing, RunData, RunReader};
use runvet::view::RunPage;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::binary::stdout;
use crate::support::corpus::{corpus, expecting_cases, good_cases};
use crate::support::hostile::hostile_run;
use crate::support::terminal::{Width, runvet};

fn validator(schema: Schema) -> Validator {
    let schema = serde_json::from_str(schema.text()).unwrap();
    let options = jsonschema::options().with_draft(Draft::Draft202012);
    options
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

/// Fails unless a value is valid, and every member of its objects is described.
fn held(validator: &Validator, what: &str, value: &impl Serialize) {
    let value = serde_json::to_value(value).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [] as [String; 0], "{what}");
}

fn cases() -> Vec<PathBuf> {
    let expecting = ["bad", "broken"].map(expecting_cases).concat();
    [good_cases(), expecting, vec![corpus().join("demo")]].concat()
}

#[test]
fn outputs_are_what_their_schemas_say() {
    let [view, list, plan, diff] =
        [Schema::View, Schema::List, Schema::Plan, Schema::Diff].map(validator);
    let (check, mut gate) = (Check::new(), Gate::new());
    let good = RunReader::open(corpus().join("good/terminal/episodes/ep_answer")).unwrap();
    let good = Subject::new(&good, &check, &mut gate).unwrap();
    let (hostile, _) = hostile_run();
    let mut compared = 0;
    let cases = [cases(), vec![hostile.path().to_owned()]].concat();
    for episode in cases
        .iter()
        .flat_map(|case| check.discover(&[case]).episodes)
    {
        let what = episode.path.display().to_string();
        let run = RunReader::open(&episode.path).unwrap();
        held(
            &view,
            &what,
            &RunPage::new(&run, &check, &mut gate).unwrap(),
        );
        held(&plan, &what, &PlanPage::new(&run).unwrap());
        if let Ok(subject) = Subject::new(&run, &check, &mut gate) {
            held(&diff, &what, &compare(&good, &subject));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} runs were compared");
    for case in cases {
        if let Ok(run_data) = RunData::open(&case) {
            let listing = Listing::new(run_data.list(20), 0);
            held(&list, &case.display().to_string(), &listing);
        }
    }
}

#[test]
fn commands_print_what_the_library_gives() {
    let demo = corpus().join("demo");
    let printed = |args: &[&str]| -> Value {
        serde_json::from_str(stdout(&runvet(&demo, args, Width::Narrow))).unwrap()
    };
    for (schema, args) in [
        (Schema::View, &["view", "ep_03", "--json"][..]),
        (Schema::List, &["list", "--format", "json"]),
        (Schema::Plan, &["plan", "ep_03", "--json"]),
        (Schema::Diff, &["diff", "ep_01", "ep_03", "--json"]),
        (Schema::List, &["list", "--invalid", "--format", "json"]),
    ] {
        let value = printed(args);
        held(&validator(schema), schema.word(), &value);
        let id = ["/episode_id", "/runs/0/episode_id", "/left/episode_id"];
        let id = id.iter().find_map(|pointer| value.pointer(pointer));
        assert!(
            id.is_some_and(Value::is_string),
            "{args:?} says `episode_id`"
        );
    }
}

#[test]
fn list_of_rules_holds_what_the_table_shows() {
    let demo = corpus().join("demo");
    let [list, table] = [&["rules", "--format", "json"][..], &["rules"]]
        .map(|args| stdout(&runvet(&demo, args, Width::Narrow)).to_owned());
    let list: Value = serde_json::from_str(&list).unwrap();
    held(&validator(Schema::Rules), "rules", &list);
    let rules = list["rules"].as_array().unwrap();
    assert_eq!(rules.len(), table.lines().count());
    for (rule, line) in rules.iter().zip(table.lines()) {
        let [id, group, level, severity, title] =
            ["id", "group", "level", "severity", "title"].map(|key| rule[key].as_str().unwrap());
        let mut words = line.split_whitespace();
        assert_eq!((words.next(), words.next()), (Some(id), Some(level)));
        assert!(line.ends_with(title) && id.starts_with(&format!("{group}/")));
        assert_eq!(severity, if level == "off" { "warning" } else { level });
    }
}

/// The properties of a schema that lack a description.
fn undescribed(schema: &Value, at: &str, found: &mut Vec<String>) {
    let members = schema.as_object().into_iter().flatten();
    for (key, value) in members {
        if let ("properties", Some(properties)) = (&**key, value.as_object()) {
            for (name, property) in properties {
                if property["description"].as_str().is_none_or(str::is_empty) {
                    found.push(format!("{at}/{name}"));
                }
            }
        }
        undescribed(value, &format!("{at}/{key}"), found);
    }
}

#[test]
fn schemas_of_outputs_describe_every_field_and_refuse_others() {
    for schema in [
        Schema::View,
        Schema::List,
        Schema::Plan,
        Schema::Diff,
        Schema::RecordCommand,
        Schema::RecordAnswer,
        Schema::Rules,
    ] {
        let text: Value = serde_json::from_str(schema.text()).unwrap();
        let mut found = Vec::new();
        undescribed(&text, "", &mut found);
        assert_eq!(found, [] as [String; 0], "{schema}");
        assert!(!validator(schema).is_valid(&json!({})), "{schema}");
    }
    let side = json!({"episode_id": "a", "dir": "a"});
    let mut diff = json!({"same": true, "left": side, "right": side, "differences": [], "more": 0,
        "uncounted": [], "uncounted_more": 0});
    assert!(validator(Schema::Diff).is_valid(&diff));
    diff["more"] = json!(-1);
    assert!(!validator(Schema::Diff).is_valid(&diff));
}
