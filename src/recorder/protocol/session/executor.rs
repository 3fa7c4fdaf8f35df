//! A command -> what it does to the run, and its result.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::super::super::bounded::is_shortened;
use super::super::super::call::{AGENT, CALL, in_one_form};
use super::super::super::run::{Allowed, CallDecision, Ending};
use super::super::super::{End, Error, PolicyDecision, Run, StepDecision, StepDraft, StepEnd};
use super::super::answer::{CallKind, CutValue, Done, Failed, Judgement};
use super::super::command::{
    Act, Attach, CallAnswer, Close, Either, RecorderCommand, SourcedPlan, YesOrNo,
};
use crate::ground::printable::quote;
use crate::ground::record::Action;
use crate::ground::timestamp::Timestamp;

/// The source of a plan that names none.
const SOURCE: &str = "planner.external";

/// The reason for the end of a run, where the caller gives none.
const NO_REASON: &str = "no reason was given";

/// A call that was asked about.
#[derive(Debug)]
pub(super) enum HeldCall {
    /// It may be made, and counts as under way.
    UnderWay { _allowed: Allowed },
    /// It waits for the answer of a person.
    Asked(Box<Act>),
}

/// What a command is carried out on.
pub(super) struct Executor<'s> {
    pub(super) run: &'s mut Run,
    /// The number of bytes of a value that is recorded as it is.
    pub(super) max_output: usize,
    /// The calls that were asked about and are not recorded yet, by their ids.
    pub(super) calls: &'s mut BTreeMap<String, HeldCall>,
}

