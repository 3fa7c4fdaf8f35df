//! The phase that a user asks for -> whether it is a slip.

use std::collections::BTreeMap;

use crate::printable::{brief, quote};
use crate::record::phases::{KNOWN, is_known};

/// Why a phase is most likely a slip: no runtime is known to write it, and it does not occur among
/// those that were counted.
pub(super) fn slip(phase: &str, counted: &BTreeMap<String, u64>) -> Option<String> {
    if is_known(phase) || counted.contains_key(phase) {
        return None;
    }
    let wanted: String = phase.chars().take(64).collect::<String>().to_lowercase();
    let occurring = counted.keys().map(String::as_str);
    let near = occurring.chain(KNOWN).filter_map(|known| {
        let distance = strsim::osa_distance(&wanted, known);
        let limit = (wanted.chars().count() / 3).clamp(1, 3);
        (distance <= limit && known.len() <= 64).then_some((distance, known))
    });
    let help = match near.min() {
        Some((_, near)) => format!("did you mean `{}`?", brief(near)),
        None => format!("runtimes write {}", KNOWN.join(", ")),
    };
    Some(format!("no event has the phase {}; {help}", quote(phase)))
}
