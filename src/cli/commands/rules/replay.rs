//! Recorded runs -> how often each rule that a team declares would have held back an act there.

use super::super::output::Output;
use super::super::{Exit, Result};
use crate::gate::Gate;
use crate::ground::finding::{Holds, Level, RuleInfo};
use crate::ground::printable::escape;
use crate::judge::rule::{Check, TeamCheck};
use crate::look::read::RunData;
use crate::policy::team::{Replay, Replayed, RunValues};

/// The number of acts that are shown for each rule.
const SHOWN: usize = 3;

/// Prints for each rule how many acts of the runs it would have held back, asked about or found.
pub(super) fn replay(mut gate: Gate, runs: &RunData, output: &mut Output) -> Result {
    let of_team = of_team(&gate);
    // An answer that the runs have is one to another question.
    let holding = |(info, _): &&(RuleInfo, TeamCheck)| info.holds != Some(Holds::End);
    let checks = of_team
        .iter()
        .filter(holding)
        .map(|(_, check)| (*check, false));
    let mut replay = Replay::new(gate.rule_set().team(), checks);
    let mut found = vec![0_usize; of_team.len()];
    let mut exit = Exit::Success;

    for fault in runs.faults() {
        output.fault(fault);
        exit = Exit::Fault;
    }

    let mut number = 0_u64;
    for run in runs.iter() {
        number += 1;
        replay.begin();
        let values = || RunValues {
            state: Ok(None),
            summary: Ok(None),
            run: None,
            counted: None,
        };

        let mut events = run.event_texts().ok();
        while let Some(event) = events
            .as_mut()
            .and_then(|events| events.next_document())
        {
            // The report of a check says what it means that a line is no event.
            if let Ok((line, event)) = event {
                replay.add(line, event, values);
            }
        }

        match run.judge(&mut gate) {
            Ok(report) => {
                for ((info, _), found) in of_team.iter().zip(&mut found) {
                    let of_rule = report
                        .findings
                        .iter()
                        .filter(|it| it.rule == *info.id);
                    *found += of_rule.count();
                }
            }
            Err(fault) => {
                output.fault(&fault);
                exit = Exit::Fault;
            }
        }
    }

    for ((info, check), found) in of_team.iter().zip(found) {
        print(info, found, &replay.of(*check), output)?;
    }
    if number == 0 {
        output.note("there are no runs to replay");
    }

    Ok(exit)
}

/// Returns the rules of the team that may hold an act back.
fn of_team(gate: &Gate) -> Vec<(RuleInfo, TeamCheck)> {
    gate.rule_set()
        .iter()
        .filter_map(|rule| match rule.check {
            Check::Team(TeamCheck::Vocabulary) | Check::BuiltIn(_) | Check::Hook => None,
            Check::Team(check) => Some((rule.info.clone(), check)),
        })
        .collect()
}

/// Prints what a rule would have held back, asked about or found.
fn print(info: &RuleInfo, found: usize, replayed: &Replayed, output: &mut Output) -> Result<()> {
    let (held, asked) = match info.level {
        Level::Ask => (0, replayed.acts),
        Level::Error => (replayed.acts, 0),
        _ => (0, 0),
    };

    let id = escape(&info.id);
    let out = output.stdout();
    writeln!(
        out,
        "{id}: {held} held back, {asked} asked about, {found} found"
    )?;
    for (act, times) in replayed
        .most_frequent(SHOWN)
        .into_iter()
        .filter(|_| held + asked > 0)
    {
        writeln!(out, "    {times} × {}", escape(act))?;
    }

    Ok(())
}
