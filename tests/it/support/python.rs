//! Python with packages, for tests that ask programs written in it.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::support::skip::skip;

/// A Python in a new virtual environment with these packages. If it can't be created, the calling
/// test is skipped.
#[track_caller]
pub(crate) fn python(environment: &str, packages: &[&str]) -> Option<Command> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/environment.py");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{environment}-venv"));
    let made = match Command::new("python3")
        .arg(script)
        .arg(dir)
        .args(packages)
        .output()
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            skip("there is no python3");
            return None;
        }
        made => made.unwrap(),
    };
    let said = String::from_utf8(made.stdout).unwrap();
    match made.status.code() {
        Some(0) => Some(Command::new(said.trim())),
        Some(77) => {
            skip(&said);
            None
        }
        _ => panic!("{said}{}", String::from_utf8_lossy(&made.stderr)),
    }
}
