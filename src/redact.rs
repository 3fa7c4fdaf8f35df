//! Runs -> copies of them without their texts, in which the same rules find the same.
//!
//! In come run data, a key, and what is to go besides; out comes a directory with the same layout.
//! `places` says of what nature each text of a record is, as the types of the records declare it,
//! `names` which places a user names, `team` what a team declares, and `keyed` what stands in
//! place of a text. `writer` copies a JSON text and puts that in, `lines` a timeline, `files`
//! the other files, and `run` all of a run.
//!
//! What stays is copied byte for byte. Nothing here judges a run.

mod error;
mod files;
mod keyed;
mod known;
mod lines;
mod names;
mod places;
mod rules;
mod run;
mod team;
mod writer;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::Error;
use known::{Content, Known};
pub use rules::Redaction;
use rules::Rules;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use writer::Writer;

use crate::ground::digest::FileDigest;
use crate::ground::document::Tape;
use crate::ground::source::EPISODES;
use crate::store::{Discovery, EpisodeDir, GivenPaths, NewTree, discover, resolved};

/// The forms of secrets: the globs of the policy `acme/secrets`, which `docs/policies.md` lists.
pub(crate) const SECRETS: [&str; 5] = [
    "*AKIA*",
    "*ghp_*",
    "*github_pat_*",
    "*xoxb-*",
    "*-----BEGIN*PRIVATE KEY*",
];

/// The copies of runs that were made, and what was not copied.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Redacted {
    /// The runs that were copied, sorted.
    pub runs: Vec<RedactedRun>,
    /// The runs without a copy, and the paths that could not be searched, each with the reason.
    pub refused: Vec<String>,
    /// What a reader of the copies can still read.
    pub readable: Readable,
    /// The rules that find something else in copies, each with the number of these runs: see
    /// [`Gate::redact`](crate::gate::Gate::redact).
    pub changed: BTreeMap<String, u64>,
}

/// A run that was copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RedactedRun {
    /// Its directory.
    pub from: PathBuf,
    /// That of the copy, below the given one.
    pub to: PathBuf,
}

/// The number of the values that copies have as they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readable {
    /// The keys of objects.
    pub keys: u64,
    /// The ids.
    pub ids: u64,
    /// The names of tools and kinds, statuses, and other words.
    pub words: u64,
    /// The paths of artifacts and links.
    pub paths: u64,
    /// The times.
    pub times: u64,
    /// The numbers.
    pub numbers: u64,
    /// The texts that stay because nothing names them.
    pub texts: u64,
}

impl Readable {
    fn add(&mut self, other: Self) {
        self.keys += other.keys;
        self.ids += other.ids;
        self.words += other.words;
        self.paths += other.paths;
        self.times += other.times;
        self.numbers += other.numbers;
        self.texts += other.texts;
    }
}

impl Redaction {
    /// Copies the runs at or below paths into a directory, which is absent or empty.
    ///
    /// The copy is made beside that directory and renamed. A run that can't be copied is left out,
    /// and named in the result; the others are copied.
    ///
    /// # Errors
    ///
    /// Nothing is written where a setting is wrong, there is no run, the directory is not empty or
    /// lies in or around a run, or something can't be written.
    pub fn copy<P: AsRef<Path>>(&self, paths: &[P], to: &Path) -> Result<Redacted, Error> {
        let found = discover(paths, NonZeroUsize::MIN, None, GivenPaths::Each, None);
        let found = Discovery::from(found);
        let given = paths.iter().map(AsRef::as_ref);
        let runs = found
            .episodes
            .iter()
            .map(|it| &*it.path);
        apart(given.chain(runs), to)?;

        let mut redacted = Redacted {
            refused: found
                .faults
                .iter()
                .map(ToString::to_string)
                .collect(),
            ..Redacted::default()
        };

        if found.episodes.is_empty() {
            return Err(Error::NoRun(redacted.refused));
        }

        // The key is made last: nothing is made where anything is wrong.
        let copy = NewTree::beside(to).map_err(Error::io("making a copy beside", to))?;
        let rules = Rules::new(self)?;
        for episode in &found.episodes {
            let name = place_of(episode, &rules);
            match run::copy(&rules, episode, &copy, &name) {
                Ok(readable) => {
                    redacted.readable.add(readable);
                    redacted.runs.push(RedactedRun {
                        from: episode.path.clone(),
                        to: name,
                    });
                }
                Err(Error::Refused { path, why }) => {
                    let refused = Error::Refused { path, why };
                    copy.remove(&name)
                        .map_err(Error::io("removing", &name))?;
                    redacted
                        .refused
                        .push(refused.to_string());
                }
                Err(error) => return Err(error),
            }
        }

        copy.put()
            .map_err(Error::io("writing", to))?;
        redacted.runs.sort();

        Ok(redacted)
    }
}

