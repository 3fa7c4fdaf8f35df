//! A seal that anybody may have written -> what it says, or why it is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::SealError;
use super::statement::{
    Particulars, SEAL_VERSION, STATEMENT, SealedRun, Statement, TEST_RESULT, TestResult,
};
use crate::ground::digest::FileDigest;
use crate::ground::finding::Lifecycle;
use crate::ground::printable::quote;
use crate::store::open_up_to;

/// The number of bytes of a seal that are read, at most: those of a seal of a million runs.
const MAX_BYTES: u64 = 1 << 30;

/// The number of bytes of a name, at most: no system has longer paths.
const MAX_NAME: usize = 4096;

/// The number of keys of an object, at most: more than there are rules.
const MAX_KEYS: usize = 10_000;

/// A seal that was read.
pub struct Seal {
    pub(super) check: TestResult,
    /// The runs by their names.
    pub(super) runs: BTreeMap<String, RunOfSeal>,
}

/// A run as it was sealed.
pub(super) struct RunOfSeal {
    pub(super) said: SealedRun,
    /// The digests of its files, by their paths in its directory.
    pub(super) files: BTreeMap<String, FileDigest>,
}

impl RunOfSeal {
    /// Returns `true` if its files are sealed.
    pub(super) fn is_covered(&self) -> bool {
        self.said.lifecycle == Lifecycle::Terminal
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal")
            .field("runs", &self.runs.len())
            .finish_non_exhaustive()
    }
}

impl Seal {
    /// Reads a seal, as a stream.
    ///
    /// # Errors
    ///
    /// Why it is no seal that can be relied on.
    pub fn read(path: &Path) -> Result<Self, SealError> {
        Self::read_from(path).map_err(|why| {
            let path = path.display();
            SealError(format!("the seal {path} can't be relied on: {why}"))
        })
    }

    fn read_from(path: &Path) -> Result<Self, String> {
        let mut file = open_up_to(path, MAX_BYTES).map_err(|error| error.to_string())?;
        let Keys(keys) = parse(&mut file)?;
        let kind: Kind = parse(&mut file)?;
        kind.accept(&keys, path)?;
        let statement: Statement = parse(&mut file)?;
        Self::of(statement)
    }

    fn of(statement: Statement) -> Result<Self, String> {
        let mut check = statement.predicate;
        let mut runs = BTreeMap::new();
        for said in std::mem::take(&mut check.runvet.episodes) {
            if said.name != "." {
                check_name(&said.name)?;
            }
            for other in &said.uncovered {
                check_name(&other.name)?;
            }

            let (name, files) = (said.name.clone(), BTreeMap::new());
            if runs
                .insert(name.clone(), RunOfSeal { said, files })
                .is_some()
            {
                return Err(format!("the run {} is in it twice", quote(&name)));
            }
        }

        for resource in statement.subject {
            let name = resource.name;
            check_name(&name)?;
            let run = name
                .match_indices('/')
                .filter_map(|(at, _)| name.get(..at))
                .chain(["."])
                .find(|dir| runs.contains_key(*dir))
                .unwrap_or_default()
                .to_owned();
            let below = name
                .strip_prefix(&run)
                .and_then(|it| it.strip_prefix('/'))
                .unwrap_or(&name)
                .to_owned();
            let of_run = runs
                .get_mut(&run)
                .filter(|run| run.is_covered());
            let Some(of_run) = of_run else {
                return Err(format!(
                    "{} belongs to no run in it that had ended",
                    quote(&name)
                ));
            };

            if of_run
                .files
                .insert(below, resource.digest.sha256)
                .is_some()
            {
                return Err(format!("the name {} is in it twice", quote(&name)));
            }
        }

        Ok(Self { check, runs })
    }

    pub(super) fn says(&self) -> &Particulars {
        &self.check.runvet
    }
}

/// Reads a file from its start on as one JSON text.
fn parse<T: DeserializeOwned>(file: &mut (impl Read + Seek)) -> Result<T, String> {
    file.rewind()
        .map_err(|error| error.to_string())?;
    // Nothing more is read of a file that grows.
    let reader = BufReader::new(file.take(MAX_BYTES));
    serde_json::from_reader(reader).map_err(|error| error.to_string())
}

/// Refuses a name that may lead out of run data, on any system.
fn check_name(name: &str) -> Result<(), String> {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    if name.split('/').all(is_part) && !name.contains(['\\', '\0']) {
        return Ok(());
    }

    Err(format!(
        "the name {} is not a path below a directory",
        quote(name)
    ))
}

/// The fields that distinguish a seal from other statements.
#[derive(Deserialize)]
struct Kind {
    #[serde(default, rename = "_type")]
    statement: String,
    #[serde(default, rename = "predicateType")]
    predicate_type: String,
    #[serde(default)]
    predicate: KindOfPredicate,
}

#[derive(Default, Deserialize)]
struct KindOfPredicate {
    #[serde(default)]
    runvet: KindOfPart,
}

#[derive(Default, Deserialize)]
struct KindOfPart {
    #[serde(default)]
    schema_version: String,
}

impl Kind {
    /// Refuses what is not a seal of a version that can be read.
    fn accept(&self, keys: &BTreeSet<String>, path: &Path) -> Result<(), String> {
        let unwrapped = [
            ("dsseEnvelope", ".dsseEnvelope.payload", "a Sigstore bundle"),
            ("payload", ".payload", "a DSSE envelope"),
        ];
        if let Some((_, payload, what)) = unwrapped
            .iter()
            .find(|(key, ..)| keys.contains(*key))
        {
            let path = path.display();
            return Err(format!(
                "it is {what}, not the seal in it; verify its signature, and unwrap it: \
                 jq -r {payload} {path} | base64 -d > seal.json"
            ));
        }

        let other = |what: &str, is: &str, expected: &str| {
            Err(format!("its {what} is {}, not {expected}", quote(is)))
        };
        if self.statement != STATEMENT {
            return other("_type", &self.statement, STATEMENT);
        }
        if self.predicate_type != TEST_RESULT {
            return other("predicateType", &self.predicate_type, TEST_RESULT);
        }

        let version = &self.predicate.runvet.schema_version;
        let major = |version: &str| {
            version
                .split('.')
                .next()?
                .parse::<u64>()
                .ok()
        };

        if major(version) != major(SEAL_VERSION) {
            return Err(format!(
                "the part of runvet in it has the version {}, and this runvet reads version \
                 {SEAL_VERSION} and others of the same major",
                quote(version)
            ));
        }

        Ok(())
    }
}

/// Any JSON without a key that is repeated, too many keys, or a text that is too long; the keys, if
/// it is an object.
#[derive(Default)]
struct Keys(BTreeSet<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys::default())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Keys, E> {
        if text.len() > MAX_NAME {
            return Err(E::custom(format!("a text is longer than {MAX_NAME} bytes")));
        }
        Ok(Keys::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Keys, A::Error> {
        while items.next_element::<Keys>()?.is_some() {}
        Ok(Keys::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if keys.len() == MAX_KEYS {
                return Err(A::Error::custom(format!(
                    "an object has more than {MAX_KEYS} keys"
                )));
            }

            if keys.contains(&key) {
                return Err(A::Error::custom(format!(
                    "the key {} is repeated",
                    quote(&key)
                )));
            }

            keys.insert(key);
            members.next_value::<Keys>()?;
        }

        Ok(Keys(keys))
    }
}
