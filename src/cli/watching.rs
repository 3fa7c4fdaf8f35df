//! The options of a watch -> a watch, and the signals that end it.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Failure;
use super::settings::parse_whole;
use crate::store::Given;
use crate::watch::Watch;

/// What is watched.
#[derive(Args)]
pub(super) struct WatchArgs {
    /// A run-data directory, or any directory above or below one
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,

    /// Scan all files at this interval; needed on file systems that do not report changes, such as
    /// network file systems
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = parse_whole::<NonZeroU64>,
        allow_negative_numbers = true
    )]
    pub(super) poll: Option<NonZeroU64>,
}

impl WatchArgs {
    /// Starts to watch the directory. The matches say whether a user gave it.
    pub(super) fn start(self, matches: &ArgMatches) -> Result<Watch, Failure> {
        let given = match matches.value_source("dir") {
            Some(ValueSource::DefaultValue) => Given::None,
            _ => Given::Each,
        };
        let poll = self.poll.map(|seconds| Duration::from_secs(seconds.get()));
        Ok(Watch::new(self.dir, given, poll)?)
    }
}

/// Calls a function on Ctrl-C and on SIGTERM, which no longer end the process.
pub(super) fn stop_by_signals(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let signals = Signals::new([SIGINT, SIGTERM]);
    let waiting = signals.and_then(|mut signals| {
        let wait = move || signals.forever().for_each(|_| stop());
        thread::Builder::new().spawn(wait)
    });
    let failed = |error| Failure::Fault(format!("can't wait for signals: {error}"));
    waiting.map(drop).map_err(failed)
}
