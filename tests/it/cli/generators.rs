//! Completions and manual pages are complete: they know every command and option.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use crate::support::binary::{run, stdout};

/// The commands, each with its long options, as `--help` shows them.
fn commands() -> BTreeMap<String, Vec<String>> {
    let overview = run(&["--help"]);
    let listed = stdout(&overview)
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1);
    let rows = listed
        .take_while(|line| !line.is_empty())
        .map(|line| &line[2..]);
    let names = rows
        .filter(|row| !row.starts_with(' '))
        .map(|row| row.split(' ').next().unwrap());
    let commands = names.filter(|name| *name != "help").map(|name| {
        let help = run(&[name, "--help"]);
        let lines = stdout(&help)
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with('-'));
        let long = lines.filter_map(|line| {
            line.split([' ', ',', '['])
                .find(|word| word.starts_with("--"))
        });
        (name.to_owned(), long.map(str::to_owned).collect())
    });
    commands.collect()
}

#[test]
fn bash_completes_every_command_and_option() {
    let commands = commands();
    let script = run(&["completions", "bash"]);
    let completed = |words: &str| {
        let asked = format!(
            "{}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _runvet runvet \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            stdout(&script),
        );
        let Output { stdout, stderr, .. } =
            Command::new("bash").args(["-c", &asked]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&stderr), "");
        String::from_utf8(stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let first = completed("runvet ''");
    for (command, options) in &commands {
        assert!(first.contains(command), "{command} in {first:?}");
        let offered = completed(&format!("runvet {command} --"));
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
fn completion_scripts_know_every_option() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]);
        for (command, options) in commands() {
            for word in options
                .iter()
                .chain([&command])
                .map(|word| word.trim_start_matches('-'))
            {
                let known = stdout(&script).split(|c: char| !c.is_alphanumeric() && c != '-');
                let known = known
                    .map(|known| known.trim_start_matches('-'))
                    .any(|known| known == word);
                assert!(known, "{shell}: {command} {word}");
            }
        }
    }
    assert_eq!(run(&["completions", "tea"]).status.code(), Some(2));
}

#[test]
fn manual_pages_list_every_command_and_option() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(
        run(&["man", temp.path().to_str().unwrap()]).status.code(),
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
    assert!(
        page("runvet-validate.1").contains(".SH NOTES\n.nf\nExit codes:\n"),
        "in lines as they are"
    );
    let validate = page("runvet-validate.1");
    assert!(validate.contains(".SH SYNOPSIS\nrunvet validate [OPTIONS] [PATHS]...\n"));
    let (before, options) = validate.split_once(".SH OPTIONS").unwrap();
    assert!(before.contains(".SH ARGUMENTS\n.TP\n[\\fIPATHS\\fR]"));
    assert!(!options.contains("PATHS"), "{options}");
    assert!(
        page("runvet-validate.1").contains("RUNVET_FORMAT"),
        "and the variables"
    );
    assert_eq!(
        fs::read_dir(temp.path()).unwrap().count(),
        commands.len() + 1
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
