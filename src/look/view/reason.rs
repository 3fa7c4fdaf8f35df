//! The records of a run and an outline of its timeline -> the reason why it did not succeed.

use super::{FAILED, assertion};
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::finding::Lifecycle;
use crate::ground::printable::{brief, shortened, without_colours};
use crate::ground::source::{Artifact, line_and_column};
use crate::look::read::Records;
use crate::reading::dashboard::{Outline, Reason, ReasonKind};
use crate::reading::outline::error_text;

/// The maximum number of lines of standard error that a reason has.
const MAX_STDERR_LINES: usize = 5;

/// The number of characters of such a line.
const MAX_LINE_CHARS: usize = 300;

/// The maximum number of failed assertions that a reason names.
const MAX_NAMED_ASSERTIONS: usize = 3;

impl Records {
    /// Returns the reason why the run did not succeed, as its records give it, at the event that
    /// gives it where there is one. `None` where the run succeeded or is in progress, or where the
    /// records do not say.
    pub(in crate::look) fn reason(&self, timeline: &Outline) -> Option<Reason> {
        let (status, outcome) = (self.entry.status.as_deref(), self.entry.outcome.as_deref());
        let is_open = self.entry.lifecycle == Lifecycle::NonTerminal;
        match (status, outcome) {
            (Some("vetoed"), _) => Some(self.vetoed(timeline)),
            (Some("aborted"), _) => Some(self.aborted(timeline)),
            (Some("error"), _) | (_, Some("error")) => Some(self.failed(timeline)),
            (Some(_), _) if is_open => None,
            (Some("partial"), _) if self.step("failed").is_some() => Some(self.failed(timeline)),
            (Some("partial"), _) if self.step("vetoed").is_some() => Some(self.vetoed(timeline)),
            (_, Some("goal_not_achieved")) => self.goal_not_achieved(timeline),
            (_, Some("success_unverified")) => self.unverified(),
            // Without records, the timeline alone can say so, once it has ended.
            (None, None) if timeline.failure.is_some() && (!is_open || timeline.end.is_some()) => {
                Some(self.failed(timeline))
            }
            _ => None,
        }
    }

    fn failed(&self, timeline: &Outline) -> Reason {
        let error = self.in_state(&["outcomes", "error"]);
        let error = error.filter(|error| error_text(*error).is_some());
        let text = error.and_then(error_text);
        let named = |key: &str| error.and_then(|error| Some(brief(&error.get(key)?.text()?)));
        let mut reason = self.at(
            ReasonKind::Failed,
            timeline.failure.as_ref(),
            error.or_else(|| self.step("failed")),
        );
        reason.by = None;
        reason.text = both(text, reason.text.take());
        if reason.text.is_none() {
            let end = timeline
                .end
                .as_ref()
                .and_then(|end| end.text.clone());
            let of_verification = || {
                self.in_summary(&["verification", "error"])
                    .and_then(error_text)
            };

            reason.text = end.or_else(of_verification);
        }

        if reason.step_id.is_none() {
            let step = || {
                self.step("failed")
                    .or_else(|| self.step("running"))
            };
            reason.step_id = named("step_id").or_else(|| id_of(step()?));
        }

        if reason.action_id.is_none() {
            reason.action_id = named("action_id");
        }

        reason.stderr = self.stderr(&reason);
        reason
    }

    /// Returns the last lines that the action of a reason, or the last one of its step, printed to
    /// standard error.
    fn stderr(&self, reason: &Reason) -> Vec<String> {
        let actions = self.in_state(&["outcomes", "actions"]);
        let is_of = |action: &Node<'_>, key: &str, id: &Option<String>| {
            id.is_some()
                && action
                    .get(key)
                    .and_then(Node::text)
                    .map(|it| brief(&it))
                    == *id
        };

