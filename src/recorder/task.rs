//! The task of an agent -> the values of its `start` event.

use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Map, Number, Value};

use super::assertion::{Assertion, Declared};
use super::clock::Micros;
use super::error::Error;
use super::event::object;
use crate::ground::printable::quote;
use crate::ground::source::{Artifact, EPISODES};

/// The maximum length of an id that is chosen.
const MAX_ID_CHARS: usize = 128;

/// The word by which the `start` event says that the caller gives the times.
pub(super) const GIVEN: &str = "given";

/// A run toward a goal, before it begins.
#[derive(Clone, Debug, Default)]
pub struct Task {
    pub(crate) text: String,
    pub(crate) id: Option<String>,
    pub(crate) started_at: Option<SystemTime>,
    pub(crate) kind: Option<String>,
    pub(crate) seed: Option<Number>,
    pub(crate) tags: Map<String, Value>,
    pub(crate) using: Option<String>,
    pub(crate) workspace: Option<PathBuf>,
    pub(crate) assertions: Vec<Assertion>,
}

impl Task {
    /// Returns a task, in words.
    #[must_use]
    pub fn new(task: impl Into<String>) -> Self {
        Self {
            text: task.into(),
            ..Self::default()
        }
    }

    /// Sets the id of the run, instead of a new one: at most 128 letters, digits, `.`, `_`, `-` and
    /// `:`, the first a letter, a digit or `_`. [`Recorder::begin`](super::Recorder::begin) refuses
    /// any other, and one that a run has already.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the time at which the run began, for those who record it afterwards: its times are then
    /// the caller's, and its `start` event says so. All events happen at this time, until
    /// [`Run::at`](super::Run::at) sets another one. Parts of a microsecond do not count.
    #[must_use]
    pub fn started_at(mut self, time: SystemTime) -> Self {
        self.started_at = Some(time);
        self
    }

    /// Sets the type of the goal (`goal.type`).
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Sets the seed of the run, for those who repeat it.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Number>) -> Self {
        self.seed = Some(seed.into());
        self
    }

    /// Adds a tag, which state and summary then have.
    #[must_use]
    pub fn tag(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.tags
            .insert(name.into(), value.into());
        self
    }

    /// Sets the label of the adapter that executes the run (`episode.using`).
    #[must_use]
    pub fn using(mut self, label: impl Into<String>) -> Self {
        self.using = Some(label.into());
        self
    }

    /// Sets the directory in which the run works: its files before and after the run are compared.
    /// Its absolute path is recorded, so that the run may go on elsewhere; it has to be UTF-8.
    #[must_use]
    pub fn workspace(mut self, path: impl Into<PathBuf>) -> Self {
        self.workspace = Some(path.into());
        self
    }

    /// Adds an assertion, which is checked in the workspace when the run ends `ok`.
    #[must_use]
    pub fn verify(mut self, assertion: Assertion) -> Self {
        self.assertions.push(assertion);
        self
    }

    /// Returns the id that was chosen for it.
    pub(super) fn own_id(&self) -> Result<Option<String>, Error> {
        let Some(id) = &self.id else { return Ok(None) };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_right = id.starts_with(is_plain)
            && id.len() <= MAX_ID_CHARS
            && id
                .chars()
                .all(|c| is_plain(c) || ".-:".contains(c));
        if !is_right {
            let why = format!(
                "it is {}, and has to be at most {MAX_ID_CHARS} letters, digits, `.`, `_`, `-` and \
                 `:`, the first a letter, a digit or `_`",
                quote(id)
            );
            return Err(Error::refused("the id", why));
        }

        let is_artifact = Artifact::ALL
            .iter()
            .any(|it| it.file_name() == id);
        if is_artifact || matches!(&**id, EPISODES | "runvet.toml") {
            let why = format!("the name `{id}` means something else in run data");
            return Err(Error::refused("the id", why));
        }

        Ok(Some(id.clone()))
    }

    /// Returns the text of the path of its workspace, which its caller names.
    pub(super) fn named_workspace(&self) -> Option<String> {
        text_of_path(self.workspace.clone()?).ok()
    }

    /// Returns what the task gives for the payload of the `start` event.
    pub(super) fn declared(self) -> Result<Map<String, Value>, Error> {
        if self.text.trim().is_empty() {
            return Err(Error::refused("the task", "it has no text"));
        }

        self.started_at
            .map(Micros::given)
            .transpose()?;

        let workspace = self
            .workspace
            .map(text_of_path)
            .transpose()?;
        let tags = (!self.tags.is_empty()).then_some(self.tags);
        let declared = Declared {
            assertions: self.assertions,
            workspace,
            pre_sha256: None,
        };

        Ok(object([
            ("seed", self.seed.map(Value::Number).into()),
            ("tags", tags.into()),
            ("task", self.text.into()),
            ("times", self.started_at.map(|_| GIVEN).into()),
            ("type", self.kind.into()),
            ("using", self.using.into()),
            ("verify", declared.into()),
        ]))
    }
}

/// Returns the text of an absolute path: a run may go on in another directory.
pub(super) fn text_of_path(path: PathBuf) -> Result<String, Error> {
    std::path::absolute(&path)
        .unwrap_or(path)
        .into_os_string()
        .into_string()
        .map_err(|_| Error::refused("the workspace", "its path is not UTF-8"))
}
