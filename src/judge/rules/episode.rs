//! Rules of the group `episode`: the records belong to one episode.

pub(super) mod id;
pub(super) mod tags;
pub(super) mod task;
