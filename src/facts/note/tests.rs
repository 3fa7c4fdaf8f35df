//! Notes against the schema and the documents of events.

use super::reader::*;
use super::*;
use crate::document::{Skeletons, Tape};
use crate::facts::slips::has_slips;
use crate::facts::value::Value;
use crate::schema;
use crate::source::Line;

/// Events around which mutants are made: every field that is noted, right and wrong, early and
/// late, twice and escaped.
const SEEDS: [&str; 12] = [
    r#"{"phase":"act","timestamp":"2025-01-01T00:00:00Z","payload":{"step_id":"s","step_status":"done","action_id":"a","id":"b","tool":"t","kind":null}}"#,
    r#"{"phase":"act","m":{"phase":[7]},"timestamp":"2025-01-01T00:00:00Z","payload":{"step_id":"s","o":{"id":[]},"kind":"k","x-own":"z"}}"#,
    r#"{"phase":"act","timestamp":"2025-01-01T00:00:00Z","payload":{"input_excerpt":"i","tool":"t","tool":"u","kind":"k","result_status":"ok"}}"#,
    r#"{"agent_id":"x","episode_id":"ep","event_type":"t","payload":{},"payload":{"id":7},"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"payload":{"step_id":1,"step_status":"gone"},"phase":"observe","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"payload":{"step_id":1,"step_status":"done","id":2},"phase":"observe","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"payload":[{"id":"x"}],"phase":"act","timestamp":"2025-01-01T00:00:00Z","ph\u0061se":"x","a":{"phase":[[]]}}"#,
    r#"{"payload":{"step_id":"a\n","payload":{"id":"q"},"action_id":null,"id":"z"},"phase":"act","timestamp":"2025-01-01T00:00:00Z","phase":"\u0061ct"}"#,
    r#"{"payload":{"step_id":"s","synthetic":true},"synthetic":false,"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"payload":{"id":"old"},"payload":"x","payload":{"x":1},"phase":"act","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"agentId":"x","payload":{"stepId":"s","step":1,"outcome":2},"phase":"plan","timestamp":"2025-01-01T00:00:00Z"}"#,
    r#"{"agent":"x","event_type":"run.state_projection","payload":{"id":"s","Links":2},"phase":"act","timestamp":"2025-01-01T00:00:00Z"}"#,
];

/// The pieces that mutants are made from.
const PIECES: [&str; 24] = [
    "\"plan\"",
    "\"runtime\"",
    "\"Act\"",
    "\"reason\"",
    "\"act\"",
    "\"done\"",
    "null",
    "true",
    "7",
    "[]",
    "{}",
    "\"phase\"",
    "\"id\"",
    "\"tool\"",
    "\"x-y\"",
    "\"synthetic\"",
    ",",
    ":",
    "{",
    "}",
    "\"",
    "\\u0061",
    " ",
    "é",
];

/// What the schema of an event asserts.
const ASSERTIONS: [&str; 33] = [
    r#"/$defs/ActPayload/properties/step_id/type "string""#,
    r##"/$defs/ActPayload/properties/step_status/$ref "#/$defs/StepStatus""##,
    r#"/$defs/ActPayload/type "object""#,
    r#"/$defs/PlanPayload/type "object""#,
    r#"/$defs/StateProjectionPayload/type "object""#,
    r#"/$defs/StepStatus/enum/0 "pending""#,
    r#"/$defs/StepStatus/enum/1 "running""#,
    r#"/$defs/StepStatus/enum/2 "done""#,
    r#"/$defs/StepStatus/enum/3 "skipped""#,
    r#"/$defs/StepStatus/enum/4 "failed""#,
    r#"/$defs/StepStatus/enum/5 "vetoed""#,
    r#"/$defs/StepStatus/type "string""#,
    r#"/allOf/0/if/properties/phase/const "plan""#,
    r#"/allOf/0/if/required/0 "phase""#,
    r##"/allOf/0/then/properties/payload/$ref "#/$defs/PlanPayload""##,
    r#"/allOf/1/if/properties/phase/const "act""#,
    r#"/allOf/1/if/required/0 "phase""#,
    r##"/allOf/1/then/properties/payload/$ref "#/$defs/ActPayload""##,
    r#"/allOf/2/if/properties/phase/const "runtime""#,
    r#"/allOf/2/if/required/0 "phase""#,
    r##"/allOf/2/then/properties/payload/$ref "#/$defs/StateProjectionPayload""##,
    r#"/properties/agent_id/type "string""#,
    r#"/properties/episode_id/type "string""#,
    r#"/properties/event_type/type "string""#,
    r"/properties/payload/additionalProperties true",
    r#"/properties/payload/type "object""#,
    r#"/properties/phase/type "string""#,
    r#"/properties/timestamp/format "date-time""#,
    r#"/properties/timestamp/type "string""#,
    r#"/required/0 "phase""#,
    r#"/required/1 "timestamp""#,
    r#"/required/2 "payload""#,
    r#"/type "object""#,
];

/// Returns the note of an event that is read in one pass.
fn noted<'a>(reader: &mut EventReader, bytes: &'a [u8]) -> Option<EventNote<'a>> {
    reader.read(bytes).map(|event| event.note)
}

/// A reader that knows the skeleton of each event from the first on.
fn eager() -> EventReader {
    EventReader {
        skeletons: Skeletons::eager(),
        ..EventReader::default()
    }
}

/// The same with shallow skeletons.
fn shallow() -> EventReader {
    EventReader {
        skeletons: Skeletons::eager_and_shallow(),
        ..EventReader::default()
    }
}

