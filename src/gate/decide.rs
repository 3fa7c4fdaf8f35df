//! A report of the check -> which of its findings count, and which entries of the configuration and
//! the baseline are no longer needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::baseline::{Known, KnownSkips};
use super::globs::relative;
use super::ignores::Ignored;
use super::{Baseline, Gate};
use crate::check;
use crate::finding::{EpisodeReport, Finding, Level, Skip, Suppressed, Suppression};
use crate::printable::escape;
use crate::report::count;
use crate::source::{Artifact, EPISODES, EpisodeKey};
use crate::store::is_gone;

/// Vanished findings that are listed by name; the rest are counted.
const MAX_NAMED: usize = 10;

/// Findings in the baseline that no longer exist: the first are named, the rest counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Vanished {
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

impl Gate {
    /// Those findings of [`Gate::judges`] that count, with their levels.
    pub(crate) fn counting(&self, key: &EpisodeKey, findings: Vec<Finding>) -> Vec<Finding> {
        if findings.is_empty() {
            return findings;
        }
        let mut report = EpisodeReport::of_findings(key, findings);
        self.without_baseline().decide(&mut report);
        report.findings
    }

    /// Whether the configuration excludes a directory.
    #[must_use]
    pub fn excludes(&self, dir: &Path) -> bool {
        !self.excluded.is_empty() && {
            let dir = relative(dir, &self.root, &self.here);
            // Each is asked, so that it is known which match nothing.
            let matching = self.excluded.iter().filter(|glob| glob.matches(&dir));
            matching.count() > 0
        }
    }

