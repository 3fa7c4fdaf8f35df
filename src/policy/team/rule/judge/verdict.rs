//! The expressions of a rule, and the values of its names -> its verdict.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::TeamRule;
use super::RuleJudge;
use crate::ground::draft::{Compared, Findings};
use crate::ground::finding::SkipReason;
use crate::policy::expression::{Budget, Stop, Value};
use crate::policy::team::RunFacts;
use crate::policy::team::events::EventSelector;
use crate::policy::team::judge::Judge;
use crate::policy::team::limit::TeamLimit;
use crate::policy::team::selector::{TeamSelector, Truth, ask};

/// The outcome of the evaluation of a rule.
pub(super) enum RuleVerdict {
    /// The guard is false.
    NotAsked,
    Sound,
    /// The text that the expression gives, if it does.
    Wrong(Option<String>),
    /// The reason why an expression can't be evaluated.
    Unjudged(String),
}

impl Judge for RuleJudge {
    fn report(&self, run: Option<&RunFacts<'_>>, findings: &mut Findings<'_>) -> Option<Compared> {
        if let Some(reason) = run.and_then(|run| self.cannot_judge(run)) {
            findings.skip(&reason);
            return None;
        }

        let compared = self.found.report(findings);
        if let Some(spent) = self.spent {
            findings.skip(&SkipReason::bound(&spent));
        }

        compared
    }

    /// Returns the selectors of the events that it judges, and of those that it asks for, each
    /// once.
    fn selectors(&self) -> Vec<(&'static str, &EventSelector, bool)> {
        let mut names = BTreeSet::new();
        let asked = self
            .rule
            .check
            .folds()
            .iter()
            .map(|fold| &*fold.of)
            .zip(&self.keys.asked)
            .filter(|(name, _)| names.insert(*name))
            // Nobody can tell if an expression wants earlier events.
            .map(|(_, asked)| ("earlier", &asked.selector, true));
        let each = self
            .each
            .iter()
            .map(|each| ("each", each, false));
        let since = self
            .keys
            .since
            .iter()
            .map(|since| ("since", &since.selector, true));

        each.chain(asked).chain(since).collect()
    }

    fn depends_on_outcome(&self) -> bool {
        self.rule
            .depends(TeamSelector::depends_on_outcome)
    }

    fn is_simple(&self) -> bool {
        match self.rule.check.folds() {
            [] => true,
            [fold] => self.rule.since.is_none() && fold.is_simple(),
            _ => false,
        }
    }

    fn room(&self) -> usize {
        self.earlier.room()
    }

    fn stop(&mut self) {
        self.spent
            .get_or_insert(TeamLimit::Room);
        self.earlier = Arc::default();
    }
}

/// Evaluates the expressions.
pub(super) fn verdict<'a>(
    rule: &'a TeamRule,
    bound: &'a [Value<'a>],
    folded: &'a [Result<Value<'a>, String>],
    has_time: bool,
    budget: &mut Budget,
) -> Result<RuleVerdict, TeamLimit> {
    if let Some(when) = &rule.when {
        match ask("when", when, bound, budget)? {
            Truth::Yes => {}
            Truth::No => return Ok(RuleVerdict::NotAsked),
            Truth::Unknown(unjudged) => return Ok(RuleVerdict::Unjudged(unjudged.why)),
        }
    }

    if !has_time {
        let why = "the event has no instant, so nobody can tell which earlier events are within the time of the rule";
        return Ok(RuleVerdict::Wrong(Some(why.to_owned())));
    }

    let why = match rule
        .check
        .evaluate(bound, folded, budget)
    {
        Ok(Value::Bool(true)) => return Ok(RuleVerdict::Sound),
        Ok(Value::Bool(false)) => return Ok(RuleVerdict::Wrong(None)),
        Ok(Value::Text(text)) if text.is_empty() => return Ok(RuleVerdict::Sound),
        Ok(Value::Text(text)) => return Ok(RuleVerdict::Wrong(Some(text.into_owned()))),
        Ok(other) => format!(
            "its value is {}, not a bool or a string",
            other.shown_type()
        ),
        Err(Stop::Spent) => return Err(TeamLimit::Steps),
        Err(Stop::Failed(failure)) => rule.check.describe(&failure),
    };

    let why = format!("`check` can't be evaluated: {why}");
    Ok(RuleVerdict::Unjudged(why))
}
