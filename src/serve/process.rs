//! The system's data on this process -> numbers for monitoring, by the names that clients of
//! Prometheus use.

use std::fmt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::store::read_text;

/// This process, which started at a time.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) started: SystemTime,
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for (name, unit, value) in self.samples().into_iter().flatten() {
            let (counter, gauge) = (ConstCounter::new(value), ConstGauge::new(value));
            let is_counter = name == "process_cpu";
            let metric: &dyn EncodeMetric = if is_counter { &counter } else { &gauge };
            let (help, kind) = ("Of this process, as the system says", metric.metric_type());
            metric.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)?;
        }

        Ok(())
    }
}

impl Process {
    /// Returns what Linux says; `None` on other systems.
    fn samples(&self) -> Option<[(&'static str, Option<Unit>, f64); 5]> {
        let text = read_text(Path::new("/proc/self/stat")).ok()?;
        // The name of the program, in parentheses, may have blanks.
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |at: usize| {
            fields
                .get(at)?
                .parse::<u64>()
                .ok()
                .map(double)
        };

        let processors = (number(11)? + number(12)?) / double(clock_ticks_per_second());
        let (virtual_bytes, pages) = (number(20)?, number(21)?);
        let started = self
            .started
            .duration_since(UNIX_EPOCH)
            .ok()?
            .as_secs_f64();
        let most_open = getrlimit(Resource::Nofile)
            .current
            .unwrap_or(u64::MAX);

        Some([
            ("process_cpu", Some(Unit::Seconds), processors),
            ("process_start_time", Some(Unit::Seconds), started),
            ("process_virtual_memory", Some(Unit::Bytes), virtual_bytes),
            (
                "process_resident_memory",
                Some(Unit::Bytes),
                pages * double(page_size() as u64),
            ),
            ("process_max_fds", None, double(most_open)),
        ])
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "these numbers need not be exact"
)]
fn double(number: u64) -> f64 {
    number as f64
}
