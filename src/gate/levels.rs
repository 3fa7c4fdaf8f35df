//! Levels by rule and directory -> one level for each rule.

use std::path::Path;

use super::globs::Glob;
use super::{known_rule, read_glob};
use crate::check::{all_rules, names};
use crate::config::{Config, ConfigError, File, Rules};
use crate::finding::Level;

/// The levels that users set, as opposed to the defaults of the rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// The levels in the configuration; later ones override earlier ones.
    configured: Vec<Setting>,
    /// The levels that override the configuration, in the order in which they were set.
    last: Vec<(String, Level)>,
}

/// The level of a rule or a group, in some directories or everywhere.
#[derive(Clone, Debug)]
struct Setting {
    paths: Option<Vec<Glob>>,
    rule: String,
    level: Level,
}

impl Levels {
    /// Adds the levels that the configuration sets.
    pub(super) fn read(&mut self, file: File<'_>, config: &Config) -> Result<(), ConfigError> {
        self.set(file, None, &config.rules)?;
        for within in &config.overrides {
            let paths = within.paths.iter().map(|glob| read_glob(file, glob));
            let paths: Vec<Glob> = paths.collect::<Result<_, _>>()?;
            self.set(file, Some(&paths), &within.rules)?;
        }
        Ok(())
    }

    fn set(
        &mut self,
        file: File<'_>,
        paths: Option<&[Glob]>,
        rules: &Rules,
    ) -> Result<(), ConfigError> {
        // A rule takes precedence over its group, and a group over all rules, in any order.
        let mut rules: Vec<_> = rules.iter().collect();
        rules.sort_by_key(|(rule, _)| match rule.get_ref().as_str() {
            "*" => 0,
            name if name.ends_with('*') => 1,
            _ => 2,
        });
        for (rule, level) in rules {
            known_rule(file, rule.get_ref(), rule.span())?;
            self.configured.push(Setting {
                paths: paths.map(<[Glob]>::to_vec),
                rule: rule.get_ref().clone(),
                level: *level.get_ref(),
            });
        }
        Ok(())
    }

    /// Sets a level that overrides all earlier ones.
    pub(super) fn set_last(&mut self, name: &str, level: Level) {
        self.last.push((name.to_owned(), level));
    }

    /// The level of each rule in a directory; `unset` has the levels to use where none is set.
    pub(super) fn of(&self, unset: &[Level], dir: &Path) -> Vec<Level> {
        let match_dir = |paths: &[Glob]| paths.iter().any(|glob| glob.matches(dir));
        self.where_paths(unset, |paths| paths.is_none_or(match_dir))
    }

    /// A level for each rule, which is off only if the rule counts in no directory.
    pub(super) fn anywhere(&self, unset: &[Level]) -> Vec<Level> {
        let mut levels = self.where_paths(unset, |paths| paths.is_none());
        for (rule, level) in all_rules().zip(&mut levels) {
            if *level == Level::Off {
                let in_some_directory = self.configured.iter().find(|setting| {
                    setting.paths.is_some()
                        && setting.level != Level::Off
                        && names(&setting.rule, rule.id)
                });
                *level = in_some_directory.map_or(Level::Off, |setting| setting.level);
            }
        }
        levels
    }

    fn where_paths(
        &self,
        unset: &[Level],
        are_in_force: impl Fn(Option<&[Glob]>) -> bool,
    ) -> Vec<Level> {
        let in_force: Vec<(&str, Level)> = self
            .configured
            .iter()
            .filter(|setting| are_in_force(setting.paths.as_deref()))
            .map(|setting| (&*setting.rule, setting.level))
            .chain(self.last.iter().map(|(rule, level)| (&**rule, *level)))
            .collect();
        let level = |(rule, unset): (&'static crate::finding::RuleInfo, &Level)| {
            let set = in_force.iter().rev().find(|(name, _)| names(name, rule.id));
            set.map_or(*unset, |(_, level)| *level)
        };
        all_rules().zip(unset).map(level).collect()
    }
}

/// The level of one rule, given those of all.
pub(super) fn level_of(levels: &[Level], rule: &str) -> Level {
    let of_rule = all_rules().zip(levels).find(|(info, _)| info.id == rule);
    of_rule.map_or(Level::Error, |(_, level)| *level)
}
