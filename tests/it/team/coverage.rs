//! What a team declares says of a run whether it had anything to compare, however that was read.

use std::fmt::Write as _;

use serde_json::Value;

use super::run::project;
use crate::support::binary::stdout;

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
    for (others, has_refund) in [1, 50]
        .iter()
        .flat_map(|n| [(n, false), (n, true)])
    {
        let key = if has_refund { "order" } else { "x" };
        let mut events = vec![event("other", key); *others];
        events.push(event(if has_refund { "refund" } else { "other" }, key));
        events.push(event("end", "y"));
        let events: Vec<&str> = events
            .iter()
            .map(String::as_str)
            .collect();
        let project = project(&config, &events, true);
        let args = ["validate", "--coverage", "--format", "json"];
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
