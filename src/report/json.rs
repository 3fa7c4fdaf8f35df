//! Reports -> JSON and NDJSON, written one episode at a time.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::value::RawValue;

use super::{Closing, Renderer};
use crate::ground::document::{Kind, Node};
use crate::ground::finding::{EpisodeReport, REPORT_VERSION, Tool};
use crate::ground::printable::{is_hostile, opens_command};

/// One document: `{"schema_version":…,"tool":…,"episodes":[…],"totals":…}`.
#[derive(Default)]
pub(super) struct Json {
    episodes: u64,
}

impl Renderer for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"schema_version\":\"{REPORT_VERSION}\",\"tool\":")?;
        write_json(out, &Tool::this())?;
        out.write_all(b",\n \"episodes\":[")
    }

    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        out.write_all(if self.episodes == 0 {
            b"\n  "
        } else {
            b",\n  "
        })?;
        self.episodes += 1;

        write_json(out, episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        out.write_all(b"],\n \"totals\":")?;
        sums(out, closing)
    }
}

/// One line per episode, and one for the totals.
pub(super) struct Ndjson;

impl Renderer for Ndjson {
    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        write_json_line(out, episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        out.write_all(b"{\"totals\":")?;
        sums(out, closing)
    }
}

/// Writes the totals and the members after them.
fn sums(out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
    write_json(out, closing.totals)?;
    write!(out, ",\"complete\":{},\"faults\":", closing.is_complete)?;
    write_json(out, &closing.faults)?;
    if let Some(statistics) = closing.statistics {
        out.write_all(b",\"statistics\":")?;
        write_json(out, statistics)?;
    }

    out.write_all(b"}\n")
}

/// Writes a value as compact JSON that is safe to print.
///
/// # Errors
///
/// The errors of the writer.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value
        .serialize(&mut Serializer::with_formatter(out, Visible))
        .map_err(io::Error::from)
}

/// Writes a value as one line of such JSON.
pub(crate) fn write_json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    write_json(out, value)?;
    out.write_all(b"\n")
}

/// Returns a value as such JSON.
pub(crate) fn json_bytes(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail, and all keys of maps are texts.
    let _ = write_json(&mut bytes, &value);
    bytes
}

/// Returns a value as such JSON, to be a part of another.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    // What was written is JSON.
    let text = String::from_utf8(json_bytes(value)).unwrap_or_default();
    RawValue::from_string(text).unwrap_or_default()
}

/// Returns an object whose members have this order; those that are null are left out.
pub(super) fn json_object<const N: usize>(members: [(&str, Box<RawValue>); N]) -> Box<RawValue> {
    let members: Vec<String> = members
        .into_iter()
        .filter(|(_, value)| value.get() != "null")
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();

    RawValue::from_string(format!("{{{}}}", members.join(","))).unwrap_or_default()
}

/// Returns a list, or null where it has no items.
pub(super) fn json_list(items: impl IntoIterator<Item = Box<RawValue>>) -> Box<RawValue> {
    let items: Vec<_> = items.into_iter().collect();
    json(&(!items.is_empty()).then_some(items))
}

/// Writes JSON text unchanged, except for characters that are not safe to print: they become
/// equivalent `\u` escapes. In JSON, these characters occur only in strings and as whitespace.
pub(crate) fn write_json_text<W: ?Sized + Write>(out: &mut W, text: &str) -> io::Result<()> {
    let mut plain_from = 0;
    for (at, c) in harmful(text).filter(|(_, c)| !matches!(c, '\n' | '\t')) {
        out.write_all(
            text.get(plain_from..at)
                .unwrap_or_default()
                .as_bytes(),
        )?;
        // A carriage return occurs only between tokens, where any whitespace will do.
        if c == '\r' {
            out.write_all(b" ")?;
        } else {
            write_escape(out, c)?;
        }

        plain_from = at + c.len_utf8();
    }

    out.write_all(
        text.get(plain_from..)
            .unwrap_or_default()
            .as_bytes(),
    )
}

/// Writes a value of a document, one member or item per line, without loss.
pub(crate) fn write_json_pretty(out: &mut dyn Write, value: Node<'_>) -> io::Result<()> {
    pretty(out, value, 0)
}

fn pretty(out: &mut dyn Write, node: Node<'_>, depth: usize) -> io::Result<()> {
    let [open, close] = match node.kind() {
        Kind::Object => ["{", "}"],
        Kind::Array => ["[", "]"],
        _ => return write_json_text(out, node.raw()),
    };

    let keyed = node
        .all_members()
        .map(|key| (Some(key), key.value()));
    let items = node.items().map(|item| (None, item));
    let mut comma = "";
    write!(out, "{open}")?;
    for (key, value) in keyed.chain(items) {
        write!(out, "{comma}\n{:indent$}", "", indent = depth * 2 + 2)?;
        comma = ",";
        if let Some(key) = key {
            write_json_text(out, key.raw())?;
            out.write_all(b": ")?;
        }
        pretty(out, value, depth + 1)?;
    }

    if !comma.is_empty() {
        write!(out, "\n{:indent$}", "", indent = depth * 2)?;
    }

    write!(out, "{close}")
}

/// Returns a value of a document as part of another JSON text, in the form of [`write_json_text`].
pub(crate) fn raw_json(node: Node<'_>) -> io::Result<Box<RawValue>> {
    let mut text = Vec::with_capacity(node.raw().len());
    write_json_text(&mut text, node.raw())?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    RawValue::from_string(text).map_err(io::Error::from)
}

/// Returns the characters of a text that are not safe to print.
fn harmful(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices()
        .filter(|(at, c)| is_hostile(*c) || opens_command(text.get(..*at).unwrap_or_default(), *c))
}

/// Returns `true` if a byte is safe to print whatever stands before it, as most are.
fn is_harmless(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'['
}

fn write_escape<W: ?Sized + Write>(out: &mut W, c: char) -> io::Result<()> {
    c.encode_utf16(&mut [0; 2])
        .iter()
        .try_for_each(|unit| write!(out, "\\u{unit:04x}"))
}

/// Compact JSON in which invisible characters, and those that control a terminal, are written as
/// `\u` escapes: equivalent for every JSON parser, and safe in a log.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(is_harmless) {
            writer.write_all(fragment.as_bytes())
        } else {
            write_json_text(writer, fragment)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{harmful, is_harmless, write_json};

    #[test]
    fn harmless_byte_is_safe_after_any_text() {
        for byte in (0..=u8::MAX).filter(|byte| is_harmless(*byte)) {
            for before in ["", "#", "##", "##vso", "##teamcity", ":", " :", "\u{1b}"] {
                let text = format!("{before}{}", char::from(byte));
                let last = harmful(&text).find(|(at, _)| *at == before.len());
                assert_eq!(last, None, "{text:?}");
            }
        }
        assert!(!is_harmless(b'[') && !is_harmless(0x7f) && !is_harmless(b'\n'));
    }

    #[test]
    fn json_escapes_hostile_characters_and_reads_back() {
        let text = "a\u{1b}\u{9b}\u{202e}\u{e0041}é\"\\b##[error]";
        let mut json = Vec::new();
        write_json(&mut json, &text).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert_eq!(
            json,
            r#""a\u001b\u009b\u202e\udb40\udc41é\"\\b##\u005berror]""#
        );
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
