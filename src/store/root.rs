//! A directory to search -> the episode around it.

use std::path::{Component, Path, PathBuf};

use super::listing::list;
use super::nature::{Nature, below_episodes, nature};
use super::path::tidy;

/// A directory to walk: its path as the user typed it, and its real path.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) typed: PathBuf,
    pub(super) real: PathBuf,
    /// Whether a user gave it.
    pub(super) is_given: bool,
}

/// The outermost episode around a directory below `episodes`: an episode may contain checkpoints,
/// which hold copies of records.
pub(super) fn enclosing_episode(root: &Root) -> Option<Root> {
    let above: Vec<(usize, &Path)> = root.real.ancestors().enumerate().collect();
    above
        .into_iter()
        .rev()
        .filter(|(_, real)| below_episodes(real))
        .find_map(|(levels, real)| {
            let entries = list(real).ok()?.entries;
            let is_episode = nature(real.file_name()?, entries) == Nature::Episode;
            is_episode.then(|| Root {
                typed: up(&root.typed, levels, real),
                real: real.to_owned(),
                is_given: root.is_given,
            })
        })
}

/// The directory `levels` above `typed`, whose real path is `real`: as a user would type it, unless
/// a symbolic link lies between.
fn up(typed: &Path, levels: usize, real: &Path) -> PathBuf {
    let mut above = typed.to_owned();
    for _ in 0..levels {
        match above.components().next_back() {
            Some(Component::Normal(_)) => drop(above.pop()),
            _ => above = tidy(&above.join("..")),
        }
    }
    let above = tidy(&above);
    if above.canonicalize().is_ok_and(|path| path == real) {
        above
    } else {
        real.to_owned()
    }
}
