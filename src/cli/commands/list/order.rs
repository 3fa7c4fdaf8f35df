//! The word of an order -> runs sorted by it.

use std::cmp::Reverse;
use std::str::FromStr;

use super::is_only_in_progress;
use crate::ground::spelling::did_you_mean;
use crate::ground::timestamp::Timestamp;
use crate::look::read::RunEntry;

/// The order of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Newest,
    Started,
    Duration,
    Id,
    /// By a metric of the outcomes.
    Metric(String),
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("metric:")) {
            ("newest", _) => Ok(Self::Newest),
            ("started", _) => Ok(Self::Started),
            ("duration", _) => Ok(Self::Duration),
            ("id", _) => Ok(Self::Id),
            (_, Some(name)) if !name.is_empty() => Ok(Self::Metric(name.to_owned())),
            _ => {
                let help =
                    did_you_mean(text, ["newest", "started", "duration", "id"]).unwrap_or_default();
                let why = format!("expected newest, started, duration, id or metric:NAME; {help}");
                Err(why.trim_end_matches("; ").to_owned())
            }
        }
    }
}

impl Order {
    /// Sorts runs by their records.
    pub(super) fn sort(&self, runs: &mut [RunEntry]) {
        let started = |run: &RunEntry| {
            run.started_at
                .as_deref()
                .and_then(Timestamp::parse)
        };

        let duration = |run: &RunEntry| run.duration_sec.unwrap_or(-1.0);
        match self {
            // The runs are shown in the order of the column; a run whose records do not give a
            // start, or a status, has just begun.
            Self::Newest => runs.sort_by_cached_key(|run| {
                let start = started(run).map_or((false, None), |at| (true, Some(Reverse(at))));
                (
                    run.time_unknown().is_some(),
                    start,
                    !is_only_in_progress(run),
                )
            }),
            Self::Started => runs.sort_by_cached_key(|run| Reverse(started(run))),
            Self::Duration => runs.sort_by(|a, b| duration(b).total_cmp(&duration(a))),
            Self::Id => runs.sort_by(|a, b| a.episode_id.cmp(&b.episode_id)),
            Self::Metric(name) => {
                let value = |run: &RunEntry| metric_of(run, name).unwrap_or(f64::NEG_INFINITY);
                runs.sort_by(|a, b| value(b).total_cmp(&value(a)));
            }
        }
    }
}

/// Returns a metric of the outcomes of a run.
pub(super) fn metric_of(run: &RunEntry, name: &str) -> Option<f64> {
    run.metrics
        .iter()
        .find(|(known, _)| **known == *name)
        .map(|(_, value)| *value)
}
