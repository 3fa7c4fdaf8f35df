//! Scratch repositories whose commits pre-commit checks, by the configuration that the documents
//! show.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::shown;
use crate::support::python::python;
use crate::support::repository::{Repository, without_settings};

/// A repository that has hooks installed, with a good run and a bad one.
pub(crate) struct Hooked {
    pub(crate) repository: Repository,
    /// Where pre-commit keeps what it installs.
    home: TempDir,
    /// Further environment variables for a commit.
    environment: Vec<(String, String)>,
}

impl Hooked {
    /// `None` if pre-commit is not available; then the calling test is skipped.
    #[track_caller]
    pub(crate) fn new(config: &str, environment: Vec<(String, String)>) -> Option<Self> {
        let mut pre_commit = python("pre-commit", &["pre-commit==4.7.0"])?;
        let hooked = Self {
            repository: Repository::with(&["ep_good", "ep_bad"]),
            home: tempfile::tempdir().unwrap(),
            environment,
        };
        // Cargo finds this above the clone of the hooks: what it builds there is not optimized.
        let cargo = hooked.home.path().join(".cargo");
        fs::create_dir(&cargo).unwrap();
        let quickly =
            "profile.release.opt-level = 0\nprofile.release.package.runvet.opt-level = 0\n";
        fs::write(cargo.join("config.toml"), quickly).unwrap();
        fs::write(
            hooked
                .repository
                .path()
                .join(".pre-commit-config.yaml"),
            config,
        )
        .unwrap();
        hooked.make_bad("ep_bad");
        hooked.repository.commit();
        hooked.command(
            pre_commit.args(["-m", "pre_commit", "install"]),
            "pre-commit is installed",
        );
        Some(hooked)
    }

    pub(crate) fn make_bad(&self, name: &str) {
        let state = self
            .repository
            .episode(name)
            .join("state.json");
        fs::write(
            &state,
            fs::read_to_string(&state)
                .unwrap()
                .replace(name, "ep_other"),
        )
        .unwrap();
    }

    /// Replaces a good run by another good one.
    pub(crate) fn change(&self, name: &str) {
        let summary = self
            .repository
            .episode(name)
            .join("summary.json");
        fs::write(&summary, fs::read_to_string(&summary).unwrap() + "\n").unwrap();
    }

    pub(crate) fn command(&self, command: &mut Command, what: &str) {
        command
            .current_dir(self.repository.path())
            .env("PRE_COMMIT_HOME", self.home.path());
        let output = command
            .envs(self.environment.clone())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{what}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }

    pub(crate) fn passes(&self, what: &str) {
        self.command(
            without_settings("git").args(["commit", "--all", "--message=x"]),
            what,
        );
    }

    pub(crate) fn fails(&self, message: &str) {
        let mut git = without_settings("git");
        git.current_dir(self.repository.path())
            .env("PRE_COMMIT_HOME", self.home.path())
            .envs(self.environment.clone());
        let output = git
            .args(["commit", "--all", "--message=x"])
            .output()
            .unwrap();
        let said = [stdout(&output), stderr(&output)].concat();
        assert!(
            !output.status.success() && said.contains(message),
            "{message}: {said}"
        );
    }
}

/// The configuration that the documents show, with the hooks of a repository whose ids end so.
pub(crate) fn config_with(hooks: &Path, revision: &str, suffix: &str) -> String {
    let config = shown("docs/ci.md", "yaml", "- id: runvet-all");
    config
        .replace(
            "https://git.example.com/runvet.git",
            hooks.to_str().unwrap(),
        )
        .replace("v0.3.0", revision)
        .replace("id: runvet", &format!("id: runvet{suffix}"))
        .replace(&format!("{suffix}-all"), &format!("-all{suffix}"))
}

/// The environment of the tests, which gives access to packages.
pub(crate) fn of_user() -> Vec<(String, String)> {
    std::env::vars()
        .filter(|(name, _)| !name.starts_with("GIT_"))
        .collect()
}
