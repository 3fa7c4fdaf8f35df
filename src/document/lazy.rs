//! A text -> its tape, which is made when it is first asked for.

use std::mem::take;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Document, Refused, Tape, utf8};

/// The tape of a text that most readers do not need.
#[derive(Default)]
pub(crate) struct LazyTape {
    made: OnceLock<Tape>,
    /// The buffers of the text before.
    spare: Mutex<Tape>,
}

impl LazyTape {
    /// Forgets the text before.
    pub(crate) fn clear(&mut self) {
        if let Some(mut tape) = self.made.take() {
            tape.release();
            *self.spare() = tape;
        }
    }

    fn spare(&mut self) -> &mut Tape {
        self.spare.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a text at once; returns it.
    pub(crate) fn read<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a str, Refused> {
        self.clear();
        let mut tape = take(self.spare());
        tape.read_record(bytes)?;
        self.made = OnceLock::from(tape);
        Ok(utf8(bytes).unwrap_or_default())
    }

    /// Returns the document of a text that was read before, here or by a reader that accepted it.
    pub(crate) fn document<'a>(&'a self, text: &'a str) -> Option<Document<'a>> {
        let tape = self.made.get_or_init(|| {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut tape = take(&mut *spare);
            // What a reader accepts is JSON, and within the limit of keys and values.
            let _ = tape.read(text.as_bytes());
            tape
        });
        let is_made = !tape.tokens.is_empty();
        is_made.then_some(Document { text, tape })
    }
}
