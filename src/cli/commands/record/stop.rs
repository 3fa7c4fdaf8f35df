//! Signals that ask to stop -> flags, and what wakes those who wait.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::store::read_text;

/// A request to stop, by a signal. A second signal ends the process at once.
pub(super) struct StopSignal {
    /// Set by signals alone, so that only a second one finds it set.
    heard: Arc<AtomicBool>,
    /// Becomes readable when a signal comes.
    pub(super) wakes: UnixStream,
}

impl StopSignal {
    /// Hears signals from now on. They set `asked` too, for what takes long.
    pub(super) fn listen(asked: &Arc<AtomicBool>) -> io::Result<Self> {
        let (wakes, raised) = UnixStream::pair()?;
        let heard = Arc::default();
        for signal in signals() {
            flag::register_conditional_default(signal, Arc::clone(&heard))?;
            flag::register(signal, Arc::clone(&heard))?;
            flag::register(signal, Arc::clone(asked))?;
            pipe::register(signal, raised.try_clone()?)?;
        }

        Ok(Self { heard, wakes })
    }

    pub(super) fn is_asked(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }
}

/// Returns the signals that ask to stop, without those that are ignored, as `nohup` has it.
pub(in crate::cli::commands) fn signals() -> impl Iterator<Item = i32> {
    let ignored = ignored();
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
        .into_iter()
        .filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// Returns the signals that are ignored, a bit for each, where the system tells.
fn ignored() -> u64 {
    read_text(Path::new("/proc/self/status"))
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or_default()
}
