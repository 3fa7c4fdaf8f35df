//! The door to judging runs as they are written: a directory -> a report for each change.
//!
//! ```
//! use std::ops::ControlFlow;
//! use runvet::check::Check;
//! use runvet::gate::Gate;
//! use runvet::watch::Watch;
//!
//! let watch = Watch::new("corpus/demo")?;
//! // Existing runs come first.
//! let mut dirs = Vec::new();
//! watch.run(&Check::new(), &mut Gate::new(), |judged| {
//!     dirs.extend(judged.map(|episode| episode.dir));
//!     ControlFlow::Break(())
//! })?;
//! assert_eq!(dirs, ["corpus/demo/episodes/ep_01_answer"]);
//! # Ok::<(), runvet::watch::Error>(())
//! ```

mod touched;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use crate::check::{Check, Fault};
use crate::finding::EpisodeReport;
use crate::gate::{Gate, Selection};
use crate::source::Artifact;
use crate::store::EpisodeDir;
use crate::store::path::join;
use touched::{End, Touched};

/// Why a watch ended, or could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory can't be reached.
    #[error("can't watch {}: {source}", .dir.display())]
    Unreachable {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory no longer exists.
    #[error("the watched directory {} no longer exists", .dir.display())]
    Gone {
        /// The directory.
        dir: PathBuf,
    },
    /// The system does not report changes in the directory.
    #[error("can't watch {}: {reason}", .dir.display())]
    Unwatchable {
        /// The directory.
        dir: PathBuf,
        /// The reason, as the system gives it.
        reason: String,
    },
}

/// A watch over all runs below a directory.
pub struct Watch {
    /// The directory, as the user typed it.
    dir: PathBuf,
    /// Its real path.
    top: PathBuf,
    touched: Arc<Touched>,
    #[expect(dead_code, reason = "it reports changes until it is dropped")]
    watcher: Box<dyn Watcher + Send>,
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
        let top = dir.canonicalize().map_err(|source| Error::Unreachable {
            dir: dir.clone(),
            source,
        })?;
        let touched = Arc::new(Touched::new(dir.clone()));
        let watcher = watcher(&dir, &top, poll, &touched);
        let watcher = watcher.map_err(|error| Error::Unwatchable {
            dir: dir.clone(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            dir,
            top,
            touched,
            watcher,
        })
    }

    /// A handle that stops the watch.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(Arc::clone(&self.touched))
    }

    /// Judges every run below the directory. When a run changes, judges it again as soon as it has
    /// been unchanged for half a second, or after five seconds of steady change. Passes each
    /// report, and each path that could not be searched, to `take`, until `take` says to stop or
    /// the watch is stopped.
    ///
    /// # Errors
    ///
    /// [`Error`] if the directory no longer exists, or changes in it are no longer reported.
    pub fn run(
        &self,
        check: &Check,
        gate: &mut Gate,
        mut take: impl FnMut(Result<EpisodeReport, Fault>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        // Runs that exist already count as new.
        self.touched.add_all();
        loop {
            let due = self.touched.wait();
            let mut flow = ControlFlow::Continue(());
            let selection = self.episodes(check, gate, &due.dirs);
            gate.each(check, selection, |judged| {
                let is_reported = match &judged {
                    // Its next change is reported too, and it is judged when it no longer changes.
                    Ok(episode) => !episode.kept_changing(),
                    Err(fault) => !has_vanished(fault),
                };
                if is_reported {
                    flow = take(judged);
                }
                flow
            });
            if flow.is_break() {
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

    /// The episodes in directories in which something changed, each once.
    fn episodes(&self, check: &Check, gate: &Gate, dirs: &[(PathBuf, bool)]) -> Selection {
        let mut found = Selection::default();
        // An artifact leads to its episode even from a checkpoint, where copies lie.
        let mut artifacts = Vec::new();
        for (dir, is_new) in dirs {
            // By now it may be deleted, or be a link that leaves the watched directory.
            if !dir
                .canonicalize()
                .is_ok_and(|real| real.starts_with(&self.top))
            {
                continue;
            }
            artifacts.extend(Artifact::ALL.map(|artifact| dir.join(artifact.file_name())));
            if *is_new {
                let mut below = gate.discover(check, &[dir]);
                found.faults.append(&mut below.faults);
                // Either all of them are copies, or none.
                let copy = below.episodes.first().and_then(an_artifact).filter(|path| {
                    let meant = gate.discover(check, &[path]).episodes;
                    !meant
                        .iter()
                        .any(|episode| path.parent() == Some(&episode.path))
                });
                match copy {
                    Some(copy) => artifacts.push(copy),
                    None => found.episodes.append(&mut below.episodes),
                }
            }
        }
        artifacts.retain(|artifact| artifact.symlink_metadata().is_ok());
        let mut named = gate.discover(check, &artifacts);
        found.episodes.append(&mut named.episodes);
        found.faults.append(&mut named.faults);
        found.episodes.sort_by(|a, b| a.path.cmp(&b.path));
        found.episodes.dedup_by(|a, b| a.path == b.path);
        found
    }
}

/// A watcher that reports changes below a directory until it is dropped.
fn watcher(
    typed: &Path,
    top: &Path,
    poll: Option<Duration>,
    touched: &Arc<Touched>,
) -> notify::Result<Box<dyn Watcher + Send>> {
    let (typed, real, touched) = (typed.to_owned(), top.to_owned(), Arc::clone(touched));
    let report = move |event: notify::Result<Event>| match event {
        Ok(event) if event.need_rescan() => touched.add_all(),
        Ok(event) => {
            for path in &event.paths {
                if *path == real && !is_dir(path) {
                    touched.end(End::Fault(touched::Fault::Gone));
                } else if let Some((dir, is_new)) = place(event.kind, path) {
                    touched.add(join(&typed, dir.strip_prefix(&real).unwrap_or(dir)), is_new);
                }
            }
        }
        Err(error) => touched.end(End::Fault(touched::Fault::Failed(error.to_string()))),
    };
    let config = Config::default().with_follow_symlinks(false);
    let mut watcher: Box<dyn Watcher + Send> = match poll {
        None => Box::new(RecommendedWatcher::new(report, config)?),
        Some(interval) => Box::new(PollWatcher::new(
            report,
            config.with_poll_interval(interval),
        )?),
    };
    watcher.watch(top, RecursiveMode::Recursive)?;
    Ok(watcher)
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
    let may_be_new = matches!(
        kind,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    (may_be_new && is_dir(path)).then_some((path, true))
}

/// Whether a path is a directory, and not a link to one.
fn is_dir(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
}

/// The path of any artifact of an episode.
fn an_artifact(episode: &EpisodeDir) -> Option<PathBuf> {
    let mut there = Artifact::ALL
        .into_iter()
        .filter(|artifact| episode.entries.has(*artifact));
    there
        .next()
        .map(|artifact| episode.path.join(artifact.file_name()))
}

/// Whether a path vanished between the change and the search, which is not a fault.
fn has_vanished(fault: &Fault) -> bool {
    match fault {
        Fault::Missing(_) => true,
        Fault::Unlistable { source, .. } => source.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}
