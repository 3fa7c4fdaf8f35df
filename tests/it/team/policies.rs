//! Policies that people write: selectors that compare, groups of several values, rows of events,
//! and what is asked of earlier events.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};

use super::run::{found, project};
use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::sessions::Random;

const REFUND: &str = "each = { tool = 'refund', if = 'event.payload.amount > params.limit' }\n";

const EACH: &str = "each = { tool = 'refund' }\n";

/// Events: a small refund, a large one, and one without an amount; an approval.
const EVENTS: [&str; 4] = [
    r#"{"tool":"refund","amount":500.0,"order":1}"#,
    r#"{"tool":"refund","amount":501,"order":1}"#,
    r#"{"tool":"refund","order":1}"#,
    r#"{"tool":"approve","amount":900,"order":1}"#,
];

const UNKNOWN: &str = "3 `if` can't be evaluated: there is no `amount` in `event.payload`, at \
                       `event.payload.amount`";

fn declared(table: &str, keys: &str) -> String {
    let text = if table == "schema" {
        ""
    } else {
        "message = 'm'\n"
    };
    format!("[params]\nlimit = 500\n[[{table}]]\nid = 'a/b'\n{text}{keys}\n")
}

/// What is found in some events: the table, its keys, the events by their numbers, and the lines.
#[test]
fn selectors_compare_and_fail_closed() {
    let other = |pattern: &str| {
        let approval = "{ tool = 'approve', if = 'event.payload.amount > 500' }";
        format!("each = {{ tool = 'refund' }}\n{pattern} = {approval}\nsame = '/payload/order'")
    };
    let blind = |pattern: &str| other(pattern).replace("event.payload.amount", "event.payload.x");
    let of_schema = "schema = { required = ['x'] }\nwhere = ";
    for (table, keys, events, expected) in [
        ("order", format!("{REFUND}never = true"), &[0, 1, 2, 3][..], vec!["2 m", UNKNOWN]),
        // What can't be evaluated is a finding, and does not count.
        ("order", format!("{REFUND}at-most = 1"), &[0, 1, 2, 1], vec![UNKNOWN, "4 m"]),
        ("order", format!("{REFUND}at-least = 2"), &[0, 1, 2, 3], vec![UNKNOWN, "0 m"]),
        (
            "order",
            format!("{REFUND}needs-earlier = {{ tool = 'approve' }}"),
            &[0, 1, 2, 3, 1],
            vec!["2 m", UNKNOWN],
        ),
        (
            "order",
            format!("{REFUND}none-later = {{ tool = 'approve' }}"),
            &[0, 1, 2, 3, 1],
            vec!["2 m <- 4", UNKNOWN],
        ),
        // As the other event it fulfils no need, and breaks a ban.
        ("order", other("needs-earlier"), &[3, 0], vec![]),
        ("order", blind("needs-earlier"), &[3, 0], vec!["2 m"]),
        ("order", blind("needs-later"), &[0, 3], vec!["1 m"]),
        ("order", blind("none-earlier"), &[3, 0], vec!["2 m <- 1"]),
        ("order", blind("none-later"), &[0, 3], vec!["1 m <- 2"]),
        ("order", other("none-later"), &[0, 3], vec!["1 m <- 2"]),
        ("rule", format!("{REFUND}check = 'false'"), &[0, 1, 2, 3], vec!["2 m", UNKNOWN]),
        (
            "rule",
            format!("{REFUND}check = 'tools.refund < 1'"),
            &[0, 1, 2, 3],
            vec!["2 m", UNKNOWN],
        ),
        (
            "schema",
            format!("{of_schema}{{ tool = 'refund', if = 'event.payload.amount > 500' }}"),
            &[0, 1, 2, 3],
            vec!["2 the event lacks the required field `x`", UNKNOWN],
        ),
        // A name stands for the whole selector; the condition is asked where the keys match.
        (
            "order",
            "each = 'large'\nnever = true\n[selector]\nlarge = { if = 'event.payload.amount > params.limit', tool = 'refund' }".to_owned(),
            &[0, 1, 3],
            vec!["2 m"],
        ),
        (
            "order",
            "each = { tool = 'refund', if = 'event.payload.amount' }\nnever = true".to_owned(),
            &[1],
            vec!["1 `if` can't be evaluated: its value is an int, not a bool"],
        ),
    ] {
        let events: Vec<&str> = events.iter().map(|event| EVENTS[*event]).collect();
        let project = project(&declared(table, &keys), &events, true);
        let mut found = found(&project, &[]);
        let mut expected = expected;
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{keys}");
    }
}

