//! Episodes whose artifacts are stored elsewhere: they are judged like those on a disk.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;

use runvet::document::OwnedDocument;
use runvet::finding::{Finding, Level};
use runvet::gate::{Baseline, Gate};
use runvet::plan::compare;
use runvet::read::{EventTexts, RunData, RunReader, Stored};
use runvet::record::State;
use runvet::source::{Artifact, Entries, EpisodeKey};
use runvet::store::{Artifacts, Content, InMemory, Opened, ReadAt, Unreadable, Version};
use runvet::view;
use rustix::fs::{CWD, FileType, Mode};

use crate::support::corpus::{corpus, expecting_cases, good_cases};

/// Objects of a store that hands out a few bytes at a time.
struct Bucket {
    objects: BTreeMap<Artifact, Vec<u8>>,
    /// How often the version was requested, and whether it changes each time.
    asked: Cell<u64>,
    is_rewritten: bool,
}

struct Object<'b>(&'b [u8]);

impl ReadAt for Object<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self
            .0
            .get(usize::try_from(offset).unwrap()..);
        let count = buffer.len().min(7);
        io::Read::read(&mut rest.unwrap_or_default(), &mut buffer[..count])
    }
}

impl Artifacts for Bucket {
    fn entries(&self) -> Entries {
        self.objects.keys().copied().collect()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        let object = self
            .objects
            .get(&artifact)
            .ok_or(Unreadable::Vanished)?;
        Ok(Opened::from_reader(Object(object)))
    }

    fn version(&self, _: Artifact) -> Option<Version> {
        self.asked.set(self.asked.get() + 1);
        let version = if self.is_rewritten {
            self.asked.get()
        } else {
            0
        };
        Some(Version::new(version.to_string()))
    }
}

impl Bucket {
    fn new(objects: BTreeMap<Artifact, Vec<u8>>) -> Self {
        Self {
            objects,
            asked: Cell::new(0),
            is_rewritten: false,
        }
    }
}

