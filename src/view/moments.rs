//! The events of a timeline -> one line of text each, and an outline of them all.

use super::folding::{Folding, Weight};
use super::incident::Signs;
use super::shown;
use crate::dashboard::{Mark, Moment, Outline};
use crate::document::{Kind, Node};
use crate::printable::brief;
use crate::read::{Error, EventTexts, RunReader};
use crate::timestamp::Timestamp;

/// The maximum number of lines that are not events of which an outline keeps the error.
const MAX_BROKEN_LINES: usize = 10;

/// The maximum number of phases that an outline counts separately; the rest are counted together.
const MAX_PHASES: usize = 100;

/// The maximum length of a phase or an agent's name, in characters.
const MAX_NAME: usize = 200;

/// The events of a timeline, each as one line of text. A line that is not an event is an error, and
/// the next call reads the next line.
///
/// ```
/// let run_data = runvet::read::RunData::open("corpus/demo")?;
/// let run = run_data.get("ep_01")?;
/// let acts = runvet::view::Moments::open(&run)?.only_phase("act").only_with("step-3");
/// let lines: Vec<u64> = acts.flatten().map(|moment| moment.line).collect();
/// assert_eq!(lines, [7]);
/// # Ok::<(), runvet::read::Error>(())
/// ```
#[derive(Debug)]
pub struct Moments {
    events: EventTexts,
    clock: Clock,
    phase: Option<String>,
    text: Option<String>,
}

impl Moments {
    /// Opens the timeline of a run.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] if there is no timeline, or it can't be opened.
    pub fn open(run: &RunReader) -> Result<Self, Error> {
        Ok(Self {
            events: run.event_texts()?,
            clock: Clock::default(),
            phase: None,
            text: None,
        })
    }

    /// Skips the events of other phases.
    #[must_use]
    pub fn only_phase(mut self, phase: impl Into<String>) -> Self {
        self.phase = Some(phase.into());
        self
    }

    /// Skips the events whose line does not contain a text.
    #[must_use]
    pub fn only_with(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}

impl Iterator for Moments {
    type Item = Result<Moment, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, event) = match self.events.next_document()? {
                Ok(read) => read,
                Err(error) => return Some(Err(error)),
            };
            let offset_sec = self.clock.offset(event);
            if is_wanted(event, self.phase.as_deref(), self.text.as_deref()) {
                return Some(Ok(moment(line, event, offset_sec).0));
            }
        }
    }
}

/// The time of events since the first one that has a timestamp, to the microsecond.
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) started: Option<Timestamp>,
}

impl Clock {
    pub(super) fn offset(&mut self, event: Node<'_>) -> Option<f64> {
        let at = event.get("timestamp").and_then(Node::text);
        let at = at.and_then(|text| Timestamp::parse(&text));
        if self.started.is_none() {
            self.started.clone_from(&at);
        }
        let seconds = at?.seconds_since(self.started.as_ref()?);
        Some((seconds * 1e6).round() / 1e6)
    }
}

/// Reads the timeline of a run once, and keeps its counts, the events that matter, and those that
/// tell why the run ended as it did. Memory does not grow with the number of events.
#[must_use]
pub fn outline(run: &RunReader) -> Outline {
    let mut outline = Outline {
        dir: run.path().to_string_lossy().into_owned(),
        ..Outline::default()
    };
    let mut events = match run.event_texts() {
        Ok(events) => events,
        Err(Error::Artifact { reason, .. }) => {
            outline.fault = Some(reason);
            return outline;
        }
        Err(error) => {
            outline.fault = Some(error.to_string());
            return outline;
        }
    };
    let mut reading = Reading::default();
    while let Some(read) = events.next_document() {
        match read {
            Ok((line, event)) => reading.event(&mut outline, line, event),
            Err(error) => {
                outline.broken_lines += 1;
                if outline.broken.len() < MAX_BROKEN_LINES {
                    outline.broken.push(error.to_string());
                }
            }
        }
    }
    outline.rows = reading.folding.rows();
    outline
}

/// A timeline on its way to an outline.
#[derive(Default)]
struct Reading {
    clock: Clock,
    folding: Folding,
    /// How clearly the failure and the veto of the outline say what they say.
    clarity: [u8; 2],
}

