//! The evidence in a projection event, held against the persisted state.

use crate::document::{Kind, Node};
use crate::facts::{EventFacts, StateFacts, Value, show};
use crate::printable::quote;
use crate::rule::Draft;
use crate::source::{Artifact, Line, Place, Pointer, Target};

/// How the evidence for the outcomes falls short of the persisted `outcomes`, or differs from it.
pub(super) fn outcomes(state: StateFacts<'_>, projection: EventFacts<'_>) -> Option<Draft> {
    let payload = projection.payload()?;
    let persisted = state.outcomes()?;
    let Some(evidence) = payload.get("outcomes") else {
        let place = Place::event(projection.line, "/payload");
        return Some(Draft::new(place, "the projection event gives no evidence for the outcomes"));
    };
    if evidence.get("status").is_none() {
        let place = Place::event(projection.line, "/payload/outcomes");
        return Some(Draft::new(place, "the evidence for the outcomes lacks `status`"));
    }
    let differ: Vec<_> = evidence.members().filter(|(key, theirs)| differs(persisted, key, theirs.node())).collect();
    let (key, theirs) = differ.first()?;
    let mut message = match persisted.get(key) {
        Some(ours) => first_difference(key, theirs.node(), ours.node()),
        None => format!("{} is {} in the evidence, and absent in the state", quote(key), show(theirs.node())),
    };
    if differ.len() > 1 {
        let others: Vec<String> = differ.iter().skip(1).take(8).map(|(key, _)| quote(key)).collect();
        message = format!("{message}; also different: {}", others.join(", "));
    }
    let in_event = Pointer::new("/payload/outcomes").field(key);
    let in_state = Pointer::new("/outcomes");
    let in_state = if persisted.get(key).is_some() { in_state.field(key) } else { in_state };
    let draft = Draft::new(at(projection.line, in_event), message);
    Some(draft.related(Place::value(Artifact::State, in_state), "the state's outcomes"))
}

/// The first place, at or below a key, where the evidence differs from the state.
fn first_difference(at: &str, theirs: Node<'_>, ours: Node<'_>) -> String {
    let below: Option<(String, Node<'_>, Node<'_>)> = match (theirs.kind(), ours.kind()) {
        (Kind::Object, Kind::Object) => theirs.members().find_map(|key| {
            let (theirs, ours) = (key.value(), ours.get(&key.name())?);
            (!theirs.equals(ours)).then(|| (format!("{at}.{}", key.name()), theirs, ours))
        }),
        (Kind::Array, Kind::Array) if theirs.items().count() == ours.items().count() => {
            let pairs = theirs.items().zip(ours.items()).enumerate();
            let mut differing = pairs.filter(|(_, (theirs, ours))| !theirs.equals(*ours));
            differing.next().map(|(index, (theirs, ours))| (format!("{at}[{index}]"), theirs, ours))
        }
        _ => None,
    };
    match below {
        Some((at, theirs, ours)) => first_difference(&at, theirs, ours),
        None => format!("{} is {} in the evidence, and {} in the state", quote(at), show(theirs), show(ours)),
    }
}

/// Whether a key of the evidence differs from the same key of the persisted outcomes, as far as that is a fact.
fn differs(persisted: Value<'_>, key: &str, theirs: Node<'_>) -> bool {
    match persisted.get(key) {
        Some(ours) => ours.is_fact() && !ours.node().equals(theirs),
        // An absent field equals null, unless it is one that may not be absent.
        None => key != "status" && !theirs.is_null(),
    }
}

/// How the evidence for the links differs from the persisted `links`.
pub(super) fn links(state: StateFacts<'_>, projection: EventFacts<'_>) -> Option<Draft> {
    let payload = projection.payload()?;
    let persisted = state.links().ok()?;
    let Some(evidence) = payload.get("links") else {
        let place = Place::event(projection.line, "/payload");
        return Some(Draft::new(place, "the projection event gives no evidence for the links"));
    };
    let is_equal = match persisted {
        Some(ours) => ours.node().equals(evidence.node()),
        None => evidence.node().kind() == Kind::Object && evidence.node().members().next().is_none(),
    };
    if is_equal {
        return None;
    }
    let keys =
        |value: Value<'_>| value.members().take(8).map(|(key, _)| key.into_owned()).collect::<Vec<_>>().join(", ");
    let ours = persisted.map_or_else(String::new, keys);
    let message = match keys(evidence) {
        theirs if evidence.node().kind() != Kind::Object => {
            format!("the evidence for the links is {}{theirs}, not an object", evidence.node().kind().with_article())
        }
        theirs if theirs == ours => format!("the links {ours} lead elsewhere in the evidence than in the state"),
        theirs => format!("the evidence links {}, the state {}", or_nothing(theirs), or_nothing(ours)),
    };
    let draft = Draft::new(Place::event(projection.line, "/payload/links"), crate::printable::brief(&message));
    let place = if persisted.is_some() { Place::state("/links") } else { Place::state("") };
    Some(draft.related(place, "the state's links"))
}

fn or_nothing(keys: String) -> String {
    if keys.is_empty() { "nothing".into() } else { keys }
}

fn at(line: Line, pointer: Pointer) -> Place {
    Place { artifact: Artifact::Events, line: Some(line), target: Target::Value(pointer) }
}
