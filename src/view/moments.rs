//! The events of a timeline -> one line of text each, and an outline of them all.

use std::borrow::Cow;

use super::folding::{Folding, Weight};
use super::incident::Signs;
use super::shown;
use crate::dashboard::{Mark, Moment, Outline, TimelineRow};
use crate::document::{Kind, Node, Tape};
use crate::printable::brief;
use crate::read::{Error, EventTexts, Glanced, RunReader};
use crate::record::phases;
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
    outline_of(run, true)
}

/// The same, where several threads may have a glance at the events of a long timeline, or not.
fn outline_of(run: &RunReader, may_glance: bool) -> Outline {
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
    loop {
        if may_glance && events.is_long() && reading.is_under_way() {
            let take = |glanced: Glanced<'_, _>| reading.lines(&mut outline, glanced);
            if let Some(error) = events.glance(Glance::of, take) {
                broken(&mut outline, &error);
            }
        }
        match events.next_document() {
            Some(Ok((line, event))) => reading.event(&mut outline, line, event),
            Some(Err(error)) => broken(&mut outline, &error),
            None => break,
        }
    }
    outline.rows = reading.rows();
    outline
}

/// Counts a line that is not an event.
fn broken(outline: &mut Outline, error: &Error) {
    outline.broken_lines += 1;
    if outline.broken.len() < MAX_BROKEN_LINES {
        outline.broken.push(error.to_string());
    }
}

/// Counts an event of a phase.
fn count(outline: &mut Outline, phase: &str) {
    outline.events += 1;
    if let Some(number) = outline.phases.get_mut(phase) {
        *number += 1;
        return;
    }
    let is_known = outline.phases.len() < MAX_PHASES;
    let phase = if is_known { phase } else { "(others)" };
    *outline.phases.entry(phase.to_owned()).or_default() += 1;
}

/// What one look at an event tells. Most events of a long timeline are counted and folded, and so
/// need no more.
struct Glance {
    phase: Cow<'static, str>,
    weight: Weight,
    /// The step that was done, or whose action ended well.
    good_step: Option<String>,
    /// Whether an outline may need more of the event than this, even if it is folded.
    tells_more: bool,
}

impl Glance {
    fn of(event: Node<'_>) -> Self {
        let phase = phase(event);
        let signs = Signs::of(event, &phase);
        Self {
            weight: weight(&phase, signs.mark),
            good_step: signs.good_step(),
            tells_more: signs.mark.is_some() || phase == "terminate",
            phase: match phases::known(&phase) {
                Some(known) => Cow::Borrowed(known),
                None => Cow::Owned(phase.into_owned()),
            },
        }
    }
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
        count(outline, &moment.phase);
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
            None => self.make_good(outline, || signs.good_step()),
        }
        if moment.phase == "terminate" {
            outline.end = Some(incident());
        }
        self.folding.add(weight(&moment.phase, moment.mark), moment);
    }

    /// A failure that was made good does not count.
    fn make_good(&mut self, outline: &mut Outline, good_step: impl FnOnce() -> Option<String>) {
        let failed = outline.failure.as_ref().and_then(|it| it.step_id.as_ref());
        if failed.is_some() && good_step().as_ref() == failed {
            let [failure, _] = &mut self.clarity;
            *failure = 0;
            outline.failure = None;
        }
    }

    /// Whether events of a long timeline are folded, and the time of the first one is known.
    fn is_under_way(&self) -> bool {
        self.folding.is_long() && self.clock.started.is_some()
    }

    /// Adds lines at which another thread has had a glance.
    fn lines(&mut self, outline: &mut Outline, glanced: Glanced<'_, Glance>) {
        let Glanced { lines, mut texts } = glanced;
        for (line, glance) in lines {
            match glance {
                Some(glance) if !glance.tells_more => {
                    count(outline, &glance.phase);
                    self.make_good(outline, || glance.good_step);
                    self.folding.add_line(glance.weight, glance.phase, line);
                }
                _ => match texts.document(line) {
                    Ok((line, event)) => self.event(outline, line, event),
                    Err(error) => broken(outline, &error),
                },
            }
        }
        for kept in self.folding.lines() {
            kept.text = Some(texts.text(kept.line).into());
        }
    }

    /// The rows of the outline.
    fn rows(self) -> Vec<TimelineRow> {
        let (mut clock, mut tape) = (self.clock, Tape::default());
        self.folding.rows(|line, text| {
            let event = tape.read_record(text.as_bytes());
            event.map_or_else(
                |_| Moment::default(),
                |event| {
                    let event = event.root();
                    let offset_sec = clock.offset(event);
                    moment(line, event, offset_sec).0
                },
            )
        })
    }
}

