//! The hooks for pre-commit, tried by the real program: with the configuration that the documents show, in a scratch
//! repository, on real commits.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::changed::{Repository, without_settings};
use crate::cli::{stderr, stdout};
use crate::docs::shown;
use crate::python::python;

/// A repository with the hooks as they are, but for how runvet gets there: the binary under test is on the search path.
fn hooks() -> Repository {
    let declared = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml")).unwrap();
    assert_eq!(declared.matches("language: rust").count(), declared.matches("- id: ").count());
    let hooks = Repository::with(&[]);
    fs::write(hooks.path().join(".pre-commit-hooks.yaml"), declared.replace("language: rust", "language: system"))
        .unwrap();
    hooks.commit();
    hooks.git(&["tag", "v0.1.0"]);
    hooks
}

#[test]
fn commits_are_held_by_the_hooks() {
    let Some(mut pre_commit) = python("pre-commit", &["pre-commit==4.7.0"]) else { return };
    let hooks = hooks();
    let home = tempfile::tempdir().unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_runvet")).parent().unwrap().display();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());

    let repository = Repository::with(&["ep_good", "ep_bad"]);
    let config = shown("docs/ci.md", "yaml", "- id: runvet-all");
    let config = config.replace("https://git.example.com/runvet.git", hooks.path().to_str().unwrap());
    fs::write(repository.path().join(".pre-commit-config.yaml"), config).unwrap();
    let break_ = |name: &str| {
        let state = repository.episode(name).join("state.json");
        fs::write(&state, fs::read_to_string(&state).unwrap().replace(name, "ep_other")).unwrap();
    };
    break_("ep_bad");
    repository.commit();
    let install = pre_commit.args(["-m", "pre_commit", "install"]).current_dir(repository.path());
    let installed = install.env("PRE_COMMIT_HOME", home.path()).output().unwrap();
    assert!(installed.status.success(), "{}", stderr(&installed));

    let commit = |args: &[&str]| -> Output {
        let mut git = without_settings("git");
        git.current_dir(repository.path()).env("PATH", &path).env("PRE_COMMIT_HOME", home.path());
        git.args(["commit", "--all", "--message=x"]).args(args).output().unwrap()
    };
    let passes = |what: &str| {
        let output = commit(&[]);
        assert!(output.status.success(), "{what}: {}{}", stdout(&output), stderr(&output));
    };
    let fails = |told: &str| {
        let output = commit(&[]);
        let said = [stdout(&output), stderr(&output)].concat();
        assert!(!output.status.success() && said.contains(told), "{told}: {said}");
    };

    let good = repository.episode("ep_good").join("events.jsonl");
    fs::write(&good, fs::read(&good).unwrap().strip_suffix(b"\n").unwrap()).unwrap();
    passes("a good run that changed, beside a bad one that did not");
    fs::write(repository.path().join("runvet.toml"), "").unwrap();
    repository.git(&["add", "runvet.toml"]);
    fails("episode/id");
    repository.git(&["rm", "--quiet", "--force", "-r", "runvet.toml", "runs/episodes/ep_bad"]);
    passes("a bad run that goes away");
    break_("ep_good");
    fails("runs/episodes/ep_good/state.json");
    let web = repository.path().join("web/manifest.json");
    fs::create_dir(web.parent().unwrap()).unwrap();
    fs::write(web, "{}").unwrap();
    repository.git(&["reset", "--quiet", "--hard"]);
    repository.git(&["add", "--all"]);
    passes("a file that has the name of an artifact");
}
