//! The table of an order -> the order, and its mistakes.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::{OrderPattern, TeamOrder};
use crate::ground::printable::brief;
use crate::ground::select::{Glob, Selector, SelectorValue, Values, key_path};
use crate::policy::team::TeamCheck;
use crate::policy::team::data::{RuleMeta, SelectorTable, TomlData, pointers, rule_id};
use crate::policy::team::example::RunExample;
use crate::policy::team::message::MessageWord;
use crate::policy::team::reader::{FileReader, RuleTexts};
use crate::policy::team::schema::Judged;
use crate::policy::team::selector::TeamSelector;

/// An order of events. It has exactly one pattern: `never`, `at-most`, `at-least`,
/// `needs-earlier`, `needs-later`, `none-earlier` or `none-later`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend(
    "additionalProperties" = false,
    "anyOf" = [
        {"required": ["never"], "properties": {"never": true}},
        {"required": ["at-most"], "properties": {"at-most": true}},
        {"required": ["at-least"], "properties": {"at-least": true}},
        {"required": ["needs-earlier"], "properties": {"needs-earlier": true}},
        {"required": ["needs-later"], "properties": {"needs-later": true}},
        {"required": ["none-earlier"], "properties": {"none-earlier": true}},
        {"required": ["none-later"], "properties": {"none-later": true}},
    ],
    "$comment" = "message: the order lacks its pattern: `never`, `at-most`, `at-least`, `needs-earlier`, `needs-later`, `none-earlier` or `none-later`"
))]
pub(crate) struct OrderTable {
    /// The name of the rule: a group and a subject. Groups of built-in rules are taken.
    #[schemars(schema_with = "rule_id")]
    id: Spanned<String>,
    #[serde(flatten)]
    meta: RuleMeta,
    /// The events that it is about.
    #[schemars(with = "SelectorTable")]
    each: Spanned<TomlData>,
    /// The message of a finding, for people. It may hold `{same}`, `{count}`, `{limit}` and
    /// `{params.NAME}`.
    #[schemars(with = "String", extend("pattern" = r"\S", "$comment" = "message: the message is empty"))]
    message: Spanned<String>,
    /// No such event may occur; `true` is the only value.
    #[serde(default)]
    #[schemars(with = "bool", extend("const" = true))]
    never: Option<Spanned<TomlData>>,
    /// The largest number of these events: at least 1, or the name of a parameter such as
    /// `params.max-calls`.
    #[serde(default)]
    #[schemars(schema_with = "count_or_param")]
    at_most: Option<Spanned<TomlData>>,
    /// The smallest number of these events once the run has ended: at least 1, or the name of a
    /// parameter.
    #[serde(default)]
    #[schemars(schema_with = "count_or_param")]
    at_least: Option<Spanned<TomlData>>,
    /// Each of the events needs an event that this selector matches on an earlier line.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    needs_earlier: Option<Spanned<TomlData>>,
    /// Each of the events needs an event that this selector matches on a later line, once the
    /// run has ended.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    needs_later: Option<Spanned<TomlData>>,
    /// No event that this selector matches may come before any of the events.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    none_earlier: Option<Spanned<TomlData>>,
    /// No event that this selector matches may come after any of the events.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    none_later: Option<Spanned<TomlData>>,
    /// The JSON Pointer to the value by which events are grouped, or a list of them: the order
    /// holds for each value, or for each combination of values.
    #[serde(default)]
    #[schemars(schema_with = "pointers")]
    same: Option<Spanned<TomlData>>,
    /// With `at-most`: whether it counts events in a row. Any other event with phase `act` ends the
    /// row.
    #[serde(default)]
    #[schemars(with = "bool")]
    in_a_row: Option<Spanned<bool>>,
    /// The time within which other events count: the time of the later line minus that of the
    /// earlier one is at most this long. A number and `ms`, `s`, `m`, `h` or `d`.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = r"^\d+(\.\d+)?(ms|s|m|h|d)$", "$comment" = "message: expected a length of time such as `30s`, `1.5m` or `200ms`", "examples" = ["30s"]))]
    within: Option<Spanned<String>>,
    /// Runs by which it is tested: `runvet rules --test` judges them.
    #[serde(default, rename = "example")]
    examples: Vec<RunExample>,
}

/// Returns the schema of a number of events, or the name of a parameter.
fn count_or_param(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "$comment": "message: expected a whole number, at least 1, or the name of a parameter such as `params.max-calls`",
        "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string" }],
    })
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

impl OrderTable {
    /// Adds the order to the team.
    pub(in crate::policy::team) fn read(&self, reader: &mut FileReader<'_>) {
        let is_free = reader.take(&self.id);
        let examples = reader.run_examples(&self.examples);
        let each = reader.selector(&self.each, Judged::Event);
        let pattern = self.pattern(reader);
        let message = reader.message(
            &self.message,
            &[MessageWord::Same, MessageWord::Count, MessageWord::Limit],
        );
        let same = self.same.as_ref();
        let within = self.within(reader);
        let (Some(each), Some((pattern, other)), Some(message)) = (each, pattern, message) else {
            return;
        };
        if let (OrderPattern::Never, Some(same)) = (pattern, same) {
            let message = "`same` can't be combined with `never`";
            return reader.mistake(same.span(), message, None);
        }
        if !is_free {
            return;
        }
        let texts = RuleTexts {
            title: self.message.get_ref(),
            cure: "Change the program so that it keeps the order",
            shown: ["order", "json"],
            text: &self.shown(reader, pattern),
            examples: examples.iter().map(RunExample::shown).collect(),
        };
        let check = TeamCheck::Order(reader.team.orders.len());
        reader.declare(&self.id, &self.meta, &texts, check);
        reader.team.orders.push(Arc::new(TeamOrder {
            each,
            other,
            pattern,
            same: FileReader::pointers(same),
            within,
            message,
            examples,
        }));
    }

