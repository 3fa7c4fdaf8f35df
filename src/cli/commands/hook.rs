//! `runvet hook`: an event of a coding agent on standard input -> whether its call may be made.

use std::io::{self, Read as _};
use std::path::PathBuf;

use clap::Args;

use super::CommandFailure;
use super::output::{Output, write_all};
use super::settings::{ConfigArgs, parse_level};
use crate::door::hook::{Agent, Hook, HookEvent};
use crate::ground::finding::Level;
use crate::recorder::{Durability, Recorder};
use crate::store::MAX_RECORD_BYTES;

/// The exit code by which an agent holds a call back.
const HELD_BACK: u8 = 2;

/// Judge the calls of a coding agent before it makes them: one process for each event of its hooks
///
/// The event is read from standard input, and the answer is printed as the agent reads it. What the
/// agent does is recorded in a run with the id of its session.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  before a call: it may be made, or standard output says why not; at every
     other event
  2  before a call: it may not be made, as runvet could not judge it; standard
     error says why

A hook is no sandbox: it sees what the agent tells it.

Examples:
  runvet hook claude-code --config runvet.toml --observe
  runvet hook codex --config runvet.toml --into runs || exit 2")]
pub(in crate::cli) struct HookCommand {
    /// The agent that calls the hook
    #[arg(value_name = "AGENT")]
    agent: Agent,

    /// The configuration with the rules that calls are judged by
    #[arg(long, value_name = "FILE")]
    config: PathBuf,

    /// The run-data directory of the runs of sessions [default: one of this user, from which a run
    /// is removed when its session ends]
    #[arg(long, value_name = "RUNS")]
    into: Option<PathBuf>,

    /// Set the severity of a rule, or of a group such as `acme/*`, to error, warning or off;
    /// repeatable
    #[arg(long, value_name = "NAME=LEVEL", value_parser = parse_level)]
    rule: Vec<(String, Level)>,

    /// Let every call pass, and note in the run what would be held back
    #[arg(long)]
    observe: bool,

    /// Let a call pass that could not be judged
    #[arg(long)]
    fail_open: bool,
}

impl HookCommand {
    /// Returns the exit code, which is 0 or 2 whatever happens.
    pub(super) fn run(self, output: &mut Output) -> u8 {
        let held_back = if self.fail_open { 0 } else { HELD_BACK };
        // A panic must not let a call pass; what it says is printed nevertheless.
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            told(panic);
            std::process::exit(held_back.into());
        }));
        let event = match read_event() {
            Ok(event) => event,
            Err((why, is_before)) => {
                output.fault(&why);
                return if is_before { held_back } else { 0 };
            }
        };
        let is_before = event.is_before();
        match self.answer(&event) {
            Ok(()) => 0,
            Err(why) => {
                output.fault(&why);
                if is_before { held_back } else { 0 }
            }
        }
    }

    fn answer(&self, event: &HookEvent) -> Result<(), String> {
        let (runs, is_kept_no_longer) = match &self.into {
            Some(runs) => (runs.clone(), false),
            None => (runs_of_user()?, true),
        };
        let gate = ConfigArgs::of(self.config.clone()).gate();
        let mut gate = gate.map_err(|why| self.in_words(&why))?;
        for (name, level) in &self.rule {
            gate = gate.level(name, *level).map_err(|why| why.to_string())?;
        }
        let recorder = Recorder::new(&runs).durability(Durability::Process);
        let hook = Hook {
            agent: self.agent,
            recorder: recorder.gate(gate),
            runs,
            is_kept_no_longer,
            observes: self.observe,
        };
        let Some(answer) = hook.answer(event)? else {
            return Ok(());
        };
        let line = format!("{answer}\n");
        let written = write_all(io::stdout(), line.as_bytes());
        written.map_err(|why| format!("the answer can't be written: {why}"))
    }

    fn in_words(&self, failure: &CommandFailure) -> String {
        match failure {
            CommandFailure::Fault(why) => why.clone(),
            CommandFailure::Drawn(_) | CommandFailure::Output(_) => format!(
                "the configuration {0} has mistakes: `runvet config --config {0}` shows them",
                self.config.display()
            ),
        }
    }
}

/// Reads the event, or returns why there is none, and whether it may come before a call.
fn read_event() -> Result<HookEvent, (String, bool)> {
    let mut input = Vec::new();
    let most = MAX_RECORD_BYTES as u64 + 1;
    let read = io::stdin().lock().take(most).read_to_end(&mut input);
    read.map_err(|why| (format!("the input can't be read: {why}"), true))?;
    if input.len() > MAX_RECORD_BYTES {
        return Err(("the input is larger than 64 MiB".into(), true));
    }
    HookEvent::read(&input).map_err(|no_event| (no_event.why, no_event.is_before))
}

/// Returns the run-data directory of this user's sessions.
fn runs_of_user() -> Result<PathBuf, String> {
    let set = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")));
    let state = state.ok_or("no directory of this user is known: name one with --into")?;
    Ok(state.join("runvet/hooks"))
}
