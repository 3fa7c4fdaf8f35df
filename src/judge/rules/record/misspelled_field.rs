//! `record/misspelled-field`: a field is probably misspelled.

use crate::ground::printable::brief;
use crate::judge::load::Trouble;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::judge::rules::record_rules;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/misspelled-field",
    level: Level::Warning,
    title: "a field is probably misspelled",
    hint: "Spell the field as the schema does, or give it a name that is less similar.",
    page: include_str!("misspelled_field.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    let (state, summary) = (
        record_rules::shape(ctx, Artifact::State),
        record_rules::shape(ctx, Artifact::Summary),
    );

    state.or(summary)
}

fn word(trouble: &Trouble) -> Option<Draft> {
    let Trouble::Misspelled {
        artifact,
        key,
        pointer,
        known,
    } = trouble
    else {
        return None;
    };

    let name = brief(key);
    let message = format!("`{name}` is not a known field, and `{known}` is absent");
    let help = format!("Rename the field to `{known}`, if that is what it means.");
    let draft = Draft::new(Place::key(*artifact, pointer.clone()), message);

    Some(draft.besides(known).help(Some(help)))
}
