//! A declaration and its examples -> what is wrong with these.

use std::iter;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::example::RunExample;
use super::judges::TeamJudges;
use super::rule::{RunValues, run_as_json};
use super::{RunFacts, Team, TeamCheck};
use crate::document::{OwnedDocument, Tape};
use crate::draft::{FindingMemory, Findings};
use crate::finding::{Lifecycle, Severity};
use crate::source::Line;

/// The records of a run that every rule accepts.
const STATE: &str = include_str!("../cli/example/state.json");
const SUMMARY: &str = include_str!("../cli/example/summary.json");

impl Team {
    /// The number of examples of a declaration, and what is wrong with them, each as a line;
    /// `None` for one that has no examples.
    pub(crate) fn test(self: &Arc<Self>, check: TeamCheck) -> Option<(usize, Vec<String>)> {
        let examples = match check {
            TeamCheck::Schema(at) => {
                let schema = self.schemas.get(at)?;
                return Some((schema.examples.len(), schema.failures()));
            }
            TeamCheck::Order(at) => &self.orders.get(at)?.examples,
            TeamCheck::Rule(at) => &self.rules.get(at)?.examples,
            TeamCheck::Vocabulary => return None,
        };
        let judges = TeamJudges::new(self, iter::once(check));
        let wrong = examples.iter().filter_map(|example| {
            let (mut expected, mut found) = (
                example.fires.get_ref().clone(),
                example.fires(&judges, check),
            );
            expected.sort_unstable();
            found.sort_unstable();
            (found != expected).then(|| {
                let (place, found, expected) = (&example.place, lines(&found), lines(&expected));
                format!("{place}: the rule fires at {found}, not at {expected}")
            })
        });
        let mut wrong: Vec<String> = wrong.collect();
        if examples
            .iter()
            .all(|example| example.fires.get_ref().is_empty())
        {
            wrong.push("the rule has no example in which it finds something".into());
        }
        Some((examples.len(), wrong))
    }
}

impl RunExample {
    /// The lines at which a declaration finds something in it.
    fn fires(&self, judges: &TeamJudges, check: TeamCheck) -> Vec<u64> {
        let mut judges = judges.clone();
        let events = self.filled();
        let read = |text: String| OwnedDocument::read(text.into_bytes()).ok();
        let has_ended = self.ended.unwrap_or(true);
        let (state, summary) = self.records(&events, has_ended);
        let (state, summary) = (read(state), summary.and_then(read));
        let lifecycle = if has_ended {
            Lifecycle::Terminal
        } else {
            Lifecycle::NonTerminal
        };
        let roots = [&state, &summary].map(|it| it.as_ref().map(OwnedDocument::root));
        let run = run_as_json(Some("ep_1"), Some("ep_1"), lifecycle, roots);
        let run = OwnedDocument::read(run).ok();
        let values = || RunValues {
            state: Ok(state.as_ref().map(OwnedDocument::root)),
            summary: Ok(summary.as_ref().map(OwnedDocument::root)),
            run: run.as_ref().map(OwnedDocument::root),
            counts: None,
            tools: None,
        };
        let mut tape = Tape::default();
        for (number, text) in (1..).zip(&events) {
            if let Ok(document) = tape.read(text.as_bytes()) {
                let line = Line {
                    number,
                    length: text.len(),
                    ..Line::BEFORE_ALL
                };
                judges.event(line, document.root(), &values());
            }
        }
        judges.end(lifecycle, values(), |line, bytes| {
            let text = usize::try_from(line.number - 1).map(|at| events.get(at));
            let text = text.ok().flatten();
            text.inspect(|text| text.as_bytes().clone_into(bytes))
                .is_some()
        });
        let facts = RunFacts {
            lifecycle,
            has_events: !events.is_empty(),
            broken_line: None,
            unjudged: &|_| None,
        };
        let (mut memory, mut drafts) = (FindingMemory::new(""), Vec::new());
        let mut skips = Vec::new();
        let severity = Severity::Error;
        let mut findings = Findings::new("", 0, severity, &mut memory, &mut drafts, &mut skips);
        let _ = judges.report(check, Some(&facts), &mut findings);
        let lines = drafts.iter().map(|it| it.draft.place.line);
        lines
            .map(|line| line.map_or(0, |line| line.number))
            .collect()
    }

    /// The state and the summary: those of a sound run where there are no others.
    fn records(&self, events: &[String], has_ended: bool) -> (String, Option<String>) {
        let state = self.state.as_ref().map_or_else(
            || {
                let mut state: Json = serde_json::from_str(STATE).unwrap_or_default();
                if !has_ended {
                    put(&mut state, "/outcomes/status", "pending".into());
                    put(&mut state, "/links", json!({"events": "events.jsonl"}));
                }
                state.to_string()
            },
            |state| state.get_ref().clone(),
        );
        let summary = self
            .summary
            .as_ref()
            .map(|summary| summary.get_ref().clone())
            .or_else(|| {
                let mut summary: Json = serde_json::from_str(SUMMARY).unwrap_or_default();
                let events = events.iter().map(|event| serde_json::from_str(event));
                let events: Vec<Json> = events.map(Result::unwrap_or_default).collect();
                for phase in ["plan", "act", "reflect"] {
                    let count = events
                        .iter()
                        .filter(|event| event["phase"] == phase)
                        .count();
                    put(
                        &mut summary,
                        &format!("/metrics/{phase}_count"),
                        count.into(),
                    );
                }
                has_ended.then(|| summary.to_string())
            });
        (state, summary)
    }
}

fn lines(lines: &[u64]) -> String {
    match lines {
        [] => "no line".to_owned(),
        [line] => format!("line {line}"),
        lines => {
            let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
            format!("lines {}", lines.join(", "))
        }
    }
}

/// Puts a value in the place of one.
fn put(record: &mut Json, pointer: &str, value: Json) {
    if let Some(place) = record.pointer_mut(pointer) {
        *place = value;
    }
}
