//! Runs that were sealed: each random alteration is found, and no move or copy is called one.
//!
//! `RUNVET_SEALED=10000` sets the number of alterations, of which a tenth is that of the moves. All
//! are derived from the seeds here.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use runvet::finding::EpisodeReport;
use runvet::gate::{Exit, Gate};
use runvet::proof::{Seal, Verification, seal};
use tempfile::TempDir;

use crate::support::corpus::corpus;
use crate::support::random::config;
use crate::support::skip::skip;

/// Seeds: any other finds the same.
const ALTERATIONS: u64 = 20_261_129;
const MOVES: u64 = 20_261_130;

fn cases(share: u32) -> u32 {
    let all = std::env::var("RUNVET_SEALED").map_or(400, |number| number.parse().unwrap());
    all / share
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq)]
enum Entry {
    File(Vec<u8>),
    Link(PathBuf),
}

/// Run data as it is on the disk, by paths.
type Tree = BTreeMap<PathBuf, Entry>;

fn put(at: &Path, entry: &Entry) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    match entry {
        Entry::File(bytes) => fs::write(at, bytes).unwrap(),
        Entry::Link(target) => symlink(target, at).unwrap(),
    }
}

/// Makes one tree of another on the disk.
fn change(dir: &Path, from: &Tree, to: &Tree) {
    for (path, entry) in from {
        if to.get(path) != Some(entry) {
            fs::remove_file(dir.join(path)).unwrap();
            // An empty directory is nothing, but a file may be put into its place.
            let mut above = path.parent();
            while let Some(empty) = above.filter(|it| fs::remove_dir(dir.join(it)).is_ok()) {
                above = empty.parent();
            }
        }
    }
    for (path, entry) in to {
        if from.get(path) != Some(entry) {
            put(&dir.join(path), entry);
        }
    }
}

/// Five runs that have ended, in groups, with files of their own.
fn runs() -> Tree {
    let mut tree = Tree::new();
    let of = corpus().join("good/terminal/episodes/ep_answer");
    for (index, run) in ["ep_1", "ep_2", "a/ep_3", "a/ep_4", "b/c/ep_5"]
        .iter()
        .enumerate()
    {
        let dir = Path::new("episodes").join(run);
        for entry in fs::read_dir(&of).unwrap() {
            let (path, mut bytes) = {
                let path = entry.unwrap().path();
                (path.clone(), fs::read(path).unwrap())
            };
            let name = path.file_name().unwrap();
            if name == "learn.jsonl" {
                bytes.extend(format!("{{\"run\": {index}}}\n").bytes());
            }
            tree.insert(dir.join(name), Entry::File(bytes));
        }
        let note = format!("note {index}").into_bytes();
        tree.insert(dir.join("files/notes.txt"), Entry::File(note));
        tree.insert(dir.join("files/empty"), Entry::File(Vec::new()));
    }
    let link = PathBuf::from("notes.txt");
    tree.insert("episodes/ep_1/files/latest".into(), Entry::Link(link));
    tree
}

fn sealed(tree: &Tree) -> (TempDir, Seal) {
    let dir = tempfile::tempdir().unwrap();
    change(dir.path(), &Tree::new(), tree);
    // Not to wait until the files have settled is what `validate` would do five times.
    let (gate, to) = (Gate::default(), dir.path().join("seal.json"));
    let paths = [dir.path().to_owned()];
    seal(&gate, gate.deny(), &paths, &to, None).unwrap();
    let read = Seal::read(&to).unwrap();
    fs::remove_file(to).unwrap();
    (dir, read)
}

fn verified(seal: &Seal, path: &Path) -> Verification {
    let jobs = std::num::NonZeroUsize::MIN;
    let gate = Gate::default().jobs(jobs);
    seal.verify(&[path.to_owned()], &gate, false)
        .unwrap()
}

/// The directory of the run that a path is in.
fn run_of(path: &Path) -> PathBuf {
    let mut dirs = path.ancestors();
    let is_run = |dir: &&Path| {
        dir.file_name()
            .is_some_and(|it| it.to_string_lossy().starts_with("ep_"))
    };
    dirs.find(is_run).unwrap().to_owned()
}

