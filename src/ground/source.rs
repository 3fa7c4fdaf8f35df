//! The files of an episode, and the ways to point into them: artifact, pointer, place; span, spot,
//! excerpt.
//!
//! A rule names a place: an artifact and a JSON Pointer into it. Bytes, lines and columns are
//! looked up later, and only for findings that exist.

mod entries;
mod excerpt;
mod key;
mod link;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use entries::Entries;
pub(crate) use entries::EntryKind;
pub(crate) use excerpt::Excerpt;
pub use key::EpisodeKey;
pub(crate) use link::{leads_to, resolve};

/// The name of the directory in run data below which all runs are.
pub(crate) const EPISODES: &str = "episodes";

/// Returns the directory of the run data to which an episode belongs: the one above the uppermost
/// `episodes`, or else the one above the episode.
pub(crate) fn run_data_of(episode: &Path) -> &Path {
    let is_episodes = |dir: &&Path| {
        dir.file_name()
            .is_some_and(|name| name == EPISODES)
    };
    let within = episode
        .ancestors()
        .filter(is_episodes)
        .last()
        .unwrap_or(episode);

    within.parent().unwrap_or(within)
}

/// A file that a run writes to its episode's directory (reference, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Artifact {
    /// `state.json`: the plan and the actions of the run.
    State,
    /// `summary.json`: a compact view of a run that has ended.
    Summary,
    /// `events.jsonl`: the event timeline.
    Events,
    /// `learn.jsonl`: the learning timeline.
    Learn,
    /// `manifest.json`: the list of artifacts, written last.
    Manifest,
}

impl Artifact {
    /// All artifacts, in the order in which they are declared.
    pub const ALL: [Self; 5] = [
        Self::State,
        Self::Summary,
        Self::Events,
        Self::Learn,
        Self::Manifest,
    ];

    /// Returns the file's name in the episode directory.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::State => "state.json",
            Self::Summary => "summary.json",
            Self::Events => "events.jsonl",
            Self::Learn => "learn.jsonl",
            Self::Manifest => "manifest.json",
        }
    }

    /// Returns the file's name without its extension.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Summary => "summary",
            Self::Events => "events",
            Self::Learn => "learn",
            Self::Manifest => "manifest",
        }
    }

    /// Returns the key under which the state's `links` name the artifact; the state does not link
    /// itself.
    pub(crate) const fn link_key(self) -> Option<&'static str> {
        match self {
            Self::State => None,
            linked => Some(linked.name()),
        }
    }

    /// Returns the artifact with this file name.
    pub(crate) fn from_file_name(name: impl AsRef<[u8]>) -> Option<Self> {
        let is_name = |it: &Self| it.file_name().as_bytes() == name.as_ref();
        Self::ALL.into_iter().find(is_name)
    }
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file_name())
    }
}

/// The length of a pointer in bytes, at most: a record may have a long key above any number of
/// values.
const MAX_POINTER_BYTES: usize = 512;

/// A JSON Pointer (RFC 6901).
///
/// One that would be longer than 512 bytes ends early, at an object or array above its value.
#[derive(Clone, Debug, PartialEq, Default, Eq, PartialOrd, Ord)]
pub(crate) struct Pointer {
    text: Arc<str>,
    /// `true` if it ends early.
    is_cut: bool,
}

impl Pointer {
    /// Returns the pointer with this text; the empty text points to the whole document.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into().into(),
            is_cut: false,
        }
    }

    /// Returns the pointer to a member of the object that this one points to.
    pub(crate) fn field(&self, name: &str) -> Self {
        if self.text.len() + 1 + name.len() > MAX_POINTER_BYTES {
            return self.cut();
        }

        if name.contains(['~', '/']) {
            self.below(
                &name
                    .replace('~', "~0")
                    .replace('/', "~1"),
            )
        } else {
            self.below(name)
        }
    }

    /// Returns the pointer to an item, counted from 0, of the array that this one points to.
    pub(crate) fn item(&self, index: usize) -> Self {
        self.below(&index.to_string())
    }

    fn below(&self, token: &str) -> Self {
        if self.is_cut || self.text.len() + 1 + token.len() > MAX_POINTER_BYTES {
            return self.cut();
        }
        Self::new(format!("{}/{token}", self.text))
    }

    /// Returns the pointer; where it is longer than pointers may be, it ends early.
    pub(crate) fn shortened(&self) -> Self {
        let mut head = self
            .text
            .bytes()
            .take(MAX_POINTER_BYTES + 1);

        match head.rposition(|byte| byte == b'/') {
            Some(end) if self.text.len() > MAX_POINTER_BYTES => {
                Self::new(self.text.get(..end).unwrap_or_default()).cut()
            }
            _ => self.clone(),
        }
    }

    fn cut(&self) -> Self {
        Self {
            text: Arc::clone(&self.text),
            is_cut: true,
        }
    }

    /// Returns the pointer to the object or array around the value; one that ends early leads
    /// there.
    pub(crate) fn parent(&self) -> Self {
        match self.text.rsplit_once('/') {
            Some((parent, _)) if !self.is_cut => Self::new(parent),
            _ => self.clone(),
        }
    }

    /// Returns the pointer's text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the reference tokens, unescaped.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.text
            .split('/')
            .skip(1)
            .map(|token| {
                if token.contains('~') {
                    Cow::Owned(
                        token
                            .replace("~1", "/")
                            .replace("~0", "~"),
                    )
                } else {
                    token.into()
                }
            })
    }

    /// Returns the path as messages show it: `plan.steps[3].status`; empty for the whole document.
    pub(crate) fn dotted(&self) -> String {
        let mut dotted = String::new();
        for token in self.tokens() {
            if !token.is_empty()
                && token
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
            {
                dotted.push('[');
                dotted.push_str(&token);
                dotted.push(']');
            } else {
                if !dotted.is_empty() {
                    dotted.push('.');
                }
                dotted.push_str(&crate::ground::printable::brief(&token));
            }
        }

        if self.is_cut {
            dotted.push_str(".…");
        }

        dotted
    }
}

