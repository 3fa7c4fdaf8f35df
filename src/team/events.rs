//! An event -> the values and the selectors that declarations ask of it.
//!
//! Paths and selectors that many declarations share are followed once for an event.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem::{self, Finder};

use crate::digest::Digest;
use crate::document::{Node, Span, push_canonical};
use crate::expression::{Budget, Expression, Record};
use crate::facts::{EventFacts, EventSlot, InEvent, Value as FactValue};
use crate::select::{Indexed, KeyPath, Keys, Values, Written, place};
use crate::source::{Line, Pointer};

use super::instant::Instant;
use super::selector::{Condition, EVENT, TeamSelector, TooManySteps, Truth};

/// The keys and selectors of all declarations that judge events.
#[derive(Debug, Default)]
pub(crate) struct EventIndex {
    keys: Keys,
    selectors: Vec<Indexed>,
    /// The tests of each selector that an event passes which it names, and that cost little.
    quick: Vec<Vec<QuickTest>>,
    /// A flag for each selector: `true` if it has named an event.
    met: Vec<AtomicBool>,
    /// `true` if any event was looked at.
    has_looked: AtomicBool,
}

/// A test that costs little.
#[derive(Debug)]
enum QuickTest {
    /// A value that is kept of each event is one of some.
    Slot(EventSlot, Arc<Values>),
    /// These keys are written in the payload, or an escape, in which they may hide.
    Keys(Vec<Finder<'static>>),
}

impl QuickTest {
    fn new(path: &KeyPath, values: &Arc<Values>) -> Option<Self> {
        if let Some(slot) = slot_of(path) {
            return Some(Self::Slot(slot, Arc::clone(values)));
        }
        let keys = path.tokens().split_first();
        let keys = keys.filter(|(first, _)| &***first == "payload")?.1;
        // Another character may have an escape of its own, and a number may be that of an item.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let has_letter = |key: &str| key.contains(|c: char| !c.is_ascii_digit());
        let keys = keys.iter().rev();
        let keys = keys.filter(|key| has_letter(key) && key.chars().all(is_plain));
        let keys = keys.map(|key| Finder::new(&format!("\"{key}\"")).into_owned());
        Some(Self::Keys(keys.collect()))
    }

