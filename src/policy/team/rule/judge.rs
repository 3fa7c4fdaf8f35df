//! The events and the records of a run -> what a rule in the expression language finds in it.

mod counted;
mod verdict;

use std::sync::Arc;

pub(in crate::policy::team) use counted::CountedEvents;
use verdict::{RuleVerdict, verdict};

use super::earlier::{Earlier, EarlierKeys, Group, GroupedEvents, group_of};
use super::{NAMES, RunValues, TeamRule};
use crate::ground::document::Tape;
use crate::ground::draft::Draft;
use crate::ground::finding::{Lifecycle, SkipKind, SkipReason};
use crate::ground::printable::{brief, shortened};
use crate::ground::select::KeyPath;
use crate::ground::source::{Artifact, Line, Place, Pointer};
use crate::policy::expression::{Budget, Expression, Record, Value};
use crate::policy::team::RunFacts;
use crate::policy::team::answers::{Answer, Answers};
use crate::policy::team::events::{EventIndex, EventSelector, EventView};
use crate::policy::team::judge::Found;
use crate::policy::team::limit::{MAX_LATER, TeamLimit};
use crate::policy::team::message::MessageWord;
use crate::policy::team::selector::Truth;
use crate::reading::facts::UNKNOWN_LIFECYCLE;

/// The reason for an event that is not judged.
const UNREADABLE: SkipReason =
    SkipReason::new(SkipKind::Unreadable, "events.jsonl can't be read again");

/// The characters of a message that an expression makes.
const MESSAGE_CHARS: usize = 1_000;

/// A rule, and what it finds in one run.
#[derive(Clone, Debug)]
pub(in crate::policy) struct RuleJudge {
    pub(in crate::policy::team) rule: Arc<TeamRule>,
    pub(in crate::policy::team) is_on: bool,
    /// If it is on, the selector of the events that it judges, if it does.
    each: Option<EventSelector>,
    /// The places of what it asks of earlier events.
    keys: Arc<EarlierKeys>,
    /// The place of the values by which events are grouped.
    group: Option<usize>,
    /// What it asks of the events so far; shared by those who only ask about one.
    earlier: Arc<Earlier>,
    budget: Budget,
    found: Found,
    /// The limit that kept it from judging all.
    spent: Option<TeamLimit>,
    /// The reason why nothing is judged.
    unmet: Option<SkipReason>,
    /// The events that are judged once all are read.
    later: Vec<Line>,
    /// The answers of people to what it asks, if it asks.
    pub(in crate::policy::team) answers: Option<Answers>,
}

impl RuleJudge {
    pub(in crate::policy::team) fn new(
        rule: &Arc<TeamRule>,
        is_on: bool,
        index: &mut EventIndex,
    ) -> Self {
        let each = rule.each.as_ref().filter(|_| is_on);
        let mut keys = EarlierKeys::default();
        if is_on {
            for expression in rule.when.iter().chain([&rule.check]) {
                index.paths(expression, NAMES.len() - 1);
            }

            let other = index.group(&rule.same.other);
            keys.asked = rule
                .earlier
                .iter()
                .zip(rule.check.folds())
                .map(|(selector, fold)| GroupedEvents {
                    group: match &*fold.pointers {
                        [] => other,
                        own => index.group(own),
                    },
                    selector: index.selector(selector),
                })
                .collect();
            keys.since = rule
                .since
                .as_ref()
                .map(|since| GroupedEvents {
                    selector: index.selector(since),
                    group: other,
                });
            keys.time = rule
                .within
                .and(KeyPath::parse("/timestamp"))
                .map(|time| index.key(&time));
        }

        Self {
            each: each.map(|each| index.selector(each)),
            keys: Arc::new(keys),
            group: is_on.then(|| index.group(&rule.same.each)),
            earlier: Arc::default(),
            rule: Arc::clone(rule),
            is_on,
            budget: Budget::of_run(),
            found: Found::default(),
            spent: None,
            unmet: None,
            later: Vec::new(),
            answers: None,
        }
    }

    /// Returns `true` if the keys of a selector of it name an event.
    pub(in crate::policy::team) fn names(&self, event: &EventView<'_>) -> bool {
        self.each
            .iter()
            .chain(self.asked())
            .any(|selector| selector.has_keys_of(event))
    }

    /// Returns `true` if its keys may name an event that it judges.
    pub(in crate::policy::team) fn judges(&self, event: &EventView<'_>) -> bool {
        self.each
            .as_ref()
            .is_some_and(|each| each.has_keys_of(event))
    }

