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
    let mut conversation = Conversation {
        session: Session::new(run).max_output(command.max_output),
        exit: Exit::Success,
        first_refused: None,
    };
    let ended = conversation.answer_all(stop, output);
    conversation.tell_refused(command.keep_going, output);
    let exit = if conversation.session.is_over() {
        conversation.exit
    } else {
        let why = match &ended {
            Ok(true) => "the input ended before the run",
            Ok(false) => "a signal came",
            Err(_) => "the input or the output failed",
        };
        conversation.leave(command.on_eof, &id, why, output)
    };

    ended?;
    Ok(exit)
}

/// A session, and what went wrong in it so far.
struct Conversation {
    session: Session,
    exit: Exit,
    /// The line of the first command that was refused, and why.
    first_refused: Option<String>,
}

impl Conversation {
    /// Answers commands until no more come: because the input ended or, where it returns `false`, a
    /// signal came.
    fn answer_all(&mut self, stop: StopSignal, output: &Output) -> Result<bool> {
        let input = |error: io::Error| match error.kind() {
            io::ErrorKind::BrokenPipe => CommandFailure::Output(error),
            _ => CommandFailure::Fault(format!("can't read standard input: {error}")),
        };

        let session = &mut self.session;
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
                    self.exit = Exit::Fault;
                } else if self.first_refused.is_none() {
                    self.first_refused = Some(format!("line {}: {why}", line.number));
                }
            }

            if !lines.write(&text(&answer))? {
                return Ok(false);
            }
        }

        Ok(true)
    }

    /// Notes how many commands were refused, which is no success unless the rest is to go on.
    fn tell_refused(&mut self, keep_going: bool, output: &Output) {
        if let Some(first) = &self.first_refused {
            let refused = count(self.session.refused(), "command");
            output.note(&format!("{refused} refused; the first, on {first}"));
            if self.exit == Exit::Success && !keep_going {
                self.exit = Exit::Findings;
            }
        }
    }

    /// Leaves a run that is not over as it is asked for.
    fn leave(self, on_eof: OnEof, id: &str, why: &str, output: &mut Output) -> Exit {
        let (left, what) = match on_eof {
            OnEof::Pending => (
                self.session.leave(why),
                format!("{why}: {id} stays pending, and --resume {id} goes on with it"),
            ),
            OnEof::Aborted => (
                self.session.abort(why),
                format!("{why}: {id} has ended as aborted"),
            ),
        };

        match left {
            Ok(findings) => {
                note_findings(&findings, output);
                output.note(&what);
                self.exit
            }
            Err(error) => {
                output.fault(&error);
                Exit::Fault
            }
        }
    }
}

/// Returns the line of an answer.
fn text(answer: &Answer) -> Vec<u8> {
    [json_bytes(answer), b"\n".to_vec()].concat()
}
