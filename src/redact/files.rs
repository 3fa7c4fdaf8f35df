//! The files of a run besides its records -> placeholders of their bytes, under names without
//! digests and secrets of the old ones.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use super::error::Error;
use super::keyed::is_placeholder;
use super::known::{Changed, Content, Known, KnownFile, RunningContent};
use super::names::{Attached, Paths};
use super::rules::Rules;
use super::run::RunCopy;
use super::writer::{Writer, in_case_of};
use crate::ground::digest::FileDigest;
use crate::ground::document::Tape;
use crate::store::{MAX_RECORD_BYTES, TreeEntry};

/// The number of bytes that are read at a time.
const PART: usize = 256 << 10;

/// The number of bytes of a placeholder: a file of another size is none.
const PLACEHOLDER_BYTES: usize = 43;

impl RunCopy<'_> {
    /// Copies all that is no record: directories, files and links.
    pub(super) fn others(&self, attached: &Attached, known: &mut Known) -> Result<(), Error> {
        for (path, entry) in &self.tree.entries {
            if self.is_record(path) {
                continue;
            }

            let to = self.renamed(path);
            let made = match entry {
                TreeEntry::Directory => self.to.dir(&self.path(&to)),
                TreeEntry::Special => self.to.special(&self.path(&to)),
                TreeEntry::Link(_) => continue,
                TreeEntry::File => {
                    self.file(path, attached, known)?;
                    continue;
                }
            };

            made.map_err(Error::io("writing", &to))?;
        }

        // Links may lead to files that are renamed.
        for (path, entry) in &self.tree.entries {
            if let TreeEntry::Link(target) = entry {
                let to = self.renamed(path);
                let target = self.target(path, target, known);
                self.to
                    .link(&self.path(&to), &target)
                    .map_err(Error::io("writing", &to))?;
            }
        }

        Ok(())
    }

    /// Returns the path of an entry in the copy, but for digests in the names of files.
    fn renamed(&self, path: &Path) -> PathBuf {
        path.iter()
            .map(|name| self.rules.name(name))
            .collect()
    }

    fn file(&self, path: &Path, attached: &Attached, known: &mut Known) -> Result<(), Error> {
        let name = path.to_str();
        let is_kept = self.rules.keep_file(path);
        let (was, is) = if is_kept {
            (self.content(path, &mut |_| Ok(()))?, None)
        } else {
            let paths = name.and_then(|name| attached.get(name));
            let (was, is) = self.redacted(path, paths)?;
            (was, Some(is))
        };

        let changed = Changed {
            was,
            is: is.as_deref().map_or(was, Content::of),
        };

        let mut to = self.renamed(path);
        if !is_kept && let Some(file_name) = to.file_name().and_then(OsStr::to_str) {
            to.set_file_name(without_digests(file_name, changed, self.rules));
        }

        self.write(path, &to, is.as_deref())?;
        if let (Some(name), Some(to)) = (name, to.to_str()) {
            let file = KnownFile {
                path: to.to_owned(),
                is_renamed: to != name,
                changed,
            };
            known.add(name.to_owned(), file);
        }

        Ok(())
    }

    /// Writes a file of the copy: these bytes, or those of the file at a path.
    fn write(&self, path: &Path, to: &Path, bytes: Option<&[u8]>) -> Result<(), Error> {
        let writing = |error| Error::io("writing", to)(error);
        let mut file = self
            .to
            .file(&self.path(to))
            .map_err(writing)?;
        match bytes {
            Some(bytes) => file.write_all(bytes).map_err(writing)?,
            None => {
                self.content(path, &mut |part| file.write_all(part))?;
            }
        }

        file.flush().map_err(writing)
    }

    /// Returns what a file has, and what it becomes: that of a shortened value at some places, or a
    /// placeholder.
    fn redacted(&self, path: &Path, paths: Option<&Paths>) -> Result<(Content, Vec<u8>), Error> {
        if let Some(paths) = paths
            && let Some(value) = self.value(path, paths)?
        {
            return Ok(value);
        }

        let mut mac = self.rules.keyed.mac();
        let mut head = Vec::new();
        let was = self.content(path, &mut |part| {
            mac.add(part);
            if head.len() <= PLACEHOLDER_BYTES {
                head.extend_from_slice(part);
            }
            Ok(())
        })?;
        let text = str::from_utf8(&head).unwrap_or_default();
        let is = match head.len() {
            0 => Vec::new(),
            PLACEHOLDER_BYTES if is_placeholder(text) => head,
            _ => mac.placeholder().into_bytes(),
        };

        Ok((was, is))
    }

    /// Returns what becomes of the file of a shortened value: `.txt` is one text, `.json` a value.
    fn value(&self, path: &Path, paths: &Paths) -> Result<Option<(Content, Vec<u8>)>, Error> {
        let is_text = path
            .extension()
            .is_some_and(|it| it == "txt");
        let is_json = path
            .extension()
            .is_some_and(|it| it == "json");
        // A text that goes need not be looked at.
        if !(is_json || is_text && self.rules.have_names()) {
            return Ok(None);
        }

        let bytes = self
            .tree
            .read(path, MAX_RECORD_BYTES)
            .map_err(|why| self.unreadable(path, &why))?;
        let Some(bytes) = bytes else {
            return Err(self.too_large(path));
        };
        let was = Content::of(&bytes);

        if is_text {
            let text = str::from_utf8(&bytes).ok();
            let goes = |text: &str| self.rules.fits(text) || self.rules.redact(text, false, paths);
            let stays = text.filter(|text| !goes(text));
            return Ok(stays.map(|text| (was, text.as_bytes().to_vec())));
        }

        let mut tape = Tape::default();
        let none = Known::default();
        let document = tape.read_record(&bytes).ok();
        let is = document.map(|document| Writer::new(self.rules, &none).value(document, paths));

        Ok(is.map(|is| (was, is)))
    }

    /// Reads a file; returns its digest and size.
    fn content(
        &self,
        path: &Path,
        each: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Content, Error> {
        let unreadable = |why: io::Error| self.unreadable(path, &why);
        let mut file = self
            .tree
            .file(path)
            .map_err(unreadable)?;
        let (mut content, mut buffer) = (RunningContent::default(), vec![0; PART]);

        loop {
            let count = match file.read(&mut buffer) {
                Ok(0) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(unreadable)?,
            };
            let part = buffer.get(..count).unwrap_or_default();
            content.add(part);
            each(part).map_err(Error::io("writing", path))?;
        }

        Ok(content.so_far())
    }

    /// Returns where a link leads to in the copy: one within the run to the same entry, another to
    /// nothing.
    fn target(&self, path: &Path, target: &Path, known: &Known) -> PathBuf {
        let mut level = path.iter().count() - 1;
        let mut is_within = !target.as_os_str().is_empty();
        for part in target.components() {
            match part {
                Component::ParentDir if level > 0 => level -= 1,
                Component::Normal(_) => level += 1,
                Component::CurDir => {}
                _ => is_within = false,
            }
        }

        let text = target.to_str().filter(|_| is_within);
        let Some(text) = text else {
            let name = self
                .rules
                .keyed
                .id(target.as_os_str().as_encoded_bytes());
            let is_one = target
                .to_str()
                .is_some_and(is_placeholder);
            return if is_one {
                target.to_owned()
            } else {
                name.into()
            };
        };

        let from = path.parent().unwrap_or(Path::new(""));
        let file = known.file(&from.join(target).to_string_lossy());
        let renamed = file.filter(|file| file.is_renamed);
        let file_name = renamed.and_then(|file| Path::new(&file.path).file_name());
        let renamed = self.renamed(Path::new(text));

        match file_name {
            Some(name) => renamed.with_file_name(name),
            None if renamed == Path::new(text) => text.into(),
            None => renamed,
        }
    }
}

/// Returns the name of a file with the digests in it following: that of its content, and any other.
fn without_digests(name: &str, changed: Changed, rules: &Rules) -> String {
    if is_placeholder(
        name.split('.')
            .next()
            .unwrap_or_default(),
    ) {
        return name.to_owned();
    }

    let (mut text, mut digits) = (String::new(), String::new());
    let end = |digits: &mut String, text: &mut String| {
        text.push_str(&match digits.len() {
            0..32 => std::mem::take(digits),
            _ if FileDigest::parse(digits) == Some(changed.was.sha256) => {
                in_case_of(digits, &changed.is.sha256.to_string())
            }
            _ => rules.keyed.digest(digits),
        });
        digits.clear();
    };

    for letter in name.chars() {
        if letter.is_ascii_hexdigit() {
            digits.push(letter);
        } else {
            end(&mut digits, &mut text);
            text.push(letter);
        }
    }

    end(&mut digits, &mut text);
    text
}
