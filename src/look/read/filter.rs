//! A filter of runs, and a run -> whether the run passes.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::text::{MAX_HITS, TextSearch, search_words};
use crate::ground::finding::{CallResult, Hit, NONE, RunEntry, ToolUse, Verdict, cut};
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;
use crate::ground::words::words;
use crate::judge::rules::names;

/// A filter of runs: those that meet each condition. A condition that holds several values is met
/// by any of them, and one that holds none is met by each run. `(none)` stands for a value that a
/// run lacks.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunFilter {
    /// The statuses.
    pub statuses: Vec<String>,
    /// The outcomes.
    pub outcomes: Vec<String>,
    /// Runs that started at this time or later.
    pub since: Option<Timestamp>,
    /// Runs that started before this time.
    pub until: Option<Timestamp>,
    /// Runs whose start is not known.
    pub(crate) is_undated: bool,
    /// The ends of the runs: the outcome, or else the status.
    pub(crate) ended: Vec<String>,
    /// The tasks, whole.
    pub(crate) tasks: Vec<String>,
    /// The adapters that executed the runs.
    pub adapters: Vec<String>,
    pub(crate) modes: Vec<String>,
    /// Tags as `key:value`; a run has one of them.
    pub tags: Vec<String>,
    /// Rules and groups such as `plan/*`; one of them has a finding.
    pub(crate) rules: Vec<String>,
    /// The validities; `None` stands for undecided.
    pub(crate) valid: Vec<Option<bool>>,
    /// The words of verdicts.
    pub(crate) verdicts: Vec<String>,
    /// The numbers of which a run has at least one that is not 0.
    pub(crate) has: Vec<Tallied>,
    /// The duration in seconds.
    pub(crate) duration: Option<Range<f64>>,
    /// Latencies in milliseconds, all of which a run has.
    pub(crate) latencies: Vec<FigureRange>,
    /// Metrics of the outcomes, all of which a run has.
    pub(crate) metrics: Vec<FigureRange>,
    /// All of these words are in the id, the directory or the task.
    pub(crate) words: Vec<String>,
    /// The tools that a run called or wanted to call; a run has one of them.
    pub(crate) tools: Vec<String>,
    /// What came of a call of one of these tools, or of any tool where none is asked for.
    pub(crate) calls: Vec<CallResult>,
    /// Words that are in the texts of a run.
    pub(crate) text: TextSearch,
    /// Runs in progress that are not paused, and of which no file was written for this long.
    pub silent_for: Option<Duration>,
}

/// The name of a figure of a run, and the range in which it lies; the end is not included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FigureRange {
    pub(crate) name: String,
    values: Range<f64>,
}

impl FigureRange {
    /// Reads a figure with its range, written as `NAME..LOW..HIGH`, or the name alone.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        let (name, values) = text
            .split_once("..")
            .unwrap_or((text, ".."));
        Ok(Self {
            name: name.to_owned(),
            values: range(values)?,
        })
    }

    fn is_met(&self, figures: &[(Arc<str>, f64)]) -> bool {
        figures
            .iter()
            .find(|(name, _)| **name == *self.name)
            .is_some_and(|(_, value)| self.values.contains(value))
    }
}

/// A number that a check counts in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tallied {
    Errors,
    Warnings,
    Unjudged,
    Suppressed,
}

words!(Tallied {
    Errors = "errors",
    Warnings = "warnings",
    Unjudged = "unjudged",
    Suppressed = "suppressed",
});

