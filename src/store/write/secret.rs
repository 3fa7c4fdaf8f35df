//! A secret <-> a file that only its owner may read.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use crate::store::path::{regular, there};

/// The number of bytes of a file with a secret that are read, at most.
pub(crate) const SECRET_FILE_BYTES: usize = 4 << 10;

/// Reads a file that only its owner may read; `None` where there is none. One byte more than the
/// limit shows that it has more.
pub(crate) fn read_secret_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    // Opening a FIFO would wait for its other end.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let Some(file) = there(opened)? else {
        return Ok(None);
    };

    let found = regular(file.metadata()?)?;
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let why =
            format!("others may read it (mode {mode:04o}): `chmod 600` makes it its owner's alone");
        return Err(io::Error::other(why));
    }

    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }

    let mut content = Vec::new();
    file.take(SECRET_FILE_BYTES as u64 + 1)
        .read_to_end(&mut content)?;

    Ok(Some(content))
}

/// Makes a file that only its owner may read, and that must not exist.
pub(crate) fn make_secret_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;

    file.write_all(content)
}
