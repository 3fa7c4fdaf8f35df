//! Every event, one at a time -> what the strict rules need to know about a timeline.
//!
//! These rules are off by default. Only where one of them is on is every event parsed for this.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::event::EventFacts;
use super::slots::InEvent;
use super::value::{Stamp, Value};
use crate::ground::digest::{Digest, FileDigest};
use crate::ground::finding::MAX_FINDINGS_PER_RULE;
use crate::ground::printable::brief;
use crate::ground::source::{Line, Pointer};
use crate::ground::timestamp::Timestamp;

/// The ids of events that are compared with each other, at most: each takes some 60 bytes of
/// memory.
pub(crate) const MAX_EVENT_IDS: usize = 1_000_000;

/// The number of ids beyond which an episode is large: they take 4 MiB.
const MANY_IDS: usize = 70_000;

/// The facts of all events together.
#[derive(Debug, Default)]
pub(crate) struct StrictFacts {
    /// The first event that is earlier than the one before it.
    pub(crate) disorder: Option<Disorder>,
    /// The latest event that has a timestamp.
    before: Option<Stamped>,
    /// The number of events that have a timestamp.
    pub(crate) stamped: u64,
    /// The ids of events, where they are wanted.
    pub(crate) ids: Option<EventIds>,
    pub(crate) start: Option<StartEvent>,
    /// The first act event that is not synthetic.
    pub(crate) first_act: Option<Stamped>,
    /// The first terminate event.
    pub(crate) ending: Option<Termination>,
    /// The act events, where they are wanted.
    pub(crate) acts: Option<DatedActs>,
    /// The projection events that give a digest of the timeline before them, where they are wanted:
    /// the first [`MAX_EVENT_IDS`].
    pub(crate) prefixes: Option<Vec<Prefix>>,
    /// The repeated keys of events, where they are wanted: the first [`MAX_FINDINGS_PER_RULE`].
    pub(crate) repeated_keys: Option<Vec<RepeatedEventKey>>,
    /// The number of events.
    pub(crate) events: u64,
}

/// The facts that are gathered only where a rule asks for them.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of wishes")]
pub(crate) struct Wanted {
    pub(crate) ids: bool,
    pub(crate) acts: bool,
    pub(crate) prefixes: bool,
    pub(crate) repeated_keys: bool,
}

/// The act events of a timeline that have a timestamp.
#[derive(Debug, Default)]
pub(crate) struct DatedActs {
    /// The instants of all of them.
    pub(crate) instants: BTreeSet<Timestamp>,
    /// Those without an id that the runtime did not make up.
    pub(crate) without_id: Vec<(Line, Timestamp)>,
    /// `true` if there were more than are compared.
    pub(crate) is_full: bool,
}

/// A projection event, and the digest that it gives of the timeline before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    pub(crate) line: Line,
    pub(crate) claimed: FileDigest,
    /// The digest of those bytes, once they were read again.
    pub(crate) actual: Option<FileDigest>,
}

impl Prefix {
    /// Returns that of a projection event, if it gives one.
    pub(in crate::reading) fn of(event: EventFacts<'_>) -> Option<Self> {
        let claimed = event
            .prefix_sha256()
            .filter(|_| event.is_projection())?;
        Some(Self {
            line: event.line,
            claimed,
            actual: None,
        })
    }

    /// Returns the number of the last line before the event, if the digest is that of the lines up
    /// to there.
    pub(crate) fn anchored_up_to(&self) -> Option<u64> {
        let fits = self.actual == Some(self.claimed);
        fits.then(|| self.line.number.saturating_sub(1))
    }
}

/// A key that repeats an earlier one of the same object of an event.
#[derive(Debug)]
pub(crate) struct RepeatedEventKey {
    pub(crate) line: Line,
    /// As messages show it.
    pub(crate) name: String,
    pub(crate) pointer: Pointer,
    /// The tokens of the key and of the one that it repeats.
    pub(crate) key: u32,
    pub(crate) earlier: u32,
}

