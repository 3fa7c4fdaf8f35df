//! Options that make no sense are refused, and what is passed over or filtered is said.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::binary::{run, runvet, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::runs::{copy_dir, copy_of};
use crate::support::terminal;
use crate::support::terminal::Width;

fn demo(args: &[&str]) -> Output {
    terminal::runvet(&corpus().join("demo"), args, Width::Narrow)
}

/// Asserts that a command is refused with a message that contains a text.
fn refused(args: &[&str], text: &str) {
    let output = demo(args);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(2), ""),
        "{args:?}"
    );
    assert!(
        stderr(&output).contains(text),
        "{args:?}: {}",
        stderr(&output)
    );
}

#[test]
fn unknown_words_are_refused_with_a_suggestion() {
    refused(
        &["list", "--status", "err"],
        "a similar value exists: 'error'",
    );
    refused(&["list", "--status", "completed"], "'ok'");
    refused(&["list", "--outcome", "succes"], "'success'");
    refused(&["list", "--sort", "newst"], "'newest'");
    for (phase, said) in [
        (
            "acts",
            "no event has the phase \"acts\"; did you mean `act`?",
        ),
        ("Terminate", "did you mean `terminate`?"),
        ("banana", "runtimes write start, observe, "),
        ("\u{1b}[2J", "no event has the phase \"\\u{1b}[2J\""),
    ] {
        refused(&["view", "ep_01", "--phase", phase], said);
    }
}

#[test]
fn open_phases_can_be_asked_for() {
    let (temp, dir) = copy_of("good/terminal");
    let own = r#"{"phase":"acts","timestamp":"2026-03-01T12:00:01Z","payload":{}}"#;
    let mut timeline = fs::OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"))
        .unwrap();
    writeln!(timeline, "{own}").unwrap();
    let view = |args: &[&str]| {
        let args = [&["view"], args].concat();
        terminal::runvet(temp.path(), &args, Width::Narrow)
    };
    let output = view(&["--phase", "acts"]);
    assert_eq!((stdout(&output).lines().count(), stderr(&output)), (1, ""));
    // A phase that occurs, or that runtimes write, is not a slip.
    for (args, filters) in [
        (
            &["--phase", "acts", "--grep", "nowhere"][..],
            "--phase acts --grep \"nowhere\"",
        ),
        (&["--phase", "governance"], "--phase governance"),
        (&["--grep", "nowhere"], "--grep \"nowhere\""),
    ] {
        let output = view(args);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(0), ""),
            "{args:?}"
        );
        assert_eq!(
            stderr(&output),
            format!("note: none of 12 events matches {filters}\n")
        );
    }
}

#[test]
fn empty_list_says_what_was_filtered() {
    let said = |args: &[&str]| stdout(&demo(&[&["list"], args].concat())).to_owned();
    assert_eq!(
        said(&["--status", "aborted"]),
        "no runs: none of 5 runs matches --status aborted\n"
    );
    assert_eq!(
        said(&["--status", "pending", "--invalid", "--since", "2030-01-01"]),
        "no runs: none of 5 runs matches --status pending --since 2030-01-01 --invalid\n"
    );
}

#[test]
fn list_of_invalid_runs_names_the_first_error() {
    let output = demo(&["list", "--invalid", "--sort", "id"]);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert!(lines[0].contains(" FIRST ERROR "), "{lines:?}");
    assert!(lines[1].contains(" projection/outcomes +1 "), "{lines:?}");
    assert_eq!(lines.len(), 4, "{lines:?}");
}

#[test]
fn list_in_json_says_where_runs_are_and_which_are_invalid() {
    let runs = |args: &[&str]| {
        let output = demo(&[&["list", "--sort", "id", "--format", "json"], args].concat());
        let list: Value = serde_json::from_str(stdout(&output)).unwrap();
        list["runs"].as_array().unwrap().clone()
    };
    let [all, invalid] = [&[][..], &["--invalid"]].map(runs);
    assert_eq!((all.len(), invalid.len()), (5, 3));
    for run in &all {
        assert_eq!(
            (&run["valid"], &run["first_error"]),
            (&Value::Null, &Value::Null)
        );
        assert!(
            corpus()
                .join("demo")
                .join(run["dir"].as_str().unwrap())
                .is_dir()
        );
    }
    assert_eq!(
        (&invalid[0]["valid"], &invalid[0]["first_error"]),
        (&json!(false), &json!("projection/outcomes"))
    );
}

