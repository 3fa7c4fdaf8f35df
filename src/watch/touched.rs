//! Reports of changes -> the directories to judge, each once it has been unchanged for a while.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::OtherFiles;

/// How long a directory must be unchanged before it is judged: a run writes its records one after
/// the other.
const REST: Duration = Duration::from_millis(500);

/// After how long a directory that keeps changing is judged anyway.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of changes to remember. If there are more, everything is judged.
const MAX_CHANGES: usize = 10_000;

/// What has changed since the last [`Touched::wait`]; shared with the threads that report changes.
#[derive(Default)]
pub(super) struct Touched {
    inbox: Mutex<Inbox>,
    news: Condvar,
}

#[derive(Default)]
struct Inbox {
    /// Paths from the top on, which is the empty path.
    changes: BTreeMap<PathBuf, Touch>,
    new: BTreeMap<PathBuf, bool>,
    /// The directories that can't be listed, or in which nothing can be looked at.
    closed: BTreeSet<PathBuf>,
    /// What counts besides artifacts.
    other_files: OtherFiles,
    end: Option<End>,
}

/// Why the watch ends.
#[derive(Clone)]
pub(super) enum End {
    Stopped,
    /// The directory no longer exists.
    Gone,
    /// The watcher failed.
    Failed(String),
}

#[derive(Clone, Copy)]
struct Touch {
    first: Instant,
    last: Instant,
    /// Whether everything below may have changed too; `None` where only other files did.
    is_whole: Option<bool>,
    has_others: bool,
}

impl Touch {
    fn due(&self) -> Instant {
        (self.last + REST).min(self.first + PATIENCE)
    }
}

/// What to judge now.
#[derive(Default)]
pub(super) struct Due {
    /// Paths at which something changed, each with whether everything below may have changed too;
    /// else only the artifacts in the directory did.
    pub(super) changes: BTreeMap<PathBuf, bool>,
    /// Directories in which another file changed, which counts in an episode.
    pub(super) others: BTreeSet<PathBuf>,
    /// Changes of the first kind since the last time: to be watched at once, and judged later.
    pub(super) new: BTreeMap<PathBuf, bool>,
    pub(super) end: Option<End>,
}

impl Due {
    fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.others.is_empty() && self.new.is_empty()
    }

    /// Everything.
    pub(super) fn all() -> Self {
        Self {
            changes: BTreeMap::from([(PathBuf::new(), true)]),
            ..Self::default()
        }
    }
}

