//! `runvet hook`: an event of a coding agent on standard input -> whether its call may be made.

use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use clap::Args;

use super::CommandFailure;
use super::output::{Output, write_all};
use super::settings::{ConfigArgs, parse_level};
use crate::door::hook::{Agent, Hook, HookEvent};
use crate::ground::finding::Level;
use crate::ground::parallel::locked;
use crate::recorder::{Durability, Recorder};
use crate::store::{MAX_RECORD_BYTES, is_null_device};

/// The exit code by which an agent holds a call back.
const HELD_BACK: u8 = 2;

/// The time after which an answer comes too late.
const LIMIT: Duration = Duration::from_millis(4_500);

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
        // The message of a panic is reported as any other failure.
        std::panic::set_hook(Box::new(|_| {}));
        let input = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&input);

        match in_time(move || self.answer(&taken)) {
            Ok(()) => 0,
            Err(why) => {
                output.fault(&why);
                if may_be_before(&locked(&input)) {
                    held_back
                } else {
                    0
                }
            }
        }
    }

    fn answer(&self, input: &Mutex<Vec<u8>>) -> Result<(), String> {
        let event = read_event(input)?;
        let (runs, is_kept_no_longer) = match &self.into {
            Some(runs) => (runs.clone(), false),
            None => (runs_of_user()?, true),
        };

        let mut gate = ConfigArgs::of(self.config.clone())
            .gate()
            .map_err(|why| self.in_words(&why))?;
        for (name, level) in &self.rule {
            gate = gate
                .level(name, *level)
                .map_err(|why| why.to_string())?;
        }

        let config = [self.config.clone()].into_iter();
        let recorder = Recorder::new(&runs).durability(Durability::Process);
        let hook = Hook {
            agent: self.agent,
            config: config
                .chain(gate.config_files().into_keys())
                .collect(),
            home: directory_of_user("HOME"),
            recorder: recorder.gate(gate),
            runs,
            is_kept_no_longer,
            observes: self.observe,
        };

        let Some(answer) = hook.answer(&event)? else {
            return Ok(());
        };

        if is_null_device(io::stdout()) {
            return Err("the answer can't be written: standard output is closed".into());
        }

        let line = format!("{answer}\n");
        write_all(io::stdout(), line.as_bytes())
            .map_err(|why| format!("the answer can't be written: {why}"))
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

/// Does the work in a thread of its own, and returns its failure, a panic included, or that it
/// takes too long.
fn in_time(work: impl FnOnce() -> Result<(), String> + Send + 'static) -> Result<(), String> {
    let (done, answer) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || {
            let done = done.send(catch_unwind(AssertUnwindSafe(work)));
            drop(done);
        })
        .map_err(|why| format!("no thread can be started: {why}"))?;

    match answer.recv_timeout(LIMIT) {
        Ok(Ok(answered)) => answered,
        Ok(Err(panic)) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("it panicked");
            Err(format!("this is a mistake in runvet: {text}"))
        }
        Err(_) => Err(
            "there is no answer in time: standard input stays open, or the run is too \
                       large"
                .into(),
        ),
    }
}

/// Reads the event; what was read of it stays with the caller.
fn read_event(input: &Mutex<Vec<u8>>) -> Result<HookEvent, String> {
    let mut part = vec![0; 1 << 16];
    loop {
        let read = io::stdin().lock().read(&mut part);
        let read = read.map_err(|why| format!("the input can't be read: {why}"))?;
        let mut input = locked(input);
        input.extend_from_slice(part.get(..read).unwrap_or_default());
        if input.len() > MAX_RECORD_BYTES {
            let limit = MAX_RECORD_BYTES >> 20;
            return Err(format!("the input is larger than {limit} MiB"));
        }

        if read == 0 {
            return HookEvent::read(&input).map_err(|no_event| no_event.why);
        }
    }
}

/// Returns `true` unless what was read is known to be an event that does not come before a call.
fn may_be_before(input: &[u8]) -> bool {
    let is_before = || match HookEvent::read(input) {
        Ok(event) => event.is_before(),
        Err(no_event) => no_event.is_before,
    };
    catch_unwind(is_before).unwrap_or(true)
}

/// Returns the run-data directory of this user's sessions.
fn runs_of_user() -> Result<PathBuf, String> {
    let state = directory_of_user("XDG_STATE_HOME")
        .or_else(|| Some(directory_of_user("HOME")?.join(".local/state")))
        .ok_or("no directory of this user is known: name one with --into")?;
    Ok(state.join("runvet/hooks"))
}

/// Returns the directory that a variable names.
fn directory_of_user(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    path.filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::{in_time, may_be_before};

    #[test]
    fn panic_is_a_failure_that_refuses_only_before_a_call() {
        let failed = in_time(|| panic!("no such luck"));
        let why = "this is a mistake in runvet: no such luck";
        assert_eq!(failed, Err(why.to_owned()));
        for (input, expected) in [
            (r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#, true),
            (r#"{"session_id":"s","hook_event_name":"BeforeTool"}"#, true),
            (r#"{"session_id":"s","hook_event_name":"Stop"}"#, false),
            (r#"{"hook_event_name":"Stop","a":1,"a":2}"#, false),
            (
                r#"{"hook_event_name":"Stop","hook_event_name":"PreToolUse"}"#,
                true,
            ),
            (r#"{"session_id":"s","hook_event_name":"Stop""#, true),
            ("", true),
        ] {
            assert_eq!(may_be_before(input.as_bytes()), expected, "{input}");
        }
    }
}
