//! The run of a session, and an event -> what is added to the run, and the decision on a call.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::event::{Call, HookEvent, Outcome};
use super::own_files::OwnFiles;
use super::{Decision, Hook, in_words};
use crate::ground::record::Action;
use crate::ground::source::EPISODES;
use crate::import::REPEATED;
use crate::recorder::call::{AGENT, CALL, in_one_form, question, refusal};
use crate::recorder::{
    Allowed, CallDecision, End, Error, MAX_OUTPUT, Recorded, Run, arguments, each_bounded,
};
use crate::store::{MAX_RECORD_BYTES, OpenDir};

/// The key of the rules that asked a person about a call.
const ASKED: &str = "x-asked";

/// The run of a session, with what its timeline says of calls.
pub(super) struct Session {
    run: Run,
    /// The calls that have begun and have no result.
    open: Vec<Begun>,
    /// The ids of the calls that have one.
    done: BTreeSet<String>,
}

/// A call that has begun.
struct Begun {
    call: String,
    act: Map<String, Value>,
    agent: Option<Value>,
    asked: Vec<String>,
    /// `true` if it no longer counts.
    is_undone: bool,
}

/// An event, as far as it says something of a call.
#[derive(Deserialize)]
struct Seen {
    phase: String,
    payload: SeenPayload,
}

#[derive(Deserialize)]
struct SeenPayload {
    kind: Option<Value>,
    act: Option<Map<String, Value>>,
    #[serde(rename = "x-call-id")]
    call: Option<Value>,
    #[serde(rename = "x-asked")]
    asked: Option<Vec<String>>,
    #[serde(rename = "x-agent")]
    agent: Option<Value>,
}

impl Session {
    /// Reads what the timeline of a run says of calls.
    pub(super) fn of(run: Run) -> Result<Self, Error> {
        let (mut open, mut done) = (Vec::new(), BTreeSet::new());
        run.each_line(&mut |line| {
            if let Ok(seen) = serde_json::from_slice::<Seen>(line) {
                follow(seen, &mut open, &mut done);
            }
        })?;

        Ok(Self { run, open, done })
    }

    /// Has the rules count the calls that have begun, but for one, as long as what is returned
    /// exists.
    fn under_way(&mut self, but: &str) -> Result<Vec<Allowed>, Error> {
        self.open
            .iter()
            .filter(|begun| !begun.is_undone && begun.call != but)
            .map(|begun| self.run.under_way_again(begun.action()))
            .collect()
    }

    /// Decides on a call, and notes that it has begun.
    pub(super) fn before(
        mut self,
        hook: &Hook,
        event: &HookEvent,
        call: Call,
    ) -> Result<Decision, String> {
        let id = event
            .call_id
            .clone()
            .unwrap_or_else(|| self.run.next_call());
        // Where two hooks of one agent ask about a call, it is no other call under way.
        let _under_way = self.under_way(&id).map_err(in_words)?;
        let action = action_of(event, call, &id);
        let own = OwnFiles::of(hook, event, self.run.id()).changed_by(&action);
        let mut begun = note_of(event, "begun", &action);

        if hook.observes {
            self.observe(event, &action, own.as_deref())
                .map_err(in_words)?;
            self.note(begun).map_err(in_words)?;
            return Ok(Decision::Pass);
        }

        let decided = self
            .run
            .decide_call(action, own.as_deref(), hook.agent.asks());

        match decided.map_err(in_words)? {
            CallDecision::Go(_allowed) => {
                self.note(begun).map_err(in_words)?;
                Ok(Decision::Pass)
            }
            CallDecision::Ask(findings) => {
                let rules: BTreeSet<&str> = findings
                    .iter()
                    .map(|it| &*it.rule)
                    .collect();
                begun.insert(ASKED.into(), rules.into_iter().collect());
                self.note(begun).map_err(in_words)?;
                Ok(Decision::Ask(question(&findings)))
            }
            CallDecision::Veto(_, findings) => Ok(Decision::Deny(refusal(&findings))),
        }
    }

