//! The end of a run -> its last events, its summary, its manifest, and the one rename that ends it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::Durability;
use super::super::assertion::Evaluated;
use super::super::clock::Micros;
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::super::text::text;
use super::super::timeline::Held;
use super::Run;
use super::verification::{BeforeRun, POST, PRE, SNAPSHOTS, evaluation};
use crate::ground::digest::FileDigest;
use crate::ground::finding::Finding;
use crate::ground::record::{RunStatus, State, StepStatus, Summary, any_value, describe_values};

/// The end of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Finish")]
#[must_use]
pub struct End {
    /// The status with which the run ends.
    pub(in crate::recorder) status: Ending,
    /// The reason why the run ends as `partial`, `vetoed`, `aborted` or `error`.
    pub(in crate::recorder) reason: Option<String>,
    /// The error, in any form; only with the status `error`.
    #[serde(default)]
    #[schemars(schema_with = "any_value")]
    pub(in crate::recorder) error: Option<Value>,
    /// Names or paths of the artifacts that the run produced.
    artifacts: Option<Vec<String>>,
    /// Measurements of the outcome: any keys with any values.
    metrics: Option<Map<String, Value>>,
    /// The results of an evaluator: whether the run did each of the things that it should.
    #[serde(rename = "assertions")]
    evaluated: Option<Vec<Evaluated>>,
    /// The score that an evaluator gave; it becomes the metric `score`.
    score: Option<f64>,
    /// The time at which somebody gave up the run, after the end of its process.
    #[serde(skip)]
    abandoned_at: Option<Micros>,
}

/// The status with which a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe_values)]
pub(crate) enum Ending {
    /// It did what it should: no step is pending, running or failed.
    Ok,
    /// It did some of what it should.
    Partial,
    /// It was blocked.
    Vetoed,
    /// Somebody stopped it.
    Aborted,
    /// It failed.
    Error,
}

impl From<Ending> for RunStatus {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Ok => Self::Ok,
            Ending::Partial => Self::Partial,
            Ending::Vetoed => Self::Vetoed,
            Ending::Aborted => Self::Aborted,
            Ending::Error => Self::Error,
        }
    }
}

impl From<Ending> for End {
    fn from(status: Ending) -> Self {
        Self {
            status,
            reason: None,
            error: None,
            artifacts: None,
            metrics: None,
            evaluated: None,
            score: None,
            abandoned_at: None,
        }
    }
}

