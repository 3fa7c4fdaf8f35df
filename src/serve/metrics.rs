//! The sums over all runs, and what the service counts -> the text that monitoring reads.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::page::PageSums;
use super::process::Process;
use crate::ground::Own;
use crate::ground::finding::{NONE, RuleInfo, RunEntry};
use crate::ground::record::SummaryOutcome;
use crate::ground::words::Words as _;
use crate::report::page::RunSums;

/// The type of the text with all that `OpenMetrics` has.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The type of the text that older programs read.
pub(super) const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The times that requests and checks are sorted by, in seconds.
const SECONDS: [f64; 8] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The lengths of time after which a run counts as silent: the values of a label, and seconds.
const SILENT: [(&str, u64); 4] = [("5m", 300), ("15m", 900), ("1h", 3_600), ("1d", 86_400)];

/// The classes of the status of an answer.
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// Metrics of one name, each with the values of some labels, in the order in which they are listed:
/// the families of the library are in another one each time.
#[derive(Debug)]
struct Family<const N: usize, M>(Vec<([(&'static str, String); N], M)>);

impl<const N: usize, M: EncodeMetric> EncodeMetric for Family<N, M> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(labels, metric)| metric.encode(encoder.encode_family(labels)?))
    }

    fn metric_type(&self) -> MetricType {
        self.0
            .first()
            .map_or(MetricType::Unknown, |(_, metric)| metric.metric_type())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The numbers that the service counts.
pub(super) struct Numbers {
    started: SystemTime,
    /// The rules that are on.
    active: Vec<String>,
    /// The requests by the class of their status.
    requests: [Counter; CLASSES.len()],
    last_verdict: Gauge,
    last_run: Gauge,
    verdicts: Counter,
    checks: Counter,
    request_times: Histogram,
    check_times: Histogram,
}

impl Numbers {
    pub(super) fn new<'r>(active: impl Iterator<Item = &'r RuleInfo>) -> Self {
        Self {
            started: SystemTime::now(),
            active: active
                .map(|rule| rule.id.to_string())
                .collect(),
            requests: Default::default(),
            last_verdict: Gauge::default(),
            last_run: Gauge::default(),
            verdicts: Counter::default(),
            checks: Counter::default(),
            request_times: Histogram::new(SECONDS),
            check_times: Histogram::new(SECONDS),
        }
    }

    pub(super) fn answered(&self, status: StatusCode, time: Duration) {
        self.request_times
            .observe(time.as_secs_f64());
        let class = match status.as_u16() {
            200..300 => 0,
            300..400 => 1,
            400..500 => 2,
            _ => 3,
        };

        self.requests.own(class).inc();
    }

    pub(super) fn judged(&self) {
        self.verdicts.inc();
        self.last_verdict.set(now());
    }

    /// Notes that a run arrived, now or at an earlier time.
    pub(super) fn arrived(&self, at: Option<i64>) {
        let at = at.unwrap_or(i64::MAX).min(now());
        self.last_run
            .set(self.last_run.get().max(at));
    }

    pub(super) fn checked(&self, time: Duration) {
        self.check_times
            .observe(time.as_secs_f64());
        self.checks.inc();
    }

    /// Returns all numbers, in the classic format or in that of `OpenMetrics`.
    pub(super) fn text(
        &self,
        sums: &PageSums,
        running: &[Arc<RunEntry>],
        listeners: usize,
        is_classic: bool,
    ) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Process {
            started: self.started,
        }));
        let all = registry.sub_registry_with_prefix("runvet");
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        all.register("build", "The version of runvet", version);

        let help = "Requests by the class of their status";
        let requests = CLASSES
            .iter()
            .zip(self.requests.clone())
            .map(|(class, number)| ([("status", (*class).to_owned())], number));
        all.register("http_requests", help, Family(requests.collect()));
        self.register_runs(all, &sums.overview, running);
        self.register_findings(all, &sums.overview);

        let help = "Verdicts that were new";
        all.register("verdicts", help, self.verdicts.clone());
        let help = "Episodes that were posted and checked";
        all.register("checks", help, self.checks.clone());

        let help = "Clients that listen to changes";
        all.register("listeners", help, gauge(listeners as u64));
        let (name, help) = ("http_request_duration", "Time until an answer begins");
        all.register_with_unit(name, help, Unit::Seconds, self.request_times.clone());

        let (name, help) = ("check_duration", "Time to check an episode that was posted");
        all.register_with_unit(name, help, Unit::Seconds, self.check_times.clone());
        let mut text = String::new();
        encode(&mut text, &registry)?;

        if is_classic { classic(&text) } else { Ok(text) }
    }

    fn register_runs(&self, all: &mut Registry, sums: &RunSums, running: &[Arc<RunEntry>]) {
        let totals = sums.all;
        let verdicts = [
            ("valid", totals.valid),
            ("invalid", totals.invalid),
            ("undecided", totals.undecided),
        ];
        all.register("runs", "Runs by their verdict", family("verdict", verdicts));

        let help = "Runs that are invalid only because they break a rule of the team";
        all.register("runs_breaking_rules", help, gauge(totals.breaks_rule));
        let help = "Runs in progress or paused";
        all.register("runs_in_progress", help, gauge(running.len() as u64));

        let (paused, others): (Vec<_>, Vec<_>) = running
            .iter()
            .partition(|run| run.paused.is_some());
        let number = paused.len() as u64;
        all.register("runs_paused", "Runs that wait", gauge(number));

        let silent = SILENT.map(|(length, seconds)| {
            let silence = Duration::from_secs(seconds);
            let silent = others
                .iter()
                .filter_map(|run| run.written)
                .filter(|at| {
                    at.elapsed()
                        .is_ok_and(|it| it >= silence)
                });
            (length, silent.count() as u64)
        });
        let help = "Runs in progress that do not wait and have written nothing for a time";
        all.register("runs_silent", help, family("for", silent));

        let with = |outcome| {
            sums.outcomes
                .get(outcome)
                .map_or(0, |sum| sum.episodes)
        };

        let known = SummaryOutcome::ALL
            .iter()
            .map(|outcome| outcome.word())
            .map(|outcome| (outcome, with(outcome)));
        let none = with(NONE);
        let other = totals.episodes
            - none
            - known
                .clone()
                .map(|(_, runs)| runs)
                .sum::<u64>();
        let outcomes = known.chain([("other", other), ("none", none)]);
        let help = "Runs by their outcome";
        all.register("runs_by_outcome", help, family("outcome", outcomes));

        let (name, help) = ("last_verdict_timestamp", "When a verdict was last new");
        all.register_with_unit(name, help, Unit::Seconds, self.last_verdict.clone());
        let (name, help) = ("last_run_timestamp", "When a run last arrived");
        all.register_with_unit(name, help, Unit::Seconds, self.last_run.clone());
    }

    fn register_findings(&self, all: &mut Registry, sums: &RunSums) {
        let help = "Findings that are neither ignored nor in the baseline";
        let severities = [("error", sums.all.errors), ("warning", sums.all.warnings)];
        all.register("findings", help, family("severity", severities));

        let mut of_rules = Vec::new();
        for rule in &self.active {
            // A rule that finds nothing has the number 0, so that an alert sees the first finding.
            let tally = sums
                .rules
                .get(rule)
                .copied()
                .unwrap_or_default();
            for (severity, number) in [("error", tally.errors), ("warning", tally.warnings)] {
                let labels = [("rule", rule.clone()), ("severity", severity.to_owned())];
                of_rules.push((labels, gauge(number)));
            }
        }

        let help = "Findings that are neither ignored nor in the baseline, by rule";
        all.register("rule_findings", help, Family(of_rules));
        let help = "1 where all runs were looked at and there are no faults, or else 0";
        let is_complete = sums.is_complete && !sums.is_under_way;
        all.register("complete", help, gauge(is_complete.into()));
        let help = "Paths that can't be looked at";
        all.register("faults", help, gauge(sums.faults.len() as u64));
    }
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn gauge(number: u64) -> Gauge {
    let gauge: Gauge = Gauge::default();
    gauge.set(whole(number));
    gauge
}

/// Returns a gauge for each value of a label.
fn family(
    label: &'static str,
    numbers: impl IntoIterator<Item = (&'static str, u64)>,
) -> Family<1, Gauge> {
    let metrics = numbers
        .into_iter()
        .map(|(value, number)| ([(label, value.to_owned())], gauge(number)));
    Family(metrics.collect())
}

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| whole(since.as_secs()))
}

/// Returns the text in the classic format: its families have the names of their samples, and it has
/// no units and no end.
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
