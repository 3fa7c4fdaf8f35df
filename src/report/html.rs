//! Reports -> a page for a browser, in one file.

use std::io::{self, Write};

use super::{Closing, Renderer};
use crate::finding::{EpisodeReport, RuleInfo};
use crate::page::{Completion, PageFile};

pub(super) struct Html(PageFile);

impl Html {
    pub(super) fn new(rules: Vec<RuleInfo>) -> Self {
        Self(PageFile::new(rules))
    }
}

impl Renderer for Html {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.0.add(episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let ending = Completion {
            faults: closing.faults,
            is_complete: closing.is_complete,
            is_under_way: false,
        };
        let read = |judged: &_, prefix: &_| closing.pages.and_then(|it| it.0(judged, prefix));
        self.0.write(out, &ending, &read)
    }
}
