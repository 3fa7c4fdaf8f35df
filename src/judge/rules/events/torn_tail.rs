//! `events/torn-tail`: the last line of the timeline was cut off.

use crate::ground::document::SyntaxErrorKind;
use crate::judge::load::Trouble;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "events/torn-tail",
    level: Level::Error,
    title: "the last line of the timeline was cut off",
    hint: "Find out what stopped the writer (a crash, a full disk) and repeat the run; the event is lost.",
    page: include_str!("torn_tail.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    super::tail(ctx, false)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::TornTail { line, error, array } = trouble else {
        return None;
    };
    let message = format!("the last line ends without a newline and is not JSON: {error}");
    let place = Place::line_bytes(*line, 0..line.length);
    let is_lost = error.kind == SyntaxErrorKind::NulBytes;
    let advice = || {
        error
            .kind
            .advice(true)
            .filter(|_| is_lost)
    };

    let help = array.map_or_else(|| advice().map(str::to_owned), |it| Some(it.help()));
    Some(Draft::new(place, message).help(help))
}
