//! The patterns of the checked-in schemas -> functions that judge a text as the pattern does.
//!
//! To compile a regular expression takes longer than to check a run.

/// A pattern of a schema, as a function.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    written: &'static str,
    fits: fn(&str) -> bool,
}

/// The patterns that are known.
const PATTERNS: [Pattern; 6] = [
    Pattern {
        written: r"\S",
        fits: |text| !text.chars().all(is_blank),
    },
    Pattern {
        written: "^(/([^~]|~[01])*)?$",
        fits: |text| text.is_empty() || (text.starts_with('/') && has_whole_escapes(text)),
    },
    Pattern {
        written: r"^(/(\*|([^~*/\[\]]|~[01])+))+$",
        fits: |text| {
            let steps = text.strip_prefix('/').map(|steps| steps.split('/'));
            steps.is_some_and(|mut steps| steps.all(is_step))
        },
    },
    Pattern {
        written: "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$",
        fits: |text| {
            let parts = text.split_once('/');
            parts.is_some_and(|(group, name)| is_slug(group) && is_slug(name))
        },
    },
    Pattern {
        written: r"^\d+(\.\d+)?(ms|s|m|h|d)$",
        fits: is_duration,
    },
    Pattern {
        written: r"^\d{4}-\d{2}-\d{2}$",
        fits: |text| {
            let parts: Vec<&str> = text.split('-').collect();
            let lengths = parts.iter().map(|part| part.len());
            lengths.eq([4, 2, 2]) && parts.iter().all(|part| is_number(part))
        },
    },
];

impl Pattern {
    /// Returns the pattern that is written in a schema, if it is known.
    pub(super) fn named(written: &str) -> Option<Self> {
        let known = PATTERNS.iter().find(|known| known.written == written);
        known.copied()
    }

    /// Returns `true` if a text fits the pattern.
    pub(super) fn is_in(self, text: &str) -> bool {
        (self.fits)(text)
    }
}

/// Returns `true` if a character is white space of ECMAScript.
fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Returns `true` if each `~` is that of an escape in a JSON Pointer.
fn has_whole_escapes(text: &str) -> bool {
    let mut after_tildes = text.split('~').skip(1);
    after_tildes.all(|rest| rest.starts_with(['0', '1']))
}

fn is_step(step: &str) -> bool {
    step == "*" || (!step.is_empty() && !step.contains(['*', '[', ']']) && has_whole_escapes(step))
}

fn is_slug(text: &str) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut words = text.split('-');
    words.all(|word| !word.is_empty() && word.bytes().all(is_of_word))
}

fn is_duration(text: &str) -> bool {
    let number = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let unit = text.get(number.len()..).unwrap_or_default();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    ["ms", "s", "m", "h", "d"].contains(&unit) && is_number(whole) && is_number(fraction)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};
    use serde_json::json;

    use super::PATTERNS;
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
        let judges = PATTERNS.map(|it| (it, validator_of(&json!({ "pattern": it.written }))));

        let run = TestRunner::new(config).run(&texts, |texts| {
            for text in &texts {
                let written = json!(text).to_string();
                let mut tape = Tape::default();
                let root = tape.read(written.as_bytes()).unwrap().root();
                for (pattern, validator) in &judges {
                    let expected = validator.is_valid(Instance::Node(root));
                    prop_assert_eq!(
                        pattern.is_in(text),
                        expected,
                        "{} {:?}",
                        pattern.written,
                        text
                    );
                }
            }
            Ok(())
        });
        run.unwrap();
    }
}