/// Where an event has what an action mirrors, if that is nothing but strings of known keys.
fn mirrored_spans(event: &EventFacts<'_>) -> MirroredSpans {
    let payload = event.payload().unwrap();
    assert!(payload.members().all(|(name, _)| !is_extension(&name)));
    let span = |value: Value<'_>| {
        assert_eq!(value.node().kind(), Kind::String);
        let span = value.node().span();
        u32::try_from(span.start).unwrap()..u32::try_from(span.end).unwrap()
    };
    MirroredSpans {
        timestamp: event.timestamp.map(span),
        fields: MIRRORED.map(|name| payload.get(name).map(span)),
    }
}

/// Whatever is noted in one pass satisfies the schema, and is noted the same from the document;
/// by its skeleton too, whatever events came before.
fn is_sound(bytes: &[u8], after_others: &mut EventReader) -> bool {
    let shown = String::from_utf8_lossy(bytes);
    let note = noted(after_others, bytes);
    assert_eq!(noted(after_others, bytes), note, "{shown}, the second time");
    // A shallow skeleton may stand for an earlier payload, whose keys do not matter.
    let plain = noted(&mut EventReader::default(), bytes);
    let is_shallow = after_others.skeletons.is_shallow();
    assert!(note == plain || (is_shallow && plain.is_none()), "{shown}");
    let Some(mut note) = note else { return false };
    let mut tape = Tape::default();
    let document = tape
        .read(bytes)
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert!(
        schema::EVENT.violations_by_validator(document).is_empty(),
        "{shown}"
    );
    let line = Line {
        number: 1,
        offset: 0,
        length: bytes.len(),
    };
    let facts = EventFacts::new(line, Value::root(document, &[]));
    let spans = note.act.as_mut().and_then(|act| act.mirrored.take());
    assert_eq!(note, EventNote::of(&facts), "{shown}");
    if let Some(spans) = spans {
        assert_eq!(spans, mirrored_spans(&facts), "{shown}");
    }
    assert!(!has_slips(&facts), "{shown}");
    true
}

/// Every text made of a seed by putting a piece in the place of some tokens of it.
fn mutants(seed: &str) -> impl Iterator<Item = String> {
    let tokens: Vec<usize> = seed
        .match_indices(['"', '{', '}', '[', ']', ',', ':'])
        .map(|(at, _)| at)
        .collect();
    let cuts = tokens.clone().into_iter().chain([seed.len()]);
    cuts.flat_map(move |cut| {
        let ends: Vec<usize> = tokens
            .iter()
            .copied()
            .filter(|end| *end >= cut)
            .take(12)
            .collect();
        ends.into_iter().flat_map(move |end| {
            PIECES
                .into_iter()
                .chain([""])
                .map(move |piece| [&seed[..cut], piece, &seed[end..]].concat())
        })
    })
}

/// Keywords that assert nothing.
const SILENT: [&str; 6] = [
    "$id",
    "$schema",
    "title",
    "description",
    "examples",
    "enumDescriptions",
];

/// Every assertion that a schema makes, with the way to it.
fn assertions(schema: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                if !SILENT.contains(&&**key) {
                    assertions(value, &format!("{at}/{key}"), found);
                }
            }
        }
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                assertions(item, &format!("{at}/{index}"), found);
            }
        }
        leaf => found.push(format!("{at} {leaf}")),
    }
}

/// A note is taken of an event without a look at its schema. When the schema asserts more than
/// this list, [`EventNote::of_parts`] has to as well.
#[test]
fn note_taker_knows_every_assertion_of_the_schema() {
    let schema = serde_json::from_str(schema::EVENT.text()).unwrap();
    let mut found = Vec::new();
    assertions(&schema, "", &mut found);
    assert_eq!(found, ASSERTIONS);
}

#[test]
fn note_agrees_with_document_and_schema() {
    let (mut noted, mut by_skeleton, mut tried) = (0_usize, 0, 0);
    for seed in SEEDS {
        let mut taker = eager();
        let mut other = shallow();
        for (index, mutant) in mutants(seed).enumerate() {
            if index % 500 == 0 {
                (taker, other) = (eager(), shallow());
                taker.read(seed.as_bytes());
                other.read(seed.as_bytes());
            }
            is_sound(mutant.as_bytes(), &mut other);
            by_skeleton += usize::from(taker.skeletons.read(mutant.as_bytes(), |_| {}).is_some());
            noted += usize::from(is_sound(mutant.as_bytes(), &mut taker));
            tried += 1;
        }
    }
    assert!(
        tried > 30_000 && noted > 200,
        "{noted} of {tried} mutants were noted"
    );
    assert!(by_skeleton > 400, "{by_skeleton} were read by a skeleton");
}

#[test]
fn typical_events_are_noted_in_one_pass() {
    for (index, expected) in [
        true, true, true, true, true, true, false, true, true, true, false, true,
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            is_sound(SEEDS[index].as_bytes(), &mut eager()),
            expected,
            "{}",
            SEEDS[index]
        );
    }
}

#[test]
fn repeated_event_is_noted_by_its_skeleton() {
    let mut notes = eager();
    let first = SEEDS[0];
    assert!(noted(&mut notes, first.as_bytes()).is_some());
    let found = |line: &str| notes.skeletons.read(line.as_bytes(), |_| {}).is_some();
    assert!(found(first));
    assert!(found(&first.replace("\"done\"", "\"in \\u0022 progress\"")));
    assert!(!found(&first.replace("\"done\"", "null")));
    assert!(!found(&first.replace("\"done\"", "\"\u{1}\"")));
    assert!(!found(&first.replace("\"b\"", "\"b\",\"c\":1")));
    assert!(!found(&format!("{first}}}")));
    assert!(!found(&first[..first.len() - 1]));
    // Its skeleton is known, and what it says is not allowed.
    let unsound = first.replace("done", "gone");
    assert!(found(&unsound));
    assert_eq!(noted(&mut notes, unsound.as_bytes()), None);
}
