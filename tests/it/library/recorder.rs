//! What the recorder promises: runs that every rule accepts, whatever is recorded and refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use runvet::finding::Level;
use runvet::gate::{Gate, all_rules};
use runvet::read::policy::{Advice, Policy};
use runvet::record::{Action, State, Step, StepKind, StepStatus};
use runvet::recorder::{
    Assertion, End, Error, Evaluated, Recorded, Recorder, Recovered, Run, StepDecision, StepDraft,
    StepEnd, Task,
};
use serde_json::{Map, Value, json};

use crate::support::sessions::{Pauses, Session, Ticking, members, recorder};

#[expect(dead_code, reason = "an example has a `main` of its own")]
#[path = "../../../examples/adapter.rs"]
mod adapter;
#[expect(dead_code, reason = "an example has a `main` of its own")]
#[path = "../../../examples/agent.rs"]
mod agent;

/// What is found in a run-data directory with every rule at `error`, those that are off by default
/// included.
fn findings<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Vec<String> {
    // What is in progress, or was refused, is no defect of the recorder.
    let aside = ["lifecycle/unended", "recorder/lost"];
    let mut gate = all_rules().fold(Gate::default(), |gate, rule| {
        let is_aside = aside.contains(&&*rule.id);
        let level = if is_aside { Level::Off } else { Level::Error };
        gate.level(&rule.id, level).unwrap()
    });
    let report = gate.run(paths).unwrap();
    let findings = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings);
    let skipped = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.skipped);
    let skipped = skipped.map(|skip| format!("{}: {}", skip.rule, skip.reason));
    findings
        .map(ToString::to_string)
        .chain(skipped)
        .collect()
}

/// The files below a directory, by their paths in it.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(dir)
        .into_iter()
        .map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let read = |entry: walkdir::DirEntry| {
        let path = entry
            .path()
            .strip_prefix(dir)
            .unwrap()
            .to_owned();
        (path, fs::read(entry.path()).unwrap())
    };
    files.map(read).collect()
}

#[test]
fn run_of_the_agent_example_passes_every_rule() {
    let dir = tempfile::tempdir().unwrap();
    let episode = agent::record(dir.path()).unwrap();
    assert_eq!(findings([dir.path()]), [""; 0]);
    assert!(episode.join("summary.json").is_file());
}

#[test]
fn run_of_the_adapter_example_passes_every_rule() {
    let dir = tempfile::tempdir().unwrap();
    adapter::record(dir.path()).unwrap();
    assert_eq!(findings([dir.path()]), [""; 0]);
}

/// Records a session below a directory; every fourth has a workspace beside its run data.
fn record(dir: &Path, seed: u64, pauses: Pauses) -> Option<Recorded> {
    let workspace = dir.join("work");
    fs::create_dir_all(&workspace).unwrap();
    let recorder = recorder(&dir.join("runs"), seed);
    let session = Session {
        workspace: seed
            .is_multiple_of(4)
            .then_some(&*workspace),
        pauses,
        ..Session::new(&recorder, seed)
    };
    session.record().unwrap()
}

#[test]
fn ended_runs_pass_every_rule() {
    let dir = tempfile::tempdir().unwrap();
    let ended = (0..100).filter_map(|seed| record(dir.path(), seed, Pauses::Sometimes));
    let ended: Vec<PathBuf> = ended
        .map(|recorded| recorded.path)
        .collect();
    assert!(ended.len() > 50, "{} ended", ended.len());
    assert_eq!(findings(ended), [""; 0]);
}

#[test]
fn same_clock_writes_the_same_bytes() {
    for seed in (0..40).filter(|seed| seed % 4 != 0) {
        let bytes = || {
            let dir = tempfile::tempdir().unwrap();
            record(dir.path(), seed, Pauses::Sometimes);
            files(dir.path())
        };
        assert_eq!(bytes(), bytes(), "session {seed}");
    }
}

/// What happened in a run, but for the runtime's own events, times and what counts them.
fn course(recorded: &Recorded) -> (Vec<Value>, Value, Value) {
    let text = fs::read_to_string(recorded.path.join("events.jsonl")).unwrap();
    let events = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let events = events.filter(|event: &Value| event["phase"] != "runtime");
    let mut events: Vec<Value> = events.collect();
    let mut state = serde_json::to_value(&recorded.state).unwrap();
    let mut summary = serde_json::to_value(&recorded.summary).unwrap();
    events.iter_mut().for_each(timeless);
    timeless(&mut state);
    timeless(&mut summary);
    (events, state, summary)
}

