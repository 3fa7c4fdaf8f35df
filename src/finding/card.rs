//! The state and the summary of a run -> what a list of runs shows of it, in little memory.

use serde::{Deserialize, Serialize};

use crate::document::{Key, Kind, Node, Number};
use crate::printable::{brief, brief_json};
use crate::timestamp::Timestamp;

/// The maximum number of tags of a run that are kept.
const MAX_TAGS: usize = 8;

/// The maximum number of latencies of a run that are kept, and of its metrics.
const MAX_FIGURES: usize = 12;

/// What a list of runs shows of a run, in addition to what a check found. Texts are as written,
/// whether or not the schema allows them, in short and safe to print. What the records do not say
/// is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Card {
    pub(crate) task: Option<String>,
    /// The status, from the state.
    pub(crate) status: Option<String>,
    /// The outcome, from the summary.
    pub(crate) outcome: Option<String>,
    /// When the run started, as written.
    pub(crate) started_at: Option<String>,
    /// When the run started, in seconds since 1970, where it is an instant.
    pub(crate) started_sec: Option<i64>,
    pub(crate) duration_sec: Option<f64>,
    /// Names and values.
    pub(crate) tags: Vec<(String, String)>,
    /// Names and milliseconds.
    pub(crate) latencies: Vec<(String, f64)>,
    /// The names of metrics of the outcomes, and their numbers.
    pub(crate) metrics: Vec<(String, f64)>,
}

/// No number of a JSON text is unequal to itself.
impl Eq for Card {}

impl Card {
    pub(crate) fn of(state: Option<Node<'_>>, summary: Option<Node<'_>>) -> Self {
        let text =
            |record: Option<Node<'_>>, path: &[&str]| Some(brief(&record?.at(path)?.text()?));
        let started_at = record_text(state, &["episode", "started_at"])
            .or_else(|| record_text(summary, &["started_at"]));
        let started_sec = started_at.as_deref().and_then(Timestamp::parse);
        let duration = summary.and_then(|summary| summary.get("duration_sec")?.number());
        let mut tags = members(state, &["episode", "tags"]).chain(members(summary, &["tags"]));
        let mut kept: Vec<(String, String)> = Vec::new();
        for key in tags.by_ref().take(2 * MAX_TAGS) {
            let tag = (brief(&key.name()), shown(key.value()));
            if kept.len() < MAX_TAGS && !kept.contains(&tag) {
                kept.push(tag);
            }
        }
        Self {
            task: text(state, &["goal", "task"]).or_else(|| text(summary, &["task"])),
            status: text(state, &["outcomes", "status"]),
            outcome: text(summary, &["outcome"]),
            started_at: started_at.as_deref().map(brief),
            started_sec: started_sec.map(|started| started.unix_seconds()),
            duration_sec: duration.map(Number::as_f64),
            tags: kept,
            latencies: figures(summary, &["metrics", "latencies"]),
            metrics: figures(state, &["outcomes", "metrics"]),
        }
    }
}

/// The first members of an object that are numbers.
fn figures(record: Option<Node<'_>>, path: &[&str]) -> Vec<(String, f64)> {
    let numbers = members(record, path)
        .filter_map(|key| Some((brief(&key.name()), key.value().number()?.as_f64())));
    numbers.take(MAX_FIGURES).collect()
}

fn members<'r>(record: Option<Node<'r>>, path: &[&str]) -> impl Iterator<Item = Key<'r>> {
    let object = record.and_then(|record| record.at(path));
    object.into_iter().flat_map(Node::members)
}

fn record_text(record: Option<Node<'_>>, path: &[&str]) -> Option<String> {
    Some(record?.at(path)?.text()?.into_owned())
}

/// The value of a tag in short: a text without its quotes, anything else as JSON.
fn shown(value: Node<'_>) -> String {
    match value.kind() {
        Kind::String => brief(&value.text().unwrap_or_default()),
        _ => brief_json(value.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::OwnedDocument;

    #[test]
    fn card_keeps_what_both_records_say() {
        let read = |text: &str| OwnedDocument::read(text.as_bytes().to_vec()).unwrap();
        let state = read(
            r#"{"goal":{"task":"t"},"outcomes":{"status":"okay","metrics":{"note":"x","score":0.5}},
            "episode":{"started_at":"1970-01-02T01:00:00+01:00","tags":{"a":1,"b":"x"}}}"#,
        );
        let summary = read(
            r#"{"outcome":"success","duration_sec":0.5,"tags":{"b":"x","c":null},
            "metrics":{"latencies":{"total_ms":150,"odd_ms":"fast"}}}"#,
        );
        let card = Card::of(Some(state.root()), Some(summary.root()));
        assert_eq!(card.status.as_deref(), Some("okay"));
        assert_eq!(card.started_sec, Some(86_400));
        let tags = [("a", "1"), ("b", "x"), ("c", "null")];
        assert!(
            card.tags
                .iter()
                .map(|(key, value)| (&**key, &**value))
                .eq(tags)
        );
        assert_eq!(card.latencies, [("total_ms".to_owned(), 150.0)]);
        assert_eq!(card.metrics, [("score".to_owned(), 0.5)]);
        assert_eq!(Card::of(None, None), Card::default());
    }
}
