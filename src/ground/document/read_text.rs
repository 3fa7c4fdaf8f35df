//! A text -> the values in its slots, and its tape, which is made when it is first asked for.

use std::mem::take;
use std::sync::OnceLock;

use super::{Document, Layout, Refused, Slots, Tape, utf8};

/// The slots and the tape of a text that was read. Most readers do not need its tape.
#[derive(Default)]
pub(crate) struct ReadText {
    pub(crate) slots: Slots,
    tape: OnceLock<Tape>,
    /// The buffers of the text that was parsed before.
    spare: Tape,
}

impl ReadText {
    /// Returns a text that was read before into these slots.
    pub(crate) fn of(slots: Slots) -> Self {
        Self {
            slots,
            ..Self::default()
        }
    }

    /// Forgets the text before, and hands out the slots, which are to be filled.
    pub(crate) fn renew(&mut self) -> &mut Slots {
        if let Some(mut tape) = self.tape.take() {
            tape.release();
            self.spare = tape;
        }
        &mut self.slots
    }

    /// Frees the memory that a large text needed.
    pub(crate) fn release(&mut self) {
        self.renew().release();
    }

    /// Parses a text at once, and fills the slots from its tape; returns the text.
    pub(crate) fn parse<'a>(
        &mut self,
        bytes: &'a [u8],
        layout: &Layout,
    ) -> Result<&'a str, Refused> {
        self.renew();
        let mut tape = take(&mut self.spare);
        self.slots
            .fill(tape.read_record(bytes)?, layout);
        self.tape = OnceLock::from(tape);

        Ok(utf8(bytes).unwrap_or_default())
    }

    /// Returns the document of a text that was parsed, or that a reader accepted; an error where
    /// there is no memory for it.
    pub(crate) fn document<'a>(&'a self, text: &'a str) -> Result<Document<'a>, Refused> {
        let tape = self.tape.get_or_init(|| {
            #[cfg(test)]
            super::work::add_tape();
            let mut tape = Tape::default();
            // What a reader accepts is JSON, and within the limit of keys and values.
            let _ = tape.read(text.as_bytes());
            tape
        });
        if tape.tokens.is_empty() {
            return Err(Refused::NoMemory);
        }

        Ok(Document { text, tape })
    }
}
