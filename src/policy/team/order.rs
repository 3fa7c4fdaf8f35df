//! An order that a team declares, and the events of a run -> what it finds in them.

mod automaton;
mod findings;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use automaton::{Automaton, Demand, Offence, OrderPattern};

use super::answers::{Answer, Answers};
use super::events::{EventIndex, EventSelector, EventView};
use super::example::RunExample;
use super::limit::TeamLimit;
use super::message::{MessageTemplate, MessageWord};
use super::reader::Sides;
use super::selector::{TeamSelector, Truth, is_agent, leads_to_outcome};
use crate::ground::digest::Digest;
use crate::ground::document::skip_whitespace;
use crate::ground::finding::{Holds, MAX_FINDINGS_PER_RULE};
use crate::ground::printable::{brief, count as count_of};
use crate::ground::select::KeyPath;
use crate::ground::source::Line;
use crate::policy::expression::Budget;

pub(in crate::policy) use automaton::OrderEvent;
pub(crate) use table::OrderTable;

/// An order of events.
#[derive(Debug)]
pub(crate) struct TeamOrder {
    /// The events that it is about.
    pub(in crate::policy) each: TeamSelector,
    /// The other events that the pattern speaks of.
    pub(in crate::policy) other: Option<TeamSelector>,
    pub(in crate::policy) pattern: OrderPattern,
    /// The places of the values by which events are grouped.
    pub(super) same: Sides,
    /// The events after the latest of which others count.
    pub(in crate::policy) since: Option<TeamSelector>,
    /// The events that close earlier ones.
    pub(in crate::policy) until: Option<TeamSelector>,
    /// The places of the values by which they do.
    pub(super) pair: Sides,
    /// The time in attoseconds within which other events count.
    pub(in crate::policy) within: Option<i128>,
    /// `true` if it looks at all runs together.
    pub(super) is_across: bool,
    /// `true` if a person is asked about what it finds.
    pub(super) asks: bool,
    pub(in crate::policy) message: MessageTemplate,
    pub(in crate::policy) examples: Vec<RunExample>,
}

/// The places of what an order asks of events, among those of all declarations.
#[derive(Clone, Debug)]
pub(super) struct OrderKeys {
    pub(super) each: EventSelector,
    pub(super) other: Option<EventSelector>,
    since: Option<EventSelector>,
    until: Option<EventSelector>,
    /// The places of the values by which events are grouped: in those that it is about, and in the
    /// others.
    groups: [usize; 2],
    /// The same of those by which they are paired.
    pairs: [usize; 2],
    /// The instant of an event, if the order asks for it.
    time: Option<usize>,
}

/// An order, and what it knows and finds of one run.
#[derive(Clone, Debug)]
pub(super) struct OrderJudge {
    order: Arc<TeamOrder>,
    /// The places of what it asks of events, if it is on.
    pub(super) in_events: Option<Arc<OrderKeys>>,
    /// Its memory of the events so far; shared by those who only ask.
    automaton: Arc<Automaton>,
    /// The offences that are listed, and the number of the rest.
    offences: Vec<Offence>,
    more: usize,
    /// Of events in a row, the latest offence of each group, and the length of the row of each.
    latest: BTreeMap<Option<Digest>, Line>,
    rows: BTreeMap<Line, u64>,
    /// The values by which events are grouped, as messages show them, if the order's message does.
    shown: BTreeMap<Digest, String>,
    /// `true` if it saw an event that it is about.
    examined: bool,
    budget: Budget,
    /// The limit that kept it from judging all.
    stopped: Option<TeamLimit>,
    /// The answers of people to what it asks, if it asks.
    pub(super) answers: Option<Answers>,
}

impl TeamOrder {
    /// Returns `true` if what it finds in an act depends on the end of that, where `of` says so of
    /// a selector.
    fn depends(&self, of: impl Fn(&TeamSelector) -> bool) -> bool {
        let is_of_two = self.pattern == OrderPattern::NoneLater;
        let other = self
            .other
            .as_ref()
            .filter(|_| is_of_two);
        let same_of_others = self
            .same
            .other
            .iter()
            .filter(|_| is_of_two);
        let mut pointers = (self.same.each.iter())
            .chain(&self.pair.each)
            .chain(same_of_others);

        of(&self.each) || other.is_some_and(of) || pointers.any(leads_to_outcome)
    }

    /// Returns when it finds something.
    fn holds(&self) -> Holds {
        match self.pattern.is_of_the_end() || self.is_across {
            true => Holds::End,
            false if self.depends(TeamSelector::reads_outcome) => Holds::After,
            false => Holds::Before,
        }
    }

    /// Returns its selectors, each with its key.
    pub(super) fn selectors(&self) -> Vec<(&'static str, &TeamSelector)> {
        [
            ("each", Some(&self.each)),
            ("other", self.other.as_ref()),
            ("since", self.since.as_ref()),
            ("until", self.until.as_ref()),
        ]
        .into_iter()
        .filter_map(|(key, selector)| Some((key, selector?)))
        .collect()
    }

