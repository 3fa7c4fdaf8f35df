//! One run -> all that its page for a browser shows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

use super::moments::{Clock, moment};
use super::{Checked, View, outline};
use crate::check::Check;
use crate::dashboard::{Dashboard, StepRow};
use crate::document::Node;
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::page::{EventKind, PlanRow, PlanSides, RunPage, Step, TrackEvent, TrackItem};
use crate::plan::{self, PlanComparison, PlanStep};
use crate::printable::brief;
use crate::read::{Error, RunReader};
use crate::report::write_json_pretty;
use crate::source::Artifact;
use crate::timestamp::Timestamp;

/// The number of events at the beginning of a timeline that a page keeps.
const FIRST_EVENTS: usize = 200;

/// The number of events at the end of a timeline that a page keeps.
const LAST_EVENTS: usize = 100;

/// The maximum number of events between them that a page keeps: those in which something failed or
/// was vetoed, and those that findings name.
const MARKED_EVENTS: usize = 200;

/// The maximum number of steps whose opening a page pairs with the next event of the step.
const MAX_OPENED: usize = 10_000;

/// The maximum number of bytes of an event that a page keeps.
const MAX_EVENT_BYTES: usize = 2 << 10;

/// Reads a run, judges it, and returns all that its page for a browser shows.
///
/// # Errors
///
/// [`Error::Artifact`] if the directory can't be opened.
pub fn run_page(run: &RunReader, check: &Check, gate: &mut Gate) -> Result<RunPage, Error> {
    Ok(page(run, Checked::new(run, check, gate)?))
}

/// Reads a run that is judged already, and returns the same with the report that is given.
///
/// # Errors
///
/// [`Error::Artifact`] if the directory can't be opened.
pub fn run_page_with(run: &RunReader, report: EpisodeReport) -> Result<RunPage, Error> {
    let plan = plan::compare(run)?;
    Ok(page(run, Checked { report, plan }))
}

fn page(run: &RunReader, checked: Checked) -> RunPage {
    let (view, timeline) = (View::new(run), outline(run));
    let reason = view.reason(&timeline);
    let overview = view.overview(run);
    let plan = sides(&overview, &checked.plan);
    let track = track(run, &checked.report);
    let dashboard = Dashboard {
        overview,
        verdict: checked.verdict(&view.entry, reason.as_ref()),
        reason,
        timeline,
    };
    let why = |error: Error| match error {
        Error::Artifact { reason, .. } => reason,
        error => error.to_string(),
    };
    RunPage {
        dashboard,
        plan,
        track,
        state: view.state.map_err(why),
        summary: view.summary.map_err(why),
    }
}

/// The persisted plan beside the rebuilt one.
fn sides(overview: &crate::dashboard::Overview, plan: &PlanComparison) -> PlanSides {
    let persisted = overview.plan.as_ref();
    let steps = persisted.map(|plan| &*plan.steps.first).unwrap_or_default();
    let ids: Vec<&str> = steps.iter().map(|step| &*step.id).collect();
    let rebuilt = plan
        .rebuilt
        .as_ref()
        .map(|plan| &*plan.steps)
        .unwrap_or_default();
    let rows = plan.rows(&ids).into_iter().map(|row| PlanRow {
        persisted: row
            .persisted
            .and_then(|at| steps.get(at))
            .map(persisted_step),
        rebuilt: row.rebuilt.and_then(|at| rebuilt.get(at)).map(rebuilt_step),
        differs: row.differs,
        is_unsure: row.is_unsure,
    });
    let differences = plan.differences.iter();
    PlanSides {
        rows: rows.take(crate::dashboard::MAX_ROWS).collect(),
        differences: differences
            .map(|difference| (difference.message.clone(), difference.line))
            .collect(),
        more_differences: plan.more_differences,
        unjudged: plan.unjudged.clone(),
        persisted_source: persisted.and_then(|plan| plan.source.clone()),
        rebuilt_source: plan
            .rebuilt
            .as_ref()
            .and_then(|plan| plan.source.as_deref().map(brief)),
    }
}

fn persisted_step(step: &StepRow) -> Step {
    Step {
        id: step.id.clone(),
        kind: step.kind.clone(),
        status: step.status.clone(),
        description: step.description.clone(),
        line: None,
    }
}

fn rebuilt_step(step: &PlanStep) -> Step {
    let shown = |text: &Option<String>| text.as_deref().map(brief).unwrap_or_default();
    Step {
        id: shown(&step.id),
        kind: shown(&step.kind),
        status: shown(&step.status),
        description: shown(&step.description),
        line: step.status_line,
    }
}

