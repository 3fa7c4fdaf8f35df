//! What is recorded -> what is written of it, without its texts; and the plain run, for rules.

use serde_json::Map;
#[cfg(not(feature = "commands"))]
use serde_json::Value;

use super::super::clock::Micros;
use super::super::error::Error;
use super::super::event::RunEvent;
use super::super::fold::RunFold;
use super::super::text::text;
use super::Run;
#[cfg(feature = "commands")]
pub(crate) use crate::redact::Redactor;

/// A redaction, which only commands ask for.
#[cfg(not(feature = "commands"))]
#[derive(Clone)]
pub(crate) enum Redactor {}

#[cfg(not(feature = "commands"))]
impl Redactor {
    pub(in crate::recorder) fn id(&self, _: &str) -> String {
        match *self {}
    }

    fn event<E>(&self, _: &E) -> Result<E, String> {
        match *self {}
    }

    pub(in crate::recorder) fn value(&self, _: &Value) -> Result<Value, String> {
        match *self {}
    }

    pub(in crate::recorder) fn file(&self, _: &[u8]) -> Vec<u8> {
        match *self {}
    }

    pub(in crate::recorder) fn has_file(&mut self, _: &str, _: &str, _: u64) {
        match *self {}
    }
}

/// A redacted run as it was recorded, in memory alone.
pub(in crate::recorder) struct PlainRun {
    pub(in crate::recorder) fold: RunFold,
    /// The lines of its timeline, if rules judge it.
    pub(in crate::recorder) lines: Vec<Vec<u8>>,
}

impl PlainRun {
    /// Adds an event, and its line if rules judge the run.
    pub(in crate::recorder) fn add(
        &mut self,
        event: &RunEvent,
        at: Micros,
        judged: Option<&Vec<u8>>,
    ) -> Result<(), Error> {
        self.fold
            .add_at(event, at)
            .map_err(|wrong| Error::refused("the event", wrong))?;
        self.lines.extend(judged.cloned());
        Ok(())
    }

    /// Returns the line with a number, the first being 1.
    pub(in crate::recorder) fn line(&self, number: u64) -> Option<&[u8]> {
        let index = usize::try_from(number)
            .ok()?
            .checked_sub(1)?;
        self.lines.get(index).map(Vec::as_slice)
    }

    /// Returns the state and the summary.
    pub(in crate::recorder) fn records(&self) -> Result<[Vec<u8>; 2], Error> {
        let state = text(&self.fold.state, "the state")?;
        Ok([state, text(&self.fold.summary(), "the summary")?])
    }
}

/// Returns an event as it is written.
pub(in crate::recorder) fn redacted(
    redactor: &Redactor,
    plain: &RunEvent,
) -> Result<RunEvent, Error> {
    redactor
        .event(plain)
        .map_err(|why| Error::refused(plain.name(), why))
}

impl Run {
    /// Returns an event as it is written. The evidence of a state is made of what is written.
    pub(in crate::recorder) fn as_written(&self, plain: RunEvent) -> Result<RunEvent, Error> {
        match &self.recorder.redactor {
            Some(redactor) if !plain.is_evidence() => redacted(redactor, &plain),
            _ => Ok(plain),
        }
    }

    /// Returns the plain run, if it is redacted, else the run.
    pub(in crate::recorder) fn plain_fold(&self) -> &RunFold {
        self.plain
            .as_ref()
            .map_or(&self.fold, |plain| &plain.fold)
    }

    /// Returns the id of a step as it is written.
    pub(in crate::recorder) fn step_id(&self, plain: &str) -> String {
        let Some(redactor) = &self.recorder.redactor else {
            return plain.to_owned();
        };
        let payload = Map::from_iter([("step_id".to_owned(), plain.into())]);

        redacted(redactor, &RunEvent::new("act", payload))
            .ok()
            .and_then(|it| {
                Some(
                    it.payload
                        .get("step_id")?
                        .as_str()?
                        .to_owned(),
                )
            })
            .unwrap_or_else(|| plain.to_owned())
    }

    /// Returns `true` if a text is the one that was written.
    pub(in crate::recorder) fn is_written_as(&self, plain: &str, written: &str) -> bool {
        self.recorder
            .redactor
            .as_ref()
            .and_then(|redactor| redactor.value(&plain.into()).ok())
            .map_or(plain == written, |redacted| redacted == written)
    }
}
