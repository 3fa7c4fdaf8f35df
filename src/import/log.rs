//! The files of a log -> its JSON values, one at a time, within the limits of a check.

use std::cell::Cell;
use std::io::{self, Read};
use std::ops::Range;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Archive};
use crate::ground::Own;
use crate::ground::digest::FileDigest;
use crate::ground::document::Tape;
use crate::store::{FileBelow, LineRead, Lines, MAX_RECORD_BYTES, OpenFile, display};

/// The number of bytes of a log, at most: what its conversations say is in memory until it is
/// written.
const MAX_LOG_BYTES: u64 = 1 << 30;

/// The number of values, and of bytes, by which the form of a file is recognized.
const HEAD_VALUES: usize = 64;
const HEAD_BYTES: u64 = 1 << 20;

/// What some programs write before a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file of a log.
pub(super) struct LogFile {
    pub(super) file: FileBelow,
    /// Its path as a user would write it.
    pub(super) path: String,
    /// Its path below the directory that was given.
    pub(super) name: String,
}

impl LogFile {
    pub(super) fn new(file: FileBelow) -> Self {
        Self {
            path: display(&file.path()),
            name: file.name.to_string_lossy().into_owned(),
            file,
        }
    }

    /// Returns the name of the file alone.
    pub(super) fn base(&self) -> &str {
        self.name
            .rsplit('/')
            .next()
            .unwrap_or_default()
    }

    pub(super) fn may_be_log(&self) -> bool {
        [".json", ".jsonl", ".eval"]
            .iter()
            .any(|suffix| self.name.ends_with(suffix))
    }

    /// Returns the name of the file without its suffix.
    pub(super) fn stem(&self) -> &str {
        let base = self.base();
        base.rsplit_once('.')
            .map_or(base, |(stem, _)| stem)
    }

    /// Returns the names of the directories in which it is, the innermost first.
    pub(super) fn dirs(&self) -> impl Iterator<Item = &str> {
        self.name.rsplit('/').skip(1)
    }
}

/// The files of one log, while they are read.
pub(super) struct Log<'l> {
    pub(super) files: &'l [LogFile],
    /// The number of files that were opened.
    opened: usize,
    reading: Option<Reading>,
    tape: Tape,
    bytes: u64,
    /// The number of values that were read.
    pub(super) lines: u64,
    pub(super) unreadable: Vec<Unreadable<'l>>,
    /// The digest of each file that was read.
    digests: Vec<String>,
    /// Why a log has no conversation yet, if its format says so.
    pub(super) nothing_yet: Option<String>,
    /// `true` if a file was read that is none of the log.
    has_others: Cell<bool>,
}

/// A line that could not be read.
pub(super) struct Unreadable<'l> {
    pub(super) path: &'l str,
    pub(super) line: u64,
    pub(super) why: String,
}

/// A file that is being read.
#[expect(clippy::large_enum_variant, reason = "there is one for each log")]
enum Reading {
    /// Its lines, and `true` before the first one.
    Lines(Lines<Hashed>, bool),
    /// A file that is no list of lines: its content, and what of it is not read yet.
    Values(Vec<u8>, usize),
    /// An archive whose members are values.
    Members(Archive),
}

/// A file whose bytes are hashed as they are read.
struct Hashed {
    file: OpenFile,
    hash: Sha256,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.hash
            .update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// A value of a log.
pub(super) struct Entry {
    /// The number of its file.
    pub(super) file: usize,
    pub(super) value: Value,
}

impl<'l> Log<'l> {
    pub(super) fn new(files: &'l [LogFile]) -> Self {
        Self {
            files,
            opened: 0,
            reading: None,
            tape: Tape::default(),
            bytes: 0,
            lines: 0,
            unreadable: Vec::new(),
            digests: Vec::new(),
            nothing_yet: None,
            has_others: Cell::new(false),
        }
    }

    /// Returns `true` if the files of the log alone were read.
    pub(super) fn is_alone(&self) -> bool {
        !self.has_others.get()
    }

