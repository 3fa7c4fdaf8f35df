//! The index, and what the service counts -> the text that monitoring reads (`OpenMetrics`).

use std::fmt;

use axum::http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::index::Index;

/// One label and its value.
type Label = [(&'static str, &'static str); 1];

/// The numbers of the service.
pub(super) struct Numbers {
    registry: Registry,
    requests: Family<Label, Counter>,
    runs: Family<Label, Gauge>,
    findings: Family<Label, Gauge>,
    faults: Gauge,
    verdicts: Counter,
    checks: Counter,
    listeners: Gauge,
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Numbers")
    }
}

impl Numbers {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("runvet");
        let (requests, runs, findings) = (Family::default(), Family::default(), Family::default());
        let (faults, listeners) = (Gauge::default(), Gauge::default());
        let (verdicts, checks) = (Counter::default(), Counter::default());
        registry.register(
            "http_requests",
            "Requests by the class of their status",
            requests.clone(),
        );
        registry.register("runs", "Runs by their verdict", runs.clone());
        registry.register("findings", "Findings that count", findings.clone());
        registry.register("faults", "Paths that can't be looked at", faults.clone());
        registry.register("verdicts", "Verdicts that were new", verdicts.clone());
        registry.register(
            "checks",
            "Episodes that were posted and checked",
            checks.clone(),
        );
        registry.register(
            "listeners",
            "Clients that listen to changes",
            listeners.clone(),
        );
        Self {
            registry,
            requests,
            runs,
            findings,
            faults,
            verdicts,
            checks,
            listeners,
        }
    }

    pub(super) fn answered(&self, status: StatusCode) {
        let class = match status.as_u16() {
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            _ => "5xx",
        };
        self.requests.get_or_create(&[("status", class)]).inc();
    }

    pub(super) fn judged(&self) {
        self.verdicts.inc();
    }

    pub(super) fn checked(&self) {
        self.checks.inc();
    }

    /// Counts a listener until what is returned is dropped.
    pub(super) fn listener(&self) -> Listener {
        self.listeners.inc();
        Listener(self.listeners.clone())
    }

    pub(super) fn text(&self, index: &Index) -> Result<String, fmt::Error> {
        let totals = index.totals();
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        for (family, name, label, number) in [
            (&self.runs, "verdict", "valid", totals.valid),
            (&self.runs, "verdict", "invalid", totals.invalid),
            (&self.runs, "verdict", "undecided", totals.undecided),
            (&self.findings, "severity", "error", totals.errors),
            (&self.findings, "severity", "warning", totals.warnings),
        ] {
            family.get_or_create(&[(name, label)]).set(whole(number));
        }
        self.faults.set(whole(index.faults().len() as u64));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// A client that listens to changes.
#[derive(Debug)]
pub(super) struct Listener(Gauge);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.dec();
    }
}
