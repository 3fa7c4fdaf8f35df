//! The persisted plan and the rebuilt plan -> their differences, as data and as sentences.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::super::StateFacts;
use super::super::timeline::{StepEvidence, Timeline};
use super::super::value::{Value, show};
use super::rebuild::{Form, Rebuilt, RebuiltStep};
use crate::document::Kind;
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// A difference between the persisted plan and the rebuilt plan; displays as a sentence.
pub(crate) struct PlanDifference {
    /// Where the persisted plan differs.
    pub(crate) pointer: Pointer,
    /// The line of the event that differs, the pointer into it, and its value.
    pub(crate) line: Line,
    pub(crate) event_pointer: Pointer,
    pub(crate) event_says: String,
    /// Whether the difference is only to a label of an older runtime.
    pub(crate) by_label: bool,
    /// The value in the state.
    state_says: String,
    what: What,
}

/// What differs.
enum What {
    Source,
    UpdatedAt,
    /// The number of steps.
    Number,
    Order,
    /// A field of a step, by its path, and the value in its record or label.
    Field(String),
    /// The status of a step, by its path, and the value in an act event.
    Status(String),
}

impl fmt::Display for PlanDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, event, line) = (&self.state_says, &self.event_says, self.line.number);
        match &self.what {
            What::Source => write!(
                f,
                "`plan.source` is {state}, but {event} in the plan event on line {line}"
            ),
            What::UpdatedAt => write!(
                f,
                "`plan.updated_at` is {state}, but the plan event on line {line} is from {event}"
            ),
            What::Number if self.by_label => {
                write!(
                    f,
                    "the plan has {state}, but the plan event on line {line} has labels for {event}"
                )
            }
            What::Number => write!(f, "the plan has {state}, but the rebuilt plan has {event}"),
            What::Order => write!(
                f,
                "the steps are in another order: {state} is where the rebuilt plan has {event}"
            ),
            What::Field(path) if self.by_label => {
                write!(
                    f,
                    "`{path}` is {state}, but {event} in the label of the plan event on line {line}"
                )
            }
            What::Field(path) => write!(
                f,
                "`{path}` is {state}, but {event} in the step record of the plan event on line {line}"
            ),
            What::Status(path) => write!(
                f,
                "`{path}` is {state}, but the act event on line {line} set it to {event}"
            ),
        }
    }
}

impl Rebuilt<'_> {
    /// The differences of the persisted plan from this one, which was rebuilt up to a line.
    pub(crate) fn differences(
        &self,
        state: StateFacts<'_>,
        timeline: &Timeline,
        reach: u64,
    ) -> Vec<PlanDifference> {
        let Some(persisted) = state.steps() else {
            return Vec::new();
        };
        let mut comparison = Comparison {
            rebuilt: self,
            found: Vec::new(),
        };
        match self.form {
            Form::Records => {
                comparison.origin(state);
                comparison.records(&persisted);
            }
            Form::Labels => {
                comparison.labels(&persisted);
                for (index, step) in persisted.iter().enumerate() {
                    let evidence = step
                        .text(&["id"])
                        .and_then(|id| timeline.step_evidence(reach, &id));
                    comparison.status(index, *step, evidence);
                }
            }
            Form::Neither => {}
        }
        comparison.found
    }
}

/// The id of a step, if it has one.
type Id<'a> = Option<Cow<'a, str>>;

struct Comparison<'r, 'a> {
    rebuilt: &'r Rebuilt<'a>,
    found: Vec<PlanDifference>,
}

impl Comparison<'_, '_> {
    /// Adds a difference from the plan event.
    fn differ(
        &mut self,
        what: What,
        (pointer, state_says): (Pointer, String),
        (event_pointer, event_says): (Pointer, String),
    ) {
        self.found.push(PlanDifference {
            pointer,
            line: self.rebuilt.line,
            event_pointer,
            event_says,
            by_label: self.rebuilt.form == Form::Labels,
            state_says,
            what,
        });
    }

    /// Compares the origin of the plan, and the time of its last update.
    fn origin(&mut self, state: StateFacts<'_>) {
        if let (Some((pointer, by_event)), Some(persisted)) =
            (&self.rebuilt.source, state.text(&["plan", "source"]))
            && *by_event != persisted
        {
            self.differ(
                What::Source,
                (Pointer::new("/plan/source"), quote(&persisted)),
                (Pointer::new(*pointer), quote(by_event)),
            );
        }
        if let (Some(by_event), Some(persisted)) = (
            &self.rebuilt.updated_at,
            state.stamp(&["plan", "updated_at"]),
        ) && by_event.instant != persisted.instant
        {
            self.differ(
                What::UpdatedAt,
                (Pointer::new("/plan/updated_at"), quote(&persisted.text)),
                (Pointer::new("/timestamp"), quote(&by_event.text)),
            );
        }
    }

