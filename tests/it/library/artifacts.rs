//! Episodes whose artifacts are stored elsewhere: they are judged like those on a disk.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;

use runvet::check::{Check, Level};
use runvet::finding::Finding;
use runvet::source::{Artifact, Entries, EntryKind, EpisodeKey};
use runvet::store::{Artifacts, Content, Memory, Opened, ReadAt, Unreadable, Version};

use crate::support::corpus::{expecting_cases, good_cases};

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
        let rest = self.0.get(usize::try_from(offset).unwrap()..);
        let count = buffer.len().min(7);
        io::Read::read(&mut rest.unwrap_or_default(), &mut buffer[..count])
    }
}

impl Artifacts for Bucket {
    fn entries(&self) -> Entries {
        let names = self.objects.keys();
        names.map(|artifact| (*artifact, EntryKind::File)).collect()
    }

    fn open(&self, artifact: Artifact) -> Result<Opened<'_>, Unreadable> {
        let object = self.objects.get(&artifact).ok_or(Unreadable::Vanished)?;
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
    let check = Check::new();
    let mut compared = 0;
    for case in [good_cases(), expecting_cases("bad")].concat() {
        for episode in check.discover(&[&case]).episodes {
            let dir = &episode.path;
            let is_plain = |artifact: &Artifact| {
                let file = dir.join(artifact.file_name());
                file.symlink_metadata().is_ok_and(|found| found.is_file())
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
            let expected = check.episode(&episode).unwrap();
            let id = episode.id.as_deref();
            let memory: Memory<'_> = objects
                .iter()
                .map(|(artifact, bytes)| (*artifact, Content::Bytes(bytes)))
                .collect();
            let key = episode.key();
            assert_eq!(check.artifacts(&key, id, &memory), expected);
            let bucket = Bucket::new(objects);
            assert_eq!(check.artifacts(&key, id, &bucket), expected);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} episodes were compared");
}

#[test]
fn findings_do_not_count_while_versions_change() {
    let key = EpisodeKey::from("s3://runs/ep_1");
    let mut bucket = Bucket::new(BTreeMap::from([(Artifact::State, b"{}".to_vec())]));
    let report = Check::new().artifacts(&key, None, &bucket);
    assert!(!report.findings.is_empty() && !report.kept_changing());
    let is_in_state = |finding: &Finding| finding.location.file == "s3://runs/ep_1/state.json";
    assert!(report.findings.iter().any(is_in_state));
    bucket.is_rewritten = true;
    let report = Check::new().artifacts(&key, None, &bucket);
    assert!(report.findings.is_empty() && report.kept_changing());
}

#[test]
fn verdict_is_withheld_when_the_machine_lacks_memory() {
    for artifact in [Artifact::State, Artifact::Summary, Artifact::Events] {
        let lacking = Content::Unreadable(Unreadable::Lacking("out of memory".into()));
        let artifacts = Memory::from_iter([(artifact, lacking)]);
        let key = EpisodeKey::from("s3://runs/ep_1");
        for level in [Level::Error, Level::Off] {
            let check = Check::new().level("record/unreadable", level).unwrap();
            let report = check.artifacts(&key, None, &artifacts);
            assert_eq!(report.valid, None, "{artifact}");
            let fault = report.fault().unwrap();
            assert_eq!(fault.path, "s3://runs/ep_1");
            assert_eq!(
                fault.message,
                "the machine lacked what it takes to read it, such as memory"
            );
            let is_unreadable = |finding: &Finding| finding.rule == "record/unreadable";
            assert!(!report.findings.iter().any(is_unreadable));
        }
    }
}

#[test]
fn listed_artifact_is_there_but_can_not_be_read() {
    let artifacts = Memory::from_iter([
        (Artifact::Events, Content::Bytes(b"")),
        (Artifact::State, Content::Listed),
        (Artifact::Learn, Content::Listed),
        (Artifact::Manifest, Content::Unreadable(Unreadable::Denied)),
    ]);
    let report = Check::new().artifacts(&EpisodeKey::from("ep_1"), None, &artifacts);
    let unreadable = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "record/unreadable");
    let messages: Vec<&str> = unreadable.map(|finding| &*finding.message).collect();
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