    /// Notes what would be held back.
    fn observe(
        &mut self,
        event: &HookEvent,
        action: &Action,
        own: Option<&str>,
    ) -> Result<(), Error> {
        let found = self
            .run
            .would_hold(action.clone(), own)?;
        let mut rules = BTreeSet::new();

        for finding in found
            .iter()
            .filter(|it| rules.insert(&it.rule))
        {
            let mut payload = note_of(event, "would-hold", action);
            payload.insert("rule".into(), finding.rule.clone().into());
            payload.insert("message".into(), finding.message.clone().into());
            self.note(payload)?;
        }

        Ok(())
    }

    fn note(&mut self, payload: Map<String, Value>) -> Result<(), Error> {
        self.run
            .note("observe", payload)
            .map(drop)
    }

    /// Records the act of a call that has a result; one stands once.
    pub(super) fn after(
        mut self,
        event: &HookEvent,
        call: Call,
        outcome: &Outcome,
    ) -> Result<(), Error> {
        let is_done = |id: &String| self.done.contains(id);
        if event
            .call_id
            .as_ref()
            .is_some_and(is_done)
        {
            return Ok(());
        }

        let (tool, input) = (
            call.tool.clone().into(),
            each_bounded(call.input.clone()).into(),
        );
        let place = self
            .open
            .iter()
            .position(|begun| match &event.call_id {
                Some(id) => begun.call == *id,
                None => {
                    begun.act.get("tool") == Some(&tool) && begun.act.get("input") == Some(&input)
                }
            });
        let begun = place.map(|place| self.open.remove(place));
        if let Some(begun) = &begun {
            for rule in &begun.asked {
                self.run
                    .note_answer(rule, &begun.act, true, "user")?;
            }
        }

        let id = event
            .call_id
            .clone()
            .or_else(|| begun.map(|it| it.call))
            .unwrap_or_else(|| self.run.next_call());
        let mut action = action_of(event, call, &id);
        let output = outcome
            .output
            .clone()
            .filter(|output| !output.is_null());
        action.output = output.map(|output| self.run.shortened(output, MAX_OUTPUT));
        action.result_status = Some(outcome.status.into());
        action.duration_ms = outcome
            .duration_ms
            .clone()
            .map(Value::Number);

        self.record(action)
    }

    fn record(&mut self, mut action: Action) -> Result<(), Error> {
        let input = action
            .input
            .take()
            .map(arguments)
            .unwrap_or_default();
        let mut whole = Map::new();
        for (name, value) in input {
            whole.insert(name, self.run.shortened(value, MAX_OUTPUT));
        }

        action.input = Some(whole.into());
        self.run.act(None, action).map(drop)
    }

    /// Notes what a person said; what was under way no longer counts.
    pub(super) fn prompt(mut self, event: &HookEvent) -> Result<(), Error> {
        if event.agent.is_none() {
            self.undo()?;
        }
        let said = json!({"kind": "message", "role": "user", "text": event.prompt});
        self.note(each_bounded(arguments(said)))
    }

    /// Pauses the run; what was under way no longer counts.
    pub(super) fn stop(mut self) -> Result<(), Error> {
        self.undo()?;
        self.run
            .pause("the agent stopped")
            .map(drop)
    }

    fn undo(&mut self) -> Result<(), Error> {
        for begun in self
            .open
            .iter_mut()
            .filter(|begun| !begun.is_undone)
        {
            let mut note = arguments(json!({"kind": "undone", "act": begun.act}));
            note.extend(
                begun
                    .agent
                    .clone()
                    .map(|agent| (AGENT.to_owned(), agent)),
            );
            self.run.note("observe", note)?;
            begun.is_undone = true;
        }

        Ok(())
    }

    /// Ends the run: a question without a call was answered `no`, and
    /// another call without a result is missing.
    pub(super) fn end(mut self) -> Result<Recorded, Error> {
        for begun in std::mem::take(&mut self.open) {
            for rule in &begun.asked {
                self.run
                    .note_answer(rule, &begun.act, false, "user")?;
            }
            if begun.asked.is_empty() && !begun.is_undone {
                let mut action = begun.action();
                action.result_status = Some("missing".into());
                self.record(action)?;
            }
        }

        self.run.finish(End::ok())
    }
}

