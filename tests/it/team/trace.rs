//! How authors look at their rules: what one does in a run, and the tests that follow its changes.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::process::let_interrupt;
use crate::support::project::Project;

#[test]
fn examples_are_tested_again_when_their_file_changes() {
    let rule = |most: u8| {
        let example = "[[rule.example]]\nevents = ['{\"payload\":{\"n\":2}}']\nfires = [1]\n";
        let check = format!("check = 'event.payload.n < {most}'");
        format!("[[rule]]\nid = 'a/b'\neach = {{}}\n{check}\nmessage = 'm'\n{example}")
    };
    let project = Project::new("packs = ['gate/p.toml']\n");
    std::fs::create_dir(project.path("gate")).unwrap();
    project.write("gate/p.toml", &rule(1));
    let_interrupt();
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    let command = command.args(["rules", "--test", "--watch"]);
    let piped = command
        .current_dir(project.path(""))
        .stdout(Stdio::piped());
    let mut child = piped
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until = |part: &str| {
        let mut lines = errors.by_ref().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(part)), "{part}");
    };
    assert_eq!(
        out.next().unwrap().unwrap(),
        "a/b: 1 example, all with the declared result"
    );
    until("waiting");
    project.write("gate/p.toml", &rule(30));
    let said = out.next().unwrap().unwrap();
    assert!(said.contains("expected a finding at line 1"), "{said}");
    until("waiting");
    // A mistake is reported, and the watch goes on.
    project.write("gate/p.toml", "[[rul]]\n");
    until("did you mean `rule`?");
    until("waiting");
    project.write("gate/p.toml", &rule(1));
    assert!(
        out.next()
            .unwrap()
            .unwrap()
            .contains("all with the declared result")
    );
    until("waiting");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