impl DatedActs {
    fn add(&mut self, event: EventFacts<'_>, at: &Stamped) {
        let Some(stamp) = &at.stamp else { return };
        self.is_full |= self.instants.len() + self.without_id.len() >= MAX_EVENT_IDS;
        if self.is_full {
            return;
        }

        self.instants
            .insert(stamp.instant.clone());
        let has_id = event
            .act()
            .is_some_and(|act| act.action_id.is_some());

        if !(has_id || event.is_synthetic()) {
            self.without_id
                .push((at.line, stamp.instant.clone()));
        }
    }
}

impl RepeatedEventKey {
    fn add_all(event: EventFacts<'_>, found: &mut Vec<Self>) {
        let Some(document) = event
            .document()
            .filter(|it| it.repeats_keys())
        else {
            return;
        };

        document.for_each_repeated_key(|repeated| {
            if found.len() < MAX_FINDINGS_PER_RULE {
                found.push(Self {
                    line: event.line,
                    name: brief(&repeated.key.name()),
                    pointer: repeated.pointer(),
                    key: repeated.key.index(),
                    earlier: repeated.earlier.index(),
                });
            }
        });
    }
}

/// The place of an event, and its timestamp if that is a fact.
#[derive(Clone, Debug)]
pub(crate) struct Stamped {
    pub(crate) line: Line,
    pub(crate) stamp: Option<Stamp<'static>>,
}

impl Stamped {
    pub(super) fn new(event: EventFacts<'_>) -> Self {
        Self {
            line: event.line,
            stamp: event.timestamp().map(Stamp::into_owned),
        }
    }
}

/// Events that are earlier than the ones before them.
#[derive(Debug)]
pub(crate) struct Disorder {
    pub(crate) first: Stamped,
    pub(crate) before: Stamped,
    pub(crate) lines: u64,
}

/// The inputs of a run, as the first start event gives them.
#[derive(Debug)]
pub(crate) struct StartEvent {
    pub(crate) at: Stamped,
    /// The number as it is written.
    pub(crate) seed: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) using: Option<String>,
}

/// The first terminate event, and what comes after it.
#[derive(Debug)]
pub(crate) struct Termination {
    pub(crate) line: Line,
    /// `payload.status`, if it is a text.
    pub(crate) status: Option<String>,
    /// The second terminate event.
    pub(crate) second: Option<Line>,
    /// The last terminate event.
    pub(crate) last: Stamped,
    pub(crate) terminates: u64,
    /// The first plan, act or direction event after the first terminate event, and its phase.
    pub(crate) late: Option<(Line, String)>,
    pub(crate) late_events: u64,
}

/// The ids of events, and the first one that repeats an earlier one.
#[derive(Debug, Default)]
pub(crate) struct EventIds {
    seen: BTreeMap<Digest, Line>,
    pub(crate) repeated: Option<RepeatedId>,
    /// `true` if there were more than are compared.
    pub(crate) is_full: bool,
}

/// An id that an earlier event has.
#[derive(Debug)]
pub(crate) struct RepeatedId {
    pub(crate) id: String,
    pub(crate) earlier: Line,
    pub(crate) again: Line,
    /// The number of events with an id that an earlier event has.
    pub(crate) lines: u64,
}

impl EventIds {
    /// Returns `true` if any event has one.
    pub(crate) fn has_any(&self) -> bool {
        !self.seen.is_empty()
    }

    fn add(&mut self, line: Line, id: &str, limit: usize) {
        self.is_full |= self.seen.len() == limit;
        if self.is_full {
            return;
        }

        match self
            .seen
            .entry(Digest::of([id.as_bytes()]))
        {
            Entry::Vacant(slot) => drop(slot.insert(line)),
            Entry::Occupied(earlier) => {
                let repeated = self
                    .repeated
                    .get_or_insert_with(|| RepeatedId {
                        id: id.to_owned(),
                        earlier: *earlier.get(),
                        again: line,
                        lines: 0,
                    });
                repeated.lines += 1;
            }
        }
    }
}

impl StrictFacts {
    /// Returns the facts without events so far.
    pub(crate) fn new(wanted: Wanted) -> Self {
        Self {
            ids: wanted.ids.then(EventIds::default),
            acts: wanted.acts.then(DatedActs::default),
            prefixes: wanted.prefixes.then(Vec::new),
            repeated_keys: wanted.repeated_keys.then(Vec::new),
            ..Self::default()
        }
    }

