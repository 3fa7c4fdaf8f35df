//! What may be read of an episode -> the number of bytes, at most.

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
