//! What loading examined -> whether a rule about it had anything to compare.

use crate::document::Refused;
use crate::draft::Compared;
use crate::facts::Usable;
use crate::finding::Lifecycle;
use crate::load::{Loaded, LoadedRecord, NoText};
use crate::source::Artifact;

/// Any artifact.
pub(super) fn artifacts(loaded: &Loaded<'_, '_>) -> Compared {
    let entries = loaded.run.stage.entries;
    Compared::when(
        Artifact::ALL
            .into_iter()
            .any(|artifact| entries.has(artifact)),
    )
}

/// The bytes of a record.
pub(super) fn texts(loaded: &Loaded<'_, '_>) -> Compared {
    let is_read = |record: &LoadedRecord<'_>| {
        matches!(
            record.text,
            Ok(_) | Err(NoText::Refused(Refused::Syntax(_)))
        )
    };
    Compared::when(is_read(loaded.state) || is_read(loaded.summary))
}

/// The JSON of a record.
pub(super) fn records(loaded: &Loaded<'_, '_>) -> Compared {
    Compared::when(loaded.state.text.is_ok() || loaded.summary.text.is_ok())
}

/// The version of a record.
pub(super) fn version(record: &LoadedRecord<'_>, fields: &[&str]) -> Compared {
    let root = record.text.as_ref().ok().map(|document| document.root());
    let has = |field: &&str| root.is_some_and(|root| root.get(field).is_some());
    Compared::when(fields.iter().any(has))
}

/// The fields of a record, by its schema.
pub(super) fn shape(record: &LoadedRecord<'_>) -> Compared {
    Compared::when(record.text.is_ok() && matches!(record.shape, Usable::Read(())))
}

/// The fields of either record.
pub(super) fn shapes(loaded: &Loaded<'_, '_>) -> Compared {
    match shape(loaded.state) {
        Compared::Nothing => shape(loaded.summary),
        Compared::Something => Compared::Something,
    }
}

/// The lines of the timeline.
pub(super) fn lines(loaded: &Loaded<'_, '_>) -> Compared {
    Compared::when(loaded.run.timeline.read().is_some_and(|timeline| {
        let broken = timeline.broken_line.or(timeline.unfinished_line);
        timeline.tally.events > 0 || broken.is_some()
    }))
}

/// The end of the timeline, which a run that is in progress may still write.
pub(super) fn tail(loaded: &Loaded<'_, '_>, is_in_progress: bool) -> Compared {
    match loaded.run.stage.lifecycle == Lifecycle::NonTerminal {
        it if it == is_in_progress => lines(loaded),
        _ => Compared::Nothing,
    }
}

/// The events of the timeline.
pub(super) fn events(loaded: &Loaded<'_, '_>) -> Compared {
    let timeline = loaded.run.timeline.read();
    Compared::when(timeline.is_some_and(|timeline| timeline.tally.events > 0))
}

/// The lines of `learn.jsonl`.
pub(super) fn learn(loaded: &Loaded<'_, '_>) -> Compared {
    Compared::when(loaded.learn.any_line)
}

/// The files that the manifest names.
pub(super) fn named_files(loaded: &Loaded<'_, '_>) -> Compared {
    Compared::when(loaded.manifest.is_examined)
}
