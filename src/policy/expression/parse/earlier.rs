//! A call that begins with `earlier(…)` -> the question about earlier events that it is.

use std::ops::Range;

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};

use super::super::ExpressionMistake;
use super::super::fold::{Fold, FoldOutcome, FoldStage};
use super::super::part::PartKind;
use super::{ExpressionReader, mistake};
use crate::ground::select::KeyPath;

/// The questions that can be asked of earlier events.
const ASKED_OF_EARLIER: &str = "Ask `earlier(\"NAME\")`, after any `.filter(e, …)` and \
    `.map(e, …)`, for `.size()`, `.sum()`, `.min()`, `.max()`, `.last()`, `.exists(e, …)`, \
    `.all(e, …)` or `.distinct().size()`.";

impl ExpressionReader<'_> {
    /// Returns the question of a call about earlier events, if it has one.
    pub(super) fn fold(
        &mut self,
        place: &Range<usize>,
        name: &str,
        is_method: bool,
        arguments: &[&IdedExpr],
    ) -> Result<Option<PartKind>, ExpressionMistake> {
        let not_asked = || {
            mistake(place.clone(), "`earlier` is not called like this")
                .with_help(Some(ASKED_OF_EARLIER.into()))
        };

        if name == "earlier" {
            return Err(not_asked());
        }

        let Some((list, rest)) = arguments.split_first() else {
            return Ok(None);
        };
        let distinct = distinct_of(list).filter(|(list, _)| calls_of_earlier(list).is_some());
        let (list, more) = distinct.unwrap_or((list, &[]));
        let Some((calls, events)) = calls_of_earlier(list) else {
            return Ok(None);
        };
        let (span, of, pointers) = self
            .asked_of(events)
            .ok_or_else(not_asked)?;
        let pointers = pointers
            .iter()
            .map(|pointer| self.pointer(pointer))
            .collect::<Result<_, _>>()?;
        let more = more
            .first()
            .map(|more| self.part(more))
            .transpose()?;
        self.is_in_fold = true;

        let around = std::mem::take(&mut self.items);
        let stages = self
            .stages(&calls)?
            .ok_or_else(not_asked)?;
        let outcome = match (distinct, name, rest) {
            (None, ..) => self.outcome(name, is_method, rest)?,
            (Some(_), "size", []) => Some(FoldOutcome::Distinct),
            (Some(_), ..) => None,
        };

        let outcome = outcome.ok_or_else(not_asked)?;
        (self.items, self.is_in_fold) = (around, false);
        let kind = PartKind::Fold {
            number: self.folds.len(),
            is_sum: matches!(outcome, FoldOutcome::Sum),
            more: more.map(Box::new),
        };

        self.folds.push(Fold {
            of: of.into(),
            span,
            pointers,
            stages,
            outcome,
        });

        Ok(Some(kind))
    }

    /// Returns the name of a selector that a call of `earlier` has, with its place and what comes
    /// after it. A question in a question has none.
    fn asked_of<'e>(
        &self,
        events: &'e CallExpr,
    ) -> Option<(Range<usize>, &'e str, &'e [IdedExpr])> {
        let (of, pointers) = events.args.split_first()?;
        match &of.expr {
            Expr::Literal(LiteralValue::String(name)) if !self.is_in_fold => {
                Some((self.place(of), name.inner(), pointers))
            }
            _ => None,
        }
    }

    /// Returns what calls of `filter` and `map`, the last one first, make of each event; `None`
    /// where one is called in another way.
    fn stages(&mut self, calls: &[&CallExpr]) -> Result<Option<Vec<FoldStage>>, ExpressionMistake> {
        let mut stages = Vec::new();
        for call in calls.iter().rev() {
            match (&*call.func_name, &*call.args) {
                ("filter", [item, part]) => {
                    stages.push(FoldStage::Filter(self.of_item(item, part)?));
                }
                ("map", [item, filters @ .., part]) if filters.len() < 2 => {
                    for filter in filters {
                        stages.push(FoldStage::Filter(self.of_item(item, filter)?));
                    }
                    stages.push(FoldStage::Map(self.of_item(item, part)?));
                }
                _ => return Ok(None),
            }
        }

        Ok(Some(stages))
    }

    /// Returns the pointer that an argument of `earlier` is.
    fn pointer(&self, argument: &IdedExpr) -> Result<KeyPath, ExpressionMistake> {
        let path = match &argument.expr {
            Expr::Literal(LiteralValue::String(text)) => KeyPath::parse(text.inner()),
            _ => None,
        };

        path.filter(|path| !path.is_deep())
            .ok_or_else(|| {
                let message =
                    "expected a JSON Pointer to one value, such as `\"/payload/input/id\"`";
                mistake(self.place(argument), message)
            })
    }

    /// Returns the question that a call puts to earlier events, if there is such a one.
    fn outcome(
        &mut self,
        name: &str,
        is_method: bool,
        rest: &[&IdedExpr],
    ) -> Result<Option<FoldOutcome>, ExpressionMistake> {
        Ok(Some(match (name, rest) {
            ("size", []) => FoldOutcome::Size,
            ("sum", []) if is_method => FoldOutcome::Sum,
            ("min", []) if is_method => FoldOutcome::Min,
            ("max", []) if is_method => FoldOutcome::Max,
            ("last", []) if is_method => FoldOutcome::Last,
            ("all", [item, part]) => FoldOutcome::All(self.of_item(item, part)?),
            ("exists", [item, part]) => FoldOutcome::Exists(self.of_item(item, part)?),
            ("exists_one" | "existsOne", [item, part]) => {
                FoldOutcome::ExistsOne(self.of_item(item, part)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// Returns the list of which a call counts the different values, and the value that it adds.
fn distinct_of(list: &IdedExpr) -> Option<(&IdedExpr, &[IdedExpr])> {
    match &list.expr {
        Expr::Call(call) if call.func_name == "distinct" && call.args.len() < 2 => {
            Some((call.target.as_deref()?, &call.args))
        }
        _ => None,
    }
}

/// Returns the calls of `filter` and `map` from the last one back to a call of `earlier`, and that.
fn calls_of_earlier(mut list: &IdedExpr) -> Option<(Vec<&CallExpr>, &CallExpr)> {
    let mut calls = Vec::new();
    loop {
        let Expr::Call(call) = &list.expr else {
            return None;
        };
        match (&*call.func_name, &call.target) {
            ("filter" | "map", Some(target)) => list = target,
            ("earlier", None) => return Some((calls, call)),
            _ => return None,
        }

        calls.push(call);
    }
}
