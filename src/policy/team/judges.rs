//! The declarations of a team, and the events and records of a run -> the findings in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answers::Answers;
use super::events::{EventIndex, EventView};
use super::judge::{Judge, within_room};
use super::order::OrderJudge;
use super::rule::{CountedEvents, Name, RuleJudge, RunValues};
use super::schema::{Judged, SchemaJudge};
use super::vocabulary::VocabularyJudge;
use super::{RunFacts, Team, TeamCheck};
use crate::ground::Own;
use crate::ground::document::Node;
use crate::ground::draft::{Draft, FindingMemory, Findings};
use crate::ground::finding::{Lifecycle, Severity, Skip};
use crate::ground::select::{Written, key_path};
use crate::ground::source::{Artifact, Line, Pointer};

/// The judges of one run: one for each declaration, which knows what it found so far.
///
/// A check copies them for each run before they have judged anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct TeamJudges {
    pub(crate) team: Arc<Team>,
    pub(crate) index: Arc<EventIndex>,
    pub(super) schemas: Vec<SchemaJudge>,
    pub(super) orders: Vec<OrderJudge>,
    /// The room that the groups of orders and rules take.
    room: usize,
    pub(super) rules: Vec<RuleJudge>,
    pub(super) vocabulary: VocabularyJudge,
    /// The places of the phase and of the tool of an event, if a rule names the numbers of events.
    counted_by: Option<[usize; 2]>,
    pub(super) counts: CountedEvents,
    /// Those that look at all runs: here they find nothing.
    across: Arc<BTreeSet<TeamCheck>>,
    /// The ids of those that ask people.
    ids: Arc<BTreeMap<TeamCheck, String>>,
}

/// What a declaration reports on its own, without the id of its rule.
pub(crate) struct Reported {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) skips: Vec<Skip>,
}

impl TeamJudges {
    /// Returns the judges of a team, of which those that some checks need are on; each with whether
    /// people are asked about what it finds.
    pub(crate) fn new(team: &Arc<Team>, checks: impl Iterator<Item = (TeamCheck, bool)>) -> Self {
        let (across, on): (BTreeMap<TeamCheck, bool>, _) =
            checks.partition(|(check, _)| team.is_across(*check));
        let across = across.into_keys().collect();
        Self {
            across: Arc::new(across),
            ..Self::of_checks(team, &on)
        }
    }

    /// Returns the judges of the rules that look at all runs, if there are any.
    pub(crate) fn across(&self) -> Option<Self> {
        let on = self
            .across
            .iter()
            .map(|check| (*check, false));

        (!self.across.is_empty()).then(|| Self {
            across: Arc::clone(&self.across),
            ..Self::of_checks(&self.team, &on.collect())
        })
    }

    /// Returns the rules that look at all runs.
    pub(crate) fn checks_across(&self) -> Vec<TeamCheck> {
        self.across.iter().copied().collect()
    }

    /// Returns `true` if a rule looks at all runs.
    pub(crate) fn is_across(&self, check: TeamCheck) -> bool {
        self.across.contains(&check)
    }

    /// Returns `true` if a rule is about an event.
    pub(crate) fn is_about(&self, check: TeamCheck, event: &EventView<'_>) -> bool {
        match check {
            TeamCheck::Order(at) => self
                .orders
                .own(at)
                .in_events
                .as_ref()
                .is_some_and(|keys| keys.each.has_keys_of(event)),
            TeamCheck::Rule(at) => self.rules.own(at).judges(event),
            TeamCheck::Schema(_) | TeamCheck::Vocabulary => false,
        }
    }

