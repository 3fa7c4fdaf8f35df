//! Orders that a team declares are judged over the events of a run, line by line.

use super::run::{found, project};
use crate::support::binary::{stderr, stdout};

fn order(pattern: &str) -> String {
    format!(
        "[[order]]\nid = 'a/b'\neach = {{ tool = 'refund' }}\nmessage = 'm {{count}} {{same}}'\n{pattern}"
    )
}

const REFUND: &str = r#"{"tool":"refund","order":1}"#;
const OTHER_REFUND: &str = r#"{"tool":"refund","order":2}"#;
const ESCALATE: &str = r#"{"tool":"escalate","order":1.0}"#;
const ESCALATE_AT: &str =
    r#"{"phase":"act","timestamp":"2026-03-01TTIME","payload":{"tool":"escalate"}}"#;

#[test]
fn order_points_at_the_event_and_the_other_one() {
    for (pattern, events, expected) in [
        (
            "never = true",
            &[REFUND, ESCALATE, REFUND][..],
            &["1 m 1 nothing", "3 m 2 nothing"][..],
        ),
        ("at-most = 1", &[REFUND, REFUND, REFUND], &["2 m 2 nothing"]),
        (
            "at-most = 1\nsame = '/payload/order'",
            &[REFUND, OTHER_REFUND, REFUND],
            &["3 m 2 1"],
        ),
        ("at-least = 2", &[REFUND], &["0 m 1 nothing"]),
        ("at-least = 1", &[ESCALATE], &["0 m 0 nothing"]),
        (
            "at-least = 2\nsame = '/payload/order'",
            &[REFUND, REFUND, OTHER_REFUND],
            &["0 m 1 2"],
        ),
        (
            "needs-earlier = { tool = 'escalate' }",
            &[REFUND, ESCALATE, REFUND],
            &["1 m 1 nothing"],
        ),
        (
            "needs-earlier = { tool = 'escalate' }\nsame = '/payload/order'",
            &[ESCALATE, REFUND, OTHER_REFUND],
            &["3 m 1 2"],
        ),
        (
            "needs-earlier = { tool = 'escalate' }\nwithin = '1s'",
            &[ESCALATE, REFUND, REFUND],
            &["3 m 2 nothing <- 1"],
        ),
        (
            "needs-later = { tool = 'escalate' }",
            &[REFUND, ESCALATE, REFUND],
            &["3 m 2 nothing"],
        ),
        (
            "needs-later = { tool = 'escalate' }\nwithin = '1.5s'",
            &[REFUND, REFUND, ESCALATE],
            &["1 m 2 nothing <- 3"],
        ),
        (
            "none-earlier = { tool = 'escalate' }",
            &[REFUND, ESCALATE, REFUND],
            &["3 m 2 nothing <- 2"],
        ),
        (
            "none-later = { tool = 'escalate' }",
            &[REFUND, ESCALATE, REFUND],
            &["1 m 1 nothing <- 2"],
        ),
        // The nearest event is that of the nearest line, whatever the clock said.
        (
            "none-earlier = { tool = 'escalate' }\nwithin = '1m'",
            &[
                &ESCALATE_AT.replace("TIME", "12:00:09Z"),
                &ESCALATE_AT.replace("TIME", "12:00:01Z"),
                REFUND,
            ],
            &["3 m 1 nothing <- 2"],
        ),
        // No event stands in for itself.
        (
            "needs-earlier = { tool = ['escalate', 'refund'] }",
            &[REFUND, REFUND],
            &["1 m 1 nothing"],
        ),
        (
            "needs-earlier = { tool = 'escalate' }\nsame = '/payload/order'",
            &[r#"{"tool":"refund"}"#],
            &["1 the event has no value at `/payload/order`, by which the order groups events"],
        ),
    ] {
        let project = project(&order(pattern), events, true);
        assert_eq!(found(&project, &[]), expected, "{pattern}");
        assert_eq!(found(&project, &["--jobs", "4"]), expected, "{pattern}");
        assert_eq!(
            found(&project, &["--rule", "strict/*=warning"]),
            expected,
            "{pattern}"
        );
    }
}

#[test]
fn what_a_run_may_still_do_is_judged_at_its_end() {
    let config = order("needs-later = { tool = 'escalate' }");
    assert_eq!(found(&project(&config, &[REFUND], false), &[]), [""; 0]);
    assert_eq!(
        found(&project(&order("at-least = 2"), &[REFUND], false), &[]),
        [""; 0]
    );
    assert_eq!(
        found(
            &project(&order("at-most = 1"), &[REFUND, REFUND], false),
            &[]
        )
        .len(),
        1
    );
}

#[test]
fn line_that_is_no_event_proves_nothing_that_is_missing() {
    let events = [REFUND, "{broken", REFUND];
    for (pattern, is_skipped) in [
        ("needs-earlier = { tool = 'escalate' }", true),
        ("needs-later = { tool = 'escalate' }", true),
        ("at-least = 5", true),
        ("at-most = 1", false),
        ("none-later = { tool = 'refund' }", false),
    ] {
        let found = found(&project(&order(pattern), &events, true), &[]);
        let skipped =
            "skipped: line 2 of events.jsonl is not an event, and could be the one that matters";
        assert_eq!(found == [skipped], is_skipped, "{pattern}: {found:?}");
    }
}

#[test]
fn event_without_an_instant_is_found_where_time_counts() {
    let config = order("needs-earlier = { tool = 'escalate' }\nwithin = '5s'");
    let timeless = r#"{"phase":"act","timestamp":"soon","payload":{"tool":"refund"}}"#;
    let project = project(&config, &[ESCALATE, timeless], true);
    assert_eq!(
        found(&project, &[]),
        ["2 the event has no instant, so no other event is within the time of the order"]
    );
}

#[test]
fn orders_take_parameters_and_packs_give_way() {
    let pack = "[params]\nmost = 1\nwho = 'ops'\n[[order]]\nid = 'a/calls'\neach = {}\nat-most = 'params.most'\nmessage = 'more than {limit} for {params.who}'";
    let project = project("packs = ['p.toml']", &[REFUND, REFUND, REFUND], true);
    project.write("p.toml", pack);
    assert_eq!(found(&project, &[]), ["2 more than 1 for ops"]);
    project.write("runvet.toml", "packs = ['p.toml']\n[params]\nmost = 2");
    assert_eq!(found(&project, &[]), ["3 more than 2 for ops"]);
    let explained = project.run(&["explain", "a/calls"]);
    let page = stdout(&explained);
    let shown = "```json\n{\n  \"at-most\": 2,\n  \"each\": {}\n}\n```";
    assert!(page.contains(shown), "{page}");
}

#[test]
fn order_is_explained_by_what_it_says() {
    let selector = "\n[selector]\nends = { tool = 'end' }";
    let pattern = "needs-later = 'ends'\nwithin = '1.5m'\nsame = '/payload/order'";
    let project = project(&(order(pattern) + selector), &[], true);
    let explained = project.run(&["explain", "a/b"]);
    let page = stdout(&explained);
    let (_, json) = page.split_once("```json\n").unwrap();
    let json: serde_json::Value = serde_json::from_str(json.split_once("```").unwrap().0).unwrap();
    let said = serde_json::json!({
        "each": {"tool": "refund"},
        "needs-later": {"tool": "end"},
        "same": "/payload/order",
        "within": "1.5m",
    });
    assert_eq!(json, said);
}

#[test]
fn more_groups_than_are_kept_are_a_fault() {
    let config = order("at-most = 1\nsame = '/payload/order'");
    let payloads: Vec<String> = (0..100_001)
        .map(|order| format!("{{\"tool\":\"refund\",\"order\":{order}}}"))
        .collect();
    let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
    let project = project(&config, &payloads, true);
    for level in ["a/b=error", "a/b=warning"] {
        let output = project.run(&["validate", "--select", "a/b", "--rule", level, "runs"]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(
            stderr(&output).contains("it has more than 100000 groups, or waiting events"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn examples_of_orders_are_judged() {
    let example = |fires: &str| {
        let config = order("needs-later = { tool = 'escalate' }");
        let example = format!(
            "{config}\n[[order.example]]\nevents = ['{{\"payload\":{REFUND}}}', '{{\"payload\":{ESCALATE}}}', '{{\"payload\":{REFUND}}}']\n{fires}"
        );
        let output = project(&example, &[], true).run(&["rules", "--test"]);
        let said = stdout(&output)
            .lines()
            .find(|line| line.starts_with("a/b"))
            .unwrap()
            .to_owned();
        (output.status.code().unwrap(), said)
    };
    assert_eq!(
        example("fires = [3]"),
        (0, "a/b: 1 example, all with the declared result".into())
    );
    let (code, said) = example("fires = [1, 3]");
    assert!(
        code == 1
            && said.contains(": expected a finding at line 1 (")
            && said.ends_with("); there was none"),
        "{said}"
    );
    let (code, said) = example("fires = []\nended = false");
    assert_eq!(
        (code, &*said),
        (
            1,
            "a/b: the rule has no example in which it finds something"
        )
    );
}

/// What stands in an order, and parts of the message.
const MISTAKES: &[(&str, &str)] = &[
    ("", "the order lacks its pattern"),
    (
        "never = true\nat-most = 1",
        "an order has one pattern, and this one has `never` and `at-most`",
    ),
    ("never = false", "never"),
    ("at-most = 0", "expected a whole number, at least 1"),
    (
        "at-most = 'params.x'",
        "there is no parameter called \"params.x\"",
    ),
    (
        "at-most = 1\nwithin = '1s'",
        "`within` is allowed only with `needs-earlier`, `needs-later`, `none-earlier` and `none-later`",
    ),
    (
        "needs-later = {}\nwithin = '1w'",
        "expected a length of time",
    ),
    (
        "needs-later = {}\nwithin = '0s'",
        "expected a length of time above 0",
    ),
    (
        "needs-later = {}\nwithin = '1.5000000000000000005s'",
        "with at most 18 decimals of a second",
    ),
    (
        "never = true\nsame = '/a'",
        "`same` can't be combined with `never`",
    ),
    ("needs-erlier = {}", "did you mean `needs-earlier`?"),
    (
        "needs-later = 'nobody'",
        "there is no selector called \"nobody\"",
    ),
];

#[test]
fn mistakes_in_orders_are_named() {
    for (pattern, message) in MISTAKES {
        let project = project(&order(pattern), &[], true);
        let output = project.run(&["validate", "runs"]);
        assert_eq!(output.status.code(), Some(2), "{pattern}");
        let said = stderr(&output);
        assert!(said.contains(message), "{pattern}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "{pattern}: {said}");
    }
    let unknown = order("never = true").replace("{same}", "{some}");
    let output = project(&unknown, &[], true).run(&["validate", "runs"]);
    assert!(
        stderr(&output).contains("the message has the unknown placeholder \"some\""),
        "{}",
        stderr(&output)
    );
}
