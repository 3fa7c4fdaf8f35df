//! Paths or keys -> the episodes below them, each once, sorted, and what may hide one.

mod dir;
mod discover;
mod fault;
mod keys;
mod links;
mod listed_run;
#[cfg(feature = "cli")]
mod naming;
pub(super) mod nature;
mod recordless;
mod root;
mod runs;
mod tree;
mod walk;

pub(crate) use dir::Dir;
pub use discover::Discovery;
pub(crate) use discover::discover;
pub use fault::Fault;
pub(crate) use fault::{FaultKind, unlistable};
pub use keys::episodes_of;
#[cfg(feature = "cli")]
pub(super) use links::LinksFound;
pub(crate) use listed_run::ListedRun;
#[cfg(feature = "cli")]
pub(crate) use naming::{InRunData, RunNames};
#[cfg(feature = "cli")]
pub(super) use root::Root;
pub(crate) use root::{GivenPaths, episode_around};
pub(crate) use runs::{is_below_episodes, last_written, run_data_below, runs, runs_at};
#[cfg(feature = "cli")]
pub(super) use tree::{MAX_LEVELS, Tree};
#[cfg(feature = "cli")]
pub(super) use walk::TreeWalk;
pub(crate) use walk::{Excludes, WalkFindings, empty_in};
