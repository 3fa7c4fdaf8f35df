//! `runvet view`: the dashboard of one run, made to be read in ten seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use clap::{ArgMatches, Args};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::output::{Color, Glyphs, Output, instant_with_offset, seconds, style, width};
use super::run_data::RunDataArgs;
use super::settings::{Baselines, GateArgs};
use super::{Exit, Failure};
use crate::check::Check;
use crate::document::{Kind, Node, OwnedDocument};
use crate::finding::{Finding, Lifecycle, Severity, Skip, Suppressed, Suppression};
use crate::gate::Gate;
use crate::plan::Comparison;
use crate::printable::{brief, escape, fit};
use crate::read::{Episode, Error};
use crate::report::{Style, count, nothing_found, paragraph, write_json, write_json_text};
use crate::source::{Artifact, leads_to};
use crate::view::{self, Moment, Timeline, Verdict};

/// Lines of a section that are shown at most.
const SECTION_LINES: usize = 12;

/// Show one run at a glance, and whether it can be trusted
///
/// Header, plan, timeline, actions, beliefs, facts, verification, metrics, links, and the verdict
/// of a check. A run that goes on or is broken shows what can be shown and says what can't.
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
  Verdict: not to be trusted, errors: 2, warnings: 0
    the plan and the timeline part at line 6 of events.jsonl (runvet plan)
  …
  $ runvet view ep_03 --run-data corpus/demo --events --phase plan
       3   +0.020s plan       planner.minimal  steps: 3")]
pub(in crate::cli) struct View {
    #[command(flatten)]
    run_data: RunDataArgs,

    /// The run: its id, the beginning of it, @latest, or a path
    episode: String,

    /// Print one JSON object: ids and paths, the records, the plan, counts of events, and the
    /// findings
    #[arg(long)]
    json: bool,

    /// Print the timeline instead, an event on each line
    #[arg(long, conflicts_with = "json")]
    events: bool,

    /// Print the timeline, but only events of this phase
    #[arg(long, conflicts_with = "json")]
    phase: Option<String>,

    /// Print the timeline, but only events whose line contains this text
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
        let episode = self.run_data.episode(&self.episode)?;
        if self.events || self.phase.is_some() || self.grep.is_some() {
            return self.timeline(&episode, output);
        }
        let view = view::View::of(&episode);
        let mut gate = self.gate.resolve(matches, Baselines::Read, output)?.gate;
        if self.json {
            json(output.stdout(), &episode, &view, &mut gate)?;
        } else {
            let style = style(self.color);
            let bold = style == Style::Colour;
            Page {
                output,
                width: width(),
                glyphs: Glyphs::of(style),
                bold,
            }
            .draw(&episode, &view, &mut gate)?;
        }
        Ok(Exit::Success)
    }

    /// Streams the timeline, line by line.
    fn timeline(&self, episode: &Episode, output: &mut Output) -> Result<Exit, Failure> {
        let mut lines = episode.event_texts()?;
        let mut started = None;
        let mut exit = Exit::Success;
        let columns = width();
        while let Some(read) = lines.next_document() {
            match read {
                Ok((line, event)) => {
                    let moment = Moment::of(line, event, &mut started);
                    let phase = event.get("phase").and_then(Node::text);
                    let of_phase =
                        self.phase.is_none() || self.phase.as_deref() == phase.as_deref();
                    if of_phase
                        && self
                            .grep
                            .as_ref()
                            .is_none_or(|text| event.raw().contains(text))
                    {
                        writeln!(
                            output.stdout(),
                            "{:>6} {}",
                            moment.line,
                            line_of(&moment, columns.saturating_sub(7))
                        )?;
                    }
                }
                Err(error) => {
                    output.fault(&error);
                    exit = Exit::Fault;
                }
            }
        }
        Ok(exit)
    }
}

/// An event in one line: when, phase, agent, what.
fn line_of(moment: &Moment, columns: usize) -> String {
    let offset = moment
        .offset
        .map_or_else(|| "?".into(), |offset| format!("{offset:+.3}s"));
    let line = format!(
        "{offset:>9} {:10} {:16} {}",
        fit(&moment.phase, 10),
        fit(&moment.agent, 16),
        moment.summary
    );
    fit(line.trim_end(), columns)
}

