//! runvet as users install it: pre-commit builds it from source, or takes the wheel. Each of these
//! tests takes minutes and all cores; `RUNVET_TESTS=all make test` runs them, one by one.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::{root, shown};
use crate::support::pre_commit::{Hooked, config_with, of_user};
use crate::support::python::python;
use crate::support::repository::without_settings;
use crate::support::skip::{all_must_run, skip};

/// The directory of the wheel: built by `make dist`, else here, without optimization to save time.
static WHEELS: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(wheels) = std::env::var_os("RUNVET_WHEELS") {
        return wheels.into();
    }
    let wheels = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wheels");
    let mut pip = python("maturin", &["maturin>=1.16,<2"]).expect("maturin");
    // The build looks for maturin beside the Python that runs it.
    let beside = Path::new(pip.get_program())
        .parent()
        .unwrap()
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(beside).chain(std::env::split_paths(&path));
    pip.env("PATH", std::env::join_paths(path).unwrap());
    pip.args(["-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]);
    pip.args(["--config-settings", "profile=dev", "--wheel-dir"]);
    let built = pip
        .arg(&wheels)
        .arg(".")
        .current_dir(root())
        .output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}", stderr(&built));
    wheels
});

/// Whether the calling test should run; else it is skipped.
#[track_caller]
fn has_time() -> bool {
    if !all_must_run() {
        skip("it takes minutes; RUNVET_TESTS=all runs it");
    }
    all_must_run()
}

/// Has pre-commit install the hooks whose ids end so from the last commit, without optimization.
fn pre_commit_builds(suffix: &str) {
    if !has_time() {
        return;
    }
    let mut git = without_settings("git");
    let head = git
        .args(["rev-parse", "HEAD"])
        .current_dir(root())
        .output();
    let config = config_with(root(), stdout(&head.unwrap()).trim(), suffix);
    let mut environment = of_user();
    environment.push(("RUNVET_BUILD_PROFILE".into(), "dev".into()));
    let hooked = Hooked::new(&config, environment).expect("pre-commit");
    hooked.change("ep_good");
    hooked.passes("a good run that changed");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
}

#[test]
fn pre_commit_builds_the_hooks_with_cargo() {
    pre_commit_builds("");
}

#[test]
fn pre_commit_builds_the_hooks_with_pip() {
    pre_commit_builds("-python");
}

#[test]
fn wheel_serves_the_hook_without_rust() {
    if !has_time() {
        return;
    }
    let config = shown("docs/ci.md", "yaml", "language: python");
    let mut environment = of_user();
    environment.push(("PIP_FIND_LINKS".into(), WHEELS.display().to_string()));
    let hooked = Hooked::new(&config, environment).expect("pre-commit");
    hooked.change("ep_good");
    hooked.passes("a good run that changed");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
}
