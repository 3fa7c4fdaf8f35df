//! A comparison -> text for people, and Markdown for a pull request.

use std::borrow::Cow;
use std::io::{self, Write};

use super::groups::{Group, GroupComparison, GroupMeasure};
use super::measure::Measure;
use super::sign::shown as p_value;
use super::{Apart, Comparison, Pair, reading, shown};
use crate::ground::printable::{brief, escape, markdown_cell as cell, rounded};
use crate::report::{Grid, count};

/// The flipped pairs, and the runs that are not compared, that are listed.
const MAX_LISTED: usize = 20;

/// The columns of the table of measures.
pub(super) const COLUMNS: [&str; 10] = [
    "measure",
    "base",
    "candidate",
    "difference",
    "95 % interval",
    "lower",
    "same",
    "higher",
    "p",
    "cmh_p",
];

/// Returns the table of measures.
pub(super) fn measures<'h>(of: &Comparison, heads: [&'h str; 10]) -> Grid<'h, 10> {
    Grid::new(heads, 1..10, of.measures.iter().map(row))
}

/// Returns the row of a measure.
fn row(of: &Measure) -> [String; 10] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        brief(&of.name),
        figure(of.base),
        figure(of.candidate),
        or_dash(of.difference.map(figure)),
        or_dash(of.difference_ci.map(interval)),
        of.lower.to_string(),
        of.same.to_string(),
        of.higher.to_string(),
        p_value(of.p),
        or_dash(of.cmh_p.map(p_value)),
    ]
}

/// Returns the table of groups: a row for each measure of each of them.
pub(super) fn groups<'h>(of: &GroupComparison, heads: [&'h str; 9]) -> Grid<'h, 9> {
    let mut names: Vec<&str> = of
        .groups
        .iter()
        .flat_map(|group| &group.measures)
        .map(|it| &*it.name)
        .collect();
    names.sort_by_key(|name| (reading::rank(name), *name));
    names.dedup();

    let rows = names.into_iter().flat_map(|name| {
        let of_group = move |group: &Group| {
            group
                .measures
                .iter()
                .find(|it| it.name == name)
                .map(|it| group_row(group, it))
        };
        of.groups.iter().filter_map(of_group)
    });

    Grid::new(heads, 2..9, rows)
}

fn group_row(group: &Group, of: &GroupMeasure) -> [String; 9] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        brief(&of.name),
        brief(&group.value),
        of.runs.to_string(),
        or_dash(of.mean.map(figure)),
        or_dash(of.mean_ci.map(interval)),
        or_dash(of.difference.map(figure)),
        or_dash(of.difference_ci.map(interval)),
        of.tasks.to_string(),
        or_dash(of.p.map(p_value)),
    ]
}

/// The columns of the table of groups; the second one has the name of the tag.
pub(super) fn group_columns(by: &str) -> [String; 9] {
    [
        "measure",
        by,
        "runs",
        "mean",
        "95 % interval",
        "difference",
        "95 % interval",
        "tasks",
        "p",
    ]
    .map(escape)
    .map(Cow::into_owned)
}

/// Returns how many runs a group has.
pub(super) fn group_counts(of: &Group) -> String {
    format!(
        "{} of {}",
        count(of.runs, "run"),
        count(of.tasks as u64, "task")
    )
}

/// Returns the sentences on the table of groups.
pub(super) fn group_notes(of: &GroupComparison) -> Vec<String> {
    let base = of
        .groups
        .first()
        .map(|group| brief(&group.value));
    let mut lines = vec![format!(
        "differences are to {}, over the tasks of both; repeats of a task count as one",
        base.unwrap_or_default()
    )];
    let apart: Vec<_> = (of.apart_by.iter())
        .map(|(why, runs)| format!("{runs} {why}"))
        .collect();
    if !apart.is_empty() {
        lines.push(format!("runs that are not compared: {}", apart.join(", ")));
    }

    for (more, what) in [(of.groups_more, "group"), (of.metrics_more, "metric")] {
        if more > 0 {
            lines.push(format!("{} left out", count(more as u64, what)));
        }
    }

    lines
}

