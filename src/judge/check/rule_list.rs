//! The rules -> one JSON object: the output of `runvet rules --format json`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::finding::{Holds, Level, RuleInfo, Severity};
use crate::judge::rules::RuleSet;

/// All rules, in the order in which `runvet rules` lists them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet rules --format json",
    extend("$id" = crate::ground::record::schema_id("rules"))
)]
pub(crate) struct RuleList {
    /// The rules.
    pub(in crate::judge) rules: Vec<RuleEntry>,
}

/// A rule as an entry of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::judge) struct RuleEntry {
    /// The name of the rule: its group and its subject.
    #[schemars(extend("examples" = ["plan/projection"]))]
    pub(in crate::judge) id: String,
    /// Its group, whose name with `/*` stands for all its rules.
    #[schemars(extend("examples" = ["plan"]))]
    pub(in crate::judge) group: String,
    /// Its level, unless set otherwise.
    pub(in crate::judge) level: Level,
    /// The severity of its findings, unless set otherwise; for a rule that is off, the one that
    /// `--select` gives them.
    pub(in crate::judge) severity: Severity,
    /// The defect that it finds.
    pub(in crate::judge) title: String,
    /// The advice on a finding.
    pub(in crate::judge) hint: String,
    /// The address of a page on which a team says more of its rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::judge) url: Option<String>,
    /// The words by which a team sorts its rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::judge) tags: Vec<String>,
    /// Of a rule of a team, when it finds something: `before` an act, which it holds back, `after`
    /// it, as it needs the result, or at the `end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::judge) holds: Option<Holds>,
}

impl RuleList {
    /// Lists rules.
    #[must_use]
    pub(crate) fn of(rules: &RuleSet) -> Self {
        let rules = rules
            .iter()
            .map(|rule| RuleEntry::of(&rule.info))
            .collect();
        Self { rules }
    }
}

impl RuleEntry {
    fn of(rule: &RuleInfo) -> Self {
        let (group, _) = rule
            .id
            .split_once('/')
            .unwrap_or((&rule.id, ""));

        Self {
            id: rule.id.to_string(),
            group: group.to_owned(),
            level: rule.level,
            severity: rule
                .level
                .severity()
                .unwrap_or(Severity::Warning),
            title: rule.title.to_string(),
            hint: rule.hint.to_string(),
            url: rule.url.clone(),
            tags: rule.tags.clone(),
            holds: rule.holds,
        }
    }
}