impl Reading {
    fn event(&mut self, outline: &mut Outline, line: u64, event: Node<'_>) {
        let offset_sec = self.clock.offset(event);
        let (moment, signs) = moment(line, event, offset_sec);
        outline.events += 1;
        let is_known =
            outline.phases.contains_key(&moment.phase) || outline.phases.len() < MAX_PHASES;
        let phase = if is_known {
            moment.phase.clone()
        } else {
            "(others)".into()
        };
        *outline.phases.entry(phase).or_default() += 1;
        let incident = || signs.incident(line, offset_sec);
        let [failure, veto] = &mut self.clarity;
        match signs.mark {
            Some(Mark::Failed) if signs.clarity >= *failure => {
                *failure = signs.clarity;
                outline.failure = Some(incident());
            }
            Some(Mark::Vetoed) if signs.clarity >= *veto => {
                *veto = signs.clarity;
                outline.veto = Some(incident());
            }
            Some(_) => {}
            None => {
                if (outline.failure.as_ref()).is_some_and(|failure| signs.makes_good(failure)) {
                    *failure = 0;
                    outline.failure = None;
                }
            }
        }
        if moment.phase == "terminate" {
            outline.end = Some(incident());
        }
        let weight = match (&*moment.phase, moment.mark) {
            (_, Some(_)) => Weight::Marked,
            ("start" | "plan" | "act" | "direction" | "terminate", None) => Weight::Kept,
            _ => Weight::Light,
        };
        self.folding.add(weight, moment);
    }
}

/// Whether an event has the requested phase, and its line contains the requested text.
fn is_wanted(event: Node<'_>, phase: Option<&str>, text: Option<&str>) -> bool {
    let is_of = |phase| event.get("phase").and_then(Node::text).as_deref() == Some(phase);
    phase.is_none_or(is_of) && text.is_none_or(|text| event.raw().contains(text))
}

pub(super) fn moment(line: u64, event: Node<'_>, offset_sec: Option<f64>) -> (Moment, Signs<'_>) {
    let text = |key: &str| {
        let text = event.get(key).and_then(Node::text).unwrap_or_default();
        text.chars().take(MAX_NAME).collect()
    };
    let phase: String = text("phase");
    let signs = Signs::of(event, &phase);
    let moment = Moment {
        line,
        offset_sec,
        agent: text("agent_id"),
        summary: summary(event),
        mark: signs.mark,
        phase,
    };
    (moment, signs)
}

/// What happened in an event, in one line: its type, and the values of its payload that people look
/// for first.
fn summary(event: Node<'_>) -> String {
    let mut parts: Vec<String> = event
        .get("event_type")
        .and_then(Node::text)
        .map(|kind| brief(&kind))
        .into_iter()
        .collect();
    let payload = event.get("payload");
    let known = [
        "step_id",
        "step_status",
        "decision",
        "status",
        "task",
        "input_excerpt",
        "message",
        "result_status",
        "tool",
    ];
    let members = || payload.into_iter().flat_map(Node::members);
    let mut named: Vec<(usize, String)> = members()
        .filter_map(|key| {
            let name = key.name();
            let rank = known.iter().position(|known| *known == name)?;
            Some((rank, value_of(key.value())?))
        })
        .collect();
    named.sort();
    parts.extend(named.into_iter().map(|(_, value)| value));
    for (key, noun) in [("step_records", "steps"), ("steps", "step labels")] {
        if let Some(steps) = payload
            .and_then(|payload| payload.get(key))
            .filter(|steps| steps.kind() == Kind::Array)
        {
            parts.push(format!("{noun}: {}", steps.items().count()));
        }
    }
    if parts.is_empty() {
        parts.extend(
            members().take(3).filter_map(|key| {
                Some(format!("{}={}", brief(&key.name()), value_of(key.value())?))
            }),
        );
    }
    parts.join(" · ")
}

/// A scalar as text; `None` for arrays and objects.
fn value_of(node: Node<'_>) -> Option<String> {
    (!matches!(node.kind(), Kind::Array | Kind::Object)).then(|| shown(node))
}
