//! `runvet serve`: directories of runs -> a page and an interface over HTTP, until it is stopped.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use clap::{ArgMatches, Args};

use super::output::Output;
use super::settings::GateArgs;
use super::usage::note_idle;
use super::watching::{WatchArgs, start_watch, stop_by_signals};
use super::{CommandFailure, Exit, Result};
use crate::look::watch::News;
use crate::proof::Seal;
use crate::serve;
use crate::store::read_text;

/// The length of a token, which nobody must be able to guess.
const MIN_TOKEN: usize = 16;
const MAX_TOKEN: usize = 4_096;

/// Answer browsers and other programs over HTTP: list, show and check runs
///
/// Prints the address of the page as the first line. The page, and the lists for other programs,
/// follow the directories as runs are written. The same findings count as for `runvet validate`:
/// `runvet.toml` and the baseline are read once, at the start. Nothing is ever written.
#[derive(Args)]
#[command(after_long_help = "\
On Ctrl-C (or SIGTERM), it finishes the answers that it has begun and ends.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM
  2  it could not start, or a directory vanished or can no longer be watched

Examples:
  runvet serve runs/
  runvet serve runs/ archive/ --open
  runvet serve runs/ --listen 127.0.0.1:8080
  runvet serve runs/ --listen 0.0.0.0:8080 --token-file token.txt")]
pub(in crate::cli) struct ServeCommand {
    /// Run-data directories, or any directories above or below them; none lies in another
    #[arg(default_value = ".")]
    dirs: Vec<PathBuf>,

    /// The run-data directory, in place of a path
    #[arg(long, value_name = "DIR", conflicts_with = "dirs")]
    run_data: Option<PathBuf>,

    /// The address to listen on; port 0 is any free port
    ///
    /// An address that other machines can reach needs --token-file.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Open the page in a browser: that of $BROWSER, or else the usual one
    #[arg(long)]
    open: bool,

    /// Answer only requests with the token in this file, as `Authorization: Bearer`
    ///
    /// A browser is asked for the token. Where standard error is a terminal, an address is printed
    /// there that lets a browser in once, within ten minutes. The token has 16 to 4,096 printable
    /// characters; white space around it does not count.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Answer requests for this host name too, such as that of a proxy; may be given several times
    ///
    /// Without a token, runvet refuses any other name that is not a loopback address: a page of
    /// another site could make its own name resolve to this machine.
    #[arg(long, value_name = "NAME", value_parser = parse_host)]
    allowed_host: Vec<String>,

    /// Show of each run whether it is as this seal says, see `runvet verify`
    #[arg(long, value_name = "FILE")]
    seal: Option<PathBuf>,

    #[command(flatten)]
    watched: WatchArgs,

    #[command(flatten)]
    gate: GateArgs,
}

impl ServeCommand {
    pub(super) fn run(self, matches: &ArgMatches, output: &mut Output) -> Result {
        let settings = self.gate.resolve(matches)?;
        let (dirs, id) = match self.run_data {
            Some(dir) => (vec![dir], "run_data"),
            None => (self.dirs, "dirs"),
        };

        let typed = dirs.iter().map(PathBuf::as_path);
        settings.file.note_others(typed, output);
        let (in_words, gate) = (settings.in_words(), settings.gate);
        let token = self
            .token_file
            .as_deref()
            .map(read_token)
            .transpose()?;
        let seal = self
            .seal
            .as_deref()
            .map(Seal::read)
            .transpose()?;
        if seal.is_some() && dirs.len() > 1 {
            let message = "--seal is about the runs of one directory, and several are given";
            return Err(CommandFailure::Fault(message.into()));
        }

        refuse_overlap(&dirs)?;
        let watches = dirs
            .into_iter()
            .map(|dir| {
                let poll = self.watched.interval(&dir, output);
                start_watch(dir, id, matches, poll)
            })
            .collect::<Result<Vec<_>>>()?;
        let (token, hosts) = (token.as_deref(), self.allowed_host);
        let serve = serve::BoundService::bind(watches, self.listen, token, hosts)?;
        let is_shown = self.token_file.is_some() && io::stderr().is_terminal();
        stop_by_signals(serve.stop())?;
        note_idle(&gate, output);
        writeln!(output.stdout(), "{}", serve.url())?;
        output.finish()?;
        if self.open || is_shown {
            let url = serve.url_for_browser()?;
            if is_shown {
                output.say(&format!(
                    "To let a browser in, once and within ten minutes: {url}"
                ));
            }

            if self.open {
                open_browser(&url, output);
            }
        }

        let output = &*output;
        serve.run(gate, in_words, seal, |news| {
            if let News::Fault(fault) = news {
                output.fault(fault);
            }
        })?;

        Ok(Exit::Success)
    }
}

/// Refuses a directory that lies in another one: its runs would be there twice.
fn refuse_overlap(dirs: &[PathBuf]) -> Result<()> {
    let real = |dir: &PathBuf| dir.canonicalize().ok();
    let mut real: Vec<_> = dirs
        .iter()
        .filter_map(|dir| Some((real(dir)?, dir)))
        .collect();
    // A directory comes right before those in it.
    real.sort();
    for pair in real.windows(2) {
        if let [(above, outer), (below, inner)] = pair
            && below.starts_with(above)
        {
            let (inner, outer) = (inner.display(), outer.display());
            return Err(CommandFailure::Fault(format!(
                "{inner} lies in {outer}, whose runs are served; leave {inner} out"
            )));
        }
    }

    Ok(())
}

/// Opens an address in a browser, which goes on by itself.
fn open_browser(url: &str, output: &Output) {
    let usual = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };

    let browser = env::var_os("BROWSER")
        .filter(|browser| !browser.is_empty())
        .unwrap_or_else(|| usual.into());
    let mut command = Command::new(&browser);
    let command = command
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null());

    match command.stderr(Stdio::null()).spawn() {
        Ok(mut child) => drop(thread::spawn(move || child.wait())),
        Err(error) => {
            let browser = browser.display();
            output.note(&format!("can't open a browser with {browser}: {error}"));
        }
    }
}

/// Returns a host name, as `Host` has it before the port.
fn parse_host(text: &str) -> Result<String, String> {
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_host) {
        Ok(text.to_owned())
    } else {
        Err("it must be a host name without a scheme and a port, such as runs.example".into())
    }
}

/// Returns the token in a file.
fn read_token(path: &Path) -> Result<String> {
    let wrong = |reason: &dyn Display| {
        let path = path.display();
        CommandFailure::Fault(format!("can't take the token from {path}: {reason}"))
    };

    let text = read_text(path).map_err(|error| wrong(&error))?;
    let token = text.trim();
    let is_printable = token
        .bytes()
        .all(|byte| byte.is_ascii_graphic());

    if is_printable && (MIN_TOKEN..=MAX_TOKEN).contains(&token.len()) {
        Ok(token.to_owned())
    } else {
        Err(wrong(&format!(
            "it must hold {MIN_TOKEN} to {MAX_TOKEN} printable ASCII characters without spaces; \
             make one with: openssl rand -hex 32"
        )))
    }
}
