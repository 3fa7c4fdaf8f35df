//! All rules: each has a file with its static data and its check, and a page next to it.

mod actions;
pub(super) mod coverage;
mod episode;
mod events;
mod hook;
mod lifecycle;
mod manifest;
mod names;
mod plan;
mod projection;
mod record;
mod record_rules;
mod recorder;
mod started_at;
mod state;
mod strict;
mod summary;
mod team;
mod unique_ids;

use std::fmt;
use std::sync::Arc;

use crate::ground::finding::Level;
use crate::judge::rule::{Check, PlacedRule, Rule};
use crate::policy::team::Team;
pub use names::Error;
pub(crate) use names::names;
pub(crate) use plan::plan_difference;

/// The rules that compare files with the manifest, and the levels that they get together.
pub(crate) static MANIFEST: [(&Rule, Level); 2] = [
    (&manifest::digest::RULE, Level::Error),
    (&manifest::unlisted::RULE, Level::Warning),
];

/// The rule that finds a run that has not ended, and the level that it gets where runs must have.
pub(crate) static UNENDED: (&Rule, Level) = (&lifecycle::unended::RULE, Level::Error);

/// The rules of a check: the built-in ones, then those that are made at run time.
#[derive(Clone, Default)]
pub(crate) struct RuleSet {
    made: Arc<[Rule]>,
    team: Arc<Team>,
}

impl RuleSet {
    /// Returns the built-in rules and those of a team.
    pub(super) fn with(made: Vec<Rule>, team: Team) -> Self {
        Self {
            made: made.into(),
            team: team.into(),
        }
    }

    /// Returns the built-in rules and those that a team declares.
    pub(crate) fn of_team(team: Team) -> Self {
        let made = team
            .infos
            .iter()
            .cloned()
            .map(|(info, check)| Rule::with_info(info, Check::Team(check)));

        Self::with(made.collect(), team)
    }

    /// Returns the declarations of the team.
    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.team
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rule> {
        ALL.iter().copied().chain(&*self.made)
    }

    /// Returns each rule with its place.
    pub(super) fn placed(&self) -> impl Iterator<Item = PlacedRule<'_>> {
        self.iter()
            .enumerate()
            .map(|(index, rule)| PlacedRule { rule, index })
    }

    /// Returns each rule that was made at run time with its place.
    pub(super) fn placed_made(&self) -> impl Iterator<Item = PlacedRule<'_>> {
        self.made
            .iter()
            .zip(ALL.len()..)
            .map(|(rule, index)| PlacedRule { rule, index })
    }

    /// Returns the level of the rule with an id, given those of all.
    pub(crate) fn level_of(&self, levels: &[Level], id: &str) -> Level {
        self.iter()
            .zip(levels)
            .find(|(rule, _)| rule.info.id == id)
            .map_or(Level::Error, |(_, level)| *level)
    }

    /// Returns the rule at an index in this set.
    pub(crate) fn own(&self, index: usize) -> &Rule {
        self.iter()
            .nth(index)
            .unwrap_or_else(|| unreachable!())
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.iter().map(|rule| &rule.info.id);
        f.debug_list().entries(ids).finish()
    }
}

/// Every built-in rule, in the order in which they are explained.
pub(crate) static ALL: &[&Rule] = &[
    &record::unreadable::RULE,
    &record::json_syntax::RULE,
    &record::duplicate_key::RULE,
    &record::misspelled_field::RULE,
    &state::version::RULE,
    &state::newer_version::RULE,
    &state::schema::RULE,
    &state::missing::RULE,
    &state::not_yet::RULE,
    &summary::version::RULE,
    &summary::newer_version::RULE,
    &summary::schema::RULE,
    &summary::verification::RULE,
    &summary::success::RULE,
    &summary::counts::RULE,
    &summary::vetoes::RULE,
    &summary::directions::RULE,
    &summary::learning::RULE,
    &summary::latencies::RULE,
    &summary::adapter::RULE,
    &summary::branching_factor::RULE,
    &summary::adherence_precision::RULE,
    &summary::mode::RULE,
    &events::syntax::RULE,
    &events::torn_tail::RULE,
    &events::unfinished_line::RULE,
    &events::schema::RULE,
    &events::missing::RULE,
    &events::misspelled::RULE,
    &events::second_start::RULE,
    &events::repeated_line::RULE,
    &episode::id::RULE,
    &episode::task::RULE,
    &episode::tags::RULE,
    &started_at::start_event::RULE,
    &started_at::summary::RULE,
    &lifecycle::links::RULE,
    &lifecycle::link_target::RULE,
    &lifecycle::learn_missing::RULE,
    &lifecycle::artifacts::RULE,
    &lifecycle::early_artifacts::RULE,
    &lifecycle::outcome::RULE,
    &lifecycle::ending::RULE,
    &lifecycle::unended::RULE,
    &projection::missing::RULE,
    &projection::not_yet::RULE,
    &projection::digest::RULE,
    &projection::outcomes::RULE,
    &projection::links::RULE,
    &projection::stale::RULE,
    &plan::step_ids::RULE,
    &plan::projection::RULE,
    &plan::legacy_labels::RULE,
    &plan::no_event::RULE,
    &plan::still_running::RULE,
    &actions::ids::RULE,
    &actions::mirror::RULE,
    &actions::content::RULE,
    &actions::unrecorded::RULE,
    &recorder::lost::RULE,
    &strict::time_order::RULE,
    &strict::event_ids::RULE,
    &strict::duplicate_key::RULE,
    &strict::prefix::RULE,
    &strict::ending::RULE,
    &strict::durations::RULE,
    &strict::agreement::RULE,
    &strict::steps::RULE,
    &strict::action_times::RULE,
    &strict::outcome_metrics::RULE,
    &strict::assertions::RULE,
    &strict::learn::RULE,
    &manifest::digest::RULE,
    &manifest::unlisted::RULE,
    &team::vocabulary::RULE,
    &coverage::required::RULE,
    &hook::own_files::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::finding::UNREADABLE;

    #[test]
    fn rule_that_skips_ask_for_exists() {
        assert_eq!(record::unreadable::RULE.info.id, UNREADABLE);
    }

    #[test]
    fn rule_follows_from_the_phase_that_it_misses() {
        for rule in ALL {
            let is_known = |word: &str| rule.follows_from.contains(&word);
            assert!(rule.misses.is_none_or(is_known), "{}", rule.info.id);
        }
    }
}
