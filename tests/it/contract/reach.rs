//! The line of the timeline that a snapshot is compared with: after every write of a runtime, and
//! sought a second time, line by line.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use runvet::finding::{EpisodeReport, Level, Lifecycle, Severity};
use runvet::gate::Gate;
use runvet::source::Artifact;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::random::config;
use crate::support::runs::run_of;

/// The state and the events of a good run.
fn records(case: &str) -> (Value, Vec<Value>) {
    let read = |artifact: Artifact| {
        fs::read_to_string(run_of(&format!("good/{case}")).join(artifact.file_name())).unwrap()
    };
    let events = read(Artifact::Events);
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (
        serde_json::from_str(&read(Artifact::State)).unwrap(),
        events.collect(),
    )
}

fn sha256(state: &str) -> String {
    let digest = Sha256::digest(state.as_bytes());
    digest
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The evidence of a state.
fn evidence(state: &Value, is_sealed: bool) -> Value {
    let mut payload = json!({"outcomes": state["outcomes"], "links": state["links"]});
    if is_sealed {
        payload["state_sha256"] = sha256(&state.to_string()).into();
    }
    json!({
        "phase": "runtime", "event_type": "run.state_projection",
        "timestamp": "2026-03-01T12:00:00.200000+00:00", "payload": payload
    })
}

/// What a runtime writes, one write at a time.
enum Write {
    Event(Value),
    State(Value),
    File(Artifact, String),
}

/// A state and its evidence, in either order.
fn snapshot(state: &Value, is_sealed: bool, event_first: bool) -> [Write; 2] {
    let mut writes = [
        Write::Event(evidence(state, is_sealed)),
        Write::State(state.clone()),
    ];
    if !event_first {
        writes.reverse();
    }
    writes
}

/// The writes of a run that begins, pauses twice, goes on and ends.
fn writes(is_sealed: bool, event_first: bool) -> Vec<Write> {
    let (end, events) = records("terminal");
    let at = |statuses: [&str; 3], actions: usize, status: &str| {
        let mut state = end.clone();
        for (step, status) in statuses.into_iter().enumerate() {
            state["plan"]["steps"][step]["status"] = status.into();
        }
        let recorded = state["outcomes"]["actions"]
            .as_array_mut()
            .unwrap();
        recorded.truncate(actions);
        state["outcomes"]["status"] = status.into();
        state["links"] = json!({"events": "events.jsonl", "learn": "learn.jsonl"});
        state
    };
    let mut begun = at(["pending"; 3], 0, "pending");
    begun["plan"] = json!({"steps": []});
    let states = [
        (0, begun),
        (2, at(["pending"; 3], 0, "pending")),
        (4, at(["done", "pending", "pending"], 1, "pending")),
        (5, at(["done", "done", "pending"], 2, "partial")),
        (6, at(["done", "done", "skipped"], 2, "pending")),
        (8, end.clone()),
    ];
    let mut writes = vec![Write::File(Artifact::Learn, String::new())];
    for (number, event) in events.into_iter().enumerate() {
        if event["event_type"] == "run.state_projection" {
            continue;
        }
        writes.push(Write::Event(event));
        let states = states
            .iter()
            .filter(|(after, _)| *after == number);
        writes.extend(states.flat_map(|(_, state)| snapshot(state, is_sealed, event_first)));
    }
    for artifact in [Artifact::Summary, Artifact::Manifest] {
        let path = run_of("good/terminal").join(artifact.file_name());
        writes.push(Write::File(artifact, fs::read_to_string(path).unwrap()));
    }
    writes
}

fn lines(events: &[Value]) -> String {
    let lines: Vec<String> = events
        .iter()
        .map(Value::to_string)
        .collect();
    lines.join("\n") + "\n"
}

fn check(gate: &Gate, state: &Value, events: &[Value]) -> EpisodeReport {
    let (state, events) = (state.to_string(), lines(events));
    let records = [
        (Artifact::State, state.as_bytes()),
        (Artifact::Events, events.as_bytes()),
        (Artifact::Learn, b"".as_slice()),
    ];
    gate.clone()
        .records("ep_paused", &records)
}

#[test]
fn run_is_sound_when_its_writer_stops_at_any_write() {
    // What may be said of a state that has ended while its evidence and its artifacts have not yet
    // been written.
    const LACKS: [&str; 4] = [
        "lifecycle/artifacts",
        "projection/outcomes",
        "projection/links",
        "projection/digest",
    ];
    let (mut stale, mut stops) = (0, 0);
    for (is_sealed, event_first) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut files, mut events): (Vec<(Artifact, String)>, _) = (Vec::new(), String::new());
        for (number, write) in writes(is_sealed, event_first)
            .into_iter()
            .enumerate()
        {
            match write {
                Write::Event(event) => events += &(event.to_string() + "\n"),
                Write::State(snapshot) => {
                    files.retain(|(artifact, _)| *artifact != Artifact::State);
                    files.push((Artifact::State, snapshot.to_string()));
                }
                Write::File(artifact, text) => files.push((artifact, text)),
            }
            let texts = files
                .iter()
                .map(|(artifact, text)| (*artifact, text.as_bytes()));
            let there = texts.chain([(Artifact::Events, events.as_bytes())]);
            let report = Gate::default().records("ep_answer", &there.collect::<Vec<_>>());
            for finding in &report.findings {
                let may_be = report.lifecycle == Lifecycle::Terminal
                    && LACKS.contains(&&*finding.rule)
                    || finding.severity == Severity::Warning;
                let orders = (is_sealed, event_first);
                assert!(may_be, "{finding} after write {number} of {orders:?}");
                stale += usize::from(finding.rule == "projection/stale");
            }
            stops += 1;
        }
    }
    assert!(stops > 80 && stale > 10, "{stops} stops, {stale} stale");
}

