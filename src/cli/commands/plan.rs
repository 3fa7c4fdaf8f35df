//! `runvet plan`: a run -> its persisted plan beside the one rebuilt from the timeline.

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use super::output::{Color, Output, style, width};
use super::run_data::RunArgs;
use super::{Exit, Failure};
use crate::document::{Node, OwnedDocument};
use crate::plan::{PlanComparison, PlanDifference, compare};
use crate::printable::{columns_of, escape, fit};
use crate::read::Stored;
use crate::report::{Glyphs, paragraph, raw_json, write_json};

/// Show the persisted plan beside the one rebuilt from the timeline
///
/// Steps that differ are marked with `!`; each difference names the line of its event.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet plan ep_03 --run-data corpus/demo
    persisted (state.json)                 rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ! ○ step-2 pending: Summarize the tic… │ ✓ step-2 done: Summarize the tickets
  …
  the plan differs from the timeline from line 6 of events.jsonl on")]
pub(in crate::cli) struct Plan {
    #[command(flatten)]
    run: RunArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let run = self.run.open(output)?;
        let comparison = compare(&run)?;
        let state = run.state().map(Stored::into_document).ok();
        let persisted = state.as_ref().and_then(|state| state.root().get("plan"));
        if self.json {
            let json = Json {
                episode_id: &run.id(),
                persisted: persisted.map(raw_json).transpose()?,
                comparison: &comparison,
            };
            write_json(output.stdout(), &json)?;
            writeln!(output.stdout())?;
        } else {
            table(output, state.as_ref(), &comparison)?;
        }
        Ok(Exit::Success)
    }
}

/// The output of `--json`.
#[derive(Serialize)]
struct Json<'c> {
    episode_id: &'c str,
    persisted: Option<Box<RawValue>>,
    comparison: &'c PlanComparison,
}

fn table(
    output: &mut Output,
    state: Option<&OwnedDocument>,
    comparison: &PlanComparison,
) -> io::Result<()> {
    let persisted: Vec<[String; 3]> = state.map(persisted_steps).unwrap_or_default();
    let out = output.stdout();
    steps(out, &persisted, comparison)?;
    writeln!(out)?;
    for difference in &comparison.differences {
        let text = format!(
            "{} (events.jsonl:{})",
            escape(&difference.message),
            difference.line
        );
        paragraph(out, width(), "! ", "  ", &text)?;
    }
    writeln!(out, "{}", conclusion(comparison))
}

/// Both plans side by side, a step on each line.
fn steps(
    out: &mut dyn Write,
    persisted: &[[String; 3]],
    comparison: &PlanComparison,
) -> io::Result<()> {
    let glyphs = Glyphs::of(style(Color::Auto));
    let rebuilt = comparison.rebuilt.as_ref();
    let rebuilt = rebuilt.map(|plan| &*plan.steps).unwrap_or_default();
    let half = (width() - 7) / 2;
    let differing: BTreeSet<usize> = comparison.differences.iter().filter_map(step_of).collect();
    writeln!(
        out,
        "  {:half$}   rebuilt (events.jsonl)",
        "persisted (state.json)"
    )?;
    for index in 0..persisted.len().max(rebuilt.len()) {
        let left = persisted
            .get(index)
            .map(|[id, status, description]| cell(glyphs, id, status, description, half));
        let right = rebuilt.get(index).map(|step| {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let (id, status) = (text(&step.id), text(&step.status));
            cell(glyphs, &id, &status, &text(&step.description), half)
        });
        // A plan that is compared with nothing has no steps that differ.
        let is_alone = left.is_some() != right.is_some() && !comparison.differences.is_empty();
        let mark = if is_alone || differing.contains(&index) {
            "!"
        } else {
            " "
        };
        let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
        let padding = half.saturating_sub(columns_of(&left));
        writeln!(
            out,
            "{}",
            format!("{mark} {left}{:padding$} {} {right}", "", glyphs.bar).trim_end()
        )?;
    }
    Ok(())
}

/// The step of the persisted plan that a difference is in, counted from 0.
fn step_of(difference: &PlanDifference) -> Option<usize> {
    let step = difference.pointer.strip_prefix("/plan/steps/")?;
    step.split('/').next()?.parse().ok()
}

fn conclusion(comparison: &PlanComparison) -> String {
    match (
        &comparison.unjudged,
        &comparison.rebuilt,
        comparison.differs_from(),
    ) {
        (Some(reason), ..) => format!("not judged: {reason}"),
        (None, None, _) => "the timeline has no plan event, so no plan can be rebuilt".into(),
        (None, Some(_), Some(line)) => {
            format!("the plan differs from the timeline from line {line} of events.jsonl on")
        }
        (None, Some(_), None) => {
            "the persisted plan equals the one rebuilt from the timeline".into()
        }
    }
}

fn persisted_steps(state: &OwnedDocument) -> Vec<[String; 3]> {
    let steps = state.root().get("plan").and_then(|plan| plan.get("steps"));
    let text = |step: Node<'_>, key: &str| {
        step.get(key)
            .and_then(Node::text)
            .unwrap_or_default()
            .into_owned()
    };
    let items = steps.into_iter().flat_map(Node::items);
    items
        .map(|step| ["id", "status", "description"].map(|key| text(step, key)))
        .collect()
}

/// A step in one line. A step that is only a label has neither an id nor a status.
fn cell(glyphs: &Glyphs, id: &str, status: &str, description: &str, columns: usize) -> String {
    let step = if id.is_empty() && status.is_empty() {
        format!("  {description}")
    } else {
        format!("{} {id} {status}: {description}", glyphs.status(status))
    };
    fit(&step, columns)
}
