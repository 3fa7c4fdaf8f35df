//! What is written of a run -> what the rules of a team find in it, at that moment.

use std::io;

use serde_json::json;

use super::{Checker, findings};
use crate::document::{Document, OwnedDocument, Tape};
use crate::draft::{Draft, Drafted, FindingMemory, Findings};
use crate::finding::{Finding, Lifecycle};
use crate::record::State;
use crate::rule::{Check, TeamCheck};
use crate::source::{Artifact, EpisodeKey, Line, Place, Pointer};
use crate::team::{Judged, Name, RunValues, TeamJudges, run_as_json};

/// The rules of a team that judge one run while it is written. They are fed with each event.
pub(crate) struct Judges {
    check: Checker,
    /// What is known of the events so far.
    so_far: TeamJudges,
    /// The location of the episode, and its id.
    key: EpisodeKey,
    id: String,
}

/// A line of an artifact, or a record, which stands for its first line.
#[derive(Clone, Copy)]
pub(crate) struct Written<'w> {
    pub(crate) artifact: Artifact,
    pub(crate) line: Line,
    /// Without the newline.
    pub(crate) bytes: &'w [u8],
}

/// What expressions name besides events, as it is before an event is written.
#[derive(Default)]
pub(crate) struct Now {
    state: Option<OwnedDocument>,
    run: Option<OwnedDocument>,
}

/// Reads a line of the timeline that is written already.
pub(crate) type ReadAgain<'r> = &'r dyn Fn(Line, &mut Vec<u8>) -> io::Result<()>;

impl Judges {
    /// The rules of a check, for a run of which nothing is written.
    pub(crate) fn new(check: Checker, key: EpisodeKey, id: &str) -> Self {
        Self {
            so_far: check.wanted.team.clone(),
            check,
            key,
            id: id.to_owned(),
        }
    }

    fn team(&self) -> &TeamJudges {
        &self.check.wanted.team
    }

    /// Whether nothing in an event is judged, and nothing of it counts later.
    pub(crate) fn pass_over(&self, event: Written<'_>) -> bool {
        let team = self.team();
        let mut tape = Tape::default();
        team.pass_over_events()
            || tape.read_record(event.bytes).is_ok_and(|document| {
                team.find_nothing(&team.index.view(event.line, document.root()))
            })
    }

    /// Notes an event for those that follow.
    pub(crate) fn follow(&mut self, event: Written<'_>) {
        if let Ok(document) = Tape::default().read_record(event.bytes) {
            self.so_far.follow(event.line, document.root());
        }
    }

    /// What would be found if an event were the next one. It costs what the rules of that event
    /// do, whatever there is before it.
    pub(crate) fn event(
        &self,
        event: Written<'_>,
        now: &Now,
        read_again: ReadAgain<'_>,
    ) -> Vec<Finding> {
        let values = RunValues {
            state: Ok(now.state.as_ref().map(OwnedDocument::root)),
            summary: Ok(None),
            run: now.run.as_ref().map(OwnedDocument::root),
            counts: None,
            tools: None,
        };
        self.judge(event, Some(read_again), |document| {
            self.so_far
                .next(self.team(), event.line, document.root(), values)
        })
    }

    /// What the rules that are on read of the state in front of an event.
    pub(crate) fn now(&self, state: &State) -> Now {
        let team = self.team();
        let mut now = Now::default();
        if !team.has_rules() {
            return now;
        }
        let read = |json: Vec<u8>| OwnedDocument::read(json).ok();
        if team.names(Name::Run) {
            let (status, using) = (state.outcomes.status.word(), &state.episode.using);
            let state = json!({"outcomes": {"status": status}, "episode": {"using": using}});
            let state = read(state.to_string().into_bytes());
            let records = [state.as_ref().map(OwnedDocument::root), None];
            let id = Some(&*self.id);
            now.run = read(run_as_json(id, id, Lifecycle::NonTerminal, records));
        }
        if team.names(Name::State) {
            now.state = serde_json::to_vec(state).ok().and_then(read);
        }
        now
    }

    /// What is found in a record, or in a line of one, without its actions.
    pub(crate) fn record(&self, record: Written<'_>) -> Vec<Finding> {
        let artifact = record.artifact;
        let place = Place::line(artifact, record.line);
        self.judge(record, None, |document| {
            let mut found = self.team().clone();
            for schema in found
                .of(artifact)
                .filter(|it| it.schema.record != Judged::Action)
            {
                schema.record(document.root(), &|| place.clone());
            }
            found
        })
    }

    /// Whether schemas of actions are on.
    pub(crate) fn judge_actions(&self) -> bool {
        self.team().judges(Judged::Action)
    }

    /// What is found in an action that the state is going to have at a place.
    pub(crate) fn action(&self, index: usize, action: &[u8]) -> Vec<Finding> {
        let place = Pointer::new("/outcomes/actions").item(index);
        let action = Written {
            artifact: Artifact::State,
            line: Line::BEFORE_ALL,
            bytes: action,
        };
        self.judge(action, None, |document| {
            let mut found = self.team().clone();
            found.action(&place, document.root());
            found
        })
    }

    /// Whether a finding is that of a schema.
    pub(crate) fn is_of_schema(&self, finding: &Finding) -> bool {
        let rule = finding.rule_index.and_then(|it| self.check.rules.get(it));
        rule.is_some_and(|rule| matches!(rule.check, Check::Team(TeamCheck::Schema(_))))
    }

    /// Words what is found in a text. What can't be judged is a finding too: nobody should take
    /// that for a yes.
    fn judge(
        &self,
        text: Written<'_>,
        read_again: Option<ReadAgain<'_>>,
        find: impl FnOnce(Document<'_>) -> TeamJudges,
    ) -> Vec<Finding> {
        let mut tape = Tape::default();
        let Ok(document) = tape.read_record(text.bytes) else {
            return Vec::new();
        };
        let found = find(document);
        let mut memory = FindingMemory::new(&self.key.to_string());
        let mut drafts = Vec::new();
        for (of, level) in self.check.rules.placed().zip(&self.check.levels) {
            let (Check::Team(check), Some(severity)) = (&of.rule.check, level.severity()) else {
                continue;
            };
            let mut skips = Vec::new();
            let mut findings = Findings::new(
                &of.rule.info.id,
                of.index,
                severity,
                &mut memory,
                &mut drafts,
                &mut skips,
            );
            let _ = found.tell(*check, None, &mut findings);
            findings.close();
            drafts.extend(skips.into_iter().map(|skip| Drafted {
                rule_index: of.index,
                severity,
                draft: Draft::new(
                    Place::line(text.artifact, text.line),
                    format!("this can't be judged: {}", skip.reason),
                ),
            }));
        }
        findings::locate(&self.check.rules, drafts, &[], &self.id, |places| {
            places.locate_in_lines(&self.key, |artifact, line, bytes| {
                if (artifact, line) != (text.artifact, text.line) {
                    return Some(read_again?(line, bytes));
                }
                text.bytes.clone_into(bytes);
                Some(Ok(()))
            })
        })
    }
}
