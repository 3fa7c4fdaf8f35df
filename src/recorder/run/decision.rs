//! An act that is about to be made -> whether the rules of the team let it pass, and what people
//! say to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use serde_json::{Map, Value};

use super::super::bounded::{MAX_SMALL, cut};
use super::super::call::AGENT;
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::Run;
use super::judging::{ACTION, is_given, pointer_of, written};
use crate::gate::Gate;
use crate::ground::finding::{Finding, Severity};
use crate::ground::source::Artifact;
use crate::judge::check::LiveChecker;
use crate::judge::rule::TeamCheck;
use crate::policy::team::{ASK, Answer, act_digest};

/// The number of acts under way that are tried in each order.
const MAX_ORDERED: usize = 3;

/// The number of questions to people about one act.
const MAX_QUESTIONS: usize = 16;

impl Run {
    /// Asks the rules of the team about an act or a note that is about to be made. Where they find
    /// an error in what is known of it, the run gets the event of a veto; else it is under way.
    pub(super) fn ask_before(
        &mut self,
        step: Option<&str>,
        draft: &RunEvent,
    ) -> Result<Allowed, Error> {
        let asking = Asking {
            step,
            ..Asking::default()
        };
        match self.decide(draft, asking)? {
            CallDecision::Go(allowed) => Ok(allowed),
            CallDecision::Ask(findings) => Err(Error::Violates {
                what: ACTION,
                findings,
            }),
            CallDecision::Veto(what, findings) => Err(Error::Violates { what, findings }),
        }
    }

    /// Decides on an act that is about to be made.
    pub(super) fn decide(
        &mut self,
        draft: &RunEvent,
        asking: Asking<'_>,
    ) -> Result<CallDecision, Error> {
        self.under_way
            .retain(|act| act.is.strong_count() > 0);
        let Some((live, _)) = self.holding() else {
            return Ok(CallDecision::Go(Allowed {
                _held: Arc::default(),
            }));
        };
        if live.has_rules_of_events() {
            self.must_have_room(draft)?;
        }

        let (mut answer, mut questions, mut answers) = (asking.answer, 0, Vec::new());
        let tried = loop {
            let mut tried = self.tried(draft, asking.own)?;
            if !self.asks_people(&tried.findings) || questions == MAX_QUESTIONS {
                break tried;
            }

            questions += 1;
            let answered = match answer.take() {
                Some((is_yes, by)) => Some((is_yes, by.to_owned())),
                None if asking.may_wait => return Ok(CallDecision::Ask(tried.findings)),
                None => self.ask_people(&draft.payload, &tried.findings),
            };
            let Some((is_yes, by)) = answered else {
                break tried;
            };

            let given = self.note_answers(&draft.payload, &tried.findings, is_yes, &by)?;
            if !is_yes {
                self.cover_again(&tried.text, &draft.payload, &given)?;
                tried.findings = said_no(tried.findings);
                break tried;
            }

            answers.extend(given);
            // The answer is an event, after which another rule may ask.
        };

        match tried.findings.first() {
            None => Ok(CallDecision::Go(self.let_pass(tried.text, answers))),
            Some(first) => {
                let what = self.veto_act(asking.step, &tried.event, first);
                Ok(CallDecision::Veto(what, tried.findings))
            }
        }
    }

    /// Tries an act as the next event.
    fn tried(&self, draft: &RunEvent, own: Option<&str>) -> Result<TriedAct, Error> {
        let event = draft
            .clone()
            .numbered(self.id(), self.fold.events + 1, self.now());
        let text = event.line()?;
        let mut findings = self.holding_findings(&event, &text, &draft.payload);
        findings.extend(self.own_finding(&text, own));

        Ok(TriedAct {
            event,
            text,
            findings,
        })
    }

