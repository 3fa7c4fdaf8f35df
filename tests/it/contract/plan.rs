//! The plan rebuilt from a timeline: the five steps of the reference, implemented twice, and the
//! differences from a persisted plan.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use runvet::gate::Gate;
use runvet::plan::{PlanComparison, compare};
use runvet::read::RunReader;
use serde_json::{Value, json};

use crate::support::binary::stdout;
use crate::support::corpus::{corpus, expecting_cases, good_cases};
use crate::support::random::config;
use crate::support::runs::{copy_of, replace, run_of};
use crate::support::terminal::{Width, runvet, snapshot};

/// The five steps of the reference over plain JSON, without any of runvet's code: the oracle.
fn five_steps(events: &[Value]) -> Option<Value> {
    // 1. The latest `plan` event.
    let latest = events
        .iter()
        .rposition(|event| event["phase"] == "plan")?;
    let (event, payload) = (&events[latest], &events[latest]["payload"]);
    let (records, labels) = (
        payload["step_records"].as_array(),
        payload["steps"].as_array(),
    );
    let mut steps: Vec<Value> = match (records, labels) {
        // 2. Its step records.
        (Some(records), _) => records.iter().map(of_record).collect(),
        // 3. Else its labels.
        (None, Some(labels)) => labels.iter().map(of_label).collect(),
        (None, None) => Vec::new(),
    };
    // 4. Later act events with an id and a status, in order. 5. Other steps keep their status.
    for (index, act) in events
        .iter()
        .enumerate()
        .skip(latest + 1)
        .filter(|(_, event)| event["phase"] == "act")
    {
        let payload = &act["payload"];
        let (Some(id), Some(status)) =
            (payload["step_id"].as_str(), payload["step_status"].as_str())
        else {
            continue;
        };
        for step in steps
            .iter_mut()
            .filter(|step| step["id"] == id)
        {
            step["status"] = status.into();
            step["status_line"] = (index + 1).into();
        }
    }
    let sources = [&payload["source"], &payload["agent_id"], &event["agent_id"]];
    Some(json!({
        "source": sources.into_iter().find(|source| source.is_string()),
        "updated_at": event["timestamp"].as_str().filter(|time| *time != NO_TIME),
        "from_labels": records.is_none() && labels.is_some(),
        "steps": steps,
    }))
}

fn of_record(record: &Value) -> Value {
    let text = |key: &str| record[key].as_str();
    json!({
        "id": text("id"), "kind": text("kind"), "description": text("description"), "status": text("status"),
        "rationale": text("rationale"), "inputs": record["inputs"],
    })
}

fn of_label(label: &Value) -> Value {
    let (kind, description) = match label
        .as_str()
        .map(|label| label.split_once(':').ok_or(label))
    {
        Some(Ok((kind, description))) => (Some(kind), Some(description)),
        Some(Err(label)) => (None, Some(label)),
        None => (None, None),
    };
    json!({
        "id": null, "kind": kind, "description": description, "status": null, "rationale": null, "inputs": null,
    })
}

/// A text that is not a timestamp.
const NO_TIME: &str = "yesterday";

fn status() -> impl Strategy<Value = Value> {
    select(
        ["pending", "running", "done", "skipped", "failed", "vetoed"]
            .map(Value::from)
            .to_vec(),
    )
}

fn id() -> impl Strategy<Value = Value> {
    select(vec!["s1", "s2", "s\"3\n\u{202e}", "é", ""]).prop_map(Value::from)
}

/// A string, or a value of another type.
fn text() -> impl Strategy<Value = Value> {
    prop_oneof![6 => "[a-c:é\"\\\\ ]{0,6}".prop_map(Value::from), 1 => Just(Value::Null), 1 => Just(json!(7))]
}

