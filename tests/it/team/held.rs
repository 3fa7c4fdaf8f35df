//! An act that a rule of the team forbids is not made: the run has a veto, and goes on.

use std::fs;
use std::path::Path;

use runvet::finding::Finding;
use runvet::gate::Gate;
use runvet::record::{Action, State, Step, StepKind, StepStatus};
use runvet::recorder::{Adapter, End, Error, Recorder, Run, StepDraft, Task};
use serde_json::{Value, json};

const CONFIG: &str = r#"
[selector]
refunds = { tool = "refund" }

[[schema]]
id = "acme/input"
where = "refunds"
at = "/payload/input"
schema = { required = ["order"] }

[[order]]
id = "acme/asked"
each = { tool = "refund", if = "event.payload.input.amount > 100" }
needs-earlier = { tool = "approve", "/payload/output" = "yes" }
same = "/payload/input/order"
message = "nobody approved it"

[[order]]
id = "acme/few"
each = { tool = "search" }
at-most = 2
message = "searched {count} times"

[[rule]]
id = "acme/sum"
each = "refunds"
same = "/payload/input/order"
check = "earlier('refunds').map(e, e.payload.input.amount).sum() + event.payload.input.amount <= 500"
message = "more than 500"

[[order]]
id = "acme/slow"
each = { tool = "sleep" }
never = true
level = "warning"
message = "slept"

[[rule]]
id = "acme/outcome"
each = { tool = "mail" }
check = "event.payload.result_status == 'ok' && event['payload'].output.sent"
message = "not sent"

[[order]]
id = "acme/receipts"
each = { tool = "mail" }
at-most = 1
same = "/payload/output/id"
message = "one receipt twice"

[[rule]]
id = "acme/whole"
each = { tool = "mail" }
when = "has(event.payload.input)"
check = "event.payload.exists(key, key == 'output')"
message = "no output"
"#;

fn recorder(dir: &Path) -> Recorder {
    let gate = Gate::default().with_config(Path::new("runvet.toml"), CONFIG, None);
    Recorder::new(dir).gate(gate.unwrap())
}

#[expect(clippy::needless_pass_by_value, reason = "callers make it in place")]
fn act(tool: &str, input: Value) -> Action {
    serde_json::from_value(json!({"tool": tool, "input": input})).unwrap()
}

fn refund(order: &str, amount: u64) -> Action {
    act("refund", json!({"order": order, "amount": amount}))
}

/// What holds an act back.
fn held(run: &mut Run, action: Action) -> Vec<Finding> {
    match run.may_act(None, action) {
        Ok(_) => Vec::new(),
        Err(Error::Violates { findings, .. }) => findings,
        Err(error) => panic!("{error}"),
    }
}

fn rules(findings: &[Finding]) -> Vec<&str> {
    findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect()
}

fn made(run: &mut Run, mut action: Action, output: &str) {
    action.output = Some(output.into());
    run.act(None, action).unwrap();
}

#[test]
fn act_is_held_back_with_a_veto_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Pay"))
        .unwrap();
    assert_eq!(rules(&held(&mut run, refund("a", 200))), ["acme/asked"]);
    let unordered = held(&mut run, act("refund", json!({"amount": 1})));
    assert_eq!(rules(&unordered), ["acme/sum", "acme/input"]);
    made(&mut run, act("approve", json!({"order": "a"})), "yes");
    assert_eq!(held(&mut run, refund("a", 200)), []);
    made(&mut run, refund("a", 200), "paid");
    assert_eq!(rules(&held(&mut run, refund("a", 301))), ["acme/sum"]);
    // A warning holds nothing back.
    assert_eq!(held(&mut run, act("sleep", json!({}))), []);
    let path = run.path().to_owned();
    let recorded = run.finish(End::ok()).unwrap();
    assert_eq!(recorded.findings, []);
    assert_eq!(recorded.summary.metrics.veto_count.0, 3);
    let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let vetoes: Vec<Value> = events
        .filter(|event: &Value| event["event_type"] == "direction.veto")
        .collect();
    assert_eq!(vetoes[0]["agent_id"], "rule:acme/asked");
    let expected = json!({
        "act": {"input": {"amount": 200, "order": "a"}, "kind": "tool", "tool": "refund"},
        "id": "dir-0001", "reason": "nobody approved it", "scope": "act", "status": "blocked",
    });
    assert_eq!(vetoes[0]["payload"], expected);
    let report = Gate::default()
        .run([dir.path()])
        .unwrap();
    assert_eq!(
        (report.totals.valid, &*report.episodes[0].findings),
        (1, &[][..])
    );
}

