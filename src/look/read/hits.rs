//! A run, and words -> the places in which the run has them.

use memchr::memmem::Finder;

use super::Error;
use super::run::RunReader;
use super::text::{MAX_HITS, PlaceTexts, TextSearch};
use crate::ground::finding::Hit;
use crate::ground::source::Artifact;
use crate::store::{LineRead, Lines, MAX_RECORD_BYTES};

/// The files that are searched, in the order of what is found.
pub(crate) const SEARCHED: [Artifact; 4] = [
    Artifact::Events,
    Artifact::State,
    Artifact::Summary,
    Artifact::Learn,
];

/// What a search found in a run.
#[derive(Debug, Default)]
pub(crate) struct TextHits {
    /// The first places.
    pub(crate) first: Vec<Hit>,
    /// `true` if there are others.
    pub(crate) more: bool,
    /// What could not be searched.
    pub(crate) unread: Vec<Error>,
    /// The number of bytes that were searched.
    pub(crate) bytes: u64,
}

impl RunReader {
    /// Searches the run until there are more places than are kept.
    pub(crate) fn hits(&self, search: &TextSearch) -> TextHits {
        let mut hits = TextHits::default();
        let (part, mut texts) = (Finder::new(&search.part), PlaceTexts::default());
        for artifact in SEARCHED {
            let searched = self.search(artifact, search, &part, &mut texts, &mut hits);
            hits.unread.extend(searched.err());
            if hits.more {
                break;
            }
        }

        hits
    }

    /// Searches a file, if it is there: each line of it, or a record as a whole.
    fn search(
        &self,
        artifact: Artifact,
        search: &TextSearch,
        part: &Finder<'_>,
        texts: &mut PlaceTexts,
        hits: &mut TextHits,
    ) -> Result<(), Error> {
        if self.artifact(artifact).is_none() {
            return Ok(());
        }

        let stream = self.stream(artifact)?;
        let wrong = |why: &dyn ToString| self.error(artifact, None, why.to_string());
        if !matches!(artifact, Artifact::Events | Artifact::Learn) {
            let mut record = Vec::new();
            stream
                .read_record(&mut record)
                .map_err(|why| wrong(&why))?;
            hits.bytes += record.len() as u64;
            if let Some(text) = search.text_in(&record, part, texts) {
                hits.add(artifact, search.first_line(&record, texts), text);
            }

            return Ok(());
        }

        let mut lines = Lines::new(stream.growing(), Vec::new(), MAX_RECORD_BYTES);
        while let Some(read) = lines
            .next_line()
            .map_err(|why| wrong(&why))?
        {
            match read {
                LineRead::Text { line, bytes, .. } => {
                    hits.bytes += bytes.len() as u64;
                    if let Some(text) = search.text_in(bytes, part, texts) {
                        hits.add(artifact, line.number, text);
                    }
                }
                LineRead::TooLong { line } => {
                    let reason = "the line is too long to be searched".to_owned();
                    let place = Some((line.number, 1));
                    hits.unread
                        .push(self.error(artifact, place, reason));
                }
            }
            if hits.more {
                break;
            }
        }

        Ok(())
    }
}

impl TextHits {
    fn add(&mut self, artifact: Artifact, line: u64, text: String) {
        let file = artifact.file_name().to_owned();
        self.more = self.first.len() == MAX_HITS;
        if !self.more {
            self.first
                .push(Hit { file, line, text });
        }
    }
}
