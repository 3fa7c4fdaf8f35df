//! Rules of the group `manifest`: files are as the manifest says.

pub(super) mod digest;
pub(super) mod unlisted;
