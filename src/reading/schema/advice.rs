//! A violation -> advice on its correction: the schema's description of the field, and the word of
//! a vocabulary that was probably meant.

use serde_json::Value;

use crate::ground::record::LISTED;
use crate::ground::source::Pointer;

/// Returns the schema's description of a field, as a sentence that names it; `field` is a member of
/// the value at the pointer, else the value itself is meant.
pub(super) fn description(
    schema: &Value,
    pointer: &Pointer,
    field: Option<&str>,
) -> Option<String> {
    let tokens: Vec<_> = pointer.tokens().collect();
    let mut path: Vec<&str> = tokens
        .iter()
        .map(|token| &**token)
        .collect();
    path.extend(field);

    let name = path
        .iter()
        .rev()
        .find(|token| !is_index(token))?;
    let said = find(schema, schema, &path, &mut { MAX_PARTS })?;

    Some(format!(
        "`{}`: {said}",
        crate::ground::printable::brief(name)
    ))
}

fn is_index(token: &str) -> bool {
    token
        .bytes()
        .all(|byte| byte.is_ascii_digit())
}

/// The number of parts of a schema in which a description is looked for, at most: references of a
/// team's schema may lead to the same parts again and again.
const MAX_PARTS: usize = 1_000;

/// Returns the description at the end of a path of keys and indices, below a part of a schema.
fn find<'s>(
    schema: &'s Value,
    part: &'s Value,
    path: &[&str],
    parts_left: &mut usize,
) -> Option<&'s str> {
    *parts_left = parts_left.checked_sub(1)?;
    let target = part
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| schema.pointer(reference.strip_prefix('#')?));
    let Some((token, rest)) = path.split_first() else {
        let said = |part: &'s Value| {
            part.get("description")?
                .as_str()?
                .split(LISTED)
                .next()
        };
        return said(part).or_else(|| said(target?));
    };

    let part = target.unwrap_or(part);
    let named = part
        .get("properties")
        .and_then(|known| known.get(token));
    let item = part
        .get("items")
        .filter(|_| is_index(token));
    let other = part.get("additionalProperties");
    let conditions = part
        .get("allOf")
        .and_then(Value::as_array);

    named
        .or(item)
        .or(other)
        .and_then(|below| find(schema, below, rest, parts_left))
        .or_else(|| {
            conditions
                .into_iter()
                .flatten()
                .find_map(|condition| find(schema, condition.get("then")?, path, parts_left))
        })
}

/// Returns the first sentence of a text.
pub(super) fn first_sentence(text: &str) -> &str {
    text.split_once(". ")
        .and_then(|(first, _)| text.get(..=first.len()))
        .unwrap_or(text)
}

/// Returns the word of a vocabulary that a word probably means, and the schema's description of it.
pub(super) fn word_meant<'s>(
    schema: &'s Value,
    word: &str,
    options: &[Value],
) -> Option<(String, Option<&'s str>)> {
    let words: Vec<&str> = options
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let meant = likely_word(word, &words)?;
    let said = schema
        .get("$defs")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .find_map(|(_, vocabulary)| {
            let words = vocabulary.get("enum")?.as_array()?;
            let index = words
                .iter()
                .position(|word| word == meant)?;
            let listed = vocabulary
                .get("description")?
                .as_str()?
                .split(LISTED);
            let (_, meaning) = listed
                .skip(1)
                .nth(index)?
                .split_once(": ")?;
            (words == options).then_some(meaning)
        });

    Some((meant.to_owned(), said))
}

/// Returns the word of a vocabulary that another word probably means.
pub(crate) fn likely_word<'o>(word: &str, options: &[&'o str]) -> Option<&'o str> {
    synonym(word, options).or_else(|| nearest(word, options))
}

