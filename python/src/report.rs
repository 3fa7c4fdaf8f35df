//! Reports -> the dataclasses of `runvet/_report.py`, columns, and the formats of the command line.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use runvet::finding::{Deny, EpisodeReport, ReportedFault, RuleInfo, Severity, Totals, Whole};
use runvet::gate::{Exit, Gate, all_rules};
use runvet::proof::{self, Verification};
use runvet::read::RunReader;
use runvet::report::{Closing, Format, Options};
use runvet::view;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::errors;
use crate::exiting::calling;
use crate::finding::{class, finding, made, skip, tuple};
use crate::json::{object, unwritable};
use crate::stream::patiently;

/// Judged episodes, as Rust holds them: what a report in Python renders itself from.
#[pyclass(frozen, module = "runvet._runvet")]
pub(crate) struct Judged {
    pub(crate) episodes: Vec<Arc<EpisodeReport>>,
    pub(crate) totals: Totals,
    pub(crate) faults: Vec<ReportedFault>,
    pub(crate) terms: Terms,
    /// What it is judged by again, to seal it; none of a report that came from elsewhere.
    pub(crate) origin: Option<(Gate, Vec<PathBuf>)>,
}

/// The terms of a check: how it decides, and what its reports say of rules.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) deny: Deny,
    pub(crate) allow_empty: bool,
    /// The rules that a team declares.
    pub(crate) team: Arc<[RuleInfo]>,
    /// Where the settings come from, in words.
    pub(crate) settings: String,
}

impl Judged {
    /// One episode by itself.
    pub(crate) fn one(episode: Arc<EpisodeReport>, terms: Terms) -> Self {
        let mut totals = Totals::default();
        totals.add(&episode);
        Self {
            faults: episode.fault().into_iter().collect(),
            totals,
            episodes: vec![episode],
            terms,
            origin: None,
        }
    }

    /// The text of a report. For each page of a run that it has, signals are looked for.
    fn written(&self, format: Format, max_findings: usize) -> PyResult<String> {
        let built_in: Vec<&RuleInfo> = all_rules().collect();
        let rules = built_in
            .into_iter()
            .chain(&*self.terms.team);
        let options = Options::default()
            .rules(rules)
            .deny(self.terms.deny)
            .max_findings(max_findings)
            .settings(self.terms.settings.clone());
        let mut renderer = format.renderer(&options);
        let mut text = Vec::new();
        renderer.begin(&mut text)?;
        for episode in &self.episodes {
            renderer.episode(&mut text, episode)?;
        }
        let interrupted = RefCell::new(None);
        let page = |report: &EpisodeReport, prefix: &str| {
            if interrupted.borrow().is_none() {
                *interrupted.borrow_mut() = Python::attach(|py| py.check_signals().err());
            }
            let is_wanted = interrupted.borrow().is_none();
            let run = RunReader::open(report.key.dir().filter(|_| is_wanted)?).ok()?;
            view::html(&run, report.clone(), prefix).ok()
        };
        let closing = Closing::new(&self.totals)
            .faults(&self.faults)
            .pages(&page);
        renderer.end(&mut text, &closing)?;
        match interrupted.into_inner() {
            Some(signal) => Err(signal),
            None => Ok(String::from_utf8_lossy(&text).into_owned()),
        }
    }
}

#[pymethods]
impl Judged {
    fn render(&self, py: Python<'_>, format: &str, max_findings: i64) -> PyResult<String> {
        let max_findings = usize::try_from(max_findings).map_err(|_| {
            let message = format!("max_findings is {max_findings}, not a number of findings");
            PyValueError::new_err(message)
        })?;
        let format: Format = format
            .parse()
            .map_err(errors::unknown_word("format"))?;
        if max_findings > 0 && format != Format::Human {
            let message =
                format!("the format {format} shows all findings: max_findings is 0 there");
            return Err(PyValueError::new_err(message));
        }
        py.detach(|| self.written(format, max_findings))
    }

