//! Random sessions, judged by the proxy and by brute force.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::Proxy;
use crate::gate::Gate;
use crate::ground::random::Random;
use crate::recorder::{Durability, Recorder, Task};
use crate::store::read_text;

const RULES: &str = r#"
[[order]]
id = "acme/tested"
each = { tool = "mcp__s__push" }
needs-earlier = { tool = "mcp__s__test", "/payload/result_status" = "ok" }
message = "not tested"
[[order]]
id = "acme/twice"
each = { tool = "mcp__s__deploy" }
at-most = 2
message = "deployed three times"
[[order]]
id = "acme/asked"
level = "ask"
each = { tool = "mcp__s__fetch" }
never = true
message = "a page is fetched"
"#;

const SESSIONS: u64 = 100;
const LINES: usize = 24;

fn key_of<T>(calls: &BTreeMap<u64, T>, random: &mut Random) -> Option<u64> {
    let place = random.below(calls.len().max(1));
    calls.keys().copied().nth(place)
}

/// What a judge knows who looks at all that was done each time.
#[derive(Default)]
struct BruteForce {
    /// The acts: the tool, and how it ended.
    acts: Vec<(&'static str, &'static str)>,
    /// The calls that have passed, by their ids.
    open: BTreeMap<u64, &'static str>,
    /// The ids of the calls that a person is asked about, by the numbers of the questions.
    asked: BTreeMap<u64, u64>,
    questions: u64,
}

impl BruteForce {
    fn decision(&self, tool: &str, asks: bool) -> &'static str {
        let done = self
            .acts
            .iter()
            .filter(|(it, _)| *it == tool)
            .count();
        let open = self
            .open
            .values()
            .filter(|it| **it == tool)
            .count();
        match tool {
            "push" if !self.acts.contains(&("test", "ok")) => "refused",
            "deploy" if done + open >= 2 => "refused",
            "fetch" if asks => "asked",
            "fetch" => "refused",
            _ => "passes",
        }
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// Returns what becomes of a message of the client.
fn fate(proxy: &mut Proxy, message: &Value) -> &'static str {
    let line = line(message);
    let passage = proxy.client_says(&line);
    let answer: Value = serde_json::from_slice(&passage.to_client).unwrap_or_default();
    match () {
        () if passage.to_server == line => "passes",
        () if !passage.to_server.is_empty() => "follows",
        () if answer["method"] == "elicitation/create" => "asked",
        () if answer["result"]["isError"] == true => "refused",
        () if answer.is_null() => "swallowed",
        () => "wrong",
    }
}

