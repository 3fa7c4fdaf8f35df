//! Hostile records -> the work of checking them, counted: it grows as they do, and no faster.

#![cfg(test)]

use super::Gate;
use crate::ground::document::work;
use crate::ground::source::Artifact;

/// Records of a size that depends on a number.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) state: fn(usize) -> String,
    pub(crate) events: fn(usize) -> String,
    /// The number of findings of a rule at a size, which show that the rule went through all of it.
    found: (&'static str, fn(usize) -> usize),
}

/// Returns a state with these outcomes beside the status, and this plan.
fn state(outcomes: &str, steps: &str) -> String {
    format!(
        r#"{{"version":"1.0","outcomes":{{"status":"ok"{outcomes}}},"plan":{{"steps":[{steps}]}}}}"#
    )
}

/// Returns an event with these fields in its payload.
fn event(phase: &str, payload: &str) -> String {
    format!(
        r#"{{"phase":"{phase}","event_type":"run.state_projection","timestamp":"2025-01-01T00:00:00Z","payload":{{{payload}}}}}
"#
    )
}

/// Returns items with their number in the place of `$`, separated by commas.
fn many(count: usize, item: &str) -> String {
    let items: Vec<String> = (0..count)
        .map(|index| item.replace('$', &index.to_string()))
        .collect();
    items.join(",")
}

/// Returns a number of spellings of one long text.
fn escaped(count: usize) -> String {
    "\\u0061".repeat(count)
}

pub(crate) const SHAPES: [Shape; 9] = [
    Shape {
        name: "actions that share the id of a long event",
        state: |n| {
            state(
                &format!(r#","actions":[{}]"#, many(n, r#"{"id":"a","tool":"x"}"#)),
                "",
            )
        },
        events: |n| {
            event(
                "act",
                &format!(r#""id":"a","tool":"y","blob":[{}]"#, many(50 * n, "0")),
            )
        },
        found: ("actions/mirror", |n| 2 * n),
    },
    Shape {
        name: "actions that share the id of an event with long values",
        state: |n| {
            let action =
                r#"{"id":"a","timestamp":"2025-01-01T00:00:00Z","tool":"x","x-n":1,"x-o":{"$":2}}"#;
            state(&format!(r#","actions":[{}]"#, many(n, action)), "")
        },
        events: |n| {
            let (text, keys, digits) = (escaped(50 * n), many(50 * n, r#""$":1"#), "0".repeat(n));
            let payload = format!(r#""id":"a","tool":"{text}","x-n":2.0{digits},"x-o":{{{keys}}}"#);
            event("act", &payload)
        },
        found: ("actions/mirror", |n| 3 * n),
    },
    Shape {
        name: "an action and its event with many keys of their own",
        state: |n| {
            let keys = many(n, r#""x-$":1"#);
            state(&format!(r#","actions":[{{"id":"a",{keys}}}]"#), "")
        },
        events: |n| event("act", &format!(r#""id":"a",{}"#, many(n, r#""x-$":2"#))),
        found: ("actions/mirror", |n| n + 1),
    },
    Shape {
        name: "many events of an action with many keys of its own",
        state: |n| {
            let keys = many(n, r#""own-$":1"#);
            state(
                &format!(r#","actions":[{{"id":"a",{keys},"tool":"x"}}]"#),
                "",
            )
        },
        events: |n| event("act", r#""id":"a","tool":"y""#).repeat(n),
        found: ("actions/mirror", |_| 2),
    },
    Shape {
        name: "pairs of actions whose ids alternate",
        state: |n| {
            let pair = r#"{"id":"a"},{"id":"b"}"#;
            state(&format!(r#","actions":[{}]"#, many(n, pair)), "")
        },
        events: |n| {
            let payload = |id: &str| format!(r#""id":"{id}","blob":[{}]"#, many(50 * n, "0"));
            [event("act", &payload("a")), event("act", &payload("b"))].concat()
        },
        found: ("actions/mirror", |n| 2 * n),
    },
    Shape {
        name: "outcomes with many keys of their own",
        state: |n| state(&format!(",{}", many(n, r#""k$":1"#)), ""),
        events: |n| {
            let keys = many(n, r#""k$":2"#);
            event(
                "runtime",
                &format!(r#""outcomes":{{"status":"ok",{keys}}}"#),
            )
        },
        found: ("projection/outcomes", |n| n),
    },
    Shape {
        name: "metrics with many keys, where the last differs",
        state: |n| {
            let keys = many(n, r#""k$":1"#);
            state(&format!(r#","metrics":{{{keys},"z":1}}"#), "")
        },
        events: |n| {
            let keys = many(n, r#""k$":1"#);
            let metrics = format!(r#""metrics":{{{keys},"z":2}}"#);
            event(
                "runtime",
                &format!(r#""outcomes":{{"status":"ok",{metrics}}}"#),
            )
        },
        found: ("projection/outcomes", |_| 1),
    },
    Shape {
        name: "steps that share the id of a record with many keys",
        state: |n| state("", &many(n + 1, r#"{"id":"s","status":"done"}"#)),
        events: |n| {
            let (keys, text) = (many(50 * n, r#""k$":1"#), escaped(50 * n));
            let record = format!(r#"{{"id":"s",{keys},"kind":"{text}"}}"#);
            event(
                "plan",
                &format!(r#""source":"x","step_records":[{record}]"#),
            )
        },
        found: ("plan/projection", |_| 1),
    },
    Shape {
        name: "steps that share the id of a record with long values",
        state: |n| {
            let step = r#"{"id":"s","description":"y","inputs":{"$":1}}"#;
            state("", &many(n + 1, step))
        },
        events: |n| {
            let (text, keys) = (escaped(50 * n), many(50 * n, r#""$":1"#));
            let record = format!(r#"{{"id":"s","description":"{text}","inputs":{{{keys}}}}}"#);
            event("plan", &format!(r#""step_records":[{record}]"#))
        },
        found: ("plan/projection", |n| 1 + 2 * (n + 1)),
    },
];

#[test]
fn work_doubles_at_most_when_input_doubles() {
    for shape in &SHAPES {
        hold_to_doubling(shape.name, 200, |size| {
            let (state, events) = ((shape.state)(size), (shape.events)(size));
            let records = [
                (Artifact::State, state.as_bytes()),
                (Artifact::Events, events.as_bytes()),
            ];
            let (report, done) = work::of(|| Gate::default().records("ep_1", &records));
            let (rule, count) = shape.found;
            let found = report
                .findings
                .iter()
                .filter(|finding| finding.rule == rule);
            assert_eq!(
                found.count(),
                count(size),
                "{}: {rule} at {size}",
                shape.name
            );
            done
        });
    }
}

/// Asserts that work grows no faster than the size of the input; work that any input takes does not
/// count.
pub(crate) fn hold_to_doubling(name: &str, size: usize, work_at: impl Fn(usize) -> u64) {
    // The first run also reads the schemas.
    work_at(1);
    let [small, once, twice] = [1, size, 2 * size].map(work_at);
    let [once, twice] = [once, twice].map(|work| work.saturating_sub(small));
    // Numbers have more digits at a greater size.
    assert!(
        10 * twice <= 23 * once + 100,
        "{name}: {once} steps, and {twice} for twice the input"
    );
}
