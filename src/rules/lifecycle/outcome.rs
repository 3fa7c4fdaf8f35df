//! `lifecycle/outcome`: the records disagree on how the run ended.

use std::borrow::Cow;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, StateFacts, SummaryFacts, Value, show};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/outcome",
    level: Level::Error,
    title: "the records disagree on how the run ended",
    hint: "Derive the status, the outcome, the success flag and the veto count from the same result.",
    page: include_str!("outcome.md"),
    check: Check::Run(check),
})
.reads(&[Record::State, Record::Summary]);

/// What the two records say of the end.
struct Ending<'a> {
    status: Option<Cow<'a, str>>,
    outcome: Option<Cow<'a, str>>,
    success: Option<bool>,
}

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let (state, summary) = (run.state.read(), run.summary.read());
    let ending = Ending {
        status: state.and_then(StateFacts::status),
        outcome: summary.and_then(SummaryFacts::outcome),
        success: summary.and_then(SummaryFacts::success),
    };
    ending.status_and_outcome(findings);
    if let (Some("ok"), Some(state)) = (ending.status.as_deref(), state) {
        ok_with_error(state, findings);
    }
    ending.success(findings);
    if summary.is_some_and(SummaryFacts::no_vetoes) {
        vetoes(ending.status.as_deref(), state, findings);
    }
    ending.compared(summary, state)
}

impl Ending<'_> {
    /// Whether more than one record says how the run ended.
    fn compared(
        &self,
        summary: Option<SummaryFacts<'_>>,
        state: Option<StateFacts<'_>>,
    ) -> Compared {
        let [status, outcome, success] = [
            self.status.is_some(),
            self.outcome.is_some(),
            self.success.is_some(),
        ];
        let pairs = (status && (outcome || success)) || (outcome && success);
        let vetoes = state.is_some() && summary.is_some_and(SummaryFacts::no_vetoes);
        Compared::when(pairs || vetoes || self.status.as_deref() == Some("ok"))
    }

    fn status_and_outcome(&self, findings: &mut Findings<'_>) {
        let message = match (self.status.as_deref(), self.outcome.as_deref()) {
            (Some("error"), Some(other)) if other != "error" => format!(
                "the status is \"error\", but the outcome in the summary is {}",
                quote(other)
            ),
            (Some("ok"), Some("error")) => {
                "the status is \"ok\", but the outcome in the summary is \"error\"".into()
            }
            _ => return,
        };
        let draft = Draft::new(status(), message);
        findings.push(draft.related(Place::summary("/outcome"), "the outcome in the summary"));
    }

    fn success(&self, findings: &mut Findings<'_>) {
        let outcome = || Place::summary("/outcome");
        let (place, message) = match (
            self.status.as_deref(),
            self.outcome.as_deref(),
            self.success,
        ) {
            (Some("error"), _, Some(true)) => (
                status(),
                "the status is \"error\", but `metrics.success` is 1",
            ),
            (_, Some("error"), Some(true)) => (
                outcome(),
                "the outcome is \"error\", but `metrics.success` is 1",
            ),
            (_, Some("success"), Some(false)) => (
                outcome(),
                "the outcome is \"success\", but `metrics.success` is 0",
            ),
            _ => return,
        };
        let draft = Draft::new(place, message);
        findings.push(draft.related(Place::summary("/metrics/success"), "the success flag"));
    }
}

fn status() -> Place {
    Place::state("/outcomes/status")
}

fn ok_with_error(state: StateFacts<'_>, findings: &mut Findings<'_>) {
    let error = state.fact(&["outcomes", "error"]);
    if let Some(error) = error.filter(|error| !error.node().is_null()) {
        let message = format!(
            "the status is \"ok\", but `outcomes.error` is {}",
            show(error.node())
        );
        let draft = Draft::new(status(), message);
        findings.push(draft.related(Place::state("/outcomes/error"), "the error"));
    }
}

/// Nothing was vetoed, by the summary's count.
fn vetoes(of_run: Option<&str>, state: Option<StateFacts<'_>>, findings: &mut Findings<'_>) {
    let is_vetoed = |step: Value<'_>| step.text(&["status"]).as_deref() == Some("vetoed");
    let draft = if of_run == Some("vetoed") {
        Draft::new(
            status(),
            "the status is \"vetoed\", but `metrics.veto_count` is 0",
        )
    } else {
        let steps = state.and_then(StateFacts::steps);
        let Some(index) = steps.into_iter().flatten().position(is_vetoed) else {
            return;
        };
        let pointer = Pointer::new("/plan/steps").item(index).field("status");
        let message = format!(
            "`{}` is \"vetoed\", but `metrics.veto_count` is 0",
            pointer.dotted()
        );
        Draft::new(Place::value(Artifact::State, pointer), message)
    };
    findings.push(draft.related(Place::summary("/metrics/veto_count"), "the veto count"));
}
