//! The floor that a validator can't go below: lists each episode's directory and reads its three records, with two threads.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const THREADS: usize = 2;
const PIECE: usize = 1 << 18;

fn main() {
    let root = PathBuf::from(std::env::args_os().nth(1).expect("a run-data directory")).join("episodes");
    let episodes: Vec<PathBuf> = fs::read_dir(root).expect("episodes").map(|entry| entry.expect("an entry").path()).collect();
    let next = AtomicUsize::new(0);
    let bytes = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                while let Some(episode) = episodes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    fs::read_dir(episode).expect("a directory").for_each(|entry| drop(entry.expect("an entry")));
                    for file in ["state.json", "summary.json", "events.jsonl"] {
                        let Ok(file) = File::open(episode.join(file)) else { continue };
                        bytes.fetch_add(read(file, &mut buffer), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    println!("{} episodes, {} bytes", episodes.len(), bytes.into_inner());
}

/// Reads a file; what is more than a piece is read by all threads, each taking the next piece.
fn read(mut file: File, buffer: &mut [u8]) -> u64 {
    let mut bytes = 0;
    loop {
        match file.read(buffer).expect("a record") {
            0 => return bytes,
            read => bytes += read as u64,
        }
        if bytes >= PIECE as u64 {
            return bytes + read_rest(&file, bytes);
        }
    }
}

fn read_rest(file: &File, start: u64) -> u64 {
    let next = AtomicU64::new(start);
    let bytes = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut buffer = vec![0; PIECE];
                loop {
                    let at = next.fetch_add(PIECE as u64, Ordering::Relaxed);
                    match file.read_at(&mut buffer, at).expect("a record") {
                        0 => break,
                        read => bytes.fetch_add(read as u64, Ordering::Relaxed),
                    };
                }
            });
        }
    });
    bytes.into_inner()
}
