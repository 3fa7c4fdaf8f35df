//! The phases that runtimes are known to write; others are allowed.

/// The type of the event that is the evidence of a persisted state.
pub(crate) const PROJECTION: &str = "run.state_projection";

macro_rules! known {
    ($($phase:literal),+ $(,)?) => {
        /// All of them.
        pub(crate) const KNOWN: [&str; [$($phase),+].len()] = [$($phase),+];

        /// Returns `true` if a phase is one of them. It is asked of every event, so no list is
        /// searched.
        #[inline]
        pub(crate) fn is_known(phase: &str) -> bool {
            matches!(phase, $($phase)|+)
        }

        /// Returns the phase as a text that needs no memory, if it is one of them.
        pub(crate) fn known(phase: &str) -> Option<&'static str> {
            match phase {
                $($phase => Some($phase),)+
                _ => None,
            }
        }
    };
}

known![
    "start",
    "observe",
    "interpret",
    "reason",
    "plan",
    "direction",
    "act",
    "reflect",
    "learn",
    "insight",
    "memory",
    "intuition",
    "governance",
    "runtime",
    "terminate",
];