/// What a call gives can't be known before it.
#[test]
fn rule_of_an_outcome_holds_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Write"))
        .unwrap();
    assert_eq!(held(&mut run, act("mail", json!({}))), []);
    made(&mut run, act("mail", json!({})), "lost");
    let found = run.take_findings();
    assert_eq!(rules(&found), ["acme/outcome", "acme/receipts"]);
}

#[test]
fn act_that_is_under_way_counts_against_others_and_not_for_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Search"))
        .unwrap();
    let search = || act("search", json!({}));
    let first = run.may_act(None, search()).unwrap();
    let second = run.may_act(None, search()).unwrap();
    assert_eq!(held(&mut run, search())[0].message, "searched 3 times");
    // What was given up is under way no more, and what is recorded counts once.
    drop(first);
    let third = run.may_act(None, search()).unwrap();
    made(&mut run, search(), "found");
    drop(second);
    assert_eq!(rules(&held(&mut run, search())), ["acme/few"]);
    drop(third);
    assert_eq!(held(&mut run, search()), []);

    let _under_way = run
        .may_act(None, refund("b", 100))
        .unwrap();
    assert_eq!(held(&mut run, refund("b", 100)), []);
    let mut approving = act("approve", json!({"order": "c"}));
    approving.output = Some("yes".into());
    let _under_way = run.may_act(None, approving).unwrap();
    assert_eq!(rules(&held(&mut run, refund("c", 101))), ["acme/asked"]);
}

/// A limit that evidence has exceeded is no limit that may be exceeded further.
#[test]
fn act_beyond_a_limit_is_held_back_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Search"))
        .unwrap();
    for _ in 0..4 {
        made(&mut run, act("search", json!({})), "found");
    }
    assert_eq!(rules(&run.take_findings()), ["acme/few"]);
    assert_eq!(
        rules(&held(&mut run, act("search", json!({})))),
        ["acme/few"]
    );
}

#[test]
fn recorder_that_holds_nothing_back_records_what_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path()).hold_back(false);
    let mut run = recorder
        .begin(Task::new("Pay"))
        .unwrap();
    assert_eq!(held(&mut run, act("refund", json!({"amount": 900}))), []);
    run.act(None, act("refund", json!({"amount": 900})))
        .unwrap();
    assert!(rules(&run.take_findings()).contains(&"acme/input"));
    assert_eq!(
        run.finish(End::ok())
            .unwrap()
            .summary
            .metrics
            .veto_count
            .0,
        0
    );
}

struct Searches(u64);

impl Adapter for Searches {
    fn label(&self) -> &'static str {
        "search"
    }

    fn run(&mut self, _: &Step, _: &State) -> Result<Action, Value> {
        self.0 += 1;
        Ok(Action::new("search").output("found"))
    }
}

#[test]
fn adapter_is_not_asked_to_execute_what_is_held_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Search"))
        .unwrap();
    let step = |id: &str| StepDraft::new(id, StepKind::Act, "Search");
    let _ = run
        .plan(["a", "b", "c"].map(step), "planner")
        .unwrap();
    let mut adapter = Searches(0);
    let refused = run.execute(&mut adapter).unwrap_err();
    assert!(matches!(refused, Error::Violates { .. }));
    assert_eq!(adapter.0, 2);
    let statuses = run
        .state()
        .plan
        .steps
        .iter()
        .map(|step| step.status);
    let expected = [StepStatus::Done, StepStatus::Done, StepStatus::Failed];
    assert_eq!(statuses.collect::<Vec<_>>(), expected);
}

