//! The library -> the Python module `runvet._runvet`, on which the package `runvet` stands.

mod batch;
mod check;
mod errors;
mod exiting;
mod finding;
mod imports;
mod json;
mod policy;
mod read;
mod recorder;
mod redact;
mod report;
mod stream;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use runvet::finding::{Deny, RuleInfo, Totals};
use runvet::gate::{Exit, Gate};
use runvet::source::Artifact;

/// The parts of the package `runvet` that are written in Rust. Nothing here is for users.
#[pymodule]
mod _runvet {
    #[pymodule_export]
    use super::batch::{TableRows, episodes_of, fetched};
    #[pymodule_export]
    use super::check::{Checker, Checking};
    #[pymodule_export]
    use super::exiting::{begin_end, end};
    #[pymodule_export]
    use super::imports::{import_logs, words_of_span};
    #[pymodule_export]
    use super::read::{Episode, Events, Record, RunData, instant, moment};
    #[pymodule_export]
    use super::recorder::{Allowed, OpenStep, Recorder, Run};
    #[pymodule_export]
    use super::redact::redact;
    #[pymodule_export]
    use super::report::Judged;
    #[pymodule_export]
    use super::{
        arguments, bounded, configs_not_in_force, exit_code, explain, impact, loads,
        nearest_config, printable, rules, schema, version,
    };
    /// The number of bytes beyond which a value is recorded as its digest.
    #[pymodule_export]
    const MAX_OUTPUT: usize = runvet::recorder::MAX_OUTPUT;
}

/// The artifact of a name such as `state`, or of a file name such as `state.json`.
fn artifact(name: &str) -> PyResult<Artifact> {
    let all = Artifact::ALL.into_iter();
    let mut named = all.filter(|it| it.name() == name || it.file_name() == name);
    named.next().ok_or_else(|| {
        let known = Artifact::ALL
            .map(Artifact::name)
            .join(", ");
        PyValueError::new_err(format!("{name:?} is not an artifact: {known}"))
    })
}

/// Locks a mutex, also one in whose lock a thread panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The version of runvet.
#[pyfunction]
fn version() -> String {
    runvet::finding::Tool::this().version
}

/// A text that somebody else wrote, safe to print.
#[pyfunction]
fn printable(text: json::Text) -> String {
    runvet::printable::escape(&text.0).into_owned()
}

/// A value as the recorder keeps it: tuples become lists, what JSON does not have may have what a
/// function makes of it, or else raises, and what has more bytes than a limit becomes its digest.
#[pyfunction]
#[pyo3(signature = (value, most, plain = None))]
fn bounded<'py>(
    value: &Bound<'py, PyAny>,
    most: usize,
    plain: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kept = json::Encoder::new(plain).value(value)?;
    json::object(value.py(), &runvet::recorder::bounded(kept, most))
}

/// The input of a call as the recorder keeps it: an object.
#[pyfunction]
#[pyo3(signature = (given, plain = None))]
fn arguments<'py>(
    given: &Bound<'py, PyAny>,
    plain: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kept = json::Encoder::new(plain).value(given)?;
    json::object(given.py(), &runvet::recorder::arguments(kept))
}

/// A JSON text as Python objects.
#[pyfunction]
#[pyo3(signature = (text, numbers = "python"))]
fn loads<'py>(py: Python<'py>, text: &str, numbers: &str) -> PyResult<Bound<'py, PyAny>> {
    json::loads(py, text, numbers.parse()?)
}

/// The exit code of the command for the totals of a check, as JSON.
#[pyfunction]
fn exit_code(
    totals: &str,
    is_complete: bool,
    deny: (bool, bool),
    allow_empty: bool,
) -> PyResult<u8> {
    let totals: Totals = serde_json::from_str(totals).map_err(json::unwritable)?;
    let (warnings, unjudged) = deny;
    let deny = Deny { warnings, unjudged };
    Ok(exit(&totals, is_complete, deny, allow_empty).code())
}

/// Returns the exit of the command: `allow_empty` makes nothing to check a success.
fn exit(totals: &Totals, is_complete: bool, deny: Deny, allow_empty: bool) -> Exit {
    match Exit::of(totals, is_complete, deny) {
        Exit::NothingFound if allow_empty => Exit::Success,
        exit => exit,
    }
}

/// Id, level, title, hint and page.
pub(crate) type Rule = (String, String, String, String, String);

/// Returns all built-in rules.
#[pyfunction]
fn rules() -> Vec<Rule> {
    runvet::gate::all_rules()
        .map(rule)
        .collect()
}

pub(crate) fn rule(info: &RuleInfo) -> Rule {
    let text = |text: &str| text.to_owned();
    (
        text(&info.id),
        info.level.to_string(),
        text(&info.title),
        text(&info.hint),
        text(&info.page),
    )
}

/// The page of a rule.
#[pyfunction]
fn explain(py: Python<'_>, rule: json::Text) -> PyResult<String> {
    let gate = Gate::default();
    let found = (gate.find_rule(&rule.0)).map_err(|error| errors::of_check(py, &error))?;
    let mut page = format!("# {} ({})\n\n", found.id, found.level);
    for line in found.page.trim_end().lines() {
        // The words after a block's language are for the tests that execute it.
        let fence = line.strip_prefix("```");
        match fence.map(|info| {
            info.split(' ')
                .next()
                .unwrap_or_default()
        }) {
            Some(language) => page.extend(["```", language]),
            None => page.push_str(line),
        }
        page.push('\n');
    }
    Ok(page)
}

/// Returns what `runvet impact --format json` prints.
#[pyfunction]
fn impact(py: Python<'_>, before: PathBuf, after: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let impact = stream::patiently(py, move |_| runvet::impact::json(&before, &after))?;
    let impact = impact.map_err(|error| PyValueError::new_err(error.to_string()))?;
    json::loads(py, &impact, json::Numbers::Python)
}

/// The configuration that the command reads in the working directory.
#[pyfunction]
fn nearest_config(py: Python<'_>) -> PyResult<Option<PathBuf>> {
    let here = std::env::current_dir().unwrap_or_default();
    let found = runvet::gate::nearest_config(&here);
    found.map_err(|error| {
        let why = format!("{error}; name it with `config`, or set that to None");
        errors::wrong_file(py, &here, &why)
    })
}

/// A sentence for each file that may be taken for the configuration in the working directory, and
/// is not in force.
#[pyfunction]
fn configs_not_in_force(dirs: Vec<PathBuf>) -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    runvet::gate::configs_not_in_force(&here, dirs.iter().map(PathBuf::as_path))
}

/// The text of a JSON Schema.
#[pyfunction]
fn schema(name: &str) -> PyResult<&'static str> {
    let schema: runvet::Schema = name
        .parse()
        .map_err(errors::unknown_word("schema"))?;
    Ok(schema.text())
}
