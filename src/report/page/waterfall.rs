//! The events of a timeline -> a drawing: time to the right, a lane for each agent, acts as bars
//! from open to close, and marks for events without a duration. Of a timeline that is too long for
//! that, the number of events of each phase over time, and marks for failures.

mod layout;

use maud::{Markup, html};

use super::charts::{per_cent, pixels};
use super::scale::FoldedPause;
use super::units::{duration, offset, precise, thousands};
use super::{TrackEvent, TrackItem};
use crate::ground::printable::escape;
use crate::reading::dashboard::Mark;
use crate::reading::outline::{Density, PhaseBin};
use layout::{Lane, PlacedEvent, WaterfallLayout};

/// The height of a row of a lane, in pixels.
const ROW: f64 = 22.0;

/// The height of the axis.
const AXIS: f64 = 22.0;

/// The number of parts of the axis.
const TICKS: u32 = 4;

/// The width of a label of the axis on a small screen, in per cent.
const LABEL_WIDTH: f64 = 9.0;

/// The width of a bar that has room for a name, in per cent.
const NAMED_WIDTH: f64 = 8.0;

pub(super) fn waterfall(track: &[TrackItem], density: &Density, prefix: &str) -> Markup {
    let layout = WaterfallLayout::of(track, density);
    let rows: usize = layout
        .lanes
        .iter()
        .map(|lane| lane.rows)
        .sum();
    let height = AXIS + precise(rows as u64) * ROW;
    let number = layout
        .lanes
        .iter()
        .map(|lane| lane.marks.len() as u64)
        .sum::<u64>();

    html! {
        @if layout.lanes.is_empty() {
            p.empty { "There are no events to draw." }
        } @else {
            div.waterfall data-scale=(layout.kind()) {
                div.lanes aria-hidden="true" {
                    div.lane.axis {}
                    @for lane in &layout.lanes {
                        div.lane data-rows=(lane.rows) title=(escape(lane.name)) { (escape(lane.name)) }
                    }
                }
                div.scroll tabindex="0" role="group" aria-label="Timeline" {
                    svg.lines width="100%" height=(pixels(height)) {
                        (axis(&layout, height))
                        (lanes(&layout, number, prefix))
                    }
                }
            }
            (key())
            @if let Some(sums) = layout.sums {
                p.note {
                    "All events of each phase, in spans of " (duration(sums.width_sec))
                    "; what failed or was vetoed is marked."
                }
            }
        }
    }
}

fn axis(layout: &WaterfallLayout<'_>, height: f64) -> Markup {
    let folds = layout.scale.folds();
    let mut ticks = layout.scale.ticks(TICKS);
    // A label that would stand in that of a pause gives way.
    ticks.retain(|(_, place)| {
        let is_far =
            |fold: &FoldedPause| (f64::midpoint(fold.left, fold.right) - place).abs() > LABEL_WIDTH;
        folds.iter().all(is_far)
    });

    let last = ticks.len().saturating_sub(1);
    html! {
        @if layout.scale.has_length() {
            @for (tick, (seconds, place)) in ticks.into_iter().enumerate() {
                @let x = per_cent(place);
                line.grid.tick x1=(x) x2=(x) y1=(AXIS - 6.0) y2=(pixels(height)) {}
                text.axis.tick.inner[tick > 0 && tick < last] x=(x) y="11"
                    text-anchor=(if tick == 0 { "start" } else if tick == last { "end" } else { "middle" }) {
                    (duration(seconds))
                }
            }
            @for FoldedPause { left, right, seconds } in folds {
                g.fold-mark {
                    title { "A pause of " (duration(seconds)) ", not to scale" }
                    rect.pale.dim x=(per_cent(left)) width=(per_cent(right - left))
                        y=(AXIS) height=(pixels(height - AXIS)) {}
                    text.axis.tick.inner x=(per_cent(f64::midpoint(left, right))) y="11"
                        text-anchor="middle" {
                        "⋯ " (duration(seconds))
                    }
                }
            }
        }
    }
}

fn lanes(layout: &WaterfallLayout<'_>, number: u64, prefix: &str) -> Markup {
    let mut top = AXIS;
    html! {
        @for lane in &layout.lanes {
            @let y = top;
            @let () = top += precise(lane.rows as u64) * ROW;
            line.grid x1="0" x2="100%" y1=(pixels(y)) y2=(pixels(y)) {}
            (sums(layout, lane, y, prefix))
            @for placed in &lane.marks {
                @let y = y + precise(placed.row as u64) * ROW;
                (mark(layout, placed, number, y, prefix))
            }
        }
    }
}

