//! Rules of the group `recorder`: what a recorder says of its own records.

pub(super) mod lost;
