//! The troubles that loading meets, as data; rules put them into words.

use std::mem::{self, Discriminant};
use std::ops::Range;

use super::cause::NotJson;
use crate::ground::digest::{Digest, FileDigest};
use crate::ground::document::{Document, Kind, MAX_VALUES, Refused, SyntaxError};
use crate::ground::finding::MAX_FINDINGS_PER_RULE;
use crate::ground::source::{Artifact, Line, Place, Pointer};
use crate::reading::schema::Violation;
use crate::store::Unreadable;

/// A trouble that loading found.
pub(in crate::judge) enum Trouble {
    /// An artifact exists but can't be read.
    Unreadable { artifact: Artifact, why: Unreadable },
    /// A line of the timeline is longer than the limit.
    LineTooLong(Line),
    /// A line of the timeline has more keys and values than the limit.
    LineTooFull { line: Line, content: Digest },
    /// A record is not JSON.
    NotJson {
        artifact: Artifact,
        why: NotJson,
        span: Range<usize>,
        /// That of the whole record: to accept that it can't be read is to accept no other content.
        content: Digest,
    },
    /// An object of a record repeats a key.
    RepeatedKey {
        artifact: Artifact,
        /// As messages show it: the key may be as long as the record.
        name: String,
        pointer: Pointer,
        /// The tokens of the key and of the one that it repeats.
        key: u32,
        earlier: u32,
    },
    /// A key of a record resembles a known field that is absent.
    Misspelled {
        artifact: Artifact,
        key: String,
        pointer: Pointer,
        known: &'static str,
    },
    /// A record has a version without a schema here.
    UnsupportedVersion(VersionField),
    /// A record has a newer version than its schema, which still applies to it.
    NewerVersion(VersionField),
    /// A value of a record or of an event violates its schema.
    Violation {
        artifact: Artifact,
        /// The line of the event.
        line: Option<Line>,
        violation: Violation,
    },
    /// A record has more violations than are listed.
    TooManyViolations(Artifact),
    /// A line of the timeline is not an event.
    NotAnEvent {
        line: Line,
        span: Range<usize>,
        why: NotAnObject,
        content: Digest,
        array: Option<ArrayLines>,
    },
    /// Lines of the timeline have something else in place of an event.
    Mistaken(Mistaken),
    /// Lines of the timeline are objects only together.
    MultiLineObjects(MultiLineObjects),
    /// The last line of the timeline was cut off.
    TornTail {
        line: Line,
        error: SyntaxError,
        array: Option<ArrayLines>,
    },
    /// The last line of the timeline is incomplete, and the run may still write it.
    UnfinishedLine { line: Line, error: SyntaxError },
    /// Lines of `learn.jsonl` are not objects: the first one, and their number.
    NotALearnRecord {
        line: Line,
        span: Range<usize>,
        why: NotAnObject,
        content: Digest,
        lines: u64,
    },
    /// The manifest is not an object.
    NotAManifest {
        span: Range<usize>,
        why: NotAnObject,
        content: Digest,
    },
    /// A file is not as the manifest says.
    NamedFile {
        /// Its entry among the `files` of the manifest.
        index: usize,
        name: String,
        why: FileTrouble,
        /// `true` if its digest fits but for line ends.
        by_line_ends: bool,
    },
}

/// A difference between a file and what the manifest says about it.
pub(in crate::judge) enum FileTrouble {
    /// Its name leads out of the episode's directory.
    Leaves,
    /// There is no such file.
    Absent,
    Link,
    Directory,
    /// It is a FIFO, a socket or a device.
    Special,
    /// Reading it is not permitted.
    Denied,
    Size {
        listed: String,
        actual: u64,
        /// Its digest, where one is listed too.
        digest: Option<FileDigest>,
    },
    Digest {
        listed: FileDigest,
        actual: FileDigest,
    },
}

/// The version that a record declares.
pub(in crate::judge) struct VersionField {
    pub(in crate::judge) artifact: Artifact,
    pub(in crate::judge) field: &'static str,
    /// As messages show it.
    pub(in crate::judge) found: String,
    /// The version that the record's schema describes.
    pub(in crate::judge) supported: &'static str,
    /// The fields in which the record differs from that schema, but for those of its version;
    /// `None` where they were not counted.
    pub(in crate::judge) differs: Option<Vec<String>>,
}

impl VersionField {
    pub(in crate::judge) fn place(&self) -> Place {
        Place::value(self.artifact, Pointer::default().field(self.field))
    }
}

