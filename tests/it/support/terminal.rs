//! The output of the binary at a given width, and its snapshots.

use std::fmt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::binary::stdout;

/// The width of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    Narrow,
    Wide,
}

impl Width {
    pub(crate) const BOTH: [Self; 2] = [Self::Narrow, Self::Wide];

    fn columns(self) -> usize {
        match self {
            Self::Narrow => 80,
            Self::Wide => 120,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.columns())
    }
}

pub(crate) fn command(dir: &Path, args: &[&str], width: Width) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("COLUMNS", width.to_string());
    command
}

pub(crate) fn runvet(dir: &Path, args: &[&str], width: Width) -> Output {
    command(dir, args, width)
        .output()
        .unwrap()
}

/// Compares what a command prints with a file in `tests/snapshots`.
pub(crate) fn snapshot(name: &str, output: &Output) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}.txt"));
    snapbox::assert_data_eq!(stdout(output), snapbox::Data::read_from(&path, None).raw());
}
