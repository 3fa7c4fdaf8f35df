//! `manifest.json` -> the files that it names and that are not as it says. It is read only for the
//! rule that asks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::trouble::{FileTrouble, NotAnObject, NotRead, Trouble, Troubles};
use super::unreadable;
use crate::ground::digest::{Digest, FileDigest, Parts};
use crate::ground::document::{Document, Node, Number, Tape};
use crate::ground::finding::{SkipKind, SkipReason};
use crate::ground::parallel::Alone;
use crate::ground::printable::quote;
use crate::ground::source::Artifact;
use crate::reading::facts::Usable;
use crate::store::{Artifacts, Unreadable};

/// The number of bytes of the files that one manifest names that are read, at most.
///
/// A file can be as long as its author likes at no cost, and a manifest can name any number of
/// them. The limit bounds the time that they take.
pub(super) const MAX_DIGESTED_BYTES: u64 = 16 << 30;

/// A manifest as it was loaded.
pub(in crate::judge) struct LoadedManifest<'b> {
    pub(in crate::judge) bytes: &'b [u8],
    pub(in crate::judge) document: Option<Document<'b>>,
    /// [`Usable::Read`] if every file that it names could be judged.
    pub(in crate::judge) files: Usable<()>,
    /// `true` if there was anything to compare: a file, or a text that is not a manifest.
    pub(in crate::judge) is_examined: bool,
    /// The names of the files of the run that it does not list.
    pub(in crate::judge) unlisted: Usable<Vec<String>>,
}

/// The files that the manifest is held against.
#[derive(Clone, Copy)]
pub(super) struct FilesWanted {
    /// Those that it names.
    pub(super) named: bool,
    /// All of the run, by their names.
    pub(super) all: bool,
}

impl LoadedManifest<'_> {
    /// A manifest that is not read, because no rule asks for it or the run has not ended.
    pub(super) const NOT_READ: Self = Self {
        bytes: &[],
        document: None,
        files: Usable::NotDue,
        is_examined: false,
        unlisted: Usable::NotDue,
    };
}

/// Reads the manifest, and holds the files that it names against it, where that is asked for.
pub(super) fn read<'b>(
    files: &dyn Artifacts,
    bytes: &'b mut Vec<u8>,
    tape: &'b mut Tape,
    alone: &Alone,
    troubles: &mut Troubles,
    wanted: FilesWanted,
) -> LoadedManifest<'b> {
    let verifies = wanted.named;
    bytes.clear();
    let unjudged = |reason: SkipReason| LoadedManifest {
        files: Usable::Unjudged(reason.clone()),
        unlisted: Usable::Unjudged(reason),
        ..LoadedManifest::NOT_READ
    };

    let unread = |why, troubles: &mut Troubles| {
        let reason = unreadable("manifest.json", &why);
        troubles.add_lacking(Artifact::Manifest, why);
        unjudged(reason)
    };

    if !files.entries().has(Artifact::Manifest) {
        let reason = "there is no manifest.json";
        return unjudged(SkipReason::new(SkipKind::Missing, reason));
    }

    let read = files
        .open(Artifact::Manifest)
        .and_then(|opened| opened.read_record_with(bytes, || alone.enter()));
    if let Err(why) = read {
        return unread(why, troubles);
    }

    let bytes = &*bytes;
    match NotAnObject::unless(tape.read_record(bytes), bytes) {
        Err(NotRead::Unreadable(why)) => unread(why, troubles),
        Err(NotRead::NotAnObject(span, why)) => {
            if verifies {
                troubles.add(Trouble::NotAManifest {
                    span,
                    why,
                    content: Digest::of([bytes.as_slice()]),
                });
            }
            LoadedManifest {
                bytes,
                files: Usable::Read(()),
                is_examined: verifies,
                ..LoadedManifest::NOT_READ
            }
        }
        Ok(document) => judged(files, bytes, document, wanted, troubles),
    }
}

