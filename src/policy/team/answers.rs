//! The answers of people to what a rule asks, and acts -> whether an answer covers an act.

use std::collections::BTreeMap;

use crate::ground::digest::Digest;
use crate::ground::document::{Kind, Node, Tape, push_canonical};
use crate::policy::team::limit::MAX_ENTRIES;

/// The type of the event of an answer.
pub(crate) const ASK: &str = "direction.ask";

/// The latest answer about an act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// There is none, or an act before it used it up.
    #[default]
    None,
}

impl Answer {
    /// Returns what a finding says of it.
    pub(crate) fn clause(self) -> &'static str {
        match self {
            Self::Yes => "",
            Self::No => ", and the answer was no",
            Self::None => ", and nobody was asked",
        }
    }
}

/// The answers to what one rule asks, by the tool and the input of the act.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(BTreeMap<Digest, AnswersToAct>);

/// The answers about equal acts.
#[derive(Clone, Copy, Debug, Default)]
struct AnswersToAct {
    /// The acts that may be made.
    left: u64,
    is_no: bool,
}

impl Answers {
    /// Returns the answer about an act, by its text.
    pub(super) fn about(&self, text: &[u8]) -> Answer {
        let answers = act_digest(text)
            .and_then(|act| self.0.get(&act))
            .copied();
        match answers.unwrap_or_default() {
            AnswersToAct { left: 1.., .. } => Answer::Yes,
            AnswersToAct { is_no: true, .. } => Answer::No,
            _ => Answer::None,
        }
    }

    /// Notes an event that is an answer to what the rule with an id asks, or an act that uses one
    /// up.
    pub(super) fn note(&mut self, id: &str, event: Node<'_>) {
        if let Some(act) = act_of(event) {
            if let Some(answers) = self.0.get_mut(&act) {
                answers.left = answers.left.saturating_sub(1);
            }
            return;
        }

        if let Some((act, is_yes)) = answer_of(id, event)
            && (self.0.len() < MAX_ENTRIES || self.0.contains_key(&act))
        {
            let answers = self.0.entry(act).or_default();
            answers.is_no = !is_yes;
            answers.left = if is_yes { answers.left + 1 } else { 0 };
        }
    }
}

fn has_text(event: Node<'_>, key: &str, wanted: &str) -> bool {
    event
        .get(key)
        .and_then(Node::text)
        .is_some_and(|text| text == wanted)
}

/// Returns the digest of the tool and the input of an act, by the text of its event.
pub(crate) fn act_digest(text: &[u8]) -> Option<Digest> {
    let mut tape = Tape::default();
    act_of(tape.read(text).ok()?.root())
}

/// Returns the digest of the tool and the input of an act.
fn act_of(event: Node<'_>) -> Option<Digest> {
    let payload = event
        .get("payload")
        .filter(|_| has_text(event, "phase", "act"))?;
    (payload.kind() == Kind::Object).then(|| digest(payload))
}

/// Returns the digest of the act that an answer is about, and whether that may be made.
fn answer_of(id: &str, event: Node<'_>) -> Option<(Digest, bool)> {
    let payload = event.get("payload")?;
    let is_answer = has_text(event, "phase", "direction")
        && has_text(event, "event_type", ASK)
        && has_text(payload, "rule", id)
        && payload
            .get("by")
            .is_some_and(|by| by.kind() == Kind::String);
    let act = payload
        .get("act")
        .filter(|act| is_answer && act.kind() == Kind::Object)?;

    match &*payload.get("answer")?.text()? {
        "yes" => Some((digest(act), true)),
        "no" => Some((digest(act), false)),
        _ => None,
    }
}

fn digest(act: Node<'_>) -> Digest {
    let mut form = Vec::new();
    for key in ["tool", "input"] {
        match act.get(key) {
            Some(value) => {
                form.push(b':');
                push_canonical(value.raw(), 0, &mut form);
            }
            None => form.push(b'-'),
        }
    }

    Digest::by_secret(&form)
}
