//! The door to judging runs as they are written: a directory -> a report for each change.
//!
//! ```
//! use std::ops::ControlFlow;
//! use runvet::check::Check;
//! use runvet::gate::Gate;
//! use runvet::watch::{News, Watch};
//!
//! let watch = Watch::new("corpus/demo")?;
//! // Existing runs come first.
//! let mut dirs = Vec::new();
//! watch.run(&Check::new(), &mut Gate::new(), |news| {
//!     if let News::Judged(episode) = news {
//!         dirs.push(episode.dir);
//!     }
//!     ControlFlow::Break(())
//! })?;
//! assert_eq!(dirs, ["corpus/demo/episodes/ep_01_answer"]);
//! # Ok::<(), runvet::watch::Error>(())
//! ```

mod touched;

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::{EventKind, MetadataKind, ModifyKind, RemoveKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};

use crate::check::{Check, Fault};
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::printable::escape;
use crate::source::Artifact;
use crate::store::path::join;
use crate::store::{Found, Given, Snapshot, directories, is_gone};
use touched::{Due, End, Touched};

/// Why a watch ended, or could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory can't be reached.
    #[error("can't watch {}: {source}", escape(&.dir.to_string_lossy()))]
    Unreachable {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory no longer exists.
    #[error("the watched directory {} no longer exists", escape(&.dir.to_string_lossy()))]
    Gone {
        /// The directory.
        dir: PathBuf,
    },
    /// The system does not report changes in the directory.
    #[error("can't watch {}: {reason}", escape(&.dir.to_string_lossy()))]
    Unwatchable {
        /// The directory.
        dir: PathBuf,
        /// The reason, as the system gives it.
        reason: String,
    },
}

/// What a watch tells of.
#[derive(Debug)]
#[non_exhaustive]
pub enum News {
    /// A run was judged, for the first time or after a change.
    Judged(Box<EpisodeReport>),
    /// A path could not be searched.
    Fault(Fault),
    /// What kept this path from being searched is gone.
    FaultGone(PathBuf),
    /// A run that was judged is no longer at this path.
    Gone(PathBuf),
    /// This number of directories, more than 0, hold nothing but the `state.json` of another
    /// program. Comes once, before [`News::AllSeen`].
    PassedOver(usize),
    /// All runs that were there at the start were looked at.
    AllSeen,
}

/// A watch over all runs below a directory.
pub struct Watch {
    /// The directory, as the user typed it.
    dir: PathBuf,
    /// Its real path.
    top: PathBuf,
    /// Whether a user gave the directory.
    is_given: bool,
    touched: Arc<Touched>,
    eyes: Eyes,
}

/// What sees changes.
enum Eyes {
    /// The system reports them, for each directory that it was told of.
    System(Mutex<Box<dyn Watcher + Send>>),
    /// All artifacts are looked at again and again, at this interval.
    Polling(Duration),
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

/// Stops a watch from another thread.
#[derive(Clone)]
pub struct Stop(Arc<Touched>);

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stop")
    }
}

impl Stop {
    /// Makes the watch judge what was written so far, and end.
    pub fn stop(&self) {
        self.0.end(End::Stopped);
    }
}

impl Watch {
    /// Starts to watch a directory: a run-data directory, or any directory above or below one.
    ///
    /// # Errors
    ///
    /// [`Error`], where the directory can't be reached or watched.
    pub fn new(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::start(dir.into(), None)
    }

    /// The same for file systems that do not report changes, such as network file systems: scans
    /// all files at an interval.
    ///
    /// # Errors
    ///
    /// Those of [`Watch::new`].
    pub fn polling(dir: impl Into<PathBuf>, interval: Duration) -> Result<Self, Error> {
        Self::start(dir.into(), Some(interval))
    }

    fn start(dir: PathBuf, poll: Option<Duration>) -> Result<Self, Error> {
        let unreachable = |source| Error::Unreachable {
            dir: dir.clone(),
            source,
        };
        let top = dir.canonicalize().map_err(unreachable)?;
        directories(&top).map_err(unreachable)?;
        let touched = Arc::new(Touched::new(PathBuf::new()));
        let eyes = if let Some(interval) = poll {
            Eyes::Polling(interval)
        } else {
            let watcher = watcher(&top, &touched).map_err(|reason| Error::Unwatchable {
                dir: dir.clone(),
                reason,
            })?;
            Eyes::System(Mutex::new(watcher))
        };
        Ok(Self {
            dir,
            top,
            is_given: true,
            touched,
            eyes,
        })
    }

