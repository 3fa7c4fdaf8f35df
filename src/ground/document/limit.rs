//! The bytes of a record -> its document, if it has no more keys and values than a record may have.

use super::parser::{Parser, Sink};
use super::{
    Document, Kind, MAX_DEPTH, MAX_VALUES, SyntaxError, SyntaxErrorKind, Tape, likely_tokens,
};

/// No text that is shorter, in bytes, has more keys and values than [`MAX_VALUES`]: all but the
/// brackets that are open take two bytes each.
pub(crate) const LEAST_BYTES_BEYOND: usize = 2 * (MAX_VALUES - MAX_DEPTH);

/// The reason why a text is not read as a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// It is not JSON.
    #[error("not JSON: {0}")]
    Syntax(#[from] SyntaxError),
    /// It has more keys and values than [`MAX_VALUES`].
    #[error("it has more than {MAX_VALUES} keys and values")]
    TooManyValues,
    /// Memory for its tape is lacking: a fault of the machine.
    #[error("out of memory")]
    NoMemory,
}

impl Refused {
    /// Returns `true` if a text may be JSON, and is more than is read.
    pub(crate) fn is_too_much(self) -> bool {
        match self {
            Self::Syntax(error) => error.kind == SyntaxErrorKind::TooDeep,
            Self::TooManyValues => true,
            Self::NoMemory => false,
        }
    }
}

impl Tape {
    /// Reads the text of a record, an event or a part of one, with no more than [`MAX_VALUES`] keys
    /// and values before the place where it stops being JSON.
    pub(crate) fn read_record<'a>(&'a mut self, bytes: &'a [u8]) -> Result<Document<'a>, Refused> {
        if bytes.len() < LEAST_BYTES_BEYOND {
            return Ok(self.read(bytes)?);
        }

        let count = count(bytes);
        if count > MAX_VALUES {
            return Err(Refused::TooManyValues);
        }

        self.tokens.clear();
        if self
            .tokens
            .try_reserve_exact(count.max(likely_tokens(bytes)))
            .is_err()
        {
            return Err(Refused::NoMemory);
        }

        Ok(self.read(bytes)?)
    }
}

/// Returns the number of keys and values before the place where a text stops being JSON.
pub(super) fn count(bytes: &[u8]) -> usize {
    let mut count = 0;
    // The reading that follows reports the place where it stops being JSON.
    let _ = Parser::new(bytes, &mut count).text();
    count
}

#[expect(
    clippy::inline_always,
    reason = "the parser and its sink should compile to one function"
)]
impl Sink for &mut usize {
    #[inline(always)]
    fn value(&mut self, _: Kind, _: usize, _: usize, _: bool) {
        **self += 1;
    }

    #[inline(always)]
    fn key(&mut self, _: usize, _: usize, _: bool) {
        **self += 1;
    }

    #[inline(always)]
    fn open(&mut self, _: Kind, _: usize) -> bool {
        **self += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_and_containers_are_counted() {
        for (text, expected) in [
            ("", 0),
            ("1", 1),
            (" [] ", 1),
            (r#"{"a":1}"#, 3),
            (r#"{"a":[1,{"b":null,"b":"\u0061"}],"c":{}}"#, 11),
            ("[1,2,x,3]", 3),
        ] {
            assert_eq!(count(text.as_bytes()), expected, "{text}");
            if let Ok(document) = Tape::default().read(text.as_bytes()) {
                assert_eq!(document.tape.tokens.len(), expected, "{text}");
            }
        }
    }

    #[test]
    fn record_is_refused_when_one_value_beyond_limit() {
        let array = |values: usize| format!("[{}1]", "1,".repeat(values - 2));
        let mut tape = Tape::default();
        assert!(
            tape.read_record(array(MAX_VALUES).as_bytes())
                .is_ok()
        );
        assert_eq!(tape.tokens.capacity(), MAX_VALUES);
        let beyond = array(MAX_VALUES + 1);
        let refused = tape
            .read_record(beyond.as_bytes())
            .unwrap_err();
        assert_eq!(refused, Refused::TooManyValues);
        let deep = "[".repeat(MAX_DEPTH) + &"1,".repeat(MAX_VALUES - MAX_DEPTH) + "1";
        assert!(deep.len() > LEAST_BYTES_BEYOND && deep.len() < LEAST_BYTES_BEYOND + MAX_DEPTH + 2);
        let refused = tape
            .read_record(deep.as_bytes())
            .unwrap_err();
        assert_eq!(refused, Refused::TooManyValues);
        // What follows does not count, nor does what stands after an error of syntax.
        let cut = tape.read_record(beyond.trim_end_matches(']').as_bytes());
        assert_eq!(cut.unwrap_err(), Refused::TooManyValues);
        let broken = format!("[x{beyond}");
        let refused = tape
            .read_record(broken.as_bytes())
            .unwrap_err();
        assert!(matches!(refused, Refused::Syntax(error) if error.offset == 1));
    }
}
