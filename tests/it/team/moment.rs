//! What a team declares holds at the moment of writing: evidence is never refused, what is about to
//! be made is held to schemas, and the run can be asked beforehand.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use runvet::finding::Finding;
use runvet::gate::Gate;
use runvet::record::{Action, StepKind};
use runvet::recorder::{
    End, Error, OpenStep, Recorder, Run, StepDecision, StepDraft, StepEnd, Task,
};
use serde_json::{Map, Value, json};

use crate::support::recording::{Talk, fed, json as record, only_run, recording, session};
use crate::support::sessions::{Random, Ticking, members};

const CONFIG: &str = r#"
[[schema]]
id = "acme/refund-input"
where = { phase = "act", tool = "refund" }
at = "/payload/input"
schema = { type = "object", required = ["amount"], properties = { amount = { type = "number", maximum = 500 } } }

[[schema]]
id = "acme/refund-output"
where = { phase = "act", tool = "refund" }
at = "/payload/output"
schema = { type = "object" }

[[schema]]
id = "acme/whole-act"
where = { phase = "act", tool = "refund" }
schema = { properties = { payload = { required = ["output"] } } }

[[schema]]
id = "acme/action"
record = "action"
where = { tool = "mail" }
at = "/input"
schema = { required = ["to"] }

[[schema]]
id = "acme/step"
where = { phase = "plan" }
at = "/payload/step_records"
schema.items.properties.inputs.properties.limit.type = "integer"

[[schema]]
id = "acme/observed"
where = { phase = "observe" }
at = "/payload"
schema = { required = ["source"] }

[[schema]]
id = "acme/state"
record = "state"
at = "/goal/task"
schema = { maxLength = 8 }

[vocabulary]
tool = ["refund", "escalate", "mail", "list"]

[[order]]
id = "acme/escalate-first"
each = { tool = "refund" }
needs-earlier = { tool = "escalate" }
same = "/payload/input/order"
message = "refund of {same} without an earlier `escalate`"

[[order]]
id = "acme/few"
each = { tool = "list" }
at-most = 2
message = "listed {count} times"

[[order]]
id = "acme/silence"
each = { tool = "mail" }
none-later = { tool = "list" }
message = "listed after a mail"

[[order]]
id = "acme/report"
each = { phase = "observe" }
at-least = 1
message = "nothing was observed"
"#;

fn gate(config: &str) -> Gate {
    Gate::default()
        .with_config(Path::new("runvet.toml"), config, None)
        .unwrap()
}

fn recorder(dir: &Path) -> Recorder {
    Recorder::new(dir)
        .gate(gate(CONFIG))
        .clock(Ticking::new(1))
}

/// A run with one step, which is open.
fn begun(dir: &Path) -> (Run, OpenStep) {
    let mut run = recorder(dir)
        .begin(Task::new("Refund"))
        .unwrap();
    let step = opened(&mut run, "s");
    (run, step)
}

fn opened(run: &mut Run, id: &str) -> OpenStep {
    let steps: Vec<StepDraft> = ["s", "t"]
        .map(|id| StepDraft::new(id, StepKind::Act, "work"))
        .into();
    let _ = run.plan(steps, "planner.test").unwrap();
    match run.open(id).unwrap() {
        StepDecision::Go(step) => step,
        other => panic!("{other:?}"),
    }
}

fn action(value: Value) -> Action {
    serde_json::from_value(value).unwrap()
}

fn rules(findings: &[Finding]) -> Vec<&str> {
    findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect()
}

fn bytes(run: &Run) -> Vec<u8> {
    fs::read(run.path().join("events.jsonl")).unwrap()
}