    /// Returns an `EpisodeReport` of each episode.
    fn episodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let episodes = self.episodes.iter().map(|it| {
            py.check_signals()?;
            episode(py, Arc::clone(it), self.terms.clone())
        });
        PyTuple::new(py, episodes.collect::<PyResult<Vec<_>>>()?)
    }

    /// The first episode as JSON.
    fn episode_json(&self, py: Python<'_>) -> PyResult<String> {
        let text = py.detach(|| {
            let mut text = Vec::new();
            if let Some(episode) = self.episodes.first() {
                runvet::report::write_json(&mut text, &**episode)?;
            }
            std::io::Result::Ok(text)
        });
        Ok(String::from_utf8_lossy(&text?).into_owned())
    }

    /// Returns the entry of each episode in a list of runs, with its tags, as JSON; null for one
    /// that was not loaded.
    fn cards(&self, py: Python<'_>) -> PyResult<String> {
        let cards = py.detach(|| {
            let episodes = self.episodes.iter().map(|it| &**it);
            let whole = serde_json::to_value(Whole::new(episodes, &[]))?;
            let episodes = whole
                .pointer("/episodes")
                .and_then(Value::as_array);
            let episodes = episodes.into_iter().flatten();
            let card = |it: &Value| {
                let mut card = it.pointer("/1/card/0")?.clone();
                let tags = it.pointer("/1/card/1/1")?.clone();
                card.as_object_mut()?
                    .insert("tags".to_owned(), tags);
                Some(card)
            };
            let cards: Vec<_> = episodes.map(card).collect();
            serde_json::to_string(&cards)
        });
        cards.map_err(unwritable)
    }

    /// Judges the runs again, and writes their seal if the report is the same.
    fn seal(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        let Some((gate, paths)) = self.origin.clone() else {
            let why =
                "only the report of a check of paths can be sealed, in the process of the check";
            return Err(PyValueError::new_err(why));
        };
        let (deny, reports, path) = (self.terms.deny, self.episodes.clone(), to.clone());
        let sealed = patiently(py, move |_| {
            proof::seal(&gate, deny, &paths, &path, Some(&reports))
        })?;
        sealed.map_err(|error| errors::of_seal(py, &to, &error))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let bytes = py.detach(|| {
            let episodes = self.episodes.iter().map(|it| &**it);
            let whole = Whole::new(episodes, &self.faults);
            serde_json::to_vec(&(whole, self.totals, &self.terms))
        });
        let bytes = PyBytes::new(py, &bytes.map_err(unwritable)?);
        let class = py
            .get_type::<Self>()
            .getattr("_unpickled")?;
        (class, (bytes,)).into_pyobject(py)
    }

    #[staticmethod]
    fn _unpickled(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let read = py.detach(|| serde_json::from_slice::<(Whole, Totals, Terms)>(bytes));
        let (whole, totals, terms) = read.map_err(unwritable)?;
        let (episodes, faults) = whole.restore();
        Ok(Self {
            episodes: episodes
                .into_iter()
                .map(Arc::new)
                .collect(),
            totals,
            faults,
            terms,
            origin: None,
        })
    }
}

/// A `Report` of what was judged.
pub(crate) fn report(py: Python<'_>, judged: Judged) -> PyResult<Bound<'_, PyAny>> {
    let terms = &judged.terms;
    let faults: Vec<Bound<'_, PyAny>> = judged
        .faults
        .iter()
        .map(|it| made(py, class!(py, "FaultRow")?, (&it.path, &it.message)))
        .collect::<PyResult<_>>()?;
    let is_complete = judged.faults.is_empty();
    let exit = crate::exit(&judged.totals, is_complete, terms.deny, terms.allow_empty);
    made(
        py,
        class!(py, "Report")?,
        (
            totals(py, &judged.totals)?,
            runvet::finding::REPORT_VERSION,
            is_complete,
            PyTuple::new(py, faults)?,
            exit == Exit::Success,
            exit.code(),
            judged.terms.settings.clone(),
            judged,
        ),
    )
}

pub(crate) fn totals<'py>(py: Python<'py>, totals: &Totals) -> PyResult<Bound<'py, PyAny>> {
    let (class, part) = (class!(py, "Totals")?, class!(py, "NotJudged")?);
    let (fields, not_judged) = (object(py, totals)?, object(py, &totals.not_judged)?);
    calling(py, || {
        let not_judged = part.call((), Some(not_judged.cast()?))?;
        fields.set_item("not_judged", not_judged)?;
        class.call((), Some(fields.cast()?))
    })
}

