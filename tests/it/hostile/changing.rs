//! A run that is written while it is checked: differences between generations are never findings.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use runvet::finding::EpisodeReport;
use runvet::gate::Gate;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::runs::copy_of_good_run;

/// How long files stand still before a check believes what it read of them, less a tick of the
/// kernel's clock.
const STILL: Duration = Duration::from_millis(80);

/// A copy of a good run, for a writer.
struct Run {
    temp: tempfile::TempDir,
    dir: PathBuf,
}

impl Run {
    fn new() -> Self {
        let (temp, dir) = copy_of_good_run();
        Self { temp, dir }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap()
    }

    /// Replaces a file atomically, as a careful writer does.
    fn replace(&self, name: &str, text: &str) {
        let temporary = self.dir.join(format!("{name}.tmp"));
        fs::write(&temporary, text).unwrap();
        fs::rename(temporary, self.dir.join(name)).unwrap();
    }

    fn check(&self) -> EpisodeReport {
        let episode = Gate::default()
            .discover(&[self.temp.path()])
            .episodes
            .remove(0);
        Gate::default()
            .episode(&episode)
            .unwrap()
    }
}

/// Reads while a writer is at work, until the reader or the writer is done.
fn while_writing<R>(
    rounds: u64,
    write: impl Fn(u64) + Sync,
    mut read: impl FnMut() -> Option<R>,
) -> Vec<R> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..rounds)
                .take_while(|_| !done.load(Relaxed))
                .for_each(&write);
            done.store(true, Relaxed);
        });
        // The writer stops however the reading ends, also after a failure.
        let _done = OnDrop(|| done.store(true, Relaxed));
        std::iter::from_fn(|| if done.load(Relaxed) { None } else { read() }).collect()
    })
}

struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn rewritten_run_has_no_false_finding() {
    let run = Run::new();
    let (state, summary, events) = (
        run.text("state.json"),
        run.text("summary.json"),
        run.text("events.jsonl"),
    );
    let task: Value = serde_json::from_str(&state).unwrap();
    let task = task["goal"]["task"]
        .as_str()
        .unwrap()
        .to_owned();
    let start = "2026-03-01T12:00:00";
    assert!(
        [&state, &summary, &events]
            .iter()
            .all(|text| text.contains(start)),
        "each record names the start"
    );
    // Every generation is consistent, and inconsistent with the sixty around it.
    let stalls = Mutex::new(Vec::new());
    let write = |round: u64| {
        // When each change of the round was over.
        let mut over = vec![Instant::now(); 2];
        let second = format!("2026-03-01T12:00:{:02}", round % 60);
        let of = |text: &str| {
            text.replace(&task, &format!("task {round}"))
                .replace(start, &second)
        };
        if round.is_multiple_of(3) {
            // A less careful writer: it truncates the file and writes it in place.
            fs::write(run.dir.join("state.json"), of(&state)).unwrap();
        } else {
            run.replace("state.json", &of(&state));
        }
        over.push(Instant::now());
        run.replace("summary.json", &of(&summary));
        over.push(Instant::now());
        let text = of(&events);
        if round.is_multiple_of(2) {
            run.replace("events.jsonl", &text);
        } else {
            // In two writes, the first of which ends within a line.
            let mut file = fs::File::create(run.dir.join("events.jsonl")).unwrap();
            over.push(Instant::now());
            let (first, rest) = text.split_at(text.len() / 2);
            file.write_all(first.as_bytes())
                .unwrap();
            over.push(Instant::now());
            file.write_all(rest.as_bytes()).unwrap();
        }
        over.push(Instant::now());
        // A change takes place before it is over, and after the one before the last is: if that is
        // less than what a check waits for, less a tick of the kernel's clock, the files never
        // stood still while they disagreed, however slow the machine is.
        let apart = over
            .windows(3)
            .map(|times| times[0]..times[2]);
        let stood_still = apart.filter(|time| time.end - time.start >= STILL);
        stalls
            .lock()
            .unwrap()
            .extend(stood_still);
        if round.is_multiple_of(200) {
            // Sometimes the writer pauses.
            thread::sleep(Duration::from_millis(150));
        }
    };
    write(0);
    assert_eq!(run.check().findings, [], "a generation by itself is good");
    let reports = while_writing(4000, write, || {
        let started = Instant::now();
        Some((run.check(), started..Instant::now()))
    });
    let stalls = stalls.into_inner().unwrap();
    let stood_still = |time: &Range<Instant>| {
        stalls
            .iter()
            .any(|stall| stall.start < time.end && time.start < stall.end)
    };
    for (report, time) in &reports {
        assert!(
            report.findings.is_empty() || stood_still(time),
            "nothing is wrong in any generation: {report:?}"
        );
        assert_eq!(
            report.skipped.is_empty(),
            !report.kept_changing(),
            "{:?}",
            report.skipped
        );
    }
    let given_up = reports
        .iter()
        .filter(|(report, _)| report.kept_changing())
        .count();
    assert!(
        given_up < reports.len(),
        "the writer's pauses are long enough to judge the run"
    );
    eprintln!(
        "{} reports, {given_up} given up, {} stalls",
        reports.len(),
        stalls.len()
    );
}

