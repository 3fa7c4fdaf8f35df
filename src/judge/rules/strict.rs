//! Rules of the group `strict`: they hold a run to more than the record format promises.

pub(super) mod action_times;
pub(super) mod agreement;
pub(super) mod assertions;
pub(super) mod duplicate_key;
pub(super) mod durations;
pub(super) mod ending;
pub(super) mod event_ids;
pub(super) mod learn;
pub(super) mod outcome_metrics;
pub(super) mod prefix;
pub(super) mod steps;
pub(super) mod time_order;

/// Returns a clause about events or lines besides the first; empty where there is only one.
fn in_all(number: u64, clause: &str) -> String {
    match number {
        1 => String::new(),
        _ => format!("; {number} {clause}"),
    }
}
