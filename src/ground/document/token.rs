//! A value or a key of a text -> twelve bytes: its span, its kind, and the number of its tokens.

use super::Kind;

/// The maximum number of tokens of a text, for which a token has room.
pub(super) const MAX_TOKENS: usize = 134_217_727;

const SIZE_BITS: u32 = 27;
const SIZE: u32 = (1 << SIZE_BITS) - 1;
const ESCAPED: u32 = 1 << 30;
const SHADOWED: u32 = 1 << 31;

const _: () = assert!(SIZE as usize == MAX_TOKENS, "a size fits");

/// A value or a key: its span in the text, and the number of its tokens on the tape, itself
/// included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of its tokens in the lowest bits, above them its kind and two marks. A tape has
    /// millions of tokens, so four bytes of each count.
    packed: u32,
}

impl Token {
    #[inline]
    pub(super) fn new(kind: Kind, start: u32, end: u32, escaped: bool) -> Self {
        let mark = if escaped { ESCAPED } else { 0 };
        Self {
            start,
            end,
            packed: 1 | (kind as u32) << SIZE_BITS | mark,
        }
    }

    /// Closes an array or object.
    #[inline]
    pub(super) fn close(&mut self, end: u32, size: u32) {
        self.end = end;
        self.packed = (self.packed & !SIZE) | (size & SIZE);
    }

    #[inline]
    pub(super) fn size(&self) -> u32 {
        self.packed & SIZE
    }

    #[inline]
    pub(super) fn kind(&self) -> Kind {
        match self.packed >> SIZE_BITS & 7 {
            0 => Kind::Null,
            1 => Kind::False,
            2 => Kind::True,
            3 => Kind::Number,
            4 => Kind::String,
            5 => Kind::Array,
            _ => Kind::Object,
        }
    }

    /// Returns `true` if it is a string or key with backslashes in it.
    #[inline]
    pub(super) fn is_escaped(&self) -> bool {
        self.packed & ESCAPED != 0
    }

    /// Returns `true` if it is a key that a later one of the same object repeats.
    #[inline]
    pub(super) fn is_shadowed(&self) -> bool {
        self.packed & SHADOWED != 0
    }

    pub(super) fn shadow(&mut self) {
        self.packed |= SHADOWED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_keeps_what_is_put_into_it() {
        let kinds = [
            Kind::Null,
            Kind::False,
            Kind::True,
            Kind::Number,
            Kind::String,
            Kind::Array,
            Kind::Object,
        ];
        for (kind, escaped) in kinds
            .into_iter()
            .flat_map(|kind| [(kind, true), (kind, false)])
        {
            let mut token = Token::new(kind, 3, u32::MAX, escaped);
            assert_eq!((token.kind(), token.size()), (kind, 1));
            token.shadow();
            token.close(7, SIZE);
            assert_eq!((token.start, token.end), (3, 7));
            assert_eq!((token.kind(), token.size()), (kind, SIZE));
            assert!(token.is_escaped() == escaped && token.is_shadowed());
            token.close(8, 2);
            assert_eq!((token.kind(), token.size()), (kind, 2));
        }
    }
}
