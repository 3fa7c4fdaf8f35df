//! A text, and a path -> where in the text the value is that the path leads to.

use crate::ground::document::{Kind, Sink, Span, unquoted};

/// Finds the value in a text that a path leads to.
pub(super) struct ValueFinder<'p, 'v> {
    pub(super) text: &'v str,
    pub(super) path: &'p [Box<str>],
    pub(super) found: &'v mut Span,
    /// `true` if the path leads to the next value, or through it.
    pub(super) is_next: bool,
    /// The arrays and objects that are open, all of them on the path: of an array the number of the
    /// next item.
    pub(super) open: Vec<Option<usize>>,
}

impl<'p> ValueFinder<'p, '_> {
    /// Returns the token of the path that counts where the innermost array or object is open.
    fn token(&self) -> Option<&'p str> {
        let at = self.open.len().checked_sub(1)?;
        self.path.get(at).map(|token| &**token)
    }

    /// Goes on to the next item of an array.
    fn step(&mut self) {
        let token = self.token();
        self.is_next = false;
        if let Some(Some(item)) = self.open.last_mut() {
            self.is_next = token.and_then(index) == Some(*item);
            *item += 1;
        }
    }
}

impl Sink for ValueFinder<'_, '_> {
    #[inline]
    fn value(&mut self, _: Kind, start: usize, end: usize, escaped: bool) {
        if self.is_next {
            // Of a key that repeats, the last counts.
            *self.found = if self.open.len() == self.path.len() {
                Span::new(start, end).escaped(escaped)
            } else {
                Span::default()
            };
        }

        self.step();
    }

    #[inline]
    fn key(&mut self, start: usize, end: usize, escaped: bool) {
        let token = self.token();
        self.is_next = token.is_some_and(|token| match self.text.get(start + 1..end - 1) {
            Some(name) if !escaped => *name == *token,
            _ => *unquoted(self.text, start, end, escaped) == *token,
        });
    }

    #[inline]
    fn open(&mut self, kind: Kind, _: usize) -> bool {
        let is_wanted = self.is_next && self.open.len() < self.path.len();
        if is_wanted {
            *self.found = Span::default();
            self.open
                .push((kind == Kind::Array).then_some(0));
            self.step();
        }

        is_wanted
    }

    #[inline]
    fn close(&mut self, _: usize) {
        self.open.pop();
        self.step();
    }
}

/// Returns the index that a token is in an array.
pub(super) fn index(token: &str) -> Option<usize> {
    let is_written_so = token == "0" || !token.starts_with(['0', '+']);
    token
        .parse()
        .ok()
        .filter(|_| is_written_so)
}
