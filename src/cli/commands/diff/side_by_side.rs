//! Two runs and their differences -> a table for people, with a run on each side.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::super::output::Halves;
use crate::dashboard::{DashboardAction, DashboardStep};
use crate::diff::{Diff, Difference, Subject, differs, is_expected};
use crate::document::{Kind, Node};
use crate::finding::RunEntry;
use crate::outline::shown;
use crate::printable::{brief, brief_json, columns_of, escape, fit};
use crate::report::{Glyphs, Paint, Style, StyledLine, count, instant, paragraph, seconds};

/// The maximum number of lines of a section.
const SECTION_LINES: usize = 12;

/// A table of two runs.
pub(super) struct SideBySide<'o> {
    out: &'o mut dyn Write,
    glyphs: &'static Glyphs,
    is_coloured: bool,
    width: usize,
}

/// A value with its name on both sides, and whether it differs in a way that counts.
type Named = (String, [Option<String>; 2], bool);

/// A line of the table: whether its sides differ, its name, both sides.
type Row = (bool, String, [StyledLine; 2]);

impl<'o> SideBySide<'o> {
    pub(super) fn new(out: &'o mut dyn Write, style: Style, width: usize) -> Self {
        Self {
            out,
            glyphs: Glyphs::of(style),
            is_coloured: style == Style::Colour,
            width,
        }
    }

    pub(super) fn draw(&mut self, left: &Subject, right: &Subject, diff: &Diff) -> io::Result<()> {
        // A path must be complete to be copied, so it is never cut.
        writeln!(self.out, "left:  {}", escape(&diff.left.dir))?;
        writeln!(self.out, "right: {}\n", escape(&diff.right.dir))?;
        let entries = [left, right].map(|run| &run.overview.entry);
        let ids = entries.map(|run| StyledLine::default().painted(&run.episode_id, Paint::Bold));
        let mut rows = vec![(false, String::new(), ids)];
        rows.extend(headed(entries).into_iter().map(in_cells));
        self.rows(&rows)?;

        let runs = [left, right];
        let plans = runs.map(|run| run.overview.plan.as_ref());
        let plans = plans.map(|plan| plan.map(|plan| &plan.steps));
        let rows = plans.map(|steps| steps.map_or(&[][..], |steps| &*steps.first));
        let totals = plans.map(|steps| steps.map_or(0, |steps| steps.total));
        let glyphs = self.glyphs;
        let cell = |row: &DashboardStep| step(glyphs, row);
        self.listed("Plan", rows, totals, nodes(runs, &["plan", "steps"]), cell)?;
        let rows = runs.map(|run| &*run.overview.actions.first);
        let totals = runs.map(|run| run.overview.actions.total);
        let items = nodes(runs, &["outcomes", "actions"]);
        self.listed("Actions", rows, totals, items, action)?;

        let state = |path: &[&str]| runs.map(|run| run.view.state.as_ref().ok()?.root().at(path));
        let summary =
            |path: &[&str]| runs.map(|run| run.view.summary.as_ref().ok()?.root().at(path));
        let mut outcomes = members(state(&["outcomes", "metrics"]), true);
        for name in ["error", "artifacts"] {
            let values = state(&["outcomes", name]);
            if values.iter().flatten().any(|value| !value.is_null()) {
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
        let findings = runs.map(Subject::findings);
        self.section("Findings", counted([&findings[0], &findings[1]]))?;
        self.differences(diff)
    }

    fn title(&mut self, title: &str) -> io::Result<()> {
        let title = StyledLine::default().painted(title, Paint::Bold);
        writeln!(self.out, "\n{}", title.draw(self.width, self.is_coloured))
    }

    /// Draws lines below each other: what differs is marked.
    fn rows(&mut self, rows: &[Row]) -> io::Result<()> {
        let is_coloured = self.is_coloured;
        let widest = rows.iter().map(|(_, name, _)| columns_of(name)).max();
        let names = match widest.unwrap_or_default() {
            0 => 0,
            widest if self.width == usize::MAX => widest + 1,
            _ => self.width / 5 + 1,
        };
        let lefts = rows.iter().map(|(_, _, [left, _])| left);
        let halves = Halves::new(self.width, names.max(2) + 5, lefts);
        for (differs, name, [left, right]) in rows {
            let mark = if *differs {
                let mark = StyledLine::default().painted("!", Paint::Bad);
                mark.draw(1, is_coloured)
            } else {
                " ".into()
            };
            let name = fit(name, names.saturating_sub(1));
            let before = names.saturating_sub(columns_of(&name));
            let cells = halves.draw([left, right], self.glyphs.bar, is_coloured);
            let line = format!("{mark} {name}{:before$}{cells}", "");
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn more(&mut self, more: usize) -> io::Result<()> {
        if more > 0 {
            writeln!(self.out, "  … and {more} more")?;
        }
        Ok(())
    }

    fn section(&mut self, title: &str, rows: Vec<Named>) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.title(title)?;
        let more = rows.len().saturating_sub(SECTION_LINES);
        let shown = rows.into_iter().take(SECTION_LINES).map(in_cells);
        self.rows(&shown.collect::<Vec<_>>())?;
        self.more(more)
    }

    /// Draws two lists, whose rows stand side by side by their position.
    fn listed<'n, T>(
        &mut self,
        title: &str,
        [left, right]: [&[T]; 2],
        totals: [usize; 2],
        [mut lefts, mut rights]: [impl Iterator<Item = Node<'n>>; 2],
        cell: impl Fn(&T) -> StyledLine,
    ) -> io::Result<()> {
        let total = totals.into_iter().max().unwrap_or_default();
        if total == 0 {
            return Ok(());
        }
        self.title(title)?;
        let row = |index| {
            let is_other = differs(lefts.next(), rights.next());
            let cells = [left, right].map(|rows| rows.get(index).map(&cell).unwrap_or_default());
            (is_other, String::new(), cells)
        };
        let rows: Vec<Row> = (0..total.min(SECTION_LINES)).map(row).collect();
        self.rows(&rows)?;
        self.more(total.saturating_sub(SECTION_LINES))
    }

    /// Draws every difference by its place, and the result.
    fn differences(&mut self, diff: &Diff) -> io::Result<()> {
        let total = diff.differences.len() as u64 + diff.more;
        if total > 0 {
            self.title("Differences")?;
        }
        for difference in diff.differences.iter().take(SECTION_LINES) {
            paragraph(self.out, self.width, "! ", "    ", &sentence(difference))?;
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
        paragraph(self.out, self.width, "", "  ", &result)
    }
}

/// Returns the line of a value with a name.
fn in_cells((name, values, differs): Named) -> Row {
    let cells = values.map(|value| StyledLine::default().word(value.as_deref().unwrap_or("-")));
    (differs, name, cells)
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
        (name.to_owned(), values, differs)
    })
    .collect()
}

/// Returns the items of an array of both states.
fn nodes<'s>(runs: [&'s Subject; 2], path: &[&str]) -> [impl Iterator<Item = Node<'s>>; 2] {
    runs.map(|run| {
        let state = run.view.state.as_ref().ok();
        let array = state.and_then(|state| state.root().at(path));
        array.into_iter().flat_map(Node::items)
    })
}

