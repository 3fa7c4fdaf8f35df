//! `runvet watch` beside a writer: its output for runs as they are written, and its end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use runvet::Timestamp;
use serde_json::Value;

use crate::support::binary::runvet;
use crate::support::corpus::corpus;
use crate::support::process::{Unprivileged, let_interrupt};
use crate::support::runs::copy_dir;
use crate::support::skip::skip;

/// More than the time of any verdict: a test that would block forever fails instead.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A running watch, which ends with the test.
struct Watch {
    child: Child,
    lines: Receiver<String>,
    /// The findings, which stand below verdicts.
    findings: Receiver<String>,
}

impl Watch {
    fn start(dir: &Path, args: &[&str]) -> Self {
        let mut command = runvet(&[&["watch"], args].concat());
        command.current_dir(dir);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let_interrupt();
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        let (send_finding, findings) = channel();
        std::thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.try_for_each(|line| match line.strip_prefix("  ") {
                Some(finding) => send_finding.send(finding.to_owned()),
                None => send.send(line),
            })
        });
        Self {
            child,
            lines,
            findings,
        }
    }

    /// The next line, without its time.
    fn line(&self) -> String {
        without_time(
            self.lines
                .recv_timeout(TOO_LONG)
                .unwrap(),
        )
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
            let line = without_time(line);
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

    /// The remaining lines, the exit status, and what standard error has besides notes.
    fn end(self) -> (Vec<String>, ExitStatus, String) {
        let (lines, status, said) = self.end_with_notes();
        let faults = said.split_inclusive('\n');
        let faults = faults.filter(|line| !line.starts_with("note: "));
        (lines, status, faults.collect())
    }

    /// The same with the notes.
    fn end_with_notes(mut self) -> (Vec<String>, ExitStatus, String) {
        let lines = self
            .lines
            .iter()
            .map(without_time)
            .collect();
        let said = std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap();
        (lines, self.child.wait().unwrap(), said)
    }
}

