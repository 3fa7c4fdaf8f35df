//! Run data -> the number of instructions that the check of an episode takes, counted by callgrind.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::data::FEW_EPISODES;
use crate::goals::{Goal, Row};
use crate::{Bench, peers};

pub(crate) fn instructions(bench: &mut Bench) {
    let valgrind = match peers::valgrind() {
        Ok(program) => program,
        Err(why) => return bench.leave_out("instructions", &why),
    };
    let data = [
        ("an episode, instructions", bench.data.few()),
        ("the same where runs differ", bench.data.few_differing()),
    ];
    for (work, dir) in data {
        let count = |path: &Path| count(&valgrind, &bench.runvet, path);
        // What starts the program, and reads the first records, is left out.
        let others = count(&dir) - count(&dir.join("episodes/ep_00000000"));
        let each = u32::try_from(others / (FEW_EPISODES - 1)).expect("less than 4 billion");
        bench.row(Row::plain(work, f64::from(each), "", Goal::None));
    }
}

/// The instructions of a check by one thread.
fn count(valgrind: &Path, runvet: &Path, path: &Path) -> u64 {
    let mut command = Command::new(valgrind);
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(runvet)
        .args(["validate", "--no-config", "--jobs", "1"])
        .arg(path)
        .stdin(Stdio::null());
    let output = command.output().expect("valgrind runs");
    let printed = String::from_utf8_lossy(&output.stderr);
    let counted = printed
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let (_, count) = counted.unwrap_or_else(|| panic!("no count in:\n{printed}"));
    count.trim().parse().expect("a number")
}