/// Holds the files of a run against its manifest, as far as that is asked for.
fn judged<'b>(
    files: &dyn Artifacts,
    bytes: &'b [u8],
    document: Document<'b>,
    wanted: FilesWanted,
    troubles: &mut Troubles,
) -> LoadedManifest<'b> {
    let mut entries = document
        .root()
        .get("files")
        .into_iter()
        .flat_map(Node::items);

    LoadedManifest {
        bytes,
        document: Some(document),
        files: if wanted.named {
            verify_files(files, document, troubles)
        } else {
            Usable::NotDue
        },
        is_examined: wanted.named && entries.any(|it| Entry::of(it).is_some()),
        unlisted: if wanted.all {
            unlisted(files, document)
        } else {
            Usable::NotDue
        },
    }
}

/// Holds every file that a manifest names against it.
fn verify_files(
    files: &dyn Artifacts,
    manifest: Document<'_>,
    troubles: &mut Troubles,
) -> Usable<()> {
    let mut verifier = Verifier {
        files,
        seen: BTreeMap::new(),
        other_line_ends: BTreeMap::new(),
        bytes_left: MAX_DIGESTED_BYTES,
        unjudged: UnjudgedFiles::default(),
    };

    let entries = manifest.root().get("files").into_iter();
    for (index, entry) in entries
        .flat_map(Node::items)
        .enumerate()
    {
        if let Some(entry) = Entry::of(entry)
            && let Some(why) = verifier.judge(&entry)
        {
            let by_line_ends = verifier.fits_but_for_line_ends(&entry, &why);
            troubles.add(Trouble::NamedFile {
                index,
                name: entry.name.into_owned(),
                why,
                by_line_ends,
            });
        }
    }

    verifier
        .unjudged
        .reason()
        .map_or(Usable::Read(()), Usable::Unjudged)
}

/// Returns the names of the files of the run that a manifest does not list, where it has the digest
/// of any.
fn unlisted(files: &dyn Artifacts, manifest: Document<'_>) -> Usable<Vec<String>> {
    let entries = manifest
        .root()
        .get("files")
        .into_iter()
        .flat_map(Node::items);
    let has_digest = |entry: Node<'_>| Entry::of(entry).is_some_and(|it| it.digest.is_some());
    if !entries.clone().any(has_digest) {
        return Usable::NotDue;
    }

    let names = entries.filter_map(|entry| {
        entry
            .get("name")
            .unwrap_or(entry)
            .text()
    });
    let listed: BTreeSet<String> = names
        .filter_map(|name| path(&name).ok())
        .collect();

    match files.file_names() {
        Ok(mut names) => {
            names.retain(|name| name != Artifact::Manifest.file_name() && !listed.contains(name));
            Usable::Read(names)
        }
        Err(why) => Usable::Unjudged(unreadable("the directory of the run", &why)),
    }
}

/// The entry of one file in the manifest.
struct Entry<'a> {
    name: Cow<'a, str>,
    digest: Option<FileDigest>,
    size: Option<Number<'a>>,
}

impl<'a> Entry<'a> {
    /// Returns an object with a name, and with a digest or a size; anything else says nothing that
    /// can be judged.
    fn of(entry: Node<'a>) -> Option<Self> {
        let digest = entry
            .get("sha256")
            .and_then(Node::text)
            .and_then(|text| {
                FileDigest::parse(
                    text.strip_prefix("sha256:")
                        .unwrap_or(&text),
                )
            });
        let size = entry
            .get("size_bytes")
            .and_then(Node::number);
        (digest.is_some() || size.is_some()).then_some(())?;

        Some(Self {
            name: entry.get("name")?.text()?,
            digest,
            size,
        })
    }
}

/// A file, which a manifest may name any number of times, as it was measured once.
#[derive(Clone, Copy)]
struct Measured {
    size: u64,
    /// Its digest, if that was asked for.
    digest: Option<FileDigest>,
}

