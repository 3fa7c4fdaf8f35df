//! The outcomes and links in a projection event and in the persisted state -> their differences.

use std::collections::BTreeSet;

use crate::ground::document::{Key, Kind, Node, WrittenMember, distinct_members, same_as_written};
use crate::ground::printable::brief;
use crate::ground::source::Line;
use crate::judge::rule::{Compared, Draft, Place, Pointer};
use crate::reading::facts::{EventFacts, InEvent, InState, StateFacts, Value, show};

/// Calls `tell` with each way in which the outcomes in the projection event differ from the
/// persisted `outcomes`: one for each key, whatever the order of the keys.
pub(super) fn outcomes(
    state: StateFacts<'_>,
    projection: EventFacts<'_>,
    mut tell: impl FnMut(Draft),
) -> Option<Compared> {
    projection.payload()?;
    let persisted = state.outcomes()?;
    let mut tell = |draft: Draft, state_at: Pointer| {
        tell(draft.related(Place::state(state_at), "the outcomes in the state"));
    };
    let (line, outcomes) = (projection.line, || Pointer::new("/outcomes"));
    let Some(projected) = projection.value(InEvent::Outcomes) else {
        tell(lacks(line, "/payload/outcomes"), outcomes());
        return Some(Compared);
    };

    let are_equal = projected.raw() == persisted.raw() && state.value(InState::Status).is_some();
    if are_equal || agree_as_written(projected, state) {
        return Some(Compared);
    }

    let (in_event, in_state) = (projected.node()?, persisted.node()?);
    if in_event.get("status").is_none() {
        tell(lacks(line, "/payload/outcomes/status"), outcomes());
    }

    let by_name = in_state.by_name();
    let is_fact = |node| persisted.with(node).is_fact();
    for member in in_event.members() {
        let (key, in_event) = (member.name(), member.value());
        let at = |object: &str| Pointer::new(object).field(&key);
        match by_name.get(&key).copied() {
            Some(in_state) if !is_fact(in_state) || in_state.equals(in_event) => {}
            Some(in_state) => {
                let sides = [
                    (at("/payload/outcomes"), in_event),
                    (at("/outcomes"), in_state),
                ];
                let [(event_at, in_event), (state_at, in_state)] = first_difference(sides);
                let message = differ(line, &state_at, in_event, Some(in_state));
                tell(Draft::new(Place::event(line, event_at), message), state_at);
            }
            // An absent field equals null, unless the field must not be absent.
            None if key == "status" || in_event.is_null() => {}
            None => {
                let message = differ(line, &at("/outcomes"), in_event, None);
                let place = Place::event(line, at("/payload/outcomes"));
                tell(Draft::new(place, message), outcomes());
            }
        }
    }

    Some(Compared)
}

/// Returns `true` if the outcomes in an event have a status, and each of their values is written as
/// the state has it, so that neither text needs a tape. If not, they may still agree.
fn agree_as_written(in_event: Value<'_>, state: StateFacts<'_>) -> bool {
    let Some(in_event) = distinct_members(in_event.raw()) else {
        return false;
    };
    let has_status = in_event
        .iter()
        .any(|member| member.key == "\"status\"");

    has_status
        && in_event
            .iter()
            .all(|member| is_persisted(*member, state))
}

/// Returns `true` if the state has an outcome as it is written in an event.
fn is_persisted(in_event: WrittenMember<'_>, state: StateFacts<'_>) -> bool {
    let slot = match in_event.key {
        "\"actions\"" => InState::Actions,
        "\"artifacts\"" => InState::Artifacts,
        "\"error\"" => InState::Error,
        "\"metrics\"" => InState::Metrics,
        "\"status\"" => InState::Status,
        "\"summary\"" => InState::OutcomeSummary,
        other => {
            return state
                .outcomes()
                .and_then(|outcomes| distinct_members(outcomes.raw()))
                .into_iter()
                .flatten()
                .any(|member| {
                    member.key == other && same_as_written(in_event.value, member.value)
                });
        }
    };

    state
        .value(slot)
        .map_or(in_event.value == "null", |in_state| {
            same_as_written(in_event.value, in_state.raw())
        })
}

