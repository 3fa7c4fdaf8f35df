//! The name of a case -> its run data, which is made the first time and kept.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::run_data::{self, Random};
use crate::{importing, recording};

pub(crate) const EPISODES: u64 = 10_000;
pub(crate) const FEW_EPISODES: u64 = 400;
pub(crate) const MANY_EPISODES: u64 = 100_000;
const LONG_BYTES: u64 = 1_000_000_000;

/// The number of keys and values that a record may have is 1,000,000: this leaves some to the rest.
const VALUES: u64 = 999_000;

/// The size of a record may be 64 MiB: this leaves some to the rest.
const VALUES_BYTES: usize = (64 << 20) - 8_000;

/// What makes the data: data from another version of it is made again.
const GENERATOR: [&str; 6] = [
    include_str!("../run_data/mod.rs"),
    include_str!("../run_data/differ.rs"),
    include_str!("../run_data/run.rs"),
    include_str!("../run_data/ending.rs"),
    include_str!("../run_data/writer.rs"),
    include_str!("data.rs"),
    include_str!("importing.rs"),
];

/// Where the run data of all cases lies.
pub(crate) struct Data(pub(crate) PathBuf);

impl Data {
    fn made(&self, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> PathBuf {
        let dir = self.0.join(name);
        let mut hasher = DefaultHasher::new();
        GENERATOR.hash(&mut hasher);
        let generator = format!("{:016x}\n", hasher.finish());
        let mark = dir.join("made-by");
        if fs::read_to_string(&mark).ok().as_ref() != Some(&generator) {
            eprintln!("  making {}", dir.display());
            if dir.exists() {
                fs::remove_dir_all(&dir).expect("old data can be removed");
            }
            write(&dir).expect("data can be written");
            fs::write(mark, generator).expect("data can be written");
            // The system must not write data back during a measurement.
            rustix::fs::sync();
        }
        dir
    }

    pub(crate) fn one(&self) -> PathBuf {
        self.made("one", |dir| run_data::write(dir, 1, 0))
    }

    pub(crate) fn small(&self) -> PathBuf {
        self.made("small", |dir| run_data::write(dir, EPISODES, 0))
    }

    pub(crate) fn differing(&self) -> PathBuf {
        self.made("differing", |dir| run_data::write_differing(dir, EPISODES))
    }

    pub(crate) fn few(&self) -> PathBuf {
        self.made("few", |dir| run_data::write(dir, FEW_EPISODES, 0))
    }

    pub(crate) fn few_differing(&self) -> PathBuf {
        self.made("few-differing", |dir| {
            run_data::write_differing(dir, FEW_EPISODES)
        })
    }

    /// One in 20 is invalid.
    pub(crate) fn broken(&self) -> PathBuf {
        self.made("broken", |dir| run_data::write(dir, EPISODES, 20))
    }

    pub(crate) fn many(&self) -> PathBuf {
        self.made("many", |dir| run_data::write(dir, MANY_EPISODES, 0))
    }

    pub(crate) fn long(&self) -> PathBuf {
        self.made("long", |dir| run_data::write_long(dir, LONG_BYTES))
    }

    /// One episode whose state is as large as a state may be.
    pub(crate) fn values(&self) -> PathBuf {
        self.made("values", |dir| {
            run_data::write(dir, 1, 0)?;
            enlarge(&dir.join("episodes/ep_00000000/state.json"))
        })
    }

    /// Sessions of a coding agent.
    pub(crate) fn logs(&self) -> PathBuf {
        self.made("logs", importing::write)
    }

    /// Where runs are recorded.
    pub(crate) fn recorded(&self) -> PathBuf {
        self.made("record", |dir| {
            fs::create_dir_all(dir)?;
            recording::template(dir).map_err(io::Error::other)
        })
    }
}

/// Puts values into the memory of a state, and makes one text longer.
fn enlarge(state: &Path) -> io::Result<()> {
    let text = fs::read_to_string(state)?;
    let member = "\"facts\":[";
    let at = text.find(member).expect("facts") + member.len();
    let mut random = Random(3);
    let mut file = BufWriter::new(fs::File::create(state)?);
    write!(file, "{}{{\"key\":\"samples\",\"value\":[0", &text[..at])?;
    let mut bytes = text.len();
    for _ in 1..VALUES {
        let number = format!(",0.{:012}", random.below(1_000_000_000_000));
        bytes += number.len();
        file.write_all(number.as_bytes())?;
    }
    let log = "x".repeat(VALUES_BYTES - bytes);
    write!(
        file,
        "]}},{{\"key\":\"log\",\"value\":\"{log}\"}},{}",
        &text[at..]
    )?;
    file.flush()
}
