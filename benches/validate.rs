//! `make bench`: times the `runvet` binary on generated run data beside the floor that reading alone takes.
//!
//! Every pair of commands is run in turn, so that ratios hold when the machine's speed drifts; medians are reported.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints its table and fails by panicking"
)]

mod run_data;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 9;

fn time(program: &Path, args: &[&str]) -> Duration {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("the program runs");
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

struct Case {
    name: &'static str,
    dir: PathBuf,
    args: &'static [&'static str],
}

fn main() {
    let data = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let runvet = PathBuf::from(env!("CARGO_BIN_EXE_runvet"));
    let floor = build_floor(&data);
    let make = |name: &str, write: &dyn Fn(&Path)| {
        let dir = data.join(name);
        if !dir.join("complete").exists() {
            let _ = std::fs::remove_dir_all(&dir);
            write(&dir);
            std::fs::write(dir.join("complete"), "").unwrap();
        }
        dir
    };
    let cases = [
        Case {
            name: "10,000 small episodes, valid",
            dir: make("small", &|dir| run_data::write(dir, 10_000, 0, 20).unwrap()),
            args: &["validate"],
        },
        Case {
            name: "the same, 1 in 20 broken, JSON",
            dir: make("broken", &|dir| run_data::write(dir, 10_000, 20, 20).unwrap()),
            args: &["validate", "--format", "json"],
        },
        Case {
            name: "one timeline of 256 MB",
            dir: make("long", &|dir| run_data::write_long(dir, 256 << 20).unwrap()),
            args: &["validate"],
        },
        Case {
            name: "one small episode",
            dir: make("one", &|dir| run_data::write(dir, 1, 0, 20).unwrap()),
            args: &["validate"],
        },
    ];
    println!("{:34} {:>10} {:>10} {:>7}", "median of 9", "runvet", "floor", "ratio");
    for case in &cases {
        let path = case.dir.to_str().expect("a path in UTF-8");
        let args: Vec<&str> = case.args.iter().copied().chain([path]).collect();
        let (mut ours, mut floors) = (Vec::new(), Vec::new());
        for _ in 0..=RUNS {
            ours.push(time(&runvet, &args));
            floors.push(time(&floor, &[path]));
        }
        // The first of each warms the cache.
        let (ours, floors) = (median(ours.split_off(1)), median(floors.split_off(1)));
        let ratio = ours.as_secs_f64() / floors.as_secs_f64();
        println!(
            "{:34} {:>7.1} ms {:>7.1} ms {ratio:>7.2}",
            case.name,
            ours.as_secs_f64() * 1e3,
            floors.as_secs_f64() * 1e3
        );
    }
}

/// Compiles the read floor, which needs nothing but the standard library.
fn build_floor(data: &Path) -> PathBuf {
    std::fs::create_dir_all(data).unwrap();
    let program = data.join("read_floor");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/read_floor.rs");
    let status = Command::new("rustc").args(["-O", "--edition=2024", "-o"]).arg(&program).arg(source).status();
    assert!(status.expect("rustc runs").success(), "the read floor compiles");
    program
}