/// A `Verification`.
pub(crate) fn verification<'py>(
    py: Python<'py>,
    verified: &Verification,
    require_same_rules: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let changes = tuple(py, &verified.changes, |py, it| {
        let kind = it.kind.to_string();
        made(py, class!(py, "Change")?, (kind, &it.name, &it.what))
    })?;
    let faults = tuple(py, &verified.faults, |py, it| {
        made(py, class!(py, "FaultRow")?, (&it.path, &it.message))
    })?;
    let exit = verified.exit(require_same_rules);
    let fields = PyDict::new(py);
    fields.set_item("version", &verified.version)?;
    fields.set_item("result", &verified.result)?;
    for (name, number) in [
        ("runs", verified.runs),
        ("unchanged", verified.unchanged),
        ("failed", verified.failed),
        ("files", verified.files),
        ("new", verified.new),
        ("not_looked_at", verified.not_looked_at),
        ("changed", verified.changed),
        ("unended", verified.unended),
        ("uncovered", verified.uncovered),
        ("rules", verified.rules),
    ] {
        fields.set_item(name, number)?;
    }
    fields.set_item("changes", changes)?;
    fields.set_item("not_covered", PyTuple::new(py, &verified.not_covered)?)?;
    fields.set_item("other_rules", PyTuple::new(py, &verified.other_rules)?)?;
    fields.set_item("faults", faults)?;
    fields.set_item("ok", exit == Exit::Success)?;
    fields.set_item("exit_code", exit.code())?;
    fields.set_item("text", verified.to_string())?;
    let class = class!(py, "Verification")?;
    calling(py, || class.call((), Some(&fields)))
}

/// An `EpisodeReport`.
pub(crate) fn episode(
    py: Python<'_>,
    report: Arc<EpisodeReport>,
    terms: Terms,
) -> PyResult<Bound<'_, PyAny>> {
    let findings = tuple(py, &report.findings, finding)?;
    let suppressed = tuple(py, &report.suppressed, |py, it| {
        let found = finding(py, &it.finding)?;
        made(py, class!(py, "Suppressed")?, (it.by(), &it.reason, found))
    })?;
    made(
        py,
        class!(py, "EpisodeReport")?,
        (
            &report.id,
            &report.dir,
            report.lifecycle.to_string(),
            &report.mode,
            &report.adapter,
            report.valid,
            findings,
            tuple(py, &report.skipped, skip)?,
            suppressed,
            tuple(py, &report.suppressed_skips, skip)?,
            report.verdict.to_string(),
            Judged::one(Arc::clone(&report), terms),
        ),
    )
}

/// One list for each field of an episode, with its findings as dictionaries.
pub(crate) fn episode_columns<'py>(
    py: Python<'py>,
    reports: &[EpisodeReport],
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let text = |name: &str, of: &dyn for<'e> Fn(&'e EpisodeReport) -> Option<&'e str>| {
        columns.set_item(
            name,
            reports
                .iter()
                .map(of)
                .collect::<Vec<_>>(),
        )
    };
    text("episode_id", &|it| Some(&it.id))?;
    text("uri", &|it| Some(&it.dir))?;
    let lifecycle = reports
        .iter()
        .map(|it| it.lifecycle.to_string());
    columns.set_item("lifecycle", lifecycle.collect::<Vec<_>>())?;
    text("mode", &|it| it.mode.as_deref())?;
    text("adapter", &|it| it.adapter.as_deref())?;
    let valid = reports.iter().map(|it| it.valid);
    columns.set_item("valid", valid.collect::<Vec<_>>())?;
    let number = |name: &str, severity: Severity| {
        let of = |it: &EpisodeReport| {
            let counted = it
                .findings
                .iter()
                .filter(|it| it.severity == severity);
            counted.count()
        };
        columns.set_item(
            name,
            reports
                .iter()
                .map(of)
                .collect::<Vec<_>>(),
        )
    };
    number("errors", Severity::Error)?;
    number("warnings", Severity::Warning)?;
    let rows = |name: &str, of: &dyn Fn(&EpisodeReport) -> serde_json::Result<Option<String>>| {
        let column = PyList::empty(py);
        for report in reports {
            py.check_signals()?;
            let text = of(report).map_err(unwritable)?;
            column.append(match text {
                Some(text) => crate::json::loads(py, &text, crate::json::Numbers::Python)?,
                None => PyList::empty(py).into_any(),
            })?;
        }
        columns.set_item(name, column)
    };
    rows("findings", &|it| listed(&it.findings))?;
    rows("skipped", &|it| listed(&it.skipped))?;
    rows("suppressed", &|it| listed(&it.suppressed))?;
    Ok(columns)
}

/// Items as JSON; `None` where there are none.
fn listed(items: &[impl Serialize]) -> serde_json::Result<Option<String>> {
    if items.is_empty() {
        return Ok(None);
    }
    serde_json::to_string(items).map(Some)
}
