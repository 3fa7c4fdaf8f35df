//! Events of agents that call runvet for each of them -> runs, and whether a call may be made.

pub(crate) mod hook;
