//! The records of a run while it is written -> the findings of a team's rules so far.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use serde_json::json;

use super::locate::locate_in;
use super::{Checker, findings};
use crate::ground::document::{Document, OwnedDocument, Tape};
use crate::ground::draft::{Draft, Drafted, FindingMemory, Findings};
use crate::ground::finding::{Finding, Level, Lifecycle, Severity};
use crate::ground::record::State;
use crate::ground::source::{Artifact, EpisodeKey, Line, Place, Pointer};
use crate::judge::rule::{Check, PlacedRule, TeamCheck};
use crate::policy::team::{Answer, EventText, Judged, Name, RunValues, TeamJudges, run_as_json};

/// A check of one run by the rules of its team while it is written. It is fed with each event.
pub(crate) struct LiveChecker {
    check: Arc<Checker>,
    levels: Arc<[Level]>,
    /// The results of the rules for the events so far.
    so_far: TeamJudges,
    /// The location of the episode, and its id.
    key: EpisodeKey,
    id: String,
}

/// A line of an artifact, or a record, which stands for its first line.
#[derive(Clone, Copy)]
pub(crate) struct WrittenLine<'w> {
    pub(crate) artifact: Artifact,
    pub(crate) line: Line,
    /// Without the newline.
    pub(crate) bytes: &'w [u8],
}

/// A function that reads a line of the timeline that is written already.
pub(in crate::judge) type ReadAgain<'r> = &'r dyn Fn(Line, &mut Vec<u8>) -> io::Result<()>;

impl LiveChecker {
    /// Returns the rules of a check, for a run of which nothing is written.
    pub(crate) fn new(check: Arc<Checker>, key: EpisodeKey, id: &str) -> Self {
        Self {
            so_far: check.request.team.clone(),
            levels: check.levels_of(&key),
            check,
            key,
            id: id.to_owned(),
        }
    }

    fn team(&self) -> &TeamJudges {
        &self.check.request.team
    }

    /// Notes an event for those that follow.
    pub(crate) fn follow(&mut self, event: WrittenLine<'_>) {
        note(&mut self.so_far, event);
    }

