//! All tests that go through the public library or the binary.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
#![expect(clippy::print_stderr, reason = "a test that can't show anything here says so")]
#![expect(clippy::disallowed_methods, reason = "tests read and write the files that they are about")]

mod agreement;
mod changed;
mod ci;
mod cli;
mod corpus;
mod docs;
mod formats;
mod generated;
mod generators;
mod hooks;
mod pages;
mod plan;
mod properties;
mod python;
mod read;
mod tidy;
mod view;
mod watch;