/// Returns the events of a phase over time, as bars whose height grows with their number.
fn sums(layout: &WaterfallLayout<'_>, lane: &Lane<'_>, y: f64, prefix: &str) -> Markup {
    let most = lane
        .bins
        .iter()
        .map(|(_, bin)| bin.events)
        .max();
    let most = precise(most.unwrap_or(1));
    let length = layout
        .sums
        .map_or(0.0, |sums| sums.width_sec);
    let bar = |(start, bin): &(f64, PhaseBin)| {
        let x = layout.scale.at(*start);
        let width = (layout.scale.at(start + length) - x).max(0.15);
        let height = 3.0 + (ROW - 5.0) * (precise(bin.events) / most).sqrt();
        let plural = if bin.events == 1 { "" } else { "s" };
        let (events, name) = (thousands(bin.events), escape(lane.name));
        let what = format!(
            "{events} event{plural} of {name} from {} on",
            offset(*start)
        );
        html! {
            a href={ "#" (prefix) "L" (bin.first_line) } aria-label=(what) {
                title { (what) }
                rect.sum.(class_of_phase(lane.name)) x=(per_cent(x)) width=(per_cent(width))
                    y=(pixels(y + ROW - height)) height=(pixels(height)) {}
            }
        }
    };

    html! { @for it in &lane.bins { (bar(it)) } }
}

/// Returns the class that gives the events of a phase their colour.
pub(crate) fn class_of_phase(phase: &str) -> &'static str {
    match phase {
        "start" => "start",
        "plan" => "planned",
        "act" => "act",
        "direction" => "direction",
        "terminate" => "end",
        _ => "other",
    }
}

/// Returns an event: a bar where it has a beginning and an end, else a mark. `data-o` is its place
/// where events stand at equal distances.
fn mark(
    layout: &WaterfallLayout<'_>,
    placed: &PlacedEvent<'_>,
    number: u64,
    y: f64,
    prefix: &str,
) -> Markup {
    let event = placed.event;
    let even = 2.0 + 96.0 * (precise(placed.order) + 0.5) / precise(number.max(1));
    let timed = layout.by_time(placed);
    let (x, width) = timed.unwrap_or((even, 0.0));
    let what = title(event);
    let class = class_of(event);

    html! {
        a href={ "#" (prefix) "L" (event.row.line) } aria-label=(escape(&what)) {
            title { (escape(&what)) }
            @if width > 0.0 {
                rect.bar.(class) x=(per_cent(x)) width=(per_cent(width.max(0.15)))
                    y=(pixels(y + 4.0)) height="14" rx="2" {}
                @if width > NAMED_WIDTH {
                    svg.bar-name x=(per_cent(x)) width=(per_cent(width)) y=(pixels(y)) height="22" {
                        text x="10" y="15" { (escape(&event.row.summary)) }
                    }
                }
            }
            svg.at x=(per_cent(x)) y=(pixels(y + 11.0)) data-t=[timed.map(|_| per_cent(x))]
                data-o=(per_cent(even)) data-bar[width > 0.0] overflow="visible" {
                path.mark.(class) d=(shape(class)) {}
            }
        }
    }
}

fn title(event: &TrackEvent) -> String {
    let moment = &event.row;
    let mut title = format!("line {}, {}", moment.line, moment.phase);
    if let Some(at) = moment.offset_sec {
        title = format!("{title}, {}", offset(at));
    }
    if let Some(span) = event.span {
        title = format!("{title}, took {}", duration(span.seconds()));
    }
    if !moment.summary.is_empty() {
        title = format!("{title}: {}", moment.summary);
    }

    title
}

/// Returns the class that gives an event its colour and its mark.
pub(super) fn class_of(event: &TrackEvent) -> &'static str {
    match event.row.mark {
        Some(Mark::Failed) => "failed",
        Some(Mark::Vetoed) => "vetoed",
        None => event.class,
    }
}

/// Returns the outline of a mark around its place.
fn shape(class: &str) -> &'static str {
    match class {
        "failed" => {
            "M-5,-3.5L-3.5,-5L0,-1.5L3.5,-5L5,-3.5L1.5,0L5,3.5L3.5,5L0,1.5L-3.5,5L-5,3.5L-1.5,0Z"
        }
        "vetoed" => "M-6,0A6,6,0,1,0,6,0A6,6,0,1,0,-6,0ZM-3.5,-1.2H3.5V1.2H-3.5Z",
        "start" => "M-4,-5L5,0L-4,5Z",
        "planned" => "M0,-6L6,0L0,6L-6,0Z",
        "act" => "M-5,-4H5V4H-5Z",
        "direction" => "M0,-5.5L5.5,4.5H-5.5Z",
        "pause" => "M-4,-5H-1.2V5H-4ZM1.2,-5H4V5H1.2Z",
        "projection" => "M-4.5,-4.5H4.5V4.5H-4.5ZM-2.5,-2.5V2.5H2.5V-2.5Z",
        "end" => "M-4.5,-4.5H4.5V4.5H-4.5Z",
        _ => "M-3,0A3,3,0,1,0,3,0A3,3,0,1,0,-3,0Z",
    }
}

/// Returns the meanings of the marks.
fn key() -> Markup {
    let marks = [
        ("start", "start"),
        ("planned", "plan"),
        ("act", "act"),
        ("direction", "direction"),
        ("vetoed", "veto"),
        ("failed", "failure"),
        ("pause", "pause"),
        ("projection", "projection"),
        ("end", "end"),
        ("other", "other"),
    ];

    html! {
        ul.legend.marks {
            @for (class, name) in marks {
                li {
                    svg.key width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true" {
                        path.mark.(class) d=(shape(class)) {}
                    }
                    (name)
                }
            }
        }
    }
}
