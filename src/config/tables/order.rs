//! The tables of orders of events.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{Data, RuleId, RunExampleTable, Said, SelectorTable};
use crate::finding::Level;

rule_table! {
    /// An order of events. It has exactly one pattern: `never`, `at-most`, `at-least`,
    /// `needs-earlier`, `needs-later`, `none-earlier` or `none-later`.
    #[schemars(extend(
        "anyOf" = [
            {"required": ["never"]}, {"required": ["at-most"]}, {"required": ["at-least"]},
            {"required": ["needs-earlier"]}, {"required": ["needs-later"]},
            {"required": ["none-earlier"]}, {"required": ["none-later"]},
        ],
        "patternErrorMessage" = "the order lacks its pattern: `never`, `at-most`, `at-least`, `needs-earlier`, `needs-later`, `none-earlier` or `none-later`"
    ))]
    OrderTable {
        /// The events that it is about.
        #[schemars(with = "SelectorTable")]
        pub(crate) each: Spanned<Data>,
        /// What is wrong, for people. It may hold `{same}`, `{count}`, `{limit}` and
        /// `{params.NAME}`.
        #[schemars(with = "String", extend("pattern" = r"\S", "patternErrorMessage" = "the message is empty"))]
        pub(crate) message: Spanned<String>,
        /// No such event may occur; `true` is the only value.
        #[serde(default)]
        #[schemars(with = "bool", extend("const" = true))]
        pub(crate) never: Option<Spanned<Data>>,
        /// The largest number of these events: at least 1, or the name of a parameter such as
        /// `params.max-calls`.
        #[serde(default)]
        #[schemars(with = "Number")]
        pub(crate) at_most: Option<Spanned<Data>>,
        /// The smallest number of these events once the run has ended: at least 1, or the name of a
        /// parameter.
        #[serde(default)]
        #[schemars(with = "Number")]
        pub(crate) at_least: Option<Spanned<Data>>,
        /// Each of the events needs an event that this selector matches on an earlier line.
        #[serde(default)]
        #[schemars(with = "SelectorTable")]
        pub(crate) needs_earlier: Option<Spanned<Data>>,
        /// Each of the events needs an event that this selector matches on a later line, once the
        /// run has ended.
        #[serde(default)]
        #[schemars(with = "SelectorTable")]
        pub(crate) needs_later: Option<Spanned<Data>>,
        /// No event that this selector matches may come before any of the events.
        #[serde(default)]
        #[schemars(with = "SelectorTable")]
        pub(crate) none_earlier: Option<Spanned<Data>>,
        /// No event that this selector matches may come after any of the events.
        #[serde(default)]
        #[schemars(with = "SelectorTable")]
        pub(crate) none_later: Option<Spanned<Data>>,
        /// The JSON Pointer to the value by which events are grouped: the order holds for each
        /// value.
        #[serde(default)]
        #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/payload/input/order_id"]))]
        pub(crate) same: Option<Spanned<String>>,
        /// The time within which other events count: the time of the later line minus that of the
        /// earlier one is at most this long. A number and `ms`, `s`, `m`, `h` or `d`.
        #[serde(default)]
        #[schemars(with = "String", extend("pattern" = r"^\d+(\.\d+)?(ms|s|m|h|d)$", "patternErrorMessage" = "expected a length of time such as `30s`, `1.5m` or `200ms`", "examples" = ["30s"]))]
        pub(crate) within: Option<Spanned<String>>,
        /// Runs by which it is tested: `runvet rules --test` judges them.
        #[serde(default, rename = "example")]
        pub(crate) examples: Vec<RunExampleTable>,
    }
}

/// A number of events, or the name of a parameter.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline, extend("patternErrorMessage" = "expected a whole number, at least 1, or the name of a parameter such as `params.max-calls`"))]
#[expect(dead_code, reason = "a description for the schema")]
enum Number {
    Count(std::num::NonZeroU64),
    Parameter(String),
}

/// Values that messages, numbers and expressions name.
pub(crate) type Params = BTreeMap<Spanned<String>, Spanned<Data>>;
