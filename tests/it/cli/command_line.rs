//! The command line for users: arguments, exit codes, standard output and standard error.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::binary::{formats, run, runvet, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::process::{cut_off, let_interrupt};
use crate::support::runs::copy_dir;

fn code(args: &[&str]) -> i32 {
    run(args).status.code().unwrap()
}

#[test]
fn exit_code_is_the_outcome_of_the_check() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    assert_eq!(code(&["validate", "good/terminal"]), 0);
    assert_eq!(code(&["validate", "bad/episode/task/case"]), 1);
    assert_eq!(
        code(&["validate", "bad/lifecycle/learn-missing/gone"]),
        0,
        "a warning passes"
    );
    assert_eq!(
        code(&[
            "validate",
            "--deny-warnings",
            "bad/lifecycle/learn-missing/gone"
        ]),
        1
    );
    assert_eq!(code(&["validate", "nowhere"]), 2);
    assert_eq!(
        code(&["validate", "nowhere", "bad/episode/task/case"]),
        2,
        "a fault weighs more than findings"
    );
    assert_eq!(code(&["validate", "--no-such-flag"]), 2);
    assert_eq!(code(&["validate", empty]), 3);
    assert_eq!(code(&["validate", "--allow-empty", empty]), 0);
    assert_eq!(code(&["validate", "--allow-empty", "nowhere"]), 2);
    assert_eq!(code(&["validate", "--help"]), 0);
    assert_eq!(code(&[]), 2);
}

#[test]
fn exit_code_is_the_same_in_every_format() {
    for format in formats() {
        assert_eq!(code(&["validate", "--format", format, "good/terminal"]), 0);
        assert_eq!(
            code(&["validate", "--format", format, "bad/episode/task/case"]),
            1
        );
        assert_eq!(code(&["validate", "--format", format, "nowhere"]), 2);
    }
}

#[test]
fn address_of_a_store_names_what_reads_it() {
    let output = run(&["validate", "s3://runs"]);
    assert_eq!(output.status.code(), Some(2));
    let named = stderr(&output).contains("`python -m runvet.batch` checks stores of objects");
    assert!(named, "{}", stderr(&output));
}

