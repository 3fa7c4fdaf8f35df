//! An event -> the values and the selectors that declarations ask of it.
//!
//! Tests and selectors that many declarations share are made once for an event.

mod keys;
mod kinds;
mod view;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use keys::Suspects;
use kinds::{EventKind, EventKinds};
use memchr::memmem::Finder;
use smallvec::SmallVec;

use super::limit::TeamLimit;
use super::selector::{Condition, EVENT, KnownAnswer, TeamSelector, Truth};
use crate::ground::Own;
use crate::ground::digest::Digest;
use crate::ground::document::Node;
use crate::ground::select::{
    KeyPath, Look, Named, Selector, SelectorValue, Unjudged, Wanted, Written,
};
use crate::ground::shortened::{may_be_shortened, shortened_in};
use crate::ground::source::{Line, Pointer};
use crate::ground::timestamp::Instant;
use crate::policy::expression::{Budget, Expression};
use crate::reading::facts::EventFacts;

/// The keys and selectors of all declarations that judge events.
#[derive(Debug, Default)]
pub(crate) struct EventIndex {
    keys: Vec<EventKey>,
    /// The places of the keys.
    places: HashMap<KeyPath, usize>,
    /// The places of the keys of the values by which events are grouped.
    groups: Vec<Vec<usize>>,
    selectors: Vec<Selector>,
    /// The conditions of all selectors.
    conditions: Vec<Condition>,
    /// The places of the keys of words.
    words: Vec<usize>,
    /// The tests of the selectors by keys: those of words, and the others, of which those of values
    /// that are at hand come first.
    tests_of_words: Vec<KeyTests>,
    tests: Vec<KeyTests>,
    suspects: Suspects,
    kinds: EventKinds,
    /// Whether each selector has named an event.
    met: Vec<AtomicBool>,
    /// `true` if any event was looked at.
    has_looked: AtomicBool,
}

/// What selectors want of a key.
#[derive(Debug)]
struct KeyTests {
    key: usize,
    tests: Vec<KeyTest>,
}

/// What a selector wants of a key.
#[derive(Debug)]
struct KeyTest {
    /// The place of the selector.
    selector: usize,
    wanted: Wanted,
    /// Of a key at any depth: `true` if an event that it names has one of the [`Suspects`].
    has_suspects: bool,
}

/// A path to values of events.
#[derive(Debug)]
struct EventKey {
    path: KeyPath,
    /// The longest part of it whose values are kept of each event that is read, with the number of
    /// its tokens.
    kept: Option<(usize, Kept)>,
    /// `true` if it leads to a word, such as the phase.
    is_word: bool,
    /// The next token as a key without escapes, if it can be written so.
    next: Option<Finder<'static>>,
    /// `true` if it is one of the payload: there it has no escapes.
    is_plain: bool,
    /// `true` if a token of the path stands for any path.
    is_deep: bool,
}

/// A value that is kept of each event that is read.
#[derive(Clone, Copy, Debug)]
enum Kept {
    Slot(usize),
    /// That of a key of a runtime's own in the payload.
    Extension,
}

impl EventIndex {
    /// Returns the selector with its place among those of all.
    pub(super) fn selector(&mut self, selector: &TeamSelector) -> EventSelector {
        let condition = selector
            .condition
            .as_ref()
            .map(|condition| self.condition(condition));

        let keys = &selector.keys;
        let place = self
            .selectors
            .iter()
            .position(|known| known == keys)
            .unwrap_or_else(|| {
                let place = self.selectors.len();
                self.selectors.push(keys.clone());
                self.met.push(AtomicBool::new(false));
                for (path, wanted) in &keys.tests {
                    self.test(path, wanted, place);
                }
                place
            });

        EventSelector { place, condition }
    }

    /// Returns the place of a condition among those of all.
    fn condition(&mut self, condition: &Condition) -> usize {
        self.paths(&condition.expression, EVENT);
        self.conditions
            .iter()
            .position(|known| Arc::ptr_eq(&known.expression, &condition.expression))
            .unwrap_or_else(|| {
                self.conditions.push(condition.clone());
                self.conditions.len() - 1
            })
    }

    /// Adds a test of a selector.
    fn test(&mut self, path: &KeyPath, wanted: &Wanted, selector: usize) {
        let key = self.key(path);
        let is_deep = path.is_deep();
        let test = KeyTest {
            selector,
            wanted: wanted.clone(),
            has_suspects: is_deep && self.suspects.add(wanted),
        };

        let of_key = self.keys.own(key);
        let is_at_hand = of_key.is_at_hand();
        let of_keys = if of_key.is_word {
            &mut self.tests_of_words
        } else {
            &mut self.tests
        };

        if let Some(known) = of_keys
            .iter_mut()
            .find(|known| known.key == key)
        {
            return known.tests.push(test);
        }

        let place = if is_at_hand { 0 } else { of_keys.len() };
        let tests = vec![test];
        of_keys.insert(place, KeyTests { key, tests });
    }

