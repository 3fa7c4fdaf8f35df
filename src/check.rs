//! Episodes and records -> reports, in which every finding counts.

mod causes;
mod coverage;
mod findings;
mod judge;
#[cfg(test)]
pub(crate) mod linear;
mod locate;
mod moment;
#[cfg(any(feature = "cli", test))]
mod rule_list;
mod session;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use crate::finding::{EpisodeReport, Level, RuleInfo, Skip};
use crate::load::Wanted;
use crate::parallel::{cores, in_order};
use crate::rule::{Check, Record, Rule};
use crate::rules::{self, RuleSet};
#[cfg(test)]
use crate::source::Artifact;
use crate::source::EpisodeKey;
use crate::store::{self, Artifacts, AsEpisodeDir, Excludes, Fault, Found, Given};
#[cfg(test)]
use crate::team::Team;
use crate::team::{TeamCheck, TeamJudges};

pub(crate) use coverage::fit_coverage;
pub(crate) use moment::{LiveChecker, Written};
#[cfg(any(feature = "cli", test))]
pub(crate) use rule_list::RuleList;
pub(crate) use session::CheckSession;

/// The number of attempts to read an episode while it is being written.
const MAX_READINGS: usize = 5;

/// Why run data could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No rule, and no group of rules, has that name.
    #[error("there is no rule called `{name}`{}", suggestion(.nearest.as_deref()))]
    UnknownRule {
        /// The name.
        name: String,
        /// The rule or group with the most similar name, if any.
        nearest: Option<String>,
    },
    /// A path could not be read.
    #[error(transparent)]
    Fault(#[from] Fault),
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// The rules with their levels, and how runs are read: ready to check.
#[derive(Clone, Debug)]
pub(crate) struct Checker {
    rules: RuleSet,
    /// One for each of the rules.
    levels: Vec<Level>,
    /// What the rules that are on read in addition to what is always read.
    wanted: Wanted,
    /// One on each core, unless a number was set.
    jobs: Option<NonZeroUsize>,
    follow_links: bool,
    keeps_cards: bool,
    keeps_coverage: bool,
    /// The rules that must judge each run that has ended, by their places.
    required: Vec<usize>,
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

/// All built-in rules; [`Gate::rules`](crate::gate::Gate::rules) has those of a team besides.
///
/// ```
/// assert!(runvet::gate::all_rules().any(|rule| rule.id == "lifecycle/links"));
/// ```
pub fn all_rules() -> impl Iterator<Item = &'static RuleInfo> {
    rules::ALL.iter().map(|rule| &rule.info)
}

/// Whether the name of a rule, of a group such as `plan/*`, or `*` names a rule.
pub(crate) fn names(name: &str, rule: &str) -> bool {
    let is_in = |group: &str| (group.is_empty() || group.ends_with('/')) && rule.starts_with(group);
    name == rule || name.strip_suffix('*').is_some_and(is_in)
}

fn unknown_rule(rules: &RuleSet, name: &str) -> Error {
    let ids = || rules.iter().map(|rule| &*rule.info.id);
    let wanted = name.trim_end_matches(['*', '/']);
    let distance = |known: &&str| strsim::osa_distance(wanted, known);
    let last_part = |known: &str| known.split('/').next_back() == wanted.split('/').next_back();
    let nearest = if wanted.contains('/') {
        let near = ids().filter(|known| distance(known) <= 3 || last_part(known));
        near.min_by_key(distance).map(str::to_owned)
    } else if wanted == "all" {
        Some("*".to_owned())
    } else {
        // A group, or a rule without its group.
        let parts = ids().filter_map(|id| Some((id, id.split_once('/')?)));
        let near = parts.flat_map(|(id, (group, rule))| {
            let of_group = (distance(&group), 0, format!("{group}/*"));
            [of_group, (distance(&rule), 1, id.to_owned())]
        });
        let near = near.filter(|(distance, ..)| *distance <= 2);
        near.min().map(|(.., name)| name)
    };
    Error::UnknownRule {
        name: crate::printable::brief(name),
        nearest,
    }
}

/// What the rules that are on read in addition to what is always read.
fn wanted(rules: &RuleSet, levels: &[Level]) -> Wanted {
    let on = || {
        let rules = rules.iter().zip(levels);
        rules.filter(|(_, level)| **level != Level::Off)
    };
    let mut wanted = Wanted {
        team: TeamJudges::new(rules.team(), on().filter_map(|(rule, _)| team_check(rule))),
        ..Wanted::default()
    };
    for record in on().flat_map(|(rule, _)| rule.reads) {
        match record {
            Record::EveryEvent => wanted.every_event = true,
            Record::EventIds => wanted.event_ids = true,
            Record::LearnLines => wanted.learn_lines = true,
            Record::NamedFiles => wanted.named_files = true,
            _ => {}
        }
    }
    wanted
}

/// The declaration of a team that a rule checks.
fn team_check(rule: &Rule) -> Option<TeamCheck> {
    match rule.check {
        Check::Team(check) => Some(check),
        _ => None,
    }
}

impl Checker {
    /// A check with every rule at its default level, on all cores, that follows no links.
    pub(crate) fn new() -> Self {
        let none = Self {
            rules: RuleSet::default(),
            levels: Vec::new(),
            wanted: Wanted::default(),
            jobs: None,
            follow_links: false,
            keeps_cards: false,
            keeps_coverage: false,
            required: Vec::new(),
        };
        none.with_rules(RuleSet::default())
    }

    /// This check with the default levels of other rules.
    pub(crate) fn with_rules(self, rules: RuleSet) -> Self {
        let levels: Vec<Level> = rules.iter().map(|rule| rule.info.level).collect();
        Self {
            wanted: wanted(&rules, &levels),
            rules,
            levels,
            ..self
        }
    }

    /// Refuses the name of a rule, or of a group such as `plan/*`, that names no rule.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`], with the most similar name.
    pub(crate) fn must_know(&self, name: &str) -> Result<(), Error> {
        if self.rules().any(|rule| names(name, &rule.id)) {
            Ok(())
        } else {
            Err(unknown_rule(&self.rules, name))
        }
    }

    /// Sets the level of a rule, or of a group.
    #[cfg(test)]
    pub(crate) fn level(self, name: &str, level: Level) -> Self {
        let levels = self.rules.iter().zip(&self.levels);
        let levels = levels.map(|(rule, was)| {
            if names(name, &rule.info.id) {
                level
            } else {
                *was
            }
        });
        self.with_levels(levels.collect())
    }

    /// The rules that can be on: the built-in ones, then those of the team whose configuration the
    /// check follows.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &RuleInfo> {
        self.rules.iter().map(|rule| &rule.info)
    }

    /// The rule with an id.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`], with the most similar name.
    pub(crate) fn find_rule(&self, name: &str) -> Result<&RuleInfo, Error> {
        let mut rules = self.rules();
        rules
            .find(|rule| rule.id == name)
            .ok_or_else(|| unknown_rule(&self.rules, name))
    }

    /// What the team declares, as far as it is on.
    pub(crate) fn team(&self) -> &TeamJudges {
        &self.wanted.team
    }

    /// The rules with how each is checked.
    pub(crate) fn rule_set(&self) -> &RuleSet {
        &self.rules
    }

    /// The level of each rule, in their order.
    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Whether the files that a manifest names are read.
    #[cfg(feature = "cli")]
    pub(crate) fn reads_named_files(&self) -> bool {
        self.wanted.named_files
    }

    /// This check with other levels.
    pub(crate) fn with_levels(&self, levels: Vec<Level>) -> Self {
        Self {
            wanted: wanted(&self.rules, &levels),
            rules: self.rules.clone(),
            levels,
            required: self.required.clone(),
            ..*self
        }
    }

    /// Sets how many episodes are checked in parallel; the report does not depend on it.
    pub(crate) fn jobs(mut self, jobs: NonZeroUsize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// The number of episodes that are checked in parallel. Asking for the number of cores takes as
    /// long as a small episode, so it is asked for where many are checked.
    pub(crate) fn parallelism(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(cores)
    }

    /// A check of one episode after the other, which keeps its buffers between them.
    pub(crate) fn session(&self) -> CheckSession {
        CheckSession::new(self, self.jobs)
    }

    /// Sets whether an artifact may be a symbolic link to a file inside its episode's directory.
    /// Links that lead out of it are never followed, because they could make runvet read any file.
    pub(crate) fn follow_links(mut self, follow: bool) -> Self {
        self.follow_links = follow;
        self
    }

    /// Whether an artifact may be a symbolic link.
    pub(crate) fn follows_links(&self) -> bool {
        self.follow_links
    }

    /// Sets whether each report also keeps what a list of runs shows of its run.
    pub(crate) fn keep_cards(mut self, keep: bool) -> Self {
        self.keeps_cards = keep;
        self
    }

    /// Sets whether each report also says of each rule that is on whether it found something,
    /// compared something, had nothing to compare, or was skipped.
    pub(crate) fn keep_coverage(mut self, keep: bool) -> Self {
        self.keeps_coverage = keep;
        self
    }

    /// Requires a rule, or a group such as `plan/*`, to judge each run that has ended. Where a rule
    /// has nothing to compare, can't be checked, or is off, `coverage/required` has a finding.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has the name.
    pub(crate) fn require(mut self, name: &str) -> Result<Self, Error> {
        let required = self.rules.placed();
        let required = required.filter(|of| names(name, &of.rule.info.id));
        let places: Vec<usize> = required.map(|of| of.index).collect();
        if places.is_empty() {
            return Err(unknown_rule(&self.rules, name));
        }
        self.required.extend(places);
        self.required.sort_unstable();
        self.required.dedup();
        Ok(self)
    }

    /// Whether any rule is required.
    pub(crate) fn requires_any(&self) -> bool {
        !self.required.is_empty()
    }

    /// The ids of the rules that are required.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.required.iter();
        required.filter_map(|index| Some(&*self.rules.get(*index)?.info.id))
    }

    /// Finds the episodes below paths, but opens no directory that is excluded.
    pub(crate) fn search<P: AsRef<Path>>(
        &self,
        paths: &[P],
        excludes: Excludes<'_>,
        given: Given,
    ) -> Found {
        store::discover(paths, self.parallelism(), excludes, given)
    }

    /// Checks episodes in parallel, and passes each report to `take` in the order of the episodes,
    /// as soon as all before it are done. The check stops early when `take` says so. An episode
    /// whose directory can't be opened is a fault.
    pub(crate) fn each_of<E: AsEpisodeDir>(
        &self,
        episodes: &[E],
        take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) {
        let jobs = self.parallelism();
        in_order(
            episodes,
            jobs,
            || CheckSession::new(self, Some(jobs)),
            |session, episode| session.episode(&episode.as_episode_dir()),
            take,
        );
    }

    /// Checks records that are not on a disk: the artifacts of one episode, each with its content.
    #[cfg(test)]
    pub(crate) fn records(&self, id: &str, records: &[(Artifact, &[u8])]) -> EpisodeReport {
        self.session().records(id, records)
    }

    /// Checks an episode whose artifacts come from anywhere: from memory, from a directory, or from
    /// another implementation of [`Artifacts`], such as one that reads a store of objects.
    ///
    /// The key is the location of the episode, as the report prints it; the id is the one that its
    /// records must have. Without an id, the records only need to agree with each other.
    pub(crate) fn artifacts(
        &self,
        key: &EpisodeKey,
        id: Option<&str>,
        artifacts: &dyn Artifacts,
    ) -> EpisodeReport {
        self.session().artifacts(key, id, artifacts)
    }
}

