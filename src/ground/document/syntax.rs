//! An error in the syntax of JSON -> a sentence about it, how such a text comes about, and what to
//! write instead.

use super::MAX_DEPTH;

/// An error in the syntax of a text that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxErrorKind {
    #[error("the text is empty")]
    Empty,
    #[error("the text is longer than 4 GiB")]
    TooLong,
    #[error("the text has more than 134,217,727 keys and values")]
    TooManyTokens,
    #[error("arrays and objects are nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("the text starts with a byte order mark")]
    ByteOrderMark,
    #[error("the text is UTF-16, not UTF-8")]
    Utf16,
    #[error("the text has a byte that is not UTF-8")]
    NotUtf8,
    #[error("the text has NUL bytes")]
    NulBytes,
    #[error("NaN and Infinity are not JSON")]
    NotFinite,
    #[error("JSON strings need double quotes")]
    SingleQuotes,
    #[error("JSON writes `null`, not `None`")]
    PythonNone,
    #[error("JSON writes `true` and `false` in lower case")]
    PythonBoolean,
    #[error("JSON has no comments")]
    Comment,
    #[error("there is a comma before the closing bracket")]
    TrailingComma,
    #[error("a value is missing before the closing bracket")]
    MissingValue,
    #[error("there is more text after the JSON value")]
    MoreText,
    #[error("a string has an unescaped control character")]
    ControlCharacter,
    #[error("the escape is half of a surrogate pair")]
    LoneSurrogate,
    #[error("`\\u` needs four hexadecimal digits")]
    ShortEscape,
    #[error("JSON has no such escape")]
    UnknownEscape,
    #[error("a number must not have leading zeros")]
    LeadingZero,
    #[error("expected a digit")]
    NoDigit,
    #[error("expected `true`, `false` or `null`")]
    NoLiteral,
    #[error("expected a value")]
    NoValue,
    #[error("expected a key in double quotes")]
    NoKey,
    #[error("expected `:` after the key")]
    NoColon,
    #[error("expected `,` or `}}`")]
    NoSeparatorInObject,
    #[error("expected `,` or `]`")]
    NoSeparatorInArray,
    #[error("the text ends where a value is expected")]
    EndsBeforeValue,
    #[error("the text ends where a key is expected")]
    EndsBeforeKey,
    #[error("the text ends inside an object")]
    EndsInObject,
    #[error("the text ends inside an array")]
    EndsInArray,
    #[error("the text ends inside a string")]
    EndsInString,
}

impl SyntaxErrorKind {
    /// Returns the advice on it, in a line that is appended or in a file that is replaced as a
    /// whole; `None` where the sentence says enough, or the text may be cut off.
    pub(crate) fn advice(self, is_line: bool) -> Option<&'static str> {
        Some(match self {
            Self::NulBytes if is_line => {
                "File systems leave NUL bytes where power failed before the text was on the disk. Remove them, and have the writer flush each event to the disk with `fsync`."
            }
            Self::EndsInObject | Self::EndsInArray | Self::EndsInString if is_line => {
                "The event was cut off, or has line breaks: append each event with its newline in one write, and a line break in a text as `\\n`."
            }
            Self::Empty => {
                "Nothing was written. Replace the file in one step, so that readers find all of it or none: write a temporary file, then rename it."
            }
            Self::ByteOrderMark => {
                "Write UTF-8 without a byte order mark: in Python, `encoding=\"utf-8\"` instead of `\"utf-8-sig\"`."
            }
            Self::NulBytes => {
                "File systems leave NUL bytes where power failed before the text was on the disk. Restore the file, and write it in one step: write a temporary file, flush it to the disk with `fsync`, then rename it."
            }
            Self::NotUtf8 => {
                "Write the text as UTF-8: in Python, open the file with `encoding=\"utf-8\"`."
            }
            Self::Comment => "Remove the comment, or make it a field.",
            Self::TrailingComma | Self::MissingValue => {
                "Remove the comma before the bracket, or write the value that is missing."
            }
            Self::MoreText => {
                "There are two values in place of one: give each a file or a line of its own."
            }
            Self::ControlCharacter => {
                "Escape control characters: a line break is `\\n` and a tab `\\t` in a JSON string."
            }
            Self::LoneSurrogate => {
                "Write the whole character. Half of one is left where a text was cut between two UTF-16 units, or decoded with `surrogateescape`."
            }
            Self::UnknownEscape => {
                "Write a backslash itself as `\\\\`, as in Windows paths and regular expressions."
            }
            _ => return None,
        })
    }
}

/// Returns `true` if a text is UTF-16 without a byte order mark: ASCII characters, each with a zero
/// byte.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0, 1..=0x7f, 0, 1..=0x7f, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..]
    )
}

#[cfg(test)]
mod tests {
    use crate::ground::document::Tape;

    #[test]
    fn each_typo_has_its_own_advice() {
        let table: [(&[u8], &str); 14] = [
            (b"{}\0\0\0", "fsync"),
            (b"\0\0\0\0", "fsync"),
            (b"{\"a\": \0\0", "fsync"),
            (b"", "temporary file"),
            (b"\xef\xbb\xbf{}", "byte order mark"),
            (b"[\"\xe9\"]", "as UTF-8"),
            (b"[1, // one", "comment"),
            (b"{ # one", "comment"),
            (b"{} // end", "comment"),
            (b"[1 /* one */]", "comment"),
            (b"[1,]", "comma"),
            (b"{\"a\":1,}", "comma"),
            (b"[\"\\ud83d\"]", "surrogate"),
            (b"[\"C:\\dir\"]", "backslash"),
        ];
        for (text, advice) in table {
            let error = Tape::default()
                .read(text)
                .expect_err("no JSON");
            let given = error
                .kind
                .advice(false)
                .unwrap_or_default();
            let shown = String::from_utf8_lossy(text);
            assert!(given.contains(advice), "{shown}: {error}: {given}");
        }
    }
}
