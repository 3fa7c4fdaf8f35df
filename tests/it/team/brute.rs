//! Random runs beside a search of all their events: what orders and rules find once a run is over,
//! and before each event of one that is being written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use runvet::gate::Gate;
use runvet::record::StepKind;
use runvet::recorder::{Recorder, StepDecision, StepDraft, Task};
use runvet::source::Artifact;
use serde_json::{Value, json};

use crate::support::corpus::corpus;
use crate::support::sessions::{Random, Ticking, members};

/// Whether a selector names an event; `None` if its condition can't be evaluated.
type Names = fn(&Value) -> Option<bool>;

/// Whether an event breaks a rule, by the events before it that `asks` and `pays` name.
type Breaks = fn(&Value, &dyn Fn(Names) -> Vec<Option<Value>>) -> bool;

#[derive(Clone, Copy)]
enum Pattern {
    Never,
    AtMost(usize),
    InARow(usize),
    AtLeast(usize),
    /// Another event is needed, or banned, and stands earlier, or later.
    Other {
        needed: bool,
        earlier: bool,
    },
    Rule(Breaks),
}

struct Declared {
    table: &'static str,
    pattern: Pattern,
    /// The name of its selector.
    each: &'static str,
    same: &'static [&'static str],
    within: Option<i64>,
}

fn amount(event: &Value) -> Option<i64> {
    event["payload"]["input"]["amount"].as_i64()
}

#[expect(clippy::unnecessary_wraps, reason = "other selectors may be unknown")]
fn every_payment(event: &Value) -> Option<bool> {
    Some(event["payload"]["tool"] == "pay")
}

fn pays(event: &Value) -> Option<bool> {
    if every_payment(event) == Some(false) {
        return Some(false);
    }
    amount(event).map(|amount| amount > 1)
}

fn asks(event: &Value) -> Option<bool> {
    if event["payload"]["tool"] != "ask" {
        return Some(false);
    }
    amount(event).map(|amount| amount >= 2)
}

const NEEDS_EARLIER: Pattern = Pattern::Other {
    needed: true,
    earlier: true,
};
const NEEDS_LATER: Pattern = Pattern::Other {
    needed: true,
    earlier: false,
};
const NONE_EARLIER: Pattern = Pattern::Other {
    needed: false,
    earlier: true,
};
const NONE_LATER: Pattern = Pattern::Other {
    needed: false,
    earlier: false,
};

const ORDER: &[&str] = &["/payload/input/order"];
const CALL: &[&str] = &["/payload/tool", "/payload/input/order"];

#[rustfmt::skip]
const DECLARED: [Declared; 16] = [
    Declared { table: "never = true", pattern: Pattern::Never, each: "pays", same: &[], within: None },
    Declared { table: "at-most = 2", pattern: Pattern::AtMost(2), each: "pays", same: &[], within: None },
    Declared { table: "at-most = 1", pattern: Pattern::AtMost(1), each: "pays", same: CALL, within: None },
    Declared { table: "at-most = 1\nin-a-row = true", pattern: Pattern::InARow(1), each: "pays", same: &[], within: None },
    Declared { table: "at-most = 1\nin-a-row = true", pattern: Pattern::InARow(1), each: "pays", same: CALL, within: None },
    Declared { table: "at-least = 2", pattern: Pattern::AtLeast(2), each: "pays", same: ORDER, within: None },
    Declared { table: "needs-earlier = 'asks'", pattern: NEEDS_EARLIER, each: "every", same: ORDER, within: None },
    Declared { table: "needs-earlier = 'asks'\nwithin = '2s'", pattern: NEEDS_EARLIER, each: "pays", same: &[], within: Some(2) },
    Declared { table: "needs-later = 'asks'", pattern: NEEDS_LATER, each: "pays", same: ORDER, within: None },
    Declared { table: "needs-later = 'asks'\nwithin = '2s'", pattern: NEEDS_LATER, each: "every", same: &[], within: Some(2) },
    Declared { table: "none-earlier = 'asks'", pattern: NONE_EARLIER, each: "pays", same: ORDER, within: None },
    Declared { table: "none-earlier = 'asks'\nwithin = '2s'", pattern: NONE_EARLIER, each: "pays", same: ORDER, within: Some(2) },
    Declared { table: "none-later = 'asks'", pattern: NONE_LATER, each: "pays", same: ORDER, within: None },
    Declared { table: "none-later = 'asks'\nwithin = '2s'", pattern: NONE_LATER, each: "every", same: &[], within: Some(2) },
    Declared {
        table: "check = \"earlier('pays').map(e, e.payload.input.amount).sum() + event.payload.input.amount <= 5\"",
        pattern: Pattern::Rule(|event, earlier| {
            let before: Option<Vec<Value>> = earlier(pays).into_iter().collect();
            let sum = before.map(|before| before.iter().filter_map(amount).sum::<i64>());
            sum.zip(amount(event)).is_none_or(|(sum, more)| sum + more > 5)
        }),
        each: "pays", same: ORDER, within: None,
    },
    // What can't be filtered is in no list, so no event decides what the list has.
    Declared {
        table: "check = \"earlier('every').filter(e, e.payload.input.amount > 0).exists(e, e.payload.input.amount > 2)\"",
        pattern: Pattern::Rule(|_, earlier| {
            let before = earlier(every_payment).into_iter();
            let amounts: Option<Vec<i64>> = before.map(|event| amount(&event?)).collect();
            amounts.is_none_or(|amounts| amounts.iter().all(|amount| *amount <= 2))
        }),
        each: "every", same: CALL, within: None,
    },
];

