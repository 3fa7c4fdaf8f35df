//! `lifecycle/links`: the links do not match the lifecycle of the run.

use std::borrow::Cow;

use crate::ground::document::Kind;
use crate::ground::printable::brief;
use crate::judge::rule::{BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::reading::facts::InState;

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "lifecycle/links",
    level: Level::Error,
    title: "the links do not match the lifecycle of the run",
    hint: "Link `events` and `learn` while the run is in progress, and all four artifacts when it has ended.",
    page: include_str!("links.md"),
    check,
});

/// The number of keys that are listed one by one.
const LISTED: usize = 8;

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    let (state, has_ended) = (ctx.state()?, ctx.has_ended()?);
    // The keys count, whatever their values are.
    let links = state.value(InState::Links);
    if links.is_some_and(|links| links.kind() != Kind::Object)
        || state.root().kind() != Kind::Object
    {
        return None;
    }

    let (kind, expected): (_, &[&str]) = if has_ended {
        let all = &["events", "learn", "summary", "manifest"];
        ("a run that has ended", all)
    } else {
        ("a run in progress", &["events", "learn"])
    };

    let absent = (state.known_links())
        .filter(|(key, link)| link.is_none() && expected.contains(key))
        .map(|(key, _)| Cow::Borrowed(key));
    let absent = listed("lacks", absent);
    let as_expected =
        (state.known_links()).all(|(key, link)| link.is_none() || expected.contains(&key));
    // What is expected is not looked at again.
    let present = links.filter(|_| !as_expected || state.other_links().next().is_some());
    let present = present
        .iter()
        .flat_map(|links| links.members());
    let extra = present
        .map(|(key, _)| key)
        .filter(|key| !expected.contains(&&**key));
    let extra = listed("also links", extra);
    let parts: Vec<String> = absent
        .into_iter()
        .chain(extra)
        .collect();
    if !parts.is_empty() {
        let place = Place::state(if links.is_some() { "/links" } else { "" });
        let (expected, parts) = (expected.join("`, `"), parts.join(" and "));
        let message = format!("{kind} must link exactly `{expected}`, but this one {parts}");
        let draft = Draft::new(place, message).besides(&ctx.lifecycle());
        ctx.push(draft);
    }

    Some(Compared)
}

/// Returns the first of some keys, and how many others there are; `None` where there are no keys. A
/// state may link millions, so no more of them are kept.
fn listed<'k>(what: &str, mut keys: impl Iterator<Item = Cow<'k, str>>) -> Option<String> {
    let shown: Vec<String> = keys
        .by_ref()
        .take(LISTED)
        .map(|key| format!("`{}`", brief(&key)))
        .collect();
    let rest = match keys.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };

    (!shown.is_empty()).then(|| format!("{what} {}{rest}", shown.join(", ")))
}