#[test]
fn bytes_from_anywhere_are_judged_as_those_of_files() {
    let mut gate = Gate::default();
    let mut compared = 0;
    for case in [good_cases(), expecting_cases("bad")].concat() {
        for episode in gate.discover(&[&case]).episodes {
            let dir = &episode.path;
            let is_plain = |artifact: &Artifact| {
                let file = dir.join(artifact.file_name());
                file.symlink_metadata()
                    .is_ok_and(|found| found.is_file())
            };
            let listed = Artifact::ALL
                .into_iter()
                .filter(|artifact| episode.entries.has(*artifact));
            let (plain, others): (Vec<_>, Vec<_>) = listed.partition(is_plain);
            if !others.is_empty() {
                continue;
            }
            let objects: BTreeMap<Artifact, Vec<u8>> = plain
                .into_iter()
                .map(|artifact| (artifact, fs::read(dir.join(artifact.file_name())).unwrap()))
                .collect();
            let expected = gate.episode(&episode).unwrap();
            let id = episode.id.as_deref();
            let memory: InMemory<'_> = objects
                .iter()
                .map(|(artifact, bytes)| (*artifact, Content::Bytes(bytes)))
                .collect();
            let key = episode.key();
            assert_eq!(gate.artifacts(&key, id, &memory), expected);
            let bucket = Bucket::new(objects);
            assert_eq!(gate.artifacts(&key, id, &bucket), expected);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} episodes were compared");
}

#[test]
fn run_in_memory_reads_as_the_one_on_a_disk() {
    let mut gate = Gate::default();
    let mut compared = 0;
    let cases = [good_cases(), expecting_cases("bad")].concat();
    for case in cases.into_iter().step_by(4) {
        for episode in gate.discover(&[&case]).episodes {
            let files = Artifact::ALL.map(|artifact| episode.path.join(artifact.file_name()));
            let listed = Artifact::ALL.into_iter().zip(&files);
            let listed = listed.filter(|(artifact, _)| episode.entries.has(*artifact));
            let read = listed.map(|(artifact, file)| {
                let is_file = file.symlink_metadata()?.is_file();
                let bytes = if is_file {
                    fs::read(file)?
                } else {
                    return Err(io::Error::other("a link"));
                };
                Ok((artifact, Content::Shared(bytes.into())))
            });
            let Ok(memory) = read.collect::<io::Result<InMemory<'static>>>() else {
                continue;
            };
            let on_disk = RunReader::open(&episode.path).unwrap();
            let run = RunReader::of(&episode.key(), episode.id.as_deref(), memory);
            assert_eq!(run.entry(), on_disk.entry());
            assert_eq!((run.id(), run.path()), (on_disk.id(), on_disk.path()));
            let text = |run: &RunReader| {
                let state = run
                    .state()
                    .map(|state| state.text().to_owned());
                let summary = run
                    .summary()
                    .map(|summary| summary.text().to_owned());
                (
                    state.map_err(|why| why.to_string()),
                    summary.map_err(|why| why.to_string()),
                )
            };
            assert_eq!(text(&run), text(&on_disk));
            let events = |run: &RunReader| -> Result<Vec<_>, String> {
                let events = run
                    .events()
                    .map_err(|why| why.to_string())?;
                Ok(events
                    .map(|event| event.map_err(|why| why.to_string()))
                    .collect())
            };
            assert_eq!(events(&run), events(&on_disk));
            assert_eq!(compare(&run).unwrap(), compare(&on_disk).unwrap());
            assert_eq!(
                run.judge(&mut gate).unwrap(),
                on_disk.judge(&mut gate).unwrap()
            );
            let mut page = |run: &RunReader| {
                let page = view::json(run, &mut gate).unwrap();
                serde_json::from_slice::<serde_json::Value>(&page).unwrap()
            };
            assert_eq!(page(&run), page(&on_disk));
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} episodes were compared");
}

#[test]
fn run_in_memory_is_not_looked_for_on_a_disk() {
    let key = EpisodeKey::from(&*corpus().join("good/terminal/episodes/ep_answer"));
    let listed = Artifact::ALL.map(|artifact| (artifact, Content::Listed));
    let run = RunReader::of(&key, Some("ep_answer"), InMemory::from_iter(listed));
    assert!(run.dir().is_none() && run.state().is_err() && run.events().is_err());
    assert_eq!(run.entry().status, None);
    assert_eq!(compare(&run).unwrap().rebuilt, None);
    let report = run.judge(&mut Gate::default()).unwrap();
    let rules = report
        .findings
        .iter()
        .map(|finding| &*finding.rule);
    assert_eq!(rules.collect::<Vec<_>>(), ["record/unreadable"; 3]);
}

/// The numbers of the fetches of a state with findings whose version changes up to one of them, and
/// whether the report is decided.
fn fetches(state: &'static [u8], last_change: usize) -> (Vec<usize>, bool) {
    let mut fetches = Vec::new();
    let report = Gate::default().settled(&"ep_1".into(), None, |number| {
        fetches.push(number);
        let memory = InMemory::from_iter([(Artifact::State, Content::Bytes(state))]);
        let version = Version::new(number.min(last_change).to_string());
        Ok::<_, Unreadable>(memory.with_version(Artifact::State, version))
    });
    (fetches, report.unwrap().valid.is_some())
}

#[test]
fn fetched_episode_is_fetched_until_it_settles() {
    assert_eq!(fetches(b"{}", 1), (vec![1, 2], true));
    assert_eq!(fetches(b"{}", 3), (vec![1, 2, 3, 4], true));
    assert_eq!(fetches(b"{}", 9), (vec![1, 2, 3, 4, 5, 6], false));
}

#[test]
fn fetched_episode_moves_when_an_artifact_appears() {
    let report = Gate::default().settled(&"ep_1".into(), None, |number| {
        let state = (Artifact::State, Content::Bytes(b"{}".as_slice()));
        let events = (Artifact::Events, Content::Bytes(b"".as_slice()));
        let there = [state, events].into_iter().take(number);
        Ok::<InMemory<'_>, Unreadable>(there.collect())
    });
    let findings = report.unwrap().findings;
    let is_found = |rule: &str| {
        findings
            .iter()
            .any(|finding| finding.rule == rule)
    };
    assert!(is_found("state/schema") && !is_found("events/missing"));
}

#[test]
fn error_of_a_fetch_ends_the_check() {
    let settled = Gate::default().settled(&"ep_1".into(), None, |number| match number {
        1 => Ok(InMemory::default()),
        _ => Err("503"),
    });
    assert_eq!(settled, Err("503"));
}

/// Waits for good where anything opens a file to read it: all of them are FIFOs.
#[test]
fn settings_from_texts_are_applied_without_any_file() {
    let dir = tempfile::tempdir().unwrap();
    let (config, baseline) = (
        dir.path().join("runvet.toml"),
        dir.path().join("baseline.json"),
    );
    let episode = dir.path().join("episodes/ep_1");
    fs::create_dir_all(&episode).unwrap();
    let artifacts = Artifact::ALL.map(|artifact| episode.join(artifact.file_name()));
    for file in [&config, &baseline]
        .into_iter()
        .chain(&artifacts)
    {
        rustix::fs::mknodat(CWD, file, FileType::Fifo, Mode::RWXU, 0).unwrap();
    }
    let key = EpisodeKey::from(&*episode);
    let memory = || InMemory::from_iter([(Artifact::State, Content::Bytes(b"{}"))]);
    let mut first = Gate::default().record_baseline(&baseline);
    let known = first.artifacts(&key, Some("ep_1"), &memory());
    let mut accepted = Vec::new();
    first
        .baseline()
        .unwrap()
        .write(&mut accepted)
        .unwrap();
    let accepted = String::from_utf8(accepted).unwrap();
    let baseline = Baseline::from_json(&baseline, &accepted).unwrap();

    let text = "baseline = 'baseline.json'\n[rules]\n'events/missing' = 'off'";
    let gate = Gate::default()
        .with_config(&config, text, None)
        .unwrap();
    let mut gate = gate.with_baseline(baseline);
    let report = gate.artifacts(&key, Some("ep_1"), &memory());
    assert_eq!(known.suppressed.len(), report.suppressed.len() + 1);
    assert_eq!((report.findings.len(), report.valid), (0, Some(true)));
    let run = RunReader::of(&key, Some("ep_1"), memory());
    assert_eq!(
        run.judge(&mut Gate::default())
            .unwrap()
            .findings
            .len(),
        known.suppressed.len()
    );
}

#[test]
fn what_a_program_keeps_can_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Gate>();
    is_send::<RunData>();
    is_send::<RunReader>();
    is_send::<EventTexts>();
    is_send::<Stored<State>>();
    is_send::<OwnedDocument>();
    is_send::<InMemory<'static>>();
    is_send::<Opened<'static>>();
}

