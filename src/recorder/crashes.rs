//! Random runs, cut off after every system call -> what the check says of what is left.

#![cfg(test)]

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../tests/it/support/sessions.rs"]
mod sessions;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, json};

use self::sessions::{Random, Session, Ticking, crash_sessions, recorder, say};
use super::run::fold_of;
use super::{Durability, End, Error, Recorded, Recorder, Task};
use crate::gate::Gate;
use crate::ground::digest::FileDigest;
use crate::ground::finding::{EpisodeReport, Finding, Severity};
use crate::ground::source::Artifact;
use crate::store::logged::{
    Call, Fault, Files, Logged, apply, lay_out, make_workspace, on_disk, power_loss, scratch,
};

/// The rule that finds what the recorder refused, as random sessions let it do.
const LOST: &str = "recorder/lost";

/// Returns a recorder of a seed, and the log of its disk.
fn logged(dir: &Path, seed: u64) -> (Recorder, Logged) {
    let disk = Logged::default();
    (recorder(dir, seed).disk(Arc::new(disk.clone())), disk)
}

/// Records a session of a seed; every third one works in a directory.
fn record(recorder: &Recorder, dir: &Path, seed: u64) -> Result<Option<Recorded>, Error> {
    let workspace = dir.join("work");
    let workspace = seed.is_multiple_of(4).then(|| {
        make_workspace(&workspace);
        workspace.as_path()
    });
    let session = Session {
        workspace,
        ..Session::new(recorder, seed)
    };
    session.record()
}

/// Returns the artifacts among files.
fn artifacts(files: &Files) -> Vec<(Artifact, &[u8])> {
    let artifacts = files
        .iter()
        .filter_map(|(path, content)| {
            let name = path.file_name()?.to_str()?;
            Some((Artifact::from_file_name(name)?, content.as_slice()))
        });
    artifacts.collect()
}

/// Returns the id of the one episode among files.
fn id(files: &Files) -> Option<String> {
    let mut paths = files.keys();
    let events = paths.find(|path| path.ends_with("events.jsonl"))?;
    Some(
        events
            .parent()?
            .file_name()?
            .to_str()?
            .to_owned(),
    )
}

/// Returns what the check says of files of one episode; `None` where they are not an episode.
fn check(files: &Files) -> Option<EpisodeReport> {
    let id = id(files);
    // Other artifacts alone belong to no run.
    assert!(id.is_some() || artifacts(files).is_empty(), "{files:?}");
    Some(Gate::default().records(&id?, &artifacts(files)))
}

fn errors(report: &EpisodeReport) -> Vec<String> {
    let errors = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors
        .map(ToString::to_string)
        .collect()
}

