//! Run data that tries to hide a run from the gate: what is not judged is a fault, never passed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::select;
use runvet::gate::Gate;
use runvet::read;
use runvet::store::Fault;
use tempfile::TempDir;

use crate::support::binary::{run, runvet, stderr, stdout};
use crate::support::random::config;
use crate::support::runs::{bad_run, copy_dir, run_of};

/// Run data with a valid run, `ep_answer`, and one with errors, `ep_03_edited`.
struct RunData(TempDir);

impl RunData {
    fn new() -> Self {
        let data = Self(tempfile::tempdir().unwrap());
        copy_dir(&run_of("good/terminal"), &data.path("episodes/ep_answer"));
        copy_dir(&bad_run(), &data.path("episodes/ep_03_edited"));
        data
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn make_dir(&self, below: &str) {
        fs::create_dir_all(self.path(below)).unwrap();
    }

    fn link(&self, target: impl AsRef<Path>, below: &str) {
        symlink(target, self.path(below)).unwrap();
    }

    fn write(&self, below: &str, text: &str) {
        fs::write(self.path(below), text).unwrap();
    }

    /// The exit code, the directories of the episodes that are judged, and the faults.
    fn validate(&self, args: &[&str]) -> (i32, Vec<String>, Vec<String>) {
        let output = runvet(&[&["validate", "--format", "ndjson", "--quiet"], args].concat())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let lines = stdout(&output).lines();
        let dirs = lines.filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            Some(line["dir"].as_str()?.to_owned())
        });
        let faults = stderr(&output).lines().map(|line| {
            let fault = line.strip_prefix("error: ").unwrap_or(line);
            fault.split(':').next().unwrap().to_owned()
        });
        (
            output.status.code().unwrap(),
            dirs.collect(),
            faults.collect(),
        )
    }

    fn faults(&self) -> Vec<String> {
        let (code, _, faults) = self.validate(&["."]);
        assert_eq!(code == 2, !faults.is_empty(), "{code} {faults:?}");
        faults
    }
}

const BOTH: [&str; 2] = ["episodes/ep_03_edited", "episodes/ep_answer"];

#[test]
fn run_is_judged_when_it_holds_a_directory_episodes() {
    let data = RunData::new();
    data.make_dir("episodes/ep_03_edited/episodes");
    let (code, dirs, _) = data.validate(&["."]);
    assert_eq!((code, &*dirs), (1, &BOTH.map(String::from)[..]));
    let (code, dirs, _) = data.validate(&["episodes/ep_03_edited/state.json"]);
    assert_eq!((code, &*dirs), (1, &[BOTH[0].to_owned()][..]));
    // Elsewhere such a directory is run data, and what lies beside it may be another program's.
    copy_dir(&bad_run(), &data.path("elsewhere"));
    data.make_dir("elsewhere/episodes");
    assert_eq!(data.validate(&["elsewhere"]).0, 3);
}

#[test]
fn artifacts_in_episodes_hide_no_run() {
    let data = RunData::new();
    for artifact in ["learn.jsonl", "summary.json", "events.jsonl", "state.json"] {
        let from = run_of("good/terminal").join(artifact);
        fs::copy(from, data.path("episodes").join(artifact)).unwrap();
        for (given, told) in [(".", "episodes"), ("episodes", "episodes")] {
            let (code, dirs, faults) = data.validate(&[given]);
            assert_eq!((code, &*dirs), (2, &BOTH.map(String::from)[..]), "{given}");
            assert_eq!(faults, [told], "{given}");
        }
        let named = format!("episodes/{artifact}");
        let (code, dirs, faults) = data.validate(&[&named]);
        assert_eq!((code, dirs.len(), faults.len()), (2, 0, 1), "{named}");
        fs::remove_file(data.path("episodes").join(artifact)).unwrap();
    }
    assert_eq!(data.validate(&["."]).0, 1);
}