impl<T: Into<String>> From<T> for Pointer {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// One line of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    /// The number of the line, counted from 1.
    pub(crate) number: u64,
    /// The offset of the line's first byte in the file.
    pub(crate) offset: u64,
    /// The length in bytes, without the newline.
    pub(crate) length: usize,
}

impl Line {
    /// A line before every other, which stands for one where a text has none.
    pub(crate) const BEFORE_ALL: Self = Self {
        number: 0,
        offset: 0,
        length: 0,
    };
}

/// The part of the records that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file.
    pub(crate) artifact: Artifact,
    /// The line of the timeline to which pointers and bytes are relative; `None` in the other
    /// artifacts.
    pub(crate) line: Option<Line>,
    /// The part of the file, or of the line.
    pub(crate) target: Target,
    /// The text, where the file is none of the artifacts; `artifact` then says nothing.
    pub(crate) elsewhere: Option<Arc<Elsewhere>>,
}

/// A file besides the artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    /// Its name in the episode's directory.
    pub(crate) name: Arc<str>,
    /// Its text, or that of a line of it, as it was read.
    pub(crate) text: Vec<u8>,
}

/// The part of a file, or of a line of the timeline, that a place names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The file as a whole, or a missing file.
    Whole,
    /// A value.
    Value(Pointer),
    /// The key of a member; the pointer is that of its value.
    Key(Pointer),
    /// One of several equal keys in an object, by its token on the tape; the pointer is for
    /// readers.
    Token(u32, Pointer),
    /// Bytes of a file that is not JSON.
    Bytes(Range<usize>),
}

impl Place {
    /// Returns a file as a whole, or a missing file.
    pub(crate) fn whole(artifact: Artifact) -> Self {
        Self {
            artifact,
            line: None,
            target: Target::Whole,
            elsewhere: None,
        }
    }

    /// Returns a value of a record.
    pub(crate) fn value(artifact: Artifact, pointer: Pointer) -> Self {
        Self {
            target: Target::Value(pointer),
            ..Self::whole(artifact)
        }
    }

    /// Returns a key of a record.
    pub(crate) fn key(artifact: Artifact, pointer: Pointer) -> Self {
        Self {
            target: Target::Key(pointer),
            ..Self::whole(artifact)
        }
    }

    /// Returns a value of `state.json`.
    pub(crate) fn state(pointer: impl Into<Pointer>) -> Self {
        Self::value(Artifact::State, pointer.into())
    }

    /// Returns a value of `summary.json`.
    pub(crate) fn summary(pointer: impl Into<Pointer>) -> Self {
        Self::value(Artifact::Summary, pointer.into())
    }

    /// Returns a value of an event.
    pub(crate) fn event(line: Line, pointer: impl Into<Pointer>) -> Self {
        Self {
            line: Some(line),
            ..Self::value(Artifact::Events, pointer.into())
        }
    }

    /// Returns the place of bytes of a file that is not JSON.
    pub(crate) fn bytes(artifact: Artifact, bytes: Range<usize>) -> Self {
        Self {
            target: Target::Bytes(bytes),
            ..Self::whole(artifact)
        }
    }

    /// Returns the place of bytes of a line of the timeline.
    pub(crate) fn line_bytes(line: Line, bytes: Range<usize>) -> Self {
        Self {
            line: Some(line),
            ..Self::bytes(Artifact::Events, bytes)
        }
    }

