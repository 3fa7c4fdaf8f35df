//! Rules of the group `actions`: actions and their `act` events belong together.

pub(super) mod ids;
pub(super) mod mirror;
pub(super) mod unrecorded;
