//! Packs that would take for ever, or all memory, end in a configuration error or are judged.

use std::fmt::Write as _;

use runvet::finding::Finding;

use super::run;
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

/// The findings of a schema for the value `x` of a payload.
fn findings(schema: &str, value: &str) -> Vec<Finding> {
    let config = "[[schema]]\nid = 'a/b'\nat = '/payload/x'\nfile = 'a.json'\n";
    let project = run::project(config, &[&format!("{{\"x\":{value}}}")], false);
    project.write("a.json", schema);
    let report = project.report(&[], &["--select", "a/b"]);
    report.episodes.into_iter().next().unwrap().findings
}

#[test]
fn numbers_are_compared_as_they_are_written() {
    for (schema, value, count) in [
        (
            r#"{"maximum":1000000000000000000}"#,
            "1000000000000000001",
            1,
        ),
        (r#"{"minimum":-9007199254740993}"#, "-9007199254740994", 1),
        (
            r#"{"maximum":1000000000000000000}"#,
            "1000000000000000000",
            0,
        ),
        (r#"{"enum":[null,0.5,[1]]}"#, "1e400", 1),
        (r#"{"enum":[[null],{"a":null}]}"#, "[1e400]", 1),
        (r#"{"enum":[[null],{"a":null}]}"#, r#"{"a":1e400}"#, 1),
        (r#"{"enum":[[1.0],{"a":"b"}]}"#, "[10e-1]", 0),
        (r#"{"enum":[[1.0],{"a":"b"}]}"#, r#"{"a":"\u0062"}"#, 0),
        (r#"{"enum":[[1.0],{"a":"b"}]}"#, r#"{"a":"b","c":1}"#, 1),
        (r#"{"uniqueItems":true}"#, "[1e400,1e401]", 0),
    ] {
        assert_eq!(findings(schema, value).len(), count, "{schema} {value}");
    }
}

#[test]
fn places_below_a_long_key_are_short_and_few() {
    let schema = r#"{"additionalProperties":{"items":{"type":"integer"}}}"#;
    let value = |length: usize, items: usize| {
        let items = vec!["\"x\""; items].join(",");
        format!("{{\"{}\":[{items}]}}", "k".repeat(length))
    };
    let short = findings(schema, &value(1_000, 3));
    let pointers = short.iter().map(|it| it.location.pointer.as_deref());
    assert_eq!(pointers.collect::<Vec<_>>(), [Some("/payload/x"); 3]);
    let long = findings(schema, &value(10_000, 1_000));
    assert!(long[0].message.contains("in more places than are listed"));
    assert_eq!(long.len(), 1);
}

#[test]
fn lines_of_another_file_are_kept_up_to_a_limit() {
    let config = "[[schema]]\nid = 'a/b'\nrecord = 'trace.jsonl'\nschema = { type = 'object' }";
    let project = run::project(config, &[], true);
    let line = format!("\"{}\"\n", "x".repeat(1_000_000));
    project.write("runs/episodes/ep_1/trace.jsonl", &line.repeat(20));
    let report = project.report(&[], &["--select", "a/b"]);
    let findings = &report.episodes[0].findings;
    let shown = findings.iter().filter(|it| it.location.length > Some(0));
    assert_eq!((findings.len(), shown.count()), (20, 16));
    // A file of holes would take minutes to read.
    let holes = project.path("runs/episodes/ep_1/trace.jsonl");
    let holes = std::fs::File::create(holes).unwrap();
    holes.set_len(1 << 40).unwrap();
    let report = project.report(&[], &["--select", "a/b"]);
    let findings = &report.episodes[0].findings;
    assert_eq!(findings.len(), 1);
    let message = &findings[0].message;
    assert!(message.contains("larger than the limit"), "{message}");
}

/// What a rule and a schema with a pattern say of a text: their findings, and the kinds of skips.
fn matched(pattern: &str, text: &str) -> (usize, Vec<String>) {
    let config = format!(
        "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = {{ phase = 'act' }}\n\
         check = \"event.payload.v.matches('{pattern}')\"\n\
         [[schema]]\nid = 'a/schema'\nat = '/payload/v'\nschema = {{ pattern = '{pattern}' }}\n"
    );
    let payload = format!("{{\"v\":\"{text}\"}}");
    let project = run::project(&config, &[&payload], true);
    let report = project.report(&[], &["--select", "a/*"]);
    let episode = &report.episodes[0];
    let kinds = episode.skipped.iter().map(|skip| skip.kind().to_owned());
    (episode.findings.len(), kinds.collect())
}

#[test]
fn pattern_that_multiplies_meets_a_limit_and_others_do_not() {
    let random: String = (0_u32..400_000)
        .map(|at| match at.wrapping_mul(2_654_435_761) >> 30 {
            0 => "foo",
            1 => "b",
            2 => "x",
            _ => "bar",
        })
        .collect();
    for pattern in [
        "(foo|bar).{1,300}(baz|qux)[0-9]",
        "key.{0,100}[0-9]{6}",
        "(?:foo|bar)[^z]{200}z",
    ] {
        let (findings, kinds) = matched(pattern, &random);
        assert_eq!(
            (findings, kinds),
            (0, vec!["limit".to_owned(); 2]),
            "{pattern}"
        );
        // A short text is judged.
        assert_eq!(matched(pattern, "foo"), (2, Vec::new()), "{pattern}");
    }
    for pattern in [
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T",
        "(?i)(error|warning|traceback):",
        "[a-z]+@[a-z]+[.]com",
        "^[^/]*/secret/.*key",
    ] {
        assert_eq!(matched(pattern, &random), (2, Vec::new()), "{pattern}");
    }
}

#[test]
fn digits_of_instants_have_a_limit_in_all_groups() {
    let config = "[[order]]\nid = 'a/order'\nmessage = 'm'\neach = { tool = 'pay' }\n\
                  needs-earlier = { tool = 'ask' }\nsame = '/payload/o'\nwithin = '1h'\n";
    let events = |groups: usize, digits: usize| -> Vec<String> {
        let time = format!("2026-03-01T12:00:00.{}Z", "1".repeat(digits));
        let event = |at: usize| {
            let payload = format!("{{\"tool\":\"ask\",\"o\":{at}}}");
            format!(r#"{{"phase":"act","timestamp":"{time}","payload":{payload}}}"#)
        };
        (0..groups).map(event).collect()
    };
    let skips = |groups, digits| {
        let events = events(groups, digits);
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let project = run::project(config, &events, true);
        let report = project.report(&[], &["--select", "a/*"]);
        report.episodes[0].skipped.len()
    };
    assert_eq!((skips(20, 400_000), skips(200, 40)), (1, 0));
}

#[test]
fn groups_of_all_orders_have_a_limit_together() {
    let config = (0..8).map(|at| {
        format!(
            "[[order]]\nid = 'a/b{at}'\neach = {{ phase = 'x' }}\nsame = '/payload/v'\n\
             needs-later = {{ phase = 'y' }}\nmessage = 'm'\n"
        )
    });
    let event = |phase: &str, value: usize| {
        let time = "2026-03-01T12:00:00Z";
        format!(r#"{{"phase":"{phase}","timestamp":"{time}","payload":{{"v":{value}}}}}"#)
    };
    let phases = ["x", "y"].into_iter();
    let events = phases.flat_map(|phase| (0..20_000).map(move |value| event(phase, value)));
    let events: Vec<String> = events.collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let project = run::project(&config.collect::<String>(), &events, true);
    let report = project.report(&[], &["--select", "a/*"]);
    let episode = &report.episodes[0];
    // Each needs the events at the end, which those that are stopped have not seen.
    assert_eq!(episode.findings, [], "none is accused");
    let stopped = episode.skipped.iter().filter(|it| it.kind() == "limit");
    let stopped = stopped.map(|it| it.rule.clone()).collect::<Vec<_>>();
    assert_eq!(stopped, ["a/b0", "a/b6"]);
}

#[test]
fn texts_of_expressions_are_kept_up_to_a_limit() {
    let config = "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = { phase = 'act' }\n\
                  check = 'event.payload.v'\n";
    let payload = format!("{{\"v\":\"{}\"}}", "x".repeat(1_000));
    let project = run::project(config, &vec![payload.as_str(); 4_000], true);
    let report = project.report(&[], &["--select", "a/*"]);
    let findings = &report.episodes[0].findings;
    assert!(
        (2_000..3_000).contains(&findings.len()),
        "{}",
        findings.len()
    );
    let more = 4_000 - (findings.len() - 1);
    let said = format!("{more} more findings of this rule not listed");
    assert!(findings.iter().any(|it| it.message.contains(&said)));
}

#[test]
fn text_that_is_too_long_for_a_pattern_is_none() {
    let schema = r#"{"properties":{"v":{"format":"regex"}}}"#;
    for (text, number) in [
        ("a+".to_owned(), 0),
        ("(".to_owned(), 1),
        ("a".repeat(70_000), 1),
    ] {
        let value = format!("{{\"v\":\"{text}\"}}");
        assert_eq!(findings(schema, &value).len(), number, "{}", text.len());
    }
}