/// A redaction that is ready for the runs that this process makes.
#[derive(Clone)]
pub(crate) struct Redactor {
    rules: Arc<Rules>,
    /// The files of a run that are redacted already.
    known: Known,
}

impl Redactor {
    pub(crate) fn new(redaction: &Redaction) -> Result<Self, Error> {
        let rules = Arc::new(Rules::new(redaction)?);
        let known = Known::default();
        Ok(Self { rules, known })
    }

    /// Returns the id that a run has in its copy.
    pub(crate) fn id(&self, id: &str) -> String {
        self.rules
            .name_of_run(id.as_ref())
            .to_string_lossy()
            .into_owned()
    }

    /// Returns an event as its copy has it.
    ///
    /// # Errors
    ///
    /// It is beyond a limit of reading.
    pub(crate) fn event<E: Serialize + DeserializeOwned>(&self, event: &E) -> Result<E, String> {
        let text = serde_json::to_vec(event).map_err(|why| why.to_string())?;
        let mut tape = Tape::default();
        let document = tape
            .read_record(&text)
            .map_err(|why| why.to_string())?;
        let copy = Writer::new(&self.rules, &self.known).event(document);
        serde_json::from_slice(&copy).map_err(|why| why.to_string())
    }

    /// Returns a value of an event as its copy has it.
    pub(crate) fn value(&self, value: &Value) -> Result<Value, String> {
        let value = self
            .event(&json!({ "payload": { "value": value } }))?
            .pointer_mut("/payload/value")
            .map(Value::take);
        Ok(value.unwrap_or_default())
    }

    /// Returns the bytes of the copy of a file.
    pub(crate) fn file(&self, content: &[u8]) -> Vec<u8> {
        self.rules
            .keyed
            .placeholder(content)
            .into_bytes()
    }

    /// Notes a file that is redacted: what refers to it stays.
    pub(crate) fn has_file(&mut self, name: &str, sha256: &str, bytes: u64) {
        if let Some(sha256) = FileDigest::parse(sha256) {
            self.known
                .keep(name, Content { sha256, bytes });
        }
    }
}

/// Refuses a directory that lies in one of some paths, or around it.
fn apart<'p>(inputs: impl Iterator<Item = &'p Path>, to: &Path) -> Result<(), Error> {
    let real = resolved(&std::path::absolute(to).map_err(Error::io("finding", to))?);
    for input in inputs {
        let input_real = resolved(input);
        if real.starts_with(&input_real) || input_real.starts_with(&real) {
            return Err(Error::Nested {
                to: to.to_owned(),
                input: input.to_owned(),
            });
        }
    }

    Ok(())
}

/// Returns the path of the copy of a run: from the outermost directory called `episodes` on; where
/// there is none, the name of the run alone.
fn place_of(episode: &EpisodeDir, rules: &Rules) -> PathBuf {
    let real = resolved(&episode.path);
    let mut parts = real
        .iter()
        .skip_while(|part| *part != EPISODES)
        .peekable();
    if parts.peek().is_none() {
        return rules
            .name_of_run(real.file_name().unwrap_or_default())
            .into();
    }

    let mut parts: Vec<_> = parts
        .map(|part| rules.name(part))
        .collect();
    if let (Some(last), Some(name)) = (parts.last_mut(), real.file_name()) {
        *last = rules.name_of_run(name);
    }

    parts.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::SECRETS;

    #[test]
    fn secrets_are_those_of_the_policy() {
        let policy = include_str!("../corpus/team/policies/gate/policies.toml");
        let listed = SECRETS
            .map(|form| format!("{form:?}"))
            .join(", ");
        assert!(policy.contains(&format!("secrets = [{listed}]\n")));
    }
}
