//! How runs are named on the command line: by ids and their parts, by paths, and by nothing at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::binary::{run, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::demo::demo;
use crate::support::runs::{copy_dir, copy_of, run_of, touch};
use crate::support::terminal::{Width, command, runvet};

/// A project with the demo below it, and another run in the newest directory.
fn project() -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (day, name) in ["ep_01_answer", "ep_03_edited"].into_iter().enumerate() {
        let dir = temp.path().join("work/runs/episodes").join(name);
        copy_dir(&corpus().join("demo/episodes").join(name), &dir);
        touch(&dir, day as u64);
    }
    fs::create_dir_all(
        temp.path()
            .join("work/runs/episodes/ep_01_answer/logs/deep"),
    )
    .unwrap();
    touch(&temp.path().join("work/runs/episodes/ep_01_answer"), 0);
    temp
}

/// The id of the run that `view` shows.
fn viewed(dir: &Path, args: &[&str]) -> String {
    let output = runvet(dir, &[&["view", "--json"], args].concat(), Width::Narrow);
    assert_eq!(stderr(&output), "", "{args:?}");
    let json: Value = serde_json::from_str(stdout(&output)).unwrap();
    json["episode_id"].as_str().unwrap().to_owned()
}

#[test]
fn run_is_named_by_any_part_of_its_id_from_above() {
    let project = project();
    for name in ["ep_01_answer", "EP_01", "answer", "Answer", "_01_"] {
        assert_eq!(viewed(project.path(), &[name]), "ep_01_answer", "{name}");
    }
    let path = "work/runs/episodes/ep_01_answer";
    assert_eq!(viewed(project.path(), &[path]), "ep_01_answer");
    let artifact = format!("{path}/summary.json");
    assert_eq!(viewed(project.path(), &[&artifact]), "ep_01_answer");
}

#[test]
fn run_without_a_name_is_the_one_around_or_the_newest() {
    let project = project();
    assert_eq!(viewed(project.path(), &[]), "ep_03_edited");
    let run = project.path().join("work/runs/episodes/ep_01_answer");
    for dir in [run.clone(), run.join("logs/deep")] {
        assert_eq!(viewed(&dir, &[]), "ep_01_answer");
        assert_eq!(viewed(&dir, &["@latest"]), "ep_03_edited");
        let data = project.path().join("work/runs");
        let named = viewed(&dir, &["--run-data", data.to_str().unwrap()]);
        assert_eq!(named, "ep_03_edited", "run data that is named goes before");
    }
    for args in [&["plan"][..], &["show", "state"], &["plan", "--json"]] {
        let output = runvet(&run, args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stderr(&output)),
            (Some(0), ""),
            "{args:?}"
        );
    }
    let output = runvet(&run, &["show", "state"], Width::Narrow);
    assert!(stdout(&output).contains("\"id\": \"ep_01_answer\""));
}

