//! A command -> what running it costs: time on the clock, time of processors, and the most memory
//! it held.
//!
//! The command is started by a small process of its own, a second instance of the benchmark: the
//! system counts the memory of whoever starts a program as that program's, and the benchmark itself
//! has held more.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
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

/// What is compared: one or more calls, one after the other.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) calls: Vec<Call>,
}

/// What a contestant's runs took.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    /// On the clock, in ascending order.
    pub(crate) seconds: Vec<f64>,
    /// Of all processors together, the system's work included, in ascending order. Other programs
    /// on a busy machine change this less than the time on the clock.
    pub(crate) cpu_seconds: Vec<f64>,
    /// The most memory that any run held, in bytes.
    pub(crate) memory: u64,
}

impl Measured {
    pub(crate) fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    pub(crate) fn cpu_median(&self) -> f64 {
        self.cpu_seconds[self.cpu_seconds.len() / 2]
    }
}

/// What one call took.
struct Cost {
    seconds: f64,
    cpu_seconds: f64,
    memory: u64,
}

/// Runs contestants in turn, so often each, after one time that warms the caches.
pub(crate) fn side_by_side(runs: usize, contestants: &[Contestant]) -> Vec<Measured> {
    let fresh = |contestant: &Contestant| Measured {
        name: contestant.name,
        seconds: Vec::new(),
        cpu_seconds: Vec::new(),
        memory: 0,
    };
    let mut all: Vec<Measured> = contestants.iter().map(fresh).collect();
    for run in 0..=runs {
        for (contestant, measured) in contestants.iter().zip(&mut all) {
            let costs: Vec<Cost> = contestant.calls.iter().map(cost).collect();
            if run > 0 {
                measured
                    .seconds
                    .push(costs.iter().map(|cost| cost.seconds).sum());
                measured
                    .cpu_seconds
                    .push(costs.iter().map(|cost| cost.cpu_seconds).sum());
                measured.memory = costs
                    .iter()
                    .map(|cost| cost.memory)
                    .fold(measured.memory, u64::max);
            }
        }
    }
    for measured in &mut all {
        measured.seconds.sort_by(f64::total_cmp);
        measured.cpu_seconds.sort_by(f64::total_cmp);
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
    let output = command.output().expect("the starter runs");
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

/// The starter: runs a command and prints what it took.
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
    let cpu = Duration::new(cpu.tv_sec().unsigned_abs(), 0)
        + Duration::from_micros(cpu.tv_usec().unsigned_abs().into());
    // Linux tells kibibytes, Apple's systems bytes.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    let memory = usage.max_rss() * unit;
    let cost = json!({"cpu_seconds": cpu.as_secs_f64(), "memory": memory, "seconds": seconds, "status": status.code()});
    println!("{cost}");
}
