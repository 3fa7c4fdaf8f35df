//! The values of records and events that rules ask for -> slots, which are filled when a text is
//! read.

use super::lexicon::near_words;
use crate::ground::document::{EXTENSION, Layout, NearWords};

/// A slot: the number of a place in a [`Layout`].
pub(crate) trait Slot: Copy {
    fn number(self) -> usize;
}

/// Declares slots, each with its place as a JSON Pointer.
macro_rules! slots {
    ($(#[$doc:meta])* $name:ident { $($(#[$of_slot:meta])* $slot:ident = $pointer:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$of_slot])* $slot,)+
        }

        impl $name {
            const PLACES: &[&str] = &[$($pointer,)+];
        }

        impl Slot for $name {
            #[inline]
            fn number(self) -> usize {
                self as usize
            }
        }
    };
}

slots! {
    /// The values of a state.
    InState {
        Version = "/version",
        SchemaVersion = "/state_schema_version",
        Id = "/episode/id",
        StartedAt = "/episode/started_at",
        Adapter = "/episode/using",
        Tags = "/episode/tags",
        Task = "/goal/task",
        Plan = "/plan",
        PlanSource = "/plan/source",
        PlanUpdatedAt = "/plan/updated_at",
        Steps = "/plan/steps",
        Outcomes = "/outcomes",
        Status = "/outcomes/status",
        Error = "/outcomes/error",
        Actions = "/outcomes/actions",
        Artifacts = "/outcomes/artifacts",
        Metrics = "/outcomes/metrics",
        OutcomeSummary = "/outcomes/summary",
        Links = "/links",
        LinkEvents = "/links/events",
        LinkLearn = "/links/learn",
        LinkSummary = "/links/summary",
        LinkManifest = "/links/manifest",
    }
}

slots! {
    /// The values of a step of a plan, or of its record in a plan event.
    InStep {
        #[expect(dead_code, reason = "the whole item is asked for by its row")]
        Whole = "",
        Id = "/id",
        Kind = "/kind",
        Description = "/description",
        Status = "/status",
        Rationale = "/rationale",
        Inputs = "/inputs",
    }
}

slots! {
    /// The values of an action: its id, what it mirrors of its act event, and what the act took and
    /// gave.
    InAction {
        #[expect(dead_code, reason = "the whole item is asked for by its row")]
        Whole = "",
        Id = "/id",
        Timestamp = "/timestamp",
        Kind = "/kind",
        Tool = "/tool",
        StepId = "/step_id",
        InputExcerpt = "/input_excerpt",
        ResultStatus = "/result_status",
        Provenance = "/provenance",
        ResultArtifacts = "/result_artifacts",
        Input = "/input",
        Output = "/output",
        DurationMs = "/duration_ms",
    }
}

slots! {
    /// The values of a summary.
    InSummary {
        SchemaVersion = "/schema_version",
        Id = "/episode_id",
        Task = "/task",
        StartedAt = "/started_at",
        Duration = "/duration_sec",
        AdapterResult = "/adapter_result",
        Outcome = "/outcome",
        Tags = "/tags",
        Verification = "/verification",
        Provided = "/verification/provided",
        Passed = "/verification/passed",
        Assertions = "/verification/assertions",
        VerificationError = "/verification/error",
        Mode = "/flags/mode",
        Direction = "/flags/direction",
        DirectionApplied = "/flags/direction/applied",
        DirectionVetoed = "/flags/direction/vetoed",
        Success = "/metrics/success",
        PlanCount = "/metrics/plan_count",
        ActCount = "/metrics/act_count",
        ReflectCount = "/metrics/reflect_count",
        VetoCount = "/metrics/veto_count",
        LearnProposals = "/metrics/learn_proposals",
        LearnApplied = "/metrics/learn_applied",
        Refused = "/metrics/x-refused",
        TotalLatency = "/metrics/latencies/total_ms",
        FirstActionLatency = "/metrics/latencies/first_action_ms",
        PlanningLatency = "/metrics/latencies/planning_ms",
        ExecutionLatency = "/metrics/latencies/execution_ms",
        Insight = "/insight",
        PlanAdherence = "/insight/metrics/plan_adherence",
        BranchingFactor = "/insight/metrics/branching_factor",
    }
}

slots! {
    /// The values of an event.
    InEvent {
        AgentId = "/agent_id",
        EpisodeId = "/episode_id",
        EventType = "/event_type",
        EventId = "/id",
        Payload = "/payload",
        Phase = "/phase",
        Timestamp = "/timestamp",
        StepId = "/payload/step_id",
        StepStatus = "/payload/step_status",
        ActionId = "/payload/action_id",
        Id = "/payload/id",
        Synthetic = "/payload/synthetic",
        ResultStatus = "/payload/result_status",
        Decision = "/payload/decision",
        Status = "/payload/status",
        Error = "/payload/error",
        Kind = "/payload/kind",
        Tool = "/payload/tool",
        InputExcerpt = "/payload/input_excerpt",
        Provenance = "/payload/provenance",
        ResultArtifacts = "/payload/result_artifacts",
        Input = "/payload/input",
        Output = "/payload/output",
        DurationMs = "/payload/duration_ms",
        PlanSource = "/payload/source",
        PlanAgent = "/payload/agent_id",
        StepRecords = "/payload/step_records",
        StepLabels = "/payload/steps",
        Outcomes = "/payload/outcomes",
        Links = "/payload/links",
        StateSha256 = "/payload/state_sha256",
        PrefixSha256 = "/payload/prefix_sha256",
    }
}

/// Returns the slot of the values of events at a pointer, if there is one.
pub(crate) fn event_slot(pointer: &str) -> Option<usize> {
    InEvent::PLACES
        .iter()
        .position(|place| *place == pointer)
}

impl Slot for usize {
    fn number(self) -> usize {
        self
    }
}

/// The place of the step records among the arrays of an event.
pub(super) const RECORDS: usize = 0;

/// The places in an event. Its reader does not know what repeats in values that no rule asks for.
pub(crate) static EVENT: Layout = Layout {
    root: InEvent::PLACES,
    rows: &[("/payload/step_records", InStep::PLACES)],
    others: &[("/payload", EXTENSION)],
    near: Some(NearWords {
        object: "/payload",
        words: near_words,
    }),
    allows_repeated_keys: true,
};

/// The places of the steps and of the actions among the arrays of a state.
pub(super) const STEPS: usize = 0;
pub(super) const ACTIONS: usize = 1;

/// The places in a state.
pub(crate) static STATE: Layout = Layout {
    root: InState::PLACES,
    rows: &[
        ("/plan/steps", InStep::PLACES),
        ("/outcomes/actions", InAction::PLACES),
    ],
    others: &[("/links", ""), ("/outcomes/actions", EXTENSION)],
    near: None,
    allows_repeated_keys: false,
};

/// The places in a state of a run that is listed, without those in its steps and actions.
pub(crate) static LISTED_STATE: Layout = Layout {
    root: InState::PLACES,
    rows: &[],
    others: &[("/links", "")],
    near: None,
    allows_repeated_keys: false,
};

/// The places in a summary.
pub(crate) static SUMMARY: Layout = Layout {
    root: InSummary::PLACES,
    rows: &[],
    others: &[],
    near: None,
    allows_repeated_keys: false,
};
