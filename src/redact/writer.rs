//! A JSON text -> the same text without the texts that go: their spans are replaced, all else is
//! copied.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use semver::Version;

use super::Readable;
use super::keyed::is_placeholder;
use super::known::{Changed, Content, Known};
use super::names::{Paths, Step};
use super::places::{Edge, Nature, PLACES, same_places};
use super::rules::Rules;
use crate::ground::digest::{FileDigest, RunningDigest};
use crate::ground::document::{Document, EXTENSION, Key, Kind, Node, Number};
use crate::ground::record::phases;
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;

/// A writer of the records of a run.
pub(super) struct Writer<'w> {
    pub(super) rules: &'w Rules,
    pub(super) known: &'w Known,
    pub(super) readable: Readable,
    /// What is looked for in the records, if anything is.
    pub(super) search: Option<Search>,
    /// The lines of the timeline so far, before and after.
    pub(super) lines: [RunningDigest; 2],
}

/// What is looked for before anything is written.
#[derive(Default)]
pub(super) struct Search {
    /// The shortened values, each with the path of its file, if it names one.
    pub(super) marks: Vec<(FileDigest, Option<String>, Paths)>,
    /// The digests of contents that may stand whole elsewhere.
    pub(super) wanted: BTreeSet<FileDigest>,
    pub(super) found: Vec<Changed>,
}

/// What becomes of an object that refers to a content.
#[derive(Default)]
struct Reference {
    sha256: Option<String>,
    size: Option<String>,
    name: Option<String>,
}

/// One text on its way.
struct Copying<'c, 'w, 'a> {
    writer: &'c mut Writer<'w>,
    text: &'a str,
    written: Vec<u8>,
    /// The number of bytes of the text that are written.
    copied: usize,
    path: Vec<Step<'a>>,
    /// The place in the state that the path, from a number of steps on, mirrors.
    mirrors: Option<(&'static str, usize)>,
    /// The paths to the whole text, where it is a value of a record.
    around: &'a [Vec<Step<'static>>],
}

/// The keys under which an object names a file, and its size.
const NAMES: [&str; 2] = ["attachment", "name"];
const SIZES: [&str; 2] = ["bytes", "size_bytes"];

impl<'w> Writer<'w> {
    pub(super) fn new(rules: &'w Rules, known: &'w Known) -> Self {
        Self {
            rules,
            known,
            readable: Readable::default(),
            search: None,
            lines: Default::default(),
        }
    }

    /// Returns the copy of a record.
    pub(super) fn record(&mut self, document: Document<'_>, name: &str) -> Vec<u8> {
        self.copy(document, PLACES.root(name), &[])
    }

    /// Returns the copy of an event.
    pub(super) fn event(&mut self, document: Document<'_>) -> Vec<u8> {
        let phase = document.root().get("phase").and_then(Node::text);
        let known = phase.as_deref().and_then(phases::known);
        self.copy(document, PLACES.root(known.unwrap_or("event")), &[])
    }

    /// Returns the copy of a value of records that is kept in a file.
    pub(super) fn value(&mut self, document: Document<'_>, paths: &Paths) -> Vec<u8> {
        self.copy(document, Edge::UNKNOWN, paths)
    }

    fn copy(
        &mut self,
        document: Document<'_>,
        edge: Edge,
        around: &[Vec<Step<'static>>],
    ) -> Vec<u8> {
        let text = document.text();
        let mut copying = Copying {
            writer: self,
            text,
            written: Vec::with_capacity(text.len()),
            copied: 0,
            path: Vec::new(),
            mirrors: edge.mirrors.map(|place| (place, 0)),
            around,
        };
        copying.value(document.root(), edge);
        copying.finish()
    }

    /// Returns what stands in place of a digest that is not that of the content it is said to be.
    fn keyed(&self, digits: &str) -> String {
        self.rules.keyed.digest(digits)
    }
}

impl<'a> Copying<'_, '_, 'a> {
    fn finish(mut self) -> Vec<u8> {
        let rest = self.text.get(self.copied..).unwrap_or_default();
        self.written.extend_from_slice(rest.as_bytes());
        self.written
    }

    /// Writes something in place of a part of the text.
    fn replace(&mut self, span: Range<usize>, by: &str) {
        let before = self.text.get(self.copied..span.start).unwrap_or_default();
        self.written.extend_from_slice(before.as_bytes());
        self.written.extend_from_slice(by.as_bytes());
        self.copied = span.end;
    }

