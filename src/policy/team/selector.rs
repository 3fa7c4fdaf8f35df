//! An event or an action and what a team names -> whether it is named, or why nobody can tell.

use std::sync::Arc;

use super::limit::TeamLimit;
use crate::ground::document::OwnedDocument;
use crate::ground::draft::Draft;
use crate::ground::select::{KeyPath, Selector, Unjudged, Wanted};
use crate::ground::source::{Place, Pointer, Target};
use crate::policy::expression::{Budget, Expression, Record, Stop, Taken, Value};

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

/// The answer of a condition, and what it takes to find that.
#[derive(Debug)]
pub(super) struct KnownAnswer {
    is_met: bool,
    taken: Taken,
}

/// The names in conditions of events; their places are those of [`Condition::ask`].
pub(super) const EVENT_NAMES: [&str; 2] = ["params", "event"];

/// The place of the event among them.
pub(super) const EVENT: usize = 1;

/// The keys of the payload that only the end of an act, or of a call of a model, gives.
pub(super) const OUTCOME: [&str; 8] = [
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

/// Returns `true` if a path may lead to what only the end of an act gives, or around it.
pub(super) fn leads_to_outcome(path: &KeyPath) -> bool {
    let may_be = |token: &str, wanted: &[&str]| token == "**" || wanted.contains(&token);
    match path.tokens() {
        [payload, ..] if &**payload == "**" => true,
        [payload, key, ..] => &**payload == "payload" && may_be(key, &OUTCOME),
        [payload] => &**payload == "payload",
        [] => true,
    }
}

/// The names in conditions of actions.
pub(super) const ACTION_NAMES: [&str; 2] = ["params", "action"];

/// The answer of a selector or a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    /// The reason why nobody can tell.
    Unknown(Unjudged),
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

    Ok(Truth::Unknown(Unjudged {
        at: None,
        why: format!("`{key}` can't be evaluated: {why}"),
    }))
}

impl Unjudged {
    /// Returns the finding: at the value that can't be judged, in the record at a place of its
    /// document, or else at a place.
    pub(super) fn draft(&self, around: &Pointer, whole: Place) -> Draft {
        let place = match &self.at {
            Some(at) => Place {
                target: Target::Value(
                    at.tokens()
                        .fold(around.clone(), |at, token| at.field(&token)),
                ),
                ..whole
            },
            None => whole,
        };

        let draft = Draft::new(place, self.why.clone());
        match self.at {
            Some(_) => draft,
            None => draft.unjudged(),
        }
    }
}

impl TeamSelector {
    /// Returns `true` if it names tools, and events of any phase.
    pub(super) fn names_tools_in_any_phase(&self) -> bool {
        let has = |of: fn(&KeyPath) -> bool| {
            self.keys
                .tests
                .iter()
                .any(|(path, _)| of(path))
        };

        has(is_tool) && !has(is_phase)
    }

    /// Returns `true` if it looks at who made an event.
    pub(super) fn names_agent(&self) -> bool {
        self.keys
            .tests
            .iter()
            .any(|(path, _)| is_agent(path))
    }

    /// Returns the path of a value that an event may lack which it would name with another one.
    pub(super) fn lets_lacking_pass(&self) -> Option<&KeyPath> {
        self.keys
            .tests
            .iter()
            .find(|(_, wanted)| matches!(wanted, Wanted::NoneOf(_)))
            .map(|(path, _)| path)
    }

    /// Returns the path to values at any depth of which none may be one that is written.
    pub(super) fn bans_all_below(&self) -> Option<&KeyPath> {
        let is_ban =
            |wanted: &Wanted| matches!(wanted, Wanted::NoneOf(_) | Wanted::AbsentOrNoneOf(_));
        self.keys
            .tests
            .iter()
            .find(|(path, wanted)| path.is_deep() && is_ban(wanted))
            .map(|(path, _)| path)
    }

    /// Returns `true` if it may read what only the end of an act gives, or names no act.
    pub(super) fn reads_outcome(&self) -> bool {
        let mut keys = self.keys.tests.iter();
        self.depends_on_outcome()
            || keys.any(|(path, wanted)| {
                leads_to_outcome(path) || (is_phase(path) && !wanted.allows_text("act"))
            })
    }

    /// Returns `true` if what it names without the end of an act may not be named with that. What
    /// it finds at any depth of the inputs it also finds then, and a key that may be absent says
    /// itself what is so without that value.
    pub(super) fn depends_on_outcome(&self) -> bool {
        let mut conditions = self.condition.iter();
        let mut keys = self.keys.tests.iter();
        conditions.any(|it| reads_outcome(&it.expression, EVENT))
            || keys.any(|(path, wanted)| {
                let finds_any = matches!(wanted, Wanted::OneOf(_) | Wanted::Present);
                let names_without = matches!(wanted, Wanted::Absent | Wanted::AbsentOrNoneOf(_));
                let says_enough = names_without || (path.is_deep() && finds_any);
                leads_to_outcome(path) && !says_enough
            })
    }
}

/// Returns `true` if a path leads to who made an event.
pub(super) fn is_agent(path: &KeyPath) -> bool {
    matches!(path.tokens(), [agent] if &**agent == "agent_id")
}

fn is_tool(path: &KeyPath) -> bool {
    matches!(path.tokens(), [payload, tool] if &**payload == "payload" && &**tool == "tool")
}

fn is_phase(path: &KeyPath) -> bool {
    matches!(path.tokens(), [phase] if &**phase == "phase")
}

impl Condition {
    /// Asks it of a record that the keys of its selector name; its answer may be known.
    pub(super) fn ask(
        &self,
        record: &dyn Record,
        known: Option<&KnownAnswer>,
        budget: &mut Budget,
    ) -> Result<Truth, TeamLimit> {
        budget.add_record(record);
        let Some(KnownAnswer { is_met, taken }) = known else {
            return self.answer(record, budget);
        };
        budget
            .take(taken)
            .map_err(|_| TeamLimit::Steps)?;
        Ok(if *is_met { Truth::Yes } else { Truth::No })
    }

    /// Returns its answer for a record, if it has one that takes few steps.
    pub(super) fn known(&self, record: &dyn Record) -> Option<KnownAnswer> {
        let mut budget = Budget::of_record();
        let is_met = match self.answer(record, &mut budget) {
            Ok(Truth::Yes) => true,
            Ok(Truth::No) => false,
            _ => return None,
        };

        Some(KnownAnswer {
            is_met,
            taken: budget.taken(),
        })
    }

    fn answer(&self, record: &dyn Record, budget: &mut Budget) -> Result<Truth, TeamLimit> {
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
        self.expression
            .compared("if", &bound, &[], budget)
    }
}
