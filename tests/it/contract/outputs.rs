//! What commands print as JSON is what its schema says, over the whole corpus.

use std::path::PathBuf;

use jsonschema::{Draft, Validator};
use runvet::Schema;
use runvet::gate::Gate;
use runvet::read::RunReader;
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
fn held(validator: &Validator, what: &str, value: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [] as [String; 0], "{what}");
}

fn cases() -> Vec<PathBuf> {
    let expecting = ["bad", "broken"]
        .map(expecting_cases)
        .concat();
    [good_cases(), expecting, vec![corpus().join("demo")]].concat()
}

#[test]
fn outputs_are_what_their_schemas_say() {
    let [view, list] = [Schema::View, Schema::List].map(validator);
    let (hostile, _) = hostile_run();
    let cases = [cases(), vec![hostile.path().to_owned()]].concat();
    let episodes = cases.iter().flat_map(|case| {
        Gate::default()
            .discover(&[case])
            .episodes
    });
    let episodes: Vec<PathBuf> = episodes
        .map(|episode| episode.path)
        .collect();
    let mut gate = Gate::default();
    for path in &episodes {
        let page = runvet::view::json(&RunReader::open(path).unwrap(), &mut gate).unwrap();
        held(
            &view,
            &path.display().to_string(),
            &serde_json::from_slice(&page).unwrap(),
        );
    }
    assert!(episodes.len() > 100, "{} runs were viewed", episodes.len());
    let printed = |args: &[&str]| -> Value {
        serde_json::from_str(stdout(&runvet(&corpus(), args, Width::Narrow))).unwrap()
    };
    let demo = ["list", "--limit", "0", "--format", "json", "demo"];
    held(&list, "list", &printed(&demo));
}

#[test]
fn commands_print_what_the_schemas_of_outputs_say() {
    let (demo, temp) = (corpus().join("demo"), tempfile::tempdir().unwrap());
    let printed = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        stdout(&runvet(&demo, &args, Width::Narrow)).to_owned()
    };
    let [before, after] = ["strict/*=off", "strict/*=error"].map(|rule| {
        let path = temp.path().join(rule.replace('/', "-"));
        let args = format!("validate --format ndjson --rule {rule} .");
        std::fs::write(&path, printed(&args)).unwrap();
        path.display().to_string()
    });
    for schema in Schema::ALL {
        let args = match schema {
            Schema::Report => "validate --format json --coverage --statistics .",
            Schema::View => "view ep_03 --json",
            Schema::List => "list --format json",
            Schema::Plan => "plan ep_03 --json",
            Schema::Diff => "diff ep_01 ep_03 --json",
            Schema::Compare => "compare . . --format json",
            Schema::Groups => "compare . --by team --format json",
            Schema::Impact => &format!("impact {before} {after} --format json"),
            Schema::Coverage => "coverage --format json .",
            Schema::Rules => "rules --format json",
            Schema::TableRuns => "table runs --format ndjson .",
            Schema::TableSteps => "table steps --format ndjson .",
            Schema::TableActions => "table actions --format ndjson .",
            Schema::TableEvents => "table events --format ndjson .",
            Schema::TableFindings => "table findings --format ndjson .",
            // Each answer is held where it is given; the others are read.
            Schema::RecordAnswer
            | Schema::RecordCommand
            | Schema::State
            | Schema::Summary
            | Schema::Event
            | Schema::Config
            | Schema::Pack => continue,
            Schema::Seal => {
                let to = temp.path().join("seal.json");
                printed(&format!("validate --output in-toto={} .", to.display()));
                let seal = serde_json::from_slice(&std::fs::read(to).unwrap()).unwrap();
                held(&validator(*schema), "the seal", &seal);
                continue;
            }
            other => panic!("nothing prints {other}"),
        };
        let (text, validator) = (printed(args), validator(*schema));
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let values: Vec<Value> = values.map(Result::unwrap).collect();
        assert!(!values.is_empty(), "{args}");
        for value in &values {
            held(&validator, args, value);
        }
        let runs = [Schema::View, Schema::List, Schema::Plan, Schema::Diff];
        let ids = ["/episode_id", "/runs/0/episode_id", "/left/episode_id"];
        let mut ids = ids
            .iter()
            .filter_map(|pointer| values[0].pointer(pointer));
        let is_named = ids.any(Value::is_string);
        assert!(
            is_named || !runs.contains(schema),
            "{args} says `episode_id`"
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
        assert_eq!(words.next(), Some(id));
        let shown = words
            .next()
            .map(|word| word.trim_end_matches(','));
        assert_eq!(shown, Some(level));
        assert!(line.ends_with(title) && id.starts_with(&format!("{group}/")));
        let expected = match level {
            "off" => "warning",
            "ask" => "error",
            level => level,
        };
        assert_eq!(severity, expected);
    }
}

/// The properties of a schema that lack a description.
fn undescribed(schema: &Value, at: &str, found: &mut Vec<String>) {
    let members = schema.as_object().into_iter().flatten();
    for (key, value) in members {
        if let ("properties", Some(properties)) = (&**key, value.as_object()) {
            for (name, property) in properties {
                if property["description"]
                    .as_str()
                    .is_none_or(str::is_empty)
                {
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
    let mut diff = json!({"same": true, "left": side, "right": side, "first_divergence": null, "differences": [], "more": 0,
        "uncounted": [], "uncounted_more": 0});
    assert!(validator(Schema::Diff).is_valid(&diff));
    diff["more"] = json!(-1);
    assert!(!validator(Schema::Diff).is_valid(&diff));
}