impl Touched {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, below: PathBuf, is_whole: bool) {
        self.inbox().add(below, Some(is_whole), Instant::now());
        self.news.notify_one();
    }

    /// Records that a file besides the artifacts changed in a directory.
    pub(super) fn add_other(&self, dir: PathBuf) {
        self.inbox().add(dir, None, Instant::now());
        self.news.notify_one();
    }

    /// Sets which files count besides artifacts.
    pub(super) fn set_other_files(&self, files: OtherFiles) {
        self.inbox().other_files = files;
    }

    /// Whether a file with this name counts besides artifacts.
    pub(super) fn counts(&self, name: &OsStr) -> bool {
        self.inbox().other_files.may_be(name)
    }

    /// Notes whether a directory can be listed, and what is in it be looked at. Returns whether
    /// that is new.
    pub(super) fn set_open(&self, below: &Path, is_open: bool) -> bool {
        let closed = &mut self.inbox().closed;
        if is_open {
            closed.remove(below)
        } else {
            closed.insert(below.to_owned())
        }
    }

    /// Records that everything may have changed.
    pub(super) fn add_all(&self) {
        self.add(PathBuf::new(), true);
    }

    pub(super) fn end(&self, end: End) {
        self.inbox().end.get_or_insert(end);
        self.news.notify_one();
    }

    /// Waits until there is something to look at, or to watch, or an end, or until a time.
    pub(super) fn wait(&self, until: Option<Instant>) -> Due {
        let mut inbox = self.inbox();
        loop {
            let now = Instant::now();
            let due = inbox.take(now);
            let is_over = until.is_some_and(|until| until <= now);
            if is_over || due.end.is_some() || !due.is_empty() {
                return due;
            }
            let next = inbox.changes.values().map(Touch::due).chain(until).min();
            inbox = match next {
                None => self
                    .news
                    .wait(inbox)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(next) => {
                    let waited = self
                        .news
                        .wait_timeout(inbox, next.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Inbox {
    fn add(&mut self, below: PathBuf, is_whole: Option<bool>, now: Instant) {
        let is_full = self.changes.len() >= MAX_CHANGES && !self.changes.contains_key(&below);
        let (below, is_whole) = if is_full {
            self.changes.retain(|known, _| known == Path::new(""));
            self.new.clear();
            (PathBuf::new(), Some(true))
        } else {
            (below, is_whole)
        };
        if is_whole == Some(true) {
            self.new.insert(below.clone(), true);
        }
        let touch = self.changes.entry(below).or_insert(Touch {
            first: now,
            last: now,
            is_whole,
            has_others: false,
        });
        touch.last = now;
        touch.is_whole = touch.is_whole.max(is_whole);
        touch.has_others |= is_whole.is_none();
    }

    /// Takes the changes that are due; at the end, all of them.
    fn take(&mut self, now: Instant) -> Due {
        let mut due = Due {
            changes: BTreeMap::new(),
            others: BTreeSet::new(),
            new: std::mem::take(&mut self.new),
            end: self.end.clone(),
        };
        self.changes.retain(|below, touch| {
            let is_due = due.end.is_some() || touch.due() <= now;
            if is_due {
                due.changes
                    .extend(touch.is_whole.map(|it| (below.clone(), it)));
                due.others.extend(touch.has_others.then(|| below.clone()));
            }
            !is_due
        });
        due
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{MetadataKind, ModifyKind, RemoveKind};

    use super::super::{EventKind, place};
    use super::*;

    fn inbox(touches: &[(&str, u64)], start: Instant) -> Inbox {
        let mut inbox = Inbox::default();
        for (dir, at) in touches {
            let at = start + Duration::from_millis(*at);
            inbox.add(dir.into(), Some(false), at);
        }
        inbox
    }

    fn taken(inbox: &mut Inbox, now: Instant) -> Vec<String> {
        inbox
            .take(now)
            .changes
            .into_keys()
            .map(|below| below.display().to_string())
            .collect()
    }

    #[test]
    fn directory_is_checked_once_it_rests() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut inbox = inbox(&[("a", 0), ("b", 100), ("a", 300)], start);
        assert_eq!(taken(&mut inbox, at(599)), [""; 0]);
        assert_eq!(taken(&mut inbox, at(600)), ["b"]);
        assert_eq!(taken(&mut inbox, at(800)), ["a"]);
        assert_eq!(taken(&mut inbox, at(9000)), [""; 0]);
    }

    #[test]
    fn restless_directory_is_checked_after_a_while() {
        let start = Instant::now();
        let touches: Vec<(&str, u64)> = (0..=49).map(|index| ("a", index * 100)).collect();
        let mut inbox = inbox(&touches, start);
        assert_eq!(
            taken(&mut inbox, start + Duration::from_millis(4999)),
            [""; 0]
        );
        assert_eq!(taken(&mut inbox, start + PATIENCE), ["a"]);
    }

    #[test]
    fn everything_is_checked_beyond_the_limit() {
        let start = Instant::now();
        let mut inbox = Inbox::default();
        for index in 0..3 * MAX_CHANGES {
            inbox.add(index.to_string().into(), Some(false), start);
            assert!(inbox.changes.len() <= MAX_CHANGES);
        }
        let due = inbox.take(start + PATIENCE);
        assert!(due.changes.get(Path::new("")) == Some(&true));
    }

    #[test]
    fn nothing_is_kept_of_files_and_of_what_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        let (file, dir) = (temp.path().join("notes.txt"), temp.path().join("closed"));
        std::fs::write(&file, "").unwrap();
        let touched = Touched::new();
        let event = |kind, path: &Path| {
            let below = path.strip_prefix(temp.path()).unwrap();
            place(kind, path, below, &touched).is_some()
        };
        let metadata = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Permissions));
        assert!(!event(metadata, &file));
        assert!(touched.set_open(Path::new("closed"), false));
        assert!(event(EventKind::Remove(RemoveKind::Folder), &dir));
        assert!(touched.inbox().closed.is_empty());
    }

    #[test]
    fn nothing_is_pending_at_the_end() {
        let start = Instant::now();
        let mut inbox = inbox(&[("a", 0)], start);
        inbox.end = Some(End::Stopped);
        assert_eq!(taken(&mut inbox, start), ["a"]);
    }
}
