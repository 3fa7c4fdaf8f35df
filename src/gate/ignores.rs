//! The `[[ignore]]` tables of the configuration -> whether a finding is ignored.

use std::path::Path;

use super::reading::ConfigReader;
use crate::gate::config::Ignore;
use crate::ground::finding::{Finding, Level};
use crate::ground::timestamp::Timestamp;
use crate::judge::check::DirectoryGlob;
use crate::judge::rules::{RuleSet, names};

/// Findings that do not count.
#[derive(Clone, Debug)]
pub(super) struct Ignored {
    table: Ignore,
    /// The file and line of the table in the configuration.
    place: String,
    /// The glob of the episodes.
    pub(super) episode: DirectoryGlob,
    /// `true` if it has no effect, because its day has come.
    pub(super) has_expired: bool,
    /// `true` if it covered an episode that was judged.
    has_covered: bool,
    was_used: bool,
}

impl Ignored {
    pub(super) fn new(
        reader: &mut ConfigReader<'_>,
        table: &Ignore,
        now: Option<&Timestamp>,
    ) -> Option<Self> {
        reader.know_rule(&table.rule);
        let expires = table.expires.as_ref();
        Some(Self {
            table: table.clone(),
            place: reader.file.place(&table.rule.span()),
            episode: reader.glob(&table.episode)?,
            has_expired: expires
                .zip(now)
                .is_some_and(|(day, now)| *now >= day.start),
            has_covered: false,
            was_used: false,
        })
    }

    /// Returns `true` if it covers an episode in which one of its rules was checked; notes that it
    /// has covered one.
    pub(super) fn covers(&mut self, dir: &Path, rules: &RuleSet, levels: &[Level]) -> bool {
        let mut rules = rules.iter().zip(levels);
        let covers = self.episode.matches(dir)
            && rules.any(|(rule, level)| {
                *level != Level::Off && names(self.table.rule.get_ref(), &rule.info.id)
            });
        self.has_covered |= covers;

        covers
    }

    /// Returns `true` if it ignores a finding of the episode in a directory.
    pub(super) fn ignores(&self, dir: &Path, finding: &Finding) -> bool {
        self.matches(finding) && self.episode.matches(dir)
    }

    /// Returns the reason to ignore a finding of a covered episode, if it matches.
    pub(super) fn apply(&mut self, finding: &Finding) -> Option<String> {
        let is_ignored = self.matches(finding);
        self.was_used |= is_ignored;
        is_ignored.then(|| self.table.reason.clone())
    }

    fn matches(&self, finding: &Finding) -> bool {
        let Finding { rule, location, .. } = finding;
        let found = location.pointer.as_deref();
        // The value or what is below it; `*` is any one name or index.
        let is_within = |pointer: &str| {
            let mut tokens = found
                .into_iter()
                .flat_map(|found| found.split('/'));
            pointer.split('/').all(|part| {
                tokens
                    .next()
                    .is_some_and(|it| part == "*" || part == it)
            })
        };

        let is_of = |file: &str| {
            location
                .artifact
                .is_some_and(|it| it.file_name() == file)
        };

        !self.has_expired
            && names(self.table.rule.get_ref(), rule)
            && self
                .table
                .file
                .as_deref()
                .is_none_or(is_of)
            && self
                .table
                .pointer
                .as_deref()
                .is_none_or(is_within)
    }

    /// Returns why it is no longer needed, if so.
    pub(super) fn stale(&self) -> Option<String> {
        let why = match &self.table.expires {
            Some(day) if self.has_expired => {
                format!("expired on {} and has no effect", day.text)
            }
            _ if self.has_covered && !self.was_used => {
                "matches no finding and can be removed".to_owned()
            }
            _ => return None,
        };

        Some(format!("{}: this ignore {why}", self.place))
    }
}
