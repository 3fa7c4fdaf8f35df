//! A declaration and its examples -> what is wrong with these.

mod records;

use std::iter;
use std::sync::Arc;

use records::{derived_state, derived_summary};
use serde_json::Value as Json;
use toml::Spanned;

use super::events::EventText;
use super::example::RunExample;
use super::judges::TeamJudges;
use super::rule::{RunValues, run_as_json};
use super::selector::OUTCOME;
use super::{RunFacts, Team, TeamCheck};
use crate::ground::Own;
use crate::ground::document::{OwnedDocument, Tape};
use crate::ground::finding::Lifecycle;
use crate::ground::printable::brief;
use crate::ground::source::{Line, Place};

/// What the examples of a declaration show.
pub(crate) struct Trial {
    /// The number of examples.
    pub(crate) examples: usize,
    /// What is wrong with them, each as a line.
    pub(crate) wrong: Vec<String>,
    /// What the author may have overlooked, each as a line.
    pub(crate) notes: Vec<String>,
}

impl Team {
    /// Tries the examples of a declaration; `None` for one that has no examples.
    pub(crate) fn test(self: &Arc<Self>, check: TeamCheck) -> Option<Trial> {
        let examples = match check {
            TeamCheck::Schema(at) => {
                let schema = self.schemas.own(at);
                return Some(Trial {
                    examples: schema.examples.len(),
                    wrong: schema.failures(),
                    notes: self.notes(check, &[]),
                });
            }
            TeamCheck::Order(at) => &self.orders.own(at).examples,
            TeamCheck::Rule(at) => &self.rules.own(at).examples,
            TeamCheck::Vocabulary => return None,
        };

        let judges = TeamJudges::new(self, iter::once(self.as_declared(check)));
        let judges = judges.across().unwrap_or(judges);
        let tried: Vec<TriedExample> = examples
            .iter()
            .map(|example| example.tried(&judges, check))
            .collect();
        let mut wrong: Vec<String> = tried
            .iter()
            .flat_map(|it| it.wrong.clone())
            .collect();
        let mut notes = self.notes(check, examples);

        // An expression with a slip can't be evaluated anywhere, and shows nothing.
        let unjudged = tried.iter().flat_map(|it| &it.unjudged);
        if tried.iter().any(|it| it.has_judged) {
            notes.extend(unjudged.map(UnjudgedFinding::as_note));
        } else {
            wrong.extend(unjudged.map(UnjudgedFinding::as_failure));
        }

        if examples
            .iter()
            .all(|example| example.fires.get_ref().is_empty())
        {
            wrong.push("the rule has no example in which it finds something".into());
        }

        Some(Trial {
            examples: examples.len(),
            wrong,
            notes,
        })
    }
}

/// What a declaration finds in an example, or would hold back.
struct ExampleFinding {
    /// The number of its line, from 1; 0 for a finding without one.
    line: u64,
    message: String,
    /// `true` if the finding is that nobody can tell.
    is_unjudged: bool,
}

/// What came of an example.
#[derive(Default)]
struct TriedExample {
    /// What differs from what its author expects, each as a line.
    wrong: Vec<String>,
    /// The findings that its author expects, where the declaration can't be judged.
    unjudged: Vec<UnjudgedFinding>,
    /// `true` if another finding is expected and there.
    has_judged: bool,
}

/// A finding of an example, which is that nobody can tell.
struct UnjudgedFinding {
    /// The place of the example.
    place: String,
    /// The line with its event, in words.
    at: String,
    message: String,
}

impl UnjudgedFinding {
    fn as_note(&self) -> String {
        let Self { place, at, message } = self;
        format!("{place}: the finding {at} is that it can't be judged: {message}")
    }

    fn as_failure(&self) -> String {
        let Self { place, at, message } = self;
        format!("{place}: expected a finding {at}; it can't be judged: {message}")
    }
}

/// The findings in an example, and the acts in it that would be held back.
struct ExampleFindings {
    found: Vec<ExampleFinding>,
    held: Vec<ExampleFinding>,
}

