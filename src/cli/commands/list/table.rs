//! Runs -> a table: a line for each, and the places in it that have what was asked for.

use std::borrow::Cow;
use std::io;

use super::order::metric_of;
use super::{LONGEST, is_only_in_progress};
use crate::cli::output::{Output, width};
use crate::ground::finding::Hit;
use crate::ground::printable::{columns_of, escape, fit, padded};
use crate::look::read::RunEntry;
use crate::report::{Style, StyledLine, instant, seconds, waiting};

/// Returns what a run that was judged fails the gate by.
fn failure(run: &RunEntry) -> Option<String> {
    let is_judged = run.totals.episodes > 0 && run.valid != Some(true);
    is_judged.then(|| match (run.valid, &run.first_error) {
        (None, _) | (_, None) => "undecided".into(),
        (Some(_), Some(first)) if run.totals.errors == 1 => first.clone(),
        (Some(_), Some(first)) => format!("{first} +{}", run.totals.errors - 1),
    })
}

/// The status of a run that has written only its timeline so far.
const IN_PROGRESS: &str = "in progress";

/// The width of the column of durations.
const TOOK: usize = 6;

/// The columns that a table leaves for tasks where other columns can give way.
const LEAST_TASK: usize = 20;

/// The widths of the columns of a table, but for the last.
#[derive(Clone, Copy)]
struct Widths {
    start: usize,
    id: usize,
    status: usize,
    outcome: usize,
    /// 0 where no run was judged.
    first_error: usize,
}

/// The texts of a line of a table.
struct Cells<'c> {
    started: &'c str,
    id: &'c str,
    status: &'c str,
    outcome: &'c str,
    duration: &'c str,
    /// The columns after those, which are cut together.
    last: &'c str,
}

/// Returns widths that fit into those of a whole line.
fn widths(runs: &[RunEntry], total: usize) -> Widths {
    let widest = |text: &dyn Fn(&RunEntry) -> usize, least: usize, most: usize| {
        runs.iter()
            .map(text)
            .max()
            .unwrap_or(least)
            .clamp(least, most)
    };

    let columns = |text: &str| columns_of(&escape(text));
    let length = |text: &Option<String>| text.as_deref().map_or(1, columns);
    let most_of_id = if total < usize::MAX { 29 } else { LONGEST };
    let status = if runs.iter().any(is_only_in_progress) {
        IN_PROGRESS.len()
    } else {
        8
    };

    let mut start = if total < 100 { 16 } else { 19 };
    let mut id = widest(&|run| columns(&run.episode_id), 2, most_of_id);
    let mut outcome = widest(&|run| length(&run.outcome), 7, 18);
    let mut first_error = runs
        .iter()
        .filter_map(failure)
        .map(|it| columns_of(&it))
        .max()
        .map_or(0, |widest| widest.clamp(11, 40));
    // Tasks get room: ids give way first, then the year, and beside rules also outcomes, and rules
    // last.
    let tasks = widest(&|run| length(&run.task), 4, LEAST_TASK);
    let others = start + id + status + outcome + first_error + usize::from(first_error > 0);
    let mut over = (others + TOOK + 5 + tasks).saturating_sub(total);
    let mut give = |width: &mut usize, least: usize| {
        let given = over.min(width.saturating_sub(least));
        *width -= given;
        over -= given;
    };

    give(&mut id, 9);
    let mut year = 5;
    give(&mut year, 0);
    if year < 5 {
        start = 11;
    }

    if first_error > 0 {
        give(&mut outcome, 8);
        give(&mut first_error, 11);
    }

    Widths {
        start,
        id,
        status,
        outcome,
        first_error,
    }
}

/// Returns the line of a table with these cells.
fn line(widths: Widths, cells: &Cells<'_>) -> StyledLine {
    let start = widths.start;
    let started = fit(cells.started, LONGEST);
    let started = match started.get(5..) {
        Some(day) if start == 11 && started.len() > start => fit(day, start),
        _ => fit(&started, start),
    };

    let id = fit(cells.id, LONGEST);
    let id = padded(&tail(&id, widths.id), widths.id);
    let duration = fit(cells.duration, LONGEST);
    StyledLine::default()
        .text(&format!("{started:start$} {id} "))
        .word(&cell(cells.status, widths.status))
        .text(" ")
        .word(&cell(cells.outcome, widths.outcome))
        .text(&format!(" {duration:>6} {}", fit(cells.last, LONGEST)))
}

