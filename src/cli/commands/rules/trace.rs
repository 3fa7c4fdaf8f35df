//! A rule that a team declares and a run -> what it matches and compares there, and what follows.

use super::super::output::Output;
use super::super::{CommandFailure, Exit, Result};
use crate::gate::Gate;
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::finding::{Coverage, EpisodeReport};
use crate::ground::printable::escape;
use crate::ground::source::Artifact;
use crate::judge::rule::Check;
use crate::look::read::RunReader;
use crate::policy::team::{RunValues, Trace, run_as_json};

/// Prints what a rule does in a run.
pub(super) fn trace(gate: Gate, id: &str, run: &RunReader, output: &mut Output) -> Result {
    gate.find_rule(id)?;
    let rule = gate
        .rule_set()
        .iter()
        .find(|rule| rule.info.id == id);
    let Some(&Check::Team(check)) = rule.map(|rule| &rule.check) else {
        let why = "is built in; --trace shows rules that the configuration declares";
        return Err(CommandFailure::Fault(format!("{id} {why}")));
    };

    let mut trace = Trace::new(gate.rule_set().team(), check);
    let mut gate = gate.select([id])?.keep_coverage(true);
    let report = run.judge(&mut gate)?;
    let records = [Artifact::State, Artifact::Summary].map(|artifact| {
        run.artifact(artifact)
            .and_then(|_| run.document(artifact).ok())
    });
    let [state, summary] = records
        .each_ref()
        .map(|it| it.as_ref().map(OwnedDocument::root));
    let dir = run
        .path()
        .file_name()
        .map(|name| name.to_string_lossy());
    let records = [state, summary];
    let of_run = run_as_json(dir.as_deref(), Some(&report.id), report.lifecycle, records);
    let of_run = OwnedDocument::read(of_run).ok();
    let values = || RunValues {
        state: Ok(state),
        summary: Ok(summary),
        run: of_run.as_ref().map(OwnedDocument::root),
        counted: None,
    };

    // Some rules compare the numbers of all events with each.
    each_event(run, |(_, event)| trace.count(event));
    each_event(run, |event| trace.add(Some(event), values()));
    trace.add(None, values());
    let mut lines = vec![format!("{id} in {} ({})", report.dir, report.lifecycle)];
    lines.extend(trace.lines());
    lines.extend(result(id, &report));
    for line in lines {
        writeln!(output.stdout(), "{}", escape(&line))?;
    }

    Ok(Exit::Success)
}

/// Passes each event of a run with its line; the report says what lines without one mean for the
/// rule.
fn each_event(run: &RunReader, mut take: impl FnMut((u64, Node<'_>))) {
    let Ok(mut events) = run.event_texts() else {
        return;
    };
    while let Some(event) = events.next_document() {
        if let Ok(event) = event {
            take(event);
        }
    }
}

/// Returns what a report says of a rule.
fn result(id: &str, report: &EpisodeReport) -> Vec<String> {
    let coverage = report
        .coverage
        .as_ref()
        .and_then(|it| it.get(id))
        .copied();
    report
        .findings
        .iter()
        .map(ToString::to_string)
        .chain(
            report
                .skipped
                .iter()
                .map(|skip| format!("it can't be judged: {}", skip.reason)),
        )
        .chain(coverage.and_then(why_no_finding))
        .collect()
}

/// Returns the reason why a rule that was judged has no finding.
fn why_no_finding(coverage: Coverage) -> Option<String> {
    let why = match coverage {
        Coverage::Sound => "all that was compared is as it should be",
        Coverage::Nothing => "nothing is there to compare, or not until the run ends",
        _ => return None,
    };
    Some(format!("no finding: {why}"))
}
