//! `strict/learn`: a line of `learn.jsonl` is not a JSON object.

use crate::judge::load::Trouble;
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule,
};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/learn",
    level: Level::Off,
    title: "a line of `learn.jsonl` is not a JSON object",
    hint: "Write each record as one JSON object on its own line.",
    page: include_str!("learn.md"),
    check,
})
.reads(&[OnDemand::LearnLines]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    let learn = ctx.loaded().learn;
    ctx.usable(&learn.lines);
    Compared::when(learn.any_line)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::NotALearnRecord {
        line,
        span,
        why,
        content,
        lines,
    } = trouble
    else {
        return None;
    };

    let all = super::in_all(*lines, "lines are not JSON objects");
    let message = format!("line {} {why}{all}", line.number);
    let place = Place {
        line: Some(*line),
        ..Place::bytes(Artifact::Learn, span.clone())
    };

    Some(Draft::new(place, message).besides(&format!("{lines} {content}")))
}