    /// Returns `true` if findings are there, and the rules of all of them ask people.
    fn asks_people(&self, found: &[Finding]) -> bool {
        !found.is_empty()
            && self
                .holding()
                .is_some_and(|(live, _)| found.iter().all(|it| live.asks(it)))
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
    pub(super) fn held_for(
        &self,
        draft: &RunEvent,
        own: Option<&str>,
    ) -> Result<Vec<Finding>, Error> {
        Ok(self.tried(draft, own)?.findings)
    }

    /// Returns the error in a call that changes what the hook of its agent works by.
    fn own_finding(&self, text: &[u8], own: Option<&str>) -> Option<Finding> {
        let (live, _) = self.holding()?;
        let event = written(Artifact::Events, self.fold.events + 1, 0, text);
        let found = live.own_files(event, own?)?;
        (found.severity == Severity::Error).then_some(found)
    }

    /// Counts an act as under way.
    pub(super) fn goes_on(&mut self, draft: RunEvent) -> Result<Allowed, Error> {
        let event = draft.numbered(self.id(), self.fold.events + 1, self.now());
        Ok(self.let_pass(event.line()?, Vec::new()))
    }

    /// Counts an act as under way, with the answers that let it pass.
    fn let_pass(&mut self, text: Vec<u8>, answers: Vec<GivenAnswer>) -> Allowed {
        let allowed = Arc::default();
        self.under_way.push(UnderWay {
            is: Arc::downgrade(&allowed),
            text,
            answers,
        });

        Allowed { _held: allowed }
    }

    /// Refuses an act that could not be recorded once it was made: rules would not count it.
    fn must_have_room(&self, draft: &RunEvent) -> Result<(), Error> {
        let mut draft = draft.clone();
        let output = " ".repeat(MAX_SMALL).into();
        draft
            .payload
            .insert("output".into(), output);
        cut(&mut draft.payload);

        match self.must_fit(&draft) {
            Err(Error::TooLarge { limit, .. }) => {
                let why = format!(
                    "the run is full, at {limit}: what is done now is not recorded, and rules of \
                     the team would not count it"
                );
                Err(Error::refused(ACTION, why))
            }
            fits => fits,
        }
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
        let under_way: Vec<Vec<u8>> = self
            .under_way
            .iter()
            .map(|act| act.text.clone())
            .collect();
        let holds = |finding: &Finding| {
            finding.severity == Severity::Error
                && live
                    .declared(finding)
                    .is_some_and(|check| match check {
                        TeamCheck::Schema(_) => {
                            pointer_of(finding).is_some_and(|it| is_given(payload, &it))
                        }
                        _ => !live.depends_on_outcome(check),
                    })
        };

        let orders = match under_way.len() {
            0..=MAX_ORDERED => sequences(&under_way),
            _ => vec![Vec::new(), under_way.clone()],
        };

        for after in &orders {
            let found = self.judge_next(live, event, text, Some(after));
            let mut findings = gate.counting(&self.key(), found);
            findings.retain(holds);
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
        let tool = payload
            .get("tool")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let input = payload
            .get("input")
            .unwrap_or(&Value::Null);
        let asked = AssertUnwindSafe(|| ask(tool, input, findings));
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
        let mut rules: Vec<&String> = found
            .iter()
            .map(|it| &it.rule)
            .collect();
        rules.dedup();
        for rule in &rules {
            self.note_answer(rule, payload, is_yes, by)?;
        }

        Ok(rules
            .into_iter()
            .map(|rule| GivenAnswer {
                rule: rule.clone(),
                by: by.to_owned(),
            })
            .collect())
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

    /// Returns the rules that hold back, if there are any.
    pub(super) fn holding(&self) -> Option<(&LiveChecker, &Gate)> {
        self.live
            .as_ref()
            .filter(|_| self.recorder.holds_back)
            .zip(self.recorder.gate.as_deref())
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

/// What is known where an act is asked about.
#[derive(Clone, Copy, Default)]
pub(super) struct Asking<'a> {
    /// The step of the act.
    pub(super) step: Option<&'a str>,
    /// The answer of a person: whether it is a yes, and who gave it.
    pub(super) answer: Option<(bool, &'a str)>,
    /// What the hook of the agent works by, which no act may change.
    pub(super) own: Option<&'a str>,
    /// `true` if somebody else asks people.
    pub(super) may_wait: bool,
}

/// An act that was tried as the next event.
struct TriedAct {
    event: RunEvent,
    text: Vec<u8>,
    /// The errors for which it is held back.
    findings: Vec<Finding>,
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
pub struct Allowed {
    _held: Arc<()>,
}

/// Returns all sequences of some of the lines, each in each order; the empty one first.
fn sequences(lines: &[Vec<u8>]) -> Vec<Vec<Vec<u8>>> {
    let mut all = vec![Vec::new()];
    for (at, first) in lines.iter().enumerate() {
        let others: Vec<Vec<u8>> = lines
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, line)| line.clone())
            .collect();
        let rest = sequences(&others).into_iter();
        all.extend(rest.map(|rest| [vec![first.clone()], rest].concat()));
    }

    all
}

/// Returns what is kept of an act or a note that was held back. No selector of either names it.
fn held(payload: &Map<String, Value>) -> Value {
    let mut act = payload.clone();
    act.retain(|key, _| matches!(&**key, "kind" | "tool" | "input" | "model" | AGENT));
    cut(&mut act);
    act.into()
}
