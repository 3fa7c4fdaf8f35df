//! Objects that refer to contents, and contents that stand whole -> what becomes of them.

use super::super::known::{Changed, Content};
use super::{Copying, FoundMark, bare, in_case_of, is_digest};
use crate::ground::digest::FileDigest;
use crate::ground::document::{Node, Number};

/// What becomes of an object that refers to a content.
#[derive(Default)]
pub(super) struct Reference {
    pub(super) sha256: Option<String>,
    pub(super) size: Option<String>,
    pub(super) name: Option<String>,
}

/// The keys under which an object names a file, and its size.
pub(super) const NAMES: [&str; 2] = ["attachment", "name"];
pub(super) const SIZES: [&str; 2] = ["bytes", "size_bytes"];

impl<'a> Copying<'_, '_, 'a> {
    /// Returns what becomes of an object that has the digest of a content, or the name and the size
    /// of a file.
    pub(super) fn reference(&mut self, object: Node<'a>) -> Option<Reference> {
        let text = |key: &str| object.get(key).and_then(Node::text);
        let sha256 = text("sha256");
        let digits = sha256
            .as_deref()
            .map(bare)
            .filter(|it| is_digest(it));
        let size = SIZES
            .iter()
            .find_map(|key| object.get(key)?.number());
        if digits.is_none() && size.is_none() {
            return None;
        }

        let name = NAMES.iter().find_map(|key| text(key));
        let known = self.writer.known;
        let file = name
            .as_deref()
            .and_then(|name| known.file(name));
        if digits.is_none() && file.is_none() {
            return None;
        }

        self.note_mark(object, digits, name.as_deref());
        let of_digest = digits.and_then(|digits| known.content(digits));
        let is_mark = digits.is_some() && object.get("excerpt").is_some();
        let changed = file
            .filter(|_| !is_mark)
            .map(|file| file.changed)
            .or(of_digest);
        let becomes = digits.and_then(|digits| {
            let right = changed.filter(|it| FileDigest::parse(digits) == Some(it.was.sha256));
            if let Some(changed) = right {
                return Some(in_case_of(digits, &changed.is.sha256.to_string()));
            }
            let goes = file.is_some() || self.goes(object);
            goes.then(|| self.writer.rules.keyed.digest(digits))
        });
        let size = size
            .zip(changed)
            .and_then(|(size, changed)| {
                let is = |content: Content| size.equals(Number::of(&content.bytes.to_string()));
                changed.size(is(changed.was), is(changed.is))
            });
        let name = name.and_then(|name| match (file, digits, &becomes) {
            (Some(file), ..) if file.is_renamed => Some(file.path.clone()),
            (Some(_), ..) => Some(name.into_owned()),
            (None, Some(was), Some(is)) if name.contains(was) => Some(name.replace(was, is)),
            _ => None,
        });
        let before = sha256
            .as_deref()
            .and_then(|it| it.strip_suffix(bare(it)));

        Some(Reference {
            sha256: becomes.map(|digits| format!("{}{digits}", before.unwrap_or_default())),
            size,
            name,
        })
    }

    /// Returns `true` if a shortened value goes, or the digest of a content that is not there.
    pub(super) fn goes(&self, object: Node<'a>) -> bool {
        let excerpt = object
            .get("excerpt")
            .and_then(Node::text);
        let paths = self.paths("/sha256");
        let excerpt = excerpt.unwrap_or_default();
        self.fits(&excerpt)
            || self
                .writer
                .rules
                .redact(&excerpt, false, &paths)
    }

    /// Notes a shortened value, where they are looked for.
    pub(super) fn note_mark(&mut self, object: Node<'a>, digits: Option<&str>, name: Option<&str>) {
        let sha256 = digits.and_then(FileDigest::parse);
        let paths = self.paths("");
        let search = self
            .writer
            .search
            .as_mut()
            .filter(|_| object.get("excerpt").is_some());

        if let Some((search, sha256)) = search.zip(sha256) {
            search.marks.push(FoundMark {
                sha256,
                file: name.map(str::to_owned),
                paths,
            });
        }
    }

    /// Notes what became of a value that stands whole here and is shortened elsewhere; `from` is
    /// what was written and copied before it.
    pub(super) fn note_found(&mut self, value: Node<'a>, from: (usize, usize)) {
        let text = value.text();
        let content = text.as_deref().unwrap_or(value.raw());
        let Some(search) = &mut self.writer.search else {
            return;
        };

        if search.wanted.is_empty() {
            return;
        }

        let was = Content::of(content.as_bytes());
        if !search.wanted.contains(&was.sha256) {
            return;
        }

        let (written, copied) = from;
        let span = value.span();
        let is = if self.copied > span.start {
            let new = self
                .written
                .get(written + span.start - copied..);
            let rest = self.text.get(self.copied..span.end);
            [new.unwrap_or_default(), rest.unwrap_or_default().as_bytes()].concat()
        } else {
            value.raw().as_bytes().to_vec()
        };

        let is = match serde_json::from_slice::<String>(&is) {
            Ok(text) => Content::of(text.as_bytes()),
            Err(_) => Content::of(&is),
        };

        search.found.push(Changed { was, is });
    }
}
