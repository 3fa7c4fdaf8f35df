//! Events, one at a time -> the few things that rules need to know of a whole timeline.
//!
//! What is kept does not grow with the number of events: the latest of each kind, counts, and one
//! entry for each step and each action of the state.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{ActNote, EventNote, MIRRORED, StateFacts, Value};
use crate::document::{Kind, Node, Tape};
use crate::printable::{brief, quote};
use crate::record::StepStatus;
use crate::schema::Schema;
use crate::source::{Line, Pointer};
use crate::timestamp::Timestamp;

/// An instant as a record wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Stamp<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) instant: Timestamp,
}

impl Stamp<'_> {
    fn into_owned(self) -> Stamp<'static> {
        Stamp {
            text: Cow::Owned(self.text.into_owned()),
            instant: self.instant,
        }
    }
}

/// What one event says: its fields, facts or not.
pub(crate) struct EventFacts<'a> {
    pub(crate) line: Line,
    pub(super) phase: Option<Value<'a>>,
    pub(super) event_type: Option<Value<'a>>,
    pub(super) episode_id: Option<Value<'a>>,
    agent_id: Option<Value<'a>>,
    pub(super) timestamp: Option<Value<'a>>,
    payload: Option<Value<'a>>,
}

impl<'a> EventFacts<'a> {
    /// The fields of an event, found in one pass over its members.
    pub(crate) fn new(line: Line, event: Value<'a>) -> Self {
        let mut facts = Self {
            line,
            phase: None,
            event_type: None,
            episode_id: None,
            agent_id: None,
            timestamp: None,
            payload: None,
        };
        for (name, value) in event.members() {
            match &*name {
                "phase" => facts.phase = Some(value),
                "event_type" => facts.event_type = Some(value),
                "episode_id" => facts.episode_id = Some(value),
                "agent_id" => facts.agent_id = Some(value),
                "timestamp" => facts.timestamp = Some(value),
                "payload" => facts.payload = Some(value),
                _ => {}
            }
        }
        facts
    }

    /// The payload, if it is an object.
    pub(crate) fn payload(&self) -> Option<Value<'a>> {
        self.payload
            .filter(|payload| payload.node().kind() == Kind::Object)
    }

    pub(crate) fn timestamp(&self) -> Option<Stamp<'a>> {
        Stamp::of(text(self.timestamp)?)
    }

    pub(crate) fn agent_id(&self) -> Option<Cow<'a, str>> {
        text(self.agent_id)
    }
}

/// A field's text, if it is a fact and a text.
pub(super) fn text(field: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    field.filter(|value| value.is_fact())?.node().text()
}

/// A value that events set again and again: the latest, and the latest as of the latest projection
/// event.
#[derive(Debug)]
struct Latest<T> {
    current: (u64, T),
    settled: Option<(u64, T)>,
}

impl<T> Latest<T> {
    /// The value of a line, after what earlier lines said.
    fn after(before: Option<Self>, line: u64, value: T, projection_line: u64) -> Self {
        let settled = before.and_then(|before| {
            if before.current.0 <= projection_line {
                Some(before.current)
            } else {
                before.settled
            }
        });
        Self {
            current: (line, value),
            settled,
        }
    }

    fn as_of(&self, reach: u64) -> Option<&T> {
        if self.current.0 <= reach {
            Some(&self.current.1)
        } else {
            self.settled.as_ref().map(|(_, value)| value)
        }
    }
}

/// The text of an event that is needed again when all events are read.
#[derive(Debug)]
pub(crate) struct KeptEvent {
    pub(crate) line: Line,
    pub(crate) text: Vec<u8>,
}

/// An act event that has the id of an action.
#[derive(Debug)]
struct KeptAct {
    event: KeptEvent,
    /// Where what the action mirrors stands in the text, as far as that was noted.
    mirrored: [Option<(u32, u32)>; MIRRORED.len()],
}

impl KeptAct {
    /// Whether an action repeats the event word for word; if not, it may still say the same.
    fn is_repeated_by(&self, action: Value<'_>) -> bool {
        let says = |index: usize| {
            let (start, end) = self.mirrored.get(index).copied().flatten()?;
            self.event.text.get(start as usize..end as usize)
        };
        let mut has_timestamp = false;
        let is_repeated = action.members().all(|(name, ours)| {
            has_timestamp |= name == "timestamp";
            match MIRRORED.iter().position(|mirrored| name == *mirrored) {
                Some(index) => says(index) == Some(ours.node().raw().as_bytes()),
                None => !name.starts_with("x-"),
            }
        });
        is_repeated && has_timestamp
    }
}

