//! A path or a name -> the directory or file there, opened so that it can't lead elsewhere, and its
//! version.

#[cfg(feature = "commands")]
mod below;
mod dir;
mod episode;
mod listing;
#[cfg(feature = "commands")]
mod run_tree;
mod stillness;
mod workspace;

#[cfg(feature = "commands")]
pub(crate) use below::{FileBelow, FileStamp, FilesBelow, OpenFile};
pub(crate) use dir::OpenDir;
pub use episode::EpisodeDir;
pub(crate) use episode::{LinkPolicy, OpenEpisode};
pub(super) use listing::{Listing, OtherNames, is_packed, list, records_in};
#[cfg(feature = "commands")]
pub(crate) use run_tree::{RunTree, TreeEntry};
pub(super) use stillness::FileVersion;
pub(crate) use stillness::{Movement, seen_versions};
pub(crate) use workspace::{contains, files_below};
