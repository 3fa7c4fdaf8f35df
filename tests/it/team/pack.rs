//! The policies of the guide on random timelines, beside a search of all events for what the
//! sentence of each one says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};

use crate::support::corpus::corpus;
use crate::support::sessions::Random;

/// The numbers of the events that break a policy, from 0.
type Broken = fn(&[Event]) -> Vec<usize>;

/// A call, at a second.
struct Event {
    second: u64,
    phase: &'static str,
    payload: Value,
}

impl Event {
    fn is_act(&self) -> bool {
        self.phase == "act"
    }

    /// Whether a name is that of its tool, or stands after the prefix of a server, in any case.
    fn calls(&self, name: &str) -> bool {
        let tool = self.tool().to_ascii_lowercase();
        self.is_act() && (tool == name || tool.ends_with(&format!("__{name}")))
    }

    /// Whether the name of its tool begins so.
    fn begins(&self, name: &str) -> bool {
        let tool = self.tool();
        self.is_act() && (tool.starts_with(name) || tool.contains(&format!("__{name}")))
    }

    fn tool(&self) -> &str {
        self.payload["tool"]
            .as_str()
            .unwrap_or_default()
    }

    fn amount(&self) -> i64 {
        self.payload["input"]["amount"]
            .as_i64()
            .unwrap()
    }

    fn order(&self) -> &Value {
        &self.payload["input"]["order_id"]
    }

    /// Whether it is a person's yes.
    fn is_yes(&self) -> bool {
        let output = &self.payload["output"];
        let is_ok = matches!(self.payload["result_status"].as_str(), None | Some("ok"));
        self.calls("approve") && is_ok && (*output == true || output["approved"] == true)
    }

    /// The kind of the tools of which a run may use two.
    fn third(&self) -> Option<&str> {
        match self.tool() {
            _ if !self.is_act() => None,
            "fetch" | "read_mail" => Some("untrusted"),
            "read_file" | "query" => Some("private"),
            "send_mail" | "post" => Some("external"),
            _ => None,
        }
    }

    fn has_secret(&self) -> bool {
        fn any(value: &Value) -> bool {
            match value {
                Value::String(text) => text.contains("AKIA") || text.contains("ghp_"),
                Value::Array(items) => items.iter().any(any),
                Value::Object(members) => members.values().any(any),
                _ => false,
            }
        }
        self.is_act() && any(&self.payload)
    }
}

/// The events that break a policy which looks at an event and those before it.
fn found(events: &[Event], breaks: impl Fn(&Event, &[Event]) -> bool) -> Vec<usize> {
    (0..events.len())
        .filter(|at| breaks(&events[*at], &events[..*at]))
        .collect()
}

fn same_call(one: &Event, other: &Event) -> bool {
    let is_same = |key: &str| one.payload.get(key) == other.payload.get(key);
    one.is_act() && other.is_act() && is_same("tool") && is_same("input")
}

fn approval(events: &[Event]) -> Vec<usize> {
    found(events, |event, before| {
        if !event.calls("refund") || event.amount() <= 500 {
            return false;
        }
        let is_same = |it: &&Event| it.order() == event.order() && it.amount() == event.amount();
        let latest = before
            .iter()
            .filter(|it| it.calls("approve") || it.calls("refund"))
            .rfind(is_same);
        !latest.is_some_and(Event::is_yes)
    })
}

fn spending(events: &[Event]) -> Vec<usize> {
    found(events, |event, before| {
        if !event.calls("refund") {
            return false;
        }
        let made: i64 = before
            .iter()
            .filter(|it| it.calls("refund") && it.order() == event.order())
            .filter(|it| {
                !matches!(
                    it.payload["result_status"].as_str(),
                    Some("error" | "cancelled")
                )
            })
            .map(Event::amount)
            .sum();
        event.amount() <= 0 || made + event.amount() > 1000
    })
}

fn retries(events: &[Event], has_input: bool) -> Vec<usize> {
    found(events, |event, before| {
        let within = before
            .iter()
            .filter(|it| same_call(it, event) && it.second + 60 >= event.second);
        event.is_act() && event.payload.get("input").is_some() == has_input && within.count() >= 3
    })
}

fn loops(events: &[Event]) -> Vec<usize> {
    found(events, |event, before| {
        let same = before
            .iter()
            .filter(|it| same_call(it, event));
        event.is_act() && event.payload.get("input").is_some() && same.count() == 10
    })
}

