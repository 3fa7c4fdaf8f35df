//! Episodes, one after the other -> the report of each, with buffers that are kept between them.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;

use super::Checker;
use super::judge::{self, Identity};
use crate::ground::finding::{EpisodeReport, Lifecycle};
use crate::ground::source::EpisodeKey;
use crate::judge::load::{Buffers, Loaded};
use crate::reading::outline::Listening;
use crate::store::{
    Artifacts, EpisodeDir, Fault, Movement, OpenEpisode, seen_versions, unlistable,
};

/// The number of attempts to read an episode while it is being written.
const MAX_READINGS: usize = 5;

/// A thread's part of a check. Its buffers are kept from one episode to the next, which saves about
/// a quarter of the time of a small one.
pub(crate) struct Worker {
    checker: Arc<Checker>,
    buffers: Buffers,
}

/// Another worker has buffers of its own.
impl Clone for Worker {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.checker))
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .finish_non_exhaustive()
    }
}

impl Worker {
    pub(crate) fn new(checker: Arc<Checker>) -> Self {
        Self {
            checker,
            buffers: Buffers::default(),
        }
    }

    pub(crate) fn checker(&self) -> &Arc<Checker> {
        &self.checker
    }

    /// Checks artifacts that come from anywhere, and lets `also` use all that was loaded.
    pub(crate) fn artifacts<R>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        artifacts: &dyn Artifacts,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> (EpisodeReport, R) {
        let again = |_| Ok::<_, Infallible>(artifacts);
        let Ok(settled) = self.settle(key, id, again, |files| *files, listening, also);
        settled
    }

    /// Checks the records that a function fetches until two fetches bring the same versions, and
    /// lets `also` use all that was loaded.
    pub(crate) fn settle<A, E, R>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        mut fetch: impl FnMut(usize) -> Result<A, E>,
        view: impl Fn(&A) -> &dyn Artifacts,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> Result<(EpisodeReport, R), E> {
        let Self { checker, buffers } = self;
        let name = key
            .as_path()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let mut readings = 1;
        let mut fetched = fetch(readings)?;

        loop {
            let files = view(&fetched);
            let before = seen_versions(files);
            let identity = Identity {
                key: key.clone(),
                id,
                name: &name,
            };

            let (mut report, other) =
                judge::episode(checker, identity, files, listening, buffers, &also);
            if report.findings.is_empty() {
                return Ok((report, other));
            }

            let next = fetch(readings + 1)?;
            let movement = Movement::between(&before, &seen_versions(view(&next)));
            if movement.is_none() || readings == MAX_READINGS {
                judge::hold_back(checker, &mut report, &movement);
                return Ok((report, other));
            }

            readings += 1;
            fetched = next;
        }
    }

    /// Checks an episode on a disk, and lets `also` use all that was loaded.
    ///
    /// While a writer is at work, findings may come from records of two generations. They count
    /// only if nothing changed during the read; otherwise the episode is read again, as soon as its
    /// writer pauses. An episode without findings is not validated this way.
    ///
    /// # Errors
    ///
    /// A fault if its directory can't be opened.
    pub(crate) fn directory<R>(
        &mut self,
        episode: &EpisodeDir,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> Result<(EpisodeReport, R), Fault> {
        let Self { checker, buffers } = self;
        let fault = |source| unlistable(&episode.path, source);
        let mut episode = Cow::Borrowed(episode);
        let mut readings = 0;

        loop {
            readings += 1;
            let files = open(checker, &episode).map_err(fault)?;
            let identity = Identity {
                key: episode.key(),
                id: episode.id.as_deref(),
                name: &episode.name,
            };

            let (mut report, other) =
                judge::episode(checker, identity, &files, listening, buffers, &also);
            if let Some(source) = files
                .lacking()
                .or_else(|| buffers.lacking.take())
            {
                return Err(fault(source));
            }

            let is_covered = checker.settings.seals && report.lifecycle == Lifecycle::Terminal;
            let mut unsealed = None;
            if checker.settings.seals {
                match files.seal(is_covered) {
                    Ok(sealed) => report.sealed = Some(Box::new(sealed)),
                    Err(why) => unsealed = Some(why),
                }
            }

            if report.findings.is_empty() && !is_covered {
                return Ok((report, other));
            }

            let movement = movement_until_still(&files, &episode);
            if movement.is_none() || readings == MAX_READINGS {
                if let Some(why) = unsealed {
                    return Err(fault(why));
                }

                if is_covered && !movement.is_none() {
                    let why = "it kept changing while it was read, so it can't be sealed";
                    return Err(fault(io::Error::other(why)));
                }

                judge::hold_back(checker, &mut report, &movement);
                return Ok((report, other));
            }

            episode
                .to_mut()
                .list_again()
                .map_err(fault)?;
        }
    }
}

/// Opens an episode's directory, which notes the versions of all files that rules read.
#[inline]
fn open(checker: &Checker, episode: &EpisodeDir) -> io::Result<OpenEpisode> {
    let settings = &checker.settings;
    let others = checker
        .team()
        .judged_files()
        .map(|(_, name)| name);
    let files = OpenEpisode::open(episode, settings.links.clone())?.with_others(others);

    Ok(if settings.seals {
        files.sealing()
    } else {
        files
    })
}

/// Returns the changes since an episode was read. Where there are any, or may be, it waits until
/// the writer pauses.
fn movement_until_still(files: &OpenEpisode, episode: &EpisodeDir) -> Movement {
    let movement = files.movement(episode);
    let settles_in = movement.settles_in();
    if movement.is_none() && settles_in.is_zero() {
        return movement;
    }

    thread::sleep(settles_in);
    files.movement(episode)
}
