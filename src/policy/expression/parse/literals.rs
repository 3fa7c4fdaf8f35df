//! Constants, patterns and names of an expression -> its parts.

use std::ops::Range;
use std::sync::Arc;

use cel::common::ast::{Expr, LiteralValue, SelectExpr};

use super::super::ExpressionMistake;
use super::super::functions::Function;
use super::super::part::{ExpressionPart, PartKind};
use super::super::pattern::{ConstantPattern, PATTERN_BYTES, regex};
use super::super::value::Value;
use super::mistakes::mistake;
use crate::ground::printable::brief;

pub(super) fn constant(span: Range<usize>, constant: Value<'static>) -> ExpressionPart {
    ExpressionPart {
        span,
        kind: PartKind::Constant(constant),
    }
}

pub(super) fn of_literal(literal: &LiteralValue) -> Value<'static> {
    match literal {
        LiteralValue::Null => Value::Null,
        LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
        LiteralValue::Int(value) => Value::Int(*value.inner()),
        LiteralValue::UInt(value) => Value::Uint(*value.inner()),
        LiteralValue::Double(value) => Value::Double(*value.inner()),
        LiteralValue::String(value) => Value::Text(value.inner().to_owned().into()),
        LiteralValue::Bytes(value) => Value::Bytes(value.inner().into()),
    }
}

/// Returns the dotted name that members spell, such as `google.protobuf.Duration`.
pub(super) fn qualified(select: &SelectExpr) -> Option<String> {
    let before = match &select.operand.expr {
        Expr::Ident(name) => name.clone(),
        Expr::Select(select) => qualified(select)?,
        _ => return None,
    };

    Some(format!("{before}.{}", select.field))
}

/// Returns a call, with the pattern of `matches` compiled where it is a constant.
pub(super) fn matcher(
    function: Function,
    mut arguments: Vec<ExpressionPart>,
) -> Result<PartKind, ExpressionMistake> {
    let pattern = match (function, &*arguments) {
        (Function::Matches, [_, pattern]) => match &pattern.kind {
            PartKind::Constant(Value::Text(text)) => Some((pattern.span.clone(), text)),
            _ => None,
        },
        _ => None,
    };

    let Some((span, text)) = pattern else {
        return Ok(PartKind::Call(function, arguments));
    };

    if text.contains(char::is_control) {
        let why = "the pattern has a control character, as TOML makes of a backslash between double quotes";
        let help = r"Write the expression between three single quotes, and the pattern as `r'\b'`.";
        return Err(mistake(span, why).with_help(Some(help.into())));
    }

    let compiled = regex(text, PATTERN_BYTES).map_err(|error| {
        let error = error.to_string();
        let why = error
            .lines()
            .last()
            .unwrap_or_default()
            .trim();
        let why = why
            .strip_prefix("error: ")
            .unwrap_or(why);
        mistake(span, format!("the pattern can't be used: {}", brief(why)))
    })?;
    let of = arguments.swap_remove(0);

    Ok(PartKind::Matches(
        Box::new(of),
        Arc::new(ConstantPattern::new(compiled)),
    ))
}

/// Returns a part of a text, and the brackets that it opens or closes.
pub(super) fn balanced(text: &str, span: Range<usize>) -> Range<usize> {
    let part = text
        .get(span.clone())
        .unwrap_or_default();
    let (mut open, mut closed) = (0_usize, 0_usize);

    for c in part.chars() {
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' if open > 0 => open -= 1,
            ')' | ']' | '}' => closed += 1,
            _ => {}
        }
    }

    let mut closing = text
        .get(span.end..)
        .unwrap_or_default()
        .match_indices([')', ']', '}'])
        .take(open);
    let mut opening = text
        .get(..span.start)
        .unwrap_or_default()
        .rmatch_indices(['(', '[', '{'])
        .take(closed);
    let end = closing
        .by_ref()
        .last()
        .map_or(span.end, |(at, _)| span.end + at + 1);

    opening
        .by_ref()
        .last()
        .map_or(span.start, |(at, _)| at)..end
}
