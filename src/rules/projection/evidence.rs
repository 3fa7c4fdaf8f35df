//! The outcomes and links in a projection event, compared with those in the persisted state.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::document::{Kind, Node};
use crate::facts::{EventFacts, StateFacts, Value, show};
use crate::printable::brief;
use crate::rule::{Artifact, Compared, Draft, Place, Pointer};

/// The other side of a finding.
const OUTCOMES: &str = "the outcomes in the state";

/// Calls `tell` with each way in which the outcomes in the projection event differ from the
/// persisted `outcomes`: one for each key, whatever the order of the keys.
pub(super) fn outcomes(
    state: StateFacts<'_>,
    projection: &EventFacts<'_>,
    mut tell: impl FnMut(Draft),
) -> Option<Compared> {
    let (payload, persisted) = (projection.payload()?, state.outcomes()?);
    let Some(projected) = payload.get("outcomes") else {
        let draft = lacks(projection, "/payload", "outcomes");
        tell(draft.related(Place::state("/outcomes"), OUTCOMES));
        return Some(Compared);
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
    Some(Compared)
}

/// How a key of the outcomes differs.
fn outcome(
    projection: &EventFacts<'_>,
    key: &str,
    in_event: Node<'_>,
    in_state: Option<Value<'_>>,
) -> Draft {
    let event_at = Pointer::new("/payload/outcomes").field(key);
    let outcomes = Pointer::new("/outcomes");
    let state_at = outcomes.field(key);
    let (message, event_at, state_at) = if let Some(in_state) = in_state {
        let sides = [(event_at, in_event), (state_at, in_state.node())];
        let [in_event, in_state] = first_difference(sides);
        let message = differ(projection, &in_state.0, in_event.1, Some(in_state.1));
        (message, in_event.0, in_state.0)
    } else {
        let message = differ(projection, &state_at, in_event, None);
        (message, event_at, outcomes)
    };
    let place = Place::event(projection.line, event_at.as_str());
    Draft::new(place, message).related(Place::value(Artifact::State, state_at), OUTCOMES)
}

/// Words how a value at a place of the state differs in the projection event.
fn differ(
    projection: &EventFacts<'_>,
    place: &Pointer,
    in_event: Node<'_>,
    in_state: Option<Node<'_>>,
) -> String {
    let other = in_state.map_or("absent from the state".to_owned(), |in_state| {
        format!("{} in the state", show(in_state))
    });
    format!(
        "`{}` is {} in the projection event on line {}, but {other}",
        place.dotted(),
        show(in_event),
        projection.line.number
    )
}

/// The projection event has no such field, which it must have, at a place.
fn lacks(projection: &EventFacts<'_>, pointer: &str, field: &str) -> Draft {
    let (line, name) = (projection.line, Pointer::new(pointer).field(field).dotted());
    let message = format!(
        "the projection event on line {} has no `{name}`",
        line.number
    );
    Draft::new(Place::event(line, pointer), message)
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

/// Returns the first place, at or below two unequal values, where they differ, on both sides.
fn first_difference(mut sides: [(Pointer, Node<'_>); 2]) -> [(Pointer, Node<'_>); 2] {
    while let [(event_at, in_event), (state_at, in_state)] = &sides
        && let Some((step, in_event, in_state)) = step_down(*in_event, *in_state)
    {
        sides = [
            (event_at.field(&step), in_event),
            (state_at.field(&step), in_state),
        ];
    }
    sides
}

/// The first item in which two values differ, or of the members that differ the one whose key comes
/// first in the alphabet; `None` where the values differ as a whole.
fn step_down<'a>(in_event: Node<'a>, in_state: Node<'a>) -> Option<(String, Node<'a>, Node<'a>)> {
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
    let (line, in_event) = (projection.line.number, projected.node());
    let in_state = persisted.map(Value::node);
    let only = |these: Option<Node<'_>>, those: Option<Node<'_>>, side: &str| {
        let keys = list(first_missing(these, those));
        (!keys.is_empty()).then(|| format!("only {side} links {keys}"))
    };
    let sides = || {
        let event = format!("the projection event on line {line}");
        let of_event = only(Some(in_event), in_state, &event);
        let of_state = only(in_state, Some(in_event), "the state");
        let sides: Vec<String> = of_event.into_iter().chain(of_state).collect();
        sides.join(", ")
    };
    let message = if is_object {
        match (sides(), in_state) {
            (sides, Some(in_state)) if sides.is_empty() => {
                let at = Pointer::new("/links");
                let sides = [(at.clone(), in_event), (at, in_state)];
                let [(_, in_event), (at, in_state)] = first_difference(sides);
                differ(projection, &at, in_event, Some(in_state))
            }
            (sides, _) => sides,
        }
    } else {
        let kind = in_event.kind().with_article();
        format!("`payload.links` is {kind} in the projection event on line {line}, not an object")
    };
    let place = Place::event(projection.line, "/payload/links");
    related(Draft::new(place, message))
}
