//! The runs by which authors test their rules and orders, and their mistakes.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::reader::FileReader;
use crate::ground::document::{Kind, Tape};

/// A run, and where the rule finds something in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RunExampleTable")]
pub(in crate::policy) struct RunExample {
    /// The events, each as JSON. A `phase`, `timestamp`, `payload` or `episode_id` that is left out
    /// is filled in; times are one second apart.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(super) events: Vec<Spanned<String>>,
    /// The lines of the findings, counted from 1; 0 is a finding without a line.
    #[schemars(with = "Vec<u64>")]
    pub(super) fires: Spanned<Vec<u64>>,
    /// The lines of the acts that would be held back, counted from 1: each is asked about without
    /// its result, with the lines before it recorded.
    #[serde(default)]
    #[schemars(with = "Vec<u64>")]
    pub(super) holds: Option<Spanned<Vec<u64>>>,
    /// `true` if the run has ended [default: true].
    #[serde(default)]
    #[schemars(with = "bool")]
    pub(super) ended: Option<bool>,
    /// `state.json`: empty for no such file [default: a sound state with the
    /// plan and the actions of the events].
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) state: Option<Spanned<String>>,
    /// `summary.json`: empty for no such file [default: once the run has ended, a sound
    /// summary with the duration and the numbers of the events].
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) summary: Option<Spanned<String>>,
    /// The file and the line where it stands.
    #[serde(skip)]
    pub(super) place: String,
}

impl FileReader<'_> {
    /// Reads the runs by which a rule is tested.
    pub(super) fn run_examples(&mut self, tables: &[RunExample]) -> Vec<RunExample> {
        let mut examples = tables.to_vec();
        for example in &mut examples {
            for event in &example.events {
                let mut tape = Tape::default();
                let message = match tape.read(event.get_ref().as_bytes()) {
                    Ok(document) if document.root().kind() == Kind::Object => continue,
                    Ok(_) => "an event of an example is a JSON object".to_owned(),
                    Err(error) => format!("the event is not JSON: {error}"),
                };
                self.mistake(event.span(), message, None);
            }

            let records = [&example.state, &example.summary]
                .into_iter()
                .flatten();
            for record in records.filter(|record| !record.get_ref().is_empty()) {
                if let Err(error) = Tape::default().read(record.get_ref().as_bytes()) {
                    let message = format!("the record is not JSON: {error}");
                    self.mistake(record.span(), message, None);
                }
            }

            let span = example
                .events
                .first()
                .map_or_else(|| example.fires.span(), Spanned::span);
            example.place = self.file.place(&span);
        }

        examples
    }
}

impl RunExample {
    /// Returns the example as the page of its rule shows it.
    pub(super) fn shown(&self) -> String {
        let line = |line: &u64| match line {
            0 => "the whole run".to_owned(),
            line => format!("line {line}"),
        };

        let fires: Vec<String> = self
            .fires
            .get_ref()
            .iter()
            .map(line)
            .collect();
        let found = match &*fires {
            [] => "No finding".to_owned(),
            lines => format!("Findings: {}", lines.join(", ")),
        };

        let held = self
            .holds
            .as_ref()
            .map(|lines| match &**lines.get_ref() {
                [] => "; nothing is held back".to_owned(),
                lines => {
                    let lines: Vec<String> = lines.iter().map(line).collect();
                    format!("; held back: {}", lines.join(", "))
                }
            });
        let found = found + &held.unwrap_or_default();
        let end = match self.ended {
            Some(false) => ", in a run that has not ended",
            _ => "",
        };

        let records = [&self.state, &self.summary]
            .into_iter()
            .flatten();
        let texts: Vec<&str> = self
            .events
            .iter()
            .chain(records)
            .map(|text| text.get_ref().as_str())
            .collect();

        format!("{found}{end}:\n\n```json\n{}\n```", texts.join("\n"))
    }

    /// Returns the events, each with what its author left out of the envelope.
    pub(super) fn filled(&self) -> Vec<String> {
        (1..)
            .zip(&self.events)
            .map(|(number, event)| filled(event.get_ref(), number))
            .collect()
    }
}

fn filled(event: &str, number: u64) -> String {
    let mut tape = Tape::default();
    let document = tape.read(event.as_bytes()).ok();
    let lacks = |key: &str| document.is_some_and(|event| event.root().get(key).is_none());
    let (minute, second) = (number / 60 % 60, number % 60);
    let time = format!(
        "\"2026-01-01T{:02}:{minute:02}:{second:02}Z\"",
        number / 3_600 % 24
    );
    let mut filled = "{".to_owned();

    for (key, value) in [
        ("phase", "\"act\""),
        ("timestamp", &*time),
        ("episode_id", "\"ep_example\""),
        ("payload", "{}"),
    ] {
        if lacks(key) {
            let _ = write!(filled, "\"{key}\":{value},");
        }
    }

    let rest = event
        .trim_start()
        .strip_prefix('{')
        .unwrap_or_default();
    if rest.trim_start().starts_with('}') {
        filled.pop();
    }

    filled.push_str(rest);
    filled
}
