//! The options that choose runs -> a filter of runs.

use std::time::Duration;

use clap::Args;

use super::period::Period;
use super::words::word_of;
use crate::ground::finding::CallResult;
use crate::ground::record::{RunStatus, SummaryOutcome};
use crate::ground::source::Artifact;
use crate::ground::words;
use crate::look::read::{FigureRange, RunFilter, SEARCHED, TextSearch, search_words};

/// The options that select runs.
#[derive(Args)]
pub(super) struct FilterArgs {
    /// Only runs with this status; repeatable
    #[arg(long = "status", value_name = "STATUS", value_parser = word_of::<RunStatus>())]
    statuses: Vec<RunStatus>,

    /// Only runs with this outcome; repeatable
    #[arg(long = "outcome", value_name = "OUTCOME", value_parser = word_of::<SummaryOutcome>())]
    outcomes: Vec<SummaryOutcome>,

    /// Only runs with this tag; repeatable
    #[arg(long = "tag", value_name = "KEY:VALUE", value_parser = parse_tag)]
    tags: Vec<String>,

    /// Only runs that this adapter executed; repeatable
    #[arg(long = "adapter", value_name = "ADAPTER")]
    adapters: Vec<String>,

    /// Only runs whose outcomes have this metric, such as `tokens`, or have it in this range, such
    /// as `score..0.5..1` or `cost_usd..2..`, without the end of the range; repeatable
    #[arg(long = "metric", value_name = "NAME[..LOW..HIGH]", value_parser = FigureRange::read)]
    metrics: Vec<FigureRange>,

    /// Only runs that called this tool, or wanted to; `(none)` for those that called none;
    /// repeatable
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,

    /// Only runs with a call that returned an `error`, or that a rule or a person `denied`: a call
    /// of `--tool`, if that is given; repeatable
    #[arg(long = "call", value_name = "RESULT", value_parser = word_of::<CallResult>())]
    calls: Vec<CallResult>,

    /// Only runs whose id, directory or task contain these words, in upper or lower case
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,

    /// Only runs that have a text, a key or a number with all these words in their events, state,
    /// summary or `learn.jsonl`, in upper or lower case, however JSON escapes them
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,

    /// Only runs in progress that are not paused and have written no file for this long, such as
    /// 15m, 1h or 7d
    #[arg(long, value_name = "LENGTH", value_parser = RunFilter::silence)]
    silent_for: Option<Duration>,

    #[command(flatten)]
    pub(super) period: Period,
}

/// Refuses a text that no tag can equal.
fn parse_tag(text: &str) -> Result<String, String> {
    if text.contains(':') {
        Ok(text.to_owned())
    } else {
        Err("a tag is written KEY:VALUE".into())
    }
}

impl FilterArgs {
    /// Returns the names of the metrics that are asked for.
    pub(super) fn metrics(&self) -> Vec<&str> {
        self.metrics
            .iter()
            .map(|metric| &*metric.name)
            .collect()
    }

    /// Returns what was searched for the words that are asked for, if any are.
    pub(super) fn searched(&self) -> Vec<String> {
        let by_name = (self.search.iter()).map(|_| "id, directory and task".to_owned());
        let files = SEARCHED
            .map(Artifact::file_name)
            .join(", ");

        by_name
            .chain(self.text.iter().map(|_| files.clone()))
            .collect()
    }

    /// Returns `true` if more than the state and the summary of each run is read.
    pub(super) fn take_long(&self) -> bool {
        self.text.is_some() || !(self.tools.is_empty() && self.calls.is_empty())
    }

    pub(super) fn filter(&self) -> RunFilter {
        RunFilter {
            statuses: words_of(&self.statuses),
            outcomes: words_of(&self.outcomes),
            tags: self.tags.clone(),
            adapters: self.adapters.clone(),
            metrics: self.metrics.clone(),
            tools: self.tools.clone(),
            calls: self.calls.clone(),
            words: search_words(
                self.search
                    .as_deref()
                    .unwrap_or_default(),
            ),
            text: TextSearch::new(self.text.as_deref().unwrap_or_default()),
            since: self.period.since().cloned(),
            until: self.period.until().cloned(),
            silent_for: self.silent_for,
            ..RunFilter::default()
        }
    }
}

fn words_of<T: words::Words>(values: &[T]) -> Vec<String> {
    values
        .iter()
        .map(|it| it.word().to_owned())
        .collect()
}
