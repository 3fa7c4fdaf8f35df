//! The latest plan event and the act events after it -> the rebuilt plan (reference, section 3).

use std::borrow::Cow;

use super::super::event::EventFacts;
use super::super::evidence::StepEvidence;
use super::super::slots::{InEvent, InStep};
use super::super::timeline::Timeline;
use super::super::value::{ParsedValue, Stamp, Value};
use crate::ground::document::{Kind, Node};
use crate::ground::printable::quote;
use crate::ground::source::{Line, Pointer};

/// A plan rebuilt from its latest `plan` event and the `act` events after it.
pub(crate) struct Rebuilt<'a> {
    /// The plan event.
    pub(super) event: EventFacts<'a>,
    pub(crate) form: PlanForm,
    /// The array with the records or labels.
    array: Option<Value<'a>>,
    /// The origin of the plan, and the pointer to it in the event.
    pub(crate) source: Option<(&'static str, Cow<'a, str>)>,
    /// The timeline up to a line, which tells how far the steps have come.
    timeline: &'a Timeline<'a>,
    reach: u64,
}

/// The form in which a plan event has the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanForm {
    Records,
    /// Labels of the form `<kind>:<description>`, from older runtimes.
    Labels,
    /// No steps: the plan can't be checked.
    Neither,
}

impl PlanForm {
    /// Returns the pointer to the steps in the event.
    pub(super) fn pointer(self) -> Pointer {
        Pointer::new(if self == Self::Records {
            "/payload/step_records"
        } else {
            "/payload/steps"
        })
    }
}

/// The fields of a step record that are compared.
pub(super) const FIELDS: [(&str, InStep); 6] = [
    ("id", InStep::Id),
    ("kind", InStep::Kind),
    ("description", InStep::Description),
    ("rationale", InStep::Rationale),
    ("inputs", InStep::Inputs),
    ("status", InStep::Status),
];

/// A step of a rebuilt plan.
pub(crate) struct RebuiltStep<'a> {
    index: usize,
    form: PlanForm,
    /// The values of [`FIELDS`].
    fields: [Option<StepField<'a>>; FIELDS.len()],
    /// The evidence of later act events about the step; always `None` for labels, which have no id.
    pub(crate) evidence: Option<StepEvidence>,
}

/// The value of a step's field in the plan event.
pub(crate) enum StepField<'a> {
    Value(Node<'a>, ParsedValue<'a>),
    /// A part of a label.
    Text(String),
}

impl<'a> StepField<'a> {
    pub(super) fn equals(&self, persisted: Value<'_>) -> bool {
        match self {
            Self::Value(_, value) => value.equals(persisted),
            Self::Text(text) => persisted.string().as_deref() == Some(text),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        self.node().is_some_and(Node::is_null)
    }

    pub(super) fn show(&self) -> String {
        match self {
            Self::Value(_, value) => value.shown().to_owned(),
            Self::Text(text) => quote(text),
        }
    }

    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self {
            Self::Value(node, _) => Some(*node),
            Self::Text(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Value(node, _) => node.text(),
            Self::Text(text) => Some(text.into()),
        }
    }
}

impl<'a> RebuiltStep<'a> {
    /// Returns a step of an event, from its record or label.
    fn new(index: usize, form: PlanForm, node: Node<'a>) -> Self {
        let mut fields = [const { None }; FIELDS.len()];
        let record = Some(node).filter(|_| form == PlanForm::Records);
        for key in record
            .into_iter()
            .flat_map(Node::members)
        {
            let mut known = FIELDS.iter().zip(&mut fields);
            if let Some((_, field)) = known.find(|((name, _), _)| key.is(name)) {
                let value = key.value();
                *field = Some(StepField::Value(value, ParsedValue::new(value.raw())));
            }
        }

        if let (PlanForm::Labels, Some(label)) = (form, node.text()) {
            let part = |part: &str| Some(StepField::Text(part.to_owned()));
            let [_, kind, description, ..] = &mut fields;
            (*kind, *description) = match label.split_once(':') {
                Some((kind, description)) => (part(kind), part(description)),
                None => (None, part(&label)),
            };
        }

        Self {
            index,
            form,
            fields,
            evidence: None,
        }
    }

    /// Returns the value of a field in the plan event; `None` where it is absent.
    pub(crate) fn field(&self, name: &str) -> Option<&StepField<'a>> {
        let mut found = FIELDS.iter().zip(&self.fields);
        let (_, field) = found.find(|((known, _), _)| *known == name)?;
        field.as_ref()
    }

    pub(in crate::reading) fn id(&self) -> Option<Cow<'_, str>> {
        self.field("id")?.text()
    }

    pub(super) fn pointer(&self, field: &str) -> Pointer {
        let step = self.form.pointer().item(self.index);
        match self.form {
            PlanForm::Records => step.field(field),
            _ => step,
        }
    }
}

impl<'a> Rebuilt<'a> {
    /// Returns the plan of an event, updated by the events of the timeline up to a line; `None`
    /// where the payload of the event is not an object.
    pub(in crate::reading) fn new(
        event: EventFacts<'a>,
        timeline: &'a Timeline<'a>,
        reach: u64,
    ) -> Option<Self> {
        event.payload()?;
        let array = |slot| (event.value(slot)).filter(|value| value.kind() == Kind::Array);
        let (form, array) = match (array(InEvent::StepRecords), array(InEvent::StepLabels)) {
            (Some(records), _) => (PlanForm::Records, Some(records)),
            (None, Some(labels)) => (PlanForm::Labels, Some(labels)),
            (None, None) => (PlanForm::Neither, None),
        };

        let text = |slot, at: &'static str| Some((at, event.text(slot)?));
        let source = text(InEvent::PlanSource, "/payload/source")
            .or_else(|| text(InEvent::PlanAgent, "/payload/agent_id"))
            .or_else(|| text(InEvent::AgentId, "/agent_id"));

        Some(Self {
            event,
            form,
            array,
            source,
            timeline,
            reach,
        })
    }

    /// Returns the time of the plan event.
    pub(crate) fn updated_at(&self) -> Option<Stamp<'a>> {
        self.event.timestamp()
    }

    /// Returns the line of the plan event.
    pub(in crate::reading) fn line(&self) -> Line {
        self.event.line
    }

    /// Returns the steps. Each is made when it is wanted: an event may have millions.
    pub(crate) fn steps(&self) -> impl Iterator<Item = RebuiltStep<'a>> {
        self.nodes()
            .enumerate()
            .map(|(index, node)| self.step(index, node))
    }

    /// Returns the records or labels.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'a>> + Clone + use<'a> {
        self.array
            .and_then(Value::node)
            .into_iter()
            .flat_map(Node::items)
    }

    /// Returns the step of a record or label.
    pub(super) fn step(&self, index: usize, node: Node<'a>) -> RebuiltStep<'a> {
        let mut step = RebuiltStep::new(index, self.form, node);
        step.evidence = step
            .id()
            .and_then(|id| self.evidence(&id));
        step
    }

    /// Returns what the act events say about a step.
    pub(super) fn evidence(&self, id: &str) -> Option<StepEvidence> {
        self.timeline
            .step_evidence(self.reach, id)
    }
}
