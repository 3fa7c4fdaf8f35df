//! The records of a run, and what a check found -> the run as lists, pages and filters know it.

mod kept;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use kept::{SharedTexts, cut};

use super::{EpisodeReport, Hit, Lifecycle, Tally, ToolUse, Totals, Verdict, by_rule};
use crate::ground::document::{Key, Kind, Node, Number};
use crate::ground::printable::one_line_json;
use crate::ground::timestamp::Timestamp;

/// The tag, and its value, by which a run says that it does not know when it happened: its times
/// are those of the file that it was made of.
pub(crate) const TIME_UNKNOWN: (&str, &str) = ("started_at", "unknown");

/// The tag by which a run names the run that it is a part of.
pub(crate) const PARENT: &str = "parent";

/// A run as an entry of a list. What its records do not say is null, and so are the start and the
/// duration of a run with the tag `started_at=unknown`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[non_exhaustive]
pub struct RunEntry {
    /// The run's id: the name of its directory.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub episode_id: String,
    /// The task, from the state or else from the summary.
    pub task: Option<String>,
    /// The start of the run, as written; an RFC 3339 date-time where the record is valid.
    #[schemars(extend("examples" = ["2026-03-01T12:00:00.000000+00:00"]))]
    pub started_at: Option<String>,
    /// The status that the state gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["ok", "pending"]))]
    pub status: Option<String>,
    /// The outcome that the summary gives, as written, whether or not it is one.
    #[schemars(extend("examples" = ["success"]))]
    pub outcome: Option<String>,
    /// The duration in seconds that the summary gives; at least 0 where the record is valid.
    pub duration_sec: Option<f64>,
    /// The id of the run that it is a part of, by its tag `parent`; null where it has none.
    #[serde(default)]
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub parent: Option<String>,
    /// The stage of the run: whether it has ended.
    pub lifecycle: Lifecycle,
    /// The path of its directory: the given path joined with what lies below.
    #[schemars(extend("examples" = ["runs/episodes/ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    pub dir: String,
    /// `true` if it has no finding of severity `error`, where it was judged: `runvet list
    /// --invalid` does that. Null where it was not judged, or kept changing while it was read.
    pub valid: Option<bool>,
    /// The rule of its first finding of severity `error`; null where there is none, or the run was
    /// not judged.
    #[schemars(extend("examples" = ["plan/projection"]))]
    pub first_error: Option<String>,
    /// The pause of a run in progress; absent where it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Box<Pause>>,
    /// The last event of a run in progress, in one line; absent where the run has ended or is
    /// paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["act · step-2 · running"]))]
    pub now: Option<String>,
    /// The number of steps of the plan of a run that has persisted no state yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// The numbers among the metrics of its outcomes, by their names.
    #[serde(
        default,
        skip_serializing_if = "<[_]>::is_empty",
        serialize_with = "as_object",
        deserialize_with = "of_object"
    )]
    #[schemars(with = "BTreeMap<String, f64>", extend("examples" = [{"cost_usd": 0.25}]))]
    pub(crate) metrics: Figures,
    /// The tools that it called or wanted to call, in the order of their first calls, at most 256;
    /// absent where nobody asked for them.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub tools: Box<[ToolUse]>,
    /// The first places that have what was asked for, at most 3; absent where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<Hit>,
    /// `true` if there are further such places.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_hits: bool,
    /// The start in microseconds since 1970, where it is an instant.
    #[serde(skip)]
    pub(crate) started_micros: Option<i64>,
    #[serde(skip)]
    pub(crate) written: Option<SystemTime>,
    #[serde(skip)]
    pub(crate) mode: Option<Arc<str>>,
    #[serde(skip)]
    pub(crate) adapter: Option<Arc<str>>,
    /// Names and values.
    #[serde(skip)]
    pub(crate) tags: Box<[(Arc<str>, Arc<str>)]>,
    /// Names and milliseconds.
    #[serde(skip)]
    pub(crate) latencies: Figures,
    /// The success that the summary gives.
    #[serde(skip)]
    pub(crate) success: Option<f64>,
    /// Its part of the totals of a check.
    #[serde(skip)]
    pub(crate) totals: Totals,
    /// The number of rules that could not be judged.
    #[serde(skip)]
    pub(crate) unjudged: usize,
    /// The findings by rule.
    #[serde(skip)]
    pub(crate) rules: Box<[(Arc<str>, Tally)]>,
    #[serde(skip)]
    pub(crate) verdict: Option<Verdict>,
    /// `true` if texts were cut, or items left out, by [`RunEntry::bound`].
    #[serde(skip)]
    pub(crate) is_cut: bool,
    /// The number of tags, latencies, metrics and tools that were left out.
    #[serde(skip)]
    pub(crate) left_out: u32,
}

