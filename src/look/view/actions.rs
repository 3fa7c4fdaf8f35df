//! The actions of a state, and the events that a page shows of them -> the actions of each step.

use std::collections::BTreeMap;

use super::text;
use crate::ground::document::{Kind, Node};
use crate::ground::printable::{shortened, without_colours};
use crate::reading::dashboard::Rows;
use crate::reading::outline::{error_text, first_words};
use crate::report::page::{ActionCell, EventBody, Preview, TimeSpan, TrackItem};

/// The maximum number of bytes of a value that a page shows beside its step; the tree of the state
/// has more of it.
const MAX_EXCERPT_BYTES: usize = 8 << 10;

/// The maximum number of characters of a text that are seen before it is opened.
const MAX_LINE_CHARS: usize = 120;

/// Returns the actions of a state, in their order; `line_of` finds the event of one by its id.
pub(super) fn actions(
    state: Node<'_>,
    track: &[TrackItem],
    line_of: impl Fn(&str) -> Option<u64>,
) -> Rows<ActionCell> {
    let (spans, payloads) = (spans(track), payloads(track));
    let actions = state
        .at(&["outcomes", "actions"])
        .into_iter()
        .flat_map(Node::items);
    let cell = |action: Node<'_>| {
        let line = action
            .get("id")
            .and_then(Node::text)
            .and_then(|id| line_of(&id));
        let payload = line.and_then(|line| payloads.get(&line));
        let cell = cell(action, "id", line, &spans);
        ActionCell {
            is_in_event: payload.is_some_and(|payload| cell.has_values_of(*payload)),
            ..cell
        }
    };

    actions.map(cell).collect()
}

/// Returns the actions that the events of a page tell, for a run that has persisted none yet.
pub(super) fn actions_of(track: &[TrackItem]) -> Rows<ActionCell> {
    let spans = spans(track);
    track
        .iter()
        .filter_map(TrackItem::event)
        .filter_map(|event| {
            let EventBody::Whole(document) = &event.body else {
                return None;
            };
            let payload = document.root().get("payload")?;
            let is_action = event.row.phase == "act" && payload.get("tool").is_some();
            is_action.then(|| ActionCell {
                is_in_event: true,
                ..cell(payload, "action_id", Some(event.row.line), &spans)
            })
        })
        .collect()
}

/// Returns the payloads of the events that a page has as a whole, by their lines.
fn payloads(track: &[TrackItem]) -> BTreeMap<u64, Node<'_>> {
    track
        .iter()
        .filter_map(TrackItem::event)
        .filter_map(|event| match &event.body {
            EventBody::Whole(document) => Some((event.row.line, document.root().get("payload")?)),
            EventBody::Ends { .. } => None,
        })
        .collect()
}

impl ActionCell {
    /// Returns `true` if a payload has the same input and output.
    fn has_values_of(&self, payload: Node<'_>) -> bool {
        let value = |key: &str| {
            payload
                .get(key)
                .filter(|value| !value.is_null())
        };

        input_of(payload).map(excerpt) == self.input && value("output").map(excerpt) == self.output
    }
}

