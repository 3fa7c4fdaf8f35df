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
use crate::ground::select::{Glob, Selector, SelectorValue, Values, Wanted, key_path};
use crate::policy::team::TeamCheck;
use crate::policy::team::data::{RuleMeta, SelectorTable, TomlData, length, over, rule_id, sides};
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
    /// holds for each value, or for each combination of values. As `{ each = …, other = … }` apart
    /// for the events that it is about and for the others.
    #[serde(default)]
    #[schemars(schema_with = "sides")]
    same: Option<Spanned<TomlData>>,
    /// With `at-most`, `needs-earlier` and `none-earlier`: only events after the latest one that
    /// this selector matches count.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    since: Option<Spanned<TomlData>>,
    /// With `at-most`: the events that close earlier ones, which then no longer count. Each closes
    /// the oldest open one, or with `pair` all that have its value.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    until: Option<Spanned<TomlData>>,
    /// With `until`: the JSON Pointer to the value by which an event closes others, or a list of
    /// them, or `{ each = …, other = … }`.
    #[serde(default)]
    #[schemars(schema_with = "sides")]
    pair: Option<Spanned<TomlData>>,
    /// With `at-most`: whether it counts events in a row. Any other event with phase `act` ends the
    /// row.
    #[serde(default)]
    #[schemars(with = "bool")]
    in_a_row: Option<Spanned<bool>>,
    /// The time within which other events count: the time of the later line minus that of the
    /// earlier one is at most this long. With `at-most`: the time before each event within which
    /// events count. A number and `ms`, `s`, `m`, `h` or `d`.
    #[serde(default)]
    #[schemars(schema_with = "length")]
    within: Option<Spanned<String>>,
    /// `runs` for an order that looks at all runs together, in the order of time; with `at-most`
    /// and `within`.
    #[serde(default)]
    #[schemars(schema_with = "over")]
    over: Option<Spanned<String>>,
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
        let known = reader.mistakes.len();
        let same = reader.sides(self.same.as_ref());
        let pair = reader.sides(self.pair.as_ref());
        let within = self
            .within
            .as_ref()
            .and_then(|within| reader.length_of_time(within));
        let [since, until] = [&self.since, &self.until].map(|written| {
            written
                .as_ref()
                .and_then(|written| reader.selector(written, Judged::Event))
        });
        self.misplaced_keys(reader, same.has_two);

        let (Some(each), Some((pattern, other)), Some(message)) = (each, pattern, message) else {
            return;
        };

        if !is_free || reader.mistakes.len() > known {
            return;
        }

        let order = TeamOrder {
            each,
            other,
            pattern,
            same,
            since,
            until,
            pair,
            within,
            is_across: self.over.is_some(),
            asks: false,
            message,
            examples,
        };
        self.declare(reader, order);
    }

    /// Adds an order that was read to the team.
    fn declare(&self, reader: &mut FileReader<'_>, mut order: TeamOrder) {
        let texts = RuleTexts {
            title: self.message.get_ref(),
            cure: "Keep the order",
            shown: ["order", "json"],
            text: &self.shown(reader, order.pattern),
            examples: order
                .examples
                .iter()
                .map(RunExample::shown)
                .collect(),
        };

        let (holds, count) = (order.holds(), reader.team.orders.len());
        order.asks = reader.asks(&self.id, &self.meta, holds);
        reader.declare(
            &self.id,
            &self.meta,
            &texts,
            (TeamCheck::Order(count), holds),
        );
        reader.team.orders.push(Arc::new(order));
    }

    /// Returns the patterns that are there, each with its name and what is written.
    fn patterns(&self) -> Vec<(&'static str, &Spanned<TomlData>)> {
        [
            ("never", &self.never),
            ("at-most", &self.at_most),
            ("at-least", &self.at_least),
            ("needs-earlier", &self.needs_earlier),
            ("needs-later", &self.needs_later),
            ("none-earlier", &self.none_earlier),
            ("none-later", &self.none_later),
        ]
        .into_iter()
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

        let within = self
            .within
            .as_ref()
            .map(|it| it.get_ref().clone().into());
        let in_a_row = self
            .in_a_row
            .as_ref()
            .map(|it| (*it.get_ref()).into());
        let [same, pair] = [&self.same, &self.pair].map(|it| {
            it.as_ref()
                .map(|it| it.get_ref().to_json())
        });
        let rest = [
            ("same", same),
            ("pair", pair),
            ("within", within),
            ("in-a-row", in_a_row),
            (
                "over",
                self.over
                    .as_ref()
                    .map(|it| it.get_ref().clone().into()),
            ),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
        let windows = [("since", &self.since), ("until", &self.until)]
            .into_iter()
            .filter_map(|(key, written)| Some((key, written.as_ref()?)));
        let keys: BTreeMap<&str, Value> = iter::once(("each", &self.each))
            .chain(self.patterns())
            .chain(windows)
            .map(|(key, written)| (key, meant(written.get_ref())))
            .chain(rest)
            .collect();

        serde_json::to_string_pretty(&keys).unwrap_or_default()
    }

    /// Tells of keys that don't go with the pattern, or with each other.
    fn misplaced_keys(&self, reader: &mut FileReader<'_>, has_two_sides: bool) {
        let [(pattern, _)] = *self.patterns() else {
            return;
        };
        let is_row = self
            .in_a_row
            .as_ref()
            .is_some_and(|it| *it.get_ref());
        let span = |written: &Option<Spanned<TomlData>>| written.as_ref().map(Spanned::span);
        let (since, until) = (span(&self.since), span(&self.until));
        let is_of_two = pattern.starts_with("needs-") || pattern.starts_with("none-");
        let counts = pattern == "at-most" && !is_row;
        let looks_back = matches!(pattern, "needs-earlier" | "none-earlier");
        let has_other = is_of_two || since.is_some() || until.is_some();
        let is_limited = since.is_some() || self.within.is_some();
        let within = self.within.as_ref().map(Spanned::span);
        let wrong = [
            (
                span(&self.same).filter(|_| pattern == "never"),
                "`same` can't be combined with `never`",
            ),
            (
                within.filter(|_| !is_of_two && !counts),
                "`within` is allowed only with `at-most` (without `in-a-row`), `needs-earlier`, `needs-later`, `none-earlier` and `none-later`",
            ),
            (
                since.filter(|_| !counts && !looks_back),
                "`since` is allowed only with `at-most` (without `in-a-row`), `needs-earlier` and `none-earlier`",
            ),
            (
                until
                    .clone()
                    .filter(|_| !counts || is_limited),
                "`until` is allowed only with `at-most`, without `in-a-row`, `since` and `within`",
            ),
            (
                span(&self.pair).filter(|_| until.is_none()),
                "`pair` is allowed only with `until`",
            ),
            (
                span(&self.same).filter(|_| has_two_sides && !has_other),
                "`same` has two sides, but the order speaks of no other events",
            ),
        ];
        let over = self
            .over
            .as_ref()
            .map(Spanned::span)
            .filter(|_| !counts || self.within.is_none());
        let message = "`over` is allowed only with `at-most` and `within`";

        for (span, message) in wrong
            .into_iter()
            .chain([(over, message)])
        {
            if let Some(span) = span {
                reader.mistake(span, message, None);
            }
        }
    }
}

/// Returns the events that end a row.
fn acts() -> Option<TeamSelector> {
    let act = Wanted::OneOf(Values {
        items: vec![SelectorValue::Text(Glob::new("act"))],
    });
    Some(TeamSelector {
        keys: Selector {
            tests: vec![(key_path("phase", false)?, act)],
        },
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

    let count = number
        .as_u64()
        .filter(|count| *count > 0);
    if count.is_none() {
        let message = format!(
            "expected a whole number, at least 1, but found {}",
            brief(&number.to_string())
        );
        reader.mistake(written.span(), message, None);
    }

    count
}
