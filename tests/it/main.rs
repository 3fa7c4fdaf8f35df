//! All tests that go through the public library or the binary.

mod generated;
mod pages;
