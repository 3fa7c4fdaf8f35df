//! A directory -> whether the file systems at and below it report what others change.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::path::PathBuf;

/// The numbers of file systems that report no changes by others: NFS, SMB, CIFS, FUSE and virtiofs,
/// 9p, AFS, Ceph, Lustre, GPFS, GFS2, OCFS2, and shared folders of `VirtualBox` and `VMware`.
const SILENT: [u32; 15] = [
    0x6969,
    0x517B,
    0xFE53_4D42,
    0xFF53_4D42,
    0x6573_5546,
    0x0102_1997,
    0x5346_414F,
    0x6B41_4653,
    0x00C3_6400,
    0x0BD0_0BD0,
    0x4750_4653,
    0x0116_1970,
    0x7461_636F,
    0x786F_4256,
    0xBACB_ACBC,
];
use crate::store::path::{from_bytes, octal_escape};

/// Returns `true` if the file system of a directory, or one that is mounted below it, is known not
/// to report what others change.
pub(crate) fn reports_no_changes(dir: &Path) -> bool {
    std::iter::once(dir.to_owned())
        .chain(mounts_below(dir))
        .any(|place| {
            rustix::fs::statfs(&place)
                .map(|stat| i128::from(stat.f_type) & 0xFFFF_FFFF)
                .is_ok_and(|kind| {
                    SILENT
                        .iter()
                        .any(|it| kind == i128::from(*it))
                })
        })
}

/// The maximum size of the list of mounted file systems that is read.
const MAX_MOUNTS_BYTES: u64 = 16 << 20;

/// Returns the directories below one at which file systems are mounted.
fn mounts_below(dir: &Path) -> Vec<PathBuf> {
    let (Ok(dir), Ok(list)) = (dir.canonicalize(), File::open("/proc/self/mountinfo")) else {
        return Vec::new();
    };
    let mut mounts = Vec::new();
    let _ = list
        .take(MAX_MOUNTS_BYTES)
        .read_to_end(&mut mounts);

    mounts
        .split(|byte| *byte == b'\n')
        .filter_map(|mount| mount.split(|byte| *byte == b' ').nth(4))
        .map(|place| from_bytes(unescaped(place)))
        .filter(|place| place.starts_with(&dir))
        .collect()
}

/// Returns the bytes of a path in which the kernel has escaped blanks and such.
fn unescaped(mut place: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [first, rest @ ..] = place {
        let (byte, rest) = octal_escape(place).unwrap_or((*first, rest));
        bytes.push(byte);
        place = rest;
    }

    bytes
}
