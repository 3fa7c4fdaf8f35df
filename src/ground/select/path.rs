//! A JSON Pointer, in which a token may stand for any path -> the values that it leads to.

use smallvec::SmallVec;

use super::finder::{ValueFinder, index};
use crate::ground::document::{Kind, Node, Span, walk};
use crate::ground::shortened::Mark;
use crate::ground::source::Pointer;

/// The tokens of a JSON Pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct KeyPath {
    tokens: Box<[Box<str>]>,
}

impl KeyPath {
    /// Returns the path that a pointer spells; `None` where the text is not a pointer.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_escape = |rest: &str| rest.starts_with(['0', '1']);
        let escapes_are_right = text.split('~').skip(1).all(is_escape);
        if !(text.is_empty() || text.starts_with('/')) || !escapes_are_right {
            return None;
        }

        let pointer = Pointer::new(text);
        Some(Self {
            tokens: pointer
                .tokens()
                .map(|token| (*token).into())
                .collect(),
        })
    }

    /// Returns the value that it leads to.
    pub(crate) fn of<'a>(&self, record: Node<'a>) -> Option<Node<'a>> {
        self.tokens
            .iter()
            .try_fold(record, |node, token| step(node, token))
    }

    /// Returns where the value is that its tokens after some lead to, in the value that starts at
    /// a place of a text that was read.
    pub(crate) fn in_text(&self, after: usize, text: &str, start: usize) -> Span {
        let mut found = Span::default();
        let finder = ValueFinder {
            text,
            path: self
                .tokens
                .get(after..)
                .unwrap_or_default(),
            found: &mut found,
            is_next: true,
            open: Vec::new(),
        };

        // The text is JSON, so the pass ends where it does.
        let _ = walk(text.as_bytes(), start, 0, finder);
        found
    }

    /// Returns the pointer to the value that it leads to, or to the nearest one around it.
    pub(crate) fn reached(&self, record: Node<'_>) -> Pointer {
        let (mut node, mut pointer) = (record, Pointer::default());
        for token in &self.tokens {
            let Some(next) = step(node, token) else { break };
            (node, pointer) = (next, pointer.field(token));
        }

        pointer
    }

    /// Returns its text.
    pub(crate) fn pointer(&self) -> Pointer {
        self.tokens
            .iter()
            .fold(Pointer::default(), |pointer, token| pointer.field(token))
    }

    /// Returns the path of its first tokens.
    pub(crate) fn first(&self, length: usize) -> Self {
        Self {
            tokens: self
                .tokens
                .iter()
                .take(length)
                .cloned()
                .collect(),
        }
    }

    /// Returns the path to a field of the value that it leads to.
    pub(crate) fn field(&self, token: &str) -> Self {
        Self {
            tokens: self
                .tokens
                .iter()
                .cloned()
                .chain([token.into()])
                .collect(),
        }
    }

    pub(crate) fn tokens(&self) -> &[Box<str>] {
        &self.tokens
    }

    /// Returns `true` if it leads to a place, or through it, or may do so.
    pub(crate) fn may_pass(&self, place: &Pointer) -> bool {
        let mut tokens = self.tokens.iter();
        self.is_deep()
            || place.tokens().all(|token| {
                tokens
                    .next()
                    .is_some_and(|own| **own == *token)
            })
    }

    /// Returns `true` if it has a token that stands for any path.
    pub(crate) fn is_deep(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| &**token == ANY_PATH)
    }

    /// Returns what it leads to, where shortened values are not looked into.
    pub(crate) fn look<'a>(&self, record: Node<'a>) -> Look<Node<'a>> {
        let mut node = record;
        for (passed, token) in self.tokens.iter().enumerate() {
            if Mark::of(node).is_some() {
                return Look::Shortened { passed };
            }
            match step(node, token) {
                Some(next) => node = next,
                None => return Look::Nowhere,
            }
        }

        match Mark::of(node) {
            Some(_) => Look::Shortened {
                passed: self.tokens.len(),
            },
            None => Look::Value(node),
        }
    }

    /// Visits all values that a path with tokens for any path leads to, in the order of the text,
    /// and the shortened values on its ways; each with `true` if the path may end there.
    pub(super) fn visit<'a>(&self, record: Node<'a>, visit: &mut dyn FnMut(Node<'a>, bool)) {
        let mut left = vec![(record, self.closure(SmallVec::from_slice(&[0])))];
        while let Some((node, places)) = left.pop() {
            let is_end = places.contains(&self.tokens.len());
            let is_shortened = Mark::of(node).is_some();
            if is_end || is_shortened {
                visit(node, is_end);
            }
            if is_shortened {
                continue;
            }

            let from = left.len();
            let mut go = |next: Node<'a>, leads_there: &dyn Fn(&str) -> bool| {
                let on = places
                    .iter()
                    .filter_map(|place| match self.tokens.get(*place) {
                        Some(any) if &**any == ANY_PATH => Some(*place),
                        Some(token) if leads_there(token) => Some(place + 1),
                        _ => None,
                    });
                let on = self.closure(on.collect());
                if !on.is_empty() {
                    left.push((next, on));
                }
            };

            for (number, item) in node.items().enumerate() {
                go(item, &|token| index(token) == Some(number));
            }

            for key in node.members() {
                let name = key.name();
                go(key.value(), &|token| *token == *name);
            }

            left.get_mut(from..)
                .unwrap_or_default()
                .reverse();
        }
    }

    /// Returns `true` if it leads to no value.
    pub(super) fn leads_nowhere(&self, record: Node<'_>) -> bool {
        let mut any = false;
        self.visit(record, &mut |_, is_end| any |= is_end);
        !any
    }

    /// Returns places among its tokens, with those that a token for any path lets be reached
    /// without a step.
    fn closure(&self, mut places: Places) -> Places {
        let mut at = 0;
        while let Some(place) = places.get(at).copied() {
            let is_any = self
                .tokens
                .get(place)
                .is_some_and(|token| &**token == ANY_PATH);
            if is_any && !places.contains(&(place + 1)) {
                places.push(place + 1);
            }
            at += 1;
        }

        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Places among the tokens of a path.
type Places = SmallVec<[usize; 4]>;

/// The token of a pointer that stands for any path of keys and items.
const ANY_PATH: &str = "**";

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look<T> {
    Nowhere,
    /// A shortened value, after some tokens.
    Shortened {
        passed: usize,
    },
    Value(T),
}

impl<T> Look<T> {
    /// Returns the same with another form of the value.
    #[inline]
    pub(crate) fn map<U>(self, of: impl FnOnce(T) -> U) -> Look<U> {
        match self {
            Self::Nowhere => Look::Nowhere,
            Self::Shortened { passed } => Look::Shortened { passed },
            Self::Value(value) => Look::Value(of(value)),
        }
    }
}

/// Returns paths as a message names the places of which one lacks a value.
pub(crate) fn shown_paths(paths: &[KeyPath]) -> String {
    paths
        .iter()
        .map(|path| format!("`{}`", path.pointer().as_str()))
        .collect::<Vec<_>>()
        .join(" or ")
}

/// Returns the value to which one token of a pointer leads.
fn step<'a>(node: Node<'a>, token: &str) -> Option<Node<'a>> {
    match node.kind() {
        Kind::Array => node.items().nth(index(token)?),
        _ => node.get(token),
    }
}