    /// Sets whether a user gave the directory.
    #[cfg(feature = "cli")]
    pub(crate) fn given(self, is_given: bool) -> Self {
        Self { is_given, ..self }
    }

    /// A handle that stops the watch.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(Arc::clone(&self.touched))
    }

    /// Judges every run below the directory. When a run changes, judges it again as soon as it has
    /// been unchanged for half a second, or after five seconds of steady change. Passes each
    /// report, and other news, to `take`, until `take` says to stop or the watch is stopped.
    ///
    /// A run that kept changing while it was read is judged again. Its report is passed on only if
    /// the watch is stopped, and says so.
    ///
    /// # Errors
    ///
    /// [`Error`] if the directory no longer exists, or changes in it are no longer reported.
    pub fn run(
        &self,
        check: &Check,
        gate: &mut Gate,
        mut take: impl FnMut(News) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let (mut snapshot, mut seen) = (Snapshot::default(), Seen::default());
        let mut next_look = self.look(&mut snapshot);
        // Runs that exist already count as new.
        self.touched.add_all();
        loop {
            let mut due = self.touched.wait(next_look);
            if due.end.is_some() || next_look.is_some_and(|next| next <= Instant::now()) {
                next_look = self.look(&mut snapshot);
            }
            if due.end.is_some() {
                // What was seen just now is judged too.
                due.dirs.append(&mut self.touched.wait(None).dirs);
            }
            self.open_eyes(&mut due, &mut seen);
            if self
                .judge(check, gate, &due, &mut seen, &mut take)
                .is_break()
            {
                return Ok(());
            }
            let dir = || self.dir.clone();
            match due.end {
                None => {}
                Some(End::Stopped) => return Ok(()),
                Some(End::Fault(touched::Fault::Gone)) => return Err(Error::Gone { dir: dir() }),
                Some(End::Fault(touched::Fault::Failed(reason))) => {
                    return Err(Error::Unwatchable { dir: dir(), reason });
                }
            }
        }
    }

    /// Judges what depends on the directories in which something changed, and passes on what is
    /// new, and what is gone.
    fn judge(
        &self,
        check: &Check,
        gate: &mut Gate,
        due: &Due,
        seen: &mut Seen,
        take: &mut impl FnMut(News) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let found = self.found(check, gate, &due.dirs, seen);
        let foreign = found.foreign;
        let mut flow = ControlFlow::Continue(());
        let mut faults = BTreeSet::new();
        gate.each_of(check, found.faults, &found.episodes, |judged| {
            let is_reported = match &judged {
                Ok(episode) if episode.kept_changing() && due.end.is_none() => {
                    self.judge_again(episode.key.as_path());
                    false
                }
                Ok(_) => true,
                Err(fault) if has_vanished(fault) => false,
                Err(fault) => {
                    let fault = (fault.path().to_owned(), fault.to_string());
                    faults.insert(fault.clone()) && !seen.faults.contains(&fault)
                }
            };
            if let Ok(episode) = &judged {
                seen.runs.insert(episode.key.as_path().into());
            }
            if is_reported {
                flow = take(match judged {
                    Ok(episode) => News::Judged(Box::new(episode)),
                    Err(fault) => News::Fault(fault),
                });
            }
            flow
        });
        flow?;
        for path in self.renew_faults(&due.dirs, faults, seen) {
            take(News::FaultGone(path))?;
        }
        for gone in self.gone(&due.dirs, &foreign, seen) {
            take(News::Gone(gone))?;
        }
        if !seen.all && due.dirs.iter().any(|(below, _)| below == Path::new("")) {
            seen.all = true;
            if !foreign.is_empty() {
                take(News::PassedOver(foreign.len()))?;
            }
            take(News::AllSeen)?;
        }
        ControlFlow::Continue(())
    }

    /// Compares all artifacts with the last time, where the system does not report changes; when to
    /// do so again.
    fn look(&self, snapshot: &mut Snapshot) -> Option<Instant> {
        let Eyes::Polling(interval) = &self.eyes else {
            return None;
        };
        match snapshot.renew(&self.top) {
            Ok(changed) => {
                for (below, is_new) in changed {
                    self.touched.add(below, is_new);
                }
            }
            Err(_) if is_gone(&self.top) => self.touched.end(End::Fault(touched::Fault::Gone)),
            Err(error) => {
                let reason = error.to_string();
                self.touched.end(End::Fault(touched::Fault::Failed(reason)));
            }
        }
        Some(Instant::now() + *interval)
    }

    /// Has the system report changes in directories that are new, and in all below.
    fn open_eyes(&self, due: &mut Due, seen: &mut Seen) {
        let Eyes::System(watcher) = &self.eyes else {
            return;
        };
        let mut watcher = watcher.lock().unwrap_or_else(PoisonError::into_inner);
        for (below, is_new) in &mut due.dirs {
            if seen.closed.contains(below) {
                *is_new = true;
                due.new.insert(below.clone());
            }
        }
        let mut open: Vec<PathBuf> = due.new.iter().cloned().collect();
        while let Some(below) = open.pop() {
            let dir = join(&self.top, &below);
            if !is_dir(&dir) {
                continue;
            }
            // First it is watched, then listed: nothing can come into it unseen.
            match watcher.watch(&dir, RecursiveMode::NonRecursive) {
                Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => {
                    let reason = error.to_string();
                    return self.touched.end(End::Fault(touched::Fault::Failed(reason)));
                }
                _ => {}
            }
            if let Ok(directories) = directories(&dir) {
                seen.closed.remove(&below);
                open.extend(directories.into_iter().map(|name| below.join(&*name)));
                seen.directories.insert(below.into());
            } else {
                seen.closed.insert(below);
            }
        }
    }

    /// What depends on directories in which something changed.
    fn found(
        &self,
        check: &Check,
        gate: &Gate,
        dirs: &[(PathBuf, bool)],
        seen: &mut Seen,
    ) -> Found {
        let given = if self.is_given {
            Given::Each
        } else {
            Given::None
        };
        let is_polled = matches!(self.eyes, Eyes::Polling(_));
        let mut changes = Vec::new();
        for (below, is_new) in dirs {
            let is_inside = self.is_inside(below);
            if !is_inside && !is_polled && !seen.forget(below) {
                // A file that is no artifact.
                continue;
            }
            let is_whole = is_inside && (*is_new || is_closed(&join(&self.dir, below)));
            changes.push((below.clone(), is_whole));
        }
        let mut found = gate.search_again(check, &self.dir, &changes, given);
        found
            .faults
            .retain(|fault| !self.leads_to_known(fault, gate, seen));
        found
    }

    /// Whether a fault is a link that leads to a run that was judged before, or is excluded: only a
    /// part of the runs is searched now.
    fn leads_to_known(&self, fault: &Fault, gate: &Gate, seen: &Seen) -> bool {
        let Fault::Link { target, .. } = fault else {
            return false;
        };
        let run = target
            .strip_prefix(&self.top)
            .map(|below| join(&self.dir, below));
        run.is_ok_and(|run| seen.runs.contains(&*run) || gate.excludes(&run))
    }

    /// Forgets and returns the runs at or below directories in which something changed that have no
    /// record any more, or only one of another program.
    fn gone(&self, dirs: &[(PathBuf, bool)], foreign: &[PathBuf], seen: &mut Seen) -> Vec<PathBuf> {
        let records = [Artifact::State, Artifact::Events, Artifact::Summary];
        let has_none = |run: &&Path| {
            let mut records = records.iter();
            records.all(|record| is_gone(&run.join(record.file_name())))
        };
        let mut gone = BTreeSet::new();
        for (below, _) in dirs {
            let dir = join(&self.dir, below);
            let is_below = |run: &&Path| dir == Path::new(".") || run.starts_with(&dir);
            let from = if dir == Path::new(".") {
                Path::new("")
            } else {
                &dir
            };
            let runs = seen.runs.range(Box::from(from)..).map(|run| &**run);
            let runs = runs.take_while(is_below);
            gone.extend(runs.filter(has_none).map(Path::to_owned));
        }
        gone.extend(
            foreign
                .iter()
                .filter(|dir| seen.runs.contains(dir.as_path()))
                .cloned(),
        );
        for run in &gone {
            seen.runs.remove(run.as_path());
        }
        gone.into_iter().collect()
    }

    /// Keeps the faults that were met just now, so that each is passed on once, and forgets those
    /// that the search did not meet again. Returns the paths that have no fault any more.
    fn renew_faults(
        &self,
        dirs: &[(PathBuf, bool)],
        met: BTreeSet<Met>,
        seen: &mut Seen,
    ) -> BTreeSet<PathBuf> {
        let mut gone = BTreeSet::new();
        for (below, is_new) in dirs {
            let dir = join(&self.dir, below);
            let is_whole = below == Path::new("") && *is_new;
            let is_searched = |path: &Path| {
                is_whole
                    || dir.starts_with(path)
                    || path.parent() == Some(&dir)
                    || *is_new && path.starts_with(&dir)
            };
            seen.faults.retain(|(path, _)| {
                let is_kept = !is_searched(path);
                if !is_kept {
                    gone.insert(path.clone());
                }
                is_kept
            });
        }
        seen.faults.extend(met);
        for (path, _) in &seen.faults {
            gone.remove(path);
        }
        gone
    }

    fn judge_again(&self, episode: &Path) {
        let real = episode.canonicalize();
        match real.as_deref().map(|real| real.strip_prefix(&self.top)) {
            Ok(Ok(below)) => self.touched.add(below.to_owned(), false),
            Ok(Err(_)) => self.touched.add_all(),
            // It is gone.
            Err(_) => {}
        }
    }

    /// Whether a directory exists, and no link leads out of the watched directory.
    fn is_inside(&self, below: &Path) -> bool {
        let real = join(&self.top, below).canonicalize();
        real.is_ok_and(|real| real.starts_with(&self.top) && real.is_dir())
    }
}