#[test]
fn list_is_sorted_by_what_is_asked_for() {
    let temp = tempfile::tempdir().unwrap();
    for (id, hour, seconds) in [("ep_b", 12, 3), ("ep_a", 14, 1), ("ep_c", 13, 2)] {
        let dir = temp.path().join("episodes").join(id);
        copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &dir);
        for (file, from, to) in [
            ("state.json", "T12:00:00", format!("T{hour}:00:00")),
            ("summary.json", "0.15,", format!("{seconds},")),
        ] {
            let text = fs::read_to_string(dir.join(file)).unwrap();
            fs::write(dir.join(file), text.replace(from, &to)).unwrap();
        }
    }
    let ids = |args: &[&str]| {
        let args = [&["list", "--format", "ids"], args].concat();
        stdout(&terminal::runvet(temp.path(), &args, Width::Narrow)).replace('\n', " ")
    };
    assert_eq!(ids(&["--sort", "id"]), "ep_a ep_b ep_c ");
    assert_eq!(ids(&["--sort", "started"]), "ep_a ep_c ep_b ");
    assert_eq!(ids(&["--sort", "duration", "--limit", "2"]), "ep_b ep_c ");
}

#[test]
fn words_of_the_vocabulary_are_never_cut() {
    let (temp, dir) = copy_of("good/terminal");
    let summary = fs::read_to_string(dir.join("summary.json")).unwrap();
    let summary = summary.replace(
        "\"outcome\":\"success\"",
        "\"outcome\":\"success_unverified\"",
    );
    fs::write(dir.join("summary.json"), summary).unwrap();
    let output = terminal::runvet(temp.path(), &["list"], Width::Narrow);
    assert!(
        stdout(&output).contains(" success_unverified "),
        "{}",
        stdout(&output)
    );
}

#[test]
fn options_without_effect_are_refused() {
    for option in [
        &["--rule", "plan/*=off"][..],
        &["--no-config"],
        &["--no-baseline"],
    ] {
        let name = option[0];
        refused(
            &[&["list"], option].concat(),
            &format!("{name} has no effect without --invalid"),
        );
        refused(
            &[&["view", "ep_01", "--events"], option].concat(),
            &format!("{name} has no effect"),
        );
    }
    let in_sarif = "has no effect in the format sarif";
    for option in ["--statistics", "--group-by=rule"] {
        refused(&["validate", "--format", "sarif", option], in_sarif);
        let used = run(&[
            "validate",
            "--format",
            "sarif",
            option,
            "--output=human=/dev/null/x",
            "good",
        ]);
        assert!(!stderr(&used).contains("no effect"), "{}", stderr(&used));
    }
    for args in [
        &["view", "ep_01", "--json"][..],
        &["plan", "ep_01", "--json"],
        &["diff", "ep_01", "ep_02", "--json"],
        &["list", "--format", "json"],
        &["validate", "--format", "json"],
    ] {
        let always = [args, &["--color", "always"]].concat();
        refused(&always, "--color always has no effect ");
        let never = demo(&[args, &["--color", "never"]].concat());
        assert!(!stderr(&never).contains("no effect"), "{}", stderr(&never));
    }
    // A variable is meant for other calls too.
    let mut list = runvet(&["list", "--run-data", "demo"]);
    let output = list.env("RUNVET_RULES", "plan/*=off").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn baseline_of_selected_rules_alone_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let known = temp.path().join("known.json");
    let write = [
        "validate",
        "demo",
        "--write-baseline",
        known.to_str().unwrap(),
    ];
    let refused = "can't be used with";
    let by_flag = run(&[&write[..], &["--select", "plan/*"]].concat());
    let by_variable = runvet(&write)
        .env("RUNVET_SELECT", "plan/*")
        .output()
        .unwrap();
    for (output, by) in [(by_flag, "--select"), (by_variable, "RUNVET_SELECT")] {
        assert_eq!(output.status.code(), Some(2));
        let said = format!("error: --write-baseline {refused} {by}: ");
        assert!(stderr(&output).starts_with(&said), "{}", stderr(&output));
        assert!(!known.exists());
    }
    // Where the configuration selects them, no other rule is ever checked.
    let config = temp.path().join("runvet.toml");
    fs::write(&config, "select = ['plan/*']").unwrap();
    let configured = ["--config", config.to_str().unwrap()];
    assert_ne!(
        run(&[&write[..], &configured].concat()).status.code(),
        Some(2)
    );
    assert!(known.exists());
}

