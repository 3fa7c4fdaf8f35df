//! A function of one's own as the adapter that executes a plan.
//!
//! `cargo run --example adapter -- DIR` writes the run below `DIR`.

#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::path::{Path, PathBuf};

use runvet::record::{Action, State, Step, StepKind};
use runvet::recorder::{Adapter, End, Error, Recorder, StepDraft, Task};
use serde_json::{Value, json};

/// Counts the words of the description of a step.
struct Words;

impl Adapter for Words {
    fn label(&self) -> &'static str {
        "adapter:words"
    }

    fn run(&mut self, step: &Step, _: &State) -> Result<Action, Value> {
        let words = step
            .description
            .split_whitespace()
            .count();
        if words == 0 {
            return Err(json!({ "code": "no_words" }));
        }
        let mut action = Action::default()
            .status("ok")
            .output(words);
        action.kind = Some("count".into());
        action.input_excerpt = Some(step.description.clone().into());
        Ok(action)
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
    let task = Task::new("Count some words").using("adapter:words");
    let mut run = Recorder::new(dir).begin(task)?;
    let steps = [
        StepDraft::new("first", StepKind::Act, "three short words"),
        StepDraft::new("second", StepKind::Act, "two words"),
    ];
    let _ = run.plan(steps, "planner.demo")?;
    let _ = run.execute(&mut Words)?;
    Ok(run.finish(End::ok())?.path)
}