    /// Returns the patterns that are there, each with its name and what is written.
    fn patterns(&self) -> Vec<(&'static str, &Spanned<TomlData>)> {
        let all = [
            ("never", &self.never),
            ("at-most", &self.at_most),
            ("at-least", &self.at_least),
            ("needs-earlier", &self.needs_earlier),
            ("needs-later", &self.needs_later),
            ("none-earlier", &self.none_earlier),
            ("none-later", &self.none_later),
        ];
        all.into_iter()
            .filter_map(|(name, written)| Some((name, written.as_ref()?)))
            .collect()
    }

    /// Returns the pattern, and the other events that it speaks of.
    fn pattern(&self, reader: &mut FileReader<'_>) -> Option<(OrderPattern, Option<TeamSelector>)> {
        let in_a_row = self.in_a_row.as_ref();
        let (name, written) = match &*self.patterns() {
            [one] => *one,
            [] => return None,
            [(first, _), (second, written), ..] => {
                let message =
                    format!("an order has one pattern, and this one has `{first}` and `{second}`");
                reader.mistake(written.span(), message, None);
                return None;
            }
        };
        if let Some(in_a_row) = in_a_row.filter(|_| name != "at-most") {
            let message = "`in-a-row` is allowed only with `at-most`";
            reader.mistake(in_a_row.span(), message, None);
            return None;
        }
        let pattern = match name {
            "never" => return Some((OrderPattern::Never, None)),
            "at-most" if in_a_row.is_some_and(|it| *it.get_ref()) => {
                return Some((
                    OrderPattern::AtMostInARow(count(reader, written)?),
                    Some(acts()?),
                ));
            }
            "at-most" => return Some((OrderPattern::AtMost(count(reader, written)?), None)),
            "at-least" => return Some((OrderPattern::AtLeast(count(reader, written)?), None)),
            "needs-earlier" => OrderPattern::NeedsEarlier,
            "needs-later" => OrderPattern::NeedsLater,
            "none-earlier" => OrderPattern::NoneEarlier,
            _ => OrderPattern::NoneLater,
        };
        let other = reader.selector(written, Judged::Event)?;
        Some((pattern, Some(other)))
    }

    /// Returns the order as JSON, with what the names of selectors and parameters stand for.
    fn shown(&self, reader: &FileReader<'_>, pattern: OrderPattern) -> String {
        let meant = |written: &TomlData| match written {
            TomlData::Text(name) => match reader.named.get(name) {
                Some(named) => named.written.to_json(),
                None => pattern.limit().into(),
            },
            written => written.to_json(),
        };
        let within = self.within.as_ref().map(|it| it.get_ref().clone().into());
        let in_a_row = self.in_a_row.as_ref().map(|it| (*it.get_ref()).into());
        let same = self.same.as_ref().map(|same| same.get_ref().to_json());
        let rest = [("same", same), ("within", within), ("in-a-row", in_a_row)];
        let rest = rest
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let events = iter::once(("each", &self.each)).chain(self.patterns());
        let events = events.map(|(key, written)| (key, meant(written.get_ref())));
        let keys: BTreeMap<&str, Value> = events.chain(rest).collect();
        serde_json::to_string_pretty(&keys).unwrap_or_default()
    }

    /// Returns the length of time in attoseconds, where it has one that can be used.
    fn within(&self, reader: &mut FileReader<'_>) -> Option<i128> {
        let within = self.within.as_ref()?;
        let is_of_two = |name: &str| name.starts_with("needs-") || name.starts_with("none-");
        if matches!(&*self.patterns(), [(name, _)] if !is_of_two(name)) {
            let message = "`within` is allowed only with `needs-earlier`, `needs-later`, `none-earlier` and `none-later`";
            reader.mistake(within.span(), message, None);
        }
        let length = attoseconds(within.get_ref());
        if length.is_none() {
            let message = format!(
                "expected a length of time above 0 and below 10^12 years, with at most {MAX_DECIMALS} decimals of a second, such as `30s`, `1.5m` or `200ms`"
            );
            reader.mistake(within.span(), message, None);
        }
        length
    }
}

/// Returns the events that end a row.
fn acts() -> Option<TeamSelector> {
    let act = Values {
        any_of: vec![SelectorValue::Text(Glob::new("act"))],
        negated: false,
    };
    Some(TeamSelector {
        keys: Selector(vec![(key_path("phase", false)?, act)]),
        condition: None,
    })
}

/// Returns a number of events, written or named.
fn count(reader: &mut FileReader<'_>, written: &Spanned<TomlData>) -> Option<u64> {
    let number = match written.get_ref() {
        TomlData::Text(name) => {
            let short = name.strip_prefix("params.");
            let Some(param) = short.and_then(|name| reader.params.get(name)) else {
                reader.unknown_param(name, written.span());
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
        reader.mistake(written.span(), message, None);
    }
    count
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
