//! `runvet plan`: a run -> its persisted plan beside the one rebuilt from the timeline.

use std::io::{self, Write};

use clap::{ArgMatches, Args};

use super::output::{Color, Halves, Output, style, width};
use super::run_data::RunArgs;
use super::usage::refuse_colour;
use super::words::JsonArgs;
use super::{Exit, Result};
use crate::document::{Node, OwnedDocument};
use crate::gate::Gate;
use crate::plan::{PlanComparison, PlanPage};
use crate::printable::{brief, escape};
use crate::report::{Glyphs, Paint, Style, StyledLine, count, paragraph, write_json_line};
use crate::view::OpenedRun;

/// Show the persisted plan beside the one rebuilt from the timeline
///
/// Steps that differ, or that one plan lacks, are marked with `!`; each difference names the line
/// of its event. Steps with a value that can't be compared are marked with `?`.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet plan ep_03 --run-data corpus/demo
    persisted (state.json)                 rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ! ○ step-2 pending: Summarize the tic… │ ✓ step-2 done: Summarize the tickets
  …
  the plan differs from the timeline from line 6 of events.jsonl on")]
pub(in crate::cli) struct PlanCommand {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    json: JsonArgs,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

impl PlanCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        if self.json.is_json() {
            refuse_colour(self.color, matches, "with --json")?;
        }
        let run = self.run.open(output)?;
        if self.json.is_json() {
            write_json_line(output.stdout(), &PlanPage::new(&run)?)?;
        } else {
            // The version does not decide what is compared, but a reader should know of it.
            let mut version = Gate::default().select(["state/version"])?;
            let (opened, report) = OpenedRun::judged(&run, &mut version)?;
            let state = opened.view.state.as_ref().ok();
            table(output, state, &opened.plan, style(self.color))?;
            if let Some(finding) = report.findings.first() {
                let message = escape(&finding.message);
                let text = format!("{message}; its plan is still compared");
                paragraph(output.stdout(), width(), "? ", "  ", &text)?;
            }
        }
        Ok(Exit::Success)
    }
}

fn table(
    output: &mut Output,
    state: Option<&OwnedDocument>,
    comparison: &PlanComparison,
    style: Style,
) -> io::Result<()> {
    let persisted: Vec<[String; 3]> = state.map(persisted_steps).unwrap_or_default();
    let out = output.stdout();
    steps(out, &persisted, comparison, style)?;
    writeln!(out)?;
    for difference in &comparison.differences {
        let text = format!(
            "{} (events.jsonl:{})",
            escape(&difference.message),
            difference.line
        );
        paragraph(out, width(), "! ", "  ", &text)?;
    }
    let uncompared = &comparison.uncompared;
    if let Some(first) = uncompared.first() {
        let what = count(uncompared.len() as u64, "value");
        let text = format!(
            "{what} not compared, because the state or the timeline violates the schema: {}{}",
            escape(first),
            if uncompared.len() > 1 { ", …" } else { "" }
        );
        paragraph(out, width(), "? ", "  ", &text)?;
    }
    writeln!(out, "{}", conclusion(comparison, !persisted.is_empty()))
}

/// Both plans side by side, a step on each line.
fn steps(
    out: &mut dyn Write,
    persisted: &[[String; 3]],
    comparison: &PlanComparison,
    style: Style,
) -> io::Result<()> {
    let (glyphs, is_coloured) = (Glyphs::of(style), style == Style::Colour);
    let rebuilt = comparison.rebuilt.as_ref();
    let rebuilt = rebuilt.map(|plan| &*plan.steps).unwrap_or_default();
    let title = StyledLine::default().text("persisted (state.json)");
    let lefts: Vec<StyledLine> = persisted
        .iter()
        .map(|[id, status, description]| cell(glyphs, id, status, description))
        .collect();
    let halves = Halves::new(width(), 7, lefts.iter().chain([&title]));
    let (half, title) = (halves.left, title.whole(false));
    writeln!(out, "  {title:half$}   rebuilt (events.jsonl)")?;
    let ids: Vec<&str> = persisted.iter().map(|[id, ..]| &**id).collect();
    for row in comparison.rows(&ids) {
        let left = row.persisted.and_then(|index| lefts.get(index)).cloned();
        let right = row.rebuilt.and_then(|index| rebuilt.get(index));
        let right = right.map(|step| {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let (id, status) = (text(&step.id), text(&step.status));
            cell(glyphs, &id, &status, &text(&step.description))
        });
        let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
        let (mark, paint) = match (row.differs, row.is_unsure) {
            (true, _) => ("!", Paint::Bad),
            (false, true) => ("?", Paint::Caution),
            (false, false) => (" ", Paint::Quiet),
        };
        let mark = StyledLine::default()
            .painted(mark, paint)
            .draw(1, is_coloured);
        let mark = if mark.is_empty() { " ".into() } else { mark };
        let cells = halves.draw([&left, &right], glyphs.bar, is_coloured);
        let line = format!("{mark} {cells}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn conclusion(comparison: &PlanComparison, has_steps: bool) -> String {
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
        // A plan with a list of no steps would differ in the number of steps.
        (None, Some(rebuilt), None) if rebuilt.steps.is_empty() && has_steps => {
            "the latest plan event lists no steps, so none can be compared".into()
        }
        (None, Some(_), None) if !comparison.uncompared.is_empty() => {
            "what can be compared of the persisted plan equals the rebuilt one".into()
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

/// Returns a step in one line. A step that is only a label has neither an id nor a status.
fn cell(glyphs: &Glyphs, id: &str, status: &str, description: &str) -> StyledLine {
    let (line, description) = (StyledLine::default(), brief(description));
    if id.is_empty() && status.is_empty() {
        return line.text("  ").text(&description);
    }
    let paint = Paint::of(status);
    line.painted(glyphs.status(status), paint)
        .text(&format!(" {} ", brief(id)))
        .painted(&brief(status), paint)
        .text(&format!(": {description}"))
}
