//! `runvet example`: the least record or run that every rule accepts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::output::Output;
use super::sinks::unwritable;
use super::{CommandFailure, Exit, Result};
use crate::ground::digest::FileDigest;
use crate::ground::source::Artifact;
use crate::store::{path, write_new_dir};

/// The records of a run, in which the id is `"ep_1"`.
const STATE: &str = include_str!("../example/state.json");
const SUMMARY: &str = include_str!("../example/summary.json");
/// Its events, without the digest of the state.
const EVENTS: &str = include_str!("../example/events.jsonl");

/// Print the smallest valid record, or write the smallest valid run
///
/// Every rule accepts them, including the rules that are off by default. docs/writing-runs.md says
/// what to write when.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  runvet example run runs/episodes/ep_1 && runvet validate runs")]
pub(in crate::cli) struct ExampleCommand {
    /// What to print or to write
    what: ExampleKind,

    /// The directory of the run, which must not exist; its name becomes the id of the run
    #[arg(required_if_eq("what", "run"))]
    dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExampleKind {
    /// state.json of a run that has ended
    State,
    /// summary.json
    Summary,
    /// One line of events.jsonl
    Event,
    /// All files of a run that has ended, written into a directory
    Run,
}

impl ExampleCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let text = match (self.what, &self.dir) {
            (ExampleKind::Run, Some(dir)) => {
                let id = dir
                    .file_name()
                    .map(path::id)
                    .ok_or_else(|| CommandFailure::fault("the directory needs a name"))?;
                write_new_dir(dir, &files(&id)?).map_err(unwritable(dir))?;
                return Ok(Exit::Success);
            }
            (_, Some(_)) => {
                return Err(CommandFailure::fault(
                    "only a run is written into a directory",
                ));
            }
            (ExampleKind::State, None) => STATE,
            (ExampleKind::Summary, None) => SUMMARY,
            (ExampleKind::Event | ExampleKind::Run, None) => EVENTS
                .split_inclusive('\n')
                .next()
                .unwrap_or(""),
        };

        write!(output.stdout(), "{text}")?;
        Ok(Exit::Success)
    }
}

/// Returns the files of a run, in the order in which they are written.
fn files(id: &str) -> Result<Vec<(&'static str, String)>> {
    let quoted = serde_json::to_string(id)?;
    let named = |text: &str| text.replace("\"ep_1\"", &quoted);
    let (state, summary) = (named(STATE), named(SUMMARY));
    let digest = FileDigest::of(state.as_bytes()).to_string();
    let mut files: Vec<_> = [
        (Artifact::Events, EVENTS.replace("<state_sha256>", &digest)),
        (Artifact::Learn, String::new()),
        (Artifact::Summary, summary),
        (Artifact::State, state),
    ]
    .map(|(file, text)| (file.file_name(), text))
    .into();
    let listed = files.iter().map(|(name, text)| {
        let sha256 = FileDigest::of(text.as_bytes()).to_string();
        json!({"name": name, "sha256": sha256, "size_bytes": text.len()})
    });
    let manifest = json!({"episode_id": id, "files": listed.collect::<Vec<_>>()});
    let manifest = (Artifact::Manifest.file_name(), format!("{manifest:#}\n"));
    // The state is written last: until then the run has not ended.
    files.insert(files.len() - 1, manifest);

    Ok(files)
}