fn timeless(value: &mut Value) {
    const TIMED: [&str; 6] = [
        "timestamp",
        "started_at",
        "updated_at",
        "duration_sec",
        "latencies",
        "state_sha256",
    ];
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !TIMED.contains(&&**name));
            if members.contains_key("phase") {
                members.remove("id");
            }
            members.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

#[test]
fn run_is_the_same_with_a_pause_at_any_point() {
    let mut compared = 0;
    for seed in (0..60).filter(|seed| seed % 4 != 0) {
        let course = |pauses| {
            let dir = tempfile::tempdir().unwrap();
            record(dir.path(), seed, pauses).map(|recorded| course(&recorded))
        };
        let without = course(Pauses::Never);
        assert_eq!(course(Pauses::Always), without, "session {seed}");
        compared += u32::from(without.is_some());
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn refused_call_leaves_no_byte() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let step = || StepDraft::new("s", StepKind::Act, "do it");
    let _ = run
        .plan([step()], "planner.demo")
        .unwrap();
    let StepDecision::Go(open) = run.open("s").unwrap() else {
        panic!("nothing vetoes it");
    };
    let before = files(dir.path());
    let deep = (0..200).fold(json!(1), |value, _| json!([value]));
    let (mut extension, mut named) = (Action::default(), Action::default());
    extension
        .extensions
        .insert("mine".into(), json!(1));
    named.id = Some("a".into());
    let refused = [
        run.note("act", Map::new()).err(),
        run.note("Act", Map::new()).err(),
        run.note("plann", Map::new()).err(),
        run.note("", Map::new()).err(),
        run.note("reason", members(json!({ "deep": deep })))
            .err(),
        run.note("reason", members(json!({ "long": "x".repeat(65 << 20) })))
            .err(),
        run.believe("x", 1.5, "y").err(),
        run.believe("x", f64::NAN, "y").err(),
        run.plan([step(), step()], "planner.demo")
            .err(),
        run.plan([], "planner.demo").err(),
        run.open("s").err(),
        run.open("none").err(),
        run.act(&open, extension).err(),
        run.act(&open, named).err(),
    ];
    for (number, error) in refused.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("call {number} is refused"));
        assert!(
            matches!(error.kind(), "refused" | "too_large"),
            "{number}: {error}"
        );
    }
    assert_eq!(files(dir.path()), before);
    assert!(matches!(recorder.resume(run.id()), Err(Error::Busy { .. })));
    assert!(matches!(recorder.resume("../x"), Err(Error::Absent { .. })));
    drop(run);
}

#[test]
fn ended_run_is_never_added_to() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let id = run.id().to_owned();
    run.finish(End::ok()).unwrap();
    assert!(matches!(recorder.resume(&id), Err(Error::Ended { .. })));
    assert!(matches!(
        recorder.abandon(&id, "late"),
        Err(Error::Ended { .. })
    ));
    assert!(matches!(recorder.recover(&id), Ok(Recovered::Intact)));
}

#[test]
fn abandoned_run_lasted_until_its_last_event() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let step = StepDraft::new("a", StepKind::Act, "do");
    let _ = run.plan([step], "planner").unwrap();
    let _step = run.open("a").unwrap();
    let (id, path) = (run.id().to_owned(), run.path().to_owned());
    drop(run);
    let events = || -> Vec<Value> {
        let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
        events
            .lines()
            .map(|it| serde_json::from_str(it).unwrap())
            .collect()
    };
    let last = events().pop().unwrap()["timestamp"].clone();
    let seconds = |time: &Value| -> f64 {
        let [hours, minutes, seconds] = [11..13, 14..16, 17..26].map(|part| {
            time.as_str().unwrap()[part]
                .parse::<f64>()
                .unwrap()
        });
        (hours * 60.0 + minutes) * 60.0 + seconds
    };
    let lived = seconds(&last) - seconds(&events()[0]["timestamp"]);
    // Meanwhile time goes by.
    for _ in 0..100 {
        recorder
            .begin(Task::new("another task"))
            .unwrap()
            .finish(End::ok())
            .unwrap();
    }
    let abandoned = recorder
        .abandon(&id, "its process died")
        .unwrap();
    assert!((abandoned.summary.duration_sec - lived).abs() < 1e-6);
    let events = events();
    let end = events
        .iter()
        .find(|it| it["phase"] == "terminate")
        .unwrap();
    assert_eq!(
        (&end["timestamp"], &events.last().unwrap()["timestamp"]),
        (&last, &last)
    );
    assert!(seconds(&end["payload"]["abandoned_at"]) > seconds(&last));
    let status = abandoned.state.plan.steps[0].status;
    assert_eq!(status, StepStatus::Failed);
    assert_eq!(findings([dir.path()]), [""; 0]);
}

