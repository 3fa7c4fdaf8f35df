//! The directories that a walk saw -> their listings again, and where they differ now.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, CWD};

use crate::ground::parallel::locked;
use crate::ground::source::{Artifact, EntryKind};
use crate::store::find::{Dir, Tree, nature};
use crate::store::open::{EpisodeDir, FileVersion, Listing, OtherNames, list};
use crate::store::path::{is_artifact, is_nothing, join};

/// The directories of a tree as they were last seen, by their paths from the root on.
#[derive(Default)]
pub(super) struct Snapshot {
    /// By the bytes of their paths, which are compared faster than paths are.
    directories: BTreeMap<OsString, Sighting>,
    /// The directories that were listed for the first time, or in which an artifact may differ.
    pub(super) touched: BTreeSet<PathBuf>,
    /// `true` if a walk may find something else than the last one.
    pub(super) is_stale: bool,
}

/// What is at a path, beside what is listed of the directory around it.
enum Entry {
    /// The directory around it need not be listed again.
    AsListed,
    /// A directory came or went, which may be one of many: the listing is corrected.
    Directory { is_there: bool },
    /// The directory around it has to be listed again.
    Unclear,
}

/// The state of a directory when it was last seen.
struct Sighting {
    /// The device, and the number of the directory on it.
    identity: Option<(u64, u64)>,
    /// `true` if it may be listed, and what is in it be looked at.
    is_open: bool,
    /// Its entries, sorted, or the number of the error; no other files where there are artifacts.
    listing: Result<Listing, i32>,
    /// The versions of the artifacts, and of the links, as far as they may be looked at.
    artifacts: Vec<Option<FileVersion>>,
    links: Vec<Option<FileVersion>>,
    /// `true` if an artifact was written just now: another write may leave the same version behind.
    is_fresh: bool,
    /// The answer to what a walk asked of the content of a record.
    content: Option<bool>,
}

/// The tree of a disk, of which each directory is listed once.
pub(super) struct SeenTree<'s> {
    pub(super) seen: &'s Mutex<Snapshot>,
    /// Called with each directory before it is listed, by its path from the root on.
    pub(super) listen: &'s (dyn Fn(&Path) + Sync),
}

impl SeenTree<'_> {
    /// Answers a question about a record, which is read once.
    fn ask(&self, dir: &Dir, question: fn(&EpisodeDir) -> bool) -> bool {
        let below = dir.below();
        // Let go before the answer is looked for, which takes the lock again.
        let known = locked(self.seen)
            .get(&below)
            .and_then(|it| it.content);

        known.unwrap_or_else(|| {
            let answer = question(&dir.episode());
            if let Some(seen) = locked(self.seen)
                .directories
                .get_mut(below.as_os_str())
            {
                seen.content = Some(answer);
            }
            answer
        })
    }
}

impl Tree for SeenTree<'_> {
    fn list(&self, dir: &Dir) -> io::Result<Listing> {
        let below = dir.below();
        if let Some(known) = locked(self.seen).get(&below) {
            return known.listing();
        }

        (self.listen)(&below);
        let is = Sighting::at(&dir.path());
        let (listing, mut seen) = (is.listing(), locked(self.seen));
        seen.touched.insert(below.clone());
        seen.directories
            .insert(below.into_os_string(), is);

        listing
    }

    fn holds_timeline(&self, dir: &Dir) -> io::Result<bool> {
        let listing = self.list(dir);
        let is_open = locked(self.seen)
            .get(&dir.below())
            .is_some_and(|it| it.is_open);

        match listing {
            Ok(listing) if is_open => Ok(listing.entries.has(Artifact::Events)),
            _ => nature::holds_timeline(&dir.path()),
        }
    }

    fn is_foreign(&self, dir: &Dir) -> bool {
        self.ask(dir, nature::is_foreign)
    }

    fn names_run(&self, dir: &Dir) -> bool {
        self.ask(dir, nature::names_run)
    }
}

impl Snapshot {
    fn get(&self, below: &Path) -> Option<&Sighting> {
        self.directories.get(below.as_os_str())
    }

    /// Forgets all directories at and below a path.
    pub(super) fn forget(&mut self, below: &Path) {
        self.is_stale = true;
        if below == Path::new("") {
            return self.directories.clear();
        }

        self.directories
            .remove(below.as_os_str());
        let mut prefix = below.as_os_str().to_owned();
        prefix.push("/");

        let known = self
            .directories
            .range(prefix.clone()..)
            .map(|(it, _)| it);
        let is_below = |it: &&OsString| {
            it.as_bytes()
                .starts_with(prefix.as_bytes())
        };

        for below in known
            .take_while(is_below)
            .cloned()
            .collect::<Vec<_>>()
        {
            self.directories.remove(&below);
        }
    }

