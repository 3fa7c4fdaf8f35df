//! A working tree of git -> the runs that changed, or that the next commit changes.

mod changed;
mod command;
mod staged;

pub(crate) use changed::{Reads, changed_since};
pub(crate) use staged::StagedRuns;