    /// Returns the first values of the file, by which its form is recognized.
    pub(super) fn head(&mut self) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        while values.len() < HEAD_VALUES && self.bytes < HEAD_BYTES {
            match self.next()? {
                Some(entry) => values.push(entry.value),
                None => break,
            }
        }

        Ok(values)
    }

    /// Returns the digest of all files that were read to their ends; of one file, of its bytes.
    pub(super) fn sha256(&self) -> String {
        match &self.digests[..] {
            [one] => one.clone(),
            all => FileDigest::of(all.join("\n").as_bytes()).to_string(),
        }
    }

    /// Returns the next value; `None` at the end of the last file.
    ///
    /// # Errors
    /// The reason why a file can't be read on.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, String> {
        loop {
            let number = self.opened.saturating_sub(1);
            let read = match self.reading.take() {
                Some(Reading::Lines(lines, is_first)) => self.next_line(lines, is_first),
                Some(Reading::Values(content, start)) => self.next_value(content, start),
                Some(Reading::Members(archive)) => Ok(self.next_member(archive)),
                None => {
                    let Some(next) = self.files.get(self.opened) else {
                        return Ok(None);
                    };
                    self.opened += 1;
                    next.file
                        .open()
                        .map_err(|why| why.to_string())
                        .and_then(reading_of)
                        .map(|reading| {
                            self.reading = Some(reading);
                            None
                        })
                }
            };

            if self.bytes > MAX_LOG_BYTES {
                return Err(format!("it is larger than {} GiB", MAX_LOG_BYTES >> 30));
            }

            if let Some(value) = read? {
                self.lines += 1;
                return Ok(Some(Entry {
                    file: number,
                    value,
                }));
            }
        }
    }

    /// Returns the value of the next line, if it has one.
    fn next_line(
        &mut self,
        mut lines: Lines<Hashed>,
        is_first: bool,
    ) -> Result<Option<Value>, String> {
        let mut is_document = false;
        let mut value = None;
        let mut is_at_end = false;

        match lines
            .next_line()
            .map_err(|why| why.to_string())?
        {
            None => is_at_end = true,
            Some(LineRead::TooLong { line }) => {
                let limit = MAX_RECORD_BYTES >> 20;
                self.unreadable(line.number, format!("it is longer than {limit} MiB"));
            }
            Some(LineRead::Text { line, bytes, ended }) => {
                self.bytes += bytes.len() as u64;
                match read(&mut self.tape, bytes) {
                    Ok(read) => value = Some(read),
                    Err(_) if is_first => is_document = true,
                    // It is still being written.
                    Err(_) if !ended => {}
                    Err(why) => self.unreadable(line.number, why),
                }
            }
        }

        if is_document {
            let (hashed, _) = lines.into_parts();
            return self.document(hashed);
        }

        if is_at_end {
            let (hashed, _) = lines.into_parts();
            self.digests
                .push(FileDigest::finish(hashed.hash).to_string());
        } else {
            self.reading = Some(Reading::Lines(lines, false));
        }

        Ok(value)
    }

    /// Returns why lines could not be read, for people: the place and the reason.
    pub(super) fn reasons(&self) -> impl Iterator<Item = String> {
        self.unreadable
            .iter()
            .map(|it| format!("{}:{}: {}", it.path, it.line, it.why))
    }

    /// Returns the path of the file that is being read.
    pub(super) fn path(&self) -> &'l str {
        let file = self
            .files
            .get(self.opened.saturating_sub(1));
        file.map_or("", |file| &file.path)
    }

    fn unreadable(&mut self, line: u64, why: String) {
        let path = self.path();
        self.unreadable
            .push(Unreadable { path, line, why });
    }

    /// Reads a file whose first line is no value as a whole.
    fn document(&mut self, started: Hashed) -> Result<Option<Value>, String> {
        use io::Seek as _;
        let version = |file: &OpenFile| {
            file.metadata()
                .ok()
                .map(|it| (it.len(), it.modified().ok()))
        };

        let mut file = started.file;
        let before = version(&file);
        let mut content = Vec::new();
        file.rewind()
            .map_err(|why| why.to_string())?;

        let most = MAX_RECORD_BYTES as u64 + 1;
        file.by_ref()
            .take(most)
            .read_to_end(&mut content)
            .map_err(|why| why.to_string())?;
        if content.len() > MAX_RECORD_BYTES {
            let limit = MAX_RECORD_BYTES >> 20;
            return Err(format!(
                "it is larger than {limit} MiB, and no list of lines"
            ));
        }

        if before != version(&file) {
            return Err("it was changed while it was read".into());
        }

        self.digests
            .push(FileDigest::of(&content).to_string());
        self.next_value(content, 0)
    }

    /// Returns the value of the next member of an archive, if it can be read.
    fn next_member(&mut self, mut archive: Archive) -> Option<Value> {
        let (name, content) = archive.next()?;
        self.reading = Some(Reading::Members(archive));
        let value = content.and_then(|content| {
            self.bytes += content.len() as u64;
            read(&mut self.tape, &content)
        });
        let broken = |why| self.unreadable(self.lines + 1, format!("{name}: {why}"));
        value.map_err(broken).ok()
    }

    /// Returns a file that a value of the log refers to, by its path from the file of that value.
    pub(super) fn beside(&self, number: usize, path: &str) -> Option<Vec<u8>> {
        self.has_others.set(true);
        let file = self
            .files
            .own(number)
            .file
            .beside(path)?;
        let mut content = Vec::new();
        let most = MAX_RECORD_BYTES as u64;

        file.open()
            .ok()?
            .take(most)
            .read_to_end(&mut content)
            .ok()
            .map(|_| content)
    }

    /// Returns the next value of a file that is no list of lines.
    fn next_value(&mut self, content: Vec<u8>, start: usize) -> Result<Option<Value>, String> {
        let span = span_of_value(&content, start);
        if span.is_empty() {
            return Ok(None);
        }

        let bytes = content
            .get(span.clone())
            .unwrap_or_default();
        self.bytes += bytes.len() as u64;

        let value = read(&mut self.tape, bytes)?;
        self.reading = Some(Reading::Values(content, span.end));

        Ok(Some(value))
    }
}

