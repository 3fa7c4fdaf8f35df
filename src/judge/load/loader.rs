//! The files of an episode -> its parts, each read once; what was met on the way.

use super::attachments::Attachments;
use super::events::{EventsReader, Listeners};
use super::learn::{LearnReader, LoadedLearn};
use super::manifest::{FilesWanted, LoadedManifest};
use super::multi_line::MultiLineSearch;
use super::record::{LoadedRecord, RecordBuffers};
use super::trouble::{Trouble, Troubles};
use super::{
    LoadRequest, LoadedTimeline, NOT_THERE, TimelineBuffers, manifest, other, prefixes, record,
};
use crate::ground::document::{Number, OwnedDocument, Tape};
use crate::ground::finding::{Lifecycle, SkipKind};
use crate::ground::parallel::Alone;
use crate::ground::source::{Artifact, Line, Place, Pointer};
use crate::policy::team::{Judged, RunValues, TeamJudges};

use crate::reading::facts::{
    InStep, InSummary, Stage, StateFacts, StrictFacts, SummaryFacts, TimelineReader, Usable,
};
use crate::reading::outline::{Listening, OutlineReader, Outlined};
use crate::store::{Artifacts, Opened};

/// The loader of the parts of an episode, which collects the troubles met on the way.
pub(super) struct Loader<'f> {
    pub(super) files: &'f dyn Artifacts,
    pub(super) request: &'f LoadRequest,
    /// Given back before the report is handed on.
    pub(super) alone: Alone,
    pub(super) troubles: Troubles,
    pub(super) judges: TeamJudges,
}

impl<'f> Loader<'f> {
    pub(super) fn new(files: &'f dyn Artifacts, request: &'f LoadRequest) -> Self {
        Self {
            files,
            request,
            alone: Alone::default(),
            troubles: Troubles::default(),
            judges: request.team.clone(),
        }
    }

    /// Checks that an artifact that runvet does not read is readable, if it exists.
    pub(super) fn probe(&mut self, artifact: Artifact) -> bool {
        let probed = if self.files.entries().has(artifact) {
            self.files.probe(artifact)
        } else {
            Ok(())
        };

        let is_readable = probed.is_ok();
        if let Err(why) = probed {
            self.troubles.add(Trouble::Unreadable { artifact, why });
        }

        is_readable
    }

    pub(super) fn records<'b>(
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
            let root = whole.as_ref().map_or(written, OwnedDocument::root);
            for schema in schemas {
                schema.record(root, &|| Place::whole(artifact));
            }
        }

        let team = &self.request.team.team;
        let is_declared = |pointer: &Pointer| team.declares(artifact, pointer);
        self.troubles.forget_misspelled(artifact, is_declared);
    }

    /// Returns whether the learning timeline has any bytes. They are not looked for unless the
    /// summary has learning proposals.
    pub(super) fn has_learned(
        &self,
        is_readable: bool,
        summary: Option<SummaryFacts<'_>>,
    ) -> Option<bool> {
        let proposals = summary?.number(InSummary::LearnProposals)?;
        if !is_readable || proposals.equals(Number::of("0")) {
            None
        } else if self.files.entries().has(Artifact::Learn) {
            Some(!self.files.is_empty(Artifact::Learn).ok()?)
        } else {
            Some(false)
        }
    }

    /// Reads the timeline, once for all listeners.
    pub(super) fn timeline<'a>(
        &mut self,
        facts: TimelineReader<'_, 'a>,
        lifecycle: Lifecycle,
        listening: Option<Listening<'_>>,
        (values, attachments): (&RunValues<'_>, &Attachments<'_>),
        buffers: &mut TimelineBuffers,
    ) -> LoadedTimeline<'a>
    where
        'f: 'a,
    {
        let artifact = Artifact::Events;
        let mut loaded = LoadedTimeline {
            facts: Usable::unjudged(SkipKind::Missing, "events.jsonl is missing"),
            strict: (self.request.every_event).then(|| StrictFacts::new(self.request.strict)),
            stream: None,
            outlined: listening.map(|_| Err(NOT_THERE.into())),
        };

        if !self.files.entries().has(artifact) {
            return loaded;
        }

        let mut events = EventsReader {
            listeners: Listeners {
                facts,
                strict: loaded.strict.as_mut(),
                outline: listening.map(OutlineReader::new),
            },
            reader: &mut buffers.reader,
            parsed: &mut buffers.event,
            alone: &self.alone,
            troubles: &mut self.troubles,
            may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
            multi_line: MultiLineSearch::default(),
            index: &self.request.team.index,
            judges: &mut self.judges,
            values,
            attachments,
        };

        let result = self.files.open(artifact).and_then(|stream| {
            let (stream, result) = events.read(stream, &mut buffers.lines);
            let outline = events.listeners.outline.take();
            loaded.outlined = outline.map(|outline| Ok(outlined(outline, &stream)));
            let strict = events.listeners.strict.as_mut();
            if let Some(prefixes) = strict.and_then(|strict| strict.prefixes.as_mut()) {
                prefixes::measure(prefixes, &stream);
            }

            loaded.stream = Some(stream);
            result
        });
        match result {
            Ok(()) => {
                let mut timeline = events.listeners.facts.finish();
                let team = &self.request.team.team;
                timeline.typos.forget(|key| team.declares(artifact, key));
                loaded.facts = Usable::Read(timeline);
            }
            Err(why) => {
                let reason = "events.jsonl can't be read";
                loaded.facts = Usable::unjudged(SkipKind::Unreadable, reason);
                if loaded.stream.is_none() {
                    loaded.outlined = listening.map(|_| Err(why.to_string()));
                }
                self.troubles.add(Trouble::Unreadable { artifact, why });
            }
        }

        loaded
    }

    pub(super) fn learn(
        &mut self,
        lifecycle: Lifecycle,
        buffers: &mut TimelineBuffers,
    ) -> LoadedLearn<'f> {
        let is_judged = self.judges.has_schema_of(Judged::Whole(Artifact::Learn));
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

    pub(super) fn manifest<'b>(
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

        let is_judged =
            self.judges.has_schema_of(Judged::Whole(artifact)) && files.entries().has(artifact);
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

/// Returns the outline of a timeline that was read.
pub(super) fn outlined(outline: OutlineReader<'_>, stream: &Opened<'_>) -> Outlined {
    let read_again = |line: Line, bytes: &mut Vec<u8>| stream.read_again(line, bytes).is_ok();
    let mut outlined = outline.finish(read_again);
    prefixes::measure(outlined.outline.anchor.as_mut_slice(), stream);
    outlined
}

/// Returns a reader of the timeline that keeps what matters to the steps and actions of the state.
pub(super) fn reader<'i, 'a>(
    Stage { id, lifecycle, .. }: &'i Stage<'_>,
    state: Option<StateFacts<'a>>,
    bytes: &'a [u8],
) -> TimelineReader<'i, 'a> {
    let step_ids = state
        .and_then(StateFacts::steps)
        .into_iter()
        .flatten()
        .filter_map(|step| step.text(InStep::Id));
    let snapshot = Some(bytes).filter(|_| *lifecycle != Lifecycle::Terminal);

    TimelineReader::new(
        id.as_ref().map(|(id, _)| &**id),
        step_ids.collect(),
        state.into_iter().flat_map(StateFacts::actions),
        snapshot,
    )
}
