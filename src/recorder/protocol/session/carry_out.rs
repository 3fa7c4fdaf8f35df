//! A command and a run -> what is recorded, and the answer.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::super::super::bounded::is_shortened;
use super::super::super::call::{AGENT, CALL, in_one_form};
use super::super::super::run::{CallDecision, Ending};
use super::super::super::{End, Error, PolicyDecision, Run, StepDecision, StepDraft, StepEnd};
use super::super::answer::{CallKind, CutValue, Done, Failed, Judgement};
use super::super::command::{
    Act, Attach, CallAnswer, Close, Either, RecorderCommand, SourcedPlan, YesOrNo,
};
use super::HeldCall;

use crate::ground::printable::quote;
use crate::ground::record::Action;
use crate::ground::timestamp::Timestamp;

/// The source of a plan that names none.
const SOURCE: &str = "planner.external";

/// The reason for the end of a run, where the caller gives none.
const NO_REASON: &str = "no reason was given";

/// Returns the answer with what was found meanwhile.
pub(super) fn with_findings(mut done: Done, run: &mut Run) -> Done {
    if run.is_judged() {
        done.findings.get_or_insert_with(|| run.take_findings());
    }
    done
}

#[expect(clippy::too_many_lines, reason = "a case for each command")]
pub(super) fn carry_out(
    run: &mut Run,
    command: RecorderCommand,
    most: usize,
    calls: &mut BTreeMap<String, HeldCall>,
) -> Result<Done, Failed> {
    let recorded = match command {
        RecorderCommand::Plan(plan) => return plan_steps(run, plan),
        RecorderCommand::Open(step) => return open(run, &step),
        RecorderCommand::Act(act) if act.hold == Some(true) => {
            let known = act.action.extensions.get(CALL);
            let known = known.and_then(Value::as_str).map(str::to_owned);
            let call = known.unwrap_or_else(|| run.next_call());
            return hold(run, act, call, None, calls);
        }
        RecorderCommand::Act(act) => {
            let call = act.action.extensions.get(CALL).cloned();
            let done = self::act(run, *act, most)?;
            call.and_then(|call| calls.remove(call.as_str()?));
            return Ok(done);
        }
        RecorderCommand::Answer(CallAnswer { call, answer, by }) => {
            let Some(HeldCall::Asked(act)) = calls.remove(&call) else {
                let why = format!("no call {} waits for an answer", quote(&call));
                return Err(Failed::new("argument", &why));
            };
            let answer = Some((answer == YesOrNo::Yes, &*by));
            return hold(run, act, call, answer, calls);
        }
        RecorderCommand::Close(end) => return close(run, end, most),
        RecorderCommand::Attach(attach) => return self::attach(run, attach.in_full()),
        RecorderCommand::Would { phase, payload } => {
            let payload = payload.unwrap_or_default();
            return Ok(Done::found(run.would(&phase, payload)?));
        }
        RecorderCommand::Finish(finish) => {
            run.end(explained(finish.in_full())?)?;
            return Ok(Done::ended(&run.recorded()));
        }
        RecorderCommand::Pause(reason) => {
            run.interrupt(&reason)?;
            return Ok(Done::of_run(run));
        }
        RecorderCommand::At(None) => {
            run.at(None)?;
            return Ok(Done::nothing());
        }
        RecorderCommand::At(Some(time)) => {
            let zoned = Timestamp::parse(&time);
            let in_utc = format!("{time}Z");
            let at = zoned.is_none().then_some(in_utc.clone());
            let parsed = zoned.or_else(|| Timestamp::parse(&in_utc));
            run.at(parsed.and_then(|time| time.system_time()).ok_or_else(|| {
                let why = format!("`at` is {}, not an RFC 3339 date-time", quote(&time));
                Failed::new("argument", &why)
            })?)?;
            return Ok(Done {
                at,
                ..Done::nothing()
            });
        }
        RecorderCommand::Persist(_) => {
            run.persist()?;
            return Ok(Done::nothing());
        }
        RecorderCommand::Note {
            phase,
            payload,
            agent,
        } => {
            let mut payload = payload.unwrap_or_default();
            if let Some(agent) = agent {
                payload.insert(AGENT.into(), agent.into());
            }
            run.note(&phase, payload)?
        }
        RecorderCommand::Believe {
            statement,
            confidence,
            provenance,
        } => run.believe(&statement, confidence, &provenance)?,
        RecorderCommand::Remember {
            key,
            value,
            provenance,
        } => run.remember(&key, value, provenance.as_deref())?,
        RecorderCommand::Jot(text) => run.jot(&text)?,
        RecorderCommand::Reflect(payload) => run.reflect(payload)?,
        RecorderCommand::Propose { proposal, applied } => {
            run.propose(proposal, applied.unwrap_or_default())?
        }
    };

    Ok(Done::with_id(recorded))
}

