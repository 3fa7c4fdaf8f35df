//! Plans: events -> the plan rebuilt from them, and its differences from a persisted
//! one.
//!
//! ```
//! use runvet::read::RunData;
//!
//! let run_data = RunData::open("corpus/demo")?;
//! let edited = run_data.get("ep_03_edited")?;
//! let events = edited.events()?.flatten().map(|line| line.text);
//! let plan = runvet::plan::project(events).unwrap().unwrap();
//! let plan = serde_json::to_value(plan).unwrap(); // as `rebuilt` in the schema `plan`
//! assert_eq!(plan["steps"][1]["status"], "done");
//!
//! let comparison = runvet::plan::compare(&edited).unwrap();
//! assert_eq!(comparison.differences[0].pointer, "/plan/steps/1/status");
//! assert_eq!(comparison.differs_from(), Some(6)); // the act event on line 6 disagrees
//! # Ok::<(), runvet::read::Error>(())
//! ```

mod rows;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ground::document::{ReadText, Refused};
use crate::ground::finding::{Lifecycle, MAX_FINDINGS_PER_RULE, SkipReason};
use crate::ground::source::{Artifact, Line};
use crate::judge::rules::plan_difference;
use crate::look::read::{Error, RunReader};
use crate::reading::facts::plan::{PlanForm, Rebuilt, RebuiltStep};
use crate::reading::facts::{
    self, EventFacts, EventListener, JsonText, Reach, Run, StateFacts, TimelineFacts,
    TimelineReader, Usable,
};
use crate::reading::schema;
use crate::report::raw_json;
/// A plan rebuilt from the timeline. Values that the timeline does not give are null.
#[derive(Debug, Serialize, JsonSchema, PartialEq)]
pub struct RebuiltPlan {
    /// The source of the plan: the `source` of the latest `plan` event's payload, else its
    /// `agent_id`, else the event's.
    pub(super) source: Option<String>,
    /// The time when the plan changed: the timestamp of that event.
    updated_at: Option<String>,
    /// `true` if the event gives only labels of the form `<kind>:<description>`.
    from_labels: bool,
    /// The steps in their order.
    pub(crate) steps: Vec<PlanStep>,
}

/// A step rebuilt from the timeline.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq)]
pub(crate) struct PlanStep {
    /// The step's identifier; labels have none.
    pub(super) id: Option<String>,
    /// The kind of work.
    pub(super) kind: Option<String>,
    /// Its description.
    pub(super) description: Option<String>,
    /// The status: that of the latest `act` event with its id, else that of its record.
    pub(super) status: Option<String>,
    /// The reason for the step.
    rationale: Option<String>,
    /// The inputs, with numbers rounded to doubles. One beyond them is the largest double.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    inputs: Option<Value>,
    /// The line of the act event that set the status, counted from 1. From `runvet::plan::project`,
    /// which sees no lines, the number of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(super) status_line: Option<u64>,
}

/// The persisted plan of a run, compared with the one rebuilt from its timeline.
#[derive(Debug, Serialize, JsonSchema, PartialEq)]
#[non_exhaustive]
pub struct PlanComparison {
    /// The rebuilt plan; null without a `plan` event within reach.
    pub rebuilt: Option<RebuiltPlan>,
    /// The differences, as many as a report lists of one rule at most; empty if the plan can't be
    /// judged.
    pub differences: Vec<PlanDifference>,
    /// The number of differences beyond those.
    pub(super) more_differences: usize,
    /// The values of the persisted plan that could not be compared, as JSON Pointers into the
    /// state, as many as a report lists of one rule at most: they violate the schema, or an act
    /// event gives the step an unknown status. Absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["/plan/steps/1/status"]]))]
    pub(crate) uncompared: Vec<String>,
    /// The reason why the plan could not be judged; absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<String>,
}

/// One difference between the persisted plan and the rebuilt one.
#[derive(Clone, Debug, Serialize, JsonSchema, PartialEq)]
#[non_exhaustive]
pub struct PlanDifference {
    /// The place of the difference: a JSON Pointer into the state.
    #[schemars(extend("examples" = ["/plan/steps/1/status"]))]
    pub pointer: String,
    /// The values on both sides, in a sentence.
    pub message: String,
    /// The line of the event that disagrees, counted from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
}