    fn of_checks(team: &Arc<Team>, on: &BTreeMap<TeamCheck, bool>) -> Self {
        let index = &mut EventIndex::default();
        let is_on = |check: TeamCheck| on.contains_key(&check);
        let asks = |check: TeamCheck| on.get(&check) == Some(&true);
        let schemas = team
            .schemas
            .iter()
            .enumerate()
            .map(|(at, it)| SchemaJudge::new(it, is_on(TeamCheck::Schema(at)), index))
            .collect();
        let orders = team
            .orders
            .iter()
            .enumerate()
            .map(|(at, it)| {
                let check = TeamCheck::Order(at);
                let mut judge = OrderJudge::new(it, is_on(check), index);
                judge.answers = asks(check).then(Answers::default);
                judge
            })
            .collect();
        let rules: Vec<RuleJudge> = team
            .rules
            .iter()
            .enumerate()
            .map(|(at, it)| {
                let check = TeamCheck::Rule(at);
                let mut judge = RuleJudge::new(it, is_on(check), index);
                judge.answers = asks(check).then(Answers::default);
                judge
            })
            .collect();
        let has_vocabulary = is_on(TeamCheck::Vocabulary);

        Self {
            vocabulary: VocabularyJudge::new(&team.vocabulary, has_vocabulary, index),
            counted_by: counted_by(&rules, index),
            ids: Arc::new(
                team.ids()
                    .filter(|(check, _)| asks(*check))
                    .collect(),
            ),
            schemas,
            orders,
            rules,
            index: Arc::new(std::mem::take(index)),
            team: Arc::clone(team),
            ..Self::default()
        }
    }

