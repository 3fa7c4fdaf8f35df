//! Globs of the configuration -> whether they match a directory.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glob::{MatchOptions, Pattern};

/// A glob for paths of directories, relative to a directory.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryGlob {
    /// As it was written.
    pub(crate) text: String,
    /// At most [`MAX_PARTS`].
    parts: Vec<GlobPart>,
    /// A name that it has without wildcards.
    name: Option<String>,
    /// The file and line of the glob, and that nothing matches it.
    message: String,
    /// `true` if it has matched a directory.
    is_met: Arc<AtomicBool>,
}

/// The maximum number of parts of a glob: a set of them is a set of bits.
const MAX_PARTS: usize = 100;

/// A part of a glob between slashes.
#[derive(Clone, Debug)]
enum GlobPart {
    /// `**`: any number of names.
    AnyNames,
    Name(Pattern),
}

impl GlobPart {
    /// Returns the only name that it matches.
    fn name(&self) -> Option<&str> {
        match self {
            Self::AnyNames => None,
            Self::Name(pattern) => {
                let name = pattern.as_str();
                (!name.is_empty() && !name.contains(['*', '?', '['])).then_some(name)
            }
        }
    }
}

impl DirectoryGlob {
    /// Parses a glob, which stands at a place. A glob without `/` matches directories with that
    /// name at any depth.
    pub(crate) fn new(text: &str, place: &str) -> Result<Self, String> {
        let message = format!("{place}: no directory matches `{text}`");
        let text = text
            .trim_start_matches("./")
            .trim_end_matches('/');
        let above = text.split('/').any(|part| part == "..");
        if text.is_empty() || text.starts_with(['/', '!']) || above {
            return Err(
                "it must be a path below the directory of this file, without `..`, and not start with `/` or `!`"
                    .into(),
            );
        }

        let part = |part: &str| match part {
            "**" => Ok(GlobPart::AnyNames),
            name => Pattern::new(name)
                .map(GlobPart::Name)
                .map_err(|error| error.msg.to_owned()),
        };

        let parts = (!text.contains('/'))
            .then_some(Ok(GlobPart::AnyNames))
            .into_iter()
            .chain(text.split('/').map(part))
            .collect::<Result<Vec<_>, _>>()?;
        if parts.len() > MAX_PARTS {
            return Err(format!(
                "it has more than {MAX_PARTS} parts between slashes"
            ));
        }

        Ok(Self {
            text: text.to_owned(),
            name: parts
                .iter()
                .find_map(GlobPart::name)
                .map(str::to_owned),
            parts,
            message,
            is_met: Arc::default(),
        })
    }

    /// Returns `true` if the glob matches a directory, or one that contains it. It is compared with
    /// one name after the other, so that no name makes it try many ways.
    pub(crate) fn matches(&self, dir: &Path) -> bool {
        let as_written = MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: false,
        };

        let is_here = dir == Path::new("");
        let mut names = dir
            .iter()
            .chain(is_here.then_some(OsStr::new("")))
            .map(OsStr::to_string_lossy);
        // A configuration may have a glob for each of thousands of runs.
        if let Some(fixed) = &self.name
            && !names
                .clone()
                .any(|name| name == **fixed)
        {
            return false;
        }

        // The parts that the next name may be one of, a bit each.
        let mut open = 1_u128;
        let matches = names.any(|name| {
            let mut next = 0;
            for (index, part) in self.parts.iter().enumerate() {
                match part {
                    _ if open >> index & 1 == 0 => {}
                    GlobPart::AnyNames => {
                        open |= 2 << index;
                        let is_last = index + 1 == self.parts.len();
                        next |= if is_last { 3 << index } else { 1 << index };
                    }
                    GlobPart::Name(pattern) if pattern.matches_with(&name, as_written) => {
                        next |= 2 << index;
                    }
                    GlobPart::Name(_) => {}
                }
            }

            open = next;
            open >> self.parts.len() & 1 == 1
        });
        if matches {
            self.is_met
                .store(true, Ordering::Relaxed);
        }

        matches
    }

    /// Returns a sentence if it has matched nothing, although all directories below some, as
    /// relative paths, were searched, and the directories that it names lie there.
    pub(crate) fn unmet(&self, tops: &[PathBuf]) -> Option<&str> {
        let fixed: PathBuf = self
            .parts
            .iter()
            .map_while(GlobPart::name)
            .collect();
        let is_below = |top: &PathBuf| {
            let is_above = top
                .components()
                .all(|part| part == Component::ParentDir);
            is_above || fixed.starts_with(top) || fixed.as_os_str().is_empty()
        };

        let is_met = self.is_met.load(Ordering::Relaxed);
        (!is_met && tops.iter().any(is_below)).then_some(&*self.message)
    }
}

/// The directory that globs start from.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// The working directory, which all relative paths start from.
    pub(crate) here: PathBuf,
    pub(crate) root: PathBuf,
}

