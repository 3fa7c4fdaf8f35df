//! Two runs and their differences -> a table for people, with a run on each side.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::ground::document::{Kind, Node};
use crate::ground::finding::RunEntry;
use crate::ground::printable::{brief, brief_json, escape};
use crate::look::diff::align::{ACTIONS, Row, STEPS, rows};
use crate::look::diff::{Diff, Difference, differs, findings, is_expected};
use crate::look::view::{self, OpenedRun};
use crate::reading::outline::shown;
use crate::report::{
    DashboardText, Paint, SECTION_LINES, SideRow, StyledLine, count, instant, seconds,
};

/// A value with a name, on both sides.
struct Named {
    name: String,
    values: [Option<String>; 2],
    /// `true` if it differs in a way that counts.
    differs: bool,
}

impl DashboardText<'_> {
    /// Draws two runs side by side, and their differences.
    pub(super) fn diff(
        &mut self,
        left: &OpenedRun,
        right: &OpenedRun,
        diff: &Diff,
    ) -> io::Result<()> {
        // A path must be complete to be copied, so it is never cut.
        writeln!(self.out, "left:  {}", escape(&diff.left.dir))?;
        writeln!(self.out, "right: {}\n", escape(&diff.right.dir))?;
        let runs = [left, right];
        let entries = runs.map(|run| &run.records.entry);
        let ids = entries.map(|run| StyledLine::default().painted(&run.episode_id, Paint::Bold));
        let mut rows = vec![SideRow {
            mark: None,
            name: String::new(),
            cells: ids,
        }];
        rows.extend(
            headed(entries)
                .into_iter()
                .map(in_cells),
        );
        self.sides([""; 2], &rows)?;

        let state = |path: &[&str]| runs.map(|run| run.records.in_state(path));
        let summary = |path: &[&str]| runs.map(|run| run.records.in_summary(path));
        let step = |text: &Self, node: Node<'_>| text.step(&view::step(node));
        self.listed("Plan", (STEPS, state(&["plan", "steps"])), step)?;

        let action = |_: &Self, node: Node<'_>| action(node);
        self.listed(
            "Actions",
            (ACTIONS, state(&["outcomes", "actions"])),
            action,
        )?;

        let mut outcomes = members(state(&["outcomes", "metrics"]), true);
        for name in ["error", "artifacts"] {
            let values = state(&["outcomes", name]);
            if values
                .iter()
                .flatten()
                .any(|value| !value.is_null())
            {
                outcomes.push(named(name, values, true));
            }
        }

        outcomes.push(named(
            "verified",
            summary(&["verification", "passed"]),
            true,
        ));
        self.section("Outcomes", outcomes)?;
        self.section("Metrics", members(summary(&["metrics"]), true))?;

        let latencies = members(summary(&["metrics", "latencies"]), false);
        self.section("Latencies", latencies)?;
        let phases = runs.map(|run| &run.timeline.phases);
        self.section("Events", counted(phases))?;

        let findings = runs.map(findings);
        self.section("Findings", counted([&findings[0], &findings[1]]))?;
        self.differences(diff)
    }

    fn section(&mut self, title: &str, rows: Vec<Named>) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }

        self.title(title)?;
        let more = rows.len().saturating_sub(SECTION_LINES);
        let shown = rows
            .into_iter()
            .take(SECTION_LINES)
            .map(in_cells);
        self.sides([""; 2], &shown.collect::<Vec<_>>())?;

        self.more(more)
    }

    /// Draws two lists, whose items stand side by side as they are aligned.
    fn listed(
        &mut self,
        title: &str,
        (pointer, lists): (&str, [Option<Node<'_>>; 2]),
        cell: impl Fn(&Self, Node<'_>) -> StyledLine,
    ) -> io::Result<()> {
        let [left, right] = lists.map(|list| {
            list.into_iter()
                .flat_map(Node::items)
                .collect::<Vec<_>>()
        });
        let aligned = rows(pointer, &left, &right);
        if aligned.is_empty() {
            return Ok(());
        }

        self.title(title)?;
        let row = |[a, b]: &Row| {
            let pair = [(&left, a), (&right, b)].map(|(list, at)| list.get((*at)?).copied());
            let cells = pair.map(|item| {
                item.map(|item| cell(self, item))
                    .unwrap_or_default()
            });
            let mark = match pair {
                [Some(_), None] => Some(("-", Paint::Bad)),
                [None, Some(_)] => Some(("+", Paint::Good)),
                [a, b] => mark(differs(a, b)),
            };

            SideRow {
                mark,
                name: String::new(),
                cells,
            }
        };

        let shown: Vec<SideRow> = aligned
            .iter()
            .take(SECTION_LINES)
            .map(row)
            .collect();
        self.sides([""; 2], &shown)?;

        self.more(
            aligned
                .len()
                .saturating_sub(SECTION_LINES),
        )
    }

    /// Draws every difference by its place, and the result.
    fn differences(&mut self, diff: &Diff) -> io::Result<()> {
        let total = diff.differences.len() as u64 + diff.more;
        if total > 0 {
            self.title("Differences")?;
        }

        for difference in diff
            .differences
            .iter()
            .take(SECTION_LINES)
        {
            let sign = match (difference.left.get(), difference.right.get()) {
                ("null", _) if is_item(&difference.pointer) => "+ ",
                (_, "null") if is_item(&difference.pointer) => "- ",
                _ => "! ",
            };
            self.paragraph([sign, "    "], &sentence(difference))?;
        }

        let more = total.saturating_sub(SECTION_LINES as u64);
        if more > 0 {
            // Paths must be complete to be copied, so they are never cut.
            let [left, right] = [&diff.left.dir, &diff.right.dir].map(|dir| escape(dir));
            writeln!(
                self.out,
                "  … and {more} more: runvet diff {left} {right} --json"
            )?;
        }

        let uncounted = diff.uncounted.len() as u64 + diff.uncounted_more;
        let also = match uncounted {
            0 => String::new(),
            1 => "; 1 more difference in ids, times, durations or digests is not counted".into(),
            number => format!(
                "; {number} more differences in ids, times, durations or digests are not counted"
            ),
        };

        let result = match total {
            0 => format!("the runs are the same{also}"),
            total => format!("the runs differ in {}{also}", count(total, "place")),
        };

        writeln!(self.out)?;
        if let Some(at) = &diff.first_divergence {
            let line = match (&at.left, &at.right) {
                (Some(left), Some(right)) if left == right => left.clone(),
                (Some(left), Some(right)) => format!("{left} on the left, {right} on the right"),
                (Some(left), None) => format!("only the left run has {left}"),
                (None, right) => {
                    let right = right.as_deref().unwrap_or_default();
                    format!("only the right run has {right}")
                }
            };

            self.paragraph(["first divergence: ", "  "], &line)?;
        }

        self.paragraph(["", "  "], &result)
    }
}

/// Returns `true` if a pointer leads to an item of a list that is aligned.
fn is_item(pointer: &str) -> bool {
    let list = pointer
        .rsplit_once('/')
        .map(|(list, _)| list);
    list.is_some_and(|list| [ACTIONS, STEPS].contains(&list))
}

/// Returns the mark of what differs.
fn mark(differs: bool) -> Option<(&'static str, Paint)> {
    differs.then_some(("!", Paint::Bad))
}

/// Returns the line of a value with a name.
fn in_cells(named: Named) -> SideRow {
    SideRow {
        mark: mark(named.differs),
        name: named.name,
        cells: named
            .values
            .map(|value| StyledLine::default().word(value.as_deref().unwrap_or("-"))),
    }
}

/// Returns what both runs say of themselves.
fn headed(runs: [&RunEntry; 2]) -> Vec<Named> {
    let of = |value: fn(&RunEntry) -> Option<String>| runs.map(value);
    let text = |value: fn(&RunEntry) -> Option<&str>| runs.map(|run| value(run).map(brief));
    [
        ("task", text(|run| run.task.as_deref()), true),
        ("status", text(|run| run.status.as_deref()), true),
        ("outcome", text(|run| run.outcome.as_deref()), true),
        ("mode", text(|run| run.mode.as_deref()), true),
        ("adapter", text(|run| run.adapter.as_deref()), true),
        (
            "started",
            of(|run| Some(instant(run.started_at.as_deref()?, 19))),
            false,
        ),
        ("took", of(|run| run.duration_sec.map(seconds)), false),
    ]
    .into_iter()
    .filter(|(_, values, _)| values.iter().any(Option::is_some))
    .map(|(name, values, counts)| {
        let differs = counts && values[0] != values[1];
        Named {
            name: name.to_owned(),
            values,
            differs,
        }
    })
    .collect()
}

fn action(node: Node<'_>) -> StyledLine {
    let action = view::action(node);
    StyledLine::default()
        .text(&format!("{} {} ", action.id, action.tool))
        .word(&action.status)
        .text(&format!(" {}", action.input))
}

/// Returns the single values of two objects by name.
fn members(objects: [Option<Node<'_>>; 2], counts: bool) -> Vec<Named> {
    let is_single = |node: &Node<'_>| !matches!(node.kind(), Kind::Array | Kind::Object);
    let names: BTreeSet<_> = objects
        .iter()
        .flatten()
        .flat_map(|object| object.members())
        .filter(|key| is_single(&key.value()))
        .map(|key| key.name().into_owned())
        .take(MAX_NAMES)
        .collect();
    let values = |name: &str| objects.map(|object| object?.get(name));

    names
        .iter()
        .map(|name| named(&brief(name), values(name), counts))
        .collect()
}

/// The maximum number of members of an object that are read: a table shows fewer.
const MAX_NAMES: usize = 100;

fn named(name: &str, values: [Option<Node<'_>>; 2], counts: bool) -> Named {
    let differs = counts && !is_expected(name) && differs(values[0], values[1]);
    let values = values.map(|value| {
        value
            .filter(|value| !value.is_null())
            .map(shown)
    });

    Named {
        name: name.to_owned(),
        values,
        differs,
    }
}

/// Numbers by name.
fn counted<K: AsRef<str> + Ord>(counts: [&BTreeMap<K, u64>; 2]) -> Vec<Named> {
    let names: BTreeSet<&K> = counts
        .iter()
        .flat_map(|counts| counts.keys())
        .collect();
    let values = |name: &K| counts.map(|counts| counts.get(name).map(u64::to_string));

    names
        .into_iter()
        .map(|name| {
            let values = values(name);
            let differs = values[0] != values[1];
            Named {
                name: brief(name.as_ref()),
                values,
                differs,
            }
        })
        .collect()
}

fn sentence(difference: &Difference) -> String {
    let [left, right] = [&difference.left, &difference.right].map(|value| match value.get() {
        "null" => "absent".into(),
        value => brief_json(value),
    });
    let place = match &difference.right_pointer {
        None => brief(&difference.pointer),
        Some(right) => format!("{} ({})", brief(&difference.pointer), brief(right)),
    };

    format!("{place}: {left}, but {right}")
}
