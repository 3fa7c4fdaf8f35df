//! Properties of every run: no bytes make runvet panic, its report is valid against its schema, and
//! findings in a line depend neither on the lines before it nor on the number of threads.

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use runvet::Schema;
use runvet::finding::{Level, Totals};
use runvet::gate::Gate;
use runvet::report::{Closing, Format, Options};
use runvet::source::Artifact;

use crate::support::corpus::corpus;
use crate::support::random::{Damage, config, damage};
use crate::support::second_look::{found, indented};

/// A run in memory.
struct Run {
    id: String,
    artifacts: Vec<(Artifact, Vec<u8>)>,
}

/// A run that has ended and one in progress.
static GOOD_RUNS: LazyLock<[Run; 2]> = LazyLock::new(|| {
    ["terminal", "paused"].map(|case| {
        let episode = Gate::default()
            .discover(&[corpus().join("good").join(case)])
            .episodes
            .remove(0);
        let there = Artifact::ALL
            .into_iter()
            .filter(|artifact| episode.entries.has(*artifact));
        let artifacts = there.map(|artifact| {
            (
                artifact,
                fs::read(episode.path.join(artifact.file_name())).unwrap(),
            )
        });
        Run {
            id: episode.id.unwrap(),
            artifacts: artifacts.collect(),
        }
    })
});

impl Run {
    /// The artifacts, one of them with other bytes.
    fn with<'a>(&'a self, changed: Artifact, bytes: &'a [u8]) -> Vec<(Artifact, &'a [u8])> {
        let content = |(artifact, good): &'a (Artifact, Vec<u8>)| {
            if *artifact == changed { bytes } else { good }
        };
        self.artifacts
            .iter()
            .map(|artifact| (artifact.0, content(artifact)))
            .collect()
    }
}

/// Checks artifacts, and asserts that the report is valid against its schema.
fn judge(id: &str, artifacts: &[(Artifact, &[u8])]) {
    let every_rule = Gate::default()
        .level("*", Level::Warning)
        .unwrap();
    for mut gate in [Gate::default(), every_rule] {
        judge_by(&mut gate, id, artifacts);
    }
}

fn judge_by(gate: &mut Gate, id: &str, artifacts: &[(Artifact, &[u8])]) {
    static REPORT: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        jsonschema::draft202012::new(&serde_json::from_str(Schema::Report.text()).unwrap()).unwrap()
    });
    let episode = gate.records(id, artifacts);
    let mut totals = Totals::default();
    totals.add(&episode);
    let (mut renderer, mut json) = (Format::Json.renderer(&Options::default()), Vec::new());
    renderer.begin(&mut json).unwrap();
    renderer
        .episode(&mut json, &episode)
        .unwrap();
    renderer
        .end(&mut json, &Closing::new(&totals))
        .unwrap();
    let report = serde_json::from_slice(&json).expect("a report is JSON");
    let errors: Vec<_> = REPORT
        .iter_errors(&report)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?} in {report}");
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn damaged_byte_anywhere_is_judged_and_reported(run in 0..2_usize, file: Index, at: Index, damage in damage()) {
        let run = &GOOD_RUNS[run];
        let files: Vec<_> = run.artifacts.iter().filter(|(artifact, _)| *artifact <= Artifact::Events).collect();
        let (artifact, good) = file.get(&files);
        let mut bytes = good.clone();
        damage.to(&mut bytes, at.index(good.len()));
        judge(&run.id, &run.with(*artifact, &bytes));
    }
}

#[test]
fn run_is_judged_with_any_subset_of_artifacts() {
    // Every subset, so every prefix of every order in which they may be written.
    for run in &*GOOD_RUNS {
        for subset in 0..1_u32 << run.artifacts.len() {
            let there = run
                .artifacts
                .iter()
                .enumerate()
                .filter(|(index, _)| subset & 1 << index != 0);
            let there: Vec<_> = there
                .map(|(_, (artifact, bytes))| (*artifact, &**bytes))
                .collect();
            judge(&run.id, &there);
        }
    }
}

/// The lines of the timelines of good runs.
fn good_events() -> Vec<String> {
    let timelines = GOOD_RUNS
        .iter()
        .flat_map(|run| run.artifacts.iter());
    let timelines = timelines.filter(|(artifact, _)| *artifact == Artifact::Events);
    timelines
        .flat_map(|(_, events)| {
            String::from_utf8_lossy(events)
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn line_is_judged_alike_whatever_precedes_it(
        lines in prop::collection::vec(select(good_events()), 40..120),
        damages in prop::collection::vec((any::<Index>(), damage()), 0..6),
        run in 0..2_usize,
    ) {
        let mut events = lines.join("\n").into_bytes();
        for (at, damage) in damages.into_iter().filter(|(_, damage)| !matches!(damage, Damage::Cut)) {
            let at = at.index(events.len());
            damage.to(&mut events, at);
        }
        let run = &GOOD_RUNS[run];
        let [alike, unlike] = [&events, &indented(&events)].map(|events| {
            Gate::default().records(&run.id, &run.with(Artifact::Events, events))
        });
        let (alike, unlike) = (found(&alike), found(&unlike));
        prop_assert!(alike == unlike, "{alike:?}\n{unlike:?}\n{}", String::from_utf8_lossy(&events));
    }
}

#[test]
fn timeline_is_judged_wherever_it_is_cut() {
    for run in &*GOOD_RUNS {
        let (_, events) = run
            .artifacts
            .iter()
            .find(|(artifact, _)| *artifact == Artifact::Events)
            .unwrap();
        for end in 0..=events.len() {
            judge(&run.id, &run.with(Artifact::Events, &events[..end]));
        }
    }
}
