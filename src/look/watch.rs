//! Judging runs as they are written: a directory -> a report for each change.

mod agreement;
mod touched;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{Config, ErrorKind, Event, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher};

use crate::gate::Gate;
use crate::ground::digest::Digest;
use crate::ground::finding::EpisodeReport;
use crate::ground::parallel::locked;
use crate::ground::printable::escape;
use crate::ground::source::Artifact;
use crate::store::path::{join, tidy};
use crate::store::{Fault, GivenPaths, KnownRuns, OpenDir, Renewed, empty_in, look_at};
use touched::{Due, Touched};

/// The interval at which the path of the directory is resolved anew: what is above it is not
/// watched.
const LOOK: Duration = Duration::from_secs(1);

/// The reason why a watch ended, or could not start.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Error(String);

/// An event that a watch reports.
#[derive(Debug)]
pub(crate) enum News {
    /// A run was judged, for the first time or after a change.
    Judged(Box<EpisodeReport>),
    /// A path could not be searched.
    Fault(Fault),
    /// The fault that kept this path from being searched is gone.
    FaultGone(PathBuf),
    /// A run that was judged is no longer at this path.
    Gone(PathBuf),
    /// This number of directories, more than 0, hold nothing but the `state.json` of another
    /// program. Comes once, before [`News::AllSeen`].
    PassedOver(usize),
    /// What was found.
    Found(FoundCounts),
    /// All runs that were there at the start were looked at.
    AllSeen,
}

/// The numbers of what is below a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FoundCounts {
    /// Runs, judged or not.
    pub(crate) runs: usize,
    /// Empty directories in the place of runs.
    pub(crate) empty: u64,
}

/// A watch over all runs below a directory.
pub(crate) struct Watch {
    /// The directory, as the user typed it.
    dir: PathBuf,
    given: GivenPaths,
    touched: Arc<Touched>,
    /// The interval at which all artifacts are looked at again, where the system does not report
    /// changes.
    poll: Option<Duration>,
    /// The place of the directory, and the watcher of changes there, to which each directory is
    /// added; `None` where changes are polled for.
    place: Mutex<(Place, Option<RecommendedWatcher>)>,
}

/// The directory that a path leads to. While it is held open, none that is made after it was
/// removed has its number.
struct Place {
    /// Its real path.
    top: PathBuf,
    dir: OpenDir,
}

impl Place {
    fn of(dir: &Path) -> io::Result<Self> {
        let top = dir.canonicalize()?;
        let dir = OpenDir::open(&top)?;
        Ok(Self { top, dir })
    }

    fn is(&self, other: &Self) -> bool {
        self.top == other.top && self.dir.is(&other.dir)
    }
}

/// A function that makes a watch judge what was written so far, and end.
pub(super) type WatchStop = Arc<dyn Fn() + Send + Sync>;

impl Watch {
    /// Starts to watch a directory: a run-data directory, or any directory above or below one. With
    /// an interval, scans all files at that interval: some file systems, such as network file
    /// systems, do not report changes.
    ///
    /// # Errors
    ///
    /// [`Error`], where the directory can't be reached or watched.
    pub(crate) fn new(
        dir: PathBuf,
        given: GivenPaths,
        poll: Option<Duration>,
    ) -> Result<Self, Error> {
        let place = look_at(&dir)
            .and_then(|()| Place::of(&dir))
            .map_err(|error| unwatchable(&dir, &error))?;
        let touched = Arc::new(Touched::default());
        let watcher = poll
            .is_none()
            .then(|| watcher(&dir, &place.top, &touched))
            .transpose()?;

        Ok(Self {
            dir,
            given,
            touched,
            poll,
            place: Mutex::new((place, watcher)),
        })
    }

    /// Returns the directory, as it stands in front of the paths of its runs.
    pub(crate) fn dir(&self) -> PathBuf {
        tidy(&self.dir)
    }

