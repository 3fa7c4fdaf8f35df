//! The reason why a rule could not be judged -> a skip, for people and for programs.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Lifecycle;
use crate::ground::words::words;

/// The reason why a rule was not judged in an episode that changed during every attempt to read it.
pub(crate) const STILL_CHANGING: SkipReason = SkipReason::new(
    SkipKind::Changing,
    "the episode kept changing while it was read",
);

/// A rule that could not be checked in an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Skip {
    /// The id of the rule.
    pub rule: String,
    /// The reason why the rule could not be checked.
    #[schemars(extend("examples" = ["state.json is missing"]))]
    pub reason: String,
    /// The kind of the reason, for programs.
    pub(crate) kind: SkipKind,
    /// `true` if the machine lacked what it takes to read the records.
    #[serde(skip)]
    pub(in crate::ground) is_lacking: bool,
    /// `true` if the rule reached a bound of a team's rules.
    #[serde(skip)]
    pub(super) met_bound: bool,
    /// `true` if it leaves open whether the episode is valid.
    #[serde(skip)]
    pub(super) leaves_open: bool,
    /// A text that tells it from other skips of the same rule and kind.
    #[serde(skip)]
    pub(crate) besides: String,
}

impl Skip {
    pub(crate) fn new(rule: impl Into<String>, reason: &SkipReason) -> Self {
        Self {
            rule: rule.into(),
            reason: reason.text.to_string(),
            kind: reason.kind,
            is_lacking: false,
            met_bound: reason.met_bound,
            leaves_open: false,
            besides: reason.besides.clone(),
        }
    }

    /// Returns the rule about what can't be read, where the machine lacks what it takes.
    pub(crate) fn lacking(rule: impl Into<String>) -> Self {
        let reason = "the machine lacks the resources to read it, such as memory";
        Self {
            is_lacking: true,
            ..Self::new(rule, &SkipReason::new(SkipKind::Unreadable, reason))
        }
    }

    /// Returns what kept the rule from being judged, as a word: one of those that the schema lists.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind.word()
    }

    /// Returns what skips are sorted by, and what makes two of them one.
    pub(crate) fn order(&self) -> (&str, &str, SkipKind, &str) {
        (&self.rule, &self.reason, self.kind, &self.besides)
    }

    /// Returns `true` if it says nothing of the records: another check may judge the rule.
    pub(crate) fn is_momentary(&self) -> bool {
        self.kind == SkipKind::Changing || self.is_lacking
    }
}

/// The kind of reason that kept a rule from being judged, for programs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, PartialOrd, Ord,
)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::ground::record::describe_values)]
pub(crate) enum SkipKind {
    /// A record that it needs is not there.
    Missing,
    /// A record that it needs can't be read.
    Unreadable,
    /// A record that it needs is not JSON, or too far from its schema.
    Syntax,
    /// A record that it needs is of a version that runvet does not support.
    Version,
    /// A line of the timeline is not an event, but may be the one that the rule needs.
    NoEvent,
    /// No projection event dates the snapshot of a run that may not have ended.
    Unreached,
    /// The records do not say whether the run has ended.
    Lifecycle,
    /// The episode kept changing while it was read.
    Changing,
    /// A size or a number in the records is beyond a limit of runvet.
    Limit,
}

impl SkipKind {
    /// Returns `true` if `--deny-unjudged` counts a skip of this kind in a run of this lifecycle.
    pub(super) fn is_denied(self, lifecycle: Lifecycle) -> bool {
        use SkipKind::{Limit, NoEvent, Syntax, Unreadable, Version};
        let lies_in_the_data = matches!(self, Unreadable | Syntax | Version | NoEvent | Limit);
        lies_in_the_data || lifecycle == Lifecycle::Terminal
    }
}

words!(SkipKind {
    Missing = "missing",
    Unreadable = "unreadable",
    Syntax = "syntax",
    Version = "version",
    NoEvent = "no_event",
    Unreached = "unreached",
    Lifecycle = "lifecycle",
    Changing = "changing",
    Limit = "limit",
});

/// The reason why a rule could not be judged: in a sentence for people, and as a kind for programs.
#[derive(Clone, Debug)]
pub(crate) struct SkipReason {
    pub(crate) kind: SkipKind,
    pub(crate) text: Cow<'static, str>,
    /// A text that tells it from other reasons of the same kind. Empty where a finding says what is
    /// wrong: a baseline that accepts the skip accepts no other finding.
    pub(crate) besides: String,
    /// `true` if it is a bound of a team's rules.
    pub(crate) met_bound: bool,
}

impl SkipReason {
    pub(crate) const fn new(kind: SkipKind, text: &'static str) -> Self {
        Self {
            kind,
            text: Cow::Borrowed(text),
            besides: String::new(),
            met_bound: false,
        }
    }

    /// Returns a bound that a team's rule reached: whatever its level, it was not judged in full.
    pub(crate) fn bound(why: &impl ToString) -> Self {
        Self {
            met_bound: true,
            ..Self::worded(SkipKind::Limit, why.to_string())
        }
    }

    pub(crate) fn worded(kind: SkipKind, text: String) -> Self {
        Self {
            text: text.into(),
            ..Self::new(kind, "")
        }
    }

    /// Returns the skip where a line of the timeline is not an event, but may be the one that is
    /// needed.
    pub(crate) fn no_event(line: u64) -> Self {
        let text = format!(
            "line {line} of events.jsonl is not an event, and could be the one that matters"
        );
        Self::worded(SkipKind::NoEvent, text)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
