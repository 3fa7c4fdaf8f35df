//! The messages of a run -> prose by role, with tool calls and their results.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::records::lines;
use super::units::thousands;
use super::unshown;
use super::{Message, MessagePart};
use crate::ground::printable::escape;

/// The number of bytes of a text from which on it is closed at first.
const MAX_OPEN_BYTES: usize = 4_000;

/// Draws a conversation.
pub(super) fn conversation(messages: &[Message], more: usize, prefix: &str) -> Markup {
    html! {
        div.conversation {
            @for message in messages {
                article.message data-role=(escape(&message.role)) {
                    p.speaker {
                        b { (escape(&message.role)) } " "
                        a.line href={ "#" (prefix) "L" (message.line) } { "line " (thousands(message.line)) }
                    }
                    @for part in &message.parts { (drawn(part)) }
                }
            }
        }
        (unshown(more, "more messages"))
    }
}

fn drawn(part: &MessagePart) -> Markup {
    match part {
        MessagePart::Text(text) if text.len() > MAX_OPEN_BYTES => folded(
            &format!("{} bytes of text", thousands(text.len() as u64)),
            &prose(text),
        ),
        MessagePart::Text(text) => prose(text),
        MessagePart::Call { tool, input } => html! {
            details.call {
                summary { "calls " code { bdi { (escape(tool)) } } " " span.dim { (line_of(input)) } }
                pre tabindex="0" { (lines(input)) }
            }
        },
        MessagePart::Result(text) => html! {
            details.result {
                summary { "result " span.dim { (line_of(text)) } }
                pre tabindex="0" { (lines(text)) }
            }
        },
        MessagePart::Cut { excerpt, bytes } => html! {
            p.cut {
                span.badge.warn { "cut" } " " (escape(excerpt))
                span.dim { " of " (escape(bytes)) " bytes; the record has their digest" }
            }
        },
        MessagePart::Other(json) => folded(
            "another kind of content",
            &html! {
                pre tabindex="0" { (lines(json)) }
            },
        ),
    }
}

fn folded(what: &str, body: &Markup) -> Markup {
    html! { details { summary { (what) } (body) } }
}

fn line_of(text: &str) -> String {
    crate::ground::printable::shortened(text.lines().next().unwrap_or_default(), 120)
}

/// Draws Markdown of a record. Its markup is text, and nothing in it is loaded or leads elsewhere.
fn prose(text: &str) -> Markup {
    let safe: Vec<_> = text.lines().map(escape).collect();
    let safe = safe.join("\n");
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let shown = Parser::new_ext(&safe, options).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        | Event::End(TagEnd::Link | TagEnd::Image | TagEnd::HtmlBlock) => None,
        Event::Start(Tag::Heading { .. }) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Paragraph)),
        Event::SoftBreak => Some(Event::HardBreak),
        event => Some(event),
    });
    let mut markup = String::new();
    pulldown_cmark::html::push_html(&mut markup, shown);
    html! { div.prose { (PreEscaped(markup)) } }
}
