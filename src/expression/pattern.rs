//! A pattern that is no constant -> whether a text matches it, within a budget.

use regex::{Error, Regex, RegexBuilder};

use super::value::Unable;
use super::{Budget, MAX_BYTES};
use crate::printable::quote;

/// The bytes of a compiled pattern.
pub(super) const PATTERN_BYTES: usize = 1 << 20;

/// The bytes that a compiled pattern may take. Each limit is tried, and costs as many steps: small
/// patterns cost little.
const SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, PATTERN_BYTES];

/// The steps of a byte of a pattern that is read: a long one of `(?i)\pL` takes as much time.
const STEPS_OF_BYTE: usize = 4_000;

/// The bytes of a compiled pattern against which a byte of a text is held in one step, at worst.
const BYTES_OF_MATCH: usize = 1_024;

/// A pattern, and what it was compiled to with its size; `None` where it can't be used.
#[derive(Debug)]
pub(super) struct Pattern {
    text: Box<str>,
    compiled: Option<(Regex, usize)>,
}

/// Whether a text matches. The last pattern is kept: mostly it is a parameter of the rule, and the
/// same for each event.
pub(super) fn is_match(text: &str, pattern: &str, budget: &mut Budget) -> Result<bool, Unable> {
    let last = budget.pattern.take().filter(|last| *last.text == *pattern);
    let last = match last {
        Some(last) => last,
        None => Pattern {
            text: pattern.into(),
            compiled: compiled(pattern, budget)?,
        },
    };
    let is_match = if let Some((regex, size)) = &last.compiled {
        budget.spend(text.len().saturating_mul(size / BYTES_OF_MATCH))?;
        Ok(regex.is_match(text))
    } else {
        let why = format!("the pattern {} can't be used", quote(pattern));
        Err(Unable::Why(why))
    };
    budget.pattern = Some(last);
    is_match
}

fn compiled(pattern: &str, budget: &mut Budget) -> Result<Option<(Regex, usize)>, Unable> {
    // What is read of a pattern takes memory that has no limit of its own.
    if pattern.len() > MAX_BYTES {
        return Ok(None);
    }
    budget.spend(pattern.len() * STEPS_OF_BYTE)?;
    for size in SIZES {
        budget.spend(size)?;
        match RegexBuilder::new(pattern).size_limit(size).build() {
            Ok(regex) => return Ok(Some((regex, size))),
            Err(Error::CompiledTooBig(_)) => {}
            Err(_) => break,
        }
    }
    Ok(None)
}
