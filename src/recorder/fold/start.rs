//! A `start` event -> the state with which a run begins.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::event::{ANCHORED, RunEvent};
use super::super::size::Size;
use super::super::task::GIVEN;
use super::{Folded, RunFold, typed, wrong};

use crate::ground::record::{
    Episode, Goal, Links, Outcomes, Plan, RunStatus, RuntimeMode, State, format,
};
use crate::ground::words::Words;

impl RunFold {
    /// Returns the state after the `start` event.
    pub(in crate::recorder) fn start(event: &RunEvent) -> Folded<Self> {
        let started = event.at().ok_or_else(|| wrong(event))?;
        if event.phase != "start" {
            return Err("is not a `start` event".into());
        }

        let payload = &event.payload;
        let word = |name| {
            payload
                .get(name)
                .and_then(Value::as_str)
        };

        let threshold = payload
            .get("threshold")
            .and_then(Value::as_f64);

        Ok(Self {
            state: first_state(event)?,
            started,
            last: started,
            events: 1,
            plans: 0,
            reflections: 0,
            directions: 0,
            directions_applied: 0,
            vetoes: 0,
            last_policy: None,
            last_diff: None,
            proposals: 0,
            proposals_applied: 0,
            first_action: None,
            open: BTreeSet::new(),
            open_since: None,
            busy: 0,
            mode: word("mode")
                .and_then(RuntimeMode::of_word)
                .unwrap_or(RuntimeMode::Minimal),
            verification: None,
            terminated: None,
            is_anchored: payload.contains_key(ANCHORED),
            sealed_last: None,
            verify: payload.get("verify").cloned(),
            threshold: threshold.unwrap_or(0.5),
            planned: Size::default(),
            held: Size::of(payload),
            places: BTreeMap::new(),
            stopped: None,
            has_given_times: word("times") == Some(GIVEN),
            has_unknown_times: false,
            refused: 0,
            attached: BTreeMap::new(),
        })
    }
}

/// Returns the state that the `start` event declares.
fn first_state(event: &RunEvent) -> Folded<State> {
    let text = |name: &str| {
        Some(
            event
                .payload
                .get(name)?
                .as_str()?
                .to_owned(),
        )
    };

    Ok(State {
        version: format::STATE_VERSION.into(),
        state_schema_version: format::STATE_SCHEMA_VERSION.into(),
        episode: Episode {
            id: event.episode_id.clone(),
            seed: typed(event, "seed")?,
            tags: typed(event, "tags")?,
            using: text("using"),
            started_at: event.timestamp.clone(),
            intuition_mode: typed(event, "intuition_mode")?,
        },
        goal: Goal {
            task: text("task").ok_or_else(|| wrong(event))?,
            kind: text("type"),
        },
        beliefs: None,
        plan: Plan::default(),
        memory: None,
        outcomes: Outcomes {
            status: RunStatus::Pending,
            actions: Some(Vec::new()),
            metrics: None,
            artifacts: None,
            error: Value::Null,
        },
        links: Some(links(false)),
    })
}

/// Returns the links of a run, by whether it has ended.
pub(super) fn links(ended: bool) -> Links {
    Links {
        events: Some("events.jsonl".into()),
        learn: Some("learn.jsonl".into()),
        summary: ended.then(|| "summary.json".into()),
        manifest: ended.then(|| "manifest.json".into()),
    }
}
