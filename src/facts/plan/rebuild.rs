//! The latest plan event and the act events after it -> the rebuilt plan (reference, section 3).

use std::borrow::Cow;

use super::super::event::EventFacts;
use super::super::timeline::{StepEvidence, Timeline};
use super::super::value::{Stamp, show};
use crate::document::{Kind, Node};
use crate::printable::quote;
use crate::source::{Line, Pointer};

/// A plan rebuilt from its latest `plan` event and the `act` events after it.
pub(crate) struct Rebuilt<'a> {
    /// The plan event.
    pub(crate) line: Line,
    pub(crate) form: Form,
    pub(crate) steps: Vec<RebuiltStep<'a>>,
    /// The origin of the plan, and the pointer to it in the event.
    pub(crate) source: Option<(&'static str, Cow<'a, str>)>,
    pub(crate) updated_at: Option<Stamp<'a>>,
}

/// The form in which a plan event has the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Records,
    /// Labels of the form `<kind>:<description>`, from older runtimes.
    Labels,
    /// No steps: the plan can't be checked.
    Neither,
}

impl Form {
    /// The pointer to the steps in the event.
    pub(super) fn pointer(self) -> Pointer {
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
    pub(super) form: Form,
    /// The record or the label.
    node: Node<'a>,
    /// What later act events say about the step; always `None` for labels, which have no id.
    pub(crate) evidence: Option<StepEvidence>,
}

/// The value of a step's field in the plan event.
pub(crate) enum Said<'a> {
    Value(Node<'a>),
    /// A part of a label.
    Text(Cow<'a, str>),
}

impl<'a> Said<'a> {
    pub(super) fn equals(&self, persisted: Node<'_>) -> bool {
        match self {
            Self::Value(node) => persisted.equals(*node),
            Self::Text(text) => persisted.text().as_ref() == Some(text),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Value(node) if node.is_null())
    }

    pub(super) fn show(&self) -> String {
        match self {
            Self::Value(node) => show(*node),
            Self::Text(text) => quote(text),
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
    /// The value of a field in the plan event; `None` where it is absent.
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

    pub(super) fn pointer(&self, field: &str) -> Pointer {
        let step = self.form.pointer().item(self.index);
        if self.form == Form::Records {
            step.field(field)
        } else {
            step
        }
    }
}

impl<'a> Rebuilt<'a> {
    /// The plan of an event, updated by the events of the timeline up to a line; `None` where the
    /// payload of the event is not an object.
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
}
