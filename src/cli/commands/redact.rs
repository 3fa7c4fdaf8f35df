//! `runvet redact`: runs -> copies without their texts, in which the same rules find the same.

use std::path::PathBuf;

use clap::Args;

use super::output::Output;
use super::settings::ConfigArgs;
use super::{CommandFailure, Exit, Result};
use crate::redact::{Readable, Redacted, Redaction};
use crate::report::count;

/// Copy runs without their texts, so that the same rules find the same in the copy
///
/// Each text becomes a placeholder, and equal texts become equal ones. Ids, keys, times, numbers,
/// the names of tools and the words of closed sets stay, and so does what rules find: the same rule
/// at the same file, line and pointer. Digests follow. The input is only read.
#[derive(Args)]
#[command(after_long_help = "\
A NAME is a key at any depth, or a JSON Pointer into a record or an event, with `*`
for one key or index and `**` for any path. It names too what has the same text:
the task in the state, the summary and the `start` event; an action and its event.

Exit codes:
  0  all runs were copied
  1  with --config: a rule finds something else in a copy
  2  a run was not copied, and the others were; or nothing was written

Examples:
  runvet redact runs/episodes/ep_1 --to shared
  runvet redact runs --to shared --key team.key --keep /goal/task
  runvet redact runs --to shared --drop input --drop output --pattern 'ACME-[0-9]+'")]
pub(in crate::cli) struct RedactCommand {
    /// Runs, and directories of runs
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The directory to write to, which must not exist or be empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// A file with 32 bytes or 64 hexadecimal digits, which is made where it is absent: equal texts
    /// have equal placeholders under one key [default: a key that nobody keeps]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Redact the texts at or below NAME, and no others but secrets; repeatable
    #[arg(long, value_name = "NAME")]
    drop: Vec<String>,

    /// Keep the texts at or below NAME; repeatable
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,

    /// Redact each text and key in which REGEX fits, besides known forms of secrets; repeatable
    #[arg(long, value_name = "REGEX")]
    pattern: Vec<String>,

    /// Redact also what the schemas of this configuration mark with `"x-runvet": "sensitive"`, keep
    /// the words of its closed sets, and judge the runs and their copies by it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Exit with 0 although rules of the configuration find something else in the copies
    #[arg(long, requires = "config")]
    allow_changed_verdict: bool,

    /// Copy other files of a run whose path in it matches GLOB as they are; repeatable
    #[arg(long, value_name = "GLOB")]
    keep_files: Vec<String>,
}

impl RedactCommand {
    pub(super) fn run(self, output: &mut Output) -> Result {
        let redaction = self.redaction();
        let redacted = match &self.config {
            None => redaction.copy(&self.paths, &self.to),
            Some(config) => ConfigArgs::of(config.clone())
                .gate()?
                .redact(redaction, &self.paths, &self.to),
        };

        let redacted = redacted.map_err(CommandFailure::fault)?;
        self.print(&redacted, output)?;
        output.finish()?;
        for why in &redacted.refused {
            output.fault(why);
        }

        Ok(match redacted.refused.is_empty() {
            false => Exit::Fault,
            true if redacted.changed.is_empty() || self.allow_changed_verdict => Exit::Success,
            true => Exit::Findings,
        })
    }

    fn redaction(&self) -> Redaction {
        let mut redaction = Redaction::new();
        if let Some(key) = &self.key {
            redaction = redaction.key(key);
        }
        for name in &self.drop {
            redaction = redaction.drop_name(name);
        }
        for name in &self.keep {
            redaction = redaction.keep_name(name);
        }
        for pattern in &self.pattern {
            redaction = redaction.pattern(pattern);
        }
        for glob in &self.keep_files {
            redaction = redaction.keep_files(glob);
        }

        redaction
    }

    fn print(&self, redacted: &Redacted, output: &mut Output) -> Result<()> {
        let out = output.stdout();
        let runs = count(redacted.runs.len() as u64, "run");
        writeln!(out, "{runs} redacted in {}", self.to.display())?;
        for (rule, runs) in &redacted.changed {
            let runs = count(*runs, "run");
            writeln!(out, "{rule} finds something else in the copy of {runs}")?;
        }

        let Readable {
            keys,
            ids,
            words,
            paths,
            times,
            numbers,
            texts,
        } = redacted.readable;

        writeln!(
            out,
            "still readable: {keys} keys, {}, {} of tools, kinds and statuses, {}, {}, {}, {}",
            count(ids, "id"),
            count(words, "word"),
            count(paths, "path"),
            count(times, "time"),
            count(numbers, "number"),
            count(texts, "other text"),
        )?;
        writeln!(
            out,
            "copies under different keys can't be matched by their placeholders, but by times, ids and numbers"
        )?;

        Ok(())
    }
}
