//! Reports -> a page for a browser, in one file.

use std::io::{self, Write};

use super::{Closing, Renderer};
use crate::finding::EpisodeReport;
use crate::page::PageFile;

impl Renderer for PageFile {
    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        self.add(episode)
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        self.overview.faults = closing.faults.to_vec();
        self.overview.is_complete = closing.is_complete;
        let read = |judged: &_, prefix: &_| closing.pages.and_then(|make| make(judged, prefix));
        self.write(out, &read)
    }
}
