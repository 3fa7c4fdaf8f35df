//! Anything in place of a file or a directory: it is checked or reported, nothing outside is read,
//! and other episodes are checked as usual.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use runvet::gate::Gate;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde_json::Value;

use crate::support::corpus::corpus;
use crate::support::process::{Unprivileged, ended};
use crate::support::runs::{copy_dir, copy_of_good_run};
use crate::support::skip::leave_out;

/// Run data with a good episode to do things to, and another beside it.
struct RunData {
    temp: tempfile::TempDir,
    /// The episode `ep_answer`.
    dir: PathBuf,
}

impl RunData {
    fn new() -> Self {
        let (temp, dir) = copy_of_good_run();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let other = temp.path().join("episodes/other");
        copy_dir(
            &corpus().join("demo/episodes/ep_01_answer"),
            &other.join("ep_01_answer"),
        );
        Self { temp, dir }
    }

    /// Removes an artifact, and returns its path.
    fn without(&self, artifact: &str) -> PathBuf {
        let path = self.dir.join(artifact);
        fs::remove_file(&path).unwrap();
        path
    }

    /// Checks it with the binary, which must end.
    fn validate(&self, args: &[&str]) -> Checked {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .args(["validate", "--format", "json"])
            .args(args)
            .arg(self.temp.path())
            .env_clear();
        Checked::of(&ended(&mut command))
    }

    /// Checks it as a user without permissions; `None` if that is not possible here.
    #[track_caller]
    fn validate_unprivileged(&self) -> Option<Checked> {
        let user = Unprivileged::new()?;
        let mut command = user.runvet(&[], &["validate", "--format", "json"]);
        Some(Checked::of(&ended(command.arg(self.temp.path()))))
    }
}

/// The result of a check.
struct Checked {
    code: Option<i32>,
    report: Value,
    stderr: String,
}

impl Checked {
    fn of(output: &Output) -> Self {
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        let report = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {stderr}"));
        Self {
            code: output.status.code(),
            report,
            stderr,
        }
    }

    fn episode(&self, id: &str) -> &Value {
        let mut episodes = self.report["episodes"]
            .as_array()
            .unwrap()
            .iter();
        episodes
            .find(|episode| episode["id"] == id)
            .unwrap_or_else(|| panic!("{id} is not in {}", self.report))
    }

    /// Why an artifact of `ep_answer` can't be read; nothing else is wrong there, and nothing at
    /// all in the other episode.
    fn unreadable(&self, artifact: &str) -> String {
        assert_eq!(self.code, Some(1), "{}", self.stderr);
        assert_eq!(self.episode("ep_01_answer")["valid"], true);
        let findings = self.episode("ep_answer")["findings"]
            .as_array()
            .unwrap();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0]["rule"], "record/unreadable");
        let said = findings[0]["message"].as_str().unwrap();
        said.strip_prefix(&format!("{artifact} can't be read: it is "))
            .unwrap_or(said)
            .to_owned()
    }
}

/// Every artifact: those that are read, and those that only need to exist.
const ARTIFACTS: [&str; 5] = [
    "state.json",
    "summary.json",
    "events.jsonl",
    "learn.jsonl",
    "manifest.json",
];

#[test]
fn irregular_file_is_reported_for_every_artifact() {
    for artifact in ARTIFACTS {
        let data = RunData::new();
        fs::create_dir(data.without(artifact)).unwrap();
        assert_eq!(data.validate(&[]).unreadable(artifact), "a directory");

        let data = RunData::new();
        // Nobody ever writes to it: waiting for a writer would never end.
        rustix::fs::mknodat(CWD, data.without(artifact), FileType::Fifo, Mode::RWXU, 0).unwrap();
        for args in [&[][..], &["--follow-links"]] {
            assert_eq!(
                data.validate(args).unreadable(artifact),
                "a FIFO, a socket or a device"
            );
        }

        let data = RunData::new();
        let _socket = UnixListener::bind(data.without(artifact)).unwrap();
        assert_eq!(
            data.validate(&[]).unreadable(artifact),
            "a FIFO, a socket or a device"
        );

        let data = RunData::new();
        // Reading from it never ends.
        let zero = rustix::fs::makedev(1, 5);
        match rustix::fs::mknodat(
            CWD,
            data.without(artifact),
            FileType::CharacterDevice,
            Mode::RWXU,
            zero,
        ) {
            Ok(()) => assert_eq!(
                data.validate(&[]).unreadable(artifact),
                "a FIFO, a socket or a device"
            ),
            Err(error) => leave_out(&format!("a device can't be made here: {error}")),
        }
    }
}

