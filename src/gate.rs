//! What was found -> what counts: levels by directory, findings that are ignored, findings that are
//! known.
//!
//! A stage between the check and the renderers. The check judges every rule that counts somewhere;
//! here each episode gets the levels of its directory, and what does not count moves from its
//! findings to what is suppressed.
//!
//! ```
//! use std::path::Path;
//! use runvet::check::Check;
//! use runvet::config::File;
//! use runvet::gate::Gate;
//!
//! let text = r#"
//!     [[ignore]]
//!     rule = "projection/outcomes"
//!     episode = "ep_03_edited"
//!     reason = "the score was mended by hand"
//! "#;
//! let file = File { name: "runvet.toml", text };
//! let mut gate = Gate::new(Path::new(""), &[]).configured(file, &file.read().unwrap(), None).unwrap();
//! let mut report = gate.check(Check::new()).run(["corpus/demo"]).unwrap();
//! report.episodes.iter_mut().for_each(|episode| gate.judge(episode));
//! assert_eq!(report.episodes[2].suppressed.len(), 1);
//! ```

mod baseline;
mod globs;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use baseline::Baseline;
use baseline::Known;
use globs::{Glob, relative};

use crate::check::{self, Check, all_rules, names};
use crate::config::{Config, File, Ignore, Problem, Rules};
use crate::finding::{EpisodeReport, Finding, Level, Suppressed, Suppression, is_valid};
use crate::printable::escape;
use crate::report::count;
use crate::timestamp::Timestamp;

/// Known findings that are gone which are named; the rest is counted.
const MAX_NAMED: usize = 10;

/// Tells which findings count.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The working directory, which paths of episodes start from.
    here: PathBuf,
    /// The directory that globs start from.
    root: PathBuf,
    /// In the order in which they are set.
    settings: Vec<Setting>,
    /// Those that go before all of the configuration.
    last: Vec<(String, Level)>,
    excluded: Vec<Glob>,
    ignored: Vec<Ignored>,
    known: Option<(PathBuf, Baseline)>,
    /// Directories of which the baseline knows something, that were not judged.
    unjudged: BTreeMap<PathBuf, usize>,
    /// Whether findings become known instead of being recognised.
    learns: bool,
    gone: Gone,
}

/// Known findings that are gone: the first are named, the rest is counted.
#[derive(Clone, Debug, Default)]
struct Gone {
    named: Vec<String>,
    unnamed: usize,
}

impl Gone {
    fn add(&mut self, what: String, findings: usize) {
        if self.named.len() < MAX_NAMED {
            self.named.push(what);
        } else {
            self.unnamed += findings;
        }
    }
}

/// How much a rule or a group weighs, in some directories or everywhere.
#[derive(Clone, Debug)]
struct Setting {
    paths: Option<Vec<Glob>>,
    rule: String,
    level: Level,
}

/// Findings that do not count.
#[derive(Clone, Debug)]
struct Ignored {
    /// Where the configuration says so.
    place: String,
    rule: String,
    episode: Glob,
    pointer: Option<String>,
    reason: String,
    /// Whether it no longer holds, and since when.
    expired: Option<String>,
    /// Whether an episode was judged in which it could have ignored something.
    was_due: bool,
    was_used: bool,
}

impl Gate {
    /// A gate in which every finding counts, but for these levels, the last of which goes first.
    #[must_use]
    pub fn new(here: &Path, levels: &[(String, Level)]) -> Self {
        Self {
            here: here.to_owned(),
            root: here.to_owned(),
            settings: Vec::new(),
            last: levels.to_vec(),
            excluded: Vec::new(),
            ignored: Vec::new(),
            known: None,
            unjudged: BTreeMap::new(),
            learns: false,
            gone: Gone::default(),
        }
    }

    /// The gate with what a configuration says; without the time, nothing expires.
    ///
    /// # Errors
    ///
    /// The first place that names a rule that is not there, or a glob that is none.
    pub fn configured(
        mut self,
        file: File<'_>,
        config: &Config,
        now: Option<&Timestamp>,
    ) -> Result<Self, Problem> {
        self.root = Path::new(file.name)
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default();
        self.set(file, None, &config.rules)?;
        for at in &config.overrides {
            let paths = at
                .paths
                .iter()
                .map(|glob| read_glob(file, glob))
                .collect::<Result<Vec<_>, _>>()?;
            self.set(file, Some(&paths), &at.rules)?;
        }
        for glob in &config.exclude {
            self.excluded.push(read_glob(file, glob)?);
        }
        for ignore in &config.ignores {
            self.ignored.push(Ignored::new(file, ignore, now)?);
        }
        Ok(self)
    }

    /// The gate with a baseline that lies in a directory.
    #[must_use]
    pub fn knowing(mut self, dir: &Path, baseline: Baseline) -> Self {
        self.unjudged = baseline.dirs().collect();
        self.known = Some((dir.to_owned(), baseline));
        self
    }

