//! The two ends of the timeline of a run in progress -> what the run does now, or why it waits, and
//! what its first events say before there is a state.

use std::borrow::Cow;

use crate::document::{Document, Node, Tape};
use crate::finding::{Lifecycle, Pause, RunEntry};
use crate::outline::{summary_of, waits};
use crate::source::{Artifact, Entries, Line};
use crate::store::Opened;

/// The maximum number of bytes of each end that are read.
const MAX_BYTES: usize = 64 << 10;

/// Adds to the entry of a run in progress what its timeline says. What can't be read adds nothing,
/// and of a run that has ended nothing is read.
pub(crate) fn with_progress(
    mut entry: RunEntry,
    entries: Entries,
    timeline: Option<&Opened<'_>>,
) -> RunEntry {
    let Some(timeline) = timeline.filter(|_| entry.lifecycle == Lifecycle::NonTerminal) else {
        return entry;
    };
    let size = timeline.size().unwrap_or_default();
    let length = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_BYTES);
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    let read = |offset, bytes: &mut Vec<u8>| {
        let end = Line {
            number: 0,
            offset,
            length,
        };
        timeline.read_again(end, bytes).is_ok()
    };
    if !entries.has(Artifact::State) && read(0, &mut bytes) {
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(event) = tape.read_record(line) {
                entry = entry.with_event(event.root());
            }
        }
    }
    if read(size - length as u64, &mut bytes) {
        for line in bytes.rsplit(|byte| *byte == b'\n') {
            let event = tape.read_record(line).ok().map(Document::root);
            if event.is_some_and(|event| tells_now(&mut entry, event)) {
                break;
            }
        }
    }
    entry
}

/// Returns `true` if an event says what a run does or waits for, and adds that to the entry.
fn tells_now(entry: &mut RunEntry, event: Node<'_>) -> bool {
    let text = |path: &[&str]| event.at(path)?.text();
    if waits(event) {
        let reasons = ["reason", "message", "question", "step_id"].into_iter();
        let mut reasons = reasons.filter_map(|key| text(&["payload", key]));
        entry.paused = Some(Box::new(Pause {
            since: text(&["timestamp"]).map(Cow::into_owned),
            reason: reasons.next().map(Cow::into_owned),
        }));
        return true;
    }
    let is_runtime = text(&["phase"]).as_deref() == Some("runtime");
    let tells = !is_runtime || text(&["event_type"]).as_deref() == Some("run.resume");
    if tells {
        let line = summary_of(0, event, None);
        let parts = [line.phase, line.summary];
        let parts = parts.iter().map(|part| &**part).filter(|it| !it.is_empty());
        entry.now = Some(parts.collect::<Vec<_>>().join(" · "));
    }
    tells
}
