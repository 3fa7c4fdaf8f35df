//! Places -> bytes, lines and columns: in one pass over each file that findings point into.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use crate::ground::digest::Digest;
use crate::ground::document::{Document, Node, Resolved, Tape, digests};
use crate::ground::finding::Location;
use crate::ground::source::{self, Artifact, EpisodeKey, Line, Place, Pointer, Target};
use crate::judge::load::Loaded;

/// A text that is all of a file, or of a line.
#[derive(Clone, Copy)]
pub(super) struct Whole<'t> {
    bytes: &'t [u8],
    document: Option<Document<'t>>,
}

impl<'t> Whole<'t> {
    pub(super) fn new(bytes: &'t [u8], document: Option<Document<'t>>) -> Self {
        Self { bytes, document }
    }
}

/// The place in its file at which a text starts.
#[derive(Clone, Copy)]
struct Start {
    offset: u64,
    line: u64,
}

impl Start {
    /// Returns the start of a file.
    const OF_FILE: Self = Self { offset: 0, line: 1 };

    fn of(line: Line) -> Self {
        Self {
            offset: line.offset,
            line: line.number,
        }
    }
}

/// Returns the locations of places in the loaded records.
pub(super) fn locate(
    places: &[&Place],
    loaded: &Loaded<'_, '_>,
    key: &EpisodeKey,
) -> Vec<Location> {
    let (state, summary, manifest) = (&loaded.state, &loaded.summary, &loaded.manifest);
    let whole = |artifact| match artifact {
        Artifact::State => Some(Whole::new(state.bytes, state.document().ok())),
        Artifact::Summary => Some(Whole::new(summary.bytes, summary.document().ok())),
        Artifact::Manifest => Some(Whole::new(manifest.bytes, manifest.document)),
        Artifact::Events | Artifact::Learn => None,
    };

    locate_in(places, key, whole, |artifact, line, bytes| {
        let stream = match artifact {
            Artifact::Learn => loaded.learn.stream.as_ref(),
            _ => loaded.timeline.judged(),
        };
        Some(stream?.read_again(line, bytes))
    })
}

/// Returns the locations of places in files that are at hand, in lines, which `read` reads, and in
/// files besides the artifacts, whose texts the places have. Places in other texts, and in lines
/// that there are not, have no bytes.
pub(super) fn locate_in<'t>(
    places: &[&Place],
    key: &EpisodeKey,
    whole: impl Fn(Artifact) -> Option<Whole<'t>>,
    mut read: impl FnMut(Artifact, Line, &mut Vec<u8>) -> Option<io::Result<()>>,
) -> Vec<Location> {
    let location = |place: &&Place| Location {
        file: key.file_named(place.file_name()),
        artifact: Some(place.artifact).filter(|_| place.elsewhere.is_none()),
        pointer: place
            .pointer()
            .map(|pointer| pointer.as_str().to_owned()),
        ..Location::default()
    };

    let mut locations: Vec<Location> = places.iter().map(location).collect();
    // Each text is read once: what is found in it has it in common.
    let mut by_text: BTreeMap<_, Vec<Sought<'_>>> = BTreeMap::new();
    for (place, location) in places
        .iter()
        .copied()
        .zip(&mut locations)
    {
        if place.target != Target::Whole {
            let elsewhere = place
                .elsewhere
                .as_ref()
                .map(Arc::as_ptr);
            by_text
                .entry((place.artifact, place.line, elsewhere))
                .or_default()
                .push(Sought { place, location });
        }
    }

    let (mut bytes, mut tape) = (Vec::new(), Tape::default());
    for ((artifact, line, _), sought) in by_text {
        let elsewhere = sought
            .first()
            .and_then(|sought| sought.place.elsewhere.as_ref());
        match (elsewhere, whole(artifact), line) {
            (Some(elsewhere), _, Some(line)) => {
                let text = &*elsewhere.text;
                let text = Whole::new(text, tape.read_record(text).ok());
                fill(text, Start::of(line), sought);
            }
            (None, Some(text), _) => fill(text, Start::OF_FILE, sought),
            (None, None, Some(line)) => match read(artifact, line, &mut bytes) {
                None => {}
                Some(read) => {
                    if read.is_err() {
                        bytes.clear();
                    }
                    let text = Whole::new(&bytes, tape.read_record(&bytes).ok());
                    fill(text, Start::of(line), sought);
                }
            },
            _ => {}
        }
    }

    locations
}

