//! An event -> the values and the selectors that declarations ask of it.
//!
//! Tests and selectors that many declarations share are made once for an event.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use memchr::memmem::Finder;
use smallvec::SmallVec;

use crate::ground::digest::Digest;
use crate::ground::document::{Node, OwnedDocument, Span, has_escaped_ascii, push_canonical};
use crate::ground::select::{
    KeyPath, Look, Named, Selector, SelectorValue, Unjudged, Wanted, Written,
};
use crate::ground::shortened::{Mark, may_be_shortened, shortened_in};
use crate::ground::source::{Line, Pointer};
use crate::ground::timestamp::{Instant, Timestamp};
use crate::policy::expression::{Budget, Expression, Record};
use crate::reading::facts::{EventFacts, event_slot};

use super::limit::TeamLimit;
use super::selector::{Condition, EVENT, TeamSelector, Truth};

/// The keys and selectors of all declarations that judge events.
#[derive(Debug, Default)]
pub(crate) struct EventIndex {
    keys: Vec<EventKey>,
    /// The places of the keys.
    places: HashMap<KeyPath, usize>,
    /// The places of the keys of the values by which events are grouped.
    groups: Vec<Vec<usize>>,
    selectors: Vec<Selector>,
    /// The tests of the selectors by keys: those of values that are at hand come first.
    tests: Vec<KeyTests>,
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
    /// Of a key at any depth: what events have in them that it names, if that is known.
    sieve: Option<Sieve>,
}

impl KeyTest {
    /// Returns whether it names an event by the values at any depth that a path leads to.
    fn names_deep(&self, path: &KeyPath, event: &EventView<'_>) -> Named {
        if let Some(sieve) = &self.sieve
            && !event.has_shortened
            && !sieve.may_pass(event.event.text())
        {
            return Named::No;
        }
        // Nobody can tell where there is no memory for the tape.
        event
            .root()
            .map_or(Named::Unjudged, |root| self.wanted.names_deep(path, root).0)
    }
}

/// Parts of texts: an event whose values at any depth include such a text has one of them in its
/// own text, unless it is written with escapes.
#[derive(Debug)]
struct Sieve(Vec<Finder<'static>>);

impl Sieve {
    fn new(wanted: &Wanted) -> Option<Self> {
        let Wanted::OneOf(values) = wanted else {
            return None;
        };
        let finder = |value: &SelectorValue| match value {
            SelectorValue::Text(glob) => {
                let part = glob.longest_part();
                let may_be_other = |c: char| !c.is_ascii() || c.is_control() || "\"\\/".contains(c);
                let is_plain = !part.is_empty() && !part.contains(may_be_other);
                is_plain.then(|| Finder::new(part).into_owned())
            }
            SelectorValue::Number(_) | SelectorValue::Boolean(_) => None,
        };
        values.0.iter().map(finder).collect::<Option<_>>().map(Self)
    }

    /// Returns `false` if no value of an event without shortened ones is named.
    fn may_pass(&self, event: &str) -> bool {
        self.0
            .iter()
            .any(|part| part.find(event.as_bytes()).is_some())
            || has_escaped_ascii(event, b'2'..=b'7')
    }
}

/// A path to values of events.
#[derive(Debug)]
struct EventKey {
    path: KeyPath,
    /// The longest part of it whose values are kept of each event that is read: the number of
    /// tokens, and the slot.
    kept: Option<(usize, usize)>,
    /// `true` if that is all of it.
    is_at_hand: bool,
    /// The next token as a key without escapes, if it can be written so.
    next: Option<Finder<'static>>,
    /// `true` if it is one of the payload: there it has no escapes.
    is_plain: bool,
    /// `true` if a token of the path stands for any path.
    is_deep: bool,
}

impl EventKey {
    fn new(path: &KeyPath) -> Self {
        let tokens = path.tokens();
        let kept = (1..=tokens.len()).rev().find_map(|length| {
            let slot = event_slot(path.first(length).pointer().as_str())?;
            Some((length, slot))
        });
        let length = kept.map_or(0, |(length, _)| length);
        // The index of an item is no key.
        let is_plain_key = |key: &&str| {
            let may_be_other = |c: char| c.is_control() || "\"\\/".contains(c);
            !key.contains(may_be_other) && key.contains(|c: char| !c.is_ascii_digit())
        };
        let next = tokens.get(length).map(|key| &**key).filter(is_plain_key);
        Self {
            next: next.map(|key| Finder::new(&format!("\"{key}\"")).into_owned()),
            is_plain: path.first(length).pointer().as_str() == "/payload",
            is_deep: path.is_deep(),
            path: path.clone(),
            kept,
            is_at_hand: kept.is_some_and(|_| length == tokens.len()),
        }
    }

    /// Returns `false` if the value that is kept surely has no member with the next token.
    fn may_lead_into(&self, kept: &[u8]) -> bool {
        self.next.as_ref().is_none_or(|next| {
            static ESCAPE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(r"\u"));
            let may_be_escaped = || !self.is_plain && ESCAPE.find(kept).is_some();
            next.find(kept).is_some() || may_be_escaped()
        })
    }
}

