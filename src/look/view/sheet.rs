//! One run -> all that its page for a browser shows.

use std::collections::BTreeSet;
use std::io::Read;

use super::actions::{actions, actions_of, beginning, readable};
use super::conversation::{Conversation, Said};
use super::{OpenedRun, judged, reason_of, unjudged};
use crate::gate::Gate;
use crate::ground::document::{Document, Node, OwnedDocument, Tape};
use crate::ground::finding::EpisodeReport;
use crate::ground::record::phases::PROJECTION;
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;
use crate::judge::load::Loaded;
use crate::look::read::{Error, RunReader, with_defaults};
use crate::reading::dashboard::Rows;
use crate::reading::facts::Usable;
use crate::reading::outline::{Density, Listening, TimelineClock, Tracked, summary_of, waits};
use crate::report::page::{
    ActionCell, Bodies, EventBody, Message, Preview, RunSheet, TimeSpan, TrackEvent, TrackItem,
    class_of_phase,
};

/// The maximum number of bytes of an event that a page shows; of a longer one, half of them are
/// its beginning and half its end.
const MAX_EVENT_BYTES: usize = 64 << 10;

/// The maximum number of bytes of all events of a page; later ones are cut to [`MAX_LATER_BYTES`].
const MAX_TRACK_BYTES: usize = 4 << 20;

/// The maximum number of bytes of an event when the others have used up the room.
const MAX_LATER_BYTES: usize = 2 << 10;

/// The maximum number of bytes of the learning timeline that a page shows.
const MAX_LEARN_BYTES: usize = 64 << 10;

/// Reads a run, judges it, and returns all that its page for a browser shows.
pub(crate) fn run_page(run: &RunReader, gate: &mut Gate) -> Result<RunSheet, Error> {
    let none = BTreeSet::new();
    let bodies = Bodies::AtService;
    let also = |loaded: &Loaded<'_, '_>| (unjudged(run, loaded), shown(run, loaded, bodies));
    let (report, (opened, mut timeline)) = judged(run, gate, Listening::Track(&none), also)?;
    let named = named_lines(&report);
    if lacks(&timeline.track, &named) {
        timeline = run.load(Some(Listening::Track(&named)), |it| shown(run, it, bodies))?;
    }

    Ok(page(run, opened(report), timeline))
}

/// Reads a run that is judged already, and returns the same with the report that is given.
pub(super) fn run_page_with(run: &RunReader, report: EpisodeReport) -> Result<RunSheet, Error> {
    let named = named_lines(&report);
    let also =
        |loaded: &Loaded<'_, '_>| (unjudged(run, loaded), shown(run, loaded, Bodies::InPage));
    let (opened, timeline) = run.load(Some(Listening::Track(&named)), also)?;
    Ok(page(run, opened(report), timeline))
}

fn page(run: &RunReader, opened: OpenedRun, shown: ShownTimeline) -> RunSheet {
    let (dashboard, records) = opened.dashboard();
    RunSheet {
        dashboard,
        actions: shown.actions,
        track: shown.track,
        density: shown.density,
        messages: shown.messages,
        more_messages: shown.more_messages,
        state: records
            .state
            .map(with_defaults)
            .map_err(reason_of),
        summary: records.summary.map_err(reason_of),
        manifest: run
            .document(Artifact::Manifest)
            .map_err(reason_of),
        learn: learn(run).map_err(reason_of),
        seal: None,
    }
}

/// Returns the beginning of the learning timeline.
fn learn(run: &RunReader) -> Result<Preview, Error> {
    let mut bytes = Vec::new();
    let file = run.stream(Artifact::Learn)?;
    // What can't be read on is shown as far as it goes: a finding says so.
    let _ = file
        .take(MAX_LEARN_BYTES as u64 + 1)
        .read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(beginning(text, MAX_LEARN_BYTES))
}

/// The parts of a timeline that a page shows: events, their number over time, actions and messages.
struct ShownTimeline {
    track: Vec<TrackItem>,
    density: Density,
    actions: Rows<ActionCell>,
    messages: Vec<Message>,
    more_messages: usize,
}

fn shown(run: &RunReader, loaded: &Loaded<'_, '_>, bodies: Bodies) -> ShownTimeline {
    let attachment = |name: &str| run.attachment(name);
    let mut conversation = Conversation::new(&attachment);
    let track = track(loaded, &mut conversation, bodies);
    let (messages, more_messages) = conversation.end();
    let line_of = |id: &str| match &loaded.run.timeline {
        Usable::Read(timeline) => timeline.kept.line_of_action(id),
        Usable::NotDue | Usable::Unjudged(_) => None,
    };

    let state = loaded
        .state
        .text
        .as_ref()
        .ok()
        .and_then(|text| OwnedDocument::read(text.as_bytes().to_vec()).ok());
    let actions = match state {
        Some(state) => actions(state.root(), &track, line_of),
        None => actions_of(&track),
    };

    let outlined = loaded.timeline.outlined.as_ref();
    let outlined = outlined.and_then(|outlined| outlined.as_ref().ok());
    let density = outlined
        .map(|outlined| outlined.density.clone())
        .unwrap_or_default();

    ShownTimeline {
        track,
        density,
        actions,
        messages,
        more_messages,
    }
}

