//! One line of JSON after the other -> calls of one run, and an answer for each.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::bounded::{MAX_OUTPUT, is_shortened};
use super::super::call::{AGENT, CALL, in_one_form};
use super::super::run::{Allowed, CallDecision, Ending};
use super::super::size::value;
use super::super::{End, Error, PolicyDecision, Run, StepDecision, StepDraft, StepEnd};
use super::answer::{Answer, CallKind, CutValue, Done, Failed, Judgement};
use super::command::{
    Act, Attach, COMMANDS, CallAnswer, Close, Either, RecorderCommand, SourcedPlan, YesOrNo,
};
use crate::ground::document::{Document, Kind, Node, Tape};
use crate::ground::finding::Finding;
use crate::ground::printable::quote;
use crate::ground::record::Action;
use crate::ground::spelling::is_near;
use crate::ground::timestamp::Timestamp;
use crate::reading::schema::RECORD_COMMAND;
use crate::report::json_bytes;

/// The number of bytes of a line, at most: as many as a reader reads of an event.
pub(crate) const LINE_LIMIT: usize = crate::store::MAX_RECORD_BYTES;

/// The number of bytes of a line whose mistake is explained, at most.
const EXPLAINED_BYTES: usize = 64 << 10;

/// The commands that record what has happened, besides `act` and `close`: one that is refused is
/// counted.
const RECORDING: [&str; 7] = [
    "attach", "note", "believe", "remember", "jot", "reflect", "propose",
];

/// The source of a plan that names none.
const SOURCE: &str = "planner.external";

/// The reason for the end of a run, where the caller gives none.
const NO_REASON: &str = "no reason was given";

/// A run that is recorded by lines of JSON, one command each, as `runvet record` reads and prints
/// them. It has no input or output of its own, so any transport will do.
///
/// ```
/// use runvet::recorder::{Recorder, Session, Task};
///
/// # let dir = std::env::temp_dir().join(format!("runvet-session-{}", std::process::id()));
/// let mut session = Session::new(Recorder::new(&dir).begin(Task::new("Count the tickets"))?);
/// let reply = session.reply(br#"{"finish": "ok"}"#);
/// assert!(reply.starts_with(br#"{"ok":true"#));
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), runvet::recorder::Error>(())
/// ```
///
/// `runvet schema record-command` and `record-answer` print the schemas of both sides.
#[must_use = "a session that is dropped leaves its run pending"]
#[derive(Debug)]
pub struct Session {
    /// `None` when the run has ended or is paused.
    run: Option<Run>,
    tape: Tape,
    /// The number of bytes of a value that is recorded as it is.
    max_output: usize,
    /// The number of commands that were refused.
    refused: u64,
    /// The calls that were asked about and are not recorded yet, by their ids.
    calls: BTreeMap<String, HeldCall>,
}

/// A call that was asked about.
#[derive(Debug)]
enum HeldCall {
    /// It may be made, and counts as under way.
    UnderWay { _allowed: Allowed },
    /// It waits for the answer of a person.
    Asked(Box<Act>),
}

impl Session {
    /// Returns a session that goes on with a run.
    pub fn new(run: Run) -> Self {
        Self {
            run: Some(run),
            tape: Tape::default(),
            max_output: MAX_OUTPUT,
            refused: 0,
            calls: BTreeMap::new(),
        }
    }

    /// Sets the number of bytes beyond which a value of an action, or an output of a step, is
    /// recorded in a shortened form, instead of [`MAX_OUTPUT`].
    pub fn max_output(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self
    }

    /// Returns what there is to say before the first command: the run, its directory and its
    /// pending steps.
    pub(crate) fn greeting(&mut self) -> Answer {
        match &mut self.run {
            Some(run) => {
                let done = Done {
                    pending: Some(run.pending()),
                    ..Done::of_run(run)
                };
                Answer::Done(Box::new(with_findings(done, run)))
            }
            None => Answer::Failed(over()),
        }
    }

    /// Obeys the command of a line, and returns the line that answers it, in JSON. A line that is
    /// not a command changes nothing.
    #[must_use]
    pub fn reply(&mut self, line: &[u8]) -> Vec<u8> {
        json_bytes(&self.answer(line))
    }

    /// Obeys the command of a line, and answers it.
    pub(crate) fn answer(&mut self, line: &[u8]) -> Answer {
        let (mut is_record, lost) = (None, self.lost());
        let answered = self
            .read(line, &mut is_record)
            .and_then(|command| self.obey(command))
            .map_or_else(Answer::Failed, |done| Answer::Done(Box::new(done)));
        self.tape.release();
        if let Answer::Failed(failed) = &answered {
            self.refused += u64::from(!failed.is_fault());
            let was_to_record = is_record.unwrap_or(failed.error.kind != "command");
            // What the run refused, it has counted.
            if was_to_record && !failed.is_of_rules() && self.lost() == lost {
                self.lose();
            }
        }

        answered
    }

