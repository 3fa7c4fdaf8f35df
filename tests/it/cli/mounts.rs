//! Runs on a file system that reports no changes by others, which is mounted for the test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::binary::runvet;
use crate::support::corpus::corpus;
use crate::support::runs::copy_dir;
use crate::support::skip::leave_out;

/// A directory that shows another one, over FUSE.
struct Mount(PathBuf);

impl Mount {
    fn new(of: &Path, over: &Path) -> Option<Self> {
        fs::create_dir_all(of).unwrap();
        fs::create_dir_all(over).unwrap();
        let mounted = Command::new("bindfs")
            .args([of, over])
            .output()
            .ok()?;
        mounted
            .status
            .success()
            .then(|| Self(over.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg(&self.0)
            .status();
    }
}

#[test]
fn mounted_runs_are_scanned_as_nobody_reports_their_changes() {
    let temp = tempfile::tempdir().unwrap();
    // The given directory, one in it, and one whose name the kernel escapes in its list.
    for (watched, mounted) in [("a", "a"), ("b", "b/episodes"), ("c", "c/my runs/episodes")] {
        let (watched, mounted) = (temp.path().join(watched), temp.path().join(mounted));
        let written = temp.path().join("written");
        let Some(_mount) = Mount::new(&written, &mounted) else {
            return leave_out("bindfs can't mount a directory here");
        };
        let mut watch = runvet(&["watch"])
            .arg(&watched)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let notes = BufReader::new(watch.stderr.take().unwrap());
        let mut notes = notes.lines().map_while(Result::ok);
        let note = notes.next().unwrap();
        assert!(
            note.contains("does not report changes that others make"),
            "{note}"
        );
        assert!(notes.any(|note| note.starts_with("note: first check: 0 runs")));
        let run = corpus().join("demo/episodes/ep_03_edited");
        copy_dir(&run, &written.join("episodes/ep_03_edited"));
        let verdicts = BufReader::new(watch.stdout.take().unwrap());
        let mut verdicts = verdicts.lines().map_while(Result::ok);
        assert!(
            verdicts.any(|it| it.ends_with("error plan/projection, error projection/outcomes"))
        );
        watch.kill().unwrap();
        watch.wait().unwrap();
        fs::remove_dir_all(written).unwrap();
    }
}
