//! What is about to be recorded -> whether rules hold it back, or ask people first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use serde_json::{Map, Value};

use super::super::super::error::Error;
use super::super::super::event::{RunEvent, object};
use super::super::Run;
use super::{MAX_ORDERED, held, is_given, pointer_of, sequences, written};
use crate::ground::finding::{Finding, Severity};
use crate::ground::record::{Step, StepStatus};
use crate::ground::source::{Artifact, Pointer};
use crate::judge::check::LiveChecker;
use crate::judge::rule::TeamCheck;
use crate::policy::team::{ASK, Answer, act_digest};

/// The number of questions to people about one act.
const MAX_QUESTIONS: usize = 16;

/// The name of an act in messages.
pub(super) const ACTION: &str = "the action";

impl Run {
    /// Refuses steps that are about to be made where a schema of the team does.
    pub(in crate::recorder::run) fn hold_plan(
        &self,
        steps: &[Step],
        plan: RunEvent,
    ) -> Result<(), Error> {
        let is_to_come = |pointer: &Pointer| {
            // Below `/payload/step_records`.
            let index = pointer.tokens().nth(2);
            let step = index.and_then(|index| steps.get(index.parse::<usize>().ok()?));
            step.is_none_or(|step| step.status == StepStatus::Pending)
        };

        self.hold("the plan", plan, is_to_come)
    }

    /// Refuses an act that is about to be made where a schema of the team does: for what is given
    /// of it, not for what is still missing.
    pub(in crate::recorder::run) fn hold_act(
        &self,
        payload: &Map<String, Value>,
    ) -> Result<(), Error> {
        let is_given = |pointer: &Pointer| is_given(payload, pointer);
        self.hold(ACTION, RunEvent::told("act", payload.clone()), is_given)
    }

    /// Asks the rules of the team about an act or a note that is about to be made. Where they find
    /// an error in what is known of it, the run gets the event of a veto; else it is under way.
    pub(in crate::recorder::run) fn ask_before(
        &mut self,
        step: Option<&str>,
        draft: &RunEvent,
    ) -> Result<Allowed, Error> {
        match self.decide(step, draft, None, (None, false))? {
            CallDecision::Go(allowed) => Ok(allowed),
            CallDecision::Ask(findings) => Err(Error::Violates {
                what: ACTION,
                findings,
            }),
            CallDecision::Veto(what, findings) => Err(Error::Violates { what, findings }),
        }
    }

    /// Decides on an act that is about to be made, with the answer of a person, if there is one,
    /// and what the hook of an agent finds in it. If it `may_wait`, somebody else asks people.
    pub(in crate::recorder::run) fn decide(
        &mut self,
        step: Option<&str>,
        draft: &RunEvent,
        answer: Option<(bool, &str)>,
        (own, may_wait): (Option<&str>, bool),
    ) -> Result<CallDecision, Error> {
        let allowed = Allowed(Arc::default());
        self.under_way.retain(|act| act.is.strong_count() > 0);
        let is_counted = match self.holding() {
            Some((live, _)) => live.has_rules_of_events(),
            None => return Ok(CallDecision::Go(allowed)),
        };

        if is_counted {
            self.must_have_room(draft)?;
        }

        let payload = &draft.payload;
        let (mut answer, mut questions, mut answers) = (answer, 0, Vec::new());
        let (event, text, findings) = loop {
            let event = draft
                .clone()
                .numbered(self.id(), self.fold.events + 1, self.now());
            let text = event.line()?;
            let mut found = self.holding_findings(&event, &text, payload);
            found.extend(self.own_finding(&text, own));

            let asks = |live: &LiveChecker| found.iter().all(|finding| live.asks(finding));
            let is_asking = self.holding().is_some_and(|(live, _)| asks(live));
            if found.is_empty() || !is_asking || questions == MAX_QUESTIONS {
                break (event, text, found);
            }

            questions += 1;
            let (is_yes, by) = match answer.take() {
                Some((is_yes, by)) => (is_yes, by.to_owned()),
                None if may_wait => return Ok(CallDecision::Ask(found)),
                None => match self.ask_people(payload, &found) {
                    Some(answered) => answered,
                    None => break (event, text, found),
                },
            };

            let given = self.note_answers(payload, &found, is_yes, &by)?;
            if !is_yes {
                self.cover_again(&text, payload, &given)?;
                break (event, text, said_no(found));
            }

            answers.extend(given);
            // The answer is an event, after which another rule may ask.
        };

        let Some(first) = findings.first() else {
            let under_way = UnderWay {
                is: Arc::downgrade(&allowed.0),
                text,
                answers,
            };
            self.under_way.push(under_way);
            return Ok(CallDecision::Go(allowed));
        };

        let what = self.veto_act(step, &event, first);
        Ok(CallDecision::Veto(what, findings))
    }

