//! `summary/vetoes`: the veto count is less than the vetoes that direction issued.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::SummaryFacts;
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/vetoes",
    level: Level::Warning,
    title: "the veto count is less than the vetoes that direction issued",
    hint: "Count every veto in `veto_count`, those of direction too.",
    page: include_str!("vetoes.md"),
    check: Check::Summary(check),
});

fn check(summary: SummaryFacts<'_>, findings: &mut Findings<'_>) -> Compared {
    let (Some(count), Some(vetoed)) = (summary.metric("veto_count"), summary.direction("vetoed"))
    else {
        return Compared::Nothing;
    };
    if vetoed.exceeds(count) {
        let message = format!(
            "`veto_count` is {}, but `flags.direction.vetoed` is {}",
            brief(count.text()),
            brief(vetoed.text())
        );
        let draft = Draft::new(Place::summary("/metrics/veto_count"), message);
        findings.push(draft.related(
            Place::summary("/flags/direction/vetoed"),
            "the vetoes that direction issued",
        ));
    }
    Compared::Something
}
