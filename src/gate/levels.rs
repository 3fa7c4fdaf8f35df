//! Levels by rule and directory -> one level for each rule.

use std::path::Path;

use serde::Serialize;

use super::globs::Glob;
use super::reading::ConfigReader;
use crate::check::{Checker, names};
use crate::config::{Config, Rules};
use crate::finding::Level;
use crate::rule::Rule;
use crate::rules::MANIFEST;
use crate::rules::coverage::required;

/// The levels that users set, as opposed to the defaults of the rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// The levels in the configuration; later ones override earlier ones.
    configured: Vec<Setting>,
    /// The rules and groups that are checked, whatever the configuration says of them; all if there
    /// are none.
    selected: Vec<String>,
    /// The levels that override the configuration, in the order in which they were set.
    last: Vec<(String, Level)>,
}

/// The level of a rule or a group, in some directories or everywhere.
#[derive(Clone, Debug)]
struct Setting {
    paths: Option<Vec<Glob>>,
    rule: String,
    level: Level,
    /// The file and the line that set it.
    at: (String, u64),
}

/// What decides the level of a rule in a directory.
pub(crate) enum Decided<'l> {
    /// Nothing sets it.
    Default,
    /// The configuration: the rule or group that it names, the file and the line.
    Configured(&'l str, &'l (String, u64)),
    /// A level that overrides the configuration: its index, in the order in which they were set.
    Last(usize),
    /// It is not among the rules that are selected.
    NotSelected,
}

impl Levels {
    /// Adds the levels that the configuration sets.
    pub(super) fn read(&mut self, reader: &mut ConfigReader<'_>, config: &Config) {
        if let Some(verify) = config.verify_manifest.as_ref().filter(|it| *it.get_ref()) {
            self.configured.push(Setting {
                paths: None,
                rule: MANIFEST.info.id.to_string(),
                level: Level::Error,
                at: reader.at(&verify.span()),
            });
        }
        for rule in &config.select {
            reader.know_rule(rule);
            self.selected.push(rule.get_ref().clone());
        }
        self.set(reader, None, &config.rules);
        for within in &config.overrides {
            let paths = within.paths.iter().filter_map(|glob| reader.glob(glob));
            let paths: Vec<Glob> = paths.collect();
            self.set(reader, Some(&paths), &within.rules);
        }
    }

    fn set(&mut self, reader: &mut ConfigReader<'_>, paths: Option<&[Glob]>, rules: &Rules) {
        // A rule takes precedence over its group, and a group over all rules, in any order.
        let mut rules: Vec<_> = rules.iter().collect();
        rules.sort_by_key(|(rule, _)| match rule.get_ref().as_str() {
            "*" => 0,
            name if name.ends_with('*') => 1,
            _ => 2,
        });
        for (rule, level) in rules {
            reader.know_rule(rule);
            self.configured.push(Setting {
                paths: paths.map(<[Glob]>::to_vec),
                rule: rule.get_ref().clone(),
                level: *level.get_ref(),
                at: reader.at(&rule.span()),
            });
        }
    }

    /// Sets the rules and groups that are checked.
    pub(super) fn select(&mut self, names: Vec<String>) {
        self.selected = names;
    }

    /// Whether a rule is checked unless its level is off. What is required is so whatever is
    /// selected.
    fn selects(&self, check: &Checker, rule: &str) -> bool {
        self.selected.is_empty()
            || (check.requires_any() && rule == required::RULE.info.id)
            || self.selected.iter().any(|name| names(name, rule))
    }

    /// What is set besides the configuration, and may override it.
    pub(super) fn asked(&self) -> impl Serialize + '_ {
        (&self.selected, &self.last)
    }

    /// Sets a level that overrides all earlier ones.
    pub(super) fn set_last(&mut self, name: &str, level: Level) {
        self.last.push((name.to_owned(), level));
    }

    /// The level of each rule in a directory; those of the check where none is set.
    pub(super) fn of(&self, check: &Checker, dir: &Path) -> Vec<Level> {
        let decided = self.decided(check, Some(dir));
        decided.map(|(level, _)| level).collect()
    }

    /// The globs of all directories that levels are set for.
    pub(super) fn globs(&self) -> impl Iterator<Item = &Glob> {
        let settings = self.configured.iter();
        settings.flat_map(|setting| setting.paths.iter().flatten())
    }

    /// Whether the levels depend on the directory.
    pub(super) fn depend_on_dir(&self) -> bool {
        self.configured
            .iter()
            .any(|setting| setting.paths.is_some())
    }

    /// A level for each rule, which is off only if the rule counts in no directory.
    pub(super) fn anywhere(&self, check: &Checker) -> Vec<Level> {
        let everywhere = self.decided(check, None);
        let mut levels: Vec<Level> = everywhere.map(|(level, _)| level).collect();
        for (rule, level) in check.rule_set().iter().zip(&mut levels) {
            if *level == Level::Off && self.selects(check, &rule.info.id) {
                let in_some_directory = self.configured.iter().find(|setting| {
                    setting.paths.is_some()
                        && setting.level != Level::Off
                        && names(&setting.rule, &rule.info.id)
                });
                *level = in_some_directory.map_or(Level::Off, |setting| setting.level);
            }
        }
        levels
    }

    /// The level of each rule in a directory, or without one where no override holds; and what
    /// decides it.
    pub(super) fn decided<'l>(
        &'l self,
        check: &'l Checker,
        dir: Option<&Path>,
    ) -> impl Iterator<Item = (Level, Decided<'l>)> + use<'l> {
        let is_in_force = |setting: &&Setting| match (&setting.paths, dir) {
            (None, _) => true,
            (Some(_), None) => false,
            // Each is asked, so that it is known which match nothing.
            (Some(globs), Some(dir)) => globs.iter().filter(|glob| glob.matches(dir)).count() > 0,
        };
        let configured: Vec<&Setting> = self.configured.iter().filter(is_in_force).collect();
        let level = move |(rule, unset): (&'l Rule, &'l Level)| {
            let mut last = self.last.iter().enumerate().rev();
            if let Some((index, (_, level))) =
                last.find(|(_, (name, _))| names(name, &rule.info.id))
            {
                return (*level, Decided::Last(index));
            }
            let mut set = configured.iter().rev();
            let set = set.find(|setting| names(&setting.rule, &rule.info.id));
            let why = set.map_or(Decided::Default, |it| Decided::Configured(&it.rule, &it.at));
            match set.map_or(*unset, |setting| setting.level) {
                _ if !self.selects(check, &rule.info.id) => (Level::Off, Decided::NotSelected),
                Level::Off if !self.selected.is_empty() => (Level::Warning, why),
                level => (level, why),
            }
        };
        check.rule_set().iter().zip(check.levels()).map(level)
    }
}
