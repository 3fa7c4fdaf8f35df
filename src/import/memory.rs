//! What an import that goes on keeps of logs -> those that it need not read again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::formats::Format;
use super::{Change, Converted, ImportedRun};
use crate::store::FileStamp;

/// The age of a change, at least, after which a file of the same time and length is the same: the
/// clocks of file systems have steps.
const SETTLED: Duration = Duration::from_secs(2);

/// What an import keeps of the files that it read.
#[derive(Default)]
pub(crate) struct Memory {
    /// What each file is.
    files: BTreeMap<PathBuf, Known<Recognized>>,
    /// What became of each log, by its first file.
    logs: BTreeMap<PathBuf, Known<Converted>>,
}

/// What a file is: its format and what ties it to others of the same log, or why it is no log.
pub(super) type Recognized = Result<(&'static Format, BTreeSet<String>), NoLog>;

/// A file that is no log.
#[derive(Clone)]
pub(super) struct NoLog {
    /// What it looks like.
    pub(super) why: String,
    /// `true` if it might be one, and can't be read.
    pub(super) is_broken: bool,
}

/// Something that is known of files.
struct Known<T> {
    files: Vec<FileState>,
    what: T,
}

/// A file as it was before it was read.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct FileState {
    path: PathBuf,
    version: Option<FileStamp>,
}

impl FileState {
    pub(super) fn new(path: PathBuf, version: Option<FileStamp>) -> Self {
        // A file that was changed just now may be changed again without a sign of it.
        let is_settled = |version: &FileStamp| {
            let age = SystemTime::now().duration_since(version.modified);
            age.is_ok_and(|age| age > SETTLED)
        };

        Self {
            path,
            version: version.filter(is_settled),
        }
    }
}

impl Memory {
    /// Returns what a file is, if it has not changed since that was found.
    pub(super) fn recognized(&self, file: &FileState) -> Option<Recognized> {
        let known = self.files.get(&file.path)?;
        is_same(&known.files, std::slice::from_ref(file)).then(|| known.what.clone())
    }

    pub(super) fn keep_recognized(&mut self, file: &FileState, what: &Recognized) {
        let files = vec![file.clone()];
        let what = what.clone();
        self.files
            .insert(file.path.clone(), Known { files, what });
    }

    /// Returns what became of a log, if neither its files nor its runs have changed since.
    pub(super) fn converted(&self, files: &[FileState]) -> Option<Converted> {
        let known = self.logs.get(&files.first()?.path)?;
        let is_there = known
            .what
            .runs
            .iter()
            .all(|made| made.run.path.is_dir());

        (is_there && is_same(&known.files, files)).then(|| known.what.clone())
    }

    /// Keeps what became of a log, unless another attempt may have another result.
    pub(super) fn keep_converted(&mut self, states: &[FileState], what: Converted) {
        let Some(first) = states.first() else {
            return;
        };
        let is_refused = |run: &ImportedRun| matches!(run.change, Change::Refused(_));

        if what.is_done_alone
            && !what
                .runs
                .iter()
                .any(|made| is_refused(&made.run))
        {
            let files = states.to_vec();
            self.logs
                .insert(first.path.clone(), Known { files, what });
        } else {
            self.logs.remove(&first.path);
        }
    }
}

fn is_same(before: &[FileState], now: &[FileState]) -> bool {
    before == now
        && now
            .iter()
            .all(|file| file.version.is_some())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::Memory;
    use crate::import::{Change, Import};

    /// Writes a log that was changed some seconds ago.
    fn write(path: &Path, answer: &str, age: u64) {
        let log = format!(
            r#"{{"id": "c1", "messages": [{{"role": "user", "content": "Hi"}}, {{"role": "assistant", "content": "{answer}"}}]}}"#
        );
        fs::write(path, log).unwrap();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let changed = if age > 0 { changed } else { SystemTime::now() };
        let file = File::options()
            .write(true)
            .open(path)
            .unwrap();
        file.set_modified(changed).unwrap();
    }

    #[test]
    fn log_that_did_not_change_is_not_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let (log, runs) = (dir.path().join("log.json"), dir.path().join("runs"));
        let import = Import::new(&runs);
        let mut memory = Memory::default();
        let mut again = |answer, age| {
            write(&log, answer, age);
            let imported = import
                .each([&log], &mut memory, |_, _| ())
                .unwrap();
            let changes = imported
                .runs
                .into_iter()
                .map(|run| run.change);
            changes.collect::<Vec<_>>()
        };

        assert_eq!(again("one", 9), [Change::New]);
        // Of the same length and time, so nobody can tell; it would be `Again` if it were read.
        assert_eq!(again("two", 9), [Change::Unchanged]);
        assert_eq!(again("three", 9), [Change::Again]);
        // What was changed just now may be changed again within the same moment.
        assert_eq!(again("eight", 0), [Change::Again]);
        assert_eq!(again("seven", 0), [Change::Again]);
        // A run that is not there is made, though its log is the same.
        assert_eq!(again("other", 9), [Change::Again]);
        fs::remove_dir_all(&runs).unwrap();
        assert_eq!(again("other", 9), [Change::New]);
    }
}
