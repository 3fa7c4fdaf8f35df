//! The events of a timeline -> a list in which each opens to its JSON.

use maud::{Markup, html};

use super::findings::Places;
use super::records::{event_tree, lines};
use super::units::{offset, thousands};
use super::{EventBody, TrackEvent, TrackItem};
use crate::ground::printable::escape;
use crate::reading::dashboard::Outline;

pub(super) fn events(
    outline: &Outline,
    track: &[TrackItem],
    prefix: &str,
    places: &Places<'_>,
) -> Markup {
    html! {
        @if let Some(fault) = &outline.fault {
            p.empty { (escape(fault)) }
        }
        @if outline.broken_lines > 0 {
            div.notice.is-warn {
                p { (thousands(outline.broken_lines)) " lines are not events:" }
                ul {
                    @for broken in &outline.broken { li { (escape(broken)) } }
                    @if outline.broken_lines > outline.broken.len() as u64 { li { "…" } }
                }
            }
        }
        @if !track.is_empty() {
            ul.phases {
                @for (phase, number) in &outline.phases {
                    li data-phase=(escape(phase)) {
                        (escape(phase)) " " span.count { (thousands(*number)) }
                    }
                }
            }
            div.events data-events="" {
                @for item in track {
                    @match item {
                        TrackItem::Event(event) => (one(event, prefix, places)),
                        TrackItem::Folded(number) => {
                            p.fold {
                                (thousands(*number))
                                @if *number == 1 { " event is" } @else { " events are" }
                                " not on this page"
                            }
                        }
                    }
                }
            }
        }
    }
}

fn one(event: &TrackEvent, prefix: &str, places: &Places<'_>) -> Markup {
    let moment = &event.row;
    let place = places.on_line(moment.line);
    let class = super::waterfall::class_of(event);
    html! {
        details.event id={ (prefix) "L" (moment.line) } data-phase=(escape(&moment.phase)) {
            summary {
                span.line { (moment.line) }
                span.at { @if let Some(at) = moment.offset_sec { (offset(at)) } }
                span.phase.(class) { (escape(&moment.phase)) }
                span.agent { bdi { (escape(&moment.agent)) } }
                span.what {
                    @if let Some(place) = place { span.(place.class()) { (place.label()) } " " }
                    bdi { (escape(&moment.summary)) }
                }
            }
            div.body {
                @match &event.body {
                    EventBody::Whole(document) => (event_tree(document, moment.line, places)),
                    EventBody::Ends { head, between, tail } => {
                        (unmarked(moment.line, places))
                        pre tabindex="0" { (lines(head)) }
                        p.note.between {
                            (thousands(*between as u64)) " bytes of this event are not on this page"
                        }
                        pre tabindex="0" { (lines(tail)) }
                    }
                }
            }
        }
    }
}

/// Returns the anchors of places in an event that is not shown in whole.
fn unmarked(line: u64, places: &Places<'_>) -> Markup {
    html! {
        @for (pointer, place) in places.in_event(line) {
            p.(place.class()) id=(places.event_anchor(line, *place)) {
                (place.label()) ": " code { (escape(pointer)) }
            }
        }
    }
}
