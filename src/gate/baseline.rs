//! The findings that a project knows of already <-> the file that keeps them: sorted, a line for
//! each.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::finding::{EpisodeReport, Finding};
use crate::report::write_json;
use crate::store::path;

/// The version of the format.
const VERSION: u64 = 1;

/// Known findings, by the directory of their episode, relative to the one that the file lies in.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    episodes: BTreeMap<String, BTreeSet<Known>>,
}

/// A finding that is known: what names it for people, and the fingerprint that tells it from all
/// others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    pub(crate) rule: String,
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pointer: Option<String>,
    pub(crate) fingerprint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u64,
    episodes: BTreeMap<String, BTreeSet<Known>>,
}

impl Known {
    fn of(finding: &Finding) -> Self {
        let Finding {
            rule,
            fingerprint,
            location,
            ..
        } = finding;
        let file = Path::new(&location.file)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Self {
            rule: rule.clone(),
            file,
            pointer: location.pointer.clone(),
            fingerprint: fingerprint.clone(),
        }
    }
}

impl Baseline {
    /// Reads the text of a baseline.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match written.version {
            VERSION => Ok(Self {
                episodes: written.episodes,
            }),
            other => Err(format!(
                "it is of version {other}, and this runvet knows version {VERSION}"
            )),
        }
    }

    /// Takes in all findings of an episode.
    pub fn add(&mut self, dir: &Path, episode: &EpisodeReport) {
        if !episode.findings.is_empty() {
            let known = self.episodes.entry(name(dir)).or_default();
            known.extend(episode.findings.iter().map(Known::of));
        }
    }

    /// What is known of an episode.
    pub(crate) fn of(&self, dir: &Path) -> impl Iterator<Item = &Known> {
        self.episodes.get(&name(dir)).into_iter().flatten()
    }

    /// The directories of episodes of which something is known, with the number of findings.
    pub(crate) fn dirs(&self) -> impl Iterator<Item = (PathBuf, usize)> {
        self.episodes
            .iter()
            .map(|(name, known)| (dir(name), known.len()))
    }

    /// How many findings are known, and in how many episodes.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (
            self.episodes.values().map(BTreeSet::len).sum(),
            self.episodes.len(),
        )
    }

    /// Writes the baseline as text.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"version\":{VERSION},\"episodes\":{{")?;
        for (index, (dir, findings)) in self.episodes.iter().enumerate() {
            out.write_all(if index == 0 { b"\n " } else { b",\n " })?;
            write_json(out, dir)?;
            out.write_all(b":[")?;
            for (index, known) in findings.iter().enumerate() {
                out.write_all(if index == 0 { b"\n  " } else { b",\n  " })?;
                write_json(out, known)?;
            }
            out.write_all(b"]")?;
        }
        out.write_all(b"}}\n")
    }
}

/// A directory as the file names it. One whose name is not UTF-8 is written byte by byte, behind a
/// character that no path has: two directories never share a name.
fn name(dir: &Path) -> String {
    match dir.to_str() {
        Some("") => ".".into(),
        Some(name) => name.into(),
        None => path::bytes(dir)
            .iter()
            .fold("\0".into(), |name, byte| format!("{name}{byte:02x}")),
    }
}

/// The directory that the file names so.
fn dir(name: &str) -> PathBuf {
    let Some(bytes) = name.strip_prefix('\0') else {
        return if name == "." {
            PathBuf::new()
        } else {
            name.into()
        };
    };
    let byte = |at: usize| {
        u8::from_str_radix(bytes.get(at..at + 2).unwrap_or_default(), 16).unwrap_or_default()
    };
    path::from_bytes((0..bytes.len()).step_by(2).map(byte).collect())
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
        let names: BTreeSet<String> = dirs.each_ref().map(|dir| name(dir)).into();
        assert_eq!(names.len(), dirs.len(), "{names:?}");
        assert_eq!(dirs.each_ref().map(|path| dir(&name(path))), dirs);
    }
}
