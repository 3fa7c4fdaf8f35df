//! The tables of a team's orders -> orders, and their mistakes.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;

use super::{FileReader, RuleTexts};
use crate::config::tables::{Data, OrderTable};
use crate::printable::{brief, quote};
use crate::rule::{Check, TeamCheck};
use crate::select::{KeyPath, Selector};
use crate::team::{Judged, Message, Pattern, TeamOrder, Word};

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

/// The attoseconds of a length of time such as `1.5s`; `None` where there is no such length, or its
/// fraction has more digits than attoseconds.
fn attoseconds(text: &str) -> Option<i128> {
    let (unit, attoseconds) = UNITS.iter().find(|(unit, _)| {
        let number = text.strip_suffix(unit);
        number.is_some_and(|number| number.ends_with(|c: char| c.is_ascii_digit()))
    })?;
    let number = text.strip_suffix(unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let fraction = format!("0{}", fraction.trim_end_matches('0'));
    let digits = u32::try_from(fraction.len() - 1).ok()?;
    let scale = 10_i128.checked_pow(digits)?;
    let part = fraction.parse::<i128>().ok()?.checked_mul(*attoseconds)?;
    let is_exact = part % scale == 0;
    let whole = whole.parse::<i128>().ok()?.checked_mul(*attoseconds)?;
    let length = whole.checked_add(part / scale)?;
    (is_exact && length > 0 && length < i128::MAX / 4).then_some(length)
}

/// The patterns of a table that are there, each with its name, its place and what is written.
fn patterns(table: &OrderTable) -> Vec<(&'static str, Range<usize>, Data)> {
    let of = |name, value: &Option<Spanned<Data>>| {
        let value = value.as_ref()?;
        Some((name, value.span(), value.get_ref().clone()))
    };
    let never = table.never.as_ref();
    let never = never.map(|never| ("never", never.span(), Data::Scalar(true.into())));
    let others = [
        of("at-most", &table.at_most),
        of("at-least", &table.at_least),
        of("needs-earlier", &table.needs_earlier),
        of("needs-later", &table.needs_later),
        of("none-earlier", &table.none_earlier),
        of("none-later", &table.none_later),
    ];
    never
        .into_iter()
        .chain(others.into_iter().flatten())
        .collect()
}

impl FileReader<'_, '_> {
    pub(super) fn order(&mut self, table: &OrderTable) {
        let is_free = self.take(&table.id);
        let examples = self.run_examples(&table.examples);
        let each = self.selector(&table.each, Judged::Event);
        let pattern = self.pattern(table);
        let message = self.message(&table.message, &[Word::Same, Word::Count, Word::Limit]);
        let same = table
            .same
            .as_ref()
            .map(|same| KeyPath::parse(same.get_ref()));
        let within = self.within(table);
        let (Some(each), Some((pattern, other)), Some(message)) = (each, pattern, message) else {
            return;
        };
        if let (Pattern::Never, Some(same)) = (pattern, &table.same) {
            let message = "`same` can't be combined with `never`";
            return self.mistake(same.span(), message, None);
        }
        if !is_free {
            return;
        }
        let check = Check::Team(TeamCheck::Order(self.all.team.orders.len()));
        let texts = RuleTexts {
            said: table.said(),
            title: table.message.get_ref(),
            help: &format!(
                "Change the program so that it keeps the order; `runvet explain {}` shows the order.",
                table.id.get_ref()
            ),
            details: &format!(
                "## The order\n\n```json\n{}\n```\n\n",
                self.shown(table, pattern)
            ),
        };
        self.rule_of(&table.id, &texts, check);
        self.all.team.orders.push(TeamOrder {
            each,
            other,
            pattern,
            same: same.flatten(),
            within,
            message,
            examples,
        });
    }

    /// The pattern of a table, and the other events that it speaks of.
    fn pattern(&mut self, table: &OrderTable) -> Option<(Pattern, Option<Selector>)> {
        let name = match &*patterns(table) {
            [(name, ..)] => *name,
            [] => return None,
            [(first, ..), (second, span, _), ..] => {
                let message =
                    format!("an order has one pattern, and this one has `{first}` and `{second}`");
                self.mistake(span.clone(), message, None);
                return None;
            }
        };
        let of_two =
            |pattern: Pattern, other: &Option<Spanned<Data>>| Some((pattern, other.clone()?));
        let (pattern, other) = match name {
            "at-most" => {
                return Some((Pattern::AtMost(self.count(table.at_most.as_ref()?)?), None));
            }
            "at-least" => {
                return Some((
                    Pattern::AtLeast(self.count(table.at_least.as_ref()?)?),
                    None,
                ));
            }
            "needs-earlier" => of_two(Pattern::NeedsEarlier, &table.needs_earlier)?,
            "needs-later" => of_two(Pattern::NeedsLater, &table.needs_later)?,
            "none-earlier" => of_two(Pattern::NoneEarlier, &table.none_earlier)?,
            "none-later" => of_two(Pattern::NoneLater, &table.none_later)?,
            _ => return Some((Pattern::Never, None)),
        };
        let other = self.selector(&other, Judged::Event)?;
        Some((pattern, Some(other)))
    }

    /// An order as JSON, with what the names of selectors and parameters stand for.
    fn shown(&self, table: &OrderTable, pattern: Pattern) -> String {
        let meant = |written: &Data| match written {
            Data::Text(name) => match self.named.get(name) {
                Some((entries, _)) => entries.to_json(),
                None => pattern.limit().into(),
            },
            written => written.to_json(),
        };
        let texts = [("same", &table.same), ("within", &table.within)].into_iter();
        let texts =
            texts.filter_map(|(key, text)| Some((key, text.as_ref()?.get_ref().clone().into())));
        let patterns = patterns(table).into_iter();
        let patterns = patterns.map(|(name, _, written)| (name, meant(&written)));
        let each = ("each", meant(table.each.get_ref()));
        let keys: BTreeMap<&str, Value> =
            std::iter::once(each).chain(patterns).chain(texts).collect();
        serde_json::to_string_pretty(&keys).unwrap_or_default()
    }

    /// A number of events, written or named.
    fn count(&mut self, written: &Spanned<Data>) -> Option<u64> {
        let number = match written.get_ref() {
            Data::Text(name) => {
                let param = name
                    .strip_prefix("params.")
                    .and_then(|name| self.params.get(name));
                let Some(param) = param else {
                    let message = format!("there is no parameter called {}", quote(name));
                    let help = self.nearest_param(name);
                    self.mistake(written.span(), message, help);
                    return None;
                };
                param.clone()
            }
            written => written.to_json(),
        };
        let count = number.as_u64().filter(|count| *count > 0);
        if count.is_none() {
            let message = format!(
                "expected a whole number, at least 1, but found {}",
                brief(&number.to_string())
            );
            self.mistake(written.span(), message, None);
        }
        count
    }

    /// The length of time of a table in attoseconds, where it has one that can be used.
    fn within(&mut self, table: &OrderTable) -> Option<i128> {
        let within = table.within.as_ref()?;
        let is_of_two = |name: &str| name.starts_with("needs-") || name.starts_with("none-");
        if matches!(&*patterns(table), [(name, ..)] if !is_of_two(name)) {
            let message = "`within` is allowed only with `needs-earlier`, `needs-later`, `none-earlier` and `none-later`";
            self.mistake(within.span(), message, None);
        }
        let length = attoseconds(within.get_ref());
        if length.is_none() {
            let message = format!(
                "expected a length of time above 0 and below 10^12 years, with at most {MAX_DECIMALS} decimals of a second, such as `30s`, `1.5m` or `200ms`"
            );
            self.mistake(within.span(), message, None);
        }
        length
    }

    /// The message of a rule.
    pub(super) fn message(&mut self, text: &Spanned<String>, words: &[Word]) -> Option<Message> {
        let shown = |value: &Value| match value {
            Value::String(text) => brief(text),
            other => brief(&other.to_string()),
        };
        let param = |name: &str| self.params.get(name).map(shown);
        match Message::parse(text.get_ref(), param) {
            Ok(message) => {
                let unknown = Word::ALL
                    .into_iter()
                    .find(|word| message.names(*word) && !words.contains(word));
                if let Some(word) = unknown {
                    let message = format!("`{{{}}}` is not available in this message", word.name());
                    self.mistake(text.span(), message, None);
                }
                Some(message)
            }
            Err(name) => {
                let message = format!("the message has the unknown placeholder {}", quote(name));
                let names: Vec<String> = words
                    .iter()
                    .map(|word| format!("`{{{}}}`", word.name()))
                    .collect();
                let help = format!("It can name {} and `{{params.NAME}}`.", names.join(", "));
                self.mistake(text.span(), message, Some(help));
                None
            }
        }
    }

    /// What may have been meant by the name of a parameter.
    pub(super) fn nearest_param(&self, name: &str) -> Option<String> {
        let name = name.strip_prefix("params.").unwrap_or(name);
        let known = self.params.keys().map(String::as_str);
        let nearest = crate::spelling::nearest(name, known)?;
        Some(format!("did you mean `params.{nearest}`?"))
    }
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