/// The plan of one run: as it is persisted, and as it is rebuilt from the timeline.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet plan --json",
    extend("$id" = crate::ground::record::schema_id("plan"))
)]
pub(crate) struct PlanPage {
    /// The run's id.
    #[schemars(extend("examples" = ["ep_01JGFJJZ00CTSPE3DKFP348M8P"]))]
    episode_id: String,
    /// `plan` of the state as it is stored, whether or not it is valid; null where it is absent or
    /// the state can't be read.
    #[schemars(schema_with = "crate::ground::record::any_value")]
    persisted: Option<Box<RawValue>>,
    /// The rebuilt plan, and where the persisted plan differs from it.
    comparison: PlanComparison,
}

impl PlanPage {
    /// Reads the plan of a run, and rebuilds it from the timeline.
    pub(crate) fn new(run: &RunReader) -> Result<Self, Error> {
        run.load(None, |loaded| {
            let plan = (loaded.state.written()).and_then(|state| state.get("plan"));
            Self {
                episode_id: run.id_of(loaded),
                persisted: plan.and_then(|plan| raw_json(plan).ok()),
                comparison: PlanComparison::of(loaded.run),
            }
        })
    }
}

impl PlanComparison {
    /// Returns the line of the first event with which the persisted plan disagrees.
    #[must_use]
    pub fn differs_from(&self) -> Option<u64> {
        self.differences
            .iter()
            .map(|difference| difference.line)
            .min()
    }
}

/// An event that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("event {number} can't be read as JSON: {reason}")]
pub struct UnreadableEvent {
    /// The number of the event, counted from 1.
    number: u64,
    /// The reason why it can't be read: for example, it is nested too deeply.
    reason: String,
}

