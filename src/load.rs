//! The artifacts of one episode -> documents, facts, and the troubles met on the way.
//!
//! Only this module knows which file has which content. Every file is read once.

mod events;
mod record;
mod trouble;

use events::EventsReader;

use crate::document::{Document, Tape};
use crate::facts::{
    self, EventFacts, NoteTaker, ReadAgain, Recorded, Run, Stage, StateFacts, SummaryFacts,
    Timeline, TimelineFacts, TimelineReader, Value, plan::Rebuilt,
};
use crate::finding::{Lifecycle, SkipKind};
use crate::source::{Artifact, Line};
use crate::store::{Artifacts, Opened};
pub(crate) use trouble::{NotAnEvent, Trouble, Troubles};

/// Buffers that are reused for the next episode.
#[derive(Default)]
pub(crate) struct Buffers {
    /// The number of threads that may read one long timeline; at 0 the calling thread reads it.
    threads: usize,
    state: Vec<u8>,
    state_tape: Tape,
    summary: Vec<u8>,
    summary_tape: Tape,
    timeline: TimelineBuffers,
    plan_tape: Tape,
    projection_tape: Tape,
}

#[derive(Default)]
struct TimelineBuffers {
    lines: Vec<u8>,
    notes: NoteTaker,
    line_tape: Tape,
}

impl Buffers {
    /// Buffers for a worker that may use a number of threads for one timeline.
    pub(crate) fn for_threads(threads: usize) -> Self {
        Self {
            threads,
            ..Self::default()
        }
    }

    /// Returns the memory that large records needed.
    fn release(&mut self) {
        for text in [&mut self.state, &mut self.summary] {
            if text.capacity() > KEPT_BYTES {
                *text = Vec::new();
            }
        }
        let tapes = [
            &mut self.state_tape,
            &mut self.summary_tape,
            &mut self.plan_tape,
            &mut self.projection_tape,
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
}

/// Loads an episode and hands everything to a function.
pub(crate) fn episode<R>(
    files: &dyn Artifacts,
    directory_id: Option<&str>,
    buffers: &mut Buffers,
    judge: impl FnOnce(Loaded<'_, '_>) -> R,
) -> R {
    let entries = files.entries();
    let mut troubles = Troubles::default();
    probe(files, &mut troubles);
    let loaded_state = record::STATE.load(
        files,
        &mut buffers.state,
        &mut buffers.state_tape,
        &mut troubles,
    );
    let loaded_summary = record::SUMMARY.load(
        files,
        &mut buffers.summary,
        &mut buffers.summary_tape,
        &mut troubles,
    );
    let state = loaded_state.root().map(StateFacts::new);
    let lifecycle = facts::lifecycle(state.read(), entries);
    let is_summary_due = entries.has(Artifact::Summary) || lifecycle != Lifecycle::NonTerminal;
    let (summary, summary_shape) = if is_summary_due {
        let facts = loaded_summary.root().map(SummaryFacts::new);
        (facts, loaded_summary.shape.clone())
    } else {
        (Recorded::NotDue, Recorded::NotDue)
    };
    let id = facts::id(directory_id, state.read(), summary.read());
    let expected_id = id.as_ref().map(|(id, _)| &**id);
    let timeline = timeline(
        files,
        reader(expected_id, state.read()),
        lifecycle,
        buffers.threads,
        &mut buffers.timeline,
        &mut troubles,
    );
    let stream = timeline.as_ref().read().map(|(_, stream)| stream);
    let timeline = timeline.as_ref().map(|(timeline, _)| timeline);
    let reach = facts::reach(lifecycle, timeline.read());
    let read_again = |line: Line, bytes: &mut Vec<u8>| {
        stream.is_some_and(|stream| stream.read_again(line, bytes).is_ok())
    };
    let timeline = timeline.map(|timeline| {
        let tapes = (&mut buffers.projection_tape, &mut buffers.plan_tape);
        with_events(timeline, reach, tapes, &read_again)
    });
    let run = Run {
        stage: Stage {
            entries,
            id,
            lifecycle,
            reach,
        },
        state,
        summary,
        timeline: timeline.as_ref(),
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
    });
    buffers.release();
    judged
}

/// Checks that the artifacts that runvet does not read are readable.
fn probe(files: &dyn Artifacts, troubles: &mut Troubles) {
    for artifact in [Artifact::Learn, Artifact::Manifest] {
        if files.entries().has(artifact)
            && let Err(why) = files.probe(artifact)
        {
            troubles.add(Trouble::Unreadable { artifact, why });
        }
    }
}

/// A reader of the timeline that keeps what matters to the steps and actions of the state.
fn reader<'a>(expected_id: Option<&'a str>, state: Option<StateFacts<'a>>) -> TimelineReader<'a> {
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
    files: &'f dyn Artifacts,
    facts: TimelineReader<'_>,
    lifecycle: Lifecycle,
    threads: usize,
    buffers: &mut TimelineBuffers,
    troubles: &mut Troubles,
) -> Recorded<(Timeline, Opened<'f>)> {
    let artifact = Artifact::Events;
    if !files.entries().has(artifact) {
        return Recorded::unjudged(SkipKind::Missing, "events.jsonl is missing");
    }
    let mut events = EventsReader {
        facts,
        notes: &mut buffers.notes,
        tape: &mut buffers.line_tape,
        troubles,
        may_be_unfinished: lifecycle == Lifecycle::NonTerminal,
        threads,
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

/// A timeline with the events that were kept as text: its latest projection event, and the plan
/// rebuilt from its latest plan event within reach.
fn with_events<'a>(
    timeline: &'a Timeline,
    reach: Option<u64>,
    (projection_tape, plan_tape): (&'a mut Tape, &'a mut Tape),
    read_again: ReadAgain<'a>,
) -> TimelineFacts<'a> {
    let projection = timeline.projection.as_ref();
    let projection =
        projection.and_then(|event| parse_again(event.line, &event.text, projection_tape));
    let plan = reach.and_then(|reach| {
        let event = timeline.plan_event(reach)?;
        let event = parse_again(event.line, &event.text, plan_tape)?;
        Rebuilt::new(&event, timeline, reach)
    });
    TimelineFacts::new(timeline, projection, plan, read_again)
}

/// An event that was kept as text, as a document again.
fn parse_again<'a>(line: Line, text: &'a [u8], tape: &'a mut Tape) -> Option<EventFacts<'a>> {
    let document = tape.read_record(text).ok()?;
    // Violations are reported already; rules compare only fields of these events that the schema
    // does not restrict.
    Some(EventFacts::new(line, Value::root(document, &[])))
}