/// Returns the attachments of the timeline that are not among the files as they were attached.
fn lost_attachments(files: &Files) -> Vec<String> {
    let events = files
        .iter()
        .find(|(path, _)| path.ends_with("events.jsonl"));
    let Some((path, events)) = events else {
        return Vec::new();
    };
    let lines = events.split_inclusive(|byte| *byte == b'\n');
    let events =
        lines.filter_map(|line| serde_json::from_slice::<super::event::RunEvent>(line).ok());
    let attached = events.filter(|event| event.is("runtime", super::attachment::ATTACHED));
    let names = attached.map(|event| {
        event.payload["name"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    let is_lost = |name: &String| {
        let content = files.get(&path.with_file_name(name));
        let is_there = |it: &Vec<u8>| name.contains(&FileDigest::of(it).to_string());
        !content.is_some_and(is_there)
    };
    names.filter(is_lost).collect()
}

/// The result of laying files out, recovering the run and ending it.
struct Revived {
    /// The defects of the records that are then there.
    wrong: Vec<String>,
    files: Files,
}

fn revived(files: &Files, from: &Path) -> Revived {
    let dir = scratch();
    lay_out(files, from, dir.path());
    let id = id(files).unwrap();
    let recorder = Recorder::new(dir.path())
        .durability(Durability::Process)
        .clock(Ticking::new(1));
    let wrong = |what: &str, error: Error| Revived {
        wrong: vec![format!("{what}: {error}")],
        files: Files::new(),
    };
    match recorder.recover(&id) {
        // The crash came before the start event was whole: there is no run yet.
        Err(Error::Untrusted {
            report: None,
            reason,
            ..
        }) if reason.contains("`start`") => {
            return Revived {
                wrong: Vec::new(),
                files: on_disk(dir.path()),
            };
        }
        Err(error) => return wrong("recover", error),
        Ok(_) => {}
    }
    match recorder.abandon(&id, "it crashed") {
        Ok(_) | Err(Error::Ended { .. }) => {}
        Err(error) => return wrong("abandon", error),
    }
    let files = on_disk(dir.path());
    let report = check(&files).unwrap();
    let mut wrong: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.rule != LOST)
        .map(ToString::to_string)
        .collect();
    wrong.extend(lost_attachments(&files));
    if files
        .keys()
        .any(|path| path.ends_with(".new.tmp"))
    {
        wrong.push("half of an attachment is left".into());
    }
    if recorder.recover(&id).is_err() {
        wrong.push("it can't be recovered again".into());
    }
    Revived { wrong, files }
}

/// Passes every state of the disk between calls, and with each append torn in two, to `look`.
fn crash_points(calls: &[Call], mut look: impl FnMut(&Files)) {
    let mut files = Files::new();
    for call in calls {
        // Temporary files, syncs and directories change nothing that the check looks at.
        let is_artifact = |path: &Path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str());
            name.and_then(Artifact::from_file_name)
                .is_some()
        };
        match call {
            Call::Append(path, bytes) if is_artifact(path) => {
                let (first, rest) = bytes.split_at(bytes.len() / 2);
                for part in [first, rest] {
                    apply(&mut files, &Call::Append(path.clone(), part.into()));
                    look(&files);
                }
            }
            Call::Create(path)
            | Call::Cut(path, _)
            | Call::Rename(_, path)
            | Call::Remove(path) => {
                apply(&mut files, call);
                if is_artifact(path) {
                    look(&files);
                }
            }
            _ => apply(&mut files, call),
        }
    }
}

/// Judges every crash point of a session; returns their number, and whether the run ended.
fn cut_off(seed: u64) -> (u64, bool) {
    let dir = scratch();
    let (recorder, disk) = logged(dir.path(), seed);
    let end = record(&recorder, dir.path(), seed).unwrap();
    let mut number = 0;
    crash_points(&disk.calls(), |files| {
        number += 1;
        let Some(report) = check(files) else {
            return;
        };
        assert_eq!(errors(&report), [""; 0], "session {seed}, point {number}");
        assert_eq!(lost_attachments(files), [""; 0], "session {seed}");
        // Recovering takes system calls of its own: one point in sixteen is enough, and over many
        // sessions all sorts of points are among them.
        if (seed + number).is_multiple_of(16) {
            let revived = revived(files, dir.path());
            assert_eq!(revived.wrong, [""; 0], "session {seed}, point {number}");
        }
    });
    (number, end.is_some())
}

#[test]
fn crash_leaves_no_error_and_can_be_recovered_from() {
    let threads = std::thread::available_parallelism()
        .unwrap()
        .get();
    let cut_off_some = |first: usize| {
        let seeds = (first as u64..crash_sessions()).step_by(threads);
        seeds.fold((0, 0), |(points, ended), seed| {
            let (more, has_ended) = cut_off(seed);
            (points + more, ended + u64::from(has_ended))
        })
    };
    let (points, ended) = std::thread::scope(|scope| {
        let cut = |first| scope.spawn(move || cut_off_some(first));
        let all: Vec<_> = (0..threads).map(cut).collect();
        all.into_iter()
            .fold((0, 0), |(points, ended), some| {
                let (more, more_ended) = some.join().unwrap();
                (points + more, ended + more_ended)
            })
    });
    let sessions = crash_sessions();
    say(&format!(
        "{points} crash points of {sessions} sessions, {ended} of them ended"
    ));
    assert!(points > 20 * sessions && ended > sessions / 4);
}

/// Returns the events that were durable after some calls, and whether their file was.
fn synced(calls: &[Call]) -> (Vec<u8>, bool) {
    let (mut written, mut synced, mut is_named) = (Vec::new(), Vec::new(), false);
    for call in calls {
        match call {
            Call::Append(path, bytes) if path.ends_with("events.jsonl") => written.extend(bytes),
            Call::Cut(path, length) if path.ends_with("events.jsonl") => {
                written.truncate(usize::try_from(*length).unwrap());
            }
            Call::Sync(path) if path.ends_with("events.jsonl") => synced.clone_from(&written),
            Call::SyncDir(dir) => {
                let name = dir
                    .file_name()
                    .and_then(|name| name.to_str());
                is_named |= name.is_some_and(|name| name.starts_with("ep_"));
            }
            _ => {}
        }
    }
    (synced, is_named)
}

