//! The index of git -> the runs that the next commit changes, with their records as it leaves them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::command::{git, git_in, listed, pathspecs, shown, top};
use crate::ground::source::{Artifact, EPISODES, EpisodeKey};
use crate::store::find::nature::{below_episodes, is_foreign_state, names_episodes};
use crate::store::path;
use crate::store::read::{Content, InMemory, MAX_RECORD_BYTES, Unreadable};

/// The number of bytes of a timeline in the index that are read, at most: it is held in memory.
const MAX_TIMELINE_BYTES: u64 = 1 << 30;

/// The runs that the next commit changes.
pub(crate) struct StagedRuns {
    top: PathBuf,
    /// The path of the working directory from the top of the working tree on.
    prefix: PathBuf,
    index: BTreeMap<PathBuf, Entry>,
    /// The directories of runs, from the top of the working tree on.
    dirs: Vec<PathBuf>,
    /// The directories from which the commit removes a whole run.
    pub(crate) deleted: Vec<PathBuf>,
    /// Artifacts of these runs that exist and are not in the index.
    pub(crate) left_out: Vec<PathBuf>,
    /// The number of other runs of which nothing is in the index.
    pub(crate) unknown_runs: u64,
}

/// A file in the index.
struct Entry {
    is_file: bool,
    /// The name of its content.
    object: String,
}

