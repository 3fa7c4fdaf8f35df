//! A bar on standard error while a command works.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which a progress bar is shown.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns a bar for a number of things of a kind, such as `episodes`, which is not shown yet.
pub(super) fn hidden(number: usize, kind: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(number as u64), ProgressDrawTarget::hidden());
    let template = format!("{{wide_bar}} {{human_pos}}/{{human_len}} {kind}, {{eta}} left");
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Counts one, and shows the bar once the work takes long: where standard error is a
/// terminal, unless a user wants quiet.
pub(super) fn step(bar: &ProgressBar, quiet: bool) {
    let takes_long = || bar.is_hidden() && bar.elapsed() >= PATIENCE;
    if !quiet && takes_long() && io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    }
    bar.inc(1);
}
