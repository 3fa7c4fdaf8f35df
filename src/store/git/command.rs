//! The command `git` -> what it prints of a working tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::ground::printable::escape;
use crate::ground::source::Artifact;
use crate::store::path;

pub(super) fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

/// Returns what names the artifacts and other files to git, in any directory.
pub(super) fn pathspecs(other_files: &[Arc<str>]) -> Vec<String> {
    let artifacts = Artifact::ALL.map(|artifact| artifact.file_name().to_owned());
    let others = other_files
        .iter()
        .map(|name| glob::Pattern::escape(name));

    artifacts
        .into_iter()
        .chain(others)
        .map(|name| format!(":(glob)**/{name}"))
        .collect()
}

/// Returns git in a directory. It writes nothing, not even its index, and does not use a file
/// system monitor.
pub(super) fn git_in(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(dir)
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false"]);

    command
}

/// Returns the directory of the working tree around the working directory.
pub(super) fn top() -> Result<PathBuf, String> {
    let top = git(Path::new("."), ["rev-parse", "--show-toplevel"])?;
    Ok(path::from_bytes(
        top.strip_suffix(b"\n")
            .unwrap_or(&top)
            .to_vec(),
    ))
}

/// Returns the paths of a list that git ends with NUL bytes.
pub(super) fn listed(paths: &[u8]) -> impl Iterator<Item = PathBuf> {
    paths
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| path::from_bytes(path.to_vec()))
}

/// Runs git and returns its output.
pub(super) fn git<'a>(
    dir: &Path,
    args: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<u8>, String> {
    let output = git_in(dir)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("can't run git: {error}"))?;

    if output.status.success() {
        Ok(output.stdout)
    } else {
        let message = String::from_utf8_lossy(&output.stderr);
        Err(format!("git failed: {}", message.trim_end()))
    }
}