    /// Returns the selectors of other events than those that it judges.
    fn asked(&self) -> impl Iterator<Item = &EventSelector> {
        self.keys
            .asked
            .iter()
            .chain(&self.keys.since)
            .map(|events| &events.selector)
    }

    /// Returns `true` if it is on and can be judged only once all events are read.
    pub(in crate::policy::team) fn counts_events(&self) -> bool {
        self.is_on && self.rule.counts_events()
    }

    /// Notes that the numbers of events are not known.
    pub(in crate::policy::team) fn lacks_counts(&mut self) {
        self.spent = Some(TeamLimit::Words);
    }

    /// Judges an event, now or, where it counts events, later; and notes it for those that follow.
    pub(in crate::policy::team) fn event(&mut self, event: &EventView<'_>, values: &RunValues<'_>) {
        self.slide(event);
        self.judge_event(event, values);
        self.add(event);

        if self.spent.is_some() {
            self.earlier = Arc::default();
        }
    }

    /// Forgets what it found.
    pub(in crate::policy::team) fn forget_findings(&mut self) {
        self.found = Found::default();
    }

    /// Leaves out the earlier events that are too old for an event that it judges.
    fn slide(&mut self, event: &EventView<'_>) {
        let (Some(each), Some(key)) = (&self.each, self.keys.time) else {
            return;
        };
        if self.spent.is_some() || each.ask(event, &mut self.budget) != Ok(Truth::Yes) {
            return;
        }

        if let Some(now) = event.time(key) {
            let group = self.group(event);
            let earlier = Arc::make_mut(&mut self.earlier);
            self.spent = earlier
                .slide(&self.rule, group, &now, &mut self.budget)
                .err();
        }
    }

    /// Judges an event by those before it, now or, where it counts events, later.
    pub(in crate::policy::team) fn judge_event(
        &mut self,
        event: &EventView<'_>,
        values: &RunValues<'_>,
    ) {
        let answer = self
            .answers
            .as_ref()
            .map(|answers| answers.about(event.text()));
        if answer == Some(Answer::Yes) {
            return;
        }

        let clause = answer.map_or("", Answer::clause);
        let each = self
            .each
            .as_ref()
            .filter(|_| self.spent.is_none());

        match each.map(|each| each.ask(event, &mut self.budget)) {
            None | Some(Ok(Truth::No)) => {}
            Some(Ok(Truth::Yes)) => self.judge_named(event, values, clause),
            Some(Ok(Truth::Unknown(unjudged))) => {
                let place = match unjudged.at {
                    Some(_) => Place::event(event.line, ""),
                    None => self
                        .rule
                        .place(Some(event.line), event.root()),
                };
                self.found
                    .add(|| unjudged.draft(&Pointer::default(), place));
            }
            Some(Err(spent)) => self.spent = Some(spent),
        }
    }

    /// Notes an event for those that follow.
    pub(in crate::policy::team) fn note(&mut self, event: &EventView<'_>) {
        self.slide(event);
        self.add(event);
    }

    fn add(&mut self, event: &EventView<'_>) {
        let is_asked_for = self
            .asked()
            .any(|it| it.has_keys_of(event));
        if self.spent.is_none() && is_asked_for {
            let earlier = Arc::make_mut(&mut self.earlier);
            self.spent = earlier
                .add(&self.rule, &self.keys, event, &mut self.budget)
                .err();
        }
    }

    /// Returns the group of an event.
    fn group(&self, event: &EventView<'_>) -> Group {
        self.group.map_or(Group::All, |group| {
            group_of(event, group, &self.rule.same.each)
        })
    }

    /// Returns the values of earlier events for an event.
    fn folded(
        &mut self,
        event: &EventView<'_>,
    ) -> Result<Vec<Result<Value<'static>, String>>, TeamLimit> {
        if self.rule.earlier.is_empty() {
            return Ok(Vec::new());
        }

        let (group, now) = (
            self.group(event),
            self.keys
                .time
                .and_then(|key| event.time(key)),
        );

