//! Hostile runs -> the work of views, comparisons, baselines and renderers, counted: it grows as
//! they do, and no faster.

#![cfg(test)]

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use super::{compare, opened};
use crate::gate::linear::{SHAPES, Shape, hold_to_doubling};
use crate::gate::{Baseline, Gate};
use crate::ground::document::work;
use crate::ground::finding::{EpisodeReport, Totals};
use crate::ground::source::Artifact;
use crate::judge::check::all_rules;
use crate::look::read::RunReader;
use crate::report::{Closing, Format, Options, write_json};
use crate::store::write_new_dir;

/// The size that is doubled.
const SIZE: usize = 50;

/// Returns a run with the records of a shape, and one whose values differ.
fn runs(shape: &Shape, size: usize) -> (tempfile::TempDir, [RunReader; 2]) {
    let temp = tempfile::tempdir().unwrap();
    let runs = ["ep_1", "ep_2"].map(|id| {
        let dir = temp.path().join("episodes").join(id);
        let change = |text: String| match id {
            "ep_1" => text,
            _ => text
                .replace(":1", ":3")
                .replace("\"x\"", "\"z\""),
        };
        let files = [
            ("state.json", change((shape.state)(size))),
            ("events.jsonl", change((shape.events)(size))),
        ];
        write_new_dir(&dir, &files).unwrap();
        RunReader::open(dir).unwrap()
    });
    // A run that was written just now is read twice.
    std::thread::sleep(Duration::from_millis(200));
    (temp, runs)
}

#[test]
fn work_of_views_doubles_at_most_when_runs_double() {
    for shape in &SHAPES {
        hold_to_doubling(shape.name, SIZE, |size| {
            let (_temp, [run, _]) = runs(shape, size);
            let view = || crate::look::view::dashboard(&run, &mut Gate::default());
            let (dashboard, done) = work::of(view);
            let mut shown = Counted::default();
            write!(shown, "{:?}", dashboard.unwrap()).unwrap();
            done + shown.bytes
        });
    }
}

#[test]
fn work_of_diffs_doubles_at_most_when_runs_double() {
    for shape in &SHAPES {
        hold_to_doubling(shape.name, SIZE, |size| {
            let (_temp, runs) = runs(shape, size);
            let diff = || {
                let subject = |run| opened(run, &mut Gate::default()).unwrap();
                let [left, right] = runs.each_ref().map(subject);
                compare(&left, &right).unwrap()
            };
            let (diff, done) = work::of(diff);
            let mut shown = Counted::default();
            write_json(&mut shown, &diff).unwrap();
            done + shown.bytes
        });
    }
}

#[test]
fn work_of_baselines_doubles_at_most_when_runs_double() {
    for shape in &SHAPES {
        hold_to_doubling(shape.name, SIZE, |size| {
            let (state, events) = ((shape.state)(size), (shape.events)(size));
            let records = [
                (Artifact::State, state.as_bytes()),
                (Artifact::Events, events.as_bytes()),
            ];
            let mut recording = Gate::default().record_baseline(Path::new("baseline.json"));
            drop(recording.records("ep_1", &records));
            let baseline: Baseline = recording.baseline().unwrap().clone();
            let mut written = Counted::default();
            baseline.write(&mut written).unwrap();
            let mut gate = Gate::default().with_baseline(baseline);
            let (report, done) = work::of(|| gate.records("ep_1", &records));
            assert!(report.findings.is_empty() && !report.suppressed.is_empty());
            done + written.bytes
        });
    }
}

#[test]
fn work_of_renderers_doubles_at_most_when_findings_double() {
    for shape in &SHAPES {
        let reports = [1, SIZE, 2 * SIZE].map(|size| {
            let (state, events) = ((shape.state)(size), (shape.events)(size));
            let records = [
                (Artifact::State, state.as_bytes()),
                (Artifact::Events, events.as_bytes()),
            ];
            (size, Gate::default().records("ep_1", &records))
        });
        for format in Format::ALL {
            hold_to_doubling(&format!("{format}: {}", shape.name), SIZE, |size| {
                let of_size = reports
                    .iter()
                    .find(|(of, _)| *of == size);
                rendering(*format, &of_size.unwrap().1)
            });
        }
    }
}

/// Returns the work of writing a report with all its findings.
fn rendering(format: Format, report: &EpisodeReport) -> u64 {
    let options = Options::default()
        .rules(all_rules())
        .max_findings(0);
    let mut renderer = format.renderer(&options);
    let mut totals = Totals::default();
    totals.add(report);
    let mut written = Counted::default();
    let ((), done) = work::of(|| {
        renderer.begin(&mut written).unwrap();
        renderer
            .episode(&mut written, report)
            .unwrap();
        renderer
            .end(&mut written, &Closing::new(&totals))
            .unwrap();
    });
    done + written.bytes + written.writes
}

/// A writer that counts bytes instead of keeping them.
#[derive(Default)]
struct Counted {
    bytes: u64,
    writes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.writes += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