#[test]
fn act_to_come_is_refused_with_the_sentence_of_the_check() {
    let dir = tempfile::tempdir().unwrap();
    let (mut run, step) = begun(dir.path());
    let escalated = action(json!({"tool": "escalate", "input": {"order": 7}}));
    run.act(&step, escalated).unwrap();
    let before = bytes(&run);
    let refund = json!({"tool": "refund", "input": {"order": 7, "amount": 900}});
    let error = run
        .act(&step, action(refund.clone()))
        .unwrap_err();
    let sentence = "`payload.input.amount` is 900, above the maximum of 500";
    assert_eq!(
        error.to_string(),
        format!("the action is refused: {sentence} (acme/refund-input)")
    );
    assert_eq!(error.kind(), "refused");
    assert_eq!(bytes(&run), before);
    assert_eq!(run.take_findings(), []);

    // Once it has happened, it is evidence.
    let mut happened = refund;
    happened["output"] = "done".into();
    run.act(&step, action(happened))
        .unwrap();
    let found = run.take_findings();
    assert_eq!(rules(&found), ["acme/refund-input", "acme/refund-output"]);
    assert_eq!(found[0].message, sentence);
    assert_eq!(found[0].location.line, Some(5));
    run.close(step, StepEnd::Done).unwrap();
    let recorded = run
        .finish(End::partial("half"))
        .unwrap();
    let found = rules(&recorded.findings);
    assert_eq!(
        found,
        ["acme/report", "acme/refund-input", "acme/refund-output"]
    );
}

#[test]
fn what_is_missing_of_an_act_to_come_does_not_hold_it() {
    let dir = tempfile::tempdir().unwrap();
    let (mut run, step) = begun(dir.path());
    for tool in ["escalate", "refund"] {
        let act = json!({"tool": tool, "input": {"order": 7, "amount": 1}});
        run.act(&step, action(act)).unwrap();
    }
    assert_eq!(rules(&run.take_findings()), ["acme/whole-act"]);
    // The schema of an action is one of the act too.
    let mail = action(json!({"tool": "mail", "input": {}}));
    let error = run
        .act(&step, mail.clone())
        .unwrap_err();
    let Error::Violates { findings, .. } = &error else {
        panic!("{error}")
    };
    let pointer = findings[0].location.pointer.as_deref();
    assert_eq!(pointer, Some("/outcomes/actions/2/input"));
    let would = run.would("act", members(serde_json::to_value(mail).unwrap()));
    assert_eq!(rules(&would.unwrap()), ["acme/action"]);
}

#[test]
fn inputs_of_pending_steps_are_held_to_schemas() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path())
        .begin(Task::new("t"))
        .unwrap();
    let before = bytes(&run);
    let step = |limit: Value| {
        StepDraft::new("s", StepKind::Act, "work").inputs(members(json!({"limit": limit})))
    };
    let error = run
        .plan([step("much".into())], "planner")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the plan is refused: `payload.step_records[0].inputs.limit` is a string (\"much\"), not an \
         integer (acme/step)"
    );
    assert_eq!(bytes(&run), before);
    let _ = run
        .plan([step(5.into())], "planner")
        .unwrap();
    let StepDecision::Go(open) = run.open("s").unwrap() else {
        panic!()
    };
    // What is no longer pending has happened.
    let _ = run
        .plan([step("much".into())], "planner")
        .unwrap();
    assert_eq!(rules(&run.take_findings()), ["acme/step"]);
    run.close(open, StepEnd::Done).unwrap();
}

#[test]
fn notes_and_states_are_written_whatever_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let task = Task::new("A long task");
    let mut run = recorder(dir.path())
        .begin(task)
        .unwrap();
    run.note("observe", Map::new()).unwrap();
    assert_eq!(rules(&run.take_findings()), ["acme/observed"]);
    run.persist().unwrap();
    let found = run.take_findings();
    assert_eq!(rules(&found), ["acme/state"]);
    assert_eq!(found[0].location.line, Some(1));
    let paused = run.pause("later").unwrap();
    assert_eq!(rules(&paused.findings), ["acme/state"]);
}