    fn lost(&self) -> u64 {
        self.run.as_ref().map_or(0, Run::lost)
    }

    fn lose(&mut self) {
        if let Some(run) = &mut self.run {
            run.lose();
        }
    }

    /// Returns the number of commands that were refused so far.
    pub(crate) const fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the answer to a line that is longer than [`LINE_LIMIT`].
    pub(crate) fn too_long(&mut self) -> Answer {
        self.refused += 1;
        self.lose();
        Answer::Failed(too_long())
    }

    /// Returns `true` if the run has ended or is paused, so that no command can follow.
    pub(crate) const fn is_over(&self) -> bool {
        self.run.is_none()
    }

    /// Leaves the run pending, with its state written: pauses it, unless a step is open. Returns
    /// what was found meanwhile.
    pub(crate) fn leave(self, reason: &str) -> Result<Vec<Finding>, Error> {
        let Some(mut run) = self.run else {
            return Ok(Vec::new());
        };
        if run.open_steps().is_empty() {
            run.interrupt(reason)?;
        } else {
            run.leave()?;
        }

        Ok(run.take_findings())
    }

    /// Ends the run as aborted, if it has neither ended nor been paused; returns what is found in
    /// it.
    pub(crate) fn abort(self, reason: &str) -> Result<Vec<Finding>, Error> {
        match self.run {
            Some(run) => Ok(run
                .finish(End::aborted(reason))?
                .findings),
            None => Ok(Vec::new()),
        }
    }

    /// Checks the grammar and the limits before anything is built of a line; notes whether it is a
    /// command that records something.
    fn read(
        &mut self,
        line: &[u8],
        is_record: &mut Option<bool>,
    ) -> Result<RecorderCommand, Failed> {
        if line.len() > LINE_LIMIT {
            return Err(too_long());
        }

        let document = self
            .tape
            .read_record(line)
            .map_err(|refused| {
                let place = match refused {
                    crate::ground::document::Refused::Syntax(error) => {
                        format!(" (byte {})", error.offset + 1)
                    }
                    _ => String::new(),
                };
                Failed::new("syntax", &format!("the line is {refused}{place}"))
            })?;
        let name = named(document)?;
        let argument = document.root().get(name);
        *is_record = Some(argument.is_some_and(|argument| records(name, argument)));

        let value = value(document, "the line")?;
        let wrong = |why: &str| Failed::new("argument", why);
        if !RECORD_COMMAND.accepts(document) {
            // An explanation takes many times the memory of what it is about.
            let explained = (line.len() <= EXPLAINED_BYTES)
                .then(|| RECORD_COMMAND.likeliest_violation(document, "the command"))
                .flatten();
            return Err(wrong(&explained.unwrap_or_else(|| {
                format!(
                    "`{name}` does not have the form that `runvet schema record-command` prints"
                )
            })));
        }

        // Its values are in the tree now.
        self.tape.release();
        RecorderCommand::deserialize(value)
            .map_err(|error| wrong(&format!("`{name}` can't have this argument: {error}")))
    }

    fn obey(&mut self, command: RecorderCommand) -> Result<Done, Failed> {
        let run = self.run.as_mut().ok_or_else(over)?;
        let is_last = matches!(
            command,
            RecorderCommand::Finish(_) | RecorderCommand::Pause(_)
        );
        let done = carry_out(run, command, self.max_output, &mut self.calls)?;
        let mut done = with_findings(done, run);
        if is_last {
            done.refused = Some(self.refused);
            self.run = None;
        }

        Ok(done)
    }
}

/// Returns the answer with what was found meanwhile.
fn with_findings(mut done: Done, run: &mut Run) -> Done {
    if run.is_judged() {
        done.findings
            .get_or_insert_with(|| run.take_findings());
    }
    done
}

/// Returns the payload of an event that an agent is said to be behind.
fn with_agent(payload: Option<Map<String, Value>>, agent: Option<String>) -> Map<String, Value> {
    let mut payload = payload.unwrap_or_default();
    if let Some(agent) = agent {
        payload.insert(AGENT.into(), agent.into());
    }
    payload
}

