//! The table of a rule in the expression language -> the rule, and its mistakes.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use toml::Spanned;

use super::{NAMES, Name, TeamRule};
use crate::ground::Own;
use crate::ground::record::MEANINGS;
use crate::ground::select::KeyPath;
use crate::ground::source::Artifact;
use crate::policy::expression::Expression;
use crate::policy::team::TeamCheck;
use crate::policy::team::data::{
    RuleMeta, SelectorTable, StateOrSummary, TomlData, length, over, rule_id, sides,
};
use crate::policy::team::example::RunExample;
use crate::policy::team::message::MessageWord;
use crate::policy::team::reader::{FileReader, RuleTexts, Sides};
use crate::policy::team::schema::Judged;
use crate::policy::team::selector::TeamSelector;

/// A rule in the expression language CEL: for each of some events, or once for a run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct RuleTable {
    /// The name of the rule: a group and a subject. Groups of built-in rules are taken.
    #[schemars(schema_with = "rule_id")]
    id: Spanned<String>,
    #[serde(flatten)]
    meta: RuleMeta,
    /// The events that it judges, each by itself. Absent for a rule that judges a run, once.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    each: Option<Spanned<TomlData>>,
    /// The JSON Pointer to the value by which `earlier` groups events, or a list of them; as `{
    /// each = …, other = … }` apart for the events that the rule judges and for earlier ones.
    #[serde(default)]
    #[schemars(schema_with = "sides")]
    same: Option<Spanned<TomlData>>,
    /// Only events after the latest one that this selector matches are earlier events.
    #[serde(default)]
    #[schemars(with = "SelectorTable")]
    since: Option<Spanned<TomlData>>,
    /// The time within which earlier events count: at most this long before the event that is
    /// judged. A number and `ms`, `s`, `m`, `h` or `d`.
    #[serde(default)]
    #[schemars(schema_with = "length")]
    within: Option<Spanned<String>>,
    /// The expression: `true` or an empty text where all is well, `false` or the text of the
    /// finding where it is not. It can name `event` (with `each`), `state`, `summary`, `run`,
    /// `counts`, `tools` and `params`, and ask for events on earlier lines that a named selector
    /// matches: `earlier("refunds").map(e, e.payload.input.amount).sum()`.
    #[schemars(with = "String", extend("examples" = ["event.payload.input.amount <= 500"]))]
    check: Spanned<String>,
    /// An expression. Where it is `false`, the rule does not judge.
    #[serde(default)]
    #[schemars(with = "String", extend("examples" = ["has(event.payload.input)"]))]
    when: Option<Spanned<String>>,
    /// The JSON Pointer to the place of a finding, in the event or in the record of `in`.
    #[serde(default)]
    #[schemars(with = "String", extend("pattern" = "^(/([^~]|~[01])*)?$", "$comment" = "message: a JSON Pointer starts with `/`", "examples" = ["/payload/input/amount"]))]
    at: Option<Spanned<String>>,
    /// The record in which a finding about a run stands [default: the timeline].
    #[serde(default, rename = "in")]
    #[schemars(with = "StateOrSummary")]
    record: Option<Spanned<StateOrSummary>>,
    /// `ended` for a rule that judges only runs that have ended.
    #[serde(default)]
    #[schemars(schema_with = "need")]
    needs: Option<Spanned<String>>,
    /// The message of a finding, for people. It may hold `{value}` and `{params.NAME}`.
    #[schemars(with = "String", extend("pattern" = r"\S", "$comment" = "message: the message is empty"))]
    message: Spanned<String>,
    /// `runs` for a rule that looks at all runs together, in the order of time; with `earlier` and
    /// `within`.
    #[serde(default)]
    #[schemars(schema_with = "over")]
    over: Option<Spanned<String>>,
    /// Runs by which it is tested: `runvet rules --test` judges them.
    #[serde(default, rename = "example")]
    examples: Vec<RunExample>,
}

const ONLY_IN_CHECK: &str = "`earlier` is allowed only in `check` of rules that have `each`";

