//! Reading records and events through the library: nothing is lost, and errors have a place.

use std::fs::{self, OpenOptions};
use std::io::Write;

use runvet::gate::Gate;
use runvet::read::{Error, EventLine, RunReader};
use runvet::record::{IntuitionMode, RuntimeMode, State, StepStatus};
use runvet::source::Artifact;
use serde_json::Value;

use crate::support::corpus::good_cases;
use crate::support::runs::{copy_of, replace, run_of};

/// The error of an artifact: the name of the file, the place, the reason.
fn fault(error: Error) -> (String, Option<(u64, u64)>, String) {
    let shown = error.to_string();
    let Error::Artifact {
        path,
        place,
        reason,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(
        path.is_absolute() && shown.starts_with(path.to_str().unwrap()) && shown.ends_with(&reason),
        "{shown}"
    );
    (
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned(),
        place,
        reason,
    )
}

#[test]
fn state_is_read_as_a_type_and_as_stored() {
    let (_temp, dir) = copy_of("good/terminal");
    let state = dir.join("state.json");
    replace(
        &state,
        "\"seed\":7",
        "\"seed\":7.0e0,\"zebra\":{\"b\":1,\"a\":-0.0}",
    );
    replace(
        &state,
        "\"value\":3}",
        "\"value\":12345678901234567890123.10}",
    );
    replace(
        &state,
        "{\"beliefs\"",
        " {\n\t\"zone\" : [ 1.50 , 1E+2 ],\"beliefs\"",
    );
    let episode = RunReader::open(&dir).unwrap();

    let stored = episode.state().unwrap();
    let text = fs::read_to_string(&state).unwrap();
    assert_eq!(stored.text(), text);
    assert_eq!(stored.object().raw(), text.trim());
    let names = |node: runvet::document::Node<'_>| {
        node.members()
            .map(|key| key.name().into_owned())
            .collect::<Vec<_>>()
    };
    let keys = [
        "zone",
        "beliefs",
        "episode",
        "goal",
        "links",
        "memory",
        "outcomes",
        "plan",
        "state_schema_version",
        "version",
    ];
    assert_eq!(names(stored.object()), keys);
    let member = |path: &[&str]| {
        path.iter()
            .fold(stored.object(), |node, key| node.get(key).unwrap())
    };
    assert_eq!(member(&["zone"]).raw(), "[ 1.50 , 1E+2 ]");
    assert_eq!(
        member(&["episode", "seed"])
            .number()
            .unwrap()
            .text(),
        "7.0e0"
    );
    assert_eq!(names(member(&["episode", "zebra"])), ["b", "a"]);
    let fact = member(&["memory", "facts"])
        .items()
        .next()
        .unwrap()
        .get("value")
        .unwrap();
    assert_eq!(fact.number().unwrap().text(), "12345678901234567890123.10");
    let record: State = stored.record().unwrap();
    assert_eq!(record.episode.seed.unwrap().as_f64(), Some(7.0));
    assert_eq!(
        record
            .plan
            .steps
            .iter()
            .map(|step| step.status)
            .collect::<Vec<_>>(),
        [StepStatus::Done, StepStatus::Done, StepStatus::Skipped]
    );
    assert_eq!(
        record.outcomes.actions.unwrap()[0].extensions["x-attempt"],
        1
    );
}

#[test]
fn summary_is_read_as_a_type_and_as_stored() {
    let (_temp, dir) = copy_of("good/terminal");
    let summary = dir.join("summary.json");
    replace(
        &summary,
        "\"duration_sec\":0.15",
        "\"zone\":\"\\u00e9\",\"duration_sec\":0.150",
    );
    let episode = RunReader::open(&dir).unwrap();
    let stored = episode.summary().unwrap();
    assert_eq!(stored.text(), fs::read_to_string(&summary).unwrap());
    assert_eq!(
        stored
            .object()
            .get("duration_sec")
            .unwrap()
            .raw(),
        "0.150"
    );
    assert_eq!(
        (
            stored
                .object()
                .get("zone")
                .unwrap()
                .raw(),
            stored
                .object()
                .get("zone")
                .unwrap()
                .text()
                .as_deref()
        ),
        ("\"\\u00e9\"", Some("é"))
    );
    let record = stored.record().unwrap();
    assert_eq!(
        (
            record.duration_sec,
            record.flags.mode,
            record.metrics.success
        ),
        (0.15, RuntimeMode::Meta, true)
    );
    assert_eq!(
        stored
            .into_document()
            .root()
            .get("episode_id")
            .unwrap()
            .text()
            .unwrap(),
        "ep_answer"
    );
}

