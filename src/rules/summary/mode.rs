//! `summary/mode`: a run in minimal mode has data that only meta mode writes.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "summary/mode",
    level: Level::Warning,
    title: "a run in minimal mode has data that only meta mode writes",
    hint: "Set `flags.mode` to `meta`, or remove the direction and insight data.",
    page: include_str!("mode.md"),
    check: Check::Run(check),
})
.reads(&[Record::Summary, Record::Timeline]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(summary) = run.summary.read() else {
        return Compared::Nothing;
    };
    if summary.text(&["flags", "mode"]).as_deref() != Some("minimal") {
        return Compared::Nothing;
    }
    let direction = summary
        .fact(&["flags", "direction"])
        .map(|_| ("`flags.direction`", Place::summary("/flags/direction")));
    let insight = summary
        .fact(&["insight"])
        .map(|_| ("`insight`", Place::summary("/insight")));
    let event = run
        .timeline
        .read()
        .and_then(|timeline| timeline.tally.directions.first);
    let event = event.map(|line| ("`direction` events", Place::event(line, "/phase")));
    let present: Vec<_> = [direction, insight, event].into_iter().flatten().collect();
    if !present.is_empty() {
        let names: Vec<&str> = present.iter().map(|(name, _)| *name).collect();
        let draft = Draft::new(
            Place::summary("/flags/mode"),
            format!(
                "`flags.mode` is \"minimal\", but the run has {}",
                names.join(" and ")
            ),
        );
        findings.push(
            present
                .into_iter()
                .fold(draft, |draft, (name, place)| draft.related(place, name)),
        );
    }
    Compared::Something
}