    /// Adds the event of the veto of an act, or of a note; returns which of them it is.
    fn veto_act(&mut self, step: Option<&str>, event: &RunEvent, first: &Finding) -> &'static str {
        let (what, scope) = match &*event.phase {
            "act" => (ACTION, "act"),
            _ => ("the note", "note"),
        };

        let veto = object([
            (scope, held(&event.payload)),
            ("reason", first.message.clone().into()),
            ("scope", scope.into()),
            ("status", "blocked".into()),
            ("step_id", step.into()),
        ]);
        let by = format!("rule:{}", first.rule);
        // An act is held back whether or not that can be recorded.
        let _ = self.direct("direction.veto", veto, &by);

        what
    }

    /// Returns the findings for which an act that is about to be made would be held back.
    pub(in crate::recorder::run) fn held_for(
        &self,
        draft: &RunEvent,
        own: Option<&str>,
    ) -> Result<Vec<Finding>, Error> {
        let event = draft
            .clone()
            .numbered(self.id(), self.fold.events + 1, self.now());
        let text = event.line()?;
        let mut found = self.holding_findings(&event, &text, &draft.payload);
        found.extend(self.own_finding(&text, own));

        Ok(found)
    }

    /// Returns the error in a call that changes what the hook of its agent works by.
    fn own_finding(&self, text: &[u8], own: Option<&str>) -> Option<Finding> {
        let (live, _) = self.holding()?;
        let event = written(Artifact::Events, self.fold.events + 1, 0, text);
        let found = live.own_files(event, own?)?;
        (found.severity == Severity::Error).then_some(found)
    }

    /// Counts an act as under way.
    pub(in crate::recorder::run) fn goes_on(&mut self, draft: RunEvent) -> Result<Allowed, Error> {
        let event = draft.numbered(self.id(), self.fold.events + 1, self.now());
        let allowed = Allowed(Arc::default());
        let under_way = UnderWay {
            is: Arc::downgrade(&allowed.0),
            text: event.line()?,
            answers: Vec::new(),
        };

        self.under_way.push(under_way);
        Ok(allowed)
    }

    /// Returns the errors for which an act is held back.
    ///
    /// One that is under way may fail, and may end before another one that is: neither counts in
    /// favour of an act.
    fn holding_findings(
        &self,
        event: &RunEvent,
        text: &[u8],
        payload: &Map<String, Value>,
    ) -> Vec<Finding> {
        let Some((live, gate)) = self.holding() else {
            return Vec::new();
        };
        let under_way: Vec<Vec<u8>> = self.under_way.iter().map(|act| act.text.clone()).collect();
        let holds = |finding: &Finding| {
            finding.severity == Severity::Error
                && live.declared(finding).is_some_and(|check| match check {
                    TeamCheck::Schema(_) => {
                        pointer_of(finding).is_some_and(|it| is_given(payload, &it))
                    }
                    _ => !live.depends_on_outcome(check),
                })
        };

        let found = |after: &[Vec<u8>]| {
            let found = self.judge_next(live, event, text, Some(after));
            let mut found = gate.counting(&self.key(), found);
            found.retain(holds);
            found
        };

        let orders = match under_way.len() {
            0..=MAX_ORDERED => sequences(&under_way),
            _ => vec![Vec::new(), under_way.clone()],
        };

        for after in &orders {
            let findings = found(after);
            if !findings.is_empty() {
                return findings;
            }
        }

        if under_way.len() <= MAX_ORDERED {
            return Vec::new();
        }

        let next = written(Artifact::Events, self.fold.events + 1, 0, text);
        live.too_many_under_way(next, under_way.len())
            .into_iter()
            .collect()
    }

    /// Asks people about an act; returns whether it may be made, and who says so. `None` where
    /// nobody can be asked.
    fn ask_people(
        &self,
        payload: &Map<String, Value>,
        findings: &[Finding],
    ) -> Option<(bool, String)> {
        let ask = self.recorder.ask.clone()?;
        let tool = payload.get("tool").and_then(Value::as_str);
        let input = payload.get("input").unwrap_or(&Value::Null);
        let asked = AssertUnwindSafe(|| ask(tool.unwrap_or_default(), input, findings));
        // One who panics gives no answer.
        Some(catch_unwind(asked).unwrap_or((false, String::new())))
    }

    /// Notes the answer of a person to each rule that asked; returns these.
    fn note_answers(
        &mut self,
        payload: &Map<String, Value>,
        found: &[Finding],
        is_yes: bool,
        by: &str,
    ) -> Result<Vec<GivenAnswer>, Error> {
        let mut rules: Vec<&String> = found.iter().map(|it| &it.rule).collect();
        rules.dedup();
        for rule in &rules {
            self.note_answer(rule, payload, is_yes, by)?;
        }

        let given = rules.into_iter().map(|rule| GivenAnswer {
            rule: rule.clone(),
            by: by.to_owned(),
        });

        Ok(given.collect())
    }

    /// Notes the answers once more that let equal acts pass which are under way: a *no* to an act
    /// takes back all that are left, and these are for acts that were let pass before.
    fn cover_again(
        &mut self,
        text: &[u8],
        payload: &Map<String, Value>,
        said_no: &[GivenAnswer],
    ) -> Result<(), Error> {
        let act = act_digest(text);
        let taken_back: Vec<GivenAnswer> = self
            .under_way
            .iter()
            .filter(|it| act_digest(&it.text) == act)
            .flat_map(|it| &it.answers)
            .filter(|answer| {
                said_no
                    .iter()
                    .map(|it| &it.rule)
                    .any(|rule| *rule == answer.rule)
            })
            .cloned()
            .collect();
        for GivenAnswer { rule, by } in taken_back {
            self.note_answer(&rule, payload, true, &by)?;
        }
        Ok(())
    }

    /// Adds the event of the answer of a person to what a rule asks.
    pub(crate) fn note_answer(
        &mut self,
        rule: &str,
        payload: &Map<String, Value>,
        is_yes: bool,
        by: &str,
    ) -> Result<(), Error> {
        let mut act = payload.clone();
        act.retain(|key, _| matches!(&**key, "kind" | "tool" | "input"));
        let answer = object([
            ("rule", rule.into()),
            ("act", act.into()),
            ("answer", if is_yes { "yes" } else { "no" }.into()),
            ("by", by.into()),
        ]);

        self.direct(ASK, answer, &format!("rule:{rule}"))
    }

    fn hold(
        &self,
        what: &'static str,
        draft: RunEvent,
        is_to_come: impl Fn(&Pointer) -> bool,
    ) -> Result<(), Error> {
        let Some((live, _)) = self.holding() else {
            return Ok(());
        };
        let event = draft.numbered(self.id(), self.fold.events + 1, self.fold.last);
        let mut findings = self.found_in(&event)?;
        findings.retain(|finding| {
            finding.severity == Severity::Error
                && matches!(live.declared(finding), Some(TeamCheck::Schema(_)))
                && pointer_of(finding).is_some_and(|pointer| is_to_come(&pointer))
        });
        if findings.is_empty() {
            return Ok(());
        }

        Err(Error::Violates { what, findings })
    }
}

