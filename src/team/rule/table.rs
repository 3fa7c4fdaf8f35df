//! The table of a rule in the expression language -> the rule, and its mistakes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{NAMES, TeamRule};
use crate::document::OwnedDocument;
use crate::expression::Expression;
use crate::select::KeyPath;
use crate::source::Artifact;
use crate::team::TeamCheck;
use crate::team::data::{Data, RuleId, RuleMeta, SelectorTable, StateOrSummary};
use crate::team::example::RunExample;
use crate::team::message::Word;
use crate::team::reader::{FileReader, RuleTexts};
use crate::team::schema::Judged;

/// A rule in the expression language CEL: for each of some events, or once for a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct RuleTable {
    /// The name of the rule: a group and a subject. Groups of built-in rules are taken.
    #[schemars(with = "RuleId")]
    id: Spanned<String>,
    #[serde(flatten)]
    meta: RuleMeta,
    /// The events that it judges, each by itself. Absent for a rule that judges a run, once.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    each: Option<Spanned<Data>>,
    /// The expression: `true` or an empty text where all is well, `false` or the text of the
    /// finding where it is not. It can name `event` (with `each`), `state`, `summary`, `run`,
    /// `counts`, `tools` and `params`.
    #[schemars(with = "String", extend("examples" = ["event.payload.input.amount <= 500"]))]
    check: Spanned<String>,
    /// An expression. Where it is `false`, the rule does not judge.
    #[serde(default)]
    #[schemars(with = "String", extend("examples" = ["has(event.payload.input)"]))]
    when: Option<Spanned<String>>,
    /// The JSON Pointer to the place of a finding, in the event or in the record of `in`.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "patternErrorMessage" = "a JSON Pointer starts with `/`", "examples" = ["/payload/input/amount"]))]
    at: Option<Spanned<String>>,
    /// The record in which a finding about a run stands [default: the timeline].
    #[serde(default, rename = "in")]
    #[schemars(with = "StateOrSummary")]
    within: Option<Spanned<StateOrSummary>>,
    /// `ended` for a rule that judges only runs that have ended.
    #[serde(default)]
    #[schemars(with = "NeedsWord")]
    needs: Option<Spanned<NeedsWord>>,
    /// What is wrong, for people. It may hold `{value}` and `{params.NAME}`.
    #[schemars(with = "String", extend("pattern" = r"\S", "patternErrorMessage" = "the message is empty"))]
    message: Spanned<String>,
    /// Runs by which it is tested: `runvet rules --test` judges them.
    #[serde(default, rename = "example")]
    examples: Vec<RunExample>,
}

/// What a rule about a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::record::describe_values)]
enum NeedsWord {
    /// The run has ended.
    Ended,
}

impl RuleTable {
    /// Adds the rule to the team.
    pub(in crate::team) fn read(&self, reader: &mut FileReader<'_>) {
        let is_free = reader.take(&self.id);
        let examples = reader.run_examples(&self.examples);
        let (each, has_event) = (self.each.as_ref(), self.each.is_some());
        let each = each.map(|each| reader.selector(each, Judged::Event));
        self.misplaced_keys(reader);
        let when = self.when.as_ref();
        let when = when.map(|when| expression(reader, when, has_event));
        let check = expression(reader, &self.check, has_event);
        let message = reader.message(&self.message, &[Word::Value]);
        let at = self.at.as_ref().map_or("", |at| at.get_ref());
        let (None | Some(Some(_)), None | Some(Some(_))) = (&each, &when) else {
            return;
        };
        let params = OwnedDocument::read(serde_json::to_vec(&reader.params).unwrap_or_default());
        let (Some(check), Some(message), Some(at), Ok(params), true) =
            (check, message, KeyPath::parse(at), params, is_free)
        else {
            return;
        };
        let texts = RuleTexts {
            title: self.message.get_ref(),
            cure: "Change the program so that it keeps the rule",
            shown: ["expression", "cel"],
            text: self.check.get_ref().trim(),
        };
        let of_team = TeamCheck::Rule(reader.team.rules.len());
        reader.declare(&self.id, &self.meta, &texts, of_team);
        let within = self.within.as_ref();
        reader.team.rules.push(Arc::new(TeamRule {
            each: each.flatten(),
            when: when.flatten(),
            check,
            at,
            within: within.map_or(Artifact::Events, |within| within.get_ref().artifact()),
            message,
            needs_end: self.needs.is_some(),
            params,
            examples,
        }));
    }

    /// Tells of keys that do not go with the events that a rule judges, or with their absence.
    fn misplaced_keys(&self, reader: &mut FileReader<'_>) {
        let (name, span, why) = match (&self.each, &self.within, &self.needs, &self.at) {
            (Some(_), Some(within), ..) => ("in", within.span(), "without `each`"),
            (Some(_), None, Some(needs), _) => ("needs", needs.span(), "without `each`"),
            (None, None, _, Some(at)) => ("at", at.span(), "with `each` or `in`"),
            _ => return,
        };
        let message = format!("`{name}` is allowed only in rules {why}");
        reader.mistake(span, message, None);
    }
}

/// The expression that a text says.
fn expression(
    reader: &mut FileReader<'_>,
    written: &Spanned<String>,
    has_event: bool,
) -> Option<Expression> {
    let text = written.get_ref();
    let names = NAMES.len() - usize::from(!has_event);
    let parsed = Expression::parse(text, NAMES.get(..names).unwrap_or_default());
    parsed
        .map_err(|mistake| {
            // Where TOML escapes something, the place within the text is not that in the file.
            let whole = written.span();
            let raw = reader.file.text.get(whole.clone()).unwrap_or_default();
            let span = raw.find(text.as_str()).map_or(whole.clone(), |start| {
                let start = whole.start + start;
                start + mistake.span.start..start + mistake.span.end
            });
            let help = match mistake.help {
                Some(_) if mistake.message.ends_with("name `event`") => {
                    Some("`event` is allowed only in rules that have `each`.".to_owned())
                }
                help => help,
            };
            reader.mistake(span, mistake.message, help);
        })
        .ok()
}
