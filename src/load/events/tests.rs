//! One thread against several: counts and the outline of a timeline.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::*;
use crate::facts::EventTally;
use crate::outline::{Listening, Outlined};

/// Returns what is counted of a timeline that a number of threads read.
fn tally(timeline: &[u8], threads: usize) -> EventTally {
    let mut events = EventsReader {
        listeners: Listeners {
            facts: TimelineReader::new(None, Vec::new(), std::iter::empty()),
            strict: None,
            outline: None,
        },
        reader: &mut EventReader::default(),
        parsed: &mut ReadText::default(),
        alone: &Alone::default(),
        troubles: &mut Troubles::default(),
        may_be_unfinished: false,
        threads: NonZeroUsize::new(threads),
        multi_line: MultiLineSearch::default(),
        team: &TeamJudges::default(),
        judges: &mut TeamJudges::default(),
        examined: Examined::default(),
        values: &RunValues::NONE,
    };
    let stream = Opened::from_bytes(timeline);
    events.read(stream, &mut Vec::new()).1.expect("memory");
    events.listeners.facts.finish().tally
}

/// Counts line by line, without any of the code above.
fn counted(timeline: &[u8]) -> [u64; 6] {
    let mut counts = [0; 6];
    let mut before: &[u8] = b"";
    for line in timeline.split(|byte| *byte == b'\n') {
        let is_blank = line.trim_ascii().is_empty();
        counts[5] += u64::from(!is_blank && line == before);
        before = if is_blank { b"" } else { line };
        let event: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
        let is_synthetic = event["payload"]["synthetic"] == true;
        let place = match event["phase"].as_str() {
            Some("start") => 0,
            Some("plan") if !is_synthetic => 1,
            Some("act") if !is_synthetic => 2,
            Some("reflect") => 3,
            Some("direction") => 4,
            _ => continue,
        };
        counts[place] += 1;
    }
    counts
}

