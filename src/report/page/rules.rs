//! The page of a rule, in Markdown -> markup. These texts are part of the program.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::ground::finding::RuleInfo;

/// Draws the page of a rule.
pub(crate) fn rule(info: &RuleInfo) -> Markup {
    let mut markup = String::new();
    let parser = Parser::new_ext(&info.page, Options::ENABLE_TABLES);
    // Links lead to files that are not here, and the headings stand below others.
    let shown = parser.filter_map(|event| match event {
        Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) => None,
        Event::Start(Tag::Heading {
            id, classes, attrs, ..
        }) => {
            let level = HeadingLevel::H5;
            Some(Event::Start(Tag::Heading {
                level,
                id,
                classes,
                attrs,
            }))
        }
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(HeadingLevel::H5))),
        event => Some(event),
    });
    pulldown_cmark::html::push_html(&mut markup, shown);

    html! {
        section.rule-page id={ "rule-" (info.id) } {
            h4 { code { (info.id) } ": " (info.title) }
            (PreEscaped(markup))
        }
    }
}
