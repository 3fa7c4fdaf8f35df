//! The text of `runvet.toml` -> its settings, and all mistakes that can be found at once.

use std::mem;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer, Error};

use super::{Config, ConfigError, File, Ignore};
use crate::printable::quote;
use crate::source::Artifact;

/// The maximum number of mistakes that are looked for: each takes one more reading.
const MAX_MISTAKES: usize = 20;

/// What the text of a file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The settings, without those that are wrong.
    pub(crate) config: Config,
    pub(crate) mistakes: Vec<ConfigError>,
}

impl File<'_> {
    /// Reads the file.
    pub(crate) fn read(self) -> Reading {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if !errors.is_empty() {
            // After a slip in the grammar the rest of its line says nothing.
            let mut mistakes: Vec<ConfigError> =
                errors.iter().map(|error| self.mistake(error)).collect();
            mistakes.dedup_by_key(|mistake| mistake.location.line);
            mistakes.truncate(MAX_MISTAKES);
            return Reading {
                mistakes,
                ..Reading::default()
            };
        }
        let mut reading = self.without_mistakes(table);
        for ignore in &reading.config.ignores {
            reading.mistakes.extend(self.mistakes_of(ignore));
        }
        reading
    }

    /// Reads a table again and again, each time without the part that was wrong.
    fn without_mistakes(self, mut table: Spanned<DeTable<'_>>) -> Reading {
        let (mut mistakes, mut removed) = (Vec::new(), Vec::new());
        while mistakes.len() < MAX_MISTAKES {
            let error = match Config::deserialize(Deserializer::from(table.clone())) {
                Ok(config) => return Reading { config, mistakes },
                Err(error) => error,
            };
            let span = error.span().unwrap_or_default();
            let is_lack_of_removed = removed.iter().any(|part: &Part| part.is_lacking(&error));
            let mistake = self.mistake(&error);
            let meant = mistake.help.as_deref().and_then(in_backticks);
            let meant = meant.map(str::to_owned);
            if !is_lack_of_removed {
                mistakes.push(mistake);
            }
            let all = table.span();
            let Some(part) = remove(table.get_mut(), &all, &span) else {
                break;
            };
            // A key that was spelled wrongly is not missing besides.
            removed.extend(meant.map(|key| Part {
                table: part.table.clone(),
                key,
            }));
            removed.push(part);
        }
        Reading {
            mistakes,
            ..Reading::default()
        }
    }

    fn mistake(self, error: &Error) -> ConfigError {
        let (message, help) = reworded(error.message());
        self.error(error.span().unwrap_or_default(), message, help)
    }

    /// What the types of an ignore do not rule out.
    fn mistakes_of(self, ignore: &Ignore) -> Vec<ConfigError> {
        let mut mistakes = Vec::new();
        if ignore.reason.get_ref().trim().is_empty() {
            mistakes.push(self.error(ignore.reason.span(), "the reason is empty", None));
        }
        if let Some(file) = &ignore.file
            && Artifact::from_file_name(file.get_ref()).is_none()
        {
            let names = Artifact::ALL.map(Artifact::file_name).join(", ");
            let message = format!("an episode has no such file, only {names}");
            mistakes.push(self.error(file.span(), message, None));
        }
        if let Some(pointer) = &ignore.pointer
            && !pointer.get_ref().starts_with('/')
        {
            let help = format!("did you mean `/{}`?", pointer.get_ref());
            let message = "a JSON Pointer starts with `/`";
            mistakes.push(self.error(pointer.span(), message, Some(help)));
        }
        mistakes
    }
}

/// A part of a file that was removed: a key of a table, which is known by its place.
struct Part {
    table: Range<usize>,
    key: String,
}

impl Part {
    /// Whether an error says that the part is missing.
    fn is_lacking(&self, error: &Error) -> bool {
        let missing = error.message().strip_prefix("missing field ");
        missing.and_then(in_backticks) == Some(&*self.key)
            && error.span().as_ref() == Some(&self.table)
    }
}

/// Removes the smallest entry or item around a place from a table at `whole`.
fn remove(table: &mut DeTable<'_>, whole: &Range<usize>, place: &Range<usize>) -> Option<Part> {
    let mut around = None;
    for (key, value) in table.iter_mut() {
        let span = value.span();
        let inside = remove_inside(value.get_mut(), &span, place);
        if inside.is_some() {
            return inside;
        }
        if covers(&key.span(), place) || covers(&span, place) {
            around = Some(key.get_ref().to_string());
        }
    }
    let key = around?;
    table.remove(&*key)?;
    Some(Part {
        table: whole.clone(),
        key,
    })
}

fn remove_inside(
    value: &mut DeValue<'_>,
    whole: &Range<usize>,
    place: &Range<usize>,
) -> Option<Part> {
    let array = match value {
        DeValue::Table(table) => return remove(table, whole, place),
        DeValue::Array(array) => array,
        _ => return None,
    };
    for item in array.iter_mut() {
        let span = item.span();
        let inside = remove_inside(item.get_mut(), &span, place);
        if inside.is_some() {
            return inside;
        }
    }
    let length = array.len();
    let items = mem::replace(array, DeArray::new());
    let items = items.into_iter();
    *array = items.filter(|item| !covers(&item.span(), place)).collect();
    (array.len() < length).then(|| Part {
        table: whole.clone(),
        key: String::new(),
    })
}

fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn in_backticks(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

/// Rewords a message of serde or toml for users, and says what may have been meant. A test covers
/// each of their messages.
fn reworded(message: &str) -> (String, Option<String>) {
    if let Some(missing) = message.strip_prefix("missing field ") {
        return (format!("the key {missing} is missing"), None);
    }
    let Some((what, expected)) = message.split_once(", expected ") else {
        let is_not_a_word = message == "wanted string or table";
        return (
            if is_not_a_word {
                "expected a string, in quotes"
            } else {
                message
            }
            .to_owned(),
            None,
        );
    };
    let unknown = what.strip_prefix("unknown ").and_then(in_backticks);
    if let Some(wanted) = unknown {
        let kind = if what.starts_with("unknown field") {
            "key"
        } else {
            "value"
        };
        return (
            format!("unknown {kind} {}", quote(wanted)),
            Some(nearest(wanted, expected)),
        );
    }
    let words = match expected {
        "a nonzero usize" => "a whole number, at least 1",
        "usize" => "a whole number, at least 0",
        "a boolean" => "`true` or `false`",
        "a string" => "a string, in quotes",
        "path string" => "a path, in quotes",
        "a TOML datetime" => "a date such as 2026-12-31, without quotes",
        "a map" => "a table",
        "a sequence" if what == "invalid type: map" => {
            return (
                "expected a list of tables".into(),
                Some("write the name in two pairs of brackets: `[[…]]`".into()),
            );
        }
        "a sequence" => "a list in brackets",
        _ => return (message.to_owned(), None),
    };
    (format!("expected {words}"), None)
}

/// The most similar of the words that serde expects, or all of them.
fn nearest(wanted: &str, known: &str) -> String {
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    match known
        .iter()
        .map(|known| (strsim::osa_distance(wanted, known), known))
        .min()
    {
        Some((distance, name)) if distance <= 3 => format!("did you mean `{name}`?"),
        _ => format!("expected one of: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The error of a text: its line and column, its message and its help.
    fn error_of(text: &str) -> (u64, u64, String, Option<String>) {
        let file = File {
            name: "runvet.toml",
            dir: Path::new(""),
            text,
        };
        let error = ConfigError::first_of(file.read().mistakes).unwrap();
        let (line, column) = (error.location.line, error.location.column);
        (line.unwrap(), column.unwrap(), error.message, error.help)
    }

    #[test]
    fn each_message_of_serde_and_toml_is_reworded() {
        let ignore = "[[ignore]]\nrule = 'plan/*'\nepisode = '*'\nreason = 'x'\n";
        for (text, line, column, message) in [
            ("fromat = 'json'", 1, 1, "unknown key \"fromat\""),
            ("format = 'jsno'", 1, 10, "unknown value \"jsno\""),
            ("format = 1", 1, 10, "expected a string, in quotes"),
            (
                "rules = { 'plan/*' = 1 }",
                1,
                22,
                "expected a string, in quotes",
            ),
            ("deny-warnings = 1", 1, 17, "expected `true` or `false`"),
            ("jobs = 0", 1, 8, "expected a whole number, at least 1"),
            ("jobs = 'x'", 1, 8, "expected a whole number, at least 1"),
            (
                "max-findings = -1",
                1,
                16,
                "expected a whole number, at least 0",
            ),
            (
                "max-findings = 1.5",
                1,
                16,
                "expected a whole number, at least 0",
            ),
            ("baseline = 1", 1, 12, "expected a path, in quotes"),
            ("exclude = 'x'", 1, 11, "expected a list in brackets"),
            ("exclude = [1]", 1, 12, "expected a string, in quotes"),
            ("rules = 1", 1, 9, "expected a table"),
            ("[ignore]", 1, 1, "expected a list of tables"),
            (
                "[[ignore]]\nrule = 'a/b'",
                1,
                1,
                "the key `episode` is missing",
            ),
            (
                &format!("{ignore}expires = 'x'"),
                5,
                11,
                "expected a date such as 2026-12-31, without quotes",
            ),
            (
                &format!("{ignore}expires = 2026-12-31T00:00:00Z"),
                5,
                11,
                "expected a date such as 2026-12-31, without a time",
            ),
        ] {
            let error = error_of(text);
            assert_eq!(
                (error.0, error.1, &*error.2),
                (line, column, message),
                "{text}"
            );
        }
    }

    #[test]
    fn the_help_names_the_nearest_word_or_all() {
        let help = |text: &str| error_of(text).3.unwrap();
        assert_eq!(help("deny-warning = 1"), "did you mean `deny-warnings`?");
        assert_eq!(help("rules = { 'plan/*' = 'of' }"), "did you mean `off`?");
        assert_eq!(help("rules = { 'plan/*' = 'x' }"), "did you mean `off`?");
        assert!(help("zzzzzzzz = 1").starts_with("expected one of: format, deny-warnings, "));
        assert!(help("[ignore]").contains("`[[…]]`"));
    }

    #[test]
    fn an_error_displays_its_place_and_its_help() {
        let text = "deny-warning = true";
        let file = File {
            name: "a/runvet.toml",
            dir: Path::new(""),
            text,
        };
        assert_eq!(
            ConfigError::first_of(file.read().mistakes)
                .unwrap()
                .to_string(),
            "a/runvet.toml:1:1: unknown key \"deny-warning\" (did you mean `deny-warnings`?)"
        );
    }
}
