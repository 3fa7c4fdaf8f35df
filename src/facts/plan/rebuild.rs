//! The latest plan event and the act events after it -> the rebuilt plan (reference, section 3).

use std::borrow::Cow;

use super::super::event::EventFacts;
use super::super::evidence::StepEvidence;
use super::super::slots::{InEvent, InStep};
use super::super::timeline::Timeline;
use super::super::value::{ParsedValue, Stamp, Value};
use crate::document::{Kind, Node};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// A plan rebuilt from its latest `plan` event and the `act` events after it.
pub(crate) struct Rebuilt<'a> {
    /// The plan event.
    pub(super) event: EventFacts<'a>,
    pub(crate) form: PlanForm,
    /// The array with the records or labels.
    array: Option<Value<'a>>,
    /// The origin of the plan, and the pointer to it in the event.
    pub(crate) source: Option<(&'static str, Cow<'a, str>)>,
    pub(crate) updated_at: Option<Stamp<'a>>,
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
    entry: StepEntry<'a>,
    /// The evidence of later act events about the step; always `None` for labels, which have no id.
    pub(crate) evidence: Option<StepEvidence>,
}

/// A step as a plan event gives it.
#[expect(
    clippy::large_enum_variant,
    reason = "one exists at a time, and a box would cost more than its size"
)]
enum StepEntry<'a> {
    Record([Option<(Node<'a>, ParsedValue<'a>)>; FIELDS.len()]),
    Label(Node<'a>),
}

/// The value of a step's field in the plan event.
pub(crate) enum StepField<'s, 'a> {
    Value(&'s (Node<'a>, ParsedValue<'a>)),
    /// A part of a label.
    Text(Cow<'a, str>),
}

impl<'a> StepField<'_, 'a> {
    pub(super) fn equals(&self, persisted: Value<'_>) -> bool {
        match self {
            Self::Value((_, value)) => value.equals(persisted),
            Self::Text(text) => persisted.string().as_ref() == Some(text),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        self.node().is_some_and(Node::is_null)
    }

    pub(super) fn show(&self) -> String {
        match self {
            Self::Value((_, value)) => value.shown().to_owned(),
            Self::Text(text) => quote(text),
        }
    }

    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self {
            Self::Value((node, _)) => Some(*node),
            Self::Text(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Value((node, _)) => node.text(),
            Self::Text(text) => Some(text.clone()),
        }
    }
}

impl<'a> RebuiltStep<'a> {
    /// Returns a step of an event, from its record or label.
    fn new(index: usize, form: PlanForm, node: Node<'a>) -> Self {
        let entry = if form == PlanForm::Records {
            let mut fields = [const { None }; FIELDS.len()];
            for key in node.members() {
                let mut known = FIELDS.iter().zip(&mut fields);
                if let Some((_, field)) = known.find(|((name, _), _)| key.is(name)) {
                    let value = key.value();
                    *field = Some((value, ParsedValue::new(value.raw())));
                }
            }
            StepEntry::Record(fields)
        } else {
            StepEntry::Label(node)
        };
        Self {
            index,
            entry,
            evidence: None,
        }
    }

    /// Returns the value of a field in the plan event; `None` where it is absent.
    pub(crate) fn field(&self, name: &str) -> Option<StepField<'_, 'a>> {
        let label = match &self.entry {
            StepEntry::Record(fields) => {
                let mut found = FIELDS.iter().zip(fields);
                let (_, field) = found.find(|((known, _), _)| *known == name)?;
                return field.as_ref().map(StepField::Value);
            }
            StepEntry::Label(label) => label.text()?,
        };
        let colon = label.find(':');
        let part = match (name, colon) {
            ("kind", Some(colon)) => label.get(..colon)?,
            ("description", Some(colon)) => label.get(colon + 1..)?,
            ("description", None) => &label,
            _ => return None,
        };
        Some(StepField::Text(Cow::Owned(part.to_owned())))
    }

    pub(crate) fn id(&self) -> Option<Cow<'a, str>> {
        self.field("id")?.text()
    }

    pub(super) fn pointer(&self, field: &str) -> Pointer {
        match self.entry {
            StepEntry::Record(_) => PlanForm::Records.pointer().item(self.index).field(field),
            StepEntry::Label(_) => PlanForm::Labels.pointer().item(self.index),
        }
    }
}

impl<'a> Rebuilt<'a> {
    /// Returns the plan of an event, updated by the events of the timeline up to a line; `None`
    /// where the payload of the event is not an object.
    pub(crate) fn new(
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
            updated_at: event.timestamp(),
            timeline,
            reach,
        })
    }

    /// Returns the line of the plan event.
    pub(crate) fn line(&self) -> Line {
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
        let array = self.array.and_then(Value::node);
        array.into_iter().flat_map(Node::items)
    }

    /// Returns the step of a record or label.
    pub(super) fn step(&self, index: usize, node: Node<'a>) -> RebuiltStep<'a> {
        let mut step = RebuiltStep::new(index, self.form, node);
        step.evidence = step.id().and_then(|id| self.evidence(&id));
        step
    }

    /// Returns what the act events say about a step.
    pub(super) fn evidence(&self, id: &str) -> Option<StepEvidence> {
        self.timeline.step_evidence(self.reach, id)
    }
}
