//! The seal of a check -> the file that `--output in-toto=FILE` names.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Setup, Validate};
use crate::cli::output::Output;
use crate::cli::sinks::{unwritable, whole_file};
use crate::cli::{CommandFailure, Exit, Result};
use crate::gate::{Gate, Outcome};
use crate::ground::finding::EpisodeReport;
use crate::ground::words::UnknownWord;
use crate::proof::{SealTerms, SealWriter, has_single_runs, inside_of_run};
use crate::report::Format;
use crate::store::{Dir, WalkFindings, WholeFile, is_one_file};

/// What a file of `--output` contains.
#[derive(Clone, Copy, Debug)]
pub(super) enum FileContent {
    Report(Format),
    Seal,
}

impl FromStr for FileContent {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "in-toto" => Ok(Self::Seal),
            word => word.parse().map(Self::Report),
        }
    }
}

impl FileContent {
    /// Returns the files for reports, and those for seals.
    pub(super) fn sorted(outputs: &[(Self, PathBuf)]) -> (Vec<(Format, PathBuf)>, Vec<&Path>) {
        let (mut reports, mut seals) = (Vec::new(), Vec::new());
        for (content, path) in outputs {
            match content {
                Self::Report(format) => reports.push((*format, path.clone())),
                Self::Seal => seals.push(&**path),
            }
        }

        (reports, seals)
    }
}

/// A seal, and the file that is moved to its path.
pub(super) struct SealFile {
    path: PathBuf,
    file: WholeFile,
    writer: SealWriter,
    /// `true` if single runs were given, or directories are excluded.
    is_part: bool,
}

impl SealFile {
    /// Notes the runs that are judged; refuses to write the seal into one.
    pub(super) fn looks_at(&mut self, found: &WalkFindings, paths: &[PathBuf]) -> Result<()> {
        let runs: Vec<PathBuf> = found
            .episodes
            .iter()
            .map(Dir::path)
            .collect();
        self.is_part = found.excluded > 0 || has_single_runs(paths, &runs);

        let Some(run) = inside_of_run(&self.path, &runs) else {
            return Ok(());
        };
        let (seal, run) = (self.path.display(), run.display());

        Err(CommandFailure::Fault(format!(
            "the seal {seal} would be a file of the run {run}; write it elsewhere"
        )))
    }

    pub(super) fn add(&mut self, episode: &EpisodeReport) -> Result<()> {
        self.writer
            .add(episode)
            .map_err(CommandFailure::of("the runs can't be sealed"))
    }
}

impl Validate {
    /// Starts the seal, if one is asked for.
    pub(super) fn open_seal<'p>(
        &self,
        seals: &[&Path],
        mut others: impl Iterator<Item = &'p PathBuf>,
        paths: &[PathBuf],
        gate: &Gate,
    ) -> Result<Option<SealFile>> {
        let refused = |why: &str| Err(CommandFailure::Fault(why.to_owned()));
        let [path] = *seals else {
            return match seals {
                [] => Ok(None),
                _ => refused("--output in-toto can be given once"),
            };
        };

        if self.write_baseline.is_some() {
            return refused(
                "--output in-toto can't be used with --write-baseline, which accepts all",
            );
        }

        if self.staged
            || paths
                .iter()
                .any(|path| path.as_os_str() == "-")
        {
            return refused(
                "--output in-toto is about files of runs, not about staged or given records",
            );
        }

        let shown = path.display();
        if others.any(|other| is_one_file(other, path)) {
            let message = format!("{shown} can't be both the seal and a report or the baseline");
            return Err(CommandFailure::Fault(message));
        }

        let writer = SealWriter::new(paths, gate);
        Ok(Some(SealFile {
            path: path.to_owned(),
            file: whole_file(path)?,
            writer: writer.map_err(CommandFailure::of("the runs can't be sealed"))?,
            is_part: false,
        }))
    }

    /// Writes the seal, unless the check was not complete or looked at nothing.
    pub(super) fn write_seal(
        &self,
        seal: SealFile,
        exit: Exit,
        setup: &Setup<'_>,
        outcome: &Outcome,
        output: &Output,
    ) -> Result<()> {
        let SealFile {
            path,
            mut file,
            writer,
            is_part,
        } = seal;
        if matches!(exit, Exit::Fault | Exit::NothingFound) || outcome.totals.episodes == 0 {
            let why = match exit {
                Exit::Fault => "the check is not complete",
                _ => "no run was judged",
            };

            if !self.quiet {
                output.note(&format!(
                    "the seal {} is not written: {why}",
                    path.display()
                ));
            }

            return Ok(());
        }

        let terms = SealTerms {
            gate: &setup.gate,
            deny: setup.deny,
            is_part: is_part || self.skip_others || self.is_part(),
            since: self.period.since(),
            until: self.period.until(),
        };

        writer
            .finish(&terms, outcome, &mut file)
            .and_then(|()| file.keep())
            .map_err(unwritable(&path))
    }
}