    /// Looks again at what is at some paths, and notes what differs.
    pub(super) fn look<'p>(&mut self, root: &Path, paths: impl Iterator<Item = &'p Path>) {
        let mut at = BTreeSet::new();
        for below in paths {
            at.insert(below);
            match self.entry(root, below) {
                Entry::AsListed => {}
                Entry::Directory { is_there } => self.note_directory(below, is_there),
                Entry::Unclear => at.extend(below.parent()),
            }
        }

        for below in at {
            self.look_into(root, below);
        }
    }

    /// Returns what is at a path, beside what is listed of the directory around it.
    fn entry(&self, root: &Path, below: &Path) -> Entry {
        let Some(around) = below
            .parent()
            .and_then(|dir| self.get(dir))
        else {
            return Entry::AsListed;
        };
        let Ok(listing) = &around.listing else {
            return Entry::Unclear;
        };

        let name = below.file_name().unwrap_or_default();
        let is_in = |names: &[Arc<OsStr>]| {
            names
                .binary_search_by(|it| (**it).cmp(name))
                .is_ok()
        };
        let (was_directory, was_link) = (is_in(&listing.directories), is_in(&listing.links));
        let is_plain = !was_link && !is_artifact(name) && name != ".git";
        let kind = FileVersion::at(&join(root, below)).map(|it| it.kind);

        match kind {
            Some(EntryKind::Directory) if was_directory => Entry::AsListed,
            Some(EntryKind::Directory) if is_plain => Entry::Directory { is_there: true },
            None if was_directory && is_plain => Entry::Directory { is_there: false },
            Some(EntryKind::Link) => Entry::Unclear,
            // The other files do not count where there are artifacts.
            _ if was_link || was_directory || around.artifacts.is_empty() => Entry::Unclear,
            _ => Entry::AsListed,
        }
    }

    /// Corrects the listing around a directory that came or went.
    fn note_directory(&mut self, below: &Path, is_there: bool) {
        let around = below.parent().unwrap_or(Path::new(""));
        if let Some(Sighting {
            listing: Ok(listing),
            ..
        }) = self
            .directories
            .get_mut(around.as_os_str())
        {
            listing.set_directory(below.file_name().unwrap_or_default(), is_there);
        }

        self.forget(below);
    }

    fn look_into(&mut self, root: &Path, below: &Path) {
        let Some(was) = self.get(below) else {
            return;
        };
        let is = Sighting::at(&join(root, below));
        if is.is_gone() && below != Path::new("") {
            // What is seen of the directory around it tells.
            return;
        }

        if !was.is_same_directory(&is) {
            // A walk lists it, once it is listened to.
            return self.forget(below);
        }

        let (is_touched, is_stale) = (was.is_touched(&is), was.is_stale(&is));
        for name in was.other_names(&is) {
            self.forget(&below.join(&*name));
        }
        if is_touched {
            self.touched.insert(below.to_owned());
        }

        self.is_stale |= is_stale;
        self.directories
            .insert(below.into(), is);
    }

    /// Returns the paths at which something differs now. Nothing is noted.
    pub(super) fn changes(&self, root: &Path) -> Vec<PathBuf> {
        let mut changes = Vec::new();
        for (below, was) in &self.directories {
            let below = Path::new(below);
            let is = Sighting::at(&join(root, below));
            if is.is_gone() && below != Path::new("") {
                continue;
            }

            let names = was.other_names(&is);
            if was.is_touched(&is) || names.is_empty() && was.is_stale(&is) {
                changes.push(below.to_owned());
            }

            changes.extend(
                names
                    .iter()
                    .map(|name| below.join(&**name)),
            );
        }

        changes
    }
}

impl Sighting {
    fn at(dir: &Path) -> Self {
        let now = SystemTime::now();
        let mut listing = list(dir);
        let (mut artifacts, mut links) = (Vec::new(), Vec::new());

        if let Ok(listing) = &mut listing {
            listing.directories.sort_unstable();
            listing.links.sort_unstable();
            listing.others.suspects.sort_unstable();

            let version = |name: &OsStr| FileVersion::at(&dir.join(name));
            let there = Artifact::ALL
                .iter()
                .filter(|it| listing.entries.has(**it));
            artifacts.extend(there.map(|it| version(it.file_name().as_ref())));
            links.extend(
                listing
                    .links
                    .iter()
                    .map(|name| version(name)),
            );
            if !artifacts.is_empty() {
                listing.others = OtherNames::default();
            }
        }

        let access = Access::READ_OK | Access::EXEC_OK;
        let may_be_open = || rustix::fs::accessat(CWD, dir, access, AtFlags::EACCESS).is_ok();
        Self {
            identity: rustix::fs::stat(dir)
                .ok()
                .map(|it| (it.st_dev, it.st_ino)),
            is_open: listing.is_ok() && may_be_open(),
            is_fresh: artifacts
                .iter()
                .flatten()
                .any(|it| it.is_fresh(now)),
            listing: listing.map_err(|error| error.raw_os_error().unwrap_or_default()),
            artifacts,
            links,
            content: None,
        }
    }

    fn listing(&self) -> io::Result<Listing> {
        self.listing
            .clone()
            .map_err(io::Error::from_raw_os_error)
    }

    fn is_gone(&self) -> bool {
        matches!(self.listing(), Err(error) if is_nothing(&error))
    }

    fn is_same_directory(&self, is: &Self) -> bool {
        (self.identity, self.is_open) == (is.identity, is.is_open)
    }

    /// Returns `true` if an artifact may differ, or the other files where there is none.
    fn is_touched(&self, is: &Self) -> bool {
        let files = |it: &Self| {
            it.listing
                .as_ref()
                .ok()
                .map(|it| (it.entries, it.others.clone()))
        };

        self.is_fresh || self.artifacts != is.artifacts || files(self) != files(is)
    }

    /// Returns `true` if a walk may find something else.
    fn is_stale(&self, is: &Self) -> bool {
        !self.is_same_directory(is)
            || (&self.listing, &self.links) != (&is.listing, &is.links)
            || self.content.is_some() && self.is_touched(is)
    }

    /// Returns the names of the directories and links that came or went.
    fn other_names(&self, is: &Self) -> Vec<Arc<OsStr>> {
        let names = |it: &Self| {
            it.listing
                .iter()
                .flat_map(|it| {
                    it.directories
                        .iter()
                        .chain(&it.links)
                        .cloned()
                })
                .collect::<BTreeSet<_>>()
        };

        names(self)
            .symmetric_difference(&names(is))
            .cloned()
            .collect()
    }
}

/// Looks whether a directory can be listed.
pub(crate) fn look_at(dir: &Path) -> io::Result<()> {
    list(dir).map(drop)
}
