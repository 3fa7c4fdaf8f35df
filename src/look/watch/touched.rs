//! Reports of changes -> the directories to judge, each once it has been unchanged for a while.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Error;
use crate::ground::parallel::locked;
use crate::store::OtherFiles;

/// The time for which a directory must be unchanged before it is judged: a run writes its records
/// one after the other.
const REST: Duration = Duration::from_millis(500);

/// The time after which a directory that keeps changing is judged anyway.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of changes to remember. If there are more, everything is judged.
const MAX_CHANGES: usize = 10_000;

/// The changes since the last [`Touched::wait`]; shared with the threads that report them.
#[derive(Default)]
pub(super) struct Touched {
    inbox: Mutex<Inbox>,
    news: Condvar,
}

#[derive(Default)]
struct Inbox {
    /// Paths from the top on, which is the empty path.
    touches: BTreeMap<PathBuf, Touch>,
    new: BTreeSet<PathBuf>,
    /// The files that count besides artifacts.
    other_files: OtherFiles,
    /// The result of the watch, once it is to end.
    end: Option<Result<(), Error>>,
}

#[derive(Clone, Copy)]
struct Touch {
    first: Instant,
    last: Instant,
    /// `true` if everything at and below the path counts as changed, however it looks.
    is_whole: bool,
}

impl Touch {
    fn due(&self) -> Instant {
        (self.last + REST).min(self.first + PATIENCE)
    }
}

/// The paths to look at now.
#[derive(Default)]
pub(super) struct Due {
    /// Paths at which something may have changed, each with whether everything at and below it
    /// counts as changed, however it looks.
    pub(super) touched: BTreeMap<PathBuf, bool>,
    /// Directories that came since the last time: to be watched at once, and judged later.
    pub(super) new: BTreeSet<PathBuf>,
    /// `true` if the watch is to end.
    pub(super) is_end: bool,
}

impl Touched {
    /// Records that something may have changed at a path; everything, if it is whole.
    pub(super) fn add(&self, below: PathBuf, is_whole: bool) {
        locked(&self.inbox).add(below, is_whole, Instant::now());
        self.news.notify_one();
    }

    /// Records what a look shows, and shows again until it is judged: that is no further change.
    pub(super) fn add_seen(&self, below: PathBuf) {
        if !locked(&self.inbox)
            .touches
            .contains_key(&below)
        {
            self.add(below, false);
        }
    }

    /// Records that a directory came.
    pub(super) fn add_new(&self, below: &Path) {
        locked(&self.inbox)
            .new
            .insert(below.to_owned());
        self.add(below.to_owned(), false);
    }

    /// Sets which files count besides artifacts.
    pub(super) fn set_other_files(&self, files: OtherFiles) {
        locked(&self.inbox).other_files = files;
    }

    /// Returns `true` if a file with this name counts besides artifacts.
    pub(super) fn counts(&self, name: &OsStr) -> bool {
        locked(&self.inbox)
            .other_files
            .may_be(name)
    }

    /// Records that everything may have changed.
    pub(super) fn add_all(&self) {
        self.add(PathBuf::new(), true);
    }

    /// Has the watch end with a result, once all changes so far are seen.
    pub(super) fn end(&self, end: Result<(), Error>) {
        locked(&self.inbox)
            .end
            .get_or_insert(end);
        self.news.notify_one();
    }

    /// Returns the result of the watch.
    pub(super) fn result(&self) -> Result<(), Error> {
        locked(&self.inbox)
            .end
            .take()
            .unwrap_or(Ok(()))
    }

    /// Waits until there is something to look at, or to watch, or an end, or until a time.
    pub(super) fn wait(&self, until: Instant) -> Due {
        let mut inbox = locked(&self.inbox);
        loop {
            let now = Instant::now();
            let due = inbox.take(now);
            if until <= now || due.is_end || !(due.touched.is_empty() && due.new.is_empty()) {
                return due;
            }

            let time = inbox
                .touches
                .values()
                .map(Touch::due)
                .chain([until])
                .min()
                .unwrap_or(until)
                .saturating_duration_since(now);
            let waited = self.news.wait_timeout(inbox, time);
            inbox = waited
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Inbox {
    fn add(&mut self, mut below: PathBuf, mut is_whole: bool, now: Instant) {
        if self.touches.len() >= MAX_CHANGES && !self.touches.contains_key(&below) {
            self.touches
                .retain(|known, _| known == Path::new(""));
            self.new.clear();
            (below, is_whole) = (PathBuf::new(), true);
        }

        let touch = self
            .touches
            .entry(below)
            .or_insert(Touch {
                first: now,
                last: now,
                is_whole,
            });
        touch.last = now;
        touch.is_whole |= is_whole;
    }

    /// Takes what is due; at the end, all of it.
    fn take(&mut self, now: Instant) -> Due {
        let is_end = self.end.is_some();
        let is_due = |touch: &Touch| is_end || touch.due() <= now;
        let (due, later): (BTreeMap<_, _>, _) =
            (std::mem::take(&mut self.touches).into_iter()).partition(|(_, touch)| is_due(touch));
        self.touches = later;

        let due = due.into_iter();
        Due {
            touched: due
                .map(|(below, touch)| (below, touch.is_whole))
                .collect(),
            new: std::mem::take(&mut self.new),
            is_end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inbox(touches: &[(&str, u64)], start: Instant) -> Inbox {
        let mut inbox = Inbox::default();
        for (dir, at) in touches {
            let at = start + Duration::from_millis(*at);
            inbox.add(dir.into(), false, at);
        }
        inbox
    }

    fn taken(inbox: &mut Inbox, now: Instant) -> Vec<String> {
        inbox
            .take(now)
            .touched
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
        let touches: Vec<(&str, u64)> = (0..=49)
            .map(|index| ("a", index * 100))
            .collect();
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
            inbox.add(index.to_string().into(), false, start);
            assert!(inbox.touches.len() <= MAX_CHANGES);
        }
        let due = inbox.take(start + PATIENCE);
        assert!(due.touched.get(Path::new("")) == Some(&true));
    }

    #[test]
    fn nothing_is_pending_at_the_end() {
        let start = Instant::now();
        let mut inbox = inbox(&[("a", 0)], start);
        inbox.end = Some(Ok(()));
        assert_eq!(taken(&mut inbox, start), ["a"]);
    }
}
