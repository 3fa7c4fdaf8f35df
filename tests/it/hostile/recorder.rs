//! Processes that replace, link, change and fill what a recorder writes and reads.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use runvet::recorder::{Durability, Recorder};
use serde_json::{Value, json};

use crate::support::binary::{stderr, stdout};
use crate::support::process::ended;
use crate::support::recording::{Talk, answer, complaints, fed, json, only_run, recording};
use crate::support::sessions::{Pauses, Random, Session};
use crate::support::skip::skip;

/// Records the execution of a script, which finds the directory of its run in `$run`.
fn executed(run_data: &Path, args: &[&str], script: &str) -> Output {
    let script = format!("run=$(echo {}/episodes/*)\n{script}", run_data.display());
    let args = [args, &["--exec", "--", "sh", "-c", &script]].concat();
    ended(&mut recording(run_data, &args))
}

fn runvet(command: &str, run_data: &Path, args: &[&str]) -> Output {
    let mut runvet = Command::new(env!("CARGO_BIN_EXE_runvet"));
    runvet
        .arg(command)
        .args(args)
        .env_clear();
    ended(runvet.arg("--run-data").arg(run_data))
}

/// A run that stays pending, with a workspace.
fn left(run_data: &Path, workspace: &Path) -> (String, PathBuf) {
    let workspace = workspace.to_str().unwrap();
    let mut talk = Talk::new(run_data, &["--task", "t", "--workspace", workspace]);
    talk.tell(&[r#"{"persist":{}}"#]);
    let (id, dir) = (talk.id.clone(), talk.dir.clone());
    assert_eq!(talk.end(), Some(0));
    (id, dir)
}

/// A scratch directory with a workspace and a directory outside of all run data.
struct Scratch {
    temp: tempfile::TempDir,
    work: PathBuf,
    outside: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let [work, outside] = ["work", "outside"].map(|name| temp.path().join(name));
        fs::create_dir(&work).unwrap();
        fs::create_dir(&outside).unwrap();
        Self {
            temp,
            work,
            outside,
        }
    }

    fn runs(&self) -> PathBuf {
        self.temp.path().join("runs")
    }
}

/// Asserts that a command ended with a code.
#[track_caller]
fn ends(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
}

fn error_kind(output: &Output) -> Value {
    answer(stdout(output).lines().last().unwrap())["error"]["kind"].clone()
}

#[test]
fn linked_snapshots_are_not_written_through() {
    let scratch = Scratch::new();
    let theirs = scratch.outside.join("post.json");
    fs::write(&theirs, "theirs").unwrap();
    let script = format!(
        "rm -r $run/snapshots; ln -s {} $run/snapshots",
        scratch.outside.display()
    );
    let args = ["--workspace", scratch.work.to_str().unwrap()];
    let output = executed(&scratch.runs(), &args, &script);
    assert_eq!(fs::read(theirs).unwrap(), b"theirs");
    ends(&output, 2);
    assert!(stderr(&output).contains("snapshots"), "{}", stderr(&output));
}

#[test]
fn linked_episode_is_neither_resumed_nor_ended() {
    let scratch = Scratch::new();
    let (id, dir) = left(&scratch.runs(), &scratch.work);
    let moved = scratch.outside.join(&id);
    fs::rename(&dir, &moved).unwrap();
    symlink(&moved, &dir).unwrap();
    let before = fs::read(moved.join("events.jsonl")).unwrap();
    let resumed = fed(recording(&scratch.runs(), &["--resume", &id]), b"");
    ends(&resumed, 2);
    assert!(
        stderr(&resumed).contains("symbolic link"),
        "{}",
        stderr(&resumed)
    );
    for command in ["recover", "abandon"] {
        let output = runvet(command, &scratch.runs(), &[dir.to_str().unwrap()]);
        ends(&output, 2);
    }
    assert!(fs::read(moved.join("events.jsonl")).unwrap() == before);
}

#[test]
fn run_whose_files_are_lost_ends_with_2() {
    for (script, code) in [
        ("rm $run/events.jsonl", 2),
        (
            "cp $run/events.jsonl $run/x; mv $run/x $run/events.jsonl",
            2,
        ),
        ("echo more >> $run/events.jsonl", 2),
        ("rm $run/learn.jsonl", 2),
        // As many bytes, in place.
        (
            "printf X | dd of=$run/events.jsonl bs=1 seek=20 conv=notrunc",
            2,
        ),
        ("mv $run $run.old", 2),
        ("mv $run $run.old; mkdir $run", 2),
        // The exit code of a command that fails is still its own.
        ("rm $run/events.jsonl; exit 7", 7),
    ] {
        let scratch = Scratch::new();
        let output = executed(&scratch.runs(), &[], script);
        ends(&output, code);
        assert!(
            stderr(&output).contains("is not recorded"),
            "{script}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn link_in_place_of_a_run_is_not_written_through() {
    let scratch = Scratch::new();
    let script = format!("mv $run $run.old; ln -s {} $run", scratch.outside.display());
    let output = executed(&scratch.runs(), &[], &script);
    assert_eq!(
        fs::read_dir(&scratch.outside)
            .unwrap()
            .count(),
        0
    );
    ends(&output, 2);
}

#[test]
fn lost_timeline_is_a_fault_of_a_session() {
    let scratch = Scratch::new();
    let mut talk = Talk::new(&scratch.runs(), &["--task", "t"]);
    talk.tell(&[r#"{"jot":"a"}"#]);
    fs::remove_file(talk.dir.join("events.jsonl")).unwrap();
    let said = talk.ask(r#"{"persist":{}}"#);
    assert_eq!(said["error"]["kind"], "lost", "{said}");
    assert_eq!(talk.end(), Some(2));
}

#[test]
fn pending_run_whose_timeline_was_changed_ends_with_2() {
    for last in [r#"{"pause":"later"}"#, r#"{"open":"step-1"}"#] {
        let scratch = Scratch::new();
        let mut talk = Talk::new(&scratch.runs(), &["--task", "t"]);
        talk.tell(&[r#"{"plan":["a"]}"#, r#"{"propose":{"proposal":{"a":1}}}"#]);
        let learn = OpenOptions::new()
            .write(true)
            .open(talk.dir.join("learn.jsonl"));
        learn
            .unwrap()
            .write_at(b"X", 20)
            .unwrap();
        talk.ask(last);
        assert_eq!(talk.end(), Some(2), "{last}");
    }
}

/// Has the records of a run name another workspace than it began with.
fn forge(dir: &Path, work: &Path, other: &Path) {
    let events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    let forged = events.replace(work.to_str().unwrap(), other.to_str().unwrap());
    assert_ne!(forged, events);
    fs::write(dir.join("events.jsonl"), forged).unwrap();
}

#[test]
fn workspace_that_only_a_record_names_is_not_read() {
    let scratch = Scratch::new();
    fs::write(scratch.outside.join("secret"), "x").unwrap();
    let (id, dir) = left(&scratch.runs(), &scratch.work);
    forge(&dir, &scratch.work, &scratch.outside);
    let resumed = fed(recording(&scratch.runs(), &["--resume", &id]), b"");
    assert_eq!(
        (resumed.status.code(), error_kind(&resumed)),
        (Some(2), json!("refused"))
    );
    let abandoned = runvet("abandon", &scratch.runs(), &[&id]);
    ends(&abandoned, 0);
    assert!(!dir.join("snapshots/post.json").exists());
    let verification = &json(dir.join("summary.json"))["verification"];
    assert_eq!(verification["error"], "workspace_unavailable");
    assert_eq!(complaints(&scratch.runs()), [""; 0]);
}

#[test]
fn workspace_that_the_command_line_names_is_compared() {
    let scratch = Scratch::new();
    let work = scratch.work.to_str().unwrap();
    for command in ["abandon", "record"] {
        let runs = scratch.temp.path().join(command);
        let (id, dir) = left(&runs, &scratch.work);
        fs::write(scratch.work.join(command), "x").unwrap();
        let output = if command == "abandon" {
            runvet("abandon", &runs, &[&id, "--workspace", work])
        } else {
            let args = ["--resume", &id, "--workspace", work];
            fed(recording(&runs, &args), b"{\"finish\":\"ok\"}\n")
        };
        ends(&output, 0);
        let diff = &json(dir.join("summary.json"))["verification"]["workspace_diff"];
        assert_eq!(diff["added"], json!([command]));
    }
}

#[test]
fn snapshot_that_was_changed_does_not_count() {
    let scratch = Scratch::new();
    let (id, dir) = left(&scratch.runs(), &scratch.work);
    let added = scratch.work.join("added");
    fs::write(&added, "x").unwrap();
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    fs::write(
        dir.join("snapshots/pre.json"),
        format!("{{\"added\":\"{digest}\"}}\n"),
    )
    .unwrap();
    let work = scratch.work.to_str().unwrap();
    let abandoned = runvet("abandon", &scratch.runs(), &[&id, "--workspace", work]);
    ends(&abandoned, 0);
    let verification = &json(dir.join("summary.json"))["verification"];
    assert_eq!(
        verification["error"], "workspace_unavailable",
        "{verification}"
    );
}

#[test]
fn workspace_that_cannot_be_compared_is_unavailable() {
    // A snapshot that is no longer the recorder's own is not in the manifest, which a check finds.
    let foreign = "manifest.json does not list the file \"snapshots/pre.json\"";
    for (script, found) in [
        (
            "echo '{\"a\":\"b\"}' > $run/snapshots/pre.json",
            &[foreign][..],
        ),
        ("rm $run/snapshots/pre.json", &[]),
        ("truncate -s 1T huge", &[]),
        (
            "i=0; while [ $i -lt 300 ]; do mkdir d && cd d; i=$((i+1)); done",
            &[],
        ),
    ] {
        let scratch = Scratch::new();
        let work = scratch.work.to_str().unwrap();
        let script = format!("cd {work} && {script}");
        let output = executed(&scratch.runs(), &["--workspace", work], &script);
        ends(&output, 0);
        let summary = json(only_run(&scratch.runs()).join("summary.json"));
        assert_eq!(summary["verification"]["error"], "workspace_unavailable");
        let complaints = complaints(&scratch.runs());
        assert_eq!(complaints.len(), found.len(), "{complaints:?}");
        for (complaint, found) in complaints.iter().zip(found) {
            let expected = format!("manifest.json: error[manifest/unlisted]: {found}");
            assert!(complaint.ends_with(&expected), "{complaint}");
        }
    }
}

#[test]
fn file_that_links_lead_to_does_not_hold() {
    let scratch = Scratch::new();
    fs::write(scratch.outside.join("report.md"), "x").unwrap();
    symlink(&scratch.outside, scratch.work.join("out")).unwrap();
    fs::create_dir(scratch.work.join("real")).unwrap();
    fs::write(scratch.work.join("real/report.md"), "x").unwrap();
    for (file, outcome) in [
        ("out/report.md", "goal_not_achieved"),
        ("./real//report.md", "success"),
        ("real", "goal_not_achieved"),
    ] {
        let runs = tempfile::tempdir().unwrap();
        let args = [
            "--workspace",
            scratch.work.to_str().unwrap(),
            "--verify",
            file,
        ];
        let output = executed(runs.path(), &args, "");
        ends(&output, 0);
        let summary = json(only_run(runs.path()).join("summary.json"));
        assert_eq!(summary["outcome"], outcome, "{file}: {summary}");
    }
}

#[test]
fn names_that_are_no_text_are_told_apart() {
    let scratch = Scratch::new();
    let name = |bytes: &[u8]| {
        scratch
            .work
            .join(std::ffi::OsStr::from_bytes(bytes))
    };
    fs::write(name(b"a\xff"), "x").unwrap();
    let args = ["--workspace", scratch.work.to_str().unwrap()];
    let script = format!("touch {}/$(printf 'a\\376')", scratch.work.display());
    let output = executed(&scratch.runs(), &args, &script);
    ends(&output, 0);
    let summary = json(only_run(&scratch.runs()).join("summary.json"));
    let diff = &summary["verification"]["workspace_diff"];
    assert_eq!(diff["added"], json!([r"//a\xfe"]), "{diff}");
}

/// A file with a hole of a tebibyte.
fn huge(path: &Path) {
    File::create(path)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
}

#[test]
fn huge_artifact_keeps_nobody_busy() {
    for name in [
        "state.json",
        "events.jsonl",
        "learn.jsonl",
        "snapshots/pre.json",
    ] {
        let scratch = Scratch::new();
        let (id, dir) = left(&scratch.runs(), &scratch.work);
        huge(&dir.join(name));
        let output = runvet("recover", &scratch.runs(), &[&id]);
        let code = if name.starts_with("snapshots") { 0 } else { 2 };
        ends(&output, code);
        let abandoned = runvet("abandon", &scratch.runs(), &[&id]);
        ends(&abandoned, code);
        for refused in [output, abandoned]
            .iter()
            .filter(|output| output.status.code() == Some(2))
        {
            let why = stderr(refused);
            assert!(why.contains("larger than the limit"), "{name}: {why}");
        }
    }
}

/// An event with many small objects, which no recorder writes.
#[test]
fn hostile_timeline_is_refused_within_a_bound_on_memory() {
    if Command::new("prlimit")
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no prlimit");
    }
    let scratch = Scratch::new();
    let (id, dir) = left(&scratch.runs(), &scratch.work);
    let objects = vec![r#"{"a":1}"#; 330_000].join(",");
    let line = format!(
        r#"{{"agent_id":"system","episode_id":"{id}","id":"evt-000004","payload":{{"x":[{objects}]}},"phase":"observe","timestamp":"9999-01-01T00:00:00.000000+00:00"}}"#
    );
    let mut events = OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"))
        .unwrap();
    writeln!(events, "{line}").unwrap();
    for command in ["recover", "abandon"] {
        let mut limited = Command::new("prlimit");
        limited
            .arg(format!("--as={}", 192 << 20))
            .arg(env!("CARGO_BIN_EXE_runvet"));
        limited
            .args([command, "--json", &id, "--run-data"])
            .arg(scratch.runs());
        let output = ended(&mut limited);
        ends(&output, 2);
        assert_eq!(error_kind(&output), "untrusted");
    }
}

/// The names that an attack is about.
const NAMES: [&str; 11] = [
    "events.jsonl",
    "learn.jsonl",
    "state.json",
    "summary.json",
    "manifest.json",
    ".state.json.tmp",
    ".manifest.json.tmp",
    "snapshots",
    "snapshots/pre.json",
    "snapshots/post.json",
    "snapshots/.post.json.tmp",
];

/// Replaces, links, deletes, cuts and fills what is below a directory of episodes. What fails,
/// because a recorder was faster, is nobody's concern.
fn attack(episodes: &Path, outside: &Path, random: &mut Random) {
    let Ok(mut listed) = fs::read_dir(episodes) else {
        return;
    };
    let Some(Ok(run)) = listed.next() else { return };
    let run = run.path();
    let name = NAMES[usize::try_from(random.below(NAMES.len() as u64)).unwrap()];
    let (path, theirs) = (run.join(name), outside.join(name));
    // It attacks the recorder, not the files outside.
    let is_link = |path: &Path| path.is_symlink();
    if is_link(&run) || is_link(&run.join("snapshots")) {
        return;
    }
    let open = || {
        let is_theirs = is_link(&path) || fs::metadata(&path)?.nlink() > 1;
        OpenOptions::new()
            .read(is_theirs)
            .write(!is_theirs)
            .open(&path)
    };
    let _ = match random.below(9) {
        0 => fs::remove_file(&path),
        1 => fs::remove_file(&path).and_then(|()| symlink(theirs, &path)),
        2 => fs::remove_file(&path).and_then(|()| fs::hard_link(theirs, &path)),
        3 => fs::remove_dir_all(run.join("snapshots"))
            .and_then(|()| symlink(outside.join("snapshots"), run.join("snapshots"))),
        4 => fs::rename(&run, episodes.join("moved")).and_then(|()| symlink(outside, &run)),
        5 => open().and_then(|file| file.set_len(3)),
        6 => open().and_then(|file| file.write_all_at(b"{}\n", 40)),
        7 => fs::create_dir(&path),
        _ => open().and_then(|file| file.set_len(1 << 40)),
    };
}

/// The content of each file below a directory.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(dir)
        .into_iter()
        .map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn attacks_on_a_run_change_nothing_outside_and_never_pass() {
    let (mut whole, mut refused) = (0, 0);
    for seed in 0..3_000 {
        // The machine decides how often the attacker comes in time.
        if seed >= 150 && whole > 10 && refused > 10 {
            break;
        }
        let scratch = Scratch::new();
        fs::create_dir(scratch.outside.join("snapshots")).unwrap();
        for name in NAMES
            .iter()
            .filter(|name| **name != "snapshots")
        {
            fs::write(scratch.outside.join(name), "theirs").unwrap();
        }
        let before = files(&scratch.outside);
        let recorder = Recorder::new(scratch.runs()).durability(Durability::Process);
        let is_over = AtomicBool::new(false);
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                let mut random = Random::new(seed);
                while !is_over.load(Ordering::Relaxed) {
                    if random.below(3) == 0 {
                        attack(
                            &scratch.runs().join("episodes"),
                            &scratch.outside,
                            &mut random,
                        );
                    }
                    thread::yield_now();
                }
            });
            let session = Session {
                workspace: Some(&scratch.work),
                pauses: Pauses::Never,
                ..Session::new(&recorder, seed)
            };
            let outcome = session.record();
            is_over.store(true, Ordering::Relaxed);
            outcome
        });
        assert!(
            files(&scratch.outside) == before,
            "seed {seed}: it wrote outside"
        );
        match outcome {
            Ok(_) => whole += 1,
            Err(_) => refused += 1,
        }
        for entry in fs::read_dir(scratch.runs().join("episodes")).unwrap() {
            let id = entry
                .unwrap()
                .file_name()
                .into_string()
                .unwrap();
            // Whatever is left: it ends, and it stays inside.
            let _ = recorder.recover(&id);
            let _ = recorder.abandon(&id, "it was attacked");
        }
        assert!(
            files(&scratch.outside) == before,
            "seed {seed}: it wrote outside"
        );
    }
    assert!(whole > 10 && refused > 10, "{whole}, {refused}");
}

#[test]
fn hard_links_in_an_episode_are_not_written_through() {
    for name in ["events.jsonl", "learn.jsonl"] {
        let scratch = Scratch::new();
        let (id, dir) = left(&scratch.runs(), &scratch.work);
        let theirs = scratch.outside.join(name);
        fs::copy(dir.join(name), &theirs).unwrap();
        let more = OpenOptions::new()
            .append(true)
            .open(&theirs);
        more.unwrap()
            .write_all(b"more")
            .unwrap();
        let before = fs::read(&theirs).unwrap();
        fs::remove_file(dir.join(name)).unwrap();
        fs::hard_link(&theirs, dir.join(name)).unwrap();
        for command in ["recover", "abandon"] {
            let output = runvet(command, &scratch.runs(), &[&id]);
            ends(&output, 2);
            assert!(stderr(&output).contains("hard link"), "{}", stderr(&output));
        }
        assert!(fs::read(&theirs).unwrap() == before, "{name}");
    }
}

#[test]
fn attachment_that_is_gone_is_written_again_or_missed() {
    let scratch = Scratch::new();
    let attach = r#"{"attach":{"base64":"ZXZpZGVuY2U=","extension":"txt"}}"#;
    let mut talk = Talk::new(&scratch.runs(), &["--task", "t"]);
    let name = talk.ask(attach)["attachment"]["name"].clone();
    let file = talk.dir.join(name.as_str().unwrap());
    for harm in [None, Some("evidencf"), Some("evidence and more")] {
        fs::remove_file(&file).unwrap();
        harm.inspect(|harm| fs::write(&file, harm).unwrap());
        assert_eq!(talk.ask(attach)["ok"], true);
        assert_eq!(fs::read_to_string(&file).unwrap(), "evidence");
    }
    fs::write(&file, "less").unwrap();
    let said = talk.ask(r#"{"finish":"ok"}"#);
    assert_eq!(said["error"]["kind"], "lost", "{said}");
    assert_eq!(talk.end(), Some(2));
}