#[test]
fn good_records_read_and_lose_nothing() {
    for case in good_cases() {
        let episode = RunReader::open(run_of(case.to_str().unwrap())).unwrap();
        let stored = episode.state().unwrap();
        let typed = serde_json::to_value(stored.record().unwrap()).unwrap();
        let mut plain: Value = serde_json::from_str(stored.text()).unwrap();
        // The one value that a reader fills in.
        let recorded = plain["episode"]
            .as_object_mut()
            .unwrap();
        recorded
            .entry("intuition_mode")
            .or_insert("advisory".into());
        assert_within(&typed, &plain, case.to_str().unwrap());
        if let Ok(stored) = episode.summary() {
            let (typed, plain) = (
                serde_json::to_value(stored.record().unwrap()).unwrap(),
                serde_json::from_str(stored.text()).unwrap(),
            );
            assert_within(&typed, &plain, case.to_str().unwrap());
        }
        let timeline = fs::read_to_string(
            episode
                .artifact(Artifact::Events)
                .unwrap(),
        )
        .unwrap();
        let events: Vec<EventLine> = episode
            .events()
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let lines: Vec<&str> = timeline
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        assert_eq!(
            events
                .iter()
                .map(|event| event.text.trim_end())
                .collect::<Vec<_>>(),
            lines
                .iter()
                .map(|line| line.trim_end())
                .collect::<Vec<_>>()
        );
        for event in events {
            let plain = serde_json::from_str(&event.text).unwrap();
            assert_within(
                &serde_json::to_value(event.event).unwrap(),
                &plain,
                &event.text,
            );
        }
    }
}

/// Asserts that the stored record contains everything in the typed one, except that an absent field
/// may be null, and a number may be written differently.
fn assert_within(typed: &Value, stored: &Value, at: &str) {
    match (typed, stored) {
        (Value::Object(typed), Value::Object(stored)) => {
            for (key, value) in typed
                .iter()
                .filter(|(key, value)| !value.is_null() || stored.contains_key(*key))
            {
                assert_within(
                    value,
                    stored.get(key).unwrap_or(&Value::Null),
                    &format!("{at} {key}"),
                );
            }
        }
        (Value::Array(typed), Value::Array(stored)) => {
            assert_eq!(typed.len(), stored.len(), "{at}");
            typed
                .iter()
                .zip(stored)
                .for_each(|(typed, stored)| assert_within(typed, stored, at));
        }
        (Value::Number(typed), Value::Number(stored)) => {
            assert_eq!(typed.as_f64(), stored.as_f64(), "{at}");
        }
        _ => assert_eq!(typed, stored, "{at}"),
    }
}

#[test]
fn events_are_read_lazily() {
    let (_temp, dir) = copy_of("good/terminal");
    let mut events = RunReader::open(&dir)
        .unwrap()
        .events()
        .unwrap();
    let first = events.next().unwrap().unwrap();
    assert_eq!(
        (first.line, first.offset, &*first.event.phase),
        (1, 0, "start")
    );
    let late =
        r#"{"phase":"late","timestamp":"2026-03-01T12:00:01Z","payload":{"unknown":[1.50]},"x":0}"#;
    writeln!(
        OpenOptions::new()
            .append(true)
            .open(dir.join("events.jsonl"))
            .unwrap(),
        "{late}"
    )
    .unwrap();
    let last = events.last().unwrap().unwrap();
    assert_eq!(
        (last.line, &*last.event.phase, &*last.text),
        (12, "late", late),
        "what is written meanwhile is read"
    );
}

