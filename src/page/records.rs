//! A record -> a tree in which the places of findings are marked.

use std::collections::BTreeMap;
use std::ops::Bound;

use maud::{Markup, PreEscaped, html};

use super::findings::{Place, Places};
use super::units::thousands;
use crate::document::{Kind, Node, OwnedDocument};
use crate::printable::{brief, shortened};
use crate::source::{Artifact, Pointer};

/// The maximum number of values of a record that its tree shows; the places of findings are added.
const MAX_NODES: usize = 1_500;

/// The maximum number of characters of a text in a tree.
const MAX_TEXT: usize = 400;

/// The levels of a tree that are open at first.
const OPEN_LEVELS: usize = 2;

pub(super) fn record(
    artifact: Artifact,
    record: &Result<OwnedDocument, String>,
    places: &Places<'_>,
) -> Markup {
    html! {
        section.record id=(places.record(artifact)) {
            h3 { code { (artifact.file_name()) } }
            @match record {
                Ok(document) => {
                    @let mut tree = Tree::new(artifact, places);
                    @let () = tree.root(document.root());
                    div.tree { (PreEscaped(&tree.out)) }
                    @if tree.is_cut {
                        p.note { "This record has more values, which are not on this page." }
                    }
                }
                Err(reason) => p.empty { (super::said(reason)) },
            }
        }
    }
}

/// A tree on its way to markup. It is written from the front to the back, however deep it is.
struct Tree<'p, 'r> {
    places: &'p Places<'r>,
    marked: &'p BTreeMap<&'r str, Place>,
    out: String,
    shown: usize,
    is_cut: bool,
}

impl<'p, 'r> Tree<'p, 'r> {
    fn new(artifact: Artifact, places: &'p Places<'r>) -> Self {
        Self {
            places,
            marked: places.in_record(artifact),
            out: String::new(),
            shown: 0,
            is_cut: false,
        }
    }

    fn root(&mut self, root: Node<'_>) {
        self.out.push_str("<ul>");
        self.value("", root, &Pointer::default(), 0);
        self.out.push_str("</ul>");
    }

    fn value(&mut self, name: &str, value: Node<'_>, pointer: &Pointer, level: usize) {
        let place = self.marked.get(pointer.as_str()).copied();
        let leads_on = self.leads_on(pointer);
        if self.shown >= MAX_NODES && place.is_none() && !leads_on {
            self.is_cut = true;
            return;
        }
        self.shown += 1;
        let anchor = place.map(|place| self.places.anchor(place));
        let class = place.map(Place::class);
        let key = html! { @if !name.is_empty() { span.k { (brief(name)) } } };
        let is_group = matches!(value.kind(), Kind::Object | Kind::Array);
        let number = if is_group { length(value) } else { 0 };
        if number == 0 {
            let line = html! { li class=[class] id=[anchor] { (key) (scalar(value)) } };
            self.out.push_str(&line.0);
            return;
        }
        let is_open = level < OPEN_LEVELS || place.is_some() || leads_on;
        let what = if value.kind() == Kind::Object {
            "{…}"
        } else {
            "[…]"
        };
        let start = html! {
            summary { (key) span.group { (what) " " (thousands(number)) } }
        };
        let opening = html! { li class=[class] id=[anchor] {} };
        self.out
            .push_str(opening.0.strip_suffix("</li>").unwrap_or(&opening.0));
        self.out.push_str(if is_open {
            "<details open>"
        } else {
            "<details>"
        });
        self.out.push_str(&start.0);
        self.out.push_str("<ul>");
        for key in value.members() {
            let name = key.name();
            self.value(&name, key.value(), &pointer.field(&name), level + 1);
        }
        for (index, item) in value.items().enumerate() {
            self.value(&index.to_string(), item, &pointer.item(index), level + 1);
        }
        self.out.push_str("</ul></details></li>");
    }

    /// Whether a place lies below a pointer.
    fn leads_on(&self, pointer: &Pointer) -> bool {
        let below = format!("{}/", pointer.as_str());
        let range = (Bound::Included(&*below), Bound::Unbounded);
        let mut after = self.marked.range::<str, _>(range);
        after
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
    }
}

fn length(group: Node<'_>) -> u64 {
    (group.members().count() + group.items().count()) as u64
}

fn scalar(value: Node<'_>) -> Markup {
    let class = match value.kind() {
        Kind::String => "s",
        Kind::Number => "n",
        _ => "w",
    };
    let text = match value.text() {
        Some(text) => format!("\"{}\"", shortened(&text, MAX_TEXT)),
        None => shortened(value.raw(), MAX_TEXT),
    };
    html! { span.v.(class) { (text) } }
}
