//! All tests that go through the public library or the binary.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
#![expect(clippy::too_many_lines, reason = "a test reads from top to bottom")]
#![expect(
    clippy::print_stderr,
    reason = "a test that can't show anything here says so"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write the files that they are about"
)]

/// Commands, and what they print: the cases in `tests/cases`.
mod cases;

/// What is promised about findings, and what is generated from the code.
mod contract {
    mod accepted;
    mod agreement;
    mod api;
    mod checked;
    mod corpus;
    mod entry_points;
    mod generated;
    mod impact;
    mod mistakes;
    mod outputs;
    mod pages;
    mod plan;
    mod python_types;
    mod reach;
    mod record_format;
    mod redacted;
    mod released;
    mod sentences;
}

/// What each format of a report says, and to whom.
mod formats {
    mod agent;
    mod files;
    mod incomplete;
    mod junit;
    mod noise;
    mod page;
    mod pipelines;
    mod reports;
    mod sarif;
}

/// What a team declares of its runs.
mod team {
    mod agreement;
    mod brute;
    mod coverage;
    mod declared;
    mod held;
    mod mistakes;
    mod moment;
    mod pack;
    mod policies;
    mod run;
    mod sides;
    mod sixty;
    mod trace;
    mod verdict;
    mod words;
}

/// What no input may cause: hostile bytes, files and writers.
mod hostile {
    mod bytes;
    mod changing;
    mod crash;
    mod discovery;
    mod files;
    mod foreign;
    mod large;
    mod machine;
    mod many;
    mod memory;
    mod named;
    mod properties;
    mod recorder;
    mod redacting;
    mod sealed;
    mod tricks;
    mod values;
    mod writers;
}

/// The command line for users, hooks and pipelines.
mod cli {
    mod baseline;
    mod ci;
    mod command_line;
    mod compare;
    mod config_errors;
    mod convert;
    mod coverage;
    mod diff;
    mod example;
    mod exec;
    mod generators;
    mod help;
    mod hooks;
    mod installed;
    mod listed;
    mod mounts;
    mod reason;
    mod record;
    mod record_attach;
    mod record_evidence;
    mod recover;
    mod release;
    mod serve;
    mod serve_clients;
    mod table;
    mod view;
    mod watch;
}

/// The library for other programs.
mod library {
    mod artifacts;
    mod documents;
    mod keys;
    mod policy;
    mod read;
    mod recorder;
    mod runs;
}

/// The order of the house: its sources and its documents.
mod house {
    mod budget;
    mod density;
    mod docs;
    mod features;
    mod image;
    mod layers;
    mod make_rule;
    mod reference;
    mod sentences;
    mod tidy;
    mod width;
}

/// What the tests share. No test file imports another.
mod support {
    pub(crate) mod action;
    pub(crate) mod binary;
    pub(crate) mod bless;
    pub(crate) mod cases;
    pub(crate) mod corpus;
    pub(crate) mod demo;
    pub(crate) mod described;
    pub(crate) mod documents;
    pub(crate) mod hostile;
    pub(crate) mod markdown;
    pub(crate) mod pre_commit;
    pub(crate) mod printed;
    pub(crate) mod process;
    pub(crate) mod project;
    pub(crate) mod python;
    pub(crate) mod random;
    pub(crate) mod recording;
    pub(crate) mod repository;
    #[path = "../../../benches/run_data/mod.rs"]
    pub(crate) mod run_data;
    pub(crate) mod runs;
    pub(crate) mod sarif;
    #[expect(unreachable_pub, reason = "the targets in fuzz/ have it too")]
    pub(crate) mod second_look;
    pub(crate) mod service;
    #[expect(dead_code, reason = "the tests of the library have it too")]
    pub(crate) mod sessions;
    pub(crate) mod skip;
    pub(crate) mod sources;
    pub(crate) mod terminal;
}
