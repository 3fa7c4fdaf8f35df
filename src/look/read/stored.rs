//! A record -> what was stored, and the same as a type.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::Error;
use crate::ground::document::{Kind, Node, OwnedDocument};
use crate::ground::printable::escape;
use crate::ground::record::IntuitionMode;
use crate::ground::source::{Artifact, line_and_column};
use crate::reading::schema::CompiledSchema;

/// A record, as it was stored and as a type.
#[derive(Debug)]
pub struct Stored<T> {
    pub(super) document: OwnedDocument,
    pub(super) schema: &'static CompiledSchema,
    pub(super) path: PathBuf,
    pub(super) artifact: Artifact,
    pub(super) as_type: std::marker::PhantomData<fn() -> T>,
}

impl<T> Stored<T> {
    /// Returns the stored JSON object, with unknown fields, the texts of numbers and the order of
    /// keys.
    #[must_use]
    pub fn object(&self) -> Node<'_> {
        self.document.root()
    }

    /// Returns the document as readers take it: of a state, `episode.intuition_mode` is `advisory`
    /// where it is absent.
    #[must_use]
    pub fn into_document(self) -> OwnedDocument {
        match self.artifact {
            Artifact::State => with_defaults(self.document),
            _ => self.document,
        }
    }

    /// Returns the stored text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.view().text()
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// Returns the record as a type, with the default of `episode.intuition_mode`. Fields that the
    /// type does not have are ignored, and numbers are rounded to what the type holds. One beyond a
    /// double, or a count beyond a `u64`, becomes the largest there is. [`Stored::object`] has the
    /// fields, and the numbers as they were written.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] with the place where the record does not fit its type.
    pub fn record(&self) -> Result<T, Error> {
        if let Some((span, reason)) = self
            .schema
            .first_violation(self.document.view())
        {
            return Err(Error::Artifact {
                path: self.path.clone(),
                place: Some(line_and_column(self.text().as_bytes(), span.start)),
                reason,
            });
        }

        let with_default = match self.artifact {
            Artifact::State => text_with_defaults(self.object(), self.text()),
            _ => None,
        };

        let read = match with_default.and_then(|text| OwnedDocument::read(text.into()).ok()) {
            Some(document) => typed(document.root()),
            None => typed(self.object()),
        };

        read.map_err(|reason| Error::at(&self.path, &reason))
    }
}

/// Returns a state as readers take it: with the default of what older runtimes do not write.
pub(in crate::look) fn with_defaults(state: OwnedDocument) -> OwnedDocument {
    let text = text_with_defaults(state.root(), state.text());
    text.and_then(|text| OwnedDocument::read(text.into()).ok())
        .unwrap_or(state)
}

/// Returns the text of a state with the default of `episode.intuition_mode`, unless that is there
/// or there is no object to add it to.
fn text_with_defaults(state: Node<'_>, text: &str) -> Option<String> {
    let episode = state.get("episode")?;
    let is_without = episode.kind() == Kind::Object && episode.get(INTUITION_MODE).is_none();
    let (before, after) = text.split_at_checked(episode.span().start + 1)?;
    let comma = episode
        .members()
        .next()
        .map_or("", |_| ",");
    let mode = IntuitionMode::default();

    is_without.then(|| format!("{before}\"{INTUITION_MODE}\":\"{mode}\"{comma}{after}"))
}

const INTUITION_MODE: &str = "intuition_mode";

/// Returns a value as a type, or why it can't be read as one, without a place. The last of several
/// equal keys counts, as everywhere.
pub(super) fn typed<T: DeserializeOwned>(value: Node<'_>) -> Result<T, String> {
    serde_json::from_value(value.to_value()).map_err(|why| escape(&why.to_string()).into_owned())
}