#[test]
fn several_run_data_directories_below_are_named() {
    let project = project();
    copy_dir(
        &run_of("good/terminal"),
        &project.path().join("old/episodes/ep"),
    );
    for args in [&["list"][..], &["list", "."]] {
        let args = [args, &["--format", "ids", "--sort", "id"]].concat();
        let output = runvet(project.path(), &args, Width::Narrow);
        assert_eq!(stderr(&output), "");
        assert_eq!(stdout(&output), "ep\nep_01_answer\nep_03_edited\n");
    }
    for args in [&["view"][..], &["plan", "ep"]] {
        let output = runvet(project.path(), args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        let said = "error: several directories below . contain one called `episodes`; name one of \
                    them: old, work/runs\n";
        assert_eq!(stderr(&output), said, "{args:?}");
    }
}

#[test]
fn list_takes_paths_or_run_data_but_not_both() {
    let project = project();
    let ids = |args: &[&str], variable: Option<&str>| {
        let args = [&["list", "--format", "ids"], args].concat();
        let mut command = command(project.path(), &args, Width::Narrow);
        let variable = variable.map(|path| ("RUNVET_RUN_DATA", path));
        let output = command.envs(variable).output().unwrap();
        assert_eq!(stderr(&output), "");
        stdout(&output)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let both = ["ep_03_edited", "ep_01_answer"];
    assert_eq!(ids(&[], None), both);
    assert_eq!(ids(&["work"], None), both);
    assert_eq!(ids(&["work/runs/episodes"], Some("nowhere")), both);
    let one = "work/runs/episodes/ep_01_answer";
    assert_eq!(ids(&[one], None), both[1..]);
    assert_eq!(ids(&[one, one, "work/runs"], None), both);
    let args = ["list", "--run-data", "work/runs", one];
    let output = runvet(project.path(), &args, Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--run-data has no effect"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn hostile_ids_are_escaped_where_they_are_named() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["ep_\u{1b}[31ma", "ep_\u{202e}b"] {
        copy_dir(
            &run_of("good/terminal"),
            &temp.path().join("episodes").join(name),
        );
    }
    for (name, said) in [
        (
            "ep_",
            "several runs match \"ep_\": ep_\\u{1b}[31ma, ep_\\u{202e}b",
        ),
        (
            "ep_\u{202e}\u{202e}b",
            "there is no run \"ep_\\u{202e}\\u{202e}b\"; did you mean ep_\\u{202e}b?",
        ),
    ] {
        let output = runvet(temp.path(), &["view", name], Width::Narrow);
        assert_eq!(stderr(&output), format!("error: {said}\n"));
    }
}

#[test]
fn run_data_comes_from_option_environment_or_nearby() {
    let demo = demo();
    let elsewhere = corpus().join("good/paused");
    let path = demo.to_str().unwrap();
    let nowhere = tempfile::tempdir().unwrap();
    let dir = |at: &Path, args: &[&str], variable: Option<&Path>| {
        let mut command = command(at, &[&["view", "--json"], args].concat(), Width::Narrow);
        let output = command
            .envs(variable.map(|path| ("RUNVET_RUN_DATA", path)))
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        json["episode_dir"].as_str().unwrap_or_default().to_owned()
    };
    let absolute = format!("{path}/episodes/ep_01_answer");
    assert_eq!(
        dir(nowhere.path(), &["--run-data", path, "ep_01"], None),
        absolute
    );
    assert_eq!(dir(nowhere.path(), &["ep_01"], Some(&demo)), absolute);
    assert_eq!(
        dir(
            &demo,
            &["--run-data", elsewhere.to_str().unwrap(), "ep_p"],
            Some(&demo)
        ),
        elsewhere.join("episodes/ep_paused").to_str().unwrap()
    );
    assert_eq!(
        dir(&elsewhere, &["ep_01"], Some(&demo)),
        absolute,
        "the environment overrides the current directory"
    );
    assert_eq!(dir(&demo, &["ep_01"], None), "episodes/ep_01_answer");
    assert_eq!(
        dir(&demo.join("episodes"), &["ep_01"], None),
        "../episodes/ep_01_answer"
    );
    assert_eq!(
        dir(&demo.join("episodes/ep_02_paused"), &["ep_01"], None),
        "../../episodes/ep_01_answer"
    );
    assert_eq!(dir(&demo.join("episodes/ep_02_paused"), &["."], None), ".");
    assert_eq!(
        dir(nowhere.path(), &[&format!("{absolute}/state.json")], None),
        absolute,
        "a path needs no run data"
    );

    for args in [
        &["list"][..],
        &["view", "ep_01"],
        &["plan", "ep_01"],
        &["diff", "ep_01", "ep_02"],
        &["show", "ep_01", "state"],
    ] {
        let output = runvet(nowhere.path(), args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(
            stderr(&output).starts_with("error: there is no run data here: "),
            "{}",
            stderr(&output)
        );
        let output = runvet(
            &demo,
            &[args, &["--run-data", "nowhere"]].concat(),
            Width::Narrow,
        );
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).starts_with("error: nowhere is not a run-data directory: "),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn unknown_id_is_a_fault_that_names_the_nearest() {
    for args in [
        &["view", "ep_03_edite_"][..],
        &["view", "ep_03_edite_", "--json"],
        &["view", "ep_03_edite_", "--events"],
        &["plan", "ep_03_edite_"],
        &["show", "ep_03_edite_", "state"],
    ] {
        let output = runvet(&demo(), args, Width::Narrow);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{args:?}"
        );
        let said = "error: there is no run \"ep_03_edite_\"; did you mean ep_03_edited?\n";
        assert_eq!(stderr(&output), said);
    }
    let output = runvet(&demo(), &["view", "nosuch"], Width::Narrow);
    assert_eq!(
        stderr(&output),
        "error: there is no run \"nosuch\" in .; `runvet list` shows the runs\n"
    );
    let output = runvet(&demo(), &["view", "ep_0"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    let start = "error: several runs match \"ep_0\": ";
    let named: BTreeSet<&str> = stderr(&output)
        .strip_prefix(start)
        .unwrap()
        .trim_end()
        .split(", ")
        .collect();
    assert_eq!(
        named,
        BTreeSet::from([
            "ep_01_answer",
            "ep_02_paused",
            "ep_03_edited",
            "ep_04_crashed",
            "ep_05_misnamed"
        ])
    );
    let output = runvet(
        &demo(),
        &["view", "\u{1b}[31m\nerror: forged"],
        Width::Narrow,
    );
    assert!(
        !stderr(&output).contains('\u{1b}') && stderr(&output).lines().count() == 1,
        "{}",
        stderr(&output)
    );
}

#[test]
fn message_names_the_path_that_leads_to_no_run() {
    let nowhere = tempfile::tempdir().unwrap();
    fs::create_dir(nowhere.path().join("empty")).unwrap();
    for path in ["empty", "./nope/x"] {
        let output = runvet(nowhere.path(), &["view", path], Width::Narrow);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(path), "{}", stderr(&output));
    }
}

#[test]
fn name_of_a_file_here_is_a_path_without_a_slash() {
    let (temp, dir) = copy_of("good/terminal");
    copy_dir(&dir, &temp.path().join("ep_out"));
    copy_dir(&dir, &temp.path().join("episodes/ep_outer"));
    let view = |dir: &Path, name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        let command = command
            .args(["view", name, "--json"])
            .current_dir(dir)
            .env_clear();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let page: Value = serde_json::from_slice(&output.stdout).unwrap();
        page["dir"]
            .as_str()
            .or(page["episode_id"].as_str())
            .unwrap_or_default()
            .to_owned()
    };
    assert!(!view(&dir, "state.json").is_empty());
    assert_ne!(view(temp.path(), "ep_out"), view(temp.path(), "ep_outer"));
    assert_eq!(
        view(temp.path(), "ep_oute"),
        view(temp.path(), "ep_outer"),
        "the beginning of an id"
    );
}

#[test]
fn run_in_the_place_of_a_record_is_told() {
    let output = runvet(&demo(), &["show", "@latest"], Width::Narrow);
    assert_eq!(output.status.code(), Some(2));
    let tip = "tip: name a record after the run: `runvet show @latest state`";
    assert!(stderr(&output).contains(tip), "{}", stderr(&output));
}

#[test]
fn names_that_differ_in_unicode_form_only_are_told_apart() {
    let (temp, dir) = copy_of("good/terminal");
    fs::rename(&dir, temp.path().join("episodes/ep_cafe\u{301}")).unwrap();
    for file in ["state.json", "summary.json", "events.jsonl"] {
        let file = temp.path().join("episodes/ep_cafe\u{301}").join(file);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("ep_answer", "ep_caf\u{e9}")).unwrap();
    }
    let path = temp.path().to_str().unwrap();
    let check = run(&["validate", "--select", "episode/id", path]);
    let told = stdout(&check);
    for message in [
        "the record belongs to the episode \"ep_caf\\u{e9}\", but the directory is called \
         \"ep_cafe\\u{301}\"",
        "the first of them to \"ep_caf\\u{e9}\"",
    ] {
        assert!(told.contains(message), "{told}");
    }
    // As it is typed, the name finds the run.
    let view = run(&["view", "ep_caf\u{e9}", "--run-data", path]);
    assert_eq!(view.status.code(), Some(0), "{}", stderr(&view));
}