/// Names, each with a number.
pub(in crate::ground) type Figures = Box<[(Arc<str>, f64)]>;

/// The parts of an entry that its JSON leaves out and no report has: mode and adapter, then tags,
/// latencies and the success.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Unlisted(
    [Option<Arc<str>>; 2],
    Box<[(Arc<str>, Arc<str>)]>,
    Figures,
    Option<f64>,
);

/// The pause of a run, by the last event of its timeline.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// The time at which it was paused, as written.
    pub since: Option<String>,
    /// The reason that the event gives, or else the step that waits.
    #[schemars(extend("examples" = ["wait for approval"]))]
    pub reason: Option<String>,
}

impl RunEntry {
    /// Returns an entry that says nothing but which run it is.
    pub(crate) fn named(id: &str, dir: &str, lifecycle: Lifecycle) -> Self {
        Self {
            episode_id: id.into(),
            dir: dir.into(),
            lifecycle,
            ..Self::default()
        }
    }

    /// Adds what the records say. Texts are as written, whether or not the schema allows them.
    pub(crate) fn with_records(self, state: Option<Node<'_>>, summary: Option<Node<'_>>) -> Self {
        let text = |record: Option<Node<'_>>, path: &[&str]| text_of(record?.at(path)?);
        let mut tags = Vec::new();
        let mut known = BTreeSet::new();

        for key in members(state, &["episode", "tags"]).chain(members(summary, &["tags"])) {
            let tag = (Arc::from(&*key.name()), shown(key.value()));
            if known.insert(tag.clone()) {
                tags.push(tag);
            }
        }

        let duration = summary.and_then(|summary| summary.get("duration_sec")?.number());
        let is_dated = !tags.iter().any(is_time_unknown);
        let entry = Self {
            task: text(state, &["goal", "task"]).or_else(|| text(summary, &["task"])),
            status: text(state, &["outcomes", "status"]),
            outcome: text(summary, &["outcome"]),
            parent: text(state, &["episode", "tags", PARENT])
                .or_else(|| text(summary, &["tags", PARENT])),
            duration_sec: duration
                .filter(|_| is_dated)
                .map(Number::as_f64),
            mode: text(summary, &["flags", "mode"]).map(Arc::from),
            adapter: text(state, &["episode", "using"]).map(Arc::from),
            tags: tags.into(),
            latencies: figures(summary, &["metrics", "latencies"]),
            metrics: figures(state, &["outcomes", "metrics"]),
            success: summary
                .and_then(|summary| {
                    summary
                        .at(&["metrics", "success"])?
                        .number()
                })
                .map(Number::as_f64),
            ..self
        };

        let started =
            text(state, &["episode", "started_at"]).or_else(|| text(summary, &["started_at"]));
        entry.started(started.filter(|_| is_dated))
    }

