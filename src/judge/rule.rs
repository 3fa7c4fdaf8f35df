//! A run -> the findings of a rule, which is data and one function.

mod context;
mod team;

use std::borrow::Cow;

pub(super) use crate::ground::draft::{Compared, Draft};
use crate::ground::finding::RuleInfo;
pub(super) use crate::ground::finding::{Level, Lifecycle};
pub(super) use crate::ground::source::{Artifact, Place, Pointer};
use crate::policy::team::Team;
pub(crate) use crate::policy::team::TeamCheck;
use crate::reading::facts::Stage;
pub(crate) use context::Context;

/// A rule: its name and level, and how it is checked.
pub(crate) struct Rule {
    /// The data about the rule.
    pub info: RuleInfo,
    /// The check of the rule.
    pub(crate) check: Check,
    /// The data that is read for the rule in addition to that which is always read.
    pub(super) reads: &'static [OnDemand],
    /// Keys and phases of events: where one of them is misspelled, a finding may follow from that.
    pub(super) follows_from: &'static [&'static str],
    /// The phase of the event that a finding about a whole file misses.
    pub(super) misses: Option<&'static str>,
    /// The runs that it applies to.
    pub(super) subject: Subject,
}

/// The runs that a rule applies to: in others it has nothing to judge, whatever they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    EveryRun,
    EndedRuns,
    RunsInProgress,
    /// Those that have ended, or have a summary.
    Summaries,
    /// All, if the team declares vocabularies.
    Vocabularies,
    /// None: the rule is about calls before they are made.
    NoRuns,
}

impl Subject {
    /// Returns `true` if a run belongs to it. One of which it is unknown whether it has ended may.
    pub(super) fn has(self, run: &Stage<'_>, team: &Team) -> bool {
        match self {
            Self::EveryRun => true,
            Self::EndedRuns => run.lifecycle != Lifecycle::NonTerminal,
            Self::RunsInProgress => run.lifecycle != Lifecycle::Terminal,
            Self::Summaries => Self::EndedRuns.has(run, team) || run.entries.has(Artifact::Summary),
            Self::Vocabularies => team.has_vocabulary(),
            Self::NoRuns => false,
        }
    }
}

/// A built-in rule: its data, see [`RuleInfo`], and the function that judges.
#[derive(Clone, Copy)]
pub(super) struct BuiltIn {
    pub(super) id: &'static str,
    pub(super) level: Level,
    pub(super) title: &'static str,
    pub(super) hint: &'static str,
    pub(super) page: &'static str,
    pub(super) check: fn(&mut Context<'_>) -> Option<Compared>,
}

/// The check of a rule.
pub(crate) enum Check {
    /// By a function, which returns `None` if it had nothing to compare or could not judge the run.
    BuiltIn(fn(&mut Context<'_>) -> Option<Compared>),
    /// By a declaration of a team.
    Team(TeamCheck),
    /// By the hook of an agent alone.
    Hook,
}

/// Data that is read only where a rule that is on needs it.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnDemand {
    /// The content of every event, see [`StrictFacts`](crate::reading::facts::StrictFacts).
    EveryEvent,
    /// The ids of all events.
    EventIds,
    /// The lines of `learn.jsonl`.
    LearnLines,
    /// `manifest.json`, and the files that it names.
    NamedFiles,
    /// `manifest.json`, and the names of all files of the run.
    AllFiles,
    /// The times of all act events.
    DatedActs,
    /// The digests that projection events give of the timeline before them.
    Prefixes,
    /// The repeated keys of all events.
    RepeatedKeys,
}

impl Rule {
    pub(super) const fn new(rule: BuiltIn) -> Self {
        let info = RuleInfo {
            id: Cow::Borrowed(rule.id),
            level: rule.level,
            title: Cow::Borrowed(rule.title),
            hint: Cow::Borrowed(rule.hint),
            page: Cow::Borrowed(rule.page),
            url: None,
            tags: Vec::new(),
            holds: None,
        };

        Self::with_info(info, Check::BuiltIn(rule.check))
    }

    pub(super) const fn with_info(info: RuleInfo, check: Check) -> Self {
        Self {
            info,
            check,
            reads: &[],
            follows_from: &[],
            misses: None,
            subject: Subject::EveryRun,
        }
    }

    pub(super) const fn applies_to(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    pub(super) const fn reads(mut self, reads: &'static [OnDemand]) -> Self {
        self.reads = reads;
        self
    }

    pub(super) const fn follows_from(mut self, words: &'static [&'static str]) -> Self {
        self.follows_from = words;
        self
    }

    pub(super) const fn misses(mut self, phase: &'static str) -> Self {
        self.misses = Some(phase);
        self
    }
}

/// A rule of a check, and its place among them.
#[derive(Clone, Copy)]
pub(super) struct PlacedRule<'r> {
    pub(super) rule: &'r Rule,
    pub(super) index: usize,
}
