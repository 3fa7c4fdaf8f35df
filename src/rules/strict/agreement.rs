//! `strict/agreement`: the records disagree on what the run was given.

use std::borrow::Cow;

use crate::document::Number;
use crate::facts::{StartEvent, Value};
use crate::finding::SkipReason;
use crate::printable::{brief, quote};
use crate::rule::{BuiltIn, Compared, Context, Draft, Level, OnDemand, Place, Rule};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
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

/// What is compared: where the records have it, what it is, and how two values compare.
struct Field {
    name: &'static str,
    in_summary: &'static [&'static str],
    in_state: &'static [&'static str],
    in_start: fn(&StartEvent) -> Option<&String>,
    is_number: bool,
    are_equal: fn(&str, &str) -> bool,
}

const FIELDS: [Field; 3] = [
    Field {
        name: "seed",
        in_summary: &["seed"],
        in_state: &["episode", "seed"],
        in_start: |start| start.seed.as_ref(),
        is_number: true,
        are_equal: |a, b| Number::of(a).equals(Number::of(b)),
    },
    Field {
        name: "task",
        in_summary: &["task"],
        in_state: &["goal", "task"],
        in_start: |start| start.task.as_ref(),
        is_number: false,
        are_equal: |a, b| a == b,
    },
    Field {
        name: "using",
        in_summary: &["flags", "using"],
        in_state: &["episode", "using"],
        in_start: |start| start.using.as_ref(),
        is_number: false,
        are_equal: |a, b| adapter(a) == adapter(b),
    },
];

fn adapter(using: &str) -> &str {
    using.strip_prefix("adapter:").unwrap_or(using)
}

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
    for field in FIELDS {
        let in_summary = summary.and_then(|it| field.given(*it, field.in_summary));
        let in_state = state.and_then(|it| field.given(*it, field.in_state));
        let in_start = start.and_then(|it| Some((it.at.line, (field.in_start)(it)?)));
        let values = [
            in_summary.map(|(at, text)| ("summary", Place::summary(&at), text)),
            in_state.map(|(at, text)| ("state", Place::state(&at), text)),
            in_start.map(|(line, text)| {
                let place = Place::event(line, &format!("/payload/{}", field.name));
                ("`start` event", place, text.into())
            }),
        ];
        let values: Vec<Given<'_>> = values.into_iter().flatten().collect();
        compared = compared.or(Compared::when(values.len() > 1));
        for (index, one) in values.iter().enumerate() {
            for other in values.iter().skip(index + 1) {
                field.compare(one, other, ctx);
            }
        }
    }
    compared
}

impl Field {
    /// Returns the pointer to a value, and the value as a text.
    fn given<'a>(&self, record: Value<'a>, path: &[&str]) -> Option<(String, Cow<'a, str>)> {
        let text = if self.is_number {
            record.number(path)?.text().into()
        } else {
            record.text(path)?
        };
        Some((format!("/{}", path.join("/")), text))
    }

    fn compare(&self, one: &Given<'_>, other: &Given<'_>, ctx: &mut Context<'_>) {
        let (name, show) = (self.name, if self.is_number { brief } else { quote });
        let ((record, place, text), (other_record, other_place, other_text)) = (one, other);
        if (self.are_equal)(text, other_text) {
            return;
        }
        let message = format!(
            "`{name}` is {} in the {record}, but {} in the {other_record}",
            show(text),
            show(other_text)
        );
        let related = format!("`{name}` in the {other_record}");
        let draft = Draft::new(place.clone(), message);
        ctx.push(draft.related(other_place.clone(), related));
    }
}
