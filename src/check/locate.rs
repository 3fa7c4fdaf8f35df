//! Places -> bytes, lines and columns: in one pass over each file that findings point into.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::digest::Digest;
use crate::document::{self, Document, Node, Tape, digests};
use crate::finding::Location;
use crate::load::Loaded;
use crate::source::{self, Artifact, Elsewhere, EpisodeKey, Line, Place, Pointer, Spot, Target};

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
        let (mut in_state, mut in_summary, mut in_manifest) = (vec![], vec![], vec![]);
        let mut in_lines: InLines<'_> = BTreeMap::new();
        let mut in_others = Vec::new();
        for wanted in self.places.iter().zip(&mut locations) {
            let place = wanted.0;
            match (place.artifact, place.line) {
                _ if place.target == Target::Whole => {}
                _ if place.elsewhere.is_some() => in_others.push(wanted),
                (Artifact::State, _) => in_state.push(wanted),
                (Artifact::Summary, _) => in_summary.push(wanted),
                (Artifact::Manifest, _) => in_manifest.push(wanted),
                (artifact, Some(line)) => {
                    in_lines.entry((artifact, line)).or_default().push(wanted);
                }
                _ => {}
            }
        }
        for (bytes, document, wanted) in [
            (
                loaded.state.bytes,
                loaded.state.text.as_ref().ok().copied(),
                in_state,
            ),
            (
                loaded.summary.bytes,
                loaded.summary.text.as_ref().ok().copied(),
                in_summary,
            ),
            (loaded.manifest.bytes, loaded.manifest.document, in_manifest),
        ] {
            Text { bytes, document }.fill(0, 1, wanted);
        }
        fill_others(in_others);
        fill_lines(in_lines, |artifact, line, bytes| {
            let stream = match artifact {
                Artifact::Learn => loaded.learn.stream.as_ref(),
                _ => loaded.timeline.judged(),
            };
            Some(stream?.read_again(line, bytes))
        });
        locations
    }

    /// The locations of places in lines, which `read` reads. Those in other texts, and in lines
    /// that it does not have, have no bytes.
    pub(super) fn locate_in_lines(
        self,
        key: &EpisodeKey,
        read: impl FnMut(Artifact, Line, &mut Vec<u8>) -> Option<io::Result<()>>,
    ) -> Vec<Location> {
        let places = &self.places;
        let mut locations: Vec<Location> = places.iter().map(|place| whole(place, key)).collect();
        let mut in_lines: InLines<'_> = BTreeMap::new();
        for (place, location) in places.iter().zip(&mut locations) {
            if let Some(line) = place.line.filter(|_| place.target != Target::Whole) {
                let of_line = in_lines.entry((place.artifact, line)).or_default();
                of_line.push((place, location));
            }
        }
        fill_lines(in_lines, read);
        locations
    }
}

/// Places in lines, by their lines.
type InLines<'l> = BTreeMap<(Artifact, Line), Vec<Wanted<'l>>>;

fn fill_lines(
    in_lines: InLines<'_>,
    mut read: impl FnMut(Artifact, Line, &mut Vec<u8>) -> Option<io::Result<()>>,
) {
    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    for ((artifact, line), wanted) in in_lines {
        match read(artifact, line, &mut bytes) {
            None => continue,
            Some(Err(_)) => bytes.clear(),
            Some(Ok(())) => {}
        }
        let (bytes, document) = (&*bytes, tape.read_record(&bytes).ok());
        Text { bytes, document }.fill(line.offset, line.number, wanted);
    }
}

/// Fills locations in files besides the artifacts, whose texts the places have. Each text is read
/// once: what is found in it has it in common.
fn fill_others(in_others: Vec<Wanted<'_>>) {
    let mut by_text: BTreeMap<_, (&Elsewhere, Line, Vec<_>)> = BTreeMap::new();
    for wanted in in_others {
        if let (Some(elsewhere), Some(line)) = (&wanted.0.elsewhere, wanted.0.line) {
            let of_text = by_text.entry(Arc::as_ptr(elsewhere));
            let (.., places) = of_text.or_insert_with(|| (elsewhere, line, Vec::new()));
            places.push(wanted);
        }
    }
    let mut tape = Tape::default();
    for (elsewhere, line, wanted) in by_text.into_values() {
        let bytes = &*elsewhere.text;
        let document = tape.read_record(bytes).ok();
        Text { bytes, document }.fill(line.offset, line.number, wanted);
    }
}

