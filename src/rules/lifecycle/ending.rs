//! `lifecycle/ending`: a run that was vetoed or aborted is called a success.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{StateFacts, SummaryFacts};
use crate::finding::Level;
use crate::printable::quote;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/ending",
    level: Level::Warning,
    title: "a run that was vetoed or aborted is called a success",
    hint: "Write `metrics.success` 0 and another outcome than `success` for a run that was stopped.",
    page: include_str!("ending.md"),
    check: Check::Records(check),
});

fn check(
    state: StateFacts<'_>,
    summary: SummaryFacts<'_>,
    findings: &mut Findings<'_>,
) -> Compared {
    let Some(status) = state.status() else {
        return Compared::Nothing;
    };
    if !matches!(&*status, "vetoed" | "aborted") {
        return Compared::Nothing;
    }
    let success = (summary.success() == Some(true)).then_some((
        "`metrics.success` is 1",
        Place::summary("/metrics/success"),
        "the success flag",
    ));
    let outcome = (summary.outcome().as_deref() == Some("success")).then_some((
        "the outcome in the summary is \"success\"",
        Place::summary("/outcome"),
        "the outcome in the summary",
    ));
    let claims: Vec<_> = success.into_iter().chain(outcome).collect();
    if claims.is_empty() {
        return Compared::when(summary.success().is_some() || summary.outcome().is_some());
    }
    let says: Vec<&str> = claims.iter().map(|(says, ..)| *says).collect();
    let message = format!(
        "the status is {}, but {}",
        quote(&status),
        says.join(" and ")
    );
    let draft = Draft::new(Place::state("/outcomes/status"), message);
    findings.push(
        claims
            .into_iter()
            .fold(draft, |draft, (_, place, what)| draft.related(place, what)),
    );
    Compared::Something
}
