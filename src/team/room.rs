//! A judge that keeps groups of events -> one that does so within the room that all share.

/// The room that all orders and rules of a run have for groups and waiting events. A group takes
/// 0.3 KB, so these are less than 256 MiB.
pub(super) const MAX_ROOM: usize = 640_000;

/// The error that [`MAX_ROOM`] is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "orders and rules together have more groups and waiting events than are kept; later events \
     are not judged by it"
)]
pub(super) struct NoRoom;

/// A judge that keeps groups of events.
pub(super) trait KeepsGroups {
    /// Returns the room that its groups take.
    fn room(&self) -> usize;

    /// Stops it, as there is no room for its groups.
    fn stop(&mut self);
}

/// Lets a judge do its work, and stops it where all groups of the run take more than [`MAX_ROOM`]
/// then.
pub(super) fn within_room<J: KeepsGroups>(
    taken: &mut usize,
    judge: &mut J,
    work: impl FnOnce(&mut J),
) {
    let others = taken.saturating_sub(judge.room());
    work(judge);
    if others + judge.room() > MAX_ROOM {
        judge.stop();
    }
    *taken = others + judge.room();
}
