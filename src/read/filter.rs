//! What is asked for of many runs, and one of them -> whether it is among them.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memchr::memmem::Finder;

use super::RunEntry;
use crate::finding::{Lifecycle, NONE};
use crate::rules::names;
use crate::store;
use crate::timestamp::Timestamp;
use crate::words::words;

/// Which runs to list: those that meet each condition. A condition that holds several values is met
/// by any of them, and one that holds none is met by each run. `(none)` stands for a value that a
/// run lacks.
#[derive(Clone, Debug, Default)]
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
    /// What ended the run: the outcome, or else the status.
    pub(crate) ended: Vec<String>,
    /// What executed the run.
    pub adapters: Vec<String>,
    pub(crate) modes: Vec<String>,
    /// Tags as `key:value`; a run has one of them.
    pub tags: Vec<String>,
    /// Rules and groups such as `plan/*`; one of them has a finding.
    pub(crate) rules: Vec<String>,
    /// Whether it is valid.
    pub(crate) valid: Vec<Option<bool>>,
    /// The words of verdicts.
    pub(crate) verdicts: Vec<String>,
    /// What a run has at least one of.
    pub(crate) has: Vec<Tallied>,
    /// The duration in seconds.
    pub(crate) duration: Option<Range>,
    /// The name of a latency, and its milliseconds.
    pub(crate) latency: Option<(String, Range)>,
    /// The name of a metric, and its value.
    pub(crate) metric: Option<(String, Range)>,
    /// All of these words are in the id, the directory or the task.
    pub(crate) words: Words,
    /// Runs in progress of which no file was written for this long.
    pub silent_for: Option<Duration>,
}

/// A name that many runs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facet {
    Status,
    Outcome,
    Adapter,
    Mode,
    Verdict,
}

/// What a check counts in a run.
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

/// What a filter looks at in a run. What is not known of it is absent.
pub(crate) trait Listed {
    fn facet(&self, facet: Facet) -> Option<&str>;
    /// The directory, the id and the task.
    fn texts(&self) -> [&str; 3];
    fn started(&self) -> Option<Timestamp>;
    fn duration_sec(&self) -> Option<f64>;
    fn valid(&self) -> Option<bool>;
    fn tags(&self) -> impl Iterator<Item = &str>;
    fn latency(&self, _name: &str) -> Option<f64> {
        None
    }
    fn metric(&self, _name: &str) -> Option<f64> {
        None
    }
    /// For how long no file was written, of a run in progress.
    fn silence(&self) -> Option<Duration> {
        None
    }
    /// The rules that have findings.
    fn rules(&self) -> impl Iterator<Item = &str>;
    fn count(&self, counted: Tallied) -> u64;
}

/// An entry of a list, with what only filters look at.
#[derive(Debug)]
pub(crate) struct DescribedRun {
    pub(crate) path: PathBuf,
    pub(crate) entry: RunEntry,
    pub(crate) adapter: Option<String>,
    pub(crate) mode: Option<String>,
    /// As `key:value`.
    pub(crate) tags: Vec<String>,
}

impl Listed for DescribedRun {
    fn facet(&self, facet: Facet) -> Option<&str> {
        match facet {
            Facet::Adapter => self.adapter.as_deref(),
            Facet::Mode => self.mode.as_deref(),
            Facet::Verdict => None,
            Facet::Status => self.entry.status.as_deref(),
            Facet::Outcome => self.entry.outcome.as_deref(),
        }
    }

    fn texts(&self) -> [&str; 3] {
        let task = self.entry.task.as_deref().unwrap_or_default();
        [&self.entry.dir, &self.entry.episode_id, task]
    }

    fn started(&self) -> Option<Timestamp> {
        let started = self.entry.started_at.as_deref();
        started.and_then(Timestamp::parse)
    }

    fn duration_sec(&self) -> Option<f64> {
        self.entry.duration_sec
    }

    fn valid(&self) -> Option<bool> {
        self.entry.valid
    }

    fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str)
    }

    fn rules(&self) -> impl Iterator<Item = &str> {
        self.entry.first_error.as_deref().into_iter()
    }

    fn count(&self, counted: Tallied) -> u64 {
        u64::from(counted == Tallied::Errors && self.entry.first_error.is_some())
    }

    fn silence(&self) -> Option<Duration> {
        if self.entry.lifecycle != Lifecycle::NonTerminal {
            return None;
        }
        store::last_written(&self.path)?.elapsed().ok()
    }
}

