//! `events/second-start`: the timeline has a second start event.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Need, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/second-start",
    level: Level::Warning,
    title: "the timeline has a second start event",
    hint: "Emit `start` once for each run, also where a run is continued, and give each run its own timeline.",
    page: include_str!("second_start.md"),
    check: Check::Run(check),
})
.reads(&[Record::Timeline])
.needs(&[Need::WholeTimeline]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(timeline) = run.timeline.read() else {
        return Compared::Nothing;
    };
    let (starts, second) = (timeline.tally.starts, timeline.tally.second_start);
    let (Some(first), Some(second)) = (starts.first, second) else {
        return Compared::when(starts.number > 0);
    };
    let more = match starts.number {
        2 => String::new(),
        number => format!(", and there are {number} in all"),
    };
    let message = format!(
        "line {} has a second `start` event; the first is on line {}{more}",
        second.number, first.number
    );
    let draft = Draft::new(Place::event(second, "/phase"), message).besides(&starts.number);
    findings.push(draft.related(Place::event(first, "/phase"), "the first `start` event"));
    Compared::Something
}
