//! A span in a line of any length -> a short window around it that is safe to print.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::ground::printable::{columns_of_char, opens_command, stand_in};

/// The width of an excerpt in columns, at most: with the margin of a snippet it fits into a
/// terminal of 80 columns.
const WIDTH: usize = 68;
/// The columns of the span that are shown, at most; the rest of the window shows its surroundings.
const SPAN_WIDTH: usize = 40;

/// A window of one line around a span, of bounded width and without control characters; every
/// character keeps its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Excerpt {
    /// The text of the window; `…` marks where the line was cut.
    pub(crate) text: String,
    /// The bytes of `text` that show the span, or its beginning.
    pub(crate) span: Range<usize>,
}

impl Excerpt {
    /// Cuts a window around a span out of the line that starts at `line_start`. Bytes that are not
    /// UTF-8 are shown as `�`.
    pub(super) fn cut(bytes: &[u8], line_start: usize, span: Range<usize>) -> Self {
        let reach = |range: Range<usize>| bytes.get(range).unwrap_or_default();
        // A character has at most four bytes, so these ranges hold more than the window shows.
        let before = reach(
            span.start
                .saturating_sub(WIDTH * 4)
                .max(line_start)..span.start,
        );
        let tail = reach(span.start..bytes.len().min(span.start + WIDTH * 8));
        let line_end = tail
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(tail.len());
        let (inside, after) = tail.split_at(line_end.min(span.len()));
        let after = after
            .get(..line_end - inside.len())
            .unwrap_or_default();

        let [before, inside, after] = [before, inside, after].map(lossy);
        let (shown, shown_width) = fit(inside.chars(), SPAN_WIDTH);
        let whole = shown == inside.len();
        let rest = WIDTH.saturating_sub(shown_width + 2);
        let (_, following_width) = fit(after.chars(), rest / 3);
        let preceding = before.chars().rev();
        let (preceding, preceding_width) = fit(preceding, rest - following_width);
        // The text after the span gets the columns that the text before it does not need.
        let (following, _) = fit(after.chars(), rest - preceding_width);
        let from_the_start = line_start + preceding >= span.start;
        let to_the_end = whole && following == after.len();

        let mut text = String::with_capacity(2 * WIDTH);
        if !from_the_start {
            text.push('…');
        }

        push(&mut text, before.get(before.len() - preceding..));
        let start = text.len();
        push(&mut text, inside.get(..shown));

        let end = text.len();
        if whole {
            push(&mut text, after.get(..following));
        }
        if !to_the_end {
            text.push('…');
        }

        Self {
            text,
            span: start..end,
        }
    }
}

/// Adds characters, with hostile ones replaced.
fn push(text: &mut String, added: Option<&str>) {
    for c in added.unwrap_or_default().chars() {
        text.push(if opens_command(text, c) {
            '\u{fffd}'
        } else {
            stand_in(c)
        });
    }
}

/// Returns the number of bytes of the characters, in their order, that fit into a number of
/// columns, and their width.
fn fit(chars: impl Iterator<Item = char>, columns: usize) -> (usize, usize) {
    let (mut bytes, mut width) = (0, 0);
    for c in chars {
        let columns_of_c = columns_of_char(stand_in(c)).unwrap_or(1);
        if width + columns_of_c > columns {
            break;
        }
        width += columns_of_c;
        bytes += c.len_utf8();
    }

    (bytes, width)
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    // Most texts are valid, and that is faster to see.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(excerpt: &Excerpt) -> &str {
        &excerpt.text[excerpt.span.clone()]
    }

    #[test]
    fn excerpt_shows_a_short_line_whole() {
        let line = br#"{"status":"done"}"#;
        let excerpt = Excerpt::cut(line, 0, 10..16);
        assert_eq!(excerpt.text, r#"{"status":"done"}"#);
        assert_eq!(shown(&excerpt), "\"done\"");
    }

    #[test]
    fn excerpt_cuts_a_long_line_on_both_sides() {
        let line = format!("{}\"here\"{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let excerpt = Excerpt::cut(line.as_bytes(), 0, 1_000_000..1_000_006);
        assert_eq!(shown(&excerpt), "\"here\"");
        assert!(
            excerpt.text.starts_with("…aaa") && excerpt.text.ends_with("bbb…"),
            "{}",
            excerpt.text
        );
        assert!(excerpt.text.chars().count() <= WIDTH);
    }

    #[test]
    fn excerpt_replaces_hostile_characters_one_by_one() {
        let excerpt = Excerpt::cut("a\u{1b}[31m\u{202e}b".as_bytes(), 0, 0..1);
        assert_eq!(excerpt.text, "a␛[31m\u{fffd}b");
        let excerpt = Excerpt::cut(b"a##[error]b", 0, 3..8);
        assert_eq!(
            (&*excerpt.text, excerpt.span),
            ("a##\u{fffd}error]b", 3..10)
        );
    }

    #[test]
    fn excerpt_leaves_neighbouring_lines_out() {
        let excerpt = Excerpt::cut(b"one\ntwo\nthree", 4, 4..7);
        assert_eq!(excerpt.text, "two");
    }

    proptest! {
        #[test]
        fn excerpt_is_bounded_and_holds_the_span(line in ".{0,300}", a in 0usize..300, b in 0usize..300) {
            let boundaries: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
            let (a, b) = (boundaries[a % boundaries.len()], boundaries[b % boundaries.len()]);
            let excerpt = Excerpt::cut(line.as_bytes(), 0, a.min(b)..a.max(b));
            let width: usize = excerpt.text.chars().map(|c| columns_of_char(c).unwrap_or(1)).sum();
            prop_assert!(width <= WIDTH, "{} columns: {}", width, excerpt.text);
            let start: String = line[a.min(b)..a.max(b)].chars().map(stand_in).collect();
            prop_assume!(!line.contains("##"));
            prop_assert!(start.starts_with(shown(&excerpt)));
        }
    }
}
