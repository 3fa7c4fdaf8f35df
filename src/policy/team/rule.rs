//! A rule that a team writes as an expression, and what its names stand for.

mod earlier;
mod judge;
mod table;

use std::sync::Arc;

use super::example::RunExample;
use super::message::MessageTemplate;
use super::reader::Sides;
use super::selector::{TeamSelector, is_agent, leads_to_outcome, reads_outcome};
use crate::ground::document::{Node, OwnedDocument};
use crate::ground::finding::{Holds, Lifecycle, SkipReason};
use crate::ground::select::KeyPath;
use crate::ground::source::{Artifact, Line, Place};
use crate::policy::expression::{Expression, Record, Value};
pub(super) use judge::{CountedEvents, RuleJudge};
pub(crate) use table::RuleTable;

/// A rule in the expression language.
#[derive(Debug)]
pub(crate) struct TeamRule {
    /// The events that it judges, each by itself; without them it judges a run, once.
    pub(in crate::policy) each: Option<TeamSelector>,
    /// The places of the values by which events are grouped.
    pub(super) same: Sides,
    /// The earlier events that `check` asks for, in the order in which it does.
    pub(in crate::policy) earlier: Vec<TeamSelector>,
    /// The events after the latest of which earlier ones count.
    pub(in crate::policy) since: Option<TeamSelector>,
    /// The time in attoseconds within which earlier events count.
    pub(in crate::policy) within: Option<i128>,
    /// `true` if it looks at all runs together.
    pub(super) is_across: bool,
    /// `true` if a person is asked about what it finds.
    pub(super) asks: bool,
    /// The guard: where it is false, nothing is judged.
    pub(in crate::policy) when: Option<Expression>,
    pub(in crate::policy) check: Expression,
    /// The place of a finding in the event or the record.
    pub(in crate::policy) at: KeyPath,
    /// The artifact in which a finding stands.
    pub(in crate::policy) artifact: Artifact,
    pub(in crate::policy) message: MessageTemplate,
    /// `true` if only runs that have ended are judged.
    pub(in crate::policy) needs_end: bool,
    pub(in crate::policy) params: Arc<OwnedDocument>,
    pub(in crate::policy) examples: Vec<RunExample>,
}

/// A name whose value is made only where a rule has it; the number is its place in [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    State,
    Summary,
    Run,
    Counts,
    Tools,
}

/// The names in expressions; the last has a value only in rules that judge events.
pub(in crate::policy) const NAMES: [&str; 7] = [
    "state", "summary", "run", "counts", "tools", "params", "event",
];

/// The values of names in one run.
pub(crate) struct RunValues<'a> {
    /// The record, or why it has no value; absent where there is no such file.
    pub(crate) state: Result<Option<Node<'a>>, SkipReason>,
    pub(crate) summary: Result<Option<Node<'a>>, SkipReason>,
    pub(crate) run: Option<Node<'a>>,
    /// The numbers of events by phase, and by tool, once all are read.
    pub(crate) counted: Option<&'a [Option<OwnedDocument>; 2]>,
}

impl TeamRule {
    pub(in crate::policy) fn names(&self, name: Name) -> bool {
        let name = name as usize;
        let in_guard = self
            .when
            .as_ref()
            .is_some_and(|when| when.names(name));

        in_guard || self.check.names(name)
    }

    /// Returns `true` if it needs the state or the summary.
    pub(super) fn reads(&self, record: Artifact) -> bool {
        let name = match record {
            Artifact::State => Name::State,
            _ => Name::Summary,
        };
        self.artifact == record || self.names(name) || self.names(Name::Run)
    }

    /// Returns `true` if what it finds in an act depends on the end of that, where `of` says so of
    /// a selector.
    pub(super) fn depends(&self, of: impl Fn(&TeamSelector) -> bool) -> bool {
        let mut expressions = self.when.iter().chain([&self.check]);
        expressions.any(|it| reads_outcome(it, NAMES.len() - 1))
            || self.each.as_ref().is_some_and(of)
            || self
                .same
                .each
                .iter()
                .any(leads_to_outcome)
    }

