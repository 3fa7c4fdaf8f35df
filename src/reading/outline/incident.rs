//! One event -> the failure or the veto in it, and the error or reason that it gives.

use std::borrow::Cow;

use crate::ground::document::{Kind, Node};
use crate::ground::printable::{brief, brief_json, shortened};
use crate::ground::source::Artifact;
use crate::reading::dashboard::{Mark, Reason};
use crate::reading::facts::{EventFacts, InEvent};

/// The maximum length of an error or a reason, in characters.
pub(super) const MAX_ERROR_CHARS: usize = 300;

/// The decisions that block what they are about.
pub(super) const BLOCKING: [&str; 5] = ["veto", "vetoed", "deny", "denied", "blocked"];

/// Returns the mark of an event in which something failed or was vetoed, and its clarity: of two
/// events, the clearer one counts.
pub(super) fn mark(event: EventFacts<'_>) -> Option<(Mark, u8)> {
    let phase = text(event, InEvent::Phase).unwrap_or_default();
    let event_type = text(event, InEvent::EventType);
    let blocks = |slot| is(event, slot, &BLOCKING);

    if blocks(InEvent::Decision) && event.node().is_none_or(is_enforced) {
        Some((Mark::Vetoed, 3))
    } else if event_type.is_some_and(|it| it.ends_with("veto") || it.ends_with("vetoed"))
        || (matches!(&*phase, "direction" | "governance") && blocks(InEvent::Status))
    {
        Some((Mark::Vetoed, 2))
    } else if is(event, InEvent::StepStatus, &["vetoed"]) {
        Some((Mark::Vetoed, 1))
    } else if is(event, InEvent::StepStatus, &["failed"]) || (phase == "act" && is_error(event)) {
        Some((Mark::Failed, 2))
    } else if has_error(event) {
        Some((Mark::Failed, 1))
    } else {
        None
    }
}

/// Returns `true` if the result of an act is an error.
pub(super) fn is_error(act: EventFacts<'_>) -> bool {
    is(act, InEvent::ResultStatus, &["error", "failed"]) || has_error(act)
}

/// Returns the step that was done, or whose action ended well.
pub(super) fn good_step(event: EventFacts<'_>) -> Option<Cow<'_, str>> {
    let sets_status = event
        .value(InEvent::StepStatus)
        .is_some();
    let is_well = is(event, InEvent::StepStatus, &["done"])
        || (!sets_status && is(event, InEvent::ResultStatus, &["ok"]));
    let step = || text(event, InEvent::StepId).filter(|step| !step.is_empty());
    is_well.then(step).flatten()
}

/// Returns a text of an event, fact or not.
pub(super) fn text(event: EventFacts<'_>, slot: InEvent) -> Option<Cow<'_, str>> {
    event.value(slot)?.string()
}

/// Returns `true` if a text of an event is one of these words.
pub(super) fn is(event: EventFacts<'_>, slot: InEvent, words: &[&str]) -> bool {
    text(event, slot).is_some_and(|text| words.contains(&&*text))
}

/// Returns `true` if an event has an error.
fn has_error(event: EventFacts<'_>) -> bool {
    event
        .value(InEvent::Error)
        .is_some_and(|error| match error.kind() {
            Kind::Null | Kind::False => false,
            Kind::String => error
                .string()
                .is_some_and(|text| !text.trim().is_empty()),
            _ => true,
        })
}

/// Returns `true` unless an event says that its decision is not enforced.
fn is_enforced(event: Node<'_>) -> bool {
    event
        .at(&["payload", "enforced"])
        .and_then(Node::boolean)
        != Some(false)
}

/// Returns what an event with a mark, or at the end of a run, gives as a reason. Its records decide
/// which kind of reason that is.
pub(super) fn incident(event: Node<'_>, line: u64, mark: Option<(Mark, u8)>) -> Reason {
    let member = |key: &str| event.at(&["payload", key]);
    let text = |key: &str| Some(member(key)?.text()?).filter(|text| !text.is_empty());
    let first = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| text(key).map(|text| brief(&text)))
    };

    let details = || member("details").and_then(|details| details.get("reason")?.text());
    let why = member("error")
        .and_then(error_text)
        .or_else(|| first(&["message", "reason", "rationale"]).map(|text| one_line(&text)))
        .or_else(|| details().map(|text| one_line(&text)))
        .or_else(|| first(&["rule_id"]).map(|text| one_line(&text)));
    // The agent that tried the step emitted an event that only repeats its status.
    let decides = !matches!(mark, Some((Mark::Vetoed, ..=1)));
    let agent = || Some(brief(&event.get("agent_id")?.text()?)).filter(|_| decides);

    Reason {
        file: Artifact::Events.file_name().into(),
        line: Some(line),
        step_id: first(&["step_id"]),
        action_id: first(&["action_id", "id"]),
        by: first(&["policy_id", "policy", "by"]).or_else(agent),
        text: why,
        ..Reason::default()
    }
}

/// Returns an error in one line: a text, or the name and the message of an object; anything else as
/// JSON. `None` where it says that there is no error.
pub(crate) fn error_text(error: Node<'_>) -> Option<String> {
    match error.kind() {
        Kind::Null | Kind::False => None,
        Kind::String => {
            let text = error.text().unwrap_or_default();
            (!text.trim().is_empty()).then(|| one_line(&text))
        }
        Kind::Object => {
            let find = |keys: &str| {
                keys.split(' ')
                    .filter_map(|key| error.get(key)?.text())
                    .find(|text| !text.trim().is_empty())
            };

            let name = find("type name kind class code error_type error_code");
            let message = find("message msg detail reason description error");
            Some(match (name, message) {
                (Some(name), Some(message)) => {
                    one_line(&format!("{name}: {}", last_line(&message)))
                }
                (Some(text), None) | (None, Some(text)) => one_line(&text),
                (None, None) => brief_json(error.raw()),
            })
        }
        _ => Some(brief_json(error.raw())),
    }
}

/// Returns a text in one line, safe to print and cut.
fn one_line(text: &str) -> String {
    shortened(last_line(text), MAX_ERROR_CHARS)
}

/// Returns the last line of a traceback, which names the error; any other text as it is.
fn last_line(text: &str) -> &str {
    let text = text.trim();
    if text.starts_with("Traceback (most recent call last)") {
        text.lines()
            .next_back()
            .unwrap_or(text)
            .trim()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    fn error(text: &str) -> Option<String> {
        let document = OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        error_text(document.root())
    }

    #[test]
    fn error_is_one_line_in_whatever_form_it_is_written() {
        for (written, shown) in [
            ("null", None),
            ("false", None),
            (r#"" ""#, None),
            (r#""tool did not answer""#, Some("tool did not answer")),
            (r#"{"code":"timeout"}"#, Some("timeout")),
            (
                r#"{"message":"no answer in 30 s","type":"TimeoutError"}"#,
                Some("TimeoutError: no answer in 30 s"),
            ),
            (r#"{"message":"no answer"}"#, Some("no answer")),
            (r#"{"code":7}"#, Some(r#"{"code":7}"#)),
            ("[1]", Some("[1]")),
            (
                r#""Traceback (most recent call last):\n  File \"a\"\nValueError: no\n""#,
                Some("ValueError: no"),
            ),
            (r#""a\nb\u001b""#, Some(r"a\nb\u{1b}")),
        ] {
            assert_eq!(error(written).as_deref(), shown, "{written}");
        }
        let long = error(&format!("\"{}\"", "é".repeat(5_000))).unwrap();
        assert_eq!(long.chars().count(), MAX_ERROR_CHARS + 1);
    }
}
