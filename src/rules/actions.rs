//! Whether actions mirror their `act` events.

pub(super) mod mirror;
