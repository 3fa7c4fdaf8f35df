//! One run -> its copy, file by file: what others refer to is written before them.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::Readable;
use super::error::Error;
use super::keyed::is_placeholder;
use super::known::{Changed, Content, Known, KnownFile, RunningContent};
use super::lines::{Failure, Lines};
use super::names::Attached;
use super::rules::Rules;
use super::writer::{Search, Writer};
use crate::ground::digest::FileDigest;
use crate::ground::document::{Document, Kind, Refused, Tape};
use crate::ground::shortened::may_be_shortened;
use crate::ground::source::{Artifact, resolve};
use crate::store::{EpisodeDir, MAX_RECORD_BYTES, NewTree, RunTree, TreeEntry, whole_lines};

/// A run that is copied.
pub(super) struct RunCopy<'r> {
    pub(super) rules: &'r Rules,
    episode: &'r EpisodeDir,
    pub(super) tree: RunTree,
    pub(super) to: &'r NewTree,
    /// The directory of the copy.
    dir: &'r Path,
}

/// The order in which records are copied: each before those that have its digest.
const ORDER: [Artifact; 5] = [
    Artifact::State,
    Artifact::Summary,
    Artifact::Learn,
    Artifact::Events,
    Artifact::Manifest,
];

/// Copies a run to a directory of a tree.
pub(super) fn copy(
    rules: &Rules,
    episode: &EpisodeDir,
    to: &NewTree,
    dir: &Path,
) -> Result<Readable, Error> {
    let refused = |why: String| Error::Refused {
        path: episode.path.clone(),
        why,
    };

    let tree = RunTree::open(episode)
        .map_err(|why| refused(why.to_string()))?
        .ok_or_else(|| refused("another process writes it".to_owned()))?;
    let run = RunCopy {
        rules,
        episode,
        tree,
        to,
        dir,
    };

    if to
        .path()
        .join(dir)
        .symlink_metadata()
        .is_ok()
    {
        return Err(Error::Twice(dir.to_owned()));
    }

    to.dir(dir)
        .map_err(Error::io("writing", dir))?;
    let mut known = Known::default();
    let attached = run.shortened(&mut known)?;
    run.others(&attached, &mut known)?;

    let mut readable = Readable::default();
    for artifact in ORDER {
        if run.is_record(Path::new(artifact.file_name())) {
            readable.add(run.artifact(artifact, &mut known)?);
        }
    }

    if !run.tree.stood_still() {
        return Err(refused("it changed while it was copied".to_owned()));
    }

    Ok(readable)
}

