//! Levels by rule and directory -> one level for each rule.

use std::path::Path;
use std::sync::Arc;

use super::globs::DirectoryGlob;
use super::{CheckSettings, Checker};
use crate::ground::finding::Level;
use crate::ground::source::EpisodeKey;
use crate::judge::rule::Rule;
use crate::judge::rules::coverage::required;
use crate::judge::rules::names;

/// The levels that users set, as opposed to the defaults of the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    /// The levels in the configuration; later ones override earlier ones.
    pub(crate) configured: Vec<LevelSetting>,
    /// The rules and groups that are checked, whatever the configuration says of them; all if there
    /// are none.
    pub(crate) selected: Vec<String>,
    /// The levels that override the configuration, in the order in which they were set.
    pub(crate) last: Vec<LevelSetting>,
}

/// The level of a rule or a group, in some directories or everywhere.
#[derive(Clone, Debug)]
pub(crate) struct LevelSetting {
    pub(crate) paths: Option<Vec<DirectoryGlob>>,
    pub(crate) rule: String,
    pub(crate) level: Level,
    /// The source, as users know it.
    pub(crate) origin: String,
}

/// A reason for the level of a rule in a directory.
pub(crate) enum Decided<'l> {
    /// Nothing sets it.
    Default,
    /// A rule or group has a level, whose source is the second.
    Set(&'l str, &'l str),
    /// It is not among the rules that are selected.
    NotSelected,
}

impl Levels {
    /// Returns the globs of all directories that levels are set for.
    pub(crate) fn globs(&self) -> impl Iterator<Item = &DirectoryGlob> {
        self.configured
            .iter()
            .flat_map(|setting| setting.paths.iter().flatten())
    }

    fn depend_on_dir(&self) -> bool {
        self.globs().next().is_some()
    }
}

impl CheckSettings {
    /// Returns `true` if a rule is checked unless its level is off. A rule about required rules is
    /// so whatever is selected.
    fn selects(&self, rule: &str) -> bool {
        let selected = &self.levels.selected;
        selected.is_empty()
            || (!self.required.is_empty() && rule == required::RULE.info.id)
            || selected
                .iter()
                .any(|name| names(name, rule))
    }

    /// Returns a level for each rule, which is off only if the rule is off in every directory.
    pub(crate) fn levels_anywhere(&self) -> Vec<Level> {
        let mut levels: Vec<Level> = self
            .decided(None)
            .map(|(level, _)| level)
            .collect();
        for (rule, level) in self.rules.iter().zip(&mut levels) {
            if *level == Level::Off && self.selects(&rule.info.id) {
                let in_some_directory = self
                    .levels
                    .configured
                    .iter()
                    .find(|setting| {
                        setting.paths.is_some()
                            && setting.level != Level::Off
                            && names(&setting.rule, &rule.info.id)
                    });
                *level = in_some_directory.map_or(Level::Off, |setting| setting.level);
            }
        }

        levels
    }

    /// Returns the level of each rule in a directory, or without one where no override holds; and
    /// the origin of the level.
    pub(crate) fn decided<'l>(
        &'l self,
        dir: Option<&Path>,
    ) -> impl Iterator<Item = (Level, Decided<'l>)> + use<'l> {
        let is_in_force = |setting: &&LevelSetting| match (&setting.paths, dir) {
            (None, _) => true,
            (Some(_), None) => false,
            // Each is asked, so that it is known which match nothing.
            (Some(globs), Some(dir)) => {
                globs
                    .iter()
                    .filter(|glob| glob.matches(dir))
                    .count()
                    > 0
            }
        };

        let levels = &self.levels;
        let configured: Vec<&LevelSetting> = levels
            .configured
            .iter()
            .filter(is_in_force)
            .collect();
        let level = move |rule: &'l Rule| {
            let is_of_rule = |setting: &&LevelSetting| names(&setting.rule, &rule.info.id);
            let why = |it: &'l LevelSetting| Decided::Set(&it.rule, &it.origin);
            if let Some(set) = levels
                .last
                .iter()
                .rev()
                .find(is_of_rule)
            {
                return (set.level, why(set));
            }

            if !self.selects(&rule.info.id) {
                return (Level::Off, Decided::NotSelected);
            }

            let set = configured
                .iter()
                .copied()
                .rev()
                .find(is_of_rule);
            let why = set.map_or(Decided::Default, why);
            match set.map_or(rule.info.level, |setting| setting.level) {
                Level::Off if !levels.selected.is_empty() => (Level::Warning, why),
                level => (level, why),
            }
        };

        self.rules.iter().map(level)
    }
}

impl Checker {
    /// Returns the level of each rule in the directory of an episode.
    pub(crate) fn levels_of(&self, key: &EpisodeKey) -> Arc<[Level]> {
        if !self.settings.levels.depend_on_dir() {
            return Arc::clone(&self.levels);
        }

        let dir = self
            .settings
            .base
            .relative(key.as_path());

        self.settings
            .decided(Some(&dir))
            .map(|(level, _)| level)
            .collect()
    }
}
