//! The files that a user writes for runvet -> their location and their content.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::path::{directory_of, is_gone, regular};
use crate::ground::printable::escape;
use crate::ground::source::{Artifact, EPISODES};
use crate::store::find::nature::{is_foreign, names_episodes, run_data};
use crate::store::open::{EpisodeDir, list, records_in};

/// The name of the configuration.
const CONFIG: &str = "runvet.toml";

/// The file in which other programs for Python keep their settings.
const PYPROJECT: &str = "pyproject.toml";

/// The number of bytes of a user's file that are read, at most.
const MAX_BYTES: u64 = 256 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The number of links that lead to a file, at most: that of Linux.
const MAX_LINKS: usize = 40;

/// What a search for the configuration finds. Paths are relative to the directory that the search
/// starts from.
pub(crate) struct ConfigSearch {
    /// The nearest `runvet.toml` that is not inside run data.
    pub(crate) nearest: Option<PathBuf>,
    /// Those nearer that are inside run data, each with the path that shows it.
    pub(crate) in_run_data: Vec<(PathBuf, PathBuf)>,
    /// Files no farther away that a user may take for the configuration.
    pub(crate) misnamed: Vec<PathBuf>,
}

/// Looks for `runvet.toml` from a directory upward to the root of the repository; outside of a
/// repository, in the directory alone.
///
/// A file or a repository inside run data does not count, because the author of the run data may
/// have made it.
pub(crate) fn find_config(here: &Path) -> ConfigSearch {
    let is_repository = |dir: &Path| dir.join(".git").exists();
    let is_root = |dir: &Path| is_repository(dir) && sign_of_run_data(dir).is_none();
    // A root that is run data is searched too: a file there is named, though it is not read.
    let levels = here
        .ancestors()
        .position(is_root)
        .or_else(|| here.ancestors().position(is_repository));
    let mut search = ConfigSearch {
        nearest: None,
        in_run_data: Vec::new(),
        misnamed: Vec::new(),
    };

    for (level, dir) in here
        .ancestors()
        .take(levels.unwrap_or(0) + 1)
        .enumerate()
    {
        let above: PathBuf = std::iter::repeat_n("..", level).collect();
        let misnamed = misnamed_configs(dir).into_iter();
        search
            .misnamed
            .extend(misnamed.map(|name| above.join(name)));

        // A file that exists but can't be read must not be ignored.
        let path = dir.join(CONFIG);
        if is_gone(&path) {
            continue;
        }

        let unknown = |_| path.exists().then(|| path.clone());
        let Some(sign) = lies_in_run_data(&path).unwrap_or_else(unknown) else {
            search.nearest = Some(above.join(CONFIG));
            break;
        };

        search
            .in_run_data
            .push((above.join(CONFIG), sign));
    }

    search
}

/// Returns the names of files in a directory that a user may take for the configuration, sorted:
/// `.runvet.toml`, `runvet.yaml`, or a `pyproject.toml` with a table for runvet.
fn misnamed_configs(dir: &Path) -> Vec<OsString> {
    let entries = dir
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    let is_config = |name: &OsString| {
        let lower = name.to_string_lossy().to_lowercase();
        let (stem, ending) = lower
            .rsplit_once('.')
            .unwrap_or_default();
        let is_ours = matches!(stem, "runvet" | ".runvet") && name != CONFIG;
        is_ours && matches!(ending, "toml" | "yaml" | "yml" | "json" | "ini" | "cfg")
            || name == PYPROJECT && has_our_table(&dir.join(PYPROJECT))
    };

    let mut names: Vec<OsString> = entries
        .map(|entry| entry.file_name())
        .filter(is_config)
        .filter(|name| dir.join(name).is_file())
        .collect();
    names.sort();

    names
}

/// Returns `true` if a `pyproject.toml` has a table for runvet.
fn has_our_table(path: &Path) -> bool {
    let is_ours =
        |line: &str| line.starts_with("[tool.runvet]") || line.starts_with("[tool.runvet.");
    must_be_file(path).is_ok() && read_text(path).is_ok_and(|text| text.lines().any(is_ours))
}

/// Returns each `runvet.toml` in or above some directories that no search from the working
/// directory finds, sorted: those below it, and those on the way to what lies elsewhere. Their
/// paths are relative to it where they lie below.
pub(crate) fn configs_beyond<'d>(
    here: &Path,
    dirs: impl IntoIterator<Item = &'d Path>,
) -> Vec<PathBuf> {
    let mut looked_at = BTreeSet::new();
    let mut found = BTreeSet::new();
    for dir in dirs {
        let Ok(dir) = here.join(dir).canonicalize() else {
            continue;
        };
        let above = dir
            .ancestors()
            .take_while(|dir| !here.starts_with(dir));
        for dir in above {
            if !looked_at.insert(dir.to_owned()) {
                break;
            }

            let path = dir.join(CONFIG);
            if !is_gone(&path) {
                found.insert(
                    path.strip_prefix(here)
                        .unwrap_or(&path)
                        .to_owned(),
                );
            }
        }
    }

    found.into_iter().collect()
}

