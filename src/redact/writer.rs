//! A JSON text -> the same text without the texts that go: their spans are replaced, all else is
//! copied.

mod reference;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use semver::Version;

use super::Readable;
use super::keyed::is_placeholder;
use super::known::{Changed, Content, Known, RunningContent};
use super::names::{Paths, token};
use super::places::{Nature, PLACES, PlaceId, same_places};
use super::rules::Rules;
use crate::ground::digest::FileDigest;
use crate::ground::document::{Document, EXTENSION, Key, Kind, Node};
use crate::ground::record::phases::{KnownPhase, PROJECTION};
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;
use crate::ground::words::Words as _;
use reference::{NAMES, SIZES};

/// A writer of the records of a run.
pub(super) struct Writer<'w> {
    pub(super) rules: &'w Rules,
    pub(super) known: &'w Known,
    pub(super) readable: Readable,
    /// What is looked for in the records, if anything is.
    pub(super) search: Option<Search>,
    /// The lines of the timeline so far, before and after.
    pub(super) lines: [RunningContent; 2],
    /// What stands in place of short texts that were met.
    placeholders: BTreeMap<String, String>,
}

/// What is looked for before anything is written.
#[derive(Default)]
pub(super) struct Search {
    pub(super) marks: Vec<FoundMark>,
    /// The digests of contents that may stand whole elsewhere.
    pub(super) wanted: BTreeSet<FileDigest>,
    pub(super) found: Vec<Changed>,
}

/// A shortened value.
pub(super) struct FoundMark {
    pub(super) sha256: FileDigest,
    /// The path of its file, if it names one.
    pub(super) file: Option<String>,
    pub(super) paths: Paths,
}

/// One text on its way.
struct Copying<'c, 'w, 'a> {
    writer: &'c mut Writer<'w>,
    /// The record, or the phase of the event.
    record: &'static str,
    text: &'a str,
    /// `false` if no pattern fits in any text of it.
    may_fit: bool,
    written: Vec<u8>,
    /// The number of bytes of the text that are written.
    copied: usize,
    /// The path to the value at hand.
    path: String,
    /// The paths to the whole text, where it is a value of a record.
    around: &'a [String],
}

/// The texts of a run whose placeholders are kept, at most, and the bytes of each.
const MAX_KEPT: usize = 4096;
const MAX_KEPT_BYTES: usize = 256;

/// What stands before the colon of the name of an adapter.
const ADAPTER: &str = "adapter";

impl<'w> Writer<'w> {
    pub(super) fn new(rules: &'w Rules, known: &'w Known) -> Self {
        Self {
            rules,
            known,
            readable: Readable::default(),
            search: None,
            lines: Default::default(),
            placeholders: BTreeMap::new(),
        }
    }

    /// Returns the copy of a record.
    pub(super) fn record(&mut self, document: Document<'_>, name: &'static str) -> Vec<u8> {
        self.copy(document, name, PLACES.root(name), &[])
    }

    /// Returns the copy of an event.
    pub(super) fn event(&mut self, document: Document<'_>) -> Vec<u8> {
        let known = document
            .root()
            .get("phase")
            .and_then(Node::text)
            .as_deref()
            .and_then(KnownPhase::of_word);

        self.record(document, known.map_or("event", KnownPhase::word))
    }

    /// Returns the copy of a value of records that is kept in a file.
    pub(super) fn value(&mut self, document: Document<'_>, paths: &Paths) -> Vec<u8> {
        self.copy(document, "", PlaceId::UNKNOWN, paths)
    }

    fn copy(
        &mut self,
        document: Document<'_>,
        record: &'static str,
        place: PlaceId,
        around: &[String],
    ) -> Vec<u8> {
        let text = document.text();
        let mut copying = Copying {
            may_fit: self.rules.may_fit(text),
            writer: self,
            record,
            text,
            written: Vec::with_capacity(text.len()),
            copied: 0,
            path: String::new(),
            around,
        };

        copying.value(document.root(), place);
        copying.finish()
    }
}

impl<'a> Copying<'_, '_, 'a> {
    fn finish(mut self) -> Vec<u8> {
        let rest = self
            .text
            .get(self.copied..)
            .unwrap_or_default();
        self.written
            .extend_from_slice(rest.as_bytes());

        self.written
    }

    /// Writes something in place of a part of the text.
    fn replace(&mut self, span: Range<usize>, by: &str) {
        let before = self
            .text
            .get(self.copied..span.start)
            .unwrap_or_default();
        self.written
            .extend_from_slice(before.as_bytes());
        self.written
            .extend_from_slice(by.as_bytes());
        self.copied = span.end;
    }