impl RunCopy<'_> {
    /// Returns the path of an entry of the copy.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        self.dir.join(path)
    }

    pub(super) fn is_record(&self, path: &Path) -> bool {
        let name = path.as_os_str().as_encoded_bytes();
        Artifact::from_file_name(name).is_some()
            && self.tree.entries.get(path) == Some(&TreeEntry::File)
    }

    fn refused(&self, why: String) -> Error {
        Error::Refused {
            path: self.episode.path.clone(),
            why,
        }
    }

    pub(super) fn unreadable(&self, path: &Path, why: &io::Error) -> Error {
        self.refused(format!("{} can't be read: {why}", path.display()))
    }

    pub(super) fn too_large(&self, path: &Path) -> Error {
        let limit = MAX_RECORD_BYTES >> 20;
        self.refused(format!(
            "{} is larger than the limit of {limit} MiB",
            path.display()
        ))
    }

    fn read(&self, artifact: Artifact) -> Result<Vec<u8>, Error> {
        let path = Path::new(artifact.file_name());
        self.tree
            .read(path, MAX_RECORD_BYTES)
            .map_err(|why| self.unreadable(path, &why))?
            .ok_or_else(|| self.too_large(path))
    }

    /// Calls a function with each record and event in which there may be a shortened value, or with
    /// each.
    fn each(&self, all: bool, each: &mut dyn FnMut(Artifact, Document<'_>)) -> Result<(), Error> {
        let mut tape = Tape::default();
        let mut look = |artifact, bytes: &[u8]| {
            let text = str::from_utf8(bytes).unwrap_or_default();
            if !(all || may_be_shortened(text)) {
                return;
            }
            if let Ok(document) = tape.read_record(bytes) {
                each(artifact, document);
            }
            tape.release();
        };

        for artifact in ORDER {
            let path = Path::new(artifact.file_name());
            if !self.is_record(path) {
                continue;
            }

            if !is_timeline(artifact) {
                look(artifact, &self.read(artifact)?);
                continue;
            }

            let file = self.tree.file(path);
            let read = file.and_then(|file| {
                whole_lines(file, &mut |line| {
                    look(artifact, line);
                    true
                })
            });
            look(artifact, &read.map_err(|why| self.unreadable(path, &why))?);
        }

        Ok(())
    }

    /// Finds the shortened values: returns those whose files are there, and adds what became of the
    /// others that stand whole elsewhere.
    fn shortened(&self, known: &mut Known) -> Result<Attached, Error> {
        let none = Known::default();
        let mut writer = Writer::new(self.rules, &none);
        writer.search = Some(Search::default());
        self.each(false, &mut |artifact, document| {
            write(&mut writer, artifact, document);
        })?;

        let search = writer.search.unwrap_or_default();
        let mut attached = Attached::new();
        let mut wanted = Search::default();

        for mark in search.marks {
            let path = mark.file.as_deref().and_then(resolve);
            match path.filter(|path| self.holds(path, mark.sha256)) {
                Some(path) => {
                    let of_file = attached.entry(path).or_default();
                    for path in mark.paths {
                        if !of_file.contains(&path) {
                            of_file.push(path);
                        }
                    }
                }
                None => drop(wanted.wanted.insert(mark.sha256)),
            }
        }

        if wanted.wanted.is_empty() {
            return Ok(attached);
        }

        let mut writer = Writer::new(self.rules, &none);
        writer.search = Some(wanted);
        self.each(true, &mut |artifact, document| {
            write(&mut writer, artifact, document);
        })?;
        for changed in writer.search.unwrap_or_default().found {
            known
                .contents
                .entry(changed.was.sha256)
                .or_insert(changed);
        }

        Ok(attached)
    }

    /// Returns `true` if a file of the run has a digest.
    fn holds(&self, path: &str, sha256: FileDigest) -> bool {
        let path = Path::new(path);
        let is_file = self.tree.entries.get(path) == Some(&TreeEntry::File);
        let file = self
            .tree
            .file(path)
            .ok()
            .filter(|_| is_file);
        let found = file.and_then(|file| FileDigest::of_stream(file, u64::MAX - 1).ok()?);
        found.is_some_and(|(_, found)| found == sha256)
    }

    /// Copies a record or a timeline.
    fn artifact(&self, artifact: Artifact, known: &mut Known) -> Result<Readable, Error> {
        let path = Path::new(artifact.file_name());
        let writing = |why| Error::io("writing", path)(why);
        let mut to = self
            .to
            .file(&self.path(path))
            .map_err(writing)?;
        let mut writer = Writer::new(self.rules, known);
        let [was, is] = if is_timeline(artifact) {
            let mut lines = Lines::new(&mut writer, to);
            let file = self.tree.file(path);
            let rest = file
                .and_then(|file| whole_lines(file, &mut |line| lines.take(line)))
                .map_err(|why| self.unreadable(path, &why))?;
            lines
                .finish(&rest)
                .map_err(|failure| match failure {
                    Failure::Limit(why) => self.refused(format!("{}: {why}", path.display())),
                    Failure::Output(why) => writing(why),
                })?;
            writer
                .lines
                .each_ref()
                .map(RunningContent::so_far)
        } else {
            let was = self.read(artifact)?;
            let is = self.record(artifact, &was, &mut writer)?;
            to.write_all(&is)
                .and_then(|()| to.flush())
                .map_err(writing)?;
            [&was, &is].map(|bytes| Content::of(bytes))
        };

        let readable = writer.readable;
        let changed = Changed { was, is };
        if artifact == Artifact::State {
            known.state = Some(changed);
        }

        let name = artifact.file_name().to_owned();
        let file = KnownFile {
            path: name.clone(),
            is_renamed: false,
            changed,
        };

        known.add(name, file);
        Ok(readable)
    }

    fn record(
        &self,
        artifact: Artifact,
        bytes: &[u8],
        writer: &mut Writer<'_>,
    ) -> Result<Vec<u8>, Error> {
        let mut tape = Tape::default();
        match tape.read_record(bytes) {
            Ok(document) => Ok(writer.record(document, artifact.name())),
            Err(Refused::Syntax(error)) => Ok(self.no_json(bytes, error.offset)),
            Err(why) => Err(self.refused(format!("{artifact}: {why}"))),
        }
    }

    /// Returns what stands in place of a record that is no JSON: it is none from the same line on.
    fn no_json(&self, bytes: &[u8], offset: usize) -> Vec<u8> {
        let text = bytes.trim_ascii();
        if text.is_empty() || str::from_utf8(text).is_ok_and(is_placeholder) {
            return bytes.to_vec();
        }

        let mut is: Vec<u8> = bytes
            .get(..offset)
            .unwrap_or_default()
            .iter()
            .filter(|byte| **byte == b'\n')
            .copied()
            .collect();
        is.extend(
            self.rules
                .keyed
                .placeholder(bytes)
                .bytes(),
        );
        if bytes.ends_with(b"\n") {
            is.push(b'\n');
        }

        is
    }
}

fn is_timeline(artifact: Artifact) -> bool {
    matches!(artifact, Artifact::Events | Artifact::Learn)
}

/// Writes a record or an event, for what a search finds in it.
fn write(writer: &mut Writer<'_>, artifact: Artifact, document: Document<'_>) {
    if document.root().kind() == Kind::Object && is_timeline(artifact) {
        writer.event(document);
    } else {
        writer.record(document, artifact.name());
    }
}
