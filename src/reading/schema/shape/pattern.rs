//! The pattern of a schema -> a judge of texts, for patterns that mean the same in each dialect of
//! regular expressions.

use regex::Regex;

/// A pattern of a schema.
pub(super) enum Pattern {
    Known(&'static KnownPattern),
    Plain(Regex),
}

/// A pattern of a checked-in schema, as a function: to compile one takes longer than to check a
/// run.
pub(super) struct KnownPattern {
    written: &'static str,
    fits: fn(&str) -> bool,
}

static PATTERNS: [KnownPattern; 6] = [
    KnownPattern {
        written: r"\S",
        fits: |text| !text.chars().all(is_blank),
    },
    KnownPattern {
        written: "^(/([^~]|~[01])*)?$",
        fits: |text| text.is_empty() || (text.starts_with('/') && has_whole_escapes(text)),
    },
    KnownPattern {
        written: r"^(/(\*|([^~*/\[\]]|~[01])+))+$",
        fits: |text| {
            text.strip_prefix('/')
                .map(|steps| steps.split('/'))
                .is_some_and(|mut steps| steps.all(is_step))
        },
    },
    KnownPattern {
        written: "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$",
        fits: |text| {
            text.split_once('/')
                .is_some_and(|(group, name)| is_slug(group) && is_slug(name))
        },
    },
    KnownPattern {
        written: r"^\d+(\.\d+)?(ms|s|m|h|d)$",
        fits: is_duration,
    },
    KnownPattern {
        written: r"^\d{4}-\d{2}-\d{2}$",
        fits: |text| {
            let parts: Vec<&str> = text.split('-').collect();
            parts
                .iter()
                .map(|part| part.len())
                .eq([4, 2, 2])
                && parts.iter().all(|part| is_number(part))
        },
    },
];

impl Pattern {
    /// Returns a pattern, if its dialect is certain.
    pub(super) fn of(written: &str) -> Option<Self> {
        PATTERNS
            .iter()
            .find(|known| known.written == written)
            .map(Self::Known)
            .or_else(|| {
                is_plain(written)
                    .then(|| Regex::new(written))?
                    .ok()
                    .map(Self::Plain)
            })
    }

    /// Returns `true` if a text fits the pattern.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Known(known) => (known.fits)(text),
            Self::Plain(regex) => regex.is_match(text),
        }
    }
}

/// The length of the longest pattern that is compiled here.
const MAX_PLAIN: usize = 100;

/// Returns `true` if a pattern has letters, digits, simple classes and groups, and each of these at
/// most once, `*`, `+` or `?` times: what is written alike everywhere.
fn is_plain(pattern: &str) -> bool {
    let is_literal = |byte: u8| byte.is_ascii_alphanumeric() || b"-_ :/@,".contains(&byte);
    let (mut before, mut is_in_class) = (b'(', false);
    let mut follows = pattern.bytes().all(|byte| {
        let before = std::mem::replace(&mut before, byte);
        match byte {
            b'[' => !std::mem::replace(&mut is_in_class, true),
            b']' => std::mem::take(&mut is_in_class) && !b"[^-".contains(&before),
            b'^' if is_in_class => before == b'[',
            b'-' if is_in_class => before.is_ascii_alphanumeric(),
            b'*' | b'+' | b'?' => !is_in_class && !b"*+?^$(|".contains(&before),
            b'^' | b'$' | b'(' | b')' | b'|' => !is_in_class,
            byte => is_literal(byte),
        }
    });
    follows &= !is_in_class;

    follows && pattern.len() <= MAX_PLAIN
}

/// Returns `true` if a character is white space of ECMAScript.
fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Returns `true` if each `~` is that of an escape in a JSON Pointer.
fn has_whole_escapes(text: &str) -> bool {
    text.split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']))
}

fn is_step(step: &str) -> bool {
    step == "*" || (!step.is_empty() && !step.contains(['*', '[', ']']) && has_whole_escapes(step))
}

fn is_slug(text: &str) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('-')
        .all(|word| !word.is_empty() && word.bytes().all(is_of_word))
}

fn is_duration(text: &str) -> bool {
    let number = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let unit = text
        .get(number.len()..)
        .unwrap_or_default();
    let (whole, fraction) = number
        .split_once('.')
        .unwrap_or((number, "0"));

    ["ms", "s", "m", "h", "d"].contains(&unit) && is_number(whole) && is_number(fraction)
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};
    use serde_json::json;

    use super::{PATTERNS, Pattern};
    use crate::ground::document::Tape;
    use crate::reading::schema::instance::Instance;
    use crate::reading::schema::validator_of;

    #[test]
    fn function_judges_as_its_pattern() {
        let config = ProptestConfig {
            cases: 3_000,
            rng_seed: RngSeed::Fixed(7),
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let texts = [
            "[ab09~*/\\[\\]. msd\\-\u{e9}\n\u{85}\u{a0}\u{feff}\u{663}-]{0,12}",
            "[a0]{0,2}-?[a0]/[a0]-?[a0-]?",
            "[0-9]{0,2}\\.?[0-9]{0,2}(ms|s|m|h|d|x)",
            "[0-9]{4}-[0-9]{2}-[0-9\u{663}]{2}\n?",
            "(/(\\*|~[012]|[a*\\[]|)){0,3}",
        ];
        let plain = ["^o-[0-9]+$", "[^a-z]", "a|9/?", "(a|-)*0$", "^$"].into_iter();
        let patterns = plain.chain(
            PATTERNS
                .iter()
                .map(|known| known.written),
        );
        let judges: Vec<_> = patterns
            .map(|it| {
                let validator = validator_of(&json!({ "pattern": it }));
                (it, Pattern::of(it).unwrap(), validator)
            })
            .collect();

        let run = TestRunner::new(config).run(&texts, |texts| {
            for text in &texts {
                let written = json!(text).to_string();
                let mut tape = Tape::default();
                let root = tape
                    .read(written.as_bytes())
                    .unwrap()
                    .root();
                for (written, pattern, validator) in &judges {
                    let expected = validator.is_valid(Instance::Node(root));
                    prop_assert_eq!(pattern.is_in(text), expected, "{} {:?}", written, text);
                }
            }
            Ok(())
        });
        run.unwrap();
    }

    #[test]
    fn other_patterns_are_left_to_the_validator() {
        for pattern in [
            "a.c", r"\d", "(?i)a", "a{2}", "[[a]", "[]a]", "[a--b]", "a**", "^*", "[a&&b]",
        ] {
            assert!(Pattern::of(pattern).is_none(), "{pattern}");
        }
    }
}
