//! Recorders that are killed, that get in each other's way, and that the system gives no room.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use runvet::finding::Severity;
use runvet::gate::Gate;
use runvet::recorder::{Clock, Durability, End, Error, Recorder, Task};
use runvet::source::Artifact;
use serde_json::json;

use crate::support::process::ended;
use crate::support::sessions::{Random, Session, members};
use crate::support::skip::leave_out;

/// The environment variable that has a test play the child: its run-data directory.
const RUN_DATA: &str = "RUNVET_CHILD_RUN_DATA";

/// This program again, to run the one test that plays the child.
fn child(test: &str, run_data: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]);
    command.env(RUN_DATA, run_data);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn run_data_of_child() -> Option<PathBuf> {
    std::env::var_os(RUN_DATA).map(PathBuf::from)
}

/// A directory in memory, where the system has one.
fn scratch() -> tempfile::TempDir {
    let made = tempfile::tempdir_in("/dev/shm");
    made.or_else(|_| tempfile::tempdir())
        .unwrap()
}

fn episodes(run_data: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(run_data.join("episodes"));
    let entries = listed.into_iter().flatten();
    let mut episodes: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .collect();
    episodes.sort();
    episodes
}

/// The findings of an episode, as those who do not wait for its writer see them.
fn findings(episode: &Path) -> Vec<(Severity, String)> {
    let read = |artifact: Artifact| {
        let content = fs::read(episode.join(artifact.file_name())).ok()?;
        Some((artifact, content))
    };
    let contents: Vec<_> = Artifact::ALL
        .into_iter()
        .filter_map(read)
        .collect();
    if contents
        .iter()
        .all(|(artifact, _)| *artifact == Artifact::Learn)
    {
        // The crash came before there was an episode.
        return Vec::new();
    }
    let records: Vec<(Artifact, &[u8])> = contents
        .iter()
        .map(|(artifact, content)| (*artifact, content.as_slice()))
        .collect();
    let report = Gate::default().records(name(episode), &records);
    let findings = report.findings.iter();
    let findings = findings.map(|finding| (finding.severity, finding.to_string()));
    findings.collect()
}

fn name(episode: &Path) -> &str {
    episode
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
}