impl Executor<'_> {
    /// Carries out a command, and returns its result.
    pub(super) fn execute(&mut self, command: RecorderCommand) -> Result<Done, Failed> {
        match command {
            RecorderCommand::Plan(plan) => self.plan(plan),
            RecorderCommand::Open(step) => self.open(&step),
            RecorderCommand::Act(act) if act.hold == Some(true) => self.ask(act),
            RecorderCommand::Act(act) => self.act(*act),
            RecorderCommand::Answer(answer) => self.answer(&answer),
            RecorderCommand::Close(close) => self.close(close),
            RecorderCommand::Attach(attach) => self.attach(attach.in_full()),
            RecorderCommand::At(time) => self.at(time),
            RecorderCommand::Would {
                phase,
                payload,
                agent,
            } => {
                let payload = with_agent(payload, agent);
                Ok(Done::found(self.run.would(&phase, payload)?))
            }
            RecorderCommand::Finish(end) => self.finish(end.in_full()),
            RecorderCommand::Pause(reason) => {
                self.run.interrupt(&reason)?;
                Ok(Done::of_run(self.run))
            }
            RecorderCommand::Persist(_) => {
                self.run.persist()?;
                Ok(Done::nothing())
            }
            RecorderCommand::Note {
                phase,
                payload,
                agent,
            } => recorded(
                self.run
                    .note(&phase, with_agent(payload, agent)),
            ),
            RecorderCommand::Believe {
                statement,
                confidence,
                provenance,
            } => recorded(
                self.run
                    .believe(&statement, confidence, &provenance),
            ),
            RecorderCommand::Remember {
                key,
                value,
                provenance,
            } => recorded(
                self.run
                    .remember(&key, value, provenance.as_deref()),
            ),
            RecorderCommand::Jot(text) => recorded(self.run.jot(&text)),
            RecorderCommand::Reflect(payload) => recorded(self.run.reflect(payload)),
            RecorderCommand::Propose { proposal, applied } => recorded(
                self.run
                    .propose(proposal, applied.unwrap_or_default()),
            ),
        }
    }

    fn plan(
        &mut self,
        plan: Either<Vec<Either<String, StepDraft>>, SourcedPlan>,
    ) -> Result<Done, Failed> {
        let (steps, source) = match plan {
            Either::Short(steps) => (steps, None),
            Either::Full(SourcedPlan { steps, source }) => (steps, source),
        };

        let steps = steps.into_iter().map(Either::in_full);
        let verdict = match self
            .run
            .plan(steps, source.as_deref().unwrap_or(SOURCE))?
        {
            PolicyDecision::Go { hints } => Judgement::Go { hints },
            PolicyDecision::Vetoed(veto) => Judgement::Veto(veto),
        };

        Ok(Done::judged(verdict))
    }

    fn open(&mut self, step: &str) -> Result<Done, Failed> {
        let verdict = match self.run.open(step)? {
            StepDecision::Go(step) => Judgement::Go {
                hints: step.hints().to_vec(),
            },
            StepDecision::Vetoed(veto) => Judgement::Veto(veto),
            StepDecision::Skipped => Judgement::Skipped,
        };

        Ok(Done::judged(verdict))
    }

    /// Asks about a call that is about to be made.
    fn ask(&mut self, act: Box<Act>) -> Result<Done, Failed> {
        let call = act
            .action
            .extensions
            .get(CALL)
            .and_then(Value::as_str)
            .map_or_else(|| self.run.next_call(), str::to_owned);
        self.hold(act, call, None)
    }

    /// Asks about a call once more, with the answer of a person.
    fn answer(&mut self, answered: &CallAnswer) -> Result<Done, Failed> {
        let CallAnswer { call, answer, by } = answered;
        let Some(HeldCall::Asked(act)) = self.calls.remove(call) else {
            let why = format!("no call {} waits for an answer", quote(call));
            return Err(Failed::new("argument", &why));
        };

        self.hold(act, call.clone(), Some((*answer == YesOrNo::Yes, by)))
    }

    /// Asks about a call, with the answer of a person, if there is one.
    fn hold(
        &mut self,
        act: Box<Act>,
        call: String,
        answer: Option<(bool, &str)>,
    ) -> Result<Done, Failed> {
        let step = self.step_of_act(act.step_id.clone())?;
        let action = act.action.clone();
        let decision = self
            .run
            .hold_call(step.as_deref(), action, &call, answer, true)?;
        let (kind, findings) = match decision {
            CallDecision::Go(allowed) => {
                let under_way = HeldCall::UnderWay { _allowed: allowed };
                self.calls
                    .insert(call.clone(), under_way);
                (CallKind::Go, Vec::new())
            }
            CallDecision::Ask(findings) => {
                self.calls
                    .insert(call.clone(), HeldCall::Asked(act));
                (CallKind::Ask, findings)
            }
            CallDecision::Veto(_, findings) => (CallKind::Veto, findings),
        };

        Ok(Done::held(call, kind, findings))
    }

    /// Records an act; a call that was asked about is no longer under way.
    fn act(&mut self, act: Act) -> Result<Done, Failed> {
        let call = act.action.extensions.get(CALL).cloned();
        let step = self.step_of_act(act.step_id)?;
        // Its form is that of the whole values.
        let mut action = in_one_form(act.action, self.run.directory());
        for value in [&mut action.input_excerpt, &mut action.output]
            .into_iter()
            .flatten()
            .chain(action.extensions.values_mut())
        {
            *value = self
                .run
                .shortened(value.take(), self.max_output);
        }

        action.input = action.input.map(|input| match input {
            Value::Object(members) => self.each_shortened(members).into(),
            input => self
                .run
                .shortened(input, self.max_output),
        });

        let cut = cut_values(&action);
        let id = self
            .run
            .act_in(step.as_deref(), action)?;
        call.and_then(|call| self.calls.remove(call.as_str()?));
        Ok(Done {
            cut,
            ..Done::with_id(id)
        })
    }

    fn close(&mut self, close: Either<String, Close>) -> Result<Done, Failed> {
        let (step, end) = match close {
            Either::Short(step) => (Some(step), StepEnd::Done),
            Either::Full(Close::Done { step_id, outputs }) => {
                let outputs = outputs.map(|outputs| self.each_shortened(outputs));
                (step_id, outputs.map_or(StepEnd::Done, StepEnd::DoneWith))
            }
            Either::Full(Close::Failed { step_id, error }) => (step_id, StepEnd::Failed(error)),
            Either::Full(Close::Skipped { step_id, reason }) => (step_id, StepEnd::Skipped(reason)),
        };

        let step = self.open_step(step)?;
        self.run.close_step(&step, end)?;
        Ok(Done::nothing())
    }

    fn attach(&mut self, attach: Attach) -> Result<Done, Failed> {
        let wrong = |why: &str| Failed::new("argument", why);
        let attachment = match (attach.path, attach.base64) {
            (Some(path), None) if attach.extension.is_none() => self.run.attach_file(path)?,
            (None, Some(text)) => {
                let content = BASE64
                    .decode(text.as_bytes())
                    .map_err(|error| {
                        wrong(&format!("`base64` is not base64 with its padding: {error}"))
                    })?;
                let extension = attach.extension.unwrap_or_default();
                self.run.attach(&content, &extension)?
            }
            _ => {
                let why = "`attach` takes a `path`, or `base64` and `extension`";
                return Err(wrong(why));
            }
        };

        Ok(Done {
            attachment: Some(attachment),
            ..Done::nothing()
        })
    }

    fn finish(&mut self, end: End) -> Result<Done, Failed> {
        self.run.end(explained(end)?)?;
        Ok(Done::ended(&self.run.recorded()))
    }

    /// Sets the time of the next events, or lets the clock set it. A time without a zone is in UTC.
    fn at(&mut self, time: Option<String>) -> Result<Done, Failed> {
        let Some(time) = time else {
            self.run.at(None)?;
            return Ok(Done::nothing());
        };

        let zoned = Timestamp::parse(&time);
        let in_utc = format!("{time}Z");
        let at = zoned
            .is_none()
            .then_some(in_utc.clone());
        let instant = zoned
            .or_else(|| Timestamp::parse(&in_utc))
            .and_then(|time| time.system_time())
            .ok_or_else(|| {
                let why = format!("`at` is {}, not an RFC 3339 date-time", quote(&time));
                Failed::new("argument", &why)
            })?;
        self.run.at(instant)?;

        Ok(Done {
            at,
            ..Done::nothing()
        })
    }

    fn each_shortened(&mut self, members: Map<String, Value>) -> Map<String, Value> {
        members
            .into_iter()
            .map(|(name, value)| {
                (
                    name,
                    self.run
                        .shortened(value, self.max_output),
                )
            })
            .collect()
    }

    /// Returns the step of an act: none, where none is open.
    fn step_of_act(&self, named: Option<String>) -> Result<Option<String>, Failed> {
        match named {
            None if self.run.open_steps().is_empty() => Ok(None),
            named => self.open_step(named).map(Some),
        }
    }

    /// Returns the step that a command is about: the one it names, else the one that is open.
    fn open_step(&self, named: Option<String>) -> Result<String, Failed> {
        let open = self.run.open_steps();
        match (named, &open[..]) {
            (Some(step), _) => Ok(step),
            (None, [step]) => Ok(step.clone()),
            (None, []) => Err(unnamed("none is open".into())),
            (None, [first, ..]) => Err(unnamed(format!(
                "several are open, so name one as `step_id`, such as {}",
                quote(first)
            ))),
        }
    }
}