    /// Returns what stops the watch from another thread.
    pub(crate) fn stop(&self) -> WatchStop {
        let touched = Arc::clone(&self.touched);
        Arc::new(move || touched.end(Ok(())))
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
    pub(crate) fn run(
        &self,
        gate: &mut Gate,
        mut take: impl FnMut(News) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let files = gate.other_files();
        self.touched
            .set_other_files(files.clone());

        let known = KnownRuns::new(&self.dir, self.given, gate.parallelism(), files)
            .map_err(|error| unwatchable(&self.dir, &error))?;
        // To watch all directories takes several times as long as to count the runs.
        let found = gate.search(&[&self.dir], self.given);
        let found = FoundCounts {
            runs: found.episodes.len(),
            empty: empty_in(&found.passed),
        };

        if take(News::Found(found)).is_break() {
            return Ok(());
        }

        let mut seen = WatchState {
            known,
            judged: BTreeSet::new(),
            closed: BTreeSet::new(),
            found: Some(found),
            all: false,
        };

        let mut next_look = Instant::now();
        // Runs that exist already count as new.
        let mut first = Some(Due {
            touched: BTreeMap::from([(PathBuf::new(), true)]),
            ..Due::default()
        });

        loop {
            let next = || self.touched.wait(next_look);
            let mut due = first.take().unwrap_or_else(next);
            if due.is_end || next_look <= Instant::now() {
                self.look(&mut seen);
                next_look = Instant::now() + self.poll.unwrap_or(LOOK);
            }

            if due.is_end {
                // What was seen just now is judged too.
                due.touched
                    .append(&mut self.touched.wait(next_look).touched);
            }

            if self
                .judge(gate, &due, &mut seen, &mut take)
                .is_break()
            {
                return Ok(());
            }

            if due.is_end {
                return self.touched.result();
            }
        }
    }

    /// Judges what may have changed, and passes on what is new, and what is gone.
    fn judge(
        &self,
        gate: &mut Gate,
        due: &Due,
        seen: &mut WatchState,
        take: &mut impl FnMut(News) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Renewed {
            episodes,
            gone,
            faults,
            faults_gone,
        } = self.renew(gate, due, &mut seen.known);
        seen.count(take)?;
        for path in faults_gone {
            take(News::FaultGone(path))?;
        }

        seen.forget(gone)
            .into_iter()
            .try_for_each(&mut *take)?;

        let mut flow = ControlFlow::Continue(());
        let mut faults_left = faults.len();
        gate.each_of(faults, &episodes, |judged| {
            let path = match &judged {
                Ok(episode) => episode.key.as_path().to_owned(),
                Err(fault) => fault.path().to_owned(),
            };

            flow = match judged {
                Ok(episode) if episode.kept_changing() && !due.is_end => {
                    self.touched
                        .add(seen.known.below(&path).to_owned(), true);
                    ControlFlow::Continue(())
                }
                Ok(episode) => {
                    let was_closed = seen.closed.remove(&*path);
                    seen.judged.insert(digest(&path));
                    if was_closed {
                        take(News::FaultGone(path))?;
                    }
                    take(News::Judged(Box::new(episode)))
                }
                Err(fault) if faults_left > 0 => {
                    faults_left -= 1;
                    take(News::Fault(fault))
                }
                // It vanished after it was found.
                Err(fault) if fault.has_vanished() => ControlFlow::Continue(()),
                Err(fault) if seen.closed.insert(path.into()) => take(News::Fault(fault)),
                Err(_) => ControlFlow::Continue(()),
            };
            flow
        });
        flow?;
        if due.touched.contains_key(Path::new("")) {
            seen.end_first_look(take)?;
        }

        ControlFlow::Continue(())
    }

    /// Resolves the directory's path anew, and compares all artifacts with the last time, where the
    /// system does not report changes.
    fn look(&self, seen: &mut WatchState) {
        let mut place = locked(&self.place);
        let (before, _) = &*place;
        match Place::of(&self.dir) {
            Ok(now) if now.is(before) && now.top == seen.known.top() => {}
            Ok(now) => {
                // Another directory is at the path now. All of it is due before what comes into it.
                self.touched.add_all();
                let watcher = || watcher(&self.dir, &now.top, &self.touched);
                let watcher = self
                    .poll
                    .is_none()
                    .then(watcher)
                    .transpose();
                let found = seen
                    .known
                    .find_top()
                    .map_err(|error| unwatchable(&self.dir, &error));
                match watcher.and_then(|watcher| found.map(|()| watcher)) {
                    Ok(watcher) => *place = (now, watcher),
                    Err(error) => self.touched.end(Err(error)),
                }
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                let dir = self.dir.to_string_lossy();
                let gone = format!("the watched directory {} no longer exists", escape(&dir));
                self.touched.end(Err(Error(gone)));
            }
            Err(error) => self
                .touched
                .end(Err(unwatchable(&self.dir, &error))),
        }

        if self.poll.is_some() {
            seen.known
                .changes()
                .into_iter()
                .for_each(|below| self.touched.add_seen(below));
        }
    }

    /// Watches a directory. That comes before it is listed: nothing can come into it unseen.
    fn listen(&self, below: &Path) {
        let (place, watcher) = &mut *locked(&self.place);
        if let Some(watcher) = watcher
            && let Err(error) = watcher.watch(&join(&place.top, below), RecursiveMode::NonRecursive)
            && matches!(error.kind, ErrorKind::MaxFilesWatch)
        {
            self.touched
                .end(Err(unwatchable(&self.dir, &error)));
        }
    }

    /// Searches what has changed.
    fn renew(&self, gate: &Gate, due: &Due, known: &mut KnownRuns) -> Renewed {
        let listen = |below: &Path| self.listen(below);
        gate.with_excludes(|excludes| {
            for below in due
                .new
                .iter()
                .filter(|_| self.poll.is_none())
            {
                known.listen(below, excludes, &listen);
            }
            known.renew(&due.touched, excludes, &listen)
        })
    }
}

/// The state of a watch.
struct WatchState {
    known: KnownRuns,
    /// The digests of the paths of the runs that were judged.
    judged: BTreeSet<Digest>,
    /// The runs that could not be opened.
    closed: BTreeSet<Box<Path>>,
    found: Option<FoundCounts>,
    /// `true` if everything was looked at once.
    all: bool,
}

impl WatchState {
    /// Counts the runs, and passes on the counts if they have changed.
    fn count(&mut self, take: &mut impl FnMut(News) -> ControlFlow<()>) -> ControlFlow<()> {
        let found = FoundCounts {
            runs: self.known.count(),
            empty: self.known.empty(),
        };

        if self.found.replace(found) == Some(found) {
            return ControlFlow::Continue(());
        }
        take(News::Found(found))
    }

