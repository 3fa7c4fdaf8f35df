//! The findings and skips that a project has accepted <-> the file that lists them, sorted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::ground::digest::FileDigest;
use crate::ground::finding::{EpisodeReport, Finding, SealedFile, Skip, SkipKind};
use crate::ground::printable::escape;
use crate::ground::source::EPISODES;
use crate::report::write_json;
use crate::store::{self, display, path};

/// The version of the format.
const VERSION: u64 = 2;

/// The reason why a baseline could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct BaselineError {
    message: String,
    /// The error in reading the file, if that is the reason.
    source: Option<io::Error>,
}

impl BaselineError {
    /// Returns `true` if the file can't be read; else it is not a baseline that this version reads.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.source.is_some()
    }
}

/// Accepted findings and skips, by the directory of their episode, relative to the directory of the
/// file.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The directory of the file.
    pub(super) dir: PathBuf,
    episodes: BTreeMap<String, BTreeSet<AcceptedFinding>>,
    skips: BTreeMap<String, BTreeSet<KnownSkips>>,
    /// The file that it was read from.
    pub(super) source: Option<SealedFile>,
    /// `true` if the directories are only the parts of their paths that a copy of the run data
    /// keeps.
    is_in_copy: bool,
}

/// An accepted finding: its description for people, and its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AcceptedFinding {
    pub(super) rule: String,
    pub(super) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pointer: Option<String>,
    pub(super) fingerprint: String,
}

/// Rules that could not be judged, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownSkips {
    kind: SkipKind,
    /// Why, for people.
    pub(super) reason: String,
    /// A text that tells it apart from other reasons of its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    besides: String,
    pub(super) rules: BTreeSet<String>,
}

impl KnownSkips {
    /// Returns `true` if a skip is one of these.
    pub(super) fn covers(&self, skip: &Skip) -> bool {
        // Entries of earlier versions have all in their reason.
        let is_same = self.besides == skip.besides || self.reason == skip.reason;
        self.kind == skip.kind && is_same && self.rules.contains(&skip.rule)
    }
}

/// The version alone: a file of another version may have any other fields.
#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineVersion {
    #[serde(rename = "version")]
    _version: u64,
    episodes: BTreeMap<String, BTreeSet<AcceptedFinding>>,
    skips: BTreeMap<String, BTreeSet<KnownSkips>>,
}

impl fmt::Display for AcceptedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rule, self.file)?;
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => write!(f, " {pointer}"),
            _ => Ok(()),
        }
    }
}

impl AcceptedFinding {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.clone(),
            file: finding.location.name().to_owned(),
            pointer: finding.location.pointer.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

impl Baseline {
    /// Returns an empty baseline that is to be written to a path.
    pub(in crate::gate) fn new(path: &Path) -> Self {
        Self {
            dir: path
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned(),
            ..Self::default()
        }
    }

    /// Reads a baseline from a file.
    ///
    /// # Errors
    ///
    /// [`BaselineError`], where the file can't be read or is not a baseline of this version.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        Self::from_json(path, &Self::text(path)?)
    }

    /// Returns the text of the file of a baseline, for [`Baseline::from_json`].
    ///
    /// # Errors
    ///
    /// An [unreadable](BaselineError::is_unreadable) file.
    pub fn text(path: &Path) -> Result<String, BaselineError> {
        store::read_text(path).map_err(|source| BaselineError {
            message: format!("can't read the baseline {}: {source}", shown(path)),
            source: Some(source),
        })
    }

    /// Reads a baseline from the text of a file. Its directories are relative to that of the path,
    /// from which nothing is read.
    ///
    /// # Errors
    ///
    /// [`BaselineError`], where the text is not a baseline of this version.
    pub fn from_json(path: &Path, text: &str) -> Result<Self, BaselineError> {
        let refused = |message| BaselineError {
            message: format!("the baseline {} {message}", shown(path)),
            source: None,
        };

        let damaged = |error: serde_json::Error| refused(format!("is damaged: {error}"));
        let Versioned { version } = serde_json::from_str(text).map_err(damaged)?;
        if version != VERSION {
            return Err(refused(format!(
                "has version {version}, but this runvet reads version {VERSION}"
            )));
        }

        let written: BaselineVersion = serde_json::from_str(text).map_err(damaged)?;
        Ok(Self {
            source: Some(SealedFile {
                name: display(Path::new(path.file_name().unwrap_or_default())),
                digest: FileDigest::of(text.as_bytes()),
            }),
            episodes: written.episodes,
            skips: written.skips,
            ..Self::new(path)
        })
    }