impl EventIndex {
    /// Returns the selector with its place among those of all.
    pub(super) fn selector(&mut self, selector: &TeamSelector) -> EventSelector {
        if let Some(condition) = &selector.condition {
            self.paths(&condition.expression, EVENT);
        }
        let keys = &selector.keys;
        let place = self
            .selectors
            .iter()
            .position(|known| known == keys)
            .unwrap_or_else(|| {
                let place = self.selectors.len();
                self.selectors.push(keys.clone());
                self.met.push(AtomicBool::new(false));
                for (path, wanted) in &keys.0 {
                    self.test(path, wanted, place);
                }
                place
            });
        EventSelector {
            place,
            condition: selector.condition.clone(),
        }
    }

    /// Adds a test of a selector.
    fn test(&mut self, path: &KeyPath, wanted: &Wanted, selector: usize) {
        let key = self.key(path);
        let is_deep = path.is_deep();
        let test = KeyTest {
            selector,
            wanted: wanted.clone(),
            sieve: is_deep.then(|| Sieve::new(wanted)).flatten(),
        };
        if let Some(known) = self.tests.iter_mut().find(|known| known.key == key) {
            return known.tests.push(test);
        }
        let is_at_hand = self.keys.get(key).is_some_and(|key| key.is_at_hand);
        let place = if is_at_hand { 0 } else { self.tests.len() };
        let tests = vec![test];
        self.tests.insert(place, KeyTests { key, tests });
    }

    /// Returns the place of a key among all.
    pub(super) fn key(&mut self, path: &KeyPath) -> usize {
        *self.places.entry(path.clone()).or_insert_with(|| {
            self.keys.push(EventKey::new(path));
            self.keys.len() - 1
        })
    }

    /// Returns the place of some keys together, by whose values events are grouped.
    pub(super) fn group(&mut self, paths: &[KeyPath]) -> usize {
        let group: Vec<usize> = paths.iter().map(|path| self.key(path)).collect();
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
        static NONE: Selector = Selector(Vec::new());
        self.selectors.get(selector.place).unwrap_or(&NONE)
    }

    /// Returns the paths to the values that are asked for.
    pub(super) fn paths_of_keys(&self) -> impl Iterator<Item = &KeyPath> {
        self.keys.iter().map(|key| &key.path)
    }

    /// Returns the values that selectors want at a place.
    pub(super) fn values_at(&self, pointer: &str) -> impl Iterator<Item = &SelectorValue> {
        self.selectors
            .iter()
            .flat_map(|selector| &selector.0)
            .filter(move |(path, _)| path.pointer().as_str() == pointer)
            .flat_map(|(_, wanted)| wanted.values())
    }

    /// Returns `true` if no declaration judges events.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.selectors.is_empty()
    }

    /// Returns `true` if events were looked at, and a selector named none of them.
    pub(crate) fn has_missed(&self, selector: &EventSelector) -> bool {
        let met = self.met.get(selector.place);
        self.has_looked.load(Ordering::Relaxed)
            && met.is_none_or(|met| !met.load(Ordering::Relaxed))
    }

    /// Looks at an event. One in which values are shortened is to be parsed: see
    /// [`EventView::is_readable`].
    pub(crate) fn view<'a>(&'a self, line: Line, event: EventText<'a>) -> EventView<'a> {
        let mut view = EventView {
            line,
            event,
            index: self,
            has_shortened: false,
            repeated: repeated_keys(event),
            searches: AtomicUsize::default(),
            named: SmallVec::new(),
            time: OnceLock::new(),
            group: OnceLock::new(),
        };
        view.has_shortened = !self.is_empty() && may_be_shortened(event.text());
        if let EventText::Parsed(root) = event
            && view.has_shortened
        {
            view.has_shortened = !shortened_in(root).is_empty();
        }
        view.named = self.named(&view);
        self.doubt_repeated(&mut view);
        raise(&self.has_looked);
        let named = self.met.iter().zip(&view.named);
        named
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
        let is_doubtful = |path: &KeyPath| view.repeated.iter().any(|key| path.may_pass(key));
        for (named, selector) in view.named.iter_mut().zip(&self.selectors) {
            *named = if selector.may_name(root, is_doubtful) {
                Named::Unjudged
            } else {
                Named::No
            };
        }
    }

    /// Returns of each selector whether its keys name an event.
    fn named(&self, view: &EventView<'_>) -> SmallVec<[Named; 16]> {
        let mut named = SmallVec::from_elem(Named::Yes, self.selectors.len());
        for KeyTests { key, tests } in &self.tests {
            let is_open = |test: &KeyTest| named.get(test.selector) != Some(&Named::No);
            let Some(EventKey { path, is_deep, .. }) = self.keys.get(*key) else {
                continue;
            };
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
                let Some(named) = named.get_mut(test.selector).filter(|it| **it != Named::No)
                else {
                    continue;
                };
                let next = if *is_deep {
                    test.names_deep(path, view)
                } else {
                    test.wanted
                        .names(found, text.as_deref(), path.tokens().len())
                };
                *named = next.min(*named);
            }
        }
        named
    }
}