/// The declarations as tables, without those that a number of seconds decides if these are not
/// known.
fn config(with_times: bool) -> String {
    let mut config = "[selector]
every = { tool = 'pay' }
pays = { tool = 'pay', phase = ['act', 'observe'], if = 'event.payload.input.amount > 1' }
asks = { tool = 'ask', phase = ['act', 'observe'], if = 'event.payload.input.amount >= 2' }
"
    .to_owned();
    for (number, declared) in DECLARED.iter().enumerate() {
        if declared.within.is_some() && !with_times {
            continue;
        }
        let kind = if matches!(declared.pattern, Pattern::Rule(_)) {
            "rule"
        } else {
            "order"
        };
        let Declared { each, table, .. } = declared;
        writeln!(
            config,
            "[[{kind}]]\nid = 'a/{number}'\nmessage = 'm'\neach = '{each}'\n{table}"
        )
        .unwrap();
        if !declared.same.is_empty() {
            writeln!(config, "same = {:?}", declared.same).unwrap();
        }
    }
    config
}

/// The values by which an event is grouped: `1` is `1.0`.
fn group(event: &Value, same: &[&str]) -> Option<Vec<String>> {
    let written = |value: &Value| {
        value
            .as_f64()
            .map_or(value.to_string(), |it| it.to_string())
    };
    same.iter()
        .map(|at| event.pointer(at).map(written))
        .collect()
}

/// The seconds between two events.
fn seconds(earlier: &Value, later: &Value) -> Option<i64> {
    let second = |event: &Value| {
        event["timestamp"]
            .as_str()?
            .get(17..19)?
            .parse::<i64>()
            .ok()
    };
    Some(second(later)? - second(earlier)?)
}

impl Declared {
    /// The lines at which it finds something.
    fn lines(&self, events: &[Value], has_ended: bool) -> Vec<usize> {
        let of_end = matches!(self.pattern, Pattern::AtLeast(_))
            || matches!(
                self.pattern,
                Pattern::Other {
                    needed: true,
                    earlier: false
                }
            );
        if of_end && !has_ended {
            return Vec::new();
        }
        let each = if self.each == "pays" {
            pays
        } else {
            every_payment
        };
        let is_rule = matches!(self.pattern, Pattern::Rule(_));
        let group = |at: usize| group(&events[at], self.same);
        let named = (0..events.len()).filter(|at| each(&events[*at]) != Some(false));
        let is_lacking = |at: &usize| {
            let has_time = self.within.is_none() || seconds(&events[*at], &events[*at]).is_some();
            each(&events[*at]).is_none() || !is_rule && (group(*at).is_none() || !has_time)
        };
        let (mut lines, judged): (Vec<usize>, Vec<usize>) = named.partition(is_lacking);
        for at in judged.iter().copied() {
            let before = judged
                .iter()
                .copied()
                .filter(|it| *it < at && group(*it) == group(at));
            let is_wrong = match self.pattern {
                Pattern::Never => true,
                Pattern::AtMost(most) => before.count() == most,
                Pattern::InARow(most) => {
                    let ends = |it: &usize| {
                        let is_own = judged.contains(it) && group(*it) == group(at);
                        let is_odd = each(&events[*it]).is_none();
                        events[*it]["phase"] == "act" && !is_own && !is_odd
                    };
                    let row = (0..at)
                        .rev()
                        .take_while(|it| !ends(it))
                        .last()
                        .unwrap_or(at);
                    before.filter(|it| *it >= row).count() == most
                }
                Pattern::AtLeast(_) => false,
                Pattern::Other { needed, earlier } => {
                    let range = if earlier { 0..at } else { at + 1..events.len() };
                    let counts = |it: usize| {
                        let (first, last) = (it.min(at), it.max(at));
                        let is_near = self.within.is_none_or(|within| {
                            let seconds = seconds(&events[first], &events[last]);
                            seconds.map_or(!needed, |seconds| seconds <= within)
                        });
                        asks(&events[it]).unwrap_or(!needed) && group(it) == group(at) && is_near
                    };
                    range.into_iter().any(counts) != needed
                }
                Pattern::Rule(breaks) => {
                    let earlier = |names: Names| {
                        let near = (0..at).filter(|it| group(*it) == group(at));
                        let near = near.map(|it| &events[it]);
                        let near = near.filter(|it| names(it) != Some(false));
                        near.map(|it| names(it).map(|_| it.clone()))
                            .collect()
                    };
                    group(at).is_none() || breaks(&events[at], &earlier)
                }
            };
            if is_wrong {
                lines.push(at);
            }
        }
        let mut lines: Vec<usize> = lines
            .into_iter()
            .map(|at| at + 1)
            .collect();
        if let Pattern::AtLeast(least) = self.pattern {
            let mut counts = BTreeMap::<_, usize>::new();
            for at in &judged {
                *counts.entry(group(*at)).or_default() += 1;
            }
            lines.extend(
                counts
                    .values()
                    .filter(|count| **count < least)
                    .map(|_| 0),
            );
        }
        lines.sort_unstable();
        lines
    }
}