    /// Returns the place of a key among all.
    pub(super) fn key(&mut self, path: &KeyPath) -> usize {
        *self
            .places
            .entry(path.clone())
            .or_insert_with(|| {
                let (place, key) = (self.keys.len(), EventKey::new(path));
                if key.is_word {
                    self.words.push(place);
                }
                self.keys.push(key);
                place
            })
    }

    /// Returns the place of some keys together, by whose values events are grouped.
    pub(super) fn group(&mut self, paths: &[KeyPath]) -> usize {
        let group: Vec<usize> = paths
            .iter()
            .map(|path| self.key(path))
            .collect();

        self.groups
            .iter()
            .position(|known| *known == group)
            .unwrap_or_else(|| {
                self.groups.push(group);
                self.groups.len() - 1
            })
    }

    /// Adds the values of events that an expression reads, by the name of the event in it.
    pub(super) fn paths(&mut self, expression: &Expression, event: usize) {
        expression.paths(event, &mut |path| {
            self.key(path);
        });
    }

    /// Returns the tests of a selector.
    pub(super) fn tests(&self, selector: &EventSelector) -> &Selector {
        self.selectors.own(selector.place)
    }

    /// Returns the paths to the values that are asked for.
    pub(super) fn paths_of_keys(&self) -> impl Iterator<Item = &KeyPath> {
        self.keys.iter().map(|key| &key.path)
    }

    /// Returns the values that selectors want at a place.
    pub(super) fn values_at(&self, pointer: &str) -> impl Iterator<Item = &SelectorValue> {
        self.selectors
            .iter()
            .flat_map(|selector| &selector.tests)
            .filter(move |(path, _)| path.pointer().as_str() == pointer)
            .flat_map(|(_, wanted)| wanted.values())
    }

    /// Returns `true` if no declaration judges events.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.selectors.is_empty()
    }

    /// Returns `true` if events were looked at, and a selector named none of them.
    pub(crate) fn has_missed(&self, selector: &EventSelector) -> bool {
        let met = self.met.own(selector.place);
        self.has_looked.load(Ordering::Relaxed) && !met.load(Ordering::Relaxed)
    }

    /// Looks at an event. One in which values are shortened is to be parsed: see
    /// [`EventView::is_readable`].
    pub(crate) fn view<'a>(&'a self, line: Line, event: EventText<'a>) -> EventView<'a> {
        let mut view = EventView {
            line,
            event,
            index: self,
            is_suspect: self.suspects.may_be_in(event.text()),
            has_shortened: false,
            repeated: repeated_keys(event),
            searches: AtomicUsize::default(),
            kind: None,
            named: SmallVec::new(),
            time: OnceLock::new(),
            group: OnceLock::new(),
        };

        view.has_shortened = view.is_suspect && !self.is_empty() && may_be_shortened(event.text());
        if let EventText::Parsed(root) = event
            && view.has_shortened
        {
            view.has_shortened = !shortened_in(root).is_empty();
        }

        if !view.has_shortened {
            view.kind = self.kinds.of(self, &view);
        }

        let mut named = view
            .kind
            .map_or_else(|| self.named_by_words(&view), |kind| kind.named.clone());
        self.narrow(&self.tests, &view, &mut named);
        view.named = named;
        self.doubt_repeated(&mut view);
        raise(&self.has_looked);

        self.met
            .iter()
            .zip(&view.named)
            .filter(|(_, named)| **named != Named::No)
            .for_each(|(met, _)| raise(met));

        view
    }

    /// Leaves it undecided whether selectors name an event with repeated keys, unless other keys
    /// rule it out: readers differ on which of the values counts.
    fn doubt_repeated(&self, view: &mut EventView<'_>) {
        let EventText::Parsed(root) = view.event else {
            return;
        };
        if view.repeated.is_empty() {
            return;
        }

        let is_doubtful = |path: &KeyPath| {
            view.repeated
                .iter()
                .any(|key| path.may_pass(key))
        };

        for (named, selector) in view
            .named
            .iter_mut()
            .zip(&self.selectors)
        {
            *named = if selector.may_name(root, is_doubtful) {
                Named::Unjudged
            } else {
                Named::No
            };
        }
    }

    /// Returns of each selector whether its tests of words name an event.
    fn named_by_words(&self, view: &EventView<'_>) -> NamedOfAll {
        let mut named = SmallVec::from_elem(Named::Yes, self.selectors.len());
        self.narrow(&self.tests_of_words, view, &mut named);
        named
    }

    /// Narrows of each selector whether it names an event, by some tests.
    fn narrow(&self, tests: &[KeyTests], view: &EventView<'_>, named: &mut NamedOfAll) {
        for KeyTests { key, tests } in tests {
            let is_open = |test: &KeyTest| *named.own(test.selector) != Named::No;
            let EventKey { path, is_deep, .. } = self.keys.own(*key);
            if !tests.iter().any(is_open) {
                continue;
            }

            let found = if *is_deep {
                Look::Nowhere
            } else {
                view.look(*key)
            };

            let text = match &found {
                Look::Value(value) => value.string(),
                _ => None,
            };

            let found = found.map(Written::raw);
            for test in tests {
                let named = named.own_mut(test.selector);
                if *named == Named::No {
                    continue;
                }

                let next = if *is_deep {
                    test.names_deep(path, view)
                } else {
                    test.wanted
                        .names(found, text.as_deref(), path.tokens().len())
                };

                *named = next.min(*named);
            }
        }
    }
}

