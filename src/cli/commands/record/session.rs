//! Lines of standard input -> commands to the recorder, and an answer to each on standard output.

use std::io;

use super::super::output::Output;
use super::super::{Exit, Failure};
use super::OnEof;
use super::lines::{Lines, Next};
use crate::recorder::protocol::{Answer, LINE_LIMIT, Session};
use crate::recorder::{Error, Run};
use crate::report::write_json;

/// Records a run by the commands on standard input.
pub(super) fn record(
    run: Result<Run, Error>,
    on_eof: OnEof,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            let failure = Failure::fault(&error);
            print(output, &Answer::from(error))?;
            return Err(failure);
        }
    };
    let id = run.id().to_owned();
    let mut session = Session::new(run);
    let mut exit = Exit::Success;
    let ended = converse(&mut session, &mut exit, output);
    if !session.is_over() {
        let why = match &ended {
            Ok(Ended::ByInput) => "the input ended",
            Ok(Ended::BySignal) => "a signal came",
            Err(_) => "the connection broke",
        };
        let left = match on_eof {
            OnEof::Pending => session.leave(why),
            OnEof::Aborted => session.abort(why),
        };
        match left {
            Ok(()) => output.note(&match on_eof {
                OnEof::Pending => format!("{why}: the run {id} stays pending"),
                OnEof::Aborted => format!("{why}: the run {id} was aborted"),
            }),
            Err(error) => {
                output.fault(&error);
                exit = Exit::Fault;
            }
        }
    }
    ended?;
    Ok(exit)
}

/// Why no more commands come.
enum Ended {
    ByInput,
    BySignal,
}

fn converse(session: &mut Session, exit: &mut Exit, output: &mut Output) -> Result<Ended, Failure> {
    let input = |error: io::Error| Failure::Fault(format!("can't read standard input: {error}"));
    let mut lines = Lines::new(LINE_LIMIT).map_err(input)?;
    print(output, &session.greeting())?;
    while !session.is_over() {
        let answer = match lines.next().map_err(input)? {
            Next::Line(line) if line.trim_ascii().is_empty() => continue,
            Next::Line(line) => session.answer(line),
            Next::TooLong => Session::too_long(),
            Next::End => return Ok(Ended::ByInput),
            Next::Stopped => return Ok(Ended::BySignal),
        };
        if let Answer::Failed(failed) = &answer
            && answer.is_fault()
        {
            output.fault(&failed.error.message);
            *exit = Exit::Fault;
        }
        print(output, &answer)?;
    }
    Ok(Ended::ByInput)
}

/// Prints an answer at once: whoever reads it waits for it.
pub(in super::super) fn print(output: &mut Output, answer: &Answer) -> Result<(), Failure> {
    write_json(output.stdout(), answer)?;
    writeln!(output.stdout())?;
    Ok(output.finish()?)
}
