//! The client of a search -> the end of the search when the client goes.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::problem::Problem;

/// The time in which an answer must begin.
pub(super) const MAX_TIME: Duration = Duration::from_secs(30);

/// The client that waits for an answer.
pub(super) struct Asker {
    connected: Weak<()>,
    until: Instant,
}

impl Asker {
    /// Returns an asker, who is there as long as the other part is kept.
    pub(super) fn new() -> (Arc<()>, Self) {
        let connected = Arc::new(());
        let asker = Self {
            connected: Arc::downgrade(&connected),
            until: Instant::now() + MAX_TIME,
        };

        (connected, asker)
    }

    /// Ends a search that nobody waits for any more.
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.connected.strong_count() > 0 && Instant::now() < self.until {
            Ok(())
        } else {
            Err(Problem::busy("the search takes too long"))
        }
    }
}
