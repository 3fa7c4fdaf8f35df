//! Any changes of directories -> a watch reports what a check finds.

#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "the test lists directories of the corpus"
)]

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/it/support/random.rs"]
mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use self::random::config;
use super::{News, Watch};
use crate::gate::Gate;
use crate::ground::finding::EpisodeReport;
use crate::store::GivenPaths;

/// More than the time of any news: a test that would block forever fails instead.
const TOO_LONG: Duration = Duration::from_secs(60);

/// The number of times that something is done and then looked at.
const STEPS: usize = 24;

/// Returns the only run of a case of the corpus.
fn only_run(case: &str) -> PathBuf {
    let found = Gate::default().discover(&[Path::new("corpus").join(case)]);
    found.episodes[0]
        .path
        .canonicalize()
        .unwrap()
}

fn bad_run() -> PathBuf {
    Path::new("corpus/demo/episodes/ep_03_edited")
        .canonicalize()
        .unwrap()
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from)
        .unwrap()
        .map(Result::unwrap)
    {
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// An action at a path below the watched directory.
#[derive(Clone, Debug)]
enum Act {
    MakeDir(String),
    MakeRun(String, bool),
    Write(String, &'static str, &'static str),
    Remove(String),
    Rename(String, String),
    Link(String, &'static str),
    Allow(String, u32),
    /// Puts another directory above the watched one.
    TurnParent,
    /// Leads a link on the way to the watched directory elsewhere.
    TurnLink,
}

fn path() -> impl Strategy<Value = String> {
    let name = select(&["a", "b", "episodes", "state.json", ".git"]);
    let below = prop::collection::vec(name, 0..4).prop_map(|names| names.join("/"));
    let place = select(&["episodes", "episodes", "episodes", "x", "x/episodes"]);
    (place, below).prop_map(|(place, below)| format!("{place}/{below}"))
}

fn act() -> impl Strategy<Value = Act> {
    let artifact = select(&[
        "state.json",
        "events.jsonl",
        "summary.json",
        "learn.jsonl",
        "manifest.json",
        "state.json.gz",
        "notes.txt",
    ]);
    let text = select(&["{}", "", r#"{"episode_id":"a"}"#, r#"{"version":"1.0"}"#]);
    let target = select(&[
        "a",
        "..",
        "../b",
        "a/b",
        "nowhere",
        "/",
        "../../out",
        "/tmp/a",
    ]);
    prop_oneof![
        2 => path().prop_map(Act::MakeDir),
        3 => (path(), any::<bool>()).prop_map(|(path, is_good)| Act::MakeRun(path, is_good)),
        4 => (path(), artifact.clone(), text).prop_map(|(path, name, text)| Act::Write(path, name, text)),
        2 => (path(), artifact).prop_map(|(path, name)| Act::Remove(format!("{path}/{name}"))),
        2 => path().prop_map(Act::Remove),
        4 => (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        3 => (path(), target).prop_map(|(path, target)| Act::Link(path, target)),
        1 => (path(), select(&[0o0, 0o555, 0o444, 0o755])).prop_map(|(path, mode)| Act::Allow(path, mode)),
        1 => Just(Act::TurnParent),
        1 => Just(Act::TurnLink),
    ]
}

/// A directory whose path leads over a link: `link/top`, where the link leads to `one` or `two`,
/// each with a directory `top`, and the same elsewhere.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for parent in ["one", "two", "three"] {
            fs::create_dir_all(place.at(&format!("{parent}/top/episodes"))).unwrap();
            let run = format!("{parent}/top/episodes/{parent}");
            copy_dir(&only_run("good/terminal"), &place.at(&run));
        }
        symlink("one", place.at("link")).unwrap();
        place
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn top(&self) -> PathBuf {
        self.at("link/top")
    }

    /// Does what can be done.
    fn apply(&self, act: &Act) {
        let at = |path: &str| self.top().join(path);
        let exchange = |a: &str, b: &str| {
            renameat_with(CWD, self.at(a), CWD, self.at(b), RenameFlags::EXCHANGE).unwrap();
        };
        match act {
            Act::MakeDir(path) => drop(fs::create_dir_all(at(path))),
            Act::MakeRun(path, is_good) => {
                if fs::create_dir_all(at(path)).is_ok() {
                    let from = if *is_good {
                        only_run("good/terminal")
                    } else {
                        bad_run()
                    };
                    for file in fs::read_dir(from).unwrap() {
                        let file = file.unwrap();
                        let _ = fs::copy(file.path(), at(path).join(file.file_name()));
                    }
                }
            }
            Act::Write(path, name, text) => drop(fs::write(at(path).join(name), text)),
            Act::Remove(path) => {
                let path = at(path);
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            }
            Act::Rename(from, to) => drop(fs::rename(at(from), at(to))),
            Act::Link(path, target) => drop(symlink(target, at(path))),
            Act::Allow(path, mode) => {
                let _ = fs::set_permissions(at(path), fs::Permissions::from_mode(*mode));
            }
            Act::TurnParent => exchange("one", "two"),
            Act::TurnLink => {
                let other = self.at("other");
                let target = fs::read_link(self.at("link")).unwrap();
                let target = if target == Path::new("one") {
                    "three"
                } else {
                    "one"
                };
                symlink(target, &other).unwrap();
                fs::rename(other, self.at("link")).unwrap();
            }
        }
    }

    /// Moves a run in, last in order, so that its verdict comes after all that was done before.
    fn signal(&self, name: &str) -> PathBuf {
        let (from, to) = (self.at("new"), self.top().join(name));
        fs::create_dir_all(from.join("episodes/run")).unwrap();
        fs::write(from.join("episodes/run/events.jsonl"), "").unwrap();
        fs::rename(from, &to).unwrap();
        to.join("episodes/run")
    }
}

/// The known verdicts and findings of the runs, and the faults.
#[derive(Debug, Default, PartialEq)]
struct Known {
    runs: BTreeMap<String, (Option<bool>, Vec<String>)>,
    faults: BTreeSet<(String, String)>,
}

impl Known {
    fn judged(&mut self, episode: &EpisodeReport) {
        let findings = episode
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.rule, finding.fingerprint))
            .collect();
        let verdict = (episode.valid, findings);
        self.runs
            .insert(episode.dir.clone(), verdict);
    }

    fn take(&mut self, news: News) {
        match news {
            News::Judged(episode) => self.judged(&episode),
            News::Gone(path) => {
                let path = path.display().to_string();
                assert!(self.runs.remove(&path).is_some(), "{path} was not there");
            }
            News::Fault(fault) => {
                let path = fault.path().display().to_string();
                assert!(
                    self.faults
                        .insert((path, fault.to_string())),
                    "{fault} again"
                );
            }
            News::FaultGone(path) => {
                let path = path.display().to_string();
                self.faults
                    .retain(|(fault, _)| *fault != path);
            }
            _ => {}
        }
    }

    fn until(&mut self, news: &Receiver<News>, run: &Path) {
        let run = run.display().to_string();
        loop {
            let news = news
                .recv_timeout(TOO_LONG)
                .unwrap_or_else(|_| panic!("no {run}: {self:?}"));
            let is_last = matches!(&news, News::Judged(episode) if episode.dir == run);
            self.take(news);
            if is_last {
                return;
            }
        }
    }

    fn found(dir: &Path) -> Self {
        let mut known = Self::default();
        let report = Gate::default().run([dir]).unwrap();
        for episode in &report.episodes {
            known.judged(episode);
        }
        let faults = report
            .faults
            .into_iter()
            .map(|it| (it.path.clone(), format!("{}: {}", it.path, it.message)));
        known.faults = faults.collect();
        known
    }
}

/// Does one thing after the other to a watched directory. After each few, compares what the watch
/// reported with what a check finds.
fn watch_equals_check(watch: impl Fn(&Path) -> Watch, signals: usize) {
    let place = Place::new();
    let watch = watch(&place.top());
    let stop = watch.stop();
    let (send, news) = channel();
    let watching = thread::spawn(move || {
        watch.run(&mut Gate::default(), |news| {
            let _ = send.send(news);
            ControlFlow::Continue(())
        })
    });
    let mut runner = TestRunner::new(config(1));
    let acts = prop::collection::vec(act(), 1..8);
    let (mut known, mut done) = (Known::default(), Vec::new());
    loop {
        match news.recv_timeout(TOO_LONG).unwrap() {
            News::AllSeen => break,
            other => known.take(other),
        }
    }
    for step in 0..STEPS {
        let acts = acts
            .new_tree(&mut runner)
            .unwrap()
            .current();
        for act in &acts {
            place.apply(act);
        }
        done.push(acts);
        for signal in 0..signals {
            let run = place.signal(&format!("zz_{step:03}_{signal}"));
            known.until(&news, &run);
        }
        let found = Known::found(&place.top());
        assert_eq!(known, found, "after {done:?}");
    }
    stop();
    watching.join().unwrap().unwrap();
}

#[test]
fn watch_equals_check_after_any_change() {
    watch_equals_check(
        |top| Watch::new(top.to_owned(), GivenPaths::Each, None).unwrap(),
        1,
    );
}

#[test]
fn polling_watch_equals_check_after_any_change() {
    // A look that sees the first signal may have begun before it.
    let poll = |top: &Path| {
        let interval = Some(Duration::from_millis(50));
        Watch::new(top.to_owned(), GivenPaths::Each, interval).unwrap()
    };
    watch_equals_check(poll, 2);
}

#[test]
fn runs_are_counted_before_their_directories_are_watched() {
    let temp = tempfile::tempdir().unwrap();
    let run = |id: &str| {
        copy_dir(
            &only_run("good/terminal"),
            &temp.path().join("episodes").join(id),
        );
    };
    run("ep_a");
    let watch = Watch::new(temp.path().to_owned(), GivenPaths::Each, None).unwrap();
    let mut told = Vec::new();
    let ended = watch.run(&mut Gate::default(), |news| {
        match news {
            News::Found(found) => {
                if told.is_empty() {
                    // What comes now is seen when all directories are watched.
                    run("ep_b");
                }
                told.push(format!("found {}", found.runs));
            }
            News::Judged(_) => told.push("judged".to_owned()),
            News::AllSeen => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    ended.unwrap();
    assert_eq!(told, ["found 1", "found 2", "judged", "judged"]);
}
