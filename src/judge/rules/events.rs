//! Rules of the group `events`: the timeline by itself is sound.

pub(super) mod missing;
pub(super) mod misspelled;
pub(super) mod repeated_line;
pub(super) mod schema;
pub(super) mod second_start;
pub(super) mod syntax;
pub(super) mod torn_tail;
pub(super) mod unfinished_line;

use crate::judge::rule::{Compared, Context, Lifecycle};

/// Returns the answer of a rule about the lines of the timeline.
fn lines(ctx: &mut Context<'_>) -> Option<Compared> {
    let timeline = ctx.timeline()?;
    let broken = timeline
        .kept
        .broken_line
        .or(timeline.kept.unfinished_line);
    Compared::when(timeline.kept.tally.events > 0 || broken.is_some())
}

/// Returns the answer of a rule about the end of the timeline, which a run that is in progress may
/// still write.
fn tail(ctx: &mut Context<'_>, is_in_progress: bool) -> Option<Compared> {
    let compared = lines(ctx);
    let is_of_rule = is_in_progress == (ctx.lifecycle() == Lifecycle::NonTerminal);
    compared.filter(|_| is_of_rule)
}
