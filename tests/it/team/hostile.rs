//! Packs that would take for ever, or all memory, end in a configuration error or are judged.

use std::fmt::Write as _;

use crate::support::binary::{stderr, stdout};
use crate::support::project::Project;

/// The exit code of a check by a schema, and what it says.
fn check(schema: &str) -> (i32, String) {
    let pack = "[[schema]]\nid = 'a/b'\nat = '/payload'\nfile = 'a.json'\n";
    let project = Project::new(pack);
    project.write("a.json", schema);
    let output = project.run(&["validate", "--select", "a/b", "--quiet", "runs"]);
    (output.status.code().unwrap(), stderr(&output).to_owned())
}

/// Definitions, each of which applies the next one in some way, and the last one.
fn chain(length: usize, part: &str, last: &str) -> String {
    let mut parts = String::new();
    for index in 0..length {
        let reference = format!("{{\"$ref\":\"#/$defs/{}\"}}", index + 1);
        write!(parts, "\"{index}\":{},", part.replace("NEXT", &reference)).unwrap();
    }
    format!("{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{parts}\"{length}\":{last}}}}}")
}

#[test]
fn hostile_schema_is_judged_or_refused() {
    let nested = |depth: usize| [&"{\"not\":".repeat(depth), "{}", &"}".repeat(depth)].concat();
    let words: Vec<String> = (0..90_000).map(|index| format!("\"v{index}\"")).collect();
    let pattern =
        |pattern: &str| format!("{{\"additionalProperties\":{{\"pattern\":\"{pattern}\"}}}}");
    for (schema, code, says) in [
        (chain(900, "NEXT", "{\"type\":\"object\"}"), 0, ""),
        (chain(20_000, "NEXT", "{}"), 2, "subschemas to one value"),
        (
            chain(40, "{\"anyOf\":[NEXT,NEXT]}", "false"),
            2,
            "subschemas to one value",
        ),
        (
            chain(40, "{\"allOf\":[NEXT,NEXT]}", "true"),
            2,
            "subschemas to one value",
        ),
        ("{\"$ref\":\"#\"}".into(), 0, ""),
        (
            "{\"additionalProperties\":{\"$ref\":\"#\"},\"items\":{\"$ref\":\"#\"}}".into(),
            0,
            "",
        ),
        (format!("{{\"enum\":[{}]}}", words.join(",")), 1, ""),
        (pattern("^(a+)+$"), 1, ""),
        (pattern("(a{1000}){1000}"), 2, "\"regex\""),
        (pattern("(a)\\\\1"), 2, "\"regex\""),
        (nested(100), 0, ""),
        (nested(50_000), 2, "recursion limit"),
        ("[".repeat(1 << 20), 2, "recursion limit"),
        (" ".repeat((1 << 20) + 1), 2, "longer than 1 MiB"),
    ] {
        let shown = &schema[..schema.len().min(80)];
        let (found, said) = check(&schema);
        assert_eq!(found, code, "{shown}: {said}");
        assert!(said.contains(says), "{shown}: {said}");
    }
}

#[test]
fn schema_that_applies_itself_twice_ends_on_deep_values() {
    let again = r##"{"type":"object","required":["x"],"properties":{"x":{"$ref":"#"}}}"##;
    let either = format!("{{\"anyOf\":[{again},{again}]}}");
    let condition = r##"{"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"properties":{"x":{"$ref":"#"}}}}"##;
    let besides = format!(
        r##"{{"type":"object","properties":{{"x":{{"$ref":"#"}}}},"allOf":[{condition}]}}"##
    );
    for schema in [either, besides] {
        let pack = "[[schema]]\nid = 'a/b'\nat = '/payload/deep'\nfile = 'a.json'\n";
        let project = Project::new(pack);
        project.write("a.json", &schema);
        let deep = [&"{\"k\":\"a\",\"x\":".repeat(60), "1", &"}".repeat(60)].concat();
        let event = format!(
            "{{\"phase\":\"note\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"deep\":{deep}}}}}\n"
        );
        project.write("runs/demo/episodes/ep_01_answer/events.jsonl", &event);
        let output = project.run(&[
            "validate",
            "--select",
            "a/b",
            "runs/demo/episodes/ep_01_answer",
        ]);
        assert_eq!(output.status.code(), Some(1), "{schema}");
        assert!(stdout(&output).contains("error[a/b]"), "{schema}");
    }
}

#[test]
fn pack_may_have_a_thousand_rules() {
    for (number, code) in [(1_000, 0), (1_001, 2)] {
        let one =
            |index| format!("[[schema]]\nid = 'a/b{index}'\nschema = {{ type = 'object' }}\n");
        let project = Project::new(&(0..number).map(one).collect::<String>());
        let output = project.run(&["validate", "--select", "a/*", "runs"]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
}
