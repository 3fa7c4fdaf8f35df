//! Untrusted text -> text that is safe to print and bounded in length.
//!
//! Records hold text from models and tools. Terminal escapes, bidirectional controls and invisible
//! characters in it must never act on a terminal or forge a line of a log, so everything that
//! quotes a record passes through here.

use std::borrow::Cow;
use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_encode};
use unicode_normalization::UnicodeNormalization as _;
#[cfg(feature = "human")]
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of characters of a quoted text that a message shows at most.
const QUOTED_CHARS: usize = 80;

/// Returns `true` if a character acts on a terminal, is invisible, or reorders its neighbours.
///
/// ```
/// assert!(runvet::printable::is_hostile('\u{1b}'));
/// assert!(runvet::printable::is_hostile('\u{202e}'));
/// assert!(!runvet::printable::is_hostile('é'));
/// ```
#[must_use]
#[inline]
pub fn is_hostile(c: char) -> bool {
    // Most text is ASCII.
    if matches!(c, ' '..='~') {
        return false;
    }

    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `true` if a character would complete a command to a CI runner, given the text before it.
/// GitHub's runner obeys `::error::` at the start of a line, after optional whitespace, and
/// `##[error]` anywhere; Azure's obeys `##vso[` anywhere, and `TeamCity`'s `##teamcity[`.
fn makes_command(before: &str, c: char) -> bool {
    let at_start = |before: &str| before.is_empty() || before.ends_with(char::is_whitespace);
    match c {
        ':' => before
            .strip_suffix(':')
            .is_some_and(at_start),
        '[' => opens_command(before, c),
        _ => false,
    }
}

/// The texts before the bracket of a command that a CI runner obeys anywhere in a line.
const COMMANDS: [&str; 3] = ["##", "##vso", "##teamcity"];

/// Returns `true` if a character would complete a command that is obeyed anywhere in a line.
pub(crate) fn opens_command(before: &str, c: char) -> bool {
    c == '['
        && COMMANDS
            .iter()
            .any(|command| before.ends_with(command))
}

/// Returns the text with every hostile character escaped, as in `\u{202e}`, and every command to a
/// CI runner.
///
/// ```
/// assert_eq!(runvet::printable::escape("plain"), "plain");
/// assert_eq!(runvet::printable::escape("::error::std::fs"), ":\\u{3a}error::std::fs");
/// assert_eq!(runvet::printable::escape("red\u{1b}[31m"), "red\\u{1b}[31m");
/// assert_eq!(runvet::printable::escape("##[stop-commands]x"), "##\\u{5b}stop-commands]x");
/// ```
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) && !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }

    let mut escaped = String::with_capacity(text.len() + 16);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        push_escaped(&mut escaped, c, chars.clone().next());
    }

    Cow::Owned(escaped)
}

/// Adds a character, escaped unless it is safe or joins the text before it and the next one to an
/// emoji.
fn push_escaped(out: &mut String, c: char, next: Option<char>) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if (is_hostile(c) && !joins(out, c, next)) || makes_command(out, c) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// Returns `true` if two texts are the same but for their Unicode form: an accent may be a
/// character of its own, as in names that macOS has written.
pub(crate) fn are_alike(one: &str, other: &str) -> bool {
    one.nfc().eq(other.nfc())
}

/// Returns `true` if a character is an emoji, or a symbol that can be one.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}'
        | '\u{2b05}'..='\u{2b55}' | '\u{1f300}'..='\u{1faff}')
}

/// The characters behind a joiner in the emoji that Unicode recommends, such as a rocket in that of
/// an astronaut.
const JOINED: &str = "♀♂⚕⚖✈❤➡↔↕⬛⚧☠🌈🌾🍳🍼🟫🟩🎄🎓🎤🎨🏫🏭👦👧👨👩💋💥💨💫💻💼🔥🔧🔬🗨🚀🚒🤝🦯🦰🦱🦲🦳🦺🦼🦽🧑🧒🩰🩹";

