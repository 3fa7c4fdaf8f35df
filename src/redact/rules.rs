//! The settings of a redaction -> what goes and what stands in its place.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use regex::Regex;

use super::SECRETS;
use super::error::Error;
use super::keyed::{Keyed, is_placeholder};
use super::names::{Names, Paths};
use super::team::{Declared, TeamNames};
use crate::ground::source::{Artifact, EPISODES};
use crate::judge::rules::RuleSet;

/// The settings of a redaction.
///
/// ```
/// use runvet::redact::Redaction;
///
/// # let dir = std::env::temp_dir().join(format!("runvet-redact-{}", std::process::id()));
/// let redaction = Redaction::new().drop_name("input");
/// let redacted = redaction.copy(&["corpus/good/terminal"], &dir)?;
/// assert_eq!(redacted.runs[0].to, std::path::Path::new("episodes/ep_answer"));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    key: Option<PathBuf>,
    drop: Vec<String>,
    keep: Vec<String>,
    patterns: Vec<String>,
    keep_files: Vec<String>,
    declared: Declared,
}

impl Redaction {
    /// Returns a redaction of every text that does not stay by its nature, with a key that nobody
    /// keeps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the key from a file, which is made where it is absent: equal texts become equal in all
    /// copies under one key.
    #[must_use]
    pub fn key(mut self, file: impl Into<PathBuf>) -> Self {
        self.key = Some(file.into());
        self
    }

    /// Redacts the texts below a place, and no others but those in which a pattern fits: a key at
    /// any depth, or a JSON Pointer with `*` for one key or index and `**` for any path.
    #[must_use]
    pub fn drop_name(mut self, name: impl Into<String>) -> Self {
        self.drop.push(name.into());
        self
    }

    /// Keeps the texts below a place.
    #[must_use]
    pub fn keep_name(mut self, name: impl Into<String>) -> Self {
        self.keep.push(name.into());
        self
    }

    /// Redacts each text and key in which a regular expression fits, besides the known forms of
    /// secrets.
    #[must_use]
    pub fn pattern(mut self, pattern: impl Into<String>) -> Self {
        self.patterns.push(pattern.into());
        self
    }

    /// Redacts what the schemas of a team mark as sensitive, and keeps the words of its closed
    /// sets.
    pub(crate) fn declared_by(mut self, rules: &RuleSet) -> Result<Self, Error> {
        self.declared = Declared::of(rules.team())?;
        Ok(self)
    }

    /// Copies the files, besides the records, whose paths in the run a glob matches.
    #[must_use]
    pub fn keep_files(mut self, glob: impl Into<String>) -> Self {
        self.keep_files.push(glob.into());
        self
    }
}

/// The settings, ready to be used.
pub(super) struct Rules {
    pub(super) keyed: Keyed,
    patterns: Regex,
    has_own_patterns: bool,
    drop: Names,
    keep: Names,
    keep_files: Vec<glob::Pattern>,
    team: TeamNames,
}

impl Rules {
    pub(super) fn new(redaction: &Redaction) -> Result<Self, Error> {
        let patterns: Vec<Regex> = redaction
            .patterns
            .iter()
            .map(|text| parse("the pattern", text, Regex::new))
            .collect::<Result<_, _>>()?;
        let globs = redaction
            .keep_files
            .iter()
            .map(|text| parse("the glob", text, glob::Pattern::new));
        let secrets = SECRETS.map(|form| {
            let parts = form
                .trim_matches('*')
                .split('*')
                .map(regex::escape);
            format!("(?s:{})", parts.collect::<Vec<_>>().join(".*"))
        });
        let patterns = patterns
            .iter()
            .map(|it| format!("(?:{it})"));
        let all: Vec<String> = secrets
            .into_iter()
            .chain(patterns)
            .collect();

        Ok(Self {
            patterns: parse("the patterns", &all.join("|"), Regex::new)?,
            has_own_patterns: !redaction.patterns.is_empty(),
            drop: Names::new("the name to drop", &redaction.drop)?,
            keep: Names::new("the name to keep", &redaction.keep)?,
            keep_files: globs.collect::<Result<_, _>>()?,
            team: redaction.declared.names()?,
            keyed: Keyed::of(redaction.key.as_deref())?,
        })
    }

    /// Returns `true` if a pattern fits in a text.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.patterns.is_match(text)
    }

    /// Returns `false` if no pattern fits in any text of a JSON text: the known ones look the same
    /// wherever they stand, unless they are escaped.
    pub(super) fn may_fit(&self, json: &str) -> bool {
        self.has_own_patterns || memchr::memchr(b'\\', json.as_bytes()).is_some() || self.fits(json)
    }

    /// Returns `true` if places matter.
    pub(super) fn have_names(&self) -> bool {
        !(self.drop.is_empty() && self.keep.is_empty() && self.team.is_empty())
    }

    /// Returns `true` if a text in which no pattern fits goes, by its places and whether it stays
    /// there by its nature.
    pub(super) fn redact(&self, text: &str, stays: bool, paths: &Paths) -> bool {
        self.team.sensitive.have(paths)
            || if self.drop.is_empty() {
                !stays && !self.keep.have(paths) && !self.team.have_word(text, paths)
            } else {
                self.drop.have(paths)
            }
    }

    /// Returns `true` if a file is copied as it is.
    pub(super) fn keep_file(&self, path: &Path) -> bool {
        let is_match = |glob: &glob::Pattern| glob.matches_path(path);
        self.keep_files.iter().any(is_match)
    }

    /// Returns the name of a directory or file of a copy.
    pub(super) fn name(&self, name: &OsStr) -> OsString {
        let Some(text) = name.to_str() else {
            // What was no text becomes none: a manifest can't list it.
            let mut bytes = self
                .keyed
                .id(name.as_bytes())
                .into_bytes();
            bytes.push(0xff);
            return OsString::from_vec(bytes);
        };

        self.segment(text).into()
    }

    /// Returns the name of the directory of a run, which is its id.
    pub(super) fn name_of_run(&self, name: &OsStr) -> OsString {
        let paths = ["/episode/id", "/episode_id"]
            .map(str::to_owned)
            .into();
        match name.to_str() {
            Some(text) if is_placeholder(text) => name.to_owned(),
            Some(text) if self.fits(text) || self.redact(text, true, &paths) => {
                self.keyed.id(text.as_bytes()).into()
            }
            Some(_) => name.to_owned(),
            None => self.name(name),
        }
    }

    /// Returns a part of a path: what a pattern fits in becomes an id, with its extension.
    pub(super) fn segment(&self, text: &str) -> String {
        let stem = text
            .rsplit_once('.')
            .map_or(text, |(stem, _)| stem);
        let is_known = text == EPISODES
            || Artifact::from_file_name(text).is_some()
            || is_placeholder(text)
            || is_placeholder(stem);
        if is_known || !self.fits(text) {
            return text.to_owned();
        }

        let extension = text
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension);
        let is_plain = matches!(extension.len(), 1..=16)
            && extension
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric())
            && !self.fits(extension);
        let id = self.keyed.id(text.as_bytes());

        if is_plain {
            format!("{id}.{extension}")
        } else {
            id
        }
    }
}

/// Reads a setting.
fn parse<T, E: std::error::Error>(
    what: &'static str,
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<T, Error> {
    read(text).map_err(|why| Error::setting(what, text, &why))
}
