//! A record -> what was stored, and the same as a type.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::Error;
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::printable::escape;
use crate::ground::source::line_and_column;
use crate::reading::schema::CompiledSchema;

/// A record, as it was stored and as a type.
#[derive(Debug)]
pub struct Stored<T> {
    pub(super) document: OwnedDocument,
    pub(super) schema: &'static CompiledSchema,
    pub(super) path: PathBuf,
    pub(super) as_type: std::marker::PhantomData<fn() -> T>,
}

impl<T> Stored<T> {
    /// Returns the stored JSON object, with unknown fields, the texts of numbers and the order of
    /// keys.
    #[must_use]
    pub fn object(&self) -> Node<'_> {
        self.document.root()
    }

    /// Returns the document.
    #[must_use]
    pub fn into_document(self) -> OwnedDocument {
        self.document
    }

    /// Returns the stored text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.view().text()
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// Returns the record as a type. Fields that the type does not have are ignored, and numbers
    /// are rounded to what the type holds. One beyond a double, or a count beyond a `u64`, becomes
    /// the largest there is. [`Stored::object`] has the fields, and the numbers as they were
    /// written.
    ///
    /// # Errors
    ///
    /// [`Error::Artifact`] with the place where the record does not fit its type.
    pub fn record(&self) -> Result<T, Error> {
        if let Some((span, reason)) = self.schema.first_violation(self.document.view()) {
            return Err(Error::Artifact {
                path: self.path.clone(),
                place: Some(line_and_column(self.text().as_bytes(), span.start)),
                reason,
            });
        }
        typed(self.object()).map_err(|reason| Error::at(&self.path, &reason))
    }
}

/// Returns a value as a type, or why it can't be read as one, without a place. The last of several
/// equal keys counts, as everywhere.
pub(super) fn typed<T: DeserializeOwned>(value: Node<'_>) -> Result<T, String> {
    serde_json::from_value(value.to_value()).map_err(|why| escape(&why.to_string()).into_owned())
}