/// Returns `true` if an invisible character makes an emoji of its neighbours. Any other is escaped:
/// between letters, it would make two names look the same.
fn joins(before: &str, c: char, next: Option<char>) -> bool {
    let is_styled = |c| matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    match c {
        '\u{fe0f}' => before.ends_with(is_pictograph),
        '\u{200d}' => {
            before
                .trim_end_matches(is_styled)
                .ends_with(is_pictograph)
                && next.is_some_and(|next| JOINED.contains(next))
        }
        _ => false,
    }
}

/// Returns two texts as a message shows them; with escapes where they would look alike.
pub(crate) fn apart(one: String, other: String) -> [String; 2] {
    if one == other || !are_alike(&one, &other) {
        return [one, other];
    }

    let escape = |c: char| {
        if c.is_ascii() {
            c.to_string()
        } else {
            c.escape_unicode().to_string()
        }
    };

    [one, other].map(|text| text.chars().map(escape).collect())
}

/// Returns a text in ASCII: what is drawn becomes a character that is like it, any other character
/// is escaped.
#[cfg(feature = "cli")]
pub(crate) fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }

    let mut ascii = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if c.is_ascii() => ascii.push(c),
            '…' => ascii.push_str("..."),
            '→' => ascii.push_str("->"),
            '×' | '✓' => ascii.push('x'),
            '✗' => ascii.push('!'),
            '○' | '·' => ascii.push('.'),
            '▶' => ascii.push('>'),
            '–' | '—' | '─' => ascii.push('-'),
            '⊘' => ascii.push('v'),
            '│' | '┃' => ascii.push('|'),
            '\u{2500}'..='\u{257f}' => ascii.push('+'),
            '\u{2580}'..='\u{259f}' => ascii.push('#'),
            c => ascii.extend(c.escape_unicode()),
        }
    }

    Cow::Owned(ascii)
}

/// Returns the text in double quotes, escaped and cut after 80 characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len().min(QUOTED_CHARS) + 2);
    quoted.push('"');
    push_cut(&mut quoted, text, QUOTED_CHARS);
    quoted.push('"');
    quoted
}

/// Returns the text as a message shows it without quotes, such as a JSON value: escaped and cut
/// after 80 characters.
pub(crate) fn brief(text: &str) -> String {
    shortened(text, QUOTED_CHARS)
}

/// Returns a word as a shell would read it.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns a number of things: "1 finding", "2 findings", "3 directories".
pub(crate) fn count(number: u64, word: &str) -> String {
    match word.strip_suffix('y') {
        _ if number == 1 => format!("1 {word}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {word}s"),
    }
}

/// Returns a number with this many decimals at most.
pub(crate) fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        text
    }
}

/// Returns a path in an address: all that could be taken for more than a name or a slash is
/// encoded.
pub(crate) fn in_address(path: &(impl AsRef<[u8]> + ?Sized)) -> PercentEncode<'_> {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'/');

    percent_encode(path.as_ref(), ENCODED)
}

/// Returns a short text of a record in a cell of a table in Markdown.
pub(crate) fn markdown_cell(text: &str) -> String {
    let mut cell = String::new();
    let text = brief(text);
    let has_one_colon = text.matches(':').count() == 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            // A slash would make a link of it, and a second colon an emoji.
            ':' if next == Some(' ') || has_one_colon && next != Some('/') => cell.push(c),
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '@' | '#' | '!' | '~' | ':' => {
                let _ = write!(cell, "&#{};", u32::from(c));
            }
            _ => cell.push(c),
        }
    }

    cell
}

/// Returns a JSON text on one line, without the blanks between its parts.
pub(super) fn one_line_json(text: &str) -> impl Iterator<Item = char> {
    let (mut is_string, mut is_escaped) = (false, false);
    text.chars().filter(move |c| {
        let is_blank = !is_string && c.is_ascii_whitespace();
        is_string ^= *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        !is_blank
    })
}