impl RunFilter {
    /// Reads a time as a person writes it: a date-time of RFC 3339, a date, `today`, `yesterday`,
    /// or a length before now, such as `90s`, `15m`, `1h` or `7d`, also with a `-` before it. What
    /// has no offset is in UTC; a date is its first instant.
    ///
    /// # Errors
    ///
    /// What was expected, for any other text.
    pub fn time(text: &str) -> Result<Timestamp, &'static str> {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since_1970.map_or(0, |since| since.as_secs());
        let now = Timestamp::from_unix_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
        Timestamp::given(text, &now).ok_or(Timestamp::FORMS)
    }

    /// Only runs whose id, directory or task contain these words, in upper or lower case.
    pub fn search(&mut self, words: &str) {
        self.words = Words::of(words);
    }

    /// Whether each run meets it, whatever its records say.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            statuses,
            outcomes,
            since,
            until,
            is_undated,
            ended,
            adapters,
            modes,
            tags,
            rules,
            valid,
            verdicts,
            has,
            duration,
            latency,
            metric,
            words,
            silent_for,
        } = self;
        let names = [
            statuses, outcomes, ended, adapters, modes, tags, rules, verdicts,
        ];
        names.into_iter().all(Vec::is_empty)
            && since.is_none()
            && until.is_none()
            && !is_undated
            && valid.is_empty()
            && has.is_empty()
            && duration.is_none()
            && latency.is_none()
            && metric.is_none()
            && words.finders.is_empty()
            && silent_for.is_none()
    }

    /// Reads a length of time such as `90s`, `15m`, `1h` or `7d`.
    ///
    /// # Errors
    ///
    /// What was expected, for any other text.
    pub fn silence(text: &str) -> Result<Duration, &'static str> {
        let seconds =
            crate::timestamp::length(text).and_then(|seconds| u64::try_from(seconds).ok());
        let seconds = seconds.ok_or("expected a length of time such as 90s, 15m, 1h or 7d")?;
        Ok(Duration::from_secs(seconds))
    }

    /// Whether a run in any form is among those that are asked for.
    pub(crate) fn admits(&mut self, run: &impl Listed) -> bool {
        let is_one_of = |wanted: &[String], value: Option<&str>| {
            wanted.is_empty() || wanted.iter().any(|it| it == value.unwrap_or(NONE))
        };
        let is_any_of = |wanted: &[String], is_met: &dyn Fn(&str) -> bool| {
            wanted.is_empty() || wanted.iter().any(|it| is_met(it))
        };
        let status = run.facet(Facet::Status);
        let outcome = run.facet(Facet::Outcome);
        is_one_of(&self.statuses, status)
            && is_one_of(&self.outcomes, outcome)
            && is_one_of(&self.ended, outcome.or(status))
            && is_one_of(&self.adapters, run.facet(Facet::Adapter))
            && is_one_of(&self.modes, run.facet(Facet::Mode))
            && is_one_of(&self.verdicts, run.facet(Facet::Verdict))
            && (self.valid.is_empty() || self.valid.contains(&run.valid()))
            && is_any_of(&self.tags, &|tag| run.tags().any(|known| known == tag))
            && is_any_of(&self.rules, &|name| {
                run.rules().any(|rule| names(name, rule))
            })
            && (self.has.is_empty() || self.has.iter().any(|counted| run.count(*counted) > 0))
            && self.has_start(run)
            && self
                .duration
                .is_none_or(|range| run.duration_sec().is_some_and(|value| range.has(value)))
            && self
                .latency
                .as_ref()
                .is_none_or(|(name, range)| run.latency(name).is_some_and(|value| range.has(value)))
            && self
                .metric
                .as_ref()
                .is_none_or(|(name, range)| run.metric(name).is_some_and(|value| range.has(value)))
            && self.words.are_in(run.texts())
            && self
                .silent_for
                .is_none_or(|wanted| run.silence().is_some_and(|silence| silence >= wanted))
    }

    fn has_start(&self, run: &impl Listed) -> bool {
        if self.since.is_none() && self.until.is_none() && !self.is_undated {
            return true;
        }
        let started = run.started();
        let is_late = |since| started.as_ref().is_some_and(|at| at >= since);
        let is_early = |until| started.as_ref().is_some_and(|at| at < until);
        (!self.is_undated || started.is_none())
            && self.since.as_ref().is_none_or(is_late)
            && self.until.as_ref().is_none_or(is_early)
    }
}

/// The numbers from the first one on and below the second one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range(f64, f64);

impl Range {
    /// The range that is written as `LOW..HIGH`; either may be left out.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        let wrong = "a range has the form LOW..HIGH, such as 0.5..2";
        let (low, high) = text.split_once("..").ok_or(wrong)?;
        let number = |text: &str, otherwise: f64| match text {
            "" => Ok(otherwise),
            text => text.parse::<f64>().map_err(|_| wrong),
        };
        Ok(Self(
            number(low, f64::NEG_INFINITY)?,
            number(high, f64::INFINITY)?,
        ))
    }

    fn has(self, value: f64) -> bool {
        value >= self.0 && value < self.1
    }
}

/// Words that are looked for in many texts, in upper or lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    finders: Vec<Finder<'static>>,
    /// Whether a word has a letter outside of ASCII: else the case of such letters does not matter.
    is_beyond_ascii: bool,
    /// The texts in lower case.
    lower: String,
}

impl Words {
    /// The words of a text, which are separated by blanks.
    pub(crate) fn of(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_lowercase);
        Self {
            finders: words.map(|word| Finder::new(&word).into_owned()).collect(),
            is_beyond_ascii: !text.is_ascii(),
            lower: String::new(),
        }
    }

    /// Whether each word is in one of the texts.
    fn are_in(&mut self, texts: [&str; 3]) -> bool {
        if self.finders.is_empty() {
            return true;
        }
        self.lower.clear();
        for text in texts {
            if self.is_beyond_ascii {
                self.lower.push_str(&text.to_lowercase());
            } else {
                self.lower.push_str(text);
            }
            // No word is found across two texts.
            self.lower.push('\n');
        }
        if !self.is_beyond_ascii {
            self.lower.make_ascii_lowercase();
        }
        let mut finders = self.finders.iter();
        finders.all(|finder| finder.find(self.lower.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

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
            let (path, task) = text.split_once('\n').unwrap_or((text, ""));
            let is_found = Words::of(word).are_in([path, "", task]);
            assert_eq!(is_found, is_there, "{text} {word}");
        }
    }
}
