//! The actions of a state, and the events that a page shows of them -> what its steps did.

use std::collections::BTreeMap;

use super::text;
use crate::dashboard::Rows;
use crate::document::Node;
use crate::outline::error_text;
use crate::page::{ActionCell, EventBody, Excerpt, TrackEvent, TrackItem};
use crate::printable::{brief, brief_json, shortened};
use crate::report::write_json_pretty;

/// The maximum number of bytes of a value that a page shows beside its step; the tree of the state
/// has more of it.
const MAX_EXCERPT_BYTES: usize = 8 << 10;

/// The maximum number of characters of a text that are seen before it is opened.
const MAX_GLANCE_CHARS: usize = 120;

/// The actions of a state, in their order.
pub(super) fn actions(state: Node<'_>, track: &[TrackItem]) -> Rows<ActionCell> {
    let events = events_of_actions(track);
    let actions = state.at(&["outcomes", "actions"]);
    let actions = actions.into_iter().flat_map(Node::items);
    let cell = |action: Node<'_>| {
        let id = text(action, "id");
        let event = events.get(&id);
        let took = action.get("duration_ms").and_then(Node::number);
        let by_event = || event?.span.map(|(start, end)| end - start);
        let value = |key: &str| action.get(key).filter(|value| !value.is_null());
        let error = value("error").or_else(|| action.at(&["output", "error"]));
        ActionCell {
            step_id: text(action, "step_id"),
            tool: text(action, "tool"),
            status: text(action, "result_status"),
            took_sec: took.map(|ms| ms.as_f64() / 1e3).or_else(by_event),
            error: error.and_then(error_text),
            input: value("input")
                .or_else(|| value("input_excerpt"))
                .map(excerpt),
            output: value("output").map(excerpt),
            line: event.map(|event| event.moment.line),
            id,
        }
    };
    actions.map(cell).collect()
}

/// The last event of each action, among those that a page shows.
fn events_of_actions(track: &[TrackItem]) -> BTreeMap<String, &TrackEvent> {
    let events = track.iter().filter_map(|item| match item {
        TrackItem::Event(event) => Some(&**event),
        TrackItem::Folded(_) => None,
    });
    let of_action = events.filter_map(|event| match &event.body {
        EventBody::Whole(document) => {
            let id = document.root().at(&["payload", "action_id"])?.text()?;
            Some((brief(&id), event))
        }
        EventBody::Ends { .. } => None,
    });
    of_action.collect()
}

fn excerpt(value: Node<'_>) -> Excerpt {
    match value.text() {
        Some(text) => beginning(text.into_owned(), MAX_EXCERPT_BYTES),
        None => Excerpt {
            glance: brief_json(value.raw()),
            ..beginning(pretty(value), MAX_EXCERPT_BYTES)
        },
    }
}

/// The first bytes of a text, and its first line.
pub(super) fn beginning(mut text: String, max_bytes: usize) -> Excerpt {
    let bytes = text.len();
    let is_end = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=bytes.min(max_bytes)).rev().find(is_end);
    text.truncate(end.unwrap_or_default());
    let line = text.lines().find(|line| !line.trim().is_empty());
    Excerpt {
        unshown: bytes - text.len(),
        glance: shortened(line.unwrap_or_default().trim(), MAX_GLANCE_CHARS),
        text,
    }
}

/// A value as JSON of several lines.
pub(super) fn pretty(value: Node<'_>) -> String {
    let mut json = Vec::new();
    let is_written = write_json_pretty(&mut json, value);
    debug_assert!(is_written.is_ok(), "memory takes all bytes");
    String::from_utf8_lossy(&json).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::OwnedDocument;

    #[test]
    fn values_are_shown_as_they_read_best_and_cut_where_they_are_long() {
        let long = "ä".repeat(MAX_EXCERPT_BYTES);
        let state = format!(
            r#"{{"outcomes":{{"actions":[
            {{"id":"a","step_id":"s","tool":"t","input":"one\ntwo","output":{{"code":0}},"duration_ms":1500}},
            {{"id":"b","input_excerpt":"cut","input":null,"output":"{long}"}},
            {{"id":"c","output":{{"error":"no such file"}}}}]}}}}"#
        );
        let state = OwnedDocument::read(state.into_bytes()).unwrap();
        let actions = actions(state.root(), &[]);
        let [first, second, third] = &*actions.first else {
            panic!("{actions:?}")
        };
        let shown =
            |value: &Option<Excerpt>| value.as_ref().map(|it| (it.text.clone(), it.unshown));
        assert_eq!(shown(&first.input), Some(("one\ntwo".into(), 0)));
        assert_eq!(
            shown(&first.output),
            Some(("{\n  \"code\": 0\n}".into(), 0))
        );
        let glances = [&first.input, &first.output].map(|it| &*it.as_ref().unwrap().glance);
        assert_eq!(glances, ["one", r#"{"code":0}"#]);
        assert_eq!(first.took_sec, Some(1.5));
        assert_eq!(shown(&second.input), Some(("cut".into(), 0)));
        let cut = second.output.as_ref().unwrap();
        assert_eq!(
            (cut.text.len(), cut.unshown),
            (MAX_EXCERPT_BYTES, MAX_EXCERPT_BYTES)
        );
        assert_eq!(third.error.as_deref(), Some("no such file"));
    }
}
