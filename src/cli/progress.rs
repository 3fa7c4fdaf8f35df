//! A bar on standard error while episodes are judged.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which a progress bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns a bar for a number of episodes, which is not shown yet.
pub(super) fn hidden(episodes: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(episodes as u64), ProgressDrawTarget::hidden());
    let template = "{wide_bar} {human_pos}/{human_len} episodes, {eta} left";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Counts an episode, and shows the bar once the check takes long: where standard error is a
/// terminal, unless a user wants quiet.
pub(super) fn step(bar: &ProgressBar, quiet: bool) {
    let takes_long = || bar.is_hidden() && bar.elapsed() >= PATIENCE;
    if !quiet && takes_long() && io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    }
    bar.inc(1);
}