#[test]
fn power_loss_spares_what_was_synced() {
    let mut judged = 0;
    for seed in (0..crash_sessions()).filter(|seed| !seed.is_multiple_of(5)) {
        let dir = scratch();
        let (recorder, disk) = logged(dir.path(), seed);
        record(&recorder, dir.path(), seed).unwrap();
        let calls = disk.calls();
        let mut random = Random::new(seed + 2_000);
        for _ in 0..4 {
            let at = usize::try_from(random.below(calls.len() as u64 + 1)).unwrap();
            let files = power_loss(dir.path(), &calls[..at], |end| random.below(end));
            let (synced, is_named) = synced(&calls[..at]);
            let events = files
                .iter()
                .find(|(path, _)| path.ends_with("events.jsonl"));
            let case = format!("session {seed}, call {at}");
            let Some((_, events)) = events else {
                assert!(!is_named, "{case}: all events are lost");
                continue;
            };
            assert!(events.starts_with(&synced), "{case}: events are lost");
            // A write that is lost before one that is kept leaves a hole, which reads as zeros.
            if !events.contains(&0) {
                assert_eq!(errors(&check(&files).unwrap()), [""; 0], "{case}");
            }
            judged += 1;
            let revived = revived(&files, dir.path());
            assert_eq!(revived.wrong, [""; 0], "{case}");
            let kept = revived
                .files
                .iter()
                .find(|(path, _)| path.ends_with("events.jsonl"));
            assert!(
                kept.unwrap().1.starts_with(&synced),
                "{case}: events are cut"
            );
        }
    }
    assert!(judged > crash_sessions(), "{judged}");
}

#[test]
fn each_call_fails_once_and_leaves_no_error() {
    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;
    let (mut failed, mut went_on) = (0, 0);
    for seed in [3, 4, 7] {
        let count = {
            let dir = scratch();
            let (recorder, disk) = logged(dir.path(), seed);
            record(&recorder, dir.path(), seed).unwrap();
            disk.calls().len()
        };
        for at in 0..count {
            for fault in [Fault::Nothing(EIO), Fault::Half(ENOSPC), Fault::Harmless] {
                let dir = scratch();
                let (recorder, disk) = logged(dir.path(), seed);
                disk.fail(at, fault);
                let ended = record(&recorder, dir.path(), seed);
                let mut files = on_disk(dir.path());
                files.retain(|path, _| !path.starts_with(dir.path().join("work")));
                let case = format!("session {seed}, call {at}, {fault:?}: {:?}", ended.err());
                if let Some(report) = check(&files) {
                    assert_eq!(errors(&report), [""; 0], "{case}");
                    assert_eq!(revived(&files, dir.path()).wrong, [""; 0], "{case}");
                }
                let is_failure = !case.ends_with("None");
                failed += u32::from(is_failure);
                went_on += u32::from(!is_failure);
            }
        }
    }
    assert!(failed > 100 && went_on > 50, "{failed}, {went_on}");
}