impl TeamJudges {
    /// Returns why a declaration would hold back an act, if its event were the next one: without
    /// its result, as sentences.
    pub(super) fn holding(
        &self,
        check: TeamCheck,
        event: &str,
        number: u64,
        values: RunValues<'_>,
    ) -> Vec<String> {
        let Some(asked) = without_result(event) else {
            return Vec::new();
        };

        if self.judge(check).depends_on_outcome() {
            return Vec::new();
        }

        let line = Line {
            number,
            length: asked.text().len(),
            ..Line::BEFORE_ALL
        };

        let view = self
            .index
            .view(line, EventText::Parsed(asked.root()));
        let next = self.would(&view, values, true);
        let payload = asked.root().get("payload");
        let is_given = |place: &Place| {
            place
                .pointer()
                .and_then(|pointer| Some(pointer.tokens().nth(1)?.into_owned()))
                .is_some_and(|name| payload.is_some_and(|payload| payload.get(&name).is_some()))
        };

        let is_schema = matches!(check, TeamCheck::Schema(_));
        next.reported(check, None)
            .drafts
            .into_iter()
            .filter(|draft| !is_schema || is_given(&draft.place))
            .map(|draft| draft.message)
            .collect()
    }
}

/// Returns what a declaration found in a run whose events were judged.
fn found_at_end(
    judges: &TeamJudges,
    check: TeamCheck,
    lifecycle: Lifecycle,
    has_events: bool,
) -> Vec<ExampleFinding> {
    let facts = RunFacts {
        lifecycle,
        has_events,
        broken_line: None,
        unjudged: &|_| None,
    };

    judges
        .reported(check, Some(&facts))
        .drafts
        .into_iter()
        .map(|draft| ExampleFinding {
            line: draft
                .place
                .line
                .map_or(0, |line| line.number),
            message: draft.message,
            is_unjudged: draft.is_unjudged,
        })
        .collect()
}

/// Returns the event of an act without what only its end gives; `None` for any other event.
fn without_result(event: &str) -> Option<OwnedDocument> {
    let mut event: Json = serde_json::from_str(event).ok()?;
    if event
        .get("phase")
        .is_none_or(|phase| phase != "act")
    {
        return None;
    }

    if let Some(payload) = event
        .get_mut("payload")
        .and_then(Json::as_object_mut)
    {
        payload.retain(|key, _| !OUTCOME.contains(&&**key));
    }

    OwnedDocument::read(event.to_string().into_bytes()).ok()
}

impl RunExample {
    /// Compares what a declaration finds in it with what its author expects.
    fn tried(&self, judges: &TeamJudges, check: TeamCheck) -> TriedExample {
        let ExampleFindings { found, held } = self.findings(judges, check, &self.filled());
        let mut tried = TriedExample::default();
        let mut failures = self.holding_failures(&held);
        let mut expected = self.fires.get_ref().clone();
        expected.sort_unstable();

        for finding in found {
            let line = finding.line;
            let Some(known) = expected
                .iter()
                .position(|expected| *expected == line)
            else {
                let why = format!("expected no finding {}; there was one: ", self.at(line));
                failures.push((line, why + &finding.message));
                continue;
            };

            expected.remove(known);
            tried.has_judged |= !finding.is_unjudged;
            if finding.is_unjudged {
                tried.unjudged.push(UnjudgedFinding {
                    place: self.place.clone(),
                    at: self.at(line),
                    message: finding.message,
                });
            }
        }

        failures.extend(expected.into_iter().map(|line| {
            let why = format!("expected a finding {}; there was none", self.at(line));
            (line, why)
        }));

        failures.sort_unstable();
        tried.wrong = failures
            .into_iter()
            .map(|(_, why)| format!("{}: {why}", self.place))
            .collect();

        tried
    }