/// The events of a timeline that a page keeps: the first and the last, and between them some that
/// matter. Memory does not grow with the number of events.
fn track(run: &RunReader, report: &EpisodeReport) -> Vec<TrackItem> {
    let Ok(mut events) = run.event_texts() else {
        return Vec::new();
    };
    let named = named_lines(report);
    let mut clock = Clock::default();
    let mut kept = Kept::default();
    let mut open_steps: BTreeMap<String, u64> = BTreeMap::new();
    let mut ends: BTreeMap<u64, f64> = BTreeMap::new();
    while let Some(read) = events.next_document() {
        if let Ok((line, event)) = read {
            let offset_sec = clock.offset(event);
            let (moment, _) = moment(line, event, offset_sec);
            let matters = moment.mark.is_some() || named.contains(&line);
            if let (Some(step), Some(at)) = (text(event, "step_id"), offset_sec) {
                if let Some(opened) = open_steps.remove(&step) {
                    ends.insert(opened, at);
                }
                let is_opened = text(event, "step_status").as_deref() == Some("running");
                if is_opened && open_steps.len() + ends.len() < MAX_OPENED {
                    open_steps.insert(step, line);
                }
            }
            let (json, is_cut) = pretty(event);
            let event = TrackEvent {
                kind: kind(event, &moment.phase),
                span: span(event, clock.started.as_ref()),
                json,
                is_cut,
                moment,
            };
            kept.add(matters, event);
        }
    }
    let mut items = kept.items();
    for item in &mut items {
        if let TrackItem::Event(event) = item
            && let (None, Some(start)) = (event.span, event.moment.offset_sec)
        {
            let end = ends.get(&event.moment.line).copied();
            event.span = end.filter(|end| *end >= start).map(|end| (start, end));
        }
    }
    items
}

/// The lines of the timeline that findings name.
fn named_lines(report: &EpisodeReport) -> BTreeSet<u64> {
    let places = report.findings.iter().flat_map(|finding| {
        let related = finding.related.iter().map(|related| &related.location);
        std::iter::once(&finding.location).chain(related)
    });
    places
        .filter(|place| place.artifact == Some(Artifact::Events))
        .filter_map(|place| place.line)
        .collect()
}

/// Events on their way to a track.
#[derive(Default)]
struct Kept {
    items: Vec<TrackItem>,
    marked: usize,
    last: VecDeque<(bool, TrackEvent)>,
}

impl Kept {
    fn add(&mut self, matters: bool, event: TrackEvent) {
        if self.items.len() < FIRST_EVENTS && self.last.is_empty() {
            self.items.push(TrackItem::Event(Box::new(event)));
            return;
        }
        self.last.push_back((matters, event));
        if self.last.len() <= LAST_EVENTS {
            return;
        }
        let Some((matters, oldest)) = self.last.pop_front() else {
            return;
        };
        if matters && self.marked < MARKED_EVENTS {
            self.marked += 1;
            self.items.push(TrackItem::Event(Box::new(oldest)));
        } else if let Some(TrackItem::Folded(number)) = self.items.last_mut() {
            *number += 1;
        } else {
            self.items.push(TrackItem::Folded(1));
        }
    }

    fn items(mut self) -> Vec<TrackItem> {
        let last = self.last.into_iter();
        self.items
            .extend(last.map(|(_, event)| TrackItem::Event(Box::new(event))));
        self.items
    }
}

/// An event as JSON of several lines, and whether it was cut.
fn pretty(event: Node<'_>) -> (String, bool) {
    let mut text = Head(Vec::new());
    let is_cut = write_json_pretty(&mut text, event).is_err();
    (String::from_utf8_lossy(&text.0).into_owned(), is_cut)
}

/// The beginning of what is written.
struct Head(Vec<u8>);

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match MAX_EVENT_BYTES - self.0.len() {
            0 if !bytes.is_empty() => Err(io::ErrorKind::WriteZero.into()),
            room => {
                let taken = bytes.get(..room).unwrap_or(bytes);
                self.0.extend_from_slice(taken);
                Ok(taken.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text of the payload, in short.
fn text(event: Node<'_>, key: &str) -> Option<String> {
    Some(brief(&event.at(&["payload", key])?.text()?))
}

fn kind(event: Node<'_>, phase: &str) -> EventKind {
    let event_type = event
        .get("event_type")
        .and_then(Node::text)
        .unwrap_or_default();
    let waits = || event.at(&["payload", "waiting"]).and_then(Node::boolean) == Some(true);
    match phase {
        _ if event_type == "run.state_projection" => EventKind::Projection,
        _ if event_type.contains("pause") || waits() => EventKind::Pause,
        "start" => EventKind::Start,
        "plan" => EventKind::Plan,
        "act" => EventKind::Act,
        "direction" => EventKind::Direction,
        "terminate" => EventKind::End,
        _ => EventKind::Other,
    }
}

/// When an event began and ended, in seconds since the start of the timeline: by its metrics, else
/// by the duration that its payload gives, which ended when it was written.
fn span(event: Node<'_>, started: Option<&Timestamp>) -> Option<(f64, f64)> {
    let started = started?;
    let at = |path: &[&str]| {
        let text = event.at(path)?.text()?;
        Some(Timestamp::parse(&text)?.seconds_since(started))
    };
    let by_metrics = || {
        Some((
            at(&["metrics", "started_at"])?,
            at(&["metrics", "completed_at"])?,
        ))
    };
    let by_duration = || {
        let paths: [&[&str]; 2] = [&["metrics", "duration_ms"], &["payload", "duration_ms"]];
        let lasted = paths
            .iter()
            .find_map(|path| event.at(path)?.number())?
            .as_f64()
            / 1e3;
        let end = at(&["timestamp"])?;
        Some((end - lasted, end))
    };
    let span = by_metrics().or_else(by_duration);
    span.filter(|(start, end)| start <= end && (end - start).is_finite())
}
