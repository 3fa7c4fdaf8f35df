//! One run -> the answers to a rule's questions about it, and the reasons for those that lack.

use std::borrow::Cow;

use super::{Check, PlacedRule, TeamCheck};
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::{Lifecycle, MAX_FINDINGS_PER_RULE, Severity, SkipReason};
use crate::ground::source::{Artifact, Place};
use crate::judge::load::{Loaded, LoadedRecord, Trouble};
use crate::reading::facts::{
    EventListener, IdSource, Reach, StateFacts, StrictFacts, SummaryFacts, TimelineFacts,
    UNKNOWN_LIFECYCLE, UNKNOWN_REACH, Usable,
};

/// One run, as a rule sees it, and the findings of the rule in it.
///
/// A question that has no answer is `None`. If the rule can't be judged for that, the reason is
/// added to the skips.
pub(crate) struct Context<'c> {
    loaded: &'c Loaded<'c, 'c>,
    findings: Findings<'c>,
}

impl<'c> Context<'c> {
    /// Creates the context of a run, for one rule after the other.
    pub(in crate::judge) fn new(loaded: &'c Loaded<'c, 'c>, findings: Findings<'c>) -> Self {
        Self { loaded, findings }
    }

    /// Judges the run by a rule; `None` if that had nothing to compare, or could not judge the run.
    pub(in crate::judge) fn judge(
        &mut self,
        of: PlacedRule<'c>,
        severity: Severity,
    ) -> Option<Compared> {
        self.findings.rule = &of.rule.info.id;
        self.findings.rule_index = of.index;
        self.findings.severity = severity;
        (self.findings.count, self.findings.listed) = (0, 0);
        self.findings.rests_on = Some(&[]);

        let compared = match &of.rule.check {
            Check::BuiltIn(check) => check(self),
            Check::Team(check) => self.team(check),
            Check::Hook => None,
        };

        self.findings.close();
        compared
    }

    /// Adds a finding with help or related places.
    pub(in crate::judge) fn push(&mut self, draft: Draft) {
        self.findings.push(draft);
    }

    /// Adds a finding at a place.
    pub(in crate::judge) fn at(&mut self, place: Place, message: impl Into<String>) {
        self.findings.at(place, message);
    }

    /// Adds that the rule could not be checked, or not in full.
    pub(in crate::judge) fn skip(&mut self, reason: &SkipReason) {
        self.findings.skip(reason);
    }