/// The decision of the rules of the team on an act that they don't forbid.
#[derive(Debug)]
pub enum ActDecision {
    /// The act may be made.
    Go(Allowed),
    /// People have to be asked about these findings.
    Ask(Vec<Finding>),
}

/// The decision on an act that is about to be made.
pub(crate) enum CallDecision {
    Go(Allowed),
    /// People have to be asked about these findings.
    Ask(Vec<Finding>),
    /// It is held back, and the run has the event of a veto.
    Veto(&'static str, Vec<Finding>),
}

/// An act that is under way.
#[derive(Debug)]
pub(in crate::recorder) struct UnderWay {
    /// While there are others, it is.
    is: Weak<()>,
    /// The text of its event.
    text: Vec<u8>,
    /// The answers that let it pass.
    answers: Vec<GivenAnswer>,
}

/// The answer of a person to what a rule asks.
#[derive(Clone, Debug)]
struct GivenAnswer {
    rule: String,
    by: String,
}

/// Returns findings of rules that asked, once the answer was no.
fn said_no(mut findings: Vec<Finding>) -> Vec<Finding> {
    let [none, no] = [Answer::None, Answer::No].map(Answer::clause);
    for finding in &mut findings {
        finding.message = finding.message.replace(none, no);
    }
    findings
}

/// An act that the rules of the team let pass. While this exists, they count it as under way: it is
/// dropped once the act is recorded.
#[derive(Debug)]
#[must_use = "the act is under way while this exists"]
pub struct Allowed(Arc<()>);