#[test]
fn question_writes_nothing_and_stays_right_after_a_resume() {
    let dir = tempfile::tempdir().unwrap();
    let (mut run, step) = begun(dir.path());
    let list = || members(json!({"tool": "list"}));
    for _ in 0..2 {
        assert_eq!(run.would("act", list()).unwrap(), []);
        run.act(&step, Action::new("list"))
            .unwrap();
    }
    let before = bytes(&run);
    let found = run.would("act", list()).unwrap();
    assert_eq!(found[0].message, "listed 3 times");
    let again = run.would("act", list()).unwrap();
    assert_eq!(rules(&again), rules(&found));
    let refund =
        || members(json!({"tool": "refund", "output": {}, "input": {"order": 1, "amount": 1}}));
    let found = run.would("act", refund()).unwrap();
    assert_eq!(
        found[0].message,
        "refund of 1 without an earlier `escalate`"
    );
    let unknown = run
        .would("act", members(json!({"tool": "delete"})))
        .unwrap();
    assert_eq!(rules(&unknown), ["team/vocabulary"]);
    assert_eq!(bytes(&run), before);

    run.act(
        &step,
        action(json!({"tool": "escalate", "input": {"order": 1}})),
    )
    .unwrap();
    run.close(step, StepEnd::Done).unwrap();
    let id = run.pause("later").unwrap().id;
    let run = recorder(dir.path())
        .resume(&id)
        .unwrap();
    assert_eq!(rules(&run.would("act", list()).unwrap()), ["acme/few"]);
    assert_eq!(run.would("act", refund()).unwrap(), []);
}

/// What of a finding must not depend on when it was found.
fn essence(finding: &Finding) -> String {
    let related = finding.related.iter();
    let related: Vec<_> = related
        .map(|it| (&it.message, &it.location))
        .collect();
    format!(
        "{} {:?} {} {:?} {related:?}",
        finding.rule, finding.severity, finding.message, finding.location
    )
}

#[test]
fn findings_of_events_are_those_of_the_check() {
    let mut total = 0;
    for seed in 1..60 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(seed);
        let (mut run, mut step) = begun(dir.path());
        let mut live = BTreeSet::new();
        for _ in 0..random.below(30) {
            let tool = match random.below(4) {
                0 => "refund",
                1 => "escalate",
                2 => "list",
                _ => "mail",
            };
            let input = match random.below(4) {
                0 => json!({}),
                order => json!({"order": order, "amount": 300 * order, "to": "a"}),
            };
            let act = json!({"tool": tool, "input": input, "output": {}});
            let would = run
                .would("act", members(act.clone()))
                .unwrap();
            run.act(&step, action(act)).unwrap();
            let found = run.take_findings();
            assert_eq!(
                would
                    .iter()
                    .map(|it| &it.message)
                    .collect::<Vec<_>>(),
                found
                    .iter()
                    .map(|it| &it.message)
                    .collect::<Vec<_>>()
            );
            let of_events = found
                .iter()
                .filter(|it| it.location.line.is_some());
            live.extend(of_events.map(essence));
            if random.below(6) == 0 {
                run.close(step, StepEnd::Done).unwrap();
                let id = run.pause("p").unwrap().id;
                run = recorder(dir.path())
                    .resume(&id)
                    .unwrap();
                step = reopened(&mut run);
            }
        }
        run.close(step, StepEnd::Done).unwrap();
        let recorded = run.finish(End::partial("p")).unwrap();
        let report = gate(CONFIG).run([dir.path()]).unwrap();
        assert_eq!(recorded.findings, report.episodes[0].findings);
        let of_events = recorded.findings.iter();
        let of_events = of_events.filter(|it| {
            it.location.line.is_some()
                && it
                    .location
                    .file
                    .ends_with("events.jsonl")
        });
        let whole: BTreeSet<String> = of_events.map(essence).collect();
        assert_eq!(live, whole, "seed {seed}");
        total += whole.len();
    }
    assert!(total > 500, "{total}");
}

fn reopened(run: &mut Run) -> OpenStep {
    let known = run.state().plan.steps.len();
    let steps = run.state().plan.steps.iter();
    let mut drafts: Vec<StepDraft> = steps
        .map(|step| StepDraft::new(step.id.clone(), step.kind, step.description.clone()))
        .collect();
    let id = format!("more-{known}");
    drafts.push(StepDraft::new(id.clone(), StepKind::Act, "more"));
    let _ = run
        .plan(drafts, "planner.test")
        .unwrap();
    match run.open(&id).unwrap() {
        StepDecision::Go(step) => step,
        other => panic!("{other:?}"),
    }
}