/// What `--json` prints besides the records.
#[derive(Serialize)]
struct Rest<'v> {
    plan: &'v Comparison,
    events: Counts<'v>,
    lifecycle: Lifecycle,
    valid: bool,
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

/// The verdict on a run, judged as `runvet validate` judges it.
fn verdict(episode: &Episode, gate: &mut Gate) -> Result<Verdict, Failure> {
    Ok(Verdict::of(episode, &Check::new(), gate)?)
}

fn json(
    out: &mut dyn Write,
    episode: &Episode,
    view: &view::View,
    gate: &mut Gate,
) -> Result<(), Failure> {
    let verdict = verdict(episode, gate)?;
    out.write_all(b"{\"episode_id\":")?;
    write_json(out, &view.entry.episode_id)?;
    out.write_all(b",\"episode_dir\":")?;
    write_json(out, &episode.path().to_string_lossy())?;
    let path = |artifact: Artifact| {
        episode
            .artifact(artifact)
            .map(|path| path.to_string_lossy().into_owned())
    };
    let named = |artifact: Artifact| {
        (
            artifact.file_name().split('.').next().unwrap_or_default(),
            path(artifact),
        )
    };
    let artifacts: BTreeMap<&str, Option<String>> = Artifact::ALL.into_iter().map(named).collect();
    out.write_all(b",\"artifacts\":")?;
    write_json(out, &artifacts)?;
    for (name, record) in [("state", &view.state), ("summary", &view.summary)] {
        write!(out, ",\"{name}\":")?;
        write_json_text(
            out,
            record.as_ref().map_or("null", |record| record.root().raw()),
        )?;
    }
    let timeline = Timeline::of(episode);
    let rest = Rest {
        plan: &verdict.plan,
        events: Counts {
            total: timeline.events,
            phases: &timeline.phases,
            broken_lines: timeline.broken_lines,
        },
        lifecycle: verdict.report.lifecycle,
        valid: verdict.report.valid,
        findings: &verdict.report.findings,
        skipped: &verdict.report.skipped,
        suppressed: &verdict.report.suppressed,
    };
    let mut text = Vec::new();
    write_json(&mut text, &rest)?;
    out.write_all(b",")?;
    out.write_all(text.get(1..).unwrap_or_default())?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Draws a dashboard.
struct Page<'o> {
    output: &'o mut Output,
    width: usize,
    glyphs: &'static Glyphs,
    bold: bool,
}