/// Of each selector, whether it names an event.
type NamedOfAll = SmallVec<[Named; 64]>;

/// The number of repeated keys of an event by which selectors are doubted, at most.
const MAX_REPEATED: usize = 100;

/// Returns the places of keys that repeat another one of their object. An event that was not parsed
/// has none.
fn repeated_keys(event: EventText<'_>) -> Vec<Pointer> {
    let mut repeated = Vec::new();
    if let EventText::Parsed(root) = event
        && root.document().repeats_keys()
    {
        root.document()
            .for_each_repeated_key(|key| {
                if repeated.len() < MAX_REPEATED {
                    repeated.push(key.pointer());
                }
            });
    }

    repeated
}

/// Raises a flag. One that threads share is not written again.
fn raise(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}

/// An event, of which a tape is made when it is first asked for, if there is none.
#[derive(Clone, Copy)]
pub(crate) enum EventText<'a> {
    Parsed(Node<'a>),
    Read(EventFacts<'a>),
}

/// An event as declarations see it.
pub(crate) struct EventView<'a> {
    pub(super) line: Line,
    event: EventText<'a>,
    index: &'a EventIndex,
    /// `true` if it may have one of the [`Suspects`].
    is_suspect: bool,
    /// `true` if values in it are shortened.
    has_shortened: bool,
    /// The places of keys that repeat another one of their object.
    repeated: Vec<Pointer>,
    /// The number of values that were searched for in its text.
    searches: AtomicUsize,
    /// What its words decide, if that is known.
    kind: Option<&'a EventKind>,
    /// Of each selector, whether its keys name it.
    named: NamedOfAll,
    time: OnceLock<Option<Instant>>,
    /// The group that was asked for first, and its digest.
    group: OnceLock<(usize, Option<Digest>)>,
}

fn unjudged_repeated(at: Option<&Pointer>) -> Unjudged {
    let place = at.map_or("", Pointer::as_str);
    Unjudged {
        why: format!(
            "the event has the key at `{place}` twice, and readers differ on which one counts"
        ),
        at: at.cloned(),
    }
}

/// A selector of events: the places of its tests and of its condition among those of all
/// declarations.
#[derive(Clone, Debug)]
pub(crate) struct EventSelector {
    pub(super) place: usize,
    condition: Option<usize>,
}

impl EventSelector {
    /// Returns `true` if its keys may name an event.
    pub(super) fn has_keys_of(&self, event: &EventView<'_>) -> bool {
        event.named(self.place) != Named::No
    }

    /// Returns its condition, if it has one.
    pub(super) fn condition<'a>(&self, event: &EventView<'a>) -> Option<&'a Condition> {
        event
            .index
            .conditions
            .get(self.condition?)
    }

    /// Returns the answer of its condition, if the words of an event decide that.
    fn known<'a>(&self, event: &EventView<'a>) -> Option<&'a KnownAnswer> {
        event
            .kind?
            .answer(self.condition?, event)
    }

    /// Returns whether it names an event.
    pub(crate) fn ask(
        &self,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<Truth, TeamLimit> {
        match (event.named(self.place), self.condition(event)) {
            (Named::No, _) => Ok(Truth::No),
            (Named::Yes, None) => Ok(Truth::Yes),
            (Named::Yes, Some(condition)) => condition.ask(event, self.known(event), budget),
            (Named::Unjudged, _) if !event.repeated.is_empty() => {
                Ok(Truth::Unknown(unjudged_repeated(event.repeated.first())))
            }
            (Named::Unjudged, _) => {
                let keys = event.index.tests(self);
                let why = event
                    .root()
                    .map(|root| keys.names(root))
                    .and_then(Result::err)
                    .unwrap_or_else(|| Unjudged {
                        at: None,
                        why: "there is not enough memory to look at the event".to_owned(),
                    });
                Ok(Truth::Unknown(why))
            }
        }
    }
}
