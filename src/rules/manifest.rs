//! Rules of the group `manifest`.

pub(super) mod digest;