    fn value(&mut self, value: Node<'a>, edge: Edge) {
        let from = (self.written.len(), self.copied);
        match value.kind() {
            Kind::Object => self.object(value, edge),
            Kind::Array => {
                for item in value.items() {
                    self.below(Step::Index, edge, |copying, edge| copying.value(item, edge));
                }
            }
            Kind::String => self.string(value, edge),
            Kind::Number => self.writer.readable.numbers += 1,
            Kind::Null | Kind::True | Kind::False => {}
        }
        self.note_found(value, from);
    }

    fn below(&mut self, step: Step<'a>, edge: Edge, each: impl FnOnce(&mut Self, Edge)) {
        let edge = PLACES.below(edge, &step);
        let around = self.mirrors;
        self.path.push(step);
        if let Some(place) = edge.mirrors {
            self.mirrors = Some((place, self.path.len()));
        }
        each(self, edge);
        self.path.pop();
        self.mirrors = around;
    }

    fn object(&mut self, object: Node<'a>, edge: Edge) {
        let reference = self.reference(object).unwrap_or_default();
        for key in object.all_members() {
            self.key(key, edge);
            let name = key.name();
            let by = match &*name {
                "sha256" => reference.sha256.as_deref().map(quoted),
                name if SIZES.contains(&name) => reference.size.clone(),
                name if NAMES.contains(&name) => reference.name.as_deref().map(quoted),
                _ => None,
            };
            match by {
                // What is copied byte for byte is perhaps written in another way.
                Some(by) if Some(&*by) == key.value().text().as_deref().map(quoted).as_deref() => {}
                Some(by) => self.replace(key.value().span(), &by),
                None => self.below(Step::Key(name), edge, |copying, edge| {
                    copying.value(key.value(), edge);
                }),
            }
        }
    }

    fn key(&mut self, key: Key<'a>, edge: Edge) {
        let name = key.name();
        // A key of a runtime's own stays one: others are not allowed everywhere.
        let own = name.strip_prefix(EXTENSION);
        let is_known = PLACES.declare_key(edge, &name) || is_placeholder(own.unwrap_or(&name));
        if !is_known && self.writer.rules.fits(&name) {
            let before = own.map_or("", |_| EXTENSION);
            let by = self.writer.rules.keyed.placeholder(&name);
            self.replace(key.span(), &quoted(&format!("{before}{by}")));
        } else {
            self.writer.readable.keys += 1;
        }
    }

    /// Returns what becomes of an object that has the digest of a content, or the name and the size
    /// of a file.
    fn reference(&mut self, object: Node<'a>) -> Option<Reference> {
        let text = |key: &str| object.get(key).and_then(Node::text);
        let sha256 = text("sha256");
        let digits = sha256.as_deref().map(bare).filter(|it| is_digest(it));
        let size = SIZES.iter().find_map(|key| object.get(key)?.number());
        if digits.is_none() && size.is_none() {
            return None;
        }
        let name = NAMES.iter().find_map(|key| text(key));
        let known = self.writer.known;
        let file = name.as_deref().and_then(|name| known.file(name));
        if digits.is_none() && file.is_none() {
            return None;
        }
        self.note_mark(object, digits, name.as_deref());
        let of_digest = digits.and_then(|digits| known.content(digits));
        let changed = match (file, digits) {
            (Some(file), Some(_)) if object.get("excerpt").is_none() => Some(file.changed),
            (Some(file), None) => Some(file.changed),
            _ => of_digest,
        };
        let is_right =
            |digits: &str| changed.filter(|it| FileDigest::parse(digits) == Some(it.was.sha256));
        let becomes = digits.and_then(|digits| match is_right(digits) {
            Some(changed) => Some(in_case_of(digits, &changed.is.sha256.to_string())),
            None if file.is_some() || self.goes(object) => Some(self.writer.keyed(digits)),
            None => None,
        });
        let size = size.zip(changed).and_then(|(size, changed)| {
            let is = |content: Content| size.equals(Number::of(&content.bytes.to_string()));
            changed.size(is(changed.was), is(changed.is))
        });
        let name = match (file, name.as_deref(), digits, &becomes) {
            (Some(file), ..) if file.is_renamed => Some(file.path.clone()),
            (Some(_), Some(name), ..) => Some(name.to_owned()),
            (None, Some(name), Some(was), Some(is)) if name.contains(was) => {
                Some(name.replace(was, is))
            }
            _ => None,
        };
        let before = sha256.as_deref().and_then(|it| it.strip_suffix(bare(it)));
        Some(Reference {
            sha256: becomes.map(|digits| format!("{}{digits}", before.unwrap_or_default())),
            size,
            name,
        })
    }

