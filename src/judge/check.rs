//! One episode -> its report: the findings of the rules, at their levels.

mod across;
mod causes;
mod coverage;
mod findings;
mod globs;
mod judge;
mod levels;
mod locate;
mod moment;
mod rule_list;
mod worker;

use across::AcrossRuns;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use crate::ground::finding::{Level, RuleInfo, Skip};
use crate::ground::parallel::cores;
use crate::ground::parallel::locked;
use crate::judge::load::LoadRequest;
use crate::judge::rule::{Check, OnDemand};
use crate::judge::rules::{self, Error, RuleSet};
#[cfg(test)]
use crate::policy::team::Team;
use crate::policy::team::TeamJudges;
use crate::reading::facts::Stage;
use crate::store::EpisodeDir;
use crate::store::LinkPolicy;

pub(crate) use globs::{Base, DirectoryGlob, relative};
pub(crate) use levels::{Decided, LevelSetting, Levels};
pub(crate) use moment::{LiveChecker, WrittenLine};
pub(crate) use rule_list::RuleList;
pub(crate) use worker::Worker;

/// The rules, their levels, and how episodes are checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckSettings {
    pub(crate) rules: RuleSet,
    pub(crate) levels: Levels,
    /// The directory that globs of levels start from.
    pub(crate) base: Base,
    /// The rules that must judge each run that has ended, by their places.
    pub(crate) required: BTreeSet<usize>,
    /// One on each core, unless a number is set.
    pub(crate) jobs: Option<NonZeroUsize>,
    pub(crate) links: LinkPolicy,
    /// `true` if each report keeps the data that a list of runs shows of its run.
    pub(crate) keep_cards: bool,
    /// `true` if each report has the digests of the files of its run.
    pub(crate) seals: bool,
    /// `true` if each report has the coverage of each rule that is on.
    pub(crate) keep_coverage: bool,
}

impl CheckSettings {
    /// Returns the number of episodes that are checked in parallel. Asking for the number of cores
    /// takes as long as a small episode, so it is asked for where many are checked.
    pub(crate) fn parallelism(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(cores)
    }

    /// Requires a rule, or a group such as `plan/*`, to judge each run that has ended.
    pub(crate) fn require(&mut self, name: &str) -> Result<(), Error> {
        self.rules.must_have(name)?;
        let required = self
            .rules
            .placed()
            .filter(|of| rules::names(name, &of.rule.info.id));
        self.required
            .extend(required.map(|of| of.index));

        Ok(())
    }

    /// Returns `true` if no rule is on, at these levels, that applies to a run.
    fn judges_nothing_of(&self, levels: &[Level], run: &Stage<'_>) -> bool {
        let team = self.rules.team();
        let mut on = self
            .rules
            .iter()
            .zip(levels)
            .filter(|(_, level)| **level != Level::Off);

        !on.any(|(rule, _)| rule.subject.has(run, team))
    }

    fn is_covered(&self) -> bool {
        self.keep_coverage || !self.required.is_empty()
    }
}

/// The settings of a check with their consequences; all threads share it.
#[derive(Debug)]
pub(crate) struct Checker {
    settings: CheckSettings,
    /// The level of each rule, off only where the rule is off in every directory.
    levels: Arc<[Level]>,
    /// The data that the rules that are on read in addition to that which is always read.
    request: LoadRequest,
    /// What rules over all runs found, where all are looked at.
    across: Mutex<Option<Arc<AcrossRuns>>>,
}

/// Returns all built-in rules; [`Gate::rules`](crate::gate::Gate::rules) has those of a team
/// besides.
///
/// ```
/// assert!(runvet::gate::all_rules().any(|rule| rule.id == "lifecycle/links"));
/// ```
pub fn all_rules() -> impl Iterator<Item = &'static RuleInfo> {
    rules::ALL.iter().map(|rule| &rule.info)
}

