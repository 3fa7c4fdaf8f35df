//! An event or an action and what a team names -> whether it is named, or why nobody can tell.

use std::sync::Arc;

use super::limit::TeamLimit;
use crate::ground::document::OwnedDocument;
use crate::ground::select::{KeyPath, Selector};
use crate::policy::expression::{Budget, Expression, Record, Stop, Value};

/// The events or actions that a team names: those that pass all tests and meet the condition.
#[derive(Clone, Debug, Default)]
pub(in crate::policy) struct TeamSelector {
    pub(in crate::policy) keys: Selector,
    /// It is asked only where the tests are passed.
    pub(in crate::policy) condition: Option<Condition>,
}

/// An expression over a record and the parameters.
#[derive(Clone, Debug)]
pub(in crate::policy) struct Condition {
    pub(super) expression: Arc<Expression>,
    pub(super) params: Arc<OwnedDocument>,
}

/// The names in conditions of events; their places are those of [`Condition::ask`].
pub(super) const EVENT_NAMES: [&str; 2] = ["params", "event"];

/// The place of the event among them.
pub(super) const EVENT: usize = 1;

/// The keys of the payload that only the end of an act, or of a call of a model, gives.
const OUTCOME: [&str; 8] = [
    "output",
    "result_status",
    "result_artifacts",
    "duration_ms",
    "text",
    "thinking",
    "usage",
    "stop_reason",
];

/// Returns `true` if an expression may read, of the event with a name, what only its end gives.
pub(super) fn reads_outcome(expression: &Expression, event: usize) -> bool {
    expression.reads(event, "payload", &OUTCOME)
}

/// Returns `true` if a path leads to what only the end of an act gives, or around it.
pub(super) fn leads_to_outcome(path: &KeyPath) -> bool {
    match path.tokens() {
        [payload, key, ..] => &**payload == "payload" && OUTCOME.contains(&&**key),
        [payload] => &**payload == "payload",
        [] => true,
    }
}

/// The names in conditions of actions.
pub(super) const ACTION_NAMES: [&str; 2] = ["params", "action"];

/// The answer of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    /// The reason why it can't be evaluated.
    Unknown(String),
}

/// Evaluates the condition under a key.
pub(super) fn ask<'a>(
    key: &str,
    condition: &'a Expression,
    bound: &'a [Value<'a>],
    budget: &mut Budget,
) -> Result<Truth, TeamLimit> {
    let why = match condition.evaluate(bound, &[], budget) {
        Ok(Value::Bool(true)) => return Ok(Truth::Yes),
        Ok(Value::Bool(false)) => return Ok(Truth::No),
        Ok(other) => format!("its value is {}, not a bool", other.shown_type()),
        Err(Stop::Spent) => return Err(TeamLimit::Steps),
        Err(Stop::Failed(failure)) => condition.describe(&failure),
    };
    Ok(Truth::Unknown(format!("`{key}` can't be evaluated: {why}")))
}

impl TeamSelector {
    /// Returns `true` if its condition may read what only the end of an act gives.
    pub(super) fn reads_outcome(&self) -> bool {
        let mut conditions = self.condition.iter();
        conditions.any(|it| reads_outcome(&it.expression, EVENT))
    }
}

impl Condition {
    /// Asks it of a record that the keys of its selector name.
    pub(super) fn ask(&self, record: &dyn Record, budget: &mut Budget) -> Result<Truth, TeamLimit> {
        budget.add_record(record);
        let params = self.params.root();
        let bound: [&dyn Record; 2] = [&params, record];
        ask("if", &self.expression, &bound.map(Value::Record), budget)
    }

    /// Returns its value for a record, and those that it compares, in words.
    pub(super) fn compared(&self, record: &dyn Record) -> Vec<String> {
        let params = self.params.root();
        let bound: [&dyn Record; 2] = [&params, record];
        let bound = bound.map(Value::Record);
        let budget = &mut Budget::of_run();
        self.expression.compared("if", &bound, &[], budget)
    }
}