/// Refuses a given path that can't be checked.
pub(crate) fn given_path(faults: &mut Vec<Fault>) -> Result<(), Fault> {
    match faults.iter().position(Fault::is_of_given_path) {
        Some(at) => Err(faults.swap_remove(at)),
        None => Ok(()),
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
    use crate::draft::Compared;
    use crate::source::Place;

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
        };
        let rule = Rule::with_info(
            info,
            Check::Run(|_, findings| {
                findings.at(Place::whole(Artifact::Events), "too high");
                Compared::Something
            }),
        );
        let check = Checker::new().with_rules(RuleSet::with(vec![rule], Team::default()));
        let found = |check: &Checker| {
            let mut report = check.records("ep_1", &[]);
            report
                .findings
                .retain(|finding| finding.rule == "acme/refund-limit");
            report.findings
        };
        assert_eq!(found(&check), []);
        let misspelled = check.must_know("acme/refund-limits");
        let misspelled = misspelled.unwrap_err().to_string();
        assert!(
            misspelled.ends_with("did you mean `acme/refund-limit`?"),
            "{misspelled}"
        );
        let check = check.level("acme/*", Level::Warning);
        let [finding] = &*found(&check) else { panic!() };
        assert_eq!(
            (&*finding.message, &*finding.help),
            ("too high", "Ask first.")
        );
        assert_eq!(finding.rule_index, Some(rules::ALL.len()));
    }
}
