//! Names and globs of the configuration -> those that there are, and mistakes in the others.

use toml::Spanned;

use crate::gate::config::{Config, ConfigError, ConfigSource, Origin, Rules};
use crate::ground::finding::{Holds, Level};
use crate::judge::check::{DirectoryGlob, LevelSetting, Levels};
use crate::judge::rule::{Check, Rule, TeamCheck};
use crate::judge::rules::{Error, MANIFEST, RuleSet, UNENDED, names};

/// A reader of the text of a configuration, which notes its mistakes.
pub(super) struct ConfigReader<'f> {
    pub(super) file: ConfigSource<'f>,
    pub(super) rules: RuleSet,
    pub(super) mistakes: Vec<ConfigError>,
}

impl ConfigReader<'_> {
    fn mistake(&mut self, at: &Spanned<String>, message: String, help: Option<String>) {
        let mistake = self
            .file
            .error(at.span(), message, help);
        self.mistakes.push(mistake);
    }

    /// Returns a glob, if it is valid.
    pub(super) fn glob(&mut self, glob: &Spanned<String>) -> Option<DirectoryGlob> {
        let place = self.file.place(&glob.span());
        DirectoryGlob::new(glob.get_ref(), &place)
            .map_err(|reason| self.mistake(glob, format!("invalid glob: {reason}"), None))
            .ok()
    }

    /// Refuses a name that no rule and no group has.
    pub(super) fn know_rule(&mut self, rule: &Spanned<String>) {
        if let Err(Error::UnknownRule { name, nearest }) = self.rules.must_have(rule.get_ref()) {
            let help = match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "`runvet rules` lists the rules".to_owned(),
            };
            let message = format!("there is no rule called `{name}`");
            self.mistake(rule, message, Some(help));
        }
    }

    /// Refuses to ask people about what rules find that don't hold back.
    fn must_hold_back(&mut self, name: &Spanned<String>, level: Level) {
        let asks = |rule: &Rule| {
            let is_asking = matches!(
                rule.check,
                Check::Team(TeamCheck::Order(_) | TeamCheck::Rule(_)) | Check::Hook
            );
            is_asking && rule.info.holds == Some(Holds::Before)
        };

        let other = self
            .rules
            .iter()
            .filter(|rule| names(name.get_ref(), &rule.info.id))
            .find(|rule| !asks(rule));
        if let Some(other) = other.filter(|_| level == Level::Ask) {
            let message = format!(
                "the level `ask` is only for orders and rules that hold back, and `{}` is none",
                other.info.id
            );
            self.mistake(name, message, None);
        }

        let of_hook = self.rules.iter().find(|rule| {
            let is_meant = name.get_ref() != "*" && names(name.get_ref(), &rule.info.id);
            is_meant && matches!(rule.check, Check::Hook)
        });

        if let Some(rule) = of_hook.filter(|_| level == Level::Warning) {
            let message = format!(
                "`{}` has no level `warning`: it asks (`ask`), refuses (`error`) or is `off`",
                rule.info.id
            );
            self.mistake(name, message, None);
        }
    }

    /// Adds the levels that the configuration sets.
    pub(super) fn levels(&mut self, config: &Config, levels: &mut Levels) {
        let file = self.file;
        let mut set = |origin: &Origin, rule: &str, level| {
            levels.configured.push(LevelSetting {
                paths: None,
                rule: rule.to_owned(),
                level,
                origin: file.origin(origin),
            });
        };

        if let Some(profile) = &config.profile {
            set(&profile.origin, "strict/*", Level::Error);
        }

        for (switch, rules) in [
            (&config.verify_manifest, &MANIFEST[..]),
            (&config.require_ended, &[UNENDED]),
        ] {
            for switch in switch.iter().filter(|it| it.value) {
                for (rule, level) in rules {
                    set(&switch.origin, &rule.info.id, *level);
                }
            }
        }

        for rule in &config.select {
            self.know_rule(rule);
            levels
                .selected
                .push(rule.get_ref().clone());
        }

        self.levels_in(None, &config.rules, levels);
        for within in &config.overrides {
            let paths: Vec<DirectoryGlob> = within
                .paths
                .iter()
                .filter_map(|glob| self.glob(glob))
                .collect();
            self.levels_in(Some(&paths), &within.rules, levels);
        }
    }

    fn levels_in(&mut self, paths: Option<&[DirectoryGlob]>, rules: &Rules, levels: &mut Levels) {
        // A rule takes precedence over its group, and a group over all rules, in any order.
        let mut rules: Vec<_> = rules.iter().collect();
        rules.sort_by_key(|(rule, _)| match rule.get_ref().as_str() {
            "*" => 0,
            name if name.ends_with('*') => 1,
            _ => 2,
        });

        for (rule, level) in rules {
            self.know_rule(rule);
            self.must_hold_back(rule, *level.get_ref());
            levels.configured.push(LevelSetting {
                paths: paths.map(<[DirectoryGlob]>::to_vec),
                rule: rule.get_ref().clone(),
                level: *level.get_ref(),
                origin: self.file.place(&rule.span()),
            });
        }
    }
}
