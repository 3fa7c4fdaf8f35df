//! A command line -> a run with one step: how the command ended, how long it took, and the end of
//! what it printed.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;

use super::super::output::{Output, write_all};
use super::super::{CommandFailure, Exit, Result};
use super::note_findings;
use super::stop::{StopSignal, signals};
use crate::ground::finding::Finding;
use crate::ground::parallel::locked;
use crate::ground::printable::{in_shell, shortened};
use crate::ground::record::{Action, StepKind};
use crate::recorder::{
    Allowed, End, Error, OpenStep, Recorder, Run, StepDecision, StepDraft, StepEnd, Task,
};
use crate::store::are_one_open_file;

/// The number of bytes of each output of a command that are recorded, its last ones.
const MAX_EXCERPT_BYTES: usize = 4 << 10;

/// The number of characters of a command line that its step and its action show.
const MAX_SHOWN_CHARS: usize = 400;

const STEP: &str = "step-1";

fn words(command: &[OsString]) -> impl Iterator<Item = String> {
    command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
}

/// Returns a program and its arguments as a shell would read them.
pub(in crate::cli::commands) fn shown(command: &[OsString]) -> String {
    words(command)
        .map(|word| in_shell(&word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Records the execution of a command; returns the exit code of the command. A signal that comes
/// after its end sets `asked`.
pub(super) fn record(
    recorder: &Recorder,
    task: Task,
    command: &[OsString],
    asked: &Arc<AtomicBool>,
    output: &mut Output,
) -> Result<u8> {
    let (events, happened) = mpsc::channel();
    forward_signals(events.clone()).map_err(CommandFailure::of("listening to signals failed"))?;
    let mut run = recorder.begin(task)?;
    let (step, _under_way) = match begin(&mut run, command) {
        Ok(begun) => begun,
        Err(error) => {
            if matches!(error, Error::Violates { .. }) {
                let ended = run.finish(End::vetoed(error.to_string()));
                note_findings(&ended?.findings, output);
            }
            return Err(error.into());
        }
    };

    let executed = execute(command, &events, happened, asked)?;
    if let Err(error) = &executed.status {
        output.fault(&format!("can't execute {}: {error}", shown(command)));
    }

    let mut is_whole = true;
    for error in executed
        .outputs
        .iter()
        .filter_map(|it| it.lost.as_ref())
    {
        let command = shown(command);
        output.fault(&format!("can't pass on the output of {command}: {error}"));
        is_whole = false;
    }

    match finish(run, step, command, &executed) {
        Ok(findings) => note_findings(&findings, output),
        Err(error) => {
            output.fault(&error);
            is_whole = false;
        }
    }

    Ok(match executed.code() {
        // A gate must not pass what was lost or not recorded.
        0 if !is_whole => Exit::Fault.code(),
        code => code,
    })
}

/// Opens the one step of a run, and asks the rules of the team about its act.
fn begin(run: &mut Run, command: &[OsString]) -> Result<(OpenStep, Allowed), Error> {
    let mut inputs = Map::new();
    inputs.insert("argv".into(), words(command).collect());
    if let Ok(dir) = std::env::current_dir() {
        inputs.insert("dir".into(), dir.to_string_lossy().into());
    }

    let description = shortened(&shown(command), MAX_SHOWN_CHARS);
    let draft = StepDraft::new(STEP, StepKind::Act, description).inputs(inputs);
    let _ = run.plan([draft], "planner.exec")?;
    let step = match run.open(STEP)? {
        StepDecision::Go(step) => step,
        // Only policies do that, and this recorder has none.
        StepDecision::Vetoed(_) | StepDecision::Skipped => {
            let (what, why) = ("the command", "a policy blocks it".into());
            return Err(Error::Refused { what, why });
        }
    };

    let allowed = match run.may_act(&step, asked_for(command)) {
        Ok(allowed) => allowed,
        Err(error) => {
            run.close(step, StepEnd::Failed(error.to_string().into()))?;
            return Err(error);
        }
    };

    // So that others see the run while the command is executed.
    run.persist()?;
    Ok((step, allowed))
}

/// Returns what is known of the action before it is made.
fn asked_for(command: &[OsString]) -> Action {
    Action {
        kind: Some("execute".into()),
        tool: words(command).next().map(Into::into),
        input: Some(json!({ "command": words(command).collect::<Vec<_>>() })),
        input_excerpt: Some(shortened(&shown(command), MAX_SHOWN_CHARS).into()),
        ..Action::default()
    }
}

/// The result of executing a command.
struct Executed {
    status: io::Result<ExitStatus>,
    took: Duration,
    /// Standard output and standard error.
    outputs: [Printed; 2],
}

/// Returns the exit code of a command that has ended, or else the signal that killed it.
fn end_of(status: ExitStatus) -> Result<i32, i32> {
    let signal = || status.signal().unwrap_or_default();
    status.code().ok_or_else(signal)
}

impl Executed {
    /// Returns the exit code, as a shell gives it.
    fn code(&self) -> u8 {
        let code = match &self.status {
            Ok(status) => end_of(*status).unwrap_or_else(|signal| 128 + signal),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 127,
            Err(_) => 126,
        };

        u8::try_from(code).unwrap_or(u8::MAX)
    }

    /// Returns what went wrong; `None` where the command succeeded.
    fn error(&self) -> Option<Value> {
        let end = match &self.status {
            Ok(status) if status.success() => return None,
            Ok(status) => end_of(*status),
            Err(error) => {
                let message = format!("the command can't be executed: {error}");
                return Some(json!({ "message": message }));
            }
        };

        Some(match end {
            Ok(code) => {
                json!({ "exit_code": code, "message": format!("the command exited with {code}") })
            }
            Err(signal) => {
                json!({ "message": format!("the signal {signal} killed the command"), "signal": signal })
            }
        })
    }

    fn action(&self, command: &[OsString]) -> Action {
        let mut output = Map::new();
        if let Ok(status) = &self.status {
            let (name, number) = match end_of(*status) {
                Ok(code) => ("exit_code", code),
                Err(signal) => ("signal", signal),
            };
            output.insert(name.into(), number.into());
        }

        let [stdout, stderr] = &self.outputs;
        for (name, excerpt) in [("stderr", stderr), ("stdout", stdout)] {
            output.insert(name.into(), excerpt.text().into());
            output.insert(format!("{name}_bytes"), excerpt.bytes.into());
        }

        let duration_ms = (self.took.as_secs_f64() * 1e6).round() / 1e3;
        Action {
            result_status: Some(
                self.error()
                    .map_or("ok", |_| "error")
                    .into(),
            ),
            duration_ms: Some(duration_ms.into()),
            output: Some(output.into()),
            ..asked_for(command)
        }
    }
}

fn finish(
    mut run: Run,
    step: OpenStep,
    command: &[OsString],
    executed: &Executed,
) -> Result<Vec<Finding>, Error> {
    run.act(&step, executed.action(command))?;
    let end = match executed.error() {
        None => {
            run.close(step, StepEnd::Done)?;
            End::ok()
        }
        Some(error) => {
            run.close(step, StepEnd::Failed(error.clone()))?;
            End::error(error)
        }
    };

    Ok(run.finish(end)?.findings)
}

/// An event while a command is executed.
enum Happened {
    /// A signal came.
    Signal(i32),
    /// One output of the command has ended, or nobody takes it.
    Passed,
    /// A signal came after the end of the command.
    Stopped,
}

/// Has signals come out of a channel.
fn forward_signals(events: Sender<Happened>) -> io::Result<()> {
    let mut signals = Signals::new(signals().chain([SIGCHLD]))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let _ = events.send(Happened::Signal(signal));
        }
    });

    Ok(())
}

