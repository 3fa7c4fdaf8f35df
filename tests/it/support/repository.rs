//! Scratch repositories of git with runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::binary::stderr;
use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;

/// A repository with a commit that holds the episodes `runs/episodes/NAME`.
pub(crate) struct Repository(TempDir);

impl Repository {
    pub(crate) fn with(episodes: &[&str]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        for name in episodes {
            repository.add_episode(name);
        }
        repository.commit();
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Puts a good run into the working tree.
    pub(crate) fn add_episode(&self, name: &str) -> PathBuf {
        let dir = self.episode(name);
        copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &dir);
        for file in ["state.json", "summary.json", "events.jsonl"].map(|file| dir.join(file)) {
            let renamed = fs::read_to_string(&file)
                .unwrap()
                .replace("ep_answer", name);
            fs::write(file, renamed).unwrap();
        }
        dir
    }

    pub(crate) fn episode(&self, name: &str) -> PathBuf {
        self.path()
            .join("runs/episodes")
            .join(name)
    }

    pub(crate) fn git(&self, args: &[&str]) {
        git(self.path(), args);
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }
}

/// A command that ignores the user's git settings.
pub(crate) fn without_settings(program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nowhere");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "x")
            .env(format!("GIT_{role}_EMAIL"), "x@example.com");
    }
    command
}

pub(crate) fn git(dir: &Path, args: &[&str]) {
    let output = without_settings("git")
        .current_dir(dir)
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", stderr(&output));
}