/// The location of a place as far as it is known without its text.
fn whole(place: &Place, key: &EpisodeKey) -> Location {
    Location {
        file: key.file_named(place.file_name()),
        artifact: Some(place.artifact).filter(|_| place.elsewhere.is_none()),
        pointer: place.pointer().map(|pointer| pointer.as_str().to_owned()),
        ..Location::default()
    }
}

/// A place, and its location.
type Wanted<'l> = (&'l Place, &'l mut Location);

/// A text that places are in.
struct Text<'t> {
    bytes: &'t [u8],
    document: Option<Document<'t>>,
}

impl<'t> Text<'t> {
    /// Fills locations in the text, which starts at a byte and a line of its file.
    fn fill(&self, base: u64, line: u64, wanted: Vec<Wanted<'_>>) {
        if wanted.is_empty() {
            return;
        }
        let root = Pointer::default();
        let pointers = wanted
            .iter()
            .map(|(place, _)| place.pointer().unwrap_or(&root));
        let resolved = match self.document {
            Some(document) => document.resolve(pointers),
            None => vec![None; wanted.len()],
        };
        let found: Vec<Found<'_>> = wanted
            .iter()
            .zip(resolved)
            .map(|((place, _), resolved)| self.find(&place.target, resolved))
            .collect();
        let spans: Vec<Range<usize>> = found.iter().map(Found::span).collect();
        let values: Vec<Node<'_>> = found.iter().filter_map(Found::value).collect();
        let mut of_values = digests(&values).into_iter();
        for (((_, location), found), (spot, excerpt)) in wanted
            .into_iter()
            .zip(&found)
            .zip(source::locate(self.bytes, base, line, &spans))
        {
            let text = |span: Range<usize>| Digest::of([self.bytes.get(span).unwrap_or_default()]);
            location.digest = match found {
                Found::Value(_) => of_values.next(),
                Found::Bytes(span) => Some(text(span.clone())),
                Found::Rest(span) => Some(text(span.start..self.bytes.len())),
            };
            point_to(location, &spot);
            location.excerpt = Some(excerpt);
        }
    }

    /// What a place names, by what its pointer, or else that of the root, points to.
    fn find(&self, target: &Target, resolved: Option<document::Resolved<'t>>) -> Found<'t> {
        match (target, resolved) {
            // All of a text that is JSON is a value.
            (Target::Bytes(range), Some(root)) if *range == (0..self.bytes.len()) => {
                Found::Value(root.value)
            }
            (Target::Bytes(range), _) => Found::Rest(range.clone()),
            (Target::Value(_), Some(resolved)) => Found::Value(resolved.value),
            (Target::Key(_), Some(document::Resolved { key: Some(key), .. })) => {
                Found::Bytes(key.span())
            }
            (Target::Token(token, _), _) => {
                let span = self.document.and_then(|document| document.span_of(*token));
                span.map_or(Found::Bytes(0..0), Found::Bytes)
            }
            // If the text has changed since the check, the value may be gone; the location is then
            // the start of the text.
            _ => Found::Bytes(0..0),
        }
    }
}

fn point_to(location: &mut Location, spot: &Spot) {
    location.line = Some(spot.line);
    location.column = Some(spot.column);
    location.end_line = Some(spot.end_line);
    location.end_column = Some(spot.end_column);
    location.offset = Some(spot.offset);
    location.length = Some(spot.length);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::work;
    use crate::gate::linear::hold_to_doubling;

    #[test]
    fn text_with_many_places_is_read_once() {
        hold_to_doubling("places in another file", 200, |size| {
            let text = format!("[{}0]", "0,".repeat(size));
            let line = Line {
                number: 1,
                offset: 0,
                length: text.len(),
            };
            let elsewhere = Arc::new(Elsewhere {
                file: "scores.json".into(),
                text: text.into(),
            });
            let place = |index: usize| Place {
                line: Some(line),
                target: Target::Value(Pointer::default().item(index)),
                elsewhere: Some(Arc::clone(&elsewhere)),
                ..Place::whole(Artifact::Manifest)
            };
            let places: Vec<Place> = (0..size).map(place).collect();
            let mut locations = vec![Location::default(); size];
            let wanted = places.iter().zip(&mut locations).collect();
            let ((), done) = work::of(|| fill_others(wanted));
            let last = locations.last().and_then(|last| last.column);
            assert_eq!(last, Some(2 * size as u64));
            done
        });
    }
}
