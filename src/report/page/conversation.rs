//! The messages of a run -> prose by role, with tool calls and their results.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::records::lines;
use super::units::{duration, grouped, thousands};
use super::unshown;
use super::{Message, MessagePart, ModelCall, ToolCall, ToolResult};
use crate::ground::printable::{count, escape, shortened, without_colours};

/// The number of bytes of a text from which on it is closed at first.
const MAX_OPEN_BYTES: usize = 8_000;

/// The number of bytes of a call with its result from which on it is closed at first.
const MAX_OPEN_CALL_BYTES: usize = 600;

/// The number of bytes of all texts that are drawn as Markdown; later ones are plain, so that a
/// page has a bounded number of elements.
const MAX_MARKDOWN_BYTES: usize = 300_000;

/// The number of characters of the first line of a text that stands for it.
const MAX_LINE_CHARS: usize = 120;

/// Draws a conversation.
pub(super) fn conversation(messages: &[Message], more: usize, prefix: &str) -> Markup {
    let agents: BTreeSet<&str> = messages
        .iter()
        .map(|it| &*it.agent)
        .collect();
    let mut drawing = Drawing {
        prefix,
        names_agents: agents.len() > 1,
        markdown: MAX_MARKDOWN_BYTES,
    };

    html! {
        div.conversation {
            @for message in messages { (drawing.message(message)) }
        }
        (unshown(more, "more messages"))
    }
}

/// A conversation that is being drawn.
struct Drawing<'p> {
    prefix: &'p str,
    names_agents: bool,
    /// The number of bytes that may still be drawn as Markdown.
    markdown: usize,
}

impl Drawing<'_> {
    fn message(&mut self, message: &Message) -> Markup {
        let parts: Vec<Markup> = message
            .parts
            .iter()
            .map(|part| self.part(part))
            .collect();

        html! {
            article.message data-role=(escape(&message.role)) data-sec=[message.offset_sec] {
                p.speaker {
                    b { (escape(&message.role)) }
                    @if self.names_agents { span.agent { bdi { (escape(&message.agent)) } } }
                    @if let Some(call) = &message.call { span.call { (took(call)) } }
                    (self.place(message.line))
                }
                @for part in &parts { (part) }
            }
        }
    }

    fn place(&self, line: u64) -> Markup {
        html! { a.line href={ "#" (self.prefix) "L" (line) } { "line " (thousands(line)) } }
    }

    fn part(&mut self, part: &MessagePart) -> Markup {
        match part {
            MessagePart::Text(text) if text.len() > MAX_OPEN_BYTES => html! {
                details {
                    summary {
                        (first_line(text)) " "
                        span.dim { (thousands(text.len() as u64)) " bytes" }
                    }
                    (self.words(text))
                }
            },
            MessagePart::Text(text) => self.words(text),
            MessagePart::Thought(text) => html! {
                details.thought {
                    summary { "thought " span.dim { (first_line(text)) } }
                    (self.words(text))
                }
            },
            MessagePart::Call(call) => self.call(call),
            MessagePart::Result(result) => html! {
                details.tool open[is_short("", result)] {
                    summary { "result" (failed(result)) }
                    (self.result(result))
                }
            },
            MessagePart::Picture(data) if data.starts_with("attachments/") => html! {
                p.attached data-attachment=(escape(data)) { "a picture: " code { (escape(data)) } }
            },
            MessagePart::Picture(data) => html! {
                p.drawn data-picture=(escape(data)) {
                    "a picture of " (thousands(data.len() as u64 * 3 / 4)) " bytes"
                }
            },
            MessagePart::Cut {
                excerpt,
                bytes,
                attachment,
            } => cut(excerpt, bytes, attachment.as_deref()),
            MessagePart::Other(json) => html! {
                details {
                    summary { "another kind of content " span.dim { (first_line(json)) } }
                    pre tabindex="0" { (lines(json)) }
                }
            },
        }
    }

    /// Draws the call of a tool together with its result.
    fn call(&mut self, call: &ToolCall) -> Markup {
        let is_short = call
            .result
            .as_ref()
            .is_none_or(|it| is_short(&call.input, it));

        html! {
            details.tool open[is_short && call.input.len() < MAX_OPEN_CALL_BYTES] {
                summary {
                    code { bdi { (escape(&call.tool)) } } " "
                    span.dim { (first_line(&call.input)) }
                    @if let Some(result) = &call.result { (failed(result)) }
                }
                @if call.input != first_line(&call.input) { pre tabindex="0" { (lines(&call.input)) } }
                @if let Some(result) = &call.result { (self.result(result)) }
            }
        }
    }

    fn result(&mut self, result: &ToolResult) -> Markup {
        html! {
            div.result {
                @for part in &result.parts {
                    @if let MessagePart::Text(text) = part {
                        pre tabindex="0" { (lines(text)) }
                    } @else {
                        (self.part(part))
                    }
                }
                @if result.line > 0 { p.note { (self.place(result.line)) } }
            }
        }
    }

    /// Draws words as the Markdown that they are, as long as there is room for its elements.
    fn words(&mut self, text: &str) -> Markup {
        let Some(left) = self.markdown.checked_sub(text.len()) else {
            return html! { div.prose.plain { (lines(text)) } };
        };

        self.markdown = left;

        prose(text)
    }
}

/// Returns what a call of a model took, in words.
fn took(call: &ModelCall) -> String {
    let tokens = |number: &Option<String>, what: &str| {
        let number = number.as_ref()?;
        Some(format!("{} tokens {what}", grouped(number)))
    };

    [
        call.model
            .as_ref()
            .map(|model| escape(model).into_owned()),
        (call.saw > 0).then(|| count(call.saw as u64, "message")),
        (call.from.as_ref()).map(|from| format!("after those of {}", escape(from))),
        tokens(&call.tokens_in, "in"),
        tokens(&call.tokens_out, "out"),
        call.cost_usd
            .as_ref()
            .map(|cost| format!("${}", escape(cost))),
        call.took_sec.map(duration),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<String>>()
    .join(" · ")
}

/// Draws what is left of a value that was cut when it was recorded.
pub(super) fn cut(excerpt: &str, bytes: &str, attachment: Option<&str>) -> Markup {
    html! {
        p.cut data-attachment=[attachment.map(escape)] {
            span.badge.warn { "cut" } " " (escape(excerpt)) " "
            span.dim {
                "of " (escape(&grouped(bytes))) " bytes; "
                @match attachment {
                    Some(name) => { "all of it is in " code { (escape(name)) } },
                    None => "the record has their digest",
                }
            }
        }
    }
}

/// Returns `true` if a call and its result are seen at once.
fn is_short(input: &str, result: &ToolResult) -> bool {
    let bytes = result
        .parts
        .iter()
        .map(MessagePart::bytes)
        .sum::<usize>();

    input.len() + bytes < MAX_OPEN_CALL_BYTES
}

fn failed(result: &ToolResult) -> Markup {
    html! { @if result.failed { " " span.badge.bad { "error" } } }
}

fn first_line(text: &str) -> String {
    let line = text
        .trim()
        .lines()
        .next()
        .unwrap_or_default();

    shortened(&without_colours(line), MAX_LINE_CHARS)
}

/// Draws Markdown of a record. Its markup is text, and nothing in it is loaded or leads elsewhere.
fn prose(text: &str) -> Markup {
    let text = without_colours(text);
    let safe = text
        .lines()
        .map(escape)
        .collect::<Vec<_>>()
        .join("\n");
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
