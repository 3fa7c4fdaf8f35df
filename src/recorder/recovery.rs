//! An episode that was left -> a run that goes on, or one that is complete.

use std::io::ErrorKind;
use std::path::Path;

use super::ending::{End, Recorded, learn_line};
use super::error::Error;
use super::event::{Draft, Event, MAX_LINE_BYTES, event_id, object};
use super::fold::{Fold, Unfoldable};
use super::run::text;
use super::timeline::{Held, Timeline};
use super::verification::Before;
use super::{Recorder, Run};
use crate::check::Check;
use crate::digest::FileDigest;
use crate::finding::Severity;
use crate::record::{Step, StepStatus};
use crate::store::{Appending, read_whole, whole_lines};

/// What [`Recorder::recover`] did.
#[derive(Debug)]
#[non_exhaustive]
pub enum Recovered {
    /// Nothing: the records were whole.
    Intact,
    /// It cut off an event that was not written whole.
    Cut {
        /// The length of what was cut off.
        bytes: u64,
    },
    /// The run had ended, and what was missing of its records is written.
    Completed(Box<Recorded>),
}

/// An episode that is locked, and read.
struct Left {
    run: Run,
    /// What stood after the last whole line: its length and its digest.
    cut: Option<(u64, String)>,
    /// Whether `state.json` is the terminal one.
    has_ended: bool,
}

impl Recorder {
    /// Goes on with a run that was paused, or whose process died. Its id and its `started_at` stay,
    /// and so does every event; steps that were running are pending again.
    ///
    /// # Errors
    /// [`Error::Absent`], [`Error::Busy`] while another process records it, [`Error::Ended`], and
    /// [`Error::Untrusted`] where its records contradict each other or were not written by a
    /// recorder. A run whose end was cut short is completed first, and is then an ended one.
    pub fn resume(&self, id: &str) -> Result<Run, Error> {
        let Left {
            mut run,
            cut,
            has_ended,
        } = self.left(id)?;
        let ended = |run: &Run| Error::Ended {
            id: id.into(),
            status: run.fold.state.outcomes.status.to_string(),
        };
        if has_ended {
            return Err(ended(&run));
        }
        if run.fold.terminated.is_some() {
            run.complete()?;
            return Err(ended(&run));
        }
        run.must_be_trusted()?;
        run.clear_away()?;
        let (bytes, digest) = cut.unzip();
        let payload = object([("cut_bytes", bytes.into()), ("cut_sha256", digest.into())]);
        run.write(Draft::runtime("run.resume", payload))?;
        if !run.fold.open.is_empty() {
            let steps = run.fold.state.plan.steps.iter().cloned();
            let steps: Vec<Step> = steps
                .map(|step| match step.status {
                    StepStatus::Running => Step {
                        status: StepStatus::Pending,
                        ..step
                    },
                    _ => step,
                })
                .collect();
            run.write_plan(&steps, "planner.resume")?;
        }
        Ok(run)
    }

    /// Makes the records of an episode whole after its process died: cuts off an event that was
    /// not written whole, and completes an end that was cut short. A run that has not ended stays
    /// pending.
    ///
    /// # Errors
    /// As for [`Recorder::resume`], but a run that has ended is no error.
    pub fn recover(&self, id: &str) -> Result<Recovered, Error> {
        let Left {
            mut run,
            cut,
            has_ended,
        } = self.left(id)?;
        if !has_ended && run.fold.terminated.is_some() {
            run.complete()?;
            return Ok(Recovered::Completed(Box::new(run.recorded())));
        }
        if !has_ended {
            run.must_be_trusted()?;
            run.clear_away()?;
        }
        Ok(match cut {
            Some((bytes, _)) => Recovered::Cut { bytes },
            None => Recovered::Intact,
        })
    }