/// Returns the events that a page shows; a conversation takes in their messages.
fn track(
    loaded: &Loaded<'_, '_>,
    conversation: &mut Conversation<'_>,
    bodies: Bodies,
) -> Vec<TrackItem> {
    let Some(Ok(outlined)) = &loaded.timeline.outlined else {
        return Vec::new();
    };
    let (mut clock, mut tape, mut bytes) = (outlined.clock.clone(), Tape::default(), Vec::new());
    let mut room = MAX_TRACK_BYTES;
    let items = outlined
        .track
        .iter()
        .filter_map(|tracked| match *tracked {
            Tracked::Folded(number) => Some(TrackItem::Folded(number)),
            Tracked::Event((line, next)) => {
                let is_read = loaded
                    .timeline
                    .read_again(line, &mut bytes);
                let event = is_read
                    .then(|| tape.read_record(&bytes).ok())
                    .flatten()?;
                let most = match bodies {
                    Bodies::InPage if room == 0 => [MAX_LATER_BYTES; 2],
                    Bodies::InPage => [MAX_EVENT_BYTES; 2],
                    Bodies::AtService => [MAX_EVENT_BYTES, MAX_LATER_BYTES],
                };

                room = room.saturating_sub(bytes.len().min(MAX_EVENT_BYTES));
                let tracked = track_event(line.number, event, most, next, &mut clock);
                conversation.take(&Said {
                    line: line.number,
                    event: event.root(),
                    offset_sec: tracked.row.offset_sec,
                    took_sec: tracked.span.map(TimeSpan::seconds),
                });
                Some(TrackItem::Event(Box::new(tracked)))
            }
        });

    items.collect()
}

/// Returns an event of a track; `next` is when the next event of the step happened that it began.
fn track_event(
    line: u64,
    document: Document<'_>,
    most: [usize; 2],
    next: Option<f64>,
    clock: &mut TimelineClock,
) -> TrackEvent {
    let event = document.root();
    let offset_sec = clock.offset_of(event);
    let row = summary_of(line, event, offset_sec);
    let until_next = || {
        let start = offset_sec?;
        let end = next.filter(|end| *end >= start)?;
        Some(TimeSpan { start, end })
    };

    TrackEvent {
        class: class(event, &row.phase),
        span: span(event, clock.started.as_ref()).or_else(until_next),
        body: body(document, most),
        row,
    }
}

/// Returns `true` if a track leaves out an event on a line that findings name.
fn lacks(track: &[TrackItem], named: &BTreeSet<u64>) -> bool {
    let shown: BTreeSet<u64> = track
        .iter()
        .filter_map(TrackItem::event)
        .map(|event| event.row.line)
        .collect();

    shown.len() < track.len() && !named.is_subset(&shown)
}

/// Returns the lines of the timeline that findings name.
fn named_lines(report: &EpisodeReport) -> BTreeSet<u64> {
    report
        .findings
        .iter()
        .flat_map(|finding| {
            let related = finding
                .related
                .iter()
                .map(|related| &related.location);
            std::iter::once(&finding.location).chain(related)
        })
        .filter(|place| place.artifact == Some(Artifact::Events))
        .filter_map(|place| place.line)
        .collect()
}

/// Returns the part of an event that a page shows: all of it up to a number of bytes, or its two
/// ends, which have another number of bytes together, as text.
fn body(event: Document<'_>, [whole, ends]: [usize; 2]) -> EventBody {
    if event.text().len() <= whole {
        return EventBody::Whole(OwnedDocument::of(event));
    }

    let text = readable(event.root());
    let is_end = |at: &usize| text.is_char_boundary(*at);
    let half = ends / 2;
    let head = (0..=half)
        .rev()
        .find(is_end)
        .unwrap_or_default();
    let tail = (text.len().saturating_sub(half)..text.len())
        .find(is_end)
        .unwrap_or(text.len())
        .max(head);

    EventBody::Ends {
        head: text
            .get(..head)
            .unwrap_or_default()
            .to_owned(),
        between: tail - head,
        tail: text
            .get(tail..)
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Returns the class of the mark of an event, but for failures and vetoes.
fn class(event: Node<'_>, phase: &str) -> &'static str {
    let event_type = event
        .get("event_type")
        .and_then(Node::text);
    match phase {
        _ if event_type.is_some_and(|it| it == PROJECTION) => "projection",
        _ if waits(event) => "pause",
        phase => class_of_phase(phase),
    }
}

/// Returns when an event began and ended, in seconds since the start of the timeline: by its
/// metrics, else by the duration that its payload gives, which ended when it was written.
fn span(event: Node<'_>, started: Option<&Timestamp>) -> Option<TimeSpan> {
    let started = started?;
    let at = |path: &[&str]| {
        let text = event.at(path)?.text()?;
        Some(Timestamp::parse(&text)?.seconds_since(started))
    };

    let by_metrics = || {
        Some(TimeSpan {
            start: at(&["metrics", "started_at"])?,
            end: at(&["metrics", "completed_at"])?,
        })
    };

    let by_duration = || {
        let paths: [&[&str]; 2] = [&["metrics", "duration_ms"], &["payload", "duration_ms"]];
        let lasted = paths
            .iter()
            .find_map(|path| event.at(path)?.number())?
            .as_f64()
            / 1e3;
        let end = at(&["timestamp"])?;
        let start = end - lasted;
        Some(TimeSpan { start, end })
    };

    by_metrics()
        .or_else(by_duration)
        .filter(|span| span.start <= span.end && span.seconds().is_finite())
}
