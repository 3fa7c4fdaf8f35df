//! Rules of the group `hook`: what the hook of an agent judges, and no check of a run.

pub(super) mod own_files;