    fn value(&mut self, value: Node<'a>, place: PlaceId) {
        let from = (self.written.len(), self.copied);
        match value.kind() {
            Kind::Object => self.object(value, place),
            Kind::Array => {
                let place = PLACES.item(place);
                for item in value.items() {
                    self.below("*", item, place);
                }
            }
            Kind::String => self.string(value, place),
            Kind::Number => self.writer.readable.numbers += 1,
            Kind::Null | Kind::True | Kind::False => {}
        }

        self.note_found(value, from);
    }

    /// Copies a value that is one step below the one at hand.
    fn below(&mut self, token: &str, value: Node<'a>, place: PlaceId) {
        let around = self.path.len();
        self.path.push('/');
        self.path.push_str(token);
        self.value(value, place);
        self.path.truncate(around);
    }

    fn object(&mut self, object: Node<'a>, place: PlaceId) {
        let reference = self
            .reference(object)
            .unwrap_or_default();
        for key in object.all_members() {
            self.key(key, place);
            let (name, value) = (key.name(), key.value());
            let text = |by: &Option<String>| by.as_deref().map(quoted);
            let by = match &*name {
                "sha256" => text(&reference.sha256),
                name if SIZES.contains(&name) => reference.size.clone(),
                name if NAMES.contains(&name) => text(&reference.name),
                _ => None,
            };

            match by {
                // It may be written with escapes.
                Some(by)
                    if value
                        .text()
                        .is_some_and(|text| quoted(&text) == by) => {}
                Some(by) => self.replace(value.span(), &by),
                None => self.below(&token(&name), value, PLACES.member(place, &name)),
            }
        }
    }

    fn key(&mut self, key: Key<'a>, place: PlaceId) {
        let name = key.name();
        // A key of a runtime's own stays one: others are not allowed everywhere.
        let own = name.strip_prefix(EXTENSION);
        let is_known = PLACES.declare_key(place, &name) || is_placeholder(own.unwrap_or(&name));
        if !is_known && self.fits(&name) {
            let before = own.map_or("", |_| EXTENSION);
            let by = self.placeholder(&name);
            self.replace(key.span(), &quoted(&format!("{before}{by}")));
        } else {
            self.writer.readable.keys += 1;
        }
    }

    /// Returns the paths to what is at hand, or below it, where names matter.
    fn paths(&self, below: &str) -> Paths {
        if !self.writer.rules.have_names() {
            return Paths::new();
        }

        let path = format!("{}{below}", self.path);
        if self.around.is_empty() {
            return same_places(self.record, path);
        }

        let around = self.around.iter();
        around
            .map(|around| format!("{around}{path}"))
            .collect()
    }

    fn string(&mut self, value: Node<'a>, place: PlaceId) {
        let text = value.text().unwrap_or_default();
        if let Some(by) = self.becomes(&text, PLACES.nature(place)) {
            self.replace(value.span(), &quoted(&by));
        }
    }

    /// Returns what a text becomes, unless it stays.
    fn becomes(&mut self, text: &str, nature: Nature) -> Option<String> {
        if text.is_empty() || is_placeholder(text) {
            return None;
        }

        match nature {
            Nature::StateDigest if is_digest(text) => {
                let state = self.writer.known.state;
                Some(self.digest(text, state.map(|it| [it.was, it.is])))
            }
            Nature::PrefixDigest if is_digest(text) => {
                let lines = self
                    .writer
                    .lines
                    .each_ref()
                    .map(RunningContent::so_far);
                Some(self.digest(text, Some(lines)))
            }
            Nature::Text if self.is_below_digest_key() && is_digest(bare(text)) => {
                self.other_digest(text)
            }
            Nature::Adapter if text.split(':').next() == Some(ADAPTER) => self.labelled(text),
            Nature::Label => self.labelled(text),
            Nature::Link | Nature::Artifact => {
                let file = self
                    .writer
                    .known
                    .file(text)
                    .filter(|file| file.is_renamed);
                file.map_or_else(|| self.whole(text, nature), |file| Some(file.path.clone()))
            }
            _ => self.whole(text, nature),
        }
    }

    /// Returns what becomes of a text whose part before the first colon stays.
    fn labelled(&mut self, text: &str) -> Option<String> {
        let Some((kind, about)) = text.split_once(':') else {
            return self.whole(text, Nature::Text);
        };
        let kind_by = self
            .fits(kind)
            .then(|| self.placeholder(kind));
        let about_by = self.becomes(about, Nature::Text);
        if kind_by.is_none() && about_by.is_none() {
            // A pattern may fit over both.
            let goes = !is_placeholder(about) && self.fits(text);
            return goes.then(|| self.placeholder(text));
        }

        let [kind, about] = [(kind_by, kind), (about_by, about)]
            .map(|(by, text)| by.unwrap_or_else(|| text.to_owned()));
        Some(format!("{kind}:{about}"))
    }

