//! The artifacts of one episode -> documents, facts and troubles.
//!
//! Only this module knows which file has which content. Every file is read once.

mod attachments;
mod cause;
mod events;
mod learn;
mod manifest;
mod multi_line;
mod other;
mod prefixes;
mod progress;
mod record;
mod records;
mod timeline;
mod trouble;

use std::io;

pub(super) use attachments::Attachments;
#[cfg(feature = "commands")]
pub(crate) use cause::stand_in;
pub(crate) use events::{column_of, event_on};
use learn::LearnReader;
pub(super) use learn::LoadedLearn;
use manifest::FilesWanted;
pub(super) use manifest::LoadedManifest;
#[cfg(feature = "commands")]
pub(crate) use multi_line::{MAX_OBJECT_BYTES, MAX_OBJECT_LINES};
pub(crate) use progress::with_progress;
use record::RecordBuffers;
pub(crate) use record::{LoadedRecord, NoText};
use records::RecordsOfRules;
pub(crate) use timeline::LoadedTimeline;
use timeline::{TimelineBuffers, timeline_reader};

use crate::ground::document::{Number, OwnedDocument, Tape};
use crate::ground::finding::{Lifecycle, SkipKind, SkipReason};
use crate::ground::parallel::Alone;
use crate::ground::source::{Artifact, Place, Pointer};
use crate::policy::team::{Judged, TeamJudges};
use crate::reading::facts::{
    self, InSummary, Run, Stage, StateFacts, SummaryFacts, Usable, Wanted,
};
use crate::reading::outline::Listening;
use crate::store::{Artifacts, Unreadable};
pub(super) use trouble::{
    ArrayLines, FileTrouble, Mistaken, MultiLineObjects, NotAnObject, Trouble, Troubles,
    VersionField,
};

/// Buffers that are reused for the next episode.
#[derive(Default)]
pub(crate) struct Buffers {
    /// The error where the machine lacked a resource to read the latest episode.
    pub(super) lacking: Option<io::Error>,
    state: RecordBuffers,
    summary: RecordBuffers,
    timeline: TimelineBuffers,
    manifest: Vec<u8>,
    manifest_tape: Tape,
}

/// The parts that are read only because a rule that is on asks for them.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of wishes")]
pub(crate) struct LoadRequest {
    pub(super) every_event: bool,
    /// The facts of every event that are gathered besides.
    pub(super) strict: Wanted,
    pub(super) learn_lines: bool,
    pub(super) named_files: bool,
    pub(super) all_files: bool,
    /// The tools that were called.
    pub(super) calls: bool,
    /// The judges of what a team declares; they have judged nothing.
    pub(super) team: TeamJudges,
}

impl LoadRequest {
    /// Returns the request for the tools that were called.
    pub(crate) fn calls() -> Self {
        Self {
            calls: true,
            ..Self::default()
        }
    }
}

impl Buffers {
    /// Keeps what the machine lacked, and returns the memory that large records needed.
    fn release(&mut self, troubles: &Troubles) {
        self.lacking = troubles.lacking().map(io::Error::other);
        self.state.release();
        self.summary.release();
        if self.manifest.capacity() > KEPT_BYTES {
            self.manifest = Vec::new();
        }

        self.manifest_tape.release();
    }
}

/// The length of a text for which a buffer keeps its memory: real records are shorter.
const KEPT_BYTES: usize = 1 << 20;

/// The reason why nothing is read of an artifact that the episode lacks.
pub(crate) const NOT_THERE: &str = "there is no such file";

/// The result of loading an episode, for rules, for locating findings, and for views.
pub(crate) struct Loaded<'l, 'b> {
    pub(crate) run: &'l Run<'b>,
    pub(super) troubles: &'l Troubles,
    pub(crate) state: &'l LoadedRecord<'b>,
    pub(crate) summary: &'l LoadedRecord<'b>,
    pub(crate) timeline: &'l LoadedTimeline<'b>,
    pub(super) learn: &'l LoadedLearn<'b>,
    pub(super) manifest: &'l LoadedManifest<'b>,
    /// The judges of what the team declares, with their findings.
    pub(super) judges: &'l TeamJudges,
}

