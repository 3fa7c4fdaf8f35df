//! How a conversation ends: what its log says last.

use serde_json::Value;

use super::super::call::is_end_tool;
use super::{Answer, Conversation, Event, Outcome, What, is_kind};

/// How a conversation ends, as the log says it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::import) enum Ending {
    Ok,
    Partial(String),
    Aborted(String),
    Error(String),
    /// It goes on, with the reason.
    Pending(String),
}

impl Ending {
    pub(in crate::import) fn within_a_turn() -> Self {
        Self::Pending("the log ends within a turn".into())
    }
}

impl Conversation {
    /// Puts all in order and returns how it ends. With `is_over`, nothing follows.
    pub(in crate::import) fn finish(&mut self, is_over: bool) -> Ending {
        if self.is_by_time {
            self.events
                .sort_by_key(|event| event.at);
        }

        let mut ending = self
            .end
            .take()
            .unwrap_or_else(|| self.ending());
        if let Ending::Pending(reason) = &mut ending {
            if !(is_over || self.is_over) {
                return ending;
            }
            ending = Ending::Partial(format!("{reason}, and nothing follows"));
        }

        self.at = self
            .events
            .iter()
            .filter_map(|event| event.at)
            .max();
        for call in self.take_open(None) {
            self.act(call, Outcome::new(Some("missing"), Value::Null));
        }

        ending
    }

    /// Returns how it ends, by the last event of the first agent that a turn can end with.
    pub(in crate::import) fn ending(&self) -> Ending {
        let of_main = |event: &&Event| event.agent.is_none() && !event.is_neutral();
        let last = self.events.iter().rev().find(of_main);
        let answer = last.and_then(|event| match event.what {
            What::Answer(number) => self.answers.get(&number),
            _ => None,
        });
        match last.map(|event| &event.what) {
            _ if answer.is_some_and(|answer| answer.is_refusal) => {
                return Ending::Partial("the model refused".into());
            }
            Some(What::Note(_, note)) if is_kind(note, "interrupt") => {
                return Ending::Aborted("interrupted".into());
            }
            Some(What::Note(_, note)) if is_kind(note, "error") => {
                let text = note.get("text").and_then(Value::as_str);
                return Ending::Error(text.unwrap_or("unknown").to_owned());
            }
            _ => {}
        }

        if !self.assertions.is_empty() {
            return Ending::Ok;
        }

        if let Some(open) = self
            .open
            .values()
            .max_by_key(|call| call.place)
        {
            return Ending::Pending(format!("the call of {} has no result", open.tool));
        }

        match last.map(|event| &event.what) {
            Some(What::TurnEnd) => Ending::Ok,
            Some(What::Answer(_)) if answer.is_some_and(Answer::is_last) => Ending::Ok,
            Some(What::Act(act))
                if is_end_tool(&act.call.tool) && act.outcome.status.unwrap_or("ok") == "ok" =>
            {
                Ending::Ok
            }
            _ => Ending::within_a_turn(),
        }
    }
}

impl Event {
    /// Returns `true` if it does not matter for how a conversation ends.
    fn is_neutral(&self) -> bool {
        match &self.what {
            What::Nothing => true,
            What::Note(_, note) => ["compaction", "usage", "guardrail"]
                .iter()
                .any(|kind| is_kind(note, kind)),
            _ => false,
        }
    }
}