fn step(glyphs: &Glyphs, step: &DashboardStep) -> StyledLine {
    let paint = Paint::of(&step.status);
    StyledLine::default()
        .painted(glyphs.status(&step.status), paint)
        .text(&format!(" {} ", step.id))
        .painted(&step.status, paint)
        .text(&format!(": {}", step.description))
}

fn action(action: &DashboardAction) -> StyledLine {
    StyledLine::default()
        .text(&format!("{} {} ", action.id, action.tool))
        .word(&action.result_status)
        .text(&format!(" {}", action.input_excerpt))
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
    let values = values.map(|value| value.filter(|value| !value.is_null()).map(shown));
    (name.to_owned(), values, differs)
}

/// Numbers by name.
fn counted<K: AsRef<str> + Ord>(counts: [&BTreeMap<K, u64>; 2]) -> Vec<Named> {
    let names: BTreeSet<&K> = counts.iter().flat_map(|counts| counts.keys()).collect();
    let values = |name: &K| counts.map(|counts| counts.get(name).map(u64::to_string));
    names
        .into_iter()
        .map(|name| {
            let values = values(name);
            let differs = values[0] != values[1];
            (brief(name.as_ref()), values, differs)
        })
        .collect()
}

fn sentence(difference: &Difference) -> String {
    let [left, right] = [&difference.left, &difference.right].map(|value| match value.get() {
        "null" => "absent".into(),
        value => brief_json(value),
    });
    format!("{}: {left}, but {right}", brief(&difference.pointer))
}
