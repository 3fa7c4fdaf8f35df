//! The text of a TOML file -> its values, and all mistakes in it.
//!
//! The schema of the file, which its types derive, decides what is a mistake.

mod expected;
mod mistakes;

use std::collections::BTreeSet;
use std::{mem, slice};

use expected::{advice, expectation, kind_with, known_keys, part_at, words};
use mistakes::mistakes;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, ValueDeserializer};

use super::{ConfigError, ConfigSource};
use crate::ground::document::{MAX_DEPTH, Tape};
use crate::ground::printable::quote;
use crate::ground::source::Pointer;
use crate::ground::spelling::nearest;
use crate::reading::schema::certainly_satisfies;

/// The maximum number of mistakes that are reported at once.
pub(crate) const MAX_MISTAKES: usize = 20;

/// The lists of tables that are rules. One that lacks a key, or has a wrong one, is read as far as
/// it goes.
const RULES: [&str; 3] = ["schema", "order", "rule"];

/// A mistake before its place is known.
struct Mistake {
    /// The keys and indices from the root to the wrong value, or to the table that lacks a key.
    path: Vec<String>,
    what: Wrong,
}

/// A key that was spelled wrongly, and has its right name now.
struct Typo {
    error: ConfigError,
    /// The path of its value.
    path: Vec<String>,
}

enum Wrong {
    /// The table has a key that the schema does not know.
    UnknownKey(String),
    MissingKey(String),
    UnknownWord,
    /// The value has another type, or is out of range.
    Type,
    /// The value has the right type.
    Other,
    /// A value somewhere below has more levels than can be judged.
    TooDeep,
}

impl Mistake {
    /// Returns `true` if another mistake of the same value follows from this one.
    fn explains(&self, other: &Self, schema: &Value) -> bool {
        match (&self.what, &other.what) {
            _ if self.path != other.path => false,
            // A value of the wrong type violates other keywords too.
            (Wrong::Type, Wrong::UnknownWord | Wrong::Other) => true,
            // A rule of another kind lacks what rules of this kind have.
            (Wrong::UnknownKey(key), Wrong::MissingKey(_) | Wrong::Other)
                if is_rule(&self.path) =>
            {
                kind_with(schema, &self.path, key).is_some()
            }
            // Nor has a table with one key that is another one.
            (Wrong::UnknownKey(_), Wrong::MissingKey(key)) if !is_rule(&self.path) => {
                known_keys(part_at(schema, &self.path)) == [key]
            }
            _ => false,
        }
    }

    /// Gives a key that was spelled wrongly the name that was meant, unless the table has that, so
    /// that nothing else is wrong because of it; returns the path of its value.
    fn rename(
        &self,
        schema: &Value,
        root: &mut DeValue<'_>,
        json: &mut Value,
    ) -> Option<Vec<String>> {
        let Wrong::UnknownKey(key) = &self.what else {
            return None;
        };
        let meant = match kind_with(schema, &self.path, key) {
            Some(_) => None,
            None => nearest(key, known_keys(part_at(schema, &self.path))),
        };

        let members = json
            .pointer_mut(&pointer(&self.path))?
            .as_object_mut()?;
        let meant = meant.filter(|meant| !members.contains_key(*meant))?;
        let table = self
            .path
            .iter()
            .try_fold(root, |value, key| match value {
                DeValue::Array(items) => Some(
                    items
                        .get_mut(key.parse::<usize>().ok()?)?
                        .get_mut(),
                ),
                DeValue::Table(table) => Some(table.get_mut(&**key)?.get_mut()),
                _ => None,
            })?;
        let DeValue::Table(table) = table else {
            return None;
        };
        let (written, value) = table.remove_entry(&**key)?;
        table.insert(Spanned::new(written.span(), meant.to_owned().into()), value);

        let value = members.remove(key)?;
        members.insert(meant.to_owned(), value);
        Some([&*self.path, &[meant.to_owned()]].concat())
    }
}

fn pointer(path: &[String]) -> String {
    path.iter()
        .fold(Pointer::default(), |pointer, key| pointer.field(key))
        .as_str()
        .to_owned()
}

