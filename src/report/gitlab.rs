//! Reports -> a code quality report of GitLab: an array of issues.

use std::io::{self, Write};
use std::path::{Component, PathBuf};

use super::json::{json, json_object};
use super::{Closing, Options, Renderer};
use crate::ground::digest::Digest;
use crate::ground::finding::{EpisodeReport, Severity, Unjudged};
use crate::ground::printable::escape;

#[derive(Default)]
pub(super) struct Gitlab {
    issues: u64,
    /// The directories to which paths are relative.
    project: Option<ProjectDirs>,
}

/// The directory in which a report is made, and the one that GitLab takes for the root of its
/// paths.
#[derive(Clone, Debug)]
pub(crate) struct ProjectDirs {
    /// The working directory.
    pub(crate) here: PathBuf,
    /// The root of the project.
    pub(crate) root: PathBuf,
}

impl ProjectDirs {
    /// Returns a path as GitLab finds it: from the root of the project on, or as it is where it
    /// leads out of it.
    fn relative(&self, path: &str) -> String {
        let mut whole = PathBuf::new();
        for part in self.here.join(path).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                part => whole.push(part),
            }
        }

        let below = whole.strip_prefix(&self.root);
        below.map_or_else(
            |_| path.to_owned(),
            |below| below.to_string_lossy().into_owned(),
        )
    }
}

impl Gitlab {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            issues: 0,
            project: options.project.clone(),
        }
    }

    fn issue(
        &mut self,
        out: &mut dyn Write,
        [description, check_name, fingerprint, severity, path]: [&str; 5],
        [begin, end]: [u64; 2],
    ) -> io::Result<()> {
        out.write_all(if self.issues == 0 { b"\n " } else { b",\n " })?;
        self.issues += 1;
        let of_project = self
            .project
            .as_ref()
            .map(|dirs| dirs.relative(path));
        let path = of_project.as_deref().unwrap_or(path);
        let lines = json_object([("begin", json(&begin)), ("end", json(&end))]);
        let issue = json_object([
            ("description", json(description)),
            ("check_name", json(check_name)),
            ("fingerprint", json(fingerprint)),
            ("severity", json(severity)),
            (
                "location",
                json_object([("path", json(path)), ("lines", lines)]),
            ),
        ]);

        write!(out, "{issue}")
    }
}

impl Renderer for Gitlab {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")
    }

    fn episode(&mut self, out: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        // GitLab merges issues with equal fingerprints, so those of two copies of an episode must
        // differ.
        let fingerprint = |parts: &[&str]| {
            let dir = episode
                .key
                .as_path()
                .as_os_str()
                .as_encoded_bytes();
            Digest::of(std::iter::once(dir).chain(parts.iter().map(|part| part.as_bytes())))
                .to_string()
        };

        for finding in &episode.findings {
            let severity = match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
            };

            let begin = finding.location.line.unwrap_or(1);
            let lines = [
                begin,
                finding
                    .location
                    .end_line
                    .unwrap_or(begin),
            ];
            let description = format!("{}. {}", finding.message, finding.help);
            let (rule, file) = (&finding.rule, &finding.location.file);
            let print = fingerprint(&[&finding.fingerprint]);
            self.issue(out, [&description, rule, &print, severity, file], lines)?;
        }

        for Unjudged { reason, rules, .. } in episode.unjudged() {
            let description = format!("Not judged: {} ({reason})", rules.join(", "));
            let fingerprint = fingerprint(&[reason]);
            let texts = [
                &*description,
                "not-judged",
                &fingerprint,
                "info",
                &episode.dir,
            ];
            self.issue(out, texts, [1, 1])?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        for fault in closing.faults {
            let parts = ["fault", &fault.path, &fault.message].map(str::as_bytes);
            let print = Digest::of(parts).to_string();
            let description = format!("Fault: {}", escape(&fault.message));
            let texts = [&*description, "fault", &print, "critical", &fault.path];
            self.issue(out, texts, [1, 1])?;
        }

        out.write_all(b"]\n")
    }
}
