//! The bytes of a file -> its name in the directory of an episode, by its digest.

use std::ffi::OsStr;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::Error;
use crate::ground::digest::FileDigest;
use crate::ground::printable::{escape, quote};
use crate::store::OpenDir;

/// The directory of the attachments.
pub(super) const ATTACHMENTS: &str = "attachments";

/// The type of the event of an attachment.
pub(super) const ATTACHED: &str = "run.attachment";

/// The number of bytes of an attachment, at most.
pub(super) const MAX_ATTACHMENT_BYTES: usize = 64 << 20;

/// The maximum length of an extension.
const MAX_EXTENSION: usize = 16;

/// A file in the directory of an episode, which is named by its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
#[non_exhaustive]
pub struct Attachment {
    /// The path of the file below the directory of the episode: `attachments/`, the digest and the
    /// extension.
    pub name: String,
    /// The SHA-256 of the file, 64 hexadecimal digits.
    pub sha256: String,
    /// The number of bytes of the file.
    pub bytes: u64,
}

impl Attachment {
    /// Returns the attachment of some bytes, with an extension, which may be empty.
    pub(super) fn of(content: &[u8], extension: &str) -> Result<Self, Error> {
        if content.len() > MAX_ATTACHMENT_BYTES {
            return Err(Error::too_large("the attachment", MAX_ATTACHMENT_BYTES));
        }

        let sha256 = FileDigest::of(content).to_string();
        let name = path(
            &sha256,
            extension
                .strip_prefix('.')
                .unwrap_or(extension),
        )
        .ok_or_else(|| {
            let why = format!(
                "its extension is {}, and has to be at most {MAX_EXTENSION} letters and digits",
                quote(extension)
            );
            Error::refused("the attachment", why)
        })?;

        Ok(Self {
            name,
            sha256,
            bytes: content.len() as u64,
        })
    }

    /// Returns `true` if the name is the one that the digest leads to, and so leads nowhere else.
    pub(super) fn is_named_by_digest(&self) -> bool {
        let (_, extension) = self
            .name
            .split_once('.')
            .unwrap_or_default();

        FileDigest::parse(&self.sha256).is_some()
            && path(&self.sha256, extension).as_ref() == Some(&self.name)
    }
}

/// Returns the path of an attachment below the directory of its episode.
fn path(sha256: &str, extension: &str) -> Option<String> {
    let is_plain = extension.len() <= MAX_EXTENSION
        && extension
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric());
    let dot = if extension.is_empty() { "" } else { "." };
    let extension = extension.to_ascii_lowercase();

    is_plain.then(|| format!("{ATTACHMENTS}/{sha256}{dot}{extension}"))
}

/// Reads the file at a path that the caller gives, and its extension, if that is a plain one.
pub(super) fn read(given: &Path) -> Result<(Vec<u8>, &str), Error> {
    let content = OpenDir::read_file(given, MAX_ATTACHMENT_BYTES + 1).map_err(|why| {
        let shown = escape(&given.display().to_string()).into_owned();
        Error::refused("the attachment", format!("{shown} can't be read: {why}"))
    })?;
    let extension = given
        .extension()
        .and_then(OsStr::to_str)
        .filter(|extension| path("", extension).is_some());
    Ok((content, extension.unwrap_or_default()))
}