    /// Ends a run whose process died, as `aborted`.
    ///
    /// # Errors
    /// As for [`Recorder::resume`].
    pub fn abandon(&self, id: &str, reason: &str) -> Result<Recorded, Error> {
        self.resume(id)?.finish(End::aborted(reason))
    }

    /// Locks and reads an episode.
    fn left(&self, id: &str) -> Result<Left, Error> {
        let dir = self.episode_dir(id);
        let is_name = Path::new(id).components().count() == 1 && !id.starts_with('.');
        let path = dir.join("events.jsonl");
        if !is_name || !path.is_file() {
            return Err(Error::Absent { id: id.into() });
        }
        let mut events = self.open_locked(&path, id)?;
        let persisted = match read_whole(&dir.join("state.json"), MAX_LINE_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            read => Some(read.map_err(io("reading", &dir.join("state.json")))?),
        };
        let digest = persisted
            .as_deref()
            .map(|state| FileDigest::of(state).to_string());
        let read = read_events(&path, id, digest.as_deref())?;
        let cut = cut_tail(events.as_mut(), &path, &read)?;
        let mut learn = self.open(&dir.join("learn.jsonl"))?;
        let learn_held = complete_learn(learn.as_mut(), &dir.join("learn.jsonl"), &read, id)?;
        let mut run = Run::new(
            self.clone(),
            dir.clone(),
            read.fold,
            Timeline::new(events, path, &read.held),
            Timeline::new(learn, dir.join("learn.jsonl"), &learn_held),
        );
        let snapshot = read_whole(&dir.join("snapshots/pre.json"), MAX_LINE_BYTES).ok();
        run.before = Before::read(run.fold.verify.as_ref(), snapshot.as_deref());
        run.has_state = persisted.is_some();
        let has_ended =
            run.fold.terminated.is_some() && persisted == Some(text(&run.fold.state, "the state")?);
        Ok(Left {
            run,
            cut,
            has_ended,
        })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Appending>, Error> {
        let opened = self.disk.open(path);
        opened.map_err(io("opening", path))
    }

    fn open_locked(&self, path: &Path, id: &str) -> Result<Box<dyn Appending>, Error> {
        let mut file = self.open(path)?;
        if file.lock().map_err(io("locking", path))? {
            Ok(file)
        } else {
            Err(Error::Busy { id: id.into() })
        }
    }
}

fn io<'p>(
    operation: &'static str,
    path: &'p Path,
) -> impl FnOnce(std::io::Error) -> Error + use<'p> {
    move |source| Error::Io {
        operation,
        path: path.to_owned(),
        source,
    }
}

/// What a timeline holds.
struct Read {
    fold: Fold,
    held: Held,
    /// What follows the last newline.
    tail: Vec<u8>,
    /// The lines that `learn.jsonl` must have.
    learn: Vec<u8>,
}

/// Reads the events, one of which must seal the state that is persisted, given as its digest.
fn read_events(path: &Path, id: &str, persisted: Option<&str>) -> Result<Read, Error> {
    let untrusted = |reason: String| Error::Untrusted {
        id: id.into(),
        reason,
        report: None,
    };
    let mut fold: Option<Fold> = None;
    let (mut held, mut learn) = (Held::default(), Vec::new());
    let mut wrong = None;
    let mut is_sealed_state = persisted.is_none();
    let mut number = 0;
    let mut take = |line: &[u8]| -> Result<(), String> {
        number += 1;
        let event: Event = serde_json::from_slice(line)
            .map_err(|error| format!("a line of events.jsonl is not one that it wrote: {error}"))?;
        if event.episode_id != id {
            return Err(format!("the event {} belongs to another run", event.id));
        }
        // What another writer recorded may say more than its events do, and would be lost.
        if event.id != event_id(number) {
            return Err(format!(
                "the event {} is not one that a recorder wrote",
                event.id
            ));
        }
        let told = |Unfoldable(why)| why;
        match &mut fold {
            None => fold = Some(Fold::start(&event).map_err(told)?),
            Some(fold) => {
                fold.add(&event).map_err(told)?;
                is_sealed(fold).map_err(|()| {
                    format!(
                        "the events up to {} do not lead to the state of its digest",
                        event.id
                    )
                })?;
            }
        }
        let sealed = fold.as_ref().and_then(|fold| fold.sealed_last.as_deref());
        is_sealed_state |= sealed.is_some() && sealed == persisted;
        if event.phase == "learn" && event.payload.contains_key("proposal") {
            learn.extend(learn_line(&event).map_err(|error| error.to_string())?);
        }
        Ok(())
    };
    let tail = whole_lines(path, MAX_LINE_BYTES, &mut |line| {
        held.add(line);
        wrong = wrong.take().or_else(|| take(line).err());
        wrong.is_none()
    })
    .map_err(io("reading", path))?;
    if let Some(reason) = wrong {
        return Err(untrusted(reason));
    }
    if !is_sealed_state {
        return Err(untrusted("no event is the evidence of state.json".into()));
    }
    let fold = fold.ok_or_else(|| untrusted("events.jsonl has no `start` event".into()))?;
    Ok(Read {
        fold,
        held,
        tail,
        learn,
    })
}

