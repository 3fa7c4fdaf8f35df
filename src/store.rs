//! Paths -> episodes -> bytes: the one place that touches the file system, with every limit on
//! reading.
//!
//! Episodes are read through the trait [`Artifacts`], so that their bytes may also come from memory
//! ([`InMemory`]) or, with another implementation, from an object store.

mod artifacts;
#[cfg(feature = "commands")]
mod below;
#[cfg(feature = "cli")]
mod changed;
#[cfg(feature = "commands")]
mod copy;
mod discover;
mod disk;
mod fault;
mod keys;
#[cfg(feature = "cli")]
mod known;
mod lines;
mod links;
mod listing;
pub(crate) mod logged;
mod memory;
#[cfg(feature = "cli")]
mod naming;
mod nature;
mod open_dir;
#[cfg(feature = "cli")]
mod others;
pub(crate) mod path;
mod recordless;
mod root;
mod run_dir;
mod runs;
mod settings;
#[cfg(feature = "cli")]
mod snapshot;
#[cfg(feature = "cli")]
mod staged;
mod stillness;
mod tree;
mod walk;
#[cfg(feature = "cli")]
mod whole;
mod workspace;
mod writing;

pub use artifacts::{Artifacts, Opened, ReadAt, Unreadable, Version};
#[cfg(feature = "commands")]
pub(crate) use below::{
    FileBelow, FileVersion, FilesBelow, OpenFile, Scratch, Workshop, beginning_of, is_before_run,
    is_null_device, put_dir, resolved,
};
#[cfg(feature = "cli")]
pub(crate) use changed::{Reads, changed_since};
#[cfg(feature = "commands")]
pub(crate) use copy::{
    NewTree, RunTree, SECRET_FILE_BYTES, TreeEntry, make_secret_file, read_secret_file,
};
pub use discover::Discovery;
pub(crate) use discover::discover;
pub use disk::EpisodeDir;
pub(crate) use disk::{Directory, LinkPolicy};
pub use fault::Fault;
pub(crate) use fault::{FaultKind, unlistable};
pub use keys::episodes_of;
#[cfg(feature = "cli")]
pub(crate) use known::{KnownRuns, Renewed};
pub(crate) use lines::{LineRead, Lines, Repetition, whole_lines};
pub use memory::{Content, InMemory};
#[cfg(feature = "cli")]
pub(crate) use naming::{InRunData, RunNames};
pub(crate) use open_dir::OpenDir;
#[cfg(feature = "cli")]
pub(crate) use others::OtherFiles;
pub(crate) use path::{display, is_gone};
pub(crate) use root::{GivenPaths, episode_around};
pub(crate) use run_dir::RunDir;
pub(crate) use runs::{is_below_episodes, last_written, run_data_below, runs, runs_at};
pub(crate) use settings::configs_beyond;
pub(crate) use settings::{find_config, must_be_file, read_trusted};
#[cfg(feature = "cli")]
pub(crate) use settings::{must_be_trusted, sign_of_run_data};
pub(crate) use settings::{open_given, open_up_to, read_text};
#[cfg(feature = "cli")]
pub(crate) use snapshot::{look_at, reports_no_changes};
#[cfg(feature = "cli")]
pub(crate) use staged::StagedRuns;
pub(crate) use stillness::{Movement, seen_versions};
pub(crate) use tree::Dir;
pub(crate) use walk::{Excludes, WalkFindings, empty_in};
#[cfg(feature = "cli")]
pub(crate) use whole::{
    Spool, WholeFile, append, are_one_open_file, is_one_file, write_new_dir, write_new_file,
};

pub(crate) use workspace::{contains, files_below};
pub(crate) use writing::{
    Disk, FileSystem, RecordedFile, append_all, content_of, is_in_place, lock, make_unless_there,
    open_or_make, open_to_append,
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
