//! The events of a timeline -> a list in which each opens to its JSON.

use std::collections::BTreeMap;
use std::io;

use maud::{Markup, html};

use super::findings::Places;
use super::records::{event_tree, lines};
use super::units::{offset, thousands};
use super::{Bodies, EventBody, TrackEvent, TrackItem};
use crate::ground::document::{Kind, Node};
use crate::ground::printable::escape;
use crate::ground::source::Pointer;
use crate::reading::dashboard::Outline;
use crate::report::write_json_text;

/// The number of bytes of a text from which on a page has it once.
const MIN_SHARED_BYTES: usize = 200;

pub(super) fn events(
    outline: &Outline,
    track: &[TrackItem],
    prefix: &str,
    places: &Places<'_>,
    bodies: Bodies,
) -> Markup {
    let mut texts = SharedTexts::default();
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
                        TrackItem::Event(event) => (one(event, prefix, places, bodies, &mut texts)),
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

fn one<'t>(
    event: &'t TrackEvent,
    prefix: &str,
    places: &Places<'_>,
    bodies: Bodies,
    texts: &mut SharedTexts<'t>,
) -> Markup {
    let moment = &event.row;
    let place = places.on_line(moment.line);
    let class = super::waterfall::class_of(event);
    let is_named = places
        .in_event(moment.line)
        .next()
        .is_some();

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
                    EventBody::Whole(_) if bodies == Bodies::AtService && !is_named => {},
                    EventBody::Whole(document) if is_named => {
                        (event_tree(document, moment.line, places))
                        @if bodies == Bodies::InPage { (texts.json(moment.line, document.root())) }
                    }
                    EventBody::Whole(document) => (texts.json(moment.line, document.root())),
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

/// The long texts that the events of a page have, each with the place where it stands. A text that
/// comes again is that place, after a character that no other text begins with.
#[derive(Default)]
struct SharedTexts<'t> {
    places: BTreeMap<&'t str, String>,
}

/// What begins a text that is a place; a text that begins so itself has the character twice.
const SHARED: &str = r#""\u0001"#;

impl<'t> SharedTexts<'t> {
    /// Returns an event as JSON, of which the script makes a tree when it is opened.
    fn json(&mut self, line: u64, event: Node<'t>) -> Markup {
        let mut out = Vec::with_capacity(event.raw().len());
        let written = self.write(&mut out, event, line, &Pointer::default());
        let text = String::from_utf8_lossy(&out);
        html! { @if written.is_ok() { span.json hidden { (text) } } }
    }

    fn write(
        &mut self,
        out: &mut Vec<u8>,
        value: Node<'t>,
        line: u64,
        pointer: &Pointer,
    ) -> io::Result<()> {
        let [open, close] = match value.kind() {
            Kind::Object => [b'{', b'}'],
            Kind::Array => [b'[', b']'],
            Kind::String => return self.write_text(out, value.raw(), line, pointer),
            _ => return write_json_text(out, value.raw()),
        };

        out.push(open);
        for (at, key) in value.all_members().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_json_text(out, key.raw())?;
            out.push(b':');
            self.write(out, key.value(), line, &pointer.field(&key.name()))?;
        }

        for (at, item) in value.items().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.write(out, item, line, &pointer.item(at))?;
        }

        out.push(close);
        Ok(())
    }

    fn write_text(
        &mut self,
        out: &mut Vec<u8>,
        text: &'t str,
        line: u64,
        pointer: &Pointer,
    ) -> io::Result<()> {
        let is_long = text.len() >= MIN_SHARED_BYTES;
        if is_long && let Some(place) = self.places.get(text) {
            let place = serde_json::to_string(place)?;
            return write_json_text(out, &place.replacen('"', SHARED, 1));
        }

        if is_long {
            self.places
                .insert(text, format!("{line}{}", pointer.as_str()));
        }

        match text.strip_prefix(SHARED) {
            Some(rest) => write_json_text(out, &format!("{SHARED}\\u0001{rest}")),
            None => write_json_text(out, text),
        }
    }
}
