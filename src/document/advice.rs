//! Why a text is not JSON -> how such a text comes about, and what to write instead.

use super::SyntaxError;

impl SyntaxError {
    /// What to do about it; `None` where the sentence says enough, or the text may be cut off.
    pub(crate) fn advice(self) -> Option<&'static str> {
        Some(match self.what {
            "the text is empty" => {
                "Nothing was written. Replace the file in one step, so that readers find all of it or none: write a temporary file, then rename it."
            }
            "the text starts with a byte order mark" => {
                "Write UTF-8 without a byte order mark: in Python, `encoding=\"utf-8\"` instead of `\"utf-8-sig\"`."
            }
            "the text is UTF-16, not UTF-8" => {
                "Write the text as UTF-8: PowerShell's `>` and `Out-File` write UTF-16 without `-Encoding utf8`."
            }
            "the text has NUL bytes" => {
                "File systems leave NUL bytes where power failed before the text was on the disk. Restore the file, and write it in one step: write a temporary file, flush it to the disk with `fsync`, then rename it."
            }
            "the text has a byte that is not UTF-8" => {
                "Write the text as UTF-8: in Python, open the file with `encoding=\"utf-8\"`."
            }
            "NaN and Infinity are not JSON" => {
                "Write `null` or a finite number. Python's `json.dumps` writes NaN unless it gets `allow_nan=False`."
            }
            "JSON strings need double quotes"
            | "JSON writes `null`, not `None`"
            | "JSON writes `true` and `false` in lower case" => {
                "This looks like Python's `repr()` or `str()`: write the value with `json.dumps()`."
            }
            "JSON has no comments" => "Remove the comment, or make it a field.",
            "there is a comma before the closing bracket"
            | "a value is missing before the closing bracket" => {
                "Remove the comma before the bracket, or write the value that is missing."
            }
            "there is more text after the JSON value" => {
                "Two values stand where one belongs: give each a file or a line of its own."
            }
            "a string has an unescaped control character" => {
                "Escape control characters: a line break is `\\n` and a tab `\\t` in a JSON string."
            }
            "the escape is half of a surrogate pair" => {
                "Write the whole character. Half of one is left where a text was cut between two UTF-16 units, or decoded with `surrogateescape`."
            }
            "JSON has no such escape" => {
                "Write a backslash itself as `\\\\`, as in Windows paths and regular expressions."
            }
            _ => return None,
        })
    }
}

/// Whether a text is UTF-16 without a byte order mark: ASCII characters, each with a zero byte.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0, 1..=0x7f, 0, 1..=0x7f, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..]
    )
}

#[cfg(test)]
mod tests {
    use crate::document::Tape;

    #[test]
    fn each_slip_has_its_own_advice() {
        let table: [(&[u8], &str); 25] = [
            (b"{}\0\0\0", "fsync"),
            (b"\0\0\0\0", "fsync"),
            (b"{\"a\": \0\0", "fsync"),
            (b"", "temporary file"),
            (b"\xef\xbb\xbf{}", "byte order mark"),
            (b"\xff\xfe{\0}\0", "PowerShell"),
            (b"{\0\"\0a\0", "PowerShell"),
            (b"\0{\0\"\0a", "PowerShell"),
            (b"[\"\xe9\"]", "as UTF-8"),
            (b"[NaN]", "allow_nan"),
            (b"[nan]", "allow_nan"),
            (b"[-Infinity]", "allow_nan"),
            (b"[Infinity]", "allow_nan"),
            (b"{'a': 1}", "repr()"),
            (b"{\"a\": 'b'}", "repr()"),
            (b"[None]", "repr()"),
            (b"[True]", "repr()"),
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
            let error = Tape::default().read(text).expect_err("no JSON");
            let given = error.advice().unwrap_or_default();
            let shown = String::from_utf8_lossy(text);
            assert!(given.contains(advice), "{shown}: {error}: {given}");
        }
    }
}
