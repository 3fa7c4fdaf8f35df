//! The plan rebuilt from the timeline, and how the persisted one differs from it (reference,
//! section 3).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::timeline::{StepEvidence, show};
use super::{EventFacts, Stamp, StateFacts, Timeline, Value};
use crate::document::{Kind, Node};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// A plan rebuilt from its latest `plan` event and the `act` events after it.
pub(crate) struct Rebuilt<'a> {
    /// The plan event.
    pub(crate) line: Line,
    pub(crate) form: Form,
    pub(crate) steps: Vec<RebuiltStep<'a>>,
    /// Where the plan comes from, and the object of the event that says so.
    pub(crate) source: Option<(&'static str, Cow<'a, str>)>,
    pub(crate) updated_at: Option<Stamp<'a>>,
}

/// In which form a plan event gives the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Records,
    /// `<kind>:<description>`, as older runtimes write them.
    Labels,
    /// It does not give them: the plan can't be judged.
    Neither,
}

impl Form {
    /// Where the steps stand in the event.
    fn pointer(self) -> Pointer {
        Pointer::new(if self == Self::Records {
            "/payload/step_records"
        } else {
            "/payload/steps"
        })
    }
}

/// A step of a rebuilt plan.
pub(crate) struct RebuiltStep<'a> {
    index: usize,
    form: Form,
    /// The record or the label.
    node: Node<'a>,
    /// What later act events say of the step; labels have no id by which they could.
    pub(crate) evidence: Option<StepEvidence>,
}

/// What the plan event says of a field of a step.
pub(crate) enum Said<'a> {
    Value(Node<'a>),
    /// A part of a label.
    Text(Cow<'a, str>),
}

impl<'a> Said<'a> {
    fn equals(&self, ours: Node<'_>) -> bool {
        match self {
            Self::Value(theirs) => ours.equals(*theirs),
            Self::Text(theirs) => ours.text().as_ref() == Some(theirs),
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Value(theirs) if theirs.is_null())
    }

    fn show(&self) -> String {
        match self {
            Self::Value(theirs) => show(*theirs),
            Self::Text(theirs) => quote(theirs),
        }
    }

    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self {
            Self::Value(node) => Some(*node),
            Self::Text(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Value(node) => node.text(),
            Self::Text(text) => Some(text.clone()),
        }
    }
}

impl<'a> RebuiltStep<'a> {
    /// What the plan event says of a field; `None` where it says nothing.
    pub(crate) fn field(&self, name: &str) -> Option<Said<'a>> {
        if self.form == Form::Records {
            return self.node.get(name).map(Said::Value);
        }
        let label = self.node.text()?;
        let colon = label.find(':');
        let part = match (name, colon) {
            ("kind", Some(colon)) => label.get(..colon)?,
            ("description", Some(colon)) => label.get(colon + 1..)?,
            ("description", None) => &label,
            _ => return None,
        };
        Some(Said::Text(Cow::Owned(part.to_owned())))
    }

    pub(crate) fn id(&self) -> Option<Cow<'a, str>> {
        self.field("id")?.text()
    }

    fn pointer(&self, field: &str) -> Pointer {
        let step = self.form.pointer().item(self.index);
        if self.form == Form::Records {
            step.field(field)
        } else {
            step
        }
    }
}

/// A difference between the persisted plan and the rebuilt one.
pub(crate) struct PlanDifference {
    /// Where the persisted plan differs.
    pub(crate) pointer: Pointer,
    pub(crate) message: String,
    /// The event that says otherwise, where in it, and what.
    pub(crate) line: Line,
    pub(crate) event_pointer: Pointer,
    pub(crate) event_says: String,
    /// Whether only the labels of an older runtime say so.
    pub(crate) by_label: bool,
}

