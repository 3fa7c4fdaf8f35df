//! `runvet view`: one run -> its dashboard, made to be read in ten seconds.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args};
use serde::Serialize;
use serde_json::value::RawValue;

use super::output::{Color, Output, style, width};
use super::phases::slip;
use super::run_data::RunArgs;
use super::settings::{Baselines, GateArgs};
use super::usage::{GATE, refuse};
use super::{Exit, Failure};
use crate::check::Check;
use crate::document::OwnedDocument;
use crate::finding::{Finding, Lifecycle, Skip, Suppressed};
use crate::gate::Gate;
use crate::plan::PlanComparison;
use crate::printable::{brief, quote};
use crate::read::RunReader;
use crate::report::{DashboardText, Style, count, raw_json, write_json};
use crate::source::Artifact;
use crate::view::{self, Checked, Moments};

/// Show one run at a glance, and whether its records can be trusted
///
/// The dashboard has a header, the plan, actions, beliefs, facts, verification, metrics, links, the
/// timeline, and what `runvet validate` finds. For a run that is in progress or broken, it shows
/// what it can and names what is missing.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  $ runvet view ep_03 --run-data corpus/demo
  ep_03_edited
  Summarize the open tickets
  …
  Plan by planner.minimal
    ✓ step-1     detect   done     Collect the open tickets
    ○ step-2     act      pending  Summarize the tickets
  …
  Run: succeeded (ok) · Records: 2 errors
    the plan differs from the timeline from line 6 on (runvet plan)
  …
  $ runvet view ep_03 --run-data corpus/demo --events --phase plan
       3   +0.020s plan       planner.minimal  steps: 3")]
pub(in crate::cli) struct View {
    #[command(flatten)]
    run: RunArgs,

    /// Print one JSON object: ids and paths, the records, the plan, counts of events, and the
    /// findings
    #[arg(long)]
    json: bool,

    /// Print the timeline instead, one event per line
    #[arg(long, conflicts_with = "json")]
    events: bool,

    /// Print only the events of this phase
    #[arg(long, conflicts_with = "json")]
    phase: Option<String>,

    /// Print only the events whose line contains this text
    #[arg(long, value_name = "TEXT", conflicts_with = "json")]
    grep: Option<String>,

    #[command(flatten)]
    gate: GateArgs,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

impl View {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
        let run = self.run.open(output)?;
        if self.events || self.phase.is_some() || self.grep.is_some() {
            refuse(matches, &GATE, "where only the timeline is printed")?;
            return self.timeline(&run, output);
        }
        let view = view::View::new(&run);
        let mut gate = self.gate.resolve(matches, Baselines::Read)?.gate;
        if self.json {
            json(output, &run, &view, &mut gate)?;
            return Ok(Exit::Success);
        }
        let text = DashboardText::new(style(self.color), width());
        text.overview(output.stdout(), &view.overview(&run))?;
        // The records are printed before the timeline is read, which may take long.
        output.finish()?;
        text.timeline(output.stdout(), &view::outline(&run))?;
        output.finish()?;
        let verdict = check(&run, &mut gate)?.verdict(&view.entry);
        text.verdict(output.stdout(), &verdict)?;
        Ok(Exit::Success)
    }

    /// Streams the timeline, line by line.
    fn timeline(self, run: &RunReader, output: &mut Output) -> Result<Exit, Failure> {
        let mut moments = Moments::open(run)?;
        if let Some(phase) = &self.phase {
            moments = moments.only_phase(phase.clone());
        }
        if let Some(text) = &self.grep {
            moments = moments.only_with(text.clone());
        }
        let text = DashboardText::new(Style::Plain, width());
        let (mut exit, mut is_empty) = (Exit::Success, true);
        for read in moments {
            match read {
                Ok(moment) => {
                    is_empty = false;
                    text.moment(output.stdout(), &moment)?;
                }
                Err(error) => {
                    output.fault(&error);
                    exit = Exit::Fault;
                }
            }
        }
        if is_empty {
            self.explain_none(run, output)?;
        }
        Ok(exit)
    }

    /// Says why no event was printed; a phase that nobody writes is a fault.
    fn explain_none(&self, run: &RunReader, output: &Output) -> Result<(), Failure> {
        let timeline = view::outline(run);
        if let Some(phase) = &self.phase
            && let Some(slip) = slip(phase, &timeline.phases)
        {
            return Err(Failure::Fault(slip));
        }
        let phase = self.phase.as_ref();
        let phase = phase.map(|phase| format!(" --phase {}", brief(phase)));
        let text = self.grep.as_ref();
        let text = text.map(|text| format!(" --grep {}", quote(text)));
        let filters = [phase, text].into_iter().flatten().collect::<String>();
        let events = count(timeline.events, "event");
        output.note(&match &*filters {
            "" => format!("the timeline has {events}"),
            filters => format!("none of {events} matches{filters}"),
        });
        Ok(())
    }
}

/// The output of `--json`.
#[derive(Serialize)]
struct Json<'v> {
    episode_id: &'v str,
    episode_dir: &'v str,
    artifacts: BTreeMap<&'v str, Option<String>>,
    state: Option<Box<RawValue>>,
    summary: Option<Box<RawValue>>,
    plan: &'v PlanComparison,
    events: Counts<'v>,
    lifecycle: Lifecycle,
    valid: Option<bool>,
    findings: &'v [Finding],
    skipped: &'v [Skip],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    suppressed: &'v [Suppressed],
}

#[derive(Serialize)]
struct Counts<'v> {
    total: u64,
    phases: &'v BTreeMap<String, u64>,
    broken_lines: u64,
}

/// Judges a run as `runvet validate` does.
fn check(run: &RunReader, gate: &mut Gate) -> Result<Checked, Failure> {
    Ok(Checked::new(run, &Check::new(), gate)?)
}

fn json(
    output: &mut Output,
    run: &RunReader,
    view: &view::View,
    gate: &mut Gate,
) -> Result<(), Failure> {
    let path = |artifact: Artifact| {
        let path = run.artifact(artifact)?;
        Some(path.to_string_lossy().into_owned())
    };
    let named = |artifact: Artifact| (artifact.name(), path(artifact));
    let record =
        |record: Option<&OwnedDocument>| record.map(|record| raw_json(record.root())).transpose();
    let (checked, timeline) = (check(run, gate)?, view::outline(run));
    let report = &checked.report;
    let json = Json {
        episode_id: &view.entry.episode_id,
        episode_dir: &run.path().to_string_lossy(),
        artifacts: Artifact::ALL.into_iter().map(named).collect(),
        state: record(view.state.as_ref().ok())?,
        summary: record(view.summary.as_ref().ok())?,
        plan: &checked.plan,
        events: Counts {
            total: timeline.events,
            phases: &timeline.phases,
            broken_lines: timeline.broken_lines,
        },
        lifecycle: report.lifecycle,
        valid: report.valid,
        findings: &report.findings,
        skipped: &report.skipped,
        suppressed: &report.suppressed,
    };
    write_json(output.stdout(), &json)?;
    writeln!(output.stdout())?;
    Ok(())
}