fn forward_stop(mut stop: StopSignal, events: Sender<Happened>) {
    thread::spawn(move || {
        if stop.wakes.read_exact(&mut [0]).is_ok() {
            let _ = events.send(Happened::Stopped);
        }
    });
}

/// Executes a command. Its input is that of this process; its output passes through.
fn execute(
    command: &[OsString],
    events: &Sender<Happened>,
    happened: Receiver<Happened>,
    asked: &Arc<AtomicBool>,
) -> io::Result<Executed> {
    let start = Instant::now();
    let (mut spawning, both) = piped(command)?;
    let spawned = spawning.spawn();
    drop(spawning);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            return Ok(Executed {
                status: Err(error),
                took: Duration::ZERO,
                outputs: Default::default(),
            });
        }
    };

    let stdout = match both {
        Some(both) => pass(Some(both), io::stdout(), events),
        None => pass(child.stdout.take(), io::stdout(), events),
    };

    let stderr = pass(child.stderr.take(), io::stderr(), events);
    let mut outputs = 2;
    let status = wait(&mut child, &mut outputs, &happened);
    let took = start.elapsed();
    forward_stop(StopSignal::listen(asked)?, events.clone());
    wait_for_outputs(outputs, &happened, asked);

    // What was printed so far.
    let outputs = [stdout, stderr].map(|printed| std::mem::take(&mut *locked(&printed)));
    let asked = Arc::clone(asked);
    thread::spawn(move || {
        for event in happened {
            if matches!(event, Happened::Signal(SIGHUP | SIGTERM)) {
                asked.store(true, Ordering::Relaxed);
            }
        }
    });

    Ok(Executed {
        status,
        took,
        outputs,
    })
}