/// A list in a list, and so on.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inner, _| json!([inner]))
}

/// Records a value in one of the places that end up in the state; returns whether it was accepted.
fn record_value(run: &mut Run, place: &str, value: Value) -> bool {
    let members: Map<String, Value> = [("value".to_owned(), value.clone())]
        .into_iter()
        .collect();
    match place {
        "inputs" => {
            let step = StepDraft::new("b", StepKind::Act, "do").inputs(members);
            run.plan([step], "planner").is_ok()
        }
        "action" => {
            let step = run.open("a").unwrap();
            let StepDecision::Go(step) = step else {
                panic!("{step:?}")
            };
            run.act(&step, Action::new("tool").output(value))
                .is_ok()
        }
        "outputs" => {
            let step = run.open("a").unwrap();
            let StepDecision::Go(step) = step else {
                panic!("{step:?}")
            };
            run.close(step, StepEnd::DoneWith(members))
                .is_ok()
        }
        _ => run.remember("key", value, None).is_ok(),
    }
}

#[test]
fn whatever_is_accepted_can_be_persisted_and_resumed_and_ended() {
    for place in ["inputs", "action", "outputs", "fact"] {
        let mut accepted = Vec::new();
        for depth in 100..125 {
            let dir = tempfile::tempdir().unwrap();
            let recorder = recorder(dir.path(), 3);
            let mut run = recorder
                .begin(Task::new("a task"))
                .unwrap();
            let steps = ["a", "c"].map(|id| StepDraft::new(id, StepKind::Act, "do"));
            let _ = run.plan(steps, "planner").unwrap();
            accepted.push(record_value(&mut run, place, nested(depth)));
            // A step that is open is planned again.
            if place != "inputs" {
                let _ = run.open("c").unwrap();
            }
            run.persist().unwrap();
            let id = run.id().to_owned();
            drop(run);
            drop(recorder.resume(&id).unwrap());
            recorder
                .abandon(&id, "it was left")
                .unwrap();
            assert_eq!(findings([dir.path()]), [""; 0], "{place} {depth}");
        }
        assert!(
            accepted.contains(&true) && accepted.contains(&false),
            "{place}"
        );
    }
}

#[test]
fn end_that_could_not_be_read_is_refused_before_a_byte_is_written() {
    for depth in 110..125 {
        let dir = tempfile::tempdir().unwrap();
        let mut run = recorder(dir.path(), 3)
            .begin(Task::new("a task"))
            .unwrap();
        let before = files(dir.path());
        if run
            .end(End::error(nested(depth)))
            .is_err()
        {
            assert!(files(dir.path()) == before, "{depth}");
            run.end(End::ok().metric("m", nested(depth)))
                .unwrap_err();
            run.end(End::aborted("it is too deep"))
                .unwrap();
        }
        assert_eq!(findings([dir.path()]), [""; 0], "{depth}");
    }
}

#[test]
fn run_that_holds_as_much_as_it_may_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = recorder(dir.path(), 3)
        .begin(Task::new("a task"))
        .unwrap();
    let step = StepDraft::new("a", StepKind::Act, "do");
    let _ = run.plan([step], "planner").unwrap();
    let _ = run.open("a").unwrap();
    for numbers in [900_000, 60_000, 4_000, 900, 50, 10, 5] {
        let list = vec![Value::from(0); numbers];
        while run
            .remember("key", list.clone(), None)
            .is_ok()
        {}
    }
    run.persist().unwrap();
    run.finish(End::aborted("it is full"))
        .unwrap();
    assert_eq!(findings([dir.path()]), [""; 0]);
}