    /// Returns `true` if it groups or pairs events by who made them.
    pub(super) fn names_agent(&self) -> bool {
        [
            &self.same.each,
            &self.same.other,
            &self.pair.each,
            &self.pair.other,
        ]
        .into_iter()
        .flatten()
        .any(is_agent)
    }

    /// Returns `true` if it bans the events that it is about.
    pub(super) fn bans(&self) -> bool {
        self.pattern == OrderPattern::Never || self.pattern.is_ban()
    }
}

impl OrderJudge {
    pub(super) fn new(order: &Arc<TeamOrder>, is_on: bool, index: &mut EventIndex) -> Self {
        let in_events = is_on
            .then(|| OrderKeys {
                each: index.selector(&order.each),
                other: order
                    .other
                    .as_ref()
                    .map(|it| index.selector(it)),
                since: order
                    .since
                    .as_ref()
                    .map(|it| index.selector(it)),
                until: order
                    .until
                    .as_ref()
                    .map(|it| index.selector(it)),
                groups: [&order.same.each, &order.same.other].map(|it| index.group(it)),
                pairs: [&order.pair.each, &order.pair.other].map(|it| index.group(it)),
                time: (order
                    .within
                    .and(KeyPath::parse("/timestamp")))
                .map(|key| index.key(&key)),
            })
            .map(Arc::new);
        let demand = Demand {
            pattern: order.pattern,
            is_grouped: !order.same.each.is_empty(),
            within: order.within,
            has_since: order.since.is_some(),
            has_until: order.until.is_some(),
            is_paired: !order.pair.each.is_empty(),
        };

        Self {
            automaton: Arc::new(Automaton::new(demand)),
            order: Arc::clone(order),
            in_events,
            offences: Vec::new(),
            more: 0,
            latest: BTreeMap::new(),
            rows: BTreeMap::new(),
            shown: BTreeMap::new(),
            examined: false,
            budget: Budget::of_run(),
            stopped: None,
            answers: None,
        }
    }

    /// Returns the selector of other events, if the order has one.
    fn other(&self) -> Option<&EventSelector> {
        self.in_events
            .as_ref()?
            .other
            .as_ref()
            .filter(|_| !self.counts_rows())
    }

    /// Returns `true` if it counts events in a row, which any other act ends.
    fn counts_rows(&self) -> bool {
        matches!(self.order.pattern, OrderPattern::AtMostInARow(_))
    }

    /// Returns what it sees of an event; `None` where it does not name that, or is stopped.
    pub(super) fn seen(&mut self, event: &EventView<'_>) -> Option<OrderEvent> {
        let asks = self.in_events.as_ref()?;
        let others = [&asks.other, &asks.since, &asks.until].map(Option::as_ref);
        let mut selectors = others
            .into_iter()
            .flatten()
            .chain([&asks.each]);
        if !selectors.any(|selector| selector.has_keys_of(event)) {
            return None;
        }

        let budget = &mut self.budget;
        let mut ask = |selector: &EventSelector| selector.ask(event, budget);
        let answers = others.map(|it| it.map_or(Ok(Truth::No), &mut ask));
        let (each, [other, since, until]) = match (ask(&asks.each), answers) {
            (Ok(each), [Ok(other), Ok(since), Ok(until)]) => (each, [other, since, until]),
            (Err(spent), _) | (_, [Err(spent), ..] | [_, Err(spent), _] | [.., Err(spent)]) => {
                self.stopped.get_or_insert(spent);
                return None;
            }
        };

        let pattern = self.order.pattern;
        // What nobody can tell is what is stricter.
        let is_it = |answer: &Truth, if_unknown: bool| match answer {
            Truth::Unknown(_) => if_unknown,
            known => *known == Truth::Yes,
        };

        let is_other = is_it(&other, pattern.is_ban());
        let is_since = is_it(&since, pattern == OrderPattern::NeedsEarlier);
        let is_until = is_it(&until, false);
        let is_each = each != Truth::No;
        if !(is_each || is_other || is_since || is_until) {
            return None;
        }

        let [own, others] = asks.groups;
        Some(OrderEvent {
            line: event.line,
            is_each,
            is_other,
            is_since,
            is_until,
            same: match pattern {
                // A finding about a group keeps it.
                OrderPattern::AtLeast(_) => event.meaning(own),
                _ => event.group(own),
            },
            same_of_others: event.group(others),
            pair: event.group(asks.pairs[0]),
            pair_of_others: event.group(asks.pairs[1]),
            time: asks
                .time
                .and_then(|key| event.time(key)),
            unknown: match each {
                Truth::Unknown(unjudged) => Some(Box::new(unjudged)),
                _ => None,
            },
            finds_each: self.answers.is_some(),
        })
    }

