//! Episodes, one after the other -> the report of each, with buffers that are kept between them.

use std::borrow::Cow;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::thread;

use super::judge::{self, Identity};
use super::{Checker, Fault, MAX_READINGS};
use crate::finding::EpisodeReport;
use crate::load::{Buffers, Loaded};
use crate::outline::Listening;
use crate::source::{Artifact, EpisodeKey};
use crate::store::{
    Artifacts, Content, Directory, EpisodeDir, InMemory, Movement, Seen, unlistable,
};

/// A check of one episode after the other, in the calling thread. Its buffers are kept from one
/// episode to the next, which saves about a quarter of the time of a small one.
pub(crate) struct CheckSession {
    check: Checker,
    buffers: Buffers,
}

impl CheckSession {
    /// A session of a check whose long timelines are read by a number of threads; `None` stands for
    /// one on each core.
    pub(super) fn new(check: &Checker, threads: Option<NonZeroUsize>) -> Self {
        Self {
            check: check.clone(),
            buffers: Buffers::for_threads(threads),
        }
    }

    /// Checks records that are not on a disk.
    #[must_use]
    pub(crate) fn records(&mut self, id: &str, records: &[(Artifact, &[u8])]) -> EpisodeReport {
        let contents = records.iter();
        let memory: InMemory<'_> = contents
            .map(|(artifact, bytes)| (*artifact, Content::Bytes(bytes)))
            .collect();
        self.artifacts(&id.into(), Some(id), &memory)
    }

    /// Checks an episode whose artifacts come from anywhere.
    #[must_use]
    pub(crate) fn artifacts(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        artifacts: &dyn Artifacts,
    ) -> EpisodeReport {
        self.artifacts_and(key, id, artifacts, None, |_| ()).0
    }

    /// Checks an episode whose artifacts are fetched, and may be written meanwhile, see
    /// [`Gate::settled`](crate::gate::Gate::settled).
    pub(crate) fn settled<A: Artifacts, E>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        fetch: impl FnMut(usize) -> Result<A, E>,
    ) -> Result<EpisodeReport, E> {
        let settled = self.settle(key, id, fetch, |artifacts| artifacts, None, |_| ());
        settled.map(|(report, ())| report)
    }

    /// Checks an episode on a disk.
    ///
    /// # Errors
    ///
    /// Where its directory can't be opened.
    pub(crate) fn episode(&mut self, episode: &EpisodeDir) -> Result<EpisodeReport, Fault> {
        self.episode_and(episode, None, |_| ())
            .map(|(report, ())| report)
    }

    /// Checks artifacts that come from anywhere, and lets `also` use all that was loaded.
    pub(crate) fn artifacts_and<R>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        artifacts: &dyn Artifacts,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> (EpisodeReport, R) {
        let again = |_| Ok::<_, Infallible>(artifacts);
        let Ok(settled) = self.settle(key, id, again, |artifacts| *artifacts, listening, also);
        settled
    }

    /// Checks what a function fetches until two fetches bring the same versions, and lets `also`
    /// use all that was loaded.
    pub(crate) fn settle<A, E, R>(
        &mut self,
        key: &EpisodeKey,
        id: Option<&str>,
        mut fetch: impl FnMut(usize) -> Result<A, E>,
        view: impl Fn(&A) -> &dyn Artifacts,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> Result<(EpisodeReport, R), E> {
        let name = key.as_path().file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let mut readings = 1;
        let mut fetched = fetch(readings)?;
        loop {
            let files = view(&fetched);
            let before = Seen::of(files);
            let identity = Identity {
                key: key.clone(),
                id,
                name: &name,
            };
            let (mut report, other) = judge::episode(
                &self.check,
                identity,
                files,
                listening,
                &mut self.buffers,
                &also,
            );
            if report.findings.is_empty() {
                return Ok((report, other));
            }
            let next = fetch(readings + 1)?;
            let movement = Movement::between(&before, &Seen::of(view(&next)));
            if movement.is_none() || readings == MAX_READINGS {
                judge::hold_back(&self.check, &mut report, &movement);
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
    pub(crate) fn episode_and<R>(
        &mut self,
        episode: &EpisodeDir,
        listening: Option<Listening<'_>>,
        also: impl Fn(&Loaded<'_, '_>) -> R,
    ) -> Result<(EpisodeReport, R), Fault> {
        let Self { check, buffers } = self;
        let fault = |source| unlistable(&episode.path, source);
        let mut episode = Cow::Borrowed(episode);
        let mut readings = 0;
        loop {
            readings += 1;
            let files = Directory::open(&episode, check.follow_links).map_err(fault)?;
            let others = check.team().judged_files().map(|(_, file)| &file.name);
            let files = files.with_others(others);
            let identity = Identity {
                key: episode.key(),
                id: episode.id.as_deref(),
                name: &episode.name,
            };
            let (mut report, other) =
                judge::episode(check, identity, &files, listening, buffers, &also);
            if let Some(source) = files.lacking().or_else(|| buffers.lacking.take()) {
                return Err(fault(source));
            }
            if report.findings.is_empty() {
                return Ok((report, other));
            }
            let mut movement = files.movement(&episode);
            let settles_in = movement.settles_in();
            if !(movement.is_none() && settles_in.is_zero()) {
                thread::sleep(settles_in);
                movement = files.movement(&episode);
            }
            if movement.is_none() || readings == MAX_READINGS {
                judge::hold_back(check, &mut report, &movement);
                return Ok((report, other));
            }
            episode.to_mut().list_again().map_err(fault)?;
        }
    }
}
