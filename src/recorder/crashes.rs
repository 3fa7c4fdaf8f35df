//! Random sessions, cut off after every system call -> what the check says of what is left.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::*;
use crate::check::Check;
use crate::finding::{EpisodeReport, Severity};
use crate::read::policy::{Advice, Change, Scope, StepChange};
use crate::record::{Action, State, StepKind, StepStatus};
use crate::source::Artifact;
use crate::store::Appending;

/// One system call that writes.
#[derive(Clone, Debug)]
enum Call {
    MakeDir,
    Create(PathBuf),
    Append(PathBuf, Vec<u8>),
    Cut(PathBuf, u64),
    Sync,
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncDir,
}

/// How a system call fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Nothing is done.
    Nothing(i32),
    /// Half of the bytes are written, and the next call fails.
    Half(i32),
    /// The call is interrupted, or writes less than asked for: no error at all.
    Harmless,
}

#[derive(Default)]
struct Log {
    calls: Vec<Call>,
    /// The number of the call that fails, and how.
    fault: Option<(usize, Fault)>,
}

/// The file system, and a log of what was done to it.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Log>>);

impl Logged {
    /// Notes a call, and does it unless it is to fail.
    fn call<T>(&self, call: Call, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut log = self.0.lock().unwrap();
        let number = log.calls.len();
        match log.fault {
            Some((at, Fault::Nothing(error) | Fault::Half(error))) if at == number => {
                // A failed call is no call of the log.
                log.fault = None;
                return Err(io::Error::from_raw_os_error(error));
            }
            _ => {}
        }
        log.calls.push(call);
        drop(log);
        act()
    }

    fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().calls.clone()
    }
}

