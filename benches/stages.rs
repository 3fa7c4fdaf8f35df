//! `cargo bench`: the cost of each stage of a check, on one small episode in memory.
//!
//! Each benchmark in `episode` runs all stages up to the one it names, so the difference between
//! two is the cost of a stage.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]

#[expect(dead_code, reason = "the other benchmark writes run data too")]
mod run_data;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use run_data::{Random, Records};
use runvet::Schema;
use runvet::document::OwnedDocument;
use runvet::finding::Level;
use runvet::gate::{Gate, all_rules};
use runvet::source::Artifact;

const ID: &str = "ep_00000007";
/// The state differs from the timeline, so both files have findings.
const DEFECT: u64 = 4;

static GOOD: LazyLock<Records> = LazyLock::new(|| made(None));
static BROKEN: LazyLock<Records> = LazyLock::new(|| made(Some(DEFECT)));

/// A run that has ended.
fn made(defect: Option<u64>) -> Records {
    let mut random = Random(7);
    let mut runs = std::iter::repeat_with(|| run_data::records(ID, &mut random, defect));
    runs.find(|run| run.summary.is_some())
        .expect("most runs have ended")
}

fn summary(records: &Records) -> &str {
    records
        .summary
        .as_deref()
        .unwrap_or_default()
}

fn size(records: &Records) -> BytesCount {
    BytesCount::new(records.state.len() + summary(records).len() + records.events.len())
}

fn main() {
    divan::main();
}

/// The grammar, the spans and the repeated keys.
#[divan::bench_group]
mod parse {
    use super::{Bencher, BytesCount, GOOD, OwnedDocument};

    fn bench(bencher: Bencher<'_, '_>, text: &str) {
        bencher
            .counter(BytesCount::of_str(text))
            .bench_local(|| {
                for line in text.lines() {
                    divan::black_box(OwnedDocument::read(line.into()).expect("JSON"));
                }
            });
    }

    #[divan::bench]
    fn state(bencher: Bencher<'_, '_>) {
        bench(bencher, &GOOD.state);
    }

    #[divan::bench]
    fn summary(bencher: Bencher<'_, '_>) {
        bench(bencher, super::summary(&GOOD));
    }

    #[divan::bench]
    fn events(bencher: Bencher<'_, '_>) {
        bench(bencher, &GOOD.events);
    }
}

/// The schema alone, on texts that are parsed already.
#[divan::bench_group]
mod schema {
    use super::{Bencher, BytesCount, GOOD, OwnedDocument, Schema};

    fn bench(bencher: Bencher<'_, '_>, text: &str, schema: Schema) {
        let documents = text
            .lines()
            .map(|line| OwnedDocument::read(line.into()));
        let documents: Vec<_> = documents
            .map(|it| it.expect("JSON"))
            .collect();
        bencher
            .counter(BytesCount::of_str(text))
            .bench_local(|| {
                assert!(
                    documents
                        .iter()
                        .all(|it| schema.is_valid(it.root())),
                    "made by the generator"
                );
            });
    }

    #[divan::bench]
    fn state(bencher: Bencher<'_, '_>) {
        bench(bencher, &GOOD.state, Schema::State);
    }

    #[divan::bench]
    fn summary(bencher: Bencher<'_, '_>) {
        bench(bencher, super::summary(&GOOD), Schema::Summary);
    }

    #[divan::bench]
    fn events(bencher: Bencher<'_, '_>) {
        bench(bencher, &GOOD.events, Schema::Event);
    }
}

/// A whole episode: each benchmark goes one stage further than the one before.
#[divan::bench_group]
mod episode {
    use super::{
        Artifact, BROKEN, Bencher, GOOD, Gate, ID, Level, NonZeroUsize, Records, all_rules, size,
        summary,
    };

    fn check() -> Gate {
        Gate::default().jobs(NonZeroUsize::MIN)
    }

    fn bench(bencher: Bencher<'_, '_>, gate: &Gate, run: &Records, is_good: bool) {
        let records = [
            (Artifact::State, run.state.as_bytes()),
            (Artifact::Summary, summary(run).as_bytes()),
            (Artifact::Events, run.events.as_bytes()),
            (Artifact::Learn, b"".as_slice()),
            (Artifact::Manifest, b"{}".as_slice()),
        ];
        let mut gate = gate.clone();
        bencher
            .counter(size(run))
            .bench_local(|| {
                let report = gate.records(ID, &records);
                assert_eq!(report.findings.is_empty(), is_good, "{report:?}");
                report
            });
    }

    /// All rules are off: parse, schema and facts.
    #[divan::bench]
    fn facts(bencher: Bencher<'_, '_>) {
        let off = |check: Gate, rule: &runvet::finding::RuleInfo| {
            check
                .level(&rule.id, Level::Off)
                .expect("a rule")
        };
        bench(bencher, &all_rules().fold(check(), off), &GOOD, true);
    }

    /// All rules are on and find nothing.
    #[divan::bench]
    fn rules(bencher: Bencher<'_, '_>) {
        bench(bencher, &check(), &GOOD, true);
    }

    /// A rule finds something, which is located and put into words.
    #[divan::bench]
    fn locate(bencher: Bencher<'_, '_>) {
        bench(bencher, &check(), &BROKEN, false);
    }
}