/// A plan event, and what act events after it say of its steps.
#[derive(Debug)]
struct PlanTrace {
    event: KeptEvent,
    /// The ids of its step records, once they are asked for.
    step_ids: Option<BTreeSet<String>>,
    statuses: BTreeMap<String, Latest<StepEvidence>>,
}

impl PlanTrace {
    /// Whether the plan event has a record of a step.
    fn has_step(&mut self, id: &str, tape: &mut Tape) -> bool {
        let step_ids = self.step_ids.get_or_insert_with(|| {
            let document = tape.read(&self.event.text).ok();
            let records = document.and_then(|event| event.root().at(&["payload", "step_records"]));
            let ids = records
                .into_iter()
                .flat_map(Node::items)
                .filter_map(|record| record.get("id")?.text());
            ids.map(Cow::into_owned).collect()
        });
        step_ids.contains(id)
    }
}

/// What an act event says of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepEvidence {
    pub(crate) line: Line,
    /// `None` where it says what is no status: then nothing is known of the step.
    pub(crate) status: Option<StepStatus>,
}

/// How an action compares with the act event that it mirrors.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(crate) line: Line,
    pub(crate) differences: Vec<Difference>,
}

/// Two sides that differ.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) field: String,
    pub(crate) action: Side,
    pub(crate) event: Side,
}

/// What one side says, and where.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) pointer: Pointer,
    pub(crate) shown: String,
}

impl Side {
    pub(crate) fn of(pointer: Pointer, node: Node<'_>) -> Self {
        Self {
            pointer,
            shown: show(node),
        }
    }
}

/// A value as a message shows it.
pub(crate) fn show(node: Node<'_>) -> String {
    node.text()
        .map_or_else(|| brief(node.raw()), |text| quote(&text))
}

/// The start event.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) line: Line,
    pub(crate) timestamp: Option<Stamp<'static>>,
}

/// Events of another run.
#[derive(Debug)]
pub(crate) struct ForeignEvents {
    pub(crate) first: Line,
    pub(crate) id: String,
    pub(crate) lines: u64,
}

/// What rules need to know of a timeline.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The first line that is no event.
    pub(crate) broken_line: Option<Line>,
    /// A last line that may still be written.
    pub(crate) unfinished_line: Option<Line>,
    pub(crate) start: Option<Start>,
    pub(crate) foreign: Option<ForeignEvents>,
    pub(crate) directions: u64,
    pub(crate) first_direction: Option<Line>,
    pub(crate) projection: Option<KeptEvent>,
    plan: Option<Latest<PlanTrace>>,
    /// The first act event that has an action's id.
    first_act_id: Option<u64>,
    /// The latest act event for each id that an action of the state has.
    acts: BTreeMap<String, Latest<KeptAct>>,
}

impl Timeline {
    pub(crate) fn projection_line(&self) -> Option<u64> {
        self.projection.as_ref().map(|event| event.line.number)
    }

    /// The latest plan event up to a line.
    pub(crate) fn plan_event(&self, reach: u64) -> Option<&KeptEvent> {
        Some(&self.plan.as_ref()?.as_of(reach)?.event)
    }

    /// What the act events after that plan event, up to a line, say of a step.
    pub(crate) fn step_evidence(&self, reach: u64, step_id: &str) -> Option<StepEvidence> {
        self.plan
            .as_ref()?
            .as_of(reach)?
            .statuses
            .get(step_id)?
            .as_of(reach)
            .copied()
    }

    /// Whether any act event up to a line has an action's id.
    pub(crate) fn names_actions(&self, reach: u64) -> bool {
        self.first_act_id.is_some_and(|line| line <= reach)
    }

    /// How an action of the state compares with the latest act event up to a line that has its id;
    /// `None` without one.
    pub(crate) fn mirror(
        &self,
        reach: u64,
        index: usize,
        action: Value<'_>,
        tape: &mut Tape,
    ) -> Option<Mirror> {
        let act = self.acts.get(&*action.text(&["id"])?)?.as_of(reach)?;
        let kept = &act.event;
        if act.is_repeated_by(action) {
            return Some(Mirror {
                line: kept.line,
                differences: Vec::new(),
            });
        }
        let document = tape.read(&kept.text).ok()?;
        let compare = |violations| {
            differences(
                index,
                action,
                &EventFacts::new(kept.line, Value::root(document, violations)),
            )
        };
        let mut differences = compare(&[]);
        if !differences.is_empty() {
            // What violates the schema is no fact to differ from.
            differences = compare(&Schema::Event.violations(document).unwrap_or_default());
        }
        Some(Mirror {
            line: kept.line,
            differences,
        })
    }
}

