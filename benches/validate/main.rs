//! `make bench`: holds the speed, size and memory of runvet against their goals, on generated run
//! data, and puts the results into `docs/performance.md`.
//!
//! What is compared runs in turn, and ratios are those of the same round, so that they stay true
//! when the speed of the machine drifts. `cargo bench --bench validate -- long one` measures only
//! the named cases. `docs/performance.md` explains the cases.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark makes its data, prints its table and fails by panicking"
)]

mod builds;
mod cases;
mod chart;
mod contestants;
mod data;
mod document;
mod empty_handler;
mod following;
mod goals;
mod importing;
mod instructions;
mod measure;
mod peers;
mod read_floor;
mod recording;
#[path = "../run_data/mod.rs"]
mod run_data;
mod service;
mod stages;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use chart::Panel;
use contestants::FLOOR;
use data::Data;
use goals::{Row, Table};
use measure::{Contestant, Measured, side_by_side};
use stages::Stage;

/// The number of rounds of a comparison.
const ROUNDS: usize = 9;

/// The number of rounds of one that takes milliseconds.
const SHORT_ROUNDS: usize = 101;

/// The number of rounds of one that takes many seconds, and has no goal.
const LONG_ROUNDS: usize = 3;

/// A case's name, and what measures it.
type Case = (&'static str, fn(&mut Bench));

/// The tables, each with its cases.
const SUBJECTS: [(&str, &[Case]); 8] = [
    (
        "Checking episodes",
        &[
            ("small", cases::small),
            ("differ", cases::differ),
            ("instructions", instructions::instructions),
            ("broken", cases::broken),
            ("growth", cases::growth),
            ("one", cases::one),
        ],
    ),
    (
        "Large records",
        &[("long", cases::long), ("values", cases::values)],
    ),
    (
        "Rules of a team",
        &[("orders", cases::orders), ("runaway", cases::runaway)],
    ),
    (
        "Listing and viewing",
        &[("list", cases::list), ("view", cases::view)],
    ),
    ("Recording", &[("record", cases::record)]),
    ("Importing", &[("import", importing::import)]),
    (
        "Serving",
        &[("serve", service::serve), ("follow", following::follow)],
    ),
    (
        "Building",
        &[("binary", builds::binary), ("builds", builds::builds)],
    ),
];

/// The results so far.
struct Bench {
    data: Data,
    runvet: PathBuf,
    tables: Vec<Table>,
    panels: Vec<Panel>,
    stages: Vec<Stage>,
    runs: Vec<Value>,
    /// The programs of others, with their versions.
    peers: Vec<String>,
    left_out: Vec<String>,
    machine: String,
}

fn main() {
    let mut args = std::env::args_os().skip(1);
    let first = args.next().unwrap_or_default();
    if is_contestant(&first, &mut args) {
        return;
    }
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = wanted
        .iter()
        .any(|arg| arg == "--bench");
    wanted.retain(|arg| !arg.starts_with('-'));
    if !is_bench {
        println!("not run: `make bench` runs this");
        return;
    }
    let is_blessed = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
    assert!(
        !is_blessed || wanted.is_empty(),
        "{} is made of all cases, not of some",
        document::PAGE
    );
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut bench = Bench {
        data: Data(target.join("bench")),
        runvet: PathBuf::from(env!("CARGO_BIN_EXE_runvet")),
        tables: Vec::new(),
        panels: Vec::new(),
        stages: Vec::new(),
        runs: Vec::new(),
        peers: Vec::new(),
        left_out: Vec::new(),
        machine: document::machine(),
    };
    fs::create_dir_all(&bench.data.0).expect("the directory of the data can be made");
    bench.measure(&wanted);
    println!("{}\n\n{}", bench.machine, goals::text(&bench.tables));
    print!("{}", stages::text(&bench.stages));
    for left_out in &bench.left_out {
        println!("left out: {left_out}");
    }
    let file = target
        .parent()
        .unwrap_or(target)
        .join("bench.json");
    fs::write(&file, format!("{:#}\n", bench.json())).expect("the results can be written");
    println!("\nAll runs: {}", file.display());
    if is_blessed {
        document::bless(&bench);
    }
}

/// Does what a contestant does, if the first argument says so.
fn is_contestant(first: &OsStr, args: &mut impl Iterator<Item = OsString>) -> bool {
    let mut path = || PathBuf::from(args.next().expect("a path"));
    if first == measure::STARTER {
        let program = path();
        measure::start(&program, args);
    } else if first == FLOOR {
        println!("{}", read_floor::read(&path()));
    } else if first == empty_handler::NAME {
        empty_handler::serve();
    } else if let Some(record) = recording::named(first) {
        let dir = path();
        let count = args
            .next()
            .and_then(|count| count.to_str()?.parse().ok());
        record(&dir, count.expect("a number")).expect("it can be recorded");
    } else {
        return false;
    }
    true
}

impl Bench {
    /// Measures the cases with some names, or all.
    fn measure(&mut self, wanted: &[String]) {
        for (subject, cases) in SUBJECTS {
            self.tables.push(Table {
                subject,
                rows: Vec::new(),
            });
            for (name, case) in cases {
                if wanted.is_empty()
                    || wanted
                        .iter()
                        .any(|wanted| wanted == name)
                {
                    eprintln!("{name} …");
                    self.attempt(name, *case);
                }
            }
        }
        self.tables
            .retain(|table| !table.rows.is_empty());
        if wanted.is_empty()
            || wanted
                .iter()
                .any(|wanted| wanted == "stages")
        {
            eprintln!("stages …");
            self.attempt("stages", |bench| bench.stages = stages::measured());
        }
    }

    /// Measures a case. If it fails, the others are still worth having.
    fn attempt(&mut self, name: &str, case: fn(&mut Self)) {
        let ended = catch_unwind(AssertUnwindSafe(|| case(self)));
        if ended.is_err() {
            self.leave_out(name, "it has failed");
        }
    }

    /// Runs contestants in turn, and keeps every run.
    fn run(&mut self, case: &str, rounds: usize, contestants: &[Contestant]) -> Vec<Measured> {
        let all = side_by_side(rounds, contestants);
        for measured in &all {
            self.keep(
                json!({"case": case, "name": measured.name, "memory": measured.memory,
                "seconds": measured.seconds, "cpu_seconds": measured.cpu_seconds}),
            );
        }
        all
    }

    fn keep(&mut self, run: Value) {
        self.runs.push(run);
    }

    /// Adds a row to the table of the subject.
    fn row(&mut self, row: Row) {
        let table = self
            .tables
            .last_mut()
            .expect("a subject has begun");
        table.rows.push(row);
    }

    fn leave_out(&mut self, what: &str, why: &str) {
        self.left_out
            .push(format!("{what}: {why}"));
    }

    fn json(&self) -> Value {
        json!({"goals": goals::json(&self.tables), "stages": stages::json(&self.stages),
            "left_out": self.left_out, "machine": self.machine, "peers": self.peers,
            "runs": self.runs, "version": env!("CARGO_PKG_VERSION")})
    }
}