/// Returns what went into an action.
fn input_of(action: Node<'_>) -> Option<Node<'_>> {
    let value = |key: &str| {
        action
            .get(key)
            .filter(|value| !value.is_null())
    };

    value("input").or_else(|| value("input_excerpt"))
}

/// Returns when the events of a page that take time began and ended, by their lines.
fn spans(track: &[TrackItem]) -> BTreeMap<u64, TimeSpan> {
    track
        .iter()
        .filter_map(TrackItem::event)
        .filter_map(|event| Some((event.row.line, event.span?)))
        .collect()
}

/// Returns what a page shows of an action, which has its id under a key.
fn cell(
    action: Node<'_>,
    id: &str,
    line: Option<u64>,
    spans: &BTreeMap<u64, TimeSpan>,
) -> ActionCell {
    let took = action
        .get("duration_ms")
        .and_then(Node::number);
    let by_event = || Some(spans.get(&line?)?.seconds());

    let value = |key: &str| {
        action
            .get(key)
            .filter(|value| !value.is_null())
    };

    let error = value("error").or_else(|| action.at(&["output", "error"]));

    ActionCell {
        id: text(action, id),
        step_id: text(action, "step_id"),
        tool: text(action, "tool"),
        status: text(action, "result_status"),
        took_sec: took
            .map(|ms| ms.as_f64() / 1e3)
            .or_else(by_event),
        error: error.and_then(error_text),
        input: input_of(action).map(excerpt),
        output: value("output").map(excerpt),
        line,
        is_in_event: false,
    }
}

fn excerpt(value: Node<'_>) -> Preview {
    match value.text() {
        Some(text) => beginning(text.into_owned(), MAX_EXCERPT_BYTES),
        None => Preview {
            line: shortened(&first_words(value), MAX_LINE_CHARS),
            ..beginning(readable(value), MAX_EXCERPT_BYTES)
        },
    }
}

/// Returns the first bytes of a text, and its first line.
pub(super) fn beginning(mut text: String, max_bytes: usize) -> Preview {
    let bytes = text.len();
    let is_end = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=bytes.min(max_bytes))
        .rev()
        .find(is_end);
    text.truncate(end.unwrap_or_default());

    let line = text
        .lines()
        .find(|line| !line.trim().is_empty());

    Preview {
        unshown: bytes - text.len(),
        line: shortened(
            &without_colours(line.unwrap_or_default().trim()),
            MAX_LINE_CHARS,
        ),
        text,
    }
}

/// Returns a value as text: a text with its lines, and the parts of a group each below its name.
pub(super) fn readable(value: Node<'_>) -> String {
    let mut out = String::new();
    write_readable(&mut out, value, 0);
    out
}

fn write_readable(out: &mut String, value: Node<'_>, indent: usize) {
    let is_group = |node: Node<'_>| matches!(node.kind(), Kind::Array | Kind::Object);
    let mut part = |name: &str, part: Node<'_>| {
        let is_text = part
            .text()
            .is_some_and(|text| text.contains('\n'));
        let has_lines = is_text || (is_group(part) && !matches!(part.raw(), "[]" | "{}"));
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(name);
        out.push_str(if has_lines { ":\n" } else { ": " });
        write_readable(out, part, if has_lines { indent + 2 } else { 0 });
        if !out.ends_with('\n') {
            out.push('\n');
        }
    };

    match value.text() {
        Some(text) => {
            for line in text.split_inclusive('\n') {
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(line);
            }
        }
        None if !is_group(value) || matches!(value.raw(), "[]" | "{}") => out.push_str(value.raw()),
        None => {
            for key in value.all_members() {
                part(&key.name(), key.value());
            }
            for (at, item) in value.items().enumerate() {
                part(&at.to_string(), item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    #[test]
    fn values_are_shown_as_they_read_best_and_cut_where_they_are_long() {
        let long = "ä".repeat(MAX_EXCERPT_BYTES);
        let state = format!(
            r#"{{"outcomes":{{"actions":[
            {{"id":"a","step_id":"s","tool":"t","input":"one\ntwo","output":{{"out":"1\n2","code":0}},"duration_ms":1500}},
            {{"id":"b","input_excerpt":"cut","input":null,"output":"{long}"}},
            {{"id":"c","output":{{"error":"no such file"}}}}]}}}}"#
        );
        let state = OwnedDocument::read(state.into_bytes()).unwrap();
        let line_of = |id: &str| (id == "b").then_some(7);
        let actions = actions(state.root(), &[], line_of);
        let [first, second, third] = &*actions.first else {
            panic!("{actions:?}")
        };
        let shown = |value: &Option<Preview>| {
            value
                .as_ref()
                .map(|it| (it.text.clone(), it.unshown))
        };
        assert_eq!(shown(&first.input), Some(("one\ntwo".into(), 0)));
        assert_eq!(
            shown(&first.output),
            Some(("out:\n  1\n  2\ncode: 0\n".into(), 0))
        );
        let lines = [&first.input, &first.output].map(|it| &*it.as_ref().unwrap().line);
        assert_eq!(lines, ["one", r#"{"out":"1\n2","code":0}"#]);
        assert_eq!([first, second].map(|action| action.line), [None, Some(7)]);
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