fn one_of<T: Clone>(random: &mut Random, items: &[T]) -> T {
    let at = usize::try_from(random.below(items.len() as u64)).unwrap();
    items[at].clone()
}

fn payload(random: &mut Random) -> Value {
    let tool = one_of(random, &["pay", "pay", "pay", "ask", "ask", "look"]);
    let mut payload = json!({"tool": tool, "input": {}});
    match random.below(9) {
        0 => {}
        1 => payload["input"]["amount"] = "x".into(),
        _ => payload["input"]["amount"] = random.below(5).into(),
    }
    if random.below(8) > 0 {
        payload["input"]["order"] = one_of(random, &[json!(1), json!(1.0), json!("1")]);
    }
    payload
}

#[test]
fn orders_and_rules_find_what_a_search_finds() {
    let config = config(true);
    let gate = Gate::default().with_config(Path::new("runvet.toml"), &config, None);
    let mut gate = gate.unwrap();
    let mut all = 0;
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let mut second = 10;
        let events = (0..random.below(12)).map(|_| {
            second += one_of(&mut random, &[0, 1, 1, 3, -2]);
            let phase = if random.below(4) == 0 {
                "observe"
            } else {
                "act"
            };
            let mut event = json!({"phase": phase, "payload": payload(&mut random)});
            if random.below(8) > 0 {
                event["timestamp"] = format!("2026-03-01T12:00:{second}Z").into();
            }
            event
        });
        let events: Vec<Value> = events.collect();
        let has_ended = random.below(2) == 0;
        let text: String = events
            .iter()
            .map(|event| event.to_string() + "\n")
            .collect();
        let case = if has_ended {
            "terminal/episodes/ep_answer"
        } else {
            "paused/episodes/ep_paused"
        };
        let state = std::fs::read(
            corpus()
                .join("good")
                .join(case)
                .join("state.json"),
        )
        .unwrap();
        let records = [
            (Artifact::Events, text.as_bytes()),
            (Artifact::State, &*state),
        ];
        let report = gate.records("ep_1", &records);
        for (number, declared) in DECLARED.iter().enumerate() {
            let rule = format!("a/{number}");
            let found = report
                .findings
                .iter()
                .filter(|finding| finding.rule == rule);
            let line = |it: &runvet::finding::Finding| {
                usize::try_from(it.location.line.unwrap_or(0)).unwrap()
            };
            let mut found: Vec<usize> = found.map(line).collect();
            found.sort_unstable();
            let expected = declared.lines(&events, has_ended);
            assert_eq!(
                found, expected,
                "{seed}, {}, ended {has_ended}:\n{text}",
                declared.table
            );
            all += found.len();
        }
    }
    assert!(all > 10_000, "{all}");
}

#[test]
fn run_that_is_asked_finds_what_a_search_finds() {
    let config = config(false);
    let gate = Gate::default().with_config(Path::new("runvet.toml"), &config, None);
    let gate = gate.unwrap();
    let mut all = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let dir = tempfile::tempdir().unwrap();
        let recorder = Recorder::new(dir.path()).gate(gate.clone());
        let recorder = recorder
            .clock(Ticking::new(seed))
            .hold_back(false);
        let mut run = recorder
            .begin(Task::new("Pay"))
            .unwrap();
        let plan = vec![StepDraft::new("s", StepKind::Act, "work")];
        let _ = run.plan(plan, "planner.test").unwrap();
        let StepDecision::Go(step) = run.open("s").unwrap() else {
            panic!("the step is open");
        };
        for _ in 0..12 {
            let next = payload(&mut random);
            let written = std::fs::read_to_string(run.path().join("events.jsonl")).unwrap();
            let read = |line: &str| serde_json::from_str(line).unwrap();
            let mut events: Vec<Value> = written.lines().map(read).collect();
            let before: Vec<usize> = DECLARED
                .iter()
                .map(|it| it.lines(&events, false).len())
                .collect();
            events.push(json!({"phase": "act", "payload": next}));
            let would = run
                .would("act", members(next.clone()))
                .unwrap();
            let would: BTreeSet<String> = would
                .into_iter()
                .map(|it| it.rule)
                .collect();
            let expected = DECLARED
                .iter()
                .enumerate()
                .filter(|(number, declared)| {
                    let after = declared.lines(&events, false).len();
                    declared.within.is_none() && after > before[*number]
                });
            let expected: BTreeSet<String> = expected
                .map(|(number, _)| format!("a/{number}"))
                .collect();
            assert_eq!(would, expected, "{seed}: {next} after\n{written}");
            all += would.len();
            run.act(&step, serde_json::from_value(next).unwrap())
                .unwrap();
        }
    }
    assert!(all > 500, "{all}");
}
