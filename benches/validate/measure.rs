//! A command -> its cost: wall time, CPU time and peak memory.
//!
//! A small process, a second instance of the benchmark, starts the command. The reason is that the
//! system counts the memory of the process that starts a program as memory of that program, and the
//! benchmark itself needs more.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::json;

/// The first argument of the instance that starts a command.
pub(crate) const STARTER: &str = "start-and-measure";

/// A program with its arguments.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The directory in which it runs.
    pub(crate) home: PathBuf,
    /// The exit status that it must have.
    pub(crate) status: i32,
}

/// One of the programs to compare: one or more calls, run one after another.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) calls: Vec<Call>,
}

/// The cost of a contestant's runs.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    /// The wall times, one for each round.
    pub(crate) seconds: Vec<f64>,
    /// The CPU times of all cores together, system time included. On a busy machine they vary less
    /// than wall times.
    pub(crate) cpu_seconds: Vec<f64>,
    /// The peak memory of all runs, in bytes.
    pub(crate) memory: u64,
}

impl Measured {
    pub(crate) fn median(&self) -> f64 {
        median(&self.seconds)
    }

    pub(crate) fn cpu_median(&self) -> f64 {
        median(&self.cpu_seconds)
    }
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The median of the ratios of what was measured in the same round: it stays true when the speed
/// of the machine drifts.
pub(crate) fn ratio(above: &[f64], below: &[f64]) -> f64 {
    let pairs = above.iter().zip(below);
    median(
        &pairs
            .map(|(above, below)| above / below)
            .collect::<Vec<_>>(),
    )
}

/// The cost of one call.
struct Cost {
    seconds: f64,
    cpu_seconds: f64,
    memory: u64,
}

/// Runs contestants in turn, each once in a round, after one round that warms the caches.
pub(crate) fn side_by_side(rounds: usize, contestants: &[Contestant]) -> Vec<Measured> {
    let fresh = |contestant: &Contestant| Measured {
        name: contestant.name,
        seconds: Vec::new(),
        cpu_seconds: Vec::new(),
        memory: 0,
    };
    let mut all: Vec<Measured> = contestants.iter().map(fresh).collect();
    for round in 0..=rounds {
        for (contestant, measured) in contestants.iter().zip(&mut all) {
            let costs: Vec<Cost> = contestant
                .calls
                .iter()
                .map(cost)
                .collect();
            if round > 0 {
                measured.seconds.push(
                    costs
                        .iter()
                        .map(|cost| cost.seconds)
                        .sum(),
                );
                measured.cpu_seconds.push(
                    costs
                        .iter()
                        .map(|cost| cost.cpu_seconds)
                        .sum(),
                );
                measured.memory = costs
                    .iter()
                    .map(|cost| cost.memory)
                    .fold(measured.memory, u64::max);
            }
        }
    }
    all
}

fn cost(call: &Call) -> Cost {
    let starter = std::env::current_exe().expect("this program's path");
    let mut command = Command::new(starter);
    command
        .arg(STARTER)
        .arg(&call.program)
        .args(&call.args)
        .current_dir(&call.home);
    let output = command
        .output()
        .expect("the starter runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let cost: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the starter prints JSON");
    let program = call.program.display();
    assert_eq!(
        cost["status"],
        call.status,
        "the exit status of {program} {:?}",
        call.args.iter().take(4)
    );
    let seconds = |name: &str| cost[name].as_f64().expect("seconds");
    Cost {
        seconds: seconds("seconds"),
        cpu_seconds: seconds("cpu_seconds"),
        memory: cost["memory"].as_u64().expect("bytes"),
    }
}

/// The starter: runs a command and prints its cost.
pub(crate) fn start(program: &Path, args: impl Iterator<Item = OsString>) {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command
        .status()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let seconds = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the usage of children");
    let cpu = usage.user_time() + usage.system_time();
    let cpu = Duration::from_micros(cpu.num_microseconds().unsigned_abs());
    // Linux reports kibibytes, Apple's systems report bytes.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    let memory = usage.max_rss() * unit;
    let cost = json!({"cpu_seconds": cpu.as_secs_f64(), "memory": memory, "seconds": seconds, "status": status.code()});
    println!("{cost}");
}