impl Default for Base {
    fn default() -> Self {
        Self {
            here: std::env::current_dir().unwrap_or_default(),
            root: PathBuf::new(),
        }
    }
}

impl Base {
    /// Returns a path as globs see it.
    pub(crate) fn relative(&self, path: &Path) -> PathBuf {
        relative(path, &self.root, &self.here)
    }
}

/// Returns the path of a directory relative to another: `runs/ep_1` from the project, `../ep_1`
/// from a sibling.
///
/// Both paths are relative to the working directory `here`; links are not resolved.
pub(crate) fn relative(path: &Path, from: &Path, here: &Path) -> PathBuf {
    let (path, from) = (plain(&here.join(path)), plain(&here.join(from)));
    let shared = path
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();

    from.components()
        .skip(shared)
        .map(|_| Component::ParentDir)
        .chain(path.components().skip(shared))
        .collect()
}

/// Returns a path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }

    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn glob_matches_below_and_bare_name_anywhere() {
        let names = |glob: &str, dir: &str| {
            DirectoryGlob::new(glob, "")
                .unwrap()
                .matches(Path::new(dir))
        };
        assert!(names("runs/old", "runs/old/episodes/ep_1"));
        assert!(names("./runs/old/", "runs/old"));
        assert!(!names("runs/old", "runs/older"));
        assert!(!names("runs/*", "runs"));
        assert!(!names("ep_old", "runs/EP_OLD"), "case counts");
        assert!(names("runs/*/ep_1", "runs/a/ep_1"));
        assert!(
            !names("runs/*/ep_1", "runs/a/b/ep_1"),
            "a star stays in its directory"
        );
        assert!(names("runs/**/ep_1", "runs/a/b/ep_1"));
        assert!(names("ep_3*", "runs/episodes/ep_31/x"));
        assert!(!names("ep_3*", "runs/episodes/ep_4"));
        assert!(names("**", "a/b") && names("*", "a/b") && names("*", ""));
        for text in [
            "a[",
            "",
            "/",
            "./",
            "/runs",
            "../runs",
            "runs/../old",
            "!runs",
        ] {
            assert!(DirectoryGlob::new(text, "").is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn glob_matches_name_by_name_as_a_whole(
            glob in prop::collection::vec(select(&["**", "*", "a", "a*b", "?", "[ab]", ".x"]), 1..5),
            dir in prop::collection::vec(select(&["a", "b", "ab", "aab", "x", ".x", "c"]), 0..6),
        ) {
            let (text, dir) = (glob.join("/"), PathBuf::from_iter(dir));
            let anywhere = format!("**/{text}");
            let whole = Pattern::new(if text.contains('/') { &text } else { &anywhere }).unwrap();
            let options = MatchOptions {
                case_sensitive: true,
                require_literal_separator: true,
                require_literal_leading_dot: false,
            };
            let matches = |dir: &Path| whole.matches_with(&dir.to_string_lossy(), options);
            let expected = dir.ancestors().any(matches);
            prop_assert_eq!(DirectoryGlob::new(&text, "").unwrap().matches(&dir), expected);
        }
    }

    #[test]
    fn name_does_not_make_a_glob_try_many_ways() {
        // Each star could end at each letter: more ways than there is time for.
        let glob = DirectoryGlob::new("runs/**/a*a*a*a*a*a*b/x", "").unwrap();
        let dir: PathBuf = ["a".repeat(250).as_str(); 14]
            .iter()
            .collect();
        assert!(!glob.matches(&Path::new("runs").join(dir)));
    }

    #[test]
    fn glob_that_matches_nothing_is_unmet_below_what_was_checked() {
        let unmet = |glob: &str, top: &str| {
            let glob = DirectoryGlob::new(glob, "f:1").unwrap();
            glob.unmet(&[top.into()])
                .map(str::to_owned)
        };
        let message = Some("f:1: no directory matches `runs/old`".to_owned());
        for top in ["", "runs", "..", "runs/old"] {
            assert_eq!(unmet("runs/old", top), message, "{top}");
        }
        assert_eq!(unmet("runs/old", "runs/new"), None);
        assert_eq!(unmet("runs/*/ep_1", "runs/new"), None);
        assert!(unmet("ep_1", "runs").is_some());
        let met = DirectoryGlob::new("ep_1", "f:1").unwrap();
        assert!(
            met.clone()
                .matches(Path::new("runs/ep_1"))
        );
        assert_eq!(met.unmet(&["".into()]), None);
    }

    #[test]
    fn directories_are_relative_to_the_project() {
        let relative = |path: &str, from: &str| {
            relative(
                Path::new(path),
                Path::new(from),
                Path::new("/home/project/sub"),
            )
        };
        assert_eq!(relative("runs/ep_1", ".."), Path::new("sub/runs/ep_1"));
        assert_eq!(relative("../runs/./ep_1", ".."), Path::new("runs/ep_1"));
        assert_eq!(
            relative("/home/other/ep_1", ".."),
            Path::new("../other/ep_1")
        );
        assert_eq!(relative(".", "."), Path::new(""));
    }
}
