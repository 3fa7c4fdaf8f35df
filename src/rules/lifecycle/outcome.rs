//! `lifecycle/outcome`: the records disagree on how the run ended.

use crate::facts::{Run, StateFacts, SummaryFacts, show};
use crate::finding::{RuleInfo, Severity};
use crate::printable::quote;
use crate::rule::{Check, Draft, Findings, Need, Record, Rule};
use crate::source::{Artifact, Place, Pointer};

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "lifecycle/outcome",
        severity: Severity::Error,
        title: "the records disagree on how the run ended",
        hint: "Derive the status, the outcome, the success flag and the veto count from the same result.",
        page: include_str!("outcome.md"),
    },
    check: Check::Run(check),
    reads: &[Record::State, Record::Summary],
    needs: &[Need::Lifecycle],
};

fn check(run: &Run<'_>, findings: &mut Findings<'_>) {
    let status = run.state.read().and_then(StateFacts::status);
    let status = status.as_deref();
    let summary = run.summary.read();
    let outcome = summary.and_then(SummaryFacts::outcome);
    let outcome = outcome.as_deref();
    let success = summary.and_then(SummaryFacts::success);
    let at_status = || Place::state("/outcomes/status");
    let at_outcome =
        |draft: Draft| draft.related(Place::summary("/outcome"), "the outcome in the summary");
    let at_success =
        |draft: Draft| draft.related(Place::summary("/metrics/success"), "the success flag");

    if let (Some("error"), Some(other)) = (status, outcome.filter(|outcome| *outcome != "error")) {
        findings.push(at_outcome(Draft::new(
            at_status(),
            format!(
                "the status is \"error\", but the outcome in the summary is {}",
                quote(other)
            ),
        )));
    }
    if let (Some("ok"), Some("error")) = (status, outcome) {
        findings.push(at_outcome(Draft::new(
            at_status(),
            "the status is \"ok\", but the outcome in the summary is \"error\"",
        )));
    }
    let error = run
        .state
        .read()
        .and_then(|state| state.fact(&["outcomes", "error"]))
        .filter(|error| !error.node().is_null());
    if let (Some("ok"), Some(error)) = (status, error) {
        let message = format!(
            "the status is \"ok\", but `outcomes.error` is {}",
            show(error.node())
        );
        findings.push(
            Draft::new(at_status(), message).related(Place::state("/outcomes/error"), "the error"),
        );
    }
    if success == Some(true) {
        if status == Some("error") {
            findings.push(at_success(Draft::new(
                at_status(),
                "the status is \"error\", but `metrics.success` is 1",
            )));
        } else if outcome == Some("error") {
            findings.push(at_success(Draft::new(
                Place::summary("/outcome"),
                "the outcome is \"error\", but `metrics.success` is 1",
            )));
        }
    }
    if (outcome, success) == (Some("success"), Some(false)) {
        findings.push(at_success(Draft::new(
            Place::summary("/outcome"),
            "the outcome is \"success\", but `metrics.success` is 0",
        )));
    }
    if summary.is_some_and(SummaryFacts::no_vetoes) {
        let at_count =
            |draft: Draft| draft.related(Place::summary("/metrics/veto_count"), "the veto count");
        let steps = run.state.read().and_then(StateFacts::steps);
        let vetoed = steps
            .into_iter()
            .flatten()
            .position(|step| step.text(&["status"]).as_deref() == Some("vetoed"));
        if status == Some("vetoed") {
            findings.push(at_count(Draft::new(
                at_status(),
                "the status is \"vetoed\", but `metrics.veto_count` is 0",
            )));
        } else if let Some(index) = vetoed {
            let pointer = Pointer::new("/plan/steps").item(index).field("status");
            let message = format!(
                "`{}` is \"vetoed\", but `metrics.veto_count` is 0",
                pointer.dotted()
            );
            findings.push(at_count(Draft::new(
                Place::value(Artifact::State, pointer),
                message,
            )));
        }
    }
}
