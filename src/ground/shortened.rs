//! A value that a recorder shortened -> its mark, and the whole value where its file is there.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::digest::FileDigest;
use super::document::{Key, Kind, Node, Number, Tape, has_escaped_ascii};

/// What stands for a shortened value: a map with its digest, its length and an excerpt, and perhaps
/// the name of a file that has all of it.
#[derive(Clone, Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) sha256: Cow<'a, str>,
    bytes: Number<'a>,
    attachment: Option<Cow<'a, str>>,
}

/// A function that returns the content of a file of the episode by its path; `None` where there is
/// no such file, or it can't be read.
pub(crate) type ReadAttachment<'r> = dyn FnMut(&str) -> Option<Vec<u8>> + 'r;

impl<'a> Mark<'a> {
    /// Returns the mark that a value is.
    pub(crate) fn of(value: Node<'a>) -> Option<Self> {
        if value.kind() != Kind::Object || !(3..=4).contains(&value.members().take(5).count()) {
            return None;
        }

        let [sha256, excerpt] = ["sha256", "excerpt"].map(|key| value.get(key)?.text());
        let sha256 = sha256.filter(|text| FileDigest::parse(text).is_some());
        let bytes = value
            .get("bytes")?
            .number()
            .filter(|it| it.is_integer());
        let attachment = value.get("attachment");
        if attachment.is_none() != (value.members().count() == 3) {
            return None;
        }

        let attachment = match attachment {
            Some(name) => Some(
                name.text()
                    .filter(|name| is_attachment(name))?,
            ),
            None => None,
        };

        excerpt.and(Some(Self {
            sha256: sha256?,
            bytes: bytes?,
            attachment,
        }))
    }

    /// Returns the whole value as JSON, if its file has it.
    fn whole(&self, read: &mut ReadAttachment<'_>) -> Option<String> {
        let name = self.attachment.as_ref()?;
        let content = read(name)?;
        let length = content.len().to_string();
        let is_whole = self.bytes.equals(Number::of(&length))
            && FileDigest::parse(&self.sha256) == Some(FileDigest::of(&content));
        let text = String::from_utf8(content)
            .ok()
            .filter(|_| is_whole)?;
        if name.ends_with(".txt") {
            return serde_json::to_string(&text).ok();
        }

        let is_json = name.ends_with(".json")
            && Tape::default()
                .read(text.as_bytes())
                .is_ok();

        is_json.then(|| text.trim().to_owned())
    }
}

fn is_attachment(name: &str) -> bool {
    name.strip_prefix("attachments/")
        .is_some_and(|name| {
            !name.is_empty() && !name.contains(['/', '\\', '\0']) && !matches!(name, "." | "..")
        })
}

/// Returns `false` if a text surely has no shortened value.
pub(crate) fn may_be_shortened(text: &str) -> bool {
    static KEY: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"excerpt\""));
    KEY.find(text.as_bytes()).is_some() || has_escaped_ascii(text.as_bytes(), b'6'..=b'7')
}

/// Returns the shortened values in a value, in the order of the text; of these nothing further.
pub(crate) fn shortened_in(value: Node<'_>) -> Vec<Node<'_>> {
    let (mut found, mut left) = (Vec::new(), vec![value]);
    while let Some(value) = left.pop() {
        if Mark::of(value).is_some() {
            found.push(value);
            continue;
        }

        let from = left.len();
        left.extend(value.items());
        left.extend(value.members().map(Key::value));
        left.get_mut(from..)
            .unwrap_or_default()
            .reverse();
    }

    found
}

/// Returns a record with the whole values in place of the shortened ones whose files are there;
/// `None` where there are none.
pub(crate) fn with_whole_values(record: Node<'_>, read: &mut ReadAttachment<'_>) -> Option<String> {
    let text = record.raw();
    if !may_be_shortened(text) {
        return None;
    }

    let (mut whole, mut end) = (String::new(), record.span().start);
    let start = end;
    for value in shortened_in(record) {
        if let Some(json) = Mark::of(value).and_then(|mark| mark.whole(read)) {
            let span = value.span();
            whole.push_str(text.get(end - start..span.start - start)?);
            whole.push_str(&json);
            end = span.end;
        }
    }

    if end == start {
        return None;
    }

    whole.push_str(text.get(end - start..)?);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::document::OwnedDocument;

    #[test]
    fn file_with_the_digest_and_the_length_is_the_whole_value() {
        let mark = |content: &str, name: &str| {
            let sha256 = FileDigest::of(content.as_bytes());
            let bytes = content.len();
            format!(
                r#"{{"sha256":"{sha256}","bytes":{bytes},"excerpt":"x","attachment":"attachments/{name}"}}"#
            )
        };
        let (list, text, other) = (
            mark("[1, 2]", "a.json"),
            mark("say \"hi\"", "b.txt"),
            mark("else", "a.json"),
        );
        let record = format!(r#"{{"list":{list},"x":[{text},{other}],"y":{{"excerpt":"z"}}}}"#);
        let document = OwnedDocument::read(record.into_bytes()).unwrap();
        assert_eq!(shortened_in(document.root()).len(), 3);
        let whole = with_whole_values(document.root(), &mut |name| match name {
            "attachments/a.json" => Some(b"[1, 2]".to_vec()),
            "attachments/b.txt" => Some(b"say \"hi\"".to_vec()),
            _ => None,
        });
        let expected =
            format!(r#"{{"list":[1, 2],"x":["say \"hi\"",{other}],"y":{{"excerpt":"z"}}}}"#);
        assert_eq!(whole, Some(expected));
    }

    #[test]
    fn map_with_other_keys_or_values_is_no_mark() {
        let digest = "0".repeat(64);
        for (json, expected) in [
            (
                format!(r#"{{"sha256":"{digest}","bytes":3,"excerpt":""}}"#),
                true,
            ),
            (
                format!(r#"{{"sha256":"{digest}","bytes":3.0,"\u0065xcerpt":""}}"#),
                true,
            ),
            (
                format!(r#"{{"sha256":"{digest}","bytes":3.5,"excerpt":""}}"#),
                false,
            ),
            (format!(r#"{{"sha256":"{digest}","bytes":3}}"#), false),
            (
                format!(r#"{{"sha256":"{digest}","bytes":3,"excerpt":"","x":1}}"#),
                false,
            ),
            (
                format!(r#"{{"sha256":"{digest}","bytes":3,"excerpt":"","attachment":"../x"}}"#),
                false,
            ),
            (
                r#"{"sha256":"00","bytes":3,"excerpt":""}"#.to_owned(),
                false,
            ),
        ] {
            let document = OwnedDocument::read(json.clone().into_bytes()).unwrap();
            assert_eq!(Mark::of(document.root()).is_some(), expected, "{json}");
            assert!(may_be_shortened(&json) || !expected, "{json}");
        }
    }
}