/// Returns a command whose outputs go through pipes: through one of their own where both go to one
/// place, so that they keep their order there.
fn piped(command: &[OsString]) -> io::Result<(Command, Option<PipeReader>)> {
    let (program, arguments) = command
        .split_first()
        .ok_or(io::ErrorKind::NotFound)?;
    let mut spawning = Command::new(program);
    spawning
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    if !are_one_open_file(io::stdout(), io::stderr()) {
        return Ok((spawning, None));
    }

    let (reader, writer) = io::pipe()?;
    spawning
        .stdout(writer.try_clone()?)
        .stderr(writer);
    Ok((spawning, Some(reader)))
}

/// Waits for outputs of a command that has ended: a process that was left behind may hold them, and
/// their reader may be slow.
fn wait_for_outputs(mut outputs: u8, happened: &Receiver<Happened>, asked: &AtomicBool) {
    while outputs > 0 && !asked.load(Ordering::Relaxed) {
        match happened.recv() {
            Ok(Happened::Passed) => outputs -= 1,
            // The command had ended by then.
            Ok(Happened::Signal(SIGHUP | SIGTERM)) => asked.store(true, Ordering::Relaxed),
            Ok(Happened::Stopped | Happened::Signal(_)) | Err(_) => {}
        }
    }
}

/// Waits for the end of a command. What asks this process to end is passed on to the command, whose
/// end is then recorded; SIGINT and SIGQUIT come from a terminal, which sends them to both.
fn wait(
    child: &mut Child,
    outputs: &mut u8,
    happened: &Receiver<Happened>,
) -> io::Result<ExitStatus> {
    // Only after `try_wait` the id of the process may stand for another one.
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }

        let passed_on = match happened.recv() {
            Ok(Happened::Signal(SIGHUP)) => Signal::HUP,
            Ok(Happened::Signal(SIGTERM)) => Signal::TERM,
            Ok(Happened::Passed) => {
                *outputs -= 1;
                continue;
            }
            _ => continue,
        };

        if let Some(pid) = pid {
            let _ = kill_process(pid, passed_on);
        }
    }
}

/// The output of a command: its end, its length, and whether it could be passed on.
#[derive(Default)]
struct Printed {
    last: Vec<u8>,
    bytes: u64,
    /// The reason why the rest could not be passed on, if not for want of a reader.
    lost: Option<io::Error>,
}

impl Printed {
    fn add(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.last.extend_from_slice(piece);
        let excess = self
            .last
            .len()
            .saturating_sub(MAX_EXCERPT_BYTES);
        self.last.drain(..excess);
    }

    /// Returns the text; `…` stands for what came before it.
    fn text(&self) -> String {
        if self.bytes <= self.last.len() as u64 {
            return String::from_utf8_lossy(&self.last).into_owned();
        }

        // The first character may be cut.
        let is_rest = |byte: &&u8| **byte & 0xC0 == 0x80;
        let rest = self
            .last
            .iter()
            .take(3)
            .take_while(is_rest)
            .count();
        let whole = self
            .last
            .get(rest..)
            .unwrap_or_default();

        format!("…{}", String::from_utf8_lossy(whole))
    }
}

/// Copies what a command prints, on a thread of its own, until it ends or nobody reads it any more:
/// then the command finds out by its next write, as without a recorder between.
fn pass(
    from: Option<impl Read + Send + 'static>,
    to: impl AsFd + Send + 'static,
    events: &Sender<Happened>,
) -> Arc<Mutex<Printed>> {
    let printed = Arc::new(Mutex::new(Printed::default()));
    let (kept, events) = (Arc::clone(&printed), events.clone());
    thread::spawn(move || {
        let lost = from
            .map_or(Ok(()), |from| copy(from, to, &kept))
            .err();
        locked(&kept).lost = lost.filter(|why| why.kind() != io::ErrorKind::BrokenPipe);
        let _ = events.send(Happened::Passed);
    });

    printed
}

fn copy(mut from: impl Read, to: impl AsFd, kept: &Mutex<Printed>) -> io::Result<()> {
    let mut block = [0; 16 << 10];
    loop {
        let read = match from.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };

        if read == 0 {
            return Ok(());
        }

        let piece = block.get(..read).unwrap_or_default();
        locked(kept).add(piece);
        write_all(&to, piece)?;
    }
}
