//! The text of a TOML file -> its values, and all mistakes in it.
//!
//! The schema of the file, which its types derive, decides what is a mistake.

use std::collections::BTreeSet;
use std::{iter, mem, slice};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::Location;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, ValueDeserializer};

use super::{ConfigError, ConfigSource};
use crate::ground::document::{MAX_DEPTH, Tape};
use crate::ground::printable::quote;
use crate::ground::select::key_path;
use crate::ground::source::Pointer;
use crate::ground::spelling::{did_you_mean, nearest};
use crate::reading::schema::{certainly_satisfies, errors};

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
        let members = json.pointer_mut(&pointer(&self.path))?.as_object_mut()?;
        let meant = meant.filter(|meant| !members.contains_key(*meant))?;
        let table = self.path.iter().try_fold(root, |value, key| match value {
            DeValue::Array(items) => Some(items.get_mut(key.parse::<usize>().ok()?)?.get_mut()),
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

/// Returns the kind of rules that has a key which those at a path do not have.
fn kind_with(schema: &Value, path: &[String], key: &str) -> Option<&'static str> {
    let has = |list: &&&str| {
        let table = part_at(schema, &[(**list).to_owned(), "0".to_owned()]);
        known_keys(table).contains(&key)
    };
    RULES.iter().filter(|_| is_rule(path)).find(has).copied()
}

fn pointer(path: &[String]) -> String {
    let pointer = path.iter();
    pointer
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
        let mut found = Vec::new();
        let mut parsed = Value::Null;
        if !is_right(&json, schema) {
            parsed = serde_json::from_str(schema).unwrap_or_default();
            found = mistakes(&parsed, &json);
        }
        let schema = parsed;
        let (mut typos, mut renamed) = (Vec::new(), Vec::new());
        for mistake in &found {
            let worded = self.worded(mistake, &schema, &root);
            if let Some(path) = mistake.rename(&schema, root.get_mut(), &mut json) {
                typos.push(worded);
                renamed.push(path);
            }
        }
        if !typos.is_empty() {
            found = mistakes(&schema, &json);
        }
        let mut mistakes: Vec<ConfigError> = found
            .iter()
            .filter(|mistake| !found.iter().any(|it| it.explains(mistake, &schema)))
            .filter(|mistake| !renamed.iter().any(|path| mistake.path.starts_with(path)))
            .map(|mistake| self.worded(mistake, &schema, &root))
            .chain(typos)
            .collect();
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

    /// Returns what keeps the file from being TOML.
    fn mistakes_of_grammar(self, errors: &[toml::de::Error]) -> Vec<ConfigError> {
        let mistake = |error: &toml::de::Error| {
            let span = error.span().unwrap_or_default();
            let is_escape = error.message().contains("escaped value");
            let help = self.unquoted_name(span.start).or_else(|| {
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
        let start = self.text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
        let (key, _) = self.text.get(start..)?.lines().next()?.split_once('=')?;
        let key = key.trim();
        let is_name = key.contains(['/', '*']) && !key.contains(['"', '\'', '#']);
        is_name.then(|| format!("Put the name in quotes: {} = …", quote(key)))
    }

    /// Returns `true` if the first line that says anything is one of YAML.
    fn is_like_yaml(self) -> bool {
        let line = self
            .text
            .lines()
            .map(str::trim_end)
            .find(|line| !line.is_empty() && !line.starts_with('#'));
        line.is_some_and(|line| {
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
        let mut span = value.map(Spanned::span).unwrap_or_default();
        let expected = part_at(schema, &mistake.path);
        let (message, help) = match &mistake.what {
            Wrong::UnknownKey(key) => {
                let table = value.and_then(|value| value.get_ref().as_table());
                let entry = table.and_then(|table| table.get_key_value(&**key));
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
                    message.unwrap_or("the value is not allowed").to_owned(),
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
            Some(text).filter(|_| keys == "/ignore/expires").into()
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
    let mut tape = Tape::default();
    let document = tape.read(text.as_bytes());
    document.is_ok_and(|document| certainly_satisfies(document, schema))
}

/// Returns all mistakes that the schema finds, those that follow from another one included.
fn mistakes(schema: &Value, json: &Value) -> Vec<Mistake> {
    let text = json.to_string();
    let mut tape = Tape::default();
    let Ok(document) = tape.read(text.as_bytes()) else {
        // It was written just now, so it can only nest too deep: in TOML, the name of a table, a
        // key and a value have a limit each.
        return vec![Mistake {
            path: Vec::new(),
            what: Wrong::TooDeep,
        }];
    };
    let mut found: Vec<Mistake> = errors(document, schema, |error| of_error(&error))
        .into_iter()
        .flatten()
        .collect();
    found.retain(|it| !is_below_unknown_key(schema, &it.path));
    found.dedup_by(|next, it| {
        next.path == it.path && matches!((&next.what, &it.what), (Wrong::Other, Wrong::Other))
    });
    found
}

/// Returns `true` if a path leads below a key that no selector has, which the reader of selectors
/// tells: a table there says nothing of its own.
fn is_below_unknown_key(schema: &Value, path: &[String]) -> bool {
    path.iter().enumerate().any(|(at, key)| {
        let above = path.get(..at).unwrap_or_default();
        let is_selector = known_keys(part_at(schema, above)) == ["if"] && key != "if";
        (is_selector || above == ["vocabulary"]) && key_path(key, false).is_none()
    })
}

fn of_error(error: &ValidationError<'_>) -> Vec<Mistake> {
    let place = error.instance_path();
    if let Kind::AnyOf { context } = error.kind()
        && let Some(mistakes) = of_forms(context, place)
    {
        return mistakes;
    }
    let whats = match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            unexpected.iter().cloned().map(Wrong::UnknownKey).collect()
        }
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            vec![Wrong::MissingKey(key.to_owned())]
        }
        Kind::Enum { .. } => vec![Wrong::UnknownWord],
        Kind::Type { .. } => vec![Wrong::Type],
        _ if is_too_small(error) => vec![Wrong::Type],
        _ => vec![Wrong::Other],
    };
    at(place, whats)
}

/// Returns the mistakes of the form that a value has, of those that its schema allows; `None` where
/// it may have several. A table with keys of no form has the unknown keys that no form has.
fn of_forms(forms: &[Vec<ValidationError<'_>>], place: &Location) -> Option<Vec<Mistake>> {
    let of_its_type: Vec<_> = forms.iter().filter(|form| is_of(form, place)).collect();
    let with_its_keys: Vec<_> = of_its_type
        .iter()
        .copied()
        .filter(|form| unknown_keys(form, place).is_empty())
        .collect();
    if let ([form], _) | (_, [form]) = (&*of_its_type, &*with_its_keys) {
        return Some(form.iter().flat_map(of_error).collect());
    }
    if !with_its_keys.is_empty() {
        return None;
    }
    let unknown: Vec<Wrong> = of_its_type
        .into_iter()
        .map(|form| unknown_keys(form, place))
        .reduce(|keys, of_form| &keys & &of_form)?
        .into_iter()
        .map(|key| Wrong::UnknownKey(key.to_owned()))
        .collect();
    (!unknown.is_empty()).then(|| at(place, unknown))
}

/// Returns mistakes at a place.
fn at(place: &Location, whats: Vec<Wrong>) -> Vec<Mistake> {
    let path: Vec<String> = Pointer::new(place.as_str())
        .tokens()
        .map(Into::into)
        .collect();
    let mistake = |what| Mistake {
        path: path.clone(),
        what,
    };
    whats.into_iter().map(mistake).collect()
}

/// Returns the keys of the value at a place that a form with these errors does not have.
fn unknown_keys<'e>(form: &'e [ValidationError<'_>], place: &Location) -> BTreeSet<&'e str> {
    form.iter()
        .filter(|error| error.instance_path() == place)
        .filter_map(|error| match error.kind() {
            Kind::AdditionalProperties { unexpected } => Some(unexpected),
            _ => None,
        })
        .flatten()
        .map(String::as_str)
        .collect()
}

/// Returns `true` if a number is below the `minimum` of its schema, which is compared exactly.
fn is_too_small(error: &ValidationError<'_>) -> bool {
    error.schema_path().as_str().ends_with("/minimum")
}

/// Returns `true` if a value has a form in which it has these errors.
fn is_of(form: &[ValidationError<'_>], place: &Location) -> bool {
    form.iter().all(|error| match error.kind() {
        Kind::Type { .. } => error.instance_path() != place,
        _ if is_too_small(error) => error.instance_path() != place,
        Kind::AnyOf { context } => {
            error.instance_path() != place || context.iter().any(|form| is_of(form, place))
        }
        _ => true,
    })
}

/// Returns the part of the schema that describes the value at a path.
fn part_at<'s>(schema: &'s Value, path: &[String]) -> &'s Value {
    path.iter().fold(schema, |part, key| {
        let forms = forms(part);
        let named = |form: &&'s Value| form.get("properties")?.get(key);
        let named = forms.iter().find_map(named);
        let is_schema = |part: &&'s Value| part.is_object();
        let other = |name| {
            forms
                .iter()
                .find_map(|form| form.get(name).filter(is_schema))
        };
        let other = || other("additionalProperties").or_else(|| other("items"));
        named
            .or_else(other)
            .map_or(&Value::Null, |part| target(schema, part))
    })
}

/// Returns a part of the schema, and those of the forms that it allows.
fn forms(part: &Value) -> Vec<&Value> {
    let below = part["anyOf"].as_array().into_iter().flatten();
    iter::once(part).chain(below.flat_map(forms)).collect()
}

/// Returns the part that a reference leads to, or the part itself.
fn target<'s>(schema: &'s Value, part: &'s Value) -> &'s Value {
    part.get("$ref")
        .and_then(Value::as_str)
        .and_then(|it| schema.pointer(it.strip_prefix('#')?))
        .unwrap_or(part)
}

/// Returns the value that a part of the schema wants, in words, and how it is written.
fn expectation(schema: &Value, part: &Value) -> (String, Option<String>) {
    let item = part.get("items").map(|items| target(schema, items));
    let wants_tables = item.is_some_and(|item| item["type"] == "object");
    let expected_type = match part["type"].as_str().unwrap_or_default() {
        "integer" => &*format!("a whole number, at least {}", part["minimum"]),
        "array" if wants_tables => "a list of tables",
        "array" => "a list in brackets",
        "boolean" => "`true` or `false`",
        "object" => "a table",
        _ => "a string, in quotes",
    };
    let help = wants_tables.then(|| "write the name in two pairs of brackets: `[[…]]`".to_owned());
    (format!("expected {expected_type}"), help)
}

fn known_keys(part: &Value) -> Vec<&str> {
    let known = forms(part)
        .into_iter()
        .filter_map(|form| form.get("properties")?.as_object());
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in known.flatten() {
        if !keys.contains(&&**key) {
            keys.push(key);
        }
    }
    keys
}

fn words<'s>(part: &'s Value, keyword: &str) -> Vec<&'s str> {
    part.get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Returns a suggestion for an unknown word.
fn advice(word: &str, known: &[&str]) -> String {
    did_you_mean(word, known.iter().copied()).unwrap_or_else(|| match known {
        [only] => format!("expected `{only}`"),
        known => format!("expected one of: {}", known.join(", ")),
    })
}

fn value_at<'v, 'i>(
    root: &'v Spanned<DeValue<'i>>,
    path: &[String],
) -> Option<&'v Spanned<DeValue<'i>>> {
    path.iter().try_fold(root, |value, key| {
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
            let numbered = mem::replace(items, DeArray::new()).into_iter().enumerate();
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
        let messages: Vec<&str> = mistakes.iter().map(|it| &*it.message).collect();
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