    /// Judges an event of a text by what it sees of that, and notes it for those that follow.
    pub(super) fn event(&mut self, seen: &OrderEvent, text: &[u8]) {
        if self.stopped.is_none() {
            self.judge(seen, text);
            self.note(seen);
            if self.stopped.is_some() {
                Arc::make_mut(&mut self.automaton).forget();
            }
        }
    }

    /// Judges an event of a text by those before it, as far as offences beyond the listed ones are
    /// only counted; keeps the values by which it is grouped if an offence may show them.
    pub(super) fn judge(&mut self, seen: &OrderEvent, text: &[u8]) {
        let mut offences = self.automaton.offences(seen);
        if let (Some(answers), false) = (&self.answers, offences.is_empty()) {
            match answers.about(text) {
                Answer::Yes => offences.clear(),
                answer => offences
                    .iter_mut()
                    .for_each(|it| it.answer = Some(answer)),
            }
        }

        self.examined |= seen.is_each;
        let may_show = self.is_of_the_end() || !offences.is_empty();
        if let Some(same) = seen.same
            && may_show
            && self
                .order
                .message
                .names(MessageWord::Same)
        {
            self.shown
                .entry(same)
                .or_insert_with(|| {
                    let start = skip_whitespace(text, 0);
                    let text = str::from_utf8(text).unwrap_or_default();
                    self.order
                        .same
                        .each
                        .iter()
                        .map(|same| brief(same.in_text(0, text, start).of(text)))
                        .collect::<Vec<_>>()
                        .join(", ")
                });
        }

        if self.counts_rows() {
            self.measure_row(seen, !offences.is_empty());
        }

        self.offences.extend(offences);
        self.more += self
            .offences
            .len()
            .saturating_sub(MAX_FINDINGS_PER_RULE);
        self.offences
            .truncate(MAX_FINDINGS_PER_RULE);
    }

    /// Notes how long the row is that an event goes on with, if an offence is about that row.
    fn measure_row(&mut self, seen: &OrderEvent, begins: bool) {
        let length = self.automaton.count(seen.same) + 1;
        let limit = self
            .order
            .pattern
            .limit()
            .unwrap_or_default();
        if !seen.is_each || seen.unknown.is_some() || length <= limit {
            return;
        }

        if begins {
            self.latest.insert(seen.same, seen.line);
            if self.rows.len() < MAX_FINDINGS_PER_RULE {
                self.rows.insert(seen.line, length);
            }
        } else if let Some(row) = self
            .latest
            .get(&seen.same)
            .and_then(|it| self.rows.get_mut(it))
        {
            *row = length;
        }
    }

    /// Returns `true` if a limit keeps it from judging later events.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Forgets what it found.
    pub(super) fn forget_findings(&mut self) {
        (self.offences, self.more) = (Vec::new(), 0);
    }

    /// Notes an event for those that follow.
    pub(super) fn note(&mut self, seen: &OrderEvent) {
        if self.stopped.is_none() {
            self.stopped = Arc::make_mut(&mut self.automaton)
                .note(seen)
                .err();
        }
    }

    /// Returns `true` if only the end of a run breaks it.
    pub(super) fn is_of_the_end(&self) -> bool {
        self.order.pattern.is_of_the_end()
    }

    /// Returns what it sees of an event and compares that with, in words, and notes the event for
    /// those that follow.
    pub(super) fn compared(&mut self, event: &EventView<'_>) -> Option<Vec<String>> {
        let seen = self.seen(event)?;
        let roles = [
            ("`each`", seen.is_each),
            ("`other`", seen.is_other && self.other().is_some()),
            ("`since`", seen.is_since),
            ("`until`", seen.is_until),
        ];
        let roles = roles
            .iter()
            .filter(|(_, is)| *is)
            .map(|(role, _)| *role);
        let role = match &*roles.collect::<Vec<_>>() {
            [] => "another act, which ends the row".to_owned(),
            roles => roles.join(" and "),
        };

        let mut told = vec![role];
        let time = self
            .order
            .within
            .and(KeyPath::parse("/timestamp"));
        let same = &self.order.same;
        let same = if seen.is_each {
            &same.each
        } else {
            &same.other
        };

        told.extend(same.iter().chain(&time).map(|path| {
            let value = event
                .root()
                .and_then(|root| path.of(root))
                .map_or("no value".to_owned(), |it| brief(it.raw()));
            format!("{} = {value}", path.pointer().as_str())
        }));

        let group = if seen.is_each {
            seen.same
        } else {
            seen.same_of_others
        };

        let (count, last) = self.automaton.known(group);
        let mut known = String::new();
        if !self.order.same.each.is_empty() {
            known.push_str("with these values ");
        }
        if self.counts_rows() {
            known.push_str("in the row ");
        }

        known = known + "before it: " + &count_of(count, "event") + " of `each`";
        if self.other().is_some() {
            let last = last.map_or("none".to_owned(), |it| format!("line {}", it.number));
            known = known + "; the latest of `other`: " + &last;
        }

        if seen.is_each || !self.counts_rows() {
            told.push(known);
        }

        self.note(&seen);
        Some(told)
    }
}
