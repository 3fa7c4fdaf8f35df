//! What a team declares says of a run whether it had anything to compare, however that was read.

use std::fmt::Write as _;

use serde_json::Value;

use super::run::project;
use crate::support::binary::{stderr, stdout};

/// Each pattern of an order about refunds; what it says of a run without one, and of one with one.
const PATTERNS: [(&str, &str, &str); 8] = [
    ("never = true", "sound", "found"),
    ("at-most = 1", "nothing", "sound"),
    ("at-least = 1", "found", "sound"),
    ("at-least = 1\nsame = '/payload/order'", "nothing", "sound"),
    ("needs-earlier = { tool = 'other' }", "nothing", "sound"),
    ("needs-later = { tool = 'end' }", "nothing", "sound"),
    ("none-earlier = { tool = 'end' }", "nothing", "sound"),
    ("none-later = { tool = 'other' }", "nothing", "sound"),
];

#[test]
fn what_names_no_event_of_a_run_compared_nothing() {
    let mut config = "[vocabulary]\n'/payload/order' = '*'\n".to_owned();
    for (at, (pattern, ..)) in PATTERNS.iter().enumerate() {
        let each = "each = { tool = 'refund' }\nmessage = 'm'";
        writeln!(config, "[[order]]\nid = 'a/{at}'\n{each}\n{pattern}").unwrap();
    }
    let of_refund = "where = { tool = 'refund' }\nschema = { required = ['payload'] }";
    writeln!(config, "[[schema]]\nid = 'a/8'\n{of_refund}").unwrap();
    let event = |tool: &str, key: &str| {
        format!(
            "{{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"tool\":\"{tool}\",\"{key}\":\"1\"}}}}"
        )
    };
    // The last ones are read with others of their kind, and by several threads.
    for (others, has_refund) in [1, 50, 12_000].iter().flat_map(|n| [(n, false), (n, true)]) {
        let key = if has_refund { "order" } else { "x" };
        let mut events = vec![event("other", key); *others];
        events.push(event(if has_refund { "refund" } else { "other" }, key));
        events.push(event("end", "y"));
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let project = project(&config, &events, true);
        let args = ["validate", "--coverage", "--format", "json", "--jobs", "4"];
        let output = project.run(&[&args[..], &["runs"]].concat());
        let report: Value = serde_json::from_str(stdout(&output)).unwrap();
        let said = &report["episodes"][0]["coverage"];
        let rest = if has_refund { "sound" } else { "nothing" };
        let patterns = PATTERNS.map(|it| if has_refund { it.2 } else { it.1 });
        let rules = (0..9).map(|at| format!("a/{at}"));
        let rules = rules.chain(["team/vocabulary".to_owned()]);
        for (rule, expected) in rules.zip(patterns.into_iter().chain([rest; 2])) {
            assert_eq!(said[&rule], expected, "{rule}, {others} {has_refund}");
        }
    }
}

/// `validate` says which selectors named no event of any run; a strict one fails, unless the rule
/// wants no such event.
#[test]
fn selector_that_names_no_event_of_any_run_is_said() {
    let order = |id: &str, keys: &str| format!("[[order]]\nid = 'a/{id}'\nmessage = 'm'\n{keys}\n");
    let config = order("slip", "each = { tool = 'refnd' }\nat-most = 1")
        + &order(
            "right",
            "each = { tool = 'refund' }\nneeds-earlier = { tool = 'ask' }",
        )
        + &order("ban", "each = { tool = 'delete' }\nnever = true")
        + "[[rule]]\nid = 'a/rule'\nmessage = 'm'\neach = { tool = 'pay' }\ncheck = 'true'\n"
        + "[[schema]]\nid = 'a/schema'\nwhere = { tool = 'refnd' }\nschema = {}\n";
    let payloads = [
        r#"{"tool":"refund"}"#,
        r#"{"tool":"ask"}"#,
        r#"{"tool":"refund"}"#,
    ];
    let project = project(&config, &payloads, true);
    let output = project.run(&["validate", "runs"]);
    let said = |rule: &str| format!("{rule} matches no event of any run");
    let notes = stderr(&output);
    for rule in [
        "a/slip: `each`",
        "a/ban: `each`",
        "a/rule: `each`",
        "a/schema: `where`",
    ] {
        assert!(
            notes.contains(&format!("note: {}", said(rule))),
            "{rule}: {notes}"
        );
    }
    assert!(!notes.contains("a/right"), "{notes}");
    let strict = project.run(&["validate", "--strict-config", "runs"]);
    assert_eq!(strict.status.code(), Some(2), "{}", stderr(&strict));
    // A part of the run data says nothing of the rest.
    for args in [
        &["validate", "--quiet", "runs"][..],
        &["validate", "runs/episodes/ep_1"],
    ] {
        let output = project.run(args);
        assert!(
            !stderr(&output).contains("matches no event"),
            "{}",
            stderr(&output)
        );
    }
    let only_ban = order("ban", "each = { tool = 'delete' }\nnever = true");
    project.write(
        "runvet.toml",
        &format!("{only_ban}[rules]\n'*' = 'off'\n'a/*' = 'error'\n"),
    );
    let strict = project.run(&["validate", "--strict-config", "runs"]);
    assert_eq!(strict.status.code(), Some(0), "{}", stderr(&strict));
    assert!(stderr(&strict).contains(&said("a/ban: `each`")));
}