impl Disk for Logged {
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.call(Call::MakeDir, || FileSystem.make_dir(path))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Appending>> {
        let file = self.call(Call::Create(path.into()), || FileSystem.create(path))?;
        Ok(Box::new(LoggedFile(self.clone(), path.into(), file)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Appending>> {
        let file = FileSystem.open(path)?;
        Ok(Box::new(LoggedFile(self.clone(), path.into(), file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let call = Call::Rename(from.into(), to.into());
        self.call(call, || FileSystem.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call(Call::Remove(path.into()), || FileSystem.remove(path))
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        // What the disk keeps is simulated, so that nothing has to wait for a real one.
        self.call(Call::SyncDir, || Ok(()))
    }
}

struct LoggedFile(Logged, PathBuf, Box<dyn Appending>);

impl Appending for LoggedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let log = self.0.clone();
        let mut state = log.0.lock().unwrap();
        let half = bytes.len() / 2;
        if let Some((at, fault)) = state.fault
            && at == state.calls.len()
            && bytes.len() > 1
        {
            match fault {
                Fault::Half(error) => {
                    // The rest meets the error.
                    state.fault = Some((at + 1, Fault::Nothing(error)));
                    state
                        .calls
                        .push(Call::Append(self.1.clone(), bytes[..half].into()));
                    drop(state);
                    return self.2.append(&bytes[..half]);
                }
                Fault::Harmless => {
                    state.fault = None;
                    if half.is_multiple_of(2) {
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    state
                        .calls
                        .push(Call::Append(self.1.clone(), bytes[..half].into()));
                    drop(state);
                    return self.2.append(&bytes[..half]);
                }
                Fault::Nothing(_) => {}
            }
        }
        drop(state);
        let call = Call::Append(self.1.clone(), bytes.into());
        log.call(call, || self.2.append(bytes))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.call(Call::Sync, || Ok(()))
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        let log = self.0.clone();
        log.call(Call::Cut(self.1.clone(), length), || self.2.cut(length))
    }

    fn lock(&mut self) -> io::Result<bool> {
        self.2.lock()
    }
}

/// What a disk holds: the content of each file.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Does a call to what a disk holds.
fn apply(files: &mut Files, call: &Call) {
    match call {
        Call::Create(path) => {
            files.insert(path.clone(), Vec::new());
        }
        Call::Append(path, bytes) => files.entry(path.clone()).or_default().extend(bytes),
        Call::Cut(path, length) => {
            let length = usize::try_from(*length).unwrap();
            files.get_mut(path).unwrap().truncate(length);
        }
        Call::Rename(from, to) => {
            let content = files.remove(from).unwrap();
            files.insert(to.clone(), content);
        }
        Call::Remove(path) => {
            files.remove(path);
        }
        Call::MakeDir | Call::Sync | Call::SyncDir => {}
    }
}

/// A clock that goes on by a random time with each look, and back now and then.
struct Ticking(Random);

impl Clock for Ticking {
    fn now(&mut self) -> SystemTime {
        let step = self.0.below(5_000);
        self.0.time = if self.0.below(20) == 0 {
            self.0.time.saturating_sub(step)
        } else {
            self.0.time + step
        };
        UNIX_EPOCH + Duration::from_micros(1_772_366_400_000_000 + self.0.time)
    }

    fn random(&mut self) -> [u8; 10] {
        std::array::from_fn(|_| u8::try_from(self.0.below(256)).unwrap())
    }
}

/// Numbers that look random, the same for the same seed.
#[derive(Clone)]
struct Random {
    state: u64,
    time: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            time: 0,
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % end
    }
}

/// A policy whose advice depends on the state alone.
struct Whim(u64);

impl Policy for Whim {
    fn name(&self) -> &'static str {
        "whim"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn advise(&self, state: &State) -> Advice {
        let actions = state.outcomes.actions.as_ref().map_or(0, Vec::len) as u64;
        let steps = &state.plan.steps;
        let mut random = Random::new(self.0 + 31 * actions + 7 * steps.len() as u64);
        let pending = steps.iter().find(|step| step.status == StepStatus::Pending);
        let confidence = if random.below(3) == 0 { 0.2 } else { 0.9 };
        let change = |change| Advice::Intervention { change, confidence };
        match (random.below(12), pending) {
            (0, _) => Advice::hint("look twice"),
            (1, Some(step)) => change(Change::Skip {
                skip: step.id.clone(),
            }),
            (2, Some(step)) => change(Change::Edit {
                step: step.id.clone(),
                set: StepChange {
                    description: Some(format!("again, after {actions}")),
                    ..StepChange::default()
                },
            }),
            (3, _) if steps.len() < 6 => change(Change::Append {
                append: crate::record::Step {
                    id: format!("more-{}", steps.len()),
                    ..steps[0].clone()
                },
            }),
            (4, _) => change(Change::Other(Map::new())),
            (5, _) => Advice::veto("no"),
            (6, _) if random.below(6) == 0 => Advice::Veto {
                reason: "stop".into(),
                scope: Scope::Run,
            },
            (7, _) if random.below(6) == 0 => panic!("a policy fails"),
            _ => Advice::Nothing,
        }
    }
}

fn members(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else {
        panic!("{value} is an object");
    };
    members
}

/// Records a random run; stops at the first error.
fn session(recorder: &Recorder, random: &mut Random) -> Result<Option<Recorded>, Error> {
    let task = Task::new("a task")
        .seed(7)
        .tag("team", "x")
        .using("adapter:demo");
    let mut run = recorder.begin(task)?;
    let mut open = Vec::new();
    let mut plans = 0;
    for _ in 0..random.below(20) {
        match random.below(12) {
            0 | 1 if plans == 0 || open.is_empty() => {
                let count = random.below(4) + 1;
                let steps = (0..count)
                    .map(|step| StepDraft::new(format!("step-{step}"), StepKind::Act, "do it"));
                plans += 1;
                may_be_refused(run.plan(steps, "planner.demo"))?;
            }
            2..=4 => {
                if let Some(step) = run.pending().first() {
                    match run.open(step) {
                        Ok(Gate::Go(step)) => open.push(step),
                        Ok(Gate::Vetoed(_)) | Err(Error::Refused { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            5 | 6 => {
                if let Some(step) = open.last() {
                    let action = Action {
                        tool: Some("tool".into()),
                        extensions: [("x-attempt".to_owned(), json!(1))].into(),
                        ..Action::default()
                    };
                    may_be_refused(run.act(step, action))?;
                }
            }
            7 => {
                if let Some(step) = open.pop() {
                    let end = match random.below(3) {
                        0 => StepEnd::Done,
                        1 => StepEnd::Failed("broken".into()),
                        _ => StepEnd::Skipped("not needed".into()),
                    };
                    may_be_refused(run.close(step, end))?;
                }
            }
            8 => run.persist()?,
            9 => {
                run.believe("it works", 0.5, "act-1")?;
                run.remember("answer", 42, None)?;
                run.jot("a line")?;
            }
            10 => {
                run.reflect(Map::new())?;
                run.propose(members(json!({ "lesson": "x" })), random.below(2) == 0)?;
            }
            11 if open.is_empty() => {
                let paused = run.pause("a person looks")?;
                run = recorder.resume(&paused.id)?;
            }
            _ => {
                run.note("reason", members(json!({ "text": "äöü \u{1F600}" })))?;
            }
        }
    }
    let end = match random.below(6) {
        0 => return Ok(None),
        1 => End::error(json!({ "code": "timeout" })),
        2 => End::partial("half of it"),
        3 => End::vetoed("nobody wants it"),
        4 => End::aborted("ctrl-c"),
        _ => End::ok().artifact("report.md").metric("score", 0.75),
    };
    match run.finish(end) {
        Err(Error::Refused { .. }) => Ok(None),
        finished => finished.map(Some),
    }
}

fn may_be_refused<T>(done: Result<T, Error>) -> Result<(), Error> {
    match done {
        Err(error) if !matches!(error, Error::Refused { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// A recorder of a seed, and the log of its disk.
fn recorder(dir: &Path, seed: u64) -> (Recorder, Logged) {
    let disk = Logged::default();
    let recorder = Recorder::new(dir)
        .clock(Ticking(Random::new(seed)))
        .disk(Arc::new(disk.clone()));
    let recorder = if seed.is_multiple_of(3) {
        recorder
    } else {
        recorder.policy(Whim(seed))
    };
    (recorder, disk)
}

/// A directory in memory where the system has one: these tests write a great many small files.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = tempfile::tempdir_in(memory);
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

/// The artifacts among files of one episode.
fn artifacts(files: &Files) -> Vec<(Artifact, Vec<u8>)> {
    let artifacts = files.iter().filter_map(|(path, content)| {
        let name = path.file_name()?.to_str()?;
        Some((Artifact::from_file_name(name)?, content.clone()))
    });
    artifacts.collect()
}

/// What the check says of files of one episode; `None` where they are no episode.
fn check(files: &Files) -> Option<EpisodeReport> {
    let artifacts = artifacts(files);
    let records: Vec<(Artifact, &[u8])> = artifacts
        .iter()
        .map(|(artifact, content)| (*artifact, content.as_slice()))
        .collect();
    let is_episode = |artifact| records.iter().any(|(there, _)| *there == artifact);
    if !(is_episode(Artifact::Events) || is_episode(Artifact::State)) {
        return None;
    }
    let path = files.keys().next()?;
    let id = path.parent()?.file_name()?.to_str()?;
    Some(Check::new().records(id, &records))
}

fn errors(report: &EpisodeReport) -> Vec<String> {
    let errors = report.findings.iter();
    let errors = errors.filter(|finding| finding.severity == Severity::Error);
    errors.map(ToString::to_string).collect()
}

/// Lays files out, recovers the run, ends it, and returns what is wrong with what is then there.
fn recovered(files: &Files, from: &Path) -> Vec<String> {
    let dir = scratch();
    for (path, content) in files {
        let path = dir.path().join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let id = files.keys().next().unwrap().parent().unwrap();
    let id = id.file_name().unwrap().to_str().unwrap();
    let recorder = Recorder::new(dir.path())
        .durability(Durability::Process)
        .clock(Ticking(Random::new(1)));
    let ended = match recorder.recover(id) {
        // The crash came before the start event was whole: there is no run yet.
        Err(Error::Untrusted {
            report: None,
            reason,
            ..
        }) if reason.contains("`start`") => {
            return Vec::new();
        }
        Err(error) => return vec![format!("recover: {error}")],
        Ok(_) => recorder.abandon(id, "it crashed"),
    };
    match ended {
        Ok(_) | Err(Error::Ended { .. }) => {}
        Err(error) => return vec![format!("abandon: {error}")],
    }
    let report = Check::new().run([dir.path()]).unwrap();
    let findings = report.episodes.iter().flat_map(|episode| &episode.findings);
    findings.map(ToString::to_string).collect()
}

/// Every state of the disk between the calls, and with each append torn in two.
fn crash_points(calls: &[Call]) -> impl Iterator<Item = Files> {
    let mut files = Files::new();
    calls.iter().flat_map(move |call| {
        let mut points = Vec::new();
        if let Call::Append(path, bytes) = call {
            let mut torn = files.clone();
            let half = bytes[..bytes.len() / 2].to_vec();
            apply(&mut torn, &Call::Append(path.clone(), half));
            points.push(torn);
        }
        apply(&mut files, call);
        points.push(files.clone());
        points
    })
}

/// The number of sessions, which `make crash` raises.
fn sessions() -> u64 {
    let sessions = std::env::var("RUNVET_CRASH_SESSIONS").ok();
    sessions.map_or(200, |sessions| sessions.parse().unwrap())
}

#[test]
fn crash_leaves_no_error_and_can_be_recovered_from() {
    let (mut points, mut ended) = (0, 0);
    for seed in 0..sessions() {
        let dir = scratch();
        let (recorder, disk) = recorder(dir.path(), seed);
        let mut random = Random::new(seed + 1_000);
        let end = session(&recorder, &mut random).unwrap();
        ended += usize::from(end.is_some());
        let mut before = Vec::new();
        for (number, files) in crash_points(&disk.calls()).enumerate() {
            // Temporary files and syncs change nothing that the check looks at.
            let artifacts = artifacts(&files);
            let Some(report) = (artifacts != before).then(|| check(&files)).flatten() else {
                continue;
            };
            before = artifacts;
            points += 1;
            assert_eq!(errors(&report), [""; 0], "session {seed}, point {number}");
            // Recovering takes system calls of its own: one point in sixteen is enough, and over
            // many sessions all sorts of points are among them.
            if (seed + number as u64).is_multiple_of(16) {
                assert_eq!(
                    recovered(&files, dir.path()),
                    [""; 0],
                    "session {seed}, point {number}"
                );
            }
        }
    }
    assert!(
        points > 2_000 && ended > 50,
        "{points} points, {ended} ended"
    );
}

/// The files below a directory.
fn on_disk(dir: &Path) -> Files {
    let entries = walkdir::WalkDir::new(dir).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let read = |entry: walkdir::DirEntry| {
        let content = crate::store::read_whole(entry.path(), 1 << 30).unwrap();
        (entry.into_path(), content)
    };
    files.map(read).collect()
}

#[test]
fn each_call_fails_once_and_leaves_no_error() {
    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;
    let (mut failed, mut went_on) = (0, 0);
    for seed in [3, 5, 7] {
        let count = {
            let dir = scratch();
            let (recorder, disk) = recorder(dir.path(), seed);
            session(&recorder, &mut Random::new(seed + 1_000)).unwrap();
            disk.calls().len()
        };
        for at in 0..count {
            for fault in [Fault::Nothing(EIO), Fault::Half(ENOSPC), Fault::Harmless] {
                let dir = scratch();
                let (recorder, disk) = recorder(dir.path(), seed);
                disk.0.lock().unwrap().fault = Some((at, fault));
                let ended = session(&recorder, &mut Random::new(seed + 1_000));
                let files = on_disk(dir.path());
                let case = format!("session {seed}, call {at}, {fault:?}: {:?}", ended.err());
                if let Some(report) = check(&files) {
                    assert_eq!(errors(&report), [""; 0], "{case}");
                    assert_eq!(recovered(&files, dir.path()), [""; 0], "{case}");
                }
                failed += usize::from(!case.ends_with("None"));
                went_on += usize::from(case.ends_with("None"));
            }
        }
    }
    assert!(
        failed > 100 && went_on > 50,
        "{failed} failed, {went_on} went on"
    );
}

#[test]
fn run_is_poisoned_when_a_sync_fails() {
    let dir = scratch();
    let (recorder, disk) = recorder(dir.path(), 0);
    let mut run = recorder.begin(Task::new("a task")).unwrap();
    let calls = disk.calls().len();
    // The evidence is appended, and then synced.
    disk.0.lock().unwrap().fault = Some((calls + 1, Fault::Nothing(5)));
    assert!(matches!(
        run.persist(),
        Err(Error::Io {
            operation: "syncing",
            ..
        })
    ));
    let length = on_disk(dir.path()).values().map(Vec::len).sum::<usize>();
    assert!(matches!(
        run.note("reason", Map::new()),
        Err(Error::Poisoned { .. })
    ));
    assert!(matches!(run.persist(), Err(Error::Poisoned { .. })));
    assert_eq!(
        on_disk(dir.path()).values().map(Vec::len).sum::<usize>(),
        length
    );
}

#[test]
fn same_clock_writes_the_same_bytes() {
    for seed in 0..20 {
        let bytes = || {
            let dir = scratch();
            let (recorder, _) = recorder(dir.path(), seed);
            session(&recorder, &mut Random::new(seed + 1_000)).unwrap();
            let files = on_disk(dir.path()).into_iter();
            let files = files.map(|(path, content)| {
                (path.strip_prefix(dir.path()).unwrap().to_owned(), content)
            });
            files.collect::<Files>()
        };
        assert_eq!(bytes(), bytes(), "session {seed}");
    }
}

#[test]
fn ended_runs_pass_every_rule() {
    let mut ended = 0;
    let check = crate::check::all_rules().fold(Check::new(), |check, rule| {
        check.level(rule.id, crate::finding::Level::Error).unwrap()
    });
    for seed in 0..60 {
        let dir = scratch();
        let (recorder, _) = recorder(dir.path(), seed);
        if session(&recorder, &mut Random::new(seed + 1_000))
            .unwrap()
            .is_none()
        {
            continue;
        }
        ended += 1;
        let report = check.run([dir.path()]).unwrap();
        for episode in &report.episodes {
            let found: Vec<String> = episode.findings.iter().map(ToString::to_string).collect();
            assert_eq!(
                (found, &episode.skipped),
                (Vec::new(), &Vec::new()),
                "session {seed}"
            );
        }
    }
    assert!(ended > 20, "{ended} ended");
}

#[test]
fn refused_call_leaves_no_byte() {
    let dir = scratch();
    let (recorder, _) = recorder(dir.path(), 0);
    let mut run = recorder.begin(Task::new("a task")).unwrap();
    let step = || StepDraft::new("s", StepKind::Act, "do it");
    let _ = run.plan([step()], "planner.demo").unwrap();
    let Gate::Go(open) = run.open("s").unwrap() else {
        panic!("nothing vetoes it");
    };
    let before = on_disk(dir.path());
    let deep = (0..200).fold(json!(1), |value, _| json!([value]));
    let extension = Action {
        extensions: [("mine".to_owned(), json!(1))].into(),
        ..Action::default()
    };
    let refused = [
        run.note("act", Map::new()).err(),
        run.note("Act", Map::new()).err(),
        run.note("plann", Map::new()).err(),
        run.note("", Map::new()).err(),
        run.note("reason", members(json!({ "deep": deep }))).err(),
        run.note("reason", members(json!({ "long": "x".repeat(65 << 20) })))
            .err(),
        run.believe("x", 1.5, "y").err(),
        run.believe("x", f64::NAN, "y").err(),
        run.plan([step(), step()], "planner.demo").err(),
        run.plan([], "planner.demo").err(),
        run.open("s").err(),
        run.open("none").err(),
        run.act(&open, extension).err(),
        run.act(
            &open,
            Action {
                id: Some("a".into()),
                ..Action::default()
            },
        )
        .err(),
    ];
    for (number, error) in refused.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("call {number} is refused"));
        assert!(
            matches!(error.kind(), "refused" | "too_large"),
            "{number}: {error}"
        );
    }
    assert_eq!(on_disk(dir.path()), before);
    assert!(matches!(recorder.resume(run.id()), Err(Error::Busy { .. })));
    assert!(matches!(recorder.resume("../x"), Err(Error::Absent { .. })));
    drop(run);
}

#[test]
fn ended_run_is_never_added_to() {
    let dir = scratch();
    let (recorder, _) = recorder(dir.path(), 0);
    let run = recorder.begin(Task::new("a task")).unwrap();
    let id = run.id().to_owned();
    run.finish(End::ok()).unwrap();
    assert!(matches!(recorder.resume(&id), Err(Error::Ended { .. })));
    assert!(matches!(
        recorder.abandon(&id, "late"),
        Err(Error::Ended { .. })
    ));
    assert!(matches!(recorder.recover(&id), Ok(Recovered::Intact)));
}

#[test]
fn changed_run_is_not_gone_on_with() {
    let dir = scratch();
    let (recorder, _) = recorder(dir.path(), 0);
    let mut run = recorder.begin(Task::new("a task")).unwrap();
    run.note("observe", Map::new()).unwrap();
    let paused = run.pause("wait").unwrap();
    let events = paused.path.join("events.jsonl");
    let text = String::from_utf8(crate::store::read_whole(&events, 1 << 20).unwrap()).unwrap();
    std::fs::write(&events, text.replace("a task", "another")).unwrap();
    assert!(matches!(
        recorder.resume(&paused.id),
        Err(Error::Untrusted { .. })
    ));
}

#[test]
fn workspace_is_verified_before_and_after() {
    let dir = scratch();
    let workspace = dir.path().join("work");
    std::fs::create_dir_all(workspace.join(".git")).unwrap();
    std::fs::write(workspace.join("kept.txt"), "kept").unwrap();
    let recorder = Recorder::new(workspace.join("runs")).clock(Ticking(Random::new(1)));
    let begin = || {
        recorder.begin(
            Task::new("write a report")
                .workspace(&workspace)
                .verify(Assertion::file_exists("report.md"))
                .verify(Assertion::file_contains("report.md", "done")),
        )
    };
    let failed = begin().unwrap().finish(End::ok()).unwrap();
    assert_eq!(failed.summary.verification.passed, Some(false));
    assert_eq!(failed.summary.outcome.word(), "goal_not_achieved");
    let run = begin().unwrap();
    std::fs::write(workspace.join("report.md"), "it is done").unwrap();
    let passed = run.finish(End::ok()).unwrap();
    assert_eq!(passed.summary.outcome.word(), "success");
    let diff = passed.summary.verification.workspace_diff.unwrap();
    assert_eq!(diff.added, Some(vec!["report.md".into()]));
    let run = begin().unwrap();
    std::fs::remove_dir_all(workspace.join(".git")).unwrap();
    let gone = dir.path().join("gone");
    std::fs::rename(&workspace, &gone).unwrap();
    std::fs::create_dir_all(workspace.parent().unwrap()).unwrap();
    std::fs::rename(&gone, &workspace).unwrap();
    run.finish(End::ok()).unwrap();
    let report = Check::new().run([workspace.join("runs")]).unwrap();
    assert_eq!(report.totals.valid, 3);
}
