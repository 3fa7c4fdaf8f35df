//! `events/syntax`: a line of the timeline is not a JSON object.

use crate::document::Kind;
use crate::load::{ArrayLines, NotAnEvent, SpreadObjects, Trouble};
use crate::printable::count as plural;
use crate::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
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
    if let Trouble::SpreadObjects(objects) = trouble {
        return Some(spread(objects));
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
        (NotAnEvent::NotJson(error), _) => format!("line {number} is not JSON: {error}"),
        (NotAnEvent::NotAnObject(kind), _) => {
            format!("line {number} is {}, not an object", kind.with_article())
        }
    };
    let help = match why {
        NotAnEvent::NotJson(error) => error.kind.advice(),
        NotAnEvent::NotAnObject(Kind::Array) => Some(
            "Write each item of the array as a line of its own, without the brackets and commas.",
        ),
        NotAnEvent::NotAnObject(_) => None,
    };
    let draft = Draft::new(Place::line_bytes(*line, span.clone()), message);
    let help = array.map_or_else(|| help.map(str::to_owned), |array| Some(array.help()));
    Some(draft.besides(content).help(help))
}

/// Objects that a pretty-printer has spread over lines.
fn spread(objects: &SpreadObjects) -> Draft {
    let SpreadObjects { first, last, count } = objects;
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