#[expect(clippy::too_many_lines, reason = "a case for each command")]
fn carry_out(
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
            let known = known
                .and_then(Value::as_str)
                .map(str::to_owned);
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
        RecorderCommand::Would {
            phase,
            payload,
            agent,
        } => {
            let payload = with_agent(payload, agent);
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
            let at = zoned
                .is_none()
                .then_some(in_utc.clone());
            let parsed = zoned.or_else(|| Timestamp::parse(&in_utc));
            run.at(parsed
                .and_then(|time| time.system_time())
                .ok_or_else(|| {
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
        } => run.note(&phase, with_agent(payload, agent))?,
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

fn too_long() -> Failed {
    Error::too_large("the line", LINE_LIMIT).into()
}

fn over() -> Failed {
    Failed::new(
        "ended",
        "the session is over: the run has ended or is paused",
    )
}

/// Returns `true` if a command records something that has happened, or a value: asking about a call
/// does not, nor does closing a step without a value.
fn records(name: &str, argument: Node<'_>) -> bool {
    match name {
        "act" => argument.get("hold").map(Node::to_value) != Some(true.into()),
        "close" => ["outputs", "error", "reason"]
            .into_iter()
            .any(|value| argument.get(value).is_some()),
        name => RECORDING.contains(&name),
    }
}

/// Returns the name of the one command of a line.
fn named(document: Document<'_>) -> Result<&'static str, Failed> {
    let wrong = |message: &str| Failed::new("command", message);
    let root = document.root();
    if root.kind() != Kind::Object {
        let message = format!(
            "a command is an object such as {{\"open\":\"step-1\"}}, not {}",
            root.kind().with_article()
        );
        return Err(wrong(&message));
    }

    let mut members = root.members();
    let (Some(member), None) = (members.next(), members.next()) else {
        return Err(wrong("a line has exactly one command"));
    };

    if document.repeats_keys() {
        return Err(Failed::new("argument", "an object has the same key twice"));
    }

    let name = member.name();
    if let Some(known) = COMMANDS
        .into_iter()
        .find(|known| *known == name)
    {
        return Ok(known);
    }

    let advice = match COMMANDS
        .into_iter()
        .find(|known| is_near(&name, known))
    {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("the commands are {}", COMMANDS.join(", ")),
    };

    let name = quote(&name);
    Err(wrong(&format!("there is no command {name}: {advice}")))
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

fn open(run: &mut Run, step: &str) -> Result<Done, Failed> {
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
fn hold(
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

fn act(run: &mut Run, act: Act, most: usize) -> Result<Done, Failed> {
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

fn attach(run: &mut Run, attach: Attach) -> Result<Done, Failed> {
    let wrong = |why: &str| Failed::new("argument", why);
    let attachment = match (attach.path, attach.base64) {
        (Some(path), None) if attach.extension.is_none() => run.attach_file(path)?,
        (None, Some(text)) => {
            let content = BASE64
                .decode(text.as_bytes())
                .map_err(|error| {
                    wrong(&format!("`base64` is not base64 with its padding: {error}"))
                })?;
            run.attach(
                &content,
                attach
                    .extension
                    .as_deref()
                    .unwrap_or_default(),
            )?
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

fn close(run: &mut Run, close: Either<String, Close>, most: usize) -> Result<Done, Failed> {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Session;
    use crate::ground::record::State;
    use crate::look::read::policy::{Advice, Policy, Scope};
    use crate::recorder::{Recorder, Task};

    /// Blocks a step, and later the run.
    struct Strict;

    impl Policy for Strict {
        fn name(&self) -> &'static str {
            "strict"
        }

        fn version(&self) -> &'static str {
            "1"
        }

        fn advise(&self, state: &State) -> Advice {
            let memory = state.memory.as_ref();
            match memory.and_then(|memory| memory.scratchpad.as_deref()) {
                None => Advice::hint("look twice"),
                Some("careful") => Advice::veto("not now"),
                Some(_) => Advice::Veto {
                    reason: "never".into(),
                    scope: Scope::Run,
                },
            }
        }
    }

    #[test]
    fn answers_have_the_verdicts_of_policies() {
        let temp = tempfile::tempdir().unwrap();
        let recorder = Recorder::new(temp.path()).policy(Strict);
        let mut session = Session::new(recorder.begin(Task::new("t")).unwrap());
        let mut ask = |line: &str| serde_json::to_value(session.answer(line.as_bytes())).unwrap();
        let go = json!({"kind": "go", "hints": ["look twice"]});
        let veto = |reason: &str, scope: &str| json!({"kind": "veto", "policy": "policy:strict@1", "reason": reason, "scope": scope});
        assert_eq!(ask(r#"{"plan":["a","b","c"]}"#)["verdict"], go);
        assert_eq!(ask(r#"{"open":"step-1"}"#)["verdict"], go);
        ask(r#"{"jot":"careful"}"#);
        assert_eq!(
            ask(r#"{"open":"step-2"}"#)["verdict"],
            veto("not now", "step")
        );
        ask(r#"{"jot":"more"}"#);
        assert_eq!(ask(r#"{"open":"step-3"}"#)["verdict"], veto("never", "run"));
        // The veto closed the step that was open.
        assert_eq!(ask(r#"{"close":"step-1"}"#)["error"]["kind"], "refused");
        assert_eq!(ask(r#"{"finish":"ok"}"#)["status"], "vetoed");
        assert_eq!(ask(r#"{"finish":"ok"}"#)["error"]["kind"], "ended");
        assert!(session.is_over());
    }
}
