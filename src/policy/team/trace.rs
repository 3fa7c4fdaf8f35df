//! A declaration and the events of a run -> what it matches and compares, as lines for its author.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::events::{EventSelector, EventText, EventView};
use super::judges::TeamJudges;
use super::rule::RunValues;
use super::selector::Truth;
use super::{Team, TeamCheck};
use crate::ground::document::Node;
use crate::ground::printable::{brief_json, count};
use crate::ground::select::{Look, Selector};
use crate::ground::source::Line;
use crate::policy::expression::Budget;

/// The number of lines, and of other values, that are listed for a selector.
const MAX_LISTED: usize = 10;

/// The number of different values that are counted for a test.
const MAX_VALUES: usize = 1_000;

/// The number of lines about what was compared.
const MAX_TOLD: usize = 500;

/// A declaration, and what it matches and compares in the events so far.
pub(crate) struct Trace {
    judges: TeamJudges,
    check: TeamCheck,
    selectors: Vec<TracedSelector>,
    events: u64,
    told: Vec<String>,
    /// The number of lines beyond [`MAX_TOLD`].
    left_out: usize,
}

/// A test of a selector.
struct TracedTest {
    /// The selector that has this test alone.
    alone: Selector,
    /// The numbers of the values that it does not name.
    others: BTreeMap<String, u64>,
}

/// A selector, and what it matches.
struct TracedSelector {
    key: &'static str,
    selector: EventSelector,
    lines: Vec<String>,
    matched: u64,
    /// The comparisons of its condition in events that only this keeps out, each as a line.
    refused: Vec<String>,
    tests: Vec<TracedTest>,
    /// The whole of them.
    keys: Selector,
    /// The events that a key passes over, as it leads nowhere or to another type, by the reason.
    passed_over: BTreeMap<String, Vec<u64>>,
}

impl Trace {
    pub(crate) fn new(team: &Arc<Team>, check: TeamCheck) -> Self {
        let judges = TeamJudges::new(team, std::iter::once(team.as_declared(check)));
        let judges = judges.across().unwrap_or(judges);
        let traced = judges
            .judge(check)
            .selectors()
            .into_iter()
            .map(|(key, selector, _)| {
                let keys = judges.index.tests(selector).clone();
                TracedSelector {
                    key,
                    tests: keys
                        .tests
                        .iter()
                        .map(|test| TracedTest {
                            alone: Selector {
                                tests: vec![test.clone()],
                            },
                            others: BTreeMap::new(),
                        })
                        .collect(),
                    keys,
                    passed_over: BTreeMap::new(),
                    selector: selector.clone(),
                    lines: Vec::new(),
                    matched: 0,
                    refused: Vec::new(),
                }
            });

        Self {
            selectors: traced.collect(),
            judges,
            check,
            events: 0,
            told: Vec::new(),
            left_out: 0,
        }
    }

    /// Counts an event for rules that compare these numbers: all events, before any is traced.
    pub(crate) fn count(&mut self, event: Node<'_>) {
        let index = Arc::clone(&self.judges.index);
        let event = index.view(Line::BEFORE_ALL, EventText::Parsed(event));
        self.judges.count(&event);
    }

    /// Traces an event, or, without one, what is judged once for a run.
    pub(crate) fn add(&mut self, event: Option<(u64, Node<'_>)>, values: RunValues<'_>) {
        let counted = self.judges.counts.documents();
        let values = RunValues {
            counted: Some(&counted),
            ..values
        };

        let index = Arc::clone(&self.judges.index);
        let event = event.map(|(number, root)| {
            let line = Line {
                number,
                ..Line::BEFORE_ALL
            };
            index.view(line, EventText::Parsed(root))
        });
        if let Some(event) = &event {
            self.events += 1;
            self.selectors
                .iter_mut()
                .for_each(|it| it.add(event));
        }

        let compared = self
            .judges
            .compared(self.check, event.as_ref(), &values);
        let about = event.map_or("the run".to_owned(), |it| {
            format!("line {}", it.line.number)
        });
        let mut start = format!("{about}: ");

        for line in compared.unwrap_or_default() {
            self.told
                .push(std::mem::replace(&mut start, "    ".to_owned()) + &line);
        }

        self.left_out += self.told.len().saturating_sub(MAX_TOLD);
        self.told.truncate(MAX_TOLD);
    }

    /// Returns all of it, line by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let selectors = self
            .selectors
            .iter()
            .flat_map(|selector| selector.shown(self.events));
        let more = Some(self.left_out)
            .filter(|more| *more > 0)
            .map(|more| format!("… and {more} more lines like these"));
        let told = self.told.iter().cloned().chain(more);
        selectors.chain(told).collect()
    }
}

