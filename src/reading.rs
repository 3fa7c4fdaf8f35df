//! Records and events -> what they say, as far as it can be believed.
//!
//! In come the texts of one run; out come facts, which rules ask for, and the outline of its
//! events, which views show. [`schema`] reads a text in one pass, driven by tables that are
//! compiled from the files in `schemas/`, and says what violates them. [`facts`] has what the
//! state, the summary and the timeline say. [`outline`] has the events as lists and tracks, and
//! [`dashboard`] one run at a glance.
//!
//! Nothing here words a finding of a rule, or opens a file.

pub(crate) mod dashboard;
pub(crate) mod facts;
pub(crate) mod outline;
pub(crate) mod schema;
