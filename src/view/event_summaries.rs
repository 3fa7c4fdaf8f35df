//! The events of a timeline -> one line of text each.

use crate::dashboard::EventSummary;
use crate::document::Node;
use crate::outline::{TimelineClock, summary_of};
use crate::read::{Error, RunReader};

/// Returns the events of a timeline, each as one line of text: those of some phases, or of all if
/// none is given, whose line contains a text. A line that is not an event is an error, and the next
/// line follows.
pub(crate) fn event_summaries(
    run: &RunReader,
    phases: &[String],
    text: Option<&str>,
) -> Result<impl Iterator<Item = Result<EventSummary, Error>>, Error> {
    let (mut events, mut clock) = (run.event_texts()?, TimelineClock::default());
    Ok(std::iter::from_fn(move || {
        loop {
            let (line, event) = match events.next_document()? {
                Ok(read) => read,
                Err(error) => return Some(Err(error)),
            };
            let offset_sec = clock.offset_of(event);
            let phase = event.get("phase").and_then(Node::text);
            let has_phase = phase.is_some_and(|it| phases.iter().any(|wanted| *wanted == *it));
            if (phases.is_empty() || has_phase) && text.is_none_or(|it| event.raw().contains(it)) {
                return Some(Ok(summary_of(line, event, offset_sec)));
            }
        }
    }))
}
