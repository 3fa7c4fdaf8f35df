//! Policies that people write: selectors that compare, groups of several values, rows of events,
//! and what is asked of earlier events.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};

use super::run::project;
use crate::support::sessions::Random;

/// What expressions ask of earlier events, and the same of a list of all of them.
type Brute = fn(&[&Value], &Value) -> bool;

fn amount(event: &Value) -> Option<i64> {
    event["payload"]["amount"].as_i64()
}

fn amounts(events: &[&Value]) -> Option<Vec<i64>> {
    events
        .iter()
        .map(|event| amount(event))
        .collect()
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
        |earlier, _| {
            earlier
                .iter()
                .any(|it| amount(it) == Some(3))
        },
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
        |earlier, _| {
            earlier
                .iter()
                .filter(|it| amount(it) == Some(2))
                .count()
                == 1
        },
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
                let of_rule = found
                    .entry(finding.rule.clone())
                    .or_default();
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
    let events: Vec<&str> = events
        .iter()
        .map(String::as_str)
        .collect();
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
    let report = project.report(&[], &["--select", "a/*"]);
    for (rule, expected) in ["a/row", "a/large", "a/sum"]
        .iter()
        .zip(&expected)
    {
        let findings = report.episodes[0].findings.iter();
        let findings = findings.filter(|it| it.rule == *rule);
        let lines: Vec<u64> = findings
            .filter_map(|it| it.location.line)
            .collect();
        assert!(lines.len() > 9, "{rule}: {lines:?}");
        assert_eq!(lines, expected[..lines.len()], "{rule}");
    }
}
