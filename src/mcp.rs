//! Lines between an MCP client and its server -> the lines that pass, and the acts of a run.
//!
//! The [`Proxy`] has no input or output of its own. What a line of the client becomes is a
//! [`Passage`]; a line of the server passes whatever it is, once the act that it ends is recorded.

mod message;
mod outcome;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use message::{Id, Message, Wrong};
use outcome::Outcome;

use crate::ground::document::{Kind, Node, Tape};
use crate::ground::finding::Finding;
use crate::ground::printable::{count, shortened};
use crate::ground::record::Action;
use crate::recorder::call::{self, CALL, in_one_form, question, sentences};
use crate::recorder::{Allowed, CallDecision, End, Error, Run};

/// The number of bytes of a line, at most.
pub(crate) const MAX_LINE: usize = crate::store::MAX_RECORD_BYTES;

/// The number of calls that may be under way or wait for a person, and of their bytes: each is
/// kept, and rules count them all.
const MAX_CALLS: usize = 1_000;
const MAX_HELD: usize = 4 * MAX_LINE;

/// The start of the ids of questions to the client.
const OWN: &str = "runvet-";

/// The number of characters of the arguments that a question shows.
const MAX_SHOWN: usize = 1_000;

/// What stands between a client and its server: the run, and the calls under way.
pub(crate) struct Proxy {
    /// `None` once the run has ended.
    run: Option<Run>,
    /// The name of the server.
    name: Option<String>,
    /// `true` if the client can ask a person.
    can_ask: bool,
    /// The number of the last question.
    questions: u64,
    /// The number of calls that have passed.
    passed: u64,
    /// The calls that have passed and have no result yet.
    open: BTreeMap<Id, OpenCall>,
    /// The calls that a person is asked about, by the numbers of the questions.
    asked: BTreeMap<u64, Call>,
    /// The first reason why an act is not recorded.
    lost: Option<String>,
    tape: Tape,
}

/// A call of a tool that may be made.
struct Call {
    /// The text of the message.
    text: String,
    id: Id,
    action: Action,
}

/// A call that has passed.
struct OpenCall {
    /// The number of calls that had passed before.
    order: u64,
    /// The number of bytes of the message.
    bytes: usize,
    action: Action,
    since: Instant,
    _under_way: Allowed,
}

/// The decision on a message of the client.
enum Fate {
    Passes,
    /// It goes no further; the client gets a message, or none.
    Stays(Option<Value>),
    /// A call that waited goes on.
    Follows(String),
}

/// What comes of a line of the client: text for the server, and for the client.
#[derive(Default)]
pub(crate) struct Passage {
    pub(crate) to_server: Vec<u8>,
    pub(crate) to_client: Vec<u8>,
}

impl Passage {
    /// Returns the answer to a line that is longer than [`MAX_LINE`].
    pub(crate) fn of_long_line() -> Self {
        let mut passage = Self::default();
        let why = format!("the line is longer than {} MiB", MAX_LINE >> 20);
        passage.answer(&Wrong::unreadable(&why).answer());
        passage
    }

    fn answer(&mut self, message: &Value) {
        self.to_client
            .extend(format!("{message}\n").into_bytes());
    }
}

impl Proxy {
    pub(crate) fn new(run: Run, name: Option<String>) -> Self {
        Self {
            run: Some(run),
            name,
            can_ask: false,
            questions: 0,
            passed: 0,
            open: BTreeMap::new(),
            asked: BTreeMap::new(),
            lost: None,
            tape: Tape::default(),
        }
    }

    /// Decides on a line of the client.
    pub(crate) fn client_says(&mut self, line: &[u8]) -> Passage {
        let mut tape = std::mem::take(&mut self.tape);
        let mut passage = Passage::default();
        if let Err(wrong) = self.pass(line, &mut tape, &mut passage) {
            passage.answer(&wrong.answer());
        }

        tape.release();
        self.tape = tape;
        passage
    }