/// Returns the sentences before the table of groups.
fn group_summary(of: &GroupComparison) -> Vec<String> {
    let groups: Vec<_> = (of.groups.iter())
        .map(|it| format!("{}: {}", brief(&it.value), group_counts(it)))
        .collect();
    [vec![groups.join("; ")], group_notes(of)].concat()
}

/// Writes groups for a terminal.
pub(crate) fn groups_human(of: &GroupComparison, out: &mut dyn Write) -> io::Result<()> {
    (group_summary(of).iter()).try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    let heads = group_columns(&of.by).map(|head| head.to_uppercase());
    groups(of, heads.each_ref().map(|head| &**head)).text(out, "  ", [0, 0])
}

/// Writes groups as Markdown.
pub(crate) fn groups_markdown(of: &GroupComparison, out: &mut dyn Write) -> io::Result<()> {
    (group_summary(of).iter()).try_for_each(|line| writeln!(out, "- {}", cell(line)))?;
    writeln!(out)?;
    let heads = group_columns(&of.by).map(|head| cell(&head));
    let mut table = groups(of, heads.each_ref().map(|head| &**head));
    for row in &mut table.rows {
        *row = row.each_ref().map(|text| cell(text));
    }

    table.markdown(out)
}

/// Returns a number with few digits.
fn figure(value: f64) -> String {
    rounded(value, 4)
}

fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", figure(low), figure(high))
}

/// Returns an expression such as `p = 0.0039`.
fn equals(name: &str, p: f64) -> String {
    let text = p_value(p);
    match text.strip_prefix('<') {
        Some(limit) => format!("{name} <{limit}"),
        None => format!("{name} = {text}"),
    }
}

/// Returns the sentences before the table: the number of runs that are compared, and the result on
/// success.
pub(super) fn summary(of: &Comparison) -> Vec<String> {
    let apart = of.apart.len() as u64 + of.apart_more;
    let mut compared = format!(
        "{} of {} compared; not compared: {}",
        count(of.pairs, "pair"),
        count(of.tasks, "task"),
        count(apart, "run")
    );

    for (at, (why, runs)) in of.apart_by.iter().enumerate() {
        let before = if at == 0 { ": " } else { ", " };
        compared = format!("{compared}{before}{runs} {why}");
    }

    let mut lines = vec![compared];
    if of.pairs == 0 && of.apart_by.contains_key("no_key") {
        let hint = "runs lack a part of the key by which they are paired; --pair names the parts, \
                    such as `--pair task` for runs without a seed";
        lines.push(hint.to_owned());
    }

    if let Some(success) = of
        .measures
        .iter()
        .find(|it| it.name == reading::SUCCESS)
    {
        lines.extend(on_success(of, success));
    }

    lines
}

/// Returns the change in success, and its certainty for other tasks and for these.
fn on_success(of: &Comparison, success: &Measure) -> Vec<String> {
    let flipped = of.flipped.len() as u64 + of.flipped_more;
    let (better, tasks) = (flipped - of.worse, success.tasks());
    let mut lines = vec![format!(
        "success {} -> {}: {flipped} of {} flipped, {} to worse, {better} to better",
        figure(success.base),
        figure(success.candidate),
        count(success.pairs, "pair"),
        of.worse
    )];
    let least = if success.p_min < 0.05 {
        String::new()
    } else {
        format!(
            "; {} can't give a p-value below {}, so this says nothing",
            count(tasks, "task"),
            p_value(success.p_min)
        )
    };

    lines.push(format!(
        "over tasks (sign test; tasks are independent): {}{least}",
        equals("p", success.p)
    ));
    if let Some(p) = success
        .cmh_p
        .filter(|_| success.pairs > tasks)
    {
        lines.push(format!(
            "within tasks (exact Cochran-Mantel-Haenszel test; runs of a task are independent): \
             {}; that says nothing about other tasks",
            equals("cmh_p", p)
        ));
    }

    lines
}

fn outcomes(pair: &Pair) -> String {
    let [a, b] = pair.outcomes.each_ref();
    let word = |outcome: &Option<String>| brief(outcome.as_deref().unwrap_or("-"));
    format!("{} -> {}", word(a), word(b))
}

/// Returns the reason why a run is not compared, with the rule that it breaks.
pub(super) fn reason(apart: &Apart) -> String {
    match &apart.rule {
        Some(rule) => format!("{} ({})", apart.why, brief(rule)),
        None => apart.why.to_owned(),
    }
}