/// Objects that are written over several lines of the timeline.
pub(in crate::judge) struct MultiLineObjects {
    /// The lines of the first one, as if they were one line.
    pub(in crate::judge) first: Line,
    /// The number of its last line.
    pub(in crate::judge) last: u64,
    /// The number of such objects.
    pub(in crate::judge) count: u64,
}

/// The lines of the timeline that are one array together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::judge) struct ArrayLines {
    pub(in crate::judge) first: u64,
    pub(in crate::judge) last: u64,
}

impl ArrayLines {
    /// Returns what to do about a line of them.
    pub(in crate::judge) fn help(self) -> String {
        let Self { first, last } = self;
        format!(
            "Lines {first}–{last} are one array: write each item of it on a line of its own, without the brackets and the commas after items. In Python, write `json.dumps(event) + \"\\n\"` for each event instead of `json.dump(events, file)`."
        )
    }
}

/// Lines of the timeline that have the same in place of an event.
pub(in crate::judge) struct Mistaken {
    /// The first one.
    pub(in crate::judge) line: Line,
    pub(in crate::judge) span: Range<usize>,
    pub(in crate::judge) why: NotJson,
    /// `true` if it holds for the file, and so for any other line that is no event.
    pub(in crate::judge) is_of_file: bool,
    pub(in crate::judge) lines: u64,
    /// That of all of them.
    pub(in crate::judge) content: Digest,
}

/// The reason why a text is not a JSON object, as a clause.
#[derive(Debug, thiserror::Error)]
pub(in crate::judge) enum NotAnObject {
    #[error("is not JSON: {0}")]
    NotJson(NotJson),
    #[error("is {}, not an object", .0.with_article())]
    OtherKind(Kind),
}

/// The reason why a text is not read as an object.
pub(super) enum NotRead {
    /// It has more keys and values than a record may have, or there is no memory for it.
    Unreadable(Unreadable),
    /// It is not one, from here on.
    NotAnObject(Range<usize>, NotAnObject),
}

impl NotAnObject {
    /// Returns whether a text that was read is an object.
    pub(super) fn unless<'a>(
        read: Result<Document<'a>, Refused>,
        bytes: &[u8],
    ) -> Result<Document<'a>, NotRead> {
        let document = read.map_err(|refused| match mistake(refused) {
            Err(why) => NotRead::Unreadable(why),
            Ok(error) => {
                let span = error.span(bytes);
                NotRead::NotAnObject(span, Self::NotJson(NotJson::new(error, bytes)))
            }
        })?;
        let root = document.root();
        match root.kind() {
            Kind::Object => Ok(document),
            kind => Err(NotRead::NotAnObject(root.span(), Self::OtherKind(kind))),
        }
    }
}

/// Returns the mistake in a text that was refused, or the limit that it exceeds.
pub(super) fn mistake(refused: Refused) -> Result<SyntaxError, Unreadable> {
    match refused {
        Refused::Syntax(error) => Ok(error),
        Refused::TooManyValues => Err(Unreadable::TooManyValues(MAX_VALUES)),
        Refused::NoMemory => Err(Unreadable::Lacking(refused.to_string())),
    }
}

/// The sort that the troubles of one rule share.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TroubleSort {
    kind: Discriminant<Trouble>,
    artifact: Artifact,
}

impl Trouble {
    /// Returns the artifact that has the trouble.
    pub(in crate::judge) fn artifact(&self) -> Artifact {
        match self {
            Self::Unreadable { artifact, .. }
            | Self::NotJson { artifact, .. }
            | Self::RepeatedKey { artifact, .. }
            | Self::Misspelled { artifact, .. }
            | Self::Violation { artifact, .. }
            | Self::TooManyViolations(artifact) => *artifact,
            Self::UnsupportedVersion(version) | Self::NewerVersion(version) => version.artifact,
            Self::LineTooLong(_)
            | Self::LineTooFull { .. }
            | Self::NotAnEvent { .. }
            | Self::Mistaken(_)
            | Self::MultiLineObjects(_)
            | Self::TornTail { .. }
            | Self::UnfinishedLine { .. } => Artifact::Events,
            Self::NotALearnRecord { .. } => Artifact::Learn,
            Self::NotAManifest { .. } | Self::NamedFile { .. } => Artifact::Manifest,
        }
    }

    fn sort(&self) -> TroubleSort {
        TroubleSort {
            kind: mem::discriminant(self),
            artifact: self.artifact(),
        }
    }

    /// Returns the trouble with a value of a record, or of the event on a line.
    pub(super) fn of(artifact: Artifact, line: Option<Line>, violation: Violation) -> Self {
        Self::Violation {
            artifact,
            line,
            violation,
        }
    }