/// Returns a JSON text on one line, escaped and cut as a value is.
pub(crate) fn brief_json(text: &str) -> String {
    brief(
        &one_line_json(text)
            .take(QUOTED_CHARS + 1)
            .collect::<String>(),
    )
}

/// Returns a text without what gives it colours in a terminal, as it is or as JSON has it.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut plain = String::new();
    while let Some((at, codes)) = next_colour(rest) {
        plain.push_str(rest.get(..at).unwrap_or_default());
        rest = codes;
    }

    if plain.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }

    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Returns where a text changes its colour first, and what follows that.
fn next_colour(text: &str) -> Option<(usize, &str)> {
    ["\u{1b}[", "\\u001b["]
        .into_iter()
        .flat_map(|start| text.match_indices(start))
        .find_map(|(at, start)| {
            let codes = text
                .get(at + start.len()..)?
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
            Some((at, codes.strip_prefix('m')?))
        })
}

/// Returns the text, escaped and cut after a number of characters.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    let mut short = String::with_capacity(text.len().min(chars));
    push_cut(&mut short, text, chars);
    short
}

/// Returns the beginning of a text, and how many characters are missing.
pub(crate) fn cut_after(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let (head, rest) = text.split_at(end);
            let more = count(rest.chars().count() as u64, "more character");
            Cow::Owned(format!("{head}… ({more})"))
        }
    }
}

fn push_cut(out: &mut String, text: &str, chars: usize) {
    let (mut rest, mut left) = (text, chars);
    while left > 0 {
        // Most characters are what they are; a colon and a bracket behind most others, too.
        let mut before = 0;
        let is_plain = |byte: &u8| match (std::mem::replace(&mut before, *byte), *byte) {
            (before, b':') => !matches!(before, 0 | b':'),
            (before, b'[') => matches!(before, b':' | b',' | b'['),
            (_, byte) => matches!(byte, b' '..=b'~'),
        };

        let plain = rest
            .bytes()
            .take(left)
            .take_while(is_plain)
            .count();
        let (head, tail) = rest.split_at(plain);
        out.push_str(head);

        let mut tail = tail.chars();
        left -= plain;
        if left > 0 {
            let Some(c) = tail.next() else { return };
            push_escaped(out, c, tail.clone().next());
            left -= 1;
        }

        rest = tail.as_str();
    }

    if !rest.is_empty() {
        out.push('…');
    }
}

/// Returns the text, escaped and cut to a number of terminal columns; `…` marks the cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    // Characters beyond the last column can't be shown.
    let beyond = text
        .char_indices()
        .nth(columns.saturating_add(1));
    let head = beyond
        .and_then(|(end, _)| text.get(..end))
        .unwrap_or(text);
    let escaped = escape(head);
    if columns_of(&escaped) <= columns && head.len() == text.len() {
        return escaped.into_owned();
    }

    let mut fitting = String::new();
    let mut width = 0;
    for c in escaped.chars() {
        width += columns_of_char(c).unwrap_or(0);
        if width + 1 > columns {
            break;
        }
        fitting.push(c);
    }

    fitting.push('…');
    fitting
}

/// Returns the columns of a terminal that a text takes.
#[cfg(feature = "human")]
pub(crate) fn columns_of(text: &str) -> usize {
    text.width()
}

/// Returns a text with blanks up to a number of columns of a terminal.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(columns_of(text));
    format!("{text}{:missing$}", "")
}

/// Returns the columns of a terminal that a character takes; `None` for a control character.
#[cfg(feature = "human")]
pub(super) fn columns_of_char(c: char) -> Option<usize> {
    c.width()
}

/// Returns the columns of a terminal that a text takes, where nothing is drawn: its characters.
#[cfg(not(feature = "human"))]
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().count()
}

/// Returns the columns of a terminal that a character takes, where nothing is drawn: one.
#[cfg(not(feature = "human"))]
pub(super) fn columns_of_char(c: char) -> Option<usize> {
    (!c.is_control()).then_some(1)
}