#[test]
fn still_records_are_judged_while_others_change() {
    let run = Run::new();
    let mut state: Value = serde_json::from_str(&run.text("state.json")).unwrap();
    state["version"] = 1.into();
    state["goal"]["task"] = "another".into();
    run.replace("state.json", &state.to_string());
    let events = run.text("events.jsonl");
    let has_both = |report: &EpisodeReport| {
        report
            .findings
            .iter()
            .map(|finding| finding.rule.clone())
            .collect::<Vec<_>>()
            == ["episode/task", "state/schema"]
    };
    assert!(has_both(&run.check()), "{:?}", run.check().findings);
    let write = |round: u64| {
        // Every second generation has a line that is not an event.
        let broken = if round.is_multiple_of(2) {
            ""
        } else {
            "nothing\n"
        };
        run.replace("events.jsonl", &format!("{broken}{events}"));
    };
    let mut reports = 0;
    while_writing(u64::MAX, write, || {
        let report = run.check();
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|finding| &*finding.rule)
            .filter(|rule| *rule != "events/syntax")
            .collect();
        assert_eq!(found, ["episode/task", "state/schema"], "{report:?}");
        reports += 1;
        (reports < 5).then_some(())
    });
}

#[test]
fn restless_run_fails_without_a_finding() {
    let run = Run::new();
    let state = run.text("state.json");
    let validate = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .args(["validate", "--format", "json"])
            .arg(run.temp.path())
            .env_clear()
            .output()
            .unwrap()
    };
    // Each generation has one finding, but there is never enough time to confirm it.
    let task = "Summarize the open tickets";
    let write =
        |round: u64| run.replace("state.json", &state.replace(task, &format!("task {round}")));
    write(0);
    let is_given_up = |_| {
        let output = validate();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let episode = &report["episodes"][0];
        if episode["findings"] != Value::Array(Vec::new()) {
            // The machine delayed the writer for long.
            return false;
        }
        let reason = "the episode kept changing while it was read";
        assert!(
            episode["skipped"]
                .as_array()
                .unwrap()
                .iter()
                .all(|skip| skip["reason"] == reason),
            "{episode}"
        );
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains("ep_answer: the episode kept changing while it was read"),
            "{errors}"
        );
        assert_eq!(output.status.code(), Some(2));
        true
    };
    let mut tries = 0..20;
    let given_up = while_writing(u64::MAX, write, || {
        (!is_given_up(tries.next()?)).then_some(())
    });
    assert!(
        given_up.len() < 20,
        "it is judged although it never stops changing"
    );
    let output = validate();
    assert_eq!(
        output.status.code(),
        Some(1),
        "when the writer is done, it is judged"
    );
}

