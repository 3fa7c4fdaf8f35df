//! The cases of the corpus, and what each says of itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use runvet::finding::Level;
use runvet::gate::Gate;
use serde::Deserialize;
use serde_json::Value;

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// What a case says of itself: in `runvet.toml` what a team declares, and in `expect.json` the
/// levels of rules, if they are not the default ones, and the findings.
#[derive(Default, Deserialize)]
pub(crate) struct Expectation {
    #[serde(skip)]
    config: PathBuf,
    #[serde(default)]
    rules: BTreeMap<String, Level>,
    pub(crate) findings: Vec<Value>,
}

impl Expectation {
    /// That of a case: a list of findings, or an object with levels too. Without the file, nothing
    /// is to be found.
    pub(crate) fn of(case: &Path) -> Self {
        let text = fs::read_to_string(case.join("expect.json"));
        let of_case = match serde_json::from_str(text.as_deref().unwrap_or("[]")).unwrap() {
            Value::Array(findings) => Self {
                findings,
                ..Self::default()
            },
            whole => serde_json::from_value(whole).unwrap(),
        };
        Self {
            config: case.join("runvet.toml"),
            ..of_case
        }
    }

    /// The gate of the case.
    pub(crate) fn gate(&self) -> Gate {
        let config = fs::read_to_string(&self.config).unwrap_or_default();
        let gate = Gate::default().with_config(&self.config, &config, None);
        let mut levels = self.rules.iter();
        levels
            .try_fold(gate.unwrap(), |gate, (rule, level)| {
                gate.level(rule, *level)
            })
            .unwrap()
    }
}

/// The directories that hold an `expect.json`, below a directory of the corpus.
pub(crate) fn expecting_cases(below: &str) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(corpus().join(below))
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    files
        .filter(|file| file.file_name() == "expect.json")
        .map(|file| file.path().parent().unwrap().to_owned())
        .collect()
}

pub(crate) fn good_cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(corpus().join("good"))
        .unwrap()
        .map(|case| case.unwrap().path())
        .collect();
    cases.sort();
    cases
}
