//! The sums over all runs, and what the service counts -> the text that monitoring reads.

use std::fmt::{self, Write as _};
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::page::Sums;

/// The type of the text with all that `OpenMetrics` has.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The type of the text that older programs read.
pub(super) const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The times that requests and checks are sorted by, in seconds.
const SECONDS: [f64; 8] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// One label and its value.
type Label = [(&'static str, &'static str); 1];

/// The numbers of the service.
pub(super) struct Numbers {
    registry: Registry,
    requests: Family<Label, Counter>,
    runs: Family<Label, Gauge>,
    breaks_rule: Gauge,
    running: Gauge,
    findings: Family<Label, Gauge>,
    of_rules: Family<[(&'static str, String); 2], Gauge>,
    complete: Gauge,
    faults: Gauge,
    verdicts: Counter,
    checks: Counter,
    listeners: Gauge,
    request_times: Histogram,
    check_times: Histogram,
}

impl Numbers {
    pub(super) fn new() -> Self {
        let numbers = Self {
            registry: Registry::with_prefix("runvet"),
            requests: Family::default(),
            runs: Family::default(),
            breaks_rule: Gauge::default(),
            running: Gauge::default(),
            findings: Family::default(),
            of_rules: Family::default(),
            complete: Gauge::default(),
            faults: Gauge::default(),
            verdicts: Counter::default(),
            checks: Counter::default(),
            listeners: Gauge::default(),
            request_times: Histogram::new(SECONDS),
            check_times: Histogram::new(SECONDS),
        };
        numbers.registered()
    }

    fn registered(mut self) -> Self {
        let all = &mut self.registry;
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        all.register("build", "The version of runvet", version);
        let help = "Requests by the class of their status";
        all.register("http_requests", help, self.requests.clone());
        all.register("runs", "Runs by their verdict", self.runs.clone());
        let help = "Runs that are invalid only because they break a rule of the team";
        all.register("runs_breaking_rules", help, self.breaks_rule.clone());
        let help = "Runs in progress or paused";
        all.register("runs_in_progress", help, self.running.clone());
        let help = "Findings that are neither ignored nor in the baseline";
        all.register("findings", help, self.findings.clone());
        let help = "Findings that are neither ignored nor in the baseline, by rule";
        all.register("rule_findings", help, self.of_rules.clone());
        let help = "1 where all runs were looked at and there are no faults, or else 0";
        all.register("complete", help, self.complete.clone());
        let help = "Paths that can't be looked at";
        all.register("faults", help, self.faults.clone());
        let help = "Verdicts that were new";
        all.register("verdicts", help, self.verdicts.clone());
        let help = "Episodes that were posted and checked";
        all.register("checks", help, self.checks.clone());
        let help = "Clients that listen to changes";
        all.register("listeners", help, self.listeners.clone());
        let (name, help) = ("http_request_duration", "Time until an answer begins");
        all.register_with_unit(name, help, Unit::Seconds, self.request_times.clone());
        let (name, help) = ("check_duration", "Time to check an episode that was posted");
        all.register_with_unit(name, help, Unit::Seconds, self.check_times.clone());
        self
    }

    pub(super) fn answered(&self, status: StatusCode, time: Duration) {
        self.request_times.observe(time.as_secs_f64());
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

    pub(super) fn checked(&self, time: Duration) {
        self.check_times.observe(time.as_secs_f64());
        self.checks.inc();
    }

    /// Counts a listener until what is returned is dropped.
    pub(super) fn listener(&self) -> Listener {
        self.listeners.inc();
        Listener(self.listeners.clone())
    }

    /// All numbers, in the classic format or in that of `OpenMetrics`.
    pub(super) fn text(&self, sums: &Sums, is_classic: bool) -> Result<String, fmt::Error> {
        let totals = sums.overview.all;
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
        for rule in &sums.rules {
            // A rule that finds nothing has the number 0, so that an alert sees the first finding.
            let tally = sums.overview.rules.get(&*rule.id).copied();
            let tally = tally.unwrap_or_default();
            for (severity, number) in [("error", tally.errors), ("warning", tally.warnings)] {
                let labels = [
                    ("rule", rule.id.to_string()),
                    ("severity", severity.to_owned()),
                ];
                self.of_rules.get_or_create(&labels).set(whole(number));
            }
        }
        self.breaks_rule.set(whole(totals.breaks_rule));
        self.running.set(whole(sums.running));
        self.complete.set(i64::from(sums.is_complete()));
        self.faults.set(whole(sums.faults.len() as u64));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        if is_classic { classic(&text) } else { Ok(text) }
    }
}

/// The text in the classic format: its families have the names of their samples, and it has no
/// units and no end.
fn classic(text: &str) -> Result<String, fmt::Error> {
    let (mut classic, mut help) = (String::new(), "");
    for line in text.lines() {
        if let Some((_, of_family)) = line
            .strip_prefix("# HELP ")
            .and_then(|it| it.split_once(' '))
        {
            help = of_family;
        } else if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|it| it.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                _ => ("", kind),
            };
            writeln!(classic, "# HELP {name}{suffix} {help}")?;
            writeln!(classic, "# TYPE {name}{suffix} {kind}")?;
        } else if !line.starts_with('#') {
            writeln!(classic, "{line}")?;
        }
    }
    Ok(classic)
}

/// A client that listens to changes.
#[derive(Debug)]
pub(super) struct Listener(Gauge);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.dec();
    }
}