    fn pass(&mut self, line: &[u8], tape: &mut Tape, passage: &mut Passage) -> Result<(), Wrong> {
        let text = without_end(line);
        if text.trim_ascii().is_empty() {
            passage.to_server.extend(line);
            return Ok(());
        }

        if text.contains(&b'\r') {
            // Some servers take it for the end of a line, and what follows for a message.
            return Err(Wrong::unreadable("the line has a carriage return within"));
        }

        let root = tape
            .read_record(text)
            .map_err(|why| Wrong::unreadable(&format!("the line is {why}")))?
            .root();
        let messages = messages(root);
        let mut passing = Vec::new();

        for message in &messages {
            match self.fate(*message) {
                Fate::Passes => passing.push(message.raw()),
                Fate::Stays(answer) => {
                    if let Some(answer) = answer {
                        passage.answer(&answer);
                    }
                }
                Fate::Follows(text) => passage
                    .to_server
                    .extend(format!("{text}\n").into_bytes()),
            }
        }

        if passing.len() == messages.len() {
            passage.to_server.extend(line);
        } else if !passing.is_empty() {
            let rest = format!("[{}]\n", passing.join(","));
            passage
                .to_server
                .extend(rest.into_bytes());
        }

        Ok(())
    }

    fn fate(&mut self, node: Node<'_>) -> Fate {
        let message = match Message::of(node) {
            Ok(message) => message,
            Err(wrong) => return Fate::Stays(Some(wrong.answer())),
        };

        match message.method.as_deref() {
            None => self.answered(&message),
            Some("initialize") => {
                self.can_ask = message.can_elicit();
                Fate::Passes
            }
            Some("notifications/cancelled") => self.cancel(&message),
            Some("tools/call") => match self.called(node, &message) {
                Ok(call) => self.decide(call, None),
                Err(wrong) => Fate::Stays(Some(wrong.answer())),
            },
            Some(_) => Fate::Passes,
        }
    }

    /// Returns the call that a message is.
    fn called(&self, node: Node<'_>, message: &Message<'_>) -> Result<Call, Wrong> {
        let (id, tool, input) = message.call(node)?;
        let is_open = self.open.contains_key(&id)
            || self
                .asked
                .values()
                .any(|it| it.id == id);
        if is_open {
            return Err(message.wrong("a call with this id is under way"));
        }

        let open = self
            .open
            .values()
            .map(|call| call.bytes);
        let asked = self
            .asked
            .values()
            .map(|call| call.text.len());
        let held: usize = open.chain(asked).sum();
        let is_full = self.open.len() + self.asked.len() >= MAX_CALLS;
        if is_full || held + node.raw().len() > MAX_HELD {
            return Err(message.wrong("too many calls are under way"));
        }

        let tool = match &self.name {
            Some(name) => format!("mcp__{name}__{tool}"),
            None => tool,
        };

        let mut action = Action::new(tool);
        action.input = Some(input.into());
        Ok(Call {
            text: node.raw().to_owned(),
            id,
            action: in_one_form(action, None),
        })
    }

    /// Decides on a call, with the answer of a person, if there is one.
    fn decide(&mut self, call: Call, answer: Option<bool>) -> Fate {
        let Some(run) = &mut self.run else {
            return Fate::Stays(None);
        };
        let number = run.next_call();
        let answer = answer.map(|is_yes| (is_yes, "user"));
        let decided = run.hold_call(None, call.action.clone(), &number, answer, self.can_ask);

        match decided {
            Ok(CallDecision::Go(under_way)) => {
                let mut action = call.action;
                action
                    .extensions
                    .insert(CALL.into(), number.into());

                let open = OpenCall {
                    order: self.passed,
                    bytes: call.text.len(),
                    action,
                    since: Instant::now(),
                    _under_way: under_way,
                };

                self.passed += 1;
                self.open.insert(call.id, open);
                match answer {
                    None => Fate::Passes,
                    Some(_) => Fate::Follows(call.text),
                }
            }
            Ok(CallDecision::Ask(findings)) => Fate::Stays(Some(self.ask(call, &findings))),
            Ok(CallDecision::Veto(_, findings)) => {
                let why = match &*findings {
                    [] => "the answer was no".into(),
                    found if self.can_ask => sentences(found),
                    found => call::refusal(found),
                };
                Fate::Stays(Some(refusal(&call.id, &why)))
            }
            Err(error) => Fate::Stays(Some(refusal(&call.id, &error.to_string()))),
        }
    }

    /// Returns the question about a call, which waits for its answer.
    fn ask(&mut self, call: Call, findings: &[Finding]) -> Value {
        self.questions += 1;
        let why = question(findings);
        let tool = call
            .action
            .tool
            .as_ref()
            .and_then(Value::as_str);
        let tool = shortened(tool.unwrap_or_default(), MAX_SHOWN);
        let input = call
            .action
            .input
            .as_ref()
            .map(Value::to_string);
        let input = shortened(&input.unwrap_or_default(), MAX_SHOWN);
        self.asked.insert(self.questions, call);

        json!({
            "jsonrpc": "2.0",
            "id": format!("{OWN}{}", self.questions),
            "method": "elicitation/create",
            "params": {
                "message": format!("{why}\nMay {tool} be called with {input}?"),
                "requestedSchema": {"type": "object", "properties": {}},
            },
        })
    }