#[test]
fn records_copied_into_a_group_hide_no_run() {
    let data = RunData::new();
    data.make_dir("episodes/group");
    copy_dir(&bad_run(), &data.path("episodes/group/ep_03_edited"));
    assert_eq!(data.validate(&["."]).1.len(), 3);
    fs::copy(
        run_of("good/terminal").join("state.json"),
        data.path("episodes/group/state.json"),
    )
    .unwrap();
    let hidden = "episodes/group/ep_03_edited";
    assert_eq!(data.faults(), [hidden]);
    assert_eq!(data.validate(&["episodes/group"]).0, 2);
    // Whoever says that it is a copy takes the responsibility.
    data.write("runvet.toml", "exclude = ['episodes/group/*']");
    let (code, dirs, faults) = data.validate(&["--config", "runvet.toml", "."]);
    assert_eq!((code, dirs.len(), &*faults), (1, 3, &[][..]));
    fs::remove_file(data.path("runvet.toml")).unwrap();
    // A directory without a timeline is none that a run could be in.
    fs::remove_file(data.path(hidden).join("events.jsonl")).unwrap();
    assert_eq!(data.validate(&["."]).0, 1);
}

#[test]
fn episode_above_run_data_hides_no_run() {
    let data = RunData::new();
    let runs = [
        "top/runs/deep/episodes/ep_03_edited",
        "top/runs/episodes/group/ep_03_edited",
    ];
    for run in runs {
        copy_dir(&bad_run(), &data.path(run));
    }
    data.make_dir("top/empty/episodes");
    assert_eq!(data.validate(&["top"]).0, 1);
    data.write("top/events.jsonl", "");
    // The directory itself, and what lies below it.
    let expected = ["top", runs[0], runs[1]].map(String::from);
    let (code, dirs, faults) = data.validate(&["top"]);
    assert_eq!((code, &*dirs), (2, &expected[..]));
    assert_eq!(faults, ["top/runs/deep/episodes", "top/runs/episodes"]);
    assert_eq!(data.validate(&["."]).1.len(), 5);
    // Records beside the copies of a run change nothing.
    data.write("top/runs/events.jsonl", "");
    assert_eq!(data.validate(&["top"]).2, faults);
    // What the user excludes is not opened.
    data.write("runvet.toml", "exclude = ['top/runs']");
    let (code, dirs, _) = data.validate(&["--config", "runvet.toml", "top"]);
    assert_eq!((code, &*dirs), (0, &expected[..1]));
    // Below `episodes` the search stops at an episode.
    fs::remove_file(data.path("runvet.toml")).unwrap();
    let copy = "episodes/ep_answer/copy/episodes/ep_03_edited";
    copy_dir(&bad_run(), &data.path(copy));
    assert_eq!(data.validate(&["episodes"]).0, 1);
}

