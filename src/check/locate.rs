//! Places -> bytes, lines and columns: in one pass over each file that findings point into.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::digest::Digest;
use crate::document::{Document, Node, Tape, digests};
use crate::finding::Location;
use crate::load::Loaded;
use crate::source::{self, Artifact, EpisodeKey, Line, Place, Target};

/// Collects places, then locates them all at once.
#[derive(Default)]
pub(super) struct Locator {
    places: Vec<Place>,
}

impl Locator {
    pub(super) fn want(&mut self, place: &Place) {
        self.places.push(place.clone());
    }

    /// The locations of the places, in the order in which they were added.
    pub(super) fn locate(self, loaded: &Loaded<'_, '_>, key: &EpisodeKey) -> Vec<Location> {
        let mut locations: Vec<Location> =
            self.places.iter().map(|place| whole(place, key)).collect();
        let mut in_state = Vec::new();
        let mut in_summary = Vec::new();
        let mut in_manifest = Vec::new();
        let mut in_lines: BTreeMap<(Artifact, Line), Vec<usize>> = BTreeMap::new();
        for (index, place) in self.places.iter().enumerate() {
            match (place.artifact, place.line) {
                _ if place.target == Target::Whole => {}
                (Artifact::State, _) => in_state.push(index),
                (Artifact::Summary, _) => in_summary.push(index),
                (Artifact::Manifest, _) => in_manifest.push(index),
                (artifact, Some(line)) => {
                    in_lines.entry((artifact, line)).or_default().push(index);
                }
                _ => {}
            }
        }
        let mut fill = Fill {
            places: &self.places,
            locations: &mut locations,
        };
        for (record, indices) in [(loaded.state, in_state), (loaded.summary, in_summary)] {
            let text = record.text.as_ref().ok().copied();
            fill.text(record.bytes, text, 0, 1, &indices);
        }
        let manifest = loaded.manifest;
        fill.text(manifest.bytes, manifest.document, 0, 1, &in_manifest);
        let (mut bytes, mut tape) = (Vec::new(), Tape::default());
        for ((artifact, line), indices) in in_lines {
            let stream = match artifact {
                Artifact::Learn => loaded.learn.stream.as_ref(),
                _ => loaded.timeline.judged(),
            };
            let Some(stream) = stream else { continue };
            if stream.read_again(line, &mut bytes).is_err() {
                bytes.clear();
            }
            fill.text(
                &bytes,
                tape.read_record(&bytes).ok(),
                line.offset,
                line.number,
                &indices,
            );
        }
        locations
    }
}

/// The location of a place as far as it is known without its text.
fn whole(place: &Place, key: &EpisodeKey) -> Location {
    Location {
        file: key.file(place.artifact),
        artifact: Some(place.artifact),
        pointer: place.pointer().map(|pointer| pointer.as_str().to_owned()),
        ..Location::default()
    }
}

struct Fill<'f> {
    places: &'f [Place],
    locations: &'f mut [Location],
}

impl Fill<'_> {
    /// Locates places in one text, which starts at a byte and a line of its file.
    fn text(
        &mut self,
        bytes: &[u8],
        document: Option<Document<'_>>,
        base: u64,
        line: u64,
        indices: &[usize],
    ) {
        if indices.is_empty() {
            return;
        }
        let pointers = indices
            .iter()
            .filter_map(|index| self.places.get(*index)?.pointer());
        let found = document
            .map(|document| document.resolve(pointers))
            .unwrap_or_default();
        let mut found = found.into_iter();
        let of_place = |index: &usize| {
            // If the text has changed since the check, the value may be gone; the location is then
            // the start of the text.
            let start = Found::Bytes(0..0);
            match self.places.get(*index).map(|place| &place.target) {
                None | Some(Target::Whole) => start,
                // All of a text that is JSON is a value.
                Some(Target::Bytes(range)) => {
                    document.filter(|_| *range == (0..bytes.len())).map_or_else(
                        || Found::Rest(range.clone()),
                        |document| Found::Value(document.root()),
                    )
                }
                Some(Target::Value(_)) => found
                    .next()
                    .flatten()
                    .map_or(start, |found| Found::Value(found.value)),
                Some(Target::Key(_)) => found
                    .next()
                    .flatten()
                    .and_then(|found| found.key)
                    .map_or(start, |key| Found::Bytes(key.span())),
                Some(Target::Token(token, _)) => {
                    found.next();
                    document
                        .and_then(|document| document.span_of(*token))
                        .map_or(start, Found::Bytes)
                }
            }
        };
        let found: Vec<Found<'_>> = indices.iter().map(of_place).collect();
        let spans: Vec<Range<usize>> = found.iter().map(Found::span).collect();
        let values: Vec<Node<'_>> = found.iter().filter_map(Found::value).collect();
        let mut of_values = digests(&values).into_iter();
        for ((index, found), (spot, excerpt)) in indices
            .iter()
            .zip(&found)
            .zip(source::locate(bytes, base, line, &spans))
        {
            let Some(location) = self.locations.get_mut(*index) else {
                continue;
            };
            let text = |span: Range<usize>| Digest::of([bytes.get(span).unwrap_or_default()]);
            location.digest = match found {
                Found::Value(_) => of_values.next(),
                Found::Bytes(span) => Some(text(span.clone())),
                Found::Rest(span) => Some(text(span.start..bytes.len())),
            };
            location.line = Some(spot.line);
            location.column = Some(spot.column);
            location.end_line = Some(spot.end_line);
            location.end_column = Some(spot.end_column);
            location.offset = Some(spot.offset);
            location.length = Some(spot.length);
            location.excerpt = Some(excerpt);
        }
    }
}

/// What a place names in a text, as its digest takes it.
enum Found<'d> {
    /// A value, in whatever order its keys are.
    Value(Node<'d>),
    /// A key.
    Bytes(Range<usize>),
    /// A character at which a text stops being JSON. Many texts have the same one, so all that
    /// follows it counts.
    Rest(Range<usize>),
}

impl<'d> Found<'d> {
    fn span(&self) -> Range<usize> {
        match self {
            Self::Value(value) => value.span(),
            Self::Bytes(span) | Self::Rest(span) => span.clone(),
        }
    }

    fn value(&self) -> Option<Node<'d>> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Bytes(_) | Self::Rest(_) => None,
        }
    }
}
