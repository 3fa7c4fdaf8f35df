//! Records a run in a directory, with the calls and the clock that a test makes from Python.

use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use runvet::read::policy::{Advice, Policy};
use runvet::record::{Action, State, StepKind};
use runvet::recorder::{Clock, End, Recorder, StepDecision, StepDraft, StepEnd, Task};
use serde_json::{Map, Value, json};

struct Ticking(u64);

impl Clock for Ticking {
    fn now(&mut self) -> SystemTime {
        self.0 += 1_000;
        UNIX_EPOCH + Duration::from_micros(self.0)
    }

    fn random(&mut self) -> [u8; 10] {
        [7; 10]
    }
}

struct Says;

impl Policy for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn version(&self) -> &'static str {
        "1.0"
    }

    fn advise(&self, _: &State) -> Advice {
        Advice::Hint {
            text: "slowly".into(),
            confidence: 0.5,
        }
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os()
        .nth(1)
        .ok_or("a directory is missing")?;
    let recorder = Recorder::new(dir);
    let recorder = recorder
        .policy(Says)
        .clock(Ticking(1_772_366_400_000_000));
    let task = Task::new("same").kind("task").seed(1);
    let task = task
        .tag("team", "x")
        .tag("n", 2.0)
        .using("demo");
    let mut run = recorder.begin(task)?;
    let act = StepDraft::new("b", StepKind::Act, "do").rationale("it has to be done");
    let _ = run.plan(
        [StepDraft::new("a", StepKind::Detect, "look"), act],
        "planner.python",
    )?;
    if let StepDecision::Go(step) = run.open("a")? {
        let mut action = Action::default();
        action.tool = Some("ls".into());
        action.input = Some(json!({"path": "."}));
        action.output = Some(json!(["x", 1.0, null]));
        run.act(&step, action)?;
        run.close(step, StepEnd::DoneWith(members(json!({"found": 1}))))?;
    }
    run.believe("it works", 0.75, "test")?;
    run.remember("key", json!({"z": 1, "a": "\u{20ac}"}), None)?;
    run.jot("a line")?;
    run.note("observe", members(json!({"text": "half"})))?;
    run.persist()?;
    if let StepDecision::Go(step) = run.open("b")? {
        run.close(step, StepEnd::Failed(json!({"code": 3})))?;
    }
    run.reflect(members(json!({"text": "good"})))?;
    run.propose(members(json!({"do": "more"})), false)?;
    let end = End::partial("one step failed");
    run.finish(
        end.artifact("a.txt")
            .metric("score", 0.5),
    )?;
    Ok(())
}
