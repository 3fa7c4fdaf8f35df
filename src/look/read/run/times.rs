//! When a run started and ended, by its records and its events.

use std::time::Duration;

use super::super::RunEntry;
use super::RunReader;
use crate::ground::document::Node;
use crate::ground::finding::Lifecycle;
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;

impl RunReader {
    /// Returns when the run started, by each record and by its first event; `None` for what can't
    /// be read.
    pub(crate) fn starts(&self) -> Vec<Option<Timestamp>> {
        let start = |node: Option<Node<'_>>| {
            Some(
                node?
                    .text()
                    .and_then(|it| Timestamp::parse(&it)),
            )
        };

        let of_record = |artifact, path: &[&str]| {
            let record = self.document(artifact);
            record.map_or(Some(None), |record| start(record.root().at(path)))
        };

        let of_events = || match self.event_texts() {
            Ok(mut lines) => match lines.next_document()? {
                Ok((_, event)) => start(event.get("timestamp")),
                Err(_) => Some(None),
            },
            Err(_) => Some(None),
        };

        let given = |artifact| match artifact {
            Artifact::State => of_record(artifact, &["episode", "started_at"]),
            Artifact::Summary => of_record(artifact, &["started_at"]),
            Artifact::Events => of_events(),
            Artifact::Learn | Artifact::Manifest => None,
        };

        Artifact::ALL
            .into_iter()
            .filter(|artifact| self.dir.entries.has(*artifact))
            .filter_map(given)
            .collect()
    }

    /// Returns when the run ended: the latest time of its events, else the start and the duration
    /// of its records; `None` of a run that has not ended, and where there are no such times.
    pub(crate) fn ended(&self, entry: &RunEntry) -> Option<Timestamp> {
        if entry.lifecycle != Lifecycle::Terminal {
            return None;
        }

        let latest = || {
            let (mut lines, mut latest) = (self.event_texts().ok()?, None);
            while let Some(line) = lines.next_document() {
                // A line that is no event has no time.
                let Ok((_, event)) = line else { continue };
                let at = event
                    .get("timestamp")
                    .and_then(Node::text);
                latest = latest.max(at.and_then(|at| Timestamp::parse(&at)));
            }

            latest
        };

        let by_duration = || {
            let started = Timestamp::parse(entry.started_at.as_deref()?)?;
            let lasted = Duration::try_from_secs_f64(entry.duration_sec?).ok()?;
            started.checked_add(lasted)
        };

        latest().or_else(by_duration)
    }
}
