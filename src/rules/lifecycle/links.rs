//! `lifecycle/links`: the links do not match the lifecycle of the run.

use std::borrow::Cow;

use crate::document::Kind;
use crate::draft::{Compared, Draft, Findings};
use crate::facts::{Stage, StateFacts};
use crate::finding::{Level, Lifecycle};
use crate::printable::brief;
use crate::rule::{BuiltIn, Check, Need, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/links",
    level: Level::Error,
    title: "the links do not match the lifecycle of the run",
    hint: "Link `events` and `learn` while the run is in progress, and all four artifacts when it has ended.",
    page: include_str!("links.md"),
    check: Check::State(check),
})
.needs(&[Need::Lifecycle]);

/// The number of keys that are listed one by one.
const LISTED: usize = 8;

fn check(state: StateFacts<'_>, at: &Stage<'_>, findings: &mut Findings<'_>) -> Compared {
    // The keys count, whatever their values are.
    let links = state.get("links");
    if links.is_some_and(|links| links.node().kind() != Kind::Object)
        || state.node().kind() != Kind::Object
    {
        return Compared::Nothing;
    }
    let (kind, expected) = match at.lifecycle {
        Lifecycle::Terminal => (
            "a run that has ended",
            &["events", "learn", "summary", "manifest"][..],
        ),
        _ => ("a run in progress", &["events", "learn"][..]),
    };
    let is_linked = |key: &&str| links.is_some_and(|links| links.get(key).is_some());
    let number = links.map_or(0, |links| links.members().count());
    if number == expected.len() && expected.iter().all(is_linked) {
        return Compared::Something;
    }
    let absent = expected.iter().filter(|key| !is_linked(key));
    let absent = listed("lacks", absent.map(|key| Cow::Borrowed(*key)));
    let present = links.iter().flat_map(|links| links.members());
    let present = present.map(|(key, _)| key);
    let extra = present.filter(|key| !expected.contains(&&**key));
    let extra = listed("also links", extra);
    let parts: Vec<String> = absent.into_iter().chain(extra).collect();
    if !parts.is_empty() {
        let place = if links.is_some() {
            Place::state("/links")
        } else {
            Place::state("")
        };
        let message = format!(
            "{kind} must link exactly `{}`, but this one {}",
            expected.join("`, `"),
            parts.join(" and ")
        );
        findings.push(Draft::new(place, message).besides(&at.lifecycle));
    }
    Compared::Something
}

/// The first of some keys, and how many others there are; `None` where there are no keys. A state
/// may link millions, so no more of them are kept.
fn listed<'k>(what: &str, mut keys: impl Iterator<Item = Cow<'k, str>>) -> Option<String> {
    let shown = keys.by_ref().take(LISTED);
    let shown: Vec<String> = shown.map(|key| format!("`{}`", brief(&key))).collect();
    let rest = match keys.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{what} {}{rest}", shown.join(", ")))
}
