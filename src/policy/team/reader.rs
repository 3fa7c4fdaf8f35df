//! The tables of one file -> what they have in common: ids, selectors, texts, and their mistakes.

mod selectors;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use toml::Spanned;

use super::data::{RuleMeta, TomlData};
use super::schema::Judged;
use super::selector::TeamSelector;
use super::{Team, TeamCheck};
use crate::ground::document::OwnedDocument;
use crate::ground::finding::{Holds, Level, RuleInfo};
use crate::ground::printable::{brief, quote};
use crate::ground::select::{KeyPath, key_path, key_words};
use crate::ground::spelling::{did_you_mean, nearest};
use crate::policy::config_file::{ConfigError, ConfigSource, Files};
use crate::policy::expression::Expression;

/// The number of rules that a team can declare.
const MAX_RULES: usize = 1_000;

/// The key of the condition of a selector.
const CONDITION: &str = "if";

/// A reader of the tables of one file.
pub(super) struct FileReader<'r> {
    pub(super) file: ConfigSource<'r>,
    pub(super) files: &'r Files,
    pub(super) mistakes: &'r mut Vec<ConfigError>,
    pub(super) team: &'r mut Team,
    /// The ids that are taken, each with its place.
    pub(super) taken: &'r mut BTreeMap<String, String>,
    pub(super) is_built_in: &'r dyn Fn(&str) -> bool,
    pub(super) params: BTreeMap<String, Value>,
    /// The parameters as expressions see them.
    pub(super) bound_params: Arc<OwnedDocument>,
    /// The selectors that have names.
    pub(super) named: BTreeMap<String, NamedSelector>,
}

/// A selector that has a name.
pub(super) struct NamedSelector {
    pub(super) written: TomlData,
    of_events: Option<TeamSelector>,
    /// The mistakes that it has only if it is used for events.
    mistakes: Vec<ConfigError>,
}

/// The places of the values by which events are grouped or paired: in those that a rule is about,
/// and in the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    pub(super) each: Vec<KeyPath>,
    pub(super) other: Vec<KeyPath>,
    /// `true` if they are written apart.
    pub(super) has_two: bool,
}

/// The texts of a rule in place of what its author leaves out, and what its page shows.
pub(super) struct RuleTexts<'t> {
    pub(super) title: &'t str,
    pub(super) cure: &'t str,
    /// The word for the text that is shown, and the language of that text.
    pub(super) shown: [&'t str; 2],
    pub(super) text: &'t str,
    /// The examples, each as a paragraph.
    pub(super) examples: Vec<String>,
}

