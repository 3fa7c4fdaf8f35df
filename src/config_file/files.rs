//! The files that a configuration names, each read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Retrieve, Uri};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::{schema, store};

/// The number of bytes of a pack or a schema file.
const MAX_BYTES: usize = 1 << 20;

/// Where the schemas of a directory are, as their references see it.
pub(crate) const ROOT: &str = "file:///runvet-configuration/";

/// The texts of the files that a configuration names, by their paths.
pub(crate) type Texts = BTreeMap<PathBuf, String>;

/// The files that a configuration names: as they were given, or else as they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(Arc<Mutex<KnownFiles>>);

#[derive(Debug, Default)]
struct KnownFiles {
    /// Those that were given, and that no configuration has named yet.
    given: Texts,
    named: Texts,
}

impl Files {
    pub(crate) fn given(texts: Texts) -> Self {
        let known = KnownFiles {
            given: texts,
            named: Texts::new(),
        };
        Self(Arc::new(Mutex::new(known)))
    }

    pub(crate) fn text(&self, path: &Path) -> Result<String, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.named.get(path) {
            return Ok(text.clone());
        }
        let text = match known.given.remove(path) {
            Some(text) => text,
            None => read(path)?,
        };
        known.named.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    /// The text of a schema.
    pub(crate) fn schema(&self, path: &Path) -> Result<String, String> {
        let text = self.text(path)?;
        let is_empty = text.trim().is_empty();
        (!is_empty).then_some(text).ok_or("it is empty".into())
    }

    /// All that a configuration named.
    pub(crate) fn texts(&self) -> Texts {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.named.clone()
    }
}

fn read(path: &Path) -> Result<String, String> {
    let text = store::read_trusted(path).map_err(|error| error.to_string())?;
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {} MiB", MAX_BYTES >> 20));
    }
    Ok(text)
}

/// What references of a schema reach: files below a directory, and the built-in schemas.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(crate) dir: PathBuf,
    pub(crate) files: Files,
    /// The files that were read.
    pub(crate) paths: Arc<Mutex<Vec<PathBuf>>>,
}

impl Retrieve for Reached {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let uri = uri.as_str();
        let built_in = match uri.strip_prefix("urn:runvet:schema:") {
            Some("state") => Some(&schema::STATE),
            Some("summary") => Some(&schema::SUMMARY),
            Some("event") => Some(&schema::EVENT),
            _ => None,
        };
        if let Some(built_in) = built_in {
            return Ok(serde_json::from_str(built_in.text())?);
        }
        let below = uri.strip_prefix(ROOT).map(percent_decode_str);
        let path = below.ok_or("it is neither a file below the directory of the configuration nor `urn:runvet:schema:state`, `summary` or `event`")?;
        let path = path.decode_utf8()?;
        let path = self.dir.join(&*path);
        let text = self.files.schema(&path)?;
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.push(path);
        Ok(serde_json::from_str(&text)?)
    }
}