/// A call that is made and can't be recorded is one that no limit counts.
#[test]
fn full_run_refuses_what_rules_count() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("Pay"))
        .unwrap();
    for size in [1 << 20, 1 << 10, 1] {
        while run
            .remember("k", "x".repeat(size), None)
            .is_ok()
        {}
    }
    let refused = run
        .may_act(None, act("read", json!({})))
        .unwrap_err();
    assert_eq!(refused.kind(), "refused");
    let why = "what is done now is not recorded, and rules of the team would not count it";
    assert!(refused.to_string().contains(why), "{refused}");
    // What has happened is recorded as far as there is room, and else counted.
    let lost = run.lost();
    assert!(lost >= 3);
    let mut action = act("refund", json!({"order": "a", "amount": 1}));
    action.output = Some("paid".into());
    assert_eq!(
        run.act(None, action)
            .unwrap_err()
            .kind(),
        "too_large"
    );
    assert_eq!(run.lost(), lost + 1);
    let recorded = run.finish(End::ok()).unwrap();
    assert_eq!(
        recorded
            .summary
            .metrics
            .refused
            .map(|it| it.0),
        Some(lost + 1)
    );

    let run = Recorder::new(dir.path())
        .begin(Task::new("Pay"))
        .unwrap();
    let path = run.path().to_owned();
    assert_eq!(
        run.finish(End::ok())
            .unwrap()
            .summary
            .metrics
            .refused,
        None
    );
    let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
    assert!(!events.contains("x-refused"));
}

/// A condition that says what holds without a result is one of acts that are about to be made, too.
#[test]
fn rules_for_coding_agents_hold_back() {
    let dir = tempfile::tempdir().unwrap();
    let pack = include_str!("../../../src/cli/init/coding.toml");
    let pack = pack.replace("5_000_000", "100");
    let gate = Gate::default().with_config(Path::new("runvet.toml"), &pack, None);
    let recorder = Recorder::new(dir.path()).gate(gate.unwrap());
    let task = Task::new("Fix the build").tag("cwd", "/repo");
    let mut run = recorder.begin(task).unwrap();
    let bash = |command: &str| act("Bash", json!({"command": command}));
    let ended = |mut action: Action, status: &str| {
        action.result_status = Some(status.into());
        action
    };
    let remove = || act("shell", json!({"command": ["bash", "-lc", "rm -rf build"]}));
    assert_eq!(rules(&held(&mut run, remove())), ["coding/destructive"]);
    run.act(None, ended(remove(), "denied"))
        .unwrap();
    assert_eq!(run.take_findings(), []);
    let edit = |path: &str| act("Edit", json!({"file_path": path}));
    assert_eq!(rules(&held(&mut run, edit("../x"))), ["coding/edit-inside"]);
    assert_eq!(held(&mut run, edit("src/x")), []);

    assert_eq!(
        rules(&held(&mut run, bash("git push"))),
        ["coding/tests-before-push"]
    );
    run.act(None, ended(bash("cargo test"), "ok"))
        .unwrap();
    assert_eq!(held(&mut run, bash("git push")), []);

    // A call of a model is a note, and is held back as well.
    let answer = |tokens: u64| {
        let note = json!({"kind": "message", "role": "assistant", "usage": {"tokens": tokens}});
        note.as_object().unwrap().clone()
    };
    let _first = run
        .may_note("reason", answer(0))
        .unwrap();
    run.note("reason", answer(100)).unwrap();
    let refused = run
        .may_note("reason", answer(0))
        .unwrap_err();
    let Error::Violates { what, findings } = refused else {
        panic!("{refused}");
    };
    assert_eq!(
        (what, rules(&findings)),
        ("the note", vec!["coding/token-budget"])
    );
    assert_eq!(rules(&held(&mut run, bash("ls"))), ["coding/token-budget"]);
}

