//! `strict/duplicate-key`: an event has the same key twice.

use crate::ground::source::{Artifact, Target};
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};
use crate::reading::facts::RepeatedEventKey;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/duplicate-key",
    level: Level::Off,
    title: "an event has the same key twice",
    hint: "Keep one of the two; readers differ on which one counts.",
    page: include_str!("duplicate_key.md"),
    check,
})
.reads(&[OnDemand::EveryEvent, OnDemand::RepeatedKeys]);

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let events = ctx.every_event()?;
    for repeated in events.repeated_keys.as_ref()? {
        ctx.push(draft(repeated));
    }
    Compared::when(events.events > 0)
}

fn draft(repeated: &RepeatedEventKey) -> Draft {
    let place = |token: u32| Place {
        line: Some(repeated.line),
        target: Target::Token(token, repeated.pointer.clone()),
        ..Place::whole(Artifact::Events)
    };

    let (name, line) = (&repeated.name, repeated.line.number);
    let message =
        format!("the key `{name}` appears twice in one object of the event on line {line}");

    Draft::new(place(repeated.key), message)
        .related(place(repeated.earlier), "the first occurrence")
}
