//! Processes that must come to an end, and processes of a user without privileges.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::SIGINT;
use tempfile::TempDir;

use crate::support::skip::leave_out;

/// Lets the programs that are started from now on be interrupted. A job in the background of a
/// script inherits that interrupts are ignored, and would pass that on; a handler it does not.
pub(crate) fn let_interrupt() {
    static HANDLED: LazyLock<()> = LazyLock::new(|| {
        let at_once = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, at_once).unwrap();
    });
    LazyLock::force(&HANDLED);
}

/// Runs a command that should end soon. If it hangs, it is killed and the test fails.
pub(crate) fn ended(command: &mut Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    });
    let err = thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    });
    let status = exited(&mut child);
    Output {
        status,
        stdout: out.join().unwrap().unwrap(),
        stderr: err.join().unwrap().unwrap(),
    }
}

/// How a process ends that should end soon. If it hangs, it is killed and the test fails.
pub(crate) fn exited(child: &mut Child) -> ExitStatus {
    let given_up = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > given_up {
            child.kill().unwrap();
            panic!("the process hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A user whom permissions and limits hold off, unlike the superuser.
pub(crate) struct Unprivileged {
    /// What makes the superuser that user.
    becomes: &'static [&'static str],
    /// The binary where that user may run it: only its owner may reach the place where it lies.
    dir: TempDir,
}

impl Unprivileged {
    /// `None` where the tests run as the superuser and can't become another user.
    #[track_caller]
    pub(crate) fn new() -> Option<Self> {
        let dir = Self::scratch();
        fs::copy(env!("CARGO_BIN_EXE_runvet"), dir.path().join("runvet")).unwrap();
        let becomes: &[_] = if fs::metadata(dir.path()).unwrap().uid() == 0 {
            &[
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
            ]
        } else {
            &[]
        };
        let user = Self { becomes, dir };
        let version = user
            .runvet(&[], &["--version"])
            .output();
        if version.is_ok_and(|output| output.status.success()) {
            return Some(user);
        }
        leave_out("the superuser may do anything, and can't become another user here");
        None
    }

    /// The binary as that user runs it, through other programs.
    pub(crate) fn runvet(&self, through: &[&str], args: &[&str]) -> Command {
        let binary = self.dir.path().join("runvet");
        let binary = [binary.to_str().unwrap()];
        let words = [self.becomes, through, &binary, args].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env_clear();
        command
    }

    /// A scratch directory that the user may read.
    pub(crate) fn scratch() -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        dir
    }
}
