//! A record, or an event -> a tree in which the places of findings are marked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use maud::{Markup, PreEscaped, html};

use super::Preview;
use super::findings::{FindingPlace, Places};
use super::units::thousands;
use crate::ground::document::{Kind, Node, OwnedDocument};
use crate::ground::printable::{brief, escape, shortened, without_colours};
use crate::ground::source::{Artifact, Pointer};

/// The maximum number of values of a record that its tree shows; the places of findings are added.
const MAX_NODES: usize = 1_500;

/// The maximum number of values of an event that its tree shows one by one; later objects and
/// arrays are shown as JSON, so that nothing of the event is left out.
const MAX_EVENT_NODES: usize = 400;

/// The maximum number of characters of a text in the tree of a record.
const MAX_TEXT: usize = 400;

/// The levels of the tree of a record that are open at first.
const OPEN_LEVELS: usize = 2;

/// The levels of the tree of an event that are open at first.
const OPEN_EVENT_LEVELS: usize = 6;

/// Returns a record, or the reason why it can't be shown.
pub(super) fn record(
    artifact: Artifact,
    record: &Result<OwnedDocument, String>,
    places: &Places<'_>,
) -> Markup {
    section(artifact, places, record, |document| {
        let anchor = |place| places.anchor(place);
        let mut tree = TreeWriter::new(places.in_record(artifact), false, &anchor);
        tree.root(document.root());
        html! {
            div.tree { (PreEscaped(&tree.out)) }
            @if tree.is_cut {
                p.note { "This record has more values, which are not on this page." }
            }
        }
    })
}

/// Returns the beginning of a file of lines, as it was written.
pub(super) fn of_lines(
    artifact: Artifact,
    file: &Result<Preview, String>,
    places: &Places<'_>,
) -> Markup {
    section(artifact, places, file, |file| {
        html! {
            pre tabindex="0" { (lines(&file.text)) }
            @if file.unshown > 0 { p.note { "This file is longer than this page shows." } }
        }
    })
}

fn section<T>(
    artifact: Artifact,
    places: &Places<'_>,
    read: &Result<T, String>,
    shown: impl FnOnce(&T) -> Markup,
) -> Markup {
    html! {
        section.record id=(places.record(artifact)) {
            h3 { code { (artifact.file_name()) } }
            @match read {
                Ok(read) => (shown(read)),
                Err(reason) => p.empty { (escape(reason)) },
            }
        }
    }
}

/// Returns an event with all that it says.
pub(super) fn event_tree(event: &OwnedDocument, line: u64, places: &Places<'_>) -> Markup {
    let marked = places
        .in_event(line)
        .map(|(pointer, place)| (pointer, *place));
    let anchor = |place| places.event_anchor(line, place);
    let mut tree = TreeWriter::new(marked.collect(), true, &anchor);
    tree.root(event.root());

    html! {
        // What a finding says is missing has no place in the tree.
        @for place in tree.marked.values().filter(|place| !tree.drawn.contains(&place.number)) {
            span id=(anchor(*place)) {}
        }
        div.tree { (PreEscaped(&tree.out)) }
    }
}

/// A tree on its way to markup. It is written from the front to the back, however deep it is.
struct TreeWriter<'p, 'r> {
    marked: BTreeMap<&'r str, FindingPlace>,
    is_event: bool,
    anchor: &'p dyn Fn(FindingPlace) -> String,
    /// The numbers of the places that the tree has.
    drawn: BTreeSet<usize>,
    out: String,
    shown: usize,
    is_cut: bool,
}

impl<'p, 'r> TreeWriter<'p, 'r> {
    fn new(
        marked: BTreeMap<&'r str, FindingPlace>,
        is_event: bool,
        anchor: &'p dyn Fn(FindingPlace) -> String,
    ) -> Self {
        Self {
            marked,
            is_event,
            anchor,
            drawn: BTreeSet::new(),
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
        let place = self
            .marked
            .get(pointer.as_str())
            .copied();
        let leads_on = self.leads_on(pointer);
        let is_marked = place.is_some() || leads_on;
        if self.shown >= MAX_NODES && !is_marked && !self.is_event {
            self.is_cut = true;
            return;
        }

        self.shown += 1;
        let anchor = place
            .filter(|place| self.drawn.insert(place.number))
            .map(self.anchor);
        let class = place.map(FindingPlace::class);
        let key = self.key(name);
        let is_group = matches!(value.kind(), Kind::Object | Kind::Array);
        let number = if is_group { length(value) } else { 0 };
        let is_whole = self.is_event && self.shown > MAX_EVENT_NODES && !leads_on;
        if number == 0 || is_whole {
            let line = html! { li class=[class] id=[anchor] { (key) (self.leaf(value)) } };
            self.out.push_str(&line.into_string());
            return;
        }

        let opening = html! { li class=[class] id=[anchor] {} }.into_string();
        self.out.push_str(
            opening
                .strip_suffix("</li>")
                .unwrap_or(&opening),
        );
        self.out
            .push_str(if level < self.open_levels() || is_marked {
                "<details open>"
            } else {
                "<details>"
            });
        let what = match value.kind() {
            Kind::Object => "{…}",
            _ => "[…]",
        };
        let summary = html! {
            summary { (key) span.group { (what) " " (thousands(number)) } }
        };
        self.out
            .push_str(&summary.into_string());
        self.out.push_str("<ul>");
        self.parts(value, pointer, level + 1);
        self.out
            .push_str("</ul></details></li>");
    }

    fn parts(&mut self, group: Node<'_>, pointer: &Pointer, level: usize) {
        for key in group.all_members() {
            let name = key.name();
            self.value(&name, key.value(), &pointer.field(&name), level);
        }

        for (index, item) in group.items().enumerate() {
            self.value(&index.to_string(), item, &pointer.item(index), level);
        }
    }

    fn key(&self, name: &str) -> Markup {
        match name {
            "" => html! {},
            name if self.is_event => html! { span.k { (escape(name)) } },
            name => html! { span.k { (brief(name)) } },
        }
    }

    /// Returns the number of levels that are open at first.
    fn open_levels(&self) -> usize {
        if self.is_event {
            OPEN_EVENT_LEVELS
        } else {
            OPEN_LEVELS
        }
    }

    /// Returns a value without parts, or one whose parts are not shown one by one.
    fn leaf(&self, value: Node<'_>) -> Markup {
        let class = match value.kind() {
            Kind::String => "s",
            Kind::Number => "n",
            _ => "w",
        };

        let text = match value.text() {
            Some(text) if self.is_event && text.contains('\n') => {
                return html! { pre.s tabindex="0" { (lines(&text)) } };
            }
            Some(text) if self.is_event => format!("\"{}\"", escape(&text)),
            Some(text) => format!("\"{}\"", shortened(&text, MAX_TEXT)),
            None if self.is_event => escape(value.raw()).into_owned(),
            None => shortened(value.raw(), MAX_TEXT),
        };

        html! { span.v.(class) { (text) } }
    }

    /// Returns `true` if a place lies below a pointer.
    fn leads_on(&self, pointer: &Pointer) -> bool {
        let below = format!("{}/", pointer.as_str());
        let range = (Bound::Included(&*below), Bound::Unbounded);
        self.marked
            .range::<str, _>(range)
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
    }
}

fn length(group: Node<'_>) -> u64 {
    (group.all_members().count() + group.items().count()) as u64
}

/// Returns a text of several lines, each safe to show.
pub(super) fn lines(text: &str) -> Markup {
    html! {
        @for (at, line) in without_colours(text).lines().enumerate() {
            @if at > 0 { "\n" }
            (escape(line))
        }
    }
}
