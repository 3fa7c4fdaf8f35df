//! Hostile records are checked within a bound on memory, which the system holds the binary to.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::binary::formats;
use crate::support::corpus::corpus;
use crate::support::runs::replace;
use crate::support::skip::{all_must_run, skip};

/// Checks an episode with this many MiB of address space, and returns the exit code.
fn exit_within(mib: u64, dir: &Path) -> Option<i32> {
    report_within(mib, dir, "json").0
}

/// The same, with the report in a format.
fn report_within(mib: u64, dir: &Path, format: &str) -> (Option<i32>, String) {
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={}", mib << 20));
    command.args([
        env!("CARGO_BIN_EXE_runvet"),
        "validate",
        "--jobs",
        "1",
        "--no-config",
        "--format",
        format,
    ]);
    command
        .arg(dir)
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), report)
}

/// A good run, in a directory that is removed with the value.
fn good_run() -> (tempfile::TempDir, std::path::PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("episodes/ep_answer");
    fs::create_dir_all(&dir).unwrap();
    for entry in fs::read_dir(corpus().join("good/terminal/episodes/ep_answer")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
    }
    (temp, dir)
}

#[test]
fn memory_stays_bounded_when_records_are_hostile() {
    if Command::new("prlimit")
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no prlimit");
    }
    let (_temp, dir) = good_run();
    assert_eq!(
        exit_within(256, &dir),
        Some(0),
        "the bound is enough for a good run"
    );

    // A long key above many repeated ones.
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    let repeated = vec!["\"a\":1"; 20_000].join(",");
    let long = format!("{{\"x\":{{\"{}\":{{{repeated}}}}},", "k".repeat(50_000));
    fs::write(dir.join("state.json"), state.replacen('{', &long, 1)).unwrap();
    assert_eq!(exit_within(256, &dir), Some(1), "repeated keys");

    // Actions with long act events, which were all kept in memory.
    let actions: Vec<String> = (0..40)
        .map(|n| format!("{{\"id\":\"long-{n}\"}}"))
        .collect();
    let actions = format!("\"actions\":[{},", actions.join(","));
    fs::write(
        dir.join("state.json"),
        state.replacen("\"actions\":[", &actions, 1),
    )
    .unwrap();
    let events = fs::OpenOptions::new()
        .append(true)
        .open(dir.join("events.jsonl"));
    let mut events = std::io::BufWriter::new(events.unwrap());
    let blob = "b".repeat(8 << 20);
    for n in 0..40 {
        writeln!(
            events,
            "{{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"id\":\"long-{n}\",\"blob\":\"{blob}\"}}}}"
        )
        .unwrap();
    }
    events.flush().unwrap();
    drop(events);
    assert_eq!(exit_within(256, &dir), Some(1), "long act events");
}

/// The address space in which every bomb must be checked: the bound is 512 MiB of resident memory,
/// and buffers reserve more than they use.
const WITHIN_MIB: u64 = 1024;

/// Just below the limit of keys and values of a record that has others too.
const MANY: usize = 990_000;

/// Items with their number in the place of `$`, separated by commas.
fn many(count: usize, item: &str) -> String {
    let mut items = String::new();
    for number in 0..count {
        items.push_str(&item.replace('$', &number.to_string()));
        items.push(',');
    }
    items.pop();
    items
}

fn event(phase: &str, payload: &str) -> String {
    format!(
        r#"{{"phase":"{phase}","event_type":"run.state_projection","timestamp":"2026-03-01T12:00:00Z","payload":{{{payload}}}}}
"#
    )
}

/// A run that takes as much memory as it can: members that are put before the others of the state
/// and of the summary, items that are put before the actions, and lines after the others.
#[derive(Default)]
struct Bomb {
    state: String,
    summary: String,
    actions: String,
    lines: String,
    /// Whether the run goes on, so that what its timeline says counts as of several lines.
    is_pending: bool,
    /// A rule of which the report must speak.
    rule: &'static str,
}

impl Bomb {
    fn write(&self, dir: &Path) {
        let insert = |name: &str, after: &str, text: &str| {
            let path = dir.join(name);
            let record = fs::read_to_string(&path).unwrap();
            if !text.is_empty() {
                assert!(record.contains(after), "{after} in {name}");
                fs::write(path, record.replacen(after, &format!("{after}{text},"), 1)).unwrap();
            }
        };
        insert("state.json", "{", &self.state);
        insert("state.json", "\"actions\":[", &self.actions);
        insert("summary.json", "{", &self.summary);
        if self.is_pending {
            replace(
                &dir.join("state.json"),
                r#""status":"ok""#,
                r#""status":"pending""#,
            );
        }
        let events = dir.join("events.jsonl");
        let before = fs::read_to_string(&events).unwrap();
        fs::write(events, before + &self.lines).unwrap();
    }
}

/// Records full of small values.
fn values() -> Bomb {
    let values = format!("\"x\":[{}1]", "1,".repeat(MANY));
    Bomb {
        lines: event("observe", &values).replace("\"phase\":\"observe\",", ""),
        state: values.clone(),
        summary: values,
        rule: "events/schema",
        ..Bomb::default()
    }
}

