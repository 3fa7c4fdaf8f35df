//! The events of a timeline -> one line of text each.

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
    phase: Option<String>,
    text: Option<String>,
}

impl Moments {
    /// Opens the timeline of a run.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] if there is no timeline, or it can't be opened.
    pub(crate) fn open(run: &RunReader) -> Result<Self, Error> {
        Ok(Self {
            events: run.event_texts()?,
            clock: TimelineClock::default(),
            phase: None,
            text: None,
        })
    }

    /// Skips the events of other phases.
    #[must_use]
    pub(crate) fn only_phase(mut self, phase: impl Into<String>) -> Self {
        self.phase = Some(phase.into());
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
            if is_wanted(event, self.phase.as_deref(), self.text.as_deref()) {
                return Some(Ok(moment(line, event, offset_sec)));
            }
        }
    }
}

/// Whether an event has the requested phase, and its line contains the requested text.
fn is_wanted(event: Node<'_>, phase: Option<&str>, text: Option<&str>) -> bool {
    let is_of = |phase| event.get("phase").and_then(Node::text).as_deref() == Some(phase);
    phase.is_none_or(is_of) && text.is_none_or(|text| event.raw().contains(text))
}
