//! Runs -> what people and programs see of them.
//!
//! In come run data and reports; out come lists, views, tables and comparisons. [`read`] lists runs
//! and reads their records, [`plan`] rebuilds a plan, [`view`] shows one run, [`diff`] two.
//! [`table`] has a row for each run, step, action, event or finding. [`compare`] compares two sets
//! of runs, and [`impact`] two reports on one set. [`coverage`] tells which rules compared
//! something, `watch` follows run data, and `schemas` derives the schema files from the types.
//!
//! Nothing here decides what is valid: it asks the gate.

pub mod compare;
pub mod coverage;
pub mod diff;
pub mod impact;
pub mod plan;
pub mod read;
pub(crate) mod schemas;
pub mod table;
pub mod view;
#[cfg(feature = "commands")]
pub(crate) mod watch;
