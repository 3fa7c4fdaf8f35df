//! Reading runs through the library: nothing is lost, nothing is opened unnecessarily, and errors
//! have a place.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use runvet::check::Check;
use runvet::finding::Lifecycle;
use runvet::read::policy::{Advice, Change, Consulted, Policy, consult};
use runvet::read::{Error, EventLine, RunData, RunEntry, RunReader};
use runvet::record::{IntuitionMode, RuntimeMode, State, StepStatus};
use runvet::source::Artifact;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::corpus::{corpus, good_cases};
use crate::support::runs::{copy_dir, copy_of, replace, run_of, touch};

/// Run data with copies of one good run under other names, the first of which changed last.
fn named(names: &[&str]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (day, name) in names.iter().rev().enumerate() {
        let dir = temp.path().join("episodes").join(name);
        copy_dir(&run_of("good/terminal"), &dir);
        touch(&dir, day as u64);
    }
    temp
}

fn ids(runs: &[RunEntry]) -> Vec<&str> {
    runs.iter().map(|run| &*run.episode_id).collect()
}

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
        path.file_name().unwrap().to_str().unwrap().to_owned(),
        place.map(|place| (place.line, place.column)),
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
        member(&["episode", "seed"]).number().unwrap().text(),
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
    assert_eq!(stored.object().get("duration_sec").unwrap().raw(), "0.150");
    assert_eq!(
        (
            stored.object().get("zone").unwrap().raw(),
            stored.object().get("zone").unwrap().text().as_deref()
        ),
        ("\"\\u00e9\"", Some("é"))
    );
    let record = stored.record().unwrap();
    assert_eq!(
        (
            record.duration_sec.0,
            record.flags.mode,
            record.metrics.success.0
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
        let (typed, plain) = (
            serde_json::to_value(stored.record().unwrap()).unwrap(),
            serde_json::from_str(stored.text()).unwrap(),
        );
        assert_within(&typed, &plain, case.to_str().unwrap());
        if let Ok(stored) = episode.summary() {
            let (typed, plain) = (
                serde_json::to_value(stored.record().unwrap()).unwrap(),
                serde_json::from_str(stored.text()).unwrap(),
            );
            assert_within(&typed, &plain, case.to_str().unwrap());
        }
        let timeline = fs::read_to_string(episode.artifact(Artifact::Events).unwrap()).unwrap();
        let events: Vec<EventLine> = episode.events().unwrap().map(Result::unwrap).collect();
        let lines: Vec<&str> = timeline
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        assert_eq!(
            events
                .iter()
                .map(|event| event.text.trim_end())
                .collect::<Vec<_>>(),
            lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>()
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
    let mut events = RunReader::open(&dir).unwrap().events().unwrap();
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
    let at = lines[..5].iter().map(|line| line.len() + 1).sum::<usize>();
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

/// The id that a runtime gives to a run of a day in 2026, with the time in it.
fn ulid(day: u64) -> String {
    let mut milliseconds = 1_767_225_600_000 + day * 86_400_000;
    let mut time = [0; 10];
    for digit in time.iter_mut().rev() {
        *digit = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[usize::try_from(milliseconds % 32).unwrap()];
        milliseconds /= 32;
    }
    format!("ep_{}CTSPE3DKFP348M8P", std::str::from_utf8(&time).unwrap())
}

#[test]
fn runs_are_listed_newest_first_by_ulid() {
    let (first, second, third) = (ulid(0), ulid(1), ulid(40));
    // In the order in which the directories changed, the oldest is the newest.
    let temp = named(&[&first, &third, &second]);
    let run_data = RunData::open(temp.path()).unwrap();
    assert_eq!(ids(&run_data.list(usize::MAX)), [&third, &second, &first]);
    assert_eq!(ids(&run_data.list(2)), [&third, &second]);
    assert_eq!(run_data.list(0), []);
    assert_eq!(
        (run_data.len(), run_data.is_empty(), run_data.path()),
        (3, false, temp.path())
    );
    assert_eq!(run_data.get("@latest").unwrap().id(), third);
}

#[test]
fn runs_without_a_ulid_are_listed_by_modification_time() {
    let temp = named(&["ep_b", "ep_a", "ep_c"]);
    // 2026 is later than all times that `touch` sets.
    copy_dir(
        &run_of("good/terminal"),
        &temp.path().join("episodes").join(ulid(0)),
    );
    let run_data = RunData::open(temp.path()).unwrap();
    assert_eq!(ids(&run_data.list(9)), [&*ulid(0), "ep_b", "ep_a", "ep_c"]);
    touch(&temp.path().join("episodes/ep_c"), 9);
    assert_eq!(
        ids(&run_data.list(9)),
        [&*ulid(0), "ep_b", "ep_a", "ep_c"],
        "a listing is made once"
    );
    let run_data = RunData::open(temp.path()).unwrap();
    assert_eq!(ids(&run_data.list(9)), [&*ulid(0), "ep_c", "ep_b", "ep_a"]);
}

#[test]
fn runs_in_groups_and_hidden_directories_are_listed() {
    let temp = named(&["ep_b", "group/deep/ep_a", ".hidden/ep_c"]);
    let episodes = temp.path().join("episodes");
    fs::create_dir_all(episodes.join("ep_b/checkpoints/1")).unwrap();
    fs::copy(
        episodes.join("ep_b/state.json"),
        episodes.join("ep_b/checkpoints/1/state.json"),
    )
    .unwrap();
    touch(&episodes.join("ep_b"), 9);
    fs::create_dir(episodes.join("empty")).unwrap();
    fs::create_dir_all(episodes.join(".git/ep_d")).unwrap();
    fs::write(episodes.join(".git/ep_d/state.json"), "{}").unwrap();
    fs::write(episodes.join("notes.txt"), "").unwrap();
    std::os::unix::fs::symlink(run_of("good/paused"), episodes.join("ep_link")).unwrap();
    let run_data = RunData::open(temp.path()).unwrap();
    assert_eq!(ids(&run_data.list(9)), ["ep_b", "ep_a", "ep_c"]);
    assert!(
        run_data
            .get("ep_a")
            .unwrap()
            .path()
            .ends_with("episodes/group/deep/ep_a")
    );
    let none = tempfile::tempdir().unwrap();
    fs::create_dir(none.path().join("episodes")).unwrap();
    let run_data = RunData::open(none.path()).unwrap();
    assert!(run_data.is_empty() && run_data.list(9).is_empty());
}

#[test]
fn run_is_listed_when_its_name_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let temp = named(&["ep_a"]);
    let odd = temp
        .path()
        .join("episodes")
        .join(std::ffi::OsStr::from_bytes(b"ep_\xff"));
    fs::rename(temp.path().join("episodes/ep_a"), &odd).unwrap();
    let run_data = RunData::open(temp.path()).unwrap();
    assert_eq!(ids(&run_data.list(9)), ["ep_\u{fffd}"]);
    assert_eq!(run_data.get("@latest").unwrap().path(), odd);
}

/// Which of some directories are opened, or a file in them, while something is done.
#[cfg(target_os = "linux")]
fn opened<'d>(dirs: &[&'d Path], done: impl FnOnce()) -> Vec<&'d Path> {
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    let watched: Vec<i32> = dirs
        .iter()
        .map(|dir| add_watch(&inotify, *dir, WatchFlags::OPEN).unwrap())
        .collect();
    done();
    let (mut buffer, mut events) = ([std::mem::MaybeUninit::uninit(); 4096], Vec::new());
    let mut reader = Reader::new(&inotify, &mut buffer);
    while let Ok(event) = reader.next() {
        events.push(event.wd());
    }
    std::iter::zip(dirs, watched)
        .filter(|(_, watch)| events.contains(watch))
        .map(|(dir, _)| *dir)
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn runs_beyond_the_limit_are_not_opened() {
    let (first, second, third) = (ulid(0), ulid(1), ulid(2));
    let temp = named(&[&first, &second, &third]);
    let dirs = [&first, &second, &third].map(|name| temp.path().join("episodes").join(name));
    let dirs: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
    let with = |limit: usize| {
        opened(&dirs, || {
            assert_eq!(RunData::open(temp.path()).unwrap().list(limit).len(), limit);
        })
    };
    assert_eq!(with(0), [] as [&Path; 0]);
    assert_eq!(with(1), dirs[2..]);
    assert_eq!(with(2), dirs[1..]);
    assert_eq!(with(3), dirs);
    assert_eq!(
        opened(&dirs, || drop(
            RunData::open(temp.path()).unwrap().get(&first).unwrap()
        )),
        dirs[..1]
    );
    assert_eq!(
        opened(&dirs, || drop(
            RunData::open(temp.path()).unwrap().get("@latest").unwrap()
        )),
        dirs[2..]
    );
}

