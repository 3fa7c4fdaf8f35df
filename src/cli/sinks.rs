//! A report -> its destinations: standard output, files and the job summary.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::output::Output;
use super::words::OutputFormat;
use super::{CommandFailure, Result};
use crate::ground::printable::escape;
use crate::report::{Format, Options, Renderer, Style, write_json_line};
use crate::store::{self, WholeFile, is_one_file};

/// Writes a result as text, Markdown or JSON.
pub(super) fn write_result<T: Serialize>(
    format: OutputFormat,
    of: &T,
    human: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
    markdown: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Json => write_json_line(out, of),
        OutputFormat::Markdown => markdown(of, out),
        _ => human(of, out),
    }
}

/// Parses `FORMAT=PATH`.
pub(super) fn parse_output<F, E: Display>(
    setting: OsString,
    parse_format: fn(&str) -> Result<F, E>,
) -> Result<(F, PathBuf), String> {
    let setting = PathBuf::from(setting);
    let bytes = store::path::bytes(&setting);
    let at = bytes
        .iter()
        .position(|byte| *byte == b'=')
        .filter(|at| at + 1 < bytes.len())
        .ok_or_else(|| no_format(&setting))?;
    let (name, path) = bytes.split_at(at);
    let format = parse_format(&String::from_utf8_lossy(name)).map_err(|error| error.to_string())?;

    match path {
        b"=-" => Err("`-` is not a file; use --format to print to standard output".into()),
        path => Ok((
            format,
            store::path::from_bytes(path.iter().skip(1).copied().collect()),
        )),
    }
}

/// Returns the complaint that a setting lacks a format, with the one that the path asks for.
fn no_format(path: &Path) -> String {
    let ending = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy();
    let format = match &*ending {
        "html" | "json" | "ndjson" | "sarif" | "csv" | "parquet" => &*ending,
        "jsonl" => "ndjson",
        "md" => "markdown",
        "xml" => "junit",
        "txt" => "human",
        _ => return "expected FORMAT=PATH, such as json=report.json".into(),
    };

    let path = path.to_string_lossy();
    format!("expected FORMAT=PATH, such as {format}={}", escape(&path))
}

/// A report in one format, and where it goes.
struct ReportSink {
    format: Format,
    renderer: Box<dyn Renderer>,
    target: SinkTarget,
}

enum SinkTarget {
    Stdout,
    File(PathBuf, WholeFile),
    /// Kept in memory until the end: it is short, and GitHub would show half a summary too.
    JobSummary(PathBuf, Vec<u8>),
}

/// All destinations of a report.
pub(super) struct Sinks {
    sinks: Vec<ReportSink>,
}

impl Sinks {
    /// Opens all destinations before anything is checked. A report never overwrites a baseline.
    pub(super) fn open(
        stdout: Option<Format>,
        outputs: &[(Format, PathBuf)],
        baselines: &[&PathBuf],
        mut options: Options,
    ) -> Result<Self> {
        options.hides_faults = true;
        let mut sinks: Vec<ReportSink> = stdout
            .map(|format| ReportSink {
                format,
                renderer: format.renderer(&options),
                target: SinkTarget::Stdout,
            })
            .into_iter()
            .collect();
        options.hides_faults = false;

        let in_file = options.style(Style::Plain);
        for (index, (format, path)) in outputs.iter().enumerate() {
            let mut earlier = outputs.iter().take(index);
            let shown = path.display();
            if earlier.any(|(_, other)| is_one_file(other, path)) {
                let message = format!("two reports can't both be written to {shown}");
                return Err(CommandFailure::Fault(message));
            }

            if baselines
                .iter()
                .any(|other| is_one_file(other, path))
            {
                let message = format!("{shown} can't be both a report and the baseline");
                return Err(CommandFailure::Fault(message));
            }

            sinks.push(ReportSink {
                format: *format,
                renderer: format.renderer(&in_file),
                target: SinkTarget::File(path.clone(), whole_file(path)?),
            });
        }

        let mut sinks = Self { sinks };
        if sinks.have(Format::Github)
            && let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY")
            && !path.is_empty()
        {
            let format = Format::Markdown;
            sinks.sinks.push(ReportSink {
                format,
                renderer: format.renderer(&in_file),
                target: SinkTarget::JobSummary(path.into(), Vec::new()),
            });
        }

        Ok(sinks)
    }

    /// Returns `true` if a report has a format.
    pub(super) fn have(&self, format: Format) -> bool {
        self.sinks
            .iter()
            .any(|sink| sink.format == format)
    }

    /// Moves the files to their paths. Without this call they are deleted.
    pub(super) fn keep(self) -> Result<()> {
        for sink in self.sinks {
            let (path, kept) = match sink.target {
                SinkTarget::Stdout => continue,
                SinkTarget::File(path, file) => (path, file.keep()),
                SinkTarget::JobSummary(path, text) => {
                    let kept = store::append(&path, &text);
                    (path, kept)
                }
            };

            kept.map_err(unwritable(&path))?;
        }

        Ok(())
    }

    /// Writes the next part of the report to each destination.
    pub(super) fn each(
        &mut self,
        output: &mut Output,
        mut write: impl FnMut(&mut dyn Renderer, &mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        for sink in &mut self.sinks {
            let renderer = &mut *sink.renderer;
            match &mut sink.target {
                SinkTarget::Stdout => write(renderer, output.stdout())?,
                SinkTarget::File(path, file) => {
                    write(renderer, file).map_err(unwritable(path))?;
                }
                SinkTarget::JobSummary(_, text) => write(renderer, text)?,
            }
        }

        Ok(())
    }
}

/// Starts a file, unless standard output or standard error is redirected to it.
pub(super) fn whole_file(path: &Path) -> Result<WholeFile> {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    WholeFile::create(path, &[stdout.as_fd(), stderr.as_fd()]).map_err(unwritable(path))
}

/// Writes a file as a whole.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut WholeFile) -> io::Result<()>,
) -> Result<()> {
    let mut file = whole_file(path)?;
    write(&mut file)
        .and_then(|()| file.keep())
        .map_err(unwritable(path))
}

pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> CommandFailure + use<> {
    CommandFailure::of(format!("can't write {}", path.display()))
}