    /// Adds one event.
    pub(crate) fn event(&mut self, event: EventFacts<'_>) {
        let at = Stamped::new(event);
        self.events += 1;
        self.stamped += u64::from(at.stamp.is_some());
        if let Some(repeated) = &mut self.repeated_keys {
            RepeatedEventKey::add_all(event, repeated);
        }

        if let Some(prefixes) = &mut self.prefixes
            && let Some(prefix) = Prefix::of(event)
            && prefixes.len() < MAX_EVENT_IDS
        {
            prefixes.push(prefix);
        }

        self.order(&at);
        if let (Some(ids), Some(id)) = (&mut self.ids, event.text(InEvent::EventId)) {
            ids.add(event.line, &id, MAX_EVENT_IDS);
        }

        match (event.phase().as_deref(), &mut self.ending) {
            (Some("start"), _) if self.start.is_none() => {
                self.start = Some(StartEvent::new(at, event));
            }
            (Some("terminate"), None) => self.ending = Some(Termination::new(at, event)),
            (Some("terminate"), Some(ending)) => {
                ending.second.get_or_insert(event.line);
                ending.last = at;
                ending.terminates += 1;
            }
            (Some(phase @ ("plan" | "act" | "direction")), ending) => {
                if let Some(ending) = ending {
                    ending
                        .late
                        .get_or_insert_with(|| (event.line, phase.to_owned()));
                    ending.late_events += 1;
                }
                if phase == "act"
                    && let Some(acts) = &mut self.acts
                {
                    acts.add(event, &at);
                }
                if phase == "act" && self.first_act.is_none() && !event.is_synthetic() {
                    self.first_act = Some(at);
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if so much is kept that the episode is large.
    pub(crate) fn is_large(&self) -> bool {
        let ids = self
            .ids
            .as_ref()
            .map_or(0, |ids| ids.seen.len());
        let acts = self
            .acts
            .as_ref()
            .map_or(0, |acts| acts.instants.len());
        let prefixes = self
            .prefixes
            .as_ref()
            .map_or(0, Vec::len);

        ids + acts + prefixes > MANY_IDS
    }

    fn order(&mut self, at: &Stamped) {
        let Some(stamp) = &at.stamp else { return };
        if let Some(before) = &self.before
            && let Some(earlier) = &before.stamp
            && stamp.instant < earlier.instant
        {
            let disorder = self
                .disorder
                .get_or_insert_with(|| Disorder {
                    first: at.clone(),
                    before: before.clone(),
                    lines: 0,
                });
            disorder.lines += 1;
        }

        self.before = Some(at.clone());
    }
}

impl StartEvent {
    fn new(at: Stamped, event: EventFacts<'_>) -> Self {
        let fact = |key: &str| event.payload()?.get(key)?.fact();
        let seed = fact("seed").and_then(Value::number);
        let words = |key: &str| fact(key)?.string().map(Cow::into_owned);

        Self {
            at,
            seed: seed.map(|seed| seed.text().to_owned()),
            task: words("task"),
            using: words("using"),
        }
    }
}

impl Termination {
    fn new(at: Stamped, event: EventFacts<'_>) -> Self {
        let status = event.text(InEvent::Status);
        Self {
            line: event.line,
            status: status.map(Cow::into_owned),
            second: None,
            last: at,
            terminates: 1,
            late: None,
            late_events: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_beyond_the_limit_are_not_compared() {
        let mut ids = EventIds::default();
        for (number, id) in (1..).zip(["a", "b", "b", "a", "c", "a"]) {
            let line = Line {
                number,
                offset: 0,
                length: 0,
            };
            ids.add(line, id, 3);
        }
        let repeated = ids.repeated.as_ref().unwrap();
        assert_eq!((&*repeated.id, repeated.earlier.number), ("b", 2));
        assert_eq!((repeated.again.number, repeated.lines), (3, 2));
        assert!(ids.is_full && ids.seen.len() == 3);
    }
}
