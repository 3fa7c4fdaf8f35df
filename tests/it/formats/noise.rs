//! How much a report says: rules that could not be judged are counted, lines are not broken, and
//! options that have no effect are refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::{run, stderr, stdout};
use crate::support::run_data;

fn validate(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    let command = command
        .arg("validate")
        .args(args)
        .arg(".");
    command
        .current_dir(dir)
        .env_clear()
        .output()
        .unwrap()
}

#[test]
fn skips_of_one_record_are_one_line_unless_verbose() {
    let temp = tempfile::tempdir().unwrap();
    run_data::write(temp.path(), 1, 0).unwrap();
    let dir = temp.path().join("episodes/ep_00000000");
    fs::remove_file(dir.join("state.json")).unwrap();
    fs::create_dir(dir.join("state.json")).unwrap();
    for (format, start) in [
        ("human", "not judged: "),
        ("concise", "episodes/ep_00000000: note: not judged: "),
    ] {
        let lines = |args: &[&str]| -> Vec<String> {
            let args = [&["--format", format], args].concat();
            let output = validate(temp.path(), &args);
            let lines = stdout(&output).lines();
            let lines = lines.filter(|line| line.starts_with(start));
            lines
                .map(|line| line[start.len()..].to_owned())
                .collect()
        };
        let brief = lines(&[]);
        let of_state = brief
            .iter()
            .find(|line| line.contains("state.json"));
        let line = of_state.unwrap();
        let (count, reason) = line.split_once(" rules, ").unwrap();
        assert!(count.parse::<u64>().unwrap() > 10, "{line}");
        assert_eq!(reason, "state.json can't be read");
        assert_eq!(brief.len(), 2, "{brief:?}");
        let verbose = lines(&["--verbose"]);
        let named = format!("{line}: actions/");
        assert!(
            verbose
                .iter()
                .any(|line| line.starts_with(&named)),
            "{verbose:?}"
        );
    }
}

#[test]
fn lines_about_skips_are_as_few_as_findings() {
    let temp = tempfile::tempdir().unwrap();
    run_data::write(temp.path(), 9, 0).unwrap();
    for number in 0..9 {
        let dir = temp
            .path()
            .join(format!("episodes/ep_{number:08}"));
        fs::write(dir.join("state.json"), "").unwrap();
    }
    let output = validate(temp.path(), &["--max-findings=2"]);
    let text = stdout(&output);
    let shown = |part: &str| {
        text.lines()
            .filter(|line| line.starts_with(part))
            .count()
    };
    assert_eq!(shown("error["), 2);
    let of_state = text
        .matches(" rules, state.json can't be judged\n")
        .count();
    assert_eq!(of_state, 2, "{text}");
    assert!(
        text.contains("\nnot judged: 14 more lines not shown (--max-findings 2)\n"),
        "{text}"
    );
}

#[test]
fn message_and_help_are_one_line_each() {
    let text = stdout(&run(&["validate", "demo"])).to_owned();
    let message = "\nerror[plan/projection]: `plan.steps[1].status` is \"pending\", but the act event \
                   on line 6 set it to \"done\"\n";
    assert!(text.contains(message), "{text}");
    assert!(
        text.lines()
            .any(|line| line.starts_with("help: ") && line.len() > 80),
        "{text}"
    );
}

#[test]
fn concise_ends_with_totals_on_standard_error() {
    for (args, total) in [
        (
            &["demo"][..],
            "5 episodes: 2 valid, 3 invalid, 1 not ended, 1 not fully judged (6 errors, 1 warning)\n",
        ),
        (&["good/terminal"], "1 episode: valid\n"),
        (&["--quiet", "good/terminal"], ""),
    ] {
        let output = run(&[&["validate", "--format=concise"], args].concat());
        assert_eq!(stderr(&output), total);
    }
}

#[test]
fn option_without_effect_in_a_format_is_refused() {
    for (args, option) in [
        (&["--format=concise", "--statistics"][..], "--statistics"),
        (&["--format=json", "--group-by=rule"], "--group-by"),
        (&["--format=json", "--max-findings=3"], "--max-findings"),
        (&["--format=sarif", "--verbose"], "--verbose"),
    ] {
        let output = run(&[&["validate"], args, &["demo"]].concat());
        let start = format!("error: {option} has no effect in the format ");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).starts_with(&start), "{}", stderr(&output));
    }
    // Another report of the same check shows them.
    let temp = tempfile::tempdir().unwrap();
    let json = format!("--output=json={}", temp.path().join("o.json").display());
    let output = run(&[
        "validate",
        "--format=concise",
        "--statistics",
        &json,
        "demo",
    ]);
    assert_eq!(output.status.code(), Some(1));
}
