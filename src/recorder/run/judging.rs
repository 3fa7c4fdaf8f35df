//! The events and records that a run writes, or is about to write -> the findings of rules.

use std::io;

use serde_json::{Map, Value};

use super::super::call::in_one_form;
use super::super::error::Error;
use super::super::event::{RunEvent, SYNTHETIC, object};
use super::Run;
use super::ending::Recorded;
use crate::ground::document::Tape;
use crate::ground::finding::{Finding, Severity};
use crate::ground::record::{Action, Step, StepStatus};
use crate::ground::shortened::{may_be_shortened, with_whole_values};
use crate::ground::source::{Artifact, EpisodeKey, Line, Pointer};
use crate::judge::check::{LiveChecker, WrittenLine};
use crate::judge::rule::TeamCheck;
use crate::store::{Artifacts, InMemory, whole_lines};

/// The number of findings that are kept for [`Run::take_findings`].
const MAX_KEPT: usize = 1_000;

/// The name of an act in messages.
pub(super) const ACTION: &str = "the action";

impl Run {
    /// Has the rules of the team judge the run from now on, and what is written of it already if
    /// that is `new`.
    pub(in crate::recorder) fn judged(mut self, new: bool) -> Result<Self, Error> {
        let Some(gate) = &self.recorder.gate else {
            return Ok(self);
        };
        let mut live = LiveChecker::new(gate.checker(), self.key(), self.id());
        let (mut number, mut offset, mut found) = (0, 0, Vec::new());
        let mut lines = Vec::new();
        let read = whole_lines(self.events.content()?, &mut |line| {
            number += 1;
            let plain = self
                .plain
                .as_ref()
                .and_then(|plain| plain.line(number));
            let whole = plain
                .map(<[u8]>::to_vec)
                .or_else(|| self.whole_line(line));
            let judged = whole.as_deref().unwrap_or(line);
            let written = written(Artifact::Events, number, offset, judged);

            if new {
                let read_again = |line: Line, bytes: &mut Vec<u8>| self.read_again(line, bytes);
                found.extend(live.event(written, None, &self.plain_fold().state, &read_again));
            }

            live.follow(written);
            offset += line.len() as u64;
            if self.plain.is_some() {
                lines.push(judged.to_vec());
            }

            true
        });
        read.map_err(Error::io("reading", &self.events.path()))?;
        if let Some(plain) = &mut self.plain {
            plain.lines = lines;
        }

        self.live = Some(live);
        self.keep(found);
        Ok(self)
    }

    /// Returns `true` if rules of a team judge the run.
    pub(in crate::recorder) fn is_judged(&self) -> bool {
        self.live.is_some()
    }

    /// Returns what the rules of the team would find if an event were recorded now; nothing is
    /// written.
    ///
    /// The payload is that of the event. That of an `act` is the action; the id, the step and the
    /// step's status are added where they are missing. It takes as long as the rules of that event
    /// do, however long the run is. Without [`Recorder::gate`](super::super::Recorder::gate)
    /// nothing is found.
    ///
    /// ```
    /// use std::path::Path;
    /// use runvet::gate::Gate;
    /// use runvet::recorder::{Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-would-{}", std::process::id()));
    /// let config = r#"
    ///     [[order]]
    ///     id = "acme/no-deletion"
    ///     each = { tool = "delete" }
    ///     never = true
    ///     message = "nothing is deleted"
    /// "#;
    /// let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None)?;
    /// let run = Recorder::new(&dir).gate(gate).begin(Task::new("Tidy up"))?;
    /// let act = |tool: &str| [("tool".to_owned(), tool.into())].into_iter().collect();
    /// assert_eq!(run.would("act", act("list"))?, []);
    /// assert_eq!(run.would("act", act("delete"))?[0].message, "nothing is deleted");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] and [`Error::Refused`] for an event beyond the limits, and
    /// [`Error::Ended`].
    pub fn would(&self, phase: &str, payload: Map<String, Value>) -> Result<Vec<Finding>, Error> {
        self.must_not_have_ended()?;
        let mut payload = payload;
        if phase == "act" && !payload.contains_key(SYNTHETIC) {
            payload = self.complete_act(payload);
        }

        let draft = RunEvent::told(phase, payload);
        self.must_fit(&draft)?;
        let event = draft.numbered(self.id(), self.fold.events + 1, self.now());
        self.found_in(&event)
    }

