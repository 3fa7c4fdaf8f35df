//! Paths -> episodes -> bytes: the one place that touches the file system, with every limit on
//! reading.
//!
//! Episodes are read through the trait [`Artifacts`], so that their bytes may also come from memory
//! ([`InMemory`]) or, with another implementation, from an object store.
//!
//! A room imports those before it: `path`, `read`, `open`, `write`, `find`, `settings`, which finds
//! what users write for runvet, and `watch` and `git`, which find what changed since.

mod find;
#[cfg(feature = "cli")]
mod git;
mod open;
pub(crate) mod path;
mod read;
mod settings;
#[cfg(feature = "cli")]
mod watch;
mod write;

// Each room says what others may use of it.
pub use find::*;
#[cfg(feature = "cli")]
pub(crate) use git::*;
pub use open::*;
#[cfg(feature = "commands")]
pub(crate) use path::resolved;
pub(crate) use path::{display, is_gone};
pub use read::*;
pub(crate) use settings::*;
#[cfg(feature = "cli")]
pub(crate) use watch::*;
pub(crate) use write::*;