    /// One sentence for each glob of the configuration that no directory matches, as far as it is
    /// about directories below some given path of which everything was searched and judged: no
    /// artifact, no episode, and nothing below a directory called `episodes`.
    pub fn unmet_globs(
        &self,
        given: &[PathBuf],
        is_episode: impl Fn(&Path) -> bool,
    ) -> Vec<String> {
        let ignored = self.ignored.iter().map(Ignored::glob);
        let globs = self.excluded.iter().chain(self.levels.globs());
        let mut globs = globs.chain(ignored).peekable();
        if globs.peek().is_none() {
            return Vec::new();
        }
        let is_artifact = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            Artifact::from_file_name(&name.to_string_lossy()).is_some()
        };
        let is_within = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.any(|dir| dir.file_name().is_some_and(|name| name == EPISODES))
        };
        let is_whole =
            |path: &&PathBuf| !(is_artifact(path) || is_within(path) || is_episode(path));
        let tops: Vec<PathBuf> = given
            .iter()
            .filter(is_whole)
            .map(|dir| relative(dir, &self.root, &self.here))
            .collect();
        let unmet: BTreeSet<&str> = globs.filter_map(|glob| glob.unmet(&tops)).collect();
        unmet
            .into_iter()
            .map(|it| escape(it).into_owned())
            .collect()
    }

    /// Moves the findings of a report that do not count to the suppressed ones. The report is one
    /// of the prepared check.
    pub(super) fn decide(&mut self, episode: &mut EpisodeReport) {
        let may_be_stale = !self.ignored.is_empty() || self.baseline.is_some();
        let is_clean = episode.findings.is_empty() && episode.skipped.is_empty();
        if is_clean && !may_be_stale && !self.levels.depend_on_dir() {
            return;
        }
        let dir = relative(episode.key.as_path(), &self.root, &self.here);
        let rules = self.check.rule_set().clone();
        let levels = self.levels.of(&self.check, &dir);
        let level = |finding: &Finding| {
            let level = finding.rule_index.and_then(|index| levels.get(index));
            level.copied().unwrap_or(Level::Error)
        };
        episode.is_unchecked = levels.iter().all(|level| *level == Level::Off);
        // A lack of memory is reported even where its rule is off.
        episode
            .skipped
            .retain(|skip| skip.is_lacking || rules.level_of(&levels, &skip.rule) != Level::Off);
        episode.findings.retain_mut(|finding| {
            let severity = level(finding).severity();
            finding.severity = severity.unwrap_or(finding.severity);
            severity.is_some()
        });
        check::fit_coverage(&self.check, &levels, episode);
        self.ignore(&dir, episode, &levels);
        self.look_up(episode, |rule| rules.level_of(&levels, rule) == Level::Off);
        episode.decide(|rule| rules.level_of(&levels, rule));
    }

    fn ignore(&mut self, dir: &Path, episode: &mut EpisodeReport, levels: &[Level]) {
        let rules = self.check.rule_set();
        let mut ignored: Vec<&mut Ignored> = self
            .ignored
            .iter_mut()
            .filter_map(|ignored| ignored.covers(dir, rules, levels).then_some(ignored))
            .collect();
        suppress(episode, |finding| {
            let reason = ignored
                .iter_mut()
                .find_map(|ignored| ignored.apply(finding))?;
            Some((Suppression::Ignore, Some(reason)))
        });
    }

    /// Suppresses the findings and skips that the baseline lists, and records those listed that
    /// have vanished.
    fn look_up(&mut self, episode: &mut EpisodeReport, is_off: impl Fn(&str) -> bool) {
        let Some(baseline) = &mut self.baseline else {
            return;
        };
        let dir = relative(episode.key.as_path(), baseline.dir(), &self.here);
        self.unjudged.remove(&dir);
        if self.records {
            baseline.add(&dir, episode);
        }
        let mut known: BTreeMap<&str, &Known> = baseline
            .of(&dir)
            .map(|known| (&*known.fingerprint, known))
            .collect();
        suppress(episode, |finding| {
            known
                .remove(&*finding.fingerprint)
                .map(|_| (Suppression::Baseline, None))
        });
        // A finding has not vanished if it is ignored, was not judged, or its rule is off.
        for suppressed in &episode.suppressed {
            known.remove(&*suppressed.finding.fingerprint);
        }
        let unjudged: BTreeSet<&str> = episode.skipped.iter().map(|skip| &*skip.rule).collect();
        known.retain(|_, known| !is_off(&known.rule) && !unjudged.contains(&*known.rule));
        for known in known.into_values().collect::<BTreeSet<_>>() {
            self.vanished.add(format!("{}: {known}", episode.dir), 1);
        }
        for known in baseline.skips_of(&dir) {
            let judged = |rule: &&String| !is_off(rule) && !unjudged.contains(&***rule);
            if let judged @ 1.. = known.rules.iter().filter(judged).count() {
                let (dir, rules) = (&episode.dir, count(judged as u64, "rule"));
                let what = format!("{dir}: not judged: {rules} ({})", known.reason);
                self.vanished.add(what, 1);
            }
        }
        let known: Vec<&KnownSkips> = baseline.skips_of(&dir).collect();
        let is_known = |skip: &Skip| known.iter().any(|known| known.covers(skip));
        let skipped = std::mem::take(&mut episode.skipped).into_iter();
        (episode.suppressed_skips, episode.skipped) = skipped.partition(is_known);
    }

    /// One sentence for each entry of the configuration or the baseline that is no longer needed,
    /// judged by the episodes seen so far and by directories that no longer exist.
    pub(crate) fn stale_entries(&self) -> Vec<String> {
        let mut stale: Vec<String> = self.ignored.iter().filter_map(Ignored::stale).collect();
        let mut vanished = self.vanished.clone();
        let from = self.baseline.as_ref().map_or(Path::new(""), Baseline::dir);
        for (dir, findings) in &self.unjudged {
            let dir = relative(&from.join(dir), Path::new(""), &self.here);
            if is_gone(&self.here.join(&dir)) {
                let findings_in_it = count(*findings as u64, "finding");
                let what = format!(
                    "{}: the episode no longer exists ({findings_in_it})",
                    dir.display()
                );
                vanished.add(what, (*findings).max(1));
            }
        }
        let unnamed = (vanished.unnamed > 0).then(|| format!("{} more", vanished.unnamed));
        let named = vanished.named.into_iter().chain(unnamed);
        stale.extend(
            named.map(|what| {
                format!("no longer found, and can be removed from the baseline: {what}")
            }),
        );
        stale
            .iter()
            .map(|entry| escape(entry).into_owned())
            .collect()
    }
}

/// Moves the findings for which `reason_for` gives a reason to the suppressed ones.
fn suppress(
    episode: &mut EpisodeReport,
    mut reason_for: impl FnMut(&Finding) -> Option<(Suppression, Option<String>)>,
) {
    for finding in std::mem::take(&mut episode.findings) {
        match reason_for(&finding) {
            Some((by, reason)) => episode.suppressed.push(Suppressed {
                by,
                reason,
                finding,
            }),
            None => episode.findings.push(finding),
        }
    }
}