        let is_it = |action: &Node<'_>| match reason.action_id {
            Some(_) => is_of(action, "id", &reason.action_id),
            None => is_of(action, "step_id", &reason.step_id),
        };

        let actions = actions
            .into_iter()
            .flat_map(Node::items)
            .filter(is_it);
        let mut lines: Vec<String> = actions
            .filter_map(|action| action.at(&["output", "stderr"])?.text())
            .last()
            .unwrap_or_default()
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(MAX_STDERR_LINES)
            .map(|line| shortened(&without_colours(line), MAX_LINE_CHARS))
            .collect();
        lines.reverse();

        lines
    }

    fn vetoed(&self, timeline: &Outline) -> Reason {
        let step = self.step("vetoed");
        let mut reason = self.at(ReasonKind::Vetoed, timeline.veto.as_ref(), step);
        if reason.step_id.is_none() {
            reason.step_id = step.and_then(id_of);
        }

        if reason.by.is_none() {
            let has_vetoed = self
                .in_summary(&["flags", "direction", "vetoed"])
                .and_then(Node::number)
                .is_some_and(|n| n.as_f64() > 0.0);
            let policy = self
                .in_summary(&["flags", "direction", "policy"])
                .filter(|_| has_vetoed)
                .and_then(Node::text);
            reason.by = policy.map(|policy| brief(&policy));
        }

        if reason.text.is_none() {
            let error = self
                .in_state(&["outcomes", "error"])
                .and_then(error_text);
            let end = || {
                timeline
                    .end
                    .as_ref()
                    .and_then(|end| end.text.clone())
            };

            reason.text = error.or_else(end);
        }

        reason
    }

    fn aborted(&self, timeline: &Outline) -> Reason {
        let error = self.in_state(&["outcomes", "error"]);
        let error = error.filter(|error| error_text(*error).is_some());
        let mut reason = self.at(ReasonKind::Aborted, timeline.end.as_ref(), error);
        reason.by = reason.by.filter(|by| by != "system");
        reason.text = both(error.and_then(error_text), reason.text.take());

        reason
    }

    fn goal_not_achieved(&self, timeline: &Outline) -> Option<Reason> {
        let verification = self.in_summary(&["verification"]);
        let error = verification.and_then(|verification| verification.get("error"));
        if let Some(text) = error.and_then(error_text) {
            return Some(self.of_verification(ReasonKind::GoalNotAchieved, text));
        }

        let assertions = verification
            .and_then(|verification| verification.get("assertions"))
            .into_iter()
            .flat_map(Node::items)
            .map(assertion);
        let mut names: Vec<String> = assertions
            .filter(|row| row.result == FAILED)
            .map(|row| match row.message {
                Some(message) => format!("{} ({message})", row.name),
                None => row.name,
            })
            .take(MAX_NAMED_ASSERTIONS + 1)
            .collect();
        if names.len() > MAX_NAMED_ASSERTIONS {
            names.truncate(MAX_NAMED_ASSERTIONS);
            names.push("…".into());
        }

        if !names.is_empty() {
            let assertions = if names.len() > 1 {
                "assertions"
            } else {
                "assertion"
            };
            let text = format!("failed {assertions}: {}", names.join(", "));
            return Some(self.of_verification(ReasonKind::GoalNotAchieved, text));
        }

        if self.step("failed").is_some() || timeline.failure.is_some() {
            return Some(self.failed(timeline));
        }

        let passed = verification.and_then(|verification| verification.get("passed")?.boolean());
        (passed == Some(false)).then(|| {
            self.of_verification(
                ReasonKind::GoalNotAchieved,
                "the verification failed".into(),
            )
        })
    }

    fn unverified(&self) -> Option<Reason> {
        let verification = self.in_summary(&["verification"])?;
        let error = verification
            .get("error")
            .and_then(error_text);
        let is_provided = verification
            .get("provided")
            .and_then(Node::boolean);
        let text = error.or_else(|| {
            (is_provided == Some(false)).then(|| "no verification was provided".into())
        })?;

        Some(self.of_verification(ReasonKind::Unverified, text))
    }

    /// Returns a reason with its place: an event or else a value of the state.
    fn at(&self, kind: ReasonKind, event: Option<&Reason>, value: Option<Node<'_>>) -> Reason {
        let of_state = || Reason {
            file: Artifact::State.file_name().into(),
            line: value.and_then(|value| Some(line_of(self.state.as_ref().ok()?, value))),
            ..Reason::default()
        };

        let reason = event.cloned().unwrap_or_else(of_state);
        Reason { kind, ..reason }
    }

    /// Returns a reason that the summary gives.
    fn of_verification(&self, kind: ReasonKind, text: String) -> Reason {
        let place = self.in_summary(&["verification"]);
        Reason {
            kind,
            text: Some(text),
            file: Artifact::Summary.file_name().into(),
            line: place.and_then(|place| Some(line_of(self.summary.as_ref().ok()?, place))),
            ..Reason::default()
        }
    }

    /// Returns the first step of the persisted plan that has a status.
    fn step(&self, status: &str) -> Option<Node<'_>> {
        self.in_state(&["plan", "steps"])?
            .items()
            .find(|step| {
                step.get("status")
                    .and_then(Node::text)
                    .as_deref()
                    == Some(status)
            })
    }
}

/// Returns the texts of two records, once if one repeats the other.
fn both(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one.contains(&other) => Some(one),
        (Some(one), Some(other)) if other.contains(&one) => Some(other),
        (Some(one), Some(other)) => Some(format!("{one} ({other})")),
        (one, other) => one.or(other),
    }
}

fn id_of(step: Node<'_>) -> Option<String> {
    Some(brief(&step.get("id")?.text()?))
}

/// Returns the line of a value of a record, counted from 1.
fn line_of(record: &OwnedDocument, value: Node<'_>) -> u64 {
    let text = record.view().text();
    let (line, _) = line_and_column(text.as_bytes(), value.span().start);
    line
}