#[test]
fn fifo_is_never_opened() {
    for artifact in ARTIFACTS {
        let data = RunData::new();
        let fifo = data.without(artifact);
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        // It waits until somebody opens the FIFO to read.
        let mut writer = Command::new("sh")
            .args(["-c", "echo > \"$1\"", "sh"])
            .arg(&fifo)
            .spawn()
            .unwrap();
        for args in [&[][..], &["--follow-links"]] {
            data.validate(args).unreadable(artifact);
        }
        fs::rename(&fifo, data.dir.join("fifo")).unwrap();
        symlink("fifo", &fifo).unwrap();
        data.validate(&["--follow-links"])
            .unreadable(artifact);
        thread::sleep(Duration::from_millis(50));
        assert!(
            writer.try_wait().unwrap().is_none(),
            "{artifact} was opened"
        );
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
}

#[test]
fn link_is_not_followed_when_it_appears_after_listing() {
    let data = RunData::new();
    let found = Gate::default()
        .discover(&[&data.dir])
        .episodes
        .remove(0);
    let secret = data.temp.path().join("secret");
    fs::copy(data.dir.join("state.json"), &secret).unwrap();
    symlink(&secret, data.without("state.json")).unwrap();
    let report = Gate::default().episode(&found).unwrap();
    assert_eq!(report.findings[0].rule, "record/unreadable");
    assert!(
        report.findings[0]
            .message
            .contains("links are not followed"),
        "{report:?}"
    );
}

#[test]
fn artifact_is_judged_as_read_when_it_changes_after_listing() {
    let data = RunData::new();
    let found = Gate::default()
        .discover(&[&data.dir])
        .episodes
        .remove(0);
    data.without("manifest.json");
    data.without("state.json");
    let rules = |report: runvet::finding::EpisodeReport| {
        report
            .findings
            .into_iter()
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        rules(Gate::default().episode(&found).unwrap()),
        ["state/missing"],
        "not that they are unreadable"
    );
    let found = Gate::default()
        .discover(&[&data.dir])
        .episodes
        .remove(0);
    let good = corpus().join("good/terminal/episodes/ep_answer");
    for artifact in ["state.json", "manifest.json"] {
        fs::copy(good.join(artifact), data.dir.join(artifact)).unwrap();
    }
    assert_eq!(
        rules(Gate::default().episode(&found).unwrap()),
        [] as [&str; 0],
        "not that they are missing"
    );
    fs::remove_dir_all(&data.dir).unwrap();
    Gate::default()
        .episode(&found)
        .expect_err("a directory that is gone can't be judged");
}

#[test]
fn forbidden_files_are_reported() {
    for artifact in ARTIFACTS {
        let data = RunData::new();
        fs::set_permissions(data.dir.join(artifact), fs::Permissions::from_mode(0o000)).unwrap();
        let Some(checked) = data.validate_unprivileged() else {
            return;
        };
        assert_eq!(
            checked.unreadable(artifact),
            format!("{artifact} can't be read: reading it is not permitted")
        );
    }
}

#[test]
fn unlistable_directory_is_a_fault() {
    let data = RunData::new();
    fs::set_permissions(&data.dir, fs::Permissions::from_mode(0o000)).unwrap();
    let checked = data.validate_unprivileged();
    fs::set_permissions(&data.dir, fs::Permissions::from_mode(0o755)).unwrap();
    let Some(checked) = checked else { return };
    assert_eq!(checked.code, Some(2), "{}", checked.report);
    assert!(checked.stderr.contains("ep_answer: "), "{}", checked.stderr);
    assert_eq!(
        checked.episode("ep_01_answer")["valid"],
        true,
        "the rest is checked"
    );
}

#[test]
fn directory_that_is_only_listed_is_unreadable() {
    let data = RunData::new();
    fs::set_permissions(&data.dir, fs::Permissions::from_mode(0o444)).unwrap();
    let checked = data.validate_unprivileged();
    fs::set_permissions(&data.dir, fs::Permissions::from_mode(0o755)).unwrap();
    let Some(checked) = checked else { return };
    assert_eq!((checked.code, &*checked.stderr), (Some(1), ""));
    let findings = checked.episode("ep_answer")["findings"]
        .as_array()
        .unwrap();
    assert_eq!(findings.len(), ARTIFACTS.len());
    for (finding, artifact) in findings.iter().zip(ARTIFACTS) {
        assert_eq!(finding["rule"], "record/unreadable");
        let message = finding["message"].as_str().unwrap();
        assert!(
            message.ends_with("can't be read: reading it is not permitted"),
            "{artifact}"
        );
    }
    assert_eq!(checked.episode("ep_01_answer")["valid"], true);
}

#[test]
fn cycle_of_directories_is_walked_once() {
    let data = RunData::new();
    let cycle = data.temp.path().join("episodes/cycle");
    fs::create_dir(&cycle).unwrap();
    let mut command = Command::new("unshare");
    let mounted = "mount --rbind \"$1\" \"$2\" && exec \"$3\" validate --format json \"$1\"";
    command.args([
        "--mount",
        "--propagation=private",
        "sh",
        "-c",
        mounted,
        "sh",
    ]);
    let output = command
        .arg(data.temp.path())
        .arg(&cycle)
        .arg(env!("CARGO_BIN_EXE_runvet"))
        .output();
    match output {
        Ok(output) if !output.stdout.is_empty() => {
            let checked = Checked::of(&output);
            assert_eq!(
                (checked.code, &checked.report["totals"]["valid"]),
                (Some(0), &4.into()),
                "each by both its paths"
            );
        }
        Ok(output) => leave_out(&format!(
            "nothing can be mounted here: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => leave_out(&format!("nothing can be mounted here: {error}")),
    }
}

/// A directory so deep below another that its path has at least a number of bytes. It is made level
/// by level, because the system accepts no path of that length.
fn deep(base: &Path, bytes: usize) -> (PathBuf, rustix::fd::OwnedFd) {
    let open = OFlags::DIRECTORY | OFlags::RDONLY;
    let mut dir = rustix::fs::open(base, open, Mode::empty()).unwrap();
    let mut path = base.to_owned();
    while path.as_os_str().len() < bytes {
        let name = "d".repeat((bytes - path.as_os_str().len()).clamp(2, 201) - 1);
        rustix::fs::mkdirat(&dir, &name, Mode::RWXU).unwrap();
        dir = rustix::fs::openat(&dir, &name, open, Mode::empty()).unwrap();
        path.push(name);
    }
    (path, dir)
}

#[test]
fn long_paths_are_judged_up_to_the_limit_of_the_system() {
    let data = RunData::new();
    let (path, _) = deep(data.temp.path(), 4000);
    let episode = path.join("episodes/ep_answer");
    copy_dir(&data.dir, &episode);
    let checked = data.validate(&[]);
    assert_eq!(
        (checked.code, &checked.report["totals"]["valid"]),
        (Some(0), &3.into()),
        "{}",
        checked.stderr
    );
    assert!(
        checked.report["episodes"][0]["dir"]
            .as_str()
            .unwrap()
            .len()
            > 4000
    );

    let data = RunData::new();
    let (_, dir) = deep(data.temp.path(), 4200);
    rustix::fs::mknodat(&dir, "state.json", FileType::RegularFile, Mode::RUSR, 0).unwrap();
    let checked = data.validate(&[]);
    assert_eq!(
        checked.code,
        Some(2),
        "what can't be reached is not passed over"
    );
    assert!(
        checked
            .stderr
            .contains("File name too long"),
        "{}",
        checked.stderr
    );
    assert_eq!(checked.report["totals"]["valid"], 2, "the rest is checked");
}
