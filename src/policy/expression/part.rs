//! An expression that was read -> its parts, as a tree.

use std::ops::Range;
use std::sync::Arc;

use super::functions::Function;
use super::pattern::ConstantPattern;
use super::value::Value;
use crate::ground::select::KeyPath;

/// A part of an expression, and its place in the text.
#[derive(Debug)]
pub(super) struct ExpressionPart {
    pub(super) span: Range<usize>,
    pub(super) kind: PartKind,
}

#[derive(Debug)]
pub(super) enum PartKind {
    Constant(Value<'static>),
    /// The value of a name, by its place among those that values are bound to.
    Bound(usize),
    /// The item of a macro around it, by the number of macros around that one.
    Item(usize),
    /// A member, with its path where it is that of a name or an item.
    Member(Box<ExpressionPart>, Box<str>, Option<KeyPath>),
    /// `has`: whether a map has a key, with the path of that where it is one of a member.
    Has(Box<ExpressionPart>, Box<str>, Option<KeyPath>),
    Not(Box<ExpressionPart>),
    Negate(Box<ExpressionPart>),
    And(Box<[ExpressionPart; 2]>),
    Or(Box<[ExpressionPart; 2]>),
    /// A condition, and a part for each outcome.
    If(Box<[ExpressionPart; 3]>),
    Operation(Operator, Box<[ExpressionPart; 2]>),
    /// A value in brackets after another one, with its path as that of a member.
    Index(Box<ExpressionPart>, Box<ExpressionPart>, Option<KeyPath>),
    List(Vec<ExpressionPart>),
    Map(Vec<(ExpressionPart, ExpressionPart)>),
    Call(Function, Vec<ExpressionPart>),
    /// `matches` with a constant pattern.
    Matches(Box<ExpressionPart>, Arc<ConstantPattern>),
    Each(Box<Each>),
    /// A question about earlier events, by its number. The value that is added to a sum of them may
    /// be of another type. The number of different values may count one `more`.
    Fold {
        number: usize,
        is_sum: bool,
        more: Option<Box<ExpressionPart>>,
    },
}

/// A macro: it evaluates parts for each item of a list, or each key of a map.
#[derive(Debug)]
pub(super) struct Each {
    pub(super) macro_: Macro,
    pub(super) list: ExpressionPart,
    /// Of `map`: which items it is about.
    pub(super) filter: Option<ExpressionPart>,
    pub(super) body: ExpressionPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Macro {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Index,
}

/// A function that is called with a part, the name whose value it is of, and the keys that lead
/// there.
type Visit<'v, 'p> = dyn FnMut(&'p ExpressionPart, Option<usize>, &[&str]) + 'v;

impl ExpressionPart {
    /// Returns the name that it is a value of, if it is not a question about earlier events, and
    /// the keys that lead there; `None` where it is another value.
    fn access(&self) -> Option<(Option<usize>, Vec<&str>)> {
        let (of, key) = match &self.kind {
            PartKind::Bound(name) => return Some((Some(*name), Vec::new())),
            PartKind::Fold { .. } => return Some((None, Vec::new())),
            PartKind::Member(of, key, _) | PartKind::Has(of, key, _) => (&**of, &**key),
            PartKind::Index(of, key, _) => match &key.kind {
                PartKind::Constant(Value::Text(key)) => (&**of, &**key),
                _ => return None,
            },
            _ => return None,
        };

        let (name, mut keys) = of.access()?;
        keys.push(key);
        Some((name, keys))
    }

    /// Returns `true` if its value may depend on a key of a map that a name has. It does not where
    /// it says what holds without the key: in `!has(a.b.key) || …`.
    pub(super) fn reads(&self, name: usize, map: &str, keys: &[&str]) -> bool {
        if let PartKind::And(sides) = &self.kind {
            return sides
                .iter()
                .any(|side| side.reads(name, map, keys));
        }

        let sides = self.alternatives();
        let absent = |side: &Self| {
            let key = side
                .asks_for_absence(name, map)?
                .to_owned();
            keys.contains(&&*key).then_some(key)
        };

        let (guards, others): (Vec<&Self>, Vec<&Self>) = sides
            .into_iter()
            .partition(|side| absent(side).is_some());
        let guarded: Vec<String> = guards
            .iter()
            .filter_map(|side| absent(side))
            .collect();
        if guarded.is_empty() || others.is_empty() {
            return self.reads_any(name, map, keys);
        }

        let left: Vec<&str> = keys
            .iter()
            .filter(|key| !guarded.iter().any(|it| it == *key))
            .copied()
            .collect();

        others
            .iter()
            .any(|side| side.reads_any(name, map, &left))
    }

    /// Returns `true` if it, or a part of it, is the value of one of some keys, or of the whole
    /// map.
    fn reads_any(&self, name: usize, map: &str, keys: &[&str]) -> bool {
        let mut reads = false;
        self.accesses(&mut |_, of, path| {
            reads |= of == Some(name)
                && path.first().is_none_or(|it| *it == map)
                && path
                    .get(1)
                    .is_none_or(|it| keys.contains(it));
        });

        reads
    }

    /// Returns the parts of which one has to hold.
    fn alternatives(&self) -> Vec<&Self> {
        match &self.kind {
            PartKind::Or(sides) => sides
                .iter()
                .flat_map(Self::alternatives)
                .collect(),
            _ => vec![self],
        }
    }

    /// Returns the key of a map that a name has, if it asks whether that is absent.
    fn asks_for_absence(&self, name: usize, map: &str) -> Option<&str> {
        let PartKind::Not(asked) = &self.kind else {
            return None;
        };
        let PartKind::Has(of, key, _) = &asked.kind else {
            return None;
        };
        let (found, path) = of.access()?;
        (found == Some(name) && path == [map]).then_some(key)
    }

    /// Visits the parts that are values of names, or ask earlier events.
    pub(super) fn accesses<'p>(&'p self, visit: &mut Visit<'_, 'p>) {
        let access = self.access();
        if let Some((name, keys)) = &access {
            visit(self, *name, keys);
        }

        if access.is_none() || matches!(self.kind, PartKind::Fold { .. }) {
            self.kind
                .below(|part| part.accesses(visit));
        }
    }
}

impl ExpressionPart {
    /// Returns the path of a member of it, if it is a name, an item or a member of these.
    pub(super) fn path_of(&self, member: &str) -> Option<KeyPath> {
        match &self.kind {
            PartKind::Bound(_) | PartKind::Item(_) => Some(KeyPath::default().field(member)),
            PartKind::Member(_, _, path) | PartKind::Index(_, _, path) => path
                .as_ref()
                .map(|path| path.field(member)),
            _ => None,
        }
    }

