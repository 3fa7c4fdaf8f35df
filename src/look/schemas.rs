//! The name of a schema that ships with runvet -> its text.

pub(crate) mod generated;

use crate::ground::document::Node;
use crate::ground::words::words;
use crate::look::table::Table;
use crate::reading::schema::{self, checked_in};

/// A schema that ships with runvet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schema {
    /// `state.json`
    State,
    /// `summary.json`
    Summary,
    /// A line of `events.jsonl`
    Event,
    /// The output of `runvet validate --format json`
    Report,
    /// The output of `runvet view --json`
    View,
    /// The output of `runvet list --format json`
    List,
    /// The output of `runvet plan --json`
    Plan,
    /// The output of `runvet diff --json`
    Diff,
    /// The output of `runvet compare --format json`
    Compare,
    /// The output of `runvet compare --by TAG --format json`
    Groups,
    /// The output of `runvet impact --format json`
    Impact,
    /// The output of `runvet coverage --format json`
    Coverage,
    /// The output of `runvet rules --format json`
    Rules,
    /// A seal, which `runvet validate --output in-toto=FILE` writes
    Seal,
    /// A line that `runvet record` reads
    RecordCommand,
    /// A line that `runvet record` prints
    RecordAnswer,
    /// `runvet.toml`
    Config,
    /// A pack that `runvet.toml` names
    Pack,
    /// A row of `runvet table runs`
    TableRuns,
    /// A row of `runvet table steps`
    TableSteps,
    /// A row of `runvet table actions`
    TableActions,
    /// A row of `runvet table events`
    TableEvents,
    /// A row of `runvet table findings`
    TableFindings,
}

words!(pub Schema {
    State = "state",
    Summary = "summary",
    Event = "event",
    Report = "report",
    View = "view",
    List = "list",
    Plan = "plan",
    Diff = "diff",
    Compare = "compare",
    Groups = "groups",
    Impact = "impact",
    Coverage = "coverage",
    Rules = "rules",
    Seal = "seal",
    RecordCommand = "record-command",
    RecordAnswer = "record-answer",
    Config = "config",
    Pack = "pack",
    TableRuns = "table-runs",
    TableSteps = "table-steps",
    TableActions = "table-actions",
    TableEvents = "table-events",
    TableFindings = "table-findings",
});

impl Schema {
    const fn compiled(self) -> &'static schema::CompiledSchema {
        match self {
            Self::State => &schema::STATE,
            Self::Summary => &schema::SUMMARY,
            Self::Event => &schema::EVENT,
            Self::Report => checked_in!("report"),
            Self::View => checked_in!("view"),
            Self::List => checked_in!("list"),
            Self::Plan => checked_in!("plan"),
            Self::Diff => checked_in!("diff"),
            Self::Compare => checked_in!("compare"),
            Self::Groups => checked_in!("groups"),
            Self::Impact => checked_in!("impact"),
            Self::Coverage => checked_in!("coverage"),
            Self::Rules => checked_in!("rules"),
            Self::Seal => checked_in!("seal"),
            Self::RecordCommand => &schema::RECORD_COMMAND,
            Self::RecordAnswer => checked_in!("record-answer"),
            Self::Config => checked_in!("config"),
            Self::Pack => checked_in!("pack"),
            Self::TableRuns => Table::Runs.schema(),
            Self::TableSteps => Table::Steps.schema(),
            Self::TableActions => Table::Actions.schema(),
            Self::TableEvents => Table::Events.schema(),
            Self::TableFindings => Table::Findings.schema(),
        }
    }

    /// Returns the schema's text: byte for byte the file `schemas/<word>.schema.json`.
    ///
    /// ```
    /// let schema: serde_json::Value = serde_json::from_str(runvet::Schema::State.text()).unwrap();
    /// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    /// ```
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.compiled().text()
    }

    /// Returns `true` if the root of a document is valid against the schema.
    ///
    /// ```
    /// use runvet::{Schema, document::OwnedDocument};
    /// let is_event = |text: &[u8]| {
    ///     let document = OwnedDocument::read(text.to_vec()).unwrap();
    ///     Schema::Event.is_valid(document.root())
    /// };
    /// let event = br#"{"phase": "start", "timestamp": "2026-03-01T12:00:00Z", "payload": {}}"#;
    /// assert!(is_event(event));
    /// assert!(!is_event(b"{}"));
    /// ```
    #[must_use]
    pub fn is_valid(self, record: Node<'_>) -> bool {
        self.compiled()
            .violations(record.document())
            .is_ok_and(|violations| violations.is_empty())
    }
}
