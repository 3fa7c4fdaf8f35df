//! What a rule is: data and one pure function from facts to findings.

mod team;

use std::borrow::Cow;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, Stage, StateFacts, SummaryFacts, TimelineFacts};
use crate::finding::{Level, RuleInfo};
use crate::load::{Loaded, Trouble};
use crate::source::Artifact;
pub(crate) use crate::team::TeamCheck;

/// A rule: its name and level, and how it is checked.
pub(crate) struct Rule {
    /// The data about the rule.
    pub info: RuleInfo,
    /// The function that checks the rule.
    pub(crate) check: Check,
    /// Records that the rule reads in addition to those of its check. If one can't be read, the
    /// rule is checked with the rest, and the report says what could not be checked.
    pub(crate) reads: &'static [Record],
    /// Conditions without which the rule is not checked at all.
    pub(crate) needs: &'static [Need],
    /// Keys and phases of events: where one of them is misspelled, a finding may follow from that.
    pub(crate) follows_from: &'static [&'static str],
    /// The phase of the event that a finding about a whole file misses.
    pub(crate) misses: Option<&'static str>,
}

/// What there is to know about a built-in rule, see [`RuleInfo`], and how it is checked.
pub(crate) struct BuiltIn {
    pub(crate) id: &'static str,
    pub(crate) level: Level,
    pub(crate) title: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) page: &'static str,
    pub(crate) check: Check,
}

impl Rule {
    pub(crate) const fn new(rule: BuiltIn) -> Self {
        let info = RuleInfo {
            id: Cow::Borrowed(rule.id),
            level: rule.level,
            title: Cow::Borrowed(rule.title),
            hint: Cow::Borrowed(rule.hint),
            page: Cow::Borrowed(rule.page),
            url: None,
            tags: Vec::new(),
        };
        Self::with_info(info, rule.check)
    }

    pub(crate) const fn with_info(info: RuleInfo, check: Check) -> Self {
        Self {
            info,
            check,
            reads: &[],
            needs: &[],
            follows_from: &[],
            misses: None,
        }
    }

    pub(crate) const fn reads(mut self, records: &'static [Record]) -> Self {
        self.reads = records;
        self
    }

    pub(crate) const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    pub(crate) const fn follows_from(mut self, words: &'static [&'static str]) -> Self {
        self.follows_from = words;
        self
    }

    pub(crate) const fn misses(mut self, phase: &'static str) -> Self {
        self.misses = Some(phase);
        self
    }

    /// The artifacts that the findings in an artifact depend on; `None` for the whole episode.
    pub(crate) fn rests_on(&self, artifact: Artifact) -> Option<&'static [Artifact]> {
        let is_by_itself = self.reads.is_empty() && self.needs.is_empty();
        match (&self.check, artifact) {
            (Check::Loading(..) | Check::Team(_), Artifact::State) => Some(&[Artifact::State]),
            (Check::Loading(..) | Check::Team(_), Artifact::Summary) => Some(&[Artifact::Summary]),
            // Whether a last line may still be written depends on the state.
            (Check::Loading(..) | Check::Team(_), Artifact::Events) => {
                Some(&[Artifact::State, Artifact::Events])
            }
            (Check::Loading(..) | Check::Team(_), Artifact::Learn) => Some(&[Artifact::Learn]),
            // A manifest is held against any files.
            (Check::Loading(..), Artifact::Manifest)
                if self.reads.contains(&Record::NamedFiles) =>
            {
                None
            }
            (Check::Loading(..) | Check::Team(_), Artifact::Manifest) => {
                Some(&[Artifact::Manifest])
            }
            (Check::Summary(_), _) if is_by_itself => Some(&[Artifact::Summary]),
            (Check::Records(_), _) if is_by_itself => Some(&[Artifact::State, Artifact::Summary]),
            _ => None,
        }
    }
}

/// What a rule sees, and the function that checks it.
pub(crate) enum Check {
    /// A trouble that loading met; returns a finding if the trouble belongs to this rule. The other
    /// function says whether there was anything that could be such a trouble.
    Loading(fn(&Trouble) -> Option<Draft>, Examined),
    /// The state record.
    State(fn(StateFacts<'_>, &Stage<'_>, &mut Findings<'_>) -> Compared),
    /// The summary record.
    Summary(fn(SummaryFacts<'_>, &mut Findings<'_>) -> Compared),
    /// Both records.
    Records(fn(StateFacts<'_>, SummaryFacts<'_>, &mut Findings<'_>) -> Compared),
    /// The state record and the timeline.
    StateTimeline(
        fn(StateFacts<'_>, &TimelineFacts<'_>, &Stage<'_>, &mut Findings<'_>) -> Compared,
    ),
    /// The summary record and the timeline.
    SummaryTimeline(fn(SummaryFacts<'_>, &TimelineFacts<'_>, &mut Findings<'_>) -> Compared),
    /// What a team declares.
    Team(TeamCheck),
    /// What the other rules say of a run.
    Coverage,
    /// Everything.
    Run(fn(&Run<'_>, &mut Findings<'_>) -> Compared),
}

impl Check {
    /// The records without which a rule is not checked at all.
    pub(crate) const fn records(&self) -> &'static [Record] {
        match self {
            Self::Loading(..) | Self::Team(_) | Self::Coverage | Self::Run(_) => &[],
            Self::State(_) => &[Record::State],
            Self::Summary(_) => &[Record::Summary],
            Self::Records(_) => &[Record::State, Record::Summary],
            Self::StateTimeline(_) => &[Record::State, Record::Timeline],
            Self::SummaryTimeline(_) => &[Record::Summary, Record::Timeline],
        }
    }
}

/// Whether loading examined anything for a rule.
pub(crate) type Examined = fn(&Loaded<'_, '_>) -> Compared;

/// A record that rules read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    State,
    Summary,
    Timeline,
    /// The state, validated against its schema.
    StateShape,
    /// The summary, validated against its schema.
    SummaryShape,
    /// What every event says, see [`StrictFacts`](crate::facts::StrictFacts). This and what follows
    /// is read only where a rule that is on reads it.
    EveryEvent,
    /// The ids of all events.
    EventIds,
    /// The lines of `learn.jsonl`.
    LearnLines,
    /// `manifest.json`, and the files that it names.
    NamedFiles,
}

/// A condition without which a rule can't be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The records say whether the run has ended.
    Lifecycle,
    /// Every line of the timeline is an event.
    WholeTimeline,
    /// In a run that may not have ended, an event dates its snapshot.
    Reach,
}

impl Need {
    pub(crate) const ALL: [Self; 3] = [Self::Lifecycle, Self::WholeTimeline, Self::Reach];
}

/// A rule of a check, and its place among them.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) index: usize,
}
