//! The beliefs, memory, lessons and evidence of a run -> events, and files of its episode.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::super::attachment::{ATTACHED, ATTACHMENTS, Attachment, read};
use super::super::bounded::{bounded, is_free, is_shortened};
use super::super::error::Error;
use super::super::event::{RunEvent, learn_line, object};
use super::super::text::json;
use super::super::{Durability, beside};
use super::Run;
use crate::ground::record::{Belief, Fact};
use crate::ground::source::Artifact;

/// The name that an attachment has before it is whole.
pub(super) const NEW: &str = "new";

/// The number of bytes of a value beyond which it is shortened once the state is half full.
const MAX_WHEN_HALF_FULL: usize = 8 << 10;

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
            return self.counted(Err(Error::refused("the belief", why)));
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
        let remembered = json(value, "the memory").and_then(|value| {
            let payload = [(name.to_owned(), value)]
                .into_iter()
                .collect();
            self.write(RunEvent::new("memory", payload))
        });

        self.counted(remembered)
    }

    /// Adds a reflection.
    ///
    /// # Errors
    /// As for [`Run::note`].
    pub fn reflect(&mut self, payload: Map<String, Value>) -> Result<String, Error> {
        self.must_not_have_ended()?;
        let reflected = self.write(RunEvent::new("reflect", payload));
        self.counted(reflected)
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
        let plain = self
            .plain
            .as_ref()
            .map(|_| payload.clone());
        let proposed = self.write_event(RunEvent::new("learn", payload), None);
        let event = self.counted(proposed)?;
        let line = learn_line(&event)?;
        // The event is there: `recover` finds out what its line lacks.
        let appended = self
            .learn
            .append(&line)
            .map_err(|failed| failed.error);
        self.poison_unless(appended)?;

        let offset = self.learn.held.length - line.len() as u64;
        let judged = match plain {
            Some(payload) => learn_line(&RunEvent {
                payload,
                ..event.clone()
            })?,
            None => line,
        };

        self.judge_record(Artifact::Learn, offset, &judged);
        Ok(event.id)
    }

    /// Puts bytes, such as a screenshot, into a file of the episode that is named by their SHA-256
    /// and an extension, which may be empty. The outcomes and the manifest list the file; an action
    /// refers to it by its name. Bytes that are attached already are not written again, unless the
    /// file is gone or holds others.
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
        let redacted = self
            .recorder
            .redactor
            .as_ref()
            .map(|it| it.file(content));
        let attached = self.try_attach(redacted.as_deref().unwrap_or(content), extension);
        self.counted(attached)
    }

    /// Attaches bytes as they are.
    fn try_attach(&mut self, content: &[u8], extension: &str) -> Result<Attachment, Error> {
        self.must_not_have_ended()?;
        let attachment = Attachment::of(content, extension)?;
        let is_known = self
            .fold
            .attached
            .contains_key(&attachment.name);
        if is_known
            && self
                .attached(&attachment)
                .is_some_and(|it| it == content)
        {
            return Ok(attachment);
        }

        let payload = object([
            ("bytes", attachment.bytes.into()),
            ("name", attachment.name.as_str().into()),
            ("sha256", attachment.sha256.as_str().into()),
        ]);
        let draft = RunEvent::runtime(ATTACHED, payload);
        self.must_fit(&draft)?;

        let dir = self
            .recorder
            .dir_in(&self.dir, ATTACHMENTS)?;
        if self.fold.attached.is_empty() && self.recorder.durability != Durability::Process {
            self.recorder.sync_dir(&self.dir)?;
        }

        let (_, name) = attachment
            .name
            .split_once('/')
            .unwrap_or_default();
        let replaced = self
            .recorder
            .replace(&dir, &beside(NEW), name, content);
        self.unless_unknown(replaced)?;
        self.sync_names(&dir, name)?;
        if let Some(redactor) = &mut self.recorder.redactor {
            redactor.has_file(&attachment.name, &attachment.sha256, attachment.bytes);
        }
        if !is_known {
            self.write(draft)?;
        }

        Ok(attachment)
    }

    /// Returns the bytes of the file of an attachment, as far as it has them.
    fn attached(&self, attachment: &Attachment) -> Option<Vec<u8>> {
        let (_, name) = attachment.name.split_once('/')?;
        let most = usize::try_from(attachment.bytes + 1).ok()?;
        self.dir
            .dir(ATTACHMENTS)
            .ok()?
            .read(name, most)
            .ok()
    }

    /// Refuses to leave or end a run whose attachments are no longer there, as far as names and
    /// sizes tell.
    pub(super) fn attachments_must_be_there(&self) -> Result<(), Error> {
        let mut attached = self.fold.attached.values();
        let Some(first) = attached.next() else {
            return Ok(());
        };
        let dir = self.dir.dir(ATTACHMENTS).ok();
        let is_there = |it: &&Attachment| {
            let (_, name) = it
                .name
                .split_once('/')
                .unwrap_or_default();
            dir.as_ref()
                .is_some_and(|dir| dir.has_file(name, it.bytes))
        };

        [first]
            .into_iter()
            .chain(attached)
            .find(|it| !is_there(it))
            .map_or(Ok(()), |gone| {
                let path = self.path().join(&gone.name);
                Err(Error::Lost { path })
            })
    }

    /// Returns a value; or, where it has more bytes than a limit, what [`bounded`] makes of it,
    /// with the name of the file that it is attached as. Once the state is half full, the limit is
    /// 8 KiB.
    pub fn shortened(&mut self, value: Value, most: usize) -> Value {
        let most = most.min(self.most_of_value());
        match self.attach_large(&value, most) {
            Ok(mark) => mark.unwrap_or(value),
            // A value that can't be attached is counted there.
            Err(_) => bounded(value, most),
        }
    }

    /// Attaches a value that is written with more bytes than a limit, and returns what stands for
    /// it; `None` if it has no more.
    ///
    /// # Errors
    /// The errors of [`Run::attach`].
    pub(crate) fn attach_large(
        &mut self,
        value: &Value,
        most: usize,
    ) -> Result<Option<Value>, Error> {
        let redacted = self
            .recorder
            .redactor
            .as_ref()
            .map(|it| it.value(value))
            .transpose();
        let redacted = redacted.map_err(|why| Error::refused("the value", why))?;
        let written = redacted.as_ref().unwrap_or(value);
        let Some((text, extension)) = large(written, most) else {
            return Ok(None);
        };
        let attached = self.try_attach(text.as_bytes(), extension);
        let attached = self.counted(attached)?;

        Ok(Some(marked(written, most, &attached)))
    }

    /// Returns the number of bytes of a value that the state has room for as a whole.
    fn most_of_value(&self) -> usize {
        let is_half_full = self.fold.held().is_more_than_half();
        if is_half_full {
            MAX_WHEN_HALF_FULL
        } else {
            usize::MAX
        }
    }

    /// Shortens the values of an act for which the state has no room as they are.
    pub(super) fn shorten_act(&mut self, payload: &mut Map<String, Value>) {
        for (name, value) in payload
            .iter_mut()
            .filter(|(name, _)| is_free(name))
        {
            match value {
                Value::Object(members) if name == "input" => {
                    for value in members.values_mut() {
                        *value = self.shortened(value.take(), usize::MAX);
                    }
                }
                value => *value = self.shortened(value.take(), usize::MAX),
            }
        }
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

/// Returns the text of a value that has more bytes than a limit, and the extension of a file of it.
fn large(value: &Value, most: usize) -> Option<(Cow<'_, str>, &'static str)> {
    let (text, extension) = match value {
        Value::String(text) => (Cow::Borrowed(&**text), "txt"),
        other => (Cow::Owned(other.to_string()), "json"),
    };
    (text.len() > most && !is_shortened(value)).then_some((text, extension))
}

/// Returns what stands for a value that is attached.
fn marked(value: &Value, most: usize, attached: &Attachment) -> Value {
    let mut mark = bounded(value.clone(), most);
    if let Some(mark) = mark.as_object_mut() {
        mark.insert("attachment".into(), attached.name.clone().into());
    }
    mark
}