/// Keys and values are found however they are written: with escapes, blanks, more than once.
#[test]
fn values_are_found_as_they_are_meant() {
    const WRITTEN: [&str; 6] = [
        r#"{"tool":"refund","usage":{"tokens":7},"input":{"a":1,"b":[2]}}"#,
        r#"{"tool":"refund","usage":{"tok\u0065ns":7.0},"input":{"b":[2.0],"a":10e-1}}"#,
        r#"{"tool":"ref\u0075nd","usage" : { "tokens" : 7 } , "input" : { "\u0061" : 1 , "b" : [ 2 ] } }"#,
        r#"{"tool":"refund","usage":{"tokens":1,"tokens":7},"input":{"a":0,"b":[2],"a":1}}"#,
        r#"{"tool":"refund","usage":{"tokens":7},"usage":{},"input":{"a":1,"b":[2]}}"#,
        r#"{"tool":"refund","usage":{"tokens":8},"input":{"a":1,"b":[2,2]}}"#,
    ];
    let of_tokens = "each = { '/payload/usage/tokens' = 7 }\n";
    let same = "same = ['/payload/tool', '/payload/input']\n";
    let earlier = "check = 'earlier(\"r\").map(e, e.payload.input.a).sum() < 4'\n\
                   [selector]\nr = { tool = 'refund' }";
    for (table, keys, expected) in [
        (
            "order",
            format!("{of_tokens}never = true"),
            vec!["1 m", "2 m", "3 m", "4 m"],
        ),
        (
            "order",
            format!("{of_tokens}{same}at-most = 3"),
            vec!["4 m"],
        ),
        ("order", format!("{EACH}{same}at-most = 4"), vec!["5 m"]),
        (
            "rule",
            format!("{EACH}check = 'event.payload.usage.tokens != 7'"),
            vec![
                "1 m",
                "2 m",
                "3 m",
                "4 m",
                "5 `check` can't be evaluated: there is no `tokens` in `event.payload.usage`, at \
                 `event.payload.usage.tokens`",
            ],
        ),
        ("rule", format!("{EACH}{same}{earlier}"), vec!["5 m"]),
    ] {
        let project = project(&declared(table, &keys), &WRITTEN, true);
        let mut found = found(&project, &[]);
        found.sort();
        assert_eq!(found, expected, "{keys}");
    }
}

#[test]
fn selectors_of_actions_compare() {
    let keys = "record = 'action'\nwhere = { tool = 'refund', if = 'action.amount > params.limit' }\nschema = { required = ['x'] }";
    let project = project(&declared("schema", keys), &[], true);
    let path = "runs/episodes/ep_1/state.json";
    let mut state: Value =
        serde_json::from_slice(&std::fs::read(project.path(path)).unwrap()).unwrap();
    let refund = |amount: Value| json!({"kind": "k", "tool": "refund", "amount": amount});
    state["outcomes"]["actions"] = [json!(500), json!(501), json!("x")].map(refund).into();
    project.write(path, &state.to_string());
    let report = project.report(&[], &["--select", "a/b"]);
    let findings = report.episodes[0].findings.iter();
    let findings = findings.map(|it| (it.location.pointer.clone().unwrap(), it.message.clone()));
    let findings: Vec<(String, String)> = findings.collect();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(findings[0].0, "/outcomes/actions/1");
    assert_eq!(findings[1].0, "/outcomes/actions/2");
    assert!(
        findings[1]
            .1
            .starts_with("`if` can't be evaluated: `>` is not defined")
    );
}

