//! `lifecycle/links`: the links do not match the lifecycle of the run.

use crate::document::Kind;
use crate::facts::{Stage, StateFacts};
use crate::finding::{Level, Lifecycle, RuleInfo};
use crate::printable::brief;
use crate::rule::{Check, Draft, Findings, Need, Rule};
use crate::source::Place;

pub(crate) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "lifecycle/links",
        level: Level::Error,
        title: "the links do not match the lifecycle of the run",
        hint: "Link `events` and `learn` while the run is in progress, and all four artifacts when it has ended.",
        page: include_str!("links.md"),
    },
    check: Check::State(check),
    reads: &[],
    needs: &[Need::Lifecycle],
};

fn check(state: StateFacts<'_>, at: &Stage<'_>, findings: &mut Findings<'_>) {
    // The keys count, whatever their values are.
    let links = state.get("links");
    if links.is_some_and(|links| links.node().kind() != Kind::Object)
        || state.node().kind() != Kind::Object
    {
        return;
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
        return;
    }
    let present: Vec<_> = links
        .iter()
        .flat_map(|links| links.members())
        .map(|(key, _)| key)
        .collect();
    let absent: Vec<String> = expected
        .iter()
        .filter(|key| !present.iter().any(|name| name == *key))
        .map(|key| format!("`{}`", brief(key)))
        .collect();
    let extra: Vec<String> = present
        .iter()
        .filter(|key| !expected.contains(&&***key))
        .map(|key| format!("`{}`", brief(key)))
        .collect();
    let part = |what: &str, keys: &[String]| {
        let list = keys.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let rest = if keys.len() > 8 {
            format!(" and {} more", keys.len() - 8)
        } else {
            String::new()
        };
        (!keys.is_empty()).then(|| format!("{what} {list}{rest}"))
    };
    let parts: Vec<String> = [part("lacks", &absent), part("also links", &extra)]
        .into_iter()
        .flatten()
        .collect();
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
}
