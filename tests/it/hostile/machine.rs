//! A machine that lacks something: threads, memory, file descriptors, room on the disk. What can
//! still be done is done, and the rest is a fault: never a panic, never a wrong verdict.

use std::path::Path;

use crate::support::binary::{stderr, stdout};
use crate::support::process::{Unprivileged, ended};
use crate::support::run_data;

#[test]
fn check_goes_on_when_threads_run_out() {
    let Some(user) = Unprivileged::new() else {
        return;
    };
    let temp = Unprivileged::scratch();
    run_data::write(temp.path(), 400, 4).unwrap();
    let long = temp.path().join("long");
    run_data::write_long(&long, 3 << 20).unwrap();
    // No thread at all, some of those asked for, and all of them.
    let validate = |through: &[&str], dir: &Path| {
        let args = ["validate", "--format=json", "--jobs=16"];
        let output = ended(user.runvet(through, &args).arg(dir));
        (
            output.status.code(),
            stdout(&output).to_owned(),
            stderr(&output).to_owned(),
        )
    };
    for (dir, code) in [(temp.path(), 1), (&long, 0)] {
        let expected = validate(&[], dir);
        assert_eq!((expected.0, &*expected.2), (Some(code), ""));
        for threads in ["--nproc=1", "--nproc=5"] {
            assert_eq!(validate(&["prlimit", threads], dir), expected, "{threads}");
        }
    }
}
