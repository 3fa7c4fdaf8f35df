//! What `validate`, `list`, `view` and the recorder do -> rows.

use runvet::Schema;

use crate::chart::Panel;
use crate::data::{EPISODES, MANY_EPISODES};
use crate::goals::{Goal, Row, megabytes};
use crate::measure::Contestant;
use crate::{Bench, LONG_ROUNDS, ROUNDS, SHORT_ROUNDS, peers, recording};

/// The number of events that are recorded.
const NOTES: u64 = 1_000_000;

/// The number of runs that are recorded and synced.
const RECORDED: u64 = 100;

pub(crate) fn small(bench: &mut Bench) {
    let dir = bench.data.small();
    let mut contestants = vec![bench.validate(&dir), bench.floor(&dir)];
    match peers::sourcemeta() {
        Ok(program) => {
            bench
                .peers
                .push(peers::with_version("jsonschema", &program, "version"));
            let kinds = [Schema::State, Schema::Summary];
            let args = ["validate", "--fast"];
            contestants.push(bench.checker("jsonschema (C++)", &program, &args, &dir, &kinds));
        }
        Err(why) => bench.leave_out("jsonschema (C++)", &why),
    }
    let all = bench.run("small", ROUNDS, &contestants);
    let (runvet, floor) = (&all[0], &all[1]);
    let work = "10,000 small episodes, valid";
    bench.row(Row::clock(work, runvet, floor, Goal::AtMost(1.5)));
    bench.row(Row::processor(runvet, floor, Goal::AtMost(1.3)));
    let mut panel = Panel::new(work, &[floor, runvet]);
    if let Some(checker) = all.get(2) {
        let work = "beside a checker of states and summaries alone";
        bench.row(Row::clock(work, runvet, checker, Goal::AtLeast(3.0)));
        bench.row(Row::processor(runvet, checker, Goal::AtLeast(2.0)));
        panel.push(checker);
    }
    match peers::check_jsonschema() {
        Ok(program) => {
            let name = "check-jsonschema";
            bench
                .peers
                .push(peers::with_version(name, &program, "--version"));
            let name = "check-jsonschema (Python)";
            let kinds = [Schema::State];
            let checker = bench.checker(name, &program, &["--schemafile"], &dir, &kinds);
            let all = bench.run("small", LONG_ROUNDS, &[bench.validate(&dir), checker]);
            let work = "beside a checker of states alone";
            bench.row(Row::clock(work, &all[0], &all[1], Goal::None));
            bench.row(Row::processor(&all[0], &all[1], Goal::None));
            panel.push(&all[1]);
        }
        Err(why) => bench.leave_out("check-jsonschema (Python)", &why),
    }
    bench.panels.push(panel);
}

pub(crate) fn differ(bench: &mut Bench) {
    let dir = bench.data.differing();
    let contestants = [bench.validate(&dir), bench.floor(&dir)];
    let all = bench.run("differ", ROUNDS, &contestants);
    let work = "10,000 episodes that differ, valid";
    bench.row(Row::clock(work, &all[0], &all[1], Goal::AtMost(1.6)));
    bench.row(Row::processor(&all[0], &all[1], Goal::AtMost(1.6)));
}

pub(crate) fn broken(bench: &mut Bench) {
    let dir = bench.data.broken();
    let runvet = bench.runvet(&["validate", "--format", "json"], &dir, 1);
    let all = bench.run("broken", ROUNDS, &[runvet, bench.floor(&dir)]);
    let work = "10,000 small episodes, 1 in 20 invalid, as JSON";
    bench.row(Row::clock(work, &all[0], &all[1], Goal::AtMost(1.9)));
    bench
        .panels
        .push(Panel::new(work, &[&all[1], &all[0]]));
}

pub(crate) fn growth(bench: &mut Bench) {
    let (few, many) = (bench.data.small(), bench.data.many());
    let contestants = [
        bench.validate(&many),
        Contestant {
            name: "10,000 episodes",
            ..bench.validate(&few)
        },
    ];
    let all = bench.run("growth", ROUNDS, &contestants);
    let (many, few) = (&all[0], &all[1]);
    let work = "100,000 small episodes";
    bench.row(Row::clock(work, many, few, Goal::AtMost(10.5)));
    bench.row(Row::megabytes(
        "memory at 10,000",
        few.memory,
        Goal::AtMost(24.0),
    ));
    bench.row(Row::megabytes(
        "memory at 100,000",
        many.memory,
        Goal::AtMost(24.0),
    ));
    let growth = many.memory.saturating_sub(few.memory);
    let more = growth * (1_000_000 - MANY_EPISODES) / (MANY_EPISODES - EPISODES);
    let work = "memory at 1,000,000, if it grows on like this";
    let goal = Goal::AtMost(128.0);
    bench.row(Row::megabytes(work, many.memory + more, goal));
}

