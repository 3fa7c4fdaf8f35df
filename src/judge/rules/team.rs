//! Rules of the group `team`: a run keeps to the declarations of its team.

pub(super) mod vocabulary;