        self.earlier
            .values(&self.rule, group, now.as_ref(), &mut self.budget)
    }

    fn judge_named(&mut self, event: &EventView<'_>, values: &RunValues<'_>, clause: &str) {
        let line = event.line;
        if self.rule.counts_events() && values.counted.is_none() {
            if self.later.len() < MAX_LATER {
                self.later.push(line);
            } else {
                self.spent = Some(TeamLimit::Events);
            }
            return;
        }

        let has_time = self
            .keys
            .time
            .is_none_or(|key| event.time(key).is_some());

        match self.folded(event) {
            Ok(folded) => self.judge(Some((line, event)), values, &folded, (has_time, clause)),
            Err(spent) => self.spent = Some(spent),
        }
    }

    /// Returns what it compares in an event, or once for a run, in words, and notes the event for
    /// those that follow.
    pub(in crate::policy::team) fn compared(
        &mut self,
        event: Option<&EventView<'_>>,
        values: &RunValues<'_>,
    ) -> Option<Vec<String>> {
        let is_about = match (event, &self.each) {
            (Some(event), Some(each)) => each.ask(event, &mut Budget::of_run()) == Ok(Truth::Yes),
            (event, each) => event.is_none() && each.is_none(),
        };

        let rule = Arc::clone(&self.rule);
        let told = is_about.then(|| {
            let folded = event
                .and_then(|event| self.folded(event).ok())
                .unwrap_or_default();
            let bound = rule.bound(event.map(|event| event as &dyn Record), values);
            [("when", rule.when.as_ref()), ("check", Some(&rule.check))]
                .into_iter()
                .flat_map(|(key, expression)| {
                    let told =
                        |it: &Expression| it.compared(key, &bound, &folded, &mut Budget::of_run());
                    expression.map(told).unwrap_or_default()
                })
                .collect()
        });

        if let Some(event) = event {
            self.note(event);
        }

        told
    }

    /// Judges what is judged once all events are read: those that it counts, and the run.
    pub(in crate::policy::team) fn end(
        &mut self,
        has_ended: bool,
        values: &RunValues<'_>,
        read_again: &impl Fn(Line, &mut Vec<u8>) -> bool,
    ) {
        if self.rule.each.is_none() && (has_ended || !self.rule.needs_end) {
            self.judge(None, values, &[], (true, ""));
        }

        let (mut bytes, mut tape) = (Vec::new(), Tape::default());
        for line in std::mem::take(&mut self.later) {
            let is_read = read_again(line, &mut bytes);
            match tape
                .read_record(&bytes)
                .ok()
                .filter(|_| is_read)
            {
                Some(document) => {
                    self.judge(Some((line, &document.root())), values, &[], (true, ""));
                }
                None => self.unmet = Some(UNREADABLE),
            }
        }
    }

    /// Judges an event, or the run: whether an event has the instant that it needs, and what a
    /// finding says of the answer of a person.
    fn judge(
        &mut self,
        event: Option<(Line, &dyn Record)>,
        values: &RunValues<'_>,
        folded: &[Result<Value<'static>, String>],
        (has_time, clause): (bool, &str),
    ) {
        let rule = &*self.rule;
        if self.spent.is_some() {
            return;
        }

        if let Some(reason) = rule.unmet(values) {
            self.unmet = Some(reason.clone());
            return;
        }

        let (line, event) = event.unzip();
        if let Some(event) = event {
            self.budget.add_record(event);
        }

        let record = || event.map_or_else(|| rule.record(values), Record::node);
        let bound = rule.bound(event, values);
        match verdict(rule, &bound, folded, has_time, &mut self.budget) {
            Err(spent) => self.spent = Some(spent),
            Ok(RuleVerdict::NotAsked) => {}
            Ok(RuleVerdict::Sound) => self.found.examined = true,
            Ok(RuleVerdict::Unjudged(why)) => self.found.add(|| {
                let message = shortened(&why, MESSAGE_CHARS);
                Draft::new(rule.place(line, record()), message)
                    .further([why.as_bytes()])
                    .unjudged()
            }),
            Ok(RuleVerdict::Wrong(text)) => self.found.add(|| {
                let value = || record().and_then(|record| rule.at.of(record));
                let shown = |word| match word {
                    MessageWord::Value => value().map(|value| brief(value.raw())),
                    _ => None,
                };
                let message = match &text {
                    Some(text) => shortened(text, MESSAGE_CHARS),
                    None => rule.message.with(shown),
                } + clause;
                Draft::new(rule.place(line, record()), message)
                    .further(text.as_deref().map(str::as_bytes))
            }),
        }
    }

    /// Returns why it can't judge a run.
    fn cannot_judge(&self, run: &RunFacts<'_>) -> Option<SkipReason> {
        if self.rule.needs_end && run.lifecycle == Lifecycle::Unknown {
            return Some(UNKNOWN_LIFECYCLE);
        }

        if self.rule.each.is_some() || self.rule.counts_events() {
            if let Some(reason) = (run.unjudged)(Artifact::Events) {
                return Some(reason);
            }
            if let Some(line) = run
                .broken_line
                .filter(|_| self.rule.counts_events())
            {
                return Some(SkipReason::no_event(line.number));
            }
        }

        self.unmet.clone()
    }
}
