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

/// A value that a record gives.
struct Given<'a> {
    record: &'static str,
    place: Place,
    text: Cow<'a, str>,
}

/// The values that are compared, and their paths in the summary and in the state.
const FIELDS: [(&str, &str, &str); 3] = [
    ("seed", "/seed", "/episode/seed"),
    ("task", "/task", "/goal/task"),
    ("using", "/flags/using", "/episode/using"),
];

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, summary) = (ctx.state(), ctx.summary());
    let mut start = ctx
        .every_event()
        .and_then(|events| events.start.as_ref());
    // The first start event may have been on a line that is not an event.
    let timeline = ctx.timeline();
    if let Some(line) = timeline.and_then(|timeline| timeline.kept.broken_line) {
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
    let value = keys
        .try_fold(record, Value::get)?
        .fact()?;
    let text = if pointer.ends_with("/seed") {
        value.number()?.text().into()
    } else {
        value.string()?
    };
    Some(Given {
        record: name,
        place: Place::value(artifact, pointer.into()),
        text,
    })
}

fn given_at_start<'a>(start: &'a StartEvent, name: &str) -> Option<Given<'a>> {
    let text = match name {
        "seed" => &start.seed,
        "task" => &start.task,
        _ => &start.using,
    };
    Some(Given {
        record: "`start` event",
        place: Place::event(start.at.line, format!("/payload/{name}")),
        text: text.as_ref()?.into(),
    })
}

fn adapter(using: &str) -> &str {
    using
        .strip_prefix("adapter:")
        .unwrap_or(using)
}

/// Adds a finding where two records differ.
fn compare(name: &str, one: &Given<'_>, other: &Given<'_>, ctx: &mut Context<'_>) {
    let are_equal = match name {
        "seed" => Number::of(&one.text).equals(Number::of(&other.text)),
        "task" => one.text == other.text,
        _ => adapter(&one.text) == adapter(&other.text),
    };
    if !are_equal {
        let show = if name == "seed" { brief } else { quote };
        let message = format!(
            "`{name}` is {} in the {}, but {} in the {}",
            show(&one.text),
            one.record,
            show(&other.text),
            other.record
        );
        let related = format!("`{name}` in the {}", other.record);
        ctx.push(Draft::new(one.place.clone(), message).related(other.place.clone(), related));
    }
}
