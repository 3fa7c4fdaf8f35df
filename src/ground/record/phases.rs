//! The phases that runtimes are known to write; others are allowed.

use crate::ground::words::words;

/// The type of the event that is the evidence of a persisted state.
pub(crate) const PROJECTION: &str = "run.state_projection";

/// A phase that runtimes are known to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownPhase {
    Start,
    Observe,
    Interpret,
    Reason,
    Plan,
    Direction,
    Act,
    Reflect,
    Learn,
    Insight,
    Memory,
    Intuition,
    Governance,
    Runtime,
    Terminate,
}

words!(KnownPhase {
    Start = "start",
    Observe = "observe",
    Interpret = "interpret",
    Reason = "reason",
    Plan = "plan",
    Direction = "direction",
    Act = "act",
    Reflect = "reflect",
    Learn = "learn",
    Insight = "insight",
    Memory = "memory",
    Intuition = "intuition",
    Governance = "governance",
    Runtime = "runtime",
    Terminate = "terminate",
});