#[test]
fn faults_go_to_stderr_and_findings_are_still_printed() {
    let output = run(&["validate", "nowhere", "bad/episode/task/case"]);
    assert!(
        stderr(&output).starts_with("error: nowhere: no such file or directory"),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("episode/task"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn episode_is_checked_once_however_often_it_is_named() {
    let episode = "good/terminal/episodes/ep_answer";
    let totals = |args: &[&str]| {
        let output = run(&[&["validate", "--format", "json"], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            report["totals"]["episodes"].as_u64().unwrap(),
            report["episodes"][0]["dir"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let state = format!("{episode}/state.json");
    assert_eq!(totals(&[&state]), (1, episode.to_owned()));
    assert_eq!(
        totals(&[
            &state,
            episode,
            "good/terminal",
            "./good/terminal/",
            "good/terminal/episodes/../"
        ])
        .0,
        1
    );
    assert_eq!(totals(&["./good/terminal/"]), (1, episode.to_owned()));
    // Copies in a checkpoint belong to the episode that holds them.
    let copy = "good/grouped/episodes/.nightly/a/ep_grouped/checkpoints/1/state.json";
    assert_eq!(
        totals(&[copy]),
        (1, "good/grouped/episodes/.nightly/a/ep_grouped".into())
    );
    assert_eq!(
        code(&["validate", "good/terminal/episodes/ep_answer/notes.txt"]),
        2
    );
    assert_eq!(code(&["validate", "../Cargo.toml"]), 2);
}

#[test]
fn current_directory_is_the_default_and_names_the_episode() {
    let from = |dir: &str, args: &[&str]| {
        let output = runvet(&[&["validate", "--format", "json"], args].concat())
            .current_dir(corpus().join(dir))
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let episode = &report["episodes"][0];
        (
            episode["id"].as_str().unwrap().to_owned(),
            episode["dir"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(
        from("good/terminal", &[]),
        ("ep_answer".into(), "episodes/ep_answer".into())
    );
    assert_eq!(
        from("good/terminal/episodes/ep_answer", &["."]),
        ("ep_answer".into(), ".".into())
    );
    assert_eq!(
        from("good/terminal/episodes/ep_answer", &[".."]),
        ("ep_answer".into(), "../ep_answer".into())
    );
    // The directory's name is the id only below `episodes`.
    assert_eq!(
        from("bad/episode/id/elsewhere/some/dir", &["."]).0,
        "ep_answer"
    );
}

fn with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = runvet(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn paths_are_read_from_a_file_or_stdin() {
    let lines = b"good/terminal\n\ngood/paused\n";
    let output = with_input(&["validate", "--files-from", "-"], lines);
    assert_eq!(stdout(&output), "2 episodes: all valid\n");
    let output = with_input(
        &["validate", "--files-from", "-", "-0"],
        b"good/terminal\0good/paused",
    );
    assert_eq!(stdout(&output), "2 episodes: all valid\n");
    let output = with_input(&["validate", "--files-from", "-"], b"");
    assert_eq!(
        output.status.code(),
        Some(3),
        "an empty list is not the current directory"
    );
    assert_eq!(code(&["validate", "-0", "good/terminal"]), 2);
    assert_eq!(code(&["validate", "--files-from", "no-such-list"]), 2);
}

#[test]
fn records_on_standard_input_are_judged_as_those_on_a_disk() {
    for case in [
        "good/terminal/episodes/ep_answer",
        "bad/episode/task/case/episodes/ep_answer",
    ] {
        let text = |name: &str| fs::read_to_string(corpus().join(case).join(name)).ok();
        let names = [
            "state.json",
            "summary.json",
            "events.jsonl",
            "learn.jsonl",
            "manifest.json",
        ];
        let records = names.map(|name| (name, text(name)));
        let records: BTreeMap<_, _> = records
            .into_iter()
            .filter(|(_, text)| text.is_some())
            .collect();
        let request = json!({"episode_id": "ep_answer", "records": records}).to_string();
        let posted = with_input(&["validate", "-", "--format", "json"], request.as_bytes());
        let posted: Value = serde_json::from_slice(&posted.stdout).unwrap();
        let stored = run(&["validate", case, "--format", "json"]);
        let stored: Value = serde_json::from_slice(&stored.stdout).unwrap();
        let judged = |report: &Value| {
            let findings = report["episodes"][0]["findings"].as_array().unwrap();
            let place = |it: &Value| {
                (
                    it["rule"].clone(),
                    it["pointer"].clone(),
                    it["offset"].clone(),
                )
            };
            (
                report["totals"].clone(),
                findings.iter().map(place).collect::<Vec<_>>(),
            )
        };
        assert_eq!(judged(&posted), judged(&stored), "{case}");
    }
}

#[test]
fn what_is_no_request_on_standard_input_is_refused() {
    let refused = |args: &[&str], input: &str, why: &str| {
        let output = with_input(args, input.as_bytes());
        assert_eq!(output.status.code(), Some(2), "{why}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    refused(&["validate", "-"], "{}", "it has no `episode_id`");
    let other = r#"{"episode_id":"e","records":{"other.json":"{}"}}"#;
    refused(&["validate", "-"], other, "`other.json`, which is none of");
    refused(&["validate", "-", "."], "{}", "`./-`");
    refused(&["validate", "-", "--since", "1h"], "{}", "--since");
    let blank = " ".repeat((64 << 20) + 1);
    refused(&["validate", "-"], &blank, "larger than 64 MiB");
}

#[test]
fn unknown_rule_is_refused_with_a_suggestion() {
    let case = "bad/episode/task/case";
    assert_eq!(code(&["validate", "--rule", "episode/task=off", case]), 0);
    assert_eq!(code(&["validate", "--rule", "episode/*=warning", case]), 0);
    assert_eq!(
        code(&[
            "validate",
            "--rule",
            "episode/*=off",
            "--rule",
            "episode/task=error",
            case
        ]),
        1,
        "later settings count"
    );
    let output = run(&["validate", "--rule", "episode/taks=off", case]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean `episode/task`?"),
        "{}",
        stderr(&output)
    );
    let said = run(&["validate", "--rule", "all=off", case]);
    assert!(stderr(&said).contains("did you mean `*`?"));
    for args in [
        &["--rule", "*=off"][..],
        &["--select", "plan/*", "--rule", "plan/*=off"],
    ] {
        let output = run(&[&["validate", "--quiet", case], args].concat());
        assert_eq!(output.status.code(), Some(3));
        assert!(
            stderr(&output).contains("no rule is on"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(code(&["validate", "--rule", "nothing/*=off", case]), 2);
    assert_eq!(code(&["validate", "--rule", "episode/task=fatal", case]), 2);
    assert_eq!(code(&["validate", "--rule", "episode/task", case]), 2);
}

#[test]
fn rules_lists_and_explain_explains_every_rule() {
    let listed = run(&["rules"]);
    for rule in runvet::gate::all_rules() {
        let line = stdout(&listed)
            .lines()
            .find(|line| line.split_whitespace().next() == Some(&rule.id));
        assert!(
            line.is_some_and(|line| line.ends_with(&*rule.title)),
            "{}",
            rule.id
        );
        let explained = run(&["explain", &rule.id]);
        assert!(stdout(&explained).starts_with(&format!("# {} (", rule.id)));
        assert!(stdout(&explained).contains("## How to fix it"));
    }
    let rules_of_plan = runvet::gate::all_rules()
        .filter(|rule| rule.id.starts_with("plan/"))
        .count();
    for group in ["plan", "plan/", "plan/*"] {
        let output = run(&["explain", group]);
        let text = stdout(&output);
        assert!(
            text.lines().count() == rules_of_plan
                && text.lines().all(|line| line.starts_with("plan/")),
            "{text}"
        );
    }
    let output = run(&["explain", "outcomes"]);
    let said = stderr(&output);
    assert!(
        said.contains("did you mean `projection/outcomes`?"),
        "{said}"
    );
    let two = run(&["explain", "plan/projection", "lifecycle/links"]);
    assert!(stdout(&two).contains("\n\n# lifecycle/links ("));
    let output = run(&["explain", "lifecycle/link"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean `lifecycle/links`?"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn schema_prints_the_checked_in_file() {
    for name in ["state", "summary", "event", "report", "config"] {
        let file = fs::read(corpus().join(format!("../schemas/{name}.schema.json"))).unwrap();
        assert_eq!(run(&["schema", name]).stdout, file);
    }
    assert_eq!(code(&["schema", "manifest"]), 2);
}

#[test]
fn validate_ends_quietly_when_the_pipe_closes() {
    let args = ["validate", "--format", "json", "--max-findings", "0", "."];
    let output = cut_off(&mut runvet(&args));
    assert_eq!(stderr(&output), "");
    assert_eq!(
        output.status.code(),
        Some(2),
        "what could not be written was not the whole job"
    );
}

/// Commands that print little, much, findings, and their help.
const PRINTING: [&[&str]; 9] = [
    &["validate", "good/terminal"],
    &["validate", "--format", "json", "good/terminal"],
    &["validate", "--format", "ndjson", "bad"],
    &["validate", "bad"],
    &["rules"],
    &["explain", "plan/projection"],
    &["schema", "state"],
    &["--version"],
    &["validate", "--help"],
];

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_a_fault() {
    for args in PRINTING {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = runvet(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).starts_with("error: can't write the output: No space left"),
            "{}",
            stderr(&output)
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_standard_error_is_a_fault() {
    let temp = tempfile::tempdir().unwrap();
    let (report, config) = (
        temp.path().join("report.json"),
        temp.path().join("runvet.toml"),
    );
    let expired = "[[ignore]]\nrule = 'plan/*'\nepisode = '**'\nreason = 'x'\nexpires = 2020-01-01";
    fs::write(&config, expired).unwrap();
    let output = format!("--output=json={}", report.display());
    let noted = format!("--config={}", config.display());
    for args in [
        &["validate", "nowhere"][..],
        &["validate", "good", "nowhere"],
        &["validate", "--no-such-option"],
        &["view", "nobody"],
        &["watch", "nowhere"],
        // A note would be lost.
        &["validate", "good", &noted, &output],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = runvet(args).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    assert!(!report.exists());
    let output = run(&["validate", "good", &noted, &output]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).starts_with("note: ") && report.exists());
}

#[test]
fn unwritable_output_is_a_fault() {
    for args in PRINTING {
        let unwritable = fs::File::open("/dev/null").unwrap();
        let output = runvet(args).stdout(unwritable).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).starts_with("error: can't write the output: Bad file descriptor"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn exit_code_stays_when_stderr_is_closed() {
    for (args, code) in [
        (&["validate", "nowhere"][..], 2),
        (&["validate", "bad/episode/task/case"], 1),
        (&["no"], 2),
    ] {
        let unwritable = fs::File::open("/dev/null").unwrap();
        let output = runvet(args).stderr(unwritable).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
    }
}

/// Interrupts a process, and returns its status and the lines that it printed.
fn interrupted(args: &[&str], after_lines: usize) -> (std::process::ExitStatus, String) {
    let_interrupt();
    let mut child = Command::new(env!("CARGO_BIN_EXE_runvet"))
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    for _ in 0..after_lines {
        out.read_line(&mut printed).unwrap();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    out.read_to_string(&mut printed).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    (output.status, printed)
}

#[test]
fn interrupt_ends_at_once_after_a_whole_line() {
    let temp = tempfile::tempdir().unwrap();
    for number in 0..3000 {
        let episode = temp.path().join(format!("episodes/ep_{number}"));
        fs::create_dir_all(&episode).unwrap();
        fs::write(episode.join("events.jsonl"), "").unwrap();
    }
    let path = temp.path().to_str().unwrap();
    for after_lines in [1, 100, 1000] {
        let args = ["validate", "--jobs", "1", "--max-findings", "0", path];
        let (status, printed) = interrupted(&args, after_lines);
        assert_eq!(
            status.signal(),
            Some(2),
            "it ends as the shell expects it to"
        );
        assert!(
            printed.ends_with('\n') && !printed.contains("3000 episodes"),
            "{printed}"
        );
        let (status, printed) =
            interrupted(&[&args[..], &["--format", "ndjson"]].concat(), after_lines);
        assert_eq!(status.signal(), Some(2));
        assert!(printed.ends_with('\n'), "{printed}");
        let lines = printed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let episodes = lines
            .inspect(|line| assert!(line["totals"].is_null(), "it was not done"))
            .count();
        assert!((after_lines..3000).contains(&episodes), "{episodes}");
    }
}

#[test]
fn quiet_prints_only_findings() {
    assert_eq!(stdout(&run(&["validate", "--quiet", "good/terminal"])), "");
    let output = run(&["validate", "--quiet", "bad/summary/version/older"]);
    let text = stdout(&output);
    assert!(
        text.contains("summary/version") && text.contains("not judged: "),
        "unjudged is never silently clean: {text}"
    );
    assert!(
        !text.contains("1 episode") && !text.contains("runvet explain"),
        "{text}"
    );
}

#[test]
fn max_findings_counts_what_it_cuts() {
    let output = run(&["validate", "--max-findings", "1", "bad/state/schema"]);
    let all = run(&["validate", "--format", "json", "bad/state/schema"]);
    let report: Value = serde_json::from_slice(&all.stdout).unwrap();
    let total = report["totals"]["errors"].as_u64().unwrap();
    let listed: usize = report["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["findings"].as_array().unwrap().len())
        .sum();
    assert_eq!(listed as u64, total, "machine formats are complete");
    assert!(total > 10);
    let said = format!(
        "state/schema: {} more findings not shown (--max-findings 1)",
        total - 1
    );
    assert!(stdout(&output).contains(&said), "{}", stdout(&output));
    assert_eq!(
        stdout(&output).matches("\nerror[state/schema]: ").count(),
        1
    );
}

#[test]
fn colour_is_used_when_asked_for() {
    let with = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = runvet(&[&["validate", "bad/episode/task/case"], args].concat());
        command.envs(variable);
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!with(&[], None), "not in a pipe");
    assert!(with(&["--color", "always"], None));
    assert!(
        with(&["--color", "always"], Some(("NO_COLOR", "1"))),
        "the flag overrides the environment"
    );
    assert!(with(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!with(&[], Some(("CLICOLOR_FORCE", "0"))));
    assert!(!with(&["--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
}

#[test]
fn report_is_the_same_for_any_jobs_and_order_of_paths() {
    for format in formats() {
        let base = ["validate", "--format", format, "--max-findings", "0"];
        let of = |more: &[&str]| run(&[&base, more].concat()).stdout;
        let one = of(&["--jobs", "1", "bad", "broken", "good"]);
        assert!(!one.is_empty());
        assert!(
            one == of(&["--jobs", "7", "good", "bad", "broken"]),
            "{format}"
        );
    }
}

#[test]
fn group_summary_is_not_an_episode() {
    let group = "good/group-summary/episodes/group";
    assert_eq!(code(&["validate", &format!("{group}/summary.json")]), 3);
    assert_eq!(stdout(&run(&["validate", group])), "1 episode: valid\n");
}

#[test]
fn checkpoint_copy_stands_for_its_episode_from_anywhere() {
    let copy = "good/grouped/episodes/.nightly/a/ep_grouped/checkpoints/1";
    let id_from = |dir: &Path, path: &str| {
        let output = runvet(&["validate", "--format", "json", path])
            .current_dir(dir)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["totals"]["valid"], 1, "{path}");
        report["episodes"][0]["id"].as_str().unwrap().to_owned()
    };
    let copy = corpus().join(copy);
    assert_eq!(id_from(&copy, "state.json"), "ep_grouped");
    assert_eq!(id_from(&copy, "../1/state.json"), "ep_grouped");
    assert_eq!(
        id_from(copy.parent().unwrap(), "1/state.json"),
        "ep_grouped"
    );
    assert_eq!(
        id_from(copy.ancestors().nth(2).unwrap(), "checkpoints/1/state.json"),
        "ep_grouped"
    );
}

#[test]
fn directory_named_like_an_artifact_stands_for_its_episode() {
    let state = "bad/record/unreadable/directory/episodes/ep_answer/state.json";
    let output = run(&["validate", "--format", "json", state]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["episodes"][0]["findings"][0]["rule"],
        "record/unreadable"
    );
}

#[test]
fn links_are_followed_only_on_request_and_to_files() {
    let case = "bad/record/unreadable/link";
    assert_eq!(code(&["validate", case]), 1);
    assert_eq!(code(&["validate", "--follow-links", case]), 0);
    let output = run(&[
        "validate",
        "--follow-links",
        "bad/record/unreadable/dangling-manifest",
    ]);
    let said = stdout(&output).replace("\n  │ ", " ");
    assert!(
        said.contains("a symbolic link that leads out of the episode's directory"),
        "{said}"
    );
    let temp = tempfile::tempdir().unwrap();
    let episode = temp.path().join("episodes/ep_answer");
    copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &episode);
    fs::remove_file(episode.join("manifest.json")).unwrap();
    fs::create_dir(episode.join("checkpoints")).unwrap();
    std::os::unix::fs::symlink("checkpoints", episode.join("manifest.json")).unwrap();
    let output = run(&["validate", "--follow-links", temp.path().to_str().unwrap()]);
    assert!(
        stdout(&output).contains("manifest.json can't be read: it is a directory"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn episode_has_no_heading_when_all_its_findings_are_cut() {
    let output = run(&["validate", "--max-findings", "1", "bad/episode/id"]);
    let text = stdout(&output);
    let headings = text.lines().filter(|line| line.contains(" (ended): "));
    assert_eq!(headings.count(), 1, "{text}");
    assert!(text.contains(" more findings not shown"), "{text}");
}

#[test]
fn help_examples_show_what_runvet_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for command in ["list", "view", "plan", "show", "config"] {
        let help = run(&[command, "--help"]);
        let examples = stdout(&help).split("  $ runvet ").skip(1);
        let mut checked = 0;
        for example in examples {
            let mut lines = example.lines();
            let args: Vec<&str> = lines.next().unwrap().split(' ').collect();
            let mut shown = runvet(&args);
            shown.current_dir(root).env("COLUMNS", "80");
            let output = shown.output().unwrap();
            let mut printed = stdout(&output).lines();
            for line in lines
                .map(|line| line.strip_prefix("  ").unwrap_or(line))
                .filter(|line| *line != "…")
            {
                assert!(
                    printed.any(|printed| printed == line),
                    "{command}: {line}\n{}",
                    stdout(&output)
                );
                checked += 1;
            }
        }
        assert!(checked > 0, "the help of {command} has an example");
    }
}

#[test]
fn oversized_line_takes_no_memory_beyond_the_limit() {
    let temp = tempfile::tempdir().unwrap();
    let episode = temp.path().join("episodes/ep_answer");
    copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &episode);
    // A sparse file: a line of a gigabyte of NUL bytes that takes no space on the disk.
    fs::OpenOptions::new()
        .write(true)
        .open(episode.join("events.jsonl"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let limited = format!(
        "ulimit -v 524288; exec {} validate --format json {}",
        env!("CARGO_BIN_EXE_runvet"),
        temp.path().display()
    );
    let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let finding = &report["episodes"][0]["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["line"]),
        (&"record/unreadable".into(), &12.into()),
        "{finding}"
    );
}
