//! A configuration and calls -> the settings of a gate.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Decided;
use super::ignores::Ignored;
use super::reading::ConfigReader;
use super::{Baseline, ConfigError, Error, Gate, Profile};
use crate::gate::config::{Config, ConfigSource, Files, Origin, Setting, read_team};
use crate::ground::digest::{Digest, FileDigest, Parts};
use crate::ground::finding::{Deny, Finding, Level, RuleInfo, SealedFile};
use crate::ground::source::EpisodeKey;
use crate::ground::timestamp::Timestamp;
use crate::judge::check::{self, LevelSetting};
use crate::policy::expression::zones_version;
#[cfg(feature = "cli")]
use crate::store::OtherFiles;
use crate::store::{LinkPolicy, display};

impl Gate {
    /// Gives the gate files that a configuration names, which it then does not read: those of
    /// [`Gate::config_files`] on another machine.
    #[must_use]
    pub fn with_files(mut self, texts: BTreeMap<PathBuf, String>) -> Self {
        self.files = Files::given(texts);
        self
    }

    /// Makes the gate follow a configuration: the text of a `runvet.toml`. Its globs are relative
    /// to the directory of `path`. If `now` is given, expired ignores have no effect.
    ///
    /// The gate reads no other file: [`Gate::baseline_path`] is for [`Baseline::read`], and
    /// [`Gate::deny`] for [`Outcome::exit`](super::Outcome::exit). Settings of the command line
    /// alone, such as `format` and `jobs`, have no effect here.
    ///
    /// # Errors
    ///
    /// Each place that is not TOML, or holds an unknown name, a value of the wrong type or an
    /// invalid glob: the first, with up to 19 others in [`ConfigError::others`]. Where something is
    /// not TOML, nothing else is checked.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    /// let read = |text| Gate::default().with_config(Path::new("runvet.toml"), text, None);
    /// assert!(read("exclude = ['runs/old']").is_ok());
    /// let error = read("exlude = ['runs/old']").unwrap_err();
    /// assert_eq!(error.help.as_deref(), Some("did you mean `exclude`?"));
    /// ```
    pub fn with_config(
        self,
        path: &Path,
        text: &str,
        now: Option<&Timestamp>,
    ) -> Result<Self, ConfigError> {
        let name = path.to_string_lossy();
        let file = ConfigSource {
            name: &name,
            dir: path.parent().unwrap_or(Path::new("")),
            text,
        };

        let (config, mistakes) = file.read();
        self.configured(file, &config, mistakes, now)
    }