/// Words that other programs write, and after `=` the words of the reference that may be meant: the
/// first one that a vocabulary has.
const SYNONYMS: &str = "\
complete completed finished passed succeeded success successful successfully ok okay done ended resolved = ok done success
fail failed failure errored exception crashed crash error timeout timedout = error failed
cancelled canceled cancel killed stopped interrupted terminated abort = aborted skipped
inprogress executing active started processing ongoing working run = running pending
todo queued waiting new planned notstarted created scheduled ready open paused suspended running = pending
blocked denied rejected forbidden refused veto = vetoed
incomplete partially partiallycompleted = partial
ignored omitted bypassed skip none = skipped
unverified notverified unconfirmed = success_unverified
goalnotmet unachieved incomplete partial = goal_not_achieved
execute execution action tool toolcall = act";

fn synonym<'o>(word: &str, options: &[&'o str]) -> Option<&'o str> {
    let letters: String = word
        .chars()
        .take(KEPT_CHARS)
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SYNONYMS
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .filter(|(words, _)| {
            words
                .split(' ')
                .any(|word| word == letters)
        })
        .flat_map(|(_, means)| means.split(' '))
        .find_map(|means| {
            options
                .iter()
                .copied()
                .find(|word| *word == means)
        })
}

/// The number of characters of a word that are compared.
const KEPT_CHARS: usize = 64;

fn nearest<'o>(word: &str, options: &[&'o str]) -> Option<&'o str> {
    let word = word
        .chars()
        .take(KEPT_CHARS)
        .collect::<String>()
        .to_lowercase();
    let distance = |option: &&str| strsim::osa_distance(&word, option);

    options
        .iter()
        .copied()
        .filter(|option| distance(option) <= 2)
        .min_by_key(distance)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn description_is_found_below_references_and_conditions() {
        let schema = json!({
            "properties": { "parts": { "items": { "$ref": "#/$defs/part" } } },
            "$defs": { "part": {
                "allOf": [{ "if": false }, { "then": {
                    "additionalProperties": { "description": "The size." },
                } }],
            } },
        });
        let pointer = Pointer::new("/parts/0/size");
        let said = description(&schema, &pointer, None);
        assert_eq!(said.as_deref(), Some("`size`: The size."));
    }

    #[test]
    fn search_for_a_description_ends_whatever_references_a_schema_has() {
        let again = json!({ "$ref": "#" });
        let deep = Pointer::new("/0".repeat(200));
        for schema in [
            json!({ "items": again, "additionalProperties": again }),
            json!({ "allOf": [{ "then": again }, { "then": again }] }),
            json!({
                "items": again,
                "allOf": [{ "then": { "items": again } }, { "then": { "items": again } }],
            }),
        ] {
            assert_eq!(description(&schema, &deep, Some("n")), None);
        }
    }

    #[test]
    fn synonym_goes_before_a_near_word() {
        let step = ["pending", "running", "done", "skipped", "failed", "vetoed"];
        let run = ["ok", "error", "vetoed", "aborted", "partial", "pending"];
        let outcome = [
            "success",
            "goal_not_achieved",
            "success_unverified",
            "error",
        ];
        let step_words = [
            ("completed", "done"),
            ("success", "done"),
            ("OK", "done"),
            ("error", "failed"),
            ("in_progress", "running"),
            ("cancelled", "skipped"),
            ("faild", "failed"),
        ];
        let run_words = [
            ("completed", "ok"),
            ("success", "ok"),
            ("OK", "ok"),
            ("failed", "error"),
            ("Cancelled", "aborted"),
            ("in-progress", "pending"),
            ("parital", "partial"),
        ];
        let outcome_words = [
            ("ok", "success"),
            ("failed", "error"),
            ("Success", "success"),
        ];
        for (options, words) in [
            (&step[..], &step_words[..]),
            (&run, &run_words),
            (&outcome, &outcome_words),
        ] {
            for (word, expected) in words {
                assert_eq!(likely_word(word, options), Some(*expected), "{word}");
            }
            assert_eq!(likely_word("banana", options), None);
        }
    }
}
