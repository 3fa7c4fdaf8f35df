//! `runvet mcp`: what a client writes, and a server to start -> a conversation of the two, a
//! recorded run, and the exit code of the server.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use signal_hook::consts::SIGCHLD;
use signal_hook::iterator::Signals;

use super::output::{Output, wait, write_all};
use super::record::{note_findings, shown, signals};
use super::{CommandFailure, Exit, Result};
use crate::cli::settings::{ConfigArgs, parse_level};
use crate::ground::finding::Level;
use crate::ground::parallel::locked;
use crate::mcp::{MAX_LINE, Passage, Proxy};
use crate::recorder::{Recorder, Task};

/// How long a server may go on after its client has ended.
const GRACE: Duration = Duration::from_secs(5);

/// How long it may go on after that, once it is asked to end.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// Record and judge the calls between an MCP client and a server, which is started
///
/// Lines pass as they are, in both directions, but for calls of tools that a rule holds back: the
/// server never sees those. The run has an act for each call.
#[derive(Args)]
#[command(after_long_help = "\
Name this command to the client in place of that of the server. Streamable HTTP
is not spoken: only servers over standard input and output.

Exit codes:
  That of the server; 128 and the number of the signal if one killed it, or came
  to runvet; 126 or 127 if the server can't be executed or does not exist; and 2
  where runvet can't begin, or where the server succeeded and an act could not
  be recorded.

Examples:
  runvet mcp --config runvet.toml --into runs --name time -- mcp-server-time")]
pub(in crate::cli) struct McpCommand {
    /// The configuration with the rules that calls are judged by
    #[arg(long, value_name = "FILE")]
    config: PathBuf,

    /// The run-data directory of the run
    #[arg(long, value_name = "RUNS")]
    into: PathBuf,

    /// The name of the server: a tool is recorded as `mcp__NAME__TOOL`
    #[arg(long, value_name = "SERVER")]
    name: Option<String>,

    /// The task of the run, in words [default: the command line]
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,

    /// The id of the run, instead of a new one
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Set the severity of a rule, or of a group such as `acme/*`, to error, warning or off;
    /// repeatable
    #[arg(long, value_name = "NAME=LEVEL", value_parser = parse_level)]
    rule: Vec<(String, Level)>,

    /// The command of the server, with its arguments
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: Vec<OsString>,
}

impl McpCommand {
    /// Returns the exit code.
    pub(super) fn run(self, output: &mut Output) -> Result<u8> {
        let (events, happened) = mpsc::channel();
        forward_signals(events.clone())
            .map_err(CommandFailure::of("listening to signals failed"))?;

        let mut gate = ConfigArgs::of(self.config).gate()?;
        for (name, level) in &self.rule {
            let set = gate.level(name, *level);
            gate = set.map_err(|why| CommandFailure::Fault(why.to_string()))?;
        }

        let using = match &self.name {
            Some(name) => format!("mcp:{name}"),
            None => "mcp".into(),
        };

        let mut run = Recorder::new(self.into)
            .gate(gate)
            .begin(Task {
                id: self.id,
                using: Some(using),
                ..Task::new(
                    self.task
                        .unwrap_or_else(|| shown(&self.command)),
                )
            })?;
        // So that others see the run while it goes on.
        run.persist()?;

        let proxy = Arc::new(Mutex::new(Proxy::new(run, self.name)));
        let ended = serve(&self.command, &proxy, events, &happened);
        if let Err(error) = &ended.status {
            output.fault(&format!("can't execute {}: {error}", shown(&self.command)));
        }

        let mut proxy = locked(&proxy);
        let finished = proxy.finish(ended.error());
        let is_whole = proxy.lost().is_none() && finished.is_ok();

        if let Some(lost) = proxy.lost() {
            output.fault(&format!("an act is not recorded: {lost}"));
        }

        match finished {
            Ok(findings) => note_findings(&findings, output),
            Err(error) => output.fault(&error),
        }

        Ok(match ended.code() {
            0 if !is_whole => Exit::Fault.code(),
            code => code,
        })
    }
}

/// An event while a server runs.
enum Happened {
    /// The client has ended, or the server takes no more input.
    InputEnded,
    /// The server writes no more, or the client reads no more.
    OutputEnded,
    /// A signal came.
    Signal(i32),
}

/// How a conversation ended.
struct Ended {
    status: io::Result<ExitStatus>,
    /// The signal to this process.
    signal: Option<i32>,
}

impl Ended {
    fn code(&self) -> u8 {
        let code = match (&self.status, self.signal) {
            (Err(error), _) if error.kind() == io::ErrorKind::NotFound => 127,
            (Err(_), _) => 126,
            (Ok(_), Some(signal)) => 128 + signal,
            (Ok(status), None) => {
                let signal = || 128 + status.signal().unwrap_or_default();
                status.code().unwrap_or_else(signal)
            }
        };

        u8::try_from(code).unwrap_or(u8::MAX)
    }

    /// Returns what went wrong, if something did.
    fn error(&self) -> Option<Value> {
        let status = match &self.status {
            Err(error) => {
                let message = format!("the server can't be executed: {error}");
                return Some(json!({ "message": message }));
            }
            Ok(status) => status,
        };

        let killed = |message: String, signal| json!({ "message": message, "signal": signal });
        match (self.signal, status.code()) {
            (Some(signal), _) => {
                let message = format!("the signal {signal} ended the session");
                Some(killed(message, signal))
            }
            (None, Some(0)) => None,
            (None, Some(code)) => {
                let message = format!("the server exited with {code}");
                Some(json!({ "exit_code": code, "message": message }))
            }
            (None, None) => {
                let signal = status.signal().unwrap_or_default();
                Some(killed(
                    format!("the signal {signal} killed the server"),
                    signal,
                ))
            }
        }
    }
}

