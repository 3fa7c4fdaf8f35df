//! `runvet plan`: the plan rebuilt from the timeline beside the persisted one.

use std::io;

use clap::Args;

use super::output::{Color, Glyphs, Output, style, width};
use super::run_data::RunDataArgs;
use super::{Exit, Failure};
use crate::document::{Node, OwnedDocument};
use crate::plan::{Comparison, Step, compare};
use crate::printable::{escape, fit};
use crate::read::Stored;
use crate::report::{paragraph, write_json, write_json_text};

/// Show the plan that the timeline tells beside the persisted one
///
/// Steps that differ are marked, and each difference names the event that caused it.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  $ runvet plan ep_03 --run-data corpus/demo
    persisted (state.json)                 rebuilt (events.jsonl)
    ✓ step-1 done: Collect the open tic… │ ✓ step-1 done: Collect the open tic…
  ! ○ step-2 pending: Summarize the tic… │ ✓ step-2 done: Summarize the tickets
  …
  the plan and the timeline part at line 6 of events.jsonl")]
pub(in crate::cli) struct Plan {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its id, the beginning of it, @latest, or a path
    episode: String,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let episode = self.run_data.episode(&self.episode)?;
        let comparison = compare(&episode)?;
        let state = episode.state().map(Stored::into_document).ok();
        let persisted = state.as_ref().and_then(|state| state.root().get("plan"));
        if self.json {
            let out = output.stdout();
            out.write_all(b"{\"episode_id\":")?;
            write_json(out, &episode.id())?;
            out.write_all(b",\"persisted\":")?;
            write_json_text(out, persisted.map_or("null", Node::raw))?;
            out.write_all(b",\"comparison\":")?;
            write_json(out, &comparison)?;
            out.write_all(b"}\n")?;
        } else {
            table(output, state.as_ref(), &comparison)?;
        }
        Ok(Exit::Success)
    }
}

fn table(
    output: &mut Output,
    state: Option<&OwnedDocument>,
    comparison: &Comparison,
) -> io::Result<()> {
    let glyphs = Glyphs::of(style(Color::Auto));
    let persisted: Vec<[String; 3]> = state.map(persisted_steps).unwrap_or_default();
    let rebuilt = comparison
        .rebuilt
        .as_ref()
        .map(|plan| &*plan.steps)
        .unwrap_or_default();
    let half = (width() - 7) / 2;
    let out = output.stdout();
    writeln!(
        out,
        "  {:half$}   rebuilt (events.jsonl)",
        "persisted (state.json)"
    )?;
    for index in 0..persisted.len().max(rebuilt.len()) {
        let ours = persisted
            .get(index)
            .map(|[id, status, description]| cell(glyphs, id, status, description, half));
        let theirs = rebuilt.get(index).map(|step| {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let Step {
                id,
                status,
                description,
                ..
            } = step;
            cell(glyphs, &text(id), &text(status), &text(description), half)
        });
        let here = format!("/plan/steps/{index}");
        let below = format!("{here}/");
        let differs = |pointer: &str| pointer == here || pointer.starts_with(&below);
        let mark = if comparison
            .differences
            .iter()
            .any(|difference| differs(&difference.pointer))
        {
            "!"
        } else {
            " "
        };
        let (ours, theirs) = (ours.unwrap_or_default(), theirs.unwrap_or_default());
        let padding = half.saturating_sub(unicode_width::UnicodeWidthStr::width(&*ours));
        writeln!(
            out,
            "{}",
            format!("{mark} {ours}{:padding$} {} {theirs}", "", glyphs.bar).trim_end()
        )?;
    }
    writeln!(out)?;
    for difference in &comparison.differences {
        let text = format!(
            "{} (events.jsonl:{})",
            escape(&difference.message),
            difference.line
        );
        paragraph(out, width(), "! ", "  ", &text)?;
    }
    match (
        &comparison.unjudged,
        &comparison.rebuilt,
        comparison.parts_at(),
    ) {
        (Some(reason), ..) => writeln!(out, "not judged: {reason}"),
        (None, None, _) => writeln!(out, "the timeline has no plan event to rebuild a plan from"),
        (None, Some(_), Some(line)) => writeln!(
            out,
            "the plan and the timeline part at line {line} of events.jsonl"
        ),
        (None, Some(_), None) => {
            writeln!(out, "the persisted plan is the one that the timeline tells")
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

fn cell(glyphs: &Glyphs, id: &str, status: &str, description: &str, columns: usize) -> String {
    fit(
        &format!("{} {id} {status}: {description}", glyphs.status(status)),
        columns,
    )
}
