//! `runvet abandon`: a run whose process died -> a run that has ended as aborted.

use std::path::PathBuf;

use clap::Args;

use super::Result;
use super::output::Output;
use super::recover::RecordedArgs;
use crate::recorder::protocol::Done;

/// End a run whose process died, as `aborted`
///
/// Steps that were running have failed, and the run gets its last events, its summary and its
/// manifest. These events have the time of the last event before them, so the duration does not
/// include the time until this command; `abandoned_at` in the `terminate` event is the time of this
/// command. This works only for runs that runvet recorded and that no process is recording; for any
/// other run, the error says what the run lacks. The JSON is an answer as `runvet schema
/// record-answer` describes it.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  runvet abandon ep_01JGFJJZ00CTSPE3DKFP348M8P --run-data runs --reason 'the machine was replaced'")]
pub(in crate::cli) struct Abandon {
    #[command(flatten)]
    recorded: RecordedArgs,

    /// Why
    #[arg(long, value_name = "TEXT", default_value = "abandoned")]
    reason: String,

    /// The directory in which the run worked, to compare its files with those before the run
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

impl Abandon {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let run = self.recorded.find(output)?;
        let recorder = match &self.workspace {
            Some(dir) => run.recorder.with_workspace(dir),
            None => run.recorder,
        };

        let done = recorder
            .abandon(&run.id, &self.reason)
            .map(|mut recorded| {
                recorded.path.clone_from(&run.dir);
                let message = format!("{}: ended the run as aborted", run.dir.display());
                (Done::ended(&recorded), message)
            });

        self.recorded.tell(done, output)
    }
}