#[test]
fn lost_lines_of_learning_are_written_again_after_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    run.propose(Map::new(), false).unwrap();
    let (id, learn) = (run.id().to_owned(), run.path().join("learn.jsonl"));
    run.finish(End::ok()).unwrap();
    let whole = files(dir.path());
    let spoil: [&dyn Fn(); 3] = [
        &|| fs::write(&learn, "").unwrap(),
        &|| fs::remove_file(&learn).unwrap(),
        &|| fs::write(&learn, [fs::read(&learn).unwrap(), b"{}\n".into()].concat()).unwrap(),
    ];
    for spoil in spoil {
        spoil();
        let recovered = recorder.recover(&id).unwrap();
        assert!(
            matches!(recovered, Recovered::Completed(_)),
            "{recovered:?}"
        );
        assert!(files(dir.path()) == whole);
        assert!(matches!(recorder.recover(&id), Ok(Recovered::Intact)));
    }
}

#[test]
fn evaluation_stands_beside_the_assertions_of_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let (work, gone) = (dir.path().join("work"), dir.path().join("gone"));
    fs::create_dir(&work).unwrap();
    fs::write(work.join("report.md"), "").unwrap();
    let recorder = Recorder::new(dir.path().join("runs")).clock(Ticking::new(1));
    let task = || Task::new("write").workspace(&work);
    let ended = |task: Task, file: bool, passed: bool| {
        let task = if file {
            task.verify(Assertion::file_exists("report.md"))
        } else {
            task
        };
        let run = recorder.begin(task).unwrap();
        let end = End::ok().evaluated(Evaluated::new("judge", passed).message("says so"));
        let summary = run.finish(end).unwrap().summary;
        (summary.outcome.to_string(), summary.verification)
    };
    let (outcome, verification) = ended(task(), true, true);
    assert_eq!((&*outcome, verification.passed), ("success", Some(true)));
    let names = verification.assertions.unwrap();
    assert_eq!(
        (&names[0]["name"], &names[1]["name"]),
        (&json!("file_exists"), &json!("judge"))
    );
    assert_eq!(ended(task(), true, false).0, "goal_not_achieved");
    assert_eq!(ended(task(), false, true).0, "success");
    // What can't be looked at: only what depends on it is unknown.
    let missing = || Task::new("write").workspace(&gone);
    assert_eq!(ended(missing(), false, true).0, "success");
    let (outcome, verification) = ended(missing(), true, true);
    assert_eq!((&*outcome, verification.passed), ("error", None));
    let run = recorder.begin(Task::new("t")).unwrap();
    let refused_dir = run.path().to_owned();
    let refused = run.finish(End::ok().score(f64::NAN));
    assert!(matches!(refused, Err(Error::Refused { .. })));
    fs::remove_dir_all(refused_dir).unwrap();
    assert_eq!(findings([dir.path()]), [""; 0]);
}

#[test]
fn evaluation_of_a_try_that_failed_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let (id, path) = (run.id().to_owned(), run.path().to_owned());
    run.finish(End::ok().evaluated(Evaluated::new("judge", true)))
        .unwrap();
    // As if the process had died before the end was recorded.
    let events = fs::read_to_string(path.join("events.jsonl")).unwrap();
    let kept: Vec<&str> = events
        .lines()
        .take_while(|it| !it.contains("run.state_projection"))
        .collect();
    assert!(
        kept.last()
            .unwrap()
            .contains("run.verification"),
        "{kept:?}"
    );
    fs::write(path.join("events.jsonl"), kept.join("\n") + "\n").unwrap();
    for name in ["state.json", "summary.json", "manifest.json"] {
        fs::remove_file(path.join(name)).unwrap();
    }
    let finished = recorder
        .resume(&id)
        .unwrap()
        .finish(End::ok())
        .unwrap();
    assert_eq!(finished.summary.outcome.to_string(), "success_unverified");
    assert_eq!(findings([dir.path()]), [""; 0]);
}

