//! Listing and finding runs through the library: nothing is opened unnecessarily.

use std::fs;
use std::path::{Path, PathBuf};

use runvet::finding::Lifecycle;
use runvet::read::{Error, RunData, RunEntry, RunReader};
use serde_json::json;
use tempfile::TempDir;

use crate::support::corpus::corpus;
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
    runs.iter()
        .map(|run| &*run.episode_id)
        .collect()
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
    assert_eq!(run_data.list(0), run_data.list(usize::MAX));
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
        &temp
            .path()
            .join("episodes")
            .join(ulid(0)),
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
fn many_runs_are_listed_with_those_of_a_group() {
    let temp = tempfile::tempdir().unwrap();
    let episodes = temp.path().join("episodes");
    let add = |name: &str| {
        fs::create_dir_all(episodes.join(name)).unwrap();
        fs::write(episodes.join(name).join("state.json"), "{}").unwrap();
    };
    for day in 0..1_200 {
        add(&ulid(day));
    }
    add(&format!("group/{}", ulid(1_200)));
    fs::write(episodes.join("ep_notes"), "").unwrap();
    std::os::unix::fs::symlink(ulid(0), episodes.join("ep_link")).unwrap();
    let run_data = RunData::open(temp.path()).unwrap();
    let newest_first: Vec<String> = (0..=1_200).rev().map(ulid).collect();
    assert_eq!(ids(&run_data.list(9_999)), newest_first);
    assert_eq!(run_data.len(), 1_201);
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
    let dirs: Vec<&Path> = dirs
        .iter()
        .map(PathBuf::as_path)
        .collect();
    let with = |limit: usize| {
        opened(&dirs, || {
            assert_eq!(
                RunData::open(temp.path())
                    .unwrap()
                    .list(limit)
                    .len(),
                limit
            );
        })
    };
    assert_eq!(with(1), dirs[2..]);
    assert_eq!(with(2), dirs[1..]);
    assert_eq!(with(3), dirs);
    assert_eq!(
        opened(&dirs, || drop(
            RunData::open(temp.path())
                .unwrap()
                .get(&first)
                .unwrap()
        )),
        dirs[..1]
    );
    assert_eq!(
        opened(&dirs, || drop(
            RunData::open(temp.path())
                .unwrap()
                .get("@latest")
                .unwrap()
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
        temp.path()
            .join("episodes")
            .join(&first)
            .join("state.json"),
        r#"{"goal":{"task":"late"}}"#,
    )
    .unwrap();
    assert_eq!(
        episodes
            .next()
            .unwrap()
            .entry()
            .task
            .as_deref(),
        Some("late")
    );
    assert!(episodes.next().is_none());
    fs::remove_dir_all(
        temp.path()
            .join("episodes")
            .join(&second),
    )
    .unwrap();
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
            "first_error": null, "parent": null,
            "metrics": {"steps_completed": 2.0, "steps_total": 3.0, "task_score": 0.75}
        })
    );
    assert_eq!(
        entry("ep_02"),
        json!({
            "episode_id": "ep_02_paused", "task": task, "started_at": started, "status": "pending", "outcome": null,
            "duration_sec": null, "lifecycle": "non_terminal", "dir": dir("ep_02_paused"), "valid": null,
            "first_error": null, "parent": null, "paused": {"since": "2026-03-01T12:00:00.065000+00:00", "reason": "step-2"},
            "metrics": {"steps_completed": 1.0, "steps_total": 3.0}
        })
    );

    let (temp, dir) = copy_of("good/terminal");
    let only = |text: &str| {
        fs::write(dir.join("state.json"), text).unwrap();
        RunData::open(temp.path())
            .unwrap()
            .list(9)
            .remove(0)
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
fn run_is_found_by_id_or_part_and_opened_by_path() {
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
    assert!(
        run_data
            .get(dir.to_str().unwrap())
            .is_err()
    );
    assert_eq!(RunReader::open(&dir).unwrap().path(), dir);
    let from_file = RunReader::open(dir.join("events.jsonl")).unwrap();
    assert_eq!(from_file.id(), "ep_2_long");
    // Outside `episodes` the records give the id of the run.
    let elsewhere = temp.path().join("elsewhere");
    copy_dir(&run_of("good/terminal"), &elsewhere);
    let id = || {
        RunReader::open(&elsewhere)
            .unwrap()
            .id()
    };
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
    let found = |name: &str| {
        run_data
            .get(name)
            .map(|run| run.id())
            .unwrap_or_default()
    };
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
    let many: Vec<String> = (10..30)
        .map(|number| format!("ep_{number}"))
        .collect();
    let many: Vec<&str> = many
        .iter()
        .map(String::as_str)
        .collect();
    let temp = named(&many);
    let error = RunData::open(temp.path())
        .unwrap()
        .get("ep")
        .unwrap_err();
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
        let mut ids: Vec<_> = RunData::find(paths)?
            .iter()
            .map(|run| run.id())
            .collect();
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
    let runs = |below: &str| {
        project
            .path()
            .join(below)
            .join("episodes/ep_a")
    };
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
    let Error::Ambiguous(found) = &error else {
        panic!("{error}")
    };
    let below = |path| {
        project
            .path()
            .join(path)
            .display()
            .to_string()
    };
    assert_eq!(found.matches(), ["a/.b/c", "other"].map(below));
    assert!(!error.to_string().ends_with("and more"), "{error}");
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
        let Error::Ambiguous(found) = &error else {
            panic!("{error}")
        };
        let path = |group| {
            temp.path()
                .join("episodes")
                .join(group)
                .join("ep_same")
        };
        let path = |group| path(group).display().to_string();
        assert_eq!(found.name(), "ep_same");
        assert_eq!(found.matches(), [path("a"), path("b")]);
        let path = path("b");
        assert!(
            error
                .to_string()
                .ends_with(&format!(", {path}")),
            "{error}"
        );
        assert!(RunReader::open(&path).is_ok());
    }
    let error = run_data.get("ep_s").unwrap_err();
    let Error::Ambiguous(found) = &error else {
        panic!("{error}")
    };
    assert_eq!(found.matches(), ["ep_same", "ep_some"]);
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
    let error = run_data
        .get("EP_02_pausde")
        .unwrap_err();
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
    let said = |name: &str| {
        run_data
            .get(name)
            .unwrap_err()
            .to_string()
    };
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
    let Error::Ambiguous(found) = &error else {
        panic!("{error}")
    };
    assert_eq!((found.name(), found.matches().len()), ("ep_0", 3));
    assert_eq!(
        error.to_string(),
        "several runs match \"ep_0\": ep_01_answer, ep_02_paused, ep_03_edited"
    );

    assert!(
        matches!(run_data.get("").unwrap_err(), Error::UnknownRun { .. }),
        "an empty id begins no id"
    );
    let several = RunReader::open(temp.path()).unwrap_err();
    assert!(matches!(several, Error::Ambiguous(_)), "{several}");
    let error = RunReader::open("./Cargo.toml").unwrap_err();
    assert_eq!(
        error.to_string(),
        "./Cargo.toml: it is not an artifact of a run"
    );
    for path in ["./nowhere", "no/where"] {
        assert!(
            matches!(RunReader::open(path).unwrap_err(), Error::UnknownRun { .. }),
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
            error
                .to_string()
                .starts_with(path.to_str().unwrap()),
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