fn tools_by_phase(events: &[Event]) -> Vec<usize> {
    found(events, |event, _| {
        let tool = event.tool();
        let changes = tool.ends_with("refund")
            || ["write", "send", "delete"]
                .iter()
                .any(|it| tool.starts_with(it));
        !["act", "observe"].contains(&event.phase) && changes
    })
}

fn tokens(events: &[Event]) -> Vec<usize> {
    let taken = |it: &Event| {
        let used = &it.payload["x-attributes"]["gen_ai.usage.output_tokens"];
        used.as_u64().filter(|_| it.is_act())
    };
    found(events, |event, before| {
        let sum: u64 = before.iter().filter_map(taken).sum();
        taken(event).is_some_and(|own| sum + own > 100_000)
    })
}

fn escalation(events: &[Event]) -> Vec<usize> {
    (0..events.len())
        .filter(|at| {
            let event = &events[*at];
            let status = event.payload["result_status"].as_str();
            let is_told = events[at + 1..]
                .iter()
                .any(|it| it.calls("escalate") && it.second <= event.second + 300);
            event.is_act() && matches!(status, Some("error" | "failed")) && !is_told
        })
        .collect()
}

fn cleanup(events: &[Event]) -> Vec<usize> {
    (0..events.len())
        .filter(|at| {
            let event = &events[*at];
            let name = &event.payload["input"]["name"];
            let is_deleted = events[at + 1..]
                .iter()
                .any(|it| it.calls("delete-sandbox") && it.payload["input"]["name"] == *name);
            event.calls("create-sandbox") && !is_deleted
        })
        .collect()
}

fn tests_since_edit(events: &[Event]) -> Vec<usize> {
    found(events, |event, before| {
        let is_edit =
            |it: &Event| it.is_act() && (it.tool() == "edit" || it.tool().starts_with("write"));
        let since = before
            .iter()
            .rposition(is_edit)
            .map_or(0, |at| at + 1);
        let has_passed = before[since..]
            .iter()
            .any(|it| it.calls("run_tests") && it.payload["result_status"] == "ok");
        event.calls("push") && !has_passed
    })
}

fn rule_of_two(events: &[Event]) -> Vec<usize> {
    found(events, |event, before| {
        let kinds: BTreeSet<&str> = before
            .iter()
            .filter_map(Event::third)
            .collect();
        event
            .third()
            .is_some_and(|own| !kinds.contains(own) && kinds.len() >= 2)
            || event.third().is_some() && kinds.len() == 3
    })
}

fn own_recipients(events: &[Event]) -> Vec<usize> {
    found(events, |event, _| {
        let known = ["DE12", "DE34"].map(Value::from);
        event.calls("send_money") && !known.contains(&event.payload["input"]["recipient"])
    })
}

const POLICIES: [(&str, Broken); 14] = [
    ("acme/approval", approval),
    ("acme/spending", spending),
    ("acme/retries", |events| retries(events, true)),
    ("acme/bare-retries", |events| retries(events, false)),
    ("acme/loops", loops),
    ("acme/secrets", |events| {
        found(events, |event, _| event.has_secret())
    }),
    ("acme/tools-by-phase", tools_by_phase),
    ("acme/token-budget", tokens),
    ("acme/no-write-after-freeze", |events| {
        found(events, |event, before| {
            event.begins("write")
                && before
                    .iter()
                    .any(|it| it.begins("freeze"))
        })
    }),
    ("acme/escalation", escalation),
    ("acme/cleanup", cleanup),
    ("acme/tests-since-edit", tests_since_edit),
    ("acme/rule-of-two", rule_of_two),
    ("acme/own-recipients", own_recipients),
];

fn one_of<T: Clone>(random: &mut Random, of: &[T]) -> T {
    let at = random.below(of.len() as u64);
    of[usize::try_from(at).unwrap()].clone()
}

