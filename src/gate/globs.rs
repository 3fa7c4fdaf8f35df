//! Globs of the configuration -> whether they match a directory.

use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// A glob for paths of directories, relative to a directory.
#[derive(Clone, Debug)]
pub(crate) struct Glob(Pattern);

impl Glob {
    /// Parses a glob. A glob without `/` matches directories with that name at any depth.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches("./").trim_end_matches('/');
        let above = text.split('/').any(|part| part == "..");
        if text.is_empty() || text.starts_with(['/', '!']) || above {
            return Err(
                "it must be a path below the directory of this file, without `..`, and not start with `/` or `!`"
                    .into(),
            );
        }
        let anywhere = format!("**/{text}");
        let pattern = Pattern::new(if text.contains('/') { text } else { &anywhere });
        pattern.map(Self).map_err(|error| error.msg.to_owned())
    }

    /// Whether the glob matches a directory, or one that contains it.
    pub(crate) fn matches(&self, dir: &Path) -> bool {
        let within_a_name = MatchOptions {
            require_literal_separator: true,
            ..MatchOptions::default()
        };
        dir.ancestors()
            .any(|dir| self.0.matches_with(&dir.to_string_lossy(), within_a_name))
    }
}

/// The path of a directory relative to another: `runs/ep_1` from the project, `../ep_1` from a
/// sibling.
///
/// Both paths are relative to the working directory `here`; links are not resolved.
pub(crate) fn relative(path: &Path, from: &Path, here: &Path) -> PathBuf {
    let (path, from) = (plain(&here.join(path)), plain(&here.join(from)));
    let shared = path
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// A path without `.` and `..`, by its text alone.
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
    use super::*;

    #[test]
    fn glob_matches_below_and_bare_name_anywhere() {
        let names = |glob: &str, dir: &str| Glob::new(glob).unwrap().matches(Path::new(dir));
        assert!(names("runs/old", "runs/old/episodes/ep_1"));
        assert!(names("./runs/old/", "runs/old"));
        assert!(!names("runs/old", "runs/older"));
        assert!(!names("runs/*", "runs"));
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
            assert!(Glob::new(text).is_err(), "{text}");
        }
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