#[test]
fn expressions_about_events_are_judged_at_once() {
    let config = r#"
        [params]
        most = 500

        [[rule]]
        id = "acme/limit"
        each = { tool = "refund" }
        check = "event.payload.input.amount <= params.most"
        at = "/payload/input/amount"
        message = "{value} is too much"

        [[rule]]
        id = "acme/tally"
        each = { tool = "list" }
        check = "tools.list <= 2 && counts.act >= tools.list"
        message = "listed too often"

        [[rule]]
        id = "acme/state"
        each = { tool = "mail" }
        check = "size(state.plan.steps) == 2 && run.status == 'pending' && summary == null"
        message = "not like that"

        [[rule]]
        id = "acme/whole"
        check = "counts.act < 4"
        message = "too many acts"
    "#;
    let dir = tempfile::tempdir().unwrap();
    let gated = || Recorder::new(dir.path()).gate(gate(config));
    let mut run = gated().begin(Task::new("t")).unwrap();
    let step = opened(&mut run, "s");
    let would = |run: &Run, act: Value| {
        let found = run.would("act", members(act)).unwrap();
        let messages = found.into_iter().map(|it| it.message);
        messages.collect::<Vec<_>>()
    };
    let refund = |amount: Value| json!({"tool": "refund", "input": {"amount": amount}});
    assert_eq!(would(&run, refund(500.into())), [""; 0]);
    assert_eq!(would(&run, refund(501.into())), ["501 is too much"]);
    let wrong = would(&run, refund("x".into()));
    assert!(wrong[0].contains("can't be evaluated"), "{wrong:?}");
    assert_eq!(would(&run, json!({"tool": "mail"})), [""; 0]);

    for _ in 0..2 {
        assert_eq!(would(&run, json!({"tool": "list"})), [""; 0]);
        run.act(&step, Action::new("list"))
            .unwrap();
    }
    assert_eq!(would(&run, json!({"tool": "list"})), ["listed too often"]);
    // Evidence.
    run.act(&step, action(refund(900.into())))
        .unwrap();
    assert_eq!(rules(&run.take_findings()), ["acme/limit"]);
    run.close(step, StepEnd::Done).unwrap();
    let id = run.pause("later").unwrap().id;
    let run = gated().resume(&id).unwrap();
    assert_eq!(would(&run, json!({"tool": "list"})), ["listed too often"]);
    let recorded = run
        .finish(End::partial("half"))
        .unwrap();
    assert_eq!(rules(&recorded.findings), ["acme/whole", "acme/limit"]);

    let mut run = gated().begin(Task::new("t")).unwrap();
    // The numbers of more words than are kept are no yes.
    let step = reopened(&mut run);
    run.act(&step, Action::new("x".repeat(5 << 20)))
        .unwrap();
    let unjudged = would(&run, json!({"tool": "list"}));
    assert!(
        unjudged[0].starts_with("this can't be judged: "),
        "{unjudged:?}"
    );
    run.close(step, StepEnd::Done).unwrap();
}

#[test]
fn ignores_and_levels_of_the_configuration_count() {
    let dir = tempfile::tempdir().unwrap();
    let config = format!(
        "{CONFIG}\n[rules]\n\"acme/refund-input\" = \"warning\"\n\"acme/few\" = \"off\"\n[[ignore]]\nrule = \
         \"acme/observed\"\nepisode = \"**\"\nreason = \"known\"\n"
    );
    let recorder = Recorder::new(dir.path()).gate(gate(&config));
    let mut run = recorder.begin(Task::new("t")).unwrap();
    let step = opened(&mut run, "s");
    run.note("observe", Map::new()).unwrap();
    for _ in 0..3 {
        run.act(&step, Action::new("list"))
            .unwrap();
    }
    run.act(
        &step,
        action(json!({"tool": "escalate", "input": {"order": 1}})),
    )
    .unwrap();
    assert_eq!(run.take_findings(), []);
    // A schema of level `warning` does not refuse.
    let refund = json!({"tool": "refund", "input": {"order": 1}});
    run.act(&step, action(refund)).unwrap();
    let found = run.take_findings();
    assert_eq!(rules(&found), ["acme/whole-act", "acme/refund-input"]);
    run.close(step, StepEnd::Done).unwrap();
}