impl FileReader<'_> {
    pub(super) fn mistake(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        // What is beyond the end stands for what is missing.
        if span.start <= self.file.text.len() {
            self.mistakes
                .push(self.file.error(span, message, help));
        }
    }

    /// Adds the rule of a declaration.
    pub(super) fn declare(
        &mut self,
        id: &Spanned<String>,
        meta: &RuleMeta,
        texts: &RuleTexts<'_>,
        (check, holds): (TeamCheck, Holds),
    ) {
        let RuleTexts { cure, text, .. } = texts;
        let ([shown, language], name) = (texts.shown, id.get_ref());
        let title = meta
            .title
            .clone()
            .unwrap_or_else(|| self.without_values(texts.title));
        let help = format!("{cure}; `runvet explain {name}` shows the {shown}.");
        let hint = meta.help.as_ref().unwrap_or(&help);
        // What the page shows, it does not send its reader to.
        let on_page = meta
            .help
            .clone()
            .unwrap_or_else(|| format!("{cure}."));
        let place = brief(&self.file.place(&id.span()));
        let why = meta
            .why
            .as_ref()
            .map_or_else(String::new, |why| format!("## Why it matters\n\n{why}\n\n"));
        let url = meta
            .url
            .as_ref()
            .map_or_else(String::new, |url| format!("\nMore: <{url}>\n"));
        let mut values: String = self
            .params
            .keys()
            .filter(|name| text.contains(&format!("params.{name}")))
            .filter_map(|name| Some(format!("- `params.{name}` is {}\n", self.param(name)?)))
            .collect();
        if !values.is_empty() {
            values.push('\n');
        }

        let mut details = format!("## The {shown}\n\n```{language}\n{text}\n```\n\n{values}");
        if !texts.examples.is_empty() {
            details = details + "## Examples\n\n" + &texts.examples.join("\n\n") + "\n\n";
        }

        let page = format!(
            "{title}. The rule is declared in `{place}`.\n\n{why}{details}## How to fix it\n\n{on_page}\n{url}"
        );
        let info = RuleInfo {
            id: name.clone().into(),
            level: meta.level.unwrap_or(Level::Error),
            title: title.into(),
            hint: hint.clone().into(),
            page: page.into(),
            url: meta.url.clone(),
            tags: meta.tags.clone(),
            holds: Some(holds),
        };

        self.team.infos.push((info, check));
    }

    /// Returns `true` if people are asked about what a rule finds, which must hold back then.
    pub(super) fn asks(&mut self, id: &Spanned<String>, meta: &RuleMeta, holds: Holds) -> bool {
        let asks = meta.level == Some(Level::Ask);
        if asks && holds != Holds::Before {
            let message = format!(
                "`level = \"ask\"` is only for rules that hold back, and this one is {}",
                holds.shown()
            );
            self.mistake(id.span(), message, None);
        }

        asks
    }

    /// Takes an id; returns `true` if it was free.
    pub(super) fn take(&mut self, id: &Spanned<String>) -> bool {
        let name = id.get_ref();
        let group = name
            .split('/')
            .next()
            .unwrap_or_default();
        if (self.is_built_in)(group) {
            let message = format!("the group `{group}` belongs to the built-in rules");
            let help = "Give it a group of your own, such as the name of the team.";
            self.mistake(id.span(), message, Some(help.into()));
            return false;
        }

        if let Some(before) = self.taken.get(name) {
            let message = format!("the id `{name}` is taken by {}", brief(before));
            self.mistake(id.span(), message, None);
            return false;
        }

        let place = self.file.place(&id.span());
        self.taken.insert(name.clone(), place);
        let fits = self.taken.len() <= MAX_RULES;
        if !fits {
            let message = format!("the team declares more than {MAX_RULES} rules");
            self.mistake(id.span(), message, None);
        }

        fits
    }

    /// Returns the path that a key of a selector stands for.
    pub(super) fn key(&mut self, key: &Spanned<String>, judged: Judged) -> Option<KeyPath> {
        let name = key.get_ref();
        let of_action = judged == Judged::Action;
        let path = key_path(name, of_action);
        if path.is_none() {
            let words: Vec<&str> = key_words(of_action)
                .map(|(word, _)| word)
                .chain([CONDITION])
                .collect();
            let help = did_you_mean(name, words.iter().copied()).unwrap_or_else(|| {
                let words = words.join(", ");
                format!("expected {words}, or a JSON Pointer such as `/payload/input`")
            });
            let message = format!("unknown key {} of a selector", quote(name));
            self.mistake(key.span(), message, Some(help));
        }

        path
    }

    /// Returns `false` for a path with `**`, which is a mistake where one value is meant.
    pub(super) fn must_lead_to_one(&mut self, path: &KeyPath, span: Range<usize>) -> bool {
        if path.is_deep() {
            let message = "`**` is allowed only in the pointers of selectors";
            self.mistake(span, message, None);
        }
        !path.is_deep()
    }

    /// Returns the expression that a text says, with the help for a name that it can't have.
    pub(super) fn expression(
        &mut self,
        text: &str,
        whole: Range<usize>,
        names: &[&str],
        (foreign, help): (&str, &str),
    ) -> Option<Expression> {
        let expression = Expression::parse(text, names)
            .map_err(|mistake| {
                let span = self.span_within(text, whole.clone(), mistake.span);
                let is_foreign = mistake.message == format!("unknown name `{foreign}`");
                let help = is_foreign
                    .then(|| help.to_owned())
                    .or(mistake.help);
                self.mistake(span, mistake.message, help);
            })
            .ok()?;
        let params = names
            .iter()
            .position(|name| *name == "params");
        for (name, part) in params.map_or(Vec::new(), |it| expression.members(it)) {
            if !self.params.contains_key(&name) {
                let span = self.span_within(text, whole.clone(), part);
                self.unknown_param(&format!("params.{name}"), span);
            }
        }

        Some(expression)
    }

    /// Reports a parameter that no file declares.
    pub(super) fn unknown_param(&mut self, name: &str, span: Range<usize>) {
        let message = format!("there is no parameter called {}", quote(name));
        let short = name
            .strip_prefix("params.")
            .unwrap_or(name);
        let help = nearest(short, self.params.keys().map(String::as_str))
            .map(|meant| format!("did you mean `params.{meant}`?"));
        self.mistake(span, message, help);
    }

    /// Returns the place in the file of a part of a text that is written there.
    pub(super) fn span_within(
        &self,
        text: &str,
        whole: Range<usize>,
        part: Range<usize>,
    ) -> Range<usize> {
        // Where TOML escapes something, the place within the text is not that in the file.
        self.file
            .text
            .get(whole.clone())
            .unwrap_or_default()
            .find(text)
            .map_or(whole.clone(), |start| {
                let start = whole.start + start;
                start + part.start..start + part.end
            })
    }

    /// Returns the places of the values by which events are grouped, or paired.
    pub(super) fn sides(&mut self, written: Option<&Spanned<TomlData>>) -> Sides {
        let Some(written) = written else {
            return Sides::default();
        };
        let TomlData::Table(members) = written.get_ref() else {
            let both = self.pointers(written);
            return Sides {
                each: both.clone(),
                other: both,
                has_two: false,
            };
        };

        let of = |name: &str| {
            members
                .iter()
                .find(|(key, _)| key.get_ref() == name)
                .map(|(_, value)| value)
        };

        let [each, other] = ["each", "other"].map(of);
        let [each, other] = [each, other].map(|it| it.map(|it| self.pointers(it)));
        let (each, other) = (each.unwrap_or_default(), other.unwrap_or_default());
        if each.len() != other.len() {
            let message = "`each` and `other` have one pointer each, or as many";
            self.mistake(written.span(), message, None);
        }

        Sides {
            each,
            other,
            has_two: true,
        }
    }

    /// Returns a length of time in attoseconds.
    pub(super) fn length_of_time(&mut self, written: &Spanned<String>) -> Option<i128> {
        let length = attoseconds(written.get_ref());
        if length.is_none() {
            let message = format!(
                "expected a length of time above 0 and below 10^12 years, with at most {MAX_DECIMALS} decimals of a second, such as `30s`, `1.5m` or `200ms`"
            );
            self.mistake(written.span(), message, None);
        }

        length
    }

    fn pointers(&mut self, written: &Spanned<TomlData>) -> Vec<KeyPath> {
        let one = std::slice::from_ref(written);
        let texts = match written.get_ref() {
            TomlData::List(items) => items,
            _ => one,
        };

        let mut paths = Vec::new();
        for text in texts {
            if let TomlData::Text(pointer) = text.get_ref()
                && let Some(path) = KeyPath::parse(pointer)
                && self.must_lead_to_one(&path, text.span())
            {
                paths.push(path);
            }
        }

        paths
    }
}

