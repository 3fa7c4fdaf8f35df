//! Bytes -> files and directories that are written completely or not at all, or that only grow.

mod disk;
#[cfg(test)]
pub(crate) mod logged;
#[cfg(feature = "commands")]
mod new_tree;
#[cfg(feature = "commands")]
mod secret;
#[cfg(feature = "cli")]
mod whole;
#[cfg(feature = "commands")]
mod workshop;

pub(crate) use disk::{
    Disk, FileSystem, RecordedFile, append_all, content_of, is_in_place, lock, make_unless_there,
    open_or_make, open_to_append,
};
#[cfg(feature = "commands")]
pub(crate) use new_tree::NewTree;
#[cfg(feature = "commands")]
pub(crate) use secret::{SECRET_FILE_BYTES, make_secret_file, read_secret_file};
#[cfg(feature = "cli")]
pub(crate) use whole::{
    Spool, WholeFile, append, are_one_open_file, is_null_device, is_one_file, write_new_dir,
    write_new_file,
};
#[cfg(feature = "commands")]
pub(crate) use workshop::{Scratch, Workshop, is_before_run, put_dir};