/// Applies one alteration to a tree; it may be one that leaves all as it is.
fn alter(tree: &mut Tree, what: u8, [at, other, byte]: [usize; 3]) {
    let paths: Vec<PathBuf> = tree.keys().cloned().collect();
    let (path, second) = (&paths[at % paths.len()], &paths[other % paths.len()]);
    let bytes = match &tree[path] {
        Entry::File(bytes) => bytes.clone(),
        Entry::Link(_) => Vec::new(),
    };
    let (run, second_run) = (run_of(path), run_of(second));
    let moved = |tree: &mut Tree, from: &Path, to: &Path| {
        let of_run: Vec<PathBuf> = tree
            .keys()
            .filter(|it| it.starts_with(from))
            .cloned()
            .collect();
        let taken = of_run.iter().map(|it| {
            (
                to.join(it.strip_prefix(from).unwrap()),
                tree.remove(it).unwrap(),
            )
        });
        taken.collect::<Vec<_>>()
    };
    match what {
        0 => {
            let mut flipped = bytes;
            if !flipped.is_empty() {
                let at = byte % flipped.len();
                flipped[at] ^= 1 << (other % 8);
                tree.insert(path.clone(), Entry::File(flipped));
            }
        }
        1 => {
            let cut = bytes[..byte % (bytes.len() + 1)].to_vec();
            tree.insert(path.clone(), Entry::File(cut));
        }
        2 => {
            let appended = [bytes, vec![b'\n'; 1 + byte % 3]].concat();
            tree.insert(path.clone(), Entry::File(appended));
        }
        3 => drop(tree.remove(path)),
        4 => drop(tree.insert(run.join(format!("added{}", byte % 5)), Entry::File(bytes))),
        5 => {
            let (a, b) = (tree[path].clone(), tree[second].clone());
            tree.insert(path.clone(), b);
            tree.insert(second.clone(), a);
        }
        // Two episodes change places.
        6 => {
            let one = moved(tree, &run, &second_run);
            let two = moved(tree, &second_run, &run);
            tree.extend(one.into_iter().chain(two));
        }
        7 => drop(moved(tree, &run, &run)),
        8 => {
            let copy = moved(tree, &run, &run);
            let to = PathBuf::from(format!("episodes/ep_new{}", byte % 3));
            let others = copy
                .iter()
                .map(|(at, entry)| (to.join(at.strip_prefix(&run).unwrap()), entry.clone()));
            tree.extend(others.collect::<Vec<_>>());
            tree.extend(copy);
        }
        9 => {
            let to = run.with_file_name(format!("ep_renamed{}", byte % 3));
            let renamed = moved(tree, &run, &to);
            tree.extend(renamed);
        }
        // A line of one timeline moves into another one.
        10 => {
            let (from, to) = (run.join("events.jsonl"), second_run.join("events.jsonl"));
            if let (Some(Entry::File(lines)), true) =
                (tree.get(&from).cloned(), tree.contains_key(&to))
            {
                let mut lines: Vec<Vec<u8>> = lines
                    .split_inclusive(|it| *it == b'\n')
                    .map(<[u8]>::to_vec)
                    .collect();
                let line = lines.remove(byte % lines.len());
                tree.insert(from, Entry::File(lines.concat()));
                if let Some(Entry::File(into)) = tree.get_mut(&to) {
                    into.extend(line);
                }
            }
        }
        _ => drop(tree.insert(path.clone(), Entry::Link("notes.txt".into()))),
    }
}

#[test]
fn every_random_alteration_of_sealed_runs_is_found() {
    let tree = runs();
    let (dir, seal) = sealed(&tree);
    assert_eq!(verified(&seal, dir.path()).changed, 0);
    let mut settings = config(cases(1));
    settings.rng_seed = RngSeed::Fixed(ALTERATIONS);
    let altered = std::cell::Cell::new(0);
    let places = [any::<usize>(), any::<usize>(), any::<usize>()];
    TestRunner::new(settings)
        .run(
            &(proptest::collection::vec((0_u8..12, places), 1..3)),
            |steps| {
                let mut after = tree.clone();
                for (what, places) in steps {
                    if !after.is_empty() {
                        alter(&mut after, what, places);
                    }
                }
                change(dir.path(), &tree, &after);
                let verification = verified(&seal, dir.path());
                change(dir.path(), &after, &tree);
                let is_found = verification.changed > 0;
                prop_assert_eq!(is_found, after != tree, "{:?}", verification);
                altered.set(altered.get() + u32::from(is_found));
                Ok(())
            },
        )
        .unwrap();
    assert!(altered.get() > cases(1) * 8 / 10, "{altered:?}");
}

