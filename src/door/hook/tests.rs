//! Random sessions, judged by a hook and by brute force.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::session::acts_of;
use super::{Agent, Hook, HookEvent};
use crate::gate::Gate;
use crate::ground::random::Random;
use crate::recorder::{Durability, Recorder};

const RULES: &str = r#"
[[order]]
id = "acme/tested"
each = { kind = "execute", if = "event.payload['x-command'] == 'push'" }
needs-earlier = { kind = "execute", if = "event.payload['x-command'] == 'test'", "/payload/result_status" = "ok" }
message = "not tested"
[[order]]
id = "acme/twice"
each = { tool = "deploy" }
at-most = 2
message = "deployed three times"
[[order]]
id = "acme/asked"
level = "ask"
each = { tool = "WebFetch" }
never = true
message = "a page is fetched"
"#;

const SESSIONS: u64 = 200;
const EVENTS: usize = 12;

/// What a judge knows who looks at all that was done each time.
#[derive(Default)]
struct BruteForce {
    /// The acts: the call, and how it ended.
    acts: Vec<(&'static str, &'static str)>,
    /// The calls that have begun, by their ids; `true` if they still count.
    open: BTreeMap<u64, (&'static str, bool)>,
    number: u64,
}

impl BruteForce {
    fn decision(&self, call: &str, asks: bool) -> &'static str {
        let done = |wanted: &str| {
            self.acts
                .iter()
                .filter(|(it, _)| *it == wanted)
                .count()
        };
        let open = self
            .open
            .values()
            .filter(|(it, counts)| *it == call && *counts);
        match call {
            "push" if !self.acts.contains(&("test", "ok")) => "deny",
            "deploy" if done("deploy") + open.count() >= 2 => "deny",
            "fetch" if asks => "ask",
            "fetch" => "deny",
            _ => "pass",
        }
    }
}

fn input(session: &str, event: &str, more: &Value) -> HookEvent {
    let mut input = json!({"session_id": session, "cwd": "/repo", "hook_event_name": event});
    let (input_members, more) = (input.as_object_mut().unwrap(), more.as_object().unwrap());
    input_members.extend(more.clone());
    let event = HookEvent::read(input.to_string().as_bytes());
    event.unwrap_or_else(|it| panic!("{}", it.why))
}

fn call(number: u64, call: &str) -> Value {
    let (tool, input) = match call {
        "fetch" => ("WebFetch", json!({"url": "u"})),
        "deploy" => ("deploy", json!({})),
        command => ("Bash", json!({"command": command})),
    };
    json!({"tool_name": tool, "tool_input": input, "tool_use_id": format!("c{number}")})
}

/// Returns the decision in an answer of the hook.
fn decision(answer: &Value) -> &str {
    answer
        .pointer("/hookSpecificOutput/permissionDecision")
        .and_then(Value::as_str)
        .unwrap()
}

/// Lets a session happen; panics where the hook and the judge differ.
fn session(hook: &Hook, number: u64) {
    let name = format!("s{number}");
    let random = &mut Random(number * 0x9E37_79B9 + 1);
    let mut judge = BruteForce::default();
    let answer = |event: &str, more: Value| {
        hook.answer(&input(&name, event, &more))
            .unwrap()
    };
    for _ in 0..EVENTS {
        match random.below(8) {
            0..4 => {
                let asked = ["push", "test", "deploy", "fetch", "ls"];
                let asked = asked[random.below(5)];
                judge.number += 1;
                let answer = answer("PreToolUse", call(judge.number, asked));
                let answer = answer.as_ref().map_or("pass", decision);
                let expected = judge.decision(asked, hook.agent == Agent::ClaudeCode);
                assert_eq!(answer, expected, "{asked} in {name} after {:?}", judge.acts);
                if expected != "deny" {
                    judge
                        .open
                        .insert(judge.number, (asked, true));
                }
            }
            4..7 => {
                let place = random.below(judge.open.len().max(1));
                let Some(id) = judge.open.keys().copied().nth(place) else {
                    continue;
                };
                let (done, _) = judge.open.remove(&id).unwrap();
                let (event, status, result) = match random.below(3) {
                    0 => ("PostToolUseFailure", "error", ("error", json!("no"))),
                    _ => ("PostToolUse", "ok", ("tool_response", json!("yes"))),
                };
                let mut after = call(id, done);
                after[result.0] = result.1;
                answer(event, after);
                judge.acts.push((done, status));
            }
            _ => {
                let event = ["Stop", "UserPromptSubmit"][random.below(2)];
                answer(event, json!({"prompt": "Go on"}));
                let open = judge.open.values_mut();
                open.for_each(|(_, counts)| *counts = false);
            }
        }
    }
    answer("SessionEnd", json!({}));
    let left = judge.open.values();
    let missing = left.filter(|(it, counts)| *counts && *it != "fetch");
    judge
        .acts
        .extend(missing.map(|(it, _)| (*it, "missing")));
    let recorded = acts_of(&hook.runs, &name).map_or(0, |acts| acts.len());
    assert_eq!(recorded, judge.acts.len(), "the acts of {name}");
}

#[test]
fn hook_decides_as_brute_force_does() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for agent in [Agent::ClaudeCode, Agent::Codex] {
            let runs = dir.path().join(agent.name());
            scope.spawn(move || {
                let path = Path::new("runvet.toml");
                let gate = Gate::default()
                    .with_config(path, RULES, None)
                    .unwrap();
                let recorder = Recorder::new(&runs).durability(Durability::Process);
                let hook = Hook {
                    agent,
                    recorder: recorder.gate(gate),
                    config: Vec::new(),
                    home: None,
                    runs,
                    is_kept_no_longer: false,
                    observes: false,
                };
                (0..SESSIONS / 2).for_each(|number| session(&hook, number));
            });
        }
    });
}
