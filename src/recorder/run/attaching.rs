//! Bytes that are evidence of a run -> a file of its episode, and the event that names it.

use std::path::Path;

use super::super::attachment::{ATTACHED, ATTACHMENTS, Attachment, read};
use super::super::error::Error;
use super::super::event::{RunEvent, object};
use super::super::{Durability, beside};
use super::Run;

/// The name that an attachment has before it is whole.
pub(super) const NEW: &str = "new";

impl Run {
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