/// Loads an episode and hands everything to a function.
pub(crate) fn episode<R>(
    files: &dyn Artifacts,
    directory_id: Option<&str>,
    request: &LoadRequest,
    listening: Option<Listening<'_>>,
    buffers: &mut Buffers,
    judge: impl FnOnce(Loaded<'_, '_>) -> R,
) -> R {
    let mut loader = Loader::new(files, request, listening);
    let can_learn = loader.probe(Artifact::Learn);
    loader.probe(Artifact::Manifest);

    let (state_file, mut summary_file) = loader.records(&mut buffers.state, &mut buffers.summary);
    let state = state_file.facts().map(StateFacts::new);
    let lifecycle = facts::lifecycle(state.read(), files.entries());
    if lifecycle == Lifecycle::NonTerminal && !files.entries().has(Artifact::Summary) {
        summary_file.is_not_due();
    }

    let summary = summary_file
        .facts()
        .map(SummaryFacts::new);
    let of_run = Stage {
        entries: files.entries(),
        id: facts::id(directory_id, state.read(), summary.read()),
        lifecycle,
    };

    let has_learned = loader.has_learned(can_learn, summary.read());
    let both = [&state_file, &summary_file];
    let records = RecordsOfRules::new(&request.team, both, directory_id, &of_run);
    let timeline = loader.timeline(
        timeline_reader(&of_run, state.read(), state_file.bytes),
        lifecycle,
        records.values(),
        &mut buffers.timeline,
    );
    let facts = timeline.facts(state.read(), lifecycle);
    let learn = loader.learn(lifecycle, &mut buffers.timeline);
    let manifest = loader.manifest(lifecycle, &mut buffers.manifest, &mut buffers.manifest_tape);
    let run = Run {
        stage: of_run,
        state,
        summary,
        timeline: facts.as_ref(),
        has_learned,
        strict: timeline.strict.as_ref(),
    };

    let judged = judge(Loaded {
        run: &run,
        troubles: &loader.troubles,
        state: &state_file,
        summary: &summary_file,
        timeline: &timeline,
        learn: &learn,
        manifest: &manifest,
        judges: &loader.judges,
    });
    drop(timeline);
    buffers.release(&loader.troubles);

    judged
}

/// The loader of the parts of an episode, which collects the troubles met on the way.
struct Loader<'f> {
    files: &'f dyn Artifacts,
    request: &'f LoadRequest,
    /// What an outline of the timeline is for, where one is asked for.
    listening: Option<Listening<'f>>,
    /// Given back before the report is handed on.
    alone: Alone,
    troubles: Troubles,
    judges: TeamJudges,
}

impl<'f> Loader<'f> {
    fn new(
        files: &'f dyn Artifacts,
        request: &'f LoadRequest,
        listening: Option<Listening<'f>>,
    ) -> Self {
        Self {
            files,
            request,
            listening,
            alone: Alone::default(),
            troubles: Troubles::default(),
            judges: request.team.clone(),
        }
    }

    /// Checks that an artifact that runvet does not read is readable, if it exists.
    fn probe(&mut self, artifact: Artifact) -> bool {
        let probed = if self.files.entries().has(artifact) {
            self.files.probe(artifact)
        } else {
            Ok(())
        };

        let is_readable = probed.is_ok();
        if let Err(why) = probed {
            self.troubles
                .add(Trouble::Unreadable { artifact, why });
        }

        is_readable
    }