    /// Returns the findings if an event were the next one, where the state is as it is before it.
    /// The cost is that of the rules of that event, whatever there is before it. If it is `asked`
    /// about, it comes after these events, and does not exceed a limit further.
    pub(crate) fn event(
        &self,
        event: WrittenLine<'_>,
        asked: Option<&[WrittenLine<'_>]>,
        state: &State,
        read_again: ReadAgain<'_>,
    ) -> Vec<Finding> {
        if self.team().judges_no_event() {
            return Vec::new();
        }

        self.judge(event, Some(read_again), |document| {
            let view = self
                .team()
                .index
                .view(event.line, EventText::Parsed(document.root()));
            if !self.team().concerns(&view) {
                return None;
            }

            let [state, run] = self.named(state);
            let values = RunValues {
                state: Ok(state.as_ref().map(OwnedDocument::root)),
                summary: Ok(None),
                run: run.as_ref().map(OwnedDocument::root),
                counted: None,
            };

            let mut so_far = Cow::Borrowed(&self.so_far);
            for before in asked.into_iter().flatten() {
                note(so_far.to_mut(), *before);
            }

            Some(so_far.would(&view, values, asked.is_some()))
        })
    }

    /// Returns the values of `state` and `run`, as far as rules that are on name them.
    fn named(&self, state: &State) -> [Option<OwnedDocument>; 2] {
        let names = |name| self.team().names(name);
        let read = |json: Vec<u8>| OwnedDocument::read(json).ok();
        let run = names(Name::Run).then(|| {
            let (status, using) = (state.outcomes.status.word(), &state.episode.using);
            let state = json!({"outcomes": {"status": status}, "episode": {"using": using}});
            let state = read(state.to_string().into_bytes());
            let records = [state.as_ref().map(OwnedDocument::root), None];
            let id = Some(&*self.id);
            run_as_json(id, id, Lifecycle::NonTerminal, records)
        });
        let state = names(Name::State).then(|| serde_json::to_vec(state).ok());
        [state.flatten(), run].map(|json| json.and_then(read))
    }

    /// Returns the findings in a record, or in a line of one, without its actions.
    pub(crate) fn record(&self, record: WrittenLine<'_>) -> Vec<Finding> {
        let artifact = record.artifact;
        let place = Place::line(artifact, record.line);
        self.judge(record, None, |document| {
            let mut found = self.team().clone();
            let schemas = found.of(artifact);
            for schema in schemas.filter(|it| it.schema.record != Judged::Action) {
                schema.record(document.root(), &|| place.clone());
            }
            Some(found)
        })
    }

    /// Returns `true` if an order or a rule of events is on.
    pub(crate) fn has_rules_of_events(&self) -> bool {
        self.team().has_rules_of_events()
    }

    /// Returns `true` if schemas of actions are on.
    pub(crate) fn judges_actions(&self) -> bool {
        self.team()
            .has_schema_of(Judged::Action)
    }

    /// Returns the findings in an action that the state is going to have at a place.
    pub(crate) fn action(&self, index: usize, action: &[u8]) -> Vec<Finding> {
        let place = Pointer::new("/outcomes/actions").item(index);
        let action = WrittenLine {
            artifact: Artifact::State,
            line: Line::BEFORE_ALL,
            bytes: action,
        };

        self.judge(action, None, |document| {
            let mut found = self.team().clone();
            found.action(&place, document.root());
            Some(found)
        })
    }

    /// Returns the declaration that found something.
    pub(crate) fn declared(&self, finding: &Finding) -> Option<TeamCheck> {
        let rules = &self.check.settings.rules;
        match rules.own(finding.rule_index?).check {
            Check::Team(check) => Some(check),
            Check::BuiltIn(_) | Check::Hook => None,
        }
    }

    /// Returns `true` if the findings of a declaration in an act may depend on the end of that.
    pub(crate) fn depends_on_outcome(&self, check: TeamCheck) -> bool {
        self.team()
            .judge(check)
            .depends_on_outcome()
    }

    /// Returns `true` if people are asked about a finding.
    pub(crate) fn asks(&self, finding: &Finding) -> bool {
        self.rules()
            .filter(|(of, _)| *of.rule.info.id == *finding.rule)
            .any(|(_, level)| *level == Level::Ask)
    }

    /// Returns the finding of the first rule for which the order of calls under way counts, where
    /// there are too many to try each order.
    pub(crate) fn too_many_under_way(
        &self,
        event: WrittenLine<'_>,
        calls: usize,
    ) -> Option<Finding> {
        let mut tape = Tape::default();
        let document = tape.read_record(event.bytes).ok()?;
        let index = &self.team().index;
        let view = index.view(event.line, EventText::Parsed(document.root()));
        let checks = self.team().are_not_simple(&view);
        let (of, _) = self.rules().find(|(of, level)| {
            let is_it = matches!(of.rule.check, Check::Team(check)
                if checks.contains(&check) && !self.depends_on_outcome(check));
            is_it && level.severity() == Some(Severity::Error)
        })?;
        let message = format!("too many calls under way ({calls}): wait until some have ended");

        self.finding(of, Severity::Error, message, event)
    }

    /// Returns all rules, each with its level for the run.
    fn rules(&self) -> impl Iterator<Item = (PlacedRule<'_>, &Level)> {
        self.check
            .settings
            .rules
            .placed()
            .zip(&*self.levels)
    }

    /// Returns the finding of the rule of hooks about their own files in a call, unless it is off.
    pub(crate) fn own_files(&self, event: WrittenLine<'_>, message: &str) -> Option<Finding> {
        let (of, level) = self
            .rules()
            .find(|(of, _)| matches!(of.rule.check, Check::Hook))?;
        let clause = match level {
            Level::Ask => Answer::None.clause(),
            _ => "",
        };

        self.finding(of, level.severity()?, format!("{message}{clause}"), event)
    }

    /// Returns a finding in an event as a whole.
    fn finding(
        &self,
        of: PlacedRule<'_>,
        severity: Severity,
        message: String,
        event: WrittenLine<'_>,
    ) -> Option<Finding> {
        let drafted = Drafted {
            rule_index: of.index,
            severity,
            draft: Draft::new(Place::line(event.artifact, event.line), message),
        };

        let read = |_, _, bytes: &mut Vec<u8>| {
            event.bytes.clone_into(bytes);
            Some(Ok(()))
        };

        let rules = &self.check.settings.rules;
        findings::locate(rules, vec![drafted], &[], &self.id, |places| {
            locate_in(places, &self.key, |_| None, read)
        })
        .into_iter()
        .next()
    }

    /// Returns the findings in a text. A rule that can't be judged is a finding too: nobody should
    /// take that for a yes.
    fn judge(
        &self,
        text: WrittenLine<'_>,
        read_again: Option<ReadAgain<'_>>,
        find: impl FnOnce(Document<'_>) -> Option<TeamJudges>,
    ) -> Vec<Finding> {
        let mut tape = Tape::default();
        let Some(found) = tape
            .read_record(text.bytes)
            .ok()
            .and_then(find)
        else {
            return Vec::new();
        };

        let mut memory = FindingMemory::new(&self.key.to_string());
        let mut drafts = Vec::new();

        for (of, level) in self.rules() {
            let (Check::Team(check), Some(severity)) = (&of.rule.check, level.severity()) else {
                continue;
            };
            let mut skips = Vec::new();
            let (id, rule_index) = (&of.rule.info.id, of.index);
            let memory = &mut memory;
            let mut findings =
                Findings::new(id, rule_index, severity, memory, &mut drafts, &mut skips);
            let _ = found
                .judge(*check)
                .report(None, &mut findings);
            findings.close();
            drafts.extend(skips.into_iter().map(|skip| {
                let message = format!("this can't be judged: {}", skip.reason);
                Drafted {
                    rule_index,
                    severity,
                    draft: Draft::new(Place::line(text.artifact, text.line), message),
                }
            }));
        }

        let read = |artifact, line, bytes: &mut Vec<u8>| {
            if (artifact, line) != (text.artifact, text.line) {
                return Some(read_again?(line, bytes));
            }
            text.bytes.clone_into(bytes);
            Some(Ok(()))
        };

        let rules = &self.check.settings.rules;
        findings::locate(rules, drafts, &[], &self.id, |places| {
            locate_in(places, &self.key, |_| None, read)
        })
    }
}

/// Notes an event for those that follow.
fn note(judges: &mut TeamJudges, event: WrittenLine<'_>) {
    if !judges.judges_no_event()
        && let Ok(document) = Tape::default().read_record(event.bytes)
    {
        let index = Arc::clone(&judges.index);
        judges.note(&index.view(event.line, EventText::Parsed(document.root())));
    }
}