/// The number of repeated keys of an event by which selectors are doubted, at most.
const MAX_REPEATED: usize = 100;

/// Returns the places of keys that repeat another one of their object. An event that was not parsed
/// has none.
fn repeated_keys(event: EventText<'_>) -> Vec<Pointer> {
    let mut repeated = Vec::new();
    if let EventText::Parsed(root) = event
        && root.document().repeats_keys()
    {
        root.document().for_each_repeated_key(|key| {
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

/// The length of an event in bytes from which its tape is made at once: there may be no memory for
/// it.
const LARGE: usize = 1 << 16;

/// The number of values that are searched for in the text of an event.
const MAX_SEARCHES: usize = 16;

impl<'a> EventText<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Parsed(root) => root.document().text(),
            Self::Read(event) => event.written(),
        }
    }
}

/// An event as declarations see it.
pub(crate) struct EventView<'a> {
    pub(super) line: Line,
    event: EventText<'a>,
    index: &'a EventIndex,
    /// `true` if values in it are shortened.
    has_shortened: bool,
    /// The places of keys that repeat another one of their object.
    repeated: Vec<Pointer>,
    /// The number of values that were searched for in its text.
    searches: AtomicUsize,
    /// Of each selector, whether its keys name it.
    named: SmallVec<[Named; 16]>,
    time: OnceLock<Option<Instant>>,
    /// The group that was asked for first, and its digest.
    group: OnceLock<(usize, Option<Digest>)>,
}

impl<'a> EventView<'a> {
    /// Returns the value that a key leads to, unless it is shortened, or in one that is.
    pub(super) fn value(&self, key: usize) -> Option<Written<'a>> {
        match self.look(key) {
            Look::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns what a key leads to.
    pub(super) fn look(&self, key: usize) -> Look<Written<'a>> {
        if !self.has_shortened {
            return self.written(key).map_or(Look::Nowhere, Look::Value);
        }
        let path = self.index.keys.get(key).map(|key| &key.path);
        let found = path.and_then(|path| Some(path.look(self.root()?)));
        let text = self.event.text();
        found.map_or(Look::Nowhere, |found| {
            found.map(|node| Written {
                text,
                span: node.into(),
            })
        })
    }

