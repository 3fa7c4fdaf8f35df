//! A value of a record -> a cell of a table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Number as Figure;

use crate::ground::document::{Kind, Node, Number};

/// The integers up to here are doubles.
const MAX_WHOLE: i128 = 1 << 53;

/// Returns a number as a cell, in which a whole one stays whole; `None` where no double has the
/// value, as people write it.
fn figure(number: Number<'_>) -> Option<Figure> {
    let is_small = |whole: &i128| (-MAX_WHOLE..=MAX_WHOLE).contains(whole);
    let whole = number
        .is_integer()
        .then(|| number.shifted(0))
        .flatten();
    if let Some(whole) = whole.filter(is_small) {
        return i64::try_from(whole)
            .ok()
            .map(Figure::from);
    }

    let double = number.text().parse::<f64>().ok()?;
    let is_it = Number::of(&format!("{double:e}")).equals(number);
    Figure::from_f64(double).filter(|_| is_it)
}

/// The numbers of a row, and those of them that no double holds.
#[derive(Default)]
pub(in crate::look) struct Figures<'a>(BTreeMap<&'static str, &'a str>);

impl<'a> Figures<'a> {
    /// Returns the cell of a column.
    pub(in crate::look) fn cell(
        &mut self,
        column: &'static str,
        value: Option<Node<'a>>,
    ) -> Option<Figure> {
        let number = value?.number()?;
        let figure = figure(number);
        if figure.is_none() {
            self.0.insert(column, number.text());
        }

        figure
    }

    /// Returns the texts of the numbers that no double holds, by their columns.
    pub(in crate::look) fn beyond(self) -> Option<String> {
        (!self.0.is_empty()).then(|| serde_json::to_string(&self.0).unwrap_or_default())
    }
}

/// A part of a record, if it is there.
#[derive(Clone, Copy)]
pub(in crate::look) struct RecordPart<'a>(pub(in crate::look) Option<Node<'a>>);

impl<'a> RecordPart<'a> {
    pub(in crate::look) fn at(self, path: &[&str]) -> Option<Node<'a>> {
        self.0?.at(path)
    }

    pub(in crate::look) fn text(self, path: &[&str]) -> Option<Cow<'a, str>> {
        self.at(path)?.text()
    }

    pub(in crate::look) fn boolean(self, path: &[&str]) -> Option<bool> {
        self.at(path)?.boolean()
    }

    /// Returns a value other than null as JSON text, as it was written.
    pub(in crate::look) fn json(self, path: &[&str]) -> Option<&'a str> {
        self.at(path)
            .filter(|value| !value.is_null())
            .map(Node::raw)
    }

    /// Returns a text as it is, and any other value but null as JSON text.
    pub(in crate::look) fn word(self, path: &[&str]) -> Option<Cow<'a, str>> {
        let value = self.at(path)?;
        match value.kind() {
            Kind::Null => None,
            Kind::String => value.text(),
            _ => Some(value.raw().into()),
        }
    }

    /// Returns the number of items of an array.
    pub(in crate::look) fn length(self, path: &[&str]) -> Option<usize> {
        let array = self.at(path)?;
        (array.kind() == Kind::Array).then(|| array.items().count())
    }

    /// Returns the members of an object that no column holds, as a JSON object; `None` if there are
    /// none.
    pub(in crate::look) fn others(self, columns: &str) -> Option<String> {
        let others = self
            .0
            .into_iter()
            .flat_map(Node::members)
            .filter(|key| {
                !columns
                    .split(' ')
                    .any(|column| key.is(column))
            });
        let mut object = String::new();
        for key in others {
            object.push(if object.is_empty() { '{' } else { ',' });
            object.extend([key.raw(), ":", key.value().raw()]);
        }

        (!object.is_empty()).then(|| object + "}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_a_cell_only_where_a_double_holds_it() {
        let held = [
            ("2", "2"),
            ("2.0", "2"),
            ("-0", "0"),
            ("0.1", "0.1"),
            ("1e22", "1e+22"),
            ("9007199254740992", "9007199254740992"),
            ("5e-324", "5e-324"),
        ];
        for (written, cell) in held {
            let figure = figure(Number::of(written)).map(|it| it.to_string());
            assert_eq!(figure.as_deref(), Some(cell), "{written}");
        }
        for beyond in [
            "9007199254740993",
            "1e400",
            "1e-400",
            "0.12345678901234567890",
        ] {
            assert_eq!(figure(Number::of(beyond)), None, "{beyond}");
        }
    }
}
