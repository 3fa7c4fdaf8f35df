//! A text with its tape -> a document that holds both.

use std::fmt;

use super::{Document, Node, Refused, SyntaxError, Tape};

/// A JSON text that owns its buffers. Nothing of the text is lost: it keeps unknown fields, the
/// texts of numbers and the order of keys.
///
/// ```
/// use runvet::document::OwnedDocument;
/// let stored = OwnedDocument::read(br#"{"b": 1.50, "a": null}"#.to_vec()).unwrap();
/// assert_eq!(stored.root().get("b").unwrap().raw(), "1.50");
/// assert_eq!(stored.root().members().next().unwrap().name(), "b");
/// assert_eq!(OwnedDocument::read(b"[1,]".to_vec()).unwrap_err().offset, 3);
/// ```
pub struct OwnedDocument {
    text: String,
    tape: Tape,
}

impl OwnedDocument {
    /// Reads a JSON text.
    ///
    /// # Errors
    ///
    /// The first place where the bytes are not UTF-8 or not one JSON text, or nest deeper than
    /// [`MAX_DEPTH`](super::MAX_DEPTH).
    pub fn read(bytes: Vec<u8>) -> Result<Self, SyntaxError> {
        let mut tape = Tape::default();
        tape.read(&bytes)?;
        Ok(Self::new(bytes, tape))
    }

    /// Reads a record, see [`Tape::read_record`]; an error comes with the bytes, in which a place
    /// can be located.
    pub(crate) fn read_record(bytes: Vec<u8>) -> Result<Self, (Refused, Vec<u8>)> {
        let mut tape = Tape::default();
        match tape.read_record(&bytes) {
            Ok(_) => Ok(Self::new(bytes, tape)),
            Err(why) => Err((why, bytes)),
        }
    }

    /// Returns a document that outlasts the buffers that it was read into.
    pub(crate) fn of(document: Document<'_>) -> Self {
        Self {
            text: document.text.to_owned(),
            tape: document.tape.clone(),
        }
    }

    /// Returns a text with its tape, which has checked that the bytes are UTF-8.
    fn new(bytes: Vec<u8>, tape: Tape) -> Self {
        Self {
            text: String::from_utf8(bytes).unwrap_or_default(),
            tape,
        }
    }

    /// Returns the document.
    pub(crate) fn view(&self) -> Document<'_> {
        Document {
            text: &self.text,
            tape: &self.tape,
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value that the whole text is.
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
