//! What a team declares of its runs, compiled -> what of a record it names, and judges.

mod events;
mod example;
mod message;
mod order;
mod plan;
mod rule;

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Node, Tape};
use crate::schema::{DeclaredSchema, TooManyViolations, Violation};
use crate::select::{Glob, KeyPath, Selector, Values};
use crate::source::{Artifact, Pointer};
use events::enabled;
pub(crate) use events::{Examined, Look, On, TeamEvents};
pub(crate) use example::RunExample;
pub(crate) use message::{Message, Word};
pub(crate) use order::{Automaton, Moment, Offence, Pattern, Sight, TeamOrder, TooMany, Why};
pub(crate) use plan::Plans;
pub(crate) use rule::{
    CountedEvents, FoundByRule, NAMES, Name, RunValues, Spent, TeamRule, run_as_json,
};

/// All that a team declares.
#[derive(Debug, Default)]
pub(crate) struct Team {
    pub(crate) schemas: Vec<TeamSchema>,
    pub(crate) orders: Vec<TeamOrder>,
    pub(crate) rules: Vec<TeamRule>,
    /// The keys whose values are closed sets, each with its values.
    pub(crate) vocabulary: Vec<Closed>,
    pub(crate) versions: Vec<Version>,
    pub(crate) files: Vec<OtherFile>,
}

/// The schema of a version of the state or of the summary that has none here.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) artifact: Artifact,
    pub(crate) is: Glob,
    pub(crate) schema: DeclaredSchema,
}

impl Team {
    /// The schema of a version of a record; the first that is declared for it.
    pub(crate) fn version(&self, artifact: Artifact, version: &str) -> Option<&DeclaredSchema> {
        let mut versions = self.versions.iter();
        let is = |it: &&Version| it.artifact == artifact && it.is.matches(version);
        versions.find(is).map(|version| &version.schema)
    }
}

/// A key of events with the set of its values.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) key: KeyPath,
    pub(crate) values: Values,
}

/// A schema for an open part of a record.
#[derive(Debug)]
pub(crate) struct TeamSchema {
    pub(crate) record: Judged,
    /// Which events, or which actions.
    pub(crate) selector: Selector,
    /// The part of the record.
    pub(crate) at: KeyPath,
    pub(crate) schema: DeclaredSchema,
    pub(crate) examples: Vec<Example>,
    /// When its file must be there.
    pub(crate) expect: Expect,
}

/// A value by which the author of a schema tests it.
#[derive(Debug)]
pub(crate) struct Example {
    /// As JSON.
    pub(crate) value: String,
    /// Whether the schema is to allow it.
    pub(crate) valid: bool,
    /// The file and the line where it stands.
    pub(crate) place: String,
}

/// The record that a schema judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Event,
    /// Each item of `outcomes.actions` in the state.
    Action,
    /// A whole artifact; of `learn.jsonl` each line.
    Whole(Artifact),
    /// Another file of the episode, by its place among those that are named.
    Other(usize),
}

/// A file besides the artifacts that schemas judge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OtherFile {
    /// Its name in the episode's directory.
    pub(crate) name: Arc<str>,
}

impl OtherFile {
    /// Whether each line is judged.
    pub(crate) fn has_lines(&self) -> bool {
        self.name.ends_with(".jsonl")
    }
}

/// When a file must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, transform = crate::record::describe_values)]
pub(crate) enum Expect {
    /// In every run.
    Always,
    /// In runs that have ended.
    Ended,
    /// In no run: the file is optional.
    Optional,
}

impl Judged {
    /// The artifact that holds it, if one does.
    pub(crate) fn artifact(self) -> Option<Artifact> {
        match self {
            Self::Event => Some(Artifact::Events),
            Self::Action => Some(Artifact::State),
            Self::Whole(artifact) => Some(artifact),
            Self::Other(_) => None,
        }
    }

    /// As messages name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Event => "the event",
            Self::Action => "the action",
            Self::Whole(Artifact::State) => "the state",
            Self::Whole(Artifact::Summary) => "the summary",
            Self::Whole(Artifact::Learn) => "the line",
            Self::Whole(_) => "the manifest",
            Self::Other(_) => "the record",
        }
    }
}

