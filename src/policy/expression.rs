//! An expression in the Common Expression Language (CEL) and records -> its value, or the reason
//! why it has none.
//!
//! The crate `cel` parses the text ([`parse`]); the rest is ours, because a verdict needs what its
//! evaluator lacks: numbers compare by their exact values, records are read in place, each failure
//! has a place in the text, and each evaluation ends within a budget.

mod evaluate;
mod fold;
mod functions;
#[cfg(feature = "expressions")]
mod parse;
mod part;
mod pattern;
mod time;
mod value;

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use evaluate::Evaluator;
pub(super) use fold::{Fold, FoldState, FoldStep};
use part::{ExpressionPart, PartKind};
pub(super) use pattern::steps_of_byte;
use pattern::{CompiledPattern, ConstantPattern};
pub(crate) use time::zones_version;
pub(super) use value::{Record, Value};

use crate::ground::Own;
use crate::ground::printable::quote;
use crate::ground::select::KeyPath;
use crate::ground::shortened::Mark;

/// The number of bytes of an expression.
const MAX_BYTES: usize = 16 << 10;

/// The levels of an expression, counted from its whole to a constant.
const MAX_LEVELS: usize = 100;

/// The steps of a rule for a run: about a quarter of a second.
const STEPS: u64 = 20_000_000;

/// The steps that each judged event or action adds, and each of its bytes.
const STEPS_OF_RECORD: u64 = 1_000;
const STEPS_OF_BYTE: u64 = 8;

/// The bytes of lists, maps and texts that one evaluation makes: about how much memory it takes.
const MAX_MADE_BYTES: usize = 128 << 20;

/// The bytes of texts in a run that constant patterns are held against at no charge: to find out
/// what a pattern costs takes long, and most runs have few such texts.
const FREE_BYTES: usize = 16 << 10;

/// An expression that was read: its names and functions are known, its syntax is right.
#[derive(Debug)]
pub(super) struct Expression {
    text: Box<str>,
    root: ExpressionPart,
    /// The questions that it asks of earlier events.
    folds: Box<[Fold]>,
    /// Of each name that values are bound to, whether the expression has it.
    named: Box<[bool]>,
}

/// The mistake in a text that is not an expression, and its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpressionMistake {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// The reason why an expression has no value.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(EvaluationFailure),
    /// The steps or the memory of the budget are spent.
    Spent,
}

/// The reason why a part of an expression can't be evaluated.
#[derive(Debug)]
pub(super) struct EvaluationFailure {
    /// The place of the part, once that is known.
    span: Option<Range<usize>>,
    /// A clause.
    why: String,
    /// The digest of the whole value, where the part is one that was shortened.
    sha256: Option<String>,
}

impl Stop {
    /// Returns a failure of the part that is evaluated.
    fn because(why: impl Into<String>) -> Self {
        Self::Failed(EvaluationFailure {
            span: None,
            why: why.into(),
            sha256: None,
        })
    }

    /// Returns the failure of a part whose value was shortened.
    fn of_shortened(mark: &Mark<'_>) -> Self {
        let why = "the value was shortened, and the run has no file with all of it";
        Self::Failed(EvaluationFailure {
            span: None,
            why: why.into(),
            sha256: Some(mark.sha256.to_ascii_lowercase()),
        })
    }

    /// Places a failure that has no place yet.
    fn at(mut self, span: &Range<usize>) -> Self {
        if let Self::Failed(failure) = &mut self {
            failure
                .span
                .get_or_insert_with(|| span.clone());
        }

        self
    }
}

/// The number of steps that are left. A step is a part of an expression that is evaluated, a member
/// or an item that is read, a few bytes of a text, or a byte of one that is made.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    left: u64,
    /// The bytes that the evaluation has made.
    made: usize,
    /// The bytes of texts that constant patterns may still be held against without a charge.
    free: usize,
    /// The pattern that was compiled last.
    pattern: Option<CompiledPattern>,
    /// The matches so far, where they are to be repeated.
    matches: Option<Vec<ConstantMatch>>,
}

/// What an evaluation takes of a budget, so that another budget can be charged the same.
#[derive(Debug)]
pub(super) struct Taken {
    steps: usize,
    matches: Vec<ConstantMatch>,
}

/// A constant pattern that was held against a text of some bytes.
#[derive(Clone, Debug)]
struct ConstantMatch {
    pattern: Arc<ConstantPattern>,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self {
            left: steps,
            made: 0,
            free: FREE_BYTES,
            pattern: None,
            matches: None,
        }
    }

    fn add(&mut self, steps: u64) {
        self.left = self.left.saturating_add(steps);
    }

    /// Returns the budget of a rule for a run, before any record is judged.
    pub(crate) fn of_run() -> Self {
        Self::new(STEPS)
    }

    /// Returns a budget of the steps that a record adds in any case.
    pub(super) fn of_record() -> Self {
        Self {
            matches: Some(Vec::new()),
            ..Self::new(STEPS_OF_RECORD)
        }
    }

    /// Returns what is gone of the budget of a record.
    pub(super) fn taken(self) -> Taken {
        Taken {
            steps: usize::try_from(STEPS_OF_RECORD - self.left).unwrap_or_default(),
            matches: self.matches.unwrap_or_default(),
        }
    }

    /// Takes what another evaluation took.
    pub(super) fn take(&mut self, taken: &Taken) -> Result<(), Stop> {
        for ConstantMatch { pattern, bytes } in &taken.matches {
            self.spend_on_match(*bytes, pattern)?;
        }

        self.spend(taken.steps)
    }

    /// Adds the steps for a record that is judged.
    pub(super) fn add_record(&mut self, record: &dyn Record) {
        let bytes = STEPS_OF_BYTE.saturating_mul(record.bytes() as u64);
        self.add(bytes.saturating_add(STEPS_OF_RECORD));
    }

    /// Spends the steps of a constant pattern for a text.
    fn spend_on_match(&mut self, bytes: usize, pattern: &Arc<ConstantPattern>) -> Result<(), Stop> {
        if let Some(matches) = &mut self.matches {
            let pattern = Arc::clone(pattern);
            matches.push(ConstantMatch { pattern, bytes });
        }

        match self.free.checked_sub(bytes) {
            Some(free) => {
                self.free = free;
                Ok(())
            }
            None => self.spend(bytes.saturating_mul(pattern.steps_of_byte())),
        }
    }

    /// Makes room for a value of a number of bytes, for as long as the evaluation lasts.
    fn make(&mut self, bytes: usize) -> Result<(), Stop> {
        self.made = self.made.saturating_add(bytes);
        (self.made <= MAX_MADE_BYTES)
            .then_some(())
            .ok_or(Stop::Spent)
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        let left = self.left.checked_sub(steps as u64);
        self.left = left.unwrap_or_default();
        left.map(|_| ()).ok_or(Stop::Spent)
    }
}