#[test]
fn changed_run_is_not_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = recorder(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    run.note("observe", Map::new()).unwrap();
    let paused = run.pause("wait").unwrap();
    let events = paused.path.join("events.jsonl");
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, text.replace("a task", "another")).unwrap();
    assert!(matches!(
        recorder.resume(&paused.id),
        Err(Error::Untrusted { .. })
    ));
}

#[test]
fn workspace_is_verified_before_and_after() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("work");
    fs::create_dir_all(workspace.join(".git")).unwrap();
    fs::write(workspace.join("kept.txt"), "kept").unwrap();
    let recorder = Recorder::new(workspace.join("runs")).clock(Ticking::new(1));
    let begin = || {
        recorder.begin(
            Task::new("write a report")
                .workspace(&workspace)
                .verify(Assertion::file_exists("report.md"))
                .verify(Assertion::file_contains("report.md", "done")),
        )
    };
    let failed = begin()
        .unwrap()
        .finish(End::ok())
        .unwrap();
    assert_eq!(failed.summary.verification.passed, Some(false));
    assert_eq!(failed.summary.outcome.to_string(), "goal_not_achieved");
    let run = begin().unwrap();
    fs::write(workspace.join("report.md"), "it is done").unwrap();
    let passed = run.finish(End::ok()).unwrap();
    assert_eq!(passed.summary.outcome.to_string(), "success");
    let diff = passed
        .summary
        .verification
        .workspace_diff
        .unwrap();
    assert_eq!(diff.added, Some(vec!["report.md".into()]));
    let run = begin().unwrap();
    fs::remove_dir_all(workspace.join(".git")).unwrap();
    let gone = dir.path().join("gone");
    fs::rename(&workspace, &gone).unwrap();
    fs::create_dir_all(workspace.parent().unwrap()).unwrap();
    fs::rename(&gone, &workspace).unwrap();
    run.finish(End::ok()).unwrap();
    let report = Gate::default()
        .run([workspace.join("runs")])
        .unwrap();
    assert_eq!(report.totals.valid, 3);
}

/// Vetoes one step, whichever is open or pending besides.
struct Without(&'static str);

impl Policy for Without {
    fn name(&self) -> &'static str {
        "without"
    }
    fn version(&self) -> &'static str {
        "1.0.0"
    }
    fn advise(&self, _: &State) -> Advice {
        Advice::Nothing
    }
    fn advise_on_step(&self, _: &State, step: &Step) -> Advice {
        if step.id == self.0 {
            Advice::veto("not this one")
        } else {
            Advice::Nothing
        }
    }
}

#[test]
fn policy_is_asked_about_the_step_that_opens() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(dir.path()).policy(Without("second"));
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let steps = ["first", "second"].map(|id| StepDraft::new(id, StepKind::Act, "do it"));
    let _ = run.plan(steps, "planner.demo").unwrap();
    assert!(matches!(
        run.open("second").unwrap(),
        StepDecision::Vetoed(_)
    ));
    assert!(matches!(run.open("first").unwrap(), StepDecision::Go(_)));
    let ended = run
        .finish(End::aborted("enough"))
        .unwrap();
    let direction = ended.summary.flags.direction.unwrap();
    assert_eq!(direction.policy.as_deref(), Some("policy:without@1.0.0"));
    let events = fs::read_to_string(ended.path.join("events.jsonl")).unwrap();
    assert!(events.contains(r#""id":"dir-0001""#));
    assert_eq!(findings([dir.path()]), [""; 0]);
}

#[test]
fn policies_are_not_added_to_a_run_without_any() {
    let dir = tempfile::tempdir().unwrap();
    let plain = Recorder::new(dir.path());
    let run = plain
        .begin(Task::new("a task"))
        .unwrap();
    let paused = run.pause("wait").unwrap();
    let asking = Recorder::new(dir.path()).policy(Without("first"));
    assert!(matches!(
        asking.resume(&paused.id),
        Err(Error::Refused { .. })
    ));
    asking
        .abandon(&paused.id, "nobody wants it")
        .unwrap();
}

#[test]
fn runs_move_between_threads() {
    fn moves<T: Send>() {}
    fn is_shared<T: Send + Sync + Clone>() {}
    moves::<Run>();
    is_shared::<Recorder>();
}
