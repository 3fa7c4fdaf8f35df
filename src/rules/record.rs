//! What can keep a record from being read.

pub(super) mod duplicate_key;
pub(super) mod json_syntax;
pub(super) mod misspelled_field;
pub(super) mod unreadable;