impl Expression {
    /// Reads an expression in which some names have values.
    ///
    /// # Errors
    ///
    /// The first mistake of its syntax, else of its names and functions.
    #[cfg_attr(
        not(feature = "expressions"),
        expect(unused_variables, reason = "there is no parser")
    )]
    pub(super) fn parse(text: &str, names: &[&str]) -> Result<Self, ExpressionMistake> {
        #[cfg(feature = "expressions")]
        let parsed = parse::parse(text, names);
        #[cfg(not(feature = "expressions"))]
        let parsed = Err(ExpressionMistake {
            span: 0..text.len(),
            message: "this build of runvet does not read expressions".into(),
            help: Some("build it with the feature `expressions`".into()),
        });

        parsed
    }

    /// Returns `true` if it has a name, by its place among those that values are bound to.
    pub(super) fn names(&self, name: usize) -> bool {
        self.named
            .get(name)
            .copied()
            .unwrap_or_default()
    }

    /// Returns `true` if it may read one of some keys of a map that a member of a name is: it reads
    /// that key, or all of the name or of the map.
    pub(super) fn reads(&self, name: usize, map: &str, keys: &[&str]) -> bool {
        self.root.reads(name, map, keys)
    }

    /// Returns `true` if it reads a member of a name to which some keys lead.
    pub(super) fn reads_member(&self, name: usize, is_it: impl Fn(&[&str]) -> bool) -> bool {
        let mut reads = false;
        self.root.accesses(&mut |_, of, path| {
            reads |= of == Some(name) && is_it(path);
        });
        reads
    }

    /// Returns the members that it reads of a name, each with its place, unless it asks if they are
    /// there.
    pub(super) fn members(&self, name: usize) -> Vec<(String, Range<usize>)> {
        let (mut read, mut asked, mut is_whole) = (Vec::new(), Vec::new(), false);
        let parts = self.folds.iter().flat_map(Fold::parts);
        for part in iter::once(&self.root).chain(parts) {
            part.accesses(&mut |part, of, path| match path.first() {
                Some(key) if of == Some(name) => match part.kind {
                    PartKind::Has(..) => asked.push((*key).to_owned()),
                    _ => read.push(((*key).to_owned(), part.span.clone())),
                },
                _ => is_whole |= of == Some(name),
            });
        }

        read.retain(|(key, _)| !is_whole && !asked.contains(key));
        read
    }

    /// Visits the paths at which it reads values of a name, or of earlier events.
    pub(super) fn paths(&self, name: usize, visit: &mut dyn FnMut(&KeyPath)) {
        self.root.paths(&mut |origin, path| {
            if matches!(origin, PartKind::Bound(it) if *it == name) {
                visit(path);
            }
        });

        for part in self.folds.iter().flat_map(Fold::parts) {
            part.paths(&mut |origin, path| {
                if matches!(origin, PartKind::Item(0)) {
                    visit(path);
                }
            });
        }
    }

    /// Returns its value, and those that it compares, in words: of records, parameters and earlier
    /// events.
    pub(super) fn compared<'a>(
        &'a self,
        key: &str,
        bound: &'a [Value<'a>],
        folded: &'a [Result<Value<'a>, String>],
        budget: &mut Budget,
    ) -> Vec<String> {
        let mut parts = vec![(format!("`{key}`"), &self.root)];
        self.root.accesses(&mut |part, _, _| {
            let text = self
                .text
                .get(part.span.clone())
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let asked = match part.kind {
                PartKind::Fold { number, .. } => Some(self.folds.own(number)),
                _ => None,
            };

            let of = asked.map(|fold| format!("earlier({}) … .", quote(&fold.of)));
            parts.push((of.unwrap_or_default() + &text, part));
        });

        parts
            .into_iter()
            .map(|(text, part)| {
                match Evaluator::new(&self.text, bound, folded, budget).value(part) {
                    Ok(value) => format!("{text} = {}", value.shown()),
                    Err(Stop::Failed(failure)) => format!("{text} has no value: {}", failure.why),
                    Err(Stop::Spent) => format!("{text} takes too many steps, or too much memory"),
                }
            })
            .collect()
    }

    /// Returns a failure as a clause, with the part of the text that failed.
    pub(super) fn describe(&self, failure: &EvaluationFailure) -> String {
        let span = failure.span.clone().unwrap_or_default();
        let part = self.text.get(span).unwrap_or_default();
        format!("{}, at {}", failure.why, code(part))
    }
}

/// Returns a part of an expression, as messages show it.
fn code(text: &str) -> String {
    format!("`{}`", crate::ground::printable::brief(text))
}

#[cfg(test)]
mod tests;