#[test]
fn run_is_read_when_its_turn_comes() {
    let (first, second) = (ulid(0), ulid(1));
    let temp = named(&[&first, &second]);
    let run_data = RunData::open(temp.path()).unwrap();
    let mut episodes = run_data.iter();
    assert_eq!(episodes.next().unwrap().id(), second);
    fs::write(
        temp.path().join("episodes").join(&first).join("state.json"),
        r#"{"goal":{"task":"late"}}"#,
    )
    .unwrap();
    assert_eq!(
        episodes.next().unwrap().entry().task.as_deref(),
        Some("late")
    );
    assert!(episodes.next().is_none());
    fs::remove_dir_all(temp.path().join("episodes").join(&second)).unwrap();
    assert_eq!(
        ids(&run_data.list(9)),
        [first],
        "a run that has gone is passed over"
    );
}

#[test]
fn run_entry_says_what_is_known_of_a_run() {
    let run_data = RunData::open(corpus().join("demo")).unwrap();
    let entry = |id: &str| serde_json::to_value(run_data.get(id).unwrap().entry()).unwrap();
    let dir = |id: &str| corpus().join("demo/episodes").join(id);
    let (task, started) = (
        "Summarize the open tickets",
        "2026-03-01T12:00:00.000000+00:00",
    );
    assert_eq!(
        entry("ep_01"),
        json!({
            "episode_id": "ep_01_answer", "task": task, "started_at": started, "status": "ok", "outcome": "success",
            "duration_sec": 0.15, "lifecycle": "terminal", "dir": dir("ep_01_answer"), "valid": null,
            "first_error": null
        })
    );
    assert_eq!(
        entry("ep_02"),
        json!({
            "episode_id": "ep_02_paused", "task": task, "started_at": started, "status": "pending", "outcome": null,
            "duration_sec": null, "lifecycle": "non_terminal", "dir": dir("ep_02_paused"), "valid": null,
            "first_error": null
        })
    );

    let (temp, dir) = copy_of("good/terminal");
    let only = |text: &str| {
        fs::write(dir.join("state.json"), text).unwrap();
        RunData::open(temp.path()).unwrap().list(9).remove(0)
    };
    for state in [
        "{\"goal\": ",
        "[]",
        "{\"goal\":{\"task\":7},\"episode\":\"?\",\"outcomes\":null}",
    ] {
        let entry = only(state);
        assert_eq!(
            (entry.task.as_deref(), entry.started_at.as_deref()),
            (Some(task), Some(started)),
            "{state}"
        );
        assert_eq!(
            (entry.status, entry.outcome.as_deref()),
            (None, Some("success")),
            "{state}"
        );
        assert_eq!(
            (&*entry.episode_id, entry.lifecycle),
            ("ep_answer", Lifecycle::Unknown),
            "{state}"
        );
    }
    fs::write(dir.join("summary.json"), b"\xff").unwrap();
    let entry = only("?");
    assert_eq!(
        (entry.task, entry.started_at, entry.duration_sec),
        (None, None, None)
    );
}