    /// Makes the gate follow a profile, over which a configuration that it follows from then on
    /// takes precedence.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::{Gate, Profile};
    /// let gate = Gate::default().with_profile(Profile::Strict);
    /// let mut gate = gate.with_config(Path::new("runvet.toml"), "deny-unjudged = false", None)?;
    /// assert!(gate.deny().warnings && !gate.deny().unjudged);
    /// let report = gate.run(["corpus/good/paused"]).unwrap();
    /// assert_eq!(report.episodes[0].findings[0].rule, "lifecycle/unended");
    /// # Ok::<(), runvet::gate::ConfigError>(())
    /// ```
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = Some(Setting {
            value: profile,
            origin: Origin::Given("profile".into()),
        });
        self
    }

    /// Returns the profile that the gate follows.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        self.profile
            .as_ref()
            .map(|profile| profile.value)
    }

    /// Makes the gate follow a configuration that was read.
    pub(crate) fn configured(
        mut self,
        file: ConfigSource<'_>,
        config: &Config,
        mut mistakes: Vec<ConfigError>,
        now: Option<&Timestamp>,
    ) -> Result<Self, ConfigError> {
        let mut config = config.clone();
        config.profile = config
            .profile
            .or_else(|| self.profile.clone());
        config.follow_profile();

        let config = &config;
        self.profile.clone_from(&config.profile);
        self.worker = None;
        file.dir
            .clone_into(&mut self.settings.base.root);

        let rules = read_team(file, config, &self.files, &mut mistakes);
        self.source = (!file.name.is_empty()).then(|| SealedFile {
            name: file.name.to_owned(),
            digest: FileDigest::of(file.text.as_bytes()),
        });
        self.config = (!file.text.is_empty()).then(|| self.digest_of(file.text));

        let mut reader = ConfigReader {
            file,
            rules: rules.clone(),
            mistakes,
        };

        self.settings.rules = rules;
        reader.levels(config, &mut self.settings.levels);
        for rule in &config.require {
            reader.know_rule(rule);
            // One that is unknown is among the mistakes.
            let _ = self.settings.require(rule.get_ref());
        }

        self.deny = config.deny();
        let baseline = config.baseline.as_ref();
        self.baseline_path = baseline.map(|path| {
            self.settings
                .base
                .root
                .join(&path.value)
        });
        for glob in &config.exclude {
            self.excluded.extend(reader.glob(glob));
        }

        for ignore in &config.ignores {
            let ignored = Ignored::new(&mut reader, ignore, now);
            self.suppressions
                .ignored
                .extend(ignored);
        }

        ConfigError::first_of(reader.mistakes).map_or(Ok(self), Err)
    }

    /// Sets the level of a rule, or of a group such as `plan/*`, in all directories. It overrides
    /// the configuration and earlier calls.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has the name.
    ///
    /// ```
    /// use runvet::finding::Level;
    /// use runvet::gate::Gate;
    /// let gate = Gate::default().level("plan/*", Level::Off).unwrap();
    /// assert!(gate.level("plan/steps", Level::Off).is_err());
    /// ```
    pub fn level(self, name: &str, level: Level) -> Result<Self, Error> {
        self.level_by(name, level, "")
    }

    /// Sets the level of a rule or of a group as [`Gate::level`] does, and the origin of the level.
    pub(crate) fn level_by(self, name: &str, level: Level, origin: &str) -> Result<Self, Error> {
        self.settings.rules.must_have(name)?;
        let set = LevelSetting {
            paths: None,
            rule: name.to_owned(),
            level,
            origin: origin.to_owned(),
        };

        Ok(self.set(|settings| settings.levels.last.push(set)))
    }

    /// Checks these rules and groups alone. One that is off then runs as a warning; a level that
    /// [`Gate::level`] sets counts for every rule, selected or not.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has one of the names.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// let mut gate = Gate::default().select(["strict/steps"])?;
    /// let report = gate.run(["corpus/demo"])?;
    /// assert_eq!((report.totals.errors, report.totals.warnings), (0, 1));
    /// assert!(Gate::default().select(["strict/step"]).is_err());
    /// # Ok::<(), runvet::gate::Error>(())
    /// ```
    pub fn select(self, names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, Error> {
        let names: Vec<String> = names
            .into_iter()
            .map(Into::into)
            .collect();
        let rules = &self.settings.rules;
        names
            .iter()
            .try_for_each(|name| rules.must_have(name))?;

        Ok(self.set(|settings| settings.levels.selected = names))
    }

    /// Requires a rule, or a group such as `plan/*`, to judge each run that has ended. Where a rule
    /// has nothing to compare, can't be checked, or is off, `coverage/required` has a finding.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownRule`] where no rule and no group has the name.
    ///
    /// ```
    /// use runvet::gate::Gate;
    /// let mut gate = Gate::default().require("manifest/digest").unwrap();
    /// let report = gate.run(["corpus/good/terminal"]).unwrap();
    /// assert_eq!(report.episodes[0].findings[0].rule, "coverage/required");
    /// ```
    pub fn require(mut self, name: &str) -> Result<Self, Error> {
        self.settings.require(name)?;
        Ok(self.set(|_| ()))
    }

    /// Changes how episodes are checked.
    fn set(mut self, change: impl FnOnce(&mut check::CheckSettings)) -> Self {
        change(&mut self.settings);
        self.worker = None;
        self
    }

    /// Sets how many episodes are checked in parallel; the report does not depend on it.
    #[must_use]
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        self.set(|settings| settings.jobs = Some(jobs))
    }

    /// Sets whether an artifact may be a symbolic link to a file inside its episode's directory.
    /// Links that lead out of it are never followed, because they could make runvet read any file.
    #[must_use]
    pub fn follow_links(self, follow: bool) -> Self {
        let links = if follow {
            LinkPolicy::Inside
        } else {
            LinkPolicy::Refused
        };

        self.set(|settings| settings.links = links)
    }

    /// Sets a directory to which links may lead as well: a store of a tool such as git-annex, DVC
    /// or Nix. Links that lead elsewhere are never followed.
    ///
    /// # Errors
    ///
    /// An error if the directory can't be reached.
    pub fn follow_links_into(self, store: &Path) -> std::io::Result<Self> {
        let links = LinkPolicy::Beneath(store.canonicalize()?);
        Ok(self.set(|settings| settings.links = links))
    }

    /// Returns `true` if an artifact may be a symbolic link.
    pub(crate) fn follows_links(&self) -> bool {
        !matches!(self.links(), LinkPolicy::Refused)
    }

    /// The links that are followed.
    pub(crate) fn links(&self) -> &LinkPolicy {
        &self.settings.links
    }

    /// Sets whether each report also keeps the data that a list of runs shows of its run, as
    /// [`Format::Html`](crate::report::Format::Html) does: task, status, outcome, start, duration,
    /// tags and latencies.
    #[must_use]
    pub fn keep_cards(self, keep: bool) -> Self {
        self.set(|settings| settings.keep_cards = keep)
    }

    /// Sets whether each report also says of each rule that is on whether it found something,
    /// compared something, had nothing to compare, or was skipped.
    pub(crate) fn keep_coverage(self, keep: bool) -> Self {
        self.set(|settings| settings.keep_coverage = keep)
    }

    /// Sets whether each report also keeps digests of the files of its run, to be sealed.
    pub(crate) fn keep_seals(self, keep: bool) -> Self {
        self.set(|settings| settings.seals = keep)
    }

    /// Returns the files that decide which findings count, each with its digest: the configuration,
    /// its packs and schema files, and the baseline. No name tells where the project is.
    pub(crate) fn sources(&self) -> Vec<SealedFile> {
        let texts = self.files.texts();
        let named = texts
            .iter()
            .map(|(path, text)| SealedFile {
                name: display(&self.settings.base.relative(path)),
                digest: FileDigest::of(text.as_bytes()),
            });
        let baseline = self
            .baseline()
            .and_then(|it| it.source.clone());
        let mut sources: Vec<SealedFile> = self
            .source
            .clone()
            .into_iter()
            .chain(named)
            .chain(baseline)
            .map(|mut source| {
                if let Some(name) = Path::new(&source.name).file_name()
                    && (source.name.starts_with('/') || source.name.starts_with(".."))
                {
                    source.name = name.to_string_lossy().into_owned();
                }
                source
            })
            .collect();
        sources.sort_by(|a, b| a.name.cmp(&b.name));

        sources
    }

    /// Returns `true` if there is a configuration.
    pub(crate) fn has_config(&self) -> bool {
        self.source.is_some()
    }

    /// Returns the globs of directories that are not checked.
    pub(crate) fn excluded_globs(&self) -> impl Iterator<Item = &str> {
        self.excluded
            .iter()
            .map(|glob| &*glob.text)
    }

    /// Returns the names of the rules that are selected, if not all.
    pub(crate) fn selected(&self) -> &[String] {
        &self.settings.levels.selected
    }

    /// Returns the rules that are on in some directory, each with its level.
    pub(crate) fn rules_in_force(&self) -> impl Iterator<Item = (&RuleInfo, Level)> {
        self.rules()
            .zip(self.settings.levels_anywhere())
            .filter(|(_, level)| *level != Level::Off)
    }

    /// Adds a baseline, whose findings do not count.
    #[must_use]
    pub fn with_baseline(mut self, baseline: Baseline) -> Self {
        self.suppressions
            .set_baseline(Some(baseline));
        self
    }

    /// Returns a gate for run data at an address that is not a path, such as that of a store: globs
    /// are relative to the address, and the baseline knows an episode by its path below `episodes`.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    ///
    /// let exclude = "exclude = ['episodes/old']";
    /// let gate = Gate::default().with_config(Path::new("runvet.toml"), exclude, None)?;
    /// let old = Path::new("s3://bucket/runs/episodes/old/ep_1");
    /// assert!(gate.at("s3://bucket/runs").excludes(old) && !gate.excludes(old));
    /// # Ok::<(), runvet::gate::ConfigError>(())
    /// ```
    #[must_use]
    pub fn at(&self, address: &str) -> Self {
        let mut gate = self
            .clone()
            .set(|settings| settings.base.root = address.into());
        gate.suppressions.use_copy();
        gate
    }

    /// Returns a gate without the baseline, for records that come from nowhere on the disk, and for
    /// a run that is being written, of which no baseline can know.
    pub(crate) fn without_baseline(&self) -> Self {
        let mut gate = self.clone();
        gate.suppressions.set_baseline(None);
        gate
    }

    /// Makes the gate accept every finding and add it to a new baseline, which is to be written to
    /// a path.
    #[must_use]
    pub fn record_baseline(mut self, path: &Path) -> Self {
        self.suppressions.records = true;
        self.with_baseline(Baseline::new(path))
    }

    /// Makes the gate also sum up by rule, mode and adapter.
    pub(crate) fn with_statistics(mut self) -> Self {
        self.has_statistics = true;
        self
    }

    /// Returns the packs and schema files of the configuration, by their paths: they decide about
    /// findings besides the text of the configuration.
    #[must_use]
    pub fn config_files(&self) -> BTreeMap<PathBuf, String> {
        self.files.texts()
    }

    /// Returns the settings for failures of the gate besides errors, as the configuration has them.
    #[must_use]
    pub fn deny(&self) -> Deny {
        self.deny
    }

    /// Returns the path of the baseline that the configuration names.
    #[must_use]
    pub fn baseline_path(&self) -> Option<&Path> {
        self.baseline_path.as_deref()
    }

    /// Returns one sentence for each entry of the configuration or the baseline that is no longer
    /// needed, judged by the episodes seen so far and by directories that no longer exist.
    pub(crate) fn stale_entries(&self) -> Vec<String> {
        self.suppressions
            .stale(&self.settings.base.here)
    }

    /// Returns those findings of a run that is being written that count.
    pub(crate) fn counting(&self, key: &EpisodeKey, mut findings: Vec<Finding>) -> Vec<Finding> {
        let dir = self
            .settings
            .base
            .relative(key.as_path());
        let ignored = &self.suppressions.ignored;
        findings.retain(|finding| {
            !ignored
                .iter()
                .any(|it| it.ignores(&dir, finding))
        });

        findings
    }

    /// Returns the baseline, if there is one.
    #[must_use]
    pub fn baseline(&self) -> Option<&Baseline> {
        self.suppressions.baseline.as_ref()
    }

    /// Returns a digest of all that decides which findings count, in 16 hexadecimal digits. It does
    /// not depend on the directory in which the project is.
    #[must_use]
    pub fn settings_digest(&self) -> String {
        let check::CheckSettings { rules, levels, .. } = &self.settings;
        let profile = self.profile().map(Profile::word);
        let last: Vec<_> = levels
            .last
            .iter()
            .map(|it| (&it.rule, it.level))
            .collect();
        let ignored = self.suppressions.ignored.iter();
        let required = self
            .settings
            .required
            .iter()
            .map(|index| rules.own(*index));
        let decisive = serde_json::to_vec(&(
            self.follows_links(),
            required
                .map(|rule| &*rule.info.id)
                .collect::<Vec<_>>(),
            self.config
                .map(|digest| digest.to_string()),
            (profile, &levels.selected, last),
            ignored
                .map(|it| it.has_expired)
                .collect::<Vec<_>>(),
            self.baseline().map(Baseline::entries),
        ));

        Digest::of([&*decisive.unwrap_or_default()])
            .to_string()
            .chars()
            .take(16)
            .collect()
    }

    /// Returns a digest of the text of the configuration and of the files that it names.
    fn digest_of(&self, config: &str) -> Digest {
        let mut parts = Parts::default();
        parts.add(config.as_bytes());
        parts.add(zones_version().as_bytes());
        for (path, text) in self.files.texts() {
            let name = self.settings.base.relative(&path);
            parts.add(name.as_os_str().as_encoded_bytes());
            parts.add(text.as_bytes());
        }

        parts.digest()
    }

    /// Returns `true` if every rule is off in every directory, so that nothing is judged.
    pub(crate) fn judges_nothing(&self) -> bool {
        self.settings
            .levels_anywhere()
            .iter()
            .all(|level| *level == Level::Off)
    }

    /// Returns the names of the files besides the artifacts that schemas judge, in some directory.
    pub(crate) fn judged_files(&self) -> Vec<Arc<str>> {
        self.checker()
            .team()
            .judged_files()
            .map(|(_, name)| Arc::clone(name))
            .collect()
    }

    /// Returns the files besides the artifacts that a check reads, in some directory.
    #[cfg(feature = "cli")]
    pub(crate) fn other_files(&self) -> OtherFiles {
        (!self.reads_named_files())
            .then(|| self.judged_files())
            .map_or(OtherFiles::All, OtherFiles::Named)
    }

    /// Returns `true` if the files that a manifest names are read, in some directory.
    pub(crate) fn reads_named_files(&self) -> bool {
        self.checker().reads_named_files()
    }

    /// Returns the level of each rule and its origin, in the directory of an episode or, without
    /// one, where no override holds.
    pub(crate) fn decided(
        &self,
        dir: Option<&Path>,
    ) -> impl Iterator<Item = (&str, Level, Decided<'_>)> {
        let dir = dir.map(|dir| self.settings.base.relative(dir));
        let decided = self.settings.decided(dir.as_deref());
        self.settings
            .rules
            .iter()
            .zip(decided)
            .map(|(rule, (level, why))| (&*rule.info.id, level, why))
    }
}
