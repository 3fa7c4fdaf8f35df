//! An event -> the values and the selectors that declarations ask of it.
//!
//! Paths and selectors that many declarations share are followed once for an event.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::digest::Digest;
use crate::document::{Meanings, Node};
use crate::expression::Budget;
use crate::facts::{EventFacts, EventSlot, Value as FactValue};
use crate::select::{Indexed, KeyPath, Keys, Values, place};
use crate::source::{Line, Pointer};

use super::instant::Instant;
use super::selector::{Condition, TeamSelector, TooManySteps, Truth};

/// The keys and selectors of all declarations that judge events.
#[derive(Debug, Default)]
pub(crate) struct EventIndex {
    keys: Keys,
    selectors: Vec<Indexed>,
    /// The tests of each selector that need nothing but what is kept of each event.
    quick: Vec<Vec<(EventSlot, Arc<Values>)>>,
    /// A flag for each selector: `true` if it has named an event.
    met: Vec<AtomicBool>,
    /// `true` if any event was looked at.
    has_looked: AtomicBool,
}

impl EventIndex {
    /// Returns the selector with the place of its tests among those of all.
    pub(super) fn selector(&mut self, selector: &TeamSelector) -> EventSelector {
        let indexed = self.keys.indexed(&selector.keys);
        let place = place(&mut self.selectors, &indexed);
        if place == self.quick.len() {
            let quick = indexed.0.iter().filter_map(|(key, values)| {
                let slot = self.keys.path(*key).and_then(slot_of)?;
                Some((slot, Arc::clone(values)))
            });
            self.quick.push(quick.collect());
        }
        self.met
            .resize_with(self.selectors.len(), AtomicBool::default);
        EventSelector {
            place,
            condition: selector.condition.clone(),
        }
    }

    /// Returns the place of a key among all.
    pub(super) fn key(&mut self, key: &KeyPath) -> usize {
        self.keys.place(key)
    }

    /// Returns the tests of a selector, each with its pointer and the place of its key.
    pub(super) fn tests(&self, selector: &EventSelector) -> Vec<(Pointer, usize, Arc<Values>)> {
        let tests = self.selectors.get(selector.place).map(|it| &*it.0);
        let tests = tests.unwrap_or_default().iter();
        tests
            .filter_map(|(key, values)| {
                Some((self.keys.path(*key)?.pointer(), *key, Arc::clone(values)))
            })
            .collect()
    }

    /// Returns `true` if no declaration judges events.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.selectors.is_empty()
    }

    /// Returns `true` if a selector may name an event.
    pub(super) fn may_name(&self, event: EventFacts<'_>) -> bool {
        let passes = |(slot, values): &(EventSlot, Arc<Values>)| {
            let value = event.value(*slot);
            value.is_some_and(|value| is_one_of(value, values))
        };
        raise(&self.has_looked);
        self.quick.iter().any(|tests| tests.iter().all(passes))
    }

    /// Notes which selectors name an event.
    fn note(&self, named: impl Iterator<Item = (usize, bool)>) {
        let named = named.filter(|(_, is_named)| *is_named);
        let met = named.filter_map(|(at, _)| self.met.get(at));
        std::iter::once(&self.has_looked).chain(met).for_each(raise);
    }

    /// Returns `true` if events were looked at, and a selector named none of them.
    pub(crate) fn has_missed(&self, selector: &EventSelector) -> bool {
        let is_met = self.met.get(selector.place);
        self.has_looked.load(Ordering::Relaxed)
            && is_met.is_some_and(|met| !met.load(Ordering::Relaxed))
    }

    /// Looks at an event.
    pub(crate) fn view<'a>(&'a self, line: Line, root: Node<'a>) -> EventView<'a> {
        let mut view = EventView {
            line,
            root,
            keys: &self.keys,
            values: vec![OnceCell::new(); self.keys.len()],
            named: Vec::new(),
            time: OnceCell::new(),
            groups: RefCell::default(),
        };
        let selectors = self.selectors.iter();
        let named = selectors.map(|selector| selector.names(|key| view.value(key)));
        view.named = named.collect();
        self.note(view.named.iter().copied().enumerate());
        view
    }
}

/// Sets a flag that threads share: one that is set is not written again.
fn raise(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}

/// Returns the slot of the values that a path leads to, if they are kept of each event.
pub(super) fn slot_of(path: &KeyPath) -> Option<EventSlot> {
    EventSlot::at(path.pointer().as_str())
}

/// Returns `true` if a value of an event is one of some.
pub(super) fn is_one_of(value: FactValue<'_>, values: &Values) -> bool {
    values.have_written(value.raw(), value.string().as_deref())
}

/// The keys of the values by which an event is grouped, and the digest of these values, if none is
/// absent.
type Group = (Box<[usize]>, Option<Digest>);

/// An event as declarations see it.
pub(crate) struct EventView<'a> {
    pub(super) line: Line,
    pub(super) root: Node<'a>,
    keys: &'a Keys,
    /// The values that the keys lead to.
    values: Vec<OnceCell<Option<Node<'a>>>>,
    /// A flag for each selector: `true` if its keys name the event.
    named: Vec<bool>,
    time: OnceCell<Option<Instant>>,
    /// The groups of the event, by the keys of the values that make them.
    groups: RefCell<Vec<Group>>,
}

impl<'a> EventView<'a> {
    pub(super) fn value(&self, key: usize) -> Option<Node<'a>> {
        let value = self.values.get(key)?;
        *value.get_or_init(|| self.keys.path(key)?.of(self.root))
    }

    /// Returns the digest of the values at some keys, by which events are grouped; `None` where one
    /// is absent. Two events have the same one only if their values are equal, one by one.
    pub(super) fn group(&self, keys: &[usize], meanings: &mut Meanings) -> Option<Digest> {
        let mut groups = self.groups.borrow_mut();
        if let Some((_, known)) = groups.iter().find(|(known, _)| **known == *keys) {
            return *known;
        }
        let mut digests = keys.iter().map(|key| Some(meanings.of(self.value(*key)?)));
        let group = digests.next().flatten().and_then(|first| {
            digests.try_fold(first, |before, next| {
                Some(Digest::of([before.bytes(), next?.bytes()]))
            })
        });
        groups.push((keys.into(), group));
        group
    }

    /// Returns `true` if the keys of a selector name it.
    pub(super) fn is_named(&self, selector: usize) -> bool {
        self.named.get(selector) == Some(&true)
    }

    /// Returns the instant at which it happened.
    pub(super) fn time(&self) -> Option<Instant> {
        let read = || Instant::read(self.root.get("timestamp"));
        self.time.get_or_init(read).clone()
    }

    /// Returns the text that it stands in.
    pub(super) fn text(&self) -> &'a [u8] {
        self.root.document().text().as_bytes()
    }
}

/// A selector of events: the place of its tests among those of all declarations.
#[derive(Clone, Debug)]
pub(crate) struct EventSelector {
    pub(super) place: usize,
    pub(super) condition: Option<Condition>,
}

impl EventSelector {
    /// Returns `true` if its keys name an event.
    pub(super) fn has_keys_of(&self, event: &EventView<'_>) -> bool {
        event.is_named(self.place)
    }

    /// Returns whether it names an event.
    pub(crate) fn ask(
        &self,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<Truth, TooManySteps> {
        match &self.condition {
            _ if !self.has_keys_of(event) => Ok(Truth::No),
            None => Ok(Truth::Yes),
            Some(condition) => condition.ask(event.root, budget),
        }
    }
}