/// Returns a text that fills a column, escaped before it is cut.
fn cell(text: &str, columns: usize) -> String {
    padded(&fit(&fit(text, LONGEST), columns), columns)
}

/// Returns the end of a text that is wider than a number of columns: where runs are named, that of
/// an id tells it from others.
fn tail(text: &str, columns: usize) -> Cow<'_, str> {
    if columns_of(text) <= columns {
        return Cow::Borrowed(text);
    }

    let end = text
        .char_indices()
        .filter_map(|(at, _)| text.get(at..))
        .find(|end| columns_of(end) < columns)
        .unwrap_or_default();

    Cow::Owned(format!("…{end}"))
}

/// The width of the column of a metric, at least.
const METRIC: usize = 8;

/// Returns the title of the column of a metric, with a space after it.
fn column(name: &str) -> String {
    format!("{:>METRIC$} ", escape(name))
}

/// Returns the cell of a metric, with a space after it.
fn metric(run: &RunEntry, name: &str) -> String {
    let shown = metric_of(run, name).map_or_else(|| "-".to_owned(), |value| value.to_string());
    format!("{shown:>width$} ", width = columns_of(&column(name)) - 1)
}

/// Prints the places of a run that have what was asked for, each as an editor opens it.
fn print_hits(output: &mut Output, run: &RunEntry) -> io::Result<()> {
    for Hit { file, line, text } in &run.hits {
        let (dir, text) = (escape(&run.dir), escape(text));
        writeln!(output.stdout(), "  {dir}/{file}:{line}: {text}")?;
    }
    if run.more_hits {
        writeln!(output.stdout(), "  … and more places")?;
    }
    Ok(())
}

/// Prints a table of runs, with columns for the metrics that are asked for.
pub(super) fn table(
    output: &mut Output,
    runs: &[RunEntry],
    metrics: &[&str],
    style: Style,
) -> io::Result<()> {
    if runs.is_empty() {
        return Ok(());
    }

    let total = width();
    let widths = widths(runs, total);
    let row = |output: &mut Output, cells: &Cells<'_>| {
        let line = line(widths, cells).draw(total, style == Style::Colour);
        writeln!(output.stdout(), "{line}")
    };

    let names: String = metrics
        .iter()
        .map(|name| column(name))
        .collect();
    let last = match widths.first_error {
        0 => format!("{names}TASK"),
        errors => format!("{names}{:errors$} TASK", "FIRST ERROR"),
    };
    let titles = Cells {
        started: "STARTED",
        id: "ID",
        status: "STATUS",
        outcome: "OUTCOME",
        duration: "TOOK",
        last: &last,
    };

    row(output, &titles)?;
    for run in runs {
        let started = run.started_at.as_deref().map_or_else(
            || run.time_unknown().unwrap_or("-").into(),
            |started| instant(started, widths.start.max(16)),
        );
        let duration = run
            .duration_sec
            .map_or_else(|| "-".into(), seconds);
        let cells = Cells {
            started: &started,
            id: &run.episode_id,
            status: status(run),
            outcome: run.outcome.as_deref().unwrap_or("-"),
            duration: &duration,
            last: &last_cells(run, metrics, widths.first_error),
        };

        row(output, &cells)?;
        print_hits(output, run)?;
    }

    Ok(())
}

fn status(run: &RunEntry) -> &str {
    match &run.status {
        _ if run.paused.is_some() => "paused",
        None if is_only_in_progress(run) => IN_PROGRESS,
        status => status.as_deref().unwrap_or("-"),
    }
}

/// Returns the metrics, the first error and the task of a run.
fn last_cells(run: &RunEntry, metrics: &[&str], errors: usize) -> String {
    let mut cells: String = metrics
        .iter()
        .map(|name| metric(run, name))
        .collect();
    if let Some(failure) = failure(run) {
        cells += &padded(&failure, errors);
        cells.push(' ');
    }

    cells += run.task.as_deref().unwrap_or("-");
    if let Some(waiting) = waiting(run) {
        cells = format!("{cells} ({waiting})");
    }

    cells
}
