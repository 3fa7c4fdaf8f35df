//! A text with stars -> the texts that it stands for.

/// A text in which `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    first: Box<str>,
    /// The texts behind each `*`.
    rest: Box<[Box<str>]>,
}

impl Glob {
    pub(crate) fn new(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' => parts.push(String::new()),
                '\\' if characters.next_if_eq(&'*').is_some() => push(&mut parts, '*'),
                other => push(&mut parts, other),
            }
        }

        let mut parts = parts
            .into_iter()
            .map(String::into_boxed_str);

        Self {
            first: parts.next().unwrap_or_default(),
            rest: parts.collect(),
        }
    }

    #[inline]
    pub(crate) fn matches(&self, text: &str) -> bool {
        // Most texts differ in their first bytes, which takes no call to find out.
        let first = self.first.as_bytes().first();
        if first.is_some() && first != text.as_bytes().first() {
            return false;
        }

        let Some((last, between)) = self.rest.split_last() else {
            return *self.first == *text;
        };
        // No memory is compared for an empty part: some processors take long for that.
        let mut left = text;
        if !self.first.is_empty() {
            match left.strip_prefix(&*self.first) {
                Some(after) => left = after,
                None => return false,
            }
        }

        for part in between {
            match left.split_once(&**part) {
                Some((_, after)) => left = after,
                None => return false,
            }
        }

        last.is_empty() || left.ends_with(&**last)
    }

    /// Returns the longest text that each text has in it which it matches.
    pub(crate) fn longest_part(&self) -> &str {
        self.rest
            .iter()
            .chain([&self.first])
            .max_by_key(|part| part.len())
            .map_or("", |part| part)
    }

    /// Returns the text, where it has no `*`.
    pub(crate) fn word(&self) -> Option<&str> {
        self.rest
            .is_empty()
            .then_some(&*self.first)
    }
}

fn push(parts: &mut [String], character: char) {
    if let Some(last) = parts.last_mut() {
        last.push(character);
    }
}
