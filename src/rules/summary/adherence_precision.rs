//! `summary/adherence-precision`: the plan adherence has more than 4 decimal places.

use crate::draft::{Compared, Findings};
use crate::facts::SummaryFacts;
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/adherence-precision",
    level: Level::Warning,
    title: "the plan adherence has more than 4 decimal places",
    hint: "Round `plan_adherence` to 4 decimal places.",
    page: include_str!("adherence_precision.md"),
    check: Check::Summary(check),
});

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(adherence) = summary.number(&["insight", "metrics", "plan_adherence"]) else {
        return Compared::Nothing;
    };
    if adherence.decimals() > 4 {
        let message = format!(
            "`plan_adherence` is {}, which has {} decimal places",
            brief(adherence.text()),
            adherence.decimals()
        );
        findings.at(Place::summary("/insight/metrics/plan_adherence"), message);
    }
    Compared::Something
}
