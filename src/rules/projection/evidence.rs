//! The outcomes and links in a projection event, compared with those in the persisted state.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::document::{Kind, Node};
use crate::draft::{Compared, Draft};
use crate::facts::{EventFacts, StateFacts, Value, show};
use crate::printable::brief;
use crate::source::{Artifact, Place, Pointer};

/// The other side of a finding.
const OUTCOMES: &str = "the outcomes in the state";

/// Calls `tell` with each way in which the outcomes in the projection event differ from the
/// persisted `outcomes`: one for each key, whatever the order of the keys.
pub(super) fn outcomes(
    state: StateFacts<'_>,
    projection: &EventFacts<'_>,
    mut tell: impl FnMut(Draft),
) -> Compared {
    let (Some(payload), Some(persisted)) = (projection.payload(), state.outcomes()) else {
        return Compared::Nothing;
    };
    let Some(projected) = payload.get("outcomes") else {
        let draft = lacks(projection, "/payload", "outcomes");
        tell(draft.related(Place::state("/outcomes"), OUTCOMES));
        return Compared::Something;
    };
    if projected.get("status").is_none() {
        let draft = lacks(projection, "/payload/outcomes", "status");
        tell(draft.related(Place::state("/outcomes"), OUTCOMES));
    }
    let by_name = persisted.node().by_name();
    for (key, in_event) in projected.members() {
        let in_state = by_name.get(&key).map(|node| persisted.with(*node));
        if differs(&key, in_event.node(), in_state) {
            tell(outcome(projection, &key, in_event.node(), in_state));
        }
    }
    Compared::Something
}

/// How a key of the outcomes differs.
fn outcome(
    projection: &EventFacts<'_>,
    key: &str,
    in_event: Node<'_>,
    in_state: Option<Value<'_>>,
) -> Draft {
    let event_pointer = Pointer::new("/payload/outcomes").field(key);
    let state_pointer = Pointer::new("/outcomes");
    let name = state_pointer.field(key);
    let (message, event_pointer, state_pointer) = match in_state {
        Some(in_state) => {
            let difference = first_difference(in_event, in_state.node());
            let name = difference.below(name);
            let message = difference.message(projection, &name);
            (message, difference.below(event_pointer), name)
        }
        None => (
            format!(
                "`{}` is {} in the projection event on line {}, but absent from the state",
                name.dotted(),
                show(in_event),
                projection.line.number
            ),
            event_pointer,
            state_pointer,
        ),
    };
    let place = Place::event(projection.line, event_pointer.as_str());
    Draft::new(place, message).related(Place::value(Artifact::State, state_pointer), OUTCOMES)
}

/// The projection event has no such field, which it must have, at a place.
fn lacks(projection: &EventFacts<'_>, pointer: &str, field: &str) -> Draft {
    let place = Pointer::new(pointer).field(field);
    Draft::new(
        Place::event(projection.line, pointer),
        format!(
            "the projection event on line {} has no `{}`",
            projection.line.number,
            place.dotted()
        ),
    )
}

/// The number of keys that a message lists.
const LISTED_KEYS: usize = 8;

/// The first keys, in the alphabet, that one object has and another one lacks.
fn first_missing<'a>(of: Option<Node<'a>>, from: Option<Node<'_>>) -> BTreeSet<Cow<'a, str>> {
    let from = from.map(Node::by_name);
    let mut first = BTreeSet::new();
    for key in of.into_iter().flat_map(Node::members) {
        let name = key.name();
        if from.as_ref().is_none_or(|from| !from.contains_key(&name)) {
            first.insert(name);
            if first.len() > LISTED_KEYS {
                first.pop_last();
            }
        }
    }
    first
}

/// Keys as a message lists them.
fn list(keys: BTreeSet<Cow<'_, str>>) -> String {
    let keys: Vec<String> = keys
        .into_iter()
        .map(|key| format!("`{}`", brief(&key)))
        .collect();
    keys.join(", ")
}

/// Where two values differ: the path down to it, and the two values there.
struct Difference<'e, 's> {
    path: Vec<String>,
    in_event: Node<'e>,
    in_state: Node<'s>,
}

impl Difference<'_, '_> {
    /// The place of the difference, below the place of the two values.
    fn below(&self, pointer: Pointer) -> Pointer {
        self.path
            .iter()
            .fold(pointer, |pointer, step| pointer.field(step))
    }

