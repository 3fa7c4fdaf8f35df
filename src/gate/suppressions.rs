//! Ignores and the baseline -> the findings of a report that count, and the entries that are no
//! longer needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Baseline;
use super::baseline::{AcceptedFinding, KnownSkips};
use super::ignores::Ignored;
use crate::ground::finding::{EpisodeReport, Finding, Level, Skip, Suppressed, Suppression};
use crate::ground::printable::escape;
use crate::judge::check::{self, Base, Checker, relative};
use crate::report::count;
use crate::store::is_gone;

/// Vanished findings that are listed by name; the rest are counted.
const MAX_NAMED: usize = 10;

/// Entries of the baseline that no longer exist: the first are named, the rest counted, so that
/// their memory does not grow with the baseline.
#[derive(Clone, Debug, Default)]
struct Vanished {
    named: Vec<String>,
    unnamed: usize,
}

impl Vanished {
    fn add(&mut self, what: String, findings: usize) {
        if self.named.len() < MAX_NAMED {
            self.named.push(what);
        } else {
            self.unnamed += findings;
        }
    }
}

/// The findings and skips that do not count, and which of their entries were of use.
#[derive(Clone, Debug, Default)]
pub(super) struct Suppressions {
    pub(super) ignored: Vec<Ignored>,
    pub(super) baseline: Option<Baseline>,
    /// `true` if findings are added to the baseline instead of being searched in it.
    pub(super) records: bool,
    /// Directories in the baseline that were not judged, with their numbers of findings.
    unjudged: BTreeMap<PathBuf, usize>,
    /// The entries of the baseline that no longer exist, with the numbers of findings.
    vanished: Vanished,
}

impl Suppressions {
    pub(super) fn set_baseline(&mut self, baseline: Option<Baseline>) {
        self.unjudged = baseline
            .iter()
            .flat_map(Baseline::dirs)
            .collect();
        self.baseline = baseline;
    }

    /// Uses the baseline for a copy of the run data, of which only a part of each path is known.
    pub(super) fn use_copy(&mut self) {
        self.baseline = self
            .baseline
            .as_ref()
            .map(Baseline::in_copy);
        self.unjudged.clear();
    }

    /// Forgets the entries that vanished in an earlier check.
    pub(super) fn begin(&mut self) {
        self.vanished = Vanished::default();
    }

    /// Moves the findings and skips of a report that do not count to the suppressed ones.
    pub(super) fn apply(&mut self, episode: &mut EpisodeReport, checker: &Checker) {
        if self.ignored.is_empty() && self.baseline.is_none() {
            return;
        }

        let check::CheckSettings { rules, base, .. } = checker.settings();
        let levels = checker.levels_of(&episode.key);
        let dir = base.relative(episode.key.as_path());
        let mut ignored: Vec<&mut Ignored> = self.ignored.iter_mut().collect();
        ignored.retain_mut(|ignored| ignored.covers(&dir, rules, &levels));
        suppress(episode, |finding| {
            let reason = ignored
                .iter_mut()
                .find_map(|it| it.apply(finding))?;
            Some((Suppression::Ignore, Some(reason)))
        });

        let level_of = |rule: &str| rules.level_of(&levels, rule);
        self.look_up(episode, base, |rule| level_of(rule) == Level::Off);
        episode.decide(level_of);
    }

    /// Suppresses the findings and skips that the baseline lists, and records those listed that
    /// have vanished.
    fn look_up(&mut self, episode: &mut EpisodeReport, base: &Base, is_off: impl Fn(&str) -> bool) {
        let Some(baseline) = &mut self.baseline else {
            return;
        };
        let dir = relative(episode.key.as_path(), &baseline.dir, &base.here);
        self.unjudged.remove(&dir);
        if self.records {
            baseline.add(&dir, episode);
        }

        let mut listed: BTreeMap<&str, &AcceptedFinding> = baseline
            .of(&dir)
            .map(|known| (&*known.fingerprint, known))
            .collect();
        suppress(episode, |finding| {
            take(&mut listed, finding)?;
            Some((Suppression::Baseline, None))
        });
        // A finding has not vanished if it is ignored, was not judged, or its rule is off.
        for suppressed in &episode.suppressed {
            take(&mut listed, &suppressed.finding);
        }

        let unjudged: BTreeSet<&str> = episode
            .skipped
            .iter()
            .map(|skip| &*skip.rule)
            .collect();
        let is_judged = |rule: &str| !is_off(rule) && !unjudged.contains(rule);
        let vanished: BTreeSet<&AcceptedFinding> = listed.into_values().collect();
        for known in vanished
            .into_iter()
            .filter(|it| is_judged(&it.rule))
        {
            self.vanished
                .add(format!("{}: {known}", episode.dir), 1);
        }

        let listed: Vec<&KnownSkips> = baseline.skips_of(&dir).collect();
        for known in &listed {
            let judged = known
                .rules
                .iter()
                .filter(|rule| is_judged(rule))
                .count();
            if judged > 0 {
                let (dir, rules) = (&episode.dir, count(judged as u64, "rule"));
                let what = format!("{dir}: not judged: {rules} ({})", known.reason);
                self.vanished.add(what, 1);
            }
        }

        let is_known = |skip: &Skip| {
            listed
                .iter()
                .any(|known| known.covers(skip))
        };

        let skipped = std::mem::take(&mut episode.skipped).into_iter();
        (episode.suppressed_skips, episode.skipped) = skipped.partition(is_known);
    }

    /// Returns one sentence for each entry of the configuration or the baseline that is no longer
    /// needed, judged by the episodes seen so far and by directories that no longer exist.
    pub(super) fn stale(&self, here: &Path) -> Vec<String> {
        let mut vanished = self.vanished.clone();
        let from = self
            .baseline
            .as_ref()
            .map_or(Path::new(""), |baseline| &baseline.dir);
        for (dir, findings) in &self.unjudged {
            let dir = relative(&from.join(dir), Path::new(""), here);
            if is_gone(&here.join(&dir)) {
                let (dir, in_it) = (dir.display(), count(*findings as u64, "finding"));
                let what = format!("{dir}: the episode no longer exists ({in_it})");
                vanished.add(what, (*findings).max(1));
            }
        }

        let Vanished { named, unnamed } = vanished;
        let vanished = named
            .into_iter()
            .chain((unnamed > 0).then(|| format!("{unnamed} more")))
            .map(|what| format!("no longer found, and can be removed from the baseline: {what}"));

        self.ignored
            .iter()
            .filter_map(Ignored::stale)
            .chain(vanished)
            .map(|entry| escape(&entry).into_owned())
            .collect()
    }
}

/// Takes the entry that covers a finding: its own, or that of a baseline of an earlier version.
fn take<'k>(
    listed: &mut BTreeMap<&str, &'k AcceptedFinding>,
    finding: &Finding,
) -> Option<&'k AcceptedFinding> {
    let former = finding.former.as_deref();
    listed
        .remove(&*finding.fingerprint)
        .or_else(|| listed.remove(former?))
}

/// Moves the findings for which `reason_for` gives a reason to the suppressed ones.
fn suppress(
    episode: &mut EpisodeReport,
    mut reason_for: impl FnMut(&Finding) -> Option<(Suppression, Option<String>)>,
) {
    for finding in std::mem::take(&mut episode.findings) {
        match reason_for(&finding) {
            None => episode.findings.push(finding),
            Some((by, reason)) => {
                let suppressed = Suppressed {
                    by,
                    reason,
                    finding,
                };
                episode.suppressed.push(suppressed);
            }
        }
    }
}