/// Returns the data that the rules that are on read in addition to that which is always read.
fn load_request(rules: &RuleSet, levels: &[Level]) -> LoadRequest {
    let on = || {
        rules
            .iter()
            .zip(levels)
            .filter(|(_, level)| **level != Level::Off)
    };

    let of_team = on().filter_map(|(rule, level)| match rule.check {
        Check::Team(check) => Some((check, *level == Level::Ask)),
        Check::BuiltIn(_) | Check::Hook => None,
    });
    let mut request = LoadRequest {
        team: TeamJudges::new(rules.team(), of_team),
        ..LoadRequest::default()
    };

    for part in on().flat_map(|(rule, _)| rule.reads) {
        match part {
            OnDemand::EveryEvent => request.every_event = true,
            OnDemand::EventIds => request.strict.ids = true,
            OnDemand::DatedActs => request.strict.acts = true,
            OnDemand::Prefixes => request.strict.prefixes = true,
            OnDemand::RepeatedKeys => request.strict.repeated_keys = true,
            OnDemand::LearnLines => request.learn_lines = true,
            OnDemand::NamedFiles => request.named_files = true,
            OnDemand::AllFiles => request.all_files = true,
        }
    }

    request
}

impl Checker {
    pub(crate) fn new(settings: CheckSettings) -> Self {
        let levels = settings.levels_anywhere();
        Self {
            request: LoadRequest {
                calls: settings.keep_cards,
                ..load_request(&settings.rules, &levels)
            },
            levels: levels.into(),
            settings,
            across: Mutex::default(),
        }
    }

    /// Has the rules over all runs judge these, or, without them, none.
    pub(crate) fn look_across(&self, runs: Option<&[EpisodeDir]>, jobs: NonZeroUsize) {
        let found = runs.and_then(|runs| AcrossRuns::of(self, runs, jobs));
        *locked(&self.across) = found.map(Arc::new);
    }

    /// Returns `true` if a rule that is on looks at all runs.
    pub(crate) fn looks_across(&self) -> bool {
        self.team().across().is_some()
    }

    pub(crate) fn settings(&self) -> &CheckSettings {
        &self.settings
    }

    /// Returns the declarations of the team, as far as they are on.
    pub(crate) fn team(&self) -> &TeamJudges {
        &self.request.team
    }

    /// Returns `true` if the files that a manifest names are read.
    pub(crate) fn reads_named_files(&self) -> bool {
        self.request.named_files || self.request.all_files
    }
}

/// Sorts skips and drops duplicates.
fn tidy(mut skips: Vec<Skip>) -> Vec<Skip> {
    skips.sort_by(|a, b| a.order().cmp(&b.order()));
    skips.dedup_by(|a, b| a.order() == b.order());
    skips
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::draft::Compared;
    use crate::ground::source::{Artifact, EpisodeKey, Place};
    use crate::judge::rule::Rule;
    use crate::store::InMemory;

    #[test]
    fn rule_made_at_run_time_is_one_like_any_other() {
        let info = RuleInfo {
            id: format!("{}/refund-limit", "acme").into(),
            level: Level::Off,
            title: "a refund is too high".to_owned().into(),
            hint: "Ask first.".to_owned().into(),
            page: String::new().into(),
            url: None,
            tags: Vec::new(),
            holds: None,
        };
        let rule = Rule::with_info(
            info,
            Check::BuiltIn(|ctx| {
                ctx.at(Place::whole(Artifact::Events), "too high");
                Some(Compared)
            }),
        );
        let settings = CheckSettings {
            rules: RuleSet::with(vec![rule], Team::default()),
            ..CheckSettings::default()
        };
        let found = |settings: &CheckSettings| {
            let checker = Arc::new(Checker::new(settings.clone()));
            let mut worker = Worker::new(checker);
            let (files, key) = (InMemory::default(), EpisodeKey::from("ep_1"));
            let (mut report, ()) = worker.artifacts(&key, None, &files, None, |_| ());
            report
                .findings
                .retain(|finding| finding.rule == "acme/refund-limit");
            report.findings
        };
        assert_eq!(found(&settings), []);
        let misspelled = settings
            .rules
            .must_have("acme/refund-limits")
            .unwrap_err()
            .to_string();
        assert!(
            misspelled.ends_with("did you mean `acme/refund-limit`?"),
            "{misspelled}"
        );
        let mut settings = settings;
        settings.levels.last = vec![LevelSetting {
            paths: None,
            rule: "acme/*".to_owned(),
            level: Level::Warning,
            origin: String::new(),
        }];
        let [finding] = &*found(&settings) else {
            panic!()
        };
        assert_eq!(
            (&*finding.message, &*finding.help),
            ("too high", "Ask first.")
        );
        assert_eq!(finding.rule_index, Some(rules::ALL.len()));
    }
}