/// The decimals of the seconds in a length of time, at most.
const MAX_DECIMALS: u32 = 18;

/// The attoseconds of a second.
const SECOND: i128 = 10_i128.pow(MAX_DECIMALS);

/// The units of a length of time, each with its attoseconds; longer words first.
const UNITS: [(&str, i128); 5] = [
    ("ms", SECOND / 1_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("d", 86_400 * SECOND),
];

/// Returns the attoseconds of a length of time such as `1.5s`; `None` where there is no such
/// length, or its fraction has more digits than attoseconds.
fn attoseconds(text: &str) -> Option<i128> {
    let (unit, attoseconds) = UNITS.iter().find(|(unit, _)| {
        text.strip_suffix(unit)
            .is_some_and(|number| number.ends_with(|c: char| c.is_ascii_digit()))
    })?;
    let number = text.strip_suffix(unit)?;
    let (whole, fraction) = number
        .split_once('.')
        .unwrap_or((number, "0"));
    let fraction = format!("0{}", fraction.trim_end_matches('0'));
    let digits = u32::try_from(fraction.len() - 1).ok()?;
    let scale = 10_i128.checked_pow(digits)?;
    let part = fraction
        .parse::<i128>()
        .ok()?
        .checked_mul(*attoseconds)?;
    let is_exact = part % scale == 0;
    let length = whole
        .parse::<i128>()
        .ok()?
        .checked_mul(*attoseconds)?
        .checked_add(part / scale)?;

    (is_exact && length > 0 && length < i128::MAX / 4).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_exact() {
        assert_eq!(attoseconds("30s"), Some(30 * UNITS[1].1));
        assert_eq!(attoseconds("1.5m"), Some(90 * UNITS[1].1));
        assert_eq!(attoseconds("200ms"), Some(200 * UNITS[0].1));
        assert_eq!(attoseconds("0.000000000000000001s"), Some(1));
        let zeros = "0".repeat(40);
        assert_eq!(attoseconds(&format!("1.5{zeros}s")), attoseconds("1.5s"));
        for wrong in [
            "0s",
            "s",
            "1",
            "1.s",
            "-1s",
            "1 s",
            "0.0000000000000000001s",
            "1w",
            "99999999999999999999999999d",
        ] {
            assert_eq!(attoseconds(wrong), None, "{wrong}");
        }
    }
}