/// A comparison of files with what a manifest says about them.
struct Verifier<'f> {
    files: &'f dyn Artifacts,
    seen: BTreeMap<String, Measured>,
    /// The digests of files with other line ends.
    other_line_ends: BTreeMap<String, Vec<FileDigest>>,
    bytes_left: u64,
    unjudged: UnjudgedFiles,
}

impl Verifier<'_> {
    fn judge(&mut self, entry: &Entry<'_>) -> Option<FileTrouble> {
        let path = match path(&entry.name) {
            Ok(path) => path,
            Err(why) => return Some(why),
        };

        self.compare(entry, &path)
            .unwrap_or_else(|why| self.unreadable(&entry.name, &why))
    }

    fn compare(
        &mut self,
        entry: &Entry<'_>,
        path: &str,
    ) -> Result<Option<FileTrouble>, Unreadable> {
        if let Some(listed) = entry.size {
            let Some(Measured { size: actual, .. }) = self.measure(path, false)? else {
                return Ok(None);
            };
            if !listed.equals(Number::of(&actual.to_string())) {
                let listed = listed.text().to_owned();
                let measured = entry
                    .digest
                    .map(|_| self.measure(path, true));
                return Ok(Some(FileTrouble::Size {
                    listed,
                    actual,
                    digest: measured.and_then(|it| it.ok()??.digest),
                }));
            }
        }

        let Some(listed) = entry.digest else {
            return Ok(None);
        };
        let differs = self
            .measure(path, true)?
            .and_then(|measured| measured.digest)
            .filter(|actual| *actual != listed);

        Ok(differs.map(|actual| FileTrouble::Digest { listed, actual }))
    }

    /// Returns `true` if a file differs from what the manifest says about it by line ends alone.
    fn fits_but_for_line_ends(&mut self, entry: &Entry<'_>, why: &FileTrouble) -> bool {
        let is_other = matches!(why, FileTrouble::Size { .. } | FileTrouble::Digest { .. });
        let path = path(&entry.name)
            .ok()
            .filter(|_| is_other);
        let (Some(path), Some(listed)) = (path, entry.digest) else {
            return false;
        };

        if !self
            .other_line_ends
            .contains_key(&*path)
        {
            let digests = self.digest_other_line_ends(&path);
            self.other_line_ends
                .insert(path.clone(), digests);
        }

        self.other_line_ends
            .get(&*path)
            .is_some_and(|digests| digests.contains(&listed))
    }

    /// Returns the digests of a file with other line ends; none where it can't be read or is too
    /// long.
    fn digest_other_line_ends(&mut self, path: &str) -> Vec<FileDigest> {
        let size = self
            .seen
            .get(path)
            .map(|measured| measured.size);
        // Each look takes time, as a digest does.
        let Some(left) = size.and_then(|size| self.bytes_left.checked_sub(size)) else {
            return Vec::new();
        };
        self.bytes_left = left;

        let mut bytes = Vec::new();
        let opened = self.files.open_named(path);
        match opened.and_then(|opened| opened.read_record(&mut bytes)) {
            Ok(()) => FileDigest::with_other_line_ends(&bytes).into(),
            Err(_) => Vec::new(),
        }
    }

    /// Returns the size of a file, and its digest if that is wanted; `None` where it is too long.
    fn measure(&mut self, path: &str, with_digest: bool) -> Result<Option<Measured>, Unreadable> {
        if let Some(seen) = self.seen.get(path)
            && (seen.digest.is_some() || !with_digest)
        {
            return Ok(Some(*seen));
        }

        let opened = self.files.open_named(path)?;
        let measured = match opened.size() {
            Some(size) if !with_digest => Some(Measured { size, digest: None }),
            Some(size) if size > self.bytes_left => None,
            _ => FileDigest::of_stream(opened, self.bytes_left)?.map(|(size, digest)| Measured {
                size,
                digest: Some(digest),
            }),
        };

        let Some(measured) = measured else {
            let why = format!(
                "the files that manifest.json names have more than {} GiB together",
                MAX_DIGESTED_BYTES >> 30
            );
            self.unjudged
                .add(path, SkipKind::Limit, why);
            return Ok(None);
        };

        if measured.digest.is_some() {
            self.bytes_left = self
                .bytes_left
                .saturating_sub(measured.size);
        }

        self.seen
            .insert(path.to_owned(), measured);
        Ok(Some(measured))
    }

    /// Returns what it means that a file could not be opened or read.
    fn unreadable(&mut self, name: &str, why: &Unreadable) -> Option<FileTrouble> {
        match why {
            Unreadable::Vanished => return Some(FileTrouble::Absent),
            Unreadable::Link
            | Unreadable::Dangling
            | Unreadable::NotFetched(_)
            | Unreadable::Outside => {
                return Some(FileTrouble::Link);
            }
            Unreadable::Directory => return Some(FileTrouble::Directory),
            Unreadable::Special => return Some(FileTrouble::Special),
            Unreadable::Denied => return Some(FileTrouble::Denied),
            _ => {}
        }

        let what = format!("{}, which manifest.json names,", quote(name));
        let SkipReason { kind, text, .. } = unreadable(&what, why);
        self.unjudged
            .add(name, kind, text.into_owned());

        None
    }
}

