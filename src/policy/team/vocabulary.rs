//! The closed values of keys of events, and events -> the values that are outside of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::RunFacts;
use super::events::{EventIndex, EventView};
use super::judge::Judge;
use crate::ground::Own;
use crate::ground::digest::Digest;
use crate::ground::document::Node;
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::MAX_FINDINGS_PER_RULE;
use crate::ground::printable::{brief, quote};
use crate::ground::select::{KeyPath, Look, SelectorValue, Values, Written};
use crate::ground::source::{Artifact, Line, Place, Pointer};
use crate::ground::spelling::nearest;

/// The maximum number of values that are counted apart, in addition to those that are listed.
const MAX_UNLISTED: usize = 100_000;

/// The maximum number of pairs of a value and a word that are compared in a run, to name the word
/// that is probably meant.
const MAX_PAIRS: usize = 20_000;

/// The vocabulary, and what it finds in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct VocabularyJudge {
    /// The keys of events with the sets of their values.
    closed: Arc<Vec<(KeyPath, Values)>>,
    /// The place of each key among those of events; empty where the vocabulary is off.
    pub(super) keys: Vec<usize>,
    /// `true` if any event has a value of which the vocabulary is closed.
    pub(super) examined: bool,
    /// The values that it lacks, by the places of their keys.
    outside: BTreeMap<(usize, Digest), Outside>,
    unlisted: BTreeSet<(usize, Digest)>,
    /// The number of pairs of a value and a word that were compared.
    pairs: usize,
}

/// A value that the vocabulary lacks.
#[derive(Clone, Debug)]
struct Outside {
    /// The place of the value in its first event.
    place: Place,
    /// The value as messages show it.
    shown: String,
    /// The number of its events.
    events: u64,
    nearest: Option<String>,
}

impl VocabularyJudge {
    pub(super) fn new(
        closed: &Arc<Vec<(KeyPath, Values)>>,
        is_on: bool,
        index: &mut EventIndex,
    ) -> Self {
        let keys = closed.iter().filter(|_| is_on);
        Self {
            keys: keys
                .map(|(key, _)| index.key(key))
                .collect(),
            closed: Arc::clone(closed),
            ..Self::default()
        }
    }

    /// Returns `true` if an event has no value that the sets lack.
    pub(super) fn has_all(&self, event: &EventView<'_>) -> bool {
        self.values(event)
            .all(|(key, value)| self.has(key, value))
    }

    /// Returns `true` if a key has a value that it may have. A shortened one may be any.
    fn has(&self, index: usize, value: Look<Written<'_>>) -> bool {
        let (_, values) = self.closed.own(index);
        match value {
            Look::Value(value) => values.have_written(value),
            _ => false,
        }
    }

    /// Returns the values of an event for which it has sets, each with the place of its key.
    pub(super) fn values<'a>(
        &self,
        event: &EventView<'a>,
    ) -> impl Iterator<Item = (usize, Look<Written<'a>>)> {
        self.keys
            .iter()
            .enumerate()
            .map(|(index, key)| (index, event.look(*key)))
            .filter(|(_, value)| !matches!(value, Look::Nowhere))
    }

    pub(super) fn event(&mut self, event: &EventView<'_>) {
        let mut any = false;
        let outside: Vec<_> = self
            .values(event)
            .inspect(|_| any = true)
            .filter(|(index, value)| !self.has(*index, *value))
            .filter_map(|(index, _)| {
                let key = self.keys.own(index);
                Some((index, event.node_at(*key)?))
            })
            .collect();
        self.examined |= any;

        for (index, (value, passed)) in outside {
            self.add(index, event.line, value, passed);
        }
    }

    /// Counts a value of an event that a set lacks, to which some tokens of its key lead.
    fn add(&mut self, index: usize, line: Line, value: Node<'_>, passed: usize) {
        let id = (index, value.meaning());
        if let Some(known) = self.outside.get_mut(&id) {
            known.events += 1;
        } else if self.outside.len() < MAX_FINDINGS_PER_RULE {
            let (key, values) = self.closed.own(index);
            self.pairs = self
                .pairs
                .saturating_add(values.items.len());

            let text = value
                .text()
                .filter(|_| self.pairs <= MAX_PAIRS);
            let words = values
                .items
                .iter()
                .filter_map(|wanted| match wanted {
                    SelectorValue::Text(glob) => glob.word(),
                    _ => None,
                });
            let outside = Outside {
                place: Place::event(line, key.first(passed).pointer().as_str()),
                shown: brief(value.raw()),
                events: 1,
                nearest: text.and_then(|text| nearest(&text, words).map(str::to_owned)),
            };

            self.outside.insert(id, outside);
        } else if self.unlisted.len() < MAX_UNLISTED {
            self.unlisted.insert(id);
        }
    }
}

impl Judge for VocabularyJudge {
    /// Reports what it found, in the order of the first events.
    fn report(&self, run: Option<&RunFacts<'_>>, findings: &mut Findings<'_>) -> Option<Compared> {
        if self.keys.is_empty() {
            return None;
        }

        if let Some(reason) = run.and_then(|run| (run.unjudged)(Artifact::Events)) {
            findings.skip(&reason);
            return None;
        }

        let mut outside: Vec<&Outside> = self.outside.values().collect();
        outside.sort_by_cached_key(|it| (it.place.line, it.place.pointer().cloned()));
        for value in outside {
            findings.push(value.draft());
        }

        findings.more(self.unlisted.len());
        Compared::when(self.examined)
    }
}

impl Outside {
    fn draft(&self) -> Draft {
        let key = self
            .place
            .pointer()
            .map(Pointer::dotted)
            .unwrap_or_default();
        let also = match self.events - 1 {
            0 => String::new(),
            1 => ", and 1 more event has this value".to_owned(),
            more => format!(", and {more} more events have this value"),
        };

        let shown = &self.shown;
        let message = format!("`{key}` is {shown}, which the vocabulary lacks{also}");
        let nearest = self.nearest.as_ref();

        Draft::new(self.place.clone(), message)
            .besides(&self.events)
            .help(nearest.map(|word| format!("Did you mean {}?", quote(word))))
    }
}