/// Returns how a file is read.
fn reading_of(mut file: OpenFile) -> Result<Reading, String> {
    use io::Seek as _;
    let mut start = Vec::new();
    let most = archive::MAGIC.len() as u64;
    file.by_ref()
        .take(most)
        .read_to_end(&mut start)
        .and_then(|_| file.rewind())
        .map_err(|why| why.to_string())?;
    if start == archive::MAGIC {
        return Archive::open(file).map(Reading::Members);
    }

    let hash = Sha256::new();
    let lines = Lines::new(Hashed { file, hash }, Vec::new(), MAX_RECORD_BYTES);
    Ok(Reading::Lines(lines, true))
}

fn read(tape: &mut Tape, bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(bytes);
    read_json(tape, bytes).or_else(|why| {
        let numbers = without_other_numbers(bytes).ok_or(why)?;
        read_json(tape, &numbers)
    })
}

/// Returns a text with `null` for the numbers that Python writes and JSON does not have; `None` if
/// it has none of them.
fn without_other_numbers(bytes: &[u8]) -> Option<Vec<u8>> {
    const WORDS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
    let mut written = Vec::new();
    let (mut is_text, mut is_escaped, mut has_any) = (false, false, false);
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        let word = WORDS
            .iter()
            .find(|word| !is_text && rest.starts_with(word));
        if let Some(after) = word.and_then(|word| rest.strip_prefix(*word)) {
            written.extend_from_slice(b"null");
            has_any = true;
            rest = after;
            continue;
        }

        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ => {}
        }

        written.push(*byte);
        rest = after;
    }

    has_any.then_some(written)
}

fn read_json(tape: &mut Tape, bytes: &[u8]) -> Result<Value, String> {
    let value = tape
        .read_record(bytes)
        .map(|document| document.root().to_value())
        .map_err(|why| format!("it is {why}"));
    tape.release();

    value
}

/// Returns where the next of several values stands, by the containers that are open.
fn span_of_value(content: &[u8], start: usize) -> Range<usize> {
    let blank = content
        .get(start..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace());
    let start = start + blank.count();
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);

    for (at, byte) in content.iter().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return start..at + 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }

    start..content.len()
}
