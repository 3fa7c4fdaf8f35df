//! `runvet watch` beside a writer: its output for runs as they are written, and its end.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::support::binary::runvet;
use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;

/// More than the time of any verdict: a test that would block forever fails instead.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A running watch, which ends with the test.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(dir: &Path, args: &[&str]) -> Self {
        let mut command = runvet(&[&["watch"], args].concat());
        let mut child = command
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| send.send(line))
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(TOO_LONG).unwrap()
    }

    /// The lines before the one that starts with a text. There may be some, because a writer that
    /// is delayed half-way is judged half-way.
    fn until(&self, expected: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            let line = self
                .lines
                .recv_timeout(TOO_LONG)
                .unwrap_or_else(|_| panic!("{expected} after {before:?}"));
            if line.starts_with(expected) {
                return before;
            }
            before.push(line);
        }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// The remaining lines, the exit status and standard error.
    fn end(mut self) -> (Vec<String>, ExitStatus, String) {
        let lines = self.lines.iter().collect();
        let faults = std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap();
        (lines, self.child.wait().unwrap(), faults)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn good(case: &str) -> PathBuf {
    let episodes = corpus().join("good").join(case).join("episodes");
    fs::read_dir(episodes)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
}

/// A scratch directory with `episodes`, and the path of the answered run in it.
fn scratch() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let episode = temp.path().join("episodes/ep_answer");
    fs::create_dir(episode.parent().unwrap()).unwrap();
    (temp, episode)
}

fn append(file: &Path, bytes: &[u8]) {
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .unwrap()
        .write_all(bytes)
        .unwrap();
}

/// Writes a run in the order of a runtime: first the timeline, then the records. Waits for the
/// verdicts in between.
fn written_run_is_followed(args: &[&str]) {
    let (temp, episode) = scratch();
    copy_dir(
        &corpus().join("demo/episodes/ep_01_answer"),
        &temp.path().join("episodes/ep_01_answer"),
    );
    let watch = Watch::start(temp.path(), args);
    assert_eq!(
        watch.line(),
        "episodes/ep_01_answer (ended): valid",
        "what is there already"
    );

    let from = good("terminal");
    let events = fs::read(from.join("events.jsonl")).unwrap();
    let first = events.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::create_dir(&episode).unwrap();
    append(&episode.join("events.jsonl"), &events[..first]);
    let going_on = watch.line();
    assert!(
        going_on.starts_with("episodes/ep_answer (in progress): valid, warning state/not-yet"),
        "{going_on}"
    );
    // One more event does not change the verdict, nor do files that are not artifacts.
    let second = first
        + events[first..]
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap()
        + 1;
    append(&episode.join("events.jsonl"), &events[first..second]);
    append(&episode.join("notes.txt"), b"x");
    std::thread::sleep(Duration::from_secs(1));
    for file in ["state.json", "summary.json", "learn.jsonl", "manifest.json"] {
        fs::copy(from.join(file), episode.join(file)).unwrap();
    }
    append(&episode.join("events.jsonl"), &events[second..]);
    assert!(
        !watch
            .until("episodes/ep_answer (ended): valid")
            .contains(&going_on)
    );

    // After its end a record is edited, and an artifact is deleted.
    let state = fs::read_to_string(episode.join("state.json")).unwrap();
    fs::write(
        episode.join("state.json"),
        state.replace("ep_answer", "ep_other"),
    )
    .unwrap();
    watch.until("episodes/ep_answer (ended): error episode/id");
    fs::write(episode.join("state.json"), state).unwrap();
    fs::remove_file(episode.join("manifest.json")).unwrap();
    watch.until("episodes/ep_answer (ended): error lifecycle/");
    watch.signal("INT");
    let (rest, status, faults) = watch.end();
    assert_eq!((rest, status.code(), &*faults), (vec![], Some(0), ""));
}

#[test]
fn watch_follows_a_run_while_it_is_written() {
    written_run_is_followed(&[]);
}

#[test]
fn watch_follows_a_run_by_polling() {
    written_run_is_followed(&["--poll", "1"]);
}