/// Checks each episode as it was left, recovers and ends it, and checks it again.
fn revive(run_data: &Path, case: &str) {
    let recorder = Recorder::new(run_data).durability(Durability::Process);
    for episode in episodes(run_data) {
        let mut errors = findings(&episode);
        errors.retain(|(severity, _)| *severity == Severity::Error);
        assert_eq!(errors, [], "{case}");
        match recorder.recover(name(&episode)) {
            Ok(_) => {}
            // It was killed before the run began.
            Err(Error::Absent { .. }) => continue,
            Err(Error::Untrusted { reason, .. }) if reason.contains("`start`") => continue,
            Err(error) => panic!("{case}: {error}"),
        }
        match recorder.abandon(name(&episode), "it was killed") {
            Ok(_) | Err(Error::Ended { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        assert_eq!(findings(&episode), [], "{case}");
    }
}

#[test]
fn child_records_until_it_is_killed() {
    let Some(run_data) = run_data_of_child() else {
        return;
    };
    let recorder = Recorder::new(run_data).durability(Durability::Process);
    let first = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap();
    for seed in u64::from(first.subsec_nanos()).. {
        let session = Session {
            bytes: 300_000,
            ..Session::new(&recorder, seed)
        };
        session.record().unwrap();
    }
}

#[test]
fn killed_recorder_leaves_what_can_be_recovered() {
    let mut random = Random::new(9);
    let mut judged = 0;
    for round in 0..200 {
        let dir = scratch();
        let test = "hostile::writers::child_records_until_it_is_killed";
        let mut child: Child = child(test, dir.path()).spawn().unwrap();
        while episodes(dir.path()).is_empty() {
            thread::sleep(Duration::from_millis(1));
            assert!(
                child.try_wait().unwrap().is_none(),
                "round {round}: it ended"
            );
        }
        thread::sleep(Duration::from_micros(random.below(8_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        revive(dir.path(), &format!("round {round}"));
        judged += episodes(dir.path()).len();
    }
    assert!(judged >= 200, "{judged}");
}

#[test]
fn second_recorder_is_refused() {
    let dir = scratch();
    let recorder = Recorder::new(dir.path());
    let run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let id = run.id().to_owned();
    let other = Recorder::new(dir.path());
    let refused = [
        other.resume(&id).err(),
        other.recover(&id).err(),
        other.abandon(&id, "it is mine").err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Busy { .. })), "{error:?}");
    }
    drop(run);
    let resumed = other.resume(&id).unwrap();
    assert!(matches!(recorder.resume(&id), Err(Error::Busy { .. })));
    resumed.finish(End::ok()).unwrap();
    assert!(matches!(recorder.resume(&id), Err(Error::Ended { .. })));
}

#[test]
fn child_records_until_there_is_no_room() {
    let Some(run_data) = run_data_of_child() else {
        return;
    };
    let recorder = Recorder::new(run_data).durability(Durability::Process);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    let payload = || members(json!({ "text": "x".repeat(700) }));
    let failed = (0..1_000).find_map(|_| run.note("reason", payload()).err());
    assert!(matches!(failed, Some(Error::Io { .. })), "{failed:?}");
    // The run goes on: what is shorter may have room still.
    let short = run.jot("x").err();
    assert!(matches!(short, None | Some(Error::Io { .. })), "{short:?}");
    fs::write(run.path().join("went-on"), "").unwrap();
    let path = run.path().to_owned();
    let failed = run.finish(End::ok()).err();
    assert!(matches!(failed, Some(Error::Io { .. })), "{failed:?}");
    fs::write(path.join("had-no-room"), "").unwrap();
}

#[test]
fn recorder_without_room_leaves_what_can_be_recovered() {
    for kilobytes in [8, 16, 32] {
        let dir = scratch();
        let test = "hostile::writers::child_records_until_there_is_no_room";
        let command = child(test, dir.path());
        let mut limited = Command::new("bash");
        // A program that ignores the signal gets an error instead.
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\"");
        limited.args(["-c", &script, "bash"]);
        limited
            .arg(command.get_program())
            .args(command.get_args());
        limited.env(RUN_DATA, dir.path());
        let output = ended(&mut limited);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        let episode = &episodes(dir.path())[0];
        assert!(episode.join("went-on").exists() && episode.join("had-no-room").exists());
        revive(dir.path(), &format!("{kilobytes} KiB"));
    }
}

#[test]
fn recorder_on_a_full_disk_leaves_what_can_be_recovered() {
    for kilobytes in [16, 32, 64, 256] {
        let (disk, kept) = (scratch(), scratch());
        let test = "hostile::writers::child_records_until_there_is_no_room";
        let command = child(test, disk.path());
        // The file system is gone with the process, so what it held is copied.
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k none \"$1\" || exit 77; \"${{@:3}}\" && cp -a \"$1/.\" \"$2\""
        );
        let mut mounted = Command::new("unshare");
        mounted.args([
            "--mount",
            "--propagation=private",
            "bash",
            "-c",
            &script,
            "bash",
        ]);
        mounted.args([disk.path(), kept.path()]);
        mounted
            .arg(command.get_program())
            .args(command.get_args());
        mounted.env(RUN_DATA, disk.path());
        let output = ended(&mut mounted);
        let told = String::from_utf8_lossy(&output.stderr);
        // unshare itself fails with 1, and says so; a test that fails with 101.
        if output.status.code() == Some(77) || told.starts_with("unshare") {
            return leave_out(&format!("nothing can be mounted here: {told}"));
        }
        assert!(output.status.success(), "{told}");
        let episode = &episodes(kept.path())[0];
        assert!(episode.join("went-on").exists() && episode.join("had-no-room").exists());
        revive(kept.path(), &format!("a disk of {kilobytes} KiB"));
    }
}

#[test]
fn directory_that_cannot_be_written_is_an_error() {
    let dir = scratch();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for run_data in [file.clone(), file.join("below")] {
        let begun = Recorder::new(run_data).begin(Task::new("a task"));
        assert!(matches!(begun.err(), Some(Error::Io { .. })));
    }
    let locked = dir.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::create_dir(locked.join("probe")).is_ok() {
        leave_out("the superuser may write anywhere");
        return;
    }
    let begun = Recorder::new(&locked).begin(Task::new("a task"));
    assert!(matches!(begun.err(), Some(Error::Io { .. })));
    assert!(episodes(&locked).is_empty());
}

/// A clock that goes back an hour with each look.
struct Backwards(u64);

impl Clock for Backwards {
    fn now(&mut self) -> SystemTime {
        self.0 -= 3_600;
        UNIX_EPOCH + Duration::from_secs(self.0)
    }

    fn random(&mut self) -> [u8; 10] {
        [7; 10]
    }
}

#[test]
fn time_of_a_run_never_goes_back() {
    let dir = scratch();
    let clock = Backwards(1_772_366_400);
    let recorder = Recorder::new(dir.path()).clock(clock);
    let mut run = recorder
        .begin(Task::new("a task"))
        .unwrap();
    run.note("observe", members(json!({})))
        .unwrap();
    let paused = run.pause("wait").unwrap();
    let run = recorder.resume(&paused.id).unwrap();
    let ended = run.finish(End::ok()).unwrap();
    assert_eq!(ended.summary.duration_sec.to_bits(), 0);
    let strict = Gate::default().level("strict/*", runvet::finding::Level::Error);
    let report = strict
        .unwrap()
        .run([dir.path()])
        .unwrap();
    assert_eq!(report.episodes[0].findings.len(), 0, "{report:?}");
}

#[test]
fn links_in_an_episode_are_not_written_through() {
    let dir = scratch();
    let outside = dir.path().join("outside");
    for name in ["events.jsonl", "learn.jsonl"] {
        let recorder = Recorder::new(dir.path().join(name));
        let mut run = recorder
            .begin(Task::new("a task"))
            .unwrap();
        run.propose(members(json!({ "lesson": "x" })), false)
            .unwrap();
        let paused = run.pause("wait").unwrap();
        let path = paused.path.join(name);
        fs::write(&outside, "").unwrap();
        if name == "events.jsonl" {
            fs::copy(&path, &outside).unwrap();
        }
        let before = fs::read(&outside).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&outside, &path).unwrap();
        let resumed = recorder.resume(&paused.id);
        assert!(matches!(resumed.err(), Some(Error::Io { .. })), "{name}");
        assert_eq!(fs::read(&outside).unwrap(), before, "{name}");
    }
}
