//! The beliefs, memory and lessons of a run -> events of its memory.

use serde_json::{Map, Value};

use super::super::error::Error;
use super::super::event::{RunEvent, learn_line, object};
use super::super::text::json;
use super::Run;
use crate::record::{Belief, Fact};
use crate::source::Artifact;

impl Run {
    /// Adds a belief, with its confidence from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Refused`] for another confidence.
    pub fn believe(
        &mut self,
        statement: &str,
        confidence: f64,
        provenance: &str,
    ) -> Result<String, Error> {
        if !(0.0..=1.0).contains(&confidence) {
            let why = format!("its confidence is {confidence}, not between 0 and 1");
            return Err(Error::refused("the belief", why));
        }
        let belief = Belief {
            statement: statement.into(),
            confidence,
            provenance: provenance.into(),
            timestamp: Some(self.now().date_time()),
        };
        self.remember_value("belief", &belief)
    }

    /// Adds a fact. A key may be remembered again; its last value counts.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn remember(
        &mut self,
        key: &str,
        value: impl Into<Value>,
        provenance: Option<&str>,
    ) -> Result<String, Error> {
        let fact = Fact {
            key: key.into(),
            value: value.into(),
            timestamp: Some(self.now().date_time()),
            provenance: provenance.map(Into::into),
        };
        self.remember_value("fact", &fact)
    }

    /// Adds a line to the scratchpad.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn jot(&mut self, text: &str) -> Result<String, Error> {
        self.remember_value("scratchpad", text)
    }

    fn remember_value(
        &mut self,
        name: &str,
        value: &(impl serde::Serialize + ?Sized),
    ) -> Result<String, Error> {
        self.must_not_have_ended()?;
        let payload = [(name.to_owned(), json(value, "the memory")?)];
        self.write(RunEvent::new("memory", payload.into_iter().collect()))
    }

    /// Adds a reflection.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn reflect(&mut self, payload: Map<String, Value>) -> Result<String, Error> {
        self.must_not_have_ended()?;
        self.write(RunEvent::new("reflect", payload))
    }

    /// Adds a proposal of what to learn, to the timeline and to `learn.jsonl`.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn propose(
        &mut self,
        proposal: Map<String, Value>,
        applied: bool,
    ) -> Result<String, Error> {
        let payload = object([("applied", applied.into()), ("proposal", proposal.into())]);
        self.must_not_have_ended()?;
        let event = self.write_event(RunEvent::new("learn", payload))?;
        let line = learn_line(&event)?;
        // The event is there: `recover` finds out what its line lacks.
        let appended = self.learn.append(&line).map_err(|failed| failed.0);
        self.poison_unless(appended)?;
        let offset = self.learn.held.length - line.len() as u64;
        self.judge_record(Artifact::Learn, offset, &line);
        Ok(event.id)
    }
}
