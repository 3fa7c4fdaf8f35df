//! What a rule is: data and one pure function from facts to findings.

mod memory;
mod team;

use std::borrow::Cow;

use crate::facts::{Run, Stage, StateFacts, SummaryFacts, TimelineFacts};
use crate::finding::{Level, MAX_FINDINGS_PER_RULE, RuleInfo, Severity, Skip, SkipReason};
use crate::load::{Loaded, Trouble};
use crate::source::{Artifact, Place, Target};
pub(crate) use memory::FindingMemory;
pub(crate) use team::TeamCheck;

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

/// Whether a rule had anything to compare, findings or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Compared {
    Something,
    Nothing,
}

impl Compared {
    pub(crate) const fn when(any: bool) -> Self {
        if any { Self::Something } else { Self::Nothing }
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

/// What a rule says of a place, before the place is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) place: Place,
    pub(crate) message: String,
    /// Replaces the rule's hint.
    pub(crate) help: Option<String>,
    pub(crate) related: Vec<(Place, String)>,
    /// What identifies the finding in addition to the texts at its places, such as the number
    /// of lines that it stands for. It is a part of the fingerprint, so that who accepts a finding
    /// accepts no more than that.
    pub(crate) besides: String,
    /// Places that it may follow from, shown as related. They are not part of the fingerprint: a
    /// finding stays the same when its cause is found.
    pub(crate) causes: Vec<(Place, String)>,
}

impl Draft {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            help: None,
            related: Vec::new(),
            besides: String::new(),
            causes: Vec::new(),
        }
    }

    pub(crate) fn besides(mut self, besides: &(impl ToString + ?Sized)) -> Self {
        self.besides = besides.to_string();
        self
    }

    pub(crate) fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    pub(crate) fn causes(mut self, causes: Vec<(Place, String)>) -> Self {
        self.causes = causes;
        self
    }

    pub(crate) fn related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related.push((place, message.into()));
        self
    }
}

/// A rule of a check, and its place among them.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) index: usize,
}

/// A finding of a rule before its place is looked up.
pub(crate) struct Drafted {
    /// The place of the rule among those of the check.
    pub(crate) rule_index: usize,
    pub(crate) severity: Severity,
    pub(crate) draft: Draft,
}

/// Collects the findings of one rule.
pub(crate) struct Findings<'f> {
    pub(crate) of: Placed<'f>,
    pub(crate) severity: Severity,
    /// The number of findings of this rule in this episode so far.
    pub(crate) count: usize,
    /// How many of them are listed.
    pub(crate) listed: usize,
    pub(crate) memory: &'f mut FindingMemory,
    pub(crate) drafts: &'f mut Vec<Drafted>,
    pub(crate) skips: &'f mut Vec<Skip>,
}

impl<'f> Findings<'f> {
    /// Those of a rule that has found nothing in the episode yet.
    pub(crate) fn new(
        of: Placed<'f>,
        severity: Severity,
        memory: &'f mut FindingMemory,
        drafts: &'f mut Vec<Drafted>,
        skips: &'f mut Vec<Skip>,
    ) -> Self {
        Self {
            of,
            severity,
            count: 0,
            listed: 0,
            memory,
            drafts,
            skips,
        }
    }

    /// Adds a finding at a place.
    pub(crate) fn at(&mut self, place: Place, message: impl Into<String>) {
        self.push(Draft::new(place, message));
    }

    /// Adds a finding with help or related places.
    pub(crate) fn push(&mut self, draft: Draft) {
        self.count += 1;
        if self.memory.take(&draft, self.listed) {
            self.listed += 1;
            self.add(draft);
        }
    }

    fn add(&mut self, draft: Draft) {
        self.drafts.push(Drafted {
            rule_index: self.of.index,
            severity: self.severity,
            draft,
        });
    }

    /// Adds that the rule could not be checked, or not in full.
    pub(crate) fn skip(&mut self, reason: &SkipReason) {
        self.skips.push(Skip::new(&*self.of.rule.info.id, reason));
    }

    /// The number of findings that are still listed.
    pub(crate) fn left_to_list(&self) -> usize {
        MAX_FINDINGS_PER_RULE.saturating_sub(self.count)
    }

    /// Counts findings that are not listed.
    pub(crate) fn more(&mut self, count: usize) {
        self.count += count;
    }

    /// Adds how many findings are not listed.
    pub(crate) fn close(mut self) {
        let untold = self.count - self.listed;
        if let (1.., Some(last)) = (untold, self.drafts.last()) {
            let whole = Place {
                line: None,
                target: Target::Whole,
                ..last.draft.place.clone()
            };
            let file = whole.file_name();
            let message = format!("{file}: {untold} more findings of this rule are not listed");
            let draft = Draft::new(whole, message).besides(&untold);
            self.add(draft);
        }
    }
}
