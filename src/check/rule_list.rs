//! The rules -> one JSON object: what `runvet rules --format json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::all_rules;
use crate::finding::{Level, RuleInfo, Severity};

/// All rules, in the order in which `runvet rules` lists them.
///
/// ```
/// let list = runvet::check::RuleList::new();
/// let strict = list.rules.iter().filter(|rule| rule.group == "strict");
/// assert!(strict.count() > 5);
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(
    title = "Output of runvet rules --format json",
    extend("$id" = crate::record::schema_id("rules"))
)]
#[non_exhaustive]
pub struct RuleList {
    /// The rules.
    pub rules: Vec<RuleEntry>,
}

/// A rule as an entry of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RuleEntry {
    /// The name of the rule: its group and its subject.
    #[schemars(extend("examples" = ["plan/projection"]))]
    pub id: &'static str,
    /// Its group, whose name with `/*` stands for all its rules.
    #[schemars(extend("examples" = ["plan"]))]
    pub group: &'static str,
    /// Its level, unless set otherwise.
    pub level: Level,
    /// The severity of its findings, unless set otherwise; for a rule that is off, the one that
    /// `--select` gives them.
    pub severity: Severity,
    /// The defect that it finds.
    pub title: &'static str,
    /// What to do about a finding.
    pub hint: &'static str,
}

impl RuleList {
    /// The list of all rules.
    #[must_use]
    pub fn new() -> Self {
        let rules = all_rules().map(RuleEntry::of).collect();
        Self { rules }
    }
}

impl Default for RuleList {
    fn default() -> Self {
        Self::new()
    }
}

impl RuleEntry {
    fn of(rule: &'static RuleInfo) -> Self {
        let (group, _) = rule.id.split_once('/').unwrap_or((rule.id, ""));
        Self {
            id: rule.id,
            group,
            level: rule.level,
            severity: match rule.level {
                Level::Error => Severity::Error,
                Level::Warning | Level::Off => Severity::Warning,
            },
            title: rule.title,
            hint: rule.hint,
        }
    }
}