    /// Returns `true` if an event passes it, of which a function says whether it has an escape.
    fn passes(&self, event: EventFacts<'_>, has_escape: &dyn Fn() -> bool) -> bool {
        match self {
            Self::Slot(slot, values) => {
                let value = event.value(*slot);
                value.is_some_and(|value| is_one_of(value, values))
            }
            Self::Keys(keys) => {
                let payload = event.value(InEvent::Payload);
                let payload = payload.map_or("", FactValue::raw).as_bytes();
                keys.iter().all(|key| key.find(payload).is_some()) || has_escape()
            }
        }
    }
}

impl EventIndex {
    /// Returns the selector with the place of its tests among those of all.
    pub(super) fn selector(&mut self, selector: &TeamSelector) -> EventSelector {
        let indexed = self.keys.indexed(&selector.keys);
        let place = place(&mut self.selectors, &indexed);
        if place == self.quick.len() {
            let quick = indexed
                .0
                .iter()
                .filter_map(|(key, values)| QuickTest::new(self.keys.path(*key)?, values));
            self.quick.push(quick.collect());
        }
        if let Some(condition) = &selector.condition {
            self.paths(&condition.expression, EVENT);
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

    /// Adds the values of events that an expression reads, by the name of the event in it.
    pub(super) fn paths(&mut self, expression: &Expression, event: usize) {
        expression.paths(event, &mut |path| {
            self.keys.place(path);
        });
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
        raise(&self.has_looked);
        let escape = OnceCell::new();
        let text = event.written().as_bytes();
        let has_escape = || *escape.get_or_init(|| memmem::find(text, b"\\u").is_some());
        let passes = |test: &QuickTest| test.passes(event, &has_escape);
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
    pub(crate) fn view<'a>(&'a self, line: Line, event: EventText<'a>) -> EventView<'a> {
        let mut view = EventView {
            line,
            event,
            keys: &self.keys,
            values: self.keys.values(event.text()),
            named: Vec::new(),
            time: OnceLock::new(),
            groups: Mutex::default(),
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

/// An event, of which a tape is made when it is first asked for, if there is none.
#[derive(Clone, Copy)]
pub(crate) enum EventText<'a> {
    Parsed(Node<'a>),
    Read(EventFacts<'a>),
}

/// The length of an event in bytes from which its tape is made at once: there may be no memory for
/// it.
const LARGE: usize = 1 << 16;

impl<'a> EventText<'a> {
    /// Returns an event that was read; `None` where it has to be parsed.
    pub(crate) fn of(event: EventFacts<'a>) -> Option<Self> {
        if event.written().len() < LARGE {
            return Some(Self::Read(event));
        }
        event.node().map(Self::Parsed)
    }

    fn text(self) -> &'a str {
        match self {
            Self::Parsed(root) => root.document().text(),
            Self::Read(event) => event.written(),
        }
    }
}

/// The keys of the values by which an event is grouped, and the digest of these values, if none is
/// absent.
type Group = (Box<[usize]>, Option<Digest>);

/// An event as declarations see it.
pub(crate) struct EventView<'a> {
    pub(super) line: Line,
    event: EventText<'a>,
    keys: &'a Keys,
    /// The values that the keys lead to.
    values: Vec<Span>,
    /// A flag for each selector: `true` if its keys name the event.
    named: Vec<bool>,
    time: OnceLock<Option<Instant>>,
    /// The groups of the event, by the keys of the values that make them.
    groups: Mutex<Vec<Group>>,
}

impl<'a> EventView<'a> {
    /// Returns the value that a key leads to.
    pub(super) fn value(&self, key: usize) -> Option<Written<'a>> {
        let (text, span) = (self.event.text(), *self.values.get(key)?);
        span.is_present().then_some(Written { text, span })
    }

    /// Returns the same on the tape.
    pub(super) fn node_at(&self, key: usize) -> Option<Node<'a>> {
        self.value(key)?;
        self.keys.path(key)?.of(self.root()?)
    }

    /// Returns the whole event; `None` where there is no memory for its tape.
    pub(super) fn root(&self) -> Option<Node<'a>> {
        match self.event {
            EventText::Parsed(root) => Some(root),
            EventText::Read(event) => event.node(),
        }
    }

    /// Returns the digest of the values at some keys, by which events are grouped; `None` where one
    /// is absent. Two events have the same one only if their values are equal, one by one.
    pub(super) fn group(&self, keys: &[usize]) -> Option<Digest> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = groups.iter().find(|(known, _)| **known == *keys) {
            return *known;
        }
        let mut form = Vec::new();
        let values = keys.iter().try_for_each(|key| {
            let start = self.value(*key)?.span.start() as usize;
            push_canonical(self.event.text(), start, &mut form)?;
            form.push(b',');
            Some(())
        });
        let values = values.filter(|()| !keys.is_empty());
        let group = values.map(|()| Digest::of([&*form]));
        groups.push((keys.into(), group));
        group
    }

    /// Returns the digest of what the values at some keys mean, as findings keep it; `None` where
    /// one is absent.
    pub(super) fn meaning(&self, keys: &[usize]) -> Option<Digest> {
        let mut digests = keys.iter().map(|key| Some(self.node_at(*key)?.meaning()));
        let first = digests.next()??;
        digests.try_fold(first, |before, next| {
            Some(Digest::of([before.bytes(), next?.bytes()]))
        })
    }

    /// Returns `true` if the keys of a selector name it.
    pub(super) fn is_named(&self, selector: usize) -> bool {
        self.named.get(selector) == Some(&true)
    }

    /// Returns the instant at which it happened; the key is that of its timestamp.
    pub(super) fn time(&self, key: usize) -> Option<Instant> {
        let read = || Instant::read(&self.value(key)?.string()?);
        self.time.get_or_init(read).clone()
    }

    /// Returns the text that it stands in.
    pub(super) fn text(&self) -> &'a [u8] {
        self.event.text().as_bytes()
    }
}

impl Record for EventView<'_> {
    fn node(&self) -> Option<Node<'_>> {
        self.root()
    }

    fn value(&self, path: &KeyPath) -> Option<Written<'_>> {
        self.value(self.keys.find(path)?)
    }

    fn bytes(&self) -> usize {
        self.event.text().len()
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
            Some(condition) => condition.ask(event, budget),
        }
    }
}
