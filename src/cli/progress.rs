//! A bar on standard error while episodes are judged.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which a progress bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// A progress bar on standard error, shown if that is a terminal and the check takes long.
pub(super) struct CheckProgress {
    bar: ProgressBar,
    done: u64,
    /// The time at which the bar is to appear; `None` once it has, or if it is not to.
    appears: Option<Instant>,
}

impl CheckProgress {
    pub(super) fn new(quiet: bool, episodes: usize) -> Self {
        let bar =
            ProgressBar::with_draw_target(Some(episodes as u64), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} episodes, {eta} left")
        {
            bar.set_style(style);
        }
        let is_wanted = !quiet && io::stderr().is_terminal();
        Self {
            bar,
            done: 0,
            appears: is_wanted.then(|| Instant::now() + PATIENCE),
        }
    }

    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.appears.is_some_and(|time| time <= Instant::now()) {
            self.appears = None;
            self.bar
                .set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        if !self.bar.is_hidden() {
            self.bar.set_position(self.done);
        }
    }

    /// Hides the bar while something is printed.
    pub(super) fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        if self.bar.is_hidden() {
            print()
        } else {
            self.bar.suspend(print)
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