/// An object with some of the members.
fn object(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let member = |(key, value): (&'static str, BoxedStrategy<Value>)| {
        option::weighted(0.8, value).prop_map(move |value| Some((key.to_owned(), value?)))
    };
    let members: Vec<_> = members
        .into_iter()
        .map(member)
        .collect();
    members
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

fn record() -> impl Strategy<Value = Value> {
    let inputs = prop_oneof![
        Just(json!({})),
        Just(json!({"b": [1.5, null], "a": {"c": ""}})),
        Just(json!(3))
    ];
    let record = object(vec![
        ("id", prop_oneof![9 => id(), 1 => text()].boxed()),
        ("kind", text().boxed()),
        ("description", text().boxed()),
        ("status", prop_oneof![5 => status(), 1 => text()].boxed()),
        ("rationale", text().boxed()),
        ("inputs", inputs.boxed()),
        ("more", text().boxed()),
    ]);
    prop_oneof![9 => record, 1 => text()]
}

fn event() -> impl Strategy<Value = Value> {
    let records =
        prop_oneof![8 => vec(record(), 0..5).prop_map(Value::from), 1 => Just(Value::Null), 1 => record()].boxed();
    let labels = prop_oneof![8 => vec(text(), 0..5).prop_map(Value::from), 1 => text()];
    let plan = prop_oneof![
        3 => object(vec![
            ("step_records", records.clone().boxed()),
            ("source", text().boxed()),
            ("agent_id", text().boxed()),
        ]),
        2 => object(vec![("steps", labels.clone().boxed()), ("agent_id", text().boxed())]),
        1 => object(vec![("steps", labels.boxed()), ("step_records", records.boxed())]),
    ];
    let act = object(vec![
        (
            "step_id",
            prop_oneof![9 => id(), 1 => Just(json!(1))].boxed(),
        ),
        ("step_status", status().boxed()),
        ("id", text().boxed()),
        ("status", status().boxed()),
    ]);
    let other = select(vec!["start", "Plan", "acts", "direction", "runtime", ""]);
    let phase_and_payload = prop_oneof![
        2 => plan.clone().prop_map(|payload| ("plan", payload)),
        6 => act.clone().prop_map(|payload| ("act", payload)),
        2 => (other, prop_oneof![plan, act]),
    ];
    let time = prop_oneof![4 => Just("2026-03-01T12:00:00.5+01:00"), 1 => Just(NO_TIME)];
    let kind = option::of(select(vec!["run.state_projection", "plan"]));
    (
        phase_and_payload,
        time,
        option::of(select(vec!["planner", ""])),
        kind,
    )
        .prop_map(|((phase, payload), timestamp, agent, kind)| {
            let mut event = json!({"phase": phase, "timestamp": timestamp, "payload": payload});
            let named = [("agent_id", agent), ("event_type", kind)];
            for (key, value) in named
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
            {
                event[key] = value.into();
            }
            event
        })
}

fn project(events: impl IntoIterator<Item = String>) -> Option<Value> {
    let plan = runvet::plan::project(events).unwrap();
    plan.map(|plan| serde_json::to_value(plan).unwrap())
}

fn texts(events: &[Value]) -> impl Iterator<Item = String> {
    events.iter().map(Value::to_string)
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn rebuilt_plan_agrees_with_the_five_steps(events in vec(event(), 0..12)) {
        let projected = project(texts(&events));
        prop_assert_eq!(&projected, &five_steps(&events));
        prop_assert_eq!(project(texts(&events)), projected, "the same events give the same plan");
    }
}

#[test]
fn random_timelines_cover_the_five_steps() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::new(config(1));
    let (mut evidence, mut labels, mut none, mut other_source, mut kept) = (0, 0, 0, 0, 0);
    for _ in 0..300 {
        let events = vec(event(), 0..12)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let Some(plan) = project(texts(&events)) else {
            none += 1;
            continue;
        };
        let steps = plan["steps"].as_array().unwrap();
        let is_proven = |step: &Value| step.get("status_line").is_some();
        labels += usize::from(plan["from_labels"] == true && !steps.is_empty());
        evidence += usize::from(steps.iter().any(is_proven));
        kept += usize::from(
            steps
                .iter()
                .any(|step| !is_proven(step) && !step["status"].is_null()),
        );
        let source = &plan["source"];
        other_source += usize::from(source.is_null() || source == "planner");
    }
    let counts = [evidence, labels, none, other_source, kept];
    assert!(counts.iter().all(|count| *count >= 10), "{counts:?}");
}

fn an_act(step: &str, status: &str) -> Value {
    json!({
        "phase": "act", "timestamp": "2026-03-01T12:00:02Z", "payload": {"step_id": step, "step_status": status}
    })
}

