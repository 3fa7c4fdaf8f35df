//! The words of an event, such as its phase and its tool -> what these decide alone.
//!
//! A run has many events and few different words, so what they decide is found out once.

use std::hash::BuildHasher as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::{EventIndex, EventView, NamedOfAll};
use crate::ground::document::Node;
use crate::ground::select::{KeyPath, Written};
use crate::policy::expression::Record;
use crate::policy::team::selector::KnownAnswer;

/// The number of kinds that are remembered.
const MAX_KINDS: usize = 512;

/// The places at which a kind may be: it has one of them unless other kinds took all.
const PLACES_OF_KIND: usize = 8;

/// The bytes of all words of an event that has a kind.
const MAX_WORDS: usize = 256;

/// What stands behind each word: a byte that no text has.
const END: u8 = 0xFF;

/// The kinds of events that were met.
#[derive(Debug, Default)]
pub(super) struct EventKinds {
    hasher: RandomState,
    kinds: OnceLock<Box<[OnceLock<EventKind>]>>,
}

/// The events with the same words.
#[derive(Debug)]
pub(super) struct EventKind {
    /// The words as they are written, one after the other.
    words: Box<[u8]>,
    /// Of each selector, whether its tests of words name them.
    pub(super) named: NamedOfAll,
    /// Of each condition that was asked, the answer if the words decide it.
    answers: Box<[OnceLock<Option<KnownAnswer>>]>,
}

impl EventKinds {
    /// Returns the kind of an event without shortened values, if there is room for it.
    pub(super) fn of(&self, index: &EventIndex, event: &EventView<'_>) -> Option<&EventKind> {
        let mut words = SmallVec::<[u8; MAX_WORDS]>::new();
        for key in &index.words {
            let word = event
                .value(*key)
                .map_or("", Written::raw);
            if words.len() + word.len() >= MAX_WORDS {
                return None;
            }

            words.extend_from_slice(word.as_bytes());
            words.push(END);
        }

        let kinds = self.kinds.get_or_init(|| {
            (0..MAX_KINDS)
                .map(|_| OnceLock::new())
                .collect()
        });
        let new = || EventKind {
            words: (*words).into(),
            named: index.named_by_words(event),
            answers: index
                .conditions
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
        };

        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lowest bits are as good as any"
        )]
        let first = self.hasher.hash_one(&*words) as usize % MAX_KINDS;
        kinds
            .iter()
            .cycle()
            .skip(first)
            .take(PLACES_OF_KIND)
            .map(|place| place.get_or_init(new))
            .find(|kind| *kind.words == *words)
    }
}

impl EventKind {
    /// Returns the answer of the condition at a place, if the words decide it.
    pub(super) fn answer(&self, place: usize, event: &EventView<'_>) -> Option<&KnownAnswer> {
        let find = || {
            let words = EventWords {
                event,
                are_enough: AtomicBool::new(true),
            };
            let condition = event.index.conditions.get(place)?;
            condition
                .known(&words)
                .filter(|_| words.are_enough.into_inner())
        };

        self.answers
            .get(place)?
            .get_or_init(find)
            .as_ref()
    }
}

/// The words of an event, as a record.
struct EventWords<'e, 'a> {
    event: &'e EventView<'a>,
    /// `false` once anything else was asked for.
    are_enough: AtomicBool,
}

impl Record for EventWords<'_, '_> {
    fn node(&self) -> Option<Node<'_>> {
        self.are_enough
            .store(false, Ordering::Relaxed);
        None
    }

    fn value(&self, path: &KeyPath) -> Option<Written<'_>> {
        self.event.word(path)
    }

    fn bytes(&self) -> usize {
        self.event.text().len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::ground::document::OwnedDocument;
    use crate::ground::source::Line;
    use crate::policy::expression::{Budget, Expression};
    use crate::policy::team::events::{EventIndex, EventText};
    use crate::policy::team::selector::{Condition, EVENT_NAMES, TeamSelector};

    #[test]
    fn known_answers_are_those_of_an_evaluation_and_take_as_many_steps() {
        let params = br#"{"tools":["refund","fetch"],"most":3}"#.to_vec();
        let params = Arc::new(OwnedDocument::read(params).unwrap());
        let selectors = [
            r"event.payload.tool.lowerAscii().matches(r'(^|__)refund$')",
            r"event.payload.tool in params.tools || event.payload.amount > params.most",
            r"event.payload.tool.matches(r'^[a-z]+$') && event.payload.amount > 1",
            r"has(event.payload.tool) && !has(event.payload.amount)",
            r"event.phase == 'act' ? event.payload.tool == 'fetch' : event.payload.amount == 2",
            r"event.payload.tool + 1 == 2",
            r"params.tools.exists(tool, tool == event.payload.tool)",
        ]
        .map(|text| TeamSelector {
            condition: Some(Condition {
                expression: Arc::new(Expression::parse(text, &EVENT_NAMES).unwrap()),
                params: Arc::clone(&params),
            }),
            ..TeamSelector::default()
        });

        let mut index = EventIndex::default();
        let selectors = selectors.map(|selector| index.selector(&selector));
        let mut budgets = selectors
            .each_ref()
            .map(|_| [Budget::of_run(), Budget::of_run()]);
        let mut known = 0;
        for event in [
            r#"{"phase":"act","payload":{"tool":"refund","amount":7}}"#,
            r#"{"phase":"act","payload":{"tool":"shop__Refund","amount":1}}"#,
            r#"{"phase":"act","payload":{"tool":"ref\u0075nd"}}"#,
            r#"{"phase":"act","payload":{"tool":"fetch","amount":"2"}}"#,
            r#"{"phase":"act","payload":{"amount":2}}"#,
            r#"{"phase":"plan","payload":{"tool":7,"amount":2}}"#,
            r#"{"phase":"act","payload":{"tool":{"name":"refund"}}}"#,
        ]
        .repeat(2)
        {
            let event = OwnedDocument::read(event.into()).unwrap();
            let view = index.view(Line::BEFORE_ALL, EventText::Parsed(event.root()));
            for (selector, [asked, evaluated]) in selectors.iter().zip(&mut budgets) {
                let condition = selector.condition(&view).unwrap();
                let answer = selector.ask(&view, asked);
                assert_eq!(answer, condition.ask(&view, None, evaluated));
                assert_eq!(format!("{asked:?}"), format!("{evaluated:?}"));
                known += u32::from(selector.known(&view).is_some());
            }
        }
        assert_eq!(known, 2 * 18, "answers that words decide");
    }
}
