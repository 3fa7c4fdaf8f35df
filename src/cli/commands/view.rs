//! `runvet view`: one run -> its dashboard, made to be read in ten seconds.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args};

use super::output::{Color, Output};
use super::run_data::RunArgs;
use super::settings::GateArgs;
use super::usage::{note_excluded, refuse_all};
use super::words::JsonArgs;
use super::{CommandFailure, Exit, Result};
use crate::ground::printable::{brief, quote};
use crate::ground::record::phases::KnownPhase;
use crate::ground::source::Artifact;
use crate::ground::words::Words as _;
use crate::look::read::RunReader;
use crate::look::view::{self, RunPage, event_summaries};
use crate::report::{count, write_json_line};

/// Show one run at a glance, and whether its records can be trusted
///
/// The dashboard has a header, the plan, actions, beliefs, facts, verification, metrics, links, the
/// timeline, and what `runvet validate` finds. For a run that is in progress or broken, it shows
/// what it can and names what is missing. The JSON has ids and paths, the records, the plan, counts
/// of events, and the findings; `runvet schema view` describes it.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  $ runvet view ep_03 --run-data corpus/demo
  ep_03_edited
  Summarize the open tickets
  …
  Plan by planner.minimal
    ✓ step-1     detect   done     Collect the open tickets
  ! ○ step-2     act      pending  Summarize the tickets
  …
  Run: succeeded (ok)
  Records: 2 errors
    the plan differs from the timeline from line 6 on: runvet plan corpus/demo/episodes/ep_03_edited
  …
  $ runvet view ep_03 --run-data corpus/demo --events --phase plan
       3   +0.020s plan       planner.minimal  steps: 3")]
pub(in crate::cli) struct ViewCommand {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    json: JsonArgs,

    /// Print the timeline instead, one event per line
    #[arg(long)]
    events: bool,

    /// Print only the events of this phase; repeatable
    #[arg(long = "phase", value_name = "PHASE")]
    phases: Vec<String>,

    /// Print only the events whose line contains this text
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(flatten)]
    gate: GateArgs,
}

impl ViewCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let is_json = self.json.is_json(self.color, matches)?;
        let run = self.run.open(output)?;
        if self.events || !self.phases.is_empty() || self.grep.is_some() {
            if is_json {
                return Err(CommandFailure::Fault(events_are_json(&run)));
            }
            refuse_all::<GateArgs>(matches, "where only the timeline is printed")?;
            return self.timeline(&run, output);
        }

        let mut gate = self.gate.resolve(matches)?.gate;
        note_excluded(&gate, &run, output);
        let run = run.following(&gate);
        if is_json {
            let page = RunPage::new(&run, &mut gate)?;
            write_json_line(output.stdout(), &page)?;
            return Ok(Exit::Success);
        }

        // What is known is printed before the timeline is read, which may take long.
        let overview = run.records().overview();
        output
            .text(self.color)
            .header(&overview)?;
        output.finish()?;

        let dashboard = view::dashboard(&run, &mut gate)?;
        let mut text = output.text(self.color);
        if let Some(reason) = &dashboard.reason {
            text.reason(reason)?;
        }

        text.records(&dashboard)?;
        text.timeline(&dashboard.timeline)?;
        text.verdict(&dashboard)?;

        Ok(Exit::Success)
    }

    /// Streams the timeline, line by line.
    fn timeline(self, run: &RunReader, output: &mut Output) -> Result {
        let events = event_summaries(run, &self.phases, self.grep.as_deref())?;
        let (mut exit, mut is_empty) = (Exit::Success, true);
        for read in events {
            match read {
                Ok(event) => {
                    is_empty = false;
                    output.text(self.color).event(&event)?;
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
    fn explain_none(&self, run: &RunReader, output: &Output) -> Result<()> {
        let timeline = view::outline(run);
        let mut phases = self.phases.iter();
        if let Some(typo) = phases.find_map(|phase| typo(phase, &timeline.phases)) {
            return Err(CommandFailure::Fault(typo));
        }

        let phases = self
            .phases
            .iter()
            .map(|phase| format!(" --phase {}", brief(phase)));
        let text = self.grep.as_ref();
        let text = text.map(|text| format!(" --grep {}", quote(text)));
        let filters = phases.chain(text).collect::<String>();
        let events = count(timeline.events, "event");

        output.note(&match &*filters {
            "" => format!("the timeline has {events}"),
            filters => format!("none of {events} matches{filters}"),
        });

        Ok(())
    }
}

/// Returns why events are not printed as JSON, and where to find them.
fn events_are_json(run: &RunReader) -> String {
    format!(
        "--json prints the whole run, not its events; each line of {} is one event in JSON",
        run.path()
            .join(Artifact::Events.file_name())
            .display()
    )
}

/// Returns the phases that runtimes are known to write.
fn known<'k>() -> Vec<&'k str> {
    KnownPhase::ALL
        .iter()
        .map(|phase| phase.word())
        .collect()
}

/// Returns why a phase is most likely misspelled: no runtime is known to write it, and it does not
/// occur among those that were counted.
fn typo(phase: &str, counted: &BTreeMap<String, u64>) -> Option<String> {
    if KnownPhase::of_word(phase).is_some() || counted.contains_key(phase) {
        return None;
    }

    let wanted: String = phase
        .chars()
        .take(64)
        .collect::<String>()
        .to_lowercase();
    let near = counted
        .keys()
        .map(String::as_str)
        .chain(known())
        .filter_map(|known| {
            let distance = strsim::osa_distance(&wanted, known);
            let limit = (wanted.chars().count() / 3).clamp(1, 3);
            (distance <= limit && known.len() <= 64).then_some((distance, known))
        });
    let help = near.min().map_or_else(
        || format!("runtimes write {}", known().join(", ")),
        |(_, near)| format!("did you mean `{}`?", brief(near)),
    );

    Some(format!("no event has the phase {}; {help}", quote(phase)))
}