impl ConfigSource<'_> {
    /// Reads the file as the type that a schema describes.
    pub(crate) fn read_as<T: DeserializeOwned + Default>(
        self,
        schema: &str,
    ) -> (T, Vec<ConfigError>) {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if !errors.is_empty() {
            return (T::default(), self.mistakes_of_grammar(&errors));
        }

        let whole = table.span();
        let mut root = Spanned::new(whole, DeValue::Table(table.into_inner()));
        let mut json = to_json(root.get_mut(), "");
        // Most files have no mistake. Then no validator is built, which takes longer than the check
        // of a run.
        let (mut schema_json, mut found) = (Value::Null, Vec::new());
        if !is_right(&json, schema) {
            schema_json = serde_json::from_str(schema).unwrap_or_default();
            found = mistakes(&schema_json, &json);
        }

        let schema = schema_json;
        let typos = self.mend_typos(&found, &schema, &mut root, &mut json);
        if !typos.is_empty() {
            found = mistakes(&schema, &json);
        }

        let mut mistakes: Vec<ConfigError> = found
            .iter()
            .filter(|mistake| {
                !found
                    .iter()
                    .any(|it| it.explains(mistake, &schema))
            })
            .filter(|mistake| {
                !typos
                    .iter()
                    .any(|typo| mistake.path.starts_with(&typo.path))
            })
            .map(|mistake| self.worded(mistake, &schema, &root))
            .collect();
        mistakes.extend(typos.into_iter().map(|typo| typo.error));
        let unreadable = found
            .iter()
            .filter_map(|mistake| unreadable_by(&schema, mistake))
            .collect();
        remove(root.get_mut(), &[], &unreadable);
        if !mistakes.is_empty() {
            self.complete(root.get_mut(), &schema);
        }

        let config = T::deserialize(ValueDeserializer::from(root)).unwrap_or_else(|error| {
            let span = error.span().unwrap_or_default();
            mistakes.push(self.error(span, error.message(), None));
            T::default()
        });
        mistakes.sort_by_key(|mistake| (mistake.location.line, mistake.location.column));
        mistakes.truncate(MAX_MISTAKES);

        (config, mistakes)
    }

    /// Gives misspelled keys the names that were meant; returns the mistakes that these were.
    fn mend_typos(
        self,
        found: &[Mistake],
        schema: &Value,
        root: &mut Spanned<DeValue<'_>>,
        json: &mut Value,
    ) -> Vec<Typo> {
        found
            .iter()
            .filter_map(|mistake| {
                let error = self.worded(mistake, schema, root);
                let path = mistake.rename(schema, root.get_mut(), json)?;
                Some(Typo { error, path })
            })
            .collect()
    }

    /// Returns what keeps the file from being TOML.
    fn mistakes_of_grammar(self, errors: &[toml::de::Error]) -> Vec<ConfigError> {
        let mistake = |error: &toml::de::Error| {
            let span = error.span().unwrap_or_default();
            let is_escape = error
                .message()
                .contains("escaped value");
            let help = self
                .unquoted_name(span.start)
                .or_else(|| {
                    is_escape.then(|| {
                        "write the text between `'` or `'''`, where `\\` stands for itself".into()
                    })
                });
            self.error(span, error.message(), help)
        };

        // After a typo in the grammar the rest of its line says nothing.
        let mut mistakes: Vec<ConfigError> = errors.iter().map(mistake).collect();
        mistakes.dedup_by_key(|mistake| mistake.location.line);
        if self.is_like_yaml() {
            // Each line would be a mistake.
            mistakes.truncate(1);
            let advice = "This looks like YAML, and the file is TOML: write `key = value` in \
                          place of `key: value`, and `[table]` in place of `table:`.";
            for mistake in &mut mistakes {
                mistake.help = Some(advice.into());
            }
        }

        mistakes.truncate(MAX_MISTAKES);
        mistakes
    }

    /// Gives rules a text for each required key that they lack. It stands beyond the end of the
    /// file, where no mistake is reported.
    fn complete(self, root: &mut DeValue<'_>, schema: &Value) {
        let beyond = self.text.len() + 1;
        let DeValue::Table(root) = root else { return };
        for list in RULES {
            let Some(DeValue::Array(rules)) = root.get_mut(list).map(Spanned::get_mut) else {
                continue;
            };
            let path = [list.to_owned(), "0".to_owned()];
            for key in words(part_at(schema, &path), "required") {
                for rule in rules.iter_mut() {
                    if let DeValue::Table(rule) = rule.get_mut() {
                        let text = DeValue::String("".into());
                        rule.entry(Spanned::new(beyond..beyond, key.to_owned().into()))
                            .or_insert(Spanned::new(beyond..beyond, text));
                    }
                }
            }
        }
    }

    /// Returns the advice where the key of a line is the name of a rule without quotes.
    fn unquoted_name(self, offset: usize) -> Option<String> {
        let start = self
            .text
            .get(..offset)?
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let (key, _) = self
            .text
            .get(start..)?
            .lines()
            .next()?
            .split_once('=')?;
        let key = key.trim();
        let is_name = key.contains(['/', '*']) && !key.contains(['"', '\'', '#']);

        is_name.then(|| format!("Put the name in quotes: {} = …", quote(key)))
    }

    /// Returns `true` if the first line that says anything is one of YAML.
    fn is_like_yaml(self) -> bool {
        self.text
            .lines()
            .map(str::trim_end)
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .is_some_and(|line| {
                let key = line
                    .split_once(": ")
                    .or_else(|| Some((line.strip_suffix(':')?, "")));
                let is_key = |key: &str| !key.is_empty() && !key.contains(['=', '[', ' ']);
                line == "---" || line.starts_with("- ") || key.is_some_and(|(key, _)| is_key(key))
            })
    }

    /// Returns a mistake with its place and a suggestion.
    fn worded(self, mistake: &Mistake, schema: &Value, root: &Spanned<DeValue<'_>>) -> ConfigError {
        let value = value_at(root, &mistake.path);
        let mut span = value
            .map(Spanned::span)
            .unwrap_or_default();
        let expected = part_at(schema, &mistake.path);
        let (message, help) = match &mistake.what {
            Wrong::UnknownKey(key) => {
                let entry = value
                    .and_then(|value| value.get_ref().as_table())
                    .and_then(|table| table.get_key_value(&**key));
                span = entry.map_or(span, |(key, _)| key.span());

                let help = match kind_with(schema, &mistake.path, key) {
                    Some(kind) => format!("`{key}` is a key of `[[{kind}]]`"),
                    None if key == "if" => "`if` is a key of a selector".to_owned(),
                    None => advice(key, &known_keys(expected)),
                };

                (format!("unknown key {}", quote(key)), Some(help))
            }
            Wrong::MissingKey(key) => (format!("the key `{key}` is missing"), None),
            Wrong::UnknownWord => {
                let word = value
                    .and_then(|value| value.get_ref().as_str())
                    .unwrap_or_default();
                let help = advice(word, &words(expected, "enum"));
                (format!("unknown value {}", quote(word)), Some(help))
            }
            Wrong::Type => {
                let (message, help) = expectation(schema, expected);
                let is_list = value.is_some_and(|value| value.get_ref().is_array());
                let meant = RULES
                    .iter()
                    .filter(|_| is_list)
                    .find(|kind| mistake.path == [format!("{kind}s")])
                    .map(|kind| format!("did you mean `[[{kind}]]`?"));
                (message, meant.or(help))
            }
            Wrong::TooDeep => {
                let message = format!("tables and lists have more than {MAX_DEPTH} levels");
                (message, None)
            }
            Wrong::Other => {
                let message = expected["$comment"]
                    .as_str()
                    .and_then(|it| it.strip_prefix("message: "));
                (
                    message
                        .unwrap_or("the value is not allowed")
                        .to_owned(),
                    None,
                )
            }
        };

        self.error(span, message, help)
    }
}