/// Returns the answer to a command that recorded something with an id.
fn recorded(id: Result<String, Error>) -> Result<Done, Failed> {
    Ok(Done::with_id(id?))
}

/// Returns the payload of an event of which an agent is named.
fn with_agent(payload: Option<Map<String, Value>>, agent: Option<String>) -> Map<String, Value> {
    let mut payload = payload.unwrap_or_default();
    if let Some(agent) = agent {
        payload.insert(AGENT.into(), agent.into());
    }
    payload
}

/// Returns the values of an action that its record does not have in whole.
fn cut_values(action: &Action) -> Vec<CutValue> {
    let fields = [
        ("input_excerpt", &action.input_excerpt),
        ("output", &action.output),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value.as_ref()?)));
    let more = action
        .extensions
        .iter()
        .map(|(name, value)| (name.clone(), value));
    let members = action
        .input
        .iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(name, value)| (format!("input.{name}"), value));

    action
        .input
        .iter()
        .map(|value| ("input".to_owned(), value))
        .chain(members)
        .chain(fields)
        .chain(more)
        .filter(|(_, value)| is_shortened(value))
        .map(|(field, value)| CutValue {
            field,
            bytes: value
                .get("bytes")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
            attachment: value
                .get("attachment")
                .and_then(Value::as_str)
                .map(Into::into),
        })
        .collect()
}

/// Returns the refusal of a command that does not name its step.
fn unnamed(why: String) -> Failed {
    Error::refused("a command that names no step", why).into()
}

/// Fills in why a run ends, where the command does not say.
fn explained(mut end: End) -> Result<End, Failed> {
    let needless = match end.status {
        Ending::Ok if end.reason.is_some() => Some("reason"),
        Ending::Error => None,
        _ => end.error.as_ref().map(|_| "error"),
    };

    if let Some(what) = needless {
        let message = format!("`{what}` has no meaning for a run that ends with this status");
        return Err(Failed::new("argument", &message));
    }

    match end.status {
        Ending::Ok => {}
        Ending::Error => {
            let reason = end
                .reason
                .as_deref()
                .unwrap_or("unknown");
            end.error
                .get_or_insert_with(|| reason.into());
        }
        _ => {
            end.reason
                .get_or_insert_with(|| NO_REASON.into());
        }
    }

    Ok(end)
}