impl StagedRuns {
    /// Reads the index. The runs of given paths, which are files or directories, are taken besides
    /// those that the commit changes.
    pub(crate) fn read(given: &[PathBuf]) -> Result<Self, String> {
        let top = top()?;
        let prefix = git(Path::new("."), ["rev-parse", "--show-prefix"])?;
        let prefix = path::from_bytes(prefix.trim_ascii_end().to_vec());
        let artifacts = pathspecs(&[]);
        let list = |command: &str| {
            let artifacts = artifacts.iter().map(String::as_str);
            git(
                &top,
                command
                    .split(' ')
                    .chain(["--"])
                    .chain(artifacts),
            )
        };

        let index = entries(&list("ls-files --stage -z")?)?;
        let has_commit = git(&top, ["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok();
        let staged = "diff-index --cached --name-only -z --no-renames --ignore-submodules=all HEAD";
        let changed: BTreeSet<PathBuf> = if has_commit {
            listed(&list(staged)?).collect()
        } else {
            index.keys().cloned().collect()
        };

        let others = list("ls-files --others -z")?;
        let mut runs = Self {
            prefix,
            index,
            dirs: Vec::new(),
            deleted: Vec::new(),
            left_out: Vec::new(),
            unknown_runs: 0,
            top,
        };

        runs.choose(&changed, given);
        runs.note_others(listed(&others));
        Ok(runs)
    }

    /// Decides which directories are those of runs.
    fn choose(&mut self, changed: &BTreeSet<PathBuf>, given: &[PathBuf]) {
        let touched: BTreeSet<&Path> = changed
            .iter()
            .filter_map(|path| path.parent())
            .collect();
        for dir in touched {
            let had_record = [Artifact::State, Artifact::Events, Artifact::Summary]
                .iter()
                .map(|it| dir.join(it.file_name()))
                .any(|path| changed.contains(&path));
            let is_left = Artifact::ALL
                .iter()
                .any(|it| self.has(dir, *it));
            if !is_left && had_record && !self.is_in_run(dir) {
                self.deleted.push(self.typed(dir));
            } else if is_left && (had_record && below_episodes(dir) || self.is_run(dir)) {
                self.dirs.push(dir.to_owned());
            }
        }

        let given: BTreeSet<PathBuf> = given
            .iter()
            .map(|path| self.prefixed(path))
            .collect();
        let of_files: BTreeSet<&Path> = given
            .iter()
            .filter_map(|path| path.parent())
            .collect();
        let all: BTreeSet<&Path> = self
            .index
            .keys()
            .filter_map(|path| path.parent())
            .collect();
        let is_given = |dir: &&Path| {
            let is_below = || {
                dir.ancestors()
                    .any(|above| given.contains(above))
            };
            of_files.contains(dir) || is_below()
        };

        let of_given: Vec<PathBuf> = all
            .into_iter()
            .filter(is_given)
            .filter(|it| self.is_run(it))
            .map(Path::to_owned)
            .collect();
        self.dirs.extend(of_given);
        self.dirs.sort();
        self.dirs.dedup();

        let mut dirs = std::mem::take(&mut self.dirs);
        dirs.retain(|dir| !self.is_in_run(dir));
        self.dirs = dirs;
    }

    /// Notes which artifacts are not in the index, by their paths.
    fn note_others(&mut self, others: impl Iterator<Item = PathBuf>) {
        let mut unknown = BTreeSet::new();
        for path in others {
            let dir = path
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned();
            if self.dirs.binary_search(&dir).is_ok() {
                self.left_out.push(self.typed(&path));
            } else if below_episodes(&dir)
                && dir
                    .file_name()
                    .is_some_and(|it| it != EPISODES)
            {
                unknown.insert(dir);
            }
        }

        let is_unknown = |dir: &&PathBuf| !self.is_run(dir) && !self.is_in_run(dir);
        self.unknown_runs = unknown
            .iter()
            .filter(is_unknown)
            .count() as u64;
    }

    fn has(&self, dir: &Path, artifact: Artifact) -> bool {
        self.index
            .contains_key(&dir.join(artifact.file_name()))
    }

    /// Returns `true` if the index makes a directory a run.
    fn is_run(&self, dir: &Path) -> bool {
        let is_record = self.has(dir, Artifact::State) || self.has(dir, Artifact::Events);
        let is_summary = self.has(dir, Artifact::Summary) && below_episodes(dir);
        is_record && !dir.ends_with(EPISODES) || is_summary
    }

    /// Returns `true` if a directory lies in a run below `episodes`, where nothing is judged.
    fn is_in_run(&self, dir: &Path) -> bool {
        dir.ancestors()
            .skip(1)
            .any(|it| below_episodes(it) && self.is_run(it))
    }

    /// Returns the path of what is named from the top of the working tree on, as a user would type
    /// it in the working directory.
    fn typed(&self, path: &Path) -> PathBuf {
        let shared = path
            .components()
            .zip(self.prefix.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up = self.prefix.components().count() - shared;
        let typed: PathBuf = std::iter::repeat_n(Component::ParentDir, up)
            .chain(path.components().skip(shared))
            .collect();

        if typed.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            typed
        }
    }

    /// Returns a path, from the top of the working tree on, that a user typed.
    fn prefixed(&self, typed: &Path) -> PathBuf {
        let mut path = self.prefix.clone();
        for part in typed.components() {
            match part {
                Component::Normal(name) => path.push(name),
                Component::ParentDir => drop(path.pop()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => path = PathBuf::from("/"),
            }
        }

        path.strip_prefix(&self.top)
            .map_or(path.clone(), Path::to_owned)
    }

    /// Returns the paths of the runs, as a user would type them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.dirs
            .iter()
            .map(|dir| self.typed(dir))
    }

    /// Returns the runs of which a search would find a record, each with its key, its id where its
    /// place gives one, and its artifacts.
    pub(crate) fn runs(
        &self,
    ) -> Result<impl Iterator<Item = (EpisodeKey, Option<String>, InMemory<'static>)>, String> {
        let mut objects =
            Objects::start(&self.top).map_err(|why| format!("can't run git: {why}"))?;
        Ok(self.dirs.iter().filter_map(move |dir| {
            let there: Vec<(Artifact, Content<'static>)> = Artifact::ALL
                .into_iter()
                .filter_map(|artifact| {
                    let entry = self
                        .index
                        .get(&dir.join(artifact.file_name()))?;
                    Some((artifact, objects.content(artifact, entry)))
                })
                .collect();
            let is_below = below_episodes(dir);

            if let [(Artifact::State, Content::Shared(bytes))] = &*there
                && !names_episodes(dir)
                && is_foreign_state(bytes)
            {
                return None;
            }

            let id = dir
                .file_name()
                .filter(|_| is_below)
                .map(|name| name.to_string_lossy().into_owned());
            Some((
                EpisodeKey::Dir(self.typed(dir)),
                id,
                there.into_iter().collect(),
            ))
        }))
    }
}

/// Returns the entries of the index that git lists: mode, object, stage and path.
fn entries(list: &[u8]) -> Result<BTreeMap<PathBuf, Entry>, String> {
    let mut index = BTreeMap::new();
    for line in list
        .split(|byte| *byte == 0)
        .filter(|it| !it.is_empty())
    {
        let at = line
            .iter()
            .position(|byte| *byte == b'\t')
            .unwrap_or(line.len());
        let (facts, name) = line.split_at(at);
        let path = path::from_bytes(name.iter().skip(1).copied().collect());
        let facts = String::from_utf8_lossy(facts);
        let mut facts = facts.split(' ');
        let [mode, object, stage] = [(); 3].map(|()| facts.next().unwrap_or_default());

        if stage != "0" {
            return Err(format!("{} has a conflict; resolve it first", shown(&path)));
        }

        let entry = Entry {
            is_file: mode.starts_with("100"),
            object: object.to_owned(),
        };

        index.insert(path, entry);
    }

    Ok(index)
}

/// A git that gives the contents of objects, one after the other.
struct Objects {
    git: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Objects {
    fn drop(&mut self) {
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

impl Objects {
    fn start(top: &Path) -> io::Result<Self> {
        let mut git = git_in(top)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(questions), Some(answers)) = (git.stdin.take(), git.stdout.take()) else {
            return Err(io::Error::other("it has no input or output"));
        };

        Ok(Self {
            git,
            questions,
            answers: BufReader::new(answers),
        })
    }

    fn content(&mut self, artifact: Artifact, entry: &Entry) -> Content<'static> {
        if !entry.is_file {
            return Content::Unreadable(Unreadable::Link);
        }

        let limit = match artifact {
            Artifact::Events | Artifact::Learn => MAX_TIMELINE_BYTES,
            _ => MAX_RECORD_BYTES as u64,
        };

        match self.object(&entry.object, limit) {
            Ok(Some(bytes)) => Content::Shared(bytes.into()),
            Ok(None) => Content::Unreadable(Unreadable::TooLarge(limit)),
            Err(why) => Content::Unreadable(Unreadable::Fault(format!("git failed: {why}"))),
        }
    }

    /// Returns the bytes of an object; `None` where they are more than a limit.
    fn object(&mut self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        writeln!(self.questions, "{name}")?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;

        let size = head
            .trim_end()
            .rsplit(' ')
            .next()
            .and_then(|it| it.parse::<u64>().ok())
            .ok_or_else(|| io::Error::other(head.trim_end().to_owned()))?;
        // A newline follows the object.
        let mut answer = self.answers.by_ref().take(size + 1);
        if size > limit {
            io::copy(&mut answer, &mut io::sink())?;
            return Ok(None);
        }

        let mut bytes = Vec::new();
        answer.read_to_end(&mut bytes)?;
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));

        Ok(Some(bytes))
    }
}
