//! Vets agent runs: checks the records that an agent runtime leaves for each episode against their
//! JSON Schemas, against each other, and against the event timeline.
//!
//! Where to start, in reading order:
//!
//! - [`gate`] finds the episodes below paths and says what in them can't be trusted, and which
//!   findings count by the configuration and the baseline;
//! - [`store`] finds episodes, and has the interface for reading their bytes from elsewhere;
//! - [`read`] lists runs and reads their states, summaries and events; [`read::policy`] asks user
//!   code for advice on a run;
//! - [`plan`] rebuilds a plan from the timeline and compares it with the persisted one;
//! - [`recorder`] writes runs whose files are sound at any time;
//! - [`table`] writes one row for each run, step, action, event or finding;
//! - [`compare`] compares two sets of runs;
//! - [`coverage`] shows which rules compared something, and the fields and words that occur;
//! - [`impact`] compares two reports on the same runs;
//! - [`import`] makes runs of the logs of other agents (feature `commands`);
//! - [`redact`] copies runs without their texts (feature `commands`);
//! - [`view`] shows one run, as JSON or as a page for a browser (feature `html`);
//! - [`report`] writes findings for people (feature `human`), for programs, and for a
//!   browser (feature `html`);
//! - [`Schema`] has the JSON Schemas, and [`record`] the types that they are derived from.
//!
//! The data they share: [`finding`] has the parts of a report, [`source`] the places in files,
//! [`document`] a JSON text with the place of each value, [`Timestamp`] an instant, and
//! [`printable`] text that is safe to show.

#![cfg_attr(
    not(feature = "serve"),
    expect(
        dead_code,
        unused_imports,
        reason = "what only the command needs is not the library's API"
    )
)]

// What the tests of the library share with those of the crate names it as other crates do.
#[cfg(test)]
extern crate self as runvet;

#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "commands")]
mod door;
pub mod gate;
mod ground;
#[cfg(feature = "commands")]
pub mod import;
mod judge;
mod look;
#[cfg(feature = "commands")]
mod mcp;
mod policy;
#[cfg(feature = "cli")]
pub mod proof;
mod reading;
pub mod recorder;
#[cfg(feature = "commands")]
pub mod redact;
pub mod report;
#[cfg(feature = "serve")]
mod serve;
pub mod store;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::run as cli;
pub use ground::timestamp::Timestamp;
pub use ground::words::UnknownWord;
pub use ground::{document, finding, printable, record, source};
pub use look::schemas::Schema;
pub use look::{compare, coverage, diff, impact, plan, read, table, view};

// The examples on the library's page are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
