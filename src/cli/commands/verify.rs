//! `runvet verify`: a seal and run data -> whether these are the runs that were sealed.

use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::output::Output;
use super::settings::{GateArgs, Settings};
use super::{Exit, Result};
use crate::proof::Seal;

/// Compare runs with a seal: are these the bytes that were judged?
///
/// A seal is a file that `runvet validate --output in-toto=FILE` wrote. Compares the files of the
/// runs with it in both directions: by name, kind and bytes. Times, permissions and empty
/// directories are not compared. Says which rules were in force, and which of them are not those of
/// the configuration here. Whether the seal itself can be trusted is not looked at: keep it where
/// nobody changes it, or sign it.
#[derive(Args)]
#[command(after_long_help = "\
Exit codes:
  0  the runs are those that were sealed, whatever the result of their check was
  1  a file or a run is altered, missing or added (with --require-same-rules: or
     a rule is another one)
  2  the seal can't be relied on, or a path could not be looked at
  3  no run was found, and none that was sealed was looked for

Examples:
  runvet validate runs --output in-toto=seal.json
  runvet verify seal.json runs
  runvet verify seal.json runs/episodes/ep_1        one run")]
pub(in crate::cli) struct VerifyCommand {
    /// The seal
    seal: PathBuf,

    /// Run-data directories, or single runs [default: .]
    paths: Vec<PathBuf>,

    /// Accept runs that are not sealed, and count them
    #[arg(long)]
    allow_new: bool,

    /// Exit with 1 if a rule or a file of the configuration is not that which was in force
    #[arg(long)]
    require_same_rules: bool,

    #[command(flatten)]
    gate: GateArgs,
}

impl VerifyCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let seal = Seal::read(&self.seal)?;
        let Settings { gate, .. } = self.gate.resolve(matches)?;
        let paths = match &*self.paths {
            [] => vec![PathBuf::from(".")],
            paths => paths.to_vec(),
        };

        let verified = seal.verify(&paths, &gate, self.allow_new)?;
        for fault in &verified.faults {
            output.fault(fault);
        }

        let exit = verified.exit(self.require_same_rules);
        if exit == Exit::NothingFound {
            output.fault(&"no episode found, and none that was sealed at these paths");
        } else {
            writeln!(output.stdout(), "{verified}")?;
        }

        Ok(exit)
    }
}
