//! Rules of the group `summary`: the summary is sound by itself and against the timeline.

pub(super) mod adapter;
pub(super) mod adherence_precision;
pub(super) mod branching_factor;
pub(super) mod counts;
pub(super) mod directions;
pub(super) mod latencies;
pub(super) mod learning;
pub(super) mod mode;
pub(super) mod newer_version;
pub(super) mod schema;
pub(super) mod success;
pub(super) mod verification;
pub(super) mod version;
pub(super) mod vetoes;

use crate::ground::printable::count;
use crate::judge::rule::Place;
use crate::reading::facts::Counted;

/// Words the number of `direction` events.
fn directions_in_timeline(counted: Counted) -> String {
    format!(
        "the timeline has {}",
        count(counted.number, "`direction` event")
    )
}

/// Returns the place of the first `direction` event, and its description.
fn first_direction(counted: Counted) -> Option<(Place, &'static str)> {
    let place = Place::event(counted.first?, "/phase");
    Some((place, "the first `direction` event"))
}
