//! A declaration -> the words in it for what recorders wrote in an earlier version.

use std::iter;
use std::sync::Arc;

use super::events::EventIndex;
use super::rule::NAMES;
use super::{Team, TeamCheck, TeamJudges};
use crate::ground::Own;
use crate::ground::select::SelectorValue;

/// The beginning of the names of attributes that stood in the input and the output of an act.
const ATTRIBUTE: &str = "gen_ai.";

/// The kinds of acts that were written, each with what stands for it now.
const KINDS: [(&str, &str); 3] = [
    (
        "call",
        "a call of a model is a note with `phase = \"reason\"`",
    ),
    ("exec", "a command has `kind = \"execute\"`"),
    (
        "model",
        "a call of a model is a note with `phase = \"reason\"`",
    ),
];

impl Team {
    /// Returns a sentence about what a declaration names and no recorder writes any more, if there
    /// is such a thing.
    pub(crate) fn outdated(self: &Arc<Self>, check: TeamCheck) -> Option<String> {
        let judges = TeamJudges::new(self, iter::once(self.as_declared(check)));
        self.attribute_in_rule(check).or_else(|| attribute(&judges.index)).map(|place| {
            format!(
                "`{place}` is a place that recorders no longer write: the arguments of a call are \
                 its `input`, its result is its `output`, and other attributes are below \
                 `/payload/x-attributes`"
            )
        }).or_else(|| kind(&judges.index))
    }

    /// Returns the place of attributes that the expressions of a rule read.
    fn attribute_in_rule(&self, check: TeamCheck) -> Option<String> {
        let TeamCheck::Rule(at) = check else {
            return None;
        };
        let rule = self.rules.own(at);
        rule.when
            .iter()
            .chain([&rule.check])
            .any(|it| it.reads_member(NAMES.len() - 1, is_attribute))
            .then(|| format!("/payload/input/{ATTRIBUTE}…"))
    }
}

/// Returns the place of an attribute that selectors ask for.
fn attribute(index: &EventIndex) -> Option<String> {
    let outdated = index.paths_of_keys().find(|path| {
        let keys: Vec<&str> = path
            .tokens()
            .iter()
            .map(|key| &**key)
            .collect();
        is_attribute(&keys)
    });

    Some(outdated?.pointer().as_str().to_owned())
}

/// Returns `true` if keys lead to an attribute in the input or the output of an act.
fn is_attribute(keys: &[&str]) -> bool {
    matches!(keys, ["payload", "input" | "output", key, ..] if key.starts_with(ATTRIBUTE))
}

/// Returns what to say about the kind of an act.
fn kind(index: &EventIndex) -> Option<String> {
    let named = index
        .values_at("/payload/kind")
        .find_map(|value| match value {
            SelectorValue::Text(glob) => {
                let word = glob.word()?;
                KINDS
                    .into_iter()
                    .find(|(kind, _)| *kind == word)
            }
            _ => None,
        });
    let (kind, now) = named?;

    Some(format!(
        "`kind = \"{kind}\"` is a kind that recorders no longer write: {now}"
    ))
}