/// Returns the JSON value of a TOML value, whose keys from the root are given. Dates become
/// strings; where no date is meant, their JSON is null, which only a schema that is written there
/// allows.
fn to_json(value: &mut DeValue<'_>, keys: &str) -> Value {
    match value {
        DeValue::String(text) => Value::from(&**text),
        // A number beyond 64 bits has no setting to fit into.
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => {
            let number: Result<f64, _> = number.as_str().parse();
            number.map_or(Value::Null, Value::from)
        }
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Datetime(date) => {
            let text = date.to_string();
            *value = DeValue::String(text.clone().into());
            Some(text)
                .filter(|_| keys == "/ignore/expires")
                .into()
        }
        DeValue::Array(items) => items
            .iter_mut()
            .map(|item| to_json(item.get_mut(), keys))
            .collect(),
        DeValue::Table(table) => table
            .iter_mut()
            .map(|(key, value)| {
                let json = to_json(value.get_mut(), &format!("{keys}/{}", key.get_ref()));
                (key.get_ref().to_string(), json)
            })
            .collect(),
    }
}

/// Returns `true` if the schema certainly finds no mistake.
fn is_right(json: &Value, schema: &str) -> bool {
    let text = json.to_string();
    Tape::default()
        .read(text.as_bytes())
        .is_ok_and(|document| certainly_satisfies(document, schema))
}

