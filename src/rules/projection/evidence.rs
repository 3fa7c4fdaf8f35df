//! The evidence in a projection event, held against the persisted state.

use std::collections::BTreeSet;

use crate::document::{Kind, Node};
use crate::facts::{EventFacts, StateFacts, Value, show};
use crate::printable::quote;
use crate::rule::Draft;
use crate::source::{Artifact, Place, Pointer};

/// How the evidence for the outcomes falls short of the persisted `outcomes`, or differs from it.
pub(super) fn outcomes(state: StateFacts<'_>, projection: &EventFacts<'_>) -> Option<Draft> {
    let payload = projection.payload()?;
    let persisted = state.outcomes()?;
    let Some(evidence) = payload.get("outcomes") else {
        let place = Place::event(projection.line, "/payload");
        return Some(Draft::new(
            place,
            "the projection event gives no evidence for the outcomes",
        ));
    };
    if evidence.get("status").is_none() {
        let place = Place::event(projection.line, "/payload/outcomes");
        return Some(Draft::new(
            place,
            "the evidence for the outcomes lacks `status`",
        ));
    }
    let differ: Vec<_> = evidence
        .members()
        .filter(|(key, theirs)| differs(persisted, key, theirs.node()))
        .collect();
    let (key, theirs) = differ.first()?;
    let in_event = Pointer::new("/payload/outcomes").field(key);
    let in_state = Pointer::new("/outcomes");
    let (mut message, in_event, in_state) = if let Some(ours) = persisted.get(key) {
        let Difference {
            below,
            theirs,
            ours,
        } = first_difference(Vec::new(), theirs.node(), ours.node());
        let down = |pointer: Pointer| {
            below
                .iter()
                .fold(pointer, |pointer, step| pointer.field(step))
        };
        let in_state = down(in_state.field(key));
        let name = in_state.dotted();
        let message = format!(
            "`{name}` is {} in the evidence, and {} in the state",
            show(theirs),
            show(ours)
        );
        (message, down(in_event), in_state)
    } else {
        let message = format!(
            "{} is {} in the evidence, and absent in the state",
            quote(key),
            show(theirs.node())
        );
        (message, in_event, in_state)
    };
    if differ.len() > 1 {
        let others: Vec<String> = differ
            .iter()
            .skip(1)
            .take(8)
            .map(|(key, _)| quote(key))
            .collect();
        message = format!("{message}; also different: {}", others.join(", "));
    }
    let draft = Draft::new(Place::event(projection.line, in_event.as_str()), message);
    Some(draft.related(
        Place::value(Artifact::State, in_state),
        "the state's outcomes",
    ))
}

/// Where two values differ: the way down to it, and what both sides say there.
struct Difference<'t, 'o> {
    below: Vec<String>,
    theirs: Node<'t>,
    ours: Node<'o>,
}

/// The first place, at or below a value, where the evidence differs from the state.
fn first_difference<'t, 'o>(
    mut below: Vec<String>,
    theirs: Node<'t>,
    ours: Node<'o>,
) -> Difference<'t, 'o> {
    let next = match (theirs.kind(), ours.kind()) {
        (Kind::Object, Kind::Object) => theirs.members().find_map(|key| {
            let (theirs, ours) = (key.value(), ours.get(&key.name())?);
            (!theirs.equals(ours)).then(|| (key.name().into_owned(), theirs, ours))
        }),
        (Kind::Array, Kind::Array) if theirs.items().count() == ours.items().count() => {
            let pairs = theirs.items().zip(ours.items()).enumerate();
            let mut differing = pairs.filter(|(_, (theirs, ours))| !theirs.equals(*ours));
            differing
                .next()
                .map(|(index, (theirs, ours))| (index.to_string(), theirs, ours))
        }
        _ => None,
    };
    match next {
        Some((step, theirs, ours)) => {
            below.push(step);
            first_difference(below, theirs, ours)
        }
        None => Difference {
            below,
            theirs,
            ours,
        },
    }
}

/// Whether a key of the evidence differs from the same key of the persisted outcomes, as far as
/// that is a fact.
fn differs(persisted: Value<'_>, key: &str, theirs: Node<'_>) -> bool {
    match persisted.get(key) {
        Some(ours) => ours.is_fact() && !ours.node().equals(theirs),
        // An absent field equals null, unless it is one that may not be absent.
        None => key != "status" && !theirs.is_null(),
    }
}

/// How the evidence for the links differs from the persisted `links`.
pub(super) fn links(state: StateFacts<'_>, projection: &EventFacts<'_>) -> Option<Draft> {
    let payload = projection.payload()?;
    let persisted = state.links().ok()?;
    let Some(evidence) = payload.get("links") else {
        let place = Place::event(projection.line, "/payload");
        return Some(Draft::new(
            place,
            "the projection event gives no evidence for the links",
        ));
    };
    let is_equal = match persisted {
        Some(ours) => ours.node().equals(evidence.node()),
        None => {
            evidence.node().kind() == Kind::Object && evidence.node().members().next().is_none()
        }
    };
    if is_equal {
        return None;
    }
    let keys = |value: Option<Value<'_>>| -> BTreeSet<String> {
        value
            .map(|value| value.members().map(|(key, _)| key.into_owned()).collect())
            .unwrap_or_default()
    };
    let (theirs, ours) = (keys(Some(evidence)), keys(persisted));
    let alone = |these: &BTreeSet<String>, those: &BTreeSet<String>, side: &str| {
        let keys: Vec<String> = these
            .difference(those)
            .take(8)
            .map(|key| quote(key))
            .collect();
        (!keys.is_empty()).then(|| format!("the {side} alone links {}", keys.join(", ")))
    };
    let sides = [
        alone(&theirs, &ours, "evidence"),
        alone(&ours, &theirs, "state"),
    ];
    let sides: Vec<String> = sides.into_iter().flatten().collect();
    let message = if evidence.node().kind() != Kind::Object {
        format!(
            "the evidence for the links is {}, not an object",
            evidence.node().kind().with_article()
        )
    } else if sides.is_empty() {
        "the links lead elsewhere in the evidence than in the state".to_owned()
    } else {
        sides.join(", ")
    };
    let draft = Draft::new(Place::event(projection.line, "/payload/links"), message);
    let place = if persisted.is_some() {
        Place::state("/links")
    } else {
        Place::state("")
    };
    Some(draft.related(place, "the state's links"))
}
