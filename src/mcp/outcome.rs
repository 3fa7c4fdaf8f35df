//! The answer of a server to a call -> the rest of the act: its output, how it ended, its pictures.

use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Map, Value};

use crate::ground::document::{Kind, Node};
use crate::ground::record::Action;
use crate::recorder::protocol::recordable;
use crate::recorder::{Error, MAX_OUTPUT, Run, arguments};

/// The outcome of a call.
pub(super) struct Outcome {
    status: &'static str,
    output: Option<Value>,
    /// Pictures and sounds, each with the extension of a file of it.
    media: Vec<(Vec<u8>, String)>,
}

impl Outcome {
    /// Returns the outcome of a call that has no answer.
    pub(super) fn without(status: &'static str) -> Self {
        Self {
            status,
            output: None,
            media: Vec::new(),
        }
    }

    /// Returns the outcome that a response tells.
    pub(super) fn of(response: Node<'_>) -> Self {
        let Some(result) = response.get("result") else {
            return Self {
                output: response.get("error").map(value),
                ..Self::without("error")
            };
        };

        let is_error = result
            .get("isError")
            .and_then(Node::boolean)
            == Some(true);
        let parts: Vec<Node<'_>> = result
            .get("content")
            .map(Node::items)
            .into_iter()
            .flatten()
            .collect();
        let structured = result
            .get("structuredContent")
            .filter(|it| !it.is_null());
        let output = match structured {
            Some(structured) => Some(value(structured)),
            // Not the result of a tool, such as a task that has begun.
            None if result.get("content").is_none() => Some(value(result)),
            None => texts(&parts),
        };

        Self {
            status: if is_error { "error" } else { "ok" },
            output,
            media: parts
                .into_iter()
                .filter_map(medium)
                .collect(),
        }
    }

    /// Records the act.
    pub(super) fn record(
        self,
        run: &mut Run,
        mut action: Action,
        took: Duration,
    ) -> Result<(), Error> {
        let input: Map<String, Value> = action
            .input
            .take()
            .map(arguments)
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| (name, run.shortened(value, MAX_OUTPUT)))
            .collect();
        action.input = Some(input.into());
        action.output = self
            .output
            .map(|output| run.shortened(output, MAX_OUTPUT));
        action.result_status = Some(self.status.into());
        action.duration_ms = Some(((took.as_secs_f64() * 1e6).round() / 1e3).into());

        let attached: Vec<Value> = self
            .media
            .iter()
            .filter_map(|(content, extension)| run.attach(content, extension).ok())
            .map(|attachment| attachment.name.into())
            .collect();
        action.result_artifacts = (!attached.is_empty()).then(|| attached.into());

        run.act(None, action).map(drop)
    }
}

/// Returns a value as it is recorded; one that would be recorded as another one, as its text.
fn value(node: Node<'_>) -> Value {
    recordable(node.raw(), "the output").unwrap_or_else(|_| node.raw().into())
}

/// Returns the texts of the content of a result, joined; `None` if there is none.
fn texts(parts: &[Node<'_>]) -> Option<Value> {
    let texts: Vec<_> = parts
        .iter()
        .filter(|part| {
            part.get("type")
                .and_then(Node::text)
                .as_deref()
                == Some("text")
        })
        .filter_map(|part| part.get("text")?.text())
        .collect();

    (!texts.is_empty()).then(|| texts.join("\n").into())
}

/// Returns the bytes of a picture or a sound, and the extension of a file of it.
fn medium(part: Node<'_>) -> Option<(Vec<u8>, String)> {
    let kind = part.get("type")?.text()?;
    if part.kind() != Kind::Object || !matches!(&*kind, "image" | "audio") {
        return None;
    }

    let data = BASE64
        .decode(part.get("data")?.text()?.as_bytes())
        .ok()?;
    let media_type = part
        .get("mimeType")
        .and_then(Node::text)
        .unwrap_or_default();
    let (_, extension) = media_type
        .split_once('/')
        .unwrap_or(("", "bin"));
    let is_plain = extension
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric());

    Some((data, if is_plain { extension } else { "bin" }.into()))
}