    fn records(&mut self, persisted: &[Value<'_>]) {
        let rebuilt = &self.rebuilt.steps;
        let persisted_ids: Vec<Id<'_>> = persisted.iter().map(|step| step.text(&["id"])).collect();
        let rebuilt_ids: Vec<Id<'_>> = rebuilt.iter().map(RebuiltStep::id).collect();
        if persisted.len() != rebuilt.len() {
            self.number(persisted.len());
        } else if persisted_ids != rebuilt_ids && sorted(&persisted_ids) == sorted(&rebuilt_ids) {
            self.order(&persisted_ids, &rebuilt_ids);
        } else {
            for (index, (step, record)) in persisted.iter().zip(rebuilt).enumerate() {
                self.step(index, *step, record);
            }
            return;
        }
        // The steps are in another order: each is compared with the record that has its id.
        let by_id: BTreeMap<&str, &RebuiltStep<'_>> = rebuilt_ids
            .iter()
            .zip(rebuilt)
            .filter_map(|(id, step)| Some((id.as_deref()?, step)))
            .collect();
        for (index, (step, id)) in persisted.iter().zip(&persisted_ids).enumerate() {
            if let Some(record) = id.as_deref().and_then(|id| by_id.get(id)) {
                self.step(index, *step, record);
            }
        }
    }

    /// Adds that the persisted plan has another number of steps than the event.
    fn number(&mut self, persisted: usize) {
        let (in_event, rebuilt) = (self.rebuilt.form.pointer(), self.rebuilt.steps.len());
        self.differ(
            What::Number,
            (Pointer::new("/plan/steps"), count(persisted)),
            (in_event, count(rebuilt)),
        );
    }

    /// Adds that the same steps are in another order.
    fn order(&mut self, persisted: &[Id<'_>], rebuilt: &[Id<'_>]) {
        let shown = |id: &Id<'_>| {
            id.as_deref()
                .map_or_else(|| "a step without an id".into(), quote)
        };
        let mut pairs = persisted.iter().zip(rebuilt);
        if let Some((persisted, rebuilt)) = pairs.find(|(persisted, rebuilt)| persisted != rebuilt)
        {
            self.differ(
                What::Order,
                (Pointer::new("/plan/steps"), shown(persisted)),
                (self.rebuilt.form.pointer(), shown(rebuilt)),
            );
        }
    }

    /// Compares a persisted step with its record.
    fn step(&mut self, index: usize, step: Value<'_>, record: &RebuiltStep<'_>) {
        for field in ["id", "kind", "description", "rationale", "inputs"] {
            self.field(index, step, field, record);
        }
        let ids_differ = record
            .id()
            .zip(step.text(&["id"]))
            .is_some_and(|(recorded, persisted)| recorded != persisted);
        if ids_differ {
            // It is unknown which step the status belongs to.
        } else if record.evidence.is_some() {
            self.status(index, step, record.evidence);
        } else {
            self.field(index, step, "status", record);
        }
    }

    fn field(&mut self, index: usize, step: Value<'_>, field: &str, record: &RebuiltStep<'_>) {
        let Some(said) = record.field(field) else {
            return;
        };
        let at = || Pointer::new("/plan/steps").item(index);
        let may_be_absent =
            matches!(field, "rationale" | "inputs") && step.node().kind() == Kind::Object;
        let persisted = match step.get(field) {
            Some(value) if !value.is_fact() || said.equals(value.node()) => return,
            Some(value) => (at().field(field), show(value.node())),
            None if said.is_null() || !may_be_absent => return,
            None => (at(), "absent".into()),
        };
        self.differ(
            What::Field(at().field(field).dotted()),
            persisted,
            (record.pointer(field), said.show()),
        );
    }

    /// Compares the status of a persisted step with that in an act event.
    fn status(&mut self, index: usize, step: Value<'_>, evidence: Option<StepEvidence>) {
        let Some(StepEvidence {
            line,
            status: Some(by_event),
        }) = evidence
        else {
            return;
        };
        let persisted = step.text(&["status"]);
        if let Some(persisted) = persisted.filter(|persisted| persisted != by_event.word()) {
            let pointer = Pointer::new("/plan/steps").item(index).field("status");
            self.found.push(PlanDifference {
                what: What::Status(pointer.dotted()),
                pointer,
                line,
                event_pointer: Pointer::new("/payload/step_status"),
                event_says: quote(by_event.word()),
                by_label: false,
                state_says: quote(&persisted),
            });
        }
    }

    fn labels(&mut self, persisted: &[Value<'_>]) {
        let labels = &self.rebuilt.steps;
        if persisted.len() != labels.len() {
            return self.number(persisted.len());
        }
        for (index, (step, label)) in persisted.iter().zip(labels).enumerate() {
            self.field(index, *step, "kind", label);
            self.field(index, *step, "description", label);
        }
    }
}

fn count(steps: usize) -> String {
    if steps == 1 {
        "1 step".into()
    } else {
        format!("{steps} steps")
    }
}

fn sorted<T: Ord + Clone>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort();
    items
}
