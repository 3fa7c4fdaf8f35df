//! Vets agent runs: checks the records that an agent runtime leaves for each episode against their
//! JSON Schemas, against each other, and against the event timeline.
//!
//! The doors, in reading order:
//!
//! - [`check`] finds the episodes below paths and says what in them can't be trusted;
//! - [`gate`] judges them: it decides which findings count, by the configuration and the baseline;
//! - [`read`] lists runs and reads their states, summaries and events;
//! - [`plan`] rebuilds a plan from the timeline and compares it with the persisted one;
//! - [`view`] shows one run at a glance;
//! - `watch` judges runs as they are written (feature `watch`);
//! - [`policy`] asks user code for advice on a run;
//! - [`report`] writes what was found, for people and for programs;
//! - [`Schema`] has the JSON Schemas, and [`record`] the types that they are derived from.
//!
//! What they speak of: [`finding`] is what a report holds, [`source`] how places in files are
//! named, [`document`] a JSON text with the place of each of its values, [`Timestamp`] a moment in
//! time, [`printable`] text that is safe to show.

pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod config;
mod digest;
pub mod document;
mod facts;
pub mod finding;
pub mod gate;
mod load;
mod parallel;
pub mod plan;
pub mod policy;
pub mod printable;
pub mod read;
pub mod record;
pub mod report;
mod rule;
mod rules;
mod schema;
mod schemas;
pub mod source;
mod store;
mod timestamp;
pub mod view;
#[cfg(feature = "watch")]
pub mod watch;
mod words;

pub use digest::Digest;
pub use finding::RuleInfo;
pub use schemas::Schema;
pub use store::EpisodeDir;
pub use timestamp::Timestamp;
pub use words::UnknownWord;

// The example in the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