    /// Returns the words of a run that says that its times are unknown.
    pub(crate) fn time_unknown(&self) -> Option<&'static str> {
        let is_unknown = self.tags.iter().any(is_time_unknown);
        is_unknown.then_some("time unknown")
    }

    fn started(mut self, at: Option<String>) -> Self {
        let instant = at.as_deref().and_then(Timestamp::parse);
        self.started_micros = instant.map(|at| at.unix_micros());
        self.started_at = at;
        self
    }

    /// Returns the start in whole seconds since 1970, where it is an instant.
    pub(crate) fn started_sec(&self) -> Option<i64> {
        Some(
            self.started_micros?
                .div_euclid(1_000_000),
        )
    }

    /// Adds the values that an event gives of a run that has no state yet.
    pub(crate) fn with_event(mut self, event: Node<'_>) -> Self {
        let text = |path: &[&str]| text_of(event.at(path)?);
        match text(&["phase"]).as_deref() {
            Some("start") if self.started_at.is_none() => {
                self.task = self
                    .task
                    .or_else(|| text(&["payload", "task"]));
                self.adapter = text(&["payload", "using"]).map(Arc::from);
                self.parent = text(&["payload", "tags", PARENT]);
                self.started(text(&["timestamp"]))
            }
            Some("plan") => {
                let steps = ["step_records", "steps"]
                    .into_iter()
                    .find_map(|key| event.at(&["payload", key]));
                self.steps = steps.map(|steps| steps.items().count());
                self
            }
            _ => self,
        }
    }

    /// Returns the run of a report, with what the check found.
    pub(crate) fn judged(report: &EpisodeReport) -> Self {
        report
            .entry
            .as_deref()
            .cloned()
            .unwrap_or_else(|| Self {
                mode: report.mode.as_deref().map(Into::into),
                adapter: report
                    .adapter
                    .as_deref()
                    .map(Into::into),
                ..Self::named(&report.id, &report.dir, report.lifecycle)
            })
            .with_verdict(report)
    }

    /// Adds what a check found.
    pub(crate) fn with_verdict(self, report: &EpisodeReport) -> Self {
        let unjudged: BTreeSet<&str> = report
            .skipped
            .iter()
            .map(|skip| &*skip.rule)
            .collect();
        let first_error = report.first_error();
        let rules = by_rule(&report.findings).into_iter();

        Self {
            valid: report.valid,
            verdict: Some(report.verdict),
            first_error: first_error.map(|finding| finding.rule.clone()),
            totals: Totals::of(report),
            unjudged: unjudged.len(),
            rules: rules
                .map(|(rule, tally)| (rule.into(), tally))
                .collect(),
            ..self
        }
    }

    /// Adds places that have what was asked for, and whether there are others.
    pub(crate) fn add_hits(&mut self, mut hits: Vec<Hit>, more: bool) {
        self.hits.append(&mut hits);
        self.more_hits |= more;
    }

    /// Returns the run with what its records say now; a check found the same.
    pub(crate) fn whole(self, records: Self) -> Self {
        Self {
            episode_id: self.episode_id,
            dir: self.dir,
            lifecycle: self.lifecycle,
            valid: self.valid,
            verdict: self.verdict,
            first_error: self.first_error,
            written: self.written,
            totals: self.totals,
            unjudged: self.unjudged,
            rules: self.rules,
            tools: self.tools,
            ..records
        }
    }

    /// Returns `true` if another entry of the run differs at most in what the run does now.
    pub(crate) fn is_but_for_progress(&self, other: &Self) -> bool {
        let progress = Self {
            written: other.written,
            paused: other.paused.clone(),
            now: other.now.clone(),
            steps: other.steps,
            ..self.clone()
        };

        progress == *other
    }

    /// Returns the size of its texts, nearly.
    pub(crate) fn bytes(&self) -> usize {
        let tags = self
            .tags
            .iter()
            .map(|(name, value)| name.len() + value.len());
        let figures = self
            .latencies
            .iter()
            .chain(&self.metrics)
            .map(|(name, _)| name.len());
        let task = self
            .task
            .as_ref()
            .map_or(0, String::len);

        task + tags.chain(figures).sum::<usize>()
    }

    /// Returns the number of findings that do not count.
    pub(crate) fn suppressed(&self) -> u64 {
        self.totals.ignored + self.totals.baselined
    }

    pub(super) fn unlisted(&self) -> Unlisted {
        Unlisted(
            [self.mode.clone(), self.adapter.clone()],
            self.tags.clone(),
            self.latencies.clone(),
            self.success,
        )
    }

    pub(super) fn restored(self, unlisted: Unlisted) -> Self {
        let Unlisted([mode, adapter], tags, latencies, success) = unlisted;
        let started_at = self.started_at.clone();
        let entry = Self {
            mode,
            adapter,
            tags,
            latencies,
            success,
            ..self
        };

        entry.started(started_at)
    }
}

