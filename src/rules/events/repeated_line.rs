//! `events/repeated-line`: a line of the timeline repeats the line before it.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::Run;
use crate::finding::Level;
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::{Line, Place};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/repeated-line",
    level: Level::Warning,
    title: "a line of the timeline repeats the line before it",
    hint: "Append each event once; where a write is tried again, first find out whether it succeeded.",
    page: include_str!("repeated_line.md"),
    check: Check::Run(check),
})
.reads(&[Record::Timeline]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(timeline) = run.timeline.read() else {
        return Compared::Nothing;
    };
    let (repeated, original) = (timeline.tally.repeated, timeline.tally.first_original);
    let (Some(first), Some(original)) = (repeated.first, original) else {
        return Compared::when(timeline.tally.events > 1);
    };
    let message = match repeated.number {
        1 => format!(
            "line {} is the same as line {}",
            first.number, original.number
        ),
        number => format!(
            "{number} lines are the same as the line before them; the first of them is line {}",
            first.number
        ),
    };
    let whole = |line: Line| Place::line_bytes(line, 0..line.length);
    let draft = Draft::new(whole(first), message).besides(&repeated.number);
    findings.push(draft.related(whole(original), "the line before it"));
    Compared::Something
}
