//! Lines of standard input -> commands to the recorder, and an answer to each on standard output.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::output::Output;
use super::super::{CommandFailure, Exit, Result};
use super::lines::{InputLines, Next};
use super::stop::StopSignal;
use super::{OnEof, note_findings};
use crate::recorder::protocol::{Answer, LINE_LIMIT, Session};
use crate::recorder::{Error, Run};
use crate::report::{count, json_bytes};
use crate::store::LineRead;

/// The settings for the end of a session.
pub(super) struct AtEnd {
    /// The choice what becomes of a run that nobody ended.
    pub(super) on_eof: OnEof,
    /// `true` if refused commands leave the exit code as it is.
    pub(super) keeps_going: bool,
}

/// Records a run by the commands on standard input. A signal sets `asked`, from before the run
/// begins.
pub(super) fn record(
    begin: impl FnOnce() -> Result<Run, Error>,
    max_output: usize,
    end: &AtEnd,
    asked: &Arc<AtomicBool>,
    output: &mut Output,
) -> Result {
    let ready = StopSignal::listen(asked)
        .map_err(|source| Error::Io {
            operation: "listening to",
            path: "signals".into(),
            source,
        })
        .and_then(|stop| Ok((stop, begin()?)));
    let (stop, run) = match ready {
        Ok(ready) => ready,
        Err(error) => {
            let failure = CommandFailure::fault(&error);
            output.stdout().write_all(&text(&error.into()))?;
            return Err(failure);
        }
    };
    let id = run.id().to_owned();
    let mut session = Session::new(run).max_output(max_output);
    let mut so_far = SessionTotals::default();
    let ended = converse(&mut session, stop, &mut so_far, output);
    let mut exit = so_far.exit;
    if let Some(first) = so_far.first_refused {
        let refused = count(session.refused(), "command");
        output.note(&format!("{refused} refused; the first, on {first}"));
        if exit == Exit::Success && !end.keeps_going {
            exit = Exit::Findings;
        }
    }
    if !session.is_over() {
        let why = match &ended {
            Ok(Ended::ByInput) => "the input ended before the run",
            Ok(Ended::BySignal) => "a signal came",
            Err(_) => "the input or the output failed",
        };
        let left = match end.on_eof {
            OnEof::Pending => session.leave(why),
            OnEof::Aborted => session.abort(why),
        };
        match left {
            Ok(findings) => {
                note_findings(&findings, output);
                output.note(&match end.on_eof {
                    OnEof::Pending => {
                        format!("{why}: {id} stays pending, and --resume {id} goes on with it")
                    }
                    OnEof::Aborted => format!("{why}: {id} has ended as aborted"),
                });
            }
            Err(error) => {
                output.fault(&error);
                exit = Exit::Fault;
            }
        }
    }
    ended?;
    Ok(exit)
}

/// The reason why no more commands come.
enum Ended {
    ByInput,
    BySignal,
}

/// The result of a session so far.
struct SessionTotals {
    exit: Exit,
    /// The line of the first command that was refused, and why.
    first_refused: Option<String>,
}

impl Default for SessionTotals {
    fn default() -> Self {
        Self {
            exit: Exit::Success,
            first_refused: None,
        }
    }
}

fn converse(
    session: &mut Session,
    stop: StopSignal,
    so_far: &mut SessionTotals,
    output: &Output,
) -> Result<Ended> {
    let input = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => CommandFailure::Output(error),
        _ => CommandFailure::Fault(format!("can't read standard input: {error}")),
    };
    let mut lines = InputLines::new(stop, LINE_LIMIT);
    if !lines.write(&text(&session.greeting()))? {
        return Ok(Ended::BySignal);
    }
    while !session.is_over() {
        let (line, answer) = match lines.next().map_err(input)? {
            Next::Line(LineRead::Text { line, bytes, .. }) => (line, session.answer(bytes)),
            Next::Line(LineRead::TooLong { line }) => (line, session.too_long()),
            Next::End => return Ok(Ended::ByInput),
            Next::Stopped => return Ok(Ended::BySignal),
        };
        if let Answer::Failed(failed) = &answer {
            let why = &failed.error.message;
            if answer.is_fault() {
                output.fault(why);
                so_far.exit = Exit::Fault;
            } else if so_far.first_refused.is_none() {
                so_far.first_refused = Some(format!("line {}: {why}", line.number));
            }
        }
        if !lines.write(&text(&answer))? {
            return Ok(Ended::BySignal);
        }
    }
    Ok(Ended::ByInput)
}

/// Returns the line of an answer.
fn text(answer: &Answer) -> Vec<u8> {
    [json_bytes(answer), b"\n".to_vec()].concat()
}