    /// The difference as a sentence, given its place in the state.
    fn message(&self, projection: &EventFacts<'_>, in_state: &Pointer) -> String {
        format!(
            "`{}` is {} in the projection event on line {}, but {} in the state",
            in_state.dotted(),
            show(self.in_event),
            projection.line.number,
            show(self.in_state)
        )
    }
}

/// The first place, at or below two unequal values, where they differ.
fn first_difference<'e, 's>(mut in_event: Node<'e>, mut in_state: Node<'s>) -> Difference<'e, 's> {
    let mut path = Vec::new();
    while let Some((step, next_in_event, next_in_state)) = step_down(in_event, in_state) {
        path.push(step);
        (in_event, in_state) = (next_in_event, next_in_state);
    }
    Difference {
        path,
        in_event,
        in_state,
    }
}

/// The first item in which two values differ, or of the members that differ the one whose key comes
/// first in the alphabet; `None` where the values differ as a whole.
fn step_down<'e, 's>(
    in_event: Node<'e>,
    in_state: Node<'s>,
) -> Option<(String, Node<'e>, Node<'s>)> {
    match (in_event.kind(), in_state.kind()) {
        (Kind::Object, Kind::Object) => {
            let by_name = in_state.by_name();
            let differing = in_event.members().filter_map(|key| {
                let (name, in_event) = (key.name(), key.value());
                let in_state = *by_name.get(&name)?;
                (!in_event.equals(in_state)).then_some((name, in_event, in_state))
            });
            let (name, in_event, in_state) = differing.min_by(|(a, ..), (b, ..)| a.cmp(b))?;
            Some((name.into_owned(), in_event, in_state))
        }
        (Kind::Array, Kind::Array) if in_event.items().count() == in_state.items().count() => {
            let mut pairs = in_event.items().zip(in_state.items()).enumerate();
            let (index, (in_event, in_state)) =
                pairs.find(|(_, (in_event, in_state))| !in_event.equals(*in_state))?;
            Some((index.to_string(), in_event, in_state))
        }
        _ => None,
    }
}

/// Whether a key of the projected outcomes differs from the same key of the persisted outcomes,
/// where that key is a fact.
fn differs(key: &str, in_event: Node<'_>, in_state: Option<Value<'_>>) -> bool {
    match in_state {
        Some(in_state) => in_state.is_fact() && !in_state.node().equals(in_event),
        // An absent field equals null, unless the field must not be absent.
        None => key != "status" && !in_event.is_null(),
    }
}

/// How the links in the projection event differ from the persisted `links`, if they do.
pub(super) fn links(state: StateFacts<'_>, projection: &EventFacts<'_>) -> Option<Draft> {
    let payload = projection.payload()?;
    let persisted = state.links().ok()?;
    let place = Place::state(if persisted.is_some() { "/links" } else { "" });
    let related = |draft: Draft| Some(draft.related(place, "the links in the state"));
    let Some(projected) = payload.get("links") else {
        return related(lacks(projection, "/payload", "links"));
    };
    let is_object = projected.node().kind() == Kind::Object;
    let is_equal = match persisted {
        Some(in_state) => in_state.node().equals(projected.node()),
        None => is_object && projected.node().members().next().is_none(),
    };
    if is_equal {
        return None;
    }
    let line = projection.line.number;
    let message = if is_object {
        let (in_event, in_state) = (projected.node(), persisted.map(Value::node));
        let only = |these: Option<Node<'_>>, those: Option<Node<'_>>, side: &str| {
            let keys = list(first_missing(these, those));
            (!keys.is_empty()).then(|| format!("only {side} links {keys}"))
        };
        let event = format!("the projection event on line {line}");
        let sides: Vec<String> = [
            only(Some(in_event), in_state, &event),
            only(in_state, Some(in_event), "the state"),
        ]
        .into_iter()
        .flatten()
        .collect();
        match persisted {
            Some(in_state) if sides.is_empty() => {
                let difference = first_difference(projected.node(), in_state.node());
                difference.message(projection, &difference.below(Pointer::new("/links")))
            }
            _ => sides.join(", "),
        }
    } else {
        format!(
            "`payload.links` is {} in the projection event on line {line}, not an object",
            projected.node().kind().with_article()
        )
    };
    related(Draft::new(
        Place::event(projection.line, "/payload/links"),
        message,
    ))
}
