//! The words of a selector -> the events that it names.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use toml::Spanned;

use super::super::data::TomlData;
use super::super::schema::Judged;
use super::super::selector::{ACTION_NAMES, Condition, EVENT_NAMES, TeamSelector};
use super::{CONDITION, FileReader, NamedSelector};
use crate::ground::printable::{brief, quote};
use crate::ground::select::{Glob, Selector, SelectorValue, Values, Wanted, key_words};
use crate::ground::spelling::did_you_mean;

impl FileReader<'_> {
    pub(in crate::policy::team) fn selector(
        &mut self,
        selector: &Spanned<TomlData>,
        judged: Judged,
    ) -> Option<TeamSelector> {
        let TomlData::Text(name) = selector.get_ref() else {
            return self.entries(selector.get_ref(), judged);
        };
        let named = self
            .named
            .get(name)
            .filter(|_| judged == Judged::Action);

        match named.map(|named| named.written.clone()) {
            Some(entries) => self.entries(&entries, judged),
            None => self.named_selector(name, selector.span()),
        }
    }

    /// Returns the selector of events that has a name.
    pub(in crate::policy::team) fn named_selector(
        &mut self,
        name: &str,
        span: Range<usize>,
    ) -> Option<TeamSelector> {
        if let Some(named) = self.named.get_mut(name) {
            self.mistakes
                .append(&mut named.mistakes);
            return named.of_events.clone();
        }

        let message = format!("there is no selector called {}", quote(name));
        let help = did_you_mean(name, self.named.keys().map(String::as_str));
        self.mistake(span, message, help);

        None
    }

    /// Reads a selector that has a name: one of events, or of actions alone.
    pub(in crate::policy::team) fn name_selector(&mut self, name: &str, written: &TomlData) {
        let known = self.mistakes.len();
        let of_events = self.entries(written, Judged::Event);
        let mut mistakes = self.mistakes.split_off(known);
        let is_of_actions = of_events.is_none()
            && self
                .entries(written, Judged::Action)
                .is_some();
        self.mistakes.truncate(known);
        if !is_of_actions {
            self.mistakes.append(&mut mistakes);
        }

        let written = written.clone();
        let named = NamedSelector {
            written,
            of_events,
            mistakes,
        };

        self.named
            .insert(name.to_owned(), named);
    }

    pub(super) fn entries(&mut self, entries: &TomlData, judged: Judged) -> Option<TeamSelector> {
        let TomlData::Table(entries) = entries else {
            return None;
        };
        let (mut keys, mut condition, mut is_right) = (Vec::new(), None, true);

        // All keys are looked at, also after a mistake.
        for (key, value) in in_order(entries) {
            if key.get_ref() == CONDITION {
                condition = self.condition(value, judged);
                is_right &= condition.is_some();
                continue;
            }

            let test = self
                .key(key, judged)
                .zip(self.wanted(value));
            is_right &= test.is_some();
            keys.extend(test);
        }

        is_right.then_some(TeamSelector {
            keys: Selector { tests: keys },
            condition,
        })
    }

    /// Returns what a selector wants of a value; `None` where it has another form, which the schema
    /// of the file says.
    pub(super) fn wanted(&mut self, written: &Spanned<TomlData>) -> Option<Wanted> {
        let TomlData::Table(members) = written.get_ref() else {
            return self.values(written).map(Wanted::OneOf);
        };
        let of = |name: &str| {
            members
                .iter()
                .find(|(key, _)| key.get_ref() == name)
                .map(|(_, value)| value)
        };

        match (of("not"), of("absent"), of("present"), members.len()) {
            (Some(values), None, None, 1) => self.values(values).map(Wanted::NoneOf),
            (Some(values), Some(_), None, 2) => self
                .values(values)
                .map(Wanted::AbsentOrNoneOf),
            (None, Some(_), None, 1) => Some(Wanted::Absent),
            (None, None, Some(_), 1) => Some(Wanted::Present),
            _ => None,
        }
    }

    /// Returns the values that a selector or a vocabulary names: some are names of parameters.
    pub(in crate::policy::team) fn values(
        &mut self,
        written: &Spanned<TomlData>,
    ) -> Option<Values> {
        let one = std::slice::from_ref(written);
        let items = match written.get_ref() {
            TomlData::List(items) => items,
            _ => one,
        };

        let (mut values, mut is_right) = (Vec::new(), !items.is_empty());
        for item in items {
            let named = match item.get_ref() {
                TomlData::Text(text) => text.strip_prefix("params."),
                _ => None,
            };
            let of_item = match named {
                Some(name) => self.values_of_param(name, item.span()),
                None => wanted(&item.get_ref().to_json()).map(|value| vec![value]),
            };

            is_right &= of_item.is_some();
            values.extend(of_item.into_iter().flatten());
        }

        is_right.then_some(Values { items: values })
    }

    /// Returns the values that a parameter stands for.
    pub(super) fn values_of_param(
        &mut self,
        name: &str,
        span: Range<usize>,
    ) -> Option<Vec<SelectorValue>> {
        let Some(param) = self.params.get(name) else {
            self.unknown_param(&format!("params.{name}"), span);
            return None;
        };

        let values = match param {
            Value::Array(items) => items.iter().map(wanted).collect(),
            value => wanted(value).map(|value| vec![value]),
        };

        let values = values.filter(|values| !values.is_empty());
        if values.is_none() {
            let shown = brief(&param.to_string());
            let message =
                format!("`params.{name}` is {shown}, which no value can be compared with");
            let help = "It has to be a text, a number, a boolean, or a list of them.";
            self.mistake(span, message, Some(help.into()));
        }

        values
    }

    /// Returns the condition of a selector.
    pub(super) fn condition(
        &mut self,
        written: &Spanned<TomlData>,
        judged: Judged,
    ) -> Option<Condition> {
        // The schema of the file says that it is a text.
        let TomlData::Text(text) = written.get_ref() else {
            return None;
        };
        let (names, foreign, help) = match judged {
            Judged::Action => (
                ACTION_NAMES,
                "event",
                "In a selector of actions, the action is `action`.",
            ),
            _ => (
                EVENT_NAMES,
                "state",
                "A selector looks at an event and at parameters only.",
            ),
        };

        let expression = self.expression(text, written.span(), &names, (foreign, help))?;
        if let Some(fold) = expression.folds().first() {
            let span = self.span_within(text, written.span(), fold.span.clone());
            let message = "`earlier` has no value in the `if` of a selector";
            let help = "Write a `[[rule]]` with this selector as `each` and the comparison as `check`, or an `[[order]]` with `needs-earlier` or `none-earlier`.";
            self.mistake(span, message, Some(help.into()));
            return None;
        }

        Some(Condition {
            expression: Arc::new(expression),
            params: Arc::clone(&self.bound_params),
        })
    }
}

/// Returns members in the order in which they are written.
pub(super) fn in_order(
    members: &[(Spanned<String>, Spanned<TomlData>)],
) -> Vec<&(Spanned<String>, Spanned<TomlData>)> {
    let mut members: Vec<_> = members.iter().collect();
    let word = |key: &str| key_words(false).position(|(word, _)| word == key);
    let is_pointer = |key: &str| word(key).is_none();
    members.sort_by_key(|(key, _)| {
        let name = key.get_ref();
        (is_pointer(name), word(name), key.span().start)
    });

    members
}

pub(super) fn wanted(value: &Value) -> Option<SelectorValue> {
    Some(match value {
        Value::String(text) => SelectorValue::Text(Glob::new(text)),
        Value::Bool(value) => SelectorValue::Boolean(*value),
        Value::Number(number) => SelectorValue::Number(number.to_string()),
        _ => return None,
    })
}
