//! The hooks for pre-commit, tried by the real program: with the configurations that the documents
//! show, in a scratch repository, on real commits. The tests that install runvet first are for
//! `make dist`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::shown;
use crate::support::python::{python, wheels};
use crate::support::repository::{Repository, without_settings};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A repository that has hooks installed, with a good run and a bad one.
struct Hooked {
    repository: Repository,
    /// Where pre-commit keeps what it installs.
    home: TempDir,
    /// What a commit finds in its environment besides.
    environment: Vec<(String, String)>,
}

impl Hooked {
    /// Nothing where pre-commit can't be had.
    fn new(config: &str, environment: Vec<(String, String)>) -> Option<Self> {
        let mut pre_commit = python("pre-commit", &["pre-commit==4.7.0"])?;
        let hooked = Self {
            repository: Repository::with(&["ep_good", "ep_bad"]),
            home: tempfile::tempdir().unwrap(),
            environment,
        };
        fs::write(
            hooked.repository.path().join(".pre-commit-config.yaml"),
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

    fn make_bad(&self, name: &str) {
        let state = self.repository.episode(name).join("state.json");
        fs::write(
            &state,
            fs::read_to_string(&state)
                .unwrap()
                .replace(name, "ep_other"),
        )
        .unwrap();
    }

    /// Makes a good run another, which is as good.
    fn change(&self, name: &str) {
        let summary = self.repository.episode(name).join("summary.json");
        fs::write(&summary, fs::read_to_string(&summary).unwrap() + "\n").unwrap();
    }

    fn command(&self, command: &mut Command, what: &str) {
        command
            .current_dir(self.repository.path())
            .env("PRE_COMMIT_HOME", self.home.path());
        let output = command.envs(self.environment.clone()).output().unwrap();
        assert!(
            output.status.success(),
            "{what}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }

    fn passes(&self, what: &str) {
        self.command(
            without_settings("git").args(["commit", "--all", "--message=x"]),
            what,
        );
    }

    fn fails(&self, told: &str) {
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
            !output.status.success() && said.contains(told),
            "{told}: {said}"
        );
    }
}

/// The configuration that the documents show, with the hooks of a repository.
fn config_with(hooks: &Path, revision: &str) -> String {
    let config = shown("docs/ci.md", "yaml", "- id: runvet-all");
    config
        .replace(
            "https://git.example.com/runvet.git",
            hooks.to_str().unwrap(),
        )
        .replace("v0.1.0", revision)
}

fn search_path(first: &Path) -> String {
    format!("{}:{}", first.display(), std::env::var("PATH").unwrap())
}

#[test]
fn hooks_stop_commits_of_bad_runs() {
    // The hooks as they are, but for how runvet gets there: the binary under test is on the search
    // path.
    let declared = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    assert_eq!(
        declared.matches("language: rust").count(),
        declared.matches("- id: ").count()
    );
    let hooks = Repository::with(&[]);
    fs::write(
        hooks.path().join(".pre-commit-hooks.yaml"),
        declared.replace("language: rust", "language: system"),
    )
    .unwrap();
    hooks.commit();
    hooks.git(&["tag", "v0.1.0"]);
    let path = search_path(Path::new(env!("CARGO_BIN_EXE_runvet")).parent().unwrap());
    let Some(hooked) = Hooked::new(
        &config_with(hooks.path(), "v0.1.0"),
        vec![("PATH".into(), path)],
    ) else {
        return;
    };

    let repository = &hooked.repository;
    hooked.change("ep_good");
    hooked.passes("a good run that changed, beside a bad one that did not");
    fs::write(repository.path().join("runvet.toml"), "").unwrap();
    repository.git(&["add", "runvet.toml"]);
    hooked.fails("episode/id");
    repository.git(&[
        "rm",
        "--quiet",
        "--force",
        "-r",
        "runvet.toml",
        "runs/episodes/ep_bad",
    ]);
    hooked.passes("a bad run that goes away");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
    repository.git(&["reset", "--quiet", "--hard"]);
    let web = repository.path().join("web/manifest.json");
    fs::create_dir(web.parent().unwrap()).unwrap();
    fs::write(web, "{}").unwrap();
    repository.git(&["add", "--all"]);
    hooked.passes("a file that has the name of an artifact");
}

/// The environment of whoever runs the tests, from which packages can be had.
fn of_user() -> Vec<(String, String)> {
    std::env::vars()
        .filter(|(name, _)| !name.starts_with("GIT_"))
        .collect()
}

#[test]
#[ignore = "builds runvet as a user's pre-commit does, which takes minutes"]
fn pre_commit_builds_the_hooks() {
    let head = without_settings("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(root())
        .output()
        .unwrap();
    let config = config_with(root(), stdout(&head).trim());
    let hooked = Hooked::new(&config, of_user()).expect("pre-commit");
    hooked.change("ep_good");
    hooked.passes("a good run that changed");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
}

#[test]
#[ignore = "needs the wheel that `make dist` builds"]
fn wheel_serves_the_hook_without_rust() {
    let config = shown("docs/ci.md", "yaml", "language: python");
    let mut environment = of_user();
    environment.push(("PIP_FIND_LINKS".into(), wheels().display().to_string()));
    let hooked = Hooked::new(&config, environment).expect("pre-commit");
    hooked.change("ep_good");
    hooked.passes("a good run that changed");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
}