    /// Returns the payload of an act as it would be recorded, with what the recorder sets in it.
    fn complete_act(&self, given: Map<String, Value>) -> Map<String, Value> {
        let formed = serde_json::from_value::<Action>(given.clone().into())
            .and_then(|action| serde_json::to_value(in_one_form(action, self.directory())));
        let mut payload = match formed {
            Ok(Value::Object(formed)) => formed,
            // It is judged as it is.
            _ => given,
        };

        let step =
            <[String; 1]>::try_from(self.open_steps()).map_or(Value::Null, |[step]| step.into());
        let has_step = !step.is_null() || payload.contains_key("step_id");
        let set = object([
            ("id", self.next_action_id().into()),
            ("step_id", step),
            (
                "step_status",
                has_step
                    .then(|| StepStatus::Running.word())
                    .into(),
            ),
        ]);
        for (name, value) in set {
            payload.entry(name).or_insert(value);
        }

        payload
    }

    /// Returns what the rules of the team found in what was written since the last call, also while
    /// the run began or was resumed; up to 1,000 findings. Once the run has ended, it is what they
    /// find in the whole of it. Nothing that has happened is refused for a finding.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn keep(&mut self, found: Vec<Finding>) {
        if let Some(gate) = &self.recorder.gate
            && !found.is_empty()
        {
            let room = MAX_KEPT.saturating_sub(self.findings.len());
            let counting = gate.counting(&self.key(), found);
            self.findings
                .extend(counting.into_iter().take(room));
        }
    }

    /// Returns what is found in an event that may be the next one.
    fn found_in(&self, event: &RunEvent) -> Result<Vec<Finding>, Error> {
        let (Some(live), Some(gate)) = (&self.live, &self.recorder.gate) else {
            return Ok(Vec::new());
        };
        let found = self.judge_next(live, event, &event.line()?, None);
        Ok(gate.counting(&self.key(), found))
    }

    /// Judges an event that is about to be written, and the action that it adds to the state. One
    /// that is `asked` about comes after these lines, which are not written yet.
    pub(super) fn judge_next(
        &self,
        checker: &LiveChecker,
        event: &RunEvent,
        line: &[u8],
        asked: Option<&[Vec<u8>]>,
    ) -> Vec<Finding> {
        let (mut number, mut offset) = (self.fold.events + 1, self.events.held.length);
        let to_come = asked.map(|lines| {
            lines
                .iter()
                .map(|line| {
                    let next = written(Artifact::Events, number, offset, line);
                    (number, offset) = (number + 1, offset + line.len() as u64);
                    next
                })
                .collect::<Vec<_>>()
        });
        let read_again = |line: Line, bytes: &mut Vec<u8>| {
            let mut known = to_come.iter().flatten();
            match known.find(|it| it.line == line) {
                Some(known) => known.bytes.clone_into(bytes),
                None => self.read_again(line, bytes)?,
            }
            Ok(())
        };

        let next = written(Artifact::Events, number, offset, line);
        let state = &self.plain_fold().state;
        let mut found = checker.event(next, to_come.as_deref(), state, &read_again);
        let action = event
            .action()
            .filter(|_| checker.judges_actions());
        if let Some(action) = action.and_then(|action| serde_json::to_vec(&action).ok()) {
            found.extend(checker.action(self.action_count(), &action));
        }

        found
    }

    /// Notes the event that was written last, by the text that is judged, and what was found in it.
    pub(super) fn follow(&mut self, found: Vec<Finding>, written_bytes: usize, judged: &[u8]) {
        if let Some(live) = &mut self.live {
            let (number, end) = (self.fold.events, self.events.held.length);
            let offset = end.saturating_sub(written_bytes as u64);
            live.follow(written(Artifact::Events, number, offset, judged));
        }

        self.keep(found);
    }

    /// Judges a record that was written.
    pub(super) fn judge_record(&mut self, artifact: Artifact, offset: u64, bytes: &[u8]) {
        let number = match artifact {
            Artifact::Learn => self.fold.proposals,
            _ => 1,
        };
        let found = self
            .live
            .as_ref()
            .map(|it| it.record(written(artifact, number, offset, bytes)))
            .unwrap_or_default();
        self.keep(found);
    }

    /// Judges the run that has ended.
    pub(super) fn judge_whole(&mut self) -> Result<(), Error> {
        if let Some(gate) = &self.recorder.gate {
            let directory = self
                .dir
                .episode()
                .map_err(Error::io("reading", self.path()))?;
            let mut gate = gate.without_baseline();
            let mut judge = |artifacts: &dyn Artifacts| {
                gate.artifacts(&self.key(), Some(self.id()), artifacts)
                    .findings
            };

            let mut findings = judge(&directory);
            if let (Some(plain), Some(live)) = (&self.plain, &self.live)
                && let Ok([state, summary]) = plain.records()
            {
                let records = [
                    (Artifact::State, &*state),
                    (Artifact::Summary, &summary),
                    (Artifact::Events, &plain.lines.concat()),
                ];
                let is_of_team = |finding: &Finding| live.declared(finding).is_some();
                findings.retain(|finding| !is_of_team(finding));
                let of_plain = judge(&InMemory::of_records(&records)).into_iter();
                findings.extend(of_plain.filter(is_of_team));
            }

            self.findings = findings;
        }

        Ok(())
    }

    /// Refuses steps that are about to be made where a schema of the team does.
    pub(super) fn hold_plan(&self, steps: &[Step], plan: RunEvent) -> Result<(), Error> {
        let is_to_come = |pointer: &Pointer| {
            // Below `/payload/step_records`.
            pointer
                .tokens()
                .nth(2)
                .and_then(|index| steps.get(index.parse::<usize>().ok()?))
                .is_none_or(|step| step.status == StepStatus::Pending)
        };

        self.hold("the plan", plan, is_to_come)
    }

    /// Refuses an act that is about to be made where a schema of the team does: for what is given
    /// of it, not for what is still missing.
    pub(super) fn hold_act(&self, payload: &Map<String, Value>) -> Result<(), Error> {
        let is_given = |pointer: &Pointer| is_given(payload, pointer);
        self.hold(ACTION, RunEvent::told("act", payload.clone()), is_given)
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

    /// Returns an event with the whole values in place of the shortened ones that are attached;
    /// `None` where there are none.
    pub(super) fn with_attachments(&self, event: &RunEvent, line: &[u8]) -> Option<RunEvent> {
        self.recorder.gate.as_ref()?;
        let whole = self.whole_line(line)?;
        let mut whole: Map<String, Value> = serde_json::from_slice(&whole).ok()?;
        let Some(Value::Object(payload)) = whole.remove("payload") else {
            return None;
        };

        Some(RunEvent {
            payload,
            ..event.clone()
        })
    }

    /// Returns the same of the text of an event.
    fn whole_line(&self, line: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(line)
            .ok()
            .filter(|text| may_be_shortened(text))?;
        let mut tape = Tape::default();
        let document = tape
            .read(text.trim_ascii_end().as_bytes())
            .ok()?;
        let directory = self.dir.episode().ok()?;
        let whole = with_whole_values(document.root(), &mut |name| {
            let mut content = Vec::new();
            directory
                .open_named(name)
                .ok()?
                .read_record(&mut content)
                .ok()?;
            Some(content)
        });

        whole.map(String::into_bytes)
    }

    fn read_again(&self, line: Line, bytes: &mut Vec<u8>) -> io::Result<()> {
        if let Some(plain) = self
            .plain
            .as_ref()
            .and_then(|plain| plain.line(line.number))
        {
            plain.trim_ascii_end().clone_into(bytes);
            return Ok(());
        }

        self.dir
            .episode()?
            .open_file(Artifact::Events)
            .map_err(io::Error::other)?
            .read_again(line, bytes)
    }

    pub(super) fn key(&self) -> EpisodeKey {
        EpisodeKey::Dir(self.path().to_owned())
    }

    /// Returns the run as it stands in its records.
    pub(in crate::recorder) fn recorded(&self) -> Recorded {
        Recorded {
            path: self.path().to_owned(),
            state: self.fold.state.clone(),
            summary: self.fold.summary(),
            manifest_sha256: self
                .manifest_sha256
                .clone()
                .unwrap_or_default(),
            findings: self.findings.clone(),
        }
    }
}

pub(super) fn pointer_of(finding: &Finding) -> Option<Pointer> {
    finding
        .location
        .pointer
        .clone()
        .map(Pointer::new)
}

/// Returns `true` if a pointer leads to what is given of an action: below `/payload` in its event,
/// or below `/outcomes/actions/0` in the state.
pub(super) fn is_given(payload: &Map<String, Value>, pointer: &Pointer) -> bool {
    let is_of_event = pointer.as_str().starts_with("/payload");
    pointer
        .tokens()
        .nth(if is_of_event { 1 } else { 3 })
        .is_some_and(|name| payload.contains_key(&*name))
}

/// Returns a line of an artifact, or a record.
pub(super) fn written(
    artifact: Artifact,
    number: u64,
    offset: u64,
    bytes: &[u8],
) -> WrittenLine<'_> {
    let bytes = bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes);
    let length = bytes.len();

    WrittenLine {
        artifact,
        line: Line {
            number,
            offset,
            length,
        },
        bytes,
    }
}
