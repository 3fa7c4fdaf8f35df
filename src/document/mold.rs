//! A text with the skeleton of an earlier one -> its tape, cast in the mold of the earlier tape.
//!
//! Two texts with one skeleton have the same tokens, and only their spans differ: each is moved by
//! as many bytes as the strings and numbers before it are longer or shorter.

use super::skeleton::{Skeletons, scalars};
use super::token::Token;
#[cfg(test)]
use super::work;
use super::{Document, Refused, Tape, utf8};

/// The length of the longest text of which a mold is made: long texts rarely share a skeleton.
const MAX_MOLD_BYTES: usize = 16 << 10;

/// The number of tokens that all molds have, at most.
const MAX_MOLD_TOKENS: usize = 32 << 10;

/// The molds of the texts that were read, and for each what is known of all texts that fit it.
pub(crate) struct Molds<T> {
    /// The sign of a skeleton is the index of its mold.
    skeletons: Skeletons<(), usize>,
    made: Vec<Mold<T>>,
    /// The number of tokens of all molds.
    tokens: usize,
    /// Of the text that is read: where each string and number ends, and which of them have escapes.
    ends: Vec<u32>,
    escaped: Vec<usize>,
}

/// The tape of a text.
struct Mold<T> {
    tokens: Vec<Token>,
    scalars: Vec<Scalar>,
    containers: Vec<Container>,
    known: T,
}

/// A string or a number.
struct Scalar {
    /// The number of tokens from behind the scalar before it up to and with its own.
    tokens: u32,
    token: u32,
    end: u32,
}

/// An array or object with strings or numbers in it.
struct Container {
    token: u32,
    end: u32,
    /// The last scalar before its end.
    last: u32,
}

impl<T> Default for Molds<T> {
    fn default() -> Self {
        Self {
            skeletons: Skeletons::default(),
            made: Vec::new(),
            tokens: 0,
            ends: Vec::new(),
            escaped: Vec::new(),
        }
    }
}

impl<T> Molds<T> {
    /// Molds that are made from the first text on.
    #[cfg(test)]
    pub(crate) fn eager() -> Self {
        Self {
            skeletons: Skeletons::eager(),
            ..Self::default()
        }
    }

    /// Reads the text of a record, as [`Tape::read_record`] does. With it comes what is known of
    /// all texts with its skeleton; where it is `None`, the caller may [learn](Self::learn) it.
    pub(crate) fn read<'m, 'a>(
        &'m mut self,
        bytes: &'a [u8],
        tape: &'a mut Tape,
    ) -> Result<(Document<'a>, Option<&'m T>), Refused> {
        if bytes.len() <= MAX_MOLD_BYTES
            && let Ok(text) = utf8(bytes)
            && let Some(mold) = self.cast(bytes, tape)
        {
            let known = self.made.get(mold).map(|mold| &mold.known);
            return Ok((Document { text, tape }, known));
        }
        Ok((tape.read_record(bytes)?, None))
    }

    /// Writes the tape of a text with a known skeleton; returns the index of its mold.
    fn cast(&mut self, bytes: &[u8], tape: &mut Tape) -> Option<usize> {
        let (ends, escaped) = (&mut self.ends, &mut self.escaped);
        ends.clear();
        escaped.clear();
        let index = self.skeletons.read(bytes, |found| {
            if found.escaped {
                escaped.push(ends.len());
            }
            // No text is longer than `MAX_MOLD_BYTES`.
            ends.push(u32::try_from(found.span.end).unwrap_or_default());
        })?;
        let mold = self.made.get(index)?;
        #[cfg(test)]
        work::add(bytes.len());
        tape.clear();
        mold.cast(ends, &mut tape.tokens);
        for scalar in escaped {
            let token = mold.scalars.get(*scalar)?.token;
            tape.tokens.get_mut(token as usize)?.escape();
        }
        Some(index)
    }

    /// Makes the mold of a text whose skeleton is not known. Whether one is made of it, is decided
    /// as [`Skeletons::learn`] decides it.
    pub(crate) fn learn(&mut self, document: Document<'_>, known: impl FnOnce() -> T) {
        let (bytes, tape) = (document.text.as_bytes(), document.tape);
        if bytes.len() > MAX_MOLD_BYTES || document.repeats_keys() {
            return;
        }
        if self.tokens + tape.tokens.len() > MAX_MOLD_TOKENS {
            self.skeletons.drop_all();
        } else if self.skeletons.learn(bytes, self.made.len(), |_| None) {
            match Mold::new(document, known()) {
                Some(mold) => {
                    self.tokens += mold.tokens.len();
                    self.made.push(mold);
                }
                None => self.skeletons.drop_all(),
            }
        }
        if self.skeletons.is_empty() {
            self.made.clear();
            self.tokens = 0;
        }
    }
}

impl<T> Mold<T> {
    fn new(document: Document<'_>, known: T) -> Option<Self> {
        let mut spans = scalars(document.text.as_bytes())?.into_iter().peekable();
        let mut mold = Self {
            tokens: document.tape.tokens.clone(),
            scalars: Vec::with_capacity(spans.len()),
            containers: Vec::new(),
            known,
        };
        let mut passed = 0;
        for (index, token) in (0..).zip(&mut mold.tokens) {
            if let Some((_, span)) = spans.next_if(|(_, span)| span.start == token.start as usize) {
                *token = token.unescaped();
                mold.scalars.push(Scalar {
                    tokens: index + 1 - passed,
                    token: index,
                    end: u32::try_from(span.end).ok()?,
                });
                passed = index + 1;
            }
        }
        for (index, token) in (0..).zip(&mold.tokens) {
            let scalars = |offset| mold.scalars.partition_point(|scalar| scalar.end <= offset);
            if scalars(token.end) > scalars(token.start) && token.size() > 1 {
                mold.containers.push(Container {
                    token: index,
                    end: token.end,
                    last: u32::try_from(scalars(token.end) - 1).ok()?,
                });
            }
        }
        Some(mold)
    }

