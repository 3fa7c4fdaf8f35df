//! Rules of the group `coverage`: the other rules have judged the run.

pub(crate) mod required;
