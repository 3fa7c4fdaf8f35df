//! `events/misspelled`: a key or the phase of an event is probably misspelled.

use crate::ground::printable::{brief, quote};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::{Typo, TypoLines, WordOwner};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/misspelled",
    level: Level::Warning,
    title: "a key or the phase of an event is probably misspelled",
    hint: "Spell keys and phases as the record format does, or give them names that are less similar.",
    page: include_str!("misspelled.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let timeline = ctx.timeline()?;
    let mut typos: Vec<_> = timeline.kept.typos.iter().collect();
    typos.sort_by_key(|(_, lines)| lines.first);
    for (typo, lines) in typos {
        ctx.push(draft(typo, lines));
    }

    if let Some((first, count)) = timeline.kept.typos.more {
        let place = Place::event(first, "");
        let line = first.number;
        let message = format!(
            "more keys and phases are probably misspelled, {count} times from line {line} on"
        );
        ctx.push(Draft::new(place, message).besides(&count));
    }

    Compared::when(timeline.kept.tally.events > 0)
}

fn draft(typo: &Typo, lines: &TypoLines) -> Draft {
    let (line, meant, count) = (lines.first.number, typo.meant, lines.count);
    let also = match count - 1 {
        0 => String::new(),
        1 => ", and 1 more line does too".to_owned(),
        more => format!(", and {more} more lines do too"),
    };

    let key = brief(&typo.written);
    let message = match typo.within {
        None => {
            let phase = quote(&typo.written);
            format!("line {line} has the phase {phase}{also}; did you mean `{meant}`?")
        }
        Some(WordOwner::Event) => {
            format!("the event on line {line} has `{key}`, but no `{meant}`{also}")
        }
        Some(payload) => format!("line {line} has `{key}` in {payload}, but no `{meant}`{also}"),
    };

    let help = match typo.within {
        None => format!(
            "Write the phase as `{meant}`, if you mean that phase: under another name, runvet does not count it as `{meant}`."
        ),
        Some(_) => format!("Rename the key to `{meant}`, if that is what it means."),
    };

    Draft::new(typo.place(lines), message)
        .besides(&format!("{meant} {count}"))
        .help(Some(help))
}
