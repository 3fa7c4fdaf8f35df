//! `runvet recover`: a run whose process died -> records that are whole.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::output::Output;
use super::run_data::{RunDataArgs, known_runs};
use super::words::JsonArgs;
use super::{CommandFailure, Exit, Result};
use crate::ground::finding::Lifecycle;
use crate::ground::printable::quote;
use crate::ground::source::EPISODES;
use crate::look::read::RunReader;
use crate::recorder::protocol::{Answer, Done, Failed};
use crate::recorder::{Error, Recorder, Recovered};
use crate::report::{count, write_json_line};
use crate::store::is_gone;

/// Complete the records of a run whose process died
///
/// Removes an event that was only partly written, and writes the missing records of an end that was
/// cut short. A run that has not ended stays in progress: `runvet record --resume` continues it,
/// `runvet abandon` ends it. This works only for runs that runvet recorded; for any other run, the
/// error says what the run lacks. The JSON is an answer as `runvet schema record-answer` describes
/// it.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  runvet recover ep_01JGFJJZ00CTSPE3DKFP348M8P --run-data runs")]
pub(in crate::cli) struct Recover {
    #[command(flatten)]
    recorded: RecordedArgs,
}

/// A run that the recorder wrote.
#[derive(Args)]
pub(super) struct RecordedArgs {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its whole id, @latest, or a path
    #[arg(value_name = "EPISODE", add = ArgValueCandidates::new(known_runs))]
    episode: String,

    #[command(flatten)]
    json: JsonArgs,
}

impl Recover {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let run = self.recorded.find(output)?;
        let recovered = run.recorder.recover(&run.id);
        let done = recovered.map(|recovered| {
            let message = describe(&run, &recovered);
            (Done::recovered(&run.id, &run.dir, &recovered), message)
        });

        self.recorded.tell(done, output)
    }
}

fn describe(run: &RecordedRun, recovered: &Recovered) -> String {
    let dir = run.dir.display();
    let entry = RunReader::open(&run.dir).map(|it| it.entry());
    let pending = if entry.is_ok_and(|entry| entry.lifecycle != Lifecycle::Terminal) {
        let id = &run.id;
        format!(
            "; the run has not ended, and `recover` does not end it: `runvet record --resume {id}` \
             goes on with it, `runvet abandon {id}` ends it"
        )
    } else {
        String::new()
    };

    match recovered {
        Recovered::Intact => format!("{dir}: nothing had to be repaired{pending}"),
        Recovered::Cut { bytes } => format!(
            "{dir}: removed the last {} of the timeline, an event that was not written whole{pending}",
            count(*bytes, "byte")
        ),
        Recovered::Learning => {
            format!("{dir}: wrote learn.jsonl anew, with the proposals of the timeline{pending}")
        }
        Recovered::Completed(recorded) => {
            let status = recorded.state.outcomes.status;
            format!("{dir}: wrote the missing records of a run that had ended as {status}")
        }
    }
}

/// A run, and the recorder that wrote it.
pub(super) struct RecordedRun {
    pub(super) recorder: Recorder,
    pub(super) id: String,
    pub(super) dir: PathBuf,
}

impl RecordedRun {
    /// Returns the run that a user names. Where there is none, an answer on standard output can say
    /// so.
    pub(super) fn find(
        run_data: &RunDataArgs,
        name: &str,
        answers: bool,
        output: &mut Output,
    ) -> Result<Self> {
        Self::named(run_data, name, output).or_else(|(kind, message)| {
            if answers {
                write_json_line(
                    output.stdout(),
                    &Answer::Failed(Failed::new(kind, &message)),
                )?;
            }
            Err(CommandFailure::Fault(message))
        })
    }

    /// Returns the run, or the kind of the error and its message.
    fn named(
        run_data: &RunDataArgs,
        name: &str,
        output: &Output,
    ) -> Result<Self, (&'static str, String)> {
        let typed = run_data.dir().ok();
        if let Some(recorded) = typed
            .as_deref()
            .and_then(|run_data| Self::with_id(run_data, name))
        {
            return Ok(recorded);
        }

        let found = run_data
            .get(name, output)
            .map_err(|failure| match failure {
                CommandFailure::Fault(message) | CommandFailure::Drawn(message) => {
                    ("absent", message)
                }
                CommandFailure::Output(error) => ("io", error.to_string()),
            })?;
        let shown = found.path().display();
        let wrong = |message: String| ("argument", message);
        let dir = std::path::absolute(found.path()).map_err(|error| wrong(error.to_string()))?;
        let id = dir
            .file_name()
            .and_then(|name| name.to_str());
        let above = dir
            .parent()
            .filter(|above| above.ends_with(EPISODES));
        let (Some(id), Some(around)) = (id, above.and_then(Path::parent)) else {
            return Err(wrong(format!(
                "{shown} is not directly in a directory called `episodes`, where the recorder writes runs: \
                 move it there first"
            )));
        };

        must_be_whole(name, id, &dir).map_err(wrong)?;
        let Some(around) = run_data.typed(typed, around) else {
            return Err(wrong(format!(
                "{shown} is not in the run data that --run-data or RUNVET_RUN_DATA names"
            )));
        };

        Ok(Self {
            recorder: Recorder::new(around),
            id: id.to_owned(),
            dir: found.path().to_owned(),
        })
    }

    /// Returns the run with a whole id where the recorder writes, whatever else has the id.
    fn with_id(run_data: &Path, name: &str) -> Option<Self> {
        let dir = run_data.join(EPISODES).join(name);
        let is_id = Path::new(name).file_name() == Some(name.as_ref());
        (is_id && !is_gone(&dir)).then(|| Self {
            recorder: Recorder::new(run_data),
            id: name.to_owned(),
            dir,
        })
    }
}

/// Checks that a run is named in full before something is written to it.
fn must_be_whole(name: &str, id: &str, dir: &Path) -> Result<(), String> {
    if name.starts_with('@') || name == id {
        return Ok(());
    }

    let Ok(path) = Path::new(name).canonicalize() else {
        return Err(format!(
            "no run has the id {}: did you mean {id}? What writes to a run takes its whole id",
            quote(name)
        ));
    };

    if dir
        .canonicalize()
        .is_ok_and(|dir| path.starts_with(dir))
    {
        Ok(())
    } else {
        Err(format!(
            "{} is above the run {id}: what writes to a run takes its whole id, or the path of its own directory",
            quote(name)
        ))
    }
}

impl RecordedArgs {
    pub(super) fn find(&self, output: &mut Output) -> Result<RecordedRun> {
        RecordedRun::find(&self.run_data, &self.episode, self.json.is_set(), output)
    }

    /// Prints what was done, for people or for programs.
    pub(super) fn tell(&self, done: Result<(Done, String), Error>, output: &mut Output) -> Result {
        let failure = done
            .as_ref()
            .err()
            .map(CommandFailure::fault);
        let (answer, message) = match done {
            Ok((done, message)) => (Answer::Done(Box::new(done)), message),
            Err(error) => (error.into(), String::new()),
        };

        if self.json.is_set() {
            write_json_line(output.stdout(), &answer)?;
        } else if failure.is_none() {
            writeln!(
                output.stdout(),
                "{}",
                crate::ground::printable::escape(&message)
            )?;
        }

        failure.map_or(Ok(Exit::Success), Err)
    }
}
