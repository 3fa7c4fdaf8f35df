//! An agent that plans three steps, of which a policy vetoes one, pauses, resumes and finishes.
//!
//! `cargo run --example agent -- DIR` writes the run below `DIR`, and `runvet view --run-data DIR`
//! shows it.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::path::{Path, PathBuf};

use runvet::read::policy::{Advice, Policy};
use runvet::record::{Action, State, Step, StepKind};
use runvet::recorder::{End, Error, Recorder, StepDecision, StepDraft, StepEnd, Task};
use serde_json::{Map, Value, json};

/// Blocks what would publish something, and suggests what to look at.
struct Careful;

impl Policy for Careful {
    fn name(&self) -> &'static str {
        "careful"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn advise(&self, _: &State) -> Advice {
        Advice::Nothing
    }

    fn advise_on_step(&self, _: &State, step: &Step) -> Advice {
        match &*step.id {
            "publish" => Advice::veto("nobody approved it"),
            "collect" => Advice::hint("start with the oldest ticket"),
            _ => Advice::Nothing,
        }
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn work(run: &mut runvet::recorder::Run, step: &str, result: &str) -> Result<(), Error> {
    match run.open(step)? {
        StepDecision::Go(open) => {
            let mut action = Action::new("tickets")
                .status("ok")
                .output(result);
            action.kind = Some("tool".into());
            action.input_excerpt = Some(step.into());
            run.act(&open, action)?;
            run.close(open, StepEnd::DoneWith(members(json!({ "text": result }))))
        }
        StepDecision::Skipped => Ok(()),
        StepDecision::Vetoed(veto) => {
            println!("{step}: blocked by {}: {}", veto.policy, veto.reason);
            Ok(())
        }
    }
}

fn main() -> Result<(), Error> {
    let dir = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| "runs".into());
    println!("{}", record(dir.as_ref())?.display());
    Ok(())
}

/// Records the run below a run-data directory, and returns the directory of its episode.
pub(crate) fn record(dir: &Path) -> Result<PathBuf, Error> {
    let recorder = Recorder::new(dir).policy(Careful);
    let task = Task::new("Summarize the open tickets")
        .seed(7)
        .tag("team", "support");
    let mut run = recorder.begin(task)?;
    run.note("observe", members(json!({ "tickets": 3 })))?;
    let steps = [
        StepDraft::new("collect", StepKind::Detect, "Collect the open tickets"),
        StepDraft::new("summarize", StepKind::Act, "Summarize them"),
        StepDraft::new("publish", StepKind::Act, "Publish the summary"),
    ];
    let _ = run.plan(steps, "planner.demo")?;
    work(&mut run, "collect", "three tickets")?;
    run.believe("Three tickets are open", 0.9, "act-1")?;
    run.remember("tickets", 3, Some("act-1"))?;
    let paused = run.pause("a person looks at the tickets")?;

    let mut run = recorder.resume(&paused.id)?;
    work(
        &mut run,
        "summarize",
        "all three are about the same printer",
    )?;
    work(&mut run, "publish", "")?;
    run.reflect(members(json!({ "went": "well" })))?;
    run.propose(
        members(json!({ "lesson": "ask for approval first" })),
        false,
    )?;
    let end = End::ok()
        .artifact("summary.md")
        .metric("tickets", 3);
    Ok(run.finish(end)?.path)
}