impl TeamSchema {
    /// What is wrong with its examples, each as a line.
    pub(crate) fn failures(&self) -> Vec<String> {
        let wrong = self.examples.iter().filter_map(|example| {
            let Example {
                value,
                valid,
                place,
            } = example;
            let mut tape = Tape::default();
            let document = tape.read(value.as_bytes()).ok()?;
            let found = self.schema.violations(document.root(), &Pointer::default());
            let first = found.map_or(Some("it has too many violations".into()), |violations| {
                let first = violations.first();
                first.map(|violation| violation.message("the value"))
            });
            match (first, valid) {
                (Some(first), true) => Some(format!(
                    "{place}: the example is declared valid, but the schema refuses it: {first}"
                )),
                (None, false) => Some(format!(
                    "{place}: the example is declared invalid, but the schema allows it"
                )),
                _ => None,
            }
        });
        let mut wrong: Vec<String> = wrong.collect();
        if self.examples.iter().all(|example| example.valid) {
            wrong.push("the schema has no example in which it finds something".into());
        }
        wrong
    }
}

/// What a schema finds in a value.
pub(crate) type Found = Result<Vec<Violation>, TooManyViolations>;

impl TeamSchema {
    /// Judges a record at a place of its document; `None` where it has nothing to say of it.
    pub(crate) fn judge(&self, record: Node<'_>, place: &Pointer) -> Option<Found> {
        Some(self.judge_part(self.at.of(record)?, place))
    }

    /// Judges the part of a record at a place that it is about.
    pub(crate) fn judge_part(&self, value: Node<'_>, place: &Pointer) -> Found {
        if self.schema.is_valid(value) {
            return Ok(Vec::new());
        }
        let at = self.at.tokens().iter();
        let at = at.fold(place.clone(), |at, token| at.field(token));
        self.schema.violations(value, &at)
    }

    /// Judges what it names of a whole record.
    pub(crate) fn judge_record(&self, root: Node<'_>) -> Vec<Found> {
        if self.record != Judged::Action {
            return self.judge(root, &Pointer::default()).into_iter().collect();
        }
        let actions = root.at(&["outcomes", "actions"]);
        let actions = actions.into_iter().flat_map(Node::items).enumerate();
        let all = Pointer::new("/outcomes/actions");
        actions
            .filter(|(_, action)| self.selector.names(*action))
            .filter_map(|(index, action)| self.judge(action, &all.item(index)))
            .collect()
    }
}

/// Those of a team's declarations that are on in a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct InForce {
    pub(crate) team: Arc<Team>,
    pub(crate) on: On,
    pub(crate) events: Arc<TeamEvents>,
}

impl InForce {
    /// Those of a team that are on.
    pub(crate) fn new(team: &Arc<Team>, on: On) -> Self {
        Self {
            events: Arc::new(TeamEvents::new(team, &on)),
            team: Arc::clone(team),
            on,
        }
    }

    /// Whether any rule in the expression language is on.
    pub(crate) fn has_rules(&self) -> bool {
        self.on.rules.contains(&true)
    }

    /// Whether a rule that is on has a name.
    pub(crate) fn names(&self, name: Name) -> bool {
        let mut rules = enabled(&self.team.rules, &self.on.rules);
        rules.any(|(_, rule)| rule.names(name))
    }

    /// Whether a schema, on or off, declares the key that a pointer into an artifact leads to.
    pub(crate) fn declares(&self, artifact: Artifact, pointer: &Pointer) -> bool {
        let tokens: Vec<Cow<'_, str>> = pointer.tokens().collect();
        let schemas = self.team.schemas.iter();
        let mut schemas = schemas.filter(|schema| schema.record.artifact() == Some(artifact));
        schemas.any(|schema| {
            let at = schema.at.tokens().iter();
            let is_within = at.clone().zip(&tokens).all(|(at, token)| **at == **token);
            let below = tokens.get(at.len()..).filter(|_| is_within);
            below.is_some_and(|below| schema.schema.declares(below))
        })
    }

    /// The schemas that judge another file, each with its place among all.
    pub(crate) fn of_file(&self, file: usize) -> impl Iterator<Item = (usize, &TeamSchema)> {
        let schemas = enabled(&self.team.schemas, &self.on.schemas);
        schemas.filter(move |(_, schema)| schema.record == Judged::Other(file))
    }

    /// The files besides the artifacts that schemas judge, each with its place among all.
    pub(crate) fn judged_files(&self) -> impl Iterator<Item = (usize, &OtherFile)> {
        let files = self.team.files.iter().enumerate();
        files.filter(move |(index, _)| self.of_file(*index).next().is_some())
    }

    /// The schemas that judge an artifact, each with its place among all.
    pub(crate) fn of(&self, artifact: Artifact) -> impl Iterator<Item = (usize, &TeamSchema)> {
        let schemas = enabled(&self.team.schemas, &self.on.schemas);
        schemas.filter(move |(_, schema)| schema.record.artifact() == Some(artifact))
    }
}
