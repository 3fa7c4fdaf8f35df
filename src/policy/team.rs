//! The declarations of a team about its runs, and runs -> the findings in them.

mod answers;
mod data;
mod events;
mod example;
mod judge;
mod judges;
mod limit;
mod message;
mod notes;
mod order;
mod outdated;
mod pack;
mod reader;
mod replay;
mod rule;
mod schema;
mod selector;
mod trace;
mod trial;
mod vocabulary;
mod window;

use std::borrow::Cow;
use std::sync::Arc;

use crate::ground::Own;
use crate::ground::finding::{Lifecycle, RuleInfo, SkipReason};
use crate::ground::select::{Glob, KeyPath, Values};
use crate::ground::source::{Artifact, Line, Pointer};
use crate::reading::schema::DeclaredSchema;
pub(crate) use answers::{ASK, Answer, act_digest};
pub(crate) use data::{Params, TomlData, params, selectors, vocabulary};
pub(crate) use events::{EventIndex, EventSelector, EventText};
pub(crate) use judges::TeamJudges;
pub(crate) use order::{OrderTable, TeamOrder};
pub(crate) use pack::{Pack, read};
pub(crate) use replay::{Replay, Replayed};
pub(crate) use rule::{Name, RuleTable, RunValues, TeamRule, run_as_json};
pub(crate) use schema::{Expect, Judged, SchemaTable, TeamSchema, VersionTable};
pub(crate) use selector::Truth;
pub(crate) use trace::Trace;
pub(crate) use trial::Trial;

/// All that a team declares.
#[derive(Debug, Default)]
pub(crate) struct Team {
    /// The rules of the declarations.
    pub(crate) infos: Vec<(RuleInfo, TeamCheck)>,
    schemas: Vec<Arc<TeamSchema>>,
    orders: Vec<Arc<TeamOrder>>,
    rules: Vec<Arc<TeamRule>>,
    /// The keys whose values are closed sets, each with its values.
    vocabulary: Arc<Vec<(KeyPath, Values)>>,
    /// The schemas of versions of the state or of the summary that have none here.
    versions: Vec<(Artifact, Glob, DeclaredSchema)>,
    /// The names of the files besides the artifacts that schemas judge.
    files: Vec<Arc<str>>,
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

/// The facts of a run that judges need once it is read.
pub(crate) struct RunFacts<'r> {
    pub(crate) lifecycle: Lifecycle,
    pub(crate) has_events: bool,
    /// The first line of the timeline that is no event.
    pub(crate) broken_line: Option<Line>,
    /// The reason why an artifact, or a part of it, is not judged.
    pub(crate) unjudged: &'r dyn Fn(Artifact) -> Option<SkipReason>,
}

impl Team {
    /// Returns `true` if the values of a key are a closed set.
    pub(crate) fn has_vocabulary(&self) -> bool {
        !self.vocabulary.is_empty()
    }

    /// Returns the keys whose values are closed sets, each with its values.
    #[cfg(feature = "commands")]
    pub(crate) fn vocabulary(&self) -> &[(KeyPath, Values)] {
        &self.vocabulary
    }

    #[cfg(feature = "commands")]
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &TeamSchema> {
        self.schemas.iter().map(AsRef::as_ref)
    }

    /// Returns the declarations, each with its id.
    fn ids(&self) -> impl Iterator<Item = (TeamCheck, String)> {
        self.infos
            .iter()
            .map(|(info, check)| (*check, info.id.to_string()))
    }

    /// Returns `true` if a declaration looks at all runs together.
    fn is_across(&self, check: TeamCheck) -> bool {
        match check {
            TeamCheck::Order(at) => self.orders.own(at).is_across,
            TeamCheck::Rule(at) => self.rules.own(at).is_across,
            TeamCheck::Schema(_) | TeamCheck::Vocabulary => false,
        }
    }

    /// Returns a declaration with whether people are asked about what it finds, as it is written.
    fn as_declared(&self, check: TeamCheck) -> (TeamCheck, bool) {
        let asks = match check {
            TeamCheck::Order(at) => self.orders.own(at).asks,
            TeamCheck::Rule(at) => self.rules.own(at).asks,
            TeamCheck::Schema(_) | TeamCheck::Vocabulary => false,
        };

        (check, asks)
    }

    /// Returns the schema of a version of a record; the first that is declared for it.
    pub(crate) fn version(&self, artifact: Artifact, version: &str) -> Option<&DeclaredSchema> {
        self.versions
            .iter()
            .find(|(of, is, _)| *of == artifact && is.matches(version))
            .map(|(.., schema)| schema)
    }

    /// Returns `true` if a schema, on or off, declares the key that a pointer into an artifact
    /// leads to.
    pub(crate) fn declares(&self, artifact: Artifact, pointer: &Pointer) -> bool {
        let tokens: Vec<Cow<'_, str>> = pointer.tokens().collect();
        self.schemas
            .iter()
            .filter(|schema| schema.record.artifact() == Some(artifact))
            .any(|schema| {
                let record = schema.record.part_of(&tokens);
                let at = schema.at.tokens().iter();
                record
                    .and_then(|record| {
                        let is_within = at
                            .clone()
                            .zip(record)
                            .all(|(at, token)| **at == **token);
                        record
                            .get(at.len()..)
                            .filter(|_| is_within)
                    })
                    .is_some_and(|below| schema.schema.declares(below))
            })
    }
}