    /// Returns `true` if a rule that is on needs the state or the summary.
    pub(crate) fn reads(&self, record: Artifact) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.is_on && rule.rule.reads(record))
    }

    /// Returns `true` if an order, or a rule of events, is on.
    pub(crate) fn has_rules_of_events(&self) -> bool {
        let has_rule =
            |it: &RuleJudge| it.is_on && (it.rule.each.is_some() || it.rule.counts_events());
        self.orders
            .iter()
            .any(|it| it.in_events.is_some())
            || self.rules.iter().any(has_rule)
    }

    /// Returns `true` if a rule that is on has a name.
    pub(crate) fn names(&self, name: Name) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.is_on && rule.rule.names(name))
    }

    /// Returns the names of the files besides the artifacts that are judged, each with its place
    /// among all.
    pub(crate) fn judged_files(&self) -> impl Iterator<Item = (usize, &Arc<str>)> {
        self.team
            .files
            .iter()
            .enumerate()
            .filter(|(file, _)| self.has_schema_of(Judged::Other(*file)))
    }

    /// Returns `true` if a schema that is on judges something.
    pub(crate) fn has_schema_of(&self, judged: Judged) -> bool {
        self.schemas
            .iter()
            .any(|judge| judge.is_on && judge.schema.record == judged)
    }

    /// Returns the schemas that judge a file besides the artifacts.
    pub(crate) fn of_file(&mut self, file: usize) -> impl Iterator<Item = &mut SchemaJudge> {
        self.on(move |judged| judged == Judged::Other(file))
    }

    /// Returns the schemas that judge an artifact, or parts of it.
    pub(crate) fn of(&mut self, artifact: Artifact) -> impl Iterator<Item = &mut SchemaJudge> {
        self.on(move |judged| judged.artifact() == Some(artifact))
    }

    fn on(&mut self, of: impl Fn(Judged) -> bool) -> impl Iterator<Item = &mut SchemaJudge> {
        self.schemas
            .iter_mut()
            .filter(move |judge| judge.is_on && of(judge.schema.record))
    }

    /// Returns `true` if no event is judged.
    pub(crate) fn judges_no_event(&self) -> bool {
        self.index.is_empty()
    }

    /// Returns `true` if there may be something to find in an event, or to note for those that
    /// follow.
    pub(crate) fn concerns(&self, event: &EventView<'_>) -> bool {
        let is_counted = self.counted_by.is_some() || !self.ids.is_empty();
        is_counted || event.is_named_at_all() || !self.vocabulary.has_all(event)
    }

    /// Judges an event, and notes it for those that follow.
    pub(crate) fn event(&mut self, event: &EventView<'_>, values: &RunValues<'_>) {
        self.event_by_itself(event);
        if !event.is_named_at_all() {
            self.note_answer(event);
            return self.count(event);
        }

        for order in self
            .orders
            .iter_mut()
            .filter(|order| !order.is_stopped())
        {
            if let Some(seen) = order.seen(event) {
                within_room(&mut self.room, order, |it| it.event(&seen, event.text()));
            }
        }

        for rule in self
            .rules
            .iter_mut()
            .filter(|rule| rule.names(event))
        {
            within_room(&mut self.room, rule, |it| it.event(event, values));
        }

        self.note_answer(event);
        self.count(event);
    }

    /// Notes an event that is an answer of a person, or an act that uses one up.
    fn note_answer(&mut self, event: &EventView<'_>) {
        for (check, id) in &*self.ids {
            let answers = match check {
                TeamCheck::Order(at) => &mut self.orders.own_mut(*at).answers,
                TeamCheck::Rule(at) => &mut self.rules.own_mut(*at).answers,
                TeamCheck::Schema(_) | TeamCheck::Vocabulary => continue,
            };

            if let (Some(answers), Some(root)) = (answers, event.root()) {
                answers.note(id, root);
            }
        }
    }

    /// Counts an event, if a rule names the numbers of events.
    pub(super) fn count(&mut self, event: &EventView<'_>) {
        if let Some(keys) = self.counted_by {
            self.counts.add(keys.map(|key| {
                event
                    .value(key)
                    .and_then(Written::string)
            }));
        }
    }

    /// Judges an event as far as no other counts.
    fn event_by_itself(&mut self, event: &EventView<'_>) {
        if event.is_named_at_all() {
            self.schemas
                .iter_mut()
                .for_each(|schema| schema.event(event));
        }

        self.vocabulary.event(event);
    }

    /// Returns judges that know what the next event alone would add. It costs what the rules of
    /// that event do, whatever there is before it. One that is only `asked` about is not to exceed
    /// a limit further.
    pub(crate) fn would(&self, event: &EventView<'_>, values: RunValues<'_>, asked: bool) -> Self {
        let mut next = self.clone();
        next.event_by_itself(event);
        for order in next
            .orders
            .iter_mut()
            .filter(|it| !it.is_of_the_end())
        {
            if let Some(mut seen) = order.seen(event) {
                seen.finds_each |= asked;
                order.judge(&seen, event.text());
            }
        }

        let counts = |rule: &RuleJudge| rule.names(event) && rule.counts_events();
        let counted = next.rules.iter().any(counts).then(|| {
            next.count(event);
            next.counts.documents()
        });
        let counted = counted.as_ref();
        let values = RunValues { counted, ..values };

        for rule in next
            .rules
            .iter_mut()
            .filter(|rule| rule.names(event))
        {
            if next.counts.is_full && rule.counts_events() {
                rule.lacks_counts();
            }
            rule.judge_event(event, &values);
        }

        next
    }

    /// Notes an event for those that follow, as far as [`TeamJudges::would`] asks.
    pub(crate) fn note(&mut self, event: &EventView<'_>) {
        for order in self
            .orders
            .iter_mut()
            .filter(|it| !it.is_of_the_end())
        {
            if let Some(seen) = order.seen(event) {
                order.note(&seen);
            }
        }

        self.rules
            .iter_mut()
            .for_each(|rule| rule.note(event));
        self.note_answer(event);
        self.count(event);
    }

    /// Returns `true` if a declaration is on that may find something in an event by others before
    /// it, of which not only the number or the existence counts.
    pub(crate) fn are_not_simple(&self, event: &EventView<'_>) -> Vec<TeamCheck> {
        let orders = (0..)
            .zip(&self.orders)
            .filter(|(_, order)| {
                order
                    .in_events
                    .as_ref()
                    .is_some_and(|keys| keys.each.has_keys_of(event))
                    && !order.is_simple()
            })
            .map(|(at, _)| TeamCheck::Order(at));
        let rules = (0..)
            .zip(&self.rules)
            .filter(|(_, rule)| rule.judges(event) && !rule.is_simple());

        orders
            .chain(rules.map(|(at, _)| TeamCheck::Rule(at)))
            .collect()
    }

    /// Judges an action that the state is going to have at a place.
    pub(crate) fn action(&mut self, place: &Pointer, action: Node<'_>) {
        for schema in self.on(|judged| judged == Judged::Action) {
            schema.action(place, action);
        }
    }

    /// Judges what is judged once all events are read: events by rules that count them, and the
    /// run.
    pub(crate) fn end(
        &mut self,
        lifecycle: Lifecycle,
        values: RunValues<'_>,
        read_again: impl Fn(Line, &mut Vec<u8>) -> bool,
    ) {
        let counted = self
            .counted_by
            .map(|_| self.counts.documents());
        let counted = counted.as_ref();
        let values = RunValues { counted, ..values };

        for rule in self
            .rules
            .iter_mut()
            .filter(|rule| rule.is_on)
        {
            if self.counts.is_full && rule.counts_events() {
                rule.lacks_counts();
            } else {
                rule.end(lifecycle == Lifecycle::Terminal, &values, &read_again);
            }
        }
    }

    /// Returns the one of a declaration.
    pub(crate) fn judge(&self, check: TeamCheck) -> &dyn Judge {
        match check {
            TeamCheck::Schema(at) => self.schemas.own(at),
            TeamCheck::Order(at) => self.orders.own(at),
            TeamCheck::Rule(at) => self.rules.own(at),
            TeamCheck::Vocabulary => &self.vocabulary,
        }
    }

    /// Returns what one of them reports on the events that were judged; the findings of a whole
    /// run where that is known.
    pub(crate) fn reported(&self, check: TeamCheck, run: Option<&RunFacts<'_>>) -> Reported {
        let mut memory = FindingMemory::new("");
        let (mut drafts, mut skips) = (Vec::new(), Vec::new());
        let severity = Severity::Error;
        let mut findings = Findings::new("", 0, severity, &mut memory, &mut drafts, &mut skips);
        let _ = self
            .judge(check)
            .report(run, &mut findings);

        Reported {
            drafts: drafts
                .into_iter()
                .map(|it| it.draft)
                .collect(),
            skips,
        }
    }

    /// Forgets what orders and rules found, but not what they know of the events so far.
    pub(crate) fn forget_findings(&mut self) {
        self.orders
            .iter_mut()
            .for_each(OrderJudge::forget_findings);
        self.rules
            .iter_mut()
            .for_each(RuleJudge::forget_findings);
    }

    /// Returns what one of them compares in an event, or once for a run, in words, and notes the
    /// event for those that follow; `None` where it is not about that.
    pub(super) fn compared(
        &mut self,
        check: TeamCheck,
        event: Option<&EventView<'_>>,
        values: &RunValues<'_>,
    ) -> Option<Vec<String>> {
        match check {
            TeamCheck::Order(at) => self.orders.own_mut(at).compared(event?),
            TeamCheck::Rule(at) => self
                .rules
                .own_mut(at)
                .compared(event, values),
            TeamCheck::Schema(_) | TeamCheck::Vocabulary => None,
        }
    }
}

/// Returns the places of the phase and of the tool of an event, if a rule names the numbers of
/// events.
fn counted_by(rules: &[RuleJudge], index: &mut EventIndex) -> Option<[usize; 2]> {
    if !rules
        .iter()
        .any(RuleJudge::counts_events)
    {
        return None;
    }

    let [phase, tool] = ["phase", "tool"].map(|word| key_path(word, false));
    Some([index.key(&phase?), index.key(&tool?)])
}