const OPEN: &str = r#"
[selector]
requests = { phase = "act", tool = "request" }
payments = { phase = "act", tool = "pay" }

[[rule]]
id = "acme/awaiting"
each = "requests"
check = "earlier('requests').size() - earlier('payments').size() < 1"
message = "a request awaits payment"

[[order]]
id = "acme/rm"
each = { phase = "act", tool = "bash", "/payload/input/**" = "*rm -rf*" }
never = true
message = "nothing is removed"

[[order]]
id = "acme/ask"
level = "ask"
each = { phase = "act", tool = "mail" }
never = true
message = "a mail"
"#;

fn open_recorder(dir: &Path) -> Recorder {
    let gate = Gate::default().with_config(Path::new("runvet.toml"), OPEN, None);
    Recorder::new(dir).gate(gate.unwrap())
}

/// Whichever of the calls under way end, and in whichever order, the act keeps the rules.
#[test]
fn act_is_tried_with_each_subset_of_those_under_way() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = open_recorder(dir.path())
        .begin(Task::new("Pay"))
        .unwrap();
    let call = |tool: &str| act(tool, json!({}));
    let _request = run
        .may_act(None, call("request"))
        .unwrap();
    let _payment = run.may_act(None, call("pay")).unwrap();
    assert_eq!(rules(&held(&mut run, call("request"))), ["acme/awaiting"]);
    // More than three are not tried in each order.
    let _more = [(); 2].map(|()| run.may_act(None, call("pay")).unwrap());
    made(&mut run, call("pay"), "paid");
    let found = held(&mut run, call("request"));
    assert_eq!(rules(&found), ["acme/awaiting"]);
    assert_eq!(held(&mut run, act("bash", json!({"c": "ls"}))), []);
}

#[test]
fn values_that_cannot_be_judged_hold_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = open_recorder(dir.path())
        .begin(Task::new("Tidy"))
        .unwrap();
    let mark = json!({"sha256": "0".repeat(64), "bytes": 9, "excerpt": "r"});
    let inputs = [json!({"c": "rm -rf /"}), json!([{"c": ["x rm -rf"]}]), mark];
    for input in inputs {
        let found = held(&mut run, act("bash", input));
        assert_eq!(rules(&found), ["acme/rm"]);
    }
    assert_eq!(held(&mut run, act("bash", json!({"c": 3}))), []);
}

#[test]
fn person_who_is_asked_lets_one_act_pass() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = open_recorder(dir.path());
    let mut run = recorder
        .begin(Task::new("Write"))
        .unwrap();
    let mail = || act("mail", json!({"to": "kim"}));
    let found = held(&mut run, mail());
    assert_eq!(found[0].message, "a mail, and nobody was asked");
    drop(run);
    let recorder = recorder.ask(|_, input, _| (input["to"] == "kim", "lee".to_owned()));
    let mut run = recorder
        .begin(Task::new("Write"))
        .unwrap();
    let path = run.path().to_owned();
    let allowed = run.may_act(None, mail()).unwrap();
    made(&mut run, mail(), "sent");
    drop(allowed);
    let found = held(&mut run, act("mail", json!({"to": "all"})));
    assert_eq!(found[0].message, "a mail, and the answer was no");
    // What nobody was asked about is a finding.
    made(&mut run, mail(), "sent");
    assert_eq!(
        run.take_findings()[0].message,
        "a mail, and nobody was asked"
    );
    let ended = run.finish(End::ok()).unwrap();
    assert_eq!(rules(&ended.findings), ["acme/ask"]);
    let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
    let answers = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event_type"] == "direction.ask");
    let answers: Vec<Value> = answers
        .map(|event| event["payload"]["answer"].clone())
        .collect();
    assert_eq!(answers, ["yes", "no"]);
}
