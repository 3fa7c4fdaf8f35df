//! `runvet schema infer`: values of runs -> a first schema of them.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::output::Output;
use crate::cli::run_data::RunDataArgs;
use crate::cli::{CommandFailure, Exit, Result};
use crate::ground::document::Node;
use crate::ground::select::{Glob, KeyPath, Selector, SelectorValue, Values, Wanted, key_path};
use crate::ground::source::Artifact;
use crate::look::read::{RunData, RunReader};
use crate::reading::schema::Inferred;
use crate::report::write_json_text;

/// Propose a first schema for an open part of events or actions, from existing runs
///
/// The schema allows all values that it finds. It requires a key that is always present. If a few
/// texts repeat, it allows only these texts. Edit the schema, and name it in `[[schema]]` of
/// `runvet.toml`.
#[derive(Args)]
#[command(after_long_help = "\
Example:
  runvet schema infer runs/ --where tool=refund --at /payload/input > refund.schema.json")]
pub(super) struct Infer {
    /// Run-data directories, episode directories, or artifact files [default: the nearest run data]
    paths: Vec<PathBuf>,

    /// Use only events or actions with this value under this key; repeatable, all must match
    ///
    /// A key is `phase`, `event_type`, `agent_id`, `tool`, `kind`, or a JSON Pointer. A value is a
    /// number, `true`, `false`, or a text in which `*` stands for any characters.
    #[arg(long = "where", value_name = "KEY=VALUE")]
    selector: Vec<String>,

    /// The JSON Pointer to the part of the record; without it, the whole record
    #[arg(
        long,
        value_name = "POINTER",
        default_value = "",
        hide_default_value = true
    )]
    at: String,

    /// The record
    #[arg(long, default_value = "event")]
    record: InferredRecord,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum InferredRecord {
    /// An event of the timeline
    Event,
    /// An item of `outcomes.actions` in the state
    Action,
}

impl Infer {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let at = KeyPath::parse(&self.at).ok_or_else(|| {
            CommandFailure::Fault(format!("--at {}: a JSON Pointer starts with `/`", self.at))
        })?;
        let tests = self
            .selector
            .iter()
            .map(|written| self.test(written));
        let selector = Selector {
            tests: tests.collect::<Result<_, _>>()?,
        };
        let runs = if self.paths.is_empty() {
            RunDataArgs::of_environment().open()?
        } else {
            RunData::find(&self.paths)?
        };

        let mut inferred = Inferred::default();
        let mut is_whole = runs.faults().is_empty();
        for fault in runs.faults() {
            output.fault(fault);
        }

        for run in runs.iter() {
            let mut add = |record: Node<'_>| {
                if selector.names(record) == Ok(true)
                    && let Some(value) = at.of(record)
                {
                    inferred.add(value);
                }
            };

            if let Err(error) = self.each(&run, &mut add) {
                output.fault(&error);
                is_whole = false;
            }
        }

        if inferred.values == 0 {
            output.fault(&"the runs have no value that `--where` and `--at` select, so runvet can't propose a schema");
            return Ok(if is_whole {
                Exit::NothingFound
            } else {
                Exit::Fault
            });
        }

        let mut schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema"});
        if let (Value::Object(schema), Value::Object(found)) = (&mut schema, inferred.schema()) {
            schema.extend(found);
        }

        write_json_text(output.stdout(), &format!("{schema:#}"))?;
        writeln!(output.stdout())?;
        Ok(if is_whole { Exit::Success } else { Exit::Fault })
    }

    /// Returns a test of a value, as it is written.
    fn test(&self, written: &str) -> Result<(KeyPath, Wanted)> {
        let (key, value) = written.split_once('=').ok_or_else(|| {
            CommandFailure::Fault(format!(
                "--where {written}: expected KEY=VALUE, such as tool=refund"
            ))
        })?;
        let path = key_path(key, self.record == InferredRecord::Action).ok_or_else(|| {
            CommandFailure::Fault(format!(
                "--where {written}: a key is phase, event_type, agent_id, tool, kind, or a JSON \
                 Pointer"
            ))
        })?;
        let wanted = match serde_json::from_str(value) {
            Ok(Value::Bool(value)) => SelectorValue::Boolean(value),
            Ok(Value::Number(_)) => SelectorValue::Number(value.to_owned()),
            Ok(Value::String(text)) => SelectorValue::Text(Glob::new(&text)),
            _ => SelectorValue::Text(Glob::new(value)),
        };

        Ok((
            path,
            Wanted::OneOf(Values {
                items: vec![wanted],
            }),
        ))
    }

    /// Passes the actions or the events of a run to `add`: none where their file is missing.
    fn each(
        &self,
        run: &RunReader,
        add: &mut dyn FnMut(Node<'_>),
    ) -> Result<(), crate::look::read::Error> {
        if self.record == InferredRecord::Action {
            if run.artifact(Artifact::State).is_some() {
                run.state()?
                    .object()
                    .at(&["outcomes", "actions"])
                    .into_iter()
                    .flat_map(Node::items)
                    .for_each(add);
            }

            return Ok(());
        }

        if run.artifact(Artifact::Events).is_none() {
            return Ok(());
        }

        let mut events = run.event_texts()?;
        let mut first = Ok(());
        while let Some(event) = events.next_document() {
            match event {
                Ok((_, event)) => add(event),
                Err(error) => first = first.and(Err(error)),
            }
        }

        first
    }
}