impl End {
    fn of(status: Ending, reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..status.into()
        }
    }

    /// Returns the end of a run that did what it should: no step is pending, running or failed.
    pub fn ok() -> Self {
        Ending::Ok.into()
    }

    /// Returns the end of a run that did some of what it should, with the reason.
    pub fn partial(reason: impl Into<String>) -> Self {
        Self::of(Ending::Partial, reason)
    }

    /// Returns the end of a run that was blocked, with the reason.
    pub fn vetoed(reason: impl Into<String>) -> Self {
        Self::of(Ending::Vetoed, reason)
    }

    /// Returns the end of a run that somebody stopped, with the reason.
    pub fn aborted(reason: impl Into<String>) -> Self {
        Self::of(Ending::Aborted, reason)
    }

    /// Returns the end of a run that somebody gave up, with the reason and the present time.
    pub(super) fn abandoned(reason: &str, now: Micros) -> Self {
        Self {
            abandoned_at: Some(now),
            ..Self::aborted(reason)
        }
    }

    /// Returns the end of a run that failed, with an error in any form; null becomes `"unknown"`.
    pub fn error(error: impl Into<Value>) -> Self {
        let error = Some(error.into()).filter(|error| !error.is_null());
        Self {
            error: error.or_else(|| Some("unknown".into())),
            ..Ending::Error.into()
        }
    }

    /// Returns the `terminate` event.
    fn terminate(self) -> RunEvent {
        let mut metrics = self.metrics.unwrap_or_default();
        metrics.extend(
            self.score
                .map(|score| (SCORE.to_owned(), score.into())),
        );

        let payload = object([
            (
                "abandoned_at",
                self.abandoned_at
                    .map(Micros::text)
                    .into(),
            ),
            (
                "artifacts",
                self.artifacts
                    .filter(|it| !it.is_empty())
                    .into(),
            ),
            ("error", self.error.into()),
            (
                "metrics",
                (!metrics.is_empty())
                    .then_some(metrics)
                    .into(),
            ),
            ("reason", self.reason.into()),
            (
                "status",
                RunStatus::from(self.status)
                    .word()
                    .into(),
            ),
        ]);

        RunEvent::new("terminate", payload)
    }

    /// Adds a name or path to `outcomes.artifacts`.
    pub fn artifact(mut self, name: impl Into<String>) -> Self {
        self.artifacts
            .get_or_insert_default()
            .push(name.into());
        self
    }

    /// Adds a metric to `outcomes.metrics`.
    pub fn metric(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metrics
            .get_or_insert_default()
            .insert(name.into(), value.into());
        self
    }

    /// Adds the result of an evaluator to `verification` in the summary: a run that ends `ok` is
    /// then a `success` if all that was found has passed, else its goal was not achieved.
    pub fn evaluated(mut self, evaluated: Evaluated) -> Self {
        self.evaluated
            .get_or_insert_default()
            .push(evaluated);
        self
    }

    /// Adds the score that an evaluator gave, as the metric `score`.
    pub fn score(mut self, score: f64) -> Self {
        self.score = Some(score);
        self
    }

    /// Refuses metrics that would be replaced, and scores that can't be recorded.
    fn must_be_recordable(&self) -> Result<(), Error> {
        let has = |name: &str| {
            self.metrics
                .as_ref()
                .is_some_and(|metrics| metrics.contains_key(name))
        };

        if let Some(own) = OWN_METRICS.iter().find(|own| has(own)) {
            let why = format!("the recorder itself writes `{own}`");
            return Err(Error::refused("the metric", why));
        }

        let why = match self.score {
            Some(score) if !score.is_finite() => {
                format!("it is {score}, which is not a finite number")
            }
            Some(_) if has(SCORE) => "the metrics already contain a `score`".into(),
            _ => return Ok(()),
        };

        Err(Error::refused("the score", why))
    }
}

/// The metric of the score that an evaluator gave.
const SCORE: &str = "score";

/// The metrics that the recorder writes.
const OWN_METRICS: [&str; 2] = ["steps_completed", "steps_total"];

/// A run that has ended, as it was recorded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The directory of the episode.
    pub path: PathBuf,
    /// The state record.
    pub state: State,
    /// The summary record.
    pub summary: Summary,
    /// The SHA-256 of `manifest.json`, which covers all files of the run, as 64 hexadecimal digits:
    /// whoever keeps it elsewhere can tell later whether the run was changed.
    pub manifest_sha256: String,
    /// The findings of the recorder's gate in the whole run; empty without
    /// [`Recorder::gate`](super::super::Recorder::gate).
    pub findings: Vec<Finding>,
}

impl Run {
    /// Ends the run: adds its last events, and writes summary, manifest and state, in this order.
    ///
    /// A run that a policy stopped ends as `vetoed`, whatever is asked for; one whose workspace
    /// can't be verified ends as `error`.
    ///
    /// # Errors
    /// [`Error::Refused`] for `ok` while a step is pending, running or failed, for a metric that
    /// the recorder writes, and for a score that is no number or is a metric too: the run stays
    /// pending. [`Error::Io`] and [`Error::NotDurable`]; where the end was recorded by then,
    /// [`Recorder::recover`](super::super::Recorder::recover) completes it.
    pub fn finish(mut self, end: End) -> Result<Recorded, Error> {
        self.end(end)?;
        Ok(self.recorded())
    }

    /// Like [`Run::finish`], but keeps the run usable if the end is refused. After a successful
    /// end, every further call is refused.
    ///
    /// # Errors
    /// As for [`Run::finish`].
    pub fn end(&mut self, end: End) -> Result<(), Error> {
        self.must_not_have_ended()?;
        let mut end = match self.fold.stopped.clone() {
            Some(reason) if end.status != Ending::Vetoed => End {
                status: Ending::Vetoed,
                reason: Some(reason),
                error: None,
                ..end
            },
            _ => end,
        };

        let is_ok = end.status == Ending::Ok;
        if is_ok {
            self.must_be_done()?;
        }

        end.must_be_recordable()?;
        self.must_fit(&end.clone().terminate())?;
        let evaluated = end
            .evaluated
            .as_deref()
            .unwrap_or_default();
        self.must_fit(&evaluation(evaluated))?;
        self.close_open_steps(&end)?;
        self.verify(is_ok, evaluated)?;

        let impossible = self
            .fold
            .verification
            .as_ref()
            .filter(|verification| verification.provided == Some(true))
            .and_then(|verification| verification.error.clone());
        if let Some(error) = impossible.filter(|_| is_ok) {
            end = End {
                status: Ending::Error,
                error: Some(json!({ "code": error })),
                ..end
            };
        }

        // A summary without any state would be an error until the state follows.
        if !self.has_state {
            self.persist()?;
        }

        let mut terminate = end.terminate();
        terminate.payload.extend(self.losses());
        self.write(terminate)?;
        self.complete()?;

        self.judge_whole()
    }