    /// The gate that lets every finding pass and takes it into a baseline, which is to lie in a
    /// directory.
    #[must_use]
    pub fn learning(self, dir: &Path) -> Self {
        Self {
            learns: true,
            ..self.knowing(dir, Baseline::default())
        }
    }

    /// The baseline, where there is one.
    #[must_use]
    pub fn baseline(&self) -> Option<&Baseline> {
        self.known.as_ref().map(|(_, baseline)| baseline)
    }

    fn set(
        &mut self,
        file: File<'_>,
        paths: Option<&[Glob]>,
        rules: &Rules,
    ) -> Result<(), Problem> {
        // A rule goes before its group, wherever they stand.
        let (groups, exact): (Vec<_>, Vec<_>) = rules
            .iter()
            .partition(|(rule, _)| rule.get_ref().ends_with('*'));
        for (rule, level) in groups.into_iter().chain(exact) {
            known_rule(file, rule.get_ref(), rule.span())?;
            self.settings.push(Setting {
                paths: paths.map(<[Glob]>::to_vec),
                rule: rule.get_ref().clone(),
                level: *level.get_ref(),
            });
        }
        Ok(())
    }

    /// Whether the configuration leaves a directory out.
    #[must_use]
    pub fn excludes(&self, dir: &Path) -> bool {
        !self.excluded.is_empty() && {
            let dir = relative(dir, &self.root, &self.here);
            self.excluded.iter().any(|glob| glob.names(&dir))
        }
    }

    /// The check with the levels of the gate: it judges every rule that counts in some directory.
    #[must_use]
    pub fn check(&self, check: Check) -> Check {
        let levels = self.levels(&|paths| paths.is_none());
        all_rules().zip(levels).fold(check, |check, (rule, level)| {
            let somewhere = self
                .settings
                .iter()
                .filter(|setting| setting.paths.is_some() && setting.level != Level::Off);
            let counts = somewhere
                .filter(|setting| names(&setting.rule, rule.id))
                .map(|setting| setting.level)
                .next();
            let level = if level == Level::Off {
                counts.unwrap_or(level)
            } else {
                level
            };
            check.clone().level(rule.id, level).unwrap_or(check)
        })
    }

    /// The level of each rule where some globs hold.
    fn levels(&self, holds: &dyn Fn(Option<&[Glob]>) -> bool) -> Vec<Level> {
        let in_force = self
            .settings
            .iter()
            .filter(|setting| holds(setting.paths.as_deref()));
        let settings = in_force.map(|setting| (&setting.rule, setting.level));
        let settings: Vec<_> = settings
            .chain(self.last.iter().map(|(rule, level)| (rule, *level)))
            .collect();
        let level = |rule: &'static crate::finding::RuleInfo| {
            let set = settings.iter().rev().find(|(name, _)| names(name, rule.id));
            set.map_or(rule.severity.into(), |(_, level)| *level)
        };
        all_rules().map(level).collect()
    }

    /// Moves what does not count to what is suppressed.
    pub fn judge(&mut self, episode: &mut EpisodeReport) {
        let may_be_left_over = !self.ignored.is_empty() || self.known.is_some();
        if episode.findings.is_empty() && episode.skipped.is_empty() && !may_be_left_over {
            return;
        }
        let dir = relative(episode.key.as_path(), &self.root, &self.here);
        let levels = self
            .levels(&|paths| paths.is_none_or(|paths| paths.iter().any(|glob| glob.names(&dir))));
        let level_of = |rule: &str| {
            let named = all_rules().zip(&levels).find(|(meta, _)| meta.id == rule);
            named.map_or(Level::Error, |(_, level)| *level)
        };
        episode
            .skipped
            .retain(|skip| level_of(&skip.rule) != Level::Off);
        episode.findings.retain_mut(|finding| {
            let severity = level_of(&finding.rule).severity();
            finding.severity = severity.unwrap_or(finding.severity);
            severity.is_some()
        });
        self.ignore(&dir, episode);
        self.recognise(episode, &|rule| level_of(rule) == Level::Off);
        episode.valid = is_valid(&episode.findings);
    }

    fn ignore(&mut self, dir: &Path, episode: &mut EpisodeReport) {
        let mut ignored: Vec<&mut Ignored> = self
            .ignored
            .iter_mut()
            .filter(|ignored| ignored.episode.names(dir))
            .collect();
        for ignored in &mut ignored {
            ignored.was_due = true;
        }
        let suppress = |finding: &Finding| {
            let ignored = ignored.iter_mut().find(|ignored| ignored.names(finding))?;
            ignored.was_used = true;
            Some((Suppression::Ignore, Some(ignored.reason.clone())))
        };
        move_out(episode, suppress);
    }

    /// Takes out what the baseline knows, and notes what it knows that is gone.
    fn recognise(&mut self, episode: &mut EpisodeReport, is_off: &dyn Fn(&str) -> bool) {
        let Some((lies_in, baseline)) = &mut self.known else {
            return;
        };
        let dir = relative(episode.key.as_path(), lies_in, &self.here);
        self.unjudged.remove(&dir);
        if self.learns {
            baseline.add(&dir, episode);
        }
        let mut known: BTreeMap<&str, &Known> = baseline
            .of(&dir)
            .map(|known| (&*known.fingerprint, known))
            .collect();
        move_out(episode, |finding| {
            known
                .remove(&*finding.fingerprint)
                .map(|_| (Suppression::Baseline, None))
        });
        // What is ignored besides, was not judged, or is switched off, is not gone for that.
        for suppressed in &episode.suppressed {
            known.remove(&*suppressed.finding.fingerprint);
        }
        known.retain(|_, known| {
            !is_off(&known.rule) && !episode.skipped.iter().any(|skip| skip.rule == known.rule)
        });
        for known in known.into_values().collect::<BTreeSet<_>>() {
            let pointer = known.pointer.as_deref().unwrap_or_default();
            let what = format!("{}: {} {} {pointer}", episode.dir, known.rule, known.file);
            self.gone.add(what.trim_end().to_owned(), 1);
        }
    }

    /// What of the configuration and the baseline is of no more use, as far as the judged episodes
    /// tell, and whether the directories of others are gone.
    #[must_use]
    pub fn leftovers(&self, is_gone: impl Fn(&Path) -> bool) -> Vec<String> {
        let of_ignore = |ignored: &Ignored| match &ignored.expired {
            Some(day) => Some(format!(
                "{}: this has expired on {day}, and ignores nothing any more",
                ignored.place
            )),
            None if ignored.was_due && !ignored.was_used => Some(format!(
                "{}: this ignores nothing, and can be removed",
                ignored.place
            )),
            None => None,
        };
        let mut leftovers: Vec<String> = self.ignored.iter().filter_map(of_ignore).collect();
        let lies_in = self
            .known
            .as_ref()
            .map_or(Path::new(""), |(lies_in, _)| lies_in);
        let mut gone = self.gone.clone();
        for (dir, findings) in &self.unjudged {
            let dir = relative(&lies_in.join(dir), Path::new(""), &self.here);
            if is_gone(&self.here.join(&dir)) {
                let with = count(*findings as u64, "finding");
                gone.add(
                    format!("{}: the episode is gone, with {with}", dir.display()),
                    *findings,
                );
            }
        }
        let unnamed = (gone.unnamed > 0).then(|| format!("{} more", gone.unnamed));
        let can_leave =
            |what: String| format!("no longer found, and can leave the baseline: {what}");
        leftovers.extend(gone.named.into_iter().chain(unnamed).map(can_leave));
        leftovers
            .iter()
            .map(|leftover| escape(leftover).into_owned())
            .collect()
    }
}

