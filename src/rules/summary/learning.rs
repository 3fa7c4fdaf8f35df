//! `summary/learning`: the learning counts contradict each other or the learning timeline.

use crate::document::Number;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::{Artifact, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/learning",
    level: Level::Warning,
    title: "the learning counts contradict each other or the learning timeline",
    hint: "Count each proposal when it is written to learn.jsonl, and an applied one in both counts.",
    page: include_str!("learning.md"),
    check: Check::Run(check),
})
.reads(&[Record::Summary]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(summary) = run.summary.read() else {
        return Compared::Nothing;
    };
    let Some(proposals) = summary.learn_proposals() else {
        return Compared::Nothing;
    };
    let place = || Place::summary("/metrics/learn_proposals");
    let shown = || brief(proposals.text());
    if let Some(applied) = summary.metric("learn_applied")
        && applied.exceeds(proposals)
    {
        let message = format!(
            "`learn_applied` is {}, but `learn_proposals` is {}",
            brief(applied.text()),
            shown()
        );
        let draft = Draft::new(Place::summary("/metrics/learn_applied"), message);
        findings.push(draft.related(place(), "the number of proposals"));
    }
    if run.has_learned == Some(false) && !proposals.equals(Number::of("0")) {
        let why = if run.stage.entries.has(Artifact::Learn) {
            "learn.jsonl is empty"
        } else {
            "there is no learn.jsonl"
        };
        let message = format!("`learn_proposals` is {}, but {why}", shown());
        let draft = Draft::new(place(), message).besides(why);
        findings.push(draft.related(Place::whole(Artifact::Learn), "the learning timeline"));
    }
    Compared::Something
}
