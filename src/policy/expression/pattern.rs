//! A pattern as RE2 understands it -> whether a text matches it; within a budget where it is not a
//! constant.

use std::sync::OnceLock;

use regex::{Error, Regex, RegexBuilder};
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ClassSetBinaryOp, ClassSetItem, Visitor};

use super::{Budget, MAX_BYTES, Stop};
use crate::ground::printable::quote;

/// The bytes of a compiled pattern.
pub(super) const PATTERN_BYTES: usize = 1 << 20;

/// The bytes that a compiled pattern may take. Each limit is tried, and costs as many steps: small
/// patterns cost little.
const SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, PATTERN_BYTES];

/// The steps of a byte of a pattern that is read: a long one of `(?i)\pL` takes as much time.
const STEPS_OF_BYTE: usize = 4_000;

/// The bytes of a compiled pattern against which a byte of a text is held in one step, at worst.
const BYTES_OF_MATCH: usize = 1_024;

/// The bytes of an automaton that keeps up with any text: the engine's cache has room for it.
const AUTOMATON_BYTES: usize = 1 << 20;

/// Returns the steps that a pattern takes for each byte of a text at worst, beyond a look at it.
/// There are none where one small automaton decides; where a bounded repeat multiplies its states,
/// the engine may go through them for each byte.
pub(in crate::policy) fn steps_of_byte(pattern: &str) -> usize {
    let limit = Some(AUTOMATON_BYTES);
    let automaton = dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .dfa_size_limit(limit)
                .determinize_size_limit(limit),
        )
        .thompson(
            thompson::Config::new()
                .which_captures(WhichCaptures::None)
                .nfa_size_limit(Some(PATTERN_BYTES)),
        )
        .build(pattern);
    if automaton.is_ok() {
        return 0;
    }

    let fits = |size: &usize| {
        RegexBuilder::new(pattern)
            .size_limit(*size)
            .build()
            .is_ok()
    };

    SIZES
        .into_iter()
        .find(fits)
        .unwrap_or(PATTERN_BYTES)
        / BYTES_OF_MATCH
}

/// A pattern that an expression has as a constant.
#[derive(Debug)]
pub(super) struct ConstantPattern {
    pub(super) regex: Regex,
    /// The steps that it takes for each byte of a text, once they are asked for.
    steps_of_byte: OnceLock<usize>,
}

impl ConstantPattern {
    pub(super) fn new(regex: Regex) -> Self {
        Self {
            regex,
            steps_of_byte: OnceLock::new(),
        }
    }

    pub(super) fn steps_of_byte(&self) -> usize {
        *self
            .steps_of_byte
            .get_or_init(|| steps_of_byte(self.regex.as_str()))
    }
}

/// A pattern, as it was written and as it was compiled.
#[derive(Clone, Debug)]
pub(super) struct CompiledPattern {
    text: Box<str>,
    /// `None` where it can't be used.
    regex: Option<SizedRegex>,
}

#[derive(Clone, Debug)]
struct SizedRegex {
    regex: Regex,
    /// The size that it has, at most.
    size: usize,
}

/// Returns `true` if a text matches. The last pattern is kept: mostly it is a parameter of the
/// rule, and the same for each event.
pub(super) fn is_match(text: &str, pattern: &str, budget: &mut Budget) -> Result<bool, Stop> {
    let last = budget
        .pattern
        .take()
        .filter(|last| *last.text == *pattern);
    let last = match last {
        Some(last) => last,
        None => CompiledPattern {
            text: pattern.into(),
            regex: compiled(pattern, budget)?,
        },
    };

    let is_match = if let Some(SizedRegex { regex, size }) = &last.regex {
        budget.spend(
            text.len()
                .saturating_mul(size / BYTES_OF_MATCH),
        )?;
        Ok(regex.is_match(text))
    } else {
        let why = format!("the pattern {} can't be used", quote(pattern));
        Err(Stop::because(why))
    };

    budget.pattern = Some(last);
    is_match
}

fn compiled(pattern: &str, budget: &mut Budget) -> Result<Option<SizedRegex>, Stop> {
    // What is read of a pattern takes memory that has no limit of its own.
    if pattern.len() > MAX_BYTES {
        return Ok(None);
    }

    budget.spend(pattern.len() * STEPS_OF_BYTE)?;
    for size in SIZES {
        budget.spend(size)?;
        match regex(pattern, size) {
            Ok(regex) => return Ok(Some(SizedRegex { regex, size })),
            Err(Error::CompiledTooBig(_)) => {}
            Err(_) => break,
        }
    }

    Ok(None)
}

/// Compiles a pattern. Classes such as `\d` and the ends of words are those of ASCII, as in RE2.
///
/// # Errors
///
/// Why it is none, or that it takes more than a number of bytes.
pub(super) fn regex(pattern: &str, size: usize) -> Result<Regex, Error> {
    let pattern = rewritten(pattern, |escaped| match escaped {
        '<' => r"\x3C",
        '>' => r"\x3E",
        _ => "",
    });
    // `[+-\d]` is a mistake, and `[+-[0-9]]` is not.
    let parsed = Parser::new()
        .parse(&pattern)
        .map_err(|error| Error::Syntax(error.to_string()))?;
    ast::visit(&parsed, OtherInRe2).map_err(|why| Error::Syntax(why.to_owned()))?;

    let of_ascii = rewritten(&pattern, |escaped| match escaped {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\f\r\x20]",
        'S' => r"[^\t\n\f\r\x20]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'b' => r"(?-u:\b)",
        'B' => r"(?-u:\B)",
        _ => "",
    });

    RegexBuilder::new(&of_ascii)
        .size_limit(size)
        .build()
}

/// Returns a pattern with other text for some escaped characters.
fn rewritten(pattern: &str, text_of: impl Fn(char) -> &'static str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next() } else { None };
        match escaped.map_or("", &text_of) {
            "" => text.extend([c].into_iter().chain(escaped)),
            other => text.push_str(other),
        }
    }

    text
}

/// A visitor that refuses texts which stand for their characters in RE2, and for something else
/// here.
struct OtherInRe2;

impl Visitor for OtherInRe2 {
    type Output = ();
    type Err = &'static str;

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_pre(&mut self, part: &Ast) -> Result<(), Self::Err> {
        // `\b{start}` and its like alone are longer than `\b`.
        let is_longer = |span: &ast::Span| span.end.offset - span.start.offset > 2;
        match part {
            Ast::Assertion(it) if is_longer(&it.span) => Err(r"write `\b\{` for `{` after `\b`"),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Bracketed(_) => Err(r"write `\[` for `[` in brackets"),
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Self::Err> {
        Err("write `&`, `-` or `~` once in brackets: two in a row are not two characters")
    }
}
