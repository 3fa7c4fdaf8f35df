//! `make bench`: compares the speed, size and memory of the `runvet` binary with their goals, on
//! generated run data.
//!
//! All contestants run in turn, so that ratios stay true when the speed of the machine drifts. The
//! table shows medians. `cargo bench --bench validate -- long one` measures only the named cases.
//! `docs/performance.md` explains the cases.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark makes its data, prints its table and fails by panicking"
)]

mod checkers;
mod measure;
mod read_floor;
mod recording;
mod run_data;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use measure::{Call, Contestant, Measured, side_by_side};
use runvet::Schema;
use serde_json::{Value, json};

/// The number of runs of a case that takes long.
const RUNS: usize = 7;
/// The number of runs of a case that takes milliseconds.
const SHORT_RUNS: usize = 101;
/// The first argument of the instance that is the read floor.
const FLOOR: &str = "read-floor";
/// The environment variable that adds build times.
const BUILDS: &str = "RUNVET_BENCH_BUILDS";

const EPISODES: u64 = 10_000;
const MANY_EPISODES: u64 = 100_000;
/// The number of events that are recorded.
const NOTES: u64 = 1_000_000;
const LONG_BYTES: u64 = 1_000_000_000;

#[derive(Clone, Copy)]
enum Goal {
    AtMost(f64),
    AtLeast(f64),
    None,
}

impl Goal {
    fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(limit) => Some(value <= limit),
            Self::AtLeast(limit) => Some(value >= limit),
            Self::None => None,
        }
    }

    fn shown(self, unit: &str) -> String {
        match self {
            Self::AtMost(limit) => format!("≤ {limit} {unit}"),
            Self::AtLeast(limit) => format!("≥ {limit} {unit}"),
            Self::None => String::new(),
        }
    }
}

/// A row of the table: what was measured, what it is compared with, and the value of the goal.
struct Row {
    work: &'static str,
    measured: String,
    beside: String,
    /// CPU time: the ratio, or that of runvet.
    cpu: String,
    value: f64,
    unit: &'static str,
    goal: Goal,
}

/// The results so far.
struct Bench {
    data: PathBuf,
    runvet: PathBuf,
    /// The cases to measure; all if it is empty.
    wanted: Vec<String>,
    rows: Vec<Row>,
    runs: Vec<Value>,
    left_out: Vec<String>,
}

fn main() {
    let mut args = std::env::args_os().skip(1);
    let first = args.next().unwrap_or_default();
    if first == measure::STARTER {
        measure::start(Path::new(&args.next().expect("a program")), args);
        return;
    }
    if first == FLOOR {
        println!(
            "{}",
            read_floor::read(Path::new(&args.next().expect("run data")))
        );
        return;
    }
    if is_recorded(&first, &mut args) {
        return;
    }
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = args.iter().any(|arg| arg == "--bench");
    args.retain(|arg| !arg.starts_with('-'));
    if !is_bench {
        println!("not run: `make bench` runs this");
        return;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut bench = Bench {
        data: target.join("bench"),
        runvet: PathBuf::from(env!("CARGO_BIN_EXE_runvet")),
        wanted: args,
        rows: Vec::new(),
        runs: Vec::new(),
        left_out: Vec::new(),
    };
    bench.small();
    bench.broken();
    bench.growth();
    bench.long();
    bench.one();
    bench.record();
    bench.binary();
    bench.builds();
    print!("{}", bench.table());
    let file = target.parent().unwrap_or(target).join("bench.json");
    fs::write(&file, format!("{:#}\n", bench.json())).expect("the results can be written");
    println!("\nAll runs: {}", file.display());
}

/// Records, if the first argument says so; the next ones are a directory and a number.
fn is_recorded(first: &OsStr, args: &mut impl Iterator<Item = OsString>) -> bool {
    let first = first.to_str().unwrap_or_default();
    if ![recording::NOTES, recording::RUNS, recording::BARE].contains(&first) {
        return false;
    }
    let dir = PathBuf::from(args.next().expect("a directory"));
    let count = args.next().and_then(|count| count.to_str()?.parse().ok());
    let count = count.expect("a number");
    match first {
        recording::NOTES => recording::notes(&dir, count).expect("notes can be recorded"),
        recording::RUNS => recording::runs(&dir, count).expect("runs can be recorded"),
        _ => recording::bare(&dir, count).expect("files can be written"),
    }
    true
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1000).expect("less than terabytes")) / 1e3
}

impl Bench {
    fn wants(&self, case: &str) -> bool {
        let wanted = self.wanted.is_empty() || self.wanted.iter().any(|name| name == case);
        if wanted {
            eprintln!("{case} …");
        }
        wanted
    }