    /// Returns the schema violation, if the trouble is one and in this artifact.
    pub(in crate::judge) fn violation(&self, artifact: Artifact) -> Option<(Place, &Violation)> {
        match self {
            Self::Violation {
                artifact: met_in,
                line,
                violation,
            } if *met_in == artifact => Some((violation.place(artifact, *line), violation)),
            _ => None,
        }
    }
}

/// The troubles of one sort: those that are reported, and the number of the others.
pub(in crate::judge) struct TroublesOfSort {
    sort: TroubleSort,
    pub(in crate::judge) met: Vec<Trouble>,
    pub(in crate::judge) more: usize,
}

/// All troubles that loading found.
#[derive(Default)]
pub(in crate::judge) struct Troubles {
    pub(in crate::judge) by_sort: Vec<TroublesOfSort>,
}

impl Troubles {
    /// Returns what the machine lacked to read an artifact: no fault of the episode.
    pub(in crate::judge) fn lacking(&self) -> Option<&str> {
        self.by_sort
            .iter()
            .flat_map(|troubles| &troubles.met)
            .find_map(|trouble| match trouble {
                Trouble::Unreadable {
                    why: Unreadable::Lacking(what),
                    ..
                } => Some(&**what),
                _ => None,
            })
    }

    /// Adds what the machine lacked to read an artifact that not every check reads. For any other
    /// reason, the rules that read it are skipped.
    pub(super) fn add_lacking(&mut self, artifact: Artifact, why: Unreadable) {
        if matches!(why, Unreadable::Lacking(_)) {
            self.add(Trouble::Unreadable { artifact, why });
        }
    }

    /// Drops the misspelled keys that are declared, by their pointers.
    pub(super) fn forget_misspelled(
        &mut self,
        of: Artifact,
        is_declared: impl Fn(&Pointer) -> bool,
    ) {
        for troubles in &mut self.by_sort {
            troubles
                .met
                .retain(|trouble| match trouble {
                    Trouble::Misspelled {
                        artifact, pointer, ..
                    } => *artifact != of || !is_declared(pointer),
                    _ => true,
                });
        }

        self.by_sort
            .retain(|troubles| !troubles.met.is_empty() || troubles.more > 0);
    }

    /// Notes that the latest lines that were added are of an array.
    pub(super) fn are_of(&mut self, lines: ArrayLines) {
        for troubles in &mut self.by_sort {
            for trouble in troubles.met.iter_mut().rev() {
                match trouble {
                    Trouble::NotAnEvent { line, array, .. }
                    | Trouble::TornTail { line, array, .. }
                        if line.number >= lines.first =>
                    {
                        *array = Some(lines);
                    }
                    _ => break,
                }
            }
        }
    }

    /// Counts a line among others that have the same in place of an event; whether there are any.
    fn joins(&mut self, trouble: &Trouble) -> bool {
        let (what, content) = match trouble {
            Trouble::Mistaken(new) => (new.why.cause, Some(new.content)),
            Trouble::NotAnEvent { content, .. } => (None, Some(*content)),
            Trouble::TornTail { .. } => (None, None),
            _ => return false,
        };

        let is_known = |known: &Mistaken| {
            let causes = known.why.cause.zip(what);
            known.is_of_file || causes.is_some_and(|(one, other)| one.help == other.help)
        };

        // There are as many as there are causes.
        let known = (self.by_sort.iter_mut())
            .find(|of_sort| matches!(of_sort.met.first(), Some(Trouble::Mistaken(_))))
            .into_iter()
            .flat_map(|of_sort| &mut of_sort.met)
            .find_map(|met| match met {
                Trouble::Mistaken(known) if is_known(known) => Some(known),
                _ => None,
            });
        if let Some(known) = known {
            known.lines += 1;
            let contents = [Some(known.content), content].map(|it| format!("{it:?}"));
            known.content = Digest::of(contents.iter().map(String::as_bytes));
            return true;
        }

        false
    }

    pub(super) fn add(&mut self, trouble: Trouble) {
        if self.joins(&trouble) {
            return;
        }

        let sort = trouble.sort();
        match self
            .by_sort
            .iter_mut()
            .find(|troubles| troubles.sort == sort)
        {
            None => self.by_sort.push(TroublesOfSort {
                sort,
                met: vec![trouble],
                more: 0,
            }),
            Some(troubles) if troubles.met.len() < MAX_FINDINGS_PER_RULE => {
                troubles.met.push(trouble);
            }
            Some(troubles) => troubles.more += 1,
        }
    }
}