#[test]
fn conditions_that_run_away_are_a_fault() {
    let items = vec!["1"; 20_000].join(",");
    let payload = format!("{{\"tool\":\"refund\",\"items\":[{items}]}}");
    let each = "{ if = 'event.payload.items.all(a, event.payload.items.all(b, a == b))' }";
    for (table, keys) in [
        ("order", format!("each = {each}\nnever = true")),
        ("rule", format!("each = {each}\ncheck = 'false'")),
        ("schema", format!("where = {each}\nschema = {{}}")),
    ] {
        let project = project(&declared(table, &keys), &[&payload], true);
        let output = project.run(&["validate", "--select", "a/b", "runs"]);
        let said = [stdout(&output), stderr(&output)].concat();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("a/b could not be judged: ") && said.contains("more steps"),
            "{said}"
        );
    }
}

#[test]
fn groups_are_of_all_values_together() {
    let call = |tool: &str, input: &str| format!("{{\"tool\":{tool},\"input\":{input}}}");
    let events = [
        call("\"a\"", r#"{"x":1,"y":[2]}"#),
        call("\"a\"", r#"{"y":[2.0],"x":1e0}"#),
        call("\"a\"", r#"{"x":1,"y":["2"]}"#),
        call("\"b\"", r#"{"x":1,"y":[2]}"#),
        r#"{"tool":"a"}"#.to_owned(),
        call("\"a\"", "1"),
        call("1", "\"a\""),
        call("\"a\"", "1.0"),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let keys = "each = {}\nat-most = 1\nsame = ['/payload/tool', '/payload/input']";
    let config = declared("order", keys).replace("'m'", "'{same}: {count}'");
    let absent = "5 the event has no value at `/payload/tool` or `/payload/input`, by which the \
                  order groups events";
    let expected = [
        "2 \"a\", {\"y\":[2.0],\"x\":1e0}: 2",
        absent,
        "8 \"a\", 1.0: 2",
    ];
    let project = project(&config, &events, true);
    let shown = expected[0].replace("{\"y\":[2.0],\"x\":1e0}", r#"{"x":1,"y":[2]}"#);
    let found = found(&project, &[]);
    assert!(found[0] == expected[0] || found[0] == shown, "{found:?}");
    assert_eq!(found[1], expected[1]);
    assert!(found[2].starts_with("8 ") && found.len() == 3, "{found:?}");
    let page = stdout(&project.run(&["explain", "a/b"])).to_owned();
    assert!(
        page.contains("\"same\": [\n    \"/payload/tool\""),
        "{page}"
    );
}

#[test]
fn row_is_ended_by_any_other_act() {
    let (a, b) = (r#"{"tool":"a"}"#, r#"{"tool":"b"}"#);
    let seen = r#"{"phase":"observe","timestamp":"2026-03-01T12:00:00Z","payload":{"tool":"b"}}"#;
    let each = "each = { tool = 'a' }";
    let any = "each = { tool = '*' }\nsame = '/payload/tool'";
    for (keys, events, expected) in [
        (each, &[a, a, b, a, a][..], vec![]),
        (each, &[a, a, a, a, b, a, a, a], vec!["3 m", "8 m"]),
        (each, &[a, a, seen, a], vec!["4 m"]),
        (any, &[a, b, a, b, a, b], vec![]),
        (any, &[a, a, b, b, b, a], vec!["5 m"]),
        (any, &[a, a, seen, a], vec!["4 m"]),
    ] {
        let keys = format!("{keys}\nat-most = 2\nin-a-row = true");
        let project = project(&declared("order", &keys), events, true);
        assert_eq!(found(&project, &[]), expected, "{keys}");
    }
}

/// What expressions ask of earlier events, and the same of a list of all of them.
type Brute = fn(&[&Value], &Value) -> bool;

fn amount(event: &Value) -> Option<i64> {
    event["payload"]["amount"].as_i64()
}

fn amounts(events: &[&Value]) -> Option<Vec<i64>> {
    events.iter().map(|event| amount(event)).collect()
}

const ASKED: [(&str, Brute); 9] = [
    (
        "earlier('paid').map(e, e.payload.amount).sum() + event.payload.amount <= 9",
        |earlier, event| {
            let sum = amounts(earlier).map(|all| all.iter().sum::<i64>());
            sum.zip(amount(event))
                .is_some_and(|(sum, own)| sum + own <= 9)
        },
    ),
    ("earlier('paid').size() < 3", |earlier, _| earlier.len() < 3),
    ("size(earlier('paid')) < 2", |earlier, _| earlier.len() < 2),
    (
        "earlier('paid').map(e, e.payload.amount).max() >= event.payload.amount",
        |earlier, event| {
            let most = amounts(earlier).and_then(|all| all.into_iter().max());
            most.zip(amount(event))
                .is_some_and(|(most, own)| most >= own)
        },
    ),
    (
        "earlier('paid').filter(e, has(e.payload.amount)).map(e, e.payload.amount).min() > 1",
        |earlier, _| {
            earlier
                .iter()
                .filter_map(|it| amount(it))
                .min()
                .is_some_and(|least| least > 1)
        },
    ),
    (
        "earlier('paid').map(e, e.payload.amount).last() != event.payload.amount",
        |earlier, event| {
            let all = amounts(earlier);
            let last = all.as_ref().and_then(|all| all.last());
            last.copied()
                .zip(amount(event))
                .is_some_and(|(last, own)| last != own)
        },
    ),
    (
        "earlier('paid').exists(e, e.payload.amount == 3)",
        |earlier, _| earlier.iter().any(|it| amount(it) == Some(3)),
    ),
    (
        "earlier('paid').map(e, e.payload.amount).all(a, a < params.most)",
        |earlier, _| {
            earlier
                .iter()
                .all(|it| amount(it).is_some_and(|own| own < 4))
        },
    ),
    (
        "earlier('paid').map(e, has(e.payload.amount), e.payload.amount).exists_one(a, a == 2)",
        |earlier, _| earlier.iter().filter(|it| amount(it) == Some(2)).count() == 1,
    ),
];

/// The lines at which each rule finds something, by looking at all earlier events of each one.
fn by_brute_force(events: &[Value], is_grouped: bool) -> BTreeMap<String, Vec<u64>> {
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        if event["payload"]["tool"] != "pay" {
            continue;
        }
        let order = &event["payload"]["order"];
        let is_near =
            |it: &&Value| !is_grouped || !order.is_null() && it["payload"]["order"] == *order;
        let earlier = events[..at]
            .iter()
            .filter(|it| it["payload"]["tool"] == "pay");
        let earlier: Vec<&Value> = earlier.filter(is_near).collect();
        for (number, (_, sound)) in ASKED.iter().enumerate() {
            if is_grouped && order.is_null() || !sound(&earlier, event) {
                lines
                    .entry(format!("a/{number}"))
                    .or_default()
                    .push(at as u64 + 1);
            }
        }
    }
    lines
}

#[test]
fn earlier_events_are_those_of_a_list() {
    for is_grouped in [false, true] {
        let mut config = "[params]\nmost = 4\n[selector]\npaid = { tool = 'pay' }\n".to_owned();
        let same = if is_grouped {
            "same = '/payload/order'\n"
        } else {
            ""
        };
        for (number, (check, _)) in ASKED.iter().enumerate() {
            let keys = format!("each = 'paid'\n{same}check = \"{check}\"\nmessage = 'm'");
            writeln!(config, "[[rule]]\nid = 'a/{number}'\n{keys}").unwrap();
        }
        let mut gate = Gate::default()
            .with_config(Path::new("runvet.toml"), &config, None)
            .unwrap();
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let events: Vec<Value> = (0..random.below(9))
                .map(|second| {
                    let mut payload =
                        json!({"tool": if random.below(4) == 0 { "look" } else { "pay" }});
                    if random.below(8) > 0 {
                        payload["amount"] = random.below(5).into();
                    }
                    if random.below(8) > 0 {
                        payload["order"] = random.below(2).into();
                    }
                    let time = format!("2026-03-01T12:00:0{second}Z");
                    json!({"phase": "act", "timestamp": time, "payload": payload})
                })
                .collect();
            let lines: String = events
                .iter()
                .map(|event| event.to_string() + "\n")
                .collect();
            let report = gate.records("ep_1", &[(Artifact::Events, lines.as_bytes())]);
            let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
            for finding in report
                .findings
                .iter()
                .filter(|it| it.rule.starts_with("a/"))
            {
                let of_rule = found.entry(finding.rule.clone()).or_default();
                of_rule.push(finding.location.line.unwrap());
            }
            assert_eq!(
                found,
                by_brute_force(&events, is_grouped),
                "{seed}: {lines}"
            );
        }
    }
}

/// A rule about payments, and what it finds in four of them.
#[test]
fn earlier_events_fail_closed_and_say_why() {
    let events = [
        r#"{"tool":"pay","amount":1,"order":1}"#,
        r#"{"tool":"pay","amount":2.5,"order":1}"#,
        r#"{"tool":"pay","amount":"x","order":1}"#,
        r#"{"tool":"pay","amount":1}"#,
        r#"{"tool":"pay","amount":1,"order":1.0}"#,
    ];
    let keys = "each = { tool = 'pay' }\nsame = '/payload/order'\ncheck = \"earlier('paid').map(e, e.payload.amount).sum() + event.payload.amount < 3\"\n[selector]\npaid = { tool = 'pay' }";
    let project = project(&declared("rule", keys), &events, true);
    let found = found(&project, &[]);
    let expected = [
        "2 m",
        "3 `check` can't be evaluated: `+` is not defined for a double and a string",
        "4 `check` can't be evaluated: the event has no value at `/payload/order`, by which the rule",
        "5 `check` can't be evaluated: of the event on line 3, a string can't be summed up",
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
}

/// Long timelines are sifted by several threads, and skeletons that are known are not parsed.
#[test]
fn many_events_are_judged_as_few() {
    let config = "[selector]\nlarge = { tool = 'pay', if = 'event.payload.amount > 7' }
[[order]]\nid = 'a/row'\neach = { tool = 'pay' }\nsame = ['/payload/tool', '/payload/order']\nat-most = 3\nin-a-row = true\nmessage = 'm'
[[order]]\nid = 'a/large'\neach = { tool = 'look' }\nnone-earlier = 'large'\nsame = '/payload/order'\nmessage = 'm'
[[rule]]\nid = 'a/sum'\neach = { tool = 'look' }\nsame = '/payload/order'\ncheck = \"earlier('large').map(e, e.payload.amount).sum() < 30\"\nmessage = 'm'\n";
    let mut random = Random::new(7);
    let payloads: Vec<(bool, u64, u64)> = (0..12_000)
        .map(|_| {
            (
                random.below(500) == 0,
                random.below(2) * random.below(90),
                random.below(10),
            )
        })
        .collect();
    let events = payloads.iter().map(|(looks, order, amount)| {
        let tool = if *looks { "look" } else { "pay" };
        format!("{{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"tool\":\"{tool}\",\"order\":{order},\"amount\":{amount}}}}}")
    });
    let events: Vec<String> = events.collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let mut expected: [Vec<u64>; 3] = Default::default();
    let (mut row, mut last, mut sums) = (0, None, BTreeMap::<u64, u64>::new());
    for (line, (looks, order, amount)) in (1..).zip(payloads) {
        let sum = sums.entry(order).or_default();
        if looks {
            (row, last) = (0, None);
            expected[1].extend((*sum > 0).then_some(line));
            expected[2].extend((*sum >= 30).then_some(line));
            continue;
        }
        row = if last == Some(order) { row + 1 } else { 1 };
        last = Some(order);
        expected[0].extend((row == 4).then_some(line));
        *sum += if amount > 7 { amount } else { 0 };
    }
    let project = project(config, &events, true);
    for jobs in ["1", "4"] {
        let report = project.report(&[], &["--jobs", jobs, "--select", "a/*"]);
        for (rule, expected) in ["a/row", "a/large", "a/sum"].iter().zip(&expected) {
            let findings = report.episodes[0].findings.iter();
            let findings = findings.filter(|it| it.rule == *rule);
            let lines: Vec<u64> = findings.filter_map(|it| it.location.line).collect();
            assert!(lines.len() > 9, "{rule}: {lines:?}");
            assert_eq!(lines, expected[..lines.len()], "{rule}");
        }
    }
}

/// What is written, and parts of the one message and its help.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "order",
        "each = { if = 'evnt.x' }\nnever = true",
        "5:16",
        "unknown name `evnt`",
    ),
    (
        "order",
        "each = { if = 'state.x' }\nnever = true",
        "5:16",
        "looks at an event and at parameters only",
    ),
    (
        "order",
        "each = { if = 1 }\nnever = true",
        "5:15",
        "expected a string",
    ),
    (
        "order",
        "each = { iff = 'true' }\nnever = true",
        "5:10",
        "did you mean `if`?",
    ),
    (
        "schema",
        "schema = {}\nrecord = 'action'\nwhere = { if = 'event.x' }",
        "7:17",
        "the action is `action`",
    ),
    (
        "order",
        "each = {}\nnever = true\nin-a-row = true",
        "7:12",
        "`in-a-row` is allowed only with `at-most`",
    ),
    (
        "order",
        "each = {}\nat-most = 1\nsame = []",
        "7:8",
        "a JSON Pointer",
    ),
    (
        "order",
        "each = {}\nat-most = 1\nsame = ['/a', 'b']",
        "7:",
        "a JSON Pointer",
    ),
    (
        "order",
        "each = {}\nat-most = 1\nsam = '/a'",
        "7:1",
        "did you mean `same`?",
    ),
    (
        "rule",
        "each = {}\ncheck = \"earlier('x').size() > 1\"",
        "6:18",
        "there is no selector called",
    ),
    (
        "rule",
        "check = \"earlier('x').size() > 1\"",
        "5:18",
        "`earlier` is allowed only in `check` of rules that have `each`",
    ),
    (
        "rule",
        "each = {}\nwhen = \"earlier('x').size() > 1\"\ncheck = 'true'",
        "6:17",
        "`earlier` is allowed only in `check`",
    ),
    (
        "rule",
        "each = {}\ncheck = \"earlier('x')[0] == 1\"",
        "6:10",
        "Ask `earlier(\"NAME\")`",
    ),
    (
        "rule",
        "each = {}\ncheck = \"earlier('x').exists(e, e.a == event.a)\"",
        "6:40",
        "group events by `same`",
    ),
    (
        "rule",
        "each = {}\ncheck = \"earlier('x').size() > 1 && has(tools.x)\"\n[selector]\nx = {}",
        "6:18",
        "can't be combined with `counts` and `tools`",
    ),
    (
        "rule",
        "each = {}\ncheck = 'true'\nsame = '/x'",
        "7:8",
        "`same` is allowed only",
    ),
];

#[test]
fn mistakes_are_one_error_with_the_key_that_was_meant() {
    for (table, keys, place, message) in MISTAKES {
        let text = declared(table, keys);
        let output = project(&text, &[], true).run(&["validate", "runs"]);
        let said = stderr(&output);
        let line: usize = place.split(':').next().unwrap().parse().unwrap();
        // A message stands in front of the keys, except in schemas.
        let place = place.replacen(
            &line.to_string(),
            &(line + usize::from(*table != "schema")).to_string(),
            1,
        );
        assert_eq!(output.status.code(), Some(2), "{keys}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "{keys}: {said}");
        assert!(
            said.contains(&format!("[runvet.toml:{place}")),
            "{place} {keys}: {said}"
        );
        let words = said.split_whitespace().filter(|word| *word != "│");
        let words = words.collect::<Vec<_>>().join(" ");
        assert!(words.contains(message), "{keys}: {said}");
    }
}

/// The policies of the documentation are tested by their authors.
#[test]
fn pack_of_policies_is_tested() {
    let config = corpus().join("team/policies/runvet.toml");
    let output = Project::new("").run(&["rules", "--test", "--config", config.to_str().unwrap()]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let policies = said.lines().filter(|line| line.starts_with("acme/"));
    assert!(policies.count() >= 10, "{said}");
}
