//! Runs that are recorded, and a bare program that makes the same writes and syncs.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runvet::record::{Action, StepKind};
use runvet::recorder::{Durability, End, Error, Recorder, StepDecision, StepDraft, StepEnd, Task};
use serde_json::{Map, Value};

/// The first arguments of the instances that record notes and runs, and of the bare program.
pub(crate) const NOTES: &str = "record-notes";
pub(crate) const RUNS: &str = "record-runs";
pub(crate) const BARE: &str = "record-bare";

/// The files that a bare run is made of: those of a run that was recorded.
const TEMPLATE: &str = "template";

type Done = Result<(), Box<dyn std::error::Error>>;

/// What an instance does that has this first argument, in a directory, a number of times.
pub(crate) fn named(first: &OsStr) -> Option<fn(&Path, u64) -> Done> {
    match first.to_str()? {
        NOTES => Some(notes),
        RUNS => Some(runs),
        BARE => Some(bare),
        _ => None,
    }
}

fn payload(number: u64) -> Map<String, Value> {
    let text = "The ticket is about the printer on the second floor.";
    [("number", number.into()), ("text", text.into())]
        .map(|(name, value): (&str, Value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// Records one run with a number of notes at process durability.
fn notes(dir: &Path, count: u64) -> Done {
    let _ = fs::remove_dir_all(dir);
    let recorder = Recorder::new(dir).durability(Durability::Process);
    let mut run = recorder.begin(Task::new("Note what happens"))?;
    for number in 0..count {
        run.note("observe", payload(number))?;
    }
    run.finish(End::ok())?;
    let _ = fs::remove_dir_all(dir);
    Ok(())
}

/// Records a run of 20 events, and ends it.
fn run(recorder: &Recorder) -> Result<PathBuf, Error> {
    let mut run = recorder.begin(Task::new("Summarize the open tickets").seed(7))?;
    let ids = ["collect", "sort", "summarize"];
    let steps = ids.map(|id| StepDraft::new(id, StepKind::Act, "Do it"));
    let _ = run.plan(steps, "planner.minimal")?;
    for (number, id) in (0..).zip(ids) {
        run.note("reason", payload(number))?;
        if let StepDecision::Go(step) = run.open(id)? {
            run.act(&step, Action::new("adapter:core.minimal").status("ok"))?;
            run.close(step, StepEnd::Done)?;
        }
    }
    run.remember("tickets", 3, None)?;
    run.believe("Three tickets are open", 0.9, "act-1")?;
    run.reflect(payload(3))?;
    Ok(run.finish(End::ok())?.path)
}

/// Records runs at the default durability.
fn runs(dir: &Path, count: u64) -> Done {
    let _ = fs::remove_dir_all(dir.join("recorded"));
    let recorder = Recorder::new(dir.join("recorded"));
    for _ in 0..count {
        run(&recorder)?;
    }
    Ok(())
}

/// Records the run that the bare program copies.
pub(crate) fn template(dir: &Path) -> Result<(), Error> {
    let path = run(&Recorder::new(dir.join("made")))?;
    fs::rename(path, dir.join(TEMPLATE)).expect("the template can be moved");
    Ok(())
}

/// Makes the same writes and syncs as [`runs`], and nothing else.
fn bare(dir: &Path, count: u64) -> Done {
    let read = |name: &str| fs::read(dir.join(TEMPLATE).join(name));
    let events = read("events.jsonl")?;
    let lines: Vec<&[u8]> = events
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    let (state, summary, manifest) = (
        read("state.json")?,
        read("summary.json")?,
        read("manifest.json")?,
    );
    let is_evidence = |line: &[u8]| String::from_utf8_lossy(line).contains("run.state_projection");
    let episodes = dir.join("bare/episodes");
    let _ = fs::remove_dir_all(&episodes);
    fs::create_dir_all(&episodes)?;
    for number in 0..count {
        let episode = episodes.join(format!("ep_{number:026}"));
        fs::create_dir(&episode)?;
        sync(&episodes)?;
        let create = |name: &str| {
            let mut options = OpenOptions::new();
            options
                .append(true)
                .create_new(true)
                .open(episode.join(name))
        };
        let replace = |name: &str, content: &[u8]| {
            let beside = format!(".{name}.tmp");
            let mut file = create(&beside)?;
            file.write_all(content)?;
            file.sync_data()?;
            fs::rename(episode.join(&beside), episode.join(name))
        };
        let learn = create("learn.jsonl")?;
        let mut events = create("events.jsonl")?;
        for (at, line) in lines.iter().enumerate() {
            events.write_all(line)?;
            let is_last = at + 1 == lines.len();
            if at == 0 {
                events.sync_data()?;
                sync(&episode)?;
            } else if is_evidence(line) {
                events.sync_data()?;
                if !is_last {
                    replace("state.json", &state)?;
                    sync(&episode)?;
                }
            }
        }
        learn.sync_data()?;
        replace("summary.json", &summary)?;
        replace("manifest.json", &manifest)?;
        sync(&episode)?;
        replace("state.json", &state)?;
        sync(&episode)?;
    }
    Ok(())
}

fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}
