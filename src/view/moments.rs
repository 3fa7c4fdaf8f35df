//! The events of a timeline -> one line of text each.

use std::borrow::Cow;

use crate::dashboard::Moment;
use crate::document::Node;
use crate::outline::{TimelineClock, moment};
use crate::read::{Error, EventTexts, RunReader};

/// The events of a timeline, each as one line of text. A line that is not an event is an error, and
/// the next call reads the next line.
#[derive(Debug)]
pub(crate) struct Moments {
    events: EventTexts,
    clock: TimelineClock,
    /// The phases that are wanted; none for all.
    phases: Vec<String>,
    text: Option<String>,
}

impl Moments {
    /// Opens the timeline of a run.
    pub(crate) fn open(run: &RunReader) -> Result<Self, Error> {
        Ok(Self {
            events: run.event_texts()?,
            clock: TimelineClock::default(),
            phases: Vec::new(),
            text: None,
        })
    }

    /// Skips the events of other phases, if any is given.
    #[must_use]
    pub(crate) fn only_phases(mut self, phases: &[String]) -> Self {
        self.phases = phases.to_vec();
        self
    }

    /// Skips the events whose line does not contain a text.
    #[must_use]
    pub(crate) fn only_with(mut self, text: impl Into<String>) -> Self {
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
            if is_wanted(event, &self.phases, self.text.as_deref()) {
                return Some(Ok(moment(line, event, offset_sec)));
            }
        }
    }
}

/// Whether an event has a requested phase, and its line contains the requested text.
fn is_wanted(event: Node<'_>, phases: &[String], text: Option<&str>) -> bool {
    let phase = || event.get("phase").and_then(Node::text);
    let is_one_of = |phase: Cow<'_, str>| phases.iter().any(|wanted| *wanted == *phase);
    (phases.is_empty() || phase().is_some_and(is_one_of))
        && text.is_none_or(|text| event.raw().contains(text))
}
