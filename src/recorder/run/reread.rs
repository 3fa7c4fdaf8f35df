//! `events.jsonl` and `learn.jsonl` as an earlier process left them -> what they lead to.

use std::io::{self, Read};

use serde::Deserialize;

use super::super::error::Error;
use super::super::event::{PREFIX, RunEvent, event_id, learn_line};
use super::super::fold::RunFold;
use super::super::size::value;
use super::super::timeline::{Held, TimelineFile};
use crate::ground::digest::FileDigest;
use crate::ground::document::Tape;
use crate::ground::printable::quote;
use crate::ground::source::Artifact;
use crate::store::{MAX_RECORD_BYTES, OpenDir, OpenEpisode, Opened, Unreadable, whole_lines};

/// The files of lines of an episode, as far as they are read.
#[derive(Default)]
pub(super) struct Reread {
    /// The digest of `state.json`, where it can be read.
    pub(super) persisted: Option<String>,
    /// `true` if a line is the evidence of the persisted state.
    is_sealed: bool,
    /// The number of the last evidence of a state. Its digest covers all that led to that state, so
    /// that no other has to be compared.
    sealed: u64,
    /// The first line with a hole, which is where the timeline ends. A hole before the evidence of
    /// the persisted state is none that a failure of power left: that evidence was synced.
    hole: Option<u64>,
    fold: Option<RunFold>,
    pub(super) events: Held,
    /// The bytes after the last event that is whole.
    pub(super) tail: Held,
    pub(super) learn: Learn,
    tape: Tape,
}

const NO_START: &str = "events.jsonl has no `start` event: the run never began, and its directory \
                        can be deleted";
const DAMAGED_START: &str = "line 1 of events.jsonl, the `start` event, is damaged, and nothing \
                             else says what it said: keep the files of the run, and put that line \
                             back from a copy";

/// Reads the timelines of an episode; that of its events is open.
pub(super) fn reread(
    dir: &OpenDir,
    events: &TimelineFile,
    id: &str,
) -> Result<(RunFold, Reread), Error> {
    let path = events.path();
    let reading = || Error::io("reading", &path);
    let directory = dir.episode().map_err(reading())?;
    let state = directory
        .open_file(Artifact::State)
        .ok();
    let read = |state| FileDigest::of_stream(state, MAX_RECORD_BYTES as u64).ok()?;
    let mut lines = Reread {
        persisted: state
            .and_then(read)
            .map(|(_, digest)| digest.to_string()),
        learn: Learn::open(&directory)
            .map_err(Error::io("reading", &dir.path().join("learn.jsonl")))?,
        ..Reread::default()
    };

    lines
        .mark(events.content()?)
        .map_err(reading())?;

    let mut wrong = None;
    let rest = whole_lines(events.content()?, &mut |line| {
        wrong = lines.add(id, line).err();
        wrong.is_none()
    })
    .map_err(reading())?;
    lines.tail.add(&rest);
    // A state that another writer persisted may hold more than its events, and would be lost.
    if lines.is_ahead() && lines.tail.length == 0 {
        wrong.get_or_insert_with(|| {
            "no projection event has the digest of state.json as `state_sha256`".into()
        });
    }

    let is_begun = lines.tail.length > rest.len() as u64
        || is_hole(&rest)
        || lines.persisted.is_some()
        || dir.has("summary.json")
        || !lines.learn.is_empty();
    let reason = match (wrong, lines.fold.take()) {
        (None, Some(fold)) => {
            lines
                .learn
                .compare()
                .map_err(reading())?;
            return Ok((fold, lines));
        }
        (Some(wrong), _) => format!("{wrong}; only its own writer can repair or end it"),
        (None, None) if is_begun => DAMAGED_START.into(),
        (None, None) => NO_START.into(),
    };

    Err(Error::Untrusted {
        id: id.into(),
        reason,
        report: None,
    })
}

/// Returns `true` if a line was written, and then lost in part when power failed: what a disk did
/// not keep of a file reads as zeros, which no event contains.
fn is_hole(line: &[u8]) -> bool {
    memchr::memchr(0, line).is_some()
}

fn parse(tape: &mut Tape, line: &[u8]) -> Result<RunEvent, String> {
    let document = tape
        .read_record(line)
        .map_err(|error| format!("is {error}"))?;
    let root = document.root();
    let lacking: Vec<String> = FIELDS
        .into_iter()
        .filter(|field| root.get(field).is_none())
        .map(|field| format!("no `{field}`"))
        .collect();
    let value = value(document, "the line").map_err(|error| format!("can't be read: {error}"));
    tape.release();
    if !lacking.is_empty() {
        let lacking = lacking.join(" and ");
        return Err(format!(
            "has {lacking}, which the recorder writes in every event"
        ));
    }

    RunEvent::deserialize(value?)
        .map_err(|error| format!("is not an event that the recorder writes: {error}"))
}

