//! The examples of a rule in the expression language -> what is wrong with them.

use serde_json::{Value as Json, json};

use super::{CountedEvents, FoundByRule, RunValues, TeamRule, run_as_json};
use crate::document::OwnedDocument;
use crate::finding::Lifecycle;
use crate::source::Line;
use crate::team::example::{RunExample, failures};

/// The records of a run that every rule accepts.
const STATE: &str = include_str!("../../cli/example/state.json");
const SUMMARY: &str = include_str!("../../cli/example/summary.json");

impl TeamRule {
    /// What is wrong with its examples, each as a line.
    pub(crate) fn failures(&self) -> Vec<String> {
        failures(&self.examples, |example| self.fires(example))
    }

    /// The lines at which it finds something in an example.
    fn fires(&self, example: &RunExample) -> Vec<u64> {
        let documents = Documents::of(example);
        let values = documents.values();
        let mut found = FoundByRule::default();
        example.for_each_event(|line, event| {
            if self.each.as_ref().is_some_and(|each| each.names(event)) {
                found.event(self, line, event, &values);
            }
            true
        });
        if self.judges_run(example.has_ended) {
            found.run(self, &values);
        }
        let line = |line: Option<Line>| line.map_or(0, |line| line.number);
        found
            .met
            .iter()
            .map(|(place, _)| line(place.line))
            .collect()
    }
}

/// The records of an example, and what is counted of its events.
struct Documents {
    state: Option<OwnedDocument>,
    summary: Option<OwnedDocument>,
    run: Option<OwnedDocument>,
    counts: Option<OwnedDocument>,
    tools: Option<OwnedDocument>,
}

impl Documents {
    fn of(example: &RunExample) -> Self {
        let mut counted = CountedEvents::default();
        example.for_each_event(|_, event| {
            counted.add(event);
            !counted.is_full
        });
        let [counts, tools] = counted.documents();
        let read = |text: String| OwnedDocument::read(text.into_bytes()).ok();
        let state = example.state.clone().unwrap_or_else(|| {
            let mut state: Json = serde_json::from_str(STATE).unwrap_or_default();
            if !example.has_ended {
                put(&mut state, "/outcomes/status", "pending".into());
                put(&mut state, "/links", json!({"events": "events.jsonl"}));
            }
            state.to_string()
        });
        let of_phase = |phase: &str| {
            let count = counts.as_ref()?.root().get(phase)?;
            count.raw().parse::<u64>().ok()
        };
        let summary = example.summary.clone().or_else(|| {
            let mut summary: Json = serde_json::from_str(SUMMARY).unwrap_or_default();
            for phase in ["plan", "act", "reflect"] {
                let count = of_phase(phase).unwrap_or_default();
                put(
                    &mut summary,
                    &format!("/metrics/{phase}_count"),
                    count.into(),
                );
            }
            example.has_ended.then(|| summary.to_string())
        });
        let (state, summary) = (read(state), summary.and_then(read));
        let lifecycle = if example.has_ended {
            Lifecycle::Terminal
        } else {
            Lifecycle::NonTerminal
        };
        let roots = [&state, &summary].map(|it| it.as_ref().map(OwnedDocument::root));
        let run = run_as_json(Some("ep_1"), Some("ep_1"), lifecycle, roots);
        Self {
            run: OwnedDocument::read(run).ok(),
            state,
            summary,
            counts,
            tools,
        }
    }

    fn values(&self) -> RunValues<'_> {
        RunValues {
            state: Ok(self.state.as_ref().map(OwnedDocument::root)),
            summary: Ok(self.summary.as_ref().map(OwnedDocument::root)),
            run: self.run.as_ref().map(OwnedDocument::root),
            counts: self.counts.as_ref().map(OwnedDocument::root),
            tools: self.tools.as_ref().map(OwnedDocument::root),
        }
    }
}

/// Puts a value in the place of one.
fn put(record: &mut Json, pointer: &str, value: Json) {
    if let Some(place) = record.pointer_mut(pointer) {
        *place = value;
    }
}
