//! What a team declares of its runs, and runs -> what is found in them.

mod events;
mod example;
mod found;
mod instant;
mod judges;
mod message;
mod order;
mod plan;
mod rule;
mod schema;
mod trial;
mod vocabulary;

use std::borrow::Cow;
use std::sync::Arc;

use crate::finding::{Lifecycle, SkipReason};
use crate::schema::DeclaredSchema;
use crate::select::Glob;
use crate::source::{Artifact, Line, Pointer};
pub(crate) use events::EventIndex;
pub(crate) use example::RunExample;
pub(crate) use judges::{Examined, TeamJudges};
pub(crate) use message::{Message, Word};
pub(crate) use order::{Pattern, Seen, TeamOrder};
pub(crate) use plan::Plans;
pub(crate) use rule::{NAMES, Name, RunValues, TeamRule, run_as_json};
pub(crate) use schema::{Example, Expect, Judged, TeamSchema};
pub(crate) use vocabulary::Closed;

/// All that a team declares.
#[derive(Debug, Default)]
pub(crate) struct Team {
    pub(crate) schemas: Vec<Arc<TeamSchema>>,
    pub(crate) orders: Vec<Arc<TeamOrder>>,
    pub(crate) rules: Vec<Arc<TeamRule>>,
    /// The keys whose values are closed sets, each with its values.
    pub(crate) vocabulary: Arc<Vec<Closed>>,
    pub(crate) versions: Vec<Version>,
    pub(crate) files: Vec<OtherFile>,
}

/// One declaration: its place among all of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TeamCheck {
    Schema(usize),
    Order(usize),
    /// A rule in the expression language.
    Rule(usize),
    /// All vocabularies together.
    Vocabulary,
}

/// The schema of a version of the state or of the summary that has none here.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) artifact: Artifact,
    pub(crate) is: Glob,
    pub(crate) schema: DeclaredSchema,
}

/// A file besides the artifacts that schemas judge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OtherFile {
    /// Its name in the episode's directory.
    pub(crate) name: Arc<str>,
}

impl OtherFile {
    /// Returns `true` if each line is judged.
    pub(crate) fn has_lines(&self) -> bool {
        self.name.ends_with(".jsonl")
    }
}

/// What is known of a run once it is read.
pub(crate) struct RunFacts<'r> {
    pub(crate) lifecycle: Lifecycle,
    pub(crate) has_events: bool,
    /// The first line of the timeline that is no event.
    pub(crate) broken_line: Option<Line>,
    /// Why an artifact, or a part of it, is not judged.
    pub(crate) unjudged: &'r dyn Fn(Artifact) -> Option<SkipReason>,
}

impl Team {
    /// The schema of a version of a record; the first that is declared for it.
    pub(crate) fn version(&self, artifact: Artifact, version: &str) -> Option<&DeclaredSchema> {
        let mut versions = self.versions.iter();
        let is = |it: &&Version| it.artifact == artifact && it.is.matches(version);
        versions.find(is).map(|version| &version.schema)
    }

    /// Returns `true` if a schema, on or off, declares the key that a pointer into an artifact
    /// leads to.
    pub(crate) fn declares(&self, artifact: Artifact, pointer: &Pointer) -> bool {
        let tokens: Vec<Cow<'_, str>> = pointer.tokens().collect();
        let schemas = self.schemas.iter();
        let mut schemas = schemas.filter(|schema| schema.record.artifact() == Some(artifact));
        schemas.any(|schema| {
            let at = schema.at.tokens().iter();
            let is_within = at.clone().zip(&tokens).all(|(at, token)| **at == **token);
            let below = tokens.get(at.len()..).filter(|_| is_within);
            below.is_some_and(|below| schema.schema.declares(below))
        })
    }
}
