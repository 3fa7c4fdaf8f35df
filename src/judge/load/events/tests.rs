//! Counts of a timeline, against those of a simple program.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::*;
use crate::store::InMemory;

/// Returns the numbers of events of a timeline by kind, and of repeated lines.
fn tally(timeline: &[u8]) -> [u64; 6] {
    let (files, judges) = (InMemory::default(), TeamJudges::default());
    let attachments = Attachments::new(&files, &judges);
    let mut events = EventsReader {
        listeners: Listeners {
            facts: TimelineReader::new(None, Vec::new(), std::iter::empty(), None),
            strict: None,
            outline: None,
            calls: None,
        },
        reader: &mut EventReader::default(),
        parsed: &mut ReadText::default(),
        alone: &Alone::default(),
        troubles: &mut Troubles::default(),
        may_be_unfinished: false,
        multi_line: MultiLineSearch::default(),
        index: &EventIndex::default(),
        judges: &mut TeamJudges::default(),
        team: TeamInput {
            values: &RunValues {
                state: Ok(None),
                summary: Ok(None),
                run: None,
                counted: None,
            },
            attachments: &attachments,
        },
    };
    let stream = Opened::from_bytes(timeline);
    events
        .read(stream, &mut Vec::new())
        .1
        .expect("memory");
    let tally = events.listeners.facts.finish().tally;
    [
        tally.starts,
        tally.plans,
        tally.acts,
        tally.reflects,
        tally.directions,
        tally.repeated,
    ]
    .map(|counted| counted.number)
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
        lines
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tally_is_exact(timeline in timelines()) {
        prop_assert_eq!(tally(&timeline), counted(&timeline));
    }
}
