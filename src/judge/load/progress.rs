//! The two ends of the timeline of a run in progress -> what the run does now, or why it waits, and
//! what its first events say before there is a state.

use std::borrow::Cow;

use crate::ground::document::{Document, Node, Tape};
use crate::ground::finding::{Lifecycle, Pause, RunEntry};
use crate::ground::source::{Artifact, Entries, Line};
use crate::reading::outline::{summary_of, waits};
use crate::store::Opened;

/// The number of bytes that are read of each end of a timeline, at most.
const END_BYTES: usize = 64 << 10;

/// The number of bytes that are read where no event of the last ones tells what the run does: the
/// projection event that a pause ends with is as long as the outcomes of the run.
const LONG_END_BYTES: usize = 4 << 20;

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
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    let read = |offset: usize, bytes: &mut Vec<u8>, most: usize| {
        let end = Line {
            number: 0,
            offset: offset as u64,
            length: most.min(size),
        };
        timeline.read_again(end, bytes).is_ok()
    };

    if !entries.has(Artifact::State) && read(0, &mut bytes, END_BYTES) {
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(event) = tape.read_record(line) {
                entry = entry.with_event(event.root());
            }
        }
    }

    for most in [END_BYTES, LONG_END_BYTES] {
        let is_told = read(size.saturating_sub(most), &mut bytes, most)
            && bytes
                .rsplit(|byte| *byte == b'\n')
                .any(|line| {
                    tape.read_record(line)
                        .ok()
                        .map(Document::root)
                        .is_some_and(|event| tells_now(&mut entry, event))
                });
        if is_told || size <= most {
            break;
        }
    }

    entry
}

/// Returns `true` if an event says what a run does or waits for, and adds that to the entry.
fn tells_now(entry: &mut RunEntry, event: Node<'_>) -> bool {
    let text = |path: &[&str]| event.at(path)?.text();
    if waits(event) {
        let mut reasons = ["reason", "message", "question", "step_id"]
            .into_iter()
            .filter_map(|key| text(&["payload", key]));
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
        let parts = parts
            .iter()
            .map(|part| &**part)
            .filter(|it| !it.is_empty());
        entry.now = Some(parts.collect::<Vec<_>>().join(" · "));
    }

    tells
}