#[test]
fn findings_do_not_count_while_versions_change() {
    let key = EpisodeKey::from("s3://runs/ep_1");
    let mut bucket = Bucket::new(BTreeMap::from([(Artifact::State, b"{}".to_vec())]));
    let report = Gate::default().artifacts(&key, None, &bucket);
    assert!(!report.findings.is_empty() && !report.kept_changing());
    let is_in_state = |finding: &Finding| finding.location.file == "s3://runs/ep_1/state.json";
    assert!(report.findings.iter().any(is_in_state));
    bucket.is_rewritten = true;
    let report = Gate::default().artifacts(&key, None, &bucket);
    assert!(report.findings.is_empty() && report.kept_changing());
}

#[test]
fn verdict_is_withheld_when_the_machine_lacks_memory() {
    for artifact in [Artifact::State, Artifact::Summary, Artifact::Events] {
        let lacking = Content::Unreadable(Unreadable::Lacking("out of memory".into()));
        let artifacts = InMemory::from_iter([(artifact, lacking)]);
        let key = EpisodeKey::from("s3://runs/ep_1");
        for level in [Level::Error, Level::Off] {
            let mut gate = Gate::default()
                .level("record/unreadable", level)
                .unwrap();
            let report = gate.artifacts(&key, None, &artifacts);
            assert_eq!(report.valid, None, "{artifact}");
            let fault = report.fault().unwrap();
            assert_eq!(fault.path, "s3://runs/ep_1");
            assert_eq!(
                fault.message,
                "the machine lacked the resources to read the episode, such as memory"
            );
            let is_unreadable = |finding: &Finding| finding.rule == "record/unreadable";
            assert!(
                !report
                    .findings
                    .iter()
                    .any(is_unreadable)
            );
        }
    }
}

/// Artifacts of which one seems readable until it is read.
struct Exhausted<'a>(InMemory<'a>, Artifact);

impl Artifacts for Exhausted<'_> {
    fn entries(&self) -> Entries {
        self.0.entries()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        if artifact == self.1 {
            return Err(Unreadable::Lacking("out of memory".into()));
        }
        self.0.open(artifact)
    }

    fn probe(&self, artifact: Artifact) -> Result<(), Unreadable> {
        self.0.probe(artifact)
    }
}

#[test]
fn verdict_is_withheld_when_memory_ends_before_the_last_file() {
    let case = corpus().join("good/terminal");
    let episode = Gate::default()
        .discover(&[&case])
        .episodes
        .remove(0);
    let read = |artifact: Artifact| {
        let bytes = fs::read(episode.path.join(artifact.file_name()));
        (artifact, Content::Shared(bytes.unwrap_or_default().into()))
    };
    for (artifact, rule) in [
        (Artifact::Learn, "strict/learn"),
        (Artifact::Manifest, "manifest/digest"),
    ] {
        let files = InMemory::from_iter(Artifact::ALL.map(read));
        let files = Exhausted(files, artifact);
        for (level, fails) in [(Level::Warning, true), (Level::Off, false)] {
            let mut gate = Gate::default()
                .level(rule, level)
                .unwrap();
            let report = gate.artifacts(&episode.key(), None, &files);
            assert_eq!(report.fault().is_some(), fails, "{artifact} {level:?}");
            assert_eq!(report.valid, (!fails).then_some(true), "{artifact}");
        }
    }
}

#[test]
fn listed_artifact_is_there_but_can_not_be_read() {
    let artifacts = InMemory::from_iter([
        (Artifact::Events, Content::Bytes(b"")),
        (Artifact::State, Content::Listed),
        (Artifact::Learn, Content::Listed),
        (Artifact::Manifest, Content::Unreadable(Unreadable::Denied)),
    ]);
    let report = Gate::default().artifacts(&EpisodeKey::from("ep_1"), None, &artifacts);
    let unreadable = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "record/unreadable");
    let messages: Vec<&str> = unreadable
        .map(|finding| &*finding.message)
        .collect();
    assert_eq!(
        messages,
        [
            "manifest.json can't be read: reading it is not permitted",
            "state.json can't be read: only its name was given, not its content"
        ]
    );
    assert!(
        !report
            .findings
            .iter()
            .any(|finding| finding.rule == "lifecycle/learn-missing")
    );
}