/// The rules that are asked at a reach, with those that find errors first.
const ASKED: [&str; 4] = [
    "plan/projection",
    "actions/mirror",
    "plan/legacy-labels",
    "plan/no-event",
];

type Found = BTreeSet<(String, Option<String>)>;

/// What the rules find.
fn asked(report: &EpisodeReport) -> Found {
    let findings = report.findings.iter();
    let findings = findings.filter(|finding| ASKED.contains(&&*finding.rule));
    findings
        .map(|finding| (finding.rule.clone(), finding.location.pointer.clone()))
        .collect()
}

fn any(found: &Found, rules: &[&str]) -> bool {
    found
        .iter()
        .any(|(rule, _)| rules.contains(&&**rule))
}

/// What the rules find up to a number of events, of which the last one is evidence for certain.
fn found_at(state: &Value, events: &[Value], reach: usize) -> Found {
    let mut events = events[..reach].to_vec();
    events.push(evidence(state, true));
    asked(&check(&Gate::default(), state, &events))
}

/// The reach as a number of events, by the words of the contract; and what is found there.
fn sought(state: &Value, events: &[Value]) -> Option<(usize, Found)> {
    let is_evidence = |event: &Value| event["event_type"] == "run.state_projection";
    let evidence = (1..=events.len()).filter(|number| is_evidence(&events[number - 1]));
    let evidence: Vec<usize> = evidence.collect();
    let latest = *evidence.last()?;
    let before = evidence.iter().rev().nth(1).copied();
    let mut reaches = vec![latest];
    reaches.extend(before);
    reaches.push(events.len());
    let found: Vec<Found> = reaches
        .iter()
        .map(|reach| found_at(state, events, *reach))
        .collect();
    let events_of = |which: &dyn Fn(&Value) -> bool| events.iter().any(which);
    let explains = |index: usize| {
        let events = &events[..reaches[index]];
        let plan = events
            .iter()
            .rfind(|event| event["phase"] == "plan");
        let has_steps = plan.is_none_or(|plan| {
            plan["payload"]["step_records"].is_array() || plan["payload"]["steps"].is_array()
        });
        let names_actions = events
            .iter()
            .any(|event| event["phase"] == "act" && event["payload"]["id"].is_string());
        let of_plan = any(&found[0], &["plan/projection", "plan/legacy-labels"]);
        let of_actions = any(&found[0], &["actions/mirror"]);
        // What every line lacks says nothing of the reach.
        let has_plan_event = events_of(&|event| event["phase"] == "plan");
        let mut unexplained = found[index].clone();
        unexplained.retain(|(rule, _)| has_plan_event || rule != "plan/no-event");
        unexplained.is_empty() && (has_steps || !of_plan) && (names_actions || !of_actions)
    };
    let is_error = |index: &usize| any(&found[*index], &ASKED[..2]);
    let chosen = (0..reaches.len()).find(|index| explains(*index));
    let chosen = chosen.or_else(|| (0..reaches.len()).find(is_error));
    let chosen = chosen.unwrap_or_default();
    Some((reaches[chosen], found[chosen].clone()))
}