#[test]
fn bad_line_is_named_and_the_next_ones_are_read() {
    let (_temp, dir) = copy_of("good/terminal");
    let good = r#"{"phase":"act","timestamp":"2026-03-01T12:00:00Z","payload":{}}"#;
    let lines = [
        &*format!("{good}\r"),
        "",
        "  ",
        r#"{"phase":"act" "timestamp"#,
        &format!("[{good}]"),
        "not UTF-8",
        r#"{"phase":"act","payload":{}}"#,
        r#"{"phase":"act","timestamp":"2026-03-01T12:00:00Z"}"#,
        r#"{"payload":[],"phase":"act"}"#,
        good,
        r#"{"phase":"a"#,
    ];
    let mut bytes = lines.join("\n").into_bytes();
    let at = lines[..5]
        .iter()
        .map(|line| line.len() + 1)
        .sum::<usize>();
    bytes[at] = 0xff;
    fs::write(dir.join("events.jsonl"), &bytes).unwrap();
    let episode = RunReader::open(&dir).unwrap();
    let mut typed = Vec::new();
    for read in episode.events().unwrap() {
        typed.push(match read {
            Ok(event) => {
                let at = usize::try_from(event.offset).unwrap();
                assert!(bytes[at..].starts_with(event.text.as_bytes()));
                format!("{} {}", event.line, event.event.phase)
            }
            Err(error) => {
                let (file, place, reason) = fault(error);
                let (line, column) = place.unwrap();
                assert!(
                    file == "events.jsonl" && column > 0 && !reason.is_empty(),
                    "{reason}"
                );
                format!("{line} fails")
            }
        });
    }
    assert_eq!(
        typed,
        [
            "1 act", "4 fails", "5 fails", "6 fails", "7 fails", "8 fails", "9 fails", "10 act",
            "11 fails"
        ]
    );

    let (mut texts, mut plain) = (episode.event_texts().unwrap(), Vec::new());
    while let Some(read) = texts.next_document() {
        plain.push(match read {
            Ok((line, object)) => format!("{line} {}", object.get("phase").unwrap().raw()),
            Err(error) => {
                let (_, place, reason) = fault(error);
                let (line, column) = place.unwrap();
                format!("{line}:{column} {reason}")
            }
        });
    }
    // A plain object need not be an event.
    assert_eq!(
        plain,
        [
            "1 \"act\"",
            "4:16 not JSON: expected `,` or `}`",
            "5:1 an array, not an object",
            "6:1 the line is not UTF-8",
            "7 \"act\"",
            "8 \"act\"",
            "9 \"act\"",
            "10 \"act\"",
            "11:12 not JSON: the text ends inside a string",
        ]
    );
    assert!(texts.next_document().is_none());
}

#[test]
fn records_of_older_and_newer_runtimes_are_read() {
    let (_temp, dir) = copy_of("good/terminal");
    let (state, summary) = (dir.join("state.json"), dir.join("summary.json"));
    let episode = RunReader::open(&dir).unwrap();
    let modes = || {
        let record = episode
            .state()
            .unwrap()
            .record()
            .unwrap()
            .episode;
        (record.intuition_mode, record.intuition_mode())
    };
    replace(
        &state,
        "\"intuition_mode\":\"advisory\"",
        "\"intuition_mode\":\"hybrid\"",
    );
    assert_eq!(
        modes(),
        (Some(IntuitionMode::Hybrid), IntuitionMode::Hybrid)
    );
    replace(&state, "\"intuition_mode\":\"hybrid\",", "");
    // A mode that is missing reads as the default of the reference.
    assert_eq!(
        modes(),
        (Some(IntuitionMode::Advisory), IntuitionMode::Advisory)
    );

    replace(
        &state,
        "\"state_schema_version\":\"1.0.0\"",
        "\"state_schema_version\":\"1.7.0\",\"mood\":{\"new\":[]}",
    );
    let record = episode
        .state()
        .unwrap()
        .record()
        .unwrap();
    assert_eq!(
        (&*record.version, &*record.state_schema_version),
        ("1.0", "1.7.0")
    );
    assert_eq!(
        episode
            .state()
            .unwrap()
            .object()
            .get("mood")
            .unwrap()
            .raw(),
        "{\"new\":[]}"
    );

    let mut plain: Value = serde_json::from_str(&fs::read_to_string(&summary).unwrap()).unwrap();
    plain
        .as_object_mut()
        .unwrap()
        .remove("insight")
        .unwrap();
    plain["flags"]
        .as_object_mut()
        .unwrap()
        .remove("direction")
        .unwrap();
    plain["flags"]["mode"] = "minimal".into();
    plain["schema_version"] = "1.9.2".into();
    plain["metrics"]["tokens"] = 12.into();
    fs::write(&summary, plain.to_string()).unwrap();
    let record = episode
        .summary()
        .unwrap()
        .record()
        .unwrap();
    assert_eq!((record.insight, record.flags.direction), (None, None));
    assert_eq!(
        (record.flags.mode, &*record.schema_version),
        (RuntimeMode::Minimal, "1.9.2")
    );
}