impl<'a> Rebuilt<'a> {
    /// The plan that an event tells, brought up to date by the events of the timeline up to a line;
    /// `None` where the event's payload is no object.
    pub(crate) fn new(event: &EventFacts<'a>, timeline: &Timeline, reach: u64) -> Option<Self> {
        let payload = event.payload()?;
        let array = |key: &str| {
            payload
                .get(key)
                .filter(|value| value.node().kind() == Kind::Array)
        };
        let (form, nodes) = match (array("step_records"), array("steps")) {
            (Some(records), _) => (Form::Records, Some(records)),
            (None, Some(labels)) => (Form::Labels, Some(labels)),
            (None, None) => (Form::Neither, None),
        };
        let steps = nodes
            .into_iter()
            .flat_map(|nodes| nodes.node().items())
            .enumerate()
            .map(|(index, node)| {
                let step = RebuiltStep {
                    index,
                    form,
                    node,
                    evidence: None,
                };
                let evidence = step.id().and_then(|id| timeline.step_evidence(reach, &id));
                RebuiltStep { evidence, ..step }
            });
        let text = |key: &str, at: &'static str| Some((at, payload.text(&[key])?));
        let source = text("source", "/payload/source")
            .or_else(|| text("agent_id", "/payload/agent_id"))
            .or_else(|| Some(("/agent_id", event.agent_id()?)));
        Some(Self {
            line: event.line,
            form,
            steps: steps.collect(),
            source,
            updated_at: event.timestamp(),
        })
    }

    /// How the persisted plan differs.
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
            plan: self,
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
                    comparison.evidence(index, *step, evidence);
                }
            }
            Form::Neither => {}
        }
        comparison.found
    }
}

struct Comparison<'p, 'a> {
    plan: &'p Rebuilt<'a>,
    found: Vec<PlanDifference>,
}

impl Comparison<'_, '_> {
    fn differ(
        &mut self,
        pointer: Pointer,
        message: String,
        event_pointer: Pointer,
        event_says: String,
    ) {
        let by_label = self.plan.form == Form::Labels;
        self.found.push(PlanDifference {
            pointer,
            message,
            line: self.plan.line,
            event_pointer,
            event_says,
            by_label,
        });
    }

    /// Where the plan comes from, and when it changed.
    fn origin(&mut self, state: StateFacts<'_>) {
        if let (Some((pointer, theirs)), Some(ours)) =
            (&self.plan.source, state.0.text(&["plan", "source"]))
            && *theirs != ours
        {
            let (ours, theirs) = (quote(&ours), quote(theirs));
            let message = format!("`plan.source` is {ours}, the latest plan event says {theirs}");
            self.differ(
                Pointer::new("/plan/source"),
                message,
                Pointer::new(*pointer),
                theirs,
            );
        }
        if let (Some(theirs), Some(ours)) = (
            &self.plan.updated_at,
            state.0.stamp(&["plan", "updated_at"]),
        ) && theirs.instant != ours.instant
        {
            let (ours, theirs) = (quote(&ours.text), quote(&theirs.text));
            let message =
                format!("`plan.updated_at` is {ours}, the latest plan event happened at {theirs}");
            self.differ(
                Pointer::new("/plan/updated_at"),
                message,
                Pointer::new("/timestamp"),
                theirs,
            );
        }
    }

    fn records(&mut self, persisted: &[Value<'_>]) {
        let rebuilt = &self.plan.steps;
        let our_ids: Vec<Option<Cow<'_, str>>> =
            persisted.iter().map(|step| step.text(&["id"])).collect();
        let their_ids: Vec<Option<Cow<'_, str>>> = rebuilt.iter().map(RebuiltStep::id).collect();
        if persisted.len() != rebuilt.len() {
            let message = format!(
                "the plan has {}, the one rebuilt {}",
                count(persisted.len()),
                count(rebuilt.len())
            );
            self.differ(
                Pointer::new("/plan/steps"),
                message,
                self.plan.form.pointer(),
                count(rebuilt.len()),
            );
        } else if our_ids != their_ids && sorted(&our_ids) == sorted(&their_ids) {
            let first = our_ids
                .iter()
                .zip(&their_ids)
                .find(|(ours, theirs)| ours != theirs);
            let shown = |id: &Option<Cow<'_, str>>| {
                id.as_deref()
                    .map_or_else(|| "a step without an id".into(), quote)
            };
            let (ours, theirs) = first
                .map(|(ours, theirs)| (shown(ours), shown(theirs)))
                .unwrap_or_default();
            let message = format!(
                "the steps stand in another order: {ours} where the plan rebuilt has {theirs}"
            );
            self.differ(
                Pointer::new("/plan/steps"),
                message,
                self.plan.form.pointer(),
                theirs,
            );
        } else {
            for (index, (step, theirs)) in persisted.iter().zip(rebuilt).enumerate() {
                self.step(index, *step, theirs);
            }
            return;
        }
        // Steps stand elsewhere: each is held against the record of its own id.
        let by_id: BTreeMap<&str, &RebuiltStep<'_>> = their_ids
            .iter()
            .zip(rebuilt)
            .filter_map(|(id, step)| Some((id.as_deref()?, step)))
            .collect();
        for (index, (step, id)) in persisted.iter().zip(&our_ids).enumerate() {
            if let Some(theirs) = id.as_deref().and_then(|id| by_id.get(id)) {
                self.step(index, *step, theirs);
            }
        }
    }

