//! A text with its tape -> a document that holds both.

use std::fmt;

use super::{Document, Node, SyntaxError, Tape};

/// A JSON text that owns its buffers. Nothing of the text is lost: it keeps unknown fields, the
/// texts of numbers and the order of keys.
///
/// ```
/// use runvet::document::OwnedDocument;
/// let stored = OwnedDocument::read(br#"{"b": 1.50, "a": null}"#.to_vec()).unwrap();
/// assert_eq!(stored.root().get("b").unwrap().raw(), "1.50");
/// assert_eq!(stored.root().members().next().unwrap().name(), "b");
/// ```
#[derive(Default)]
pub struct OwnedDocument {
    text: String,
    tape: Tape,
}

impl OwnedDocument {
    /// Reads a JSON text, see [`Tape::read`].
    ///
    /// # Errors
    ///
    /// Those of [`Tape::read`].
    pub fn read(bytes: Vec<u8>) -> Result<Self, SyntaxError> {
        Self::read_or_return(bytes).map_err(|(error, _)| error)
    }

    /// The same; an error comes with the bytes, in which it can be located.
    pub(crate) fn read_or_return(bytes: Vec<u8>) -> Result<Self, (SyntaxError, Vec<u8>)> {
        let mut tape = Tape::default();
        if let Err(error) = tape.read(&bytes) {
            return Err((error, bytes));
        }
        // The tape has checked that the bytes are UTF-8.
        Ok(Self {
            text: String::from_utf8(bytes).unwrap_or_default(),
            tape,
        })
    }

    /// The document.
    #[must_use]
    pub fn view(&self) -> Document<'_> {
        Document {
            text: &self.text,
            tape: &self.tape,
        }
    }

    /// The value that the whole text is.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.view().root()
    }
}

impl fmt::Debug for OwnedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