/// How much an event matters.
fn weight(phase: &str, mark: Option<Mark>) -> Weight {
    match (phase, mark) {
        (_, Some(_)) => Weight::Marked,
        ("start" | "plan" | "act" | "direction" | "terminate", None) => Weight::Kept,
        _ => Weight::Light,
    }
}

/// The phase of an event.
fn phase(event: Node<'_>) -> Cow<'_, str> {
    cut(event.get("phase").and_then(Node::text).unwrap_or_default())
}

/// The first characters of a name.
fn cut(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.len() <= MAX_NAME {
        name
    } else {
        name.chars().take(MAX_NAME).collect()
    }
}

/// Whether an event has the requested phase, and its line contains the requested text.
fn is_wanted(event: Node<'_>, phase: Option<&str>, text: Option<&str>) -> bool {
    let is_of = |phase| event.get("phase").and_then(Node::text).as_deref() == Some(phase);
    phase.is_none_or(is_of) && text.is_none_or(|text| event.raw().contains(text))
}

pub(super) fn moment(line: u64, event: Node<'_>, offset_sec: Option<f64>) -> (Moment, Signs<'_>) {
    let phase = phase(event);
    let signs = Signs::of(event, &phase);
    let agent = event.get("agent_id").and_then(Node::text);
    let moment = Moment {
        line,
        offset_sec,
        agent: cut(agent.unwrap_or_default()).into_owned(),
        summary: summary(event),
        mark: signs.mark,
        phase: phase.into_owned(),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::source::Artifact;
    use crate::store::{Content, Memory};

    /// Long timelines, with whatever an outline looks at, and lines that are not events.
    fn timelines() -> impl Strategy<Value = Vec<u8>> {
        let event = |phase: &str, rest: &str, payload: &str| {
            let padding = "x".repeat(400);
            format!(r#"{{"phase":"{phase}",{rest}"payload":{{{payload}"n":"{padding}"}}}}"#)
        };
        let at = r#""timestamp":"2026-03-01T12:00:00.5Z","#;
        let later = r#""agent_id":"é","timestamp":"2026-03-01T13:00:00+00:00","#;
        let common = [
            event("observe", at, ""),
            event("reason", later, r#""message":"m","#),
            event("own", "", ""),
            event("other", later, ""),
            event("act", later, r#""step_id":"s","result_status":"ok","#),
            event("plan", at, r#""steps":[1,2],"#),
        ];
        let rare = [
            event("act", later, r#""step_id":"s","step_status":"failed","#),
            event("act", later, r#""step_id":"t","error":{"message":"no"},"#),
            event("act", at, r#""step_id":"t","step_status":"done","#),
            event("direction", at, r#""decision":"veto","reason":"r","#),
            event("terminate", later, r#""status":"error","#),
            event("\\u0061ct", at, ""),
            event(&"p".repeat(300), at, ""),
            "{".into(),
            "[7]".into(),
            " ".into(),
            event("act", "", &format!(r#""long":"{}","#, "y".repeat(280_000))),
        ];
        let line = prop_oneof![600 => select(common.to_vec()), 6 => select(rare.to_vec())];
        let lines = prop::collection::vec(line, 4_000..7_000);
        (lines, prop::collection::vec(0..1_000_u32, 0..300)).prop_map(move |(mut lines, names)| {
            let own = names.iter().map(|name| event(&format!("p{name}"), "", ""));
            lines.extend(own);
            let mut timeline = lines.join("\n").into_bytes();
            if lines.len() % 2 == 0 {
                timeline.splice(2_000_000..2_000_001, [0xFF]);
            }
            timeline
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn outline_is_the_same_with_any_number_of_threads(timeline in timelines()) {
            let memory = Memory::from_iter([(Artifact::Events, Content::Shared(timeline.into()))]);
            let run = RunReader::of(&"ep_1".into(), None, memory);
            let alone = outline_of(&run, false);
            prop_assert!(alone.events > 4_000 && alone.rows.len() > 7);
            let glanced = outline_of(&run, true);
            prop_assert_eq!(format!("{alone:?}"), format!("{glanced:?}"));
        }
    }
}