/// Returns why an event is not one that a recorder of the run wrote on a line, after the lines
/// before it.
fn must_be_ours(event: &RunEvent, run: &str, number: u64, before: &Held) -> Result<(), String> {
    if event.episode_id != run {
        let other = quote(&event.episode_id);
        return Err(format!("is an event of another run, {other}"));
    }

    if event.id != event_id(number) {
        let (is, own) = (quote(&event.id), event_id(number));
        return Err(format!(
            "has the id {is}, but the recorder writes {own} on that line"
        ));
    }

    if event.at().is_none() {
        let time = quote(&event.timestamp.0);
        return Err(format!(
            "has the time {time}, but the recorder writes times in the form \
             2026-03-01T12:00:00.000000+00:00"
        ));
    }

    if event.is_evidence()
        && let Some(prefix) = event.payload.get(PREFIX)
        && *prefix != before.sha256()
    {
        return Err("has a `prefix_sha256` that is not that of the lines before it".into());
    }

    Ok(())
}

/// The fields of every event that a recorder writes.
const FIELDS: [&str; 6] = [
    "agent_id",
    "episode_id",
    "id",
    "payload",
    "phase",
    "timestamp",
];

impl Reread {
    /// Returns `true` if the state was persisted after the last whole event.
    pub(super) fn is_ahead(&self) -> bool {
        self.persisted.is_some() && !self.is_sealed
    }

    /// Notes the numbers of lines that must be known before a timeline is folded.
    fn mark(&mut self, events: impl Read) -> io::Result<()> {
        let finder = memchr::memmem::Finder::new(br#""event_type":"run.state_projection""#);
        let mut number = 0;
        whole_lines(events, &mut |line| {
            number += 1;
            if is_hole(line) {
                self.hole.get_or_insert(number);
            } else if finder.find(line).is_some()
                && let Ok(event) = parse(&mut self.tape, line)
                && event.is_evidence()
            {
                // A state that did not change has the same evidence again.
                if self.is_ahead() && event.sealed() == self.persisted.as_deref() {
                    self.is_sealed = true;
                    self.hole = None;
                }
                if self.hole.is_none() {
                    self.sealed = number;
                }
            }

            true
        })?;

        Ok(())
    }

    fn add(&mut self, id: &str, line: &[u8]) -> Result<(), String> {
        let number = self
            .fold
            .as_ref()
            .map(|fold| fold.events)
            .unwrap_or_default()
            + 1;
        if self
            .hole
            .is_some_and(|hole| hole <= number)
        {
            self.tail.add(line);
            return Ok(());
        }

        let before = self.events.clone();
        self.events.add(line);
        let wrong = |why| format!("line {number} of events.jsonl {why}");
        if line.trim_ascii().is_empty() {
            return Err(wrong("is blank, which the recorder never writes".into()));
        }

        let event = parse(&mut self.tape, line).map_err(wrong)?;
        must_be_ours(&event, id, number, &before).map_err(wrong)?;

        let Some(fold) = &mut self.fold else {
            self.fold = Some(RunFold::start(&event).map_err(wrong)?);
            return Ok(());
        };

        fold.add(&event).map_err(wrong)?;
        fold.held()
            .check("the state")
            .map_err(|error| error.to_string())?;
        if fold.events == self.sealed && fold.sealed_last.is_some() && !fold.is_sealed() {
            return Err(wrong(
                "has a digest that differs from that of the state computed from the events".into(),
            ));
        }

        if event.is_proposal() {
            let line = learn_line(&event).map_err(|error| error.to_string())?;
            self.learn.add(&line)?;
        }

        Ok(())
    }
}

/// The lines of `learn.jsonl`, which repeats the proposals of the timeline. Where it does not, it
/// lost what was written last, or has kept what the timeline lost: then the timeline counts.
#[derive(Default)]
pub(super) struct Learn {
    /// The file, up to where it differs.
    file: Option<Opened<'static>>,
    /// The content that the file must have.
    pub(super) held: Held,
    /// The number of bytes that the file holds of that.
    pub(super) kept: u64,
    /// The bytes that it lacks.
    pub(super) missing: Vec<u8>,
    /// `true` if it holds that, and nothing else.
    pub(super) is_whole: bool,
}

impl Learn {
    fn open(directory: &OpenEpisode) -> io::Result<Self> {
        let file = match directory.open_file(Artifact::Learn) {
            Err(Unreadable::Vanished) => None,
            opened => Some(opened.map_err(io::Error::other)?),
        };

        Ok(Self {
            file,
            ..Self::default()
        })
    }

    /// Returns `true` if there is no file, or an empty one.
    fn is_empty(&self) -> bool {
        self.file
            .as_ref()
            .is_none_or(|file| file.size() == Some(0))
    }

    /// Compares the next line of the file, as far as it is there.
    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        self.held.add(line);
        let mut there = Vec::new();
        if let Some(file) = &mut self.file {
            file.take(line.len() as u64)
                .read_to_end(&mut there)
                .map_err(|error| error.to_string())?;
        }

        let equal = line
            .iter()
            .zip(&there)
            .take_while(|(a, b)| a == b)
            .count();
        self.kept += equal as u64;
        if equal < line.len() {
            self.file = None;
            self.missing
                .extend(line.iter().skip(equal));
        }

        if self.missing.len() > MAX_RECORD_BYTES {
            return Err("learn.jsonl lacks nearly all proposals of events.jsonl".into());
        }

        Ok(())
    }

    /// Notes whether the file ends where its lines do, once all are compared.
    fn compare(&mut self) -> io::Result<()> {
        let rest = self
            .file
            .as_mut()
            .map(|file| file.read(&mut [0]));
        self.is_whole = rest.transpose()? == Some(0);

        Ok(())
    }
}
