//! `runvet rules`: lists all rules, tests those of a team, and shows how one judges a run.

mod replay;
mod trace;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::explain::level_of;
use super::output::Output;
use super::run_data::RunDataArgs;
use super::settings::ConfigArgs;
use super::watching::stop_by_signals;
use super::words::{OutputFormat, format_of};
use super::{CommandFailure, Exit, Result, candidates};
use crate::gate::Gate;
use crate::ground::finding::RuleInfo;
use crate::ground::printable::escape;
use crate::judge::check::RuleList;
use crate::judge::rule::Check;
use crate::look::read::RunData;
use crate::policy::team::Trial;
use crate::report::{Grid, count, write_json_line};
use crate::store::read_text;

/// List every rule with its default level and the defect it finds
///
/// Rules that the configuration declares come last.
#[derive(Args)]
pub(in crate::cli) struct RulesCommand {
    /// How to print the list
    #[arg(long, default_value = "human", value_parser = format_of(FORMATS))]
    format: OutputFormat,

    /// Judge the examples of the rules that the configuration declares
    ///
    /// The exit code is 1 if an example does not give the result that it declares, or if a rule has
    /// no example in which it finds something.
    #[arg(long, conflicts_with = "format")]
    test: bool,

    /// With `--test`, also list built-in rules with the number of their cases in the corpus
    #[arg(long, requires = "test")]
    all: bool,

    /// With `--test`, judge the examples again whenever the configuration changes
    ///
    /// Files are looked at twice a second: the configuration, its packs and its schemas. Ctrl-C
    /// ends it, with the exit code of the last test.
    #[arg(long, requires = "test")]
    watch: bool,

    /// Show what the rule that `--rule` names does in this run: what each of its selectors matches,
    /// what is compared, and why nothing is found
    #[arg(long, value_name = "RUN", requires = "rule", conflicts_with_all = ["format", "test"])]
    trace: Option<String>,

    /// With `--trace`, the rule, which the configuration declares
    #[arg(long, value_name = "RULE", requires = "trace", add = ArgValueCandidates::new(candidates::rules))]
    rule: Option<String>,

    /// Show for each rule that the configuration declares how many acts of these runs it would have
    /// held back, asked about or found, and the three most frequent ones
    #[arg(long, value_name = "RUNS", num_args = 1.., conflicts_with_all = ["format", "test", "trace"])]
    replay: Vec<PathBuf>,

    #[command(flatten)]
    run_data: RunDataArgs,

    #[command(flatten)]
    config: ConfigArgs,
}

/// The formats of the list.
const FORMATS: &[OutputFormat] = &[OutputFormat::Human, OutputFormat::Json];

impl RulesCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        if self.watch {
            return self.test_again(output);
        }

        let gate = self.config.gate()?;
        if !self.replay.is_empty() {
            return replay::replay(gate, &RunData::find(&self.replay)?, output);
        }

        if let Some((run, rule)) = self
            .trace
            .as_deref()
            .zip(self.rule.as_deref())
        {
            let run = self.run_data.get(run, output)?;
            return trace::trace(gate, rule, &run, output);
        }

        let rules = gate.rule_set();
        if self.test {
            return test(&gate, self.all, output);
        }

        if self.format == OutputFormat::Json {
            write_json_line(output.stdout(), &RuleList::of(rules))?;
            return Ok(Exit::Success);
        }

        let row = |rule: &RuleInfo| [rule.id.to_string(), level_of(rule), rule.title.to_string()];
        let rows = gate.rules().map(row);
        Grid::new([""; 3], 0..0, rows).text(output.stdout(), "  ", [0, 0])?;

        Ok(Exit::Success)
    }

    /// Tests whenever a file changes, until a signal comes.
    fn test_again(&self, output: &mut Output) -> Result {
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        stop_by_signals(move || stop.store(true, Ordering::Relaxed))?;

        let Some(config) = self.config.path()? else {
            let message = "there is no configuration to watch; name it with --config";
            return Err(CommandFailure::Fault(message.into()));
        };

        let (mut exit, mut seen) = (Exit::Success, None);
        while !stopped.load(Ordering::Relaxed) {
            let gate = self.config.gate();
            let files = gate.as_ref().map(Gate::config_files);
            let now = (
                read_text(&config).ok(),
                files.map_err(|failure| format!("{failure:?}")),
            );
            if seen.as_ref() == Some(&now) {
                thread::sleep(LOOK);
                continue;
            }

            exit = match gate {
                Ok(gate) => test(&gate, self.all, output)?,
                Err(failure) => {
                    failure.tell(output);
                    Exit::Fault
                }
            };
            output.finish()?;
            output.note("waiting for a change of the configuration; Ctrl-C ends this");
            seen = Some(now);
        }

        Ok(exit)
    }
}

/// The interval at which files are checked for changes.
const LOOK: Duration = Duration::from_millis(500);

/// The number of cases that each built-in rule has in the corpus.
const CASES: &str = include_str!("../../judge/rules/cases.txt");

/// Judges the examples of all rules.
fn test(gate: &Gate, all: bool, output: &mut Output) -> Result {
    let rules = gate.rule_set();
    let mut exit = Exit::Success;
    let cases = CASES
        .lines()
        .filter_map(|line| line.split_once(' '));
    for (rule, cases) in cases.filter(|_| all) {
        writeln!(output.stdout(), "{rule}: {cases} in the corpus")?;
    }

    let team = rules.team();
    let mut has_any = false;
    for rule in rules.iter() {
        let Check::Team(check) = rule.check else {
            continue;
        };
        let Some(Trial {
            examples,
            wrong,
            notes,
        }) = team.test(check)
        else {
            continue;
        };

        has_any = true;
        let id = &rule.info.id;
        if wrong.is_empty() {
            let examples = count(examples as u64, "example");
            writeln!(
                output.stdout(),
                "{id}: {examples}, all with the declared result"
            )?;
        } else {
            exit = Exit::Findings;
        }

        let notes = notes
            .into_iter()
            .map(|note| format!("note: {note}"));
        for line in wrong.into_iter().chain(notes) {
            writeln!(output.stdout(), "{id}: {}", escape(&line))?;
        }
    }

    if !has_any {
        output.note("the configuration declares no rule that has examples, so none was tested");
    }
    for what in gate.outdated_rules() {
        output.note(&what);
    }

    Ok(exit)
}
