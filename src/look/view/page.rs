//! One run -> one JSON object: the output of `runvet view --json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::OpenedRun;
use crate::gate::Gate;
use crate::ground::document::OwnedDocument;
use crate::ground::finding::{Finding, Lifecycle, Skip, Suppressed};
use crate::ground::source::Artifact;
use crate::look::plan::PlanComparison;
use crate::look::read::{Error, RunReader, with_defaults};
use crate::reading::dashboard::Reason;
use crate::report::raw_json;

/// One run: its records, its plan, counts of its events, the reason why it did not succeed, and the
/// findings of a check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet view --json",
    extend("$id" = crate::ground::record::schema_id("view"))
)]
pub(crate) struct RunPage {
    /// The run's id.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(super) episode_id: String,
    /// The path of the episode's directory, as the user would type it.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub(super) episode_dir: String,
    /// The path of each of the five artifacts by its name, such as `state`; null where there is no
    /// such file.
    pub(super) artifacts: BTreeMap<String, Option<String>>,
    /// The state record as it is stored, whether or not it is valid, with `episode.intuition_mode`
    /// `advisory` where it is absent; null where it can't be read.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    pub(super) state: Option<Box<RawValue>>,
    /// The summary record as it is stored.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    pub(super) summary: Option<Box<RawValue>>,
    /// The plan rebuilt from the timeline, and where the persisted plan differs from it.
    pub(super) plan: PlanComparison,
    /// The number of events.
    pub(super) events: EventCounts,
    /// The reason why the run did not succeed; null where it did, or is in progress, or where its
    /// records do not say.
    pub(super) reason: Option<Reason>,
    /// The lifecycle of the run: in progress, ended, or unknown.
    pub(super) lifecycle: Lifecycle,
    /// `true` if the episode has no finding of severity `error`; null where that is undecided,
    /// because the episode kept changing while it was read.
    pub(super) valid: Option<bool>,
    /// The findings that count, as in a report.
    pub(super) findings: Vec<Finding>,
    /// The rules that could not be checked, as in a report.
    pub(super) skipped: Vec<Skip>,
    /// The findings that do not count, as in a report; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressed: Vec<Suppressed>,
}

/// The number of events of a timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct EventCounts {
    /// The number of all events.
    pub(super) total: u64,
    /// The number of events of each phase. `(others)` stands for the phases after the first 100.
    pub(super) phases: BTreeMap<String, u64>,
    /// The number of lines that are not events.
    pub(super) broken_lines: u64,
    /// The last line that is anchored: the digest of the last anchor is that of all lines up to
    /// there. Null where the timeline has no anchor, or was changed before it.
    pub(super) anchored_up_to: Option<u64>,
}

impl RunPage {
    /// Reads a run, counts its events and judges it.
    pub(crate) fn new(run: &RunReader, gate: &mut Gate) -> Result<Self, Error> {
        let OpenedRun {
            records,
            timeline,
            plan,
            report,
        } = OpenedRun::judged(run, gate)?;
        let path = |artifact: Artifact| {
            let path = run.artifact(artifact)?;
            Some(path.to_string_lossy().into_owned())
        };

        let named = |artifact: Artifact| (artifact.name().to_owned(), path(artifact));
        Ok(Self {
            episode_id: records.entry.episode_id.clone(),
            episode_dir: run
                .path()
                .to_string_lossy()
                .into_owned(),
            artifacts: Artifact::ALL
                .into_iter()
                .map(named)
                .collect(),
            reason: records.reason(&timeline),
            state: stored(
                records
                    .state
                    .map(with_defaults)
                    .as_ref(),
            ),
            summary: stored(records.summary.as_ref()),
            plan,
            events: EventCounts {
                total: timeline.events,
                phases: timeline.phases,
                broken_lines: timeline.broken_lines,
                anchored_up_to: timeline
                    .anchor
                    .and_then(|it| it.anchored_up_to()),
            },
            lifecycle: report.lifecycle,
            valid: report.valid,
            findings: report.findings,
            skipped: report.skipped,
            suppressed: report.suppressed,
        })
    }
}

/// Returns a record as it is stored, safe to print.
fn stored(record: Result<&OwnedDocument, &Error>) -> Option<Box<RawValue>> {
    raw_json(record.ok()?.root()).ok()
}
