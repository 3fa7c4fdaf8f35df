//! The words of events -> which other words are near to them, see `events/misspelled`.

use std::fmt;

use crate::ground::record::phases::{KnownPhase, PROJECTION};
use crate::ground::spelling::{Word, differs_in_style, is_near};
use crate::ground::words::Words as _;

/// The keys of an event that may be misspelled.
pub(super) static EVENT_KEYS: [Word<'_>; 6] = [
    Word::new("phase"),
    Word::new("timestamp"),
    Word::new("payload"),
    Word::new("event_type"),
    Word::new("episode_id"),
    Word::new("agent_id"),
];

/// The keys of payloads that may be misspelled.
static PLAN_KEYS: [Word<'_>; 4] = [
    Word::new("source"),
    Word::new("agent_id"),
    Word::new("step_records"),
    Word::new("steps"),
];
static ACT_KEYS: [Word<'_>; 3] = [
    Word::new("step_id"),
    Word::new("step_status"),
    Word::new("action_id"),
];
static PROJECTION_KEYS: [Word<'_>; 3] = [
    Word::new("outcomes"),
    Word::new("links"),
    Word::new("state_sha256"),
];

/// The phases that may be misspelled, in addition to `act`.
const PHASES: [&str; 6] = [
    "start",
    "plan",
    "direction",
    "reflect",
    "runtime",
    "terminate",
];

/// Returns the phase that a phase is probably a misspelling of. Runtimes write phases of their own,
/// which are words like `action`, so a misspelling of the shortest one is another style of it.
#[inline]
pub(crate) fn phase_meant(phase: &str) -> Option<&'static str> {
    if KnownPhase::of_word(phase).is_some() {
        return None;
    }
    if differs_in_style(phase, "act") {
        return Some("act");
    }

    PHASES
        .into_iter()
        .find(|known| is_near(phase, known))
}

/// Returns the phase with which a phase of a runtime's own begins, as `planing` does with `plan`.
/// It is no typo, but what to look at where an event of that phase is missed.
#[inline]
pub(super) fn phase_begun(phase: &str) -> Option<&'static str> {
    // It is the type of an event of that phase.
    if phase == PROJECTION {
        return Some("runtime");
    }

    ["start", "plan", "act", "direction", "reflect", "terminate"]
        .into_iter()
        .find(|known| phase.len() > known.len() && phase.starts_with(known))
}

/// Returns `true` if the type of an event is probably meant as that of a projection event.
pub(super) fn is_typo_of_projection(event_type: &str) -> bool {
    let without_run = PROJECTION.trim_start_matches("run.");
    [PROJECTION, without_run]
        .iter()
        .any(|known| is_near(event_type, known))
        || event_type == without_run
}

/// An object whose keys may be misspelled: an event, or the payload of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordOwner {
    Event,
    PlanPayload,
    ActPayload,
    ProjectionPayload,
}

impl fmt::Display for WordOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event => "its event",
            Self::PlanPayload => "the payload of its `plan` event",
            Self::ActPayload => "the payload of its `act` event",
            Self::ProjectionPayload => "the payload of its projection event",
        })
    }
}

impl WordOwner {
    pub(super) fn keys(self) -> &'static [Word<'static>] {
        match self {
            Self::Event => &EVENT_KEYS,
            Self::PlanPayload => &PLAN_KEYS,
            Self::ActPayload => &ACT_KEYS,
            Self::ProjectionPayload => &PROJECTION_KEYS,
        }
    }

    /// Returns the payload that an event of a phase and a type has.
    pub(super) fn payload(phase: &str, event_type: Option<&str>) -> Option<Self> {
        match phase {
            "plan" => Some(Self::PlanPayload),
            "act" => Some(Self::ActPayload),
            "runtime" if event_type == Some(PROJECTION) => Some(Self::ProjectionPayload),
            _ => None,
        }
    }
}

/// Returns the lexica of payloads in which a key has a near word, a bit each: what a single pass
/// over an event can say of them before it knows its phase.
pub(super) fn near_words(key: &str) -> u64 {
    let key = Word::new(key);
    [
        WordOwner::PlanPayload,
        WordOwner::ActPayload,
        WordOwner::ProjectionPayload,
    ]
    .into_iter()
    .filter(|within| {
        within
            .keys()
            .iter()
            .any(|known| key.is_near(*known))
    })
    .fold(0, |bits, within| bits | 1 << within as u8)
}

/// Returns `true` if an event may have a misspelled key in its payload, given the lexica.
#[inline]
pub(crate) fn may_be_misspelled(lexica: u64, phase: &str, event_type: Option<&str>) -> bool {
    lexica != 0
        && WordOwner::payload(phase, event_type)
            .is_some_and(|within| lexica & 1 << within as u8 != 0)
}
