//! The events of a timeline -> a list in which each opens to its JSON.

use maud::{Markup, html};

use super::findings::{Place, Places};
use super::units::{offset, thousands};
use super::{TrackEvent, TrackItem, said};
use crate::dashboard::Outline;

pub(super) fn events(
    outline: &Outline,
    track: &[TrackItem],
    prefix: &str,
    places: &Places<'_>,
) -> Markup {
    html! {
        @if let Some(fault) = &outline.fault {
            p.empty { (said(fault)) }
        }
        @if outline.broken_lines > 0 {
            div.notice.is-warn {
                p { (thousands(outline.broken_lines)) " lines are not events:" }
                ul {
                    @for broken in &outline.broken { li { (said(broken)) } }
                    @if outline.broken_lines > outline.broken.len() as u64 { li { "…" } }
                }
            }
        }
        @if !track.is_empty() {
            ul.phases {
                @for (phase, number) in &outline.phases {
                    li data-phase=(said(phase)) {
                        (said(phase)) " " span.count { (thousands(*number)) }
                    }
                }
            }
            div.events data-events="" {
                @for item in track {
                    @match item {
                        TrackItem::Event(event) => (one(event, prefix, places.on_line(event.moment.line))),
                        TrackItem::Folded(number) => {
                            p.fold { (thousands(*number)) " events are not on this page" }
                        }
                    }
                }
            }
        }
    }
}

fn one(event: &TrackEvent, prefix: &str, place: Option<Place>) -> Markup {
    let moment = &event.moment;
    let class = super::waterfall::class_of(event);
    html! {
        details.event id={ (prefix) "L" (moment.line) } data-phase=(said(&moment.phase)) {
            summary {
                span.line { (moment.line) }
                span.at { @if let Some(at) = moment.offset_sec { (offset(at)) } }
                span.phase.(class) { (said(&moment.phase)) }
                span.agent { (said(&moment.agent)) }
                span.what {
                    @if let Some(place) = place { span.(place.class()) { (place.label()) } " " }
                    (said(&moment.summary))
                }
            }
            pre tabindex="0" { (lines(&event.json)) }
            @if event.is_cut { p.note { "The rest of this event is not on this page." } }
        }
    }
}

/// A text of several lines, each safe to show.
fn lines(text: &str) -> Markup {
    html! {
        @for (at, line) in text.lines().enumerate() {
            @if at > 0 { "\n" }
            (said(line))
        }
    }
}
