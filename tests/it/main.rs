//! All tests that go through the public library or the binary.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
#![expect(
    clippy::print_stderr,
    reason = "a test that can't show anything here says so"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write the files that they are about"
)]

mod agreement;
mod bytes;
mod changed;
mod changing;
mod ci;
mod cli;
mod config;
mod corpus;
mod crash;
mod docs;
mod documents;
mod files;
mod formats;
mod generated;
mod generators;
mod hooks;
mod pages;
mod pipelines;
mod plan;
mod properties;
mod python;
mod read;
#[path = "../../benches/run_data.rs"]
mod run_data;
#[expect(unreachable_pub, reason = "the targets in fuzz/ have it too")]
mod second_look;
mod tidy;
mod view;
mod watch;
