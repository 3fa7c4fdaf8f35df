//! The text of a timestamp -> an instant that can be compared with others.

use crate::timestamp::Timestamp;

/// An instant in attoseconds since 1970, and the digits of its fraction beyond these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    pub(crate) attoseconds: i128,
    pub(crate) rest: Box<str>,
}

impl Instant {
    /// Reads the one that a timestamp names.
    pub(crate) fn read(timestamp: &str) -> Option<Self> {
        let time = Timestamp::parse(timestamp)?;
        let (attoseconds, rest) = time.exact();
        let rest = rest.into();
        Some(Self { attoseconds, rest })
    }

    /// Returns the earliest instant that is at most some time before this one.
    pub(super) fn less(&self, attoseconds: i128) -> Self {
        Self {
            attoseconds: self.attoseconds - attoseconds,
            rest: self.rest.clone(),
        }
    }
}
