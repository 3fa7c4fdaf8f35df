//! A repository with run data and a configuration, and what runvet finds in it.

use std::fs;
use std::process::{Command, Output};

use runvet::finding::Report;
use tempfile::TempDir;

use crate::support::binary::stderr;
use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;

/// A repository with a copy of the demo in `runs/demo`.
pub(crate) struct Project(TempDir);

impl Project {
    pub(crate) fn new(config: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::create_dir(project.path(".git")).unwrap();
        for episode in fs::read_dir(corpus().join("demo/episodes"))
            .unwrap()
            .map(Result::unwrap)
        {
            copy_dir(
                &episode.path(),
                &project
                    .path("runs/demo/episodes")
                    .join(episode.file_name()),
            );
        }
        project.write("runvet.toml", config);
        project
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    pub(crate) fn run_in(&self, dir: &str, variables: &[(&str, &str)], args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .args(args)
            .current_dir(self.path(dir))
            .env_clear()
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_in("", &[], args)
    }

    /// The rules that find something in each episode of the report, and its totals.
    pub(crate) fn report(&self, variables: &[(&str, &str)], args: &[&str]) -> Report {
        let output = self.run_in(
            "",
            variables,
            &[&["validate", "--format", "json", "runs"], args].concat(),
        );
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    }
}