    /// The run data with this name, generated unless it exists already.
    fn data(&self, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> PathBuf {
        let dir = self.data.join(name);
        // Data from another version of the generator is generated again.
        let mut hasher = DefaultHasher::new();
        include_str!("run_data.rs").hash(&mut hasher);
        let generator = format!("{:016x}\n", hasher.finish());
        let mark = dir.join("made-by");
        if fs::read_to_string(&mark).ok().as_ref() != Some(&generator) {
            eprintln!("  making {}", dir.display());
            if dir.exists() {
                fs::remove_dir_all(&dir).expect("old data can be removed");
            }
            write(&dir).expect("data can be written");
            fs::write(mark, generator).expect("data can be written");
            // The system must not write data back during a measurement.
            rustix::fs::sync();
        }
        dir
    }

    fn small_data(&self) -> PathBuf {
        self.data("small", |dir| run_data::write(dir, EPISODES, 0))
    }

    fn runvet(&self, dir: &Path, args: &[&str], status: i32) -> Contestant {
        let args = ["validate"]
            .iter()
            .chain(args)
            .map(OsString::from)
            .chain([dir.into()])
            .collect();
        let call = Call {
            program: self.runvet.clone(),
            args,
            home: self.data.clone(),
            status,
        };
        Contestant {
            name: "runvet",
            calls: vec![call],
        }
    }

    fn floor(&self, dir: &Path) -> Contestant {
        let program = std::env::current_exe().expect("this program's path");
        let call = Call {
            program,
            args: vec![FLOOR.into(), dir.into()],
            home: self.data.clone(),
            status: 0,
        };
        Contestant {
            name: "read floor",
            calls: vec![call],
        }
    }

    /// A call of another checker on all records of some kinds.
    fn checker(
        &self,
        name: &'static str,
        program: &Path,
        args: &[&str],
        dir: &Path,
        kinds: &[Schema],
    ) -> Contestant {
        let call = |kind: &Schema| {
            let schema = self.data.join(format!("{}.schema.json", kind.word()));
            fs::write(&schema, kind.text()).expect("a schema can be written");
            let mut files: Vec<PathBuf> = (0..EPISODES)
                .map(|index| format!("episodes/ep_{index:08}/{}.json", kind.word()).into())
                .filter(|file: &PathBuf| dir.join(file).exists())
                .collect();
            files.insert(0, schema);
            let args = args
                .iter()
                .map(OsString::from)
                .chain(files.into_iter().map(Into::into))
                .collect();
            Call {
                program: program.into(),
                args,
                home: dir.into(),
                status: 0,
            }
        };
        Contestant {
            name,
            calls: kinds.iter().map(call).collect(),
        }
    }

    /// Runs contestants in turn and records every run.
    fn run(&mut self, case: &str, runs: usize, contestants: &[Contestant]) -> Vec<Measured> {
        let all = side_by_side(runs, contestants);
        for measured in &all {
            self.runs.push(
                json!({"case": case, "memory_mb": megabytes(measured.memory), "name": measured.name,
                "median_s": measured.median(), "seconds": measured.seconds,
                "cpu_median_s": measured.cpu_median(), "cpu_seconds": measured.cpu_seconds}),
            );
        }
        all
    }

    fn row(&mut self, work: &'static str, runvet: &Measured, other: &Measured, goal: Goal) {
        let (measured, beside) = (milliseconds(runvet.median()), milliseconds(other.median()));
        let ratio = |runvet: f64, other: f64| {
            if matches!(goal, Goal::AtMost(_)) {
                runvet / other
            } else {
                other / runvet
            }
        };
        let value = ratio(runvet.median(), other.median());
        let cpu = format!("{:.2} ×", ratio(runvet.cpu_median(), other.cpu_median()));
        let beside = format!("{} {beside}", other.name);
        self.rows.push(Row {
            work,
            measured,
            beside,
            cpu,
            value,
            unit: "×",
            goal,
        });
    }

    /// A row whose value is not a ratio.
    fn alone(
        &mut self,
        work: &'static str,
        all: &[Measured],
        value: f64,
        unit: &'static str,
        goal: Goal,
    ) {
        let measured = milliseconds(all[0].median());
        let beside = format!("{} {}", all[1].name, milliseconds(all[1].median()));
        self.rows.push(Row {
            work,
            measured,
            beside,
            cpu: milliseconds(all[0].cpu_median()),
            value,
            unit,
            goal,
        });
    }

    fn memory(&mut self, work: &'static str, measured: &Measured, goal: f64) {
        self.size(work, megabytes(measured.memory), goal);
    }

    fn size(&mut self, work: &'static str, value: f64, goal: f64) {
        self.plain(work, value, "MB", goal);
    }

    fn plain(&mut self, work: &'static str, value: f64, unit: &'static str, goal: f64) {
        let (measured, beside, cpu) = Default::default();
        self.rows.push(Row {
            work,
            measured,
            beside,
            cpu,
            value,
            unit,
            goal: Goal::AtMost(goal),
        });
    }

    fn small(&mut self) {
        if !self.wants("small") {
            return;
        }
        let dir = self.small_data();
        let mut contestants = vec![self.runvet(&dir, &[], 0), self.floor(&dir)];
        let others: [(_, _, &[&str], &[Schema], _, _); 2] = [
            (
                "jsonschema",
                checkers::sourcemeta(),
                &["validate", "--fast"],
                &[Schema::State, Schema::Summary],
                "  a checker in C++, states and summaries",
                Goal::AtLeast(4.0),
            ),
            (
                "check-jsonschema",
                checkers::check_jsonschema(),
                &["--schemafile"],
                &[Schema::State],
                "  a checker in Python, states alone",
                Goal::None,
            ),
        ];
        let mut rows = vec![("10,000 small episodes, valid", Goal::AtMost(1.5))];
        for (name, found, args, kinds, work, goal) in others {
            match found {
                Ok(program) => {
                    contestants.push(self.checker(name, &program, args, &dir, kinds));
                    rows.push((work, goal));
                }
                Err(why) => self.left_out.push(format!("{name}: {why}")),
            }
        }
        let all = self.run("small", RUNS, &contestants);
        for (other, (work, goal)) in all[1..].iter().zip(rows) {
            self.row(work, &all[0], other, goal);
        }
    }

    fn broken(&mut self) {
        if !self.wants("broken") {
            return;
        }
        let dir = self.data("broken", |dir| run_data::write(dir, EPISODES, 20));
        let contestants = [
            self.runvet(&dir, &["--format", "json"], 1),
            self.floor(&dir),
        ];
        let all = self.run("broken", RUNS, &contestants);
        self.row(
            "the same, 1 in 20 invalid, JSON",
            &all[0],
            &all[1],
            Goal::AtMost(2.0),
        );
    }

    fn growth(&mut self) {
        if !self.wants("growth") {
            return;
        }
        let few = self.small_data();
        let many = self.data("many", |dir| run_data::write(dir, MANY_EPISODES, 0));
        let contestants = [
            Contestant {
                name: "runvet on 100,000",
                ..self.runvet(&many, &[], 0)
            },
            Contestant {
                name: "10,000:",
                ..self.runvet(&few, &[], 0)
            },
            Contestant {
                name: "read floor on 100,000",
                ..self.floor(&many)
            },
        ];
        let all = self.run("growth", RUNS, &contestants);
        self.row(
            "100,000 small episodes",
            &all[0],
            &all[1],
            Goal::AtMost(10.5),
        );
        self.memory("  peak memory at 10,000", &all[1], 48.0);
        self.memory("  peak memory at 100,000", &all[0], 48.0);
    }

    fn long(&mut self) {
        if !self.wants("long") {
            return;
        }
        let dir = self.data("long", |dir| run_data::write_long(dir, LONG_BYTES));
        let contestants = [self.runvet(&dir, &[], 0), self.floor(&dir)];
        let all = self.run("long", RUNS, &contestants);
        let bytes = fs::metadata(dir.join("episodes/ep_long/events.jsonl"))
            .expect("a timeline")
            .len();
        let speed = megabytes(bytes) / 1e3 / all[0].median();
        self.alone(
            "a timeline of 1 GB",
            &all,
            speed,
            "GB/s",
            Goal::AtLeast(1.0),
        );
        self.memory("  peak memory", &all[0], 64.0);
    }

    fn one(&mut self) {
        if !self.wants("one") {
            return;
        }
        let dir = self.data("one", |dir| run_data::write(dir, 1, 0));
        let contestants = [self.runvet(&dir, &[], 0), self.floor(&dir)];
        let all = self.run("one", SHORT_RUNS, &contestants);
        let goal = Goal::AtMost(5.0);
        self.alone(
            "one small episode, whole process",
            &all,
            all[0].median() * 1e3,
            "ms",
            goal,
        );
    }

    /// This program, as an instance that records.
    fn recorder(&self, name: &'static str, kind: &str, dir: &Path, count: u64) -> Contestant {
        let call = Call {
            program: std::env::current_exe().expect("this program's path"),
            args: vec![kind.into(), dir.into(), count.to_string().into()],
            home: self.data.clone(),
            status: 0,
        };
        Contestant {
            name,
            calls: vec![call],
        }
    }

    fn record(&mut self) {
        if !self.wants("record") {
            return;
        }
        let dir = self.data("record", |dir| {
            fs::create_dir_all(dir)?;
            recording::template(dir).map_err(io::Error::other)
        });
        let notes = dir.join("notes");
        let contestants = [
            self.recorder("1,000,000", recording::NOTES, &notes, NOTES),
            self.recorder("10,000:", recording::NOTES, &notes, NOTES / 100),
        ];
        let all = self.run("record-notes", RUNS, &contestants);
        let count = f64::from(u32::try_from(NOTES).expect("a million"));
        let micros = all[0].median() * 1e6 / count;
        let goal = Goal::AtMost(5.0);
        self.alone("1,000,000 events recorded, each", &all, micros, "µs", goal);
        self.memory("  peak memory", &all[0], 16.0);
        let contestants = [
            self.recorder("runvet", recording::RUNS, &dir, 100),
            self.recorder("bare program", recording::BARE, &dir, 100),
        ];
        let all = self.run("record-runs", RUNS, &contestants);
        let work = "100 runs of 20 events recorded, synced";
        self.row(work, &all[0], &all[1], Goal::AtMost(1.3));
    }

    fn binary(&mut self) {
        if self.wants("binary") {
            let bytes = fs::metadata(&self.runvet).expect("the binary").len();
            self.size("the binary, stripped", megabytes(bytes), 8.0);
        }
    }

    /// Builds from nothing, once each: they take minutes.
    fn builds(&mut self) {
        if !self.wants("builds") {
            return;
        }
        if std::env::var_os(BUILDS).is_none() {
            self.left_out.push(format!(
                "clean builds: they take minutes; set {BUILDS}=1 to time them"
            ));
            return;
        }
        for (work, profile, goal) in [
            ("clean build, release", "release", 150.0),
            ("clean build, development", "dev", 60.0),
        ] {
            let target = self.data.join("target");
            let _ = fs::remove_dir_all(&target);
            let mut cargo = Command::new(env!("CARGO"));
            cargo
                .args([
                    "build",
                    "--locked",
                    "--quiet",
                    "--profile",
                    profile,
                    "--target-dir",
                ])
                .arg(&target);
            cargo
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .stdin(Stdio::null());
            let start = Instant::now();
            assert!(
                cargo.status().expect("cargo runs").success(),
                "the {profile} build succeeds"
            );
            let value = start.elapsed().as_secs_f64();
            let _ = fs::remove_dir_all(&target);
            self.runs
                .push(json!({"case": "builds", "name": profile, "seconds": [value]}));
            self.plain(work, value, "s", goal);
        }
    }

    fn table(&self) -> String {
        let heads = [
            "work",
            "runvet",
            "beside",
            "processors",
            "value",
            "goal",
            "met",
        ]
        .map(str::to_owned);
        let cells = |row: &Row| {
            let met = row
                .goal
                .is_met(row.value)
                .map_or("", |met| if met { "yes" } else { "no" });
            let value = format!("{:.2} {}", row.value, row.unit);
            let (measured, beside, cpu) =
                (row.measured.clone(), row.beside.clone(), row.cpu.clone());
            [
                row.work.into(),
                measured,
                beside,
                cpu,
                value,
                row.goal.shown(row.unit),
                met.into(),
            ]
        };
        let lines: Vec<[String; 7]> = [heads]
            .into_iter()
            .chain(self.rows.iter().map(cells))
            .collect();
        let width = |column: usize| {
            lines
                .iter()
                .map(|line| line[column].chars().count())
                .max()
                .unwrap_or_default()
        };
        let mut table = format!(
            "Medians of {RUNS} runs, taken in turn; of {SHORT_RUNS} for one small episode.\n\n"
        );
        for line in &lines {
            let mut text = format!("{:width$}", line[0], width = width(0));
            for (column, cell) in line.iter().enumerate().skip(1) {
                text += &format!("  {cell:>width$}", width = width(column));
            }
            table += text.trim_end();
            table.push('\n');
        }
        for left_out in &self.left_out {
            table += &format!("\nleft out: {left_out}");
        }
        table
    }

    fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({"work": row.work.trim_start(), "runvet": row.measured, "beside": row.beside, "processors": row.cpu, "value": row.value,
                "unit": row.unit, "goal": row.goal.shown(row.unit), "met": row.goal.is_met(row.value)})
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        json!({"goals": self.rows.iter().map(row).collect::<Vec<_>>(), "left_out": self.left_out, "runs": self.runs,
            "threads": threads, "version": env!("CARGO_PKG_VERSION")})
    }
}