/// A place, and its location, which is to be filled.
struct Sought<'l> {
    place: &'l Place,
    location: &'l mut Location,
}

/// Fills locations in a text.
fn fill(text: Whole<'_>, start_of_text: Start, sought: Vec<Sought<'_>>) {
    let root = Pointer::default();
    let pointers = sought
        .iter()
        .map(|sought| sought.place.pointer().unwrap_or(&root));
    let resolved = match text.document {
        Some(document) => document.resolve(pointers),
        None => vec![None; sought.len()],
    };

    let found = sought
        .iter()
        .zip(resolved)
        .map(|(sought, resolved)| find(text, &sought.place.target, resolved));
    let (values, spans): (Vec<Option<Node<'_>>>, Vec<Range<usize>>) = found.unzip();
    let mut digests = digests(
        &values
            .iter()
            .copied()
            .flatten()
            .collect::<Vec<_>>(),
    )
    .into_iter();
    let spots = source::locate(text.bytes, start_of_text.line, &spans);

    for ((Sought { place, location }, (value, span)), (start, end, excerpt)) in sought
        .into_iter()
        .zip(values.into_iter().zip(spans))
        .zip(spots)
    {
        let length = span.end.saturating_sub(start.offset) as u64;
        let compared = match place.target {
            // Many texts stop being JSON at the same character, so all that follows it counts.
            Target::Bytes(_) => span.start..text.bytes.len(),
            _ => span,
        };

        let of_text = || {
            Some(Digest::of([text
                .bytes
                .get(compared)
                .unwrap_or_default()]))
        };

        *location = Location {
            digest: value.map_or_else(of_text, |_| digests.next()),
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
            offset: Some(start_of_text.offset + start.offset as u64),
            length: Some(length),
            excerpt: Some(excerpt),
            ..mem::take(location)
        };
    }
}

/// Returns the target of a place, by the target of its pointer, or else of the root: a value, if it
/// is one, and its bytes.
fn find<'t>(
    text: Whole<'t>,
    target: &Target,
    resolved: Option<Resolved<'t>>,
) -> (Option<Node<'t>>, Range<usize>) {
    match (target, resolved) {
        // All of a text that is JSON is a value.
        (Target::Bytes(range), Some(root)) if *range == (0..text.bytes.len()) => {
            (Some(root.value), root.value.span())
        }
        (Target::Bytes(range), _) => (None, range.clone()),
        (Target::Value(_), Some(Resolved { value, .. })) => (Some(value), value.span()),
        (Target::Key(_), Some(Resolved { key: Some(key), .. })) => (None, key.span()),
        (Target::Token(token, _), _) => {
            let span = text
                .document
                .and_then(|document| document.span_of(*token));
            (None, span.unwrap_or_default())
        }
        // If the text has changed since the check, the value may be gone; the location is then the
        // start of the text.
        _ => (None, 0..0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::linear::hold_to_doubling;
    use crate::ground::document::work;
    use crate::ground::source::Elsewhere;

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
                name: "scores.json".into(),
                text: text.into(),
            });
            let place = |index: usize| Place {
                line: Some(line),
                target: Target::Value(Pointer::default().item(index)),
                elsewhere: Some(Arc::clone(&elsewhere)),
                ..Place::whole(Artifact::Manifest)
            };
            let places: Vec<Place> = (0..size).map(place).collect();
            let places: Vec<&Place> = places.iter().collect();
            let key = EpisodeKey::from("ep_1");
            let (locations, done) = work::of(|| locate_in(&places, &key, |_| None, |_, _, _| None));
            let last = locations
                .last()
                .and_then(|last| last.column);
            assert_eq!(last, Some(2 * size as u64));
            done
        });
    }
}