impl RunFilter {
    /// Reads a time as a person writes it: a date-time of RFC 3339, a date, `today`, `yesterday`,
    /// or a length before now, such as `90s`, `15m`, `1h` or `7d`, also with a `-` before it. What
    /// has no offset is in UTC; a date is its first instant.
    ///
    /// # Errors
    ///
    /// The expected form, for any other text.
    pub fn time(text: &str) -> Result<Timestamp, &'static str> {
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let now = Timestamp::from_unix_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
        Timestamp::given(text, &now).ok_or(Timestamp::FORMS)
    }

    /// Keeps only runs whose id, directory or task contain these words, in upper or lower case.
    pub fn search(&mut self, words: &str) {
        self.words = search_words(words);
    }

    /// Keeps only runs whose outcomes have a metric that is a number, as `NAME`, or one in a range,
    /// as `NAME..LOW..HIGH`, whose end is not included and whose bounds may be left out.
    ///
    /// # Errors
    ///
    /// The expected form of a range, for any other text.
    pub fn metric(&mut self, text: &str) -> Result<(), &'static str> {
        self.metrics
            .push(FigureRange::read(text)?);
        Ok(())
    }

    /// Returns `true` if each run meets it, whatever its records say.
    pub(in crate::look) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads a length of time such as `90s`, `15m`, `1h` or `7d`.
    ///
    /// # Errors
    ///
    /// The expected form, for any other text.
    pub fn silence(text: &str) -> Result<Duration, &'static str> {
        let seconds = crate::ground::timestamp::length(text)
            .and_then(|seconds| u64::try_from(seconds).ok())
            .ok_or("expected a length of time such as 90s, 15m, 1h or 7d")?;
        Ok(Duration::from_secs(seconds))
    }

    /// Returns `true` if it depends on what a run called.
    pub(in crate::look) fn asks_for_calls(&self) -> bool {
        !(self.tools.is_empty() && self.calls.is_empty())
    }

    /// Adds the places of the calls that are asked for to the entry of a run.
    pub(crate) fn add_calls(&self, entry: &mut RunEntry) {
        let mut places = Vec::new();
        for of in entry
            .tools
            .iter()
            .filter(|it| self.has_tool(it))
        {
            let lines = (self.calls.iter()).filter_map(|it| Some((of.line(*it)?, *it)));
            places.extend(lines.map(|(line, result)| (line, of.tool.clone(), result)));
        }

        places.sort_by_key(|(line, ..)| *line);
        let mut hits: Vec<Hit> = places
            .into_iter()
            .map(|(line, tool, result)| Hit {
                file: Artifact::Events.file_name().to_owned(),
                line,
                text: format!("{} {}", tool.as_deref().unwrap_or("a call"), result.words()),
            })
            .collect();
        let more = hits.len() > MAX_HITS;
        hits.truncate(MAX_HITS);
        entry.add_hits(hits, more);
    }

    /// Returns `true` if a tool is among those that are asked for.
    fn has_tool(&self, of: &ToolUse) -> bool {
        let name = of.tool.as_deref().unwrap_or(NONE);
        let is = |wanted: &String| wanted == name || *cut(wanted) == *name;
        self.tools.is_empty() || self.tools.iter().any(is)
    }

    /// Returns `true` if a run called what is asked for.
    fn has_calls(&self, run: &RunEntry) -> bool {
        let has_result = |of: &ToolUse| {
            self.calls.is_empty()
                || self
                    .calls
                    .iter()
                    .any(|it| of.line(*it).is_some())
        };

        let is_one = |of: &ToolUse| self.has_tool(of) && has_result(of);
        let has_none = run.tools.is_empty() && self.calls.is_empty();

        !self.asks_for_calls()
            || run.tools.iter().any(is_one)
            || (has_none
                && self
                    .tools
                    .iter()
                    .any(|wanted| wanted == NONE))
    }

    /// Returns `true` if a run is among those that are asked for of which long texts may be cut;
    /// `whole` reads it again where what was cut decides.
    pub(crate) fn admits_cut(
        &self,
        run: &RunEntry,
        whole: impl FnOnce() -> Option<RunEntry>,
    ) -> bool {
        self.has_values(run)
            && (self.has_parts(run)
                || (run.is_cut && whole().is_some_and(|whole| self.has_parts(&whole))))
    }

    /// Returns `true` if what a run has one of is asked for.
    fn has_values(&self, run: &RunEntry) -> bool {
        let is = |wanted: &str, value: &str| wanted == value || *cut(wanted) == *value;
        let is_one_of = |wanted: &[String], value: Option<&str>| {
            let value = value.unwrap_or(NONE);
            wanted.is_empty() || wanted.iter().any(|it| is(it, value))
        };

        let count = |counted| match counted {
            Tallied::Errors => run.totals.errors,
            Tallied::Warnings => run.totals.warnings,
            Tallied::Unjudged => run.unjudged as u64,
            Tallied::Suppressed => run.suppressed(),
        };

        let ended = run
            .outcome
            .as_deref()
            .or(run.status.as_deref());
        let has_rule = |name: &String| {
            run.rules
                .iter()
                .any(|(rule, _)| names(name, rule))
        };

        let silence = || {
            run.written
                .filter(|_| run.paused.is_none())?
                .elapsed()
                .ok()
        };

        is_one_of(&self.statuses, run.status.as_deref())
            && is_one_of(&self.outcomes, run.outcome.as_deref())
            && is_one_of(&self.ended, ended)
            && is_one_of(&self.tasks, run.task.as_deref())
            && is_one_of(&self.adapters, run.adapter.as_deref())
            && is_one_of(&self.modes, run.mode.as_deref())
            && is_one_of(&self.verdicts, run.verdict.map(Verdict::word))
            && (self.valid.is_empty() || self.valid.contains(&run.valid))
            && (self.rules.is_empty() || self.rules.iter().any(has_rule))
            && (self.has.is_empty()
                || self
                    .has
                    .iter()
                    .any(|counted| count(*counted) > 0))
            && self.has_start(run)
            && self
                .duration
                .as_ref()
                .is_none_or(|range| {
                    run.duration_sec
                        .is_some_and(|value| range.contains(&value))
                })
            && self
                .silent_for
                .is_none_or(|wanted| silence().is_some_and(|silence| silence >= wanted))
    }

    /// Returns `true` if what a run has many of is asked for, and the words are in its texts.
    fn has_parts(&self, run: &RunEntry) -> bool {
        let is_tag = |wanted: &str, (name, value): &(Arc<str>, Arc<str>)| {
            let rest = wanted
                .strip_prefix(&**name)
                .and_then(|it| it.strip_prefix(':'));
            rest == Some(value)
        };

        let has_tag = |wanted: &String| {
            run.tags
                .iter()
                .any(|tag| is_tag(wanted, tag))
        };

        (self.tags.is_empty() || self.tags.iter().any(has_tag))
            && self
                .latencies
                .iter()
                .all(|it| it.is_met(&run.latencies))
            && self
                .metrics
                .iter()
                .all(|it| it.is_met(&run.metrics))
            && self.has_calls(run)
            && have_words(
                [
                    &run.dir,
                    &run.episode_id,
                    run.task.as_deref().unwrap_or_default(),
                ],
                &self.words,
            )
    }

    fn has_start(&self, run: &RunEntry) -> bool {
        if self.since.is_none() && self.until.is_none() && !self.is_undated {
            return true;
        }

        let exact = run
            .started_at
            .as_deref()
            .and_then(Timestamp::parse);
        // A long text may be cut.
        let started = exact.or_else(|| {
            run.started_sec()
                .map(Timestamp::from_unix_seconds)
        });
        let is_late = |since| {
            started
                .as_ref()
                .is_some_and(|at| at >= since)
        };

        let is_early = |until| {
            started
                .as_ref()
                .is_some_and(|at| at < until)
        };

        (!self.is_undated || started.is_none())
            && self.since.as_ref().is_none_or(is_late)
            && self.until.as_ref().is_none_or(is_early)
    }
}

