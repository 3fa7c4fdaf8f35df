//! The steps and the room that declarations take in a run -> the limit that one of them meets.

/// A limit that a declaration meets, as the reason why it is not judged further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TeamLimit {
    #[error(
        "its evaluation takes more steps or memory than its limit; make its expressions simpler, or \
         its selectors narrower"
    )]
    Steps,
    #[error(
        "its patterns take more steps than their limit; bound what they repeat by less, or make \
         `where` or `at` narrower"
    )]
    Patterns,
    #[error(
        "it has more than {MAX_ENTRIES} groups, or waiting events; later events are not judged by \
         it"
    )]
    Entries,
    #[error("`same` makes more than {MAX_GROUPS} groups of events; make `each` narrower")]
    Groups,
    #[error("it judges more than {MAX_LATER} events once all are counted; make `each` narrower")]
    Events,
    #[error("the events have more phases and tools than can be counted")]
    Words,
    /// [`MAX_ROOM`] is taken.
    #[error(
        "orders and rules together have more groups and waiting events than are kept; later events \
         are not judged by it"
    )]
    Room,
}

/// The maximum number of groups of an order, and of its events that wait.
pub(super) const MAX_ENTRIES: usize = 100_000;

/// The maximum number of groups of earlier events of a rule.
pub(super) const MAX_GROUPS: usize = 100_000;

/// The number of events that a rule that counts events can judge: their places are kept.
pub(super) const MAX_LATER: usize = 100_000;