/// Returns the path that shows that a directory contains run data, is an episode, or is inside run
/// data: that of a directory called `episodes`, or of a record in it or in a directory in it.
///
/// A `state.json` of another program in the directory itself counts: the author of a run that is
/// given by its path can make it look like one.
pub(crate) fn sign_of_run_data(dir: &Path) -> Option<PathBuf> {
    if names_episodes(dir) {
        return Some(run_data(dir).join(EPISODES));
    }

    let listing = list(dir).ok()?;
    let record = [Artifact::State, Artifact::Events]
        .into_iter()
        .find(|it| listing.entries.has(*it));
    let episodes = listing
        .holds_episodes
        .then_some(EPISODES);
    if let Some(name) = episodes.or(record.map(Artifact::file_name)) {
        return Some(dir.join(name));
    }

    let mut names = listing.directories;
    names.sort_unstable();
    names
        .iter()
        .find_map(|name| record_of_run(&dir.join(&**name)))
}

/// Returns the path of a record in a directory that a search finds as a run.
fn record_of_run(dir: &Path) -> Option<PathBuf> {
    let entries = records_in(dir);
    if entries.has(Artifact::Events) {
        return Some(dir.join(Artifact::Events.file_name()));
    }

    let episode = EpisodeDir {
        entries: list(dir)
            .ok()
            .filter(|_| entries.has(Artifact::State))?
            .entries,
        ..EpisodeDir::below(dir, dir.to_owned())
    };

    let is_alone = episode
        .entries
        .without(Artifact::State)
        .is_empty();
    let is_run = !(is_alone && is_foreign(&episode));

    is_run.then(|| dir.join(Artifact::State.file_name()))
}

/// Returns the path that shows that a file, or a link on the way to it, lies inside run data at the
/// time of the look.
///
/// # Errors
///
/// A link can't be followed.
fn lies_in_run_data(given: &Path) -> io::Result<Option<PathBuf>> {
    let sign = sign_of_run_data(directory_of(given));
    if sign.is_some() {
        return Ok(sign);
    }

    let mut path = Path::new(".").join(given);
    for links in 0..=MAX_LINKS {
        let link = path
            .ancestors()
            .filter(|it| it.is_symlink())
            .last();
        let dir = link
            .unwrap_or(&path)
            .parent()
            .unwrap_or(&path);
        // Without a link, the path is one that the user wrote.
        if links > 0
            && let Some(sign) = sign_of_run_data(&dir.canonicalize()?)
        {
            return Ok(Some(sign));
        }

        let Some(link) = link else { return Ok(None) };
        let rest = path
            .strip_prefix(link)
            .unwrap_or(Path::new(""));

        path = dir
            .join(link.read_link()?)
            .join(rest)
            .components()
            .collect();
    }

    Err(io::Error::other("too many links lead to it"))
}

/// Returns an error if a file that was found by its name is not a regular file: reading a FIFO
/// would block.
pub(crate) fn must_be_file(path: &Path) -> io::Result<()> {
    regular(path.metadata()?).map(drop)
}

/// Returns an error if a file that decides what is judged, or a link to it, lies inside run data:
/// the author of that may have written it.
pub(crate) fn must_be_trusted(path: &Path) -> io::Result<()> {
    match lies_in_run_data(path)? {
        None => Ok(()),
        Some(sign) => {
            let sign = sign.to_string_lossy();
            let why = format!("it lies inside run data, because of {}", escape(&sign));
            Err(io::Error::other(why))
        }
    }
}

/// Reads a text that decides what is judged.
pub(crate) fn read_trusted(path: &Path) -> io::Result<String> {
    must_be_trusted(path)?;
    read_text(path)
}

/// Opens a regular file that the user named, to read it more than once, if it is not larger than a
/// limit.
pub(crate) fn open_up_to(path: &Path, most: u64) -> io::Result<impl Read + Seek + use<>> {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = regular(file.metadata()?)?;
    if found.len() > most {
        let most = most >> 30;
        return Err(io::Error::other(format!("it is larger than {most} GiB")));
    }

    Ok(file)
}

/// Opens a file that the user named, to read it from its start to its end.
pub(crate) fn open_given(path: &Path) -> io::Result<impl Read + use<>> {
    File::open(path)
}

/// Reads a text that the user named, without the byte order mark that some editors put before it.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it is longer than {} MiB",
            MAX_BYTES >> 20
        )));
    }

    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }

    Ok(text)
}
