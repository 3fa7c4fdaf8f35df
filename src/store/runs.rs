//! A run-data directory -> its runs, newest first. The listing is enough: no run is opened.
//!
//! The time of a run is the one in its directory's name, if the name ends in a ULID
//! (`ep_01JGFJJZ00CTSPE3DKFP348M8P`), else the modification time of the directory, which is when an
//! artifact was last added, renamed or removed.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};

use super::EpisodeDir;
use super::discover::{Nature, nature};
use super::disk::{entry_kind, list};
use super::path::{self, join};
use crate::source::{Artifact, EntryKind};

/// A directory that is most likely a run.
#[derive(Clone, Debug)]
pub(crate) struct RunDir {
    pub(crate) path: PathBuf,
    /// The directory's name: the run's id.
    pub(crate) name: String,
    /// Nanoseconds since 1970.
    time: i128,
}

impl RunDir {
    /// The run, if the directory is one.
    pub(crate) fn episode(&self) -> Option<EpisodeDir> {
        let entries = list(&self.path).ok()?.entries;
        let is_run = nature(self.path.file_name()?, entries) != Nature::None;
        is_run.then(|| EpisodeDir {
            path: self.path.clone(),
            id: Some(self.name.clone()),
            name: self.name.clone(),
            entries,
        })
    }
}

/// The runs below a run-data directory, newest first.
pub(crate) fn runs(run_data: &Path) -> io::Result<Vec<RunDir>> {
    let mut runs = Vec::new();
    collect(&join(run_data, Path::new("episodes")), &mut runs)?;
    runs.sort_by(|a, b| (b.time, &b.path).cmp(&(a.time, &a.path)));
    Ok(runs)
}

fn collect(group: &Path, runs: &mut Vec<RunDir>) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let mut dir = Dir::new(rustix::fs::open(group, flags, Mode::empty())?)?;
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b".." | b".git") {
            continue;
        }
        if entry_kind(&dir, entry.file_name(), entry.file_type()) != EntryKind::Directory {
            continue;
        }
        let name = path::name(name.to_vec());
        let path = join(group, Path::new(&name));
        let name = path::id(&name);
        let stat = dir
            .fd()
            .and_then(|dir| rustix::fs::statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW));
        let Ok(stat) = stat else { continue };
        // A directory with only its two default hard links contains no directories, so no runs.
        if stat.st_nlink != 2 && is_group(&path) {
            let before = runs.len();
            collect(&path, runs)?;
            if runs.len() > before {
                continue;
            }
        }
        let changed = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
        let time =
            ulid_time(&name).map_or(changed, |milliseconds| i128::from(milliseconds) * 1_000_000);
        runs.push(RunDir { path, name, time });
    }
    Ok(())
}

/// Whether a directory may contain runs and is not a run itself.
fn is_group(path: &Path) -> bool {
    list(path).is_ok_and(|listing| {
        let is_run = listing.entries.has(Artifact::State) || listing.entries.has(Artifact::Events);
        listing.holds_episodes || !(is_run || listing.directories.is_empty())
    })
}

/// The milliseconds since 1970 that a ULID at the end of a name carries.
fn ulid_time(name: &str) -> Option<u64> {
    let ulid = name.get(name.len().checked_sub(26)?..)?;
    let before = name.get(..name.len() - 26)?;
    if !(before.is_empty() || before.ends_with(['_', '-'])) {
        return None;
    }
    let digit = |c: u8| {
        b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
            .iter()
            .position(|known| *known == c.to_ascii_uppercase())
    };
    if !ulid.bytes().all(|c| digit(c).is_some()) {
        return None;
    }
    let time = ulid
        .bytes()
        .take(10)
        .try_fold(0u64, |sum, c| Some(sum << 5 | digit(c)? as u64))?;
    (time < 1 << 48).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::ulid_time;

    #[test]
    fn ulid_time_is_in_its_first_ten_characters() {
        assert_eq!(
            ulid_time("ep_01JGFJJZ00CTSPE3DKFP348M8P"),
            Some(1_735_689_600_000)
        );
        assert_eq!(
            ulid_time("01JGFJJZ00CTSPE3DKFP348M8P"),
            Some(1_735_689_600_000)
        );
        for other in [
            "ep_adr008_veto",
            "ep_01JGFJJZ00CTSPE3DKFP348M8",
            "x01JGFJJZ00CTSPE3DKFP348M8P",
            "ep_81JGFJJZ00CTSPE3DKFP348M8P",
            "ep_01JGFJJZ00CTSPE3DKFP348MUP",
        ] {
            assert_eq!(ulid_time(other), None, "{other}");
        }
    }
}