/// Takes events in one by one.
pub(crate) struct TimelineReader<'a> {
    timeline: Timeline,
    expected_id: Option<&'a str>,
    /// The ids of the state's steps, sorted.
    step_ids: Vec<Cow<'a, str>>,
    /// The ids of the state's actions, sorted.
    action_ids: Vec<Cow<'a, str>>,
    plan_tape: Tape,
}

impl<'a> TimelineReader<'a> {
    pub(crate) fn new(expected_id: Option<&'a str>, state: Option<StateFacts<'a>>) -> Self {
        let steps = state.and_then(StateFacts::steps).into_iter().flatten();
        let mut step_ids: Vec<_> = steps.filter_map(|step| step.text(&["id"])).collect();
        step_ids.sort_unstable();
        let actions = state.into_iter().flat_map(StateFacts::actions);
        let mut action_ids: Vec<_> = actions.filter_map(|action| action.text(&["id"])).collect();
        action_ids.sort_unstable();
        Self {
            timeline: Timeline::default(),
            expected_id,
            step_ids,
            action_ids,
            plan_tape: Tape::default(),
        }
    }

    /// The id of the run.
    pub(crate) fn expected_id(&self) -> Option<&'a str> {
        self.expected_id
    }

    pub(crate) fn finish(self) -> Timeline {
        self.timeline
    }

    pub(crate) fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    /// Takes one event in, by what was noted of it and its text.
    pub(crate) fn event(&mut self, line: Line, event: &EventNote<'_>, text: &[u8]) {
        if !event.matters(self.expected_id) {
            return;
        }
        if event.is_foreign(self.expected_id) {
            let id = event.episode_id.clone().unwrap_or_default().into_owned();
            self.timeline
                .foreign
                .get_or_insert(ForeignEvents {
                    first: line,
                    id,
                    lines: 0,
                })
                .lines += 1;
        }
        match event.phase.as_deref() {
            Some("start") if self.timeline.start.is_none() => {
                let timestamp = event
                    .timestamp
                    .clone()
                    .and_then(Stamp::of)
                    .map(Stamp::into_owned);
                self.timeline.start = Some(Start { line, timestamp });
            }
            Some("direction") => {
                self.timeline.directions += 1;
                self.timeline.first_direction.get_or_insert(line);
            }
            Some("runtime") if event.event_type.as_deref() == Some("run.state_projection") => {
                keep(&mut self.timeline.projection, line, text);
            }
            Some("plan") => self.plan(line, text),
            _ => {
                if let Some(act) = &event.act {
                    self.act(line, act, text);
                }
            }
        }
    }

    fn plan(&mut self, line: Line, text: &[u8]) {
        let event = KeptEvent {
            line,
            text: text.to_owned(),
        };
        let trace = PlanTrace {
            event,
            step_ids: None,
            statuses: BTreeMap::new(),
        };
        let (before, projection_line) = (
            self.timeline.plan.take(),
            self.timeline.projection_line().unwrap_or(0),
        );
        self.timeline.plan = Some(Latest::after(before, line.number, trace, projection_line));
    }

    fn act(&mut self, line: Line, act: &ActNote<'_>, text: &[u8]) {
        let projection_line = self.timeline.projection_line().unwrap_or(0);
        if let (Some((step_id, status)), Some(plan)) = (&act.step, &mut self.timeline.plan) {
            let trace = &mut plan.current.1;
            if self.step_ids.binary_search(step_id).is_ok()
                || trace.has_step(step_id, &mut self.plan_tape)
            {
                let before = trace.statuses.remove(&**step_id);
                let evidence = StepEvidence {
                    line,
                    status: *status,
                };
                let after = Latest::after(before, line.number, evidence, projection_line);
                trace.statuses.insert(step_id.clone().into_owned(), after);
            }
        }
        let Some(id) = &act.action_id else { return };
        self.timeline.first_act_id.get_or_insert(line.number);
        if self.action_ids.binary_search(id).is_ok() {
            // Compared once, when all events are read: many events may name an action, and many
            // actions share an id.
            let before = self.timeline.acts.remove(&**id);
            let kept = KeptAct {
                event: KeptEvent {
                    line,
                    text: text.to_owned(),
                },
                mirrored: act.mirrored,
            };
            let after = Latest::after(before, line.number, kept, projection_line);
            self.timeline.acts.insert(id.clone().into_owned(), after);
        }
    }
}