#[test]
fn each_of_the_five_steps_counts() {
    let records = |time: &str, records: Value| {
        let payload = json!({"step_records": records});
        json!({"phase": "plan", "timestamp": time, "agent_id": "a", "payload": payload})
    };
    let statuses = |events: &[Value]| {
        let plan = project(texts(events)).unwrap();
        let steps = plan["steps"].as_array().unwrap().iter();
        steps
            .map(|step| {
                step["status"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect::<Vec<_>>()
    };
    let steps = json!([{"id": "s1", "status": "pending"}, {"id": "s2", "status": "running"}]);
    let (old, new) = (
        records("2026-03-01T12:00:00Z", json!([{"id": "s1"}])),
        records("2026-03-01T12:00:01Z", steps),
    );
    assert_eq!(project([]), None);
    assert_eq!(project(texts(&[an_act("s1", "done")])), None);
    let plan = project(texts(&[old.clone(), new.clone(), an_act("s2", "done")])).unwrap();
    assert_eq!(
        (&plan["source"], &plan["updated_at"]),
        (&json!("a"), &json!("2026-03-01T12:00:01Z"))
    );
    assert_eq!(
        statuses(&[old.clone(), new.clone()]),
        ["pending", "running"],
        "the latest plan, and what its records say"
    );
    assert_eq!(
        statuses(&[old.clone(), an_act("s1", "failed"), new.clone()]),
        ["pending", "running"],
        "earlier acts"
    );
    assert_eq!(
        statuses(&[new.clone(), an_act("s1", "running"), an_act("s1", "done")]),
        ["done", "running"]
    );
    assert_eq!(
        statuses(&[new.clone(), an_act("s9", "done")]),
        ["pending", "running"],
        "an unknown step"
    );
    let without =
        json!({"phase": "act", "timestamp": "2026-03-01T12:00:02Z", "payload": {"step_id": "s1"}});
    assert_eq!(
        statuses(&[new, without]),
        ["pending", "running"],
        "no status"
    );
    let labels = json!({
        "phase": "plan", "timestamp": "2026-03-01T12:00:03Z",
        "payload": {"steps": ["detect:Look: closely", "no kind"], "agent_id": "b", "source": "c"}
    });
    let plan = project(texts(&[old, labels])).unwrap();
    let of_steps = |key| [&plan["steps"][0][key], &plan["steps"][1][key]];
    assert_eq!(of_steps("kind"), [&json!("detect"), &Value::Null]);
    assert_eq!(
        of_steps("description"),
        [&json!("Look: closely"), &json!("no kind")]
    );
    assert!(plan["from_labels"] == true && plan["source"] == "c");
}

#[test]
fn project_says_which_event_it_cannot_read() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let records = |inputs| {
        json!({
            "phase": "plan", "timestamp": "2026-03-01T12:00:00Z",
            "payload": {"step_records": [{"id": "s1", "inputs": inputs}]}
        })
    };
    let events = [records(json!(1)), records(deep)];
    let error = runvet::plan::project(texts(&events)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("event 2 can't be read as JSON: "),
        "{error}"
    );
}

fn differences(comparison: &PlanComparison) -> Vec<(&str, u64)> {
    comparison
        .differences
        .iter()
        .map(|difference| (&*difference.pointer, difference.line))
        .collect()
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn plan_differs_only_at_the_event_that_disagrees(
        records in vec((status(), option::of(Just(json!({"q": 1.5}))), any::<bool>()), 1..5),
        acts in vec((0..5_usize, status()), 0..8),
        changed: Index,
        other in status(),
    ) {
        let (_temp, dir) = copy_of("good/terminal");
        let records: Vec<Value> = records.into_iter().enumerate().map(|(index, (status, inputs, says_why))| {
            let mut record = json!({"id": format!("s{index}"), "kind": "act", "description": "é", "status": status});
            for (key, value) in [("inputs", inputs), ("rationale", says_why.then(|| "because".into()))] {
                if let Some(value) = value {
                    record[key] = value;
                }
            }
            record
        }).collect();
        let time = "2026-03-01T12:00:00.020000+00:00";
        let mut events = vec![
            json!({"phase": "start", "timestamp": time, "payload": {}}),
            json!({"phase": "plan", "timestamp": time, "payload": {"source": "p", "step_records": records}}),
        ];
        events.extend(acts.iter().map(|(step, status)| an_act(&format!("s{step}"), status.as_str().unwrap())));
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        fs::write(dir.join("events.jsonl"), lines.join("\n")).unwrap();

        let mut plan = five_steps(&events).unwrap();
        let steps = plan["steps"].as_array_mut().unwrap();
        let told_on: Vec<u64> = steps.iter().map(|step| step["status_line"].as_u64().unwrap_or(2)).collect();
        for step in steps {
            step.as_object_mut().unwrap().retain(|key, value| key != "status_line" && !value.is_null());
        }
        let mut state: Value = serde_json::from_str(&fs::read_to_string(dir.join("state.json")).unwrap()).unwrap();
        state["plan"] = plan;
        fs::write(dir.join("state.json"), state.to_string()).unwrap();
        let comparison = compare(&RunReader::open(&dir).unwrap()).unwrap();
        prop_assert_eq!(differences(&comparison), []);
        prop_assert_eq!((comparison.differs_from(), &comparison.unjudged), (None, &None));
        prop_assert_eq!(comparison.rebuilt.map(|plan| serde_json::to_value(plan).unwrap()), five_steps(&events));

        let index = changed.index(told_on.len());
        let is_other = state["plan"]["steps"][index]["status"] != other;
        state["plan"]["steps"][index]["status"] = other;
        fs::write(dir.join("state.json"), state.to_string()).unwrap();
        let comparison = compare(&RunReader::open(&dir).unwrap()).unwrap();
        let expected = is_other.then(|| (format!("/plan/steps/{index}/status"), told_on[index]));
        let expected: Vec<(&str, u64)> = expected.iter().map(|(pointer, line)| (&**pointer, *line)).collect();
        prop_assert_eq!(differences(&comparison), expected);
        prop_assert_eq!(comparison.differs_from(), is_other.then_some(told_on[index]));
    }
}

#[test]
fn plan_comparison_agrees_with_the_check() {
    let mut count = 0;
    let cases = [
        good_cases(),
        expecting_cases("bad"),
        expecting_cases("broken"),
        vec![corpus().join("demo")],
    ]
    .concat();
    for dir in cases.iter().flat_map(|case| {
        Gate::default()
            .discover(&[case])
            .episodes
    }) {
        let episode = RunReader::open(&dir.path).unwrap();
        let comparison = compare(&episode).unwrap();
        let report = Gate::default().episode(&dir).unwrap();
        let rules = ["plan/projection", "plan/legacy-labels"];
        let findings = report
            .findings
            .iter()
            .filter(|finding| rules.contains(&&*finding.rule));
        let mut found: Vec<_> = findings
            .map(|finding| {
                let at = finding
                    .location
                    .pointer
                    .clone()
                    .unwrap();
                (
                    at,
                    finding.related[0]
                        .location
                        .line
                        .unwrap(),
                    finding.message.clone(),
                )
            })
            .collect();
        let mut differences: Vec<_> = comparison
            .differences
            .iter()
            .cloned()
            .map(|it| (it.pointer, it.line, it.message))
            .collect();
        found.sort();
        differences.sort();
        assert_eq!(differences, found, "{}", dir.path.display());
        assert_eq!(
            comparison.differs_from(),
            found
                .iter()
                .map(|(_, line, _)| *line)
                .min()
        );
        let skipped = report
            .skipped
            .iter()
            .any(|skip| skip.rule == "plan/projection");
        assert_eq!(
            comparison.unjudged.is_some(),
            skipped,
            "{}: {:?}",
            dir.path.display(),
            comparison.unjudged
        );
        count += differences.len();
    }
    assert!(count > 10, "{count}");
}

#[test]
fn plan_diverges_at_the_first_event_that_disagrees() {
    let (_temp, dir) = copy_of("demo/episodes/ep_03_edited");
    let comparison = || compare(&RunReader::open(&dir).unwrap()).unwrap();
    assert_eq!(
        (differences(&comparison()), comparison().differs_from()),
        (vec![("/plan/steps/1/status", 6)], Some(6))
    );
    replace(
        &dir.join("state.json"),
        "\"source\":\"planner.minimal\"",
        "\"source\":\"planner.resume\"",
    );
    replace(
        &dir.join("state.json"),
        "\"status\":\"skipped\"",
        "\"status\":\"running\"",
    );
    let both = [
        ("/plan/source", 3),
        ("/plan/steps/1/status", 6),
        ("/plan/steps/2/status", 7),
    ];
    assert_eq!(
        (differences(&comparison()), comparison().differs_from()),
        (both.to_vec(), Some(3))
    );
}

#[test]
fn unjudged_plan_says_why_and_has_no_differences() {
    let unjudged = |dir: &Path| {
        let comparison = compare(&RunReader::open(dir).unwrap()).unwrap();
        assert_eq!(
            (differences(&comparison), comparison.differs_from()),
            (vec![], None)
        );
        (
            comparison.rebuilt.map(|plan| {
                let plan = serde_json::to_value(plan).unwrap();
                plan["steps"].as_array().unwrap().len()
            }),
            comparison.unjudged.unwrap_or_default(),
        )
    };
    let (_temp, dir) = copy_of("demo/episodes/ep_03_edited");
    let events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    fs::write(
        dir.join("events.jsonl"),
        events.replacen("\"phase\":\"observe\"", "\"phase\" \"observe\"", 1),
    )
    .unwrap();
    let reason = "line 2 of events.jsonl is not an event, and could be the one that matters";
    assert_eq!(unjudged(&dir), (Some(3), reason.to_owned()));
    fs::remove_file(dir.join("events.jsonl")).unwrap();
    assert_eq!(unjudged(&dir), (None, "events.jsonl is missing".into()));
    fs::write(dir.join("events.jsonl"), &events).unwrap();
    fs::remove_file(dir.join("state.json")).unwrap();
    assert_eq!(unjudged(&dir), (Some(3), "there is no state.json".into()));

    let (_temp, dir) = copy_of("good/paused");
    let projection = "\"event_type\":\"run.state_projection\"";
    replace(
        &dir.join("events.jsonl"),
        projection,
        "\"event_type\":\"run.other\"",
    );
    let reason = "the run may not have ended, and no projection event dates its snapshot";
    assert_eq!(unjudged(&dir), (None, reason.into()));
    // Events after the snapshot of a run in progress do not count.
    let beyond = RunReader::open(run_of("good/events-beyond-the-snapshot")).unwrap();
    let (all, compared) = (
        project(
            beyond
                .events()
                .unwrap()
                .map(|line| line.unwrap().text),
        ),
        compare(&beyond).unwrap(),
    );
    assert!(compared.unjudged.is_none() && compared.differences.is_empty());
    assert_ne!(
        serde_json::to_value(compared.rebuilt).unwrap(),
        all.unwrap()
    );
}

#[test]
fn plan_comparison_matches_the_snapshot() {
    for width in Width::BOTH {
        snapshot(
            &format!("plan-edited-{width}"),
            &runvet(&corpus().join("demo"), &["plan", "ep_03"], width),
        );
    }
}

#[test]
fn plan_json_has_both_plans_and_their_differences() {
    let (temp, dir) = copy_of("demo/episodes/ep_03_edited");
    replace(
        &dir.join("state.json"),
        "\"outputs\":{\"tickets\":3}",
        "\"outputs\":{\"z\":1.50,\"a\":1e2}",
    );
    let output = runvet(temp.path(), &["plan", "@latest", "--json"], Width::Narrow);
    let text = stdout(&output);
    let stored = fs::read_to_string(dir.join("state.json")).unwrap();
    let plan = &stored[stored.find("\"plan\":").unwrap() + 7
        ..stored
            .find(",\"state_schema_version\"")
            .unwrap()];
    assert!(
        text.contains(&format!("\"persisted\":{plan},")),
        "as it was stored: {text}"
    );
    let json: Value = serde_json::from_str(text).unwrap();
    assert_eq!(json["episode_id"], "ep_03_edited");
    let comparison = compare(&RunReader::open(&dir).unwrap()).unwrap();
    assert_eq!(
        json["comparison"],
        serde_json::to_value(comparison).unwrap()
    );
    assert_eq!(json["comparison"]["differences"][0]["line"], 6);
    assert_eq!(json["comparison"]["rebuilt"]["steps"][1]["status_line"], 6);

    fs::write(dir.join("state.json"), "[").unwrap();
    let output = runvet(temp.path(), &["plan", "@latest", "--json"], Width::Narrow);
    let json: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        (&json["persisted"], output.status.code()),
        (&Value::Null, Some(0))
    );
    assert_eq!(json["comparison"]["unjudged"], "state.json can't be judged");
}