    /// Returns the facts of the state.
    pub(in crate::judge) fn state(&mut self) -> Option<StateFacts<'c>> {
        self.rest_on(&[Artifact::State]);
        self.usable(&self.loaded.run.state)
    }

    /// Returns the facts of the summary.
    pub(in crate::judge) fn summary(&mut self) -> Option<SummaryFacts<'c>> {
        self.rest_on(&[Artifact::Summary]);
        self.usable(&self.loaded.run.summary)
    }

    /// Returns the facts of the timeline. Some of its lines may not be events.
    pub(in crate::judge) fn timeline(&mut self) -> Option<&'c TimelineFacts<'c>> {
        let loaded = self.loaded();
        self.usable(&loaded.run.timeline)
    }

    /// Returns the number of events that could be read, for a message.
    pub(in crate::judge) fn event_count(&self) -> u64 {
        self.loaded
            .run
            .timeline
            .read()
            .map_or(0, |timeline| timeline.kept.tally.events)
    }

    /// Returns the facts of a timeline of which every line is an event, for rules that conclude
    /// something from a count, or from an absence.
    pub(in crate::judge) fn whole_timeline(&mut self) -> Option<&'c TimelineFacts<'c>> {
        let timeline = self.timeline()?;
        match timeline.kept.broken_line {
            None => Some(timeline),
            Some(line) => self.lacks(&SkipReason::no_event(line.number)),
        }
    }

    /// Returns the line of a whole timeline up to which the state is compared with it.
    pub(in crate::judge) fn reach(&mut self) -> Option<(&'c TimelineFacts<'c>, Reach)> {
        let timeline = self.whole_timeline()?;
        match timeline.reach() {
            Some(reach) => Some((timeline, reach)),
            None => self.lacks(&UNKNOWN_REACH),
        }
    }

    /// Returns the facts of every event, for a rule that [reads](super::OnDemand) them. The events
    /// that were read of a timeline before it failed count.
    pub(in crate::judge) fn every_event(&mut self) -> Option<&'c StrictFacts> {
        self.timeline();
        self.loaded.run.strict
    }

    /// Returns `true` if the run has ended, for rules that can't do without the answer.
    pub(in crate::judge) fn has_ended(&mut self) -> Option<bool> {
        match self.lifecycle() {
            Lifecycle::Terminal => Some(true),
            Lifecycle::NonTerminal => Some(false),
            Lifecycle::Unknown => self.lacks(&UNKNOWN_LIFECYCLE),
        }
    }

    /// Returns `None` unless the run has ended, for rules about runs that have.
    pub(in crate::judge) fn must_have_ended(&mut self) -> Option<()> {
        self.has_ended()?.then_some(())
    }

    /// Returns the lifecycle of the run, known or not.
    pub(in crate::judge) fn lifecycle(&mut self) -> Lifecycle {
        self.loaded().run.stage.lifecycle
    }

    /// Returns the id of the episode, and its source.
    pub(in crate::judge) fn id(&mut self) -> Option<&'c (Cow<'c, str>, IdSource)> {
        self.loaded().run.stage.id.as_ref()
    }

    /// Returns `true` if the episode has an artifact.
    pub(in crate::judge) fn has(&mut self, artifact: Artifact) -> bool {
        self.loaded()
            .run
            .stage
            .entries
            .has(artifact)
    }

    /// Returns the state or the summary as it was loaded.
    pub(in crate::judge) fn record(&mut self, artifact: Artifact) -> &'c LoadedRecord<'c> {
        let loaded = self.loaded();
        match artifact {
            Artifact::Summary => loaded.summary,
            _ => loaded.state,
        }
    }

    /// Returns the value of a source, if it is usable; if it is not, adds the reason.
    pub(in crate::judge) fn usable<T: Copy>(&mut self, usable: &Usable<T>) -> Option<T> {
        match usable {
            Usable::Read(value) => Some(*value),
            Usable::NotDue => None,
            Usable::Unjudged(reason) => self.lacks(reason),
        }
    }

    /// Returns all that was loaded.
    pub(in crate::judge) fn loaded(&mut self) -> &'c Loaded<'c, 'c> {
        self.findings.rests_on = None;
        self.loaded
    }

    /// Adds the troubles that a function words: those of this rule. All troubles of one sort belong
    /// to one rule. Their findings rest on their artifacts alone, unless the rule has asked for the
    /// whole run before.
    pub(in crate::judge) fn troubles(&mut self, word: impl Fn(&Trouble) -> Option<Draft>) {
        let asked = self.findings.rests_on;
        for troubles in &self.loaded.troubles.by_sort {
            let before = self.findings.count;
            for draft in troubles.met.iter().filter_map(&word) {
                self.findings.rests_on = asked.and(rests_on_place(&draft.place));
                self.findings.push(draft);
            }
            if self.findings.count > before {
                self.findings.more(troubles.more);
            }
        }

        self.findings.rests_on = asked;
    }

    /// Adds a finding for each difference. Those beyond the number that is listed are counted.
    pub(in crate::judge) fn differences<D>(
        &mut self,
        word: fn(D) -> Draft,
        compare: impl FnOnce(&mut EventListener<'_, D>),
    ) {
        let left = MAX_FINDINGS_PER_RULE.saturating_sub(self.findings.count);
        let mut push = |difference| self.findings.push(word(difference));
        let mut differences = EventListener::new(left, &mut push);
        compare(&mut differences);
        let rest = differences.rest();
        self.findings.more(rest);
    }

    /// Judges a declaration of a team.
    fn team(&mut self, check: &TeamCheck) -> Option<Compared> {
        let before = self.findings.drafts.len();
        let compared = check.judge(self.loaded, &mut self.findings);
        for drafted in self
            .findings
            .drafts
            .iter_mut()
            .skip(before)
        {
            drafted.draft.rests_on = rests_on_place(&drafted.draft.place);
        }

        compared
    }

    /// Adds why the rule can't be judged.
    fn lacks<T>(&mut self, reason: &SkipReason) -> Option<T> {
        self.findings.skip(reason);
        None
    }

    /// Notes that findings from here on rest on the state or the summary.
    fn rest_on(&mut self, record: &'static [Artifact]) {
        let rests_on = &mut self.findings.rests_on;
        *rests_on = rests_on.map(|so_far| match (so_far, record) {
            ([], _) => record,
            ([one], [other]) if one == other => record,
            _ => &[Artifact::State, Artifact::Summary],
        });
    }
}

/// Returns the artifacts that a finding rests on, as far as its place alone shows.
fn rests_on_place(place: &Place) -> Option<&'static [Artifact]> {
    if place.elsewhere.is_some() {
        return None;
    }

    Some(match place.artifact {
        Artifact::State => &[Artifact::State],
        Artifact::Summary => &[Artifact::Summary],
        // Whether a last line may still be written depends on the state.
        Artifact::Events => &[Artifact::State, Artifact::Events],
        Artifact::Learn => &[Artifact::Learn],
        Artifact::Manifest => &[Artifact::Manifest],
    })
}