/// Returns the range that is written as `LOW..HIGH`; either may be left out.
pub(crate) fn range(text: &str) -> Result<Range<f64>, &'static str> {
    let wrong = "a range has the form LOW..HIGH, such as 0.5..2";
    let (low, high) = text.split_once("..").ok_or(wrong)?;
    let number = |text: &str, otherwise: f64| match text {
        "" => Ok(otherwise),
        text => {
            let number = text.parse::<f64>().ok();
            number
                .filter(|number| !number.is_nan())
                .ok_or(wrong)
        }
    };

    Ok(number(low, f64::NEG_INFINITY)?..number(high, f64::INFINITY)?)
}

/// Returns `true` if each word is in one of the texts, in upper or lower case.
fn have_words(texts: [&str; 3], words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }

    // No word is found across two texts.
    let text = texts.join("\n");
    // Where no word has a letter outside of ASCII, the case of such letters does not matter.
    let text = if words.iter().all(|word| word.is_ascii()) {
        text.to_ascii_lowercase()
    } else {
        text.to_lowercase()
    };

    words
        .iter()
        .all(|word| text.contains(&**word))
}

#[cfg(test)]
mod tests {
    use super::{have_words, search_words};

    #[test]
    fn word_is_found_in_upper_and_lower_case() {
        for (text, word, is_there) in [
            ("runs/EP_01", "ep_01", true),
            ("eep_01", "ep_01", true),
            ("ep_0", "ep_01", false),
            ("", "e", false),
            ("runs/ep_01\nfind a b", "B EP_0", true),
            ("runs/ep_01\nfind a b", "b ep_2", false),
            ("Überweisung", "überweisung", true),
            ("abc", "ü", false),
        ] {
            let (path, task) = text
                .split_once('\n')
                .unwrap_or((text, ""));
            let is_found = have_words([path, "", task], &search_words(word));
            assert_eq!(is_found, is_there, "{text} {word}");
        }
    }
}
