//! The spans of a trace, and how they lie in each other.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::super::conversation::{Conversation, Ending};
use super::{Role, Span};
use crate::ground::Own;
use crate::ground::digest::FileDigest;

/// The spans of a trace, and how they lie in each other.
pub(super) struct Trace {
    pub(super) spans: Vec<Span>,
    /// For each span, whether it is a tool with a model or an agent below it, and so an agent.
    pub(super) delegates: Vec<bool>,
    /// For each span, the nearest agent above it.
    pub(super) above: Vec<Option<usize>>,
    /// The first agent that lies in no other, whose acts are those of the run.
    pub(super) first_agent: Option<usize>,
}

impl Trace {
    pub(super) fn of(written: Vec<Span>) -> Self {
        // A span that is written again is one span, that of the last.
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut spans: Vec<Span> = Vec::new();
        for span in written {
            if let Some(place) = places.get(&span.id) {
                *spans.own_mut(*place) = span;
            } else {
                places.insert(span.id.clone(), spans.len());
                spans.push(span);
            }
        }

        let delegates = delegates(&spans, &places);
        let above = above(&spans, &places, |number, span| {
            span.role == Role::Agent || *delegates.own(number)
        });
        let first_agent = spans
            .iter()
            .enumerate()
            .filter(|(_, span)| span.role == Role::Agent)
            .filter(|(number, _)| above.own(*number).is_none())
            .min_by_key(|(number, span)| (span.start, *number))
            .map(|(number, _)| number);

        Self {
            spans,
            delegates,
            above,
            first_agent,
        }
    }

    pub(super) fn root(&self) -> Option<&Span> {
        self.spans
            .iter()
            .filter(|span| span.parent.is_empty())
            .min_by_key(|span| span.start)
    }

    /// Returns what was asked: where the root does not say it, the first request of a model does.
    pub(super) fn asked(&self) -> Option<String> {
        let of_first_request = || {
            self.spans
                .iter()
                .filter(|span| span.role == Role::Model)
                .min_by_key(|span| span.start)?
                .task
                .clone()
        };

        self.root()?
            .task
            .clone()
            .or_else(of_first_request)
    }

    pub(super) fn started_at(&self) -> Option<SystemTime> {
        let first = || {
            self.spans
                .iter()
                .filter_map(|span| span.start)
                .min()
        };
        self.root()
            .and_then(|root| root.start)
            .or_else(first)
    }

    pub(super) fn digest(&self) -> String {
        let mut digests: Vec<&str> = self
            .spans
            .iter()
            .map(|span| &*span.sha256)
            .collect();
        digests.sort_unstable();

        FileDigest::of(digests.join("\n").as_bytes()).to_string()
    }

    /// Adds the tags of the spans, but of agents only those of the first one.
    pub(super) fn add_tags(&self, conversation: &mut Conversation) {
        let agent = self
            .first_agent
            .map(|number| self.spans.own(number));
        let name = agent.map_or("", |it| &it.name);
        let spans = self
            .root()
            .into_iter()
            .chain(agent)
            .chain(&self.spans)
            .filter(|span| span.role != Role::Agent || span.name == name);

        for (tag, text) in spans.flat_map(|span| &span.tags) {
            conversation.tag(tag, text);
        }
    }

    /// Returns the agent in which a span lies, unless that is the first one.
    pub(super) fn inner_agent_of(&self, number: usize) -> Option<&Span> {
        let agent = self.agent_above(number)?;
        (Some(agent) != self.first_agent).then(|| self.spans.own(agent))
    }

    pub(super) fn agent_above(&self, number: usize) -> Option<usize> {
        *self.above.own(number)
    }

    /// Returns how a trace ends: as its root does, once that is there.
    pub(super) fn ending(&self) -> Ending {
        let Some(root) = self.root() else {
            return Ending::Pending("the root of the trace is not there yet".into());
        };
        let is_open = |span: &&Span| span.end.is_none() && span.role != Role::Other;

        if root.end.is_none() {
            return Ending::Pending("the root of the trace has no end".into());
        }
        if let Some(error) = &root.error {
            return Ending::Error(error.clone());
        }

        match self.spans.iter().find(is_open) {
            Some(span) => Ending::Pending(format!("{} has no end", span.name)),
            None => Ending::Ok,
        }
    }

    /// Adds a span in its role.
    pub(super) fn add(&self, conversation: &mut Conversation, number: usize, span: &Span) {
        let is_delegate = *self.delegates.own(number);
        match span.role {
            Role::Model => span.add_answer(conversation),
            Role::Tool if is_delegate => span.add_call(conversation, Some("delegate")),
            Role::Tool => span.add_call(conversation, span.kind),
            Role::Agent => {
                let is_nested = self.agent_above(number).is_some();
                if span.is_act.unwrap_or(is_nested) {
                    span.add_call(conversation, Some("delegate"));
                }
            }
            Role::Other => match &span.note {
                Some(note) => {
                    conversation.moment(span.end.or(span.start));
                    conversation.note("observe", note.clone());
                }
                None => conversation.skip(
                    span.counted_as
                        .as_deref()
                        .unwrap_or("span"),
                ),
            },
        }
    }
}

/// Returns for each span whether it is a tool with a model or an agent below it, and so an agent.
pub(super) fn delegates(spans: &[Span], places: &BTreeMap<String, usize>) -> Vec<bool> {
    let mut found = vec![false; spans.len()];
    let around = above(spans, places, |_, span| {
        span.role == Role::Agent || span.may_delegate
    });

    for (number, span) in spans.iter().enumerate() {
        let mut inner = matches!(span.role, Role::Model | Role::Agent).then_some(number);
        while let Some(outer) = inner.and_then(|inner| *around.own(inner)) {
            let is_delegate = found.own_mut(outer);
            if *is_delegate || !spans.own(outer).may_delegate {
                break;
            }

            *is_delegate = true;
            inner = Some(outer);
        }
    }

    found
}

/// Returns for each span the nearest agent above it, from the roots down.
pub(super) fn above(
    spans: &[Span],
    places: &BTreeMap<String, usize>,
    is_agent: impl Fn(usize, &Span) -> bool,
) -> Vec<Option<usize>> {
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut found = vec![None; spans.len()];
    let mut next: Vec<usize> = Vec::new();

    for (number, span) in spans.iter().enumerate() {
        match places
            .get(&span.parent)
            .filter(|_| !span.parent.is_empty())
        {
            Some(parent) => below
                .entry(*parent)
                .or_default()
                .push(number),
            None => next.push(number),
        }
    }

    while let Some(number) = next.pop() {
        let agent = if is_agent(number, spans.own(number)) {
            Some(number)
        } else {
            *found.own(number)
        };

        for inner in below
            .remove(&number)
            .into_iter()
            .flatten()
        {
            *found.own_mut(inner) = agent;
            next.push(inner);
        }
    }

    found
}