    /// Returns a line of an artifact as a whole.
    pub(crate) fn line(artifact: Artifact, line: Line) -> Self {
        Self {
            line: Some(line),
            target: Target::Bytes(0..line.length),
            ..Self::whole(artifact)
        }
    }

    /// Returns the name of the file.
    pub(crate) fn file_name(&self) -> &str {
        self.elsewhere
            .as_ref()
            .map_or(self.artifact.file_name(), |it| &it.name)
    }

    /// Returns the JSON Pointer, if the place has one.
    pub(crate) fn pointer(&self) -> Option<&Pointer> {
        match &self.target {
            Target::Value(pointer) | Target::Key(pointer) | Target::Token(_, pointer) => {
                Some(pointer)
            }
            Target::Whole | Target::Bytes(_) => None,
        }
    }
}

/// Returns the line and the column of an offset in a whole file, both counted from 1.
pub(crate) fn line_and_column(bytes: &[u8], offset: usize) -> (u64, u64) {
    let at = Position::start_of(1).advance(bytes, offset.min(bytes.len()));
    (at.line, at.column)
}

/// Returns where spans start and end in a text that begins at the start of line `line`, and their
/// excerpts. Lines and columns are counted in one pass, whatever the order of the spans.
pub(crate) fn locate(
    bytes: &[u8],
    line: u64,
    spans: &[Range<usize>],
) -> Vec<(Position, Position, Excerpt)> {
    let within = |span: &Range<usize>| {
        let start = span.start.min(bytes.len());
        start..span.end.clamp(start, bytes.len())
    };

    let mut offsets: Vec<usize> = spans
        .iter()
        .map(within)
        .flat_map(|span| [span.start, span.end])
        .collect();
    offsets.sort_unstable();
    offsets.dedup();

    let mut counted = Position::start_of(line);
    let positions: Vec<Position> = offsets
        .into_iter()
        .map(|offset| counted.advance(bytes, offset))
        .collect();
    let at = |offset: usize| {
        let index = positions.partition_point(|position| position.offset < offset);
        positions
            .get(index)
            .copied()
            .unwrap_or(counted)
    };

    let locate = |span: &Range<usize>| {
        let shown = within(span);
        let (start, end) = (at(shown.start), at(shown.end));
        (start, end, Excerpt::cut(bytes, start.line_start, shown))
    };

    spans.iter().map(locate).collect()
}

/// A position in a text, up to which lines and columns were counted.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) offset: usize,
    /// The line, counted from 1.
    pub(crate) line: u64,
    line_start: usize,
    /// The column, in characters, counted from 1.
    pub(crate) column: u64,
}

impl Position {
    fn start_of(line: u64) -> Self {
        Self {
            offset: 0,
            line,
            line_start: 0,
            column: 1,
        }
    }

    /// Continues counting up to a later offset.
    fn advance(&mut self, bytes: &[u8], offset: usize) -> Self {
        let passed = bytes
            .get(self.offset..offset)
            .unwrap_or_default();
        for newline in memchr::memchr_iter(b'\n', passed) {
            self.line += 1;
            self.line_start = self.offset + newline + 1;
            self.column = 1;
        }

        let characters = bytes
            .get(self.offset.max(self.line_start)..offset)
            .unwrap_or_default();
        // Every byte that is not a UTF-8 continuation byte starts a character.
        self.column += characters
            .iter()
            .filter(|byte| (**byte & 0xC0) != 0x80)
            .count() as u64;
        self.offset = offset;

        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_count_bytes() {
        let text = "{\n \"é\": \"ü\", \"n\": [1,\n2]}";
        let span = |from: &str, to: &str| text.find(from).unwrap()..text.find(to).unwrap();
        let spans = [span("[1", "}"), span("\"ü", ", "), span("[1", ",\n")];
        let found: Vec<_> = locate(text.as_bytes(), 7, &spans)
            .into_iter()
            .map(|(start, end, _)| (start.line, start.column, end.line, end.column, start.offset))
            .collect();
        assert_eq!(
            found,
            [(8, 17, 9, 3, 20), (8, 7, 8, 10, 9), (8, 17, 8, 19, 20)]
        );
    }

    #[test]
    fn pointer_is_escaped_and_ends_early() {
        let pointer = Pointer::new("/plan/steps")
            .item(3)
            .field("a/b");
        assert_eq!(pointer.as_str(), "/plan/steps/3/a~1b");
        let long = Pointer::new("/links")
            .field(&"k".repeat(1_000))
            .field("a");
        assert_eq!(long.as_str(), "/links");
    }

    #[test]
    fn pointers_read_as_paths() {
        assert_eq!(
            Pointer::new("/plan/steps/3/a~1b").dotted(),
            "plan.steps[3].a/b"
        );
        assert_eq!(Pointer::default().dotted(), "");
    }
}
