//! The results of a walk and a check -> notes beside the report.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use super::{Setup, Validate};
use crate::cli::Exit;
use crate::cli::output::Output;
use crate::cli::period::Period;
use crate::cli::usage::given;
use crate::ground::finding::{Deny, Totals};
use crate::report::count;
use crate::store::{Dir, WalkFindings};

/// The number of directories with files and no record that are named.
const MAX_PASSED: usize = 3;

impl Validate {
    /// Prints notes beside the report.
    pub(super) fn tell(&self, notes: &[String], output: &Output) {
        if !self.quiet {
            for note in notes {
                output.note(note);
            }
        }
    }

    /// Says why nothing was checked, or not everywhere.
    pub(super) fn explain(
        &self,
        exit: Exit,
        totals: &Totals,
        (is_empty, exclusion): (bool, &str),
        matches: &ArgMatches,
        output: &Output,
    ) {
        let unchecked = totals.unchecked;
        match exit {
            Exit::NothingFound if unchecked > 0 => output.fault(&no_rule_is_on(unchecked)),
            Exit::NothingFound if !is_empty && !self.period.is_all() => {
                let period = given::<Period>(matches).join(" ");
                output.fault(&format!("no episode to check: none matches {period}"));
            }
            Exit::NothingFound => output.fault(&nothing_to_check(exclusion)),
            _ if unchecked > 0 && !self.quiet => output.note(&no_rule_is_on(unchecked)),
            Exit::Success if is_empty && !self.quiet => {
                output.note(&format!("no episode found{exclusion}"));
            }
            _ => {}
        }
    }

    /// Says what fails a check in which no error was found.
    pub(super) fn explain_failure(&self, exit: Exit, totals: &Totals, deny: Deny, output: &Output) {
        let is_impact = self.limits.fail_above.is_some();
        if exit != Exit::Findings || totals.errors > 0 || is_impact || self.quiet {
            return;
        }

        let mut denied = Vec::new();
        if deny.warnings && totals.warnings > 0 {
            let warnings = count(totals.warnings, "warning");
            denied.push(format!("{warnings} (--deny-warnings)"));
        }

        if deny.unjudged && totals.unjudged > 0 {
            let rules = count(totals.unjudged, "rule");
            denied.push(format!(
                "{rules} that could not be judged (--deny-unjudged)"
            ));
        }

        if let rules @ 1.. = totals.not_judged.rules
            && deny.unjudged
        {
            let rules = count(rules, "rule");
            denied.push(format!(
                "{rules} of the team that can't be judged on a part of the runs (--deny-unjudged)"
            ));
        }

        let denied = denied.join(" and ");
        output.note(&format!("the check fails because of {denied}"));
    }

    /// Names what the configuration holds in vain, and returns whether that fails the check.
    pub(super) fn refuses(
        &self,
        setup: &Setup<'_>,
        episodes: &[Dir],
        is_complete: bool,
        output: &Output,
    ) -> bool {
        let mut parents: Vec<PathBuf> = episodes
            .iter()
            .map(Dir::parent)
            .collect();
        parents.dedup();

        let dirs = parents
            .iter()
            .chain(&setup.paths)
            .map(PathBuf::as_path);
        let has_other_config = self.refuses_configs(setup, dirs, output);
        self.tell_outdated(setup, output);
        let has_idle_glob = is_complete && self.refuses_globs(setup, episodes, output);

        has_other_config || has_idle_glob
    }

    /// Names the files that look like the configuration and are not in force, and returns whether
    /// they fail the check.
    pub(super) fn refuses_configs<'d>(
        &self,
        setup: &Setup<'_>,
        dirs: impl IntoIterator<Item = &'d Path>,
        output: &Output,
    ) -> bool {
        let not_in_force = setup.file.not_in_force(dirs);
        for what in &not_in_force {
            if setup.strict_config {
                output.fault(what);
            } else if !self.quiet {
                output.note(what);
            }
        }

        self.strict_config && !not_in_force.is_empty()
    }

    /// Names the rules of the team that look for what recorders no longer write.
    pub(super) fn tell_outdated(&self, setup: &Setup<'_>, output: &Output) {
        let outdated = setup.gate.outdated_rules().into_iter();
        for what in outdated.filter(|_| !self.quiet) {
            output.note(&what);
        }
    }

    /// Names the globs and selectors of the configuration that match nothing, and returns whether
    /// they fail the check.
    pub(super) fn refuses_globs(
        &self,
        setup: &Setup<'_>,
        episodes: &[Dir],
        output: &Output,
    ) -> bool {
        let is_part = self.changed_since.is_some() || !self.period.is_all();
        if is_part || self.files_from.is_some() {
            return false;
        }

        let given: BTreeSet<&Path> = setup
            .paths
            .iter()
            .map(PathBuf::as_path)
            .collect();
        let are_episodes: LazyCell<BTreeSet<PathBuf>, _> = LazyCell::new(|| {
            episodes
                .iter()
                .map(Dir::path)
                .filter(|path| given.contains(&**path))
                .collect()
        });
        let is_episode = |path: &Path| are_episodes.contains(path);
        let globs = setup
            .gate
            .unmet_globs(&setup.paths, is_episode);
        let selectors = setup
            .gate
            .unmet_selectors(&setup.paths, is_episode);
        let unmet = globs
            .into_iter()
            .map(|glob| (glob, true))
            .chain(selectors);
        let mut is_refused = false;

        for (what, is_mistake) in unmet {
            if setup.strict_config && is_mistake {
                is_refused = true;
                output.fault(&what);
            } else if !self.quiet {
                output.note(&what);
            }
        }

        is_refused
    }
}

/// Returns notes on what a walk passed over: what other programs wrote, paths without runs beside
/// others, and directories that hold files and no record.
pub(in crate::cli) fn skipped(found: &WalkFindings) -> Vec<String> {
    let mut notes = Vec::new();
    if !found.foreign.is_empty() {
        notes.push(passed_over(found.foreign.len()));
    }

    let (named, more) = found
        .passed
        .split_at(found.passed.len().min(MAX_PASSED));
    notes.extend(named.iter().map(ToString::to_string));
    if !more.is_empty() {
        let more = count(more.len() as u64, "directory");
        notes.push(format!(
            "{more} more without a record of a run, or with files that may be records"
        ));
    }

    notes
}

/// That directories are not episodes, because another program wrote what they hold.
pub(in crate::cli) fn passed_over(foreign: usize) -> String {
    format!(
        "skipped {} whose only artifact is a state.json of another program; to check one, give its path",
        count(foreign as u64, "directory")
    )
}

pub(super) fn no_rule_is_on(unchecked: u64) -> String {
    let episodes = count(unchecked, "episode");
    format!("no rule is on that applies to {episodes}, so nothing was checked there")
}

fn nothing_to_check(exclusion: &str) -> String {
    if !exclusion.is_empty() {
        return format!("no episode to check{exclusion}");
    }

    "no episode found; an episode is a directory with state.json or events.jsonl, or a directory \
     with summary.json below one called episodes; docs/bring-your-runs.md says how logs and traces \
     of other programs become episodes"
        .into()
}
