//! The tables of a team's rules in the expression language -> rules, and their mistakes.

use std::sync::Arc;

use toml::Spanned;

use super::{FileReader, RuleTexts};
use crate::config::tables::{RuleTable, RunExampleTable};
use crate::document::{Kind, OwnedDocument, Tape};
use crate::expression::Expression;
use crate::rule::{Check, TeamCheck};
use crate::select::KeyPath;
use crate::source::Artifact;
use crate::team::{Judged, NAMES, RunExample, TeamRule, Word};

impl FileReader<'_, '_> {
    pub(super) fn rule(&mut self, table: &RuleTable) {
        let is_free = self.take(&table.id);
        let examples = self.run_examples(&table.examples);
        let each = table.each.as_ref();
        let selector = each.map(|each| self.selector(each, Judged::Event));
        self.misplaced_keys(table);
        let when = table.when.as_ref();
        let when = when.map(|when| self.expression(when, each.is_some()));
        let check = self.expression(&table.check, each.is_some());
        let message = self.message(&table.message, &[Word::Value]);
        let at = table.at.as_ref().map_or("", |at| at.get_ref());
        let (None | Some(Some(_)), None | Some(Some(_))) = (&selector, &when) else {
            return;
        };
        let (Some(check), Some(message), Some(at), true) =
            (check, message, KeyPath::parse(at), is_free)
        else {
            return;
        };
        let id = table.id.get_ref();
        let texts = RuleTexts {
            said: table.said(),
            title: table.message.get_ref(),
            help: &format!(
                "Change the program so that it keeps the rule; `runvet explain {id}` shows the expression."
            ),
            details: &format!(
                "## The expression\n\n```cel\n{}\n```\n\n",
                table.check.get_ref().trim()
            ),
        };
        let of_team = Check::Team(TeamCheck::Rule(self.all.team.rules.len()));
        self.rule_of(&table.id, &texts, of_team);
        let params = serde_json::to_vec(&self.params).unwrap_or_default();
        let Ok(params) = OwnedDocument::read(params) else {
            return;
        };
        self.all.team.rules.push(Arc::new(TeamRule {
            each: selector.flatten(),
            when: when.flatten(),
            check,
            at,
            within: (table.within.as_ref())
                .map_or(Artifact::Events, |within| within.get_ref().artifact()),
            message,
            needs_end: table.needs.is_some(),
            params: Arc::new(params),
            examples,
        }));
    }

    /// Keys that do not go with the events that a rule judges, or with their absence.
    fn misplaced_keys(&mut self, table: &RuleTable) {
        let (name, span, why) = match (&table.each, &table.within, &table.needs, &table.at) {
            (Some(_), Some(within), ..) => ("in", within.span(), "without `each`"),
            (Some(_), None, Some(needs), _) => ("needs", needs.span(), "without `each`"),
            (None, None, _, Some(at)) => ("at", at.span(), "with `each` or `in`"),
            _ => return,
        };
        let message = format!("`{name}` is allowed only in rules {why}");
        self.mistake(span, message, None);
    }

    fn expression(&mut self, written: &Spanned<String>, has_event: bool) -> Option<Expression> {
        let text = written.get_ref();
        let names = NAMES.len() - usize::from(!has_event);
        let parsed = Expression::parse(text, NAMES.get(..names).unwrap_or_default());
        parsed
            .map_err(|mistake| {
                // Where TOML escapes something, the place within the text is not that in the file.
                let whole = written.span();
                let raw = self.file.text.get(whole.clone()).unwrap_or_default();
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
                self.mistake(span, mistake.message, help);
            })
            .ok()
    }

    /// The runs by which a rule is tested.
    pub(super) fn run_examples(&mut self, tables: &[RunExampleTable]) -> Vec<RunExample> {
        let mut examples = Vec::new();
        for table in tables {
            for event in &table.events {
                let mut tape = Tape::default();
                let read = tape.read(event.get_ref().as_bytes());
                if !read.is_ok_and(|document| document.root().kind() == Kind::Object) {
                    let message = "an event of an example is a JSON object";
                    self.mistake(event.span(), message, None);
                }
            }
            for record in [&table.state, &table.summary].into_iter().flatten() {
                let is_there = !record.get_ref().is_empty();
                let read = Tape::default()
                    .read(record.get_ref().as_bytes())
                    .map(|_| ());
                if let Some(error) = read.err().filter(|_| is_there) {
                    let message = format!("the record is not JSON: {error}");
                    self.mistake(record.span(), message, None);
                }
            }
            let text = |record: &Option<Spanned<String>>| {
                record.as_ref().map(|record| record.get_ref().clone())
            };
            let events = table.events.iter().map(|event| event.get_ref().clone());
            let first = table.events.first().map(Spanned::span);
            let span = first.unwrap_or_else(|| table.fires.span());
            examples.push(RunExample {
                events: events.collect(),
                fires: table.fires.get_ref().clone(),
                has_ended: table.ended.unwrap_or(true),
                state: text(&table.state),
                summary: text(&table.summary),
                place: self.file.place(&span),
            });
        }
        examples
    }
}
