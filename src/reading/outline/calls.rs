//! The events of a timeline, one at a time -> the tools that were called, and where a call first
//! returned an error or was denied.

use std::sync::Arc;

use super::incident;
use crate::ground::finding::{CallResult, ToolUse};
use crate::reading::dashboard::Mark;
use crate::reading::facts::{EventFacts, InEvent};

/// The maximum number of tools that are kept of a run.
const MAX_TOOLS: usize = 256;

/// A reader of the calls of a run.
#[derive(Debug, Default)]
pub(crate) struct CallReader {
    tools: Vec<ToolUse>,
}

impl CallReader {
    /// Adds the next event. A call that is held back has no event of its own: the event of the veto
    /// names its tool.
    pub(crate) fn event(&mut self, event: EventFacts<'_>) {
        let tool = incident::text(event, InEvent::Tool);
        // The event of a step alone is no call.
        let names_call = || {
            let ids = [InEvent::ActionId, InEvent::Id];
            tool.is_some()
                || ids
                    .iter()
                    .any(|id| event.value(*id).is_some())
        };

        let is_act = incident::text(event, InEvent::Phase).as_deref() == Some("act");
        let is_call = is_act && names_call();
        let result = result_of(event, is_call);
        let of_act = || {
            event
                .node()?
                .at(&["payload", "act", "tool"])?
                .text()
        };

        let tool = tool.or_else(|| of_act().filter(|_| result.is_some() && !is_act));
        if !(is_call && tool.is_some() || result.is_some()) {
            return;
        }

        let tool = tool.as_deref();
        let place = (self.tools.iter())
            .position(|known| known.tool.as_deref() == tool)
            .unwrap_or(self.tools.len());
        if place == self.tools.len() && place < MAX_TOOLS {
            self.tools.push(ToolUse {
                tool: tool.map(Arc::from),
                ..ToolUse::default()
            });
        }

        let Some(of_tool) = self.tools.get_mut(place) else {
            return;
        };
        let line = match result {
            Some(CallResult::Error) => &mut of_tool.error_line,
            Some(CallResult::Denied) => &mut of_tool.denied_line,
            None => return,
        };

        line.get_or_insert(event.line.number);
    }

    /// Returns the tools, in the order of their first calls.
    pub(crate) fn finish(self) -> Box<[ToolUse]> {
        self.tools.into()
    }
}

/// Returns what came of a call instead of a result, if this event says so.
fn result_of(event: EventFacts<'_>, is_call: bool) -> Option<CallResult> {
    if is_call && incident::is(event, InEvent::ResultStatus, &incident::BLOCKING) {
        return Some(CallResult::Denied);
    }

    match incident::mark(event)? {
        // The event of a step that only repeats its status is no further call.
        (Mark::Vetoed, 2..) => Some(CallResult::Denied),
        (Mark::Failed, _) if is_call && incident::is_error(event) => Some(CallResult::Error),
        _ => None,
    }
}
