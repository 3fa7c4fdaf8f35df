//! Sessions of `runvet record`, and what they leave.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use runvet::Schema;
use runvet::finding::Level;
use runvet::gate::{Gate, all_rules};
use serde_json::Value;

use crate::support::process::let_interrupt;

/// A command that records into a run-data directory.
pub(crate) fn recording(run_data: &Path, args: &[&str]) -> Command {
    let_interrupt();
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .arg("record")
        .arg("--run-data")
        .arg(run_data);
    command.args(args).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

/// Runs a command with an input.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Whoever is fed may end before all is written.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    })
}

/// The exit code of a session, its answers and its messages. Each answer follows its schema.
pub(crate) fn session(
    run_data: &Path,
    args: &[&str],
    input: &str,
) -> (Option<i32>, Vec<Value>, String) {
    let output = fed(recording(run_data, args), input.as_bytes());
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers = answers.lines().map(answer).collect();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), answers, said)
}

/// An answer, which follows its schema.
pub(crate) fn answer(line: &str) -> Value {
    let answer: Value = serde_json::from_str(line).unwrap();
    assert!(follows(Schema::RecordAnswer, &answer), "{line}");
    answer
}

/// Whether a validator of JSON Schema accepts a value.
pub(crate) fn follows(schema: Schema, value: &Value) -> bool {
    let schema = serde_json::from_str(schema.text()).unwrap();
    jsonschema::options()
        .build(&schema)
        .unwrap()
        .is_valid(value)
}

/// A session in which each command waits for the answer to the one before.
pub(crate) struct Talk {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub(crate) id: String,
    pub(crate) dir: PathBuf,
    pub(crate) pending: Value,
}

impl Talk {
    pub(crate) fn new(run_data: &Path, args: &[&str]) -> Self {
        let mut child = recording(run_data, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut talk = Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            id: String::new(),
            dir: PathBuf::new(),
            pending: Value::Null,
        };
        let first = talk.read();
        talk.id = first["id"].as_str().unwrap().into();
        talk.dir = first["path"].as_str().unwrap().into();
        talk.pending = first["pending"].clone();
        talk
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout
            .read_line(&mut line)
            .unwrap();
        answer(&line)
    }

    /// Sends a line, and returns the answer.
    pub(crate) fn ask(&mut self, line: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.read()
    }

    /// Sends commands, all of which are obeyed.
    pub(crate) fn tell(&mut self, lines: &[&str]) {
        for line in lines {
            let answer = self.ask(line);
            assert_eq!(answer["ok"], true, "{line}: {answer}");
        }
    }

    /// Ends the input, and returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

/// What is found and skipped in runs that have ended, and found in others, with every rule at
/// `error`.
pub(crate) fn complaints(run_data: &Path) -> Vec<String> {
    // What is in progress, or was refused, is no defect of the recorder.
    let aside = ["lifecycle/unended", "recorder/lost"];
    let mut gate = all_rules().fold(Gate::default(), |gate, rule| {
        let is_aside = aside.contains(&&*rule.id);
        let level = if is_aside { Level::Off } else { Level::Error };
        gate.level(&rule.id, level).unwrap()
    });
    let report = gate.run([run_data]).unwrap();
    assert!(!report.episodes.is_empty(), "{}", run_data.display());
    let mut complaints = Vec::new();
    for episode in &report.episodes {
        complaints.extend(
            episode
                .findings
                .iter()
                .map(ToString::to_string),
        );
        if episode.lifecycle == runvet::finding::Lifecycle::Terminal {
            let skipped = episode.skipped.iter();
            complaints.extend(skipped.map(|skip| format!("{}: {}", skip.rule, skip.reason)));
        }
    }
    complaints
}

/// The directory of the only run.
pub(crate) fn only_run(run_data: &Path) -> PathBuf {
    let episodes = fs::read_dir(run_data.join("episodes")).unwrap();
    let runs: Vec<PathBuf> = episodes
        .map(|entry| entry.unwrap().path())
        .collect();
    let [run] = &runs[..] else {
        panic!("one run in {runs:?}")
    };
    run.clone()
}

/// A record of a run.
pub(crate) fn json(file: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}
