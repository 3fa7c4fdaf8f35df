//! `events/misspelled`: a key or the phase of an event is probably misspelled.

use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, Slip, SlipLines, Within};
use crate::finding::Level;
use crate::printable::{brief, quote};
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/misspelled",
    level: Level::Warning,
    title: "a key or the phase of an event is probably misspelled",
    hint: "Spell keys and phases as the record format does, or give them names that are less similar.",
    page: include_str!("misspelled.md"),
    check: Check::Run(check),
})
.reads(&[Record::Timeline]);

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let Some(timeline) = run.timeline.read() else {
        return Compared::Nothing;
    };
    let mut slips: Vec<_> = timeline.slips.iter().collect();
    slips.sort_by_key(|(_, lines)| lines.first);
    for (slip, lines) in slips {
        findings.push(draft(slip, lines));
    }
    if let Some((first, count)) = timeline.slips.more {
        let place = Place::event(first, "");
        let message = format!(
            "more keys and phases are probably misspelled, {count} times from line {} on",
            first.number
        );
        findings.push(Draft::new(place, message).besides(&count));
    }
    Compared::when(timeline.tally.events > 0)
}

fn draft(slip: &Slip, lines: &SlipLines) -> Draft {
    let (line, meant) = (lines.first.number, slip.meant);
    let also = match lines.count - 1 {
        0 => String::new(),
        1 => ", and 1 more line does too".to_owned(),
        more => format!(", and {more} more lines do too"),
    };
    let (message, help) = match slip.within {
        None => (
            format!(
                "line {line} has the phase {}{also}; did you mean `{meant}`?",
                quote(&slip.written)
            ),
            format!(
                "Write the phase as `{meant}`, if you mean that phase: under another name, runvet does not count it as `{meant}`."
            ),
        ),
        Some(within) => (
            match within {
                Within::Event => format!(
                    "the event on line {line} has `{}`, but no `{meant}`{also}",
                    brief(&slip.written)
                ),
                payload => format!(
                    "line {line} has `{}` in {payload}, but no `{meant}`{also}",
                    brief(&slip.written)
                ),
            },
            format!("Rename the key to `{meant}`, if that is what it means."),
        ),
    };
    Draft::new(slip.place(lines), message)
        .besides(&format!("{meant} {}", lines.count))
        .help(Some(help))
}