    /// Takes the answer to a question of ours; any other answer passes.
    fn answered(&mut self, message: &Message<'_>) -> Fate {
        let number = message
            .id
            .as_ref()
            .and_then(question_number);
        let Some(number) = number.filter(|number| (1..=self.questions).contains(number)) else {
            return Fate::Passes;
        };

        match self.asked.remove(&number) {
            Some(call) => self.decide(call, Some(message.accepts())),
            None => Fate::Stays(None),
        }
    }

    /// Ends a call that the client takes back.
    fn cancel(&mut self, message: &Message<'_>) -> Fate {
        let Some(id) = message.cancelled() else {
            return Fate::Passes;
        };
        if let Some(call) = self.open.remove(&id) {
            self.record(call, Outcome::without("cancelled"));
            return Fate::Passes;
        }

        let asked = self
            .asked
            .iter()
            .find(|(_, call)| call.id == id);
        let Some(number) = asked.map(|(number, _)| *number) else {
            return Fate::Passes;
        };
        if let Some(call) = self.asked.remove(&number) {
            // The client wants no answer.
            let _ = self.decide(call, Some(false));
        }

        Fate::Passes
    }

    /// Records the acts that a line of the server ends.
    pub(crate) fn server_says(&mut self, line: &[u8]) {
        if self.open.is_empty() && self.asked.is_empty() {
            return;
        }

        let mut tape = std::mem::take(&mut self.tape);
        if let Ok(document) = tape.read_record(without_end(line)) {
            for message in messages(document.root()) {
                self.ended(message);
            }
        }

        tape.release();
        self.tape = tape;
    }

    fn ended(&mut self, message: Node<'_>) {
        let Some(id) = message.get("id").and_then(Id::of) else {
            return;
        };
        if message.get("method").is_none() {
            if let Some(call) = self.open.remove(&id) {
                self.record(call, Outcome::of(message));
            }
            return;
        }

        // The server asks under an id of ours: nobody can tell the answers apart.
        if let Some(call) = question_number(&id).and_then(|number| self.asked.remove(&number)) {
            let _ = self.decide(call, Some(false));
        }
    }

    fn record(&mut self, call: OpenCall, outcome: Outcome) {
        let Some(run) = &mut self.run else {
            return;
        };
        let took = call.since.elapsed();
        if let Err(error) = outcome.record(run, call.action, took) {
            self.lost
                .get_or_insert(error.to_string());
        }
    }

    /// Ends the run, with what went wrong with the server, if something did; returns what is found
    /// in it.
    pub(crate) fn finish(&mut self, error: Option<Value>) -> Result<Vec<Finding>, Error> {
        for (_, call) in std::mem::take(&mut self.asked) {
            let _ = self.decide(call, Some(false));
        }

        let mut open: Vec<OpenCall> = std::mem::take(&mut self.open)
            .into_values()
            .collect();
        open.sort_by_key(|call| call.order);

        let missing = open.len();

        for call in open {
            self.record(call, Outcome::without("missing"));
        }

        let unanswered = || {
            let calls = count(missing as u64, "call");
            let message = format!("the server ended without an answer to {calls}");
            (missing > 0).then(|| json!({"exit_code": 0, "message": message}))
        };

        let end = error
            .or_else(unanswered)
            .map_or_else(End::ok, End::error);

        match self.run.take() {
            Some(run) => Ok(run.finish(end)?.findings),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the first reason why an act is not recorded, if one is not.
    pub(crate) fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }
}

/// Returns the number of a question of ours, if an id is that of one.
fn question_number(id: &Id) -> Option<u64> {
    id.text()?
        .strip_prefix(OWN)?
        .parse()
        .ok()
}

/// Returns the messages of a line: one, or those of a batch.
fn messages(root: Node<'_>) -> Vec<Node<'_>> {
    match root.kind() {
        Kind::Array => root.items().collect(),
        _ => vec![root],
    }
}

/// Returns a line without its end.
fn without_end(line: &[u8]) -> &[u8] {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// Returns the result of a call that is held back.
fn refusal(id: &Id, why: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id.value(),
        "result": {"content": [{"type": "text", "text": why}], "isError": true},
    })
}