fn value_at<'v, 'i>(
    root: &'v Spanned<DeValue<'i>>,
    path: &[String],
) -> Option<&'v Spanned<DeValue<'i>>> {
    path.iter()
        .try_fold(root, |value, key| {
            let value = value.get_ref();
            key.parse::<usize>()
                .ok()
                .and_then(|at| value.get(at))
                .or_else(|| value.get(key))
        })
}

/// Returns the path of the part that a mistake makes unreadable: a value, or the table that can't
/// be without it.
fn unreadable_by(schema: &Value, mistake: &Mistake) -> Option<Vec<String>> {
    if let Wrong::UnknownKey(key) = &mistake.what {
        return Some([&*mistake.path, slice::from_ref(key)].concat());
    }

    let mut path = &*mistake.path;
    // Their names are known whatever they stand for.
    if matches!(path, [list, _, ..] if ["params", "selector"].contains(&&**list)) {
        return None;
    }
    if is_rule(path) && matches!(mistake.what, Wrong::MissingKey(_) | Wrong::Other) {
        return None;
    }

    while let Some((key, above)) = path.split_last()
        && words(part_at(schema, above), "required").contains(&&**key)
    {
        if matches!(mistake.what, Wrong::Other) {
            return None;
        }
        if is_rule(above) {
            break;
        }
        path = above;
    }

    Some(path.to_vec())
}

fn is_rule(path: &[String]) -> bool {
    matches!(path, [list, _] if RULES.contains(&&**list))
}

/// Removes the values at some paths below a path.
fn remove<'i>(value: &mut DeValue<'i>, path: &[String], unreadable: &BTreeSet<Vec<String>>) {
    let is_kept = |key: &str, value: &mut Spanned<DeValue<'i>>| {
        let path = [path, &[key.to_owned()]].concat();
        remove(value.get_mut(), &path, unreadable);
        !unreadable.contains(&path)
    };

    match value {
        DeValue::Table(table) => {
            let mut entries: Vec<_> = mem::take(table).into_iter().collect();
            entries.retain_mut(|(key, value)| is_kept(key.get_ref(), value));
            table.extend(entries);
        }
        DeValue::Array(items) => {
            let numbered = mem::replace(items, DeArray::new())
                .into_iter()
                .enumerate();
            let kept =
                |(at, mut item): (usize, _)| is_kept(&at.to_string(), &mut item).then_some(item);
            *items = numbered.filter_map(kept).collect();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde::de::IgnoredAny;

    use super::*;

    const SCHEMA: &str = include_str!("../../../schemas/config.schema.json");

    #[test]
    fn an_error_displays_its_place_and_its_help() {
        let text = "deny-warning = true";
        let file = ConfigSource {
            name: "a/runvet.toml",
            dir: Path::new(""),
            text,
        };
        assert_eq!(
            ConfigError::first_of(file.read_as::<IgnoredAny>(SCHEMA).1)
                .unwrap()
                .to_string(),
            "a/runvet.toml:1:1: unknown key \"deny-warning\" (did you mean `deny-warnings`?)"
        );
    }

    #[test]
    fn what_nests_too_deep_is_a_mistake() {
        let keys = |key: &str| vec![key; 70].join(".");
        let text = format!(
            "[[schema]]\nid = 'a/b'\nschema.{} = {{ {} = 1 }}",
            keys("x"),
            keys("y")
        );
        let file = ConfigSource {
            name: "runvet.toml",
            dir: Path::new(""),
            text: &text,
        };
        let mistakes = file.read_as::<IgnoredAny>(SCHEMA).1;
        let messages: Vec<&str> = mistakes
            .iter()
            .map(|it| &*it.message)
            .collect();
        assert_eq!(messages, ["tables and lists have more than 128 levels"]);
    }

    #[test]
    fn usual_files_take_no_validator() {
        let is_quick = |json: Value| is_right(&json, SCHEMA);
        assert!(is_quick(serde_json::json!({})));
        let usual = serde_json::json!({"deny-warnings": true, "jobs": 2, "rules": {"a/b": "off"}});
        assert!(is_quick(usual));
        let rule = serde_json::json!({
            "id": "team/a", "each": {"phase": "act"}, "check": "true", "message": "not true"
        });
        assert!(is_quick(serde_json::json!({"rule": [rule]})));
        for wrong in [
            serde_json::json!({"deny-warning": true}),
            serde_json::json!({"jobs": "2"}),
            serde_json::json!({"rules": {"a/b": "of"}}),
        ] {
            assert!(!is_quick(wrong));
        }
    }
}