/// Rebuilds the plan from events, each a JSON text as on a line of `events.jsonl`, in the order of
/// their timeline; `None` without a `plan` event.
///
/// The latest `plan` event gives the steps, by its `step_records` or else by its labels. Each later
/// `act` event with a `step_id` and a `step_status` sets the status of the step with that id; a
/// step without such an event keeps the status of its record. An `act` event for an unknown step
/// changes nothing.
///
/// # Errors
///
/// [`UnreadableEvent`].
pub fn project(
    events: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Option<RebuiltPlan>, UnreadableEvent> {
    let mut reader = TimelineReader::new(None, Vec::new(), std::iter::empty(), None);
    let mut parsed = ReadText::default();
    for (number, event) in (1..).zip(events) {
        let text = event.as_ref();
        let document = parsed
            .parse(text.as_bytes(), &facts::EVENT)
            .and_then(|text| parsed.document(text))
            .map_err(|why| UnreadableEvent {
                number,
                reason: match why {
                    Refused::Syntax(error) => error.to_string(),
                    Refused::TooManyValues | Refused::NoMemory => why.to_string(),
                },
            })?;
        let violations = schema::EVENT
            .violations(document)
            .unwrap_or_default();
        let refused = schema::offsets(document, &violations);
        let line = Line {
            number,
            offset: 0,
            length: text.len(),
        };

        let text = JsonText {
            text,
            read: &parsed,
            refused: &refused,
        };

        reader.event(EventFacts::new(line, text));
        if reader.timeline_mut().exceeds_memory {
            return Err(UnreadableEvent {
                number,
                reason: "out of memory".into(),
            });
        }
    }

    let timeline = reader.finish();
    let facts = TimelineFacts::new(&timeline, None, Lifecycle::Terminal);
    let whole = facts.reach();
    let plan = whole.and_then(|whole| facts.plan(&whole));

    Ok(plan.as_ref().map(RebuiltPlan::of))
}

/// Compares the persisted plan of a run with the one rebuilt from its timeline, by the code of the
/// rules `plan/projection` and `plan/legacy-labels`.
///
/// # Errors
///
/// [`Error::Artifact`] if the directory can't be opened.
pub fn compare(run: &RunReader) -> Result<PlanComparison, Error> {
    run.load(None, |loaded| PlanComparison::of(loaded.run))
}

/// Returns why a record was not read, if it was not.
fn why_unread<T>(record: &Usable<T>, name: &str) -> Option<String> {
    match record {
        Usable::Read(_) => None,
        Usable::NotDue => Some(format!("there is no {name}")),
        Usable::Unjudged(reason) => Some(reason.to_string()),
    }
}

impl PlanComparison {
    /// Returns the comparison for a loaded run.
    pub(super) fn of(run: &Run<'_>) -> Self {
        let (state, timeline) = (run.state.read(), run.timeline.read());
        let reach = timeline.and_then(TimelineFacts::reach);
        let unjudged = match (timeline, reach) {
            (None, _) => why_unread(&run.timeline, "events.jsonl"),
            (_, None) => Some(facts::UNKNOWN_REACH.to_string()),
            (Some(timeline), Some(_)) => timeline
                .kept
                .broken_line
                .map(|line| SkipReason::no_event(line.number).to_string())
                .or_else(|| why_unread(&run.state, "state.json")),
        };

        let mut compared = Self {
            rebuilt: None,
            differences: Vec::new(),
            more_differences: 0,
            uncompared: Vec::new(),
            unjudged,
        };

        // Where there is no snapshot, the plan is that of the whole timeline.
        let has_state = run.stage.entries.has(Artifact::State);
        let reach = reach.or_else(|| (!has_state).then(|| Reach::new(None)));
        if let (Some(timeline), Some(reach)) = (timeline, reach)
            && let Some(plan) = timeline.plan(&reach)
        {
            compared.add(&plan, state);
        }

        compared
    }

    /// Adds the rebuilt plan, and the differences of the persisted one where it can be judged.
    fn add(&mut self, plan: &Rebuilt<'_>, state: Option<StateFacts<'_>>) {
        self.rebuilt = Some(RebuiltPlan::of(plan));
        let (Some(state), None) = (state, &self.unjudged) else {
            return;
        };
        let uncompared = plan.uncompared(state, MAX_FINDINGS_PER_RULE);
        let uncompared = uncompared
            .iter()
            .map(|place| place.as_str().to_owned());
        self.uncompared = uncompared.collect();

        for by_label in [true, false] {
            let room = MAX_FINDINGS_PER_RULE.saturating_sub(self.differences.len());
            let mut push = |difference: facts::plan::PlanMismatch| {
                self.differences.push(PlanDifference {
                    message: plan_difference(&difference),
                    pointer: difference
                        .in_state
                        .pointer
                        .as_str()
                        .to_owned(),
                    line: difference.line.number,
                });
            };

            let mut differences = EventListener::new(room, &mut push);
            plan.differences(state, by_label, &mut differences);
            self.more_differences += differences.rest();
        }
    }
}

impl RebuiltPlan {
    fn of(rebuilt: &Rebuilt<'_>) -> Self {
        Self {
            source: rebuilt
                .source
                .as_ref()
                .map(|(_, source)| source.clone().into_owned()),
            updated_at: rebuilt
                .updated_at()
                .map(|stamp| stamp.text.into_owned()),
            from_labels: rebuilt.form == PlanForm::Labels,
            steps: rebuilt
                .steps()
                .map(|step| PlanStep::of(&step))
                .collect(),
        }
    }
}

impl PlanStep {
    fn of(step: &RebuiltStep<'_>) -> Self {
        let text = |field: &str| {
            step.field(field)?
                .text()
                .map(std::borrow::Cow::into_owned)
        };

        // An act event with an unknown status leaves the step's status unknown.
        let update = step.evidence.map(|evidence| {
            (
                evidence
                    .status
                    .map(|status| status.word().to_owned()),
                evidence.line.number,
            )
        });

        Self {
            id: text("id"),
            kind: text("kind"),
            description: text("description"),
            status: update
                .clone()
                .map_or_else(|| text("status"), |(status, _)| status),
            rationale: text("rationale"),
            inputs: step
                .field("inputs")
                .and_then(|inputs| Some(inputs.node()?.to_value())),
            status_line: update.map(|(_, line)| line),
        }
    }
}
