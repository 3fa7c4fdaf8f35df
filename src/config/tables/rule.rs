//! The tables of rules in the expression language, and of the runs by which authors test rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Data, RuleId, Said, SelectorTable, StateOrSummary};
use crate::finding::Level;

rule_table! {
    /// A rule in the expression language CEL: for each of some events, or once for a run.
    RuleTable {
        /// The events that it judges, each by itself. Absent for a rule that judges a run, once.
        #[serde(default)]
        #[schemars(with = "SelectorTable")]
        pub(crate) each: Option<Spanned<Data>>,
        /// The expression: `true` or an empty text where all is well, `false` or the text of the
        /// finding where it is not. It can name `event` (with `each`), `state`, `summary`, `run`,
        /// `counts`, `tools` and `params`.
        #[schemars(with = "String", extend("examples" = ["event.payload.input.amount <= 500"]))]
        pub(crate) check: Spanned<String>,
        /// An expression. Where it is `false`, the rule does not judge.
        #[serde(default)]
        #[schemars(with = "String", extend("examples" = ["has(event.payload.input)"]))]
        pub(crate) when: Option<Spanned<String>>,
        /// The JSON Pointer to the place of a finding, in the event or in the record of `in`.
        #[serde(default)]
        #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/payload/input/amount"]))]
        pub(crate) at: Option<Spanned<String>>,
        /// The record in which a finding about a run stands [default: the timeline].
        #[serde(default, rename = "in")]
        #[schemars(with = "StateOrSummary")]
        pub(crate) within: Option<Spanned<StateOrSummary>>,
        /// `ended` for a rule that judges only runs that have ended.
        #[serde(default)]
        #[schemars(with = "NeedsWord")]
        pub(crate) needs: Option<Spanned<NeedsWord>>,
        /// What is wrong, for people. It may hold `{value}` and `{params.NAME}`.
        #[schemars(with = "String", extend("pattern" = r"\S", "patternErrorMessage" = "the message is empty"))]
        pub(crate) message: Spanned<String>,
        /// Runs by which it is tested: `runvet rules --test` judges them.
        #[serde(default, rename = "example")]
        pub(crate) examples: Vec<RunExampleTable>,
    }
}

/// What a rule about a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::record::describe_values)]
pub(crate) enum NeedsWord {
    /// The run has ended.
    Ended,
}

/// A run, and where the rule finds something in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunExampleTable {
    /// The events, each as JSON. A `phase`, `timestamp`, `payload` or `episode_id` that is left out
    /// is filled in; times are one second apart.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) events: Vec<Spanned<String>>,
    /// The lines of the findings, counted from 1; 0 is a finding without a line.
    #[schemars(with = "Vec<u64>")]
    pub(crate) fires: Spanned<Vec<u64>>,
    /// Whether the run has ended [default: true].
    #[serde(default)]
    #[schemars(with = "bool")]
    pub(crate) ended: Option<bool>,
    /// `state.json`: empty for no such file [default: a sound state].
    #[serde(default)]
    #[schemars(with = "String")]
    pub(crate) state: Option<Spanned<String>>,
    /// `summary.json`: empty for no such file [default: a sound summary, once the run has ended].
    #[serde(default)]
    #[schemars(with = "String")]
    pub(crate) summary: Option<Spanned<String>>,
}
