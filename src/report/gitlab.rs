//! Reports -> a code quality report of GitLab: an array of issues.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_json;
use super::{Closing, Renderer};
use crate::digest::Digest;
use crate::finding::{EpisodeReport, Severity, Unjudged};
use crate::printable::escape;

#[derive(Default)]
pub(super) struct Gitlab {
    issues: u64,
}

#[derive(Serialize)]
struct Issue<'r> {
    description: String,
    check_name: &'r str,
    fingerprint: String,
    severity: &'static str,
    location: GitlabLocation<'r>,
}

#[derive(Serialize)]
struct GitlabLocation<'r> {
    path: &'r str,
    lines: GitlabLines,
}

#[derive(Serialize)]
struct GitlabLines {
    begin: u64,
    end: u64,
}

impl Gitlab {
    fn issue(&mut self, out: &mut dyn Write, issue: &Issue<'_>) -> io::Result<()> {
        out.write_all(if self.issues == 0 { b"\n " } else { b",\n " })?;
        self.issues += 1;
        write_json(out, issue)
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
            let dir = episode.key.as_path().as_os_str().as_encoded_bytes();
            Digest::of(std::iter::once(dir).chain(parts.iter().map(|part| part.as_bytes())))
                .to_string()
        };
        for finding in &episode.findings {
            let severity = match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
            };
            let begin = finding.location.line.unwrap_or(1);
            let lines = GitlabLines {
                begin,
                end: finding.location.end_line.unwrap_or(begin),
            };
            let location = GitlabLocation {
                path: &finding.location.file,
                lines,
            };
            let description = format!("{}. {}", finding.message, finding.help);
            let check_name = &finding.rule;
            let fingerprint = fingerprint(&[&finding.fingerprint]);
            self.issue(
                out,
                &Issue {
                    description,
                    check_name,
                    fingerprint,
                    severity,
                    location,
                },
            )?;
        }
        for Unjudged { reason, rules, .. } in episode.unjudged() {
            let description = format!("Not judged: {} ({reason})", rules.join(", "));
            let fingerprint = fingerprint(&[reason]);
            let location = GitlabLocation {
                path: &episode.dir,
                lines: GitlabLines { begin: 1, end: 1 },
            };
            self.issue(
                out,
                &Issue {
                    description,
                    check_name: "not-judged",
                    fingerprint,
                    severity: "info",
                    location,
                },
            )?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        for fault in closing.faults {
            let parts = ["fault", &fault.path, &fault.message].map(str::as_bytes);
            self.issue(
                out,
                &Issue {
                    description: format!("Fault: {}", escape(&fault.message)),
                    check_name: "fault",
                    fingerprint: Digest::of(parts).to_string(),
                    severity: "critical",
                    location: GitlabLocation {
                        path: &fault.path,
                        lines: GitlabLines { begin: 1, end: 1 },
                    },
                },
            )?;
        }
        out.write_all(b"]\n")
    }
}
