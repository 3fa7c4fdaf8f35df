//! `runvet plan`: a run -> its persisted plan beside the one rebuilt from the timeline.

use std::io;

use clap::{ArgMatches, Args};

use super::output::{Color, Output};
use super::run_data::RunArgs;
use super::words::JsonArgs;
use super::{Exit, Result};
use crate::gate::Gate;
use crate::ground::printable::escape;
use crate::look::plan::{PlanComparison, PlanPage};
use crate::look::view::OpenedRun;
use crate::reading::dashboard::PlanPair;
use crate::report::{DashboardText, Paint, SideRow, count, write_json_line};

/// Show the persisted plan beside the one rebuilt from the timeline
///
/// Steps that differ, or that one plan lacks, are marked with `!`; each difference names the line
/// of its event. Steps with a value that can't be compared are marked with `?`. `runvet schema
/// plan` describes the JSON.
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
        let is_json = self.json.is_json(self.color, matches)?;
        let run = self.run.open(output)?;
        if is_json {
            write_json_line(output.stdout(), &PlanPage::new(&run)?)?;
        } else {
            // The version does not decide what is compared, but a reader should know of it.
            let mut version = Gate::default().select(["state/version"])?;
            let opened = OpenedRun::judged(&run, &mut version)?;
            let mut text = output.text(self.color);
            text.plans(&opened)?;
            if let Some(finding) = opened.report.findings.first() {
                let message = escape(&finding.message);
                let sentence = format!("{message}; its plan is still compared");
                text.paragraph(["? ", "  "], &sentence)?;
            }
        }

        Ok(Exit::Success)
    }
}

impl DashboardText<'_> {
    fn plans(&mut self, opened: &OpenedRun) -> io::Result<()> {
        let (comparison, plan) = (&opened.plan, opened.plan_sides(usize::MAX));
        let rows: Vec<SideRow> = (plan.rows.first.iter())
            .map(|pair| row(self, pair))
            .collect();
        self.sides(["persisted (state.json)", "rebuilt (events.jsonl)"], &rows)?;
        writeln!(self.out)?;
        for difference in &comparison.differences {
            let (message, line) = (escape(&difference.message), difference.line);
            self.paragraph(["! ", "  "], &format!("{message} (events.jsonl:{line})"))?;
        }

        let uncompared = &comparison.uncompared;
        if let Some(first) = uncompared.first() {
            let what = count(uncompared.len() as u64, "value");
            let text = format!(
                "{what} not compared, because the state or the timeline violates the schema: {}{}",
                escape(first),
                if uncompared.len() > 1 { ", …" } else { "" }
            );
            self.paragraph(["? ", "  "], &text)?;
        }

        let has_steps = plan
            .rows
            .first
            .iter()
            .any(|pair| pair.persisted.is_some());

        writeln!(self.out, "{}", conclusion(comparison, has_steps))
    }
}

/// Returns the row of a step.
fn row(text: &DashboardText<'_>, pair: &PlanPair) -> SideRow {
    let mark = match (pair.differs, pair.is_unsure) {
        (true, _) => Some(("!", Paint::Bad)),
        (false, true) => Some(("?", Paint::Caution)),
        (false, false) => None,
    };

    let cells = [&pair.persisted, &pair.rebuilt]
        .map(|step| step.as_ref())
        .map(|step| {
            step.map(|step| text.step(step))
                .unwrap_or_default()
        });

    SideRow {
        mark,
        name: String::new(),
        cells,
    }
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
