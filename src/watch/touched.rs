//! Reports of changes -> the directories to judge, each once it has been unchanged for a while.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a directory must be unchanged before it is judged: a run writes its records one after
/// the other.
const REST: Duration = Duration::from_millis(500);

/// After how long a directory that keeps changing is judged anyway.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of changed directories to remember. If more change, everything is judged.
const MAX_DIRS: usize = 10_000;

/// What has changed since the last [`Touched::wait`]; shared with the threads that report changes.
pub(super) struct Touched {
    /// The directory that contains all others.
    top: PathBuf,
    inbox: Mutex<Inbox>,
    news: Condvar,
}

#[derive(Default)]
struct Inbox {
    dirs: BTreeMap<PathBuf, Touch>,
    new: BTreeSet<PathBuf>,
    end: Option<End>,
}

/// Why the watch ends.
#[derive(Clone)]
pub(super) enum End {
    Stopped,
    Fault(Fault),
}

/// What went wrong with a watch.
#[derive(Clone)]
pub(super) enum Fault {
    /// The directory no longer exists.
    Gone,
    /// The watcher failed.
    Failed(String),
}

#[derive(Clone, Copy)]
struct Touch {
    first: Instant,
    last: Instant,
    is_new: bool,
}

impl Touch {
    fn due(&self) -> Instant {
        (self.last + REST).min(self.first + PATIENCE)
    }
}

/// What to judge now.
#[derive(Default)]
pub(super) struct Due {
    /// Directories, and whether everything below each may be new.
    pub(super) dirs: Vec<(PathBuf, bool)>,
    /// Directories that are new since the last time: to be watched at once, and looked at later.
    pub(super) new: BTreeSet<PathBuf>,
    pub(super) end: Option<End>,
}

impl Touched {
    pub(super) fn new(top: PathBuf) -> Self {
        Self {
            top,
            inbox: Mutex::default(),
            news: Condvar::new(),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, dir: PathBuf, is_new: bool) {
        self.inbox().add(&self.top, dir, is_new, Instant::now());
        self.news.notify_one();
    }

    /// Records that everything may have changed.
    pub(super) fn add_all(&self) {
        self.add(self.top.clone(), true);
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
            if is_over || due.end.is_some() || !due.dirs.is_empty() || !due.new.is_empty() {
                return due;
            }
            let next = inbox.dirs.values().map(Touch::due).chain(until).min();
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
    fn add(&mut self, top: &PathBuf, dir: PathBuf, is_new: bool, now: Instant) {
        let is_full = self.dirs.len() >= MAX_DIRS && !self.dirs.contains_key(&dir);
        let (dir, is_new) = if is_full {
            (top.clone(), true)
        } else {
            (dir, is_new)
        };
        if is_full {
            self.dirs.retain(|known, _| known == top);
            self.new.clear();
        }
        if is_new {
            self.new.insert(dir.clone());
        }
        let touch = self.dirs.entry(dir).or_insert(Touch {
            first: now,
            last: now,
            is_new,
        });
        touch.last = now;
        touch.is_new |= is_new;
    }

    /// Takes the directories that are due; at the end, all of them.
    fn take(&mut self, now: Instant) -> Due {
        let mut due = Due {
            dirs: Vec::new(),
            new: std::mem::take(&mut self.new),
            end: self.end.clone(),
        };
        self.dirs.retain(|dir, touch| {
            let is_due = due.end.is_some() || touch.due() <= now;
            if is_due {
                due.dirs.push((dir.clone(), touch.is_new));
            }
            !is_due
        });
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inbox(touches: &[(&str, u64)], start: Instant) -> Inbox {
        let mut inbox = Inbox::default();
        for (dir, at) in touches {
            inbox.add(
                &"top".into(),
                dir.into(),
                false,
                start + Duration::from_millis(*at),
            );
        }
        inbox
    }

    fn taken(inbox: &mut Inbox, now: Instant) -> Vec<String> {
        inbox
            .take(now)
            .dirs
            .into_iter()
            .map(|(dir, _)| dir.display().to_string())
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
        for index in 0..3 * MAX_DIRS {
            inbox.add(&"top".into(), index.to_string().into(), false, start);
            assert!(inbox.dirs.len() <= MAX_DIRS);
        }
        let due = inbox.take(start + PATIENCE);
        assert!(due.dirs.contains(&("top".into(), true)));
    }

    #[test]
    fn nothing_is_pending_at_the_end() {
        let start = Instant::now();
        let mut inbox = inbox(&[("a", 0)], start);
        inbox.end = Some(End::Stopped);
        assert_eq!(taken(&mut inbox, start), ["a"]);
    }
}
