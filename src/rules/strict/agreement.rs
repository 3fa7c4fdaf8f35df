//! `strict/agreement`: the records disagree on what the run was given.

use std::borrow::Cow;

use crate::document::Number;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Run, StartEvent, Value};
use crate::finding::{Level, SkipReason};
use crate::printable::{brief, quote};
use crate::rule::{BuiltIn, Check, Record, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "strict/agreement",
    level: Level::Off,
    title: "the records disagree on what the run was given",
    hint: "Copy the seed, the task and the adapter from the configuration of the run to all records.",
    page: include_str!("agreement.md"),
    check: Check::Run(check),
})
.reads(&[Record::State, Record::Summary, Record::EveryEvent])
.follows_from(&["start", "phase"]);

/// A value in one of the records.
struct Given<'a> {
    record: &'static str,
    place: Place,
    text: Cow<'a, str>,
}

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

fn check(run: &Run<'_>, findings: &mut Findings<'_>) -> Compared {
    let mut start = run.strict.and_then(|strict| strict.start.as_ref());
    // The first start event may have been on a line that is not an event.
    let timeline = run.timeline.read();
    if let Some(line) = timeline.and_then(|timeline| timeline.broken_line) {
        findings.skip(&SkipReason::no_event(line.number));
        start = None;
    }
    let mut compared = Compared::Nothing;
    for field in FIELDS {
        let values = [
            run.summary.read().and_then(|summary| {
                let place = Place::summary(&pointer(field.in_summary));
                field.given("summary", place, *summary, field.in_summary)
            }),
            run.state.read().and_then(|state| {
                let place = Place::state(&pointer(field.in_state));
                field.given("state", place, *state, field.in_state)
            }),
            start.and_then(|start| {
                Some(Given {
                    record: "`start` event",
                    place: Place::event(start.at.line, &format!("/payload/{}", field.name)),
                    text: Cow::Borrowed((field.in_start)(start)?),
                })
            }),
        ];
        if values.iter().flatten().count() > 1 {
            compared = Compared::Something;
        }
        field.compare(values, findings);
    }
    compared
}

fn pointer(path: &[&str]) -> String {
    format!("/{}", path.join("/"))
}

impl Field {
    fn given<'a>(
        &self,
        record: &'static str,
        place: Place,
        value: Value<'a>,
        path: &[&str],
    ) -> Option<Given<'a>> {
        let text = if self.is_number {
            Cow::Borrowed(value.number(path)?.text())
        } else {
            value.text(path)?
        };
        Some(Given {
            record,
            place,
            text,
        })
    }

    /// Compares each value with each that comes after it.
    fn compare(&self, values: [Option<Given<'_>>; 3], findings: &mut Findings<'_>) {
        let show = if self.is_number { brief } else { quote };
        let values: Vec<Given<'_>> = values.into_iter().flatten().collect();
        for (index, one) in values.iter().enumerate() {
            for other in values.iter().skip(index + 1) {
                if (self.are_equal)(&one.text, &other.text) {
                    continue;
                }
                let message = format!(
                    "`{}` is {} in the {}, but {} in the {}",
                    self.name,
                    show(&one.text),
                    one.record,
                    show(&other.text),
                    other.record
                );
                let draft = Draft::new(one.place.clone(), message);
                findings.push(draft.related(
                    other.place.clone(),
                    format!("`{}` in the {}", self.name, other.record),
                ));
            }
        }
    }
}
