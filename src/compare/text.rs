//! A comparison -> text for people, and Markdown for a pull request.

use std::io::{self, Write};

use super::{Comparison, Pair, shown};
use crate::printable::{brief, escape, markdown_cell as cell};
use crate::report::count;

/// The flipped pairs that are listed.
const MAX_FLIPPED: usize = 20;

/// A number with few digits.
pub(super) fn figure(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "< 0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

/// The sentences before the table.
pub(super) fn summary(of: &Comparison) -> String {
    let flipped = of.flipped.len() as u64 + of.flipped_more;
    let apart = of.apart.len() as u64 + of.apart_more;
    let pairs = count(of.pairs, "pair");
    let tasks = count(of.tasks, "task");
    format!(
        "{pairs} of {tasks}: {flipped} flipped; not compared: {}",
        count(apart, "run")
    )
}

fn outcomes(pair: &Pair) -> String {
    let [a, b] = pair.outcomes.each_ref();
    let word = |outcome: &Option<String>| brief(outcome.as_deref().unwrap_or("-"));
    format!("{} -> {}", word(a), word(b))
}

/// The sentences on pairs in which a measure is missing.
pub(super) fn missing(of: &Comparison) -> impl Iterator<Item = String> {
    let lacking = of.measures.iter().filter(|it| it.missing > 0);
    lacking.map(|it| {
        let (name, pairs) = (brief(&it.name), count(of.pairs, "pair"));
        format!("{name} is missing in {} of {pairs}", it.missing)
    })
}

/// Writes a comparison for a terminal.
pub(crate) fn human(of: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{} -> {}",
        escape(&of.base.path),
        escape(&of.candidate.path)
    )?;
    writeln!(out, "{}", summary(of))?;
    for pair in of.flipped.iter().take(MAX_FLIPPED) {
        let flipped = pair.flipped.unwrap_or_default();
        writeln!(
            out,
            "  {flipped:6} {} ({})",
            shown(&pair.key),
            outcomes(pair)
        )?;
        let (a, b) = (escape(&pair.base), escape(&pair.candidate));
        writeln!(out, "         runvet diff {a} {b}")?;
    }
    writeln!(
        out,
        "\nMEASURE             BASE  CANDIDATE LOWER  SAME HIGHER        P"
    )?;
    for it in &of.measures {
        writeln!(
            out,
            "{:15} {:>8} {:>10} {:>5} {:>5} {:>6} {:>8}",
            brief(&it.name),
            figure(it.base),
            figure(it.candidate),
            it.lower,
            it.same,
            it.higher,
            p_value(it.p)
        )?;
    }
    missing(of).try_for_each(|line| writeln!(out, "{line}"))?;
    for apart in of.apart.iter().take(MAX_FLIPPED) {
        writeln!(out, "{}: {} {}", apart.why, apart.set, escape(&apart.dir))?;
    }
    for gate in &of.gates {
        let word = if gate.fails { "fails" } else { "passes" };
        writeln!(out, "{word}: {}", escape(&gate.condition))?;
    }
    Ok(())
}

/// Writes a comparison as Markdown.
pub(crate) fn markdown(of: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "### {} → {}\n",
        cell(&of.base.path),
        cell(&of.candidate.path)
    )?;
    writeln!(out, "{}\n", summary(of))?;
    for gate in &of.gates {
        let word = if gate.fails { "**fails**" } else { "passes" };
        writeln!(out, "- {word}: {}", cell(&gate.condition))?;
    }
    writeln!(
        out,
        "\n| measure | base | candidate | lower | same | higher | p |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|")?;
    for it in &of.measures {
        let (name, p) = (cell(&it.name), cell(&p_value(it.p)));
        let (base, candidate) = (figure(it.base), figure(it.candidate));
        let (lower, same, higher) = (it.lower, it.same, it.higher);
        writeln!(
            out,
            "| {name} | {base} | {candidate} | {lower} | {same} | {higher} | {p} |"
        )?;
    }
    missing(of).try_for_each(|line| writeln!(out, "\n{}", cell(&line)))?;
    if !of.flipped.is_empty() {
        writeln!(out, "\n| flipped | task | outcomes |\n|---|---|---|")?;
    }
    for pair in of.flipped.iter().take(MAX_FLIPPED) {
        let flipped = pair.flipped.unwrap_or_default();
        let (key, outcomes) = (cell(&shown(&pair.key)), cell(&outcomes(pair)));
        writeln!(out, "| {flipped} | {key} | {outcomes} |")?;
    }
    Ok(())
}