impl TracedSelector {
    fn add(&mut self, event: &EventView<'_>) {
        let Some(root) = event.root() else { return };
        for TracedTest { alone, others } in &mut self.tests {
            if alone.names(root) != Ok(true) {
                let found = alone
                    .tests
                    .first()
                    .map(|(path, _)| path.look(root));
                let shown = match found {
                    Some(Look::Value(value)) => brief_json(value.raw()),
                    Some(Look::Shortened { .. }) => "a shortened value".to_owned(),
                    _ => "no value".to_owned(),
                };

                if others.len() < MAX_VALUES || others.contains_key(&shown) {
                    *others.entry(shown).or_default() += 1;
                }
            }
        }

        if let Some((at, why)) = self.keys.passes_over(root) {
            let why = format!("`{}` {why}", at.as_str());
            self.passed_over
                .entry(why)
                .or_default()
                .push(event.line.number);
        }

        if self
            .selector
            .ask(event, &mut Budget::of_run())
            == Ok(Truth::Yes)
        {
            self.matched += 1;
            self.lines
                .push(event.line.number.to_string());
            self.lines.truncate(MAX_LISTED);
        } else if let Some(condition) = self.selector.condition(event)
            && self.selector.has_keys_of(event)
            && self.refused.len() <= MAX_LISTED
        {
            let compared = condition.compared(event).join("; ");
            let shown = format!("    line {}: {compared}", event.line.number);
            let is_last = self.refused.len() == MAX_LISTED;
            self.refused
                .push(if is_last { "    …".to_owned() } else { shown });
        }
    }

    fn shown(&self, events: u64) -> Vec<String> {
        let list = |shown: Vec<String>, all: usize| {
            let more = if all > MAX_LISTED { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };

        let at = list(
            self.lines.clone(),
            usize::try_from(self.matched).unwrap_or(usize::MAX),
        );
        let at = match &*at {
            "" => String::new(),
            at => format!(", at line {at}"),
        };
        let (key, matched, events) = (self.key, self.matched, count(events, "event"));
        let first = format!("`{key}` matches {matched} of {events}{at}");
        let tests = self
            .tests
            .iter()
            .map(|TracedTest { alone, others }| {
                let mut frequent: Vec<(&String, &u64)> = others.iter().collect();
                frequent.sort_by_key(|(_, number)| Reverse(**number));
                let shown = frequent
                    .iter()
                    .take(MAX_LISTED)
                    .map(|(value, number)| format!("{value} ({number})"));
                let shown = list(shown.collect(), others.len());
                let shown = match &*shown {
                    "" => "no other values".to_owned(),
                    shown => format!("other values are {shown}"),
                };

                let at = alone
                    .tests
                    .first()
                    .map(|(path, _)| path.pointer())
                    .unwrap_or_default();
                format!("    {}: {shown}", at.as_str())
            });
        let passed_over = self
            .passed_over
            .iter()
            .map(|(why, lines)| {
                let shown = lines
                    .iter()
                    .take(MAX_LISTED)
                    .map(u64::to_string);
                let shown = list(shown.collect(), lines.len());
                format!("    passed over, as {why}: line {shown}")
            });
        let refused = self.refused.iter().cloned();

        std::iter::once(first)
            .chain(tests)
            .chain(passed_over)
            .chain(refused)
            .collect()
    }
}