    /// Returns when it finds something.
    fn holds(&self) -> Holds {
        if self.each.is_none() || self.is_across {
            return Holds::End;
        }

        if self.depends(TeamSelector::reads_outcome) {
            Holds::After
        } else {
            Holds::Before
        }
    }

    /// Returns its selectors, each with its key.
    pub(super) fn selectors(&self) -> Vec<(&'static str, &TeamSelector)> {
        let each = self
            .each
            .iter()
            .map(|each| ("each", each));
        let since = self
            .since
            .iter()
            .map(|since| ("since", since));
        let earlier = self
            .earlier
            .iter()
            .map(|earlier| ("earlier", earlier));

        each.chain(earlier)
            .chain(since)
            .collect()
    }

    /// Returns `true` if it groups events by who made them.
    pub(super) fn names_agent(&self) -> bool {
        let folds = self
            .check
            .folds()
            .iter()
            .flat_map(|fold| &fold.pointers);

        (self
            .same
            .each
            .iter()
            .chain(&self.same.other))
        .chain(folds)
        .any(is_agent)
    }

    /// Returns `true` if it can be judged only once all events are read.
    pub(in crate::policy) fn counts_events(&self) -> bool {
        self.names(Name::Counts) || self.names(Name::Tools)
    }

    /// Returns why a record that it names can't be judged.
    fn unmet<'r>(&self, values: &'r RunValues<'_>) -> Option<&'r SkipReason> {
        let of_state = values.state.as_ref().err();
        let of_summary = values.summary.as_ref().err();
        of_state
            .filter(|_| self.names(Name::State))
            .or_else(|| of_summary.filter(|_| self.names(Name::Summary)))
    }

    /// Returns the record in which a finding about a run stands.
    fn record<'a>(&self, values: &RunValues<'a>) -> Option<Node<'a>> {
        let record = match self.artifact {
            Artifact::State => &values.state,
            Artifact::Summary => &values.summary,
            _ => return None,
        };

        record.as_ref().ok().copied().flatten()
    }

    /// Returns the place of a finding in an event or, without a line, in the record of a run.
    fn place(&self, line: Option<Line>, record: Option<Node<'_>>) -> Place {
        let at = record
            .map(|record| self.at.reached(record))
            .unwrap_or_default();
        match line {
            Some(line) => Place::event(line, at.as_str()),
            None if at.as_str().is_empty() => Place::whole(self.artifact),
            None => Place::value(self.artifact, at),
        }
    }

    /// Returns the values of all names, in their order.
    fn bound<'a>(
        &'a self,
        event: Option<&'a dyn Record>,
        values: &RunValues<'a>,
    ) -> [Value<'a>; 7] {
        let record = |value: &Result<Option<Node<'a>>, SkipReason>| value.as_ref().ok().copied();
        let value = |node: Option<Node<'a>>| node.map_or(Value::Null, Value::of_record);
        let [counts, tools] = values.counted.unwrap_or(&[None, None]);

        [
            value(record(&values.state).flatten()),
            value(record(&values.summary).flatten()),
            value(values.run),
            value(counts.as_ref().map(OwnedDocument::root)),
            value(tools.as_ref().map(OwnedDocument::root)),
            value(Some(self.params.root())),
            event.map_or(Value::Null, Value::Record),
        ]
    }
}

/// Returns the value of `run` as JSON.
pub(crate) fn run_as_json(
    dir: Option<&str>,
    id: Option<&str>,
    lifecycle: Lifecycle,
    [state, summary]: [Option<Node<'_>>; 2],
) -> Vec<u8> {
    let text = |record: Option<Node<'_>>, path: &[&str]| {
        let text = record?.at(path)?.text()?;
        Some(text.into_owned())
    };

    serde_json::json!({
        "id": id,
        "lifecycle": lifecycle,
        "status": text(state, &["outcomes", "status"]),
        "mode": text(summary, &["flags", "mode"]),
        "adapter": text(state, &["episode", "using"]),
        "dir": dir,
    })
    .to_string()
    .into_bytes()
}