fn keep(slot: &mut Option<KeptEvent>, line: Line, text: &[u8]) {
    let kept = slot.get_or_insert_with(|| KeptEvent {
        line,
        text: Vec::new(),
    });
    kept.line = line;
    kept.text.clear();
    kept.text.extend_from_slice(text);
}

fn differences(index: usize, action: Value<'_>, event: &EventFacts<'_>) -> Vec<Difference> {
    let Some(payload) = event.payload() else {
        return Vec::new();
    };
    let at = || Pointer::new("/outcomes/actions").item(index);
    let mut differences = Vec::new();
    let written = action.get("timestamp");
    let happened = event.timestamp();
    let says_when = || match &happened {
        Some(happened) => Side {
            pointer: Pointer::new("/timestamp"),
            shown: quote(&happened.text),
        },
        None => Side {
            pointer: Pointer::default(),
            shown: "no instant".into(),
        },
    };
    let differs = match (written, &happened) {
        (None, _) => Some(Side {
            pointer: at(),
            shown: "absent".into(),
        }),
        (Some(written), Some(happened)) if written.is_fact() => {
            let stamp = action.stamp(&["timestamp"]);
            let equal = stamp.is_some_and(|stamp| stamp.instant == happened.instant);
            (!equal).then(|| Side::of(at().field("timestamp"), written.node()))
        }
        _ => None,
    };
    if let Some(action) = differs {
        differences.push(Difference {
            field: "timestamp".into(),
            action,
            event: says_when(),
        });
    }
    for (name, ours) in action.members() {
        if name == "timestamp" || !(MIRRORED.contains(&&*name) || name.starts_with("x-")) {
            continue;
        }
        let Some(theirs) = payload.fact(&[&name]) else {
            continue;
        };
        if ours.is_fact() && !ours.node().equals(theirs.node()) {
            differences.push(Difference {
                action: Side::of(at().field(&name), ours.node()),
                event: Side::of(Pointer::new("/payload").field(&name), theirs.node()),
                field: name.into_owned(),
            });
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fields say, on either side: absent, texts written in one way or another, and what is no
    /// text.
    const SAYS: [Option<&str>; 6] = [
        None,
        Some(r#""x""#),
        Some(r#""\u0078""#),
        Some(r#""y""#),
        Some("null"),
        Some("1"),
    ];

    /// A text with members, of which some may be absent.
    fn object(members: &[(&str, Option<&str>)]) -> String {
        let members = members
            .iter()
            .filter_map(|(name, value)| Some(format!("\"{name}\":{}", (*value)?)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    #[test]
    fn action_matches_event_when_copied_word_for_word() {
        const WHEN: [Option<&str>; 4] = [
            None,
            Some(r#""2025-01-01T00:00:00Z""#),
            Some(r#""2025-01-01T00:00:00.0Z""#),
            Some(r#""2025-01-01T00:00:01Z""#),
        ];
        let line = Line {
            number: 1,
            offset: 0,
            length: 0,
        };
        let (mut repeated, mut equal, mut tapes) = (0, 0, [Tape::default(), Tape::default()]);
        for field in [
            "kind",
            "tool",
            "input_excerpt",
            "result_status",
            "step_id",
            "x-own",
            "other",
        ] {
            for (ours, theirs) in SAYS
                .into_iter()
                .flat_map(|ours| SAYS.map(|theirs| (ours, theirs)))
            {
                for (written, happened) in WHEN
                    .into_iter()
                    .flat_map(|ours| WHEN.map(|theirs| (ours, theirs)))
                {
                    let action = object(&[("timestamp", written), (field, ours)]);
                    let payload = object(&[(field, theirs)]);
                    let event = object(&[("payload", Some(&payload)), ("timestamp", happened)]);
                    let [action_tape, event_tape] = &mut tapes;
                    let action = Value::root(action_tape.read(action.as_bytes()).unwrap(), &[]);
                    let facts = EventFacts::new(
                        line,
                        Value::root(event_tape.read(event.as_bytes()).unwrap(), &[]),
                    );
                    let kept = KeptEvent {
                        line,
                        text: event.clone().into_bytes(),
                    };
                    let act = KeptAct {
                        event: kept,
                        mirrored: ActNote::of(&facts).mirrored,
                    };
                    let (is_repeated, differences) =
                        (act.is_repeated_by(action), differences(0, action, &facts));
                    assert!(
                        !is_repeated || differences.is_empty(),
                        "{:?} {event}: {differences:?}",
                        action.node()
                    );
                    repeated += usize::from(is_repeated);
                    equal += usize::from(differences.is_empty());
                }
            }
        }
        assert!(
            repeated > 50 && equal > repeated,
            "{repeated} repeated, {equal} equal"
        );
    }
}