    fn records<'b>(
        &mut self,
        state: &'b mut RecordBuffers,
        summary: &'b mut RecordBuffers,
    ) -> (LoadedRecord<'b>, LoadedRecord<'b>) {
        let (files, alone, troubles) = (self.files, &self.alone, &mut self.troubles);
        let team = &self.request.team.team;
        let state = record::STATE.load(files, state, alone, team, troubles);
        let summary = record::SUMMARY.load(files, summary, alone, team, troubles);
        self.declared_of(Artifact::State, &state);
        self.declared_of(Artifact::Summary, &summary);

        (state, summary)
    }

    /// Judges a record by a team's schemas.
    fn declared_of(&mut self, artifact: Artifact, record: &LoadedRecord<'_>) {
        if !record.is_read() {
            return;
        }

        let attachments = Attachments::new(self.files, &self.judges);
        let mut schemas = self.judges.of(artifact).peekable();
        if schemas.peek().is_some()
            && let Some(written) = record.written()
        {
            let whole = attachments.whole(written);
            let root = whole
                .as_ref()
                .map_or(written, OwnedDocument::root);
            for schema in schemas {
                schema.record(root, &|| Place::whole(artifact));
            }
        }

        let team = &self.request.team.team;
        let is_declared = |pointer: &Pointer| team.declares(artifact, pointer);
        self.troubles
            .forget_misspelled(artifact, is_declared);
    }

    /// Returns whether the learning timeline has any bytes. They are not looked for unless the
    /// summary has learning proposals.
    fn has_learned(&self, is_readable: bool, summary: Option<SummaryFacts<'_>>) -> Option<bool> {
        let proposals = summary?.number(InSummary::LearnProposals)?;
        if !is_readable || proposals.equals(Number::of("0")) {
            None
        } else if self
            .files
            .entries()
            .has(Artifact::Learn)
        {
            Some(
                !self
                    .files
                    .is_empty(Artifact::Learn)
                    .ok()?,
            )
        } else {
            Some(false)
        }
    }

    fn learn(&mut self, lifecycle: Lifecycle, buffers: &mut TimelineBuffers) -> LoadedLearn<'f> {
        let is_judged = self
            .judges
            .has_schema_of(Judged::Whole(Artifact::Learn));
        if !(self.request.learn_lines || is_judged) {
            return LoadedLearn::NOT_READ;
        }

        let reader = LearnReader {
            tape: &mut buffers.line_tape,
            alone: &self.alone,
            may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
            judges: &mut self.judges,
            first: None,
            lines: 0,
            any: false,
            too_large: None,
        };

        reader.read(self.files, &mut buffers.lines, &mut self.troubles)
    }

    fn manifest<'b>(
        &mut self,
        lifecycle: Lifecycle,
        bytes: &'b mut Vec<u8>,
        tape: &'b mut Tape,
    ) -> LoadedManifest<'b> {
        let (files, artifact) = (self.files, Artifact::Manifest);
        let has_ended = lifecycle == Lifecycle::Terminal;
        let wanted = FilesWanted {
            named: self.request.named_files && has_ended,
            all: self.request.all_files && has_ended,
        };

        let is_judged = self
            .judges
            .has_schema_of(Judged::Whole(artifact))
            && files.entries().has(artifact);
        other::judge(files, &mut self.judges, lifecycle, &self.alone);
        if !(wanted.named || wanted.all || is_judged) {
            return LoadedManifest::NOT_READ;
        }

        let troubles = &mut self.troubles;
        let manifest = manifest::read(files, bytes, tape, &self.alone, troubles, wanted);
        let is_unjudged = matches!(manifest.files, Usable::Unjudged(_));

        for schema in self.judges.of(artifact) {
            let whole = Place::whole(artifact);
            match manifest.document {
                Some(document) => schema.record(document.root(), &|| whole.clone()),
                None if is_unjudged => {}
                None => schema.unusable(&whole, "the file is not a JSON object", manifest.bytes),
            }
        }

        manifest
    }
}

/// Returns why a file that a rule asks for can't be judged.
fn unreadable(what: &str, why: &Unreadable) -> SkipReason {
    let kind = match why {
        Unreadable::ListedOnly => SkipKind::Missing,
        Unreadable::TooLarge(_) | Unreadable::TooManyValues(_) | Unreadable::TooManyFiles(_) => {
            SkipKind::Limit
        }
        _ => SkipKind::Unreadable,
    };

    SkipReason::worded(kind, format!("{what} can't be read: {why}"))
}