/// Timelines whose lines are often equal, or of one length; some lines are longer than those
/// that stay in the buffer, and than a block.
fn timelines() -> impl Strategy<Value = Vec<u8>> {
    let event = |phase: &str, payload: &str, padding: usize| {
        let padding = "x".repeat(padding);
        format!(
            r#"{{"phase":"{phase}","timestamp":"2026-03-01T12:00:00Z","payload":{payload},"n":"{padding}"}}"#
        )
    };
    let common = [
        event("start", "{}", 300),
        event("plan", "{}", 300),
        event("plan", r#"{"synthetic":true}"#, 300),
        event("act", "{}", 300),
        event("act", r#"{"synthetic":true,"step_id":7}"#, 300),
        event("act", r#"{"synthetic":1}"#, 300),
        event("reflect", r#"{"synthetic":true}"#, 300),
        event("direction", "7", 300),
        event("observe", "{}", 300),
    ];
    let odd = ["", " \r", "{", "[7]", "\u{feff}{}"].map(str::to_owned);
    let long = [20_000, 20_001].map(|padding| event("act", "{}", padding));
    let longest = [280_000, 280_000].map(|padding| event("plan", "{}", padding));
    let line = prop_oneof![
        800 => select(common.to_vec()),
        40 => select(odd.to_vec()),
        10 => select(long.to_vec()),
        1 => select(longest.to_vec()),
    ];
    let repeated = (line, prop_oneof![3 => Just(1_usize), 1 => 2..4_usize]);
    let lines = prop::collection::vec(repeated, 2_000..4_000);
    lines.prop_map(|lines| {
        let lines = lines
            .into_iter()
            .flat_map(|(line, times)| std::iter::repeat_n(line, times));
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tally_is_exact_with_any_number_of_threads(timeline in timelines()) {
        let alone = tally(&timeline, 1);
        let numbers = [&alone.starts, &alone.plans, &alone.acts, &alone.reflects, &alone.directions, &alone.repeated];
        prop_assert_eq!(numbers.map(|counted| counted.number), counted(&timeline));
        for threads in [2, 5] {
            prop_assert_eq!(&alone, &tally(&timeline, threads), "{} threads", threads);
        }
    }
}

/// Returns long timelines, with all that matters to an outline, and lines that are not events.
fn eventful() -> impl Strategy<Value = Vec<u8>> {
    let event = |phase: &str, rest: &str, payload: &str| {
        let padding = "x".repeat(400);
        format!(r#"{{"phase":"{phase}",{rest}"payload":{{{payload}"n":"{padding}"}}}}"#)
    };
    let at = r#""timestamp":"2026-03-01T12:00:00.5Z","#;
    let later = r#""agent_id":"é","timestamp":"2026-03-01T13:00:00+00:00","#;
    let common = [
        event("observe", at, ""),
        event("reason", later, r#""message":"m","#),
        event("own", "", ""),
        event("other", later, ""),
        event("act", later, r#""step_id":"s","result_status":"ok","#),
        event("plan", at, r#""steps":[1,2],"#),
        event(
            "act",
            at,
            r#""step_id":"s","step_status":"running","error":null,"#,
        ),
        event(
            "act",
            later,
            r#""step_id":"u","step_status":"done","error":" ","#,
        ),
        event("governance", later, r#""decision":"allow","status":"ok","#),
        event(
            "direction",
            later,
            r#""decision":7,"status":"open","error":false,"#,
        ),
    ];
    let rare = [
        event("act", later, r#""step_id":"s","step_status":"failed","#),
        event("act", later, r#""step_id":"t","error":{"message":"no"},"#),
        event("act", at, r#""step_id":"t","step_status":"done","#),
        event("direction", at, r#""decision":"veto","reason":"r","#),
        event("direction", at, r#""decision":"veto","enforced":false,"#),
        event("governance", at, r#""decision":"allow","status":"denied","#),
        event("other", r#""event_type":"step.vetoed","#, ""),
        event("other", at, r#""error":["no"],"#),
        event("other", later, r#""error":7,"#),
        event("other", later, r#""step_id":"t","result_status":"ok","#),
        event("terminate", later, r#""status":"error","#),
        event("\\u0061ct", at, ""),
        event(&"p".repeat(300), at, ""),
        "{".into(),
        "[7]".into(),
        " ".into(),
        event("act", "", &format!(r#""long":"{}","#, "y".repeat(280_000))),
    ];
    let line = prop_oneof![600 => select(common.to_vec()), 6 => select(rare.to_vec())];
    let lines = prop::collection::vec(line, 4_000..7_000);
    (lines, prop::collection::vec(0..1_000_u32, 0..300)).prop_map(move |(mut lines, names)| {
        let own = names.iter().map(|name| event(&format!("p{name}"), "", ""));
        lines.extend(own);
        let mut timeline = lines.join("\n").into_bytes();
        if lines.len() % 2 == 0 {
            timeline.splice(2_000_000..2_000_001, [0xFF]);
        }
        timeline
    })
}

/// Returns the outline of a timeline that a number of threads read.
fn outline(timeline: &[u8], listening: Listening<'_>, threads: usize) -> Outlined {
    let mut events = EventsReader {
        listeners: Listeners {
            facts: TimelineReader::new(None, Vec::new(), std::iter::empty()),
            strict: None,
            outline: Some(OutlineReader::new(listening)),
        },
        reader: &mut EventReader::default(),
        parsed: &mut ReadText::default(),
        alone: &Alone::default(),
        troubles: &mut Troubles::default(),
        may_be_unfinished: false,
        threads: NonZeroUsize::new(threads),
        multi_line: MultiLineSearch::default(),
        team: &TeamJudges::default(),
        judges: &mut TeamJudges::default(),
        examined: Examined::default(),
        values: &RunValues::NONE,
    };
    let (stream, read) = events.read(Opened::from_bytes(timeline), &mut Vec::new());
    read.unwrap();
    let outline = events.listeners.outline.unwrap();
    outline.finish(|line, bytes| stream.read_again(line, bytes).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outline_is_the_same_with_any_number_of_threads(timeline in eventful()) {
        let named = BTreeSet::from([3, 2_000, 2_001, 3_900]);
        for listening in [Listening::Outline, Listening::Track(&named)] {
            let alone = outline(&timeline, listening, 1);
            prop_assert!(alone.outline.events > 4_000 && alone.outline.rows.len() > 7);
            let split = outline(&timeline, listening, 3);
            prop_assert_eq!(format!("{alone:?}"), format!("{split:?}"));
        }
    }
}

/// Returns how often threads are started for a timeline of blocks, and of long lines between them.
fn starts(lengths: impl IntoIterator<Item = (u64, u64)>) -> usize {
    let (mut split, mut offset, mut starts) = (Split::default(), 0, 0);
    for (blocks, long_line) in lengths {
        if split.is_due(offset) {
            starts += 1;
            split.ended(offset, offset + blocks);
        }
        offset += blocks + long_line;
    }
    starts
}

#[test]
fn threads_are_started_only_where_they_have_work() {
    assert!(
        starts(std::iter::repeat_n((0, 300_000), 2_000)) <= 10,
        "nothing but long lines"
    );
    let mixed = starts([(8 << 20, 300_000); 100]);
    assert_eq!(mixed, 99, "a long line in some megabytes");
    let late = starts([[(0, 300_000); 100], [(8 << 20, 300_000); 100]].concat());
    assert!(late >= 95, "short lines after long ones");
}