#[test]
fn run_with_only_a_summary_is_not_hidden_by_another() {
    let data = RunData::new();
    let valid = run_of("good/terminal");
    let (group, inner) = ("episodes/ep_1", "episodes/ep_1/ep_answer");
    copy_dir(&valid, &data.path(inner));
    let faults = |summary: &str, beside: Option<&str>| {
        data.write("episodes/ep_1/summary.json", summary);
        if let Some(name) = beside {
            data.write(&format!("{group}/{name}"), "");
        }
        let (code, dirs, faults) = data.validate(&["."]);
        assert_eq!(dirs.len(), 3, "{summary}: {dirs:?}");
        assert_eq!(code, if faults.is_empty() { 1 } else { 2 }, "{summary}");
        if let Some(name) = beside {
            fs::remove_file(data.path(group).join(name)).unwrap();
        }
        faults
    };
    // The summary of a group is its own matter.
    for summary in [
        "{}",
        "[]",
        "",
        r#"{"episode_id":null}"#,
        r#"{"runs":[{"episode_id":"a"}]}"#,
    ] {
        assert_eq!(faults(summary, None), [""; 0], "{summary}");
    }
    assert_eq!(faults(r#"{"episode_id":"ep_1"}"#, None), [group]);
    for beside in ["learn.jsonl", "manifest.json"] {
        assert_eq!(faults("{}", Some(beside)), [group], "{beside}");
    }
    let too_many = format!("[{}0]", "0,".repeat(1_000_000));
    assert_eq!(faults(&too_many, None), [group]);
    // Without the other one it is the run, and is checked.
    fs::remove_dir_all(data.path(inner)).unwrap();
    assert_eq!(faults(r#"{"episode_id":"ep_1"}"#, None), [""; 0]);
}

#[test]
fn link_below_episodes_hides_no_run() {
    let data = RunData::new();
    data.make_dir("episodes/group");
    let elsewhere = tempfile::tempdir().unwrap();
    copy_dir(&bad_run(), elsewhere.path());
    let elsewhere = elsewhere.path().to_str().unwrap();
    // Links to episodes that are judged anyway, to files and to nothing.
    data.link("ep_answer", "episodes/latest");
    data.link("../ep_answer", "episodes/group/latest");
    data.link(data.path("episodes/ep_03_edited"), "episodes/worst");
    data.link("ep_answer/state.json", "episodes/file");
    data.link("nowhere", "episodes/dangling");
    data.link("itself", "episodes/itself");
    // What is not below `episodes` is not where runs are.
    data.link("episodes", "other");
    assert_eq!(data.faults(), [""; 0]);
    assert_eq!(data.validate(&["episodes"]).0, 1);
    // What an episode holds is not searched, but for a run that could be hidden.
    data.link("/", "episodes/ep_answer/root");
    data.link("../ep_03_edited", "episodes/ep_answer/parent");
    data.link(elsewhere, "episodes/ep_answer/run");
    assert_eq!(data.faults(), ["episodes/ep_answer/run"]);
    fs::remove_file(data.path("episodes/ep_answer/run")).unwrap();
    assert_eq!(data.faults(), [""; 0]);

    let links = [
        (elsewhere, "episodes/a"),
        (elsewhere, "episodes/group/b"),
        (".", "episodes/here"),
        ("group", "episodes/other"),
        ("/", "episodes/up"),
    ];
    for (target, name) in links.into_iter().rev() {
        data.link(target, name);
    }
    assert_eq!(data.faults(), links.map(|(_, name)| name), "sorted by path");
    for (_, name) in &links[2..] {
        fs::remove_file(data.path(name)).unwrap();
    }
    // Only a part of the run data was looked at.
    fs::remove_file(data.path("episodes/group/b")).unwrap();
    let (code, _, faults) = data.validate(&["episodes/group"]);
    assert_eq!((code, &*faults), (2, &["episodes/group/latest".into()][..]));
    // The user may take the responsibility for the link, or have its target checked.
    data.write("runvet.toml", "exclude = ['episodes/a']");
    assert_eq!(data.validate(&["--config", "runvet.toml", "episodes"]).0, 1);
    fs::remove_file(data.path("runvet.toml")).unwrap();
    assert_eq!(data.validate(&["."]).0, 2);
    assert_eq!(data.validate(&[".", elsewhere]).0, 1);
    let record = format!("{elsewhere}/state.json");
    assert_eq!(data.validate(&[".", &record]).0, 1);
    // A run that moved away and left a link.
    fs::remove_file(data.path("episodes/a")).unwrap();
    fs::remove_dir_all(data.path("episodes/ep_03_edited")).unwrap();
    data.link(elsewhere, "episodes/ep_03_edited");
    fs::remove_file(data.path("episodes/ep_answer/parent")).unwrap();
    let faults = ["episodes/ep_03_edited", "episodes/worst"];
    assert_eq!(data.faults(), faults);
}

#[test]
fn link_to_an_excluded_or_unchanged_run_is_no_fault() {
    let data = RunData::new();
    data.link("ep_03_edited", "episodes/latest");
    data.write("runvet.toml", "exclude = ['ep_03_edited']");
    let (code, dirs, _) = data.validate(&["--config", "runvet.toml", "."]);
    assert_eq!((code, &*dirs), (0, &[BOTH[1].to_owned()][..]));
}

#[test]
fn excluded_directory_is_not_opened() {
    let data = RunData::new();
    data.make_dir("episodes/old/episodes");
    data.write("episodes/old/episodes/state.json", "{}");
    data.link("/", "episodes/old/root");
    assert_eq!(data.faults().len(), 2);
    data.write("runvet.toml", "exclude = ['old']");
    let args = ["--config", "runvet.toml", "."];
    assert_eq!(data.validate(&args).0, 1);
    let output = runvet(&["validate", "--config", "runvet.toml", "."])
        .current_dir(data.0.path())
        .output()
        .unwrap();
    assert_eq!(
        stderr(&output),
        "note: 1 directory excluded by the configuration\n"
    );
}

#[test]
fn artifact_behind_a_link_stands_for_the_run_it_is_in() {
    let data = RunData::new();
    let other = tempfile::tempdir().unwrap();
    let other = other.path().canonicalize().unwrap();
    let bad = other.join("episodes/ep_1");
    copy_dir(&bad_run(), &bad);
    fs::create_dir(bad.join("deep")).unwrap();
    fs::copy(bad.join("state.json"), bad.join("deep/state.json")).unwrap();
    copy_dir(&run_of("good/terminal"), &data.path("A/ep_1"));
    data.link(bad.join("deep"), "A/ep_1/chk");
    let (code, dirs, _) = data.validate(&["A/ep_1/chk/state.json"]);
    assert_eq!((code, &*dirs), (1, &[bad.display().to_string()][..]));
}

#[test]
fn directory_too_deep_is_a_fault_and_not_searched() {
    let data = RunData::new();
    let deepest = "d/".repeat(254);
    data.make_dir(&format!("episodes/{deepest}run"));
    data.write(&format!("episodes/{deepest}run/events.jsonl"), "");
    assert_eq!(data.validate(&["."]).1.len(), 3);
    for name in ["a", "b"] {
        data.make_dir(&format!("episodes/{deepest}d/{name}"));
    }
    let deeper = ["a", "b"].map(|name| format!("episodes/{deepest}d/{name}"));
    let (code, dirs, faults) = data.validate(&["."]);
    assert_eq!((code, dirs.len(), &*faults), (2, 3, &deeper[..]));
    let (code, _, faults) = data.validate(&["episodes"]);
    assert_eq!(
        (code, &*faults),
        (1, &[][..]),
        "from there it is 256 levels"
    );
    let run_data = read::RunData::open(data.0.path()).unwrap();
    assert_eq!(run_data.faults().len(), 2);
    // What is excluded is not searched anyway.
    data.write("runvet.toml", "exclude = ['a', 'b']");
    assert_eq!(data.validate(&["--config", "runvet.toml", "."]).0, 1);
}

#[test]
fn artifacts_that_belong_to_no_run_are_a_fault() {
    let data = RunData::new();
    for name in ["learn.jsonl", "manifest.json"] {
        data.make_dir("episodes/group/ep_bad");
        data.write(&format!("episodes/group/ep_bad/{name}"), "");
        assert_eq!(data.faults(), ["episodes/group/ep_bad"], "{name}");
        // Elsewhere it may be another program's.
        fs::rename(data.path("episodes/group/ep_bad"), data.path(name)).unwrap();
        assert_eq!(data.faults(), [""; 0], "{name}");
    }
}

#[test]
fn run_that_was_packed_or_renamed_is_not_passed_over() {
    let data = RunData::new();
    for (file, path) in [
        ("group/ep_gone/state.json.gz", "group/ep_gone"),
        ("group/gone/STATE.JSON", "group/gone"),
        ("group/gone/events (1).jsonl", "group/gone"),
        ("group/gone/gone.tar.zst", "group/gone"),
        // Its name is like the others.
        ("ep_gone/checkpoints/7/weights.bin", "ep_gone"),
        ("ep_gone.tar.gz", "ep_gone.tar.gz"),
    ] {
        let file = format!("episodes/{file}");
        data.make_dir(Path::new(&file).parent().unwrap().to_str().unwrap());
        data.write(&file, "");
        assert_eq!(data.faults(), [format!("episodes/{path}")], "{file}");
        fs::remove_file(data.path(&file)).unwrap();
        assert_eq!(data.faults(), [""; 0], "{file}");
    }
    data.make_dir("episodes/group/gone");
    data.write("episodes/group/gone/EVENTS.JSONL", "");
    let list = run(&["list", "--run-data", data.0.path().to_str().unwrap()]);
    assert_eq!(list.status.code(), Some(2));
    assert!(stderr(&list).contains("episodes/group/gone: the directory holds \"EVENTS.JSONL\""));
}

#[test]
fn files_below_episodes_that_are_no_run_are_noted() {
    let data = RunData::new();
    copy_dir(&run_of("good/terminal"), &data.path("episodes/group/ep_1"));
    data.write("episodes/README.md", "");
    data.write("episodes/group/notes.md", "");
    data.write("episodes/group/.DS_Store", "");
    data.make_dir("episodes/assets/images");
    data.write("episodes/assets/images/logo.png", "");
    data.write("episodes/assets/images/wide.png", "");
    data.make_dir("assets");
    data.write("assets/logo.png", "");
    let output = runvet(&["validate", "--select", "state/schema", "."])
        .current_dir(data.0.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = "note: episodes/assets: the directory holds \"images/logo.png\" and 1 more file, but \
                no record of a run (state.json, events.jsonl), so nothing in it is checked; unpack \
                or rename what is a record, or exclude the directory\n";
    assert_eq!(stderr(&output), told);
}

#[test]
fn faults_are_told_in_plain_words() {
    let data = RunData::new();
    data.link("/", "episodes/root");
    data.write("episodes/state.json", "{}");
    data.make_dir("episodes/ep_answer/copy");
    data.write("episodes/ep_answer/copy/events.jsonl", "");
    data.make_dir("episodes/ep_1/ep_2");
    data.write("episodes/ep_1/summary.json", "{}");
    data.write("episodes/ep_1/manifest.json", "{}");
    data.write("episodes/ep_1/ep_2/summary.json", "{}");
    data.make_dir("sub/runs/episodes/ep_1");
    data.write("sub/state.json", r#"{"plan":{}}"#);
    let path = data.0.path().display();
    let output = run(&["validate", data.0.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let told = format!(
        "error: {path}/episodes: artifacts lie directly in a directory called `episodes`, so they \
         belong to no run\n\
         error: {path}/episodes/ep_1: this directory looks like a run and holds another run, so \
         only the inner run is checked; move one of them, or exclude the inner one\n\
         error: {path}/episodes/ep_answer/copy: a directory in an episode holds events.jsonl, so a \
         run may be hidden; move it, or exclude it\n\
         error: {path}/episodes/root: a symbolic link to a directory that is not checked; exclude \
         the link, or give / too\n\
         error: {path}/sub/runs/episodes: a directory called `episodes` lies in the episode \
         {path}/sub, so runs may be hidden; move it, or exclude it\n"
    );
    assert_eq!(stderr(&output), told);
}

/// A path below `episodes`, of names that mean something and names that don't.
fn path() -> impl Strategy<Value = String> {
    let name = select(&["a", "b", "episodes", "snapshots", ".git", "state.json"]);
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn list_knows_the_runs_that_validate_judges(
        dirs in prop::collection::vec(path(), 0..4),
        files in prop::collection::vec((path(), select(&["state.json", "summary.json", "events.jsonl", "learn.jsonl"])), 0..6),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let episodes = temp.path().join("episodes");
        fs::create_dir(&episodes).unwrap();
        for dir in &dirs {
            let _ = fs::create_dir_all(episodes.join(dir));
        }
        for (dir, name) in &files {
            let _ = fs::create_dir_all(episodes.join(dir));
            let _ = fs::write(episodes.join(dir).join(name), "{}");
        }
        let found = Gate::default().discover(&[temp.path()]);
        let judged: Vec<PathBuf> = found.episodes.into_iter().map(|run| run.path).collect();
        let run_data = read::RunData::open(temp.path()).unwrap();
        let mut listed: Vec<PathBuf> = run_data.iter().map(|run| run.path().to_owned()).collect();
        listed.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        prop_assert_eq!(&listed, &judged);
        let paths = |faults: &[Fault]| -> Vec<PathBuf> {
            faults.iter().map(|fault| fault.path().to_owned()).collect()
        };
        let (mut noted, mut reported) = (paths(run_data.faults()), paths(&found.faults));
        // A directory that is not opened may hold artifacts of no run.
        let is_opened = |dir: &PathBuf| fs::read_dir(dir).unwrap().any(|it| it.unwrap().path().is_dir());
        let may_be_noted = |dir: &PathBuf| dir.ends_with("episodes") || is_opened(dir);
        noted.retain(may_be_noted);
        reported.retain(may_be_noted);
        noted.sort();
        reported.sort();
        prop_assert_eq!(noted, reported);
        let latest = run_data.get("@latest").ok();
        prop_assert_eq!(latest.is_some(), !judged.is_empty());
    }
}

#[test]
fn run_with_only_a_summary_is_listed_and_viewed() {
    let data = RunData::new();
    data.make_dir("episodes/ep_1/snapshots");
    data.write("episodes/ep_1/summary.json", "{}");
    let runvet = |args: &[&str]| {
        let output = runvet(args).current_dir(data.0.path()).output().unwrap();
        (
            output.status.code().unwrap(),
            stdout(&output).to_owned() + stderr(&output),
        )
    };
    let (code, listed) = runvet(&["list", "--format", "ids"]);
    assert_eq!((code, listed.lines().count()), (0, 3));
    assert!(
        listed.contains("ep_1\n") && !listed.contains("snapshots"),
        "{listed}"
    );
    assert_eq!(runvet(&["view", "ep_1", "--json"]).0, 0);
    let (code, told) = runvet(&["view", "snapshot"]);
    assert!(code == 2 && !told.contains("snapshots"), "{told}");
}