#[test]
fn run_is_poisoned_when_a_sync_fails() {
    let dir = scratch();
    let (recorder, disk) = logged(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    // The evidence is appended, and then synced.
    disk.fail(disk.calls().len() + 1, Fault::Nothing(5));
    let failed = run.persist();
    assert!(
        matches!(
            failed,
            Err(Error::Io {
                operation: "syncing",
                ..
            })
        ),
        "{failed:?}"
    );
    let before = on_disk(dir.path());
    let poisoned = run.note("reason", Map::new());
    assert!(matches!(poisoned, Err(Error::Poisoned { .. })));
    assert!(matches!(run.persist(), Err(Error::Poisoned { .. })));
    let id = run.id().to_owned();
    assert!(matches!(run.finish(End::ok()), Err(Error::Poisoned { .. })));
    assert_eq!(on_disk(dir.path()), before);
    assert!(
        recorder
            .abandon(&id, "poisoned")
            .is_ok()
    );
}

#[test]
fn run_goes_on_when_a_write_was_undone() {
    let dir = scratch();
    let (recorder, disk) = logged(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let payload = || {
        json!({ "text": "long enough" })
            .as_object()
            .unwrap()
            .clone()
    };
    disk.fail(disk.calls().len(), Fault::Half(28));
    assert!(matches!(
        run.note("reason", payload()),
        Err(Error::Io { .. })
    ));
    assert_eq!(run.note("reason", payload()).unwrap(), "evt-000002");
    // The temporary file can't be made: the state stays as it was.
    disk.fail(disk.calls().len() + 2, Fault::Nothing(28));
    assert!(matches!(run.persist(), Err(Error::Io { .. })));
    run.persist().unwrap();
    run.finish(End::ok()).unwrap();
    let report = check(&on_disk(dir.path())).unwrap();
    // The note that could not be written is counted, and nothing else is wrong.
    let is_count = |finding: &Finding| {
        let counts = ["`payload.x-refused` is 1:", "`metrics.x-refused` is 1:"];
        finding.rule == LOST
            && counts
                .iter()
                .any(|count| finding.message.starts_with(count))
    };
    assert_eq!(report.findings.len(), 2, "{:?}", report.findings);
    assert!(
        report.findings.iter().all(is_count),
        "{:?}",
        report.findings
    );
}

#[test]
fn forked_process_writes_nothing() {
    let dir = scratch();
    let (recorder, _) = logged(dir.path(), 3);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap()
        .forked();
    let before = on_disk(dir.path());
    assert!(matches!(
        run.note("reason", Map::new()),
        Err(Error::Forked { .. })
    ));
    assert!(matches!(run.persist(), Err(Error::Forked { .. })));
    assert!(matches!(run.finish(End::ok()), Err(Error::Forked { .. })));
    assert_eq!(on_disk(dir.path()), before);
}

#[test]
fn state_is_a_fold_of_the_events() {
    for seed in 0..60 {
        let dir = scratch();
        let (recorder, _) = logged(dir.path(), seed);
        let Some(ended) = record(&recorder, dir.path(), seed).unwrap() else {
            continue;
        };
        let id = ended.state.episode.id.clone();
        let fold = fold_of(&ended.path, &id).unwrap();
        assert_eq!(fold.state, ended.state, "session {seed}");
        assert_eq!(fold.summary(), ended.summary, "session {seed}");
    }
}

/// Returns the name of what a call changes, and of what it replaces.
fn changed(call: &Call) -> Option<String> {
    let (what, path) = match call {
        Call::Append(path, _) => ("append", path),
        Call::Sync(path) => ("sync", path),
        Call::Rename(_, path) => ("rename", path),
        Call::SyncDir(path) => {
            let name = path.file_name()?.to_str()?;
            return name
                .starts_with("ep_")
                .then(|| "sync names".into());
        }
        _ => return None,
    };
    let name = path.file_name()?.to_str()?;
    Artifact::from_file_name(name)?;
    Some(format!("{what} {name}"))
}

/// The order that `docs/writing-runs.md` gives.
#[test]
fn end_is_written_in_the_order_of_the_document() {
    let dir = scratch();
    let (recorder, disk) = logged(dir.path(), 3);
    let recorder = recorder.durability(Durability::Snapshot);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    run.persist().unwrap();
    let before = disk.calls().len();
    run.finish(End::ok()).unwrap();
    let calls: Vec<String> = disk.calls()[before..]
        .iter()
        .filter_map(changed)
        .collect();
    let expected = [
        "append events.jsonl", // terminate
        "append events.jsonl", // the projection event
        "sync events.jsonl",
        "sync learn.jsonl",
        "rename summary.json",
        "rename manifest.json",
        "sync names",
        "rename state.json",
        "sync names",
    ];
    assert_eq!(calls, expected);
    let events = on_disk(dir.path());
    let events = events
        .iter()
        .find(|(path, _)| path.ends_with("events.jsonl"));
    let lines: Vec<&[u8]> = events
        .unwrap()
        .1
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    let has = |line: &[u8], part: &str| memchr::memmem::find(line, part.as_bytes()).is_some();
    let [.., terminate, projection] = lines[..] else {
        panic!("{lines:?}")
    };
    assert!(has(terminate, r#""phase":"terminate""#));
    assert!(has(projection, "run.state_projection"));
}
