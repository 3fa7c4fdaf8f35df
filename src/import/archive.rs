//! A log of Inspect in a ZIP archive -> its values, one member at a time, never on a disk.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use ruzstd::decoding::StreamingDecoder;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use crate::store::{MAX_RECORD_BYTES, OpenFile};

/// The first bytes of an archive.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// The members that say what was evaluated: of a log that is over, and of one that runs still.
const HEADERS: [&str; 2] = ["header.json", "_journal/start.json"];

/// An archive with a header and samples.
pub(super) struct Archive {
    zip: ZipArchive<OpenFile>,
    /// The members that are still to be read, the next one last.
    members: Vec<String>,
}

impl Archive {
    pub(super) fn open(file: OpenFile) -> Result<Self, String> {
        let zip = ZipArchive::new(file)
            .map_err(|why| format!("it is a ZIP file that can't be read: {why}"))?;
        let names: Vec<String> = zip
            .file_names()
            .filter_map(Result::ok)
            .map(String::from)
            .collect();
        let header = HEADERS
            .into_iter()
            .find(|it| names.iter().any(|name| name == it))
            .ok_or("it is a ZIP file without a header of Inspect")?;
        let mut members: Vec<String> = names
            .into_iter()
            .filter(|name| is_sample(name))
            .rev()
            .collect();
        members.push(header.to_owned());

        Ok(Self { zip, members })
    }

    /// Returns the name of the next member, and its content. Of two members of a name the last one
    /// holds.
    pub(super) fn next(&mut self) -> Option<(String, Result<Vec<u8>, String>)> {
        let name = self.members.pop()?;
        let content = if name.ends_with("/sample.json") {
            Err("a sample in chunks is not read: `inspect log convert` makes it one".into())
        } else {
            self.content(&name)
        };

        Some((name, content))
    }

    fn content(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let number = self
            .zip
            .index_for_name(name)
            .ok_or("it is not there")?;
        let member = self
            .zip
            .by_index_raw(number)
            .map_err(|why| why.to_string())?;
        let (crc, content) = (member.crc32(), unpacked(member));
        let content = content.map_err(|why| format!("it can't be unpacked: {why}"))?;
        if content.len() > MAX_RECORD_BYTES {
            return Err(format!("it is larger than {} MiB", MAX_RECORD_BYTES >> 20));
        }

        let mut found = Crc::new();
        found.update(&content);
        if found.sum() == crc {
            Ok(content)
        } else {
            Err("it is damaged: its checksum differs".into())
        }
    }
}

fn is_sample(name: &str) -> bool {
    let is_json = Path::new(name).extension() == Some(OsStr::new("json"));
    name.starts_with("samples/") && is_json
}

/// Returns the content of a member, as far as a log may have it.
fn unpacked(mut member: ZipFile<'_, OpenFile>) -> io::Result<Vec<u8>> {
    let most = MAX_RECORD_BYTES as u64 + 1;
    let mut content = Vec::new();
    match member.compression() {
        CompressionMethod::Stored => member
            .take(most)
            .read_to_end(&mut content)?,
        CompressionMethod::DEFLATE => DeflateDecoder::new(member)
            .take(most)
            .read_to_end(&mut content)?,
        CompressionMethod::ZSTD => {
            let mut packed = Vec::new();
            member
                .by_ref()
                .take(most)
                .read_to_end(&mut packed)?;

            let mut rest = packed.as_slice();
            // A member has several frames, one for each time that it was written to.
            while !rest.is_empty() && (content.len() as u64) < most {
                let frame = StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
                let left = most - content.len() as u64;
                frame
                    .take(left)
                    .read_to_end(&mut content)?;
            }

            content.len()
        }
        other => return Err(io::Error::other(format!("{other} is not read"))),
    };

    Ok(content)
}
