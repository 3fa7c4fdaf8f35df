//! A run as an entry -> the same, with what is kept of it where there are many runs.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::{RunEntry, is_time_unknown};
use crate::ground::digest::Digest;

/// The maximum number of bytes of a text that is kept whole of each of many runs.
const MAX_KEPT: usize = 1_024;

/// The maximum number of tags that are kept of each of many runs, of latencies, of metrics, and of
/// tools.
const MAX_ITEMS: usize = 256;

/// The maximum number of texts that runs share.
const MAX_SHARED: usize = 10_000;

impl RunEntry {
    /// Cuts long texts and lists, so that many runs fit into memory, and shares texts with others.
    pub(crate) fn bound(&mut self, shared: &mut SharedTexts) {
        // Its rules have it.
        self.first_error = None;
        let mut is_cut = false;
        for text in [
            &mut self.task,
            &mut self.status,
            &mut self.outcome,
            &mut self.parent,
            &mut self.started_at,
        ]
        .into_iter()
        .flatten()
        {
            if let Cow::Owned(cut) = cut(text) {
                is_cut = true;
                *text = cut;
            }
            text.shrink_to_fit();
        }

        let mut keep = |text: &mut Arc<str>| {
            if let Cow::Owned(cut) = cut(text) {
                is_cut = true;
                *text = cut.into();
            }
            shared.share(text);
        };

        [&mut self.mode, &mut self.adapter]
            .into_iter()
            .flatten()
            .for_each(&mut keep);

        let mut left_out = shorten(&mut self.tags);
        for (name, value) in &mut self.tags {
            keep(name);
            keep(value);
        }

        for figures in [&mut self.latencies, &mut self.metrics] {
            left_out = shorten(figures).saturating_add(left_out);
            figures
                .iter_mut()
                .for_each(|(name, _)| keep(name));
        }

        left_out = shorten(&mut self.tools).saturating_add(left_out);
        self.tools
            .iter_mut()
            .filter_map(|it| it.tool.as_mut())
            .for_each(&mut keep);
        self.rules
            .iter_mut()
            .for_each(|(rule, _)| keep(rule));
        (self.is_cut, self.left_out) = (is_cut || left_out > 0, left_out);
    }

    /// Returns what a table for people shows of it, with some metrics.
    pub(crate) fn in_columns(self, metrics: &[&str]) -> Self {
        let is_shown = |(name, _): &(Arc<str>, f64)| metrics.contains(&&**name);
        Self {
            metrics: self
                .metrics
                .into_iter()
                .filter(is_shown)
                .collect(),
            tags: self
                .tags
                .into_iter()
                .filter(is_time_unknown)
                .collect(),
            latencies: Box::default(),
            mode: None,
            adapter: None,
            ..self
        }
    }
}

/// Texts that many runs have, such as a status or a task. One beyond the limit is kept by its run
/// alone.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts(BTreeSet<Arc<str>>);

impl SharedTexts {
    fn share(&mut self, text: &mut Arc<str>) {
        if let Some(known) = self.0.get(text) {
            text.clone_from(known);
        } else if self.0.len() < MAX_SHARED {
            self.0.insert(Arc::clone(text));
        }
    }
}

/// Cuts a text that is too long to be kept of many runs. What is left says how much is missing, and
/// of which text: two that are cut are equal only where the whole texts are.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_KEPT {
        return Cow::Borrowed(text);
    }

    let end = (0..=MAX_KEPT)
        .rev()
        .find(|at| text.is_char_boundary(*at));
    let (head, rest) = text.split_at(end.unwrap_or_default());
    let (rest, digest) = (rest.len(), Digest::of([text.as_bytes()]));

    Cow::Owned(format!("{head}… ({rest} more bytes, digest {digest})"))
}

/// Leaves out what is beyond the limit; returns the number of items.
fn shorten<T: Clone>(items: &mut Box<[T]>) -> u32 {
    let beyond = items.len().saturating_sub(MAX_ITEMS);
    if beyond > 0 {
        *items = items
            .iter()
            .take(MAX_ITEMS)
            .cloned()
            .collect();
    }

    u32::try_from(beyond).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_cut_are_equal_only_where_the_whole_texts_are() {
        let long = |end: &str| format!("{}{end}", "é".repeat(MAX_KEPT));
        assert_eq!(cut(&long("a")), cut(&long("a")));
        assert_ne!(cut(&long("a")), cut(&long("b")));
        assert!(cut(&long("a")).contains("… (1025 more bytes, digest "));
        assert!(cut(&long("a")).len() > MAX_KEPT && cut("short") == "short");
    }
}