/// Returns the sentences on pairs in which a measure is missing, and on metrics that are left out.
pub(super) fn missing(of: &Comparison) -> impl Iterator<Item = String> {
    let lacking = of
        .measures
        .iter()
        .filter(|it| it.missing > 0)
        .map(|it| {
            let (name, pairs) = (brief(&it.name), count(of.pairs, "pair"));
            format!("{name} is missing in {} of {pairs}", it.missing)
        });
    let left_out = of.left_out.iter().map(|it| {
        let (name, dir) = (brief(&it.name), escape(&it.dir));
        format!(
            "{name} is not compared: it is no number but {} in {dir}",
            it.kind
        )
    });

    lacking.chain(left_out)
}

/// Writes how many rows of a list are left out.
fn rest(shown: usize, more: u64, what: &str, out: &mut dyn Write) -> io::Result<()> {
    match (shown as u64 + more).saturating_sub(MAX_LISTED as u64) {
        0 => Ok(()),
        rest => writeln!(out, "and {rest} more {what}: `--format json` has them"),
    }
}

/// Writes a comparison for a terminal.
pub(crate) fn human(of: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let (base, candidate) = (escape(&of.base.path), escape(&of.candidate.path));
    writeln!(out, "{base} -> {candidate}")?;
    for gate in &of.gates {
        writeln!(out, "{}: {}", gate.word(), escape(&gate.condition))?;
    }

    (summary(of).iter()).try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    let heads = COLUMNS.map(str::to_uppercase);
    measures(of, heads.each_ref().map(|head| &**head)).text(out, "  ", [0, 0])?;
    missing(of).try_for_each(|line| writeln!(out, "{line}"))?;
    if !of.flipped.is_empty() {
        writeln!(out, "\nflipped:")?;
    }

    for pair in of.flipped.iter().take(MAX_LISTED) {
        let flipped = pair.flipped.unwrap_or_default();
        let (key, outcomes) = (shown(&pair.key), outcomes(pair));
        writeln!(out, "  {flipped:6} {key} ({outcomes})")?;
        let (a, b) = (escape(&pair.base), escape(&pair.candidate));
        writeln!(out, "         runvet diff {a} {b}")?;
    }

    rest(of.flipped.len(), of.flipped_more, "flipped pairs", out)?;
    if !of.apart.is_empty() {
        writeln!(out, "\nnot compared:")?;
    }

    for apart in of.apart.iter().take(MAX_LISTED) {
        let (why, dir) = (reason(apart), escape(&apart.dir));
        writeln!(out, "  {why}: {} {dir}", apart.set)?;
    }

    rest(
        of.apart.len(),
        of.apart_more,
        "runs that are not compared",
        out,
    )
}

/// Writes a comparison as Markdown.
pub(crate) fn markdown(of: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let (base, candidate) = (cell(&of.base.path), cell(&of.candidate.path));
    writeln!(out, "### {base} → {candidate}\n")?;
    for gate in &of.gates {
        writeln!(out, "- **{}**: {}", gate.word(), cell(&gate.condition))?;
    }

    (summary(of).iter()).try_for_each(|line| writeln!(out, "- {}", cell(line)))?;
    writeln!(out)?;
    let rows = of
        .measures
        .iter()
        .map(|it| row(it).map(|text| cell(&text)));
    Grid::new(COLUMNS, 1..10, rows).markdown(out)?;
    missing(of).try_for_each(|line| writeln!(out, "\n{}", cell(&line)))?;
    if !of.flipped.is_empty() {
        writeln!(out)?;
        let rows = of
            .flipped
            .iter()
            .take(MAX_LISTED)
            .map(|pair| {
                let flipped = pair
                    .flipped
                    .unwrap_or_default()
                    .to_owned();
                [flipped, cell(&shown(&pair.key)), cell(&outcomes(pair))]
            });
        Grid::new(["flipped", "task", "outcomes"], 0..0, rows).markdown(out)?;
    }

    if of.flipped.len() > MAX_LISTED {
        writeln!(out)?;
    }

    rest(of.flipped.len(), of.flipped_more, "flipped pairs", out)
}