    /// Returns the path of what a part in brackets leads to in it, if that is the name of a member:
    /// in a pointer, a number may be that of an item, and stars stand for any path.
    pub(super) fn path_of_index(&self, index: &Self) -> Option<KeyPath> {
        match &index.kind {
            PartKind::Constant(Value::Text(key)) if key.contains(char::is_alphabetic) => {
                self.path_of(key)
            }
            _ => None,
        }
    }

    /// Returns the part that it is a member of, or a member of a member, or itself.
    pub(super) fn origin(&self) -> &PartKind {
        match &self.kind {
            PartKind::Member(of, ..) | PartKind::Index(of, ..) => of.origin(),
            kind => kind,
        }
    }

    /// Visits the paths at which members are read, each with the part that it starts at.
    pub(super) fn paths(&self, visit: &mut dyn FnMut(&PartKind, &KeyPath)) {
        match &self.kind {
            PartKind::Member(of, _, Some(path))
            | PartKind::Has(of, _, Some(path))
            | PartKind::Index(of, _, Some(path)) => visit(of.origin(), path),
            kind => kind.below(|part| part.paths(visit)),
        }
    }
}

impl PartKind {
    /// Visits the parts that it is made of.
    pub(super) fn below<'p>(&'p self, mut visit: impl FnMut(&'p ExpressionPart)) {
        match self {
            Self::Constant(_) | Self::Bound(_) | Self::Item(_) => {}
            Self::Fold { more, .. } => more.iter().for_each(|more| visit(more)),
            Self::Member(of, ..)
            | Self::Has(of, ..)
            | Self::Not(of)
            | Self::Negate(of)
            | Self::Matches(of, _) => visit(of),
            Self::And(of) | Self::Or(of) | Self::Operation(_, of) => of.iter().for_each(visit),
            Self::Index(of, key, _) => {
                visit(of);
                visit(key);
            }
            Self::If(of) => of.iter().for_each(visit),
            Self::List(of) | Self::Call(_, of) => of.iter().for_each(visit),
            Self::Map(of) => of.iter().for_each(|(key, value)| {
                visit(key);
                visit(value);
            }),
            Self::Each(of) => {
                visit(&of.list);
                of.filter.iter().for_each(&mut visit);
                visit(&of.body);
            }
        }
    }
}

impl Operator {
    /// As it is written, and as the parser calls it.
    pub(super) const ALL: [(Self, &str, &str); 13] = [
        (Self::Add, "+", "_+_"),
        (Self::Subtract, "-", "_-_"),
        (Self::Multiply, "*", "_*_"),
        (Self::Divide, "/", "_/_"),
        (Self::Remainder, "%", "_%_"),
        (Self::Equal, "==", "_==_"),
        (Self::Unequal, "!=", "_!=_"),
        (Self::Less, "<", "_<_"),
        (Self::LessOrEqual, "<=", "_<=_"),
        (Self::Greater, ">", "_>_"),
        (Self::GreaterOrEqual, ">=", "_>=_"),
        (Self::In, "in", "@in"),
        (Self::Index, "[]", "_[_]"),
    ];

    /// Returns the sign as it is written.
    pub(super) fn sign(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(operator, ..)| *operator == self)
            .map_or("", |(_, sign, _)| sign)
    }
}
