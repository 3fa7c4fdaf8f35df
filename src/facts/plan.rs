//! The plan rebuilt from the timeline, and how the persisted one differs from it (reference, section 3).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::timeline::{Side, StepEvidence, show};
use super::{EventFacts, Stamp, StateFacts, Timeline, Value};
use crate::document::{Kind, Node};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// A plan rebuilt from its latest `plan` event and the `act` events after it.
pub(crate) struct Rebuilt<'a> {
    pub(crate) line: Line,
    form: Form<'a>,
    source: Option<(Pointer, Cow<'a, str>)>,
    updated_at: Option<Stamp<'a>>,
}

/// In which form the plan event gives the steps.
enum Form<'a> {
    Records(Vec<Node<'a>>),
    Labels(Vec<Node<'a>>),
    Neither,
}

/// A difference between the persisted plan and the rebuilt one.
pub(crate) struct PlanDifference {
    /// Where the persisted plan differs.
    pub(crate) pointer: Pointer,
    pub(crate) message: String,
    /// The event that says otherwise.
    pub(crate) line: Line,
    pub(crate) event: Side,
    /// Whether only the labels of an older runtime say so.
    pub(crate) by_label: bool,
}

impl<'a> Rebuilt<'a> {
    /// What a plan event says; `None` where its payload is no object.
    pub(crate) fn from_event(event: EventFacts<'a>) -> Option<Self> {
        let payload = event.payload()?;
        let array = |key: &str| payload.get(key).filter(|value| value.node().kind() == Kind::Array);
        let form = if let Some(records) = array("step_records") {
            Form::Records(records.items().map(Value::node).collect())
        } else if let Some(labels) = array("steps") {
            Form::Labels(labels.items().map(Value::node).collect())
        } else {
            Form::Neither
        };
        let text = |value: Value<'a>, key: &str, at: &str| Some((Pointer::new(at).field(key), value.text(&[key])?));
        let source = text(payload, "source", "/payload")
            .or_else(|| text(payload, "agent_id", "/payload"))
            .or_else(|| text(event.value, "agent_id", ""));
        Some(Self { line: event.line, form, source, updated_at: event.timestamp() })
    }

    /// How the persisted plan differs, judged by the events up to a line.
    pub(crate) fn differences(&self, state: StateFacts<'a>, timeline: &Timeline, reach: u64) -> Vec<PlanDifference> {
        let Some(persisted) = state.steps() else { return Vec::new() };
        let mut comparison = Comparison { plan: self, timeline, reach, found: Vec::new() };
        match &self.form {
            Form::Records(records) => {
                comparison.origin(state);
                comparison.records(&persisted, records);
            }
            Form::Labels(labels) => comparison.labels(&persisted, labels),
            Form::Neither => {}
        }
        comparison.found
    }
}

struct Comparison<'p, 'a> {
    plan: &'p Rebuilt<'a>,
    timeline: &'p Timeline,
    reach: u64,
    found: Vec<PlanDifference>,
}

impl Comparison<'_, '_> {
    fn differ(&mut self, pointer: Pointer, message: String, event: Side) {
        let line = self.plan.line;
        self.found.push(PlanDifference { pointer, message, line, event, by_label: false });
    }

    /// Where the plan comes from, and when it changed.
    fn origin(&mut self, state: StateFacts<'_>) {
        if let (Some((pointer, theirs)), Some(ours)) = (&self.plan.source, state.0.text(&["plan", "source"]))
            && *theirs != ours
        {
            let (ours, theirs) = (quote(&ours), quote(theirs));
            let message = format!("`plan.source` is {ours}, the latest plan event says {theirs}");
            self.differ(Pointer::new("/plan/source"), message, Side { pointer: pointer.clone(), shown: theirs });
        }
        if let (Some(theirs), Some(ours)) = (&self.plan.updated_at, state.0.stamp(&["plan", "updated_at"]))
            && theirs.instant != ours.instant
        {
            let (ours, theirs) = (quote(&ours.text), quote(&theirs.text));
            let message = format!("`plan.updated_at` is {ours}, the latest plan event happened at {theirs}");
            let event = Side { pointer: Pointer::new("/timestamp"), shown: theirs };
            self.differ(Pointer::new("/plan/updated_at"), message, event);
        }
    }

    fn records(&mut self, persisted: &[Value<'_>], records: &[Node<'_>]) {
        let all = Side { pointer: Pointer::new("/payload/step_records"), shown: count_of(records.len()) };
        let our_ids: Vec<Option<Cow<'_, str>>> = persisted.iter().map(|step| step.text(&["id"])).collect();
        let their_ids: Vec<Option<Cow<'_, str>>> =
            records.iter().map(|record| record.get("id").and_then(Node::text)).collect();
        let same_number = persisted.len() == records.len();
        if !same_number {
            let message =
                format!("the plan has {}, the one rebuilt has {}", count_of(persisted.len()), count_of(records.len()));
            self.differ(Pointer::new("/plan/steps"), message, all);
        } else if our_ids != their_ids && sorted(&our_ids) == sorted(&their_ids) {
            let first = our_ids.iter().zip(&their_ids).find(|(ours, theirs)| ours != theirs);
            let shown = first
                .map(|(ours, theirs)| (quote(ours.as_deref().unwrap_or("")), quote(theirs.as_deref().unwrap_or(""))));
            let (ours, theirs) = shown.unwrap_or_default();
            let message = format!("the steps stand in another order: {ours} where the plan rebuilt has {theirs}");
            self.differ(Pointer::new("/plan/steps"), message, all);
        } else {
            for (index, (step, record)) in persisted.iter().zip(records).enumerate() {
                self.step(index, *step, index, *record);
            }
            return;
        }
        // Steps stand elsewhere: each is held against the record of its own id.
        let by_id: BTreeMap<&str, usize> =
            their_ids.iter().enumerate().filter_map(|(index, id)| Some((id.as_deref()?, index))).collect();
        for (index, (step, id)) in persisted.iter().zip(&our_ids).enumerate() {
            if let Some(theirs) = id.as_deref().and_then(|id| by_id.get(id))
                && let Some(record) = records.get(*theirs)
            {
                self.step(index, *step, *theirs, *record);
            }
        }
    }

    /// Holds a persisted step against a step record.
    fn step(&mut self, index: usize, step: Value<'_>, record_index: usize, record: Node<'_>) {
        let ours_at = Pointer::new("/plan/steps").item(index);
        let theirs_at = Pointer::new("/payload/step_records").item(record_index);
        for field in ["id", "kind", "description", "rationale", "inputs"] {
            let optional = matches!(field, "rationale" | "inputs");
            if let Some(theirs) = record.get(field) {
                let event = Side::of(theirs_at.field(field), theirs);
                self.field(&ours_at, step, field, optional, event, |ours| ours.equals(theirs), theirs.is_null());
            }
        }
        let id = record.get("id").and_then(Node::text);
        if let Some(evidence) = id.and_then(|id| self.timeline.step_evidence(self.reach, &id)) {
            self.evidence(&ours_at, step, evidence);
        } else if let Some(theirs) = record.get("status") {
            let event = Side::of(theirs_at.field("status"), theirs);
            self.field(&ours_at, step, "status", false, event, |ours| ours.equals(theirs), theirs.is_null());
        }
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of one field")]
    fn field(
        &mut self,
        ours_at: &Pointer,
        step: Value<'_>,
        field: &str,
        optional: bool,
        event: Side,
        equals: impl Fn(Node<'_>) -> bool,
        theirs_is_null: bool,
    ) {
        let (pointer, shown) = match step.get(field) {
            Some(ours) if !ours.is_fact() || equals(ours.node()) => return,
            Some(ours) => (ours_at.field(field), show(ours.node())),
            None if theirs_is_null || !optional || step.node().kind() != Kind::Object => return,
            None => (ours_at.clone(), "absent".into()),
        };
        let name = pointer_name(ours_at, field);
        let message = format!("{name} is {shown}, the plan event's step record says {}", event.shown);
        self.differ(pointer, message, event);
    }

    /// Holds a persisted step's status against what an act event says of it.
    fn evidence(&mut self, ours_at: &Pointer, step: Value<'_>, evidence: StepEvidence) {
        let (Some(ours), Some(theirs)) = (step.text(&["status"]), evidence.status) else { return };
        let theirs = theirs.name();
        if ours != theirs {
            let name = pointer_name(ours_at, "status");
            let message = format!(
                "{name} is {}, an act event on line {} made it {}",
                quote(&ours),
                evidence.line.number,
                quote(theirs)
            );
            let event = Side { pointer: Pointer::new("/payload/step_status"), shown: quote(theirs) };
            self.found.push(PlanDifference {
                pointer: ours_at.field("status"),
                message,
                line: evidence.line,
                event,
                by_label: false,
            });
        }
    }

    fn labels(&mut self, persisted: &[Value<'_>], labels: &[Node<'_>]) {
        let mut by_label = Vec::new();
        if persisted.len() == labels.len() {
            for (index, (step, label)) in persisted.iter().zip(labels).enumerate() {
                let Some(text) = label.text() else { continue };
                let (kind, description) =
                    text.split_once(':').map_or((None, &*text), |(kind, rest)| (Some(kind), rest));
                for (field, theirs) in [("kind", kind), ("description", Some(description))] {
                    let (Some(ours), Some(theirs)) = (step.text(&[field]), theirs) else { continue };
                    if ours != theirs {
                        let pointer = Pointer::new("/plan/steps").item(index).field(field);
                        let message =
                            format!("`{}` is {}, the label says {}", pointer.dotted(), quote(&ours), quote(theirs));
                        by_label.push((pointer, message, Side::of(Pointer::new("/payload/steps").item(index), *label)));
                    }
                }
            }
        } else {
            let message =
                format!("the plan has {}, the plan event labels {}", count_of(persisted.len()), count_of(labels.len()));
            let event = Side { pointer: Pointer::new("/payload/steps"), shown: count_of(labels.len()) };
            by_label.push((Pointer::new("/plan/steps"), message, event));
        }
        let line = self.plan.line;
        let by_label = by_label.into_iter();
        self.found.extend(by_label.map(|(pointer, message, event)| PlanDifference {
            pointer,
            message,
            line,
            event,
            by_label: true,
        }));
        for (index, step) in persisted.iter().enumerate() {
            if let Some(evidence) = step.text(&["id"]).and_then(|id| self.timeline.step_evidence(self.reach, &id)) {
                self.evidence(&Pointer::new("/plan/steps").item(index), *step, evidence);
            }
        }
    }
}

fn pointer_name(step: &Pointer, field: &str) -> String {
    format!("`{}`", step.field(field).dotted())
}

fn count_of(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

fn sorted<T: Ord + Clone>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort();
    items
}
