//! The `[[ignore]]` tables of the configuration -> whether a finding is ignored.

use std::path::Path;

use super::reading::ConfigReader;
use crate::check::Glob;
use crate::config::Ignore;
use crate::finding::{Finding, Level};
use crate::rules::{RuleSet, names};
use crate::source::Artifact;
use crate::timestamp::Timestamp;

/// Findings that do not count.
#[derive(Clone, Debug)]
pub(super) struct Ignored {
    /// The file and line of the table in the configuration.
    place: String,
    rule: String,
    episode: Glob,
    artifact: Option<Artifact>,
    pointer: Option<String>,
    reason: String,
    /// The day on which it expired, if it has.
    expired: Option<String>,
    /// Whether it covered an episode that was judged.
    has_covered: bool,
    was_used: bool,
}

impl Ignored {
    pub(super) fn new(
        reader: &mut ConfigReader<'_>,
        ignore: &Ignore,
        now: Option<&Timestamp>,
    ) -> Option<Self> {
        reader.know_rule(&ignore.rule);
        let expired = ignore
            .expires
            .as_ref()
            .filter(|day| now.is_some_and(|now| now >= day.start()));
        Some(Self {
            place: reader.file.place(&ignore.rule.span()),
            rule: ignore.rule.get_ref().clone(),
            episode: reader.glob(&ignore.episode)?,
            artifact: ignore
                .file
                .as_ref()
                .and_then(|file| Artifact::from_file_name(file.get_ref())),
            pointer: ignore
                .pointer
                .as_ref()
                .map(|pointer| pointer.get_ref().clone()),
            reason: ignore.reason.get_ref().clone(),
            expired: expired.map(ToString::to_string),
            has_covered: false,
            was_used: false,
        })
    }

    /// Whether it covers an episode in which one of its rules was checked; notes that it has
    /// covered one.
    pub(super) fn covers(&mut self, dir: &Path, rules: &RuleSet, levels: &[Level]) -> bool {
        let is_checked = rules
            .iter()
            .zip(levels)
            .any(|(rule, level)| *level != Level::Off && names(&self.rule, &rule.info.id));
        let covers = self.episode.matches(dir) && is_checked;
        self.has_covered |= covers;
        covers
    }

    /// Whether it has no effect, because its day has come.
    pub(super) fn has_expired(&self) -> bool {
        self.expired.is_some()
    }

    /// The glob of the episodes.
    pub(super) fn glob(&self) -> &Glob {
        &self.episode
    }

    /// Returns `true` if it ignores a finding of the episode in a directory.
    pub(super) fn ignores(&self, dir: &Path, finding: &Finding) -> bool {
        self.matches(finding) && self.episode.matches(dir)
    }

    /// The reason to ignore a finding of a covered episode, if it matches.
    pub(super) fn apply(&mut self, finding: &Finding) -> Option<String> {
        let is_ignored = self.matches(finding);
        self.was_used |= is_ignored;
        is_ignored.then(|| self.reason.clone())
    }

    fn matches(&self, finding: &Finding) -> bool {
        let is_within = |pointer: &String| {
            let below = finding
                .location
                .pointer
                .as_deref()
                .and_then(|found| found.strip_prefix(pointer.as_str()));
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        self.expired.is_none()
            && names(&self.rule, &finding.rule)
            && (self.artifact.is_none() || self.artifact == finding.location.artifact)
            && self.pointer.as_ref().is_none_or(is_within)
    }

    /// Why it is no longer needed, if so.
    pub(super) fn stale(&self) -> Option<String> {
        let place = &self.place;
        match &self.expired {
            Some(day) => Some(format!(
                "{place}: this ignore expired on {day} and has no effect"
            )),
            None if self.has_covered && !self.was_used => Some(format!(
                "{place}: this ignore matches no finding and can be removed"
            )),
            None => None,
        }
    }
}
