//! A directory -> the run-data directories below it, found within limits.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::listing::list;
use super::path::join;
use crate::source::EPISODES;

/// The number of levels below a directory that are searched. Projects keep run data near their
/// root.
const MAX_LEVELS: usize = 5;

/// The number of directories that are listed. A working directory may be a home, with millions
/// below it.
const MAX_LISTED: usize = 10_000;

/// Returns the directories below one that contain a directory called `episodes`, sorted, and the
/// directory itself if it does. The nearest are searched first, in the order of their names, so
/// that the result does not depend on the file system. What can't be listed is passed over.
pub(crate) fn run_data_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([(dir.to_owned(), 0)]);
    let mut listed = 0;
    while let Some((dir, level)) = waiting.pop_front() {
        if listed == MAX_LISTED {
            break;
        }
        listed += 1;
        let Ok(mut listing) = list(&dir) else {
            continue;
        };
        listing.directories.retain(|name| &**name != EPISODES);
        if level < MAX_LEVELS {
            listing.directories.sort_unstable();
            let below = listing.directories.iter();
            waiting.extend(below.map(|name| (join(&dir, Path::new(&**name)), level + 1)));
        }
        if listing.holds_episodes {
            found.push(dir);
        }
    }
    found.sort_unstable();
    found
}
