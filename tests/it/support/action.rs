//! The action of a pipeline, its steps run as a runner would run them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::python::python;
use crate::support::repository::{Repository, without_settings};

/// A repository with a good run, and a branch with two more runs, one of them bad.
pub(crate) fn repository() -> Repository {
    let repository = Repository::with(&["ep_good"]);
    repository.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repository.add_episode("ep_new");
    let bad = repository
        .add_episode("ep_bad")
        .join("state.json");
    fs::write(
        &bad,
        fs::read_to_string(&bad)
            .unwrap()
            .replace("ep_bad", "ep_other"),
    )
    .unwrap();
    repository.commit();
    repository
}

/// A command that finds the binary under test before all others.
pub(crate) fn with_runvet(program: &str) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_runvet"))
        .parent()
        .unwrap()
        .display();
    let mut command = without_settings(program);
    command.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
    command
}

/// The result of a job: its steps are run in turn, `ok` says whether all succeeded, and the rest
/// are the action's outputs.
#[track_caller]
pub(crate) fn act(
    repository: &Repository,
    inputs: &str,
    environment: &[(&str, &str)],
) -> Option<Output> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut python = python("action", &["PyYAML==6.0.3"])?;
    let with_runvet = with_runvet("true");
    python
        .arg(root.join("tests/action.py"))
        .args([root, Path::new(inputs)])
        .current_dir(repository.path())
        .env_clear();
    python
        .envs(
            with_runvet
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .envs(environment.iter().copied());
    Some(python.output().unwrap())
}
