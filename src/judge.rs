//! One run -> its report.
//!
//! In comes the directory of a run; out come findings with their lines, columns and help, and what
//! could not be judged. [`load`] reads the run into documents, facts and troubles. [`rule`] is what
//! a rule is, and [`rules`] has all of them, with a file and a page for each. [`check`] runs the
//! rules that are on, and looks up the places of what they found.
//!
//! Which findings count, and the exit code, are decided later, in the gate.

pub(crate) mod check;
pub(crate) mod load;
pub(crate) mod rule;
pub(crate) mod rules;
