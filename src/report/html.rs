//! Reports -> a page for a browser, in one file.

use std::io::{self, Write};

use super::{Closing, Renderer};
use crate::finding::{EpisodeReport, RuleInfo};
use crate::page::{Completion, PageFile, Paged};

pub(super) struct Html {
    file: PageFile,
    settings: String,
}

impl Html {
    pub(super) fn new(rules: Vec<RuleInfo>, settings: String, paged: Paged) -> Self {
        Self {
            file: PageFile::new(rules, paged),
            settings,
        }
    }
}

impl Renderer for Html {
    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.file.add(episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let ending = Completion {
            faults: closing.faults,
            is_complete: closing.is_complete,
            is_under_way: false,
            settings: &self.settings,
        };
        let read = |judged: &_, prefix: &_| closing.pages.and_then(|it| it.0(judged, prefix));
        self.file.write(out, &ending, &read)
    }
}
