//! The records of an episode as a team's rules name them.

use crate::ground::document::{Kind, Node, OwnedDocument};
use crate::ground::finding::SkipReason;
use crate::ground::source::Artifact;
use crate::policy::team::{Name, RunValues, TeamJudges, run_as_json};
use crate::reading::facts::{Stage, Usable};

use super::{LoadedRecord, NoText};

/// The values that the names in a team's rules stand for, as far as rules that are on have them.
#[derive(Default)]
pub(super) struct RecordsOfRules<'b> {
    state: Named<'b>,
    summary: Named<'b>,
    run: Option<OwnedDocument>,
}

/// A record.
#[derive(Default)]
enum Named<'b> {
    /// There is no such file.
    #[default]
    Absent,
    InPlace(Node<'b>),
    /// Without the values that are no facts.
    Facts(OwnedDocument),
    Unusable(SkipReason),
}

impl<'b> RecordsOfRules<'b> {
    /// Returns the records of a run in a directory.
    pub(super) fn new(
        team: &TeamJudges,
        [state, summary]: [&'b LoadedRecord<'_>; 2],
        dir: Option<&str>,
        run: &Stage<'_>,
    ) -> Self {
        let named = |record: &'b LoadedRecord<'_>, artifact| {
            if team.reads(artifact) {
                Named::new(record)
            } else {
                Named::Absent
            }
        };

        let state = named(state, Artifact::State);
        let summary = named(summary, Artifact::Summary);
        let run = team.names(Name::Run).then(|| {
            let id = run.id.as_ref().map(|(id, _)| &**id);
            run_as_json(dir, id, run.lifecycle, [state.root(), summary.root()])
        });

        Self {
            run: run.and_then(|run| OwnedDocument::read(run).ok()),
            state,
            summary,
        }
    }

    pub(super) fn values(&self) -> RunValues<'_> {
        RunValues {
            state: self.state.value(),
            summary: self.summary.value(),
            run: self
                .run
                .as_ref()
                .map(OwnedDocument::root),
            counted: None,
        }
    }
}

impl<'b> Named<'b> {
    fn new(record: &'b LoadedRecord<'_>) -> Self {
        match (record.document(), &record.shape) {
            (Err(NoText::Missing), _) => Self::Absent,
            (_, Usable::Unjudged(reason)) => Self::Unusable(reason.clone()),
            (Err(_), _) => Self::Absent,
            (Ok(document), _) if record.strange.is_empty() => Self::InPlace(document.root()),
            (Ok(document), _) => {
                let mut facts = String::new();
                push_facts(document.root(), &record.strange, &mut facts);
                OwnedDocument::read(facts.into_bytes()).map_or(Self::Absent, Self::Facts)
            }
        }
    }

    fn root(&self) -> Option<Node<'_>> {
        match self {
            Self::InPlace(node) => Some(*node),
            Self::Facts(document) => Some(document.root()),
            Self::Absent | Self::Unusable(_) => None,
        }
    }

    fn value(&self) -> Result<Option<Node<'_>>, SkipReason> {
        match self {
            Self::Unusable(reason) => Err(reason.clone()),
            named => Ok(named.root()),
        }
    }
}

/// Writes a value without the values in it that have some tokens.
fn push_facts(node: Node<'_>, strange: &[u32], text: &mut String) {
    let is_fact = |value: &Node<'_>| {
        strange
            .binary_search(&value.index())
            .is_err()
    };

    match node.kind() {
        Kind::Object => {
            text.push('{');
            let facts = node
                .members()
                .filter(|member| is_fact(&member.value()));
            for (index, member) in facts.enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                text.push_str(member.raw());
                text.push(':');
                push_facts(member.value(), strange, text);
            }

            text.push('}');
        }
        Kind::Array => {
            text.push('[');
            for (index, item) in node.items().filter(is_fact).enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                push_facts(item, strange, text);
            }
            text.push(']');
        }
        _ => text.push_str(node.raw()),
    }
}