/// Returns the difference of the links in the projection event from the persisted `links`, if any.
pub(super) fn links(state: StateFacts<'_>, projection: EventFacts<'_>) -> Option<Draft> {
    projection.payload()?;
    let (line, in_state) = (projection.line, state.links().ok()?);
    let draft = match projection.value(InEvent::Links) {
        None => lacks(line, "/payload/links"),
        Some(in_event) => {
            if in_state.is_some_and(|in_state| in_state.is_written_as(in_event)) {
                return None;
            }
            let in_state = in_state.and_then(Value::node);
            let message = unlike(line, in_event.node()?, in_state)?;
            Draft::new(Place::event(line, "/payload/links"), message)
        }
    };

    let place = Place::state(if in_state.is_some() { "/links" } else { "" });
    Some(draft.related(place, "the links in the state"))
}

/// Returns a clause about the difference of links, if they differ.
fn unlike(line: Line, in_event: Node<'_>, in_state: Option<Node<'_>>) -> Option<String> {
    if in_state.is_some_and(|in_state| in_state.equals(in_event)) {
        return None;
    }

    let number = line.number;
    if in_event.kind() != Kind::Object {
        let kind = in_event.kind().with_article();
        return Some(format!(
            "`payload.links` is {kind} in the projection event on line {number}, not an object"
        ));
    }

    let event = format!("the projection event on line {number}");
    let of_event = only(&event, Some(in_event), in_state);
    let of_state = only("the state", in_state, Some(in_event));
    let sides: Vec<String> = of_event
        .into_iter()
        .chain(of_state)
        .collect();
    if !sides.is_empty() {
        return Some(sides.join(", "));
    }

    // No links in the state are like an object without any.
    let links = Pointer::new("/links");
    let sides = [(links.clone(), in_event), (links, in_state?)];
    let [(_, in_event), (at, in_state)] = first_difference(sides);

    Some(differ(line, &at, in_event, Some(in_state)))
}

/// The number of keys that a message lists.
const LISTED_KEYS: usize = 8;

/// Names the first keys, in the alphabet, that the links of one side have and the others lack.
fn only(side: &str, these: Option<Node<'_>>, others: Option<Node<'_>>) -> Option<String> {
    let others = others
        .map(Node::by_name)
        .unwrap_or_default();
    let mut first = BTreeSet::new();

    for name in these
        .into_iter()
        .flat_map(Node::members)
        .map(Key::name)
    {
        if !others.contains_key(&name) {
            first.insert(name);
            if first.len() > LISTED_KEYS {
                first.pop_last();
            }
        }
    }

    let keys: Vec<String> = first
        .iter()
        .map(|key| format!("`{}`", brief(key)))
        .collect();

    (!keys.is_empty()).then(|| format!("only {side} links {}", keys.join(", ")))
}

/// Returns a clause about the difference of a value of the state in the projection event.
fn differ(line: Line, at: &Pointer, in_event: Node<'_>, in_state: Option<Node<'_>>) -> String {
    let other = in_state.map_or("absent from the state".to_owned(), |in_state| {
        format!("{} in the state", show(in_state.raw()))
    });
    let (at, in_event, line) = (at.dotted(), show(in_event.raw()), line.number);
    format!("`{at}` is {in_event} in the projection event on line {line}, but {other}")
}

/// Returns a finding for a field that the projection event must have, and lacks.
fn lacks(line: Line, field: &str) -> Draft {
    let (field, number) = (Pointer::new(field), line.number);
    let name = field.dotted();
    let message = format!("the projection event on line {number} has no `{name}`");
    Draft::new(Place::event(line, field.parent()), message)
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

/// Returns the first item in which two values differ, or of the members that differ the one whose
/// key comes first in the alphabet; `None` where the values differ as a whole.
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
            let mut pairs = in_event
                .items()
                .zip(in_state.items())
                .enumerate();
            let (index, (in_event, in_state)) =
                pairs.find(|(_, (in_event, in_state))| !in_event.equals(*in_state))?;
            Some((index.to_string(), in_event, in_state))
        }
        _ => None,
    }
}
