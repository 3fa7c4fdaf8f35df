//! `record/duplicate-key`: an object has the same key twice.

use crate::ground::source::Target;
use crate::judge::load::Trouble;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/duplicate-key",
    level: Level::Error,
    title: "an object has the same key twice",
    hint: "Keep one of the two; readers differ on which one counts.",
    page: include_str!("duplicate_key.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    let _ = (ctx.state(), ctx.summary());
    let loaded = ctx.loaded();
    Compared::when(loaded.state.is_read() || loaded.summary.is_read())
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::RepeatedKey {
        artifact,
        name,
        pointer,
        key,
        earlier,
    } = trouble
    else {
        return None;
    };

    let place = |token: u32| Place {
        target: Target::Token(token, pointer.clone()),
        ..Place::whole(*artifact)
    };

    let message = format!("the key `{name}` appears twice in one object");
    Some(Draft::new(place(*key), message).related(place(*earlier), "the first occurrence"))
}
