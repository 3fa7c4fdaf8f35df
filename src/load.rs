//! The artifacts of one episode -> documents, facts, and the troubles met on the way.
//!
//! Only this module knows which file has which content. Every file is read once.

mod events;
mod learn;
mod manifest;
mod record;
mod spread;
mod trouble;

use std::io;
use std::num::NonZeroUsize;

use events::EventsReader;
pub(crate) use events::{MAX_THREADS, Split};
use learn::LoadedLearn;
use manifest::LoadedManifest;
use record::RecordBuffers;
use spread::Spread;

use crate::document::{Document, Number, Tape};
use crate::facts::{
    self, KeptBuffers, NoteTaker, Recorded, Run, Stage, StateFacts, StrictFacts, SummaryFacts,
    Timeline, TimelineFacts, TimelineReader, Value,
};
use crate::finding::{Lifecycle, SkipKind};
use crate::parallel::Alone;
use crate::source::Artifact;
use crate::store::{Artifacts, Opened};
pub(crate) use trouble::{ArrayLines, FileTrouble, NotAnEvent, SpreadObjects, Trouble, Troubles};

/// Buffers that are reused for the next episode.
#[derive(Default)]
pub(crate) struct Buffers {
    /// What the machine lacked to read the latest episode.
    pub(crate) lacking: Option<io::Error>,
    /// The number of threads that may read one long timeline; `None` stands for one on each core.
    threads: Option<NonZeroUsize>,
    state: RecordBuffers,
    summary: RecordBuffers,
    timeline: TimelineBuffers,
    kept: KeptBuffers,
    manifest: Vec<u8>,
    manifest_tape: Tape,
}

/// What is read only because a rule that is on asks for it.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of wishes")]
pub(crate) struct Wanted {
    pub(crate) every_event: bool,
    pub(crate) event_ids: bool,
    pub(crate) learn_lines: bool,
    pub(crate) named_files: bool,
}

#[derive(Default)]
struct TimelineBuffers {
    lines: Vec<u8>,
    notes: NoteTaker,
    line_tape: Tape,
}

impl Buffers {
    /// Buffers for a worker that may use a number of threads for one timeline.
    pub(crate) fn for_threads(threads: Option<NonZeroUsize>) -> Self {
        Self {
            threads,
            ..Self::default()
        }
    }

    /// Returns the memory that large records needed.
    fn release(&mut self) {
        self.state.release();
        self.summary.release();
        if self.manifest.capacity() > KEPT_BYTES {
            self.manifest = Vec::new();
        }
        let tapes = [
            &mut self.kept.plan_tape,
            &mut self.kept.projection_tape,
            &mut self.manifest_tape,
        ];
        tapes.into_iter().for_each(Tape::release);
    }
}

/// The length of a text for which a buffer keeps its memory: real records are shorter.
const KEPT_BYTES: usize = 1 << 20;

/// The result of loading an episode, for rules and for locating findings.
pub(crate) struct Loaded<'l, 'b> {
    pub(crate) run: &'l Run<'b>,
    pub(crate) troubles: &'l Troubles,
    /// Whether each record was judged by its schema.
    pub(crate) state_shape: Recorded<()>,
    pub(crate) summary_shape: Recorded<()>,
    pub(crate) state: Option<Document<'b>>,
    pub(crate) summary: Option<Document<'b>>,
    pub(crate) state_bytes: &'b [u8],
    pub(crate) summary_bytes: &'b [u8],
    pub(crate) events: Option<&'l Opened<'b>>,
    /// Whether all lines of `learn.jsonl` could be judged, and the file.
    pub(crate) learn_lines: Recorded<()>,
    pub(crate) learn: Option<&'l Opened<'b>>,
    /// Whether all files that the manifest names could be judged, and the manifest.
    pub(crate) named_files: Recorded<()>,
    pub(crate) manifest: Option<Document<'b>>,
    pub(crate) manifest_bytes: &'b [u8],
}

