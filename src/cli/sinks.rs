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
use crate::finding::EpisodeReport;
use crate::report::{Closing, Format, Options, Renderer, Style, write_json_line};
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
        .ok_or("expected FORMAT=PATH")?;
    let (name, path) = bytes.split_at(at);
    let format = parse_format(&String::from_utf8_lossy(name));
    let format = format.map_err(|error| error.to_string())?;
    match path {
        b"=-" => Err("`-` is not a file; use --format to print to standard output".into()),
        path => Ok((
            format,
            store::path::from_bytes(path.iter().skip(1).copied().collect()),
        )),
    }
}

struct ReportSink {
    format: Format,
    renderer: Box<dyn Renderer>,
    target: SinkTarget,
}

enum SinkTarget {
    Stdout,
    File {
        path: PathBuf,
        file: WholeFile,
    },
    /// Kept in memory until the end: it is short, and GitHub would show half a summary too.
    JobSummary {
        path: PathBuf,
        text: Vec<u8>,
    },
}

/// All destinations of a report.
pub(super) struct Sinks(Vec<ReportSink>);

impl Sinks {
    /// Opens all destinations before anything is checked. A report never overwrites a baseline.
    pub(super) fn open(
        format: Format,
        outputs: &[(Format, PathBuf)],
        baselines: &[&PathBuf],
        options: Options,
    ) -> Result<Self> {
        let mut sinks = vec![ReportSink {
            format,
            renderer: format.renderer(&Options {
                hides_faults: true,
                ..options.clone()
            }),
            target: SinkTarget::Stdout,
        }];
        let in_file = options.style(Style::Plain);
        for (index, (format, path)) in outputs.iter().enumerate() {
            let mut earlier = outputs.iter().take(index);
            if earlier.any(|(_, other)| is_one_file(other, path)) {
                return Err(CommandFailure::Fault(format!(
                    "two reports can't both be written to {}",
                    path.display()
                )));
            }
            if baselines.iter().any(|other| is_one_file(other, path)) {
                return Err(CommandFailure::Fault(format!(
                    "{} can't be both a report and the baseline",
                    path.display()
                )));
            }
            let file = whole_file(path)?;
            let target = SinkTarget::File {
                path: path.clone(),
                file,
            };
            sinks.push(ReportSink {
                format: *format,
                renderer: format.renderer(&in_file),
                target,
            });
        }
        let is_for_github =
            format == Format::Github || outputs.iter().any(|(format, _)| *format == Format::Github);
        if let Some(path) =
            std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_for_github && !path.is_empty())
        {
            let target = SinkTarget::JobSummary {
                path: path.into(),
                text: Vec::new(),
            };
            sinks.push(ReportSink {
                format: Format::Markdown,
                renderer: Format::Markdown.renderer(&in_file),
                target,
            });
        }
        Ok(Self(sinks))
    }

    /// Returns the sinks without standard output.
    pub(super) fn without_stdout(mut self) -> Self {
        self.0
            .retain(|sink| !matches!(sink.target, SinkTarget::Stdout));
        self
    }

    /// Returns `true` if a report has a format.
    pub(super) fn have(&self, format: Format) -> bool {
        self.0.iter().any(|sink| sink.format == format)
    }

    pub(super) fn begin(&mut self, output: &mut Output) -> Result<()> {
        self.each(output, |renderer, out| renderer.begin(out))
    }

    pub(super) fn episode(&mut self, output: &mut Output, episode: &EpisodeReport) -> Result<()> {
        self.each(output, |renderer, out| renderer.episode(out, episode))
    }

    pub(super) fn end(&mut self, output: &mut Output, closing: &Closing<'_>) -> Result<()> {
        self.each(output, |renderer, out| renderer.end(out, closing))
    }

    /// Moves the files to their paths. Without this call they are deleted.
    pub(super) fn keep(self) -> Result<()> {
        for sink in self.0 {
            match sink.target {
                SinkTarget::Stdout => {}
                SinkTarget::File { path, file } => {
                    file.keep().map_err(|error| unwritable(&path, &error))?;
                }
                SinkTarget::JobSummary { path, text } => {
                    store::append(&path, &text).map_err(|error| unwritable(&path, &error))?;
                }
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        output: &mut Output,
        mut write: impl FnMut(&mut dyn Renderer, &mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        for ReportSink {
            renderer, target, ..
        } in &mut self.0
        {
            match target {
                SinkTarget::Stdout => write(&mut **renderer, output.stdout())?,
                SinkTarget::File { path, file } => {
                    write(&mut **renderer, file).map_err(|error| unwritable(path, &error))?;
                }
                SinkTarget::JobSummary { text, .. } => write(&mut **renderer, text)?,
            }
        }
        Ok(())
    }
}

/// Starts a file, unless standard output or standard error is redirected to it.
pub(super) fn whole_file(path: &Path) -> Result<WholeFile> {
    let streams = (io::stdout(), io::stderr());
    WholeFile::create(path, &[streams.0.as_fd(), streams.1.as_fd()])
        .map_err(|error| unwritable(path, &error))
}

/// Writes a file as a whole.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut WholeFile) -> io::Result<()>,
) -> Result<()> {
    let mut file = whole_file(path)?;
    let written = write(&mut file).and_then(|()| file.keep());
    written.map_err(|error| unwritable(path, &error))
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::Fault(format!("can't write {}: {error}", path.display()))
}
