//! Rules of the group `coverage`: the other rules have judged the run.

pub(in crate::judge) mod required;