/// Returns the schema of a need of a rule about a run.
fn need(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["ended"], MEANINGS: ["The run has ended."] })
}

impl RuleTable {
    /// Adds the rule to the team.
    pub(in crate::policy::team) fn read(&self, reader: &mut FileReader<'_>) {
        let is_free = reader.take(&self.id);
        let examples = reader.run_examples(&self.examples);
        let (each, has_event) = (self.each.as_ref(), self.each.is_some());
        let each = each.map(|each| reader.selector(each, Judged::Event));
        self.misplaced_keys(reader);

        let when = self
            .when
            .as_ref()
            .map(|when| expression(reader, when, has_event));
        let check = expression(reader, &self.check, has_event);
        let earlier = self.earlier(
            reader,
            check.as_ref(),
            when.as_ref().and_then(Option::as_ref),
        );
        let message = reader.message(&self.message, &[MessageWord::Value]);
        let same = reader.sides(self.same.as_ref());
        let since = self
            .since
            .as_ref()
            .map(|since| reader.selector(since, Judged::Event));
        let within = self
            .within
            .as_ref()
            .map(|within| reader.length_of_time(within));

        if let Some(check) = &check {
            self.windows(reader, check, &same);
        }

        let at = self.place(reader);
        let (None | Some(Some(_)), None | Some(Some(_)), None | Some(Some(_))) =
            (&each, &when, &since)
        else {
            return;
        };

        let (Some(check), Some(earlier), Some(message), Some(at), true) =
            (check, earlier, message, at, is_free)
        else {
            return;
        };

        let rule = TeamRule {
            each: each.flatten(),
            same,
            earlier,
            since: since.flatten(),
            within: within.flatten(),
            is_across: self.over.is_some(),
            asks: false,
            when: when.flatten(),
            check,
            at,
            artifact: self.artifact(),
            message,
            needs_end: self.needs.is_some(),
            params: Arc::clone(&reader.bound_params),
            examples,
        };
        self.declare(reader, rule);
    }

    /// Adds a rule that was read to the team.
    fn declare(&self, reader: &mut FileReader<'_>, mut rule: TeamRule) {
        let texts = self.texts(&rule.examples);
        let (holds, count) = (rule.holds(), reader.team.rules.len());
        rule.asks = reader.asks(&self.id, &self.meta, holds);
        reader.declare(
            &self.id,
            &self.meta,
            &texts,
            (TeamCheck::Rule(count), holds),
        );
        reader.team.rules.push(Arc::new(rule));
    }

    /// Returns the record of its findings.
    fn artifact(&self) -> Artifact {
        self.record
            .as_ref()
            .map_or(Artifact::Events, |record| record.get_ref().artifact())
    }

    /// Returns the place of its findings.
    fn place(&self, reader: &mut FileReader<'_>) -> Option<KeyPath> {
        let Some(at) = &self.at else {
            return KeyPath::parse("");
        };
        let path = KeyPath::parse(at.get_ref())?;
        reader.must_lead_to_one(&path, at.span());

        Some(path)
    }