    /// Writes the tokens of a text whose scalars have these ends.
    fn cast(&self, ends: &[u32], tokens: &mut Vec<Token>) {
        tokens.extend_from_slice(&self.tokens);
        let mut rest = tokens.as_mut_slice();
        let mut moved = 0;
        for (scalar, end) in self.scalars.iter().zip(ends) {
            let Some((passed, after)) = rest.split_at_mut_checked(scalar.tokens as usize) else {
                return;
            };
            for token in &mut *passed {
                token.shift(moved);
            }
            if let Some(token) = passed.last_mut() {
                token.end = *end;
            }
            moved = end.wrapping_sub(scalar.end);
            rest = after;
        }
        for token in rest {
            token.shift(moved);
        }
        for container in &self.containers {
            let last = container.last as usize;
            if let (Some(token), Some(end), Some(scalar)) = (
                tokens.get_mut(container.token as usize),
                ends.get(last),
                self.scalars.get(last),
            ) {
                token.end = (container.end + end).wrapping_sub(scalar.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts around which others are made, with what can shift: strings and numbers of any length,
    /// escapes in keys and values, spaces, literals, and containers that are empty or nested.
    const SEEDS: [&str; 6] = [
        r#"{"a":"x","b":[1,{"c":"y","d":null}],"e":{},"f":[],"g":-0.5e+7}"#,
        " [ \"é\" , { \"k\\u0061\" : 12 , \"z\" : true } , [[[3]]] ] ",
        r#""alone""#,
        "7",
        "[]",
        r#"{"a":{"a":{"a":"deep"}},"b":"\n","c":"x","d":[0,0,0]}"#,
    ];

    /// Texts with the skeleton of a seed, and some with another one.
    fn variants(seed: &str) -> Vec<String> {
        let mut variants = vec![seed.to_owned()];
        for (written, others) in [
            (
                "\"x\"",
                [r#""""#, r#""longer than before""#, r#""\"\\\u00e9""#],
            ),
            ("\"y\"", [r#""ü""#, r#""\/""#, "null"]),
            ("\"é\"", [r#""e""#, r#""\u0065""#, "5"]),
            ("\"deep\"", [r#""""#, "[]", "\"\u{1}\""]),
            ("\"alone\"", [r#""a\tb""#, r#""""#, "\"x"]),
            ("\"\\n\"", [r#""n""#, r#""nn""#, "0"]),
            ("12", ["3", "-1.25E-9", "01"]),
            ("7", ["8", "123456", "-"]),
            ("0", ["10", "-0.0", "true"]),
        ] {
            for other in others {
                variants.push(seed.replace(written, other));
                variants.push(seed.replacen(written, other, 1));
            }
        }
        variants
    }

    fn shown(document: Document<'_>) -> String {
        format!("{:?} {:?}", document.tape.tokens, document.tape.duplicates)
    }

    #[test]
    fn tape_from_a_mold_is_the_tape_that_parsing_makes() {
        let (mut by_mold, mut tried) = (0, 0);
        let (mut molds, mut cast, mut parsed) = (Molds::eager(), Tape::default(), Tape::default());
        for text in SEEDS.iter().flat_map(|seed| variants(seed)) {
            for _ in 0..2 {
                let expected = parsed.read_record(text.as_bytes()).map(shown);
                let (is_known, read) = match molds.read(text.as_bytes(), &mut cast) {
                    Ok((document, known)) => (known.is_some(), Ok(shown(document))),
                    Err(why) => (false, Err(why)),
                };
                assert_eq!(read, expected, "{text}");
                if let (Ok(document), false) = (parsed.read_record(text.as_bytes()), is_known) {
                    molds.learn(document, || ());
                }
                by_mold += usize::from(is_known);
                tried += 1;
            }
        }
        assert!(by_mold > 120 && tried > by_mold, "{by_mold} of {tried}");
    }

    #[test]
    fn text_with_a_repeated_key_makes_no_mold() {
        let (mut molds, mut tape) = (Molds::eager(), Tape::default());
        let text = br#"{"a":1,"a":2}"#;
        for _ in 0..2 {
            let (document, known) = molds.read(text, &mut tape).unwrap();
            assert!(document.repeats_keys() && known.is_none());
            molds.learn(document, || ());
        }
    }

    #[test]
    fn molds_stay_bounded_when_texts_share_a_beginning() {
        let (mut molds, mut tape, mut most) = (Molds::eager(), Tape::default(), 0);
        for index in 0..5_000 {
            let text = format!("[{}{{\"{index}\":1}}]", "1,".repeat(1_000));
            let (document, known) = molds.read(text.as_bytes(), &mut tape).unwrap();
            assert!(known.is_none());
            molds.learn(document, || ());
            assert!(molds.tokens <= MAX_MOLD_TOKENS);
            assert_eq!(molds.made.is_empty(), molds.skeletons.is_empty());
            most = most.max(molds.made.len());
        }
        assert!(most > 10, "{most}");
    }
}
