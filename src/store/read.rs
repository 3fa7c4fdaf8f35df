//! Bytes from anywhere -> the artifacts of an episode, and their lines, within limits.

mod artifacts;
mod limits;
mod lines;
mod memory;

pub use artifacts::{Artifacts, Opened, ReadAt, Unreadable, Version};
pub(super) use artifacts::{DigestSoFar, limit};
pub(crate) use limits::{LARGE_BYTES, MAX_RECORD_BYTES, MAX_TIMELINE_BYTES};
pub(crate) use lines::{LineRead, Lines, Repetition, whole_lines};
pub use memory::{Content, InMemory};