    /// Returns the value that a key leads to, in an event without shortened values.
    fn written(&self, key: usize) -> Option<Written<'a>> {
        let text = self.event.text();
        let key = self.index.keys.get(key)?;
        let span = match (self.event, key.kept) {
            (EventText::Read(event), Some((_, slot))) if key.is_at_hand => {
                event.value(slot)?.span()
            }
            (EventText::Read(event), kept) => {
                let (length, around) = match kept {
                    Some((length, slot)) => (length, event.value(slot)?),
                    None => (0, event.root()),
                };
                if !key.may_lead_into(around.raw().as_bytes()) {
                    return None;
                }
                self.search(key, length, around.span().start() as usize)?
            }
            (EventText::Parsed(root), _) => key.path.of(root)?.into(),
        };
        span.is_present().then_some(Written { text, span })
    }

    /// Returns where the value is that the tokens of a key after some lead to, in the value that
    /// starts at a place. Where many are searched for, a tape takes less time.
    fn search(&self, key: &EventKey, after: usize, start: usize) -> Option<Span> {
        if self.searches.fetch_add(1, Ordering::Relaxed) < MAX_SEARCHES {
            return Some(key.path.in_text(after, self.event.text(), start));
        }
        Some(key.path.of(self.root()?)?.into())
    }

    /// Returns the same on the tape, also where it is shortened, or else the shortened value that
    /// it is in, with the number of tokens that lead there.
    pub(super) fn node_at(&self, key: usize) -> Option<(Node<'a>, usize)> {
        let path = &self.index.keys.get(key)?.path;
        let passed = match self.look(key) {
            Look::Nowhere => return None,
            Look::Shortened { passed } => passed,
            Look::Value(_) => path.tokens().len(),
        };
        Some((path.first(passed).of(self.root()?)?, passed))
    }

    /// Returns `true` if a selector may name it.
    pub(super) fn is_named_at_all(&self) -> bool {
        self.named.iter().any(|named| *named != Named::No)
    }

    /// Returns `true` if it can be judged as it is: there is memory for its tape, and no file has
    /// more of its values.
    pub(crate) fn is_readable(&self) -> bool {
        !self.has_shortened && (self.text().len() < LARGE || self.root().is_some())
    }

    /// Returns the whole event; `None` where there is no memory for its tape.
    pub(super) fn root(&self) -> Option<Node<'a>> {
        match self.event {
            EventText::Parsed(root) => Some(root),
            EventText::Read(event) => event.node(),
        }
    }

    /// Returns the digest of the values by which events are grouped; `None` where one is absent.
    /// Two events have the same one only if their values are equal, one by one.
    pub(super) fn group(&self, place: usize) -> Option<Digest> {
        let (known, group) = self.group.get_or_init(|| (place, self.grouped(place)));
        if *known == place {
            *group
        } else {
            self.grouped(place)
        }
    }

    fn grouped(&self, place: usize) -> Option<Digest> {
        let keys = self.index.groups.get(place).filter(|it| !it.is_empty())?;
        let mut form = Vec::with_capacity(256);
        for key in keys {
            if self.has_shortened {
                let text = self.with_digests(*key)?;
                push_canonical(&text, 0, &mut form)?;
            } else {
                let start = self.value(*key)?.span.start() as usize;
                push_canonical(self.event.text(), start, &mut form)?;
            }
            form.push(b',');
        }
        Some(Digest::by_secret(&form))
    }

    /// Returns the value that a key leads to, with the digests of the shortened values in it in
    /// place of these; `None` where there is none, or it is in a shortened one.
    fn with_digests(&self, key: usize) -> Option<String> {
        let (value, passed) = self.node_at(key)?;
        if passed < self.index.keys.get(key)?.path.tokens().len() {
            return None;
        }
        let (start, mut end) = (value.span().start, value.span().start);
        let mut text = String::new();
        for shortened in shortened_in(value) {
            let span = shortened.span();
            text.push_str(value.raw().get(end - start..span.start - start)?);
            // No record has this value in its place: a key that is a control character.
            let digest = Mark::of(shortened)?.sha256.to_ascii_lowercase();
            text.extend([r#"{"\u0000":""#, &digest, r#""}"#]);
            end = span.end;
        }
        text.push_str(value.raw().get(end - start..)?);
        Some(text)
    }

    /// Returns the digest of what the values by which events are grouped mean, as findings keep it;
    /// `None` where one is absent.
    pub(super) fn meaning(&self, place: usize) -> Option<Digest> {
        let mut digests = self.index.groups.get(place)?.iter().map(|key| {
            if self.has_shortened {
                let text = OwnedDocument::read(self.with_digests(*key)?.into_bytes()).ok()?;
                return Some(text.root().meaning());
            }
            Some(self.node_at(*key)?.0.meaning())
        });
        let first = digests.next()??;
        digests.try_fold(first, |before, next| {
            Some(Digest::of([before.bytes(), next?.bytes()]))
        })
    }

    /// Returns whether the keys of a selector name it.
    fn named(&self, selector: usize) -> Named {
        self.named.get(selector).copied().unwrap_or(Named::No)
    }

    /// Returns the instant at which it happened; the key is that of its timestamp.
    pub(super) fn time(&self, key: usize) -> Option<Instant> {
        let read = || Some(Timestamp::parse(&self.value(key)?.string()?)?.exact());
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
        self.value(*self.index.places.get(path)?)
    }

    fn bytes(&self) -> usize {
        self.event.text().len()
    }
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

/// A selector of events: the place of its tests among those of all declarations.
#[derive(Clone, Debug)]
pub(crate) struct EventSelector {
    pub(super) place: usize,
    pub(super) condition: Option<Condition>,
}

impl EventSelector {
    /// Returns `true` if its keys may name an event.
    pub(super) fn has_keys_of(&self, event: &EventView<'_>) -> bool {
        event.named(self.place) != Named::No
    }

    /// Returns whether it names an event.
    pub(crate) fn ask(
        &self,
        event: &EventView<'_>,
        budget: &mut Budget,
    ) -> Result<Truth, TeamLimit> {
        match (event.named(self.place), &self.condition) {
            (Named::No, _) => Ok(Truth::No),
            (Named::Yes, None) => Ok(Truth::Yes),
            (Named::Yes, Some(condition)) => condition.ask(event, budget),
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
