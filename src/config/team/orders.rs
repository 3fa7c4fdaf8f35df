//! The tables of a team's orders -> orders, and their mistakes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use toml::Spanned;

use super::{FileReader, RuleTexts};
use crate::config::tables::{Data, OrderTable};
use crate::printable::{brief, quote};
use crate::rule::{Check, TeamCheck};
use crate::select::{KeyPath, Selector};
use crate::spelling::nearest;
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

/// The patterns of a table that are there, each with its name and what is written.
fn patterns(table: &OrderTable) -> Vec<(&'static str, &Spanned<Data>)> {
    let all = [
        ("never", &table.never),
        ("at-most", &table.at_most),
        ("at-least", &table.at_least),
        ("needs-earlier", &table.needs_earlier),
        ("needs-later", &table.needs_later),
        ("none-earlier", &table.none_earlier),
        ("none-later", &table.none_later),
    ];
    all.into_iter()
        .filter_map(|(name, written)| Some((name, written.as_ref()?)))
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
        self.all.team.orders.push(Arc::new(TeamOrder {
            each,
            other,
            pattern,
            same: same.flatten(),
            within,
            message,
            examples,
        }));
    }

    /// The pattern of a table, and the other events that it speaks of.
    fn pattern(&mut self, table: &OrderTable) -> Option<(Pattern, Option<Selector>)> {
        let (name, written) = match &*patterns(table) {
            [one] => *one,
            [] => return None,
            [(first, _), (second, written), ..] => {
                let message =
                    format!("an order has one pattern, and this one has `{first}` and `{second}`");
                self.mistake(written.span(), message, None);
                return None;
            }
        };
        let pattern = match name {
            "never" => return Some((Pattern::Never, None)),
            "at-most" => return Some((Pattern::AtMost(self.count(written)?), None)),
            "at-least" => return Some((Pattern::AtLeast(self.count(written)?), None)),
            "needs-earlier" => Pattern::NeedsEarlier,
            "needs-later" => Pattern::NeedsLater,
            "none-earlier" => Pattern::NoneEarlier,
            _ => Pattern::NoneLater,
        };
        let other = self.selector(written, Judged::Event)?;
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
        let events = std::iter::once(("each", &table.each)).chain(patterns(table));
        let events = events.map(|(key, written)| (key, meant(written.get_ref())));
        let keys: BTreeMap<&str, Value> = events.chain(texts).collect();
        serde_json::to_string_pretty(&keys).unwrap_or_default()
    }

    /// A number of events, written or named.
    fn count(&mut self, written: &Spanned<Data>) -> Option<u64> {
        let number = match written.get_ref() {
            Data::Text(name) => {
                let short = name.strip_prefix("params.");
                let Some(param) = short.and_then(|name| self.params.get(name)) else {
                    let message = format!("there is no parameter called {}", quote(name));
                    let known = self.params.keys().map(String::as_str);
                    let meant = nearest(short.unwrap_or(name), known);
                    let help = meant.map(|meant| format!("did you mean `params.{meant}`?"));
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
        if matches!(&*patterns(table), [(name, _)] if !is_of_two(name)) {
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
