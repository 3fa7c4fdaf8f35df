//! Paths -> episodes -> bytes: the one place that touches the file system, with every limit on
//! reading.
//!
//! Episodes are read through the trait [`Artifacts`], so that their bytes may also come from memory
//! ([`Memory`]) or, with another implementation, from an object store.

#[cfg(feature = "watch")]
mod along;
mod artifacts;
#[cfg(feature = "cli")]
mod changed;
mod content;
mod discover;
mod disk;
mod fault;
mod keys;
mod lines;
mod listing;
#[cfg(test)]
pub(crate) mod logged;
mod memory;
mod nature;
mod nearby;
#[cfg(feature = "cli")]
mod new_dir;
pub(crate) mod path;
mod root;
mod runs;
mod settings;
#[cfg(feature = "watch")]
mod snapshot;
mod stillness;
mod tree;
mod walk;
#[cfg(feature = "cli")]
mod whole;
mod workspace;
mod writing;
mod written;

pub use artifacts::{Artifacts, Opened, ReadAt, Unreadable, Version};
#[cfg(feature = "cli")]
pub(crate) use changed::{Changed, Reads, changed_since};
pub use discover::Discovery;
#[cfg(feature = "watch")]
pub(crate) use discover::depending_on;
pub(crate) use discover::{Given, discover};
pub(crate) use disk::Directory;
pub use disk::EpisodeDir;
pub use fault::Fault;
pub use keys::episodes_of;
pub(crate) use lines::{Block, LineRead, Lines, Repetition};
pub use memory::{Content, Memory};
pub(crate) use nearby::run_data_below;
#[cfg(feature = "cli")]
pub(crate) use new_dir::write_new_dir;
pub(crate) use path::{display, is_gone};
pub(crate) use runs::{RunDir, Runs, is_below_episodes, runs, runs_at};
#[cfg(feature = "cli")]
pub(crate) use settings::must_be_file;
pub(crate) use settings::read_text;
pub use settings::{ConfigSearch, find_config};
#[cfg(feature = "watch")]
pub(crate) use snapshot::{Snapshot, directories};
pub(crate) use stillness::{Movement, Seen};
#[cfg(feature = "cli")]
pub(crate) use walk::FoundEpisode;
pub(crate) use walk::{AsEpisodeDir, Excludes, Found};
#[cfg(feature = "cli")]
pub(crate) use whole::{WholeFile, append, is_one_file};

pub(crate) use workspace::{contains, files_below};
pub(crate) use writing::{Appending, Disk, FileSystem, append_all, make_dirs};
pub(crate) use written::{
    Written, digest_of, episode_dir, is_there, open_written, read_whole, whole_lines,
};

/// The number of bytes of `state.json`, of `summary.json` and of one line of `events.jsonl` that
/// are read, at most.
///
/// Real records take kilobytes. The limit keeps a hostile file from taking the memory that other
/// episodes need.
pub(crate) const MAX_RECORD_BYTES: usize = 64 << 20;

/// The number of bytes of a record or line beyond which an episode is large, so that no other large
/// one is judged at the same time.
pub(crate) const LARGE_BYTES: usize = 256 << 10;

/// The number of bytes of `events.jsonl` that are read, at most.
///
/// Real timelines take megabytes, and lines are let go as they are read. The limit bounds the time
/// that a file takes which costs its writer nothing: one with a hole of exabytes in it.
pub(crate) const MAX_TIMELINE_BYTES: u64 = 16 << 30;
