//! Lines of standard input -> commands to the recorder, and an answer to each on standard output.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::output::Output;
use super::super::{CommandFailure, Exit, Result};
use super::lines::InputLines;
use super::stop::StopSignal;
use super::{OnEof, RecordCommand, note_findings};
use crate::recorder::protocol::{Answer, LINE_LIMIT, Session};
use crate::recorder::{Error, Run};
use crate::report::{count, json_bytes};
use crate::store::LineRead;

/// Records a run by the commands on standard input. A signal sets `asked`, from before the run
/// begins.
pub(super) fn record(
    begin: impl FnOnce() -> Result<Run, Error>,
    command: &RecordCommand,
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
            output
                .stdout()
                .write_all(&text(&error.into()))?;
            return Err(failure);
        }
    };

    let id = run.id().to_owned();
    let mut session = Session::new(run).max_output(command.max_output);
    let (mut exit, mut first_refused) = (Exit::Success, None);
    let ended = converse(&mut session, stop, (&mut exit, &mut first_refused), output);

    if let Some(first) = first_refused {
        let refused = count(session.refused(), "command");
        output.note(&format!("{refused} refused; the first, on {first}"));
        if exit == Exit::Success && !command.keep_going {
            exit = Exit::Findings;
        }
    }

    if !session.is_over() {
        let why = match &ended {
            Ok(true) => "the input ended before the run",
            Ok(false) => "a signal came",
            Err(_) => "the input or the output failed",
        };

        let left = match command.on_eof {
            OnEof::Pending => session.leave(why),
            OnEof::Aborted => session.abort(why),
        };

        match left {
            Ok(findings) => {
                note_findings(&findings, output);
                output.note(&match command.on_eof {
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

/// Answers commands until no more come: because the input ended or, where it returns `false`, a
/// signal came. Notes a fault, and the line of the first command that was refused, and why.
fn converse(
    session: &mut Session,
    stop: StopSignal,
    (exit, first_refused): (&mut Exit, &mut Option<String>),
    output: &Output,
) -> Result<bool> {
    let input = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => CommandFailure::Output(error),
        _ => CommandFailure::Fault(format!("can't read standard input: {error}")),
    };

    let mut lines = InputLines::new(stop, LINE_LIMIT);
    if !lines.write(&text(&session.greeting()))? {
        return Ok(false);
    }

    while !session.is_over() {
        let (line, answer) = match lines.next().map_err(input)? {
            Some(LineRead::Text { line, bytes, .. }) => (line, session.answer(bytes)),
            Some(LineRead::TooLong { line }) => (line, session.too_long()),
            None => return Ok(!lines.is_stopped()),
        };

        if let Answer::Failed(failed) = &answer {
            let why = &failed.error.message;
            if failed.is_fault() {
                output.fault(why);
                *exit = Exit::Fault;
            } else if first_refused.is_none() {
                *first_refused = Some(format!("line {}: {why}", line.number));
            }
        }

        if !lines.write(&text(&answer))? {
            return Ok(false);
        }
    }

    Ok(true)
}

/// Returns the line of an answer.
fn text(answer: &Answer) -> Vec<u8> {
    [json_bytes(answer), b"\n".to_vec()].concat()
}