#[test]
fn read_error_has_path_and_place() {
    let (_temp, dir) = copy_of("good/terminal");
    let state = dir.join("state.json");
    let episode = RunReader::open(&dir).unwrap();
    let broken = |text: &str| {
        fs::write(&state, text).unwrap();
        fault(episode.state().unwrap_err())
    };
    let reason = "not JSON: expected `true`, `false` or `null`".to_owned();
    assert_eq!(
        broken("{\n \"é\": tru\n}"),
        ("state.json".into(), Some((2, 7)), reason),
        "columns are characters"
    );
    assert_eq!(broken("").1, Some((1, 1)));
    fs::write(
        &state,
        "{\"version\":\"1.0\",\n\"state_schema_version\": 1}",
    )
    .unwrap();
    let stored = episode.state().unwrap();
    let (file, place, reason) = fault(stored.record().unwrap_err());
    assert_eq!((&*file, place), ("state.json", Some((1, 1))), "{reason}");
    assert_eq!(
        reason, "the record lacks the required fields `episode`, `goal`, `outcomes` and `plan`",
        "the first of what does not fit"
    );
    assert_eq!(
        stored
            .object()
            .get("state_schema_version")
            .unwrap()
            .raw(),
        "1",
        "the object can be had all the same"
    );

    fs::remove_file(&state).unwrap();
    assert_eq!(
        fault(episode.state().unwrap_err()).2,
        "it vanished while the episode was read"
    );
    fs::create_dir(&state).unwrap();
    assert_eq!(fault(episode.state().unwrap_err()).2, "it is a directory");
    fs::remove_dir(&state).unwrap();
    std::os::unix::fs::symlink(dir.join("summary.json"), &state).unwrap();
    assert_eq!(
        fault(episode.state().unwrap_err()).2,
        "it is a symbolic link, and links are not followed"
    );

    let paused = RunReader::open(run_of("good/paused")).unwrap();
    assert_eq!(
        fault(paused.summary().unwrap_err()),
        ("summary.json".into(), None, "there is no such file".into())
    );
    assert_eq!(paused.artifact(Artifact::Summary), None);
    assert_eq!(
        fault(
            paused
                .bytes(Artifact::Manifest)
                .unwrap_err()
        )
        .0,
        "manifest.json"
    );
    let summary = RunReader::open(run_of("broken/summary-alone")).unwrap();
    assert_eq!(fault(summary.events().err().unwrap()).0, "events.jsonl");
    assert_eq!(
        fault(summary.event_texts().err().unwrap()).0,
        "events.jsonl"
    );
}

#[test]
fn bytes_are_those_of_the_file() {
    let (_temp, dir) = copy_of("good/terminal");
    fs::write(dir.join("state.json"), b" \xff\0{").unwrap();
    let episode = RunReader::open(&dir).unwrap();
    assert_eq!(episode.bytes(Artifact::State).unwrap(), b" \xff\0{");
    assert_eq!(
        episode.bytes(Artifact::Learn).unwrap(),
        fs::read(dir.join("learn.jsonl")).unwrap()
    );
}

#[test]
fn what_validate_calls_valid_is_read_as_types() {
    let (_temp, dir) = copy_of("good/terminal");
    let deep = format!("{}1{}", "[".repeat(125), "]".repeat(125));
    for (file, wide) in [
        (
            "state.json",
            format!("\"note_of_the_user\":[1e400,{deep}],"),
        ),
        (
            "summary.json",
            format!("\"note_of_the_user\":[-1e400,{deep}],"),
        ),
    ] {
        let text = fs::read_to_string(dir.join(file)).unwrap();
        fs::write(dir.join(file), text.replacen('{', &format!("{{{wide}"), 1)).unwrap();
    }
    let events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    let count = events.lines().count();
    let wide = format!("\"payload\":{{\"wide\":1e400,\"deep\":{deep},");
    let events = events
        .replace("\"payload\":{", &wide)
        .replace(",}", "}");
    fs::write(dir.join("events.jsonl"), events).unwrap();
    let report = Gate::default().run([&dir]).unwrap();
    let valid = report.episodes[0].valid;
    assert_eq!(valid, Some(true), "{:?}", report.episodes[0].findings);
    let run = RunReader::open(&dir).unwrap();
    assert_eq!(
        run.state()
            .unwrap()
            .record()
            .unwrap()
            .episode
            .id,
        "ep_answer"
    );
    run.summary().unwrap().record().unwrap();
    let read: Vec<_> = run
        .events()
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(read.len(), count);
    assert_eq!(read[0].event.payload["wide"].as_f64(), Some(f64::MAX));
}

#[test]
fn count_beyond_64_bits_reads_as_the_largest() {
    let count = |text: &str| {
        serde_json::from_str::<runvet::record::Count>(text)
            .ok()
            .map(|count| count.0)
    };
    assert_eq!(count("1e30"), Some(u64::MAX));
    assert_eq!(count("18446744073709551616"), Some(u64::MAX));
    assert_eq!(count("2e0"), Some(2));
    assert_eq!(
        (count("-1"), count("2.5"), count("-1e30")),
        (None, None, None)
    );
}