/// Moves findings to what is suppressed, where something says so.
fn move_out(
    episode: &mut EpisodeReport,
    mut says: impl FnMut(&Finding) -> Option<(Suppression, Option<String>)>,
) {
    for finding in std::mem::take(&mut episode.findings) {
        match says(&finding) {
            Some((by, reason)) => episode.suppressed.push(Suppressed {
                by,
                reason,
                finding,
            }),
            None => episode.findings.push(finding),
        }
    }
}

impl Ignored {
    fn new(file: File<'_>, ignore: &Ignore, now: Option<&Timestamp>) -> Result<Self, Problem> {
        known_rule(file, ignore.rule.get_ref(), ignore.rule.span())?;
        let expired = ignore
            .expires
            .as_ref()
            .filter(|day| now.is_some_and(|now| now >= day.start()));
        Ok(Self {
            place: format!("{}:{}", file.name, file.line(&ignore.rule.span())),
            rule: ignore.rule.get_ref().clone(),
            episode: read_glob(file, &ignore.episode)?,
            pointer: ignore
                .pointer
                .as_ref()
                .map(|pointer| pointer.get_ref().clone()),
            reason: ignore.reason.get_ref().clone(),
            expired: expired.map(ToString::to_string),
            was_due: false,
            was_used: false,
        })
    }

    fn names(&self, finding: &Finding) -> bool {
        let is_within = |pointer: &String| {
            let below = finding
                .location
                .pointer
                .as_deref()
                .and_then(|found| found.strip_prefix(pointer.as_str()));
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        self.expired.is_none()
            && names(&self.rule, &finding.rule)
            && self.pointer.as_ref().is_none_or(is_within)
    }
}

fn read_glob(file: File<'_>, glob: &toml::Spanned<String>) -> Result<Glob, Problem> {
    Glob::new(glob.get_ref())
        .map_err(|reason| file.problem(glob.span(), format!("this is no glob: {reason}"), None))
}

fn known_rule(file: File<'_>, name: &str, span: Range<usize>) -> Result<(), Problem> {
    match Check::new().level(name, Level::Off) {
        Ok(_) => Ok(()),
        Err(check::Error::UnknownRule { name, nearest }) => {
            let help = nearest.map_or_else(
                || "`runvet rules` lists the rules".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            Err(file.problem(
                span,
                format!("there is no rule called `{name}`"),
                Some(help),
            ))
        }
        Err(other) => Err(file.problem(span, other.to_string(), None)),
    }
}