/// Returns a visible character that replaces a hostile one in snippets, where each character keeps
/// its column.
#[must_use]
pub(super) fn stand_in(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        c if is_hostile(c) => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "human")]
    #[test]
    fn padding_counts_the_columns_of_wide_letters() {
        assert_eq!(padded("日本", 6), "日本  ");
        assert_eq!(padded("日本", 3), "日本");
    }

    #[test]
    fn address_holds_any_path() {
        let address = in_address("a&b=c#d/é-_.~").to_string();
        assert_eq!(address, "a%26b%3Dc%23d/%C3%A9-_.~");
    }

    #[test]
    fn cell_escapes_the_colons_that_markdown_reads() {
        for plain in ["tag:case", "ends: soon", "a: b: c", "it:"] {
            assert_eq!(markdown_cell(plain), plain);
        }
        assert_eq!(markdown_cell("http://a"), "http&#58;//a");
        assert_eq!(markdown_cell("a :tada: b:c"), "a &#58;tada: b&#58;c");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(
            (quote("ok"), brief("[1,2]")),
            ("\"ok\"".into(), "[1,2]".into())
        );
        assert!(quote(&"x".repeat(500)).ends_with("…\""));
        assert_eq!(
            (fit("a long text", 6), fit("short", 6)),
            ("a lon…".into(), "short".into())
        );
    }

    /// The characters of the category Cf in Unicode 15, which format others or are invisible.
    const FORMAT_CHARACTERS: [std::ops::RangeInclusive<u32>; 21] = [
        0xad..=0xad,
        0x600..=0x605,
        0x61c..=0x61c,
        0x6dd..=0x6dd,
        0x70f..=0x70f,
        0x890..=0x891,
        0x8e2..=0x8e2,
        0x180e..=0x180e,
        0x200b..=0x200f,
        0x202a..=0x202e,
        0x2060..=0x2064,
        0x2066..=0x206f,
        0xfeff..=0xfeff,
        0xfff9..=0xfffb,
        0x110bd..=0x110bd,
        0x110cd..=0x110cd,
        0x13430..=0x1343f,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0001..=0xe0001,
        0xe0020..=0xe007f,
    ];

    #[test]
    fn every_format_character_is_escaped() {
        for c in FORMAT_CHARACTERS.into_iter().flatten() {
            let c = char::from_u32(c).unwrap();
            assert!(is_hostile(c), "{}", u32::from(c));
            assert_eq!(escape(&c.to_string()), format!("\\u{{{:x}}}", u32::from(c)));
        }
    }

    #[test]
    fn emoji_is_drawn_and_what_joins_nothing_is_escaped() {
        for emoji in [
            "👨🏽\u{200d}🚀",
            "❤\u{fe0f}\u{200d}🔥",
            "👩\u{200d}👩\u{200d}👧",
        ] {
            assert_eq!(escape(emoji), emoji);
            assert_eq!(brief(emoji), emoji);
        }
        assert_eq!(escape("a\u{200d}b\u{fe0f}"), r"a\u{200d}b\u{fe0f}");
        assert_eq!(escape("🚀\u{200d}\u{202e}"), r"🚀\u{200d}\u{202e}");
        assert_eq!(escape("🚀\u{200d}"), r"🚀\u{200d}");
    }

    #[test]
    fn brief_json_is_one_line_with_its_texts_unchanged() {
        let text = "{\n  \"a b\": [ 1,\t2 ],\r\n \"c\\\" d\": \"e\\\\\" , \"f\": {} }";
        let expected = r#"{"a b":[1,2],"c\" d":"e\\","f":{}}"#;
        assert_eq!(brief_json(text), expected);
        assert!(brief_json(&format!("[{}]", "1, ".repeat(99))).ends_with(",1…"));
    }

    #[test]
    fn command_of_any_runner_is_broken() {
        for command in [
            "##[error]",
            "##vso[task.complete]",
            "##teamcity[buildStop x='y']",
        ] {
            let shown = escape(command);
            assert!(!shown.contains('['), "{shown}");
        }
    }
}
