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
use super::output::Output;
use super::settings::parse_whole;
use crate::store::{Given, reports_no_changes};
use crate::watch::Watch;

/// The seconds between two scans, where nobody sets them.
const POLL_SECONDS: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);

/// What is watched.
#[derive(Args)]
pub(super) struct WatchArgs {
    /// A run-data directory, or any directory above or below one
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,

    /// Scan all files at this interval, as on file systems that do not report changes [default: 2
    /// on those that are known for it, such as NFS, SMB and FUSE; else none]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = parse_whole::<NonZeroU64>,
        allow_negative_numbers = true
    )]
    pub(super) poll: Option<NonZeroU64>,
}

impl WatchArgs {
    /// Has the files scanned where the file system does not report what others change, and says so.
    pub(super) fn poll_where_needed(&mut self, output: &Output) {
        if self.poll.is_none() && reports_no_changes(&self.dir) {
            self.poll = Some(POLL_SECONDS);
            output.note(&format!(
                "the file system does not report changes that others make, so all files are \
                 scanned every {POLL_SECONDS} s; --poll sets another interval"
            ));
        }
    }

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
