//! Rules of the group `record`: each record can be read.

pub(super) mod duplicate_key;
pub(super) mod json_syntax;
pub(super) mod misspelled_field;
pub(super) mod unreadable;
