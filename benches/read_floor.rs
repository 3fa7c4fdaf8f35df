//! The floor that a validator can't go below: lists each episode's directory and reads its three records, with two threads.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    let root = PathBuf::from(std::env::args_os().nth(1).expect("a run-data directory")).join("episodes");
    let episodes: Vec<PathBuf> = fs::read_dir(root).expect("episodes").map(|entry| entry.expect("an entry").path()).collect();
    let next = AtomicUsize::new(0);
    let bytes = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut buffer = Vec::with_capacity(1 << 20);
                while let Some(episode) = episodes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let listed = fs::read_dir(episode).expect("a directory").count();
                    for file in ["state.json", "summary.json", "events.jsonl"] {
                        let Ok(mut file) = fs::File::open(episode.join(file)) else { continue };
                        buffer.clear();
                        bytes.fetch_add(file.read_to_end(&mut buffer).expect("a record") + listed, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    println!("{} episodes, {} bytes", episodes.len(), bytes.into_inner());
}