#[test]
fn watch_judges_directories_moved_in_whole() {
    let (temp, episode) = scratch();
    let watch = Watch::start(temp.path(), &["--rule", "record/*=warning"]);
    // Without a directory called `episodes`, its records make it an episode.
    let elsewhere = temp.path().join("elsewhere/a");
    copy_dir(&good("terminal"), &elsewhere);
    watch.until("elsewhere/a (ended): valid");
    fs::rename(elsewhere, &episode).unwrap();
    watch.until("episodes/ep_answer (ended): valid");
    // A copy in a checkpoint belongs to the run that contains it, and links are not followed.
    std::os::unix::fs::symlink(good("paused"), temp.path().join("episodes/ep_out")).unwrap();
    std::os::unix::fs::symlink("ep_answer", temp.path().join("episodes/ep_again")).unwrap();
    copy_dir(&good("terminal"), &episode.join("checkpoints/1"));
    let before = watch.until("episodes/ep_answer (ended): valid");
    fs::write(episode.join("state.json"), "{").unwrap();
    let then = watch
        .until("episodes/ep_answer (unknown whether it ended): valid, warning record/json-syntax");
    watch.signal("TERM");
    let (rest, status, faults) = watch.end();
    assert_eq!((status.code(), &*faults), (Some(0), ""));
    let others: Vec<String> = [before, then, rest].concat();
    assert!(
        others
            .iter()
            .all(|line| line.starts_with("episodes/ep_answer (")),
        "{others:?}"
    );
}

#[test]
fn watch_reports_can_be_read_by_a_sidecar() {
    let (temp, episode) = scratch();
    copy_dir(&good("paused"), &episode);
    let hostile = "x\u{1b}[2J\nepisodes";
    copy_dir(&good("terminal"), &temp.path().join(hostile).join("ep"));
    let watch = Watch::start(temp.path(), &["--format", "ndjson"]);
    let reports =
        [watch.line(), watch.line()].map(|line| serde_json::from_str::<Value>(&line).unwrap());
    assert_eq!(reports[0]["dir"], "episodes/ep_answer");
    assert_eq!(reports[0]["lifecycle"], "non_terminal");
    assert_eq!(reports[1]["dir"], format!("{hostile}/ep"));
    drop(watch);
    let watch = Watch::start(temp.path(), &[]);
    watch.line();
    assert!(
        watch
            .line()
            .starts_with("x\\u{1b}[2J\\nepisodes/ep (ended): ")
    );
}

#[test]
fn watch_faults_when_the_directory_is_missing_or_vanishes() {
    let (temp, _) = scratch();
    assert_eq!(
        runvet(&["watch", "nowhere"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
    let watched = temp.path().join("episodes");
    copy_dir(&good("terminal"), &watched.join("ep"));
    let watch = Watch::start(temp.path(), &["episodes"]);
    watch.line();
    fs::remove_dir_all(&watched).unwrap();
    let (_, status, faults) = watch.end();
    assert_eq!(
        (status.code(), &*faults),
        (
            Some(2),
            "error: the watched directory episodes no longer exists\n"
        )
    );
}

#[test]
fn watch_counts_what_validate_counts() {
    let temp = tempfile::tempdir().unwrap();
    for episode in ["ep_03_edited", "ep_04_crashed"] {
        let from = corpus().join("demo/episodes").join(episode);
        copy_dir(&from, &temp.path().join("runs/episodes").join(episode));
    }
    fs::create_dir(temp.path().join(".git")).unwrap();
    fs::write(
        temp.path().join("runvet.toml"),
        "exclude = ['ep_04*']\n[rules]\n'plan/*' = 'warning'",
    )
    .unwrap();
    let watch = Watch::start(temp.path(), &["--rule", "projection/*=off", "runs"]);
    assert_eq!(
        watch.line(),
        "runs/episodes/ep_03_edited (ended): valid, warning plan/projection"
    );
    watch.signal("INT");
    let (rest, status, faults) = watch.end();
    assert_eq!((rest, status.code(), &*faults), (vec![], Some(0), ""));
}