/// A directory with a configuration, and where to record.
fn configured() -> (tempfile::TempDir, String, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("team.toml");
    fs::write(&file, CONFIG).unwrap();
    let runs = dir.path().join("runs");
    (dir, file.to_str().unwrap().to_owned(), runs)
}

fn ruled(answer: &Value) -> Vec<&str> {
    let findings = answer["findings"].as_array().unwrap();
    let rules = findings
        .iter()
        .map(|it| it["rule"].as_str().unwrap());
    rules.collect()
}

#[test]
fn protocol_answers_with_findings() {
    let (_dir, config, runs) = configured();
    let mut talk = Talk::new(&runs, &["--task", "t", "--config", &config]);
    talk.tell(&[r#"{"plan":["Refund"]}"#, r#"{"open":"step-1"}"#]);
    let would = r#"{"would":{"phase":"act","payload":{"tool":"refund","input":{"amount":900}}}}"#;
    let asked = talk.ask(would);
    assert_eq!(asked["ok"], true);
    assert_eq!(
        ruled(&asked),
        ["acme/escalate-first", "acme/whole-act", "acme/refund-input"]
    );
    let refused = talk.ask(r#"{"act":{"tool":"refund","input":{"amount":900}}}"#);
    assert_eq!(refused["error"]["kind"], "refused");
    assert_eq!(ruled(&refused["error"]), ["acme/refund-input"]);
    let act = r#"{"act":{"tool":"refund","input":{"amount":900},"result_status":"ok"}}"#;
    let acted = talk.ask(act);
    assert_eq!(
        (&acted["ok"], &acted["id"]),
        (&json!(true), &json!("act-1"))
    );
    assert_eq!(ruled(&acted), ruled(&asked));
    assert_eq!(ruled(&talk.ask(r#"{"close":"step-1"}"#)), [""; 0]);
    let ended = talk.ask(r#"{"finish":"ok"}"#);
    assert_eq!(
        (&ended["ok"], &ended["status"]),
        (&json!(true), &json!("ok"))
    );
    assert_eq!(ruled(&ended).len(), 4);
    assert_eq!(talk.end(), Some(1));
}

#[test]
fn protocol_without_configuration_says_nothing_of_findings() {
    let runs = tempfile::tempdir().unwrap();
    let input = "{\"would\":{\"phase\":\"observe\"}}\n{\"note\":{\"phase\":\"observe\"}}\n";
    let (code, answers, _) = session(runs.path(), &["--task", "t"], input);
    assert_eq!(code, Some(0));
    assert_eq!(answers[1], json!({"ok": true, "findings": []}));
    assert_eq!(answers[2], json!({"ok": true, "id": "evt-000002"}));
}

#[test]
fn session_reads_its_configuration_as_the_check_does() {
    let (dir, config, runs) = configured();
    let mut command = recording(&runs, &["--task", "t"]);
    fs::rename(&config, dir.path().join("runvet.toml")).unwrap();
    command.current_dir(dir.path());
    let output = fed(command, b"{\"note\":{\"phase\":\"observe\"}}\n");
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(answers.contains("acme/observed"), "{answers}");
    // The session ended without an answer that could have what is found in the state.
    fs::write(dir.path().join("runvet.toml"), "[[schema]]\nid = 'a/b'\n").unwrap();
    let mut command = recording(&dir.path().join("more"), &["--task", "t"]);
    command.current_dir(dir.path());
    let output = fed(command, b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(!dir.path().join("more").exists());
}

#[test]
fn aborted_session_prints_what_it_found() {
    let (_dir, config, runs) = configured();
    let args = [
        "--task",
        "A long task",
        "--config",
        &config,
        "--on-eof",
        "aborted",
    ];
    let (code, _, said) = session(&runs, &args, "{\"note\":{\"phase\":\"observe\"}}\n");
    assert_eq!(code, Some(0));
    assert!(
        said.contains("acme/state") && said.contains("acme/observed"),
        "{said}"
    );
}

#[test]
fn report_of_exec_is_written_whatever_is_found() {
    let (_dir, config, runs) = configured();
    let args = [
        "--config",
        &config,
        "--exec",
        "--",
        "sh",
        "-c",
        "echo x; exit 3",
    ];
    let output = fed(recording(&runs, &args), b"");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"x\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("team/vocabulary"), "{said}");
    let state = record(only_run(&runs).join("state.json"));
    assert_eq!(state["outcomes"]["status"], "error");
}

#[test]
fn command_whose_inputs_violate_a_schema_is_not_executed() {
    let (dir, config, runs) = configured();
    let config_text = r#"
        [[schema]]
        id = "acme/argv"
        where = { phase = "plan" }
        at = "/payload/step_records/0/inputs/argv"
        schema = { maxItems = 1 }
    "#;
    fs::write(&config, config_text).unwrap();
    let touched = dir.path().join("touched");
    let args = [
        "--config",
        &config,
        "--exec",
        "--",
        "touch",
        touched.to_str().unwrap(),
    ];
    let output = fed(recording(&runs, &args), b"");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("the plan is refused") && said.contains("acme/argv"),
        "{said}"
    );
    assert!(!touched.exists());
    let state = record(only_run(&runs).join("state.json"));
    assert_eq!(state["outcomes"]["status"], "vetoed");
}

const POLICIES: &str = r#"
[selector]
refunds = { tool = "refund" }

[[rule]]
id = "acme/sum"
each = "refunds"
same = "/payload/input/order"
check = 'earlier("refunds").map(e, e.payload.input.amount).sum() + event.payload.input.amount <= 10'
message = "too much"

[[order]]
id = "acme/row"
each = { tool = "*" }
same = ["/payload/tool", "/payload/input"]
at-most = 2
in-a-row = true
message = "{count} times"

[[order]]
id = "acme/large"
each = { tool = "refund", if = "event.payload.input.amount > 7" }
never = true
message = "large"
"#;

#[test]
fn policies_about_earlier_events_are_asked_beforehand() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(dir.path()).gate(gate(POLICIES));
    let mut run = recorder
        .clock(Ticking::new(1))
        .begin(Task::new("Refund"))
        .unwrap();
    let step = opened(&mut run, "s");
    let refund = |order: u64, amount: Value| json!({"tool": "refund", "input": {"order": order, "amount": amount}});
    for _ in 0..2 {
        run.act(&step, action(refund(1, json!(4))))
            .unwrap();
    }
    assert_eq!(run.take_findings(), []);
    let would = |run: &mut Run, act: Value| {
        let found = run.would("act", members(act)).unwrap();
        let rules: Vec<String> = found
            .iter()
            .map(|it| it.rule.clone())
            .collect();
        rules
            .into_iter()
            .collect::<BTreeSet<String>>()
    };
    let of = |rules: &[&str]| {
        rules
            .iter()
            .map(|it| format!("acme/{it}"))
            .collect()
    };
    for _ in 0..2 {
        assert_eq!(would(&mut run, refund(1, json!(4))), of(&["sum", "row"]));
        assert_eq!(would(&mut run, refund(1, json!(2.5))), of(&["sum"]));
        assert_eq!(would(&mut run, refund(1, json!(2))), of(&[]));
        assert_eq!(would(&mut run, refund(2, json!(8))), of(&["large"]));
        assert_eq!(
            would(&mut run, refund(2, json!("x"))),
            of(&["sum", "large"])
        );
    }
    run.act(&step, action(json!({"tool": "look", "input": 1})))
        .unwrap();
    assert_eq!(would(&mut run, refund(1, json!(4))), of(&["sum"]));
    run.act(&step, action(refund(1, json!(4))))
        .unwrap();
    assert_eq!(rules(&run.take_findings()), ["acme/sum"]);
}
