//! Requests for the events of a run -> a page of them.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Answer, failed, in_turn_of, part};
use crate::ground::document::Node;
use crate::ground::printable::escape;
use crate::look::read::{Error, RunReader};
use crate::reading::outline;
use crate::report::raw_json;
use crate::serve::asker::Asker;
use crate::serve::problem::Problem;
use crate::serve::{Service, json, query};

/// The number of events of a page, unless the query says otherwise.
const DEFAULT_EVENTS: usize = 100;

/// The size of the events of a page after which it ends.
const MAX_EVENT_BYTES: usize = 4 << 20;

/// The query for the events of a run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct EventQuery {
    /// The directory of the run, where the address does not name it.
    #[schemars(skip)]
    pub(super) dir: Option<String>,
    /// The maximum number of lines of the page, from 1 to 1000 [default: 100].
    #[schemars(with = "Option<usize>", range(min = 1, max = 1_000))]
    pub(super) limit: Option<String>,
    /// `next` of the page before.
    #[schemars(with = "Option<u64>")]
    pub(super) cursor: Option<String>,
    /// The phases of the events; lines that are not events are left out then.
    #[serde(default)]
    pub(super) phase: Vec<String>,
    /// Words that an event must all contain, in any case of ASCII letters, in its keys or values
    /// as they are in JSON; lines that are not events are left out then.
    pub(super) q: Option<String>,
}

/// One page of the events of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct EventList {
    /// The lines of the timeline that are not blank.
    pub(super) items: Vec<EventItem>,
    /// The `cursor` of the query for the next page; null on the last page.
    #[schemars(required, schema_with = "crate::ground::record::nullable::<u64>")]
    pub(super) next: Option<u64>,
}

/// A line of a timeline.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::serve) struct EventItem {
    /// The number of the line, counted from 1.
    pub(super) line: u64,
    /// The event as it is stored, whether or not it is valid; absent where the line is not a JSON
    /// object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::ground::record::any_value")]
    pub(super) event: Option<Box<RawValue>>,
    /// The event in one line of text; absent where the line is not a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<String>,
    /// The reason why the line is not an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// `GET /api/v1/runs/{id}/events`
pub(in crate::serve) async fn events(
    State(service): State<Arc<Service>>,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query: EventQuery = query::parse(query.as_deref())?;
    if query.dir.is_some() {
        return Err(Problem::bad("the address names a run: leave `dir` out"));
    }
    listed(service, &part(id)?, query).await
}

/// `GET /api/v1/events`
pub(in crate::serve) async fn events_in(
    State(service): State<Arc<Service>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query: EventQuery = query::parse(query.as_deref())?;
    let dir = query
        .dir
        .clone()
        .ok_or_else(|| Problem::bad("`dir` is missing"))?;

    listed(service, &dir, query).await
}

/// Answers with a page of the events of a run.
async fn listed(service: Arc<Service>, name: &str, query: EventQuery) -> Answer {
    let path = service.path_of(name)?;
    let turns = if query.searches() {
        &service.turns.searches
    } else {
        &service.turns.readers
    };

    let turns = Arc::clone(turns);
    let (connected, asker) = Asker::new();
    let page = in_turn_of(turns, service, move |service| {
        query.page(&service.open(path)?, &asker)
    })
    .await;
    drop(connected);

    Ok(json(&page??))
}

impl EventQuery {
    /// Returns `true` if it may read a whole timeline for a page.
    fn searches(&self) -> bool {
        !self.phase.is_empty() || self.q.is_some()
    }

    fn page(&self, run: &RunReader, asker: &Asker) -> Result<EventList, Problem> {
        let limit = query::limit(self.limit.as_deref(), DEFAULT_EVENTS).map_err(Problem::bad)?;
        let cursor = self
            .cursor
            .as_deref()
            .map(str::parse::<u64>)
            .transpose()
            .map_err(|_| Problem::bad("`cursor` is not the `next` of a page"))?
            .unwrap_or_default();
        let words = query::searched("q", self.q.as_deref())
            .map_err(Problem::bad)?
            .to_ascii_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut lines = run.event_texts()?.starting_at(cursor);
        let (mut items, mut bytes) = (Vec::new(), 0);

        while let Some(read) = lines.next_document() {
            asker.check()?;
            let Some(item) = self.item(read, cursor, &words)? else {
                continue;
            };
            if items.len() == limit || bytes > MAX_EVENT_BYTES {
                let next = Some(item.line);
                return Ok(EventList { items, next });
            }

            bytes += item
                .event
                .as_ref()
                .map_or(0, |event| event.get().len());
            items.push(item);
        }

        Ok(EventList { items, next: None })
    }

    /// Returns a line from the cursor on, if it is asked for.
    fn item(
        &self,
        read: Result<(u64, Node<'_>), Error>,
        cursor: u64,
        words: &[&str],
    ) -> Result<Option<EventItem>, Problem> {
        match read {
            Ok((line, event)) => Ok(self
                .selected(event, words)?
                .map(|text| EventItem {
                    line,
                    event: Some(text),
                    summary: Some(outline::summary_of(line, event, None).summary),
                    error: None,
                })),
            Err(Error::Artifact {
                place: Some((line, _)),
                reason,
                ..
            }) => {
                let takes_all = self.phase.is_empty() && words.is_empty();
                Ok((line >= cursor && takes_all).then(|| EventItem {
                    line,
                    event: None,
                    summary: None,
                    error: Some(escape(&reason).into_owned()),
                }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the text of an event, if it has one of the phases and all words.
    fn selected(&self, event: Node<'_>, words: &[&str]) -> Result<Option<Box<RawValue>>, Problem> {
        let phase = event.get("phase").and_then(Node::text);
        let is_one = |phase| {
            self.phase
                .iter()
                .any(|selected| *selected == phase)
        };

        if !self.phase.is_empty() && !phase.is_some_and(is_one) {
            return Ok(None);
        }

        let text = raw_json(event).map_err(|error| failed(&error))?;
        if words.is_empty() {
            return Ok(Some(text));
        }

        let lower = text.get().to_ascii_lowercase();
        let has_all = words
            .iter()
            .all(|word| lower.contains(word));

        Ok(has_all.then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_ends_when_its_asker_goes() {
        let query: EventQuery = query::parse(Some("q=act")).unwrap();
        let (connected, asker) = Asker::new();
        let run = RunReader::open("corpus/demo/episodes/ep_01_answer").unwrap();
        assert!(query.page(&run, &asker).is_ok());
        drop(connected);
        assert_eq!(
            query
                .page(&run, &asker)
                .unwrap_err()
                .status,
            503
        );
    }
}