    /// Passes on that everything was looked at, the first time.
    fn end_first_look(
        &mut self,
        take: &mut impl FnMut(News) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if std::mem::replace(&mut self.all, true) {
            return ControlFlow::Continue(());
        }

        let foreign = self.known.foreign();
        if foreign > 0 {
            take(News::PassedOver(foreign))?;
        }
        take(News::AllSeen)
    }
    /// Forgets runs; what there is to tell of it.
    fn forget(&mut self, gone: Vec<PathBuf>) -> Vec<News> {
        let mut news = Vec::new();
        for run in gone {
            if self.closed.remove(&*run) {
                news.push(News::FaultGone(run.clone()));
            }
            if self.judged.remove(&digest(&run)) {
                news.push(News::Gone(run));
            }
        }

        news
    }
}

fn digest(path: &Path) -> Digest {
    Digest::of([path.as_os_str().as_encoded_bytes()])
}

fn unwatchable(dir: &Path, reason: &dyn fmt::Display) -> Error {
    let dir = dir.to_string_lossy();
    Error(format!("can't watch {}: {reason}", escape(&dir)))
}

/// Returns what reports changes in a directory, whose real path is `top`, for as long as it is
/// kept.
fn watcher(dir: &Path, top: &Path, touched: &Arc<Touched>) -> Result<RecommendedWatcher, Error> {
    // The watcher panics where it can't have a thread.
    let _ = thread::Builder::new()
        .spawn(|| ())
        .map_err(|error| unwatchable(dir, &error))?
        .join();
    let (given, real, touched) = (dir.to_owned(), top.to_owned(), Arc::clone(touched));
    let report = move |event: notify::Result<Event>| match event {
        Ok(event) if event.need_rescan() => touched.add_all(),
        Ok(event) => {
            for path in &event.paths {
                let Ok(below) = path.strip_prefix(&real) else {
                    continue;
                };
                wake(event.kind, path, below, &touched);
            }
        }
        Err(error) => touched.end(Err(unwatchable(&given, &error))),
    };

    // Reading a file, as this process does too, changes nothing. A write through a memory map shows
    // when the file is closed.
    let config = Config::default()
        .with_follow_symlinks(false)
        .with_event_kinds(EventKindMask::CORE | EventKindMask::ACCESS_CLOSE);
    let mut watcher =
        RecommendedWatcher::new(report, config).map_err(|error| unwatchable(dir, &error))?;
    watcher
        .watch(top, RecursiveMode::NonRecursive)
        .map_err(|error| unwatchable(dir, &error))?;

    Ok(watcher)
}

/// Adds the paths that an event is about to those that are looked at. The path is also given from
/// the top on.
fn wake(kind: EventKind, path: &Path, below: &Path, touched: &Touched) {
    let name = below.file_name().unwrap_or_default();
    let is_artifact = name
        .to_str()
        .and_then(Artifact::from_file_name)
        .is_some();
    let is_record = is_artifact || touched.counts(name);
    if let (true, Some(dir)) = (is_record, below.parent()) {
        touched.add(dir.to_owned(), false);
    }

    match kind {
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) if may_hold_runs(path) => {
            touched.add_new(below);
        }
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
            if !is_record =>
        {
            touched.add(below.to_owned(), false);
        }
        // Permissions let others in, or no longer.
        EventKind::Modify(ModifyKind::Metadata(_)) if may_hold_runs(path) => {
            touched.add(below.to_owned(), false);
        }
        _ => {}
    }
}

/// Returns `true` if a path is that of a directory or a link.
fn may_hold_runs(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|it| it.is_dir() || it.is_symlink())
}