    /// Returns its texts, with what it is tested by.
    fn texts(&self, examples: &[RunExample]) -> RuleTexts<'_> {
        RuleTexts {
            title: self.message.get_ref(),
            cure: "Keep the rule",
            shown: ["expression", "cel"],
            text: self.check.get_ref().trim(),
            examples: examples
                .iter()
                .map(RunExample::shown)
                .collect(),
        }
    }

    /// Returns the selectors of the earlier events that the expressions ask for.
    fn earlier(
        &self,
        reader: &mut FileReader<'_>,
        check: Option<&Expression>,
        when: Option<&Expression>,
    ) -> Option<Vec<TeamSelector>> {
        let (check, text) = (check?, self.check.get_ref());
        let in_guard = when.and_then(|when| when.folds().first());
        if let Some((guard, fold)) = self.when.as_ref().zip(in_guard) {
            let span = reader.span_within(guard.get_ref(), guard.span(), fold.span.clone());
            reader.mistake(span, ONLY_IN_CHECK, None);
            return None;
        }

        let asked = |name: Name| {
            let names = |it: &Expression| it.names(name as usize);
            names(check) || when.is_some_and(names)
        };

        let counts_events = asked(Name::Counts) || asked(Name::Tools);
        let mut selectors = Vec::new();
        for fold in check.folds() {
            let span = reader.span_within(text, self.check.span(), fold.span.clone());
            if self.each.is_none() {
                reader.mistake(span, ONLY_IN_CHECK, None);
                return None;
            }

            if counts_events {
                let message = "`earlier` can't be combined with `counts` and `tools`, which are known only when all events are read";
                reader.mistake(span, message, None);
                return None;
            }

            selectors.push(reader.named_selector(&fold.of, span)?);
        }

        self.misplaced_windows(reader, !selectors.is_empty());
        let of_one_run = [Name::State, Name::Summary, Name::Run]
            .into_iter()
            .find(|name| asked(*name));
        if let Some((over, name)) = self.over.as_ref().zip(of_one_run) {
            let name = NAMES.own(name as usize);
            let message = format!("`{name}` is that of one run, and `over` looks at all of them");
            reader.mistake(over.span(), message, None);
        }

        Some(selectors)
    }

    /// Tells of keys about earlier events that don't go with what the rule asks of them.
    fn misplaced_windows(&self, reader: &mut FileReader<'_>, has_earlier: bool) {
        let written = [
            ("same", self.same.as_ref().map(Spanned::span)),
            ("since", self.since.as_ref().map(Spanned::span)),
            ("within", self.within.as_ref().map(Spanned::span)),
        ];
        for (key, span) in written {
            if let Some(span) = span.filter(|_| !has_earlier) {
                let message = format!(
                    "`{key}` is allowed only in rules whose `check` asks for `earlier` events"
                );
                reader.mistake(span, message, None);
            }
        }

        if let Some(over) = &self.over
            && !(has_earlier && self.within.is_some())
        {
            let message = "`over` is allowed only with `earlier` and `within`";
            reader.mistake(over.span(), message, None);
        }
    }

    /// Tells of pointers in questions about earlier events that don't go with `same`.
    fn windows(&self, reader: &mut FileReader<'_>, check: &Expression, same: &Sides) {
        for fold in check
            .folds()
            .iter()
            .filter(|it| !it.pointers.is_empty())
        {
            let message = match fold.pointers.len() == same.each.len() {
                true => continue,
                false if same.each.is_empty() => {
                    "pointers of `earlier` are allowed only in rules with `same`, in place of which they are".to_owned()
                }
                false => format!("`earlier` needs as many pointers as `same`: {}", same.each.len()),
            };

            let text = self.check.get_ref();
            let span = reader.span_within(text, self.check.span(), fold.span.clone());
            reader.mistake(span, message, None);
        }
    }

    /// Tells of keys that do not go with the events that a rule judges, or with their absence.
    fn misplaced_keys(&self, reader: &mut FileReader<'_>) {
        let (name, span, why) = match (&self.each, &self.record, &self.needs, &self.at) {
            (Some(_), Some(record), ..) => ("in", record.span(), "without `each`"),
            (Some(_), None, Some(needs), _) => ("needs", needs.span(), "without `each`"),
            (None, None, _, Some(at)) => ("at", at.span(), "with `each` or `in`"),
            _ => return,
        };

        let message = format!("`{name}` is allowed only in rules {why}");
        reader.mistake(span, message, None);
    }
}

fn expression(
    reader: &mut FileReader<'_>,
    written: &Spanned<String>,
    has_event: bool,
) -> Option<Expression> {
    let names = NAMES.len() - usize::from(!has_event);
    let names = NAMES.get(..names).unwrap_or_default();
    let help = "`event` is allowed only in rules that have `each`.";
    reader.expression(written.get_ref(), written.span(), names, ("event", help))
}
