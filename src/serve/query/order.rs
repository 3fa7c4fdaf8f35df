//! A column -> the order of runs, and the place in it after which a page begins.

use std::cmp::Ordering;

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};

use crate::ground::finding::RunEntry;

/// The columns that runs are sorted by, beside metrics.
const COLUMNS: [&str; 10] = [
    "started", "duration", "id", "dir", "task", "status", "outcome", "adapter", "mode", "valid",
];

/// The order of runs that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortQuery<'q> {
    column: &'q str,
    is_descending: bool,
}

/// The place of a run in an order: by the number and the text of its column, then by directory, so
/// that it is the same each time.
#[derive(Clone, Copy)]
pub(super) struct OrderedPlace<'e> {
    /// A number in the order of integers.
    number: i64,
    text: &'e str,
    dir: &'e str,
}

/// Returns the integer that has the place of a number among all.
const fn in_order(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

impl<'q> SortQuery<'q> {
    pub(super) fn read(text: &'q str) -> Result<Self, String> {
        let (column, is_descending) = match text.strip_prefix('-') {
            Some(column) => (column, true),
            None => (text, false),
        };

        if COLUMNS.contains(&column) || column.starts_with("metric:") {
            return Ok(Self {
                column,
                is_descending,
            });
        }

        let names = COLUMNS.join(", ");
        Err(format!(
            "`sort` is one of {names} and metric:NAME, with or without a `-` before it"
        ))
    }

    /// Returns the texts that can be read, as a regular expression.
    pub(super) fn pattern() -> String {
        format!("^-?({}|metric:.*)$", COLUMNS.join("|"))
    }

    pub(super) fn place(self, run: &RunEntry) -> OrderedPlace<'_> {
        let text = self.text_of(run);
        OrderedPlace {
            number: text.map_or_else(|| self.number_of(run), |_| 0),
            text: text.unwrap_or_default(),
            dir: &run.dir,
        }
    }

    /// Returns the text of a column that has texts.
    fn text_of(self, run: &RunEntry) -> Option<&str> {
        let text = match self.column {
            "id" => return Some(&run.episode_id),
            "dir" => return Some(&run.dir),
            "task" => run.task.as_deref(),
            "status" => run.status.as_deref(),
            "outcome" => run.outcome.as_deref(),
            "adapter" => run.adapter.as_deref(),
            "mode" => run.mode.as_deref(),
            _ => return None,
        };
        Some(text.unwrap_or_default())
    }

    /// Returns the number of another column.
    fn number_of(self, run: &RunEntry) -> i64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of findings")]
        let number = match self.column {
            "started" => return run.started_micros.unwrap_or(i64::MIN),
            "duration" => run.duration_sec,
            "valid" => Some(run.totals.errors as f64 * 1e6 + run.totals.warnings as f64),
            column => {
                let name = column
                    .strip_prefix("metric:")
                    .unwrap_or_default();
                run.metrics
                    .iter()
                    .find(|(known, _)| **known == *name)
                    .map(|(_, value)| *value)
            }
        };

        in_order(number.unwrap_or(f64::NEG_INFINITY))
    }

    pub(super) fn compare(self, one: OrderedPlace<'_>, other: OrderedPlace<'_>) -> Ordering {
        let mut by_column = (one.number, one.text).cmp(&(other.number, other.text));
        if self.is_descending {
            by_column = by_column.reverse();
        }

        by_column.then_with(|| one.dir.cmp(other.dir))
    }

    /// Returns `true` for the places after a cursor, or for all without one.
    pub(super) fn is_after(self, place: OrderedPlace<'_>, cursor: Option<&Cursor>) -> bool {
        cursor.is_none_or(|cursor| {
            self.compare(place, cursor.place())
                .is_gt()
        })
    }
}

/// The place after which the next page starts: the last run of the page before, whether or not it
/// still exists. Runs that arrive in between move no other run to another page.
#[derive(Serialize, Deserialize)]
pub(super) struct Cursor {
    sort: String,
    number: i64,
    text: String,
    dir: String,
}

impl Cursor {
    /// Returns the text of the cursor after a place.
    pub(super) fn after(sort: &str, place: OrderedPlace<'_>) -> String {
        let cursor = Self {
            sort: sort.to_owned(),
            number: place.number,
            text: place.text.to_owned(),
            dir: place.dir.to_owned(),
        };

        BASE64URL_NOPAD.encode(&serde_json::to_vec(&cursor).unwrap_or_default())
    }

    pub(super) fn read(text: &str, sort: &str) -> Result<Self, String> {
        let wrong = "`cursor` is not the `next` of a page in this order";
        let json = BASE64URL_NOPAD
            .decode(text.as_bytes())
            .map_err(|_| wrong)?;
        let cursor: Self = serde_json::from_slice(&json).map_err(|_| wrong)?;
        if cursor.sort == sort {
            Ok(cursor)
        } else {
            Err(wrong.into())
        }
    }

    fn place(&self) -> OrderedPlace<'_> {
        OrderedPlace {
            number: self.number,
            text: &self.text,
            dir: &self.dir,
        }
    }
}