/// Seals a run; the seal, and what is said otherwise.
fn seal(run: &Run) -> Result<Value, String> {
    let to = run.temp.path().join("seal.json");
    let _ = fs::remove_file(&to);
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command.args(["validate", "--format", "json"]);
    let output = format!("--output=in-toto={}", to.display());
    let output = command
        .arg(output)
        .arg(run.temp.path())
        .env_clear()
        .output();
    let output = output.unwrap();
    if output.status.code() == Some(2) {
        assert!(!to.exists());
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    Ok(serde_json::from_slice(&fs::read(&to).unwrap()).unwrap())
}

#[test]
fn seal_has_bytes_that_were_judged_while_others_write() {
    let run = Run::new();
    let sound = run.text("state.json");
    let broken = sound.replace("Summarize the open tickets", "something else");
    let digest = |text: &str| HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    let verdicts = [(digest(&sound), "valid"), (digest(&broken), "invalid")];
    let write = |round: u64| {
        let text = [&sound, &broken][usize::try_from(round % 2).unwrap()];
        run.replace("state.json", text);
        // Now a check believes what it read, and now it does not.
        thread::sleep(STILL * u32::try_from(round % 5).unwrap());
    };
    let is_of_one_generation = |seal: &Value| {
        let subjects = seal["subject"]
            .as_array()
            .unwrap()
            .iter();
        let state = subjects.filter(|it| it["name"] == "episodes/ep_answer/state.json");
        let sealed: Vec<&Value> = state
            .map(|it| &it["digest"]["sha256"])
            .collect();
        let verdict = &seal["predicate"]["runvet"]["episodes"][0]["verdict"];
        let mut generations = verdicts.iter();
        generations.any(|(digest, judged)| sealed == [digest] && verdict == judged)
    };
    let mut tries = 0..12;
    while_writing(u64::MAX, write, || {
        tries.next()?;
        if let Ok(seal) = seal(&run) {
            assert!(is_of_one_generation(&seal), "{seal}");
        }
        Some(())
    });
    let last = seal(&run).unwrap();
    assert!(is_of_one_generation(&last), "{last}");
}

#[test]
fn restless_run_is_not_sealed() {
    let run = Run::new();
    let state = run.text("state.json");
    let write = |round: u64| {
        run.replace(
            "state.json",
            &format!("{state}{}", " ".repeat(usize::try_from(round % 9).unwrap())),
        );
    };
    write(0);
    let why = "it kept changing while it was read, so it can't be sealed";
    let mut tries = 0..20;
    let sealed = while_writing(u64::MAX, write, || {
        tries.next()?;
        let refused = seal(&run).err();
        (!refused.is_some_and(|it| it.contains(why))).then_some(())
    });
    assert!(
        sealed.len() < 20,
        "it is sealed although it never stops changing"
    );
    assert!(seal(&run).is_ok(), "when the writer is done, it is sealed");
}

#[test]
fn half_of_a_file_that_a_schema_judges_is_no_finding() {
    let run = Run::new();
    let config = "[[schema]]\nid = 'acme/scores'\nrecord = 'scores.json'\nexpect = 'ended'\n\
                  title = 't'\nschema = { type = 'object', required = ['a'] }\n";
    let path = run.temp.path().join("runvet.toml");
    let gate = Gate::default()
        .with_config(&path, config, None)
        .unwrap();
    let has_stood_still = AtomicBool::new(false);
    let write = |round: u64| {
        let started = Instant::now();
        let mut file = fs::File::create(run.dir.join("scores.json")).unwrap();
        file.write_all(b"{").unwrap();
        thread::sleep(Duration::from_millis(10));
        write!(file, "\"a\": {round}}}").unwrap();
        // However slow the machine is, the half of it is real then.
        has_stood_still.fetch_or(started.elapsed() >= STILL, Relaxed);
    };
    write(0);
    let episode = gate
        .discover(&[run.temp.path()])
        .episodes
        .remove(0);
    let mut tries = 0..5;
    let reports = while_writing(u64::MAX, write, || {
        tries
            .next()
            .map(|_| gate.clone().episode(&episode).unwrap())
    });
    for report in &reports {
        assert!(
            report.findings.is_empty() || has_stood_still.load(Relaxed),
            "{:?}",
            report.findings
        );
    }
    fs::remove_file(run.dir.join("scores.json")).unwrap();
    let report = gate.clone().episode(&episode).unwrap();
    assert_eq!(report.findings[0].rule, "acme/scores");
}

#[test]
fn failing_run_is_found_beside_foreign_files() {
    let run = Run::new();
    let state = run.text("state.json");
    // A finding that rests on more than one record.
    let mut state: Value = serde_json::from_str(&state).unwrap();
    state["plan"]["steps"] = Value::Array(Vec::new());
    run.replace("state.json", &state.to_string());
    // A lock, a heartbeat: it comes and goes without a pause, and is no artifact.
    let write = |round: u64| {
        let name = run
            .dir
            .join(format!("heartbeat-{}", round % 2));
        fs::write(&name, "alive").unwrap();
        thread::sleep(Duration::from_millis(5));
        fs::remove_file(name).unwrap();
    };
    let mut tries = 0..5;
    let reports = while_writing(u64::MAX, write, || tries.next().map(|_| run.check()));
    for report in reports {
        let found: Vec<_> = report
            .findings
            .iter()
            .map(|finding| &*finding.rule)
            .collect();
        assert_eq!(found, ["plan/projection"]);
        assert!(!report.kept_changing());
    }
}