    /// Returns the acts that would be held back and should not, or the other way around: the line
    /// of each, and what is wrong.
    fn holding_failures(&self, held: &[ExampleFinding]) -> Vec<(u64, String)> {
        let Some(holds) = &self.holds else {
            return Vec::new();
        };
        let expected = holds.get_ref();
        let surplus = held
            .iter()
            .filter(|held| !expected.contains(&held.line))
            .map(|ExampleFinding { line, message, .. }| {
                let at = self.at(*line);
                (
                    *line,
                    format!("expected the act to be made {at}; it is held back: {message}"),
                )
            });
        let missing = expected
            .iter()
            .filter(|line| {
                !held
                    .iter()
                    .any(|held| held.line == **line)
            })
            .map(|line| {
                let at = self.at(*line);
                (
                    *line,
                    format!("expected the act to be held back {at}; it is not"),
                )
            });

        surplus.chain(missing).collect()
    }

    /// Returns a line with its event, in words.
    fn at(&self, line: u64) -> String {
        let at = usize::try_from(line).unwrap_or(usize::MAX);
        match at
            .checked_sub(1)
            .map(|at| self.events.get(at))
        {
            None => "without a line".to_owned(),
            Some(Some(event)) => format!("at line {line} ({})", brief(event.get_ref())),
            Some(None) => format!("at line {line}, which the example does not have"),
        }
    }

    /// Returns what a declaration finds in it, and the acts that it would hold back.
    fn findings(
        &self,
        judges: &TeamJudges,
        check: TeamCheck,
        events: &[String],
    ) -> ExampleFindings {
        let index = &judges.index;
        let mut judges = judges.clone();
        let read = |text: String| OwnedDocument::read(text.into_bytes()).ok();
        let lifecycle = self.lifecycle();
        let (state, summary) = self.records(events, lifecycle == Lifecycle::Terminal);
        let (state, summary) = (read(state), summary.and_then(read));
        let roots = [&state, &summary].map(|it| it.as_ref().map(OwnedDocument::root));
        let run = run_as_json(Some("ep_1"), Some("ep_1"), lifecycle, roots);
        let run = OwnedDocument::read(run).ok();
        let values = || RunValues {
            state: Ok(state.as_ref().map(OwnedDocument::root)),
            summary: Ok(summary
                .as_ref()
                .map(OwnedDocument::root)),
            run: run.as_ref().map(OwnedDocument::root),
            counted: None,
        };

        let mut tape = Tape::default();
        // Who only asks finds nothing of what was before.
        let (mut asking, mut held) = (judges.clone(), Vec::new());
        for (number, text) in (1..).zip(events) {
            if self.holds.is_some() {
                let why = asking.holding(check, text, number, values());
                held.extend(
                    why.into_iter()
                        .take(1)
                        .map(|message| ExampleFinding {
                            line: number,
                            message,
                            is_unjudged: false,
                        }),
                );
            }
            if let Ok(document) = tape.read(text.as_bytes()) {
                let line = Line {
                    number,
                    length: text.len(),
                    ..Line::BEFORE_ALL
                };
                let event = index.view(line, EventText::Parsed(document.root()));
                judges.event(&event, &values());
                asking.note(&event);
            }
        }

        judges.end(lifecycle, values(), |line, bytes| {
            usize::try_from(line.number - 1)
                .map(|at| events.get(at))
                .ok()
                .flatten()
                .inspect(|text| text.as_bytes().clone_into(bytes))
                .is_some()
        });

        let found = found_at_end(&judges, check, lifecycle, !events.is_empty());

        ExampleFindings { found, held }
    }

    fn lifecycle(&self) -> Lifecycle {
        match self.ended {
            Some(false) => Lifecycle::NonTerminal,
            Some(true) | None => Lifecycle::Terminal,
        }
    }

    /// Returns the state and the summary: where there are no others, those of a sound run, with
    /// what its events say.
    fn records(&self, events: &[String], has_ended: bool) -> (String, Option<String>) {
        let written = |record: &Option<Spanned<String>>| {
            record
                .as_ref()
                .map(|it| it.get_ref().clone())
        };

        let read: Vec<Json> = events
            .iter()
            .map(|event| serde_json::from_str(event))
            .map(Result::unwrap_or_default)
            .collect();
        let state = || derived_state(&read, has_ended).to_string();
        let summary = || has_ended.then(|| derived_summary(&read).to_string());

        (
            written(&self.state).unwrap_or_else(state),
            written(&self.summary).or_else(summary),
        )
    }
}
