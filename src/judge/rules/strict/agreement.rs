//! `strict/agreement`: the records disagree on what the run was given.

use std::borrow::Cow;

use crate::ground::document::Number;
use crate::ground::finding::SkipReason;
use crate::ground::printable::{brief, quote};
use crate::judge::rule::{
    Artifact, BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule,
};
use crate::reading::facts::{StartEvent, Value};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/agreement",
    level: Level::Off,
    title: "the records disagree on what the run was given",
    hint: "Copy the seed, the task and the adapter from the configuration of the run to all records.",
    page: include_str!("agreement.md"),
    check,
})
.reads(&[OnDemand::EveryEvent])
.follows_from(&["start", "phase"]);

/// The name of a record, the place of a value in it, and the value.
type Given<'a> = (&'static str, Place, Cow<'a, str>);

/// The values that are compared, and their paths in the summary and in the state.
const FIELDS: [(&str, &str, &str); 3] = [
    ("seed", "/seed", "/episode/seed"),
    ("task", "/task", "/goal/task"),
    ("using", "/flags/using", "/episode/using"),
];

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state(), ctx.summary());
    let mut start = ctx.every_event().and_then(|events| events.start.as_ref());
    // The first start event may have been on a line that is not an event.
    let timeline = ctx.timeline();
    if let Some(line) = timeline.and_then(|timeline| timeline.broken_line) {
        ctx.skip(&SkipReason::no_event(line.number));
        start = None;
    }
    let mut compared = None;
    for (name, in_summary, in_state) in FIELDS {
        let values = [
            summary.and_then(|it| given("summary", Artifact::Summary, it.root(), in_summary)),
            state.and_then(|it| given("state", Artifact::State, it.root(), in_state)),
            start.and_then(|it| given_at_start(it, name)),
        ];
        let values: Vec<Given<'_>> = values.into_iter().flatten().collect();
        compared = compared.or(Compared::when(values.len() > 1));
        for (index, one) in values.iter().enumerate() {
            for other in values.iter().skip(index + 1) {
                compare(name, one, other, ctx);
            }
        }
    }
    compared
}

/// Returns the value in a record: the seed is a number, all else is text.
fn given<'a>(
    name: &'static str,
    artifact: Artifact,
    record: Value<'a>,
    pointer: &'static str,
) -> Option<Given<'a>> {
    let mut keys = pointer.split('/').skip(1);
    let value = keys.try_fold(record, Value::get)?.fact()?;
    let text = if pointer.ends_with("/seed") {
        value.number()?.text().into()
    } else {
        value.string()?
    };
    Some((name, Place::value(artifact, pointer.into()), text))
}

fn given_at_start<'a>(start: &'a StartEvent, name: &str) -> Option<Given<'a>> {
    let text = match name {
        "seed" => &start.seed,
        "task" => &start.task,
        _ => &start.using,
    };
    let place = Place::event(start.at.line, format!("/payload/{name}"));
    Some(("`start` event", place, text.as_ref()?.into()))
}

fn adapter(using: &str) -> &str {
    using.strip_prefix("adapter:").unwrap_or(using)
}

/// Adds a finding where two records differ.
fn compare(name: &str, one: &Given<'_>, other: &Given<'_>, ctx: &mut Context<'_>) {
    let ((record, place, text), (other_record, other_place, other_text)) = (one, other);
    let are_equal = match name {
        "seed" => Number::of(text).equals(Number::of(other_text)),
        "task" => text == other_text,
        _ => adapter(text) == adapter(other_text),
    };
    if !are_equal {
        let show = if name == "seed" { brief } else { quote };
        let (text, other_text) = (show(text), show(other_text));
        let message =
            format!("`{name}` is {text} in the {record}, but {other_text} in the {other_record}");
        let related = format!("`{name}` in the {other_record}");
        ctx.push(Draft::new(place.clone(), message).related(other_place.clone(), related));
    }
}