    /// Returns the accepted findings and skips, by directories relative to that of the file.
    pub(super) fn entries(&self) -> impl Serialize + '_ {
        (&self.episodes, &self.skips)
    }

    /// Adds all findings and skips of an episode.
    pub(super) fn add(&mut self, dir: &Path, episode: &EpisodeReport) {
        for finding in &episode.findings {
            self.episodes
                .entry(name(dir))
                .or_default()
                .insert(AcceptedFinding::of(finding));
        }

        let mut skips: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        // What kept changing, or was not read for lack of memory, must be checked again.
        for skip in episode
            .skipped
            .iter()
            .filter(|skip| !skip.is_momentary())
        {
            let reason = (skip.kind, &skip.reason, &skip.besides);
            skips
                .entry(reason)
                .or_default()
                .insert(skip.rule.clone());
        }

        for ((kind, reason, besides), rules) in skips {
            self.skips
                .entry(name(dir))
                .or_default()
                .insert(KnownSkips {
                    kind,
                    reason: reason.clone(),
                    besides: besides.clone(),
                    rules,
                });
        }
    }

    /// Returns the baseline for a copy of the run data that lies elsewhere.
    pub(super) fn in_copy(&self) -> Self {
        Self {
            dir: self.dir.clone(),
            episodes: merged(&self.episodes),
            skips: merged(&self.skips),
            source: self.source.clone(),
            is_in_copy: true,
        }
    }

    /// Returns the accepted skips of an episode.
    pub(super) fn skips_of(&self, dir: &Path) -> impl Iterator<Item = &KnownSkips> {
        self.skips
            .get(&self.name(dir))
            .into_iter()
            .flatten()
    }

    /// Returns the accepted findings of an episode.
    pub(super) fn of(&self, dir: &Path) -> impl Iterator<Item = &AcceptedFinding> {
        self.episodes
            .get(&self.name(dir))
            .into_iter()
            .flatten()
    }

    fn name(&self, dir: &Path) -> String {
        let kept = self
            .is_in_copy
            .then(|| kept_in_copies(dir));
        name(kept.unwrap_or(dir))
    }

    /// Returns the directories of episodes with accepted findings or skips, each with the number of
    /// findings.
    pub(super) fn dirs(&self) -> impl Iterator<Item = (PathBuf, usize)> {
        let episodes = self.episodes.iter();
        self.skips
            .keys()
            .map(|name| (dir(name), 0))
            .chain(episodes.map(|(name, known)| (dir(name), known.len())))
    }

    /// Returns the numbers of findings, of skips, and of episodes that have any.
    pub(crate) fn size(&self) -> (usize, usize, usize) {
        let skips = self.skips.values().flatten();
        let episodes: BTreeSet<&String> = self
            .episodes
            .keys()
            .chain(self.skips.keys())
            .collect();

        (
            self.episodes
                .values()
                .map(BTreeSet::len)
                .sum(),
            skips
                .map(|known| known.rules.len())
                .sum(),
            episodes.len(),
        )
    }

    /// Writes the baseline as text.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"version\":{VERSION},\"episodes\":")?;
        write_entries(out, &self.episodes)?;
        out.write_all(b",\n\"skips\":")?;
        write_entries(out, &self.skips)?;
        out.write_all(b"}\n")
    }
}

fn write_entries<T: Serialize>(
    out: &mut dyn Write,
    entries: &BTreeMap<String, BTreeSet<T>>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (index, (dir, known)) in entries.iter().enumerate() {
        out.write_all(if index == 0 { b"\n " } else { b",\n " })?;
        write_json(out, dir)?;
        out.write_all(b":[")?;
        for (index, entry) in known.iter().enumerate() {
            out.write_all(if index == 0 { b"\n  " } else { b",\n  " })?;
            write_json(out, entry)?;
        }
        out.write_all(b"]")?;
    }

    out.write_all(b"}")
}

/// Returns entries by the part of their path that a copy of the run data keeps.
fn merged<T: Clone + Ord>(
    entries: &BTreeMap<String, BTreeSet<T>>,
) -> BTreeMap<String, BTreeSet<T>> {
    let mut merged: BTreeMap<String, BTreeSet<T>> = BTreeMap::new();
    for (path, known) in entries {
        let kept = name(kept_in_copies(&dir(path)));
        merged
            .entry(kept)
            .or_default()
            .extend(known.iter().cloned());
    }

    merged
}

/// Returns the part of an episode's path that a copy of the run data keeps: the part below the last
/// directory called `episodes`, groups included, else the name alone.
fn kept_in_copies(dir: &Path) -> &Path {
    let name = Path::new(
        dir.file_name()
            .unwrap_or(dir.as_os_str()),
    );

    dir.ancestors()
        .find(|above| above.ends_with(EPISODES))
        .and_then(|episodes| dir.strip_prefix(episodes).ok())
        .unwrap_or(name)
}

/// Returns a path, as errors name it.
fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

/// Returns the name of a directory in the file. A name that is not UTF-8 is written as hexadecimal
/// bytes after a NUL, which no path contains, so two directories never share a name.
fn name(dir: &Path) -> String {
    match dir.to_str() {
        Some("") => ".".into(),
        Some(name) => name.into(),
        None => format!("\0{}", HEXLOWER.encode(path::bytes(dir))),
    }
}

/// Returns the directory with this name in the file.
fn dir(name: &str) -> PathBuf {
    let Some(bytes) = name.strip_prefix('\0') else {
        return Path::new(if name == "." { "" } else { name }).to_owned();
    };
    path::from_bytes(
        HEXLOWER
            .decode(bytes.as_bytes())
            .unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baseline_name_matches_one_directory() {
        let dirs = [
            &b"ep_\xff"[..],
            b"ep_\xfe",
            "ep_\u{fffd}".as_bytes(),
            b"65705fff",
            b"ep_1",
            b"",
        ];
        let dirs = dirs.map(|dir| path::from_bytes(dir.to_vec()));
        let names: BTreeSet<String> = dirs
            .each_ref()
            .map(|dir| name(dir))
            .into();
        assert_eq!(names.len(), dirs.len(), "{names:?}");
        assert_eq!(
            dirs.each_ref()
                .map(|path| dir(&name(path))),
            dirs
        );
    }

    #[test]
    fn copy_keeps_the_groups_of_an_episode() {
        let kept = |dir: &str| {
            kept_in_copies(Path::new(dir))
                .display()
                .to_string()
        };
        assert_eq!(kept("runs/episodes/a/ep_1"), "a/ep_1");
        assert_eq!(kept("s3://bucket/runs/episodes/b/ep_1"), "b/ep_1");
        assert_eq!(kept("runs/ep_1"), "ep_1");
    }
}