/// A fault: its path, and its text.
type Met = (PathBuf, String);

/// What is known: the directories, relative to the top, and the runs, as the user would type them.
#[derive(Default)]
struct Seen {
    runs: BTreeSet<Box<Path>>,
    /// Whether everything was looked at once.
    all: bool,
    directories: BTreeSet<Box<Path>>,
    /// Those that could not be listed.
    closed: BTreeSet<PathBuf>,
    /// The faults that were passed on and have not gone.
    faults: BTreeSet<Met>,
}

impl Seen {
    /// Forgets a directory that is gone; whether it was known.
    fn forget(&mut self, below: &Path) -> bool {
        self.closed.remove(below);
        let gone = self.directories.range(Box::from(below)..);
        let gone: Vec<Box<Path>> = gone
            .take_while(|known| known.starts_with(below))
            .cloned()
            .collect();
        for directory in &gone {
            self.directories.remove(directory);
        }
        !gone.is_empty()
    }
}

/// What reports changes in directories, for as long as it is kept.
fn watcher(top: &Path, touched: &Arc<Touched>) -> Result<Box<dyn Watcher + Send>, String> {
    // The watcher panics where it can't have a thread.
    let thread = thread::Builder::new().spawn(|| ());
    let thread = thread.map_err(|error| error.to_string())?;
    let _ = thread.join();
    let (real, touched) = (top.to_owned(), Arc::clone(touched));
    let report = move |event: notify::Result<Event>| match event {
        Ok(event) if event.need_rescan() => touched.add_all(),
        Ok(event) => {
            for path in &event.paths {
                if *path == real && !is_dir(path) {
                    touched.end(End::Fault(touched::Fault::Gone));
                } else if let Some((dir, is_new)) = place(event.kind, path) {
                    let below = dir.strip_prefix(&real).unwrap_or(dir);
                    touched.add(below.to_owned(), is_new);
                }
            }
        }
        Err(error) => touched.end(End::Fault(touched::Fault::Failed(error.to_string()))),
    };
    let config = Config::default().with_follow_symlinks(false);
    let watcher = RecommendedWatcher::new(report, config);
    let mut watcher = watcher.map_err(|error| error.to_string())?;
    let started = watcher.watch(top, RecursiveMode::NonRecursive);
    started.map_err(|error| error.to_string())?;
    Ok(Box::new(watcher))
}