impl Begun {
    /// Returns the action that it is.
    fn action(&self) -> Action {
        let get = |name: &str| self.act.get(name).cloned();
        let mut action = Action {
            kind: get("kind"),
            tool: get("tool"),
            input: get("input"),
            ..Action::default()
        };

        let call = (CALL.to_owned(), self.call.clone().into());
        let agent = self
            .agent
            .clone()
            .map(|agent| (AGENT.to_owned(), agent));

        action
            .extensions
            .extend([call].into_iter().chain(agent));

        action
    }
}

/// Follows what an event says of a call.
fn follow(seen: Seen, open: &mut Vec<Begun>, done: &mut BTreeSet<String>) {
    let text = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .map(str::to_owned)
    };

    let payload = seen.payload;
    if seen.phase == "act" {
        if let Some(call) = text(payload.call.as_ref()) {
            open.retain(|begun| begun.call != call);
            done.insert(call);
        }
        return;
    }

    let Some(act) = payload
        .act
        .filter(|_| seen.phase == "observe")
    else {
        return;
    };

    let Some(call) = text(act.get(CALL)) else {
        return;
    };

    match text(payload.kind.as_ref()).as_deref() {
        Some("begun") => {
            open.retain(|begun| begun.call != call);
            open.push(Begun {
                call,
                act,
                agent: payload.agent,
                asked: payload.asked.unwrap_or_default(),
                is_undone: false,
            });
        }
        Some("undone") => {
            open.iter_mut()
                .filter(|begun| begun.call == call)
                .for_each(|begun| begun.is_undone = true);
        }
        _ => {}
    }
}

/// Returns the action of a call, in the form of every door.
fn action_of(event: &HookEvent, call: Call, id: &str) -> Action {
    let mut action = Action::new(call.tool);
    action.input = Some(call.input.into());
    action
        .extensions
        .insert(CALL.into(), id.into());

    let agent = event.agent.clone();
    let agent = agent.map(|agent| (AGENT.to_owned(), agent.into()));
    action.extensions.extend(agent);

    in_one_form(action, event.cwd.as_deref())
}

/// Returns a note of a call, which no selector takes for its act.
fn note_of(event: &HookEvent, kind: &str, action: &Action) -> Map<String, Value> {
    let input = action
        .input
        .clone()
        .map(arguments)
        .unwrap_or_default();
    let mut note = arguments(json!({
        "kind": kind,
        "act": {
            "kind": action.kind,
            "tool": action.tool,
            "input": each_bounded(input),
            CALL: action.extensions.get(CALL),
        },
    }));
    let agent = event.agent.clone();
    note.extend(agent.map(|agent| (AGENT.to_owned(), agent.into())));

    note
}

/// Returns the acts of a run that has ended, for the run that goes on with its session.
pub(super) fn acts_of(runs: &Path, id: &str) -> io::Result<Vec<Action>> {
    #[derive(Deserialize)]
    struct Acted {
        phase: String,
        payload: Value,
    }

    let episode = runs.join(EPISODES).join(id);
    let content = OpenDir::open(&episode)?.read("events.jsonl", MAX_RECORD_BYTES + 1)?;
    if content.len() > MAX_RECORD_BYTES {
        let limit = MAX_RECORD_BYTES >> 20;
        let why = format!("its timeline is larger than {limit} MiB");
        return Err(io::Error::other(why));
    }

    let acts = content
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Acted>(line).ok())
        .filter(|event| event.phase == "act")
        .filter_map(|event| {
            let mut action: Action = serde_json::from_value(event.payload).ok()?;
            (action.id, action.timestamp, action.step_id) = (None, None, None);
            // What is attached lies in the run that ended.
            (action.output, action.result_artifacts) = (None, None);
            action
                .extensions
                .insert(REPEATED.into(), true.into());
            Some(action)
        });

    Ok(acts.collect())
}