    /// Returns what a text becomes as a whole.
    fn whole(&mut self, text: &str, nature: Nature) -> Option<String> {
        let (paths, fits) = (self.paths(""), self.fits(text));
        let (rules, readable) = (self.writer.rules, &mut self.writer.readable);
        let by_place = |stays| fits || rules.redact(text, stays, &paths);
        // What has not the form of its place is a text.
        let (goes, stay) = match nature {
            Nature::Word(words)
                if words
                    .split(' ')
                    .any(|word| word == text) =>
            {
                (false, &mut readable.words)
            }
            Nature::Phase if KnownPhase::of_word(text).is_some() || text == PROJECTION => {
                (false, &mut readable.words)
            }
            Nature::Version if is_version(text) => (false, &mut readable.words),
            Nature::Time if Timestamp::parse(text).is_some() => (false, &mut readable.times),
            // Rules need the form of these: only a pattern may fit.
            Nature::Phase => (fits, &mut readable.words),
            Nature::Link => (fits, &mut readable.paths),
            Nature::Id => (by_place(true), &mut readable.ids),
            Nature::Name => (by_place(true), &mut readable.words),
            Nature::Artifact => (by_place(true), &mut readable.paths),
            _ => (by_place(false), &mut readable.texts),
        };

        if !goes {
            *stay += 1;
            return None;
        }

        Some(match nature {
            Nature::Id => rules.keyed.id(text.as_bytes()),
            Nature::Link => self.without_secrets(text),
            Nature::Artifact if fits => self.without_secrets(text),
            _ => self.placeholder(text),
        })
    }

    fn fits(&self, text: &str) -> bool {
        self.may_fit && self.writer.rules.fits(text)
    }

    /// Returns what stands in place of a text; the same short texts come again and again.
    fn placeholder(&mut self, text: &str) -> String {
        let writer = &mut *self.writer;
        if let Some(known) = writer.placeholders.get(text) {
            return known.clone();
        }

        let placeholder = writer
            .rules
            .keyed
            .placeholder(text.as_bytes());

        if text.len() <= MAX_KEPT_BYTES && writer.placeholders.len() < MAX_KEPT {
            writer
                .placeholders
                .insert(text.to_owned(), placeholder.clone());
        }

        placeholder
    }

    /// Returns a path in which each part is replaced in which a pattern fits.
    fn without_secrets(&mut self, text: &str) -> String {
        let rules = self.writer.rules;
        if Artifact::from_file_name(text).is_some() {
            return text.to_owned();
        }

        let mut path = String::new();
        for part in text.split_inclusive(['/', '\\']) {
            let name = part.trim_end_matches(['/', '\\']);
            path.push_str(&rules.segment(name));
            path.push_str(
                part.get(name.len()..)
                    .unwrap_or_default(),
            );
        }

        // A pattern may fit over several parts.
        if path == text {
            return self.placeholder(text);
        }

        path
    }

    /// Returns the digest in the copy, where one was right that is known before and after.
    fn digest(&self, digits: &str, known: Option<[Content; 2]>) -> String {
        match known {
            Some([was, is]) if FileDigest::parse(digits) == Some(was.sha256) => {
                in_case_of(digits, &is.sha256.to_string())
            }
            _ => self.writer.rules.keyed.digest(digits),
        }
    }

    fn is_below_digest_key(&self) -> bool {
        self.path.ends_with("sha256")
    }

    /// Returns what becomes of a digest that stands alone.
    fn other_digest(&mut self, text: &str) -> Option<String> {
        let digits = bare(text);
        let before = text
            .strip_suffix(digits)
            .unwrap_or_default();
        let by = if let Some(changed) = self.writer.known.content(digits) {
            in_case_of(digits, &changed.is.sha256.to_string())
        } else {
            self.whole(text, Nature::Text)?;
            self.writer.rules.keyed.digest(digits)
        };

        Some(format!("{before}{by}"))
    }
}

/// Returns a text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns a digest without the name of its function.
fn bare(text: &str) -> &str {
    text.strip_prefix("sha256:")
        .unwrap_or(text)
}

fn is_digest(digits: &str) -> bool {
    FileDigest::parse(digits).is_some()
}

/// Returns `true` if a text may be a version: `1.0`, `manifest/1.0`.
fn is_version(text: &str) -> bool {
    let (kind, number) = text
        .split_once('/')
        .unwrap_or(("", text));
    let is_number = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_kind = kind
        .bytes()
        .all(|byte| byte.is_ascii_lowercase());

    is_kind && (is_number || Version::parse(number).is_ok())
}

/// Returns a digest in the case of another one.
pub(super) fn in_case_of(other: &str, digits: &str) -> String {
    if other
        .bytes()
        .any(|byte| byte.is_ascii_uppercase())
    {
        digits.to_ascii_uppercase()
    } else {
        digits.to_owned()
    }
}