impl Page<'_> {
    /// Draws what the records say at once, then what takes a walk over the timeline.
    fn draw(
        mut self,
        episode: &Episode,
        view: &view::View,
        gate: &mut Gate,
    ) -> Result<(), Failure> {
        let state = view.state.as_ref().ok().map(OwnedDocument::root);
        let summary = view.summary.as_ref().ok().map(OwnedDocument::root);
        self.header(episode, view, state, summary)?;
        self.plan(state)?;
        self.actions(state)?;
        self.memory(state)?;
        self.verification(summary)?;
        self.metrics(summary)?;
        self.links(view, state)?;
        self.output.finish()?;
        self.timeline(&Timeline::of(episode))?;
        self.output.finish()?;
        self.verdict(&verdict(episode, gate)?)?;
        Ok(())
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output.stdout(), "{}", fit(text.trim_end(), self.width))
    }

    /// Writes a text on as many lines as it takes.
    fn paragraph(&mut self, indent: &str, text: &str) -> io::Result<()> {
        paragraph(
            self.output.stdout(),
            self.width,
            indent,
            &format!("{indent}  "),
            text,
        )
    }

    fn title(&mut self, title: &str) -> io::Result<()> {
        let title = fit(title, self.width);
        if self.bold {
            writeln!(self.output.stdout(), "\n\u{1b}[1m{title}\u{1b}[0m")
        } else {
            writeln!(self.output.stdout(), "\n{title}")
        }
    }

    /// Shows the first lines of a section, and says how many more there are.
    fn lines(&mut self, lines: impl ExactSizeIterator<Item = String>) -> io::Result<()> {
        let more = lines.len().saturating_sub(SECTION_LINES);
        for line in lines.take(SECTION_LINES) {
            self.line(&line)?;
        }
        if more > 0 {
            self.line(&format!("  … and {more} more"))
        } else {
            Ok(())
        }
    }

    fn header(
        &mut self,
        episode: &Episode,
        view: &view::View,
        state: Option<Node<'_>>,
        summary: Option<Node<'_>>,
    ) -> io::Result<()> {
        let entry = &view.entry;
        let id = fit(&entry.episode_id, self.width);
        if self.bold {
            writeln!(self.output.stdout(), "\u{1b}[1m{id}\u{1b}[0m")?;
        } else {
            writeln!(self.output.stdout(), "{id}")?;
        }
        if let Some(task) = &entry.task {
            self.line(task)?;
        }
        let mode = summary
            .and_then(|summary| summary.at(&["flags", "mode"]))
            .map(|mode| format!("mode {}", fit(&shown(mode), 20)));
        let adapter = state
            .and_then(|state| state.at(&["episode", "using"]))
            .map(|using| fit(&shown(using), 30));
        let parts = [
            entry
                .status
                .as_deref()
                .map(|status| format!("status {}", fit(status, 20))),
            entry
                .outcome
                .as_deref()
                .map(|outcome| format!("outcome {}", fit(outcome, 20))),
            entry
                .started_at
                .as_deref()
                .map(|started| format!("started {}", instant_with_offset(started))),
            entry
                .duration_sec
                .map(|duration| format!("took {}", seconds(duration))),
            mode,
            adapter,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            self.paragraph("", &parts.join(" · "))?;
        }
        // A path is there to be copied, so it is never cut.
        writeln!(
            self.output.stdout(),
            "{}",
            escape(&episode.path().to_string_lossy())
        )?;
        for (name, error) in [
            ("state.json", view.state.as_ref().err()),
            ("summary.json", view.summary.as_ref().err()),
        ] {
            let is_due = name == "state.json" || view.entry.lifecycle != Lifecycle::NonTerminal;
            if let Some(Error::Artifact { reason, .. }) = error.filter(|_| is_due) {
                self.line(&format!("{name} can't be shown: {reason}"))?;
            }
        }
        Ok(())
    }

    fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        let report = &verdict.report;
        let of = |severity| {
            report
                .findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        let words = match (of(Severity::Error), of(Severity::Warning)) {
            (0, 0) if report.skipped.is_empty() => format!("valid, {}", nothing_found(report)),
            (0, 0) => nothing_found(report).into(),
            (0, warnings) => format!("valid, warnings: {warnings}"),
            (errors, warnings) => {
                format!("not to be trusted, errors: {errors}, warnings: {warnings}")
            }
        };
        self.title(&format!("Verdict: {words}"))?;
        if let Some(line) = verdict.plan.parts_at() {
            self.line(&format!(
                "  the plan and the timeline part at line {line} of events.jsonl (runvet plan)"
            ))?;
        }
        let by = |by| {
            report
                .suppressed
                .iter()
                .filter(|suppressed| suppressed.by == by)
                .count()
        };
        for (number, what) in [
            (by(Suppression::Ignore), "ignored"),
            (by(Suppression::Baseline), "in the baseline"),
        ] {
            if number > 0 {
                self.line(&format!("  {what}: {}", count(number as u64, "finding")))?;
            }
        }
        let unjudged: BTreeSet<&str> = report.skipped.iter().map(|skip| &*skip.rule).collect();
        if !unjudged.is_empty() {
            self.line(&format!(
                "  rules that could not be judged: {} (runvet validate tells why)",
                unjudged.len()
            ))?;
        }
        let mut findings: Vec<&Finding> = report.findings.iter().collect();
        findings.sort_by_key(|finding| finding.severity);
        for finding in findings.iter().take(SECTION_LINES) {
            let file = finding.location.file.rsplit('/').next().unwrap_or_default();
            let line = finding
                .location
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let (severity, rule, message) = (
                finding.severity.word(),
                &finding.rule,
                escape(&finding.message),
            );
            self.paragraph(
                "  ",
                &format!("{severity} {rule} ({file}{line}): {message}"),
            )?;
        }
        let more = findings.len().saturating_sub(SECTION_LINES);
        if more > 0 {
            self.line(&format!("  … and {more} more (runvet validate)"))
        } else {
            Ok(())
        }
    }

    fn plan(&mut self, state: Option<Node<'_>>) -> io::Result<()> {
        let Some(plan) = state.and_then(|state| state.get("plan")) else {
            return Ok(());
        };
        let source = plan
            .get("source")
            .map(|source| format!(" by {}", shown(source)))
            .unwrap_or_default();
        self.title(&format!("Plan{source}"))?;
        let steps: Vec<Node<'_>> = plan
            .get("steps")
            .into_iter()
            .flat_map(Node::items)
            .collect();
        let glyphs = self.glyphs;
        let line = |step: &Node<'_>| {
            let text = |key: &str| step.get(key).map(shown).unwrap_or_default();
            format!(
                "  {} {:10} {:8} {:8} {}",
                glyphs.status(&text("status")),
                text("id"),
                text("kind"),
                text("status"),
                text("description")
            )
        };
        self.lines(steps.iter().map(line))
    }

    fn timeline(&mut self, timeline: &Timeline) -> io::Result<()> {
        if let Some(fault) = &timeline.fault {
            return self.title(&format!("Timeline: can't be shown: {fault}"));
        }
        let mut phases: Vec<(&String, &u64)> = timeline.phases.iter().collect();
        phases.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let phases: Vec<String> = phases
            .into_iter()
            .map(|(phase, count)| format!("{} {count}", fit(phase, 20)))
            .collect();
        self.title(&format!("Timeline, events: {}", timeline.events))?;
        if !phases.is_empty() {
            self.paragraph("  ", &phases.join(" · "))?;
        }
        for moment in &timeline.first {
            self.line(&format!("  {}", line_of(moment, self.width)))?;
        }
        let shown = (timeline.first.len() + timeline.last.len()) as u64;
        if timeline.events > shown {
            self.line(&format!(
                "  … {} more (runvet view --events)",
                timeline.events - shown
            ))?;
        }
        for moment in &timeline.last {
            self.line(&format!("  {}", line_of(moment, self.width)))?;
        }
        if timeline.broken_lines > 0 {
            self.line(&format!(
                "  lines that are no events: {}",
                timeline.broken_lines
            ))?;
        }
        Ok(())
    }

    fn actions(&mut self, state: Option<Node<'_>>) -> io::Result<()> {
        let actions: Vec<Node<'_>> = state
            .and_then(|state| state.at(&["outcomes", "actions"]))
            .into_iter()
            .flat_map(Node::items)
            .collect();
        if actions.is_empty() {
            return Ok(());
        }
        self.title(&format!("Actions: {}", actions.len()))?;
        let line = |action: &Node<'_>| {
            let text = |key: &str| action.get(key).map(shown).unwrap_or_default();
            format!(
                "  {:10} {:10} {:20} {:8} {}",
                text("id"),
                text("step_id"),
                text("tool"),
                text("result_status"),
                text("input_excerpt")
            )
        };
        self.lines(actions.iter().map(line))
    }

    fn memory(&mut self, state: Option<Node<'_>>) -> io::Result<()> {
        let items = |path: &[&str]| {
            state
                .and_then(|state| state.at(path))
                .into_iter()
                .flat_map(Node::items)
                .collect::<Vec<_>>()
        };
        let text = |node: &Node<'_>, key: &str| node.get(key).map(shown).unwrap_or_default();
        let beliefs = items(&["beliefs"]);
        if !beliefs.is_empty() {
            self.title(&format!("Beliefs: {}", beliefs.len()))?;
            self.lines(beliefs.iter().map(|belief| {
                format!(
                    "  {:>5} {}",
                    text(belief, "confidence"),
                    text(belief, "statement")
                )
            }))?;
        }
        let facts = items(&["memory", "facts"]);
        if !facts.is_empty() {
            self.title(&format!("Facts: {}", facts.len()))?;
            self.lines(
                facts
                    .iter()
                    .map(|fact| format!("  {} = {}", text(fact, "key"), text(fact, "value"))),
            )?;
        }
        Ok(())
    }

    fn verification(&mut self, summary: Option<Node<'_>>) -> io::Result<()> {
        let Some(verification) = summary.and_then(|summary| summary.get("verification")) else {
            return Ok(());
        };
        let text = |key: &str| {
            verification
                .get(key)
                .filter(|value| !value.is_null())
                .map(shown)
        };
        let passed = match text("passed").as_deref() {
            Some("true") => "passed".into(),
            Some("false") => "failed".into(),
            Some(other) => other.to_owned(),
            None => "not verified".into(),
        };
        let error = text("error")
            .map(|error| format!(", {error}"))
            .unwrap_or_default();
        let assertions = verification
            .get("assertions")
            .map_or(0, |assertions| assertions.items().count());
        self.title(&format!(
            "Verification: {passed}{error}, assertions: {assertions}"
        ))?;
        let Some(diff) = verification.get("workspace_diff") else {
            return Ok(());
        };
        let of = |key: &str, sign: &str| {
            let files = diff.get(key).into_iter().flat_map(Node::items);
            files
                .map(|file| format!("  {sign} {}", shown(file)))
                .collect::<Vec<_>>()
        };
        self.lines(
            [of("added", "+"), of("modified", "~"), of("deleted", "-")]
                .concat()
                .into_iter(),
        )
    }

    fn metrics(&mut self, summary: Option<Node<'_>>) -> io::Result<()> {
        let Some(metrics) = summary.and_then(|summary| summary.get("metrics")) else {
            return Ok(());
        };
        let scalars = metrics
            .members()
            .filter(|key| !matches!(key.value().kind(), Kind::Array | Kind::Object));
        let scalars: Vec<String> = scalars
            .map(|key| format!("{} {}", brief(&key.name()), shown(key.value())))
            .collect();
        self.title("Metrics")?;
        self.paragraph("  ", &scalars.join(" · "))?;
        let latencies: Vec<(String, f64)> = metrics
            .get("latencies")
            .into_iter()
            .flat_map(Node::members)
            .filter_map(|key| Some((brief(&key.name()), key.value().number()?.as_f64())))
            .collect();
        let longest = latencies
            .iter()
            .map(|(_, value)| *value)
            .fold(0.0, f64::max);
        let block = self.glyphs.block;
        self.lines(latencies.iter().map(|(name, value)| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of 24 columns"
            )]
            let length = if longest > 0.0 {
                (value / longest * 24.0).clamp(0.0, 24.0).round() as usize
            } else {
                0
            };
            format!("  {name:18} {:24} {value} ms", block.repeat(length))
        }))
    }

    fn links(&mut self, view: &view::View, state: Option<Node<'_>>) -> io::Result<()> {
        let Some(links) = state.and_then(|state| state.get("links")) else {
            return Ok(());
        };
        self.title("Links")?;
        let line = |key: crate::document::Key<'_>| {
            let target = shown(key.value());
            let artifact = Artifact::ALL
                .into_iter()
                .find(|artifact| artifact.link_key() == Some(&*key.name()));
            let link = key.value().text();
            let leads_to = |artifact: Artifact| {
                link.as_deref()
                    .is_some_and(|link| leads_to(link, artifact.file_name()))
            };
            let there = match artifact {
                Some(artifact) if !leads_to(artifact) => "leads elsewhere",
                Some(artifact) if view.artifacts.contains(&artifact) => "there",
                Some(_) => "missing",
                None => "",
            };
            let name = brief(&key.name());
            let padding = 10_usize.saturating_sub(name.width());
            format!("  {name}{:padding$} {target:20} {there}", "")
        };
        let drawn: Vec<String> = links.members().map(line).collect();
        self.lines(drawn.into_iter())
    }
}

/// A value as the dashboard shows it: a text without its quotes.
fn shown(node: Node<'_>) -> String {
    node.text()
        .map_or_else(|| brief(node.raw()), |text| brief(&text))
}
