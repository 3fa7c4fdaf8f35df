//! An act event that has the id of an action -> what is kept of it until it is compared.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::as_of::{AsOf, Marks};
use super::event::EventFacts;
use super::value::Value;
use crate::document::Tape;
use crate::source::Line;

/// The latest act event for each action of the state that has an id.
#[derive(Debug, Default)]
pub(super) struct Acts<'a> {
    by_id: BTreeMap<Cow<'a, str>, Option<AsOf<KeptAct>>>,
    /// The bytes that the events take.
    pub(super) bytes: usize,
}

impl<'a> Acts<'a> {
    pub(super) fn new(ids: Vec<Cow<'a, str>>) -> Self {
        Self {
            by_id: ids.into_iter().map(|id| (id, None)).collect(),
            bytes: 0,
        }
    }

    /// Whether an action has an id.
    pub(super) fn is_of_action(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Adds an event for the id of an action.
    pub(super) fn add(&mut self, id: &str, act: KeptAct, marks: Marks) {
        let Some(acts) = self.by_id.get_mut(id) else {
            return;
        };
        let bytes = |acts: &AsOf<KeptAct>| acts.values().map(KeptAct::bytes).sum::<usize>();
        if let Some(acts) = acts {
            self.bytes -= bytes(acts);
            acts.set(act.line.number, act, marks);
            self.bytes += bytes(acts);
        } else {
            self.bytes += act.bytes();
            *acts = Some(AsOf::new(act.line.number, act));
        }
    }

    /// Whether there is an event for an id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(Option::is_some)
    }

    /// The latest event for an id up to a line.
    pub(super) fn at(&self, reach: u64, id: &str) -> Option<&KeptAct> {
        self.by_id.get(id)?.as_ref()?.at(reach)
    }
}

/// An act event that has the id of an action.
#[derive(Debug)]
pub(super) struct KeptAct {
    pub(super) line: Line,
    /// The event, or of a long one what an action mirrors of it. All that is mirrored of it are
    /// facts.
    pub(super) text: Box<[u8]>,
}

/// The length of an event that is kept whole, at most.
const MAX_WHOLE_BYTES: usize = 1 << 10;

/// The bytes that a kept event takes in addition to its text.
const KEPT_BYTES: usize = 128;

impl KeptAct {
    /// Keeps what actions are compared with of an event, given the tokens that its schema refuses.
    pub(super) fn new(line: Line, text: &[u8], refused: &[u32], tape: &mut Tape) -> Self {
        let text = if text.len() <= MAX_WHOLE_BYTES && refused.is_empty() {
            text.into()
        } else {
            let document = tape.read_record(text).ok();
            let event = document.map(|event| EventFacts::new(line, Value::root(event, refused)));
            let mirrored = event
                .map(|event| mirrored_facts(&event))
                .unwrap_or_default();
            tape.release();
            mirrored.into_bytes().into()
        };
        Self { line, text }
    }

    fn bytes(&self) -> usize {
        KEPT_BYTES + self.text.len()
    }
}

/// An event with nothing but the facts that an action mirrors.
fn mirrored_facts(event: &EventFacts<'_>) -> String {
    let mut text = String::from("{");
    if let Some(timestamp) = event.timestamp.filter(|timestamp| timestamp.is_fact()) {
        text = text + r#""timestamp":"# + timestamp.node().raw() + ",";
    }
    text += r#""payload":{"#;
    let mut comma = "";
    if let Some(payload) = event.payload() {
        for key in payload.node().members() {
            let value = payload.with(key.value());
            if is_mirrored(&key.name()) && value.is_fact() {
                for part in [comma, key.raw(), ":", value.node().raw()] {
                    text += part;
                }
                comma = ",";
            }
        }
    }
    text + "}}"
}

/// Whether an action has a field from the payload of its act event.
pub(super) fn is_mirrored(name: &str) -> bool {
    matches!(
        name,
        "kind" | "tool" | "input_excerpt" | "result_status" | "step_id"
    ) || name.starts_with("x-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mirrored_facts_are_kept_of_a_long_event() {
        let blob = "b".repeat(MAX_WHOLE_BYTES);
        let event = format!(
            r#"{{"phase":"act","timestamp":"t","payload":{{"id":"a","kind":7,"x\u002do":[1],"blob":"{blob}","tool":"y"}}}}"#
        );
        let line = Line {
            number: 1,
            offset: 0,
            length: event.len(),
        };
        let mut tape = Tape::default();
        let document = tape.read(event.as_bytes()).unwrap();
        let kind = document.root().at(&["payload", "kind"]).unwrap().index();
        let kept = KeptAct::new(line, event.as_bytes(), &[kind], &mut Tape::default());
        let expected = r#"{"timestamp":"t","payload":{"x\u002do":[1],"tool":"y"}}"#;
        assert_eq!(std::str::from_utf8(&kept.text).unwrap(), expected);
        let short = br#"{"phase":"act","timestamp":"t","payload":{"id":"a"}}"#;
        assert_eq!(
            *KeptAct::new(line, short, &[], &mut Tape::default()).text,
            *short
        );
    }
}
