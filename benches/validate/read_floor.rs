//! Run data -> the number of bytes: lists each episode's directory and reads its three records,
//! which is a lower bound for every validator.

use std::fs::{self, File};
use std::io::Read;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// The number of bytes to read at a time.
const PIECE: usize = 1 << 18;

/// Reads all episodes with as many threads as runvet uses, and returns the number of bytes.
pub(crate) fn read(run_data: &Path) -> u64 {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let listing = fs::read_dir(run_data.join("episodes")).expect("run data");
    let episodes: Vec<PathBuf> = listing
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let next = AtomicUsize::new(0);
    let bytes = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..threads.min(episodes.len()) {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                while let Some(episode) = episodes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    fs::read_dir(episode)
                        .expect("a directory")
                        .for_each(|entry| drop(entry.expect("an entry")));
                    for name in ["state.json", "summary.json", "events.jsonl"] {
                        let Ok(file) = File::open(episode.join(name)) else {
                            continue;
                        };
                        bytes.fetch_add(read_file(file, &mut buffer, threads), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    bytes.into_inner()
}

/// Reads a file; if it is longer than a piece, all threads read it, each taking the next piece.
fn read_file(mut file: File, buffer: &mut [u8], threads: usize) -> u64 {
    let mut bytes = 0;
    while bytes < PIECE as u64 {
        match file.read(buffer).expect("a record") {
            0 => return bytes,
            read => bytes += read as u64,
        }
    }
    let next = AtomicU64::new(bytes);
    let rest = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                loop {
                    let at = next.fetch_add(PIECE as u64, Ordering::Relaxed);
                    match file
                        .read_at(&mut buffer, at)
                        .expect("a record")
                    {
                        0 => break,
                        read => rest.fetch_add(read as u64, Ordering::Relaxed),
                    };
                }
            });
        }
    });
    bytes + rest.into_inner()
}