    fn must_be_done(&self) -> Result<(), Error> {
        for status in [StepStatus::Pending, StepStatus::Running, StepStatus::Failed] {
            if let Some(step) = self.fold.with_status(status).next() {
                let why = format!("the step {:?} is {status}", step.id);
                return Err(Error::refused("ending the run as ok", why));
            }
        }

        Ok(())
    }

    fn close_open_steps(&mut self, end: &End) -> Result<(), Error> {
        let reason = || format!("the run ended: {}", RunStatus::from(end.status));
        for step in self.open_steps() {
            let reason = end
                .reason
                .clone()
                .unwrap_or_else(reason);
            let payload = object([("reason", reason.into())]);
            self.set_step(&step, StepStatus::Failed, payload)?;
        }

        Ok(())
    }

    /// Writes what follows the `terminate` event. What of it is there already is written again,
    /// with the same bytes. The state comes last: its rename is what ends the run.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        let state = if self.fold.is_sealed() {
            text(&self.fold.state, "the state")?
        } else {
            self.write_evidence()?
        };

        if self.recorder.durability != Durability::Process {
            let synced = self.learn.sync();
            self.poison_unless(synced)?;
        }

        self.must_be_as_written()?;
        let summary = text(&self.fold.summary(), "the summary")?;
        let dir = self.dir.clone();
        self.replace(&dir, "summary.json", &summary)?;

        let manifest = text(&self.manifest(&state, &summary)?, "the manifest")?;
        self.replace(&dir, "manifest.json", &manifest)?;
        self.manifest_sha256 = Some(FileDigest::of(&manifest).to_string());
        self.sync_names(&dir, "manifest.json")?;

        self.put_state(&state)
    }

    fn manifest(&self, state: &[u8], summary: &[u8]) -> Result<Value, Error> {
        let entry = |kind: &str, name: &str, sha256: &str, bytes: u64| {
            json!({
                "kind": kind,
                "name": name,
                "sha256": format!("sha256:{sha256}"),
                "size_bytes": bytes,
            })
        };

        let held =
            |kind: &str, name: &str, held: &Held| entry(kind, name, &held.sha256(), held.length);
        let mut files: Vec<Value> = self
            .fold
            .attached
            .values()
            .map(|it| entry("attachment", &it.name, &it.sha256, it.bytes))
            .collect();
        files.push(held("events", "events.jsonl", &self.events.held));
        files.push(held("learn", "learn.jsonl", &self.learn.held));

        let names_snapshots = self
            .fold
            .verification
            .as_ref()
            .is_some_and(|verification| verification.snapshots.is_some());

        // The names are the recorder's own: what a record names is not opened.
        for name in [POST, PRE] {
            // One that no record names may be gone.
            let is_there = |before: &&BeforeRun| {
                names_snapshots || name == POST || before.kept(&self.dir).is_some()
            };
            let snapshot = self
                .before
                .as_ref()
                .filter(is_there)
                .and_then(|before| before.snapshot(&self.dir, name));
            let name = format!("{SNAPSHOTS}/{name}");
            if snapshot.is_none() && names_snapshots {
                let path = self.path().join(&name);
                return Err(Error::Lost { path });
            }

            files.extend(snapshot.map(|snapshot| held("snapshot", &name, &snapshot)));
        }

        files.push(held("state", "state.json", &Held::of(state)));
        files.push(held("summary", "summary.json", &Held::of(summary)));
        Ok(json!({
            "created_at": self.fold.last.text(),
            "episode_id": self.id(),
            "files": files,
            "schema_version": "manifest/1.0",
            "signer": null,
        }))
    }
}