    /// Holds a persisted step against its record.
    fn step(&mut self, index: usize, step: Value<'_>, theirs: &RebuiltStep<'_>) {
        for field in ["id", "kind", "description", "rationale", "inputs"] {
            self.field(index, step, field, theirs);
        }
        let ids_differ = theirs
            .id()
            .zip(step.text(&["id"]))
            .is_some_and(|(theirs, ours)| theirs != ours);
        if ids_differ {
            // Whose status it would be is not known.
        } else if theirs.evidence.is_some() {
            self.evidence(index, step, theirs.evidence);
        } else {
            self.field(index, step, "status", theirs);
        }
    }

    fn field(&mut self, index: usize, step: Value<'_>, field: &str, theirs: &RebuiltStep<'_>) {
        let Some(said) = theirs.field(field) else {
            return;
        };
        let at = || Pointer::new("/plan/steps").item(index);
        let may_be_absent =
            matches!(field, "rationale" | "inputs") && step.node().kind() == Kind::Object;
        let (pointer, shown) = match step.get(field) {
            Some(ours) if !ours.is_fact() || said.equals(ours.node()) => return,
            Some(ours) => (at().field(field), show(ours.node())),
            None if said.is_null() || !may_be_absent => return,
            None => (at(), "absent".into()),
        };
        let by = if theirs.form == Form::Records {
            "the plan event's step record says"
        } else {
            "the label says"
        };
        let message = format!(
            "`{}` is {shown}, {by} {}",
            at().field(field).dotted(),
            said.show()
        );
        self.differ(pointer, message, theirs.pointer(field), said.show());
    }

    /// Holds a persisted step's status against what an act event says of it.
    fn evidence(&mut self, index: usize, step: Value<'_>, evidence: Option<StepEvidence>) {
        let Some(StepEvidence {
            line,
            status: Some(theirs),
        }) = evidence
        else {
            return;
        };
        let Some(ours) = step.text(&["status"]).filter(|ours| ours != theirs.name()) else {
            return;
        };
        let pointer = Pointer::new("/plan/steps").item(index).field("status");
        let theirs = quote(theirs.name());
        let message = format!(
            "`{}` is {}, an act event on line {} made it {theirs}",
            pointer.dotted(),
            quote(&ours),
            line.number
        );
        let event_pointer = Pointer::new("/payload/step_status");
        self.found.push(PlanDifference {
            pointer,
            message,
            line,
            event_pointer,
            event_says: theirs,
            by_label: false,
        });
    }

    fn labels(&mut self, persisted: &[Value<'_>]) {
        let labels = &self.plan.steps;
        if persisted.len() == labels.len() {
            for (index, (step, label)) in persisted.iter().zip(labels).enumerate() {
                self.field(index, *step, "kind", label);
                self.field(index, *step, "description", label);
            }
        } else {
            let message = format!(
                "the plan has {}, the plan event labels {}",
                count(persisted.len()),
                count(labels.len())
            );
            self.differ(
                Pointer::new("/plan/steps"),
                message,
                self.plan.form.pointer(),
                count(labels.len()),
            );
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
