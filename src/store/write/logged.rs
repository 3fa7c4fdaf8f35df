//! System calls that write -> a log of them, and the disk as it is after any of them.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::disk::{Disk, FileSystem};
use crate::store::open::OpenDir;

/// One system call that writes.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    MakeDir(PathBuf),
    Create(PathBuf),
    Append(PathBuf, Vec<u8>),
    Cut(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncDir(PathBuf),
}

/// The way in which a system call fails.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// Nothing is done.
    Nothing(i32),
    /// Half of the bytes are written, and the next call fails.
    Half(i32),
    /// The call is interrupted, or writes less than asked for: no error at all.
    Harmless,
}

#[derive(Default)]
struct Log {
    calls: Vec<Call>,
    /// The number of the call that fails, and how.
    fault: Option<(usize, Fault)>,
}

/// The file system, and a log of what was done to it. Nothing is synced: what a disk keeps is
/// computed from the log.
#[derive(Clone, Default)]
pub(crate) struct Logged(Arc<Mutex<Log>>);

impl Logged {
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().calls.clone()
    }

    /// Makes the call of a number fail.
    pub(crate) fn fail(&self, number: usize, fault: Fault) {
        self.0.lock().unwrap().fault = Some((number, fault));
    }

    /// Notes a call, and does it unless it is to fail: the log does not have a failed call.
    fn call<T>(&self, call: Call, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut log = self.0.lock().unwrap();
        if let Some((number, Fault::Nothing(error) | Fault::Half(error))) = log.fault
            && number == log.calls.len()
        {
            log.fault = None;
            return Err(io::Error::from_raw_os_error(error));
        }
        log.calls.push(call);
        drop(log);
        act()
    }

    /// Returns how many of some bytes the next call writes, unless it writes all; the rest meets
    /// the error.
    fn half(&self, length: usize) -> Option<io::Result<usize>> {
        let mut log = self.0.lock().unwrap();
        let (number, fault) = log.fault.filter(|_| length > 1)?;
        if number != log.calls.len() {
            return None;
        }
        let half = length / 2;
        match fault {
            Fault::Nothing(_) => None,
            Fault::Half(error) => {
                log.fault = Some((number + 1, Fault::Nothing(error)));
                Some(Ok(half))
            }
            Fault::Harmless => {
                log.fault = None;
                let is_short = half.is_multiple_of(2);
                Some(if is_short {
                    Ok(half)
                } else {
                    Err(io::ErrorKind::Interrupted.into())
                })
            }
        }
    }
}

impl Disk for Logged {
    fn make_dir(&self, dir: &OpenDir, name: &OsStr) -> io::Result<()> {
        let path = dir.path().join(name);
        if path.is_dir() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.call(Call::MakeDir(path), || FileSystem.make_dir(dir, name))
    }

    fn create(&self, dir: &OpenDir, name: &str) -> io::Result<File> {
        let path = dir.path().join(name);
        self.call(Call::Create(path), || FileSystem.create(dir, name))
    }

    fn rename(&self, dir: &OpenDir, from: &str, to: &str) -> io::Result<()> {
        let call = Call::Rename(dir.path().join(from), dir.path().join(to));
        self.call(call, || FileSystem.rename(dir, from, to))
    }

    fn remove(&self, dir: &OpenDir, name: &str) -> io::Result<()> {
        let call = Call::Remove(dir.path().join(name));
        self.call(call, || FileSystem.remove(dir, name))
    }

    fn sync_dir(&self, dir: &OpenDir) -> io::Result<()> {
        self.call(Call::SyncDir(dir.path().into()), || Ok(()))
    }

    fn append(&self, path: &Path, file: &File, bytes: &[u8]) -> io::Result<usize> {
        let end = self
            .half(bytes.len())
            .unwrap_or(Ok(bytes.len()))?;
        let bytes = &bytes[..end];
        let call = Call::Append(path.into(), bytes.into());
        self.call(call, || FileSystem.append(path, file, bytes))
    }

    fn sync(&self, path: &Path, _: &File) -> io::Result<()> {
        self.call(Call::Sync(path.into()), || Ok(()))
    }

    fn cut(&self, path: &Path, file: &File, length: u64) -> io::Result<()> {
        let call = Call::Cut(path.into(), length);
        self.call(call, || FileSystem.cut(path, file, length))
    }
}

/// The files of a disk, each with its content.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Does a call to what a disk holds.
pub(crate) fn apply(files: &mut Files, call: &Call) {
    match call {
        Call::Create(path) => {
            files.insert(path.clone(), Vec::new());
        }
        Call::Append(path, bytes) => files
            .get_mut(path)
            .unwrap()
            .extend(bytes),
        Call::Cut(path, length) => {
            let length = usize::try_from(*length).unwrap();
            files
                .get_mut(path)
                .unwrap()
                .truncate(length);
        }
        Call::Rename(from, to) => {
            let content = files.remove(from).unwrap();
            files.insert(to.clone(), content);
        }
        Call::Remove(path) => {
            files.remove(path);
        }
        Call::MakeDir(_) | Call::Sync(_) | Call::SyncDir(_) => {}
    }
}

/// A file of a disk that may lose its power: what is durable, and what was done since.
#[derive(Default)]
struct Inode {
    durable: Vec<u8>,
    /// The length with everything that was done.
    length: usize,
    pending: Vec<Change>,
}

enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl Change {
    fn to(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write(at, bytes) => {
                let end = at + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*at..end].copy_from_slice(bytes);
            }
            Self::Cut(length) => content.truncate(*length),
        }
    }
}

/// A change of the names in a directory.
enum Named {
    Dir(PathBuf),
    File(PathBuf, usize),
    Moved(PathBuf, PathBuf, usize),
    Gone(PathBuf),
}

/// The directories and files that names lead to.
#[derive(Default)]
struct Names {
    dirs: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, usize>,
}

impl Named {
    /// Returns the directory whose entry changes.
    fn dir(&self) -> &Path {
        match self {
            Self::Dir(path) | Self::File(path, _) | Self::Moved(_, path, _) | Self::Gone(path) => {
                path.parent().unwrap()
            }
        }
    }
}

impl Names {
    fn change(&mut self, named: &Named) {
        match named {
            Named::Dir(path) => {
                self.dirs.insert(path.clone());
            }
            Named::File(path, inode) => {
                self.files.insert(path.clone(), *inode);
            }
            Named::Moved(from, to, inode) => {
                if self.files.get(from) == Some(inode) {
                    self.files.remove(from);
                }
                self.files.insert(to.clone(), *inode);
            }
            Named::Gone(path) => {
                self.files.remove(path);
            }
        }
    }
}

/// A disk after some calls: what is synced, and what is not yet.
#[derive(Default)]
struct Cached {
    inodes: Vec<Inode>,
    now: Names,
    durable: Names,
    pending: Vec<Named>,
}

impl Cached {
    fn add(&mut self, call: &Call) {
        let named = match call {
            Call::MakeDir(path) => Named::Dir(path.clone()),
            Call::Create(path) => {
                self.inodes.push(Inode::default());
                Named::File(path.clone(), self.inodes.len() - 1)
            }
            Call::Rename(from, to) => Named::Moved(from.clone(), to.clone(), self.now.files[from]),
            Call::Remove(path) => Named::Gone(path.clone()),
            Call::SyncDir(dir) => {
                let is_in_dir = |named: &mut Named| named.dir() == dir;
                for named in self.pending.extract_if(.., is_in_dir) {
                    self.durable.change(&named);
                }
                return;
            }
            Call::Append(path, _) | Call::Cut(path, _) | Call::Sync(path) => {
                return self.inodes[self.now.files[path]].add(call);
            }
        };
        self.now.change(&named);
        self.pending.push(named);
    }

    /// Returns what is left below a directory when the power is lost.
    fn left(self, root: &Path) -> Files {
        let durable = self.durable;
        let is_there = |path: &Path| {
            let mut above = path
                .ancestors()
                .skip(1)
                .take_while(|dir| *dir != root);
            above.all(|dir| durable.dirs.contains(dir))
        };
        let files = durable
            .files
            .iter()
            .filter(|(path, _)| is_there(path));
        files
            .map(|(path, inode)| (path.clone(), self.inodes[*inode].durable.clone()))
            .collect()
    }
}

impl Inode {
    fn add(&mut self, call: &Call) {
        match call {
            Call::Append(_, bytes) => {
                self.pending
                    .push(Change::Write(self.length, bytes.clone()));
                self.length += bytes.len();
            }
            Call::Cut(_, length) => {
                self.length = usize::try_from(*length).unwrap();
                self.pending
                    .push(Change::Cut(self.length));
            }
            _ => {
                for change in self.pending.drain(..) {
                    change.to(&mut self.durable);
                }
            }
        }
    }
}

/// Returns what is left of a disk that loses its power after some calls: all that was synced, and
/// of the rest what `below` chooses; a write that is kept may be torn.
pub(crate) fn power_loss(root: &Path, calls: &[Call], mut below: impl FnMut(u64) -> u64) -> Files {
    let mut disk = Cached::default();
    for call in calls {
        disk.add(call);
    }
    for named in disk
        .pending
        .iter()
        .filter(|_| below(2) == 0)
    {
        disk.durable.change(named);
    }
    for inode in &mut disk.inodes {
        for mut change in inode.pending.drain(..) {
            match (&mut change, below(4)) {
                (_, 0) => continue,
                (Change::Write(_, bytes), 1) => {
                    bytes.truncate(usize::try_from(below(bytes.len() as u64 + 1)).unwrap());
                }
                _ => {}
            }
            change.to(&mut inode.durable);
        }
    }
    disk.left(root)
}

/// Returns a directory in memory where the system has one: these tests write a great many small
/// files.
pub(crate) fn scratch() -> tempfile::TempDir {
    let made = tempfile::tempdir_in("/dev/shm");
    made.or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Makes a directory for a run to work in.
pub(crate) fn make_workspace(path: &Path) {
    std::fs::create_dir_all(path).unwrap();
}

/// Writes files to below another directory than that they come from.
pub(crate) fn lay_out(files: &Files, from: &Path, to: &Path) {
    for (path, content) in files {
        let path = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

/// Returns the files below a directory.
pub(crate) fn on_disk(dir: &Path) -> Files {
    let entries = walkdir::WalkDir::new(dir)
        .into_iter()
        .map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let read = |entry: walkdir::DirEntry| {
        #[expect(clippy::disallowed_methods, reason = "a test looks at what it wrote")]
        let content = std::fs::read(entry.path()).unwrap();
        (entry.into_path(), content)
    };
    files.map(read).collect()
}