#[test]
fn no_move_or_copy_of_sealed_runs_is_called_an_alteration() {
    let tree = runs();
    let (_dir, seal) = sealed(&tree);
    let mut settings = config(cases(10));
    settings.rng_seed = RngSeed::Fixed(MOVES);
    let elsewhere = tempfile::tempdir().unwrap();
    let names = proptest::collection::vec("[a-zA-Z0-9 ._-]{1,12}", 1..4);
    TestRunner::new(settings)
        .run(&(names, 0_usize..9), |(names, from)| {
            let mut dir = elsewhere.path().to_owned();
            dir.extend(
                names
                    .iter()
                    .map(|name| format!("d{name}")),
            );
            change(&dir, &Tree::new(), &tree);
            let at = [
                ".",
                "episodes",
                "episodes/",
                "episodes/a",
                "episodes/a/ep_3",
                "episodes/../episodes/ep_1",
                "episodes/b/c/ep_5/state.json",
                "./",
                "..",
            ];
            let verification = verified(&seal, &dir.join(at[from]));
            change(&dir, &tree, &Tree::new());
            prop_assert_eq!(verification.changed, 0, "{} {:?}", at[from], verification);
            prop_assert!(verification.runs > 0 && verification.runs == verification.unchanged);
            prop_assert_eq!(verification.runs + verification.not_looked_at, 5);
            Ok(())
        })
        .unwrap();
}

#[test]
fn run_is_sealed_only_if_a_check_finds_the_same_as_before() {
    let dir = tempfile::tempdir().unwrap();
    change(dir.path(), &Tree::new(), &runs());
    let (paths, to) = ([dir.path().to_owned()], dir.path().join("seal.json"));
    let mut gate = Gate::default();
    let mut reports: Vec<Arc<EpisodeReport>> = Vec::new();
    let found = gate.discover(&paths);
    gate.each(found, |report| {
        reports.push(Arc::new(report.unwrap()));
        std::ops::ControlFlow::Continue(())
    });
    let sealed = |before: &[Arc<EpisodeReport>]| {
        let sealed = seal(&gate, gate.deny(), &paths, &to, Some(before));
        sealed.map_err(|error| error.to_string())
    };
    sealed(&reports).unwrap();
    let other = "the check finds something else than before";
    fs::remove_file(&to).unwrap();
    assert_eq!(sealed(&reports[1..]).unwrap_err(), other);
    let more = [&reports[..], &reports[..1]].concat();
    assert_eq!(sealed(&more).unwrap_err(), other);
    let state = dir
        .path()
        .join("episodes/ep_1/state.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("tickets", "letters")).unwrap();
    assert_eq!(sealed(&reports).unwrap_err(), other);
    assert!(!to.exists());
}

#[test]
fn signature_of_a_seal_is_that_of_a_file() {
    let keygen = |args: &[&str], dir: &Path| {
        let mut command = Command::new("ssh-keygen");
        command
            .args(args)
            .current_dir(dir)
            .output()
    };
    let (dir, to) = (tempfile::tempdir().unwrap(), "seal.json");
    let at = dir.path();
    let new = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", "key"];
    if !keygen(&new, at).is_ok_and(|it| it.status.success()) {
        return skip("there is no ssh-keygen");
    }
    let runs = [corpus().join("good/terminal")];
    let gate = Gate::default();
    seal(&gate, gate.deny(), &runs, &at.join(to), None).unwrap();
    let signed = keygen(&["-Y", "sign", "-n", "file", "-f", "key", to], at).unwrap();
    assert!(signed.status.success(), "{signed:?}");
    let key = fs::read_to_string(at.join("key.pub")).unwrap();
    fs::write(at.join("signers"), format!("gate {key}")).unwrap();
    let is_signed = || {
        let mut verify = Command::new("ssh-keygen");
        verify.args(["-Y", "verify", "-f", "signers", "-I", "gate", "-n", "file"]);
        verify
            .args(["-s", "seal.json.sig"])
            .current_dir(at);
        verify.stdin(fs::File::open(at.join(to)).unwrap());
        verify
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(is_signed());
    let verified = Seal::read(&at.join(to)).unwrap();
    let verified = verified
        .verify(&runs, &gate, false)
        .unwrap();
    assert_eq!(verified.exit(true), Exit::Success);

    // A seal that was altered may still be one, and has no signature.
    let text = fs::read_to_string(at.join(to)).unwrap();
    fs::write(at.join(to), text.replace("PASSED", "WARNED")).unwrap();
    assert!(Seal::read(&at.join(to)).is_ok() && !is_signed());
}
