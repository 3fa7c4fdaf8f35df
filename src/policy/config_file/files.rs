//! The paths of files that a configuration names -> their texts, each read once.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use jsonschema::{Retrieve, Uri};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::ground::parallel::locked;
use crate::reading::schema;
use crate::reading::schema::CompiledSchema;
use crate::store;

/// The number of bytes of a pack or a schema file.
const MAX_BYTES: usize = 1 << 20;

/// The address of a directory of schemas, to which their references are relative.
pub(crate) const ROOT: &str = "file:///runvet-configuration/";

/// The texts of the files that a configuration names, by their paths.
pub(in crate::policy) type Texts = BTreeMap<PathBuf, String>;

/// The files that a configuration names: as they were given, or else as they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    given: Arc<Texts>,
    /// The files that a configuration has named.
    named: Arc<Mutex<Texts>>,
}

impl Files {
    pub(crate) fn given(texts: Texts) -> Self {
        Self {
            given: Arc::new(texts),
            ..Self::default()
        }
    }

    pub(in crate::policy) fn text(&self, path: &Path) -> Result<String, String> {
        let mut named = locked(&self.named);
        let text = match named
            .get(path)
            .or_else(|| self.given.get(path))
        {
            Some(text) => text.clone(),
            None => read(path)?,
        };

        named.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    /// Returns the text of a schema.
    pub(in crate::policy) fn schema(&self, path: &Path) -> Result<String, String> {
        let text = self.text(path)?;
        let is_empty = text.trim().is_empty();
        (!is_empty)
            .then_some(text)
            .ok_or("it is empty".into())
    }

    /// Returns all that a configuration named.
    pub(crate) fn texts(&self) -> Texts {
        locked(&self.named).clone()
    }
}

fn read(path: &Path) -> Result<String, String> {
    let text = store::read_trusted(path).map_err(|error| error.to_string())?;
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {} MiB", MAX_BYTES >> 20));
    }
    Ok(text)
}

const NOT_REACHED: &str = "it is neither a file below the directory of the configuration nor \
                           `urn:runvet:schema:state`, `summary` or `event`";

/// The targets of a schema's references: files below a directory, and the built-in schemas.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(in crate::policy) dir: PathBuf,
    pub(in crate::policy) files: Files,
    /// The files that were read.
    pub(in crate::policy) paths: Arc<Mutex<Vec<PathBuf>>>,
}

impl Retrieve for Reached {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let uri = uri.as_str();
        let built_in = |schema: &CompiledSchema| Ok(serde_json::from_str(schema.text())?);
        match uri.strip_prefix("urn:runvet:schema:") {
            Some("state") => return built_in(&schema::STATE),
            Some("summary") => return built_in(&schema::SUMMARY),
            Some("event") => return built_in(&schema::EVENT),
            _ => {}
        }

        let below = uri
            .strip_prefix(ROOT)
            .map(percent_decode_str)
            .ok_or(NOT_REACHED)?
            .decode_utf8()?;
        // A slash that was encoded is one of the file system's all the same.
        let mut names = Path::new(&*below).components();
        if !names.all(|name| matches!(name, Component::Normal(_))) {
            return Err(NOT_REACHED.into());
        }

        let path = self.dir.join(&*below);
        let text = self.files.schema(&path)?;
        locked(&self.paths).push(path);

        schema::parse_exactly(&text).map_err(|(_, why)| why.into())
    }
}