/// The directory to judge after an event, and whether everything below it may be new.
fn place(kind: EventKind, path: &Path) -> Option<(&Path, bool)> {
    // Reading a file, as this process does too, changes nothing.
    if matches!(kind, EventKind::Access(_)) {
        return None;
    }
    let name = path.file_name()?.to_str();
    if name.and_then(Artifact::from_file_name).is_some() {
        return Some((path.parent()?, false));
    }
    match kind {
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) if is_dir(path) => {
            Some((path, true))
        }
        // What is gone may have been a directory.
        EventKind::Remove(RemoveKind::Folder) | EventKind::Modify(ModifyKind::Name(_)) => {
            Some((path, false))
        }
        // Permissions let others in, or no longer.
        EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)) if is_dir(path) => {
            Some((path, false))
        }
        _ => None,
    }
}

/// Whether a directory can't be listed, or what it lists can't be looked at.
fn is_closed(dir: &Path) -> bool {
    let state = dir.join(Artifact::State.file_name());
    directories(dir).is_err() || (state.symlink_metadata().is_err() && !is_gone(&state))
}

/// Whether a path is a directory, and not a link to one.
fn is_dir(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
}

/// Whether a path vanished between the change and the search, which is not a fault.
fn has_vanished(fault: &Fault) -> bool {
    match fault {
        Fault::Missing(_) => true,
        Fault::Unlistable { source, .. } => source.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}
