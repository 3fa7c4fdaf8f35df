//! The beliefs, memory, lessons and evidence of a run -> events, and files of its episode.

use std::path::Path;

use serde_json::{Map, Value};

use super::super::attachment::{ATTACHED, ATTACHMENTS, Attachment, read};
use super::super::error::Error;
use super::super::event::{RunEvent, learn_line, object};
use super::super::text::json;
use super::super::{Durability, beside};
use super::Run;
use crate::ground::record::{Belief, Fact};
use crate::ground::source::Artifact;

/// The name that an attachment has before it is whole.
pub(super) const NEW: &str = "new";

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

    /// Puts bytes, such as a screenshot, into a file of the episode that is named by their SHA-256
    /// and an extension, which may be empty. The outcomes and the manifest list the file; an action
    /// refers to it by its name. Bytes that are attached already are not written again.
    ///
    /// ```
    /// use runvet::record::Action;
    /// use runvet::recorder::{End, Error, Recorder, Task};
    ///
    /// # let dir = std::env::temp_dir().join(format!("runvet-attach-{}", std::process::id()));
    /// let mut run = Recorder::new(&dir).begin(Task::new("Find the button"))?;
    /// let image = run.attach(b"\x89PNG\r\n\x1a\n", "png")?;
    /// assert!(image.name.starts_with("attachments/") && image.name.ends_with(".png"));
    /// run.act(None, Action::new("screenshot").output(image.name.clone()))?;
    ///
    /// let recorded = run.finish(End::ok())?;
    /// assert!(recorded.path.join(&image.name).exists());
    /// assert_eq!(recorded.state.outcomes.artifacts, Some(vec![image.name]));
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 64 MiB; [`Error::Refused`] for an extension of other
    /// characters than 16 letters and digits.
    pub fn attach(&mut self, content: &[u8], extension: &str) -> Result<Attachment, Error> {
        self.must_not_have_ended()?;
        let attachment = Attachment::of(content, extension)?;
        if let Some(known) = self.fold.attached.get(&attachment.name) {
            return Ok(known.clone());
        }
        let payload = object([
            ("bytes", attachment.bytes.into()),
            ("name", attachment.name.as_str().into()),
            ("sha256", attachment.sha256.as_str().into()),
        ]);
        let draft = RunEvent::runtime(ATTACHED, payload);
        self.must_fit(&draft)?;
        let dir = self.recorder.dir_in(&self.dir, ATTACHMENTS)?;
        if self.fold.attached.is_empty() && self.recorder.durability != Durability::Process {
            self.recorder.sync_dir(&self.dir)?;
        }
        let (_, name) = attachment.name.split_once('/').unwrap_or_default();
        let replaced = self.recorder.replace(&dir, &beside(NEW), name, content);
        self.unless_unknown(replaced)?;
        self.sync_names(&dir, name)?;
        self.write(draft)?;
        Ok(attachment)
    }

    /// Attaches the content of a regular file, see [`Run::attach`]. Its extension stays, if it has
    /// a plain one.
    ///
    /// # Errors
    /// The errors of [`Run::attach`]; [`Error::Refused`] for a file that can't be read, and for a
    /// symbolic link.
    pub fn attach_file(&mut self, path: impl AsRef<Path>) -> Result<Attachment, Error> {
        let (content, extension) = read(path.as_ref())?;
        self.attach(&content, extension)
    }
}