/// Loads an episode and hands everything to a function.
pub(crate) fn episode<R>(
    files: &dyn Artifacts,
    directory_id: Option<&str>,
    wanted: Wanted,
    buffers: &mut Buffers,
    judge: impl FnOnce(Loaded<'_, '_>) -> R,
) -> R {
    // Dropped after all that is read, and before the report is handed on.
    let alone = Alone::default();
    let entries = files.entries();
    let mut troubles = Troubles::default();
    let can_learn = probe(files, Artifact::Learn, &mut troubles);
    probe(files, Artifact::Manifest, &mut troubles);
    let loaded_state = record::STATE.load(files, &mut buffers.state, &alone, &mut troubles);
    let loaded_summary = record::SUMMARY.load(files, &mut buffers.summary, &alone, &mut troubles);
    let state = loaded_state.root().map(StateFacts::new);
    let lifecycle = facts::lifecycle(state.read(), entries);
    let is_summary_due = entries.has(Artifact::Summary) || lifecycle != Lifecycle::NonTerminal;
    let (summary, summary_shape) = if is_summary_due {
        let facts = loaded_summary.root().map(SummaryFacts::new);
        (facts, loaded_summary.shape.clone())
    } else {
        (Recorded::NotDue, Recorded::NotDue)
    };
    let has_learned = has_learned(files, can_learn, summary.read());
    let id = facts::id(directory_id, state.read(), summary.read());
    let expected_id = id.as_ref().map(|(id, _)| &**id);
    let mut strict = wanted
        .every_event
        .then(|| StrictFacts::new(wanted.event_ids));
    let mut reader = reader(expected_id, state.read());
    if lifecycle != Lifecycle::Terminal {
        reader = reader.with_snapshot(loaded_state.bytes);
    }
    let read_timeline = timeline(
        (files, &alone),
        reader,
        lifecycle,
        buffers.threads,
        strict.as_mut(),
        &mut buffers.timeline,
        &mut troubles,
    );
    let learn = if wanted.learn_lines {
        let TimelineBuffers {
            lines, line_tape, ..
        } = &mut buffers.timeline;
        learn::read(files, lines, line_tape, &alone, &mut troubles)
    } else {
        LoadedLearn::NOT_READ
    };
    let manifest = if wanted.named_files && lifecycle == Lifecycle::Terminal {
        let (bytes, tape) = (&mut buffers.manifest, &mut buffers.manifest_tape);
        manifest::verify(files, bytes, tape, &alone, &mut troubles)
    } else {
        LoadedManifest::NOT_READ
    };
    let stream = read_timeline.as_ref().read().map(|(_, stream)| stream);
    let timeline = read_timeline.as_ref().map(|(timeline, _)| timeline);
    let timeline = timeline.map(|timeline| {
        let buffers = &mut buffers.kept;
        TimelineFacts::new(timeline, state.read(), lifecycle, buffers)
    });
    let run = Run {
        stage: Stage {
            entries,
            id,
            lifecycle,
        },
        state,
        summary,
        timeline: timeline.as_ref(),
        has_learned,
        strict: strict.as_ref(),
    };
    let judged = judge(Loaded {
        run: &run,
        troubles: &troubles,
        state_shape: loaded_state.shape.clone(),
        summary_shape,
        state: loaded_state.text,
        summary: loaded_summary.text,
        state_bytes: loaded_state.bytes,
        summary_bytes: loaded_summary.bytes,
        events: stream,
        learn_lines: learn.lines,
        learn: learn.stream.as_ref(),
        named_files: manifest.files,
        manifest: manifest.document,
        manifest_bytes: manifest.bytes,
    });
    drop(read_timeline);
    buffers.release();
    buffers.lacking = troubles.lacking().map(io::Error::other);
    judged
}

/// Checks that an artifact that runvet does not read is readable, if it exists.
fn probe(files: &dyn Artifacts, artifact: Artifact, troubles: &mut Troubles) -> bool {
    let probed = if files.entries().has(artifact) {
        files.probe(artifact)
    } else {
        Ok(())
    };
    let is_readable = probed.is_ok();
    if let Err(why) = probed {
        troubles.add(Trouble::Unreadable { artifact, why });
    }
    is_readable
}

/// Whether the learning timeline has any bytes. They are not looked for unless the summary has
/// learning proposals.
fn has_learned(
    files: &dyn Artifacts,
    is_readable: bool,
    summary: Option<SummaryFacts<'_>>,
) -> Option<bool> {
    let proposals = summary?.learn_proposals()?;
    if !is_readable || proposals.equals(Number::of("0")) {
        None
    } else if files.entries().has(Artifact::Learn) {
        Some(!files.is_empty(Artifact::Learn).ok()?)
    } else {
        Some(false)
    }
}

/// A reader of the timeline that keeps what matters to the steps and actions of the state.
fn reader<'i, 'a>(
    expected_id: Option<&'i str>,
    state: Option<StateFacts<'a>>,
) -> TimelineReader<'i, 'a> {
    let ids = |values: &mut dyn Iterator<Item = Value<'a>>| {
        values.filter_map(|value| value.text(&["id"])).collect()
    };
    TimelineReader::new(
        expected_id,
        ids(&mut state.and_then(StateFacts::steps).into_iter().flatten()),
        ids(&mut state.into_iter().flat_map(StateFacts::actions)),
    )
}

/// Reads the timeline, and keeps its file open because findings may point into its lines.
fn timeline<'f>(
    (files, alone): (&'f dyn Artifacts, &Alone),
    facts: TimelineReader<'_, 'f>,
    lifecycle: Lifecycle,
    threads: Option<NonZeroUsize>,
    strict: Option<&mut StrictFacts>,
    buffers: &mut TimelineBuffers,
    troubles: &mut Troubles,
) -> Recorded<(Timeline<'f>, Opened<'f>)> {
    let artifact = Artifact::Events;
    if !files.entries().has(artifact) {
        return Recorded::unjudged(SkipKind::Missing, "events.jsonl is missing");
    }
    let mut events = EventsReader {
        facts,
        strict,
        notes: &mut buffers.notes,
        tape: &mut buffers.line_tape,
        alone,
        troubles,
        may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
        threads,
        spread: Spread::default(),
    };
    let read = files
        .open(artifact)
        .and_then(|stream| events.read(stream, &mut buffers.lines));
    match read {
        Ok(stream) => Recorded::Read((events.facts.finish(), stream)),
        Err(why) => {
            troubles.add(Trouble::Unreadable { artifact, why });
            Recorded::unjudged(SkipKind::Unreadable, "events.jsonl can't be read")
        }
    }
}