/// The payload of a call of a subject, which a few policies are about.
fn payload(random: &mut Random, subject: u64) -> Value {
    let order = one_of(random, &["o-1", "o-2"]);
    let amount = one_of(random, &[-5, 300, 500, 501, 900]);
    let input = json!({"order_id": order, "amount": amount});
    let mut payload = match subject {
        0 | 1 if random.below(2) == 0 => {
            let answers = [
                json!(true),
                json!(false),
                json!("yes"),
                json!({"approved": true}),
                json!({}),
            ];
            json!({"tool": one_of(random, &["approve", "mcp__desk__Approve"]), "input": input,
                "output": one_of(random, &answers)})
        }
        0 | 1 => json!({"tool": one_of(random, &["refund", "mcp__shop__Refund"]), "input": input}),
        2 => {
            json!({"tool": "login", "input": {"user": one_of(random, &["kim", "lee"])}})
        }
        3 => json!({"tool": one_of(random, &["look", "poll"])}),
        4 => {
            let texts = [
                "x AKIA y",
                "ghp_1",
                "AKI A",
                "gh\u{e9}p_",
                "\u{7f}ghp-",
                "akia",
            ];
            let text = json!([{"a": one_of(random, &texts)}]);
            json!({"tool": "note", "input": {"n": random.below(9)}, one_of(random, &["output", "x-more"]): text})
        }
        5 => json!({"tool": "llm", "input": {"n": random.below(99)},
            "x-attributes": {"gen_ai.usage.output_tokens": random.below(30_000)}}),
        6 => {
            json!({"tool": one_of(random, &["write_file", "fs__write", "freeze", "edit", "push", "run_tests"]),
            "input": {"path": random.below(99)}})
        }
        7 => json!({"tool": one_of(random, &["create-sandbox", "delete-sandbox"]),
            "input": {"name": one_of(random, &["a", "b"])}}),
        8 => json!({"tool": one_of(random, &["fetch", "read_file", "query", "post", "send_mail"]),
            "input": {"n": random.below(99)}}),
        _ => json!({"tool": one_of(random, &["send_money", "escalate"]),
            "input": {"recipient": one_of(random, &["DE12", "DE1", "DE34", "de12"])}}),
    };
    if random.below(3) == 0 {
        let status = one_of(random, &["ok", "ok", "error", "failed", "cancelled"]);
        payload["result_status"] = status.into();
    }
    payload
}

fn timeline(random: &mut Random) -> Vec<Event> {
    // Few subjects in one run, so that their calls meet.
    let subjects: Vec<u64> = (0..=random.below(3))
        .map(|_| random.below(10))
        .collect();
    let length = 4 + random.below(30);
    let mut second = 0;
    (0..length)
        .map(|_| {
            second += one_of(random, &[0, 1, 7, 30, 200]);
            let subject = one_of(random, &subjects);
            Event {
                second,
                phase: one_of(
                    random,
                    &["act", "act", "act", "act", "act", "act", "plan", "observe"],
                ),
                payload: payload(random, subject),
            }
        })
        .collect()
}

/// The line of an event, as different writers have it.
fn line(event: &Event, escapes: bool) -> String {
    let second = event.second;
    let time = format!("2026-03-01T12:{:02}:{:02}Z", second / 60 % 60, second % 60);
    let hour = 12 + second / 3600;
    let time = time.replacen("T12", &format!("T{hour:02}"), 1);
    let line =
        json!({"phase": event.phase, "timestamp": time, "payload": event.payload}).to_string();
    let line = if escapes {
        line.replace("ghp_", "\\u0067hp_")
            .replace('\u{e9}', "\\u00e9")
    } else {
        line
    };
    line + "\n"
}

#[test]
fn policies_of_the_guide_are_what_their_sentences_say() {
    let gate_file = corpus().join("team/policies/gate/policies.toml");
    let config = std::fs::read_to_string(&gate_file).unwrap();
    let mut gate = Gate::default()
        .with_config(Path::new("runvet.toml"), &config, None)
        .unwrap();
    let ended = std::fs::read_dir(corpus().join("good/terminal/episodes")).unwrap();
    let ended = ended
        .map(|it| it.unwrap().path())
        .next()
        .unwrap();
    let [state, summary] =
        ["state.json", "summary.json"].map(|it| std::fs::read(ended.join(it)).unwrap());

    let mut broken = BTreeMap::<&str, usize>::new();
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let events = timeline(&mut random);
        let lines: String = events
            .iter()
            .map(|it| line(it, seed % 2 == 0))
            .collect();
        let records = [
            (Artifact::State, &state[..]),
            (Artifact::Summary, &summary[..]),
            (Artifact::Events, lines.as_bytes()),
        ];
        let report = gate.records("ep_1", &records);
        for (rule, by_brute_force) in POLICIES {
            let found: BTreeSet<u64> = report
                .findings
                .iter()
                .filter(|it| it.rule == rule)
                .map(|it| it.location.line.unwrap())
                .collect();
            let wanted = by_brute_force(&events);
            *broken.entry(rule).or_default() += wanted.len();
            let wanted: BTreeSet<u64> = wanted
                .iter()
                .map(|at| *at as u64 + 1)
                .collect();
            assert_eq!(found, wanted, "{rule}, {seed}:\n{lines}");
        }
    }
    assert!(
        broken
            .values()
            .all(|times| *times >= 10),
        "{broken:?}"
    );
}