/// Has signals come out of a channel.
fn forward_signals(events: Sender<Happened>) -> io::Result<()> {
    let mut signals = Signals::new(signals().chain([SIGCHLD]))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let _ = events.send(Happened::Signal(signal));
        }
    });

    Ok(())
}

/// Starts a server, and lets the client talk to it until one of them ends.
fn serve(
    command: &[OsString],
    proxy: &Arc<Mutex<Proxy>>,
    events: Sender<Happened>,
    happened: &Receiver<Happened>,
) -> Ended {
    let mut signal = None;
    let status = start(command).and_then(|mut server| {
        let client = Arc::new(Client::default());
        if let Some(input) = server.stdin.take() {
            let (proxy, client, events) = (proxy.clone(), client.clone(), events.clone());
            thread::spawn(move || {
                // Whatever fails, the server gets no more.
                let _ = pass_to_server(input, &proxy, &client);
                let _ = events.send(Happened::InputEnded);
            });
        }

        if let Some(output) = server.stdout.take() {
            let proxy = proxy.clone();
            thread::spawn(move || {
                // Whatever fails, the client gets no more.
                let _ = pass_to_client(output, &proxy, &client);
                let _ = events.send(Happened::OutputEnded);
            });
        }

        end_of(&mut server, happened, &mut signal)
    });

    Ended { status, signal }
}

fn start(command: &[OsString]) -> io::Result<Child> {
    let (program, arguments) = command
        .split_first()
        .ok_or(io::ErrorKind::NotFound)?;
    let mut starting = Command::new(program);
    starting.args(arguments);

    starting
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
}

/// Waits for the end of a server and of its output, and notes the first signal to this process,
/// which reaches the server.
fn end_of(
    server: &mut Child,
    happened: &Receiver<Happened>,
    signal: &mut Option<i32>,
) -> io::Result<ExitStatus> {
    // Only after `try_wait` the id of the process may stand for another one.
    let pid = i32::try_from(server.id())
        .ok()
        .and_then(Pid::from_raw);
    let send = |signal| pid.map(|pid| kill_process(pid, signal));
    let mut ends = [Signal::TERM, Signal::KILL].into_iter();
    let (mut status, mut writes, mut deadline) = (None, true, None);

    loop {
        if status.is_none() {
            status = server.try_wait()?;
            if status.is_some() {
                // A process that was left behind may hold the output.
                deadline = Some(Instant::now() + GRACE);
            }
        }

        if let Some(status) = status.filter(|_| !writes) {
            return Ok(status);
        }

        let event = match deadline {
            Some(deadline) => {
                happened.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => happened.recv().map_err(Into::into),
        };

        match (event, status) {
            (Ok(Happened::Signal(SIGCHLD)), _) => continue,
            (Ok(Happened::Signal(number)), _) => {
                signal.get_or_insert(number);
                if let Some(signal) = Signal::from_named_raw(number).filter(|_| status.is_none()) {
                    let _ = send(signal);
                }
            }
            (Ok(Happened::OutputEnded), _) => writes = false,
            (Ok(Happened::InputEnded), _) => {}
            (Err(_), Some(status)) => return Ok(status),
            (Err(_), None) => {
                let Some(end) = ends.next() else {
                    return Err(io::Error::other("it does not end"));
                };
                let _ = send(end);
                deadline = Some(Instant::now() + LAST_GRACE);
            }
        }

        deadline.get_or_insert_with(|| Instant::now() + GRACE);
    }
}

/// Standard output, which takes whole lines.
#[derive(Default)]
struct Client {
    turn: Mutex<()>,
}

impl Client {
    fn write(&self, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let _alone = locked(&self.turn);
        write_all(io::stdout(), text)
    }
}

/// Passes the lines of the client on, as the proxy decides, until they end.
fn pass_to_server(mut server: ChildStdin, proxy: &Mutex<Proxy>, client: &Client) -> io::Result<()> {
    let mut lines = BufReader::new(Input);
    loop {
        let line = read_line(&mut lines)?;
        if line.is_empty() {
            return Ok(());
        }

        let passage = if line.len() > MAX_LINE {
            let mut rest = line;
            while !rest.is_empty() && !rest.ends_with(b"\n") {
                rest = read_line(&mut lines)?;
            }
            Passage::of_long_line()
        } else {
            locked(proxy).client_says(&line)
        };

        client.write(&passage.to_client)?;
        server.write_all(&passage.to_server)?;
    }
}

/// Passes the lines of the server on, each once the act that it ends is recorded, until they end.
fn pass_to_client(server: ChildStdout, proxy: &Mutex<Proxy>, client: &Client) -> io::Result<()> {
    let mut lines = BufReader::new(server);
    loop {
        let mut piece = read_line(&mut lines)?;
        if piece.is_empty() {
            return Ok(());
        }

        if piece.len() <= MAX_LINE {
            locked(proxy).server_says(&piece);
            client.write(&piece)?;
            continue;
        }

        let _alone = locked(&client.turn);
        loop {
            write_all(io::stdout(), &piece)?;
            if piece.is_empty() || piece.ends_with(b"\n") {
                break;
            }
            piece = read_line(&mut lines)?;
        }
    }
}

/// Reads a line with its end, or the beginning of one that is longer than a line may be; nothing at
/// the end.
fn read_line(lines: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    lines
        .take(MAX_LINE as u64 + 1)
        .read_until(b'\n', &mut line)?;
    Ok(line)
}

/// Standard input, which may be one that does not block.
struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::io::read(io::stdin(), &mut *buffer) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait(&mut [PollFd::new(&io::stdin(), PollFlags::IN)])?,
                read => return Ok(read?),
            }
        }
    }
}