/// Lets a session happen; panics where the proxy and the judge differ.
#[expect(clippy::too_many_lines, reason = "a case for each event")]
fn session(recorder: &Recorder, runs: &Path, number: u64) {
    let id = format!("s{number}");
    let run = recorder.begin(Task {
        id: Some(id.clone()),
        ..Task::new("t")
    });
    let proxy = &mut Proxy::new(run.unwrap(), Some("s".into()));
    let random = &mut Random(number * 0x9E37_79B9 + 1);
    let mut judge = BruteForce::default();
    let asks = number.is_multiple_of(2);
    let can = if asks {
        json!({"elicitation": {}})
    } else {
        json!({})
    };
    let hello = json!({"id": 0, "method": "initialize", "params": {"capabilities": can}});
    assert_eq!(fate(proxy, &hello), "passes");
    for next in 1..LINES as u64 {
        match random.below(8) {
            0..4 => {
                let tools = ["push", "test", "deploy", "fetch", "ls"];
                let tool = tools[random.below(5)];
                let call = json!({"id": next, "method": "tools/call", "params": {"name": tool}});
                let expected = judge.decision(tool, asks);
                assert_eq!(
                    fate(proxy, &call),
                    expected,
                    "{tool} in {id}, {:?}",
                    judge.acts
                );
                if expected == "passes" {
                    judge.open.insert(next, tool);
                } else if expected == "asked" {
                    judge.questions += 1;
                    judge
                        .asked
                        .insert(judge.questions, next);
                }
            }
            4..6 => {
                let Some(id) = key_of(&judge.open, random) else {
                    continue;
                };
                let (status, end) = match random.below(3) {
                    0 => (
                        "error",
                        json!({"id": id, "error": {"code": 1, "message": "no"}}),
                    ),
                    1 => (
                        "error",
                        json!({"id": id, "result": {"content": [], "isError": true}}),
                    ),
                    _ => ("ok", json!({"id": id, "result": {"content": []}})),
                };
                proxy.server_says(&line(&end));
                judge
                    .acts
                    .push((judge.open.remove(&id).unwrap(), status));
            }
            6 => {
                let Some(id) = key_of(&judge.open, random) else {
                    continue;
                };
                let params = json!({"requestId": id});
                let cancel = json!({"method": "notifications/cancelled", "params": params});
                assert_eq!(fate(proxy, &cancel), "passes");
                judge
                    .acts
                    .push((judge.open.remove(&id).unwrap(), "cancelled"));
            }
            _ => {
                let Some(question) = key_of(&judge.asked, random) else {
                    continue;
                };
                let call = judge.asked.remove(&question).unwrap();
                let action = ["accept", "decline", "cancel"][random.below(3)];
                let answer =
                    json!({"id": format!("runvet-{question}"), "result": {"action": action}});
                let is_yes = action == "accept";
                let expected = if is_yes { "follows" } else { "refused" };
                assert_eq!(fate(proxy, &answer), expected);
                assert_eq!(fate(proxy, &answer), "swallowed");
                if is_yes {
                    judge.open.insert(call, "fetch");
                }
            }
        }
    }
    let left = judge
        .open
        .values()
        .map(|tool| (*tool, "missing"));
    judge
        .acts
        .extend(left.collect::<Vec<_>>());
    let found = proxy.finish(None).unwrap();
    let found = found
        .iter()
        .find(|it| it.rule == "acme/asked");
    assert_eq!(found, None, "a yes covers the call that it was given for");
    let state = read_text(
        &runs
            .join("episodes")
            .join(&id)
            .join("state.json"),
    );
    let state: Value = serde_json::from_str(&state.unwrap()).unwrap();
    let acts = state["outcomes"]["actions"]
        .as_array()
        .cloned();
    let text = |act: &Value, name: &str| {
        act[name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let mut acts: Vec<_> = (acts.unwrap_or_default().iter())
        .map(|act| (text(act, "tool"), text(act, "result_status")))
        .collect();
    let expected = judge
        .acts
        .iter()
        .map(|(tool, status)| (format!("mcp__s__{tool}"), (*status).to_owned()));
    let mut expected: Vec<_> = expected.collect();
    acts.sort();
    expected.sort();
    assert_eq!(acts, expected, "the acts of {id}");
}

#[test]
fn proxy_decides_as_brute_force_does() {
    let dir = tempfile::tempdir().unwrap();
    let gate = Gate::default().with_config(Path::new("runvet.toml"), RULES, None);
    let recorder = Recorder::new(dir.path()).durability(Durability::Process);
    let recorder = recorder.gate(gate.unwrap());
    (0..SESSIONS).for_each(|number| session(&recorder, dir.path(), number));
}

#[test]
fn yes_covers_its_call_whatever_is_said_of_equal_ones() {
    let dir = tempfile::tempdir().unwrap();
    let gate = Gate::default().with_config(Path::new("runvet.toml"), RULES, None);
    let recorder = Recorder::new(dir.path()).gate(gate.unwrap());
    let run = recorder.begin(Task::new("t")).unwrap();
    let proxy = &mut Proxy::new(run, Some("s".into()));
    let can = json!({"elicitation": {}});
    let hello = json!({"id": 0, "method": "initialize", "params": {"capabilities": can}});
    assert_eq!(fate(proxy, &hello), "passes");
    let answers = [
        (1, "accept", "follows"),
        (2, "decline", "refused"),
        (3, "accept", "follows"),
    ];
    for (id, action, expected) in answers {
        let call = json!({"id": id, "method": "tools/call", "params": {"name": "fetch"}});
        assert_eq!(fate(proxy, &call), "asked");
        let answer = json!({"id": format!("runvet-{id}"), "result": {"action": action}});
        assert_eq!(fate(proxy, &answer), expected, "{id}");
    }
    for id in [1, 3] {
        proxy.server_says(&line(&json!({"id": id, "result": {"content": []}})));
    }
    assert_eq!(proxy.finish(None).unwrap(), []);
}