fn plan_steps(
    run: &mut Run,
    plan: Either<Vec<Either<String, StepDraft>>, SourcedPlan>,
) -> Result<Done, Failed> {
    let (steps, source) = match plan {
        Either::Short(steps) => (steps, None),
        Either::Full(SourcedPlan { steps, source }) => (steps, source),
    };

    let steps = steps.into_iter().map(Either::in_full);
    let verdict = match run.plan(steps, source.as_deref().unwrap_or(SOURCE))? {
        PolicyDecision::Go { hints } => Judgement::Go { hints },
        PolicyDecision::Vetoed(veto) => Judgement::Veto(veto),
    };

    Ok(Done::judged(verdict))
}

pub(super) fn open(run: &mut Run, step: &str) -> Result<Done, Failed> {
    let verdict = match run.open(step)? {
        StepDecision::Go(step) => Judgement::Go {
            hints: step.hints().to_vec(),
        },
        StepDecision::Vetoed(veto) => Judgement::Veto(veto),
        StepDecision::Skipped => Judgement::Skipped,
    };

    Ok(Done::judged(verdict))
}

/// Asks about a call, with the answer of a person, if there is one.
pub(super) fn hold(
    run: &mut Run,
    act: Box<Act>,
    call: String,
    answer: Option<(bool, &str)>,
    calls: &mut BTreeMap<String, HeldCall>,
) -> Result<Done, Failed> {
    let step = match &act.step_id {
        None if run.open_steps().is_empty() => None,
        named => Some(open_step(run, named.clone())?),
    };

    let decision = run.hold_call(step.as_deref(), act.action.clone(), &call, answer, true)?;
    let (kind, findings) = match decision {
        CallDecision::Go(allowed) => {
            calls.insert(call.clone(), HeldCall::UnderWay { _allowed: allowed });
            (CallKind::Go, Vec::new())
        }
        CallDecision::Ask(findings) => {
            calls.insert(call.clone(), HeldCall::Asked(act));
            (CallKind::Ask, findings)
        }
        CallDecision::Veto(_, findings) => (CallKind::Veto, findings),
    };

    Ok(Done::held(call, kind, findings))
}

pub(super) fn act(run: &mut Run, act: Act, most: usize) -> Result<Done, Failed> {
    let step = match act.step_id {
        None if run.open_steps().is_empty() => None,
        named => Some(open_step(run, named)?),
    };

    // Its form is that of the whole values.
    let mut action = in_one_form(act.action, run.directory());
    let large = [&mut action.input_excerpt, &mut action.output]
        .into_iter()
        .flatten();
    for value in large.chain(action.extensions.values_mut()) {
        *value = run.shortened(value.take(), most);
    }

    action.input = action.input.map(|input| match input {
        Value::Object(members) => each_shortened(run, members, most).into(),
        input => run.shortened(input, most),
    });

    let cut = cut_values(&action);
    let done = Done::with_id(run.act_in(step.as_deref(), action)?);
    Ok(Done { cut, ..done })
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

pub(super) fn attach(run: &mut Run, attach: Attach) -> Result<Done, Failed> {
    let wrong = |why: &str| Failed::new("argument", why);
    let attachment = match (attach.path, attach.base64) {
        (Some(path), None) if attach.extension.is_none() => run.attach_file(path)?,
        (None, Some(text)) => {
            let content = BASE64.decode(text.as_bytes()).map_err(|error| {
                wrong(&format!("`base64` is not base64 with its padding: {error}"))
            })?;
            run.attach(&content, attach.extension.as_deref().unwrap_or_default())?
        }
        _ => {
            return Err(wrong(
                "`attach` takes a `path`, or `base64` and `extension`",
            ));
        }
    };

    Ok(Done {
        attachment: Some(attachment),
        ..Done::nothing()
    })
}

fn each_shortened(run: &mut Run, members: Map<String, Value>, most: usize) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name, run.shortened(value, most)))
        .collect()
}

pub(super) fn close(
    run: &mut Run,
    close: Either<String, Close>,
    most: usize,
) -> Result<Done, Failed> {
    let (step, end) = match close {
        Either::Short(step) => (Some(step), StepEnd::Done),
        Either::Full(Close::Done { step_id, outputs }) => {
            let outputs = outputs.map(|outputs| each_shortened(run, outputs, most));
            (step_id, outputs.map_or(StepEnd::Done, StepEnd::DoneWith))
        }
        Either::Full(Close::Failed { step_id, error }) => (step_id, StepEnd::Failed(error)),
        Either::Full(Close::Skipped { step_id, reason }) => (step_id, StepEnd::Skipped(reason)),
    };

    let step = open_step(run, step)?;
    run.close_step(&step, end)?;
    Ok(Done::nothing())
}

/// Returns the refusal of a command that does not name its step.
fn unnamed(why: String) -> Failed {
    Error::refused("a command that names no step", why).into()
}

/// Returns the step that a command is about: the one it names, else the one that is open.
fn open_step(run: &Run, named: Option<String>) -> Result<String, Failed> {
    let open = run.open_steps();
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

/// Fills in why a run ends, where the command does not say.
pub(super) fn explained(mut end: End) -> Result<End, Failed> {
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
            let reason = end.reason.as_deref().unwrap_or("unknown");
            end.error.get_or_insert_with(|| reason.into());
        }
        _ => {
            end.reason.get_or_insert_with(|| NO_REASON.into());
        }
    }

    Ok(end)
}