/// Findings of many rules at once, each with all that a finding can have.
fn findings() -> Bomb {
    let count = 12_000;
    let evil = "\u{e0001}".repeat(100);
    let action = format!(r#"{{"id":"a","timestamp":"x","{evil}":1,"tool":"{evil}$"}}"#);
    let repeated = format!(r#""x":{{{}}}"#, many(count, &format!(r#""{evil}":1"#)));
    let outcomes = |value: u8| many(count, &format!(r#""{evil}$":{value}"#));
    Bomb {
        lines: [
            "x\n".repeat(count),
            event("observe", "")
                .replace("12:00", "")
                .repeat(count),
            event("act", &format!(r#""id":"a","tool":"{evil}""#)),
            event(
                "runtime",
                &format!(r#""outcomes":{{{}}},"links":{{}}"#, outcomes(2)),
            ),
        ]
        .concat(),
        state: repeated.clone(),
        summary: repeated,
        actions: many(4_000, &action),
        is_pending: false,
        rule: "record/duplicate-key",
    }
}

/// Long strings wherever they are read.
fn strings() -> Bomb {
    let text = format!("\"x\":\"{}\"", "s".repeat(63 << 20));
    Bomb {
        lines: [
            event("plan", &text),
            event("runtime", &text),
            event("act", &format!("\"id\":\"a\",{text}")),
            event("observe", &text).replace("\"phase\":\"observe\",", ""),
        ]
        .concat(),
        state: text.clone(),
        summary: text,
        rule: "events/schema",
        ..Bomb::default()
    }
}

/// A key of half a record above as many repeated keys as fit.
fn long_key() -> Bomb {
    let repeated = many(490_000, "\"a\":1");
    let key = format!("\"x\":{{\"{}\":{{{repeated}}}}}", "k".repeat(32 << 20));
    Bomb {
        state: key.clone(),
        summary: key,
        rule: "record/duplicate-key",
        ..Bomb::default()
    }
}

/// Objects with as many keys as fit, one of which is repeated.
fn keys() -> Bomb {
    let keys = format!("\"x\":{{{},\"5\":1}}", many(490_000, "\"$\":1"));
    Bomb {
        lines: event("observe", &keys),
        state: keys.clone(),
        summary: keys,
        rule: "record/duplicate-key",
        ..Bomb::default()
    }
}

/// Many long act events, each with the id of an action.
fn acts() -> Bomb {
    let act = format!(
        r#""id":"long-$","tool":"y","blob":"{}""#,
        "b".repeat(4 << 20)
    );
    let lines = (0..100).map(|n| event("act", &act.replace('$', &n.to_string())));
    Bomb {
        lines: lines.collect(),
        actions: many(100, r#"{"id":"long-$","tool":"x"}"#),
        rule: "actions/mirror",
        ..Bomb::default()
    }
}

/// As many steps or actions as there may be with evidence as of two lines.
const NAMED: usize = 330_000;

/// Act events for each of them, on both sides of a projection event, after another one: so the
/// state is held against nothing that was there before.
fn acts_of_all(payload: &str) -> String {
    let act = format!(
        "{{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{{payload}}}}}\n"
    );
    let acts: String = (0..NAMED)
        .map(|number| act.replace('$', &number.to_string()))
        .collect();
    let projection = event("runtime", r#""outcomes":{"status":"pending"},"links":{}"#);
    [&*projection, &acts, &projection, &acts].concat()
}

/// A plan of steps that all have evidence on both sides of a projection.
fn steps() -> Bomb {
    let records = many(NAMED, r#"{"id":"s$"}"#);
    let plan = event("plan", &format!(r#""step_records":[{records}]"#));
    Bomb {
        lines: plan + &acts_of_all(r#""step_id":"s$","step_status":"done""#),
        is_pending: true,
        rule: "plan/projection",
        ..Bomb::default()
    }
}

/// Actions that all have events on both sides of a projection.
fn actions() -> Bomb {
    Bomb {
        lines: acts_of_all(r#""id":"s$","tool":"x""#),
        actions: many(NAMED, r#"{"id":"s$"}"#),
        is_pending: true,
        rule: "actions/mirror",
        ..Bomb::default()
    }
}

/// Long ids of other runs, besides long texts.
fn ids() -> Bomb {
    let long = "l".repeat(60 << 20);
    let id = format!(r#"{{"episode_id":"{long}","#);
    let text = format!("\"x\":\"{long}\"");
    Bomb {
        lines: event("observe", "")
            .replacen('{', &id, 1)
            .repeat(3),
        state: text.clone(),
        summary: text,
        rule: "episode/id",
        ..Bomb::default()
    }
}

#[test]
fn memory_stays_bounded_when_records_are_at_the_limits() {
    if Command::new("prlimit")
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no prlimit");
    }
    let always: [fn() -> Bomb; 2] = [values, findings];
    let long: [fn() -> Bomb; 7] = [strings, long_key, keys, acts, steps, actions, ids];
    let bombs = always.into_iter().chain(long);
    for bomb in bombs.take(if all_must_run() { 9 } else { 2 }) {
        let bomb = bomb();
        let (_temp, dir) = good_run();
        bomb.write(&dir);
        let (code, report) = report_within(WITHIN_MIB, &dir, "json");
        assert_eq!(code, Some(1), "{}", bomb.rule);
        assert!(
            report.contains(&format!("\"rule\":\"{}\"", bomb.rule)),
            "{}",
            bomb.rule
        );
        assert!(report.trim_end().ends_with('}'), "the report is whole");
    }
}

#[test]
fn memory_stays_bounded_in_every_format() {
    if Command::new("prlimit")
        .arg("--version")
        .output()
        .is_err()
    {
        return skip("there is no prlimit");
    }
    let (_temp, dir) = good_run();
    findings().write(&dir);
    for format in formats() {
        let (code, report) = report_within(WITHIN_MIB, &dir, format);
        assert_eq!(code, Some(1), "{format}");
        assert!(!report.is_empty(), "{format}");
    }
}