fn event() -> impl Strategy<Value = Value> {
    let (state, events) = records("paused");
    let plan = events
        .iter()
        .find(|event| event["phase"] == "plan")
        .unwrap();
    let with = move |payload: Value| {
        let mut plan = plan.clone();
        plan["payload"] = payload;
        plan
    };
    let records = plan_records(&["pending", "done", "running"]);
    let labels = json!([
        "detect:Collect the open tickets",
        "act:Summarize the tickets",
        "verify:Check the summary"
    ]);
    let mut plans: Vec<Value> = records
        .into_iter()
        .map(|records| with(json!({"source": "planner.minimal", "step_records": records})))
        .collect();
    plans.push(with(json!({"steps": labels, "source": "planner.minimal"})));
    plans.push(with(json!({"steps": ["x:y"], "source": "planner.minimal"})));
    plans.push(with(json!({"source": "planner.minimal"})));
    let act = (
        select(vec!["step-1", "step-2", "step-9"]),
        select(vec!["pending", "done", "running"]),
        0..3_u8,
    );
    let act = act.prop_map(|(step, status, id)| {
        let mut payload = json!({"step_id": step, "step_status": status});
        if id > 0 {
            payload["id"] = format!("act-{id}").into();
        }
        json!({"phase": "act", "timestamp": "2026-03-01T12:00:00.040000+00:00", "payload": payload})
    });
    let other = json!({"phase": "observe", "timestamp": "2026-03-01T12:00:00Z", "payload": {}});
    prop_oneof![
        2 => select(plans),
        5 => act,
        3 => Just(evidence(&state, false)),
        1 => Just(other),
    ]
}

/// Step records of the paused run, in which the second step has one of some statuses.
fn plan_records(statuses: &[&str]) -> Vec<Value> {
    let (state, _) = records("paused");
    let steps = statuses.iter().map(|status| {
        let mut steps = state["plan"]["steps"].clone();
        steps[1]["status"] = (*status).into();
        steps
    });
    steps.collect()
}

/// The state of the paused run with other steps and actions.
fn state() -> impl Strategy<Value = Value> {
    let steps = [
        vec![json!([])],
        plan_records(&["pending", "done", "running"]),
    ]
    .concat();
    let ids = select(vec![
        json!([]),
        json!(["act-1"]),
        json!(["act-1", "act-2"]),
        json!([null]),
    ]);
    (select(steps), ids).prop_map(|(steps, ids)| {
        let (mut state, _) = records("paused");
        state["plan"]["steps"] = steps;
        let actions = ids
            .as_array()
            .unwrap()
            .iter()
            .map(|id| json!({"id": id, "timestamp": "2026-03-01T12:00:00.040000+00:00"}));
        state["outcomes"]["actions"] = actions.collect();
        state
    })
}

#[test]
fn missing_plan_event_does_not_move_the_reach() {
    let (mut state, mut events) = records("terminal");
    for status in ["finished", "pending"] {
        state["outcomes"]["status"] = status.into();
        events.retain(|event| {
            event["phase"] != "plan" && event["event_type"] != "run.state_projection"
        });
        // At the pause, the second action has not happened yet.
        let first_act = events
            .iter()
            .position(|event| event["phase"] == "act");
        events.insert(first_act.unwrap() + 1, evidence(&state, false));
        events.push(evidence(&state, false));
        let report = check(&Gate::default(), &state, &events);
        let rules: Vec<String> = asked(&report)
            .into_iter()
            .map(|(rule, _)| rule)
            .collect();
        assert_eq!(rules, ["plan/no-event"], "{:?}", report.findings);
        let is_stale = report
            .findings
            .iter()
            .any(|it| it.rule == "projection/stale");
        assert!(!is_stale, "{:?}", report.findings);
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn reach_is_the_one_that_is_found_line_by_line(state in state(), events in vec(event(), 1..14)) {
        let report = check(&Gate::default(), &state, &events);
        let Some((reach, found)) = sought(&state, &events) else {
            prop_assert!(asked(&report).is_empty());
            let skipped = report.skipped.iter().map(|skip| &*skip.rule);
            prop_assert!(ASKED.iter().all(|rule| skipped.clone().any(|skipped| skipped == *rule)));
            return Ok(());
        };
        prop_assert_eq!(asked(&report), found, "{:?}", report.findings);
        let is_evidence = |event: &Value| event["event_type"] == "run.state_projection";
        let latest = events.iter().rposition(is_evidence).unwrap() + 1;
        let is_told = report.findings.iter().any(|finding| {
            finding.rule == "projection/stale" && finding.location.pointer.as_deref() == Some("")
        });
        prop_assert_eq!(is_told, reach != latest, "{:?}", report.findings);

        // The other rules are asked at the same line even where a rule is off.
        let without = Gate::default().level("plan/*", Level::Off).unwrap();
        let of_actions = |found: Found| -> Found {
            found.into_iter().filter(|(rule, _)| rule.starts_with("actions/")).collect()
        };
        let without = asked(&check(&without, &state, &events));
        prop_assert_eq!(without, of_actions(asked(&report)));
    }
}
