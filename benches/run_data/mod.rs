//! A seed -> run data of any size, in the form that runtimes write.
//!
//! A small episode has a state of about 2.3 KB, a summary of 1 KB and a timeline of 11 KB. Some
//! runs are in progress; others ended with success, with an error, by a veto, partially, or by an
//! abort. Runvet finds nothing in them unless a defect is requested, which a test checks.
//!
//! Small episodes are alike: their records are minified, with sorted keys, and have a few
//! skeletons. Those that differ (`differ.rs`) have other numbers of steps and actions, other tools,
//! and other optional keys, and are written by several writers (`writer.rs`).
//!
//! The recorder does not write them: it would write one shape of event where runtimes write many,
//! and it refuses the defects. What is measured would become another thing.

mod differ;
mod ending;
mod run;
mod writer;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use run::{Run, Status};
use serde_json::{Value, json};
use writer::Writer;

/// `SplitMix64`: the same seed gives the same data everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        let index = self.below(from.len() as u64);
        from[usize::try_from(index).expect("below a length")]
    }

    /// A number from 0 to 1 with three decimals.
    fn score(&mut self) -> f64 {
        f64::from(u16::try_from(self.below(1001)).expect("below 1001")) / 1000.0
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        let (time, version) = (a >> 32, (a >> 16) & 0xFFFF);
        format!(
            "{time:08x}-{version:04x}-5{:03x}-8{:03x}-{:012x}",
            a & 0xFFF,
            b >> 52,
            b & 0xFFFF_FFFF_FFFF
        )
    }
}

/// The records of one episode: state, summary (if the run has ended) and timeline.
struct Episode {
    state: Value,
    summary: Option<Value>,
    events: Vec<Value>,
}

impl Episode {
    fn records(&self, writer: Writer, random: &mut Random) -> Records {
        Records {
            state: writer.document(&self.state, random),
            summary: self
                .summary
                .as_ref()
                .map(|summary| writer.document(summary, random)),
            events: lines(&self.events, writer, random),
        }
    }
}

/// The texts of one episode's records.
pub(crate) struct Records {
    pub(crate) state: String,
    pub(crate) summary: Option<String>,
    pub(crate) events: String,
}

/// The number of defects that an episode can have. Each makes it invalid.
const DEFECTS: u64 = 6;

/// Makes an episode. One run in ten is in progress, one in five has not succeeded.
fn episode(id: &str, random: &mut Random, differs: bool) -> Episode {
    let status = match random.below(20) {
        0 | 1 => Status::Pending,
        2 => Status::Error,
        3 => Status::Vetoed,
        4 => Status::Aborted,
        5 => Status::Partial,
        _ => Status::Ok,
    };
    let mut run = Run::new(id, random, differs, status);
    run.take_steps();
    run.end()
}

/// Makes an episode without or with a defect.
pub(crate) fn records(id: &str, random: &mut Random, defect: Option<u64>) -> Records {
    let mut episode = episode(id, random, false);
    match defect.map(|defect| defect % DEFECTS) {
        Some(0) => episode.state["goal"]["task"] = json!(5),
        Some(1) => episode.state["links"] = json!({"events": "events.jsonl"}),
        Some(2) => episode.events[0]["timestamp"] = json!("2026-02-01T11:00:00Z"),
        Some(3) => episode.state["plan"]["steps"][0]["status"] = json!("running"),
        Some(4) => episode.state["outcomes"]["actions"][0]["tool"] = json!("adapter:other"),
        _ => {}
    }
    let mut records = episode.records(Writer::Sorted, random);
    if defect.map(|defect| defect % DEFECTS) == Some(5) {
        // A line in the middle has lost its second half.
        let mut ends = records
            .events
            .match_indices('\n')
            .map(|(end, _)| end)
            .skip(3);
        let (before, end) = (
            ends.next().expect("a fourth line"),
            ends.next().expect("a fifth line"),
        );
        let broken = before + (end - before) / 2;
        records
            .events
            .replace_range(broken..end, "");
    }
    records
}

/// Makes a valid episode whose state has nearly no skeleton in common with another: the same keys
/// in the same order, with values of the same types.
pub(crate) fn differing_records(id: &str, random: &mut Random) -> Records {
    let episode = episode(id, random, true);
    let writer = Writer::any(random);
    episode.records(writer, random)
}

fn lines(events: &[Value], writer: Writer, random: &mut Random) -> String {
    events
        .iter()
        .map(|event| writer.line(event, random))
        .collect()
}

/// Writes episodes below `dir/episodes`; every `broken_every`-th one is broken (0: none).
pub(crate) fn write(dir: &Path, episodes: u64, broken_every: u64) -> io::Result<()> {
    let mut random = Random(1);
    for index in 0..episodes {
        let id = format!("ep_{index:08}");
        let defect = (broken_every > 0 && index % broken_every == 0).then(|| index / broken_every);
        write_episode(dir, &id, &records(&id, &mut random, defect))?;
    }
    Ok(())
}

/// Writes valid episodes below `dir/episodes` that differ from each other.
pub(crate) fn write_differing(dir: &Path, episodes: u64) -> io::Result<()> {
    let mut random = Random(4);
    for index in 0..episodes {
        let id = format!("ep_{index:08}");
        write_episode(dir, &id, &differing_records(&id, &mut random))?;
    }
    Ok(())
}

fn write_episode(dir: &Path, id: &str, records: &Records) -> io::Result<()> {
    let home = dir.join("episodes").join(id);
    fs::create_dir_all(&home)?;
    fs::write(home.join("events.jsonl"), &records.events)?;
    write_records(&home, records)
}

/// Writes all artifacts except the timeline.
fn write_records(home: &Path, records: &Records) -> io::Result<()> {
    fs::write(home.join("state.json"), &records.state)?;
    fs::write(home.join("learn.jsonl"), "")?;
    if let Some(summary) = &records.summary {
        fs::write(home.join("summary.json"), summary)?;
        fs::write(home.join("manifest.json"), "{\"files\":[]}\n")?;
    }
    Ok(())
}

/// Writes one episode whose timeline has at least a number of bytes, and no two equal lines.
pub(crate) fn write_long(dir: &Path, bytes: u64) -> io::Result<()> {
    let mut random = Random(2);
    let home = dir.join("episodes").join("ep_long");
    fs::create_dir_all(&home)?;
    let mut run = Run::new("ep_long", &mut random, false, Status::Ok);
    let mut file = BufWriter::new(fs::File::create(home.join("events.jsonl"))?);
    let mut written = 0;
    while written < bytes {
        let events = std::mem::take(&mut run.events);
        let text = lines(&events, Writer::Sorted, run.random);
        file.write_all(text.as_bytes())?;
        written += text.len() as u64;
        run.round();
    }
    run.take_steps();
    let records = run
        .end()
        .records(Writer::Sorted, &mut random);
    file.write_all(records.events.as_bytes())?;
    file.flush()?;
    write_records(&home, &records)
}
