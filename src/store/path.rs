//! Paths <-> the bytes that the operating system uses for them.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::ground::source::Artifact;

/// Returns the bytes of a path.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Returns the path with these bytes.
pub(crate) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// Returns the byte that an escape such as `\040` stands for, and the bytes after it.
pub(crate) fn octal_escape(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [
        b'\\',
        a @ b'0'..=b'3',
        b @ b'0'..=b'7',
        c @ b'0'..=b'7',
        rest @ ..,
    ] = bytes
    else {
        return None;
    };

    Some(((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), rest))
}

/// Returns the file name of these bytes, to be shared.
pub(super) fn shared_name(bytes: &[u8]) -> Arc<OsStr> {
    OsStr::from_bytes(bytes).into()
}

/// Returns a path as text; bytes that are not UTF-8 show as `�`.
pub(crate) fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns a path as the name of a file in a seal; `None` where it can't be one.
pub(super) fn sealable(path: &Path) -> Option<&str> {
    path.to_str()
        .filter(|path| !path.contains('\\'))
}

/// Returns the name of a directory as an id; no record can contain a name that is not UTF-8.
pub(crate) fn id(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Returns `typed` joined with a path below it.
pub(crate) fn join(typed: &Path, below: &Path) -> PathBuf {
    if typed == Path::new(".") && below != Path::new("") {
        below.to_owned()
    } else if below == Path::new("") {
        typed.to_owned()
    } else {
        typed.join(below)
    }
}

/// Returns `true` if a name is that of an artifact.
pub(super) fn is_artifact(name: &OsStr) -> bool {
    name.to_str()
        .and_then(Artifact::from_file_name)
        .is_some()
}

/// Returns the directory that a file at a path is in: `.` where the path is its name alone.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Returns what the paths of all that is below a path start with, as a user would type them.
pub(super) fn prefix(path: &Path) -> Vec<u8> {
    let mut prefix = bytes(&join(path, Path::new("x"))).to_vec();
    prefix.pop();
    prefix
}

/// Returns a path without `.` in it, as a user would type it.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    let tidy: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();

    if tidy.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        tidy
    }
}

/// Returns a path in which the links are resolved, as far as it exists.
#[cfg(feature = "commands")]
pub(crate) fn resolved(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            let rest = path.strip_prefix(above).ok()?;
            Some(above.canonicalize().ok()?.join(rest))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// Returns the real path of the directory that a path leads to.
pub(super) fn real_dir(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if let Some(known) = known_dir(path)? {
        return Ok(known);
    }

    let real = path.canonicalize()?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Returns the path by which the kernel knows the directory that a path leads to, so that no
/// directory on the way is asked; `None` where it does not tell.
#[cfg(target_os = "linux")]
fn known_dir(path: &Path) -> io::Result<Option<PathBuf>> {
    use rustix::fd::AsRawFd;
    use rustix::fs::{Mode, OFlags, fstat, open, stat};
    use rustix::io::Errno;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = open(path, flags, Mode::empty())?;
    let known = match std::fs::read_link(format!("/proc/self/fd/{}", dir.as_raw_fd())) {
        // Asking each directory on the way would fail too, after a long time.
        Err(error) if error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error()) => {
            return Err(error);
        }
        known => known,
    };

    Ok(known
        .ok()
        .filter(|known| match (fstat(&dir), stat(known)) {
            (Ok(is), Ok(there)) => (is.st_dev, is.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        }))
}

/// Returns `true` if a path certainly does not exist.
pub(crate) fn is_gone(path: &Path) -> bool {
    path.symlink_metadata()
        .is_err_and(|error| is_nothing(&error))
}

/// Returns the answer about what is at a path; `None` where nothing is.
pub(crate) fn there<T>(answer: io::Result<T>) -> io::Result<Option<T>> {
    match answer {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        answer => answer.map(Some),
    }
}

/// Returns what is known of a file, which must be a regular one.
pub(crate) fn regular(found: Metadata) -> io::Result<Metadata> {
    if found.is_file() {
        Ok(found)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Returns `true` if an error says that there is nothing at a path.
pub(super) fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns `true` if a symbolic link leads to itself, and so nowhere.
pub(super) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn directory_with_a_path_that_is_too_long_is_refused_at_once() {
        let temp = tempfile::tempdir().unwrap();
        let below: PathBuf = std::iter::repeat_n("d".repeat(250), 15).collect();
        let deep = temp.path().join(&below);
        fs::create_dir_all(&deep).unwrap();
        symlink(&deep, temp.path().join("hop")).unwrap();
        assert_eq!(known_dir(&temp.path().join("hop")).unwrap(), Some(deep));
        fs::create_dir_all(
            temp.path()
                .join("hop")
                .join("e".repeat(250)),
        )
        .unwrap();
        symlink("e".repeat(250), temp.path().join("hop/next")).unwrap();
        let too_long = temp
            .path()
            .join("hop/next")
            .join("e".repeat(250));
        fs::create_dir_all(&too_long).unwrap();
        let refused = known_dir(&too_long).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidFilename);
    }
}