#[test]
fn complaint_about_a_variable_names_it() {
    let with = |variable: &str, value: &str, args: &[&str]| {
        let mut command = runvet(&[&["check"], args].concat());
        let output = command.env(variable, value).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{variable}");
        stderr(&output).to_owned()
    };
    for (variable, value) in [
        ("RUNVET_FORMAT", "xml"),
        ("RUNVET_JOBS", "0"),
        ("RUNVET_RULES", "plan/*=loud"),
        ("RUNVET_DENY_WARNINGS", "perhaps"),
    ] {
        let said = with(variable, value, &["good"]);
        assert!(said.contains(&format!("'variable {variable}'")), "{said}");
    }
    // A flag goes before the variable.
    let said = with("RUNVET_FORMAT", "human", &["--format", "xml"]);
    assert!(said.contains("'--format <FORMAT>'"), "{said}");
}

#[test]
fn check_is_another_name_of_validate() {
    let (check, validate) = (run(&["check", "good"]), run(&["validate", "good"]));
    assert_eq!(stdout(&check), stdout(&validate));
    assert_eq!(check.status.code(), Some(0));
    assert!(stdout(&run(&["--help"])).contains("[alias: check]"));
}

/// Checks a list of paths.
fn listed(dir: &Path, paths: &[PathBuf], args: &[&str]) -> Output {
    let args = [&["validate", "--format", "json", "--files-from", "-"], args].concat();
    let mut child = runvet(&args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for path in paths {
        writeln!(input, "{}", path.display()).unwrap();
    }
    drop(input);
    child.wait_with_output().unwrap()
}

#[test]
fn deleted_artifact_of_a_list_stands_for_its_episode() {
    let (temp, dir) = copy_of("good/terminal");
    let below = |name: &str| PathBuf::from("episodes/ep_answer").join(name);
    for name in ["summary.json", "learn.jsonl"] {
        fs::remove_file(dir.join(name)).unwrap();
    }
    let episodes = |output: &Output| {
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["totals"]["episodes"].as_u64().unwrap()
    };
    let deleted = [below("summary.json"), below("learn.jsonl")];
    let output = listed(temp.path(), &deleted, &[]);
    assert_eq!((output.status.code(), episodes(&output)), (Some(1), 1));
    // Of a run without any artifact nothing is left to check, nor of one whose directory is gone.
    fs::create_dir(temp.path().join("episodes/ep_gone")).unwrap();
    let gone = PathBuf::from("episodes/ep_gone/state.json");
    let output = listed(temp.path(), &[gone], &[]);
    assert_eq!((output.status.code(), episodes(&output)), (Some(3), 0));
    let nowhere = [PathBuf::from("episodes/ep_never/state.json")];
    assert_eq!(listed(temp.path(), &nowhere, &[]).status.code(), Some(2));
    // A deleted file above episodes stands for none of them.
    let above = [
        PathBuf::from("state.json"),
        PathBuf::from("episodes/state.json"),
    ];
    assert_eq!(listed(temp.path(), &above, &[]).status.code(), Some(3));
}

#[test]
fn other_files_of_a_list_are_passed_over_on_request() {
    let (temp, _dir) = copy_of("good/terminal");
    fs::write(temp.path().join("base.json"), "{}").unwrap();
    let paths = [
        "base.json",
        "gone.txt",
        "gone/state.json",
        "episodes/ep_answer/state.json",
    ];
    let paths = paths.map(PathBuf::from);
    assert_eq!(listed(temp.path(), &paths, &[]).status.code(), Some(2));
    let output = listed(temp.path(), &paths, &["--skip-others"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let told = "note: skipped 2 paths without an artifact\n\
                note: skipped 1 path of artifacts in directories that do not exist here, such as \
                \"gone/state.json\": their runs were deleted\n";
    assert_eq!(stderr(&output), told);
}

#[test]
fn list_is_read_as_git_and_windows_write_it() {
    let (temp, dir) = copy_of("good/terminal");
    fs::rename(dir, temp.path().join("episodes/ep_\u{fc} \"1\"")).unwrap();
    let quoted = r#""episodes/ep_\303\274 \"1\"/state.json""#;
    let plain = "episodes/ep_\u{fc} \"1\"/state.json";
    for line in [
        quoted,
        &format!("{quoted}\r"),
        &format!("{plain}\r"),
        &format!("\u{feff}{plain}"),
    ] {
        let paths = [PathBuf::from(line)];
        let output = listed(temp.path(), &paths, &["--skip-others", "--allow-empty"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["totals"]["episodes"], 1, "{line}");
    }
    for (line, args, told) in [
        (plain, &["--null"][..], "leave out --null"),
        ("a/state.json\0", &[], "NUL bytes"),
    ] {
        let output = listed(
            temp.path(),
            &[line.into()],
            &[args, &["--skip-others"]].concat(),
        );
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn list_that_was_made_in_another_directory_is_refused() {
    let (temp, _dir) = copy_of("good/terminal");
    let below = temp.path().join("services/web");
    fs::create_dir_all(below.join("runs/episodes/ep_1")).unwrap();
    fs::write(below.join("runs/episodes/ep_1/state.json"), "{}").unwrap();
    let args = ["--skip-others", "--allow-empty"];
    for (dir, path, code) in [
        (&*below, "services/web/runs/episodes/ep_1/state.json", 2),
        (temp.path(), "runs/episodes/ep_1/state.json", 2),
        // A run that was deleted.
        (&*below, "runs/episodes/ep_2/state.json", 0),
        (temp.path(), "web/public/manifest.json", 0),
    ] {
        let output = listed(dir, &[path.into()], &args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{path}: {}",
            stderr(&output)
        );
        assert!(stderr(&output).contains(path), "{}", stderr(&output));
    }
}

#[test]
fn listed_state_of_another_program_is_passed_over() {
    let (temp, _dir) = copy_of("good/terminal");
    fs::create_dir(temp.path().join(".auth")).unwrap();
    fs::write(temp.path().join(".auth/state.json"), r#"{"cookies":[]}"#).unwrap();
    let path = ".auth/state.json";
    let output = listed(temp.path(), &[path.into()], &["--allow-empty"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("skipped 1 directory"));
    // As the hook calls it, and as somebody who means this file.
    for (option, code) in [("--skip-others", 0), ("--quiet", 1)] {
        let output = runvet(&["validate", "--allow-empty", option, path])
            .current_dir(temp.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{option}");
    }
}

#[test]
fn show_prints_events_and_the_manifest() {
    let line = demo(&["show", "ep_01", "events", "--line", "5"]);
    let event: Value = serde_json::from_slice(&line.stdout).unwrap();
    assert_eq!(event["phase"], "act");
    assert!(stdout(&line).starts_with("{\n  \""), "{}", stdout(&line));
    let all = demo(&["show", "ep_01", "events"]);
    let all: Vec<Value> = serde_json::Deserializer::from_slice(&all.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!((all.len(), &all[4]), (11, &event));
    let stored = corpus().join("demo/episodes/ep_01_answer/events.jsonl");
    let raw = demo(&["show", "ep_01", "events", "--raw"]);
    assert_eq!(raw.stdout, fs::read(stored).unwrap());
    assert_eq!(demo(&["show", "ep_01", "manifest"]).status.code(), Some(0));
    refused(
        &["show", "ep_01", "events", "--line", "12"],
        "events.jsonl has no event on line 12",
    );
    refused(
        &["show", "ep_01", "state", "--line", "1"],
        "--line works only with `events`",
    );
}

#[test]
fn show_reports_lines_that_are_no_events() {
    let (temp, dir) = copy_of("good/terminal");
    fs::write(dir.join("events.jsonl"), "{\"a\":1}\n\n{\n{\"b\":2}\n").unwrap();
    let show = |args: &[&str]| {
        let output = terminal::runvet(
            temp.path(),
            &[&["show", "events"], args].concat(),
            Width::Narrow,
        );
        (
            output.status.code().unwrap(),
            stdout(&output).to_owned(),
            stderr(&output).to_owned(),
        )
    };
    let (code, printed, said) = show(&[]);
    assert_eq!(
        (code, &*printed),
        (2, "{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}\n")
    );
    assert!(said.contains("events.jsonl:3:2: not JSON"), "{said}");
    assert_eq!(
        show(&["--line", "4"]),
        (0, "{\n  \"b\": 2\n}\n".into(), String::new())
    );
    assert_eq!(show(&["--line", "3"]).0, 2);
    assert!(show(&["--line", "2"]).2.contains("no event on line 2"));
}

#[test]
fn arguments_are_escaped_where_they_are_refused() {
    let evil = "x\u{1b}[31m\n::error::forged\u{202e}";
    let shown = "x\\u{1b}[31m\\n::error::forged\\u{202e}";
    let of = |option: &str| format!("--{option}={evil}");
    let (status, rule, select, unknown) = (of("status"), of("rule"), of("select"), of(evil));
    for args in [
        &["show", "state", "episodes/ep_01_answer", evil][..],
        &["show", evil],
        &[evil],
        &["list", &status],
        &["validate", &rule],
        &["validate", &select],
        &["validate", &unknown],
    ] {
        let output = demo(args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{args:?}: {said}");
        assert!(!said.contains("\n::"), "{args:?}: {said}");
        assert!(said.contains(shown), "{args:?}: {said}");
    }
}
