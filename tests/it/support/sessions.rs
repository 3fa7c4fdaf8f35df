//! Random runs of an agent, the same for the same seed.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use runvet::read::policy::{Advice, Change, Policy, Scope, StepChange};
use runvet::record::{Action, State, Step, StepKind, StepStatus};
use runvet::recorder::{
    Assertion, Clock, Durability, End, Error, Recorded, Recorder, Run, StepDecision, StepDraft,
    StepEnd, Task,
};
use serde_json::{Map, Value, json};

/// Numbers that look random.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A clock that goes on by a random time with each look, and back now and then.
pub(crate) struct Ticking {
    random: Random,
    micros: u64,
}

impl Ticking {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            micros: 1_772_366_400_000_000,
        }
    }
}

impl Clock for Ticking {
    fn now(&mut self) -> SystemTime {
        let step = self.random.below(5_000);
        self.micros = match self.random.below(20) {
            0 => self.micros - step,
            _ => self.micros + step,
        };
        UNIX_EPOCH + Duration::from_micros(self.micros)
    }

    fn random(&mut self) -> [u8; 10] {
        std::array::from_fn(|_| u8::try_from(self.random.below(256)).unwrap())
    }
}

/// A policy whose advice depends on the state alone.
pub(crate) struct Whim(pub(crate) u64);

impl Policy for Whim {
    fn name(&self) -> &'static str {
        "whim"
    }

    fn version(&self) -> &'static str {
        "1.0.0"
    }

    fn advise(&self, state: &State) -> Advice {
        let actions = state
            .outcomes
            .actions
            .as_ref()
            .map_or(0, Vec::len) as u64;
        let steps = &state.plan.steps;
        let mut random = Random::new(self.0 + 31 * actions + 7 * steps.len() as u64);
        let pending = steps
            .iter()
            .find(|step| step.status == StepStatus::Pending);
        let confidence = if random.below(3) == 0 { 0.2 } else { 0.9 };
        let change = |change| Advice::Intervention { change, confidence };
        match (random.below(14), pending) {
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
                append: Step::new(format!("more-{}", steps.len()), steps[0].kind, "one more"),
            }),
            (4, _) => change(Change::Other(Map::new())),
            (5, _) => Advice::veto("no"),
            (6, _) if random.below(6) == 0 => Advice::Veto {
                reason: "stop".into(),
                scope: Scope::Run,
            },
            (7, _) if random.below(6) == 0 => std::panic::resume_unwind(Box::new("a policy fails")),
            _ => Advice::Nothing,
        }
    }
}

pub(crate) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is an object"),
    }
}

/// A recorder below a directory: its clock, its policies and its durability depend on the seed.
pub(crate) fn recorder(dir: &Path, seed: u64) -> Recorder {
    let durability = match seed % 5 {
        0 => Durability::Process,
        1 => Durability::Event,
        _ => Durability::Snapshot,
    };
    let recorder = Recorder::new(dir).clock(Ticking::new(seed));
    let recorder = recorder.durability(durability);
    if seed.is_multiple_of(3) {
        recorder
    } else {
        recorder.policy(Whim(seed))
    }
}

/// When a session pauses and resumes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pauses {
    Never,
    Sometimes,
    /// After each call that leaves no step open.
    Always,
}

/// A random run. Its workspace, if it has one, lies beside the run-data directory.
pub(crate) struct Session<'s> {
    pub(crate) recorder: &'s Recorder,
    pub(crate) seed: u64,
    pub(crate) workspace: Option<&'s Path>,
    pub(crate) pauses: Pauses,
    /// The length of the longest payload, about.
    pub(crate) bytes: u64,
}

impl<'s> Session<'s> {
    pub(crate) fn new(recorder: &'s Recorder, seed: u64) -> Self {
        Self {
            recorder,
            seed,
            workspace: None,
            pauses: Pauses::Sometimes,
            bytes: 40,
        }
    }

    fn task(&self) -> Task {
        let task = Task::new("a task")
            .seed(self.seed)
            .tag("team", "x");
        let task = task.using("adapter:demo").kind("demo");
        match self.workspace {
            None => task,
            Some(workspace) => task
                .workspace(workspace)
                .verify(Assertion::file_exists("made.txt"))
                .verify(Assertion::file_contains("made.txt", "2")),
        }
    }