    /// Returns `true` if a shortened value goes, or the digest of a content that is not there.
    fn goes(&self, object: Node<'a>) -> bool {
        let excerpt = object.get("excerpt").and_then(Node::text);
        let paths = self.paths(Some("sha256"));
        self.writer
            .rules
            .redact(&excerpt.unwrap_or_default(), false, &paths)
    }

    /// Returns the paths to what is at hand, or to a key in it, where names matter.
    fn paths(&self, key: Option<&'static str>) -> Vec<Vec<Step<'a>>> {
        if !self.writer.rules.have_names() {
            return Vec::new();
        }
        let key = key.map(|key| Step::Key(Cow::Borrowed(key)));
        let path: Vec<Step<'a>> = self.path.iter().cloned().chain(key).collect();
        if self.around.is_empty() {
            return same_places(&path, self.mirrors);
        }
        let around = self.around.iter();
        around.map(|around| [&**around, &*path].concat()).collect()
    }

    fn string(&mut self, value: Node<'a>, edge: Edge) {
        let text = value.text().unwrap_or_default();
        if text.is_empty() || is_placeholder(&text) {
            return;
        }
        if let Some(by) = self.becomes(&text, PLACES.nature(edge)) {
            self.replace(value.span(), &quoted(&by));
        }
    }

    /// Returns what a text becomes, unless it stays.
    fn becomes(&mut self, text: &str, nature: Nature) -> Option<String> {
        let of_text = |copying: &mut Self, text: &str| copying.becomes(text, Nature::Text);
        match nature {
            Nature::Word(words) if words.split(' ').any(|word| word == text) => {
                self.writer.readable.words += 1;
                return None;
            }
            Nature::Time if Timestamp::parse(text).is_some() => {
                self.writer.readable.times += 1;
                return None;
            }
            Nature::Phase if phases::is_known(text) || text == phases::PROJECTION => return None,
            Nature::Version if is_version(text) => return None,
            Nature::StateDigest if is_digest(text) => {
                let state = self.writer.known.state;
                let state = state.map(|it| [it.was.sha256, it.is.sha256]);
                return Some(self.digest(text, state));
            }
            Nature::PrefixDigest if is_digest(text) => {
                let lines = self.writer.lines.each_ref().map(RunningDigest::so_far);
                return Some(self.digest(text, Some(lines)));
            }
            Nature::Adapter => {
                if let Some(name) = text.strip_prefix(ADAPTER) {
                    return Some(format!("{ADAPTER}{}", self.part(name)?));
                }
            }
            Nature::Label => {
                if let Some((kind, about)) = text.split_once(':') {
                    let about_by = self.part(about);
                    let kind_by = self.writer.rules.fits(kind);
                    let kind_by = kind_by.then(|| self.writer.rules.keyed.placeholder(kind));
                    if about_by.is_none() && kind_by.is_none() {
                        let goes = !is_placeholder(about) && self.writer.rules.fits(text);
                        return goes.then(|| self.placeholder(text));
                    }
                    let kind = kind_by.as_deref().unwrap_or(kind);
                    return Some(format!("{kind}:{}", about_by.as_deref().unwrap_or(about)));
                }
                return of_text(self, text);
            }
            Nature::Link | Nature::Artifact if let Some(by) = self.renamed(text) => {
                return Some(by);
            }
            Nature::Text
                if self.path.last().is_some_and(is_digest_key) && is_digest(bare(text)) =>
            {
                return self.other_digest(text);
            }
            _ => {}
        }
        self.unless_it_stays(text, nature)
    }

    fn unless_it_stays(&mut self, text: &str, nature: Nature) -> Option<String> {
        let stays = match nature {
            Nature::Id | Nature::Name | Nature::Phase | Nature::Link | Nature::Artifact => true,
            // What has not its form is a text.
            _ => false,
        };
        let rules = self.writer.rules;
        let goes = if nature.is_form() && stays {
            rules.fits(text)
        } else {
            rules.redact(text, stays, &self.paths(None))
        };
        if goes {
            return Some(match nature {
                Nature::Id => rules.keyed.id(text.as_bytes()),
                Nature::Link => self.without_secrets(text),
                Nature::Artifact if rules.fits(text) => self.without_secrets(text),
                _ => self.placeholder(text),
            });
        }
        let readable = &mut self.writer.readable;
        match nature {
            Nature::Id => readable.ids += 1,
            Nature::Name | Nature::Phase => readable.words += 1,
            Nature::Link | Nature::Artifact => readable.paths += 1,
            _ => readable.texts += 1,
        }
        None
    }

    fn placeholder(&self, text: &str) -> String {
        self.writer.rules.keyed.placeholder(text)
    }

    /// Returns what the part of a text becomes, unless it stays.
    fn part(&mut self, text: &str) -> Option<String> {
        if text.is_empty() || is_placeholder(text) {
            return None;
        }
        self.unless_it_stays(text, Nature::Text)
    }

    /// Returns the path of the copy of a file, where that has another name.
    fn renamed(&self, text: &str) -> Option<String> {
        let file = self.writer.known.file(text)?;
        file.is_renamed.then(|| file.path.clone())
    }

    /// Returns a path in which each part is replaced in which a pattern fits.
    fn without_secrets(&self, text: &str) -> String {
        let rules = self.writer.rules;
        if Artifact::from_file_name(text).is_some() {
            return text.to_owned();
        }
        let mut path = String::new();
        for part in text.split_inclusive(['/', '\\']) {
            let name = part.trim_end_matches(['/', '\\']);
            path.push_str(&rules.segment(name));
            path.push_str(part.get(name.len()..).unwrap_or_default());
        }
        // A pattern may fit over several parts.
        if path == text {
            return self.placeholder(text);
        }
        path
    }

    /// Returns the digest in the copy, where one was right that is known before and after.
    fn digest(&self, digits: &str, known: Option<[FileDigest; 2]>) -> String {
        match known {
            Some([was, is]) if FileDigest::parse(digits) == Some(was) => {
                in_case_of(digits, &is.to_string())
            }
            _ => self.writer.keyed(digits),
        }
    }

    /// Returns what becomes of a digest that stands alone.
    fn other_digest(&mut self, text: &str) -> Option<String> {
        let digits = bare(text);
        let before = text.strip_suffix(digits).unwrap_or_default();
        let by = if let Some(changed) = self.writer.known.content(digits) {
            in_case_of(digits, &changed.is.sha256.to_string())
        } else {
            self.unless_it_stays(text, Nature::Text)?;
            self.writer.keyed(digits)
        };
        Some(format!("{before}{by}"))
    }

    /// Notes a shortened value, where they are looked for.
    fn note_mark(&mut self, object: Node<'a>, digits: Option<&str>, name: Option<&str>) {
        let sha256 = digits.and_then(FileDigest::parse);
        let is_mark = object.get("excerpt").is_some();
        let paths = self.paths(None);
        let Some((search, sha256)) = self.writer.search.as_mut().zip(sha256) else {
            return;
        };
        if is_mark {
            let paths = paths.into_iter();
            let paths = paths.map(|path| path.into_iter().map(Step::into_owned).collect());
            let name = name.map(str::to_owned);
            search.marks.push((sha256, name, paths.collect()));
        }
    }

    /// Notes what became of a value that stands whole here and is shortened elsewhere; `from` is
    /// what was written and copied before it.
    fn note_found(&mut self, value: Node<'a>, from: (usize, usize)) {
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
            let new = self.written.get(written + span.start - copied..);
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

/// What stands before the name of an adapter.
const ADAPTER: &str = "adapter:";

/// Returns a text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns a digest without the name of its function.
fn bare(text: &str) -> &str {
    text.strip_prefix("sha256:").unwrap_or(text)
}

fn is_digest(digits: &str) -> bool {
    FileDigest::parse(digits).is_some()
}

fn is_digest_key(step: &Step<'_>) -> bool {
    matches!(step, Step::Key(key) if key.ends_with("sha256"))
}

/// Returns `true` if a text may be a version: `1.0`, `manifest/1.0`.
fn is_version(text: &str) -> bool {
    let (kind, number) = text.split_once('/').unwrap_or(("", text));
    let is_number = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_lowercase());
    is_kind && (is_number || Version::parse(number).is_ok())
}

/// Returns a digest in the case of another one.
pub(super) fn in_case_of(other: &str, digits: &str) -> String {
    if other.bytes().any(|byte| byte.is_ascii_uppercase()) {
        digits.to_ascii_uppercase()
    } else {
        digits.to_owned()
    }
}
