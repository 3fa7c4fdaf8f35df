//! Completions and manual pages are complete: they know every command and option.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::{run, stdout};

/// The commands, each with its long options, as `--help` shows them.
fn commands() -> BTreeMap<String, Vec<String>> {
    let names = crate::support::documents::commands().into_iter();
    let commands = names.map(|name| {
        let help = run(&[&name, "--help"]);
        let lines = stdout(&help)
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with('-'));
        let long = lines.filter_map(|line| {
            line.split([' ', ',', '['])
                .find(|word| word.starts_with("--"))
        });
        (name, long.map(str::to_owned).collect())
    });
    commands.collect()
}

/// What bash offers for the last of some words, by the script that `runvet completions` prints.
fn offered(dir: &Path, words: &str) -> Vec<String> {
    let script = run(&["completions", "bash"]);
    let asked = format!(
        "{}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9\n\
         _clap_complete_runvet runvet \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        stdout(&script),
    );
    let program = Path::new(env!("CARGO_BIN_EXE_runvet"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    let Output { stdout, stderr, .. } = bash
        .args(["-c", &asked])
        .current_dir(dir)
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&stderr), "");
    let offered = String::from_utf8(stdout).unwrap();
    offered
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn shell_completes_every_command_and_option() {
    let commands = commands();
    for (command, options) in &commands {
        let named = offered(Path::new("."), &format!("runvet {}", &command[..3]));
        assert!(named.contains(command), "{command} in {named:?}");
        let offered = offered(Path::new("."), &format!("runvet {command} --"));
        for option in options {
            assert!(
                offered.contains(option),
                "{option} of {command} in {offered:?}"
            );
        }
    }
    assert!(commands["validate"].len() > 10);
}

#[test]
fn shell_completes_values_rules_and_runs() {
    let temp = tempfile::tempdir().unwrap();
    for id in ["ep_plain", "ep_$(reboot)"] {
        fs::create_dir_all(temp.path().join("episodes").join(id)).unwrap();
        fs::write(
            temp.path()
                .join("episodes")
                .join(id)
                .join("state.json"),
            "{}",
        )
        .unwrap();
    }
    let of = |words: &str| offered(temp.path(), words);
    assert_eq!(of("runvet explain projection/l"), ["projection/links"]);
    assert_eq!(of("runvet validate --format=jso"), ["--format=json"]);
    assert_eq!(of("runvet validate --format jso"), ["json"]);
    assert_eq!(
        of("runvet validate --rule plan/step-ids=o"),
        ["plan/step-ids=off"]
    );
    assert_eq!(of("runvet validate --select strict/*"), ["strict/*"]);
    // A name that a shell would execute is never offered.
    assert_eq!(of("runvet view ep"), ["ep_plain"]);
    assert_eq!(of("runvet validate epis"), [""], "bash completes paths");
}

#[test]
fn each_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]);
        assert!(stdout(&script).contains("_RUNVET_COMPLETE"), "{shell}");
    }
    assert_eq!(
        run(&["completions", "tea"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn manual_pages_list_every_command_and_option() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(
        run(&["man", temp.path().to_str().unwrap()])
            .status
            .code(),
        Some(0)
    );
    let page = |name: &str| {
        fs::read_to_string(temp.path().join(name))
            .unwrap()
            .replace("\\-", "-")
    };
    let overview = page("runvet.1");
    let commands = commands();
    for (command, options) in &commands {
        assert!(
            overview.contains(&format!("runvet-{command}(1)")),
            "{command}"
        );
        let page = page(&format!("runvet-{command}.1"));
        for option in options {
            assert!(
                page.contains(&format!("\\fB{option}\\fR")),
                "{option} of {command}"
            );
        }
    }
    assert!(
        page("runvet-validate.1").contains("3  no episode was found"),
        "the text after the options too"
    );
    for (page, section) in [
        (
            page("runvet-validate.1"),
            ".SH EXIT STATUS\n.nf\n  0  no errors",
        ),
        (
            page("runvet-list.1"),
            ".SH EXIT STATUS\n.nf\n  0  the command did its work",
        ),
        (
            page("runvet-validate.1"),
            ".SH ENVIRONMENT\n.nf\n  RUNVET_FORMAT",
        ),
        (page("runvet-validate.1"), ".SH FILES\n.nf\n  runvet.toml"),
        (
            page("runvet-validate.1"),
            ".SH EXAMPLES\n.nf\n  runvet validate runs/",
        ),
    ] {
        assert!(page.contains(section), "{section} in {page}");
    }
    let validate = page("runvet-validate.1");
    assert!(validate.contains(".SH SYNOPSIS\nrunvet validate [OPTIONS] [PATHS]...\n"));
    let (before, options) = validate
        .split_once(".SH OPTIONS")
        .unwrap();
    assert!(before.contains(".SH ARGUMENTS\n.TP\n[\\fIPATHS\\fR]"));
    assert!(!options.contains("PATHS"), "{options}");
    assert!(
        page("runvet-validate.1").contains("RUNVET_FORMAT"),
        "and the variables"
    );
    // One for each command, for `runvet` itself and for `runvet schema infer`.
    assert_eq!(
        fs::read_dir(temp.path())
            .unwrap()
            .count(),
        commands.len() + 2
    );
}

#[test]
fn unwritable_manual_pages_are_a_fault() {
    let output = run(&["man", "no/such/directory"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        crate::support::binary::stderr(&output)
            .starts_with("error: can't write manual pages into no/such/directory: ")
    );
}
