//! The options of a watch -> watches, and the signals that end them.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::output::Output;
use super::settings::parse_whole;
use super::{CommandFailure, Result};
use crate::look::watch::Watch;
use crate::store::{GivenPaths, reports_no_changes};

/// The seconds between two scans, where nobody sets them.
const POLL_SECONDS: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);

/// The way in which directories are watched.
#[derive(Args)]
pub(super) struct WatchArgs {
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
    /// Returns the interval at which a directory is scanned. Says so where that is because its file
    /// system does not report what others change.
    pub(super) fn interval(&self, dir: &Path, output: &Output) -> Option<NonZeroU64> {
        let is_needed = self.poll.is_none() && reports_no_changes(dir);
        if is_needed {
            output.note(&format!(
                "the file system of {} does not report changes that others make, so all files are \
                 scanned every {POLL_SECONDS} s; --poll sets another interval",
                dir.display()
            ));
        }

        self.poll
            .or_else(|| is_needed.then_some(POLL_SECONDS))
    }
}

/// Starts to watch a directory. The matches say whether a user gave the argument `id`.
pub(super) fn start_watch(
    dir: PathBuf,
    id: &str,
    matches: &ArgMatches,
    poll: Option<NonZeroU64>,
) -> Result<Watch> {
    let given = match matches.value_source(id) {
        Some(ValueSource::DefaultValue) => GivenPaths::None,
        _ => GivenPaths::Each,
    };

    let poll = poll.map(|seconds| Duration::from_secs(seconds.get()));
    Ok(Watch::new(dir, given, poll)?)
}

/// Calls a function on Ctrl-C and on SIGTERM, which no longer end the process.
pub(super) fn stop_by_signals(stop: impl Fn() + Send + 'static) -> Result<()> {
    let signals = Signals::new([SIGINT, SIGTERM]);
    signals
        .and_then(|mut signals| {
            let wait = move || signals.forever().for_each(|_| stop());
            thread::Builder::new().spawn(wait)
        })
        .map(drop)
        .map_err(CommandFailure::of("can't wait for signals"))
}
