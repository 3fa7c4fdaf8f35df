//! A running `runvet serve`, asked by real clients over real sockets.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use ureq::{Agent, ResponseExt};

use crate::support::binary::runvet;
use crate::support::corpus::corpus;
use crate::support::described::assert_described;

/// More than the time of any answer: a test that would block forever fails instead.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A running service, which ends with the test.
pub(crate) struct Service {
    child: Child,
    pub(crate) url: String,
    pub(crate) agent: Agent,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) text: String,
}

impl Answer {
    /// An answer, which the `OpenAPI` document must describe.
    pub(crate) fn of(response: ureq::http::Response<ureq::Body>) -> Self {
        let path = response.get_uri().path().to_owned();
        let kind = response.headers().get("content-type");
        let kind = kind.map(|kind| kind.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let mut body = response.into_body();
        let text = body
            .with_config()
            .limit(1 << 30)
            .read_to_string()
            .unwrap();
        let kind = kind.unwrap_or_default();
        assert_described(&path, status, &kind, &text);
        Self { status, kind, text }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The status and the sentence of a problem.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.kind, "application/problem+json", "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        (
            self.status,
            problem["detail"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .timeout_global(Some(TOO_LONG));
    config.build().into()
}

impl Service {
    pub(crate) fn start(dir: &Path, args: &[&str]) -> Self {
        let mut command = runvet(&[&["serve"], args].concat());
        let mut child = command
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut url).unwrap();
        Self {
            child,
            url: url.trim_end().to_owned(),
            agent: agent(),
        }
    }

    /// Of the demo, with all runs judged.
    pub(crate) fn demo() -> Self {
        let service = Self::start(&corpus(), &["demo"]);
        while service.get("readyz").status != 200 {
            std::thread::sleep(Duration::from_millis(20));
        }
        service
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        Answer::of(
            self.agent
                .get(format!("{}{path}", self.url))
                .call()
                .unwrap(),
        )
    }

    pub(crate) fn check(&self, body: &str) -> Answer {
        let request = self
            .agent
            .post(format!("{}api/v1/check", self.url));
        let request = request.header("content-type", "application/json");
        Answer::of(request.send(body).unwrap())
    }

    /// The ids of the runs of a list.
    pub(crate) fn ids(&self, query: &str) -> Vec<String> {
        let list = self
            .get(&format!("api/v1/runs?{query}"))
            .json();
        let items = list["items"]
            .as_array()
            .unwrap_or_else(|| panic!("{list}"));
        let ids = items
            .iter()
            .map(|item| item["id"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    }

    /// Asks until this number of runs is listed.
    pub(crate) fn wait_for(&self, runs: u64) {
        while self.get("api/v1/runs?limit=1").json()["total"] != runs {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.url
            .trim_start_matches("http://")
            .trim_end_matches('/')
    }

    pub(crate) fn socket(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address()).unwrap();
        socket
            .set_read_timeout(Some(TOO_LONG))
            .unwrap();
        socket
    }

    /// The first line of the answer to a request as it is sent.
    pub(crate) fn raw(&self, request: &str) -> String {
        let mut socket = self.socket();
        socket
            .write_all(request.as_bytes())
            .unwrap();
        let mut line = String::new();
        BufReader::new(socket)
            .read_line(&mut line)
            .unwrap();
        line.trim_end().to_owned()
    }

    /// Listens to changes; the lines of the stream, from the first on.
    pub(crate) fn changes(&self) -> impl Iterator<Item = String> + use<> {
        self.listening("")
    }

    /// Listens to the changes after one that was read before.
    pub(crate) fn changes_after(&self, id: &str) -> impl Iterator<Item = String> + use<> {
        self.listening(&format!("Last-Event-ID: {id}\r\n"))
    }

    fn listening(&self, header: &str) -> impl Iterator<Item = String> + use<> {
        let mut socket = self.socket();
        let request = format!("GET /api/v1/changes HTTP/1.1\r\n{header}Host: ");
        write!(socket, "{request}{}\r\n\r\n", self.address()).unwrap();
        let mut lines = BufReader::new(socket)
            .lines()
            .map_while(Result::ok);
        assert_eq!(lines.next().unwrap(), "HTTP/1.1 200 OK");
        for line in lines.by_ref() {
            if line.is_empty() {
                break;
            }
        }
        lines
    }

    pub(crate) fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Ends it by SIGTERM; the exit code, and what it said.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", "TERM", &id])
            .status();
        assert!(sent.unwrap().success());
        let said = std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
