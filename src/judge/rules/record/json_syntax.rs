//! `record/json-syntax`: a record is not JSON.

use crate::ground::document::Refused;
use crate::judge::load::{LoadedRecord, NoText, Trouble};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/json-syntax",
    level: Level::Error,
    title: "a record is not JSON",
    hint: "Fix the text at this position. If it was cut off, replace the file in one step: write a temporary file, then rename it.",
    page: include_str!("json_syntax.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    let loaded = ctx.loaded();
    let is_read = |record: &LoadedRecord<'_>| {
        matches!(
            record.text,
            Ok(_) | Err(NoText::Refused(Refused::Syntax(_)))
        )
    };

    Compared::when(is_read(loaded.state) || is_read(loaded.summary))
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::NotJson {
        artifact,
        why,
        span,
        content,
    } = trouble
    else {
        return None;
    };

    let place = Place::bytes(*artifact, span.clone());
    let message = format!("{artifact} is not JSON: {why}");
    Some(
        Draft::new(place, message)
            .besides(content)
            .help(why.help(false)),
    )
}
