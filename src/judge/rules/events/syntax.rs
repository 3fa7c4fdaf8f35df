//! `events/syntax`: a line of the timeline is not a JSON object.

use crate::ground::document::Kind;
use crate::ground::printable::count as plural;
use crate::judge::load::{ArrayLines, Mistaken, MultiLineObjects, NotAnObject, Trouble};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/syntax",
    level: Level::Error,
    title: "a line of the timeline is not a JSON object",
    hint: "Write each event as one JSON object on its own line.",
    page: include_str!("syntax.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    super::lines(ctx)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    if let Trouble::MultiLineObjects(objects) = trouble {
        return Some(multi_line(objects));
    }
    if let Trouble::Mistaken(lines) = trouble {
        return Some(mistaken(lines));
    }

    let Trouble::NotAnEvent {
        line,
        span,
        why,
        content,
        array,
    } = trouble
    else {
        return None;
    };

    let number = line.number;
    let message = match (why, array) {
        (_, Some(ArrayLines { first, last })) if *first == number => {
            format!("lines {first}–{last} are one JSON array, not an event on each line")
        }
        (why, _) => format!("line {number} {why}"),
    };

    let help = match why {
        NotAnObject::NotJson(why) => why.help(true),
        NotAnObject::OtherKind(Kind::Array) => Some(
            "Write each item of the array as a line of its own, without the brackets and commas."
                .into(),
        ),
        NotAnObject::OtherKind(Kind::String) => Some(
            "If the text is an event, it is encoded twice: write `json.dumps(event)` as it is."
                .into(),
        ),
        NotAnObject::OtherKind(_) => None,
    };

    let draft = Draft::new(Place::line_bytes(*line, span.clone()), message);
    let help = array.map_or(help, |array| Some(array.help()));
    Some(draft.besides(content).help(help))
}

/// Returns a finding for lines, or a file, with something else in place of events.
fn mistaken(lines: &Mistaken) -> Draft {
    let Mistaken { line, why, .. } = lines;
    let message = match lines.lines - 1 {
        _ if lines.is_of_file => format!("events.jsonl is not JSON: {why}"),
        0 => format!("line {} is not JSON: {why}", line.number),
        more => {
            let more = plural(more, "more line");
            format!(
                "line {} is not JSON: {why}; the same holds for {more}",
                line.number
            )
        }
    };

    let draft = Draft::new(Place::line_bytes(*line, lines.span.clone()), message);
    // One line is known by its content, whatever is found to be the cause.
    let draft = match lines.lines {
        1 => draft.besides(&lines.content),
        number => draft.besides(&format!("{number} {}", lines.content)),
    };

    draft.help(why.help(true))
}

/// Returns a finding for objects that a pretty-printer wrote over several lines.
fn multi_line(objects: &MultiLineObjects) -> Draft {
    let MultiLineObjects { first, last, count } = objects;
    let line = first.number;
    let lines = format!("lines {line}–{last} are one object: write it on one line");
    let message = match count - 1 {
        0 => lines,
        more => format!(
            "{lines}; the same holds for {}",
            plural(more, "more object")
        ),
    };

    let help = "Write each event without line breaks, and a newline after it: `json.dumps(event)` in Python, without `indent`.";
    Draft::new(Place::line_bytes(*first, 0..first.length), message)
        .besides(count)
        .help(Some(help.into()))
}