/// Writes figures as an object; JSON has no number beyond a double.
fn as_object<S: Serializer>(figures: &Figures, serializer: S) -> Result<S::Ok, S::Error> {
    let figures = figures
        .iter()
        .filter(|(_, value)| value.is_finite());
    serializer.collect_map(figures.map(|(name, value)| (name, value)))
}

fn of_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Figures, D::Error> {
    let figures = BTreeMap::<Arc<str>, f64>::deserialize(deserializer)?;
    Ok(figures.into_iter().collect())
}

fn is_time_unknown((name, value): &(Arc<str>, Arc<str>)) -> bool {
    (&**name, &**value) == TIME_UNKNOWN
}

/// Returns the members of an object that are numbers.
fn figures(record: Option<Node<'_>>, path: &[&str]) -> Figures {
    members(record, path)
        .filter_map(|key| Some((Arc::from(&*key.name()), key.value().number()?.as_f64())))
        .collect()
}

fn members<'r>(record: Option<Node<'r>>, path: &[&str]) -> impl Iterator<Item = Key<'r>> {
    record
        .and_then(|record| record.at(path))
        .into_iter()
        .flat_map(Node::members)
}

fn text_of(value: Node<'_>) -> Option<String> {
    value.text().map(Cow::into_owned)
}

/// Returns the value of a tag: a text without its quotes, anything else as JSON on one line.
fn shown(value: Node<'_>) -> Arc<str> {
    match value.kind() {
        Kind::String => text_of(value)
            .unwrap_or_default()
            .into(),
        _ => one_line_json(value.raw())
            .collect::<String>()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    #[test]
    fn entry_keeps_what_both_records_say() {
        let read = |text: &str| OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        let state = read(
            r#"{"goal":{"task":"t"},"outcomes":{"status":"okay","metrics":{"note":"x","score":0.5}},
            "episode":{"started_at":"1970-01-02T01:00:00+01:00","tags":{"a":1,"b":"x"}}}"#,
        );
        let summary = read(
            r#"{"outcome":"success","duration_sec":0.5,"tags":{"b":"x","c":null,"d":[1, {}]},
            "metrics":{"latencies":{"total_ms":150,"odd_ms":"fast"}}}"#,
        );
        let empty = RunEntry::named("ep", "runs/ep", Lifecycle::Unknown);
        let entry = empty
            .clone()
            .with_records(Some(state.root()), Some(summary.root()));
        assert_eq!(entry.status.as_deref(), Some("okay"));
        assert_eq!(entry.started_sec(), Some(86_400));
        let tags = [("a", "1"), ("b", "x"), ("c", "null"), ("d", "[1,{}]")];
        let kept = entry
            .tags
            .iter()
            .map(|(key, value)| (&**key, &**value));
        assert!(kept.eq(tags));
        assert_eq!(*entry.latencies, [("total_ms".into(), 150.0)]);
        assert_eq!(*entry.metrics, [("score".into(), 0.5)]);
        assert_eq!(empty.clone().with_records(None, None), empty);
    }
}