/// The files that could not be judged. They are as many as a manifest names, so only their number
/// and a digest are kept: to accept that some can't be judged is not to accept it of others.
#[derive(Default)]
struct UnjudgedFiles {
    first: Option<(SkipKind, String)>,
    count: u64,
    names_and_reasons: Parts,
}

impl UnjudgedFiles {
    fn add(&mut self, name: &str, kind: SkipKind, why: String) {
        self.count += 1;
        self.names_and_reasons
            .add(name.as_bytes());
        self.names_and_reasons
            .add(why.as_bytes());
        self.first.get_or_insert((kind, why));
    }

    /// Returns why they were not judged, unless there are none.
    fn reason(self) -> Option<SkipReason> {
        let (kind, why) = self.first?;
        let (count, digest) = (self.count, self.names_and_reasons.digest());
        let files = if count == 1 { "file" } else { "files" };
        let text = format!("{why} (not judged: {count} {files}, digest {digest})");

        Some(SkipReason {
            besides: digest.to_string(),
            ..SkipReason::worded(kind, text)
        })
    }
}

/// Returns the parts of a name joined, if it can't lead out of the episode's directory on any
/// system.
fn path(name: &str) -> Result<String, FileTrouble> {
    let is_drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if name.starts_with('/') || name.contains('\\') || is_drive {
        return Err(FileTrouble::Leaves);
    }

    let parts = || {
        name.split('/')
            .filter(|part| !matches!(*part, "" | "."))
    };

    if parts().any(|part| part == "..") {
        Err(FileTrouble::Leaves)
    } else if matches!(name.rsplit('/').next(), None | Some("" | ".")) {
        Err(FileTrouble::Directory)
    } else if name.contains('\0') {
        Err(FileTrouble::Absent)
    } else {
        Ok(parts().collect::<Vec<_>>().join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_leads_to_a_file_of_the_directory_or_is_refused() {
        for (name, expected) in [
            ("state.json", "state.json"),
            ("./a//b.json", "a/b.json"),
            ("a..b/...", "a..b/..."),
            ("héllo:1", "héllo:1"),
        ] {
            assert_eq!(path(name).ok().as_deref(), Some(expected), "{name}");
        }
        for name in [
            "/etc/passwd",
            "../x",
            "a/../b",
            "C:x",
            "c:\\x",
            "a\\b",
            "\\\\host\\x",
            "..",
        ] {
            assert!(matches!(path(name), Err(FileTrouble::Leaves)), "{name}");
        }
        for name in ["", ".", "./", "a/", "a/."] {
            assert!(matches!(path(name), Err(FileTrouble::Directory)), "{name}");
        }
        assert!(matches!(path("a\0b"), Err(FileTrouble::Absent)));
    }
}
