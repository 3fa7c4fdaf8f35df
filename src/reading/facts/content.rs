//! What an act took or gave, on one side -> whether it is the same on the other, shortened or not.

use super::value::{content, show};
use crate::ground::digest::{Digest, FileDigest};
use crate::ground::document::{WrittenMember, canonical, written_members};

/// What is kept of a value, which may be long, to compare it with another.
#[derive(Debug)]
pub(super) struct Content {
    canonical: Digest,
    form: ContentForm,
    /// As messages show it.
    pub(super) shown: Box<str>,
}

/// The form of a value.
#[derive(Debug)]
enum ContentForm {
    /// A whole text, with its digest.
    Text(FileDigest),
    /// An object that stands for a longer value.
    Shortened {
        sha256: FileDigest,
        bytes: Digest,
    },
    Other,
}

impl Content {
    /// Returns a value, given how it is written.
    pub(super) fn new(written: &str) -> Self {
        let form = if written.starts_with('"') {
            ContentForm::Text(FileDigest::of(content(written).as_bytes()))
        } else {
            shortened(written).unwrap_or(ContentForm::Other)
        };

        Self {
            canonical: Digest::of([&*canonical(written)]),
            form,
            shown: show(written).into(),
        }
    }

    /// Returns `true` if two values are equal, as far as a shortened one tells.
    pub(super) fn equals(&self, other: &Self) -> bool {
        use ContentForm::{Shortened, Text};
        self.canonical == other.canonical
            || match (&self.form, &other.form) {
                (Text(text), Shortened { sha256, .. }) | (Shortened { sha256, .. }, Text(text)) => {
                    text == sha256
                }
                (
                    Shortened { sha256, bytes },
                    Shortened {
                        sha256: other_sha256,
                        bytes: other_bytes,
                    },
                ) => sha256 == other_sha256 && bytes == other_bytes,
                _ => false,
            }
    }
}

/// Returns the form of an object that has a digest, a size and an excerpt, perhaps an attachment,
/// and nothing else.
fn shortened(written: &str) -> Option<ContentForm> {
    let (mut sha256, mut bytes, mut has_excerpt) = (None, None, false);
    for WrittenMember { key, value } in written_members(written) {
        match &*content(key) {
            "sha256" => sha256 = Some(value),
            "bytes" => bytes = Some(value),
            "excerpt" => has_excerpt = true,
            "attachment" => {}
            _ => return None,
        }
    }

    let sha256 = sha256.filter(|it| has_excerpt && it.starts_with('"'))?;
    Some(ContentForm::Shortened {
        sha256: FileDigest::parse(&content(sha256))?,
        bytes: Digest::of([&*canonical(bytes?)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_value_equals_what_it_stands_for() {
        let text = Content::new(r#""a\u0062c""#);
        let sha256 = FileDigest::of(b"abc").to_string();
        let short = |rest: &str| Content::new(&format!(r#"{{"sha256": "{sha256}", {rest}}}"#));
        let equal = [
            short(r#""bytes": 3, "excerpt": "a""#),
            short(r#""excerpt": "", "bytes": 4, "attachment": "attachments/x""#),
            Content::new(r#""abc""#),
        ];
        for other in &equal {
            assert!(text.equals(other) && other.equals(&text), "{}", other.shown);
        }
        assert!(!equal[0].equals(&equal[1]));
        assert!(equal[0].equals(&short(r#""bytes": 3.0, "excerpt": "ab""#)));
        let others = [
            short(r#""bytes": 3"#),
            short(r#""bytes": 3, "excerpt": "a", "more": 1"#),
            Content::new(r#"["abc"]"#),
        ];
        assert!(
            others
                .iter()
                .all(|other| !text.equals(other))
        );
    }
}
