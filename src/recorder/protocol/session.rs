//! One line of JSON after the other -> calls of one run, and an answer for each.

mod executor;

use std::collections::BTreeMap;

use executor::{Executor, HeldCall};
use serde::Deserialize;

use super::super::bounded::MAX_OUTPUT;
use super::super::size::value;
use super::super::{End, Error, Run};
use super::answer::{Answer, Done, Failed};
use super::command::{COMMANDS, RecorderCommand};
use crate::ground::document::{Document, Kind, Node, Tape};
use crate::ground::finding::Finding;
use crate::ground::printable::quote;
use crate::ground::spelling::is_near;
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
        let mut executor = Executor {
            run,
            max_output: self.max_output,
            calls: &mut self.calls,
        };
        let done = executor.execute(command)?;
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
