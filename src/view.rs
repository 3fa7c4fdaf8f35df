//! The door to one run at a glance: its records, its timeline in outline, and what a check says of
//! it.
//!
//! ```
//! use runvet::check::Check;
//! use runvet::gate::Gate;
//! use runvet::view::{Timeline, Verdict, View};
//!
//! let run_data = runvet::read::RunData::open("corpus/demo")?;
//! let episode = run_data.episode("ep_01")?;
//! assert_eq!(View::of(&episode).entry.status.as_deref(), Some("ok"));
//! let timeline = Timeline::of(&episode);
//! assert_eq!((timeline.events, timeline.phases["act"]), (11, 3));
//! let verdict = Verdict::of(&episode, &Check::new(), &mut Gate::new())?;
//! assert!(verdict.report.valid);
//! # Ok::<(), runvet::read::Error>(())
//! ```

use std::collections::{BTreeMap, VecDeque};

use crate::check::Check;
use crate::document::{Kind, Node, OwnedDocument};
use crate::finding::EpisodeReport;
use crate::gate::Gate;
use crate::plan::Comparison;
use crate::printable::brief;
use crate::read::{Episode, Error, RunEntry, Stored};
use crate::source::Artifact;
use crate::timestamp::Timestamp;

/// Events that a view keeps from the beginning and from the end of a timeline; all are counted.
pub const EVENTS_AT_EACH_END: usize = 10;

/// Phases that a view counts one by one; a timeline that names more of them counts the rest
/// together.
const MAX_PHASES: usize = 100;

/// Characters of a phase or an agent's name that a view keeps.
const MAX_NAME: usize = 200;

/// One run at a glance, as far as its records tell it: reading them takes no longer for a long
/// timeline.
#[derive(Debug)]
pub struct View {
    /// The run's id, task, status, outcome, start and duration.
    pub entry: RunEntry,
    /// The state record; an error says why there is none to show.
    pub state: Result<OwnedDocument, Error>,
    /// The summary record; an error says why there is none to show.
    pub summary: Result<OwnedDocument, Error>,
    /// The artifacts that the directory lists.
    pub artifacts: Vec<Artifact>,
}

/// What a check says of a run.
#[derive(Debug)]
pub struct Verdict {
    /// What was found.
    pub report: EpisodeReport,
    /// The plan rebuilt, and how the persisted one differs.
    pub plan: Comparison,
}

/// A timeline in outline.
#[derive(Debug, Default)]
pub struct Timeline {
    /// How many events there are.
    pub events: u64,
    /// How many of each phase.
    pub phases: BTreeMap<String, u64>,
    /// The first events.
    pub first: Vec<Moment>,
    /// The last events, those of `first` left out.
    pub last: VecDeque<Moment>,
    /// Lines that are no events, the first few of them.
    pub broken: Vec<String>,
    /// How many lines are no events.
    pub broken_lines: u64,
    /// Why the timeline could not be read, or not to its end.
    pub fault: Option<String>,
}

/// One event in outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The line in `events.jsonl`.
    pub line: u64,
    /// Seconds since the first event; `None` where one of the two has no timestamp.
    pub offset: Option<f64>,
    /// The phase.
    pub phase: String,
    /// Who emitted it.
    pub agent: String,
    /// What happened, in a line.
    pub summary: String,
}

impl View {
    /// Reads the records of a run. A run that goes on, is half-written or broken yields what can be
    /// shown, and for the rest the reason why it can't.
    #[must_use]
    pub fn of(episode: &Episode) -> Self {
        Self {
            entry: episode.entry(),
            state: episode.state().map(Stored::into_document),
            summary: episode.summary().map(Stored::into_document),
            artifacts: Artifact::ALL
                .into_iter()
                .filter(|artifact| episode.artifact(*artifact).is_some())
                .collect(),
        }
    }
}

impl Verdict {
    /// Judges a run and rebuilds its plan, in one pass over its timeline.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] where the directory can't be opened.
    pub fn of(episode: &Episode, check: &Check, gate: &mut Gate) -> Result<Self, Error> {
        let judged = gate.episode_and(check, episode.dir(), Comparison::of);
        let (report, plan) = judged.map_err(|fault| Error::from_fault(episode.path(), &fault))?;
        Ok(Self { report, plan })
    }
}

impl Timeline {
    /// Walks the timeline of a run, keeping its ends and its counts.
    #[must_use]
    pub fn of(episode: &Episode) -> Self {
        let mut timeline = Self::default();
        let mut started = None;
        let mut lines = match episode.event_texts() {
            Ok(lines) => lines,
            Err(error) => {
                return Self {
                    fault: Some(error.to_string()),
                    ..timeline
                };
            }
        };
        loop {
            match lines.next_document() {
                None => return timeline,
                Some(Ok((line, root))) => {
                    let moment = Moment::of(line, root, &mut started);
                    timeline.add(moment);
                }
                Some(Err(error)) => {
                    timeline.broken_lines += 1;
                    if timeline.broken.len() < EVENTS_AT_EACH_END {
                        timeline.broken.push(error.to_string());
                    }
                }
            }
        }
    }

    fn add(&mut self, moment: Moment) {
        self.events += 1;
        let is_known = self.phases.contains_key(&moment.phase) || self.phases.len() < MAX_PHASES;
        let phase = if is_known {
            moment.phase.clone()
        } else {
            "(others)".into()
        };
        *self.phases.entry(phase).or_default() += 1;
        if self.first.len() < EVENTS_AT_EACH_END {
            self.first.push(moment);
        } else {
            self.last.push_back(moment);
            if self.last.len() > EVENTS_AT_EACH_END {
                self.last.pop_front();
            }
        }
    }
}

impl Moment {
    /// An event in outline; the first one with a timestamp starts the clock.
    #[must_use]
    pub fn of(line: u64, event: Node<'_>, started: &mut Option<Timestamp>) -> Self {
        let text = |key: &str| {
            event
                .get(key)
                .and_then(Node::text)
                .unwrap_or_default()
                .chars()
                .take(MAX_NAME)
                .collect()
        };
        let instant = event
            .get("timestamp")
            .and_then(Node::text)
            .and_then(|text| Timestamp::parse(&text));
        let offset = instant
            .map(|instant| instant.seconds_since(started.get_or_insert_with(|| instant.clone())));
        Self {
            line,
            offset,
            phase: text("phase"),
            agent: text("agent_id"),
            summary: outline(event),
        }
    }
}

/// What happened in an event, in a line: its type, and what its payload says of the things people
/// look for first.
fn outline(event: Node<'_>) -> String {
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
    for (key, noun) in [("step_records", "steps"), ("steps", "labels of steps")] {
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

/// A scalar as a reader wants to see it; nothing of arrays and objects.
fn value_of(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Array | Kind::Object => None,
        _ => Some(
            node.text()
                .map_or_else(|| brief(node.raw()), |text| brief(&text)),
        ),
    }
}