/// A line without the time that it starts with; a report in JSON has none.
fn without_time(line: String) -> String {
    if line.starts_with('{') {
        return line;
    }
    let (time, verdict) = line.split_once(' ').unwrap();
    assert!(
        time.len() == 20 && Timestamp::parse(time).is_some(),
        "{line}"
    );
    verdict.to_owned()
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn good(case: &str) -> PathBuf {
    let episodes = corpus()
        .join("good")
        .join(case)
        .join("episodes");
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
        &temp
            .path()
            .join("episodes/ep_01_answer"),
    );
    let watch = Watch::start(temp.path(), args);
    assert_eq!(
        watch.line(),
        "episodes/ep_01_answer (ended): valid",
        "what is there already"
    );

    let from = good("terminal");
    let events = fs::read(from.join("events.jsonl")).unwrap();
    let first = events
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    fs::create_dir(&episode).unwrap();
    append(&episode.join("events.jsonl"), &events[..first]);
    let mut going_on = watch.line();
    while going_on.starts_with("episodes/ep_01_answer") {
        // Written just before the watch began, it is looked at a second time.
        going_on = watch.line();
    }
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
    let gone = "elsewhere/a: gone".to_owned();
    let before = watch.until("episodes/ep_answer (ended): valid");
    if !before.contains(&gone) {
        watch.until(&gone);
    }
    // A copy in a checkpoint belongs to the run that contains it, and links are not followed.
    std::os::unix::fs::symlink("ep_answer", temp.path().join("episodes/ep_again")).unwrap();
    copy_dir(&good("terminal"), &episode.join("checkpoints/1"));
    fs::write(episode.join("state.json"), "{").unwrap();
    let then = watch
        .until("episodes/ep_answer (unknown whether it ended): valid, warning record/json-syntax");
    watch.signal("TERM");
    let (rest, status, faults) = watch.end();
    assert_eq!((status.code(), &*faults), (Some(0), ""));
    let others: Vec<String> = [then, rest].concat();
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
fn watch_shows_the_findings_of_the_runs_of_a_period() {
    let (temp, earlier) = scratch();
    let later = temp.path().join("episodes/ep_later");
    for episode in [&earlier, &later] {
        copy_dir(&corpus().join("demo/episodes/ep_03_edited"), episode);
    }
    let state = fs::read_to_string(later.join("state.json")).unwrap();
    let state = state.replace("2026-03-01T12", "2026-03-05T12");
    fs::write(later.join("state.json"), state).unwrap();
    let watch = Watch::start(temp.path(), &["--since", "2026-03-05"]);
    assert!(
        watch
            .line()
            .starts_with("episodes/ep_later (ended): error ")
    );
    let finding = watch
        .findings
        .recv_timeout(TOO_LONG)
        .unwrap();
    assert!(
        finding.starts_with("episodes/ep_later/") && finding.contains(": error["),
        "{finding}"
    );
    watch.signal("TERM");
    let (lines, _, said) = watch.end_with_notes();
    assert_eq!(lines, [] as [&str; 0]);
    assert!(
        said.contains("note: at the end: 1 run, 1 invalid"),
        "{said}"
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
fn watch_says_what_it_watches_and_sums_up() {
    let (temp, episode) = scratch();
    for name in ["ep_01_answer", "ep_03_edited", "ep_05_misnamed"] {
        let from = corpus()
            .join("demo/episodes")
            .join(name);
        copy_dir(&from, &episode.with_file_name(name));
    }
    for (args, every) in [(&[][..], ""), (&["--poll", "1"], ", every 1 s")] {
        let watch = Watch::start(temp.path(), args);
        watch.until("episodes/ep_05_misnamed (ended): error ");
        std::thread::sleep(Duration::from_millis(200));
        watch.signal("INT");
        let (_, status, said) = watch.end_with_notes();
        assert_eq!(status.code(), Some(0));
        let expected = format!(
            "note: watching the runs below .{every}\nnote: first check: 3 runs, 2 invalid\n\
             note: at the end: 3 runs, 2 invalid\n"
        );
        assert_eq!(said, expected);
    }
}

/// Of a run that is copied, changed without effect, broken, restored and deleted, each verdict is
/// printed once.
fn verdicts_are_printed_once(args: &[&str], expected: &[&str]) {
    let (temp, episode) = scratch();
    let watch = Watch::start(temp.path(), args);
    let pause = || std::thread::sleep(Duration::from_millis(2_500));
    copy_dir(&good("terminal"), &episode);
    pause();
    fs::set_permissions(
        episode.join("state.json"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    fs::create_dir(episode.join("checkpoints")).unwrap();
    pause();
    let sound = fs::read(episode.join("state.json")).unwrap();
    edit_plan(&episode);
    pause();
    fs::write(episode.join("state.json"), &sound).unwrap();
    pause();
    fs::remove_dir_all(&episode).unwrap();
    pause();
    watch.signal("TERM");
    let (lines, status, _) = watch.end();
    assert_eq!(status.code(), Some(0));
    // A writer that is delayed half-way is judged half-way, so there may be other verdicts.
    let mut printed = lines.iter();
    for verdict in expected {
        let verdict = format!("episodes/ep_answer{verdict}");
        assert!(printed.any(|line| *line == verdict), "{args:?}: {lines:?}");
    }
    let mut once = lines.clone();
    once.dedup();
    assert_eq!(lines, once, "{args:?}");
    if args == ["--only-invalid"] {
        assert_ne!(lines[0], "episodes/ep_answer (ended): valid");
    }
}

#[test]
fn watch_prints_each_verdict_once_and_what_is_gone() {
    let (valid, broken) = (" (ended): valid", " (ended): error plan/projection");
    for poll in [&[][..], &["--poll", "1"]] {
        verdicts_are_printed_once(poll, &[valid, broken, valid, ": gone"]);
    }
    verdicts_are_printed_once(&["--only-invalid"], &[broken, valid]);
}

#[test]
fn watch_tells_a_fault_again_only_when_it_is_back() {
    let (temp, episode) = scratch();
    copy_dir(&good("terminal"), &episode);
    copy_dir(&good("terminal"), &episode.with_file_name("ep_other"));
    let stray = episode.with_file_name("learn.jsonl");
    fs::write(&stray, "").unwrap();
    // To a run that is watched too.
    let link = |name: &str, target| {
        std::os::unix::fs::symlink(target, episode.join(name)).unwrap();
    };
    link("other", "../ep_other");
    link("outside", good("paused").to_str().unwrap());
    let sound = fs::read(episode.join("state.json")).unwrap();
    let watch = Watch::start(temp.path(), &[]);
    let change = || {
        edit_plan(&episode);
        watch.until("episodes/ep_answer (ended): error plan/projection");
        fs::write(episode.join("state.json"), &sound).unwrap();
        watch.until("episodes/ep_answer (ended): valid");
    };
    watch.until("episodes/ep_answer (ended): valid");
    change();
    fs::remove_file(&stray).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    fs::write(&stray, "").unwrap();
    std::thread::sleep(Duration::from_secs(2));
    change();
    watch.signal("INT");
    let (_, status, faults) = watch.end();
    let count = |text| faults.matches(text).count();
    assert_eq!(status.code(), Some(2));
    let told = [
        "episodes: artifacts lie",
        "ep_answer/outside: ",
        "ep_answer/other: ",
    ];
    assert_eq!(told.map(count), [2, 1, 0], "{faults}");
}

#[test]
fn watch_passes_over_foreign_state_until_a_run_is_there() {
    let (temp, episode) = scratch();
    copy_dir(&good("terminal"), &episode);
    let other = temp.path().join("tool");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("state.json"), r#"{"x": 1}"#).unwrap();
    let watch = Watch::start(temp.path(), &[]);
    watch.until("episodes/ep_answer (ended): valid");
    fs::write(other.join("state.json"), r#"{"goal": 1}"#).unwrap();
    assert!(watch.line().starts_with("tool ("));
    fs::write(other.join("state.json"), r#"{"x": 2}"#).unwrap();
    assert_eq!(watch.line(), "tool: gone");
    watch.signal("INT");
    let (_, status, said) = watch.end_with_notes();
    let passed_over =
        "note: skipped 1 directory whose only artifact is a state.json of another program";
    assert_eq!(said.matches(passed_over).count(), 1, "{said}");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn watch_counts_what_validate_counts() {
    let temp = tempfile::tempdir().unwrap();
    for episode in ["ep_03_edited", "ep_04_crashed"] {
        let from = corpus()
            .join("demo/episodes")
            .join(episode);
        copy_dir(
            &from,
            &temp
                .path()
                .join("runs/episodes")
                .join(episode),
        );
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

#[test]
fn watch_judges_a_run_beside_foreign_files() {
    let (temp, episode) = scratch();
    copy_dir(&good("terminal"), &episode);
    let watch = Watch::start(temp.path(), &[]);
    watch.until("episodes/ep_answer (ended): valid");
    // A file that comes and goes without a pause while the run is looked at.
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                fs::write(episode.join("heartbeat"), "").unwrap();
                std::thread::sleep(Duration::from_millis(10));
                fs::remove_file(episode.join("heartbeat")).unwrap();
            }
        });
        edit_plan(&episode);
        watch.until("episodes/ep_answer (ended): error plan/projection");
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

/// Makes a finding that rests on more than one record.
fn edit_plan(episode: &Path) {
    let state = fs::read_to_string(episode.join("state.json")).unwrap();
    let mut state: Value = serde_json::from_str(&state).unwrap();
    state["plan"]["steps"] = Value::Array(Vec::new());
    let temporary = episode.join("state.json.tmp");
    fs::write(&temporary, state.to_string()).unwrap();
    fs::rename(temporary, episode.join("state.json")).unwrap();
}

#[test]
fn polling_sees_older_files_and_writes_of_one_second() {
    let (temp, episode) = scratch();
    copy_dir(&good("terminal"), &episode);
    let watch = Watch::start(temp.path(), &["--poll", "1"]);
    watch.until("episodes/ep_answer (ended): valid");
    // A file that is older than the one in its place.
    let sound = fs::read(episode.join("state.json")).unwrap();
    edit_plan(&episode);
    let state = fs::File::options()
        .write(true)
        .open(episode.join("state.json"))
        .unwrap();
    state
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    watch.until("episodes/ep_answer (ended): error plan/projection");
    for _ in 0..3 {
        // A write in the second of an earlier one.
        fs::write(episode.join("state.json"), &sound).unwrap();
        watch.until("episodes/ep_answer (ended): valid");
        let state = fs::File::options()
            .write(true)
            .open(episode.join("state.json"))
            .unwrap();
        let written = state
            .metadata()
            .unwrap()
            .modified()
            .unwrap();
        edit_plan(&episode);
        let state = fs::File::options()
            .write(true)
            .open(episode.join("state.json"))
            .unwrap();
        state.set_modified(written).unwrap();
        watch.until("episodes/ep_answer (ended): error plan/projection");
    }
}

/// A run below `runs`, with a file that a schema of `runvet.toml` judges, and a manifest that names
/// a file in a directory.
fn run_with_other_files() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let episode = temp
        .path()
        .join("runs/episodes/ep_answer");
    copy_dir(&good("terminal"), &episode);
    let config = "[[schema]]\nid = 'acme/scores'\nrecord = 'scores.json'\nexpect = 'ended'\n\
                  title = 't'\nschema = { type = 'object', required = ['a'] }\n";
    fs::write(temp.path().join("runvet.toml"), config).unwrap();
    fs::write(episode.join("scores.json"), r#"{"a": 1}"#).unwrap();
    fs::create_dir_all(episode.join("out/deep")).unwrap();
    fs::write(episode.join("out/deep/answer.txt"), "42").unwrap();
    let manifest = r#"{"files": [{"name": "out/deep/answer.txt", "size_bytes": 2}]}"#;
    fs::write(episode.join("manifest.json"), manifest).unwrap();
    (temp, episode)
}

#[test]
fn watch_follows_the_files_that_schemas_judge() {
    for poll in [&[][..], &["--poll", "1"]] {
        let (temp, episode) = run_with_other_files();
        let scores = episode.join("scores.json");
        let watch = Watch::start(temp.path(), &[&["runs"], poll].concat());
        let valid = || watch.until("runs/episodes/ep_answer (ended): valid");
        let invalid = || watch.until("runs/episodes/ep_answer (ended): error acme/scores");
        valid();
        fs::write(&scores, "{}").unwrap();
        invalid();
        fs::write(episode.join("new"), r#"{"a": 2}"#).unwrap();
        fs::rename(episode.join("new"), &scores).unwrap();
        valid();
        fs::remove_file(&scores).unwrap();
        invalid();
    }
}

#[test]
fn watch_follows_the_files_that_a_manifest_names() {
    for poll in [&[][..], &["--poll", "1"]] {
        let (temp, episode) = run_with_other_files();
        let answer = episode.join("out/deep/answer.txt");
        let args = [&["runs", "--verify-manifest"], poll].concat();
        let watch = Watch::start(temp.path(), &args);
        let valid = || watch.until("runs/episodes/ep_answer (ended): valid");
        let invalid = || watch.until("runs/episodes/ep_answer (ended): error manifest/digest");
        valid();
        fs::write(&answer, "43!").unwrap();
        invalid();
        fs::write(&answer, "42").unwrap();
        valid();
        // Directories that come later are followed too.
        fs::remove_dir_all(episode.join("out")).unwrap();
        invalid();
        fs::create_dir_all(answer.parent().unwrap()).unwrap();
        fs::write(&answer, "42").unwrap();
        valid();
        fs::write(&answer, "").unwrap();
        invalid();
        fs::write(&answer, "42").unwrap();
        fs::remove_file(episode.join("scores.json")).unwrap();
        watch.until("runs/episodes/ep_answer (ended): error acme/scores");
    }
}

#[test]
fn unreadable_directories_are_reported_and_watched_again() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    for poll in [&[][..], &["--poll", "1"]] {
        let temp = Unprivileged::scratch();
        let episodes = temp.path().join("episodes");
        for name in ["ep_answer", "closed", "listed"] {
            copy_dir(&good("terminal"), &episodes.join(name));
        }
        let chmod = |name: &str, mode| {
            fs::set_permissions(episodes.join(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        chmod("closed", 0o000);
        chmod("listed", 0o444);
        let dir = temp.path().to_str().unwrap();
        let command = user.runvet(
            &[],
            &[&["watch", dir, "--rule=episode/id=off"], poll].concat(),
        );
        let watch = Watch::spawn(command);
        let of = |name: &str, verdict: &str| format!("{dir}/episodes/{name} (ended): {verdict}");
        watch.until(&of("ep_answer", "valid"));
        chmod("closed", 0o755);
        watch.until(&of("closed", "valid"));
        chmod("listed", 0o755);
        watch.until(&of("listed", "valid"));
        // It is watched from now on.
        edit_plan(&episodes.join("closed"));
        watch.until(&of("closed", "error plan/projection"));
        watch.signal("INT");
        let (_, status, faults) = watch.end();
        let expected = format!("error: {dir}/episodes/closed: Permission denied (os error 13)\n");
        assert_eq!((status.code(), faults), (Some(2), expected));
    }
}

/// Whatever is done to run data: once it stops, the last verdicts are those of `validate`.
fn last_verdict_is_that_of_validate(args: &[&str], seed: u64) {
    let mut random = seed + 1;
    let mut below = |bound: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((random >> 33) % bound).unwrap()
    };
    let (temp, _) = scratch();
    let episodes = temp.path().join("episodes");
    let watch = Watch::start(temp.path(), &[&["--format", "ndjson"], args].concat());
    let names = ["ep_answer", "group/ep_answer", "ep_b"];
    for _ in 0..60 {
        let episode = episodes.join(names[below(3)]);
        let file = [
            "state.json",
            "summary.json",
            "events.jsonl",
            "learn.jsonl",
            "x",
        ][below(5)];
        let file = episode.join(file);
        let other = episodes.join(names[below(3)]);
        // What can't be done is not done.
        let _ = match below(9) {
            0 | 1 => fs::create_dir_all(&episode).map(|()| copy_dir(&good("terminal"), &episode)),
            2 => fs::write(&file, "{}"),
            3 => fs::remove_file(&file),
            4 => fs::rename(&episode, &other),
            5 => fs::remove_dir_all(&episode),
            6 => fs::rename(&file, other.join(file.file_name().unwrap())),
            7 => fs::create_dir_all(episode.join("episodes")),
            _ => {
                std::thread::sleep(Duration::from_millis(below(700) as u64));
                Ok(())
            }
        };
    }
    let validate = || {
        let output = runvet(&["validate", "--format", "ndjson", "."])
            .current_dir(temp.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut last = BTreeMap::new();
    // All that was written is judged within seconds.
    while let Ok(line) = watch
        .lines
        .recv_timeout(Duration::from_secs(4))
    {
        let mut report: Value = serde_json::from_str(&line).unwrap();
        let time = report
            .as_object_mut()
            .unwrap()
            .remove("time")
            .unwrap();
        assert!(Timestamp::parse(time.as_str().unwrap()).is_some(), "{time}");
        last.insert(
            report["dir"]
                .as_str()
                .unwrap()
                .to_owned(),
            report,
        );
    }
    for line in validate().lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let Some(dir) = report["dir"].as_str() else {
            continue;
        };
        assert_eq!(last.get(dir), Some(&report), "seed {seed}");
    }
}

#[test]
fn last_verdict_is_that_of_validate_after_any_writes() {
    for seed in 0..3 {
        last_verdict_is_that_of_validate(&[], seed);
    }
}

#[test]
fn last_polled_verdict_is_that_of_validate_after_any_writes() {
    last_verdict_is_that_of_validate(&["--poll", "1"], 7);
}

/// A directory that is removed and made again has the same number on many file systems.
#[test]
fn root_that_is_made_anew_at_once_is_watched() {
    let (temp, _) = scratch();
    let root = temp.path().join("runs");
    copy_dir(&good("terminal"), &root.join("episodes/ep_1"));
    let watch = Watch::start(temp.path(), &["runs"]);
    watch.until("runs/episodes/ep_1 (ended)");
    fs::remove_dir_all(&root).unwrap();
    copy_dir(&good("terminal"), &root.join("episodes/ep_2"));
    watch.until("runs/episodes/ep_2 (ended)");
    copy_dir(&good("terminal"), &root.join("episodes/ep_3"));
    watch.until("runs/episodes/ep_3 (ended)");
}

#[test]
fn write_through_a_memory_map_is_seen() {
    let (temp, episode) = scratch();
    copy_dir(&good("terminal"), &episode);
    let watch = Watch::start(temp.path(), &["episodes"]);
    watch.until("episodes/ep_answer (ended): valid");
    let script = "import mmap, sys
with open(sys.argv[1], 'r+b') as file, mmap.mmap(file.fileno(), 0) as written:
    at = written.find(b'task') + 8
    written[at:at + 1] = b'_'";
    let summary = episode.join("summary.json");
    match Command::new("python3")
        .args(["-c", script])
        .arg(summary)
        .status()
    {
        Ok(written) => assert!(written.success()),
        Err(_) => return skip("there is no python3"),
    }
    watch.until("episodes/ep_answer (ended): error");
}