/// Checks the digest of the state, if the last event has one.
fn is_sealed(fold: &Fold) -> Result<(), ()> {
    let Some(sealed) = &fold.sealed_last else {
        return Ok(());
    };
    let state = text(&fold.state, "the state").map_err(drop)?;
    (FileDigest::of(&state).to_string() == *sealed)
        .then_some(())
        .ok_or(())
}

/// Cuts off what follows the last newline.
fn cut_tail(
    events: &mut dyn Appending,
    path: &Path,
    read: &Read,
) -> Result<Option<(u64, String)>, Error> {
    if read.tail.is_empty() {
        return Ok(None);
    }
    events.cut(read.held.length).map_err(io("cutting", path))?;
    Ok(Some((
        read.tail.len() as u64,
        FileDigest::of(&read.tail).to_string(),
    )))
}

/// Writes the lines of `learn.jsonl` that its events have and the file lacks.
fn complete_learn(
    learn: &mut dyn Appending,
    path: &Path,
    read: &Read,
    id: &str,
) -> Result<Held, Error> {
    let there = read_whole(path, read.learn.len() + MAX_LINE_BYTES).map_err(io("reading", path))?;
    let Some(missing) = read.learn.strip_prefix(&*there) else {
        return Err(Error::Untrusted {
            id: id.into(),
            reason: "learn.jsonl does not repeat the proposals of events.jsonl".into(),
            report: None,
        });
    };
    crate::store::append_all(learn, missing).map_err(io("writing", path))?;
    let mut held = Held::default();
    held.add(&read.learn);
    Ok(held)
}

impl Run {
    /// Refuses to go on where the check finds an error.
    fn must_be_trusted(&self) -> Result<(), Error> {
        let untrusted = |reason: String, report| Error::Untrusted {
            id: self.id().into(),
            reason,
            report,
        };
        let mut report = Check::new()
            .run([&self.dir])
            .map_err(|error| untrusted(error.to_string(), None))?;
        let Some(report) = report.episodes.pop() else {
            return Err(untrusted("it is no episode".into(), None));
        };
        let mut findings = report.findings.iter();
        let error = findings.find(|finding| finding.severity == Severity::Error);
        match error.map(|error| error.message.clone()) {
            None => Ok(()),
            Some(reason) => Err(untrusted(reason, Some(Box::new(report)))),
        }
    }

    /// Removes what an end that was cut short, or a replacement, left.
    fn clear_away(&mut self) -> Result<(), Error> {
        let left = [
            ".manifest.json.tmp",
            ".state.json.tmp",
            ".summary.json.tmp",
            "manifest.json",
            "summary.json",
        ];
        for name in left {
            let path = self.dir.join(name);
            match self.recorder.disk.remove(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(io("removing", &path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