    /// Records it; stops at the first error, and returns nothing where the run stays pending.
    pub(crate) fn record(&self) -> Result<Option<Recorded>, Error> {
        let mut random = Random::new(self.seed + 1_000);
        let mut run = self.recorder.begin(self.task())?;
        let mut open = Vec::new();
        for call in 0..random.below(20) {
            let number = random.below(12);
            self.call(&mut run, &mut open, &mut random, number)?;
            if let (Some(workspace), 5) = (self.workspace, number) {
                std::fs::write(workspace.join("made.txt"), call.to_string()).unwrap();
            }
            let is_due = match self.pauses {
                Pauses::Never => false,
                Pauses::Sometimes => number == 11,
                Pauses::Always => true,
            };
            if is_due && open.is_empty() {
                let paused = run.pause("a person looks")?;
                run = self.recorder.resume(&paused.id)?;
            }
        }
        let end = match random.below(8) {
            0 => return Ok(None),
            1 => End::error(json!({ "code": "timeout" })),
            2 => End::partial("half of it"),
            3 => End::vetoed("nobody wants it"),
            4 => End::aborted("ctrl-c"),
            _ => End::ok()
                .artifact("report.md")
                .metric("score", 0.75),
        };
        match run.finish(end) {
            Err(Error::Refused { .. }) => Ok(None),
            finished => finished.map(Some),
        }
    }

    fn length(&self, random: &mut Random) -> usize {
        usize::try_from(random.below(self.bytes)).unwrap()
    }

    fn call(
        &self,
        run: &mut Run,
        open: &mut Vec<runvet::recorder::OpenStep>,
        random: &mut Random,
        number: u64,
    ) -> Result<(), Error> {
        match number {
            0 | 1 => {
                let count = random.below(4) + 1;
                let steps = (0..count)
                    .map(|step| StepDraft::new(format!("step-{step}"), StepKind::Act, "do it"));
                may_be_refused(run.plan(steps, "planner.demo"))
            }
            2..=4 => {
                if let Some(step) = run.pending().first()
                    && let Some(StepDecision::Go(step)) = unless_refused(run.open(step))?
                {
                    open.push(step);
                }
                Ok(())
            }
            5 | 6 => {
                let Some(step) = open.last() else {
                    return Ok(());
                };
                let score = f64::from(u32::try_from(random.below(1_000)).unwrap()) / 7.0;
                let mut action = Action::new("tool").output("x".repeat(self.length(random)));
                action
                    .extensions
                    .insert("x-score".into(), score.into());
                may_be_refused(run.act(step, action))
            }
            7 => {
                let Some(step) = open.pop() else {
                    return Ok(());
                };
                let end = match random.below(4) {
                    0 => StepEnd::Done,
                    1 => StepEnd::DoneWith(members(json!({ "made": [1, 2.5] }))),
                    2 => StepEnd::Failed("broken".into()),
                    _ => StepEnd::Skipped("not needed".into()),
                };
                may_be_refused(run.close(step, end))
            }
            8 => run.persist(),
            9 => {
                run.believe("it works", 0.5, "act-1")?;
                run.remember("answer", 42, None)?;
                run.attach(&[u8::try_from(random.below(4)).unwrap()], "bin")?;
                run.jot("a line").map(drop)
            }
            10 => {
                run.reflect(Map::new())?;
                let proposal = members(json!({ "lesson": "x" }));
                run.propose(proposal, random.below(2) == 0)
                    .map(drop)
            }
            _ => {
                let text = "äöü \u{1F600}\n".repeat(self.length(random) / 8);
                let payload = members(json!({ "text": text }));
                run.note("reason", payload).map(drop)
            }
        }
    }
}

fn may_be_refused<T>(done: Result<T, Error>) -> Result<(), Error> {
    unless_refused(done).map(drop)
}

fn unless_refused<T>(done: Result<T, Error>) -> Result<Option<T>, Error> {
    match done {
        Err(Error::Refused { .. }) => Ok(None),
        done => done.map(Some),
    }
}

/// The number of sessions that are cut off at every point; `make crash` raises it.
pub(crate) fn crash_sessions() -> u64 {
    let sessions = std::env::var("RUNVET_CRASH_SESSIONS").ok();
    sessions.map_or(200, |sessions| sessions.parse().unwrap())
}

/// A line on standard error, which the test harness does not capture.
pub(crate) fn say(line: &str) {
    std::io::stderr()
        .write_all(format!("{line}\n").as_bytes())
        .unwrap();
}
