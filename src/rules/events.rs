//! The timeline by itself.

pub(super) mod missing;
pub(super) mod misspelled;
pub(super) mod repeated_line;
pub(super) mod schema;
pub(super) mod second_start;
pub(super) mod syntax;
pub(super) mod torn_tail;
pub(super) mod unfinished_line;