#[test]
fn records_of_older_and_newer_runtimes_are_read() {
    let (_temp, dir) = copy_of("good/terminal");
    let (state, summary) = (dir.join("state.json"), dir.join("summary.json"));
    let episode = RunReader::open(&dir).unwrap();
    let modes = || {
        let record = episode.state().unwrap().record().unwrap().episode;
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
    assert_eq!(modes(), (None, IntuitionMode::Advisory));

    replace(
        &state,
        "\"state_schema_version\":\"1.0.0\"",
        "\"state_schema_version\":\"1.7.0\",\"mood\":{\"new\":[]}",
    );
    let record = episode.state().unwrap().record().unwrap();
    assert_eq!(
        (&*record.version, &*record.state_schema_version),
        ("1.0", "1.7.0")
    );
    assert_eq!(
        episode.state().unwrap().object().get("mood").unwrap().raw(),
        "{\"new\":[]}"
    );

    let mut plain: Value = serde_json::from_str(&fs::read_to_string(&summary).unwrap()).unwrap();
    plain.as_object_mut().unwrap().remove("insight").unwrap();
    plain["flags"]
        .as_object_mut()
        .unwrap()
        .remove("direction")
        .unwrap();
    plain["flags"]["mode"] = "minimal".into();
    plain["schema_version"] = "1.9.2".into();
    plain["metrics"]["tokens"] = 12.into();
    fs::write(&summary, plain.to_string()).unwrap();
    let record = episode.summary().unwrap().record().unwrap();
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
        stored.object().get("state_schema_version").unwrap().raw(),
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
        fault(paused.bytes(Artifact::Manifest).unwrap_err()).0,
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
fn run_is_found_by_id_part_or_path() {
    let temp = named(&["ep_1", "ep_10", "ep_2_long", "other"]);
    let run_data = RunData::open(temp.path()).unwrap();
    let found = |name: &str| run_data.get(name).unwrap().id();
    assert_eq!(
        found("ep_1"),
        "ep_1",
        "an exact id takes precedence over a prefix"
    );
    assert_eq!(found("ep_10"), "ep_10");
    assert_eq!(found("ep_2"), "ep_2_long");
    assert_eq!(found("o"), "other");
    assert_eq!(found("@latest"), "ep_1");
    let dir = temp.path().join("episodes/ep_2_long");
    assert_eq!(found(dir.to_str().unwrap()), "ep_2_long");
    assert_eq!(
        found(dir.join("events.jsonl").to_str().unwrap()),
        "ep_2_long"
    );
    assert_eq!(RunReader::open(&dir).unwrap().path(), dir);
    assert_eq!(
        found(run_of("good/paused").to_str().unwrap()),
        "ep_paused",
        "a path leads anywhere"
    );
    // Outside `episodes` the records give the id of the run.
    let elsewhere = temp.path().join("elsewhere");
    copy_dir(&run_of("good/terminal"), &elsewhere);
    let id = || RunReader::open(&elsewhere).unwrap().id();
    replace(
        &elsewhere.join("state.json"),
        "\"id\":\"ep_answer\"",
        "\"id\":\"ep_state\"",
    );
    assert_eq!(id(), "ep_state");
    fs::write(elsewhere.join("state.json"), "{}").unwrap();
    assert_eq!(id(), "ep_answer");
    fs::remove_file(elsewhere.join("summary.json")).unwrap();
    assert_eq!(id(), "elsewhere");
}

#[test]
fn whole_id_goes_before_its_start_and_that_before_a_part() {
    let temp = named(&["ab", "AB", "abc", "xab", "XABD", "Mixed", "mixer"]);
    let run_data = RunData::open(temp.path()).unwrap();
    let found = |name: &str| run_data.get(name).map(|run| run.id()).unwrap_or_default();
    for (name, id) in [
        ("ab", "ab"),
        ("AB", "AB"),
        ("abC", "abc"),
        ("Mi", "Mixed"),
        ("mi", "mixer"),
        ("BC", "abc"),
        ("ABD", "XABD"),
        ("MIXE", ""),
        ("aB", ""),
        ("b", ""),
        ("bd", "XABD"),
    ] {
        assert_eq!(found(name), id, "{name}");
    }
    let many: Vec<String> = (10..30).map(|number| format!("ep_{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let temp = named(&many);
    let error = RunData::open(temp.path()).unwrap().get("ep").unwrap_err();
    let said = error.to_string();
    assert!(
        said.ends_with(" and more") && said.matches("ep_").count() == 8,
        "{said}"
    );
}

#[test]
fn run_data_is_found_above_below_and_at_paths() {
    let temp = named(&["ep_1", "group/ep_2", "group/ep_3"]);
    let episodes = temp.path().join("episodes");
    let listed = |paths: &[PathBuf]| {
        let mut ids: Vec<_> = RunData::find(paths)?.iter().map(|run| run.id()).collect();
        ids.sort();
        Ok::<_, Error>(ids)
    };
    let at = |path: &str| listed(&[temp.path().join(path)]).unwrap();
    for (path, ids) in [
        ("", &["ep_1", "ep_2", "ep_3"][..]),
        ("episodes", &["ep_1", "ep_2", "ep_3"]),
        ("episodes/group", &["ep_2", "ep_3"]),
        ("episodes/ep_1", &["ep_1"]),
        ("episodes/ep_1/state.json", &["ep_1"]),
    ] {
        assert_eq!(at(path), ids, "{path}");
    }
    let several = [
        episodes.join("ep_1"),
        episodes.clone(),
        episodes.join("group/ep_3"),
    ];
    assert_eq!(listed(&several).unwrap(), ["ep_1", "ep_2", "ep_3"]);

    let project = tempfile::tempdir().unwrap();
    let runs = |below: &str| project.path().join(below).join("episodes/ep_a");
    copy_dir(&run_of("good/terminal"), &runs("a/.b/c"));
    // Neither is run data: what git keeps, and what lies too deep.
    copy_dir(&run_of("good/terminal"), &runs(".git"));
    copy_dir(&run_of("good/terminal"), &runs("1/2/3/4/5/6"));
    assert_eq!(listed(&[project.path().to_owned()]).unwrap(), ["ep_a"]);
    copy_dir(&run_of("good/terminal"), &runs("other"));
    assert_eq!(
        listed(&[project.path().to_owned()]).unwrap(),
        ["ep_a", "ep_a"]
    );
    let error = RunData::find_only(project.path()).unwrap_err();
    let Error::SeveralRunData { found, more, .. } = &error else {
        panic!("{error}")
    };
    let expected = ["a/.b/c", "other"].map(|below| project.path().join(below));
    assert_eq!((&**found, *more), (&expected[..], false));
    let none = tempfile::tempdir().unwrap();
    let error = listed(&[none.path().to_owned()]).unwrap_err();
    assert!(matches!(error, Error::NoRunData { .. }), "{error}");
    // A run outside of run data.
    copy_dir(&run_of("good/terminal"), &none.path().join("lone"));
    assert_eq!(listed(&[none.path().join("lone")]).unwrap(), ["ep_answer"]);
}

#[test]
fn id_of_two_runs_names_neither() {
    let temp = named(&["a/ep_same", "b/ep_same", "b/ep_other", "c/ep_some"]);
    let run_data = RunData::open(temp.path()).unwrap();
    for name in ["ep_same", "ep_sa"] {
        let error = run_data.get(name).unwrap_err();
        let Error::SharedId { id, paths, .. } = &error else {
            panic!("{error}")
        };
        let path = |group| temp.path().join("episodes").join(group).join("ep_same");
        assert_eq!((&**id, &**paths), ("ep_same", &[path("a"), path("b")][..]));
        let path = path("b").display().to_string();
        assert!(error.to_string().ends_with(&format!(", {path}")), "{error}");
        assert!(run_data.get(&path).is_ok());
    }
    let error = run_data.get("ep_s").unwrap_err();
    let Error::Ambiguous { matches, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(matches, &["ep_same", "ep_some"]);
}

#[test]
fn unknown_or_ambiguous_id_is_an_error_that_helps() {
    let temp = named(&[
        "ep_01_answer",
        "ep_02_paused",
        "ep_03_edited",
        "something_else",
    ]);
    let run_data = RunData::open(temp.path()).unwrap();
    let error = run_data.get("EP_02_pausde").unwrap_err();
    let Error::UnknownRun { id, nearest } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (&**id, &**nearest),
        ("EP_02_pausde", &["ep_02_paused".to_owned()][..])
    );
    assert_eq!(
        error.to_string(),
        "there is no run \"EP_02_pausde\"; did you mean ep_02_paused?"
    );
    for name in ["pausde", "02_pasued"] {
        let error = run_data.get(name).unwrap_err();
        let Error::UnknownRun { nearest, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(nearest, &["ep_02_paused"], "{name}");
    }
    let said = |name: &str| run_data.get(name).unwrap_err().to_string();
    assert_eq!(
        said("ep_zzz"),
        "there is no run \"ep_zzz\"",
        "nothing is near"
    );
    assert_eq!(
        said("latest"),
        "there is no run \"latest\"; did you mean @latest?"
    );

    let error = run_data.get("ep_0").unwrap_err();
    let Error::Ambiguous {
        name,
        matches,
        more,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((&**name, matches.len(), *more), ("ep_0", 3, false));
    assert_eq!(
        error.to_string(),
        "several runs match \"ep_0\": ep_01_answer, ep_02_paused, ep_03_edited"
    );

    assert!(
        matches!(run_data.get("").unwrap_err(), Error::UnknownRun { .. }),
        "an empty id begins no id"
    );
    let several = run_data.get(temp.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(several, Error::SeveralRuns { .. }), "{several}");
    let error = run_data.get("./Cargo.toml").unwrap_err();
    assert_eq!(
        error.to_string(),
        "./Cargo.toml: it is not an artifact of a run"
    );
    for path in ["./nowhere", "no/where"] {
        assert!(
            matches!(run_data.get(path).unwrap_err(), Error::UnknownRun { .. }),
            "{path}"
        );
    }
    let none = tempfile::tempdir().unwrap();
    for path in [
        none.path().to_owned(),
        none.path().join("nowhere"),
        run_of("good/terminal").join("state.json"),
    ] {
        let error = RunData::open(&path).unwrap_err();
        assert!(
            matches!(&error, Error::NoRunData { path: named } if *named == path),
            "{error}"
        );
        assert!(
            error.to_string().starts_with(path.to_str().unwrap()),
            "{error}"
        );
    }
    fs::create_dir(none.path().join("episodes")).unwrap();
    let empty = RunData::open(none.path()).unwrap();
    for name in ["@latest", "ep_1"] {
        let error = empty.get(name).unwrap_err();
        assert!(
            matches!(&error, Error::UnknownRun { nearest, .. } if nearest.is_empty()),
            "{error}"
        );
        assert_eq!(error.to_string(), format!("there is no run {name:?}"));
    }
}

/// A policy that always gives the same advice, and the states that it saw.
struct Fixed<'s> {
    name: &'static str,
    version: &'static str,
    advice: Advice,
    asked: &'s std::cell::RefCell<Vec<String>>,
}

impl Policy for Fixed<'_> {
    fn name(&self) -> &str {
        self.name
    }
    fn version(&self) -> &str {
        self.version
    }
    fn advise(&self, state: &State) -> Advice {
        self.asked.borrow_mut().push(format!(
            "{}@{}: {}",
            self.name, self.version, state.goal.task
        ));
        self.advice.clone()
    }
}

#[test]
fn policies_are_consulted_in_order_under_their_names() {
    let asked = std::cell::RefCell::default();
    let policy = |name, version, advice| Fixed {
        name,
        version,
        advice,
        asked: &asked,
    };
    let change = json!({"plan": {"steps": []}}).as_object().unwrap().clone();
    let policies = [
        policy("guard", "1.0.0", Advice::veto("too risky")),
        policy("coach", "2.1.0", Advice::hint("verify first")),
        policy("quiet", "0.1.0", Advice::Nothing),
        policy(
            "guard",
            "2.0.0",
            Advice::intervention(Change::Other(change)),
        ),
    ];
    let policies: Vec<&dyn Policy> = policies
        .iter()
        .map(|policy| policy as &dyn Policy)
        .collect();
    let state = RunReader::open(run_of("good/terminal"))
        .unwrap()
        .state()
        .unwrap()
        .record()
        .unwrap();
    let before = state.clone();
    let said: Vec<Consulted> = consult(&policies, &state);
    assert_eq!(state, before);
    assert_eq!(
        *asked.borrow(),
        [
            "guard@1.0.0: Summarize the open tickets",
            "coach@2.1.0: Summarize the open tickets",
            "quiet@0.1.0: Summarize the open tickets",
            "guard@2.0.0: Summarize the open tickets",
        ]
    );
    assert_eq!(
        serde_json::to_value(said).unwrap(),
        json!([
            {"policy": "guard", "version": "1.0.0", "advice": {"kind": "veto", "reason": "too risky", "scope": "step"}},
            {"policy": "coach", "version": "2.1.0", "advice": {"kind": "hint", "text": "verify first", "confidence": 1.0}},
            {"policy": "quiet", "version": "0.1.0", "advice": {"kind": "nothing"}},
            {"policy": "guard", "version": "2.0.0",
             "advice": {"kind": "intervention", "change": {"plan": {"steps": []}}, "confidence": 1.0}},
        ])
    );
    assert_eq!(consult(&[], &state), []);
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
    let events = events.replace("\"payload\":{", &wide).replace(",}", "}");
    fs::write(dir.join("events.jsonl"), events).unwrap();
    let report = Check::new().run([&dir]).unwrap();
    let valid = report.episodes[0].valid;
    assert_eq!(valid, Some(true), "{:?}", report.episodes[0].findings);
    let run = RunReader::open(&dir).unwrap();
    assert_eq!(
        run.state().unwrap().record().unwrap().episode.id,
        "ep_answer"
    );
    run.summary().unwrap().record().unwrap();
    let read: Vec<_> = run.events().unwrap().collect::<Result<_, _>>().unwrap();
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
