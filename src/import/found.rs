//! Paths -> the logs at or below them, each with all its files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::formats::{self, FORMATS, Format, Ties};
use super::log::{BYTE_ORDER_MARK, Log, LogFile};
use super::memory::{FileState, NoLog, Recognized};
use super::{Import, Imported, MAX_NAMED, Memory, archive};
use crate::ground::Own;
use crate::ground::printable::count;
use crate::store::{FilesBelow, display};

/// The first bytes of a file, by which it may be known that it is no JSON, and what a database has.
const SNIFFED: u64 = 1 << 16;

/// The files of one log.
pub(super) struct Group {
    pub(super) format: &'static Format,
    pub(super) files: Vec<LogFile>,
    /// The files as they were before they were read.
    pub(super) states: Vec<FileState>,
}

/// What is found below the paths.
#[derive(Default)]
pub(super) struct Found {
    pub(super) groups: Vec<Group>,
    pub(super) others: BTreeMap<String, u64>,
    pub(super) report: Imported,
}

impl Found {
    /// Adds the files at or below a path that are no logs: each is an error if it is meant, else it
    /// is counted. A file that was named is meant, and so is each of a directory without logs.
    fn add_others(&mut self, path: &Path, others: Vec<(LogFile, NoLog)>, is_log_dir: bool) {
        let errors = &mut self.report.errors;
        let mut unnamed = 0;
        for (number, (file, no_log)) in others.into_iter().enumerate() {
            let is_meant = !is_log_dir || file.file.is_given || no_log.is_broken;
            if !is_meant {
                *self
                    .others
                    .entry(suffix_of(&file))
                    .or_default() += 1;
            } else if number < MAX_NAMED {
                errors.push(format!("{}: {}", file.path, no_log.why));
            } else {
                unnamed += 1;
            }
        }

        let path = display(path);
        if unnamed > 0 {
            errors.push(format!("{path}: {unnamed} more files are no logs"));
        } else if !is_log_dir && errors.is_empty() {
            errors.push(format!("{path}: there is no log"));
        }
    }
}

/// Returns the suffix of a file, for a note.
fn suffix_of(file: &LogFile) -> String {
    Path::new(file.base())
        .extension()
        .and_then(OsStr::to_str)
        .map_or("without suffix".into(), |suffix| format!(".{suffix}"))
}

impl Import {
    /// Finds the logs at or below a path.
    pub(super) fn find(
        &self,
        path: &Path,
        memory: &mut Memory,
        found: &mut Found,
    ) -> io::Result<()> {
        let below = FilesBelow::of(path, &self.into)?;
        let report = &mut found.report;
        if below.links > 0 {
            let links = count(below.links, "link");
            report
                .notes
                .push(format!("{}: {links} not followed", display(path)));
        }

        report.faults.extend(
            below
                .faults
                .iter()
                .map(ToString::to_string),
        );

        let mut tied = Tied::default();
        let mut others = Vec::new();
        for file in below.files {
            let state = FileState::new(file.path(), file.version());
            let file = LogFile::new(file);
            let recognized = memory
                .recognized(&state)
                .unwrap_or_else(|| {
                    let recognized = self.recognize(&file);
                    memory.keep_recognized(&state, &recognized);
                    recognized
                });
            match recognized {
                Ok((format, common)) => tied.add(format, common, TiedFile { file, state }),
                Err(no_log) => others.push((file, no_log)),
            }
        }

        let groups = tied.groups();
        found.add_others(path, others, !groups.is_empty());
        found.groups.extend(groups);
        Ok(())
    }

    /// Returns the format of a file, and what ties it to others of the same log.
    fn recognize(&self, file: &LogFile) -> Recognized {
        let broken = |why: String| NoLog {
            is_broken: file.may_be_log(),
            why,
        };

        let other = |why| NoLog {
            is_broken: false,
            why,
        };

        let start = file
            .file
            .beginning(SNIFFED)
            .map_err(|why| NoLog {
                is_broken: true,
                why: why.to_string(),
            })?;
        let first = start
            .strip_prefix(BYTE_ORDER_MARK)
            .unwrap_or(&start)
            .iter()
            .find(|byte| !byte.is_ascii_whitespace());
        if !(matches!(first, Some(b'{' | b'[')) || start.starts_with(archive::MAGIC)) {
            return Err(other(formats::looks_like(&start)));
        }

        let mut log = Log::new(std::slice::from_ref(file));
        let head = log.head().map_err(broken)?;
        if let Some(first) = log
            .unreadable
            .first()
            .filter(|_| head.is_empty())
        {
            return Err(broken(format!("line {}: {}", first.line, first.why)));
        }

        let is_wanted = |format: &&Format| {
            self.format
                .is_none_or(|name| name == format.name)
        };

        let format = FORMATS
            .iter()
            .filter(is_wanted)
            .find(|format| (format.is_form)(&head))
            .ok_or_else(|| other(formats::looks_like_json(head.first())))?;
        let mut ties = BTreeSet::new();
        if let Ties::First(tie) | Ties::Every(tie) = format.ties {
            for value in &head {
                tie(file, value, &mut ties);
            }
        }

        if let Ties::Every(tie) = format.ties {
            while let Some(entry) = log.next().map_err(broken)? {
                tie(file, &entry.value, &mut ties);
            }
        }

        Ok((format, ties))
    }
}

/// A file of a log, as it was before it was read.
struct TiedFile {
    file: LogFile,
    state: FileState,
}

/// Files, grouped by what ties them to each other.
#[derive(Default)]
struct Tied {
    files: Vec<(&'static Format, TiedFile)>,
    /// For each file, one before it in the same group, or itself.
    before: Vec<usize>,
    by_tie: BTreeMap<(&'static str, String), usize>,
}

impl Tied {
    fn add(&mut self, format: &'static Format, ties: BTreeSet<String>, file: TiedFile) {
        let number = self.files.len();
        self.files.push((format, file));
        self.before.push(number);

        for tie in ties {
            let known = *self
                .by_tie
                .entry((format.name, tie))
                .or_insert(number);
            let (one, other) = (self.first_of(known), self.first_of(number));
            *self.before.own_mut(one.max(other)) = one.min(other);
        }
    }

    /// Returns the first file of the group of a file.
    fn first_of(&self, mut file: usize) -> usize {
        while *self.before.own(file) != file {
            file = *self.before.own(file);
        }

        file
    }

    fn groups(mut self) -> Vec<Group> {
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for (number, (format, file)) in std::mem::take(&mut self.files)
            .into_iter()
            .enumerate()
        {
            let group = groups.entry(self.first_of(number));
            let new = || Group {
                format,
                files: Vec::new(),
                states: Vec::new(),
            };

            let group = group.or_insert_with(new);
            group.files.push(file.file);
            group.states.push(file.state);
        }

        groups.into_values().collect()
    }
}