pub(crate) fn one(bench: &mut Bench) {
    let dir = bench.data.one();
    let contestants = [bench.validate(&dir), bench.floor(&dir)];
    let all = bench.run("one", SHORT_ROUNDS, &contestants);
    let milliseconds = all[0].median() * 1e3;
    let work = "one small episode, the whole process";
    let row = Row::plain(work, milliseconds, "ms", Goal::AtMost(5.0));
    bench.row(row.timed(&all[0], &all[1]));
}

pub(crate) fn long(bench: &mut Bench) {
    let dir = bench.data.long();
    let contestants = [bench.validate(&dir), bench.floor(&dir)];
    let all = bench.run("long", ROUNDS, &contestants);
    let timeline = dir.join("episodes/ep_long/events.jsonl");
    let bytes = timeline
        .metadata()
        .expect("a timeline")
        .len();
    let speed = megabytes(bytes) / 1e3 / all[0].median();
    let work = "a timeline of 1 GB";
    let row = Row::plain(work, speed, "GB/s", Goal::AtLeast(2.5));
    bench.row(row.timed(&all[0], &all[1]));
    let goal = Goal::AtMost(64.0);
    bench.row(Row::megabytes("its memory", all[0].memory, goal));
    bench
        .panels
        .push(Panel::new(work, &[&all[1], &all[0]]));
}

pub(crate) fn values(bench: &mut Bench) {
    let dir = bench.data.values();
    let contestants = [bench.validate(&dir), bench.floor(&dir)];
    let all = bench.run("values", ROUNDS, &contestants);
    let work = "a state of 64 MiB with 1,000,000 values, memory";
    let row = Row::megabytes(work, all[0].memory, Goal::AtMost(256.0));
    bench.row(row.timed(&all[0], &all[1]));
}

/// A timeline of 1 GB with ten orders, beside the same without them.
pub(crate) fn orders(bench: &mut Bench) {
    let dir = bench.data.long();
    let contestants = [
        bench.validate_with("ten-orders.toml", &dir, 0),
        Contestant {
            name: "without orders",
            ..bench.validate(&dir)
        },
    ];
    let all = bench.run("orders", ROUNDS, &contestants);
    let work = "a timeline of 1 GB with ten orders";
    bench.row(Row::clock(work, &all[0], &all[1], Goal::AtMost(2.0)));
    let goal = Goal::AtMost(64.0);
    bench.row(Row::megabytes("its memory", all[0].memory, goal));
}

/// A rule that compares each of 999,000 values with each ends by its budget.
pub(crate) fn runaway(bench: &mut Bench) {
    let dir = bench.data.values();
    let contestants = [
        bench.validate_with("runaway.toml", &dir, 2),
        bench.floor(&dir),
    ];
    let all = bench.run("runaway", ROUNDS, &contestants);
    let work = "a rule that compares each of 999,000 values with each";
    let row = Row::plain(work, all[0].median(), "s", Goal::AtMost(2.0));
    bench.row(row.timed(&all[0], &all[1]));
}

pub(crate) fn list(bench: &mut Bench) {
    let dir = bench.data.many();
    let list = bench.runvet(&["list", "--limit", "20", "--run-data"], &dir, 0);
    let all = bench.run("list", ROUNDS, &[list]);
    let milliseconds = all[0].median() * 1e3;
    let work = "`list --limit 20` of 100,000 runs";
    bench.row(Row::plain(work, milliseconds, "ms", Goal::AtMost(200.0)));
}

pub(crate) fn view(bench: &mut Bench) {
    let dir = bench.data.long();
    let view = bench.runvet(&["view", "ep_long", "--run-data"], &dir, 0);
    let all = bench.run("view", ROUNDS, &[view, bench.floor(&dir)]);
    let work = "`view` of a run with a timeline of 1 GB";
    let row = Row::plain(work, all[0].median(), "s", Goal::None);
    bench.row(row.timed(&all[0], &all[1]));
}

pub(crate) fn record(bench: &mut Bench) {
    let dir = bench.data.recorded();
    let notes = dir.join("notes");
    let contestants = [
        bench.recorder("runvet", recording::NOTES, &notes, NOTES),
        bench.recorder("10,000", recording::NOTES, &notes, NOTES / 100),
    ];
    let all = bench.run("record-notes", ROUNDS, &contestants);
    let notes = f64::from(u32::try_from(NOTES).expect("a million"));
    let micros = all[0].median() * 1e6 / notes;
    let work = "an event of 1,000,000, appended";
    let row = Row::plain(work, micros, "µs", Goal::AtMost(5.0));
    bench.row(row.timed(&all[0], &all[1]));
    let goal = Goal::AtMost(16.0);
    bench.row(Row::megabytes("its memory", all[0].memory, goal));
    let contestants = [
        bench.recorder("runvet", recording::RUNS, &dir, RECORDED),
        bench.recorder("bare program", recording::BARE, &dir, RECORDED),
    ];
    let all = bench.run("record-runs", ROUNDS, &contestants);
    let work = "100 runs of 20 events, recorded and synced";
    bench.row(Row::clock(work, &all[0], &all[1], Goal::AtMost(1.3)));
}
