//! `runvet serve`, asked by real clients over real sockets: its answers, whom it refuses, what it
//! withstands, and its end.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use runvet::check::Check;
use runvet::report::write_json;
use runvet::source::Artifact;
use serde_json::{Value, json};
use ureq::Agent;

use crate::support::binary::{run, runvet, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::hostile::{commands, hostile_run};
use crate::support::runs::copy_dir;

/// More than the time of any answer: a test that would block forever fails instead.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A running service, which ends with the test.
struct Service {
    child: Child,
    url: String,
    agent: Agent,
}

struct Answer {
    status: u16,
    kind: String,
    text: String,
}

impl Answer {
    fn of(response: ureq::http::Response<ureq::Body>) -> Self {
        let kind = response.headers().get("content-type");
        let kind = kind.map(|kind| kind.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let mut body = response.into_body();
        let text = body.with_config().limit(1 << 30).read_to_string().unwrap();
        Self {
            status,
            kind: kind.unwrap_or_default(),
            text,
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The status and the sentence of a problem.
    fn problem(&self) -> (u16, String) {
        assert_eq!(self.kind, "application/problem+json", "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        (self.status, problem["detail"].as_str().unwrap().to_owned())
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
    fn start(dir: &Path, args: &[&str]) -> Self {
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
    fn demo() -> Self {
        let service = Self::start(&corpus(), &["demo"]);
        service.wait_for(5);
        service
    }

    fn get(&self, path: &str) -> Answer {
        Answer::of(
            self.agent
                .get(format!("{}{path}", self.url))
                .call()
                .unwrap(),
        )
    }

    fn check(&self, body: &str) -> Answer {
        let request = self.agent.post(format!("{}api/v1/check", self.url));
        let request = request.header("content-type", "application/json");
        Answer::of(request.send(body).unwrap())
    }

    /// The ids of the runs of a list.
    fn ids(&self, query: &str) -> Vec<String> {
        let list = self.get(&format!("api/v1/runs?{query}")).json();
        let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
        let ids = items.iter().map(|item| item["id"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    }

    /// Asks until this number of runs is listed.
    fn wait_for(&self, runs: u64) {
        while self.get("api/v1/runs?limit=1").json()["total"] != runs {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    fn socket(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address()).unwrap();
        socket.set_read_timeout(Some(TOO_LONG)).unwrap();
        socket
    }

    /// The first line of the answer to a request as it is sent.
    fn raw(&self, request: &str) -> String {
        let mut socket = self.socket();
        socket.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Listens to changes; the lines of the stream, from the first on.
    fn changes(&self) -> impl Iterator<Item = String> + use<> {
        let mut socket = self.socket();
        let request = "GET /api/v1/changes HTTP/1.1\r\nHost: ";
        write!(socket, "{request}{}\r\n\r\n", self.address()).unwrap();
        let mut lines = BufReader::new(socket).lines().map_while(Result::ok);
        assert_eq!(lines.next().unwrap(), "HTTP/1.1 200 OK");
        for line in lines.by_ref() {
            if line.is_empty() {
                break;
            }
        }
        lines
    }

    fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Ends it by SIGTERM; the exit code, and what it said.
    fn end(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
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

#[test]
fn service_lists_runs_by_filters() {
    let service = Service::demo();
    let answer = service.get("api/v1/runs");
    assert_eq!((answer.status, &*answer.kind), (200, "application/json"));
    let list = answer.json();
    assert_eq!((&list["total"], &list["next"]), (&json!(5), &Value::Null));
    let first = service.get("api/v1/runs?q=EP_01").json()["items"][0].clone();
    assert_eq!(first["dir"], "demo/episodes/ep_01_answer");
    assert_eq!(
        (&first["valid"], &first["status"]),
        (&json!(true), &json!("ok"))
    );
    let all: BTreeSet<String> = service.ids("sort=id").into_iter().collect();
    let of = |query| service.ids(query).into_iter().collect::<BTreeSet<_>>();
    let (valid, invalid) = (of("valid=true"), of("valid=false"));
    assert!(!valid.is_empty() && !invalid.is_empty());
    assert_eq!(&valid | &invalid, all);
    assert_eq!(of("rule=plan/projection"), of("rule=plan/*&valid=false"));
    assert!(of("rule=plan/projection").contains("ep_03_edited"));
    let rest = [
        "outcome=success",
        "since=2026-03-01",
        "until=2100-01-01T00:00:00Z",
        "has=errors",
    ];
    for query in rest {
        assert!(!of(query).is_empty(), "{query}");
    }
    for query in [
        "status=nothing",
        "until=1999-01-01",
        "tag=a:b",
        "mode=none",
        "q=nowhere",
    ] {
        assert!(of(query).is_empty(), "{query}");
    }
    let ids = service.ids("sort=-id");
    assert!(ids.is_sorted_by(|one, other| one > other));
}

#[test]
fn wrong_query_is_a_problem_that_says_why() {
    let service = Service::demo();
    for (query, why) in [
        ("limt=1", "limt"),
        ("limit=0", "`limit`"),
        ("limit=x", "limit"),
        ("sort=size", "`sort`"),
        ("cursor=x", "`cursor`"),
        ("valid=maybe", "`valid`"),
        ("since=yesterday", "`since`"),
        ("has=nothing", "`has`"),
    ] {
        let (status, said) = service.get(&format!("api/v1/runs?{query}")).problem();
        assert!(
            status == 400 && said.contains(why),
            "{query}: {status} {said}"
        );
    }
    assert_eq!(service.get("api/v1/runs/ep_99").problem().0, 404);
    assert_eq!(service.get("api/v1/schemas/odd").problem().0, 404);
    assert_eq!(service.get("nowhere").problem().0, 404);
    assert_eq!(service.get("api/v1/check").problem().0, 405);
}

#[test]
fn service_shows_a_run_as_view_does() {
    let service = Service::demo();
    let shown = service.get("api/v1/runs/ep_03_edited");
    let viewed = run(&["view", "demo/episodes/ep_03_edited", "--json"]);
    assert_eq!(shown.text, stdout(&viewed).trim_end());
    let by_key = service.get("api/v1/runs/demo%2Fepisodes%2Fep_03_edited");
    assert_eq!(by_key.text, shown.text);
}

#[test]
fn service_lists_events_page_by_page() {
    let service = Service::demo();
    let (mut lines, mut path) = (Vec::new(), "?limit=4".to_owned());
    loop {
        let list = service
            .get(&format!("api/v1/runs/ep_01_answer/events{path}"))
            .json();
        let items = list["items"].as_array().unwrap();
        lines.extend(items.iter().map(|item| item["line"].as_u64().unwrap()));
        match list["next"].as_u64() {
            Some(next) => path = format!("?limit=4&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(lines, (1..=11).collect::<Vec<u64>>());
    let acts = service
        .get("api/v1/runs/ep_01_answer/events?phase=act")
        .json();
    assert_eq!(acts["items"].as_array().unwrap().len(), 3);
    assert_eq!(acts["items"][0]["event"]["phase"], "act");
}

#[test]
fn service_sums_up_as_validate_does() {
    let service = Service::demo();
    let sums = service.get("api/v1/statistics").json();
    let report = runvet(&["validate", "demo", "--format", "json", "--statistics"]).output();
    let report: Value = serde_json::from_str(stdout(&report.unwrap())).unwrap();
    assert_eq!(sums["totals"], report["totals"]);
    assert_eq!(sums["statistics"], report["statistics"]);
    assert_eq!(sums["complete"], true);
    let metrics = service.get("metrics");
    assert!(metrics.kind.starts_with("application/openmetrics-text"));
    let line = format!(
        "runvet_runs{{verdict=\"invalid\"}} {}",
        report["totals"]["invalid"]
    );
    assert!(metrics.text.contains(&line), "{}", metrics.text);
    assert!(metrics.text.ends_with("# EOF\n"));
    assert_eq!(service.get("healthz").text, "ok\n");
}

#[test]
fn service_gives_rules_schemas_and_its_description() {
    let service = Service::demo();
    let rules = service.get("api/v1/rules").json();
    let rules = rules["items"].as_array().unwrap();
    assert_eq!(rules.len(), runvet::check::all_rules().count());
    let schema = service.get("api/v1/schemas/state");
    assert_eq!(schema.text, runvet::Schema::State.text());
    let described = service.get("api/v1/openapi.json").json();
    for path in described["paths"].as_object().unwrap().keys() {
        let path = path
            .replace("{id}", "ep_01_answer")
            .replace("{name}", "state");
        if path != "/api/v1/changes" && path != "/api/v1/check" {
            assert_eq!(service.get(&path[1..]).status, 200, "{path}");
        }
    }
}

#[test]
fn posted_records_get_the_report_of_the_library() {
    let service = Service::demo();
    for case in ["demo/episodes/ep_01_answer", "demo/episodes/ep_03_edited"] {
        let read = |artifact: Artifact| {
            let text = fs::read_to_string(corpus().join(case).join(artifact.file_name()));
            Some((artifact, text.ok()?))
        };
        let records: Vec<(Artifact, String)> = Artifact::ALL.into_iter().filter_map(read).collect();
        let named = records
            .iter()
            .map(|(artifact, text)| (artifact.file_name(), json!(text)));
        let named: serde_json::Map<String, Value> =
            named.map(|(name, text)| (name.to_owned(), text)).collect();
        let body = json!({"episode_id": "ep_1", "records": named}).to_string();
        let bytes: Vec<(Artifact, &[u8])> = records
            .iter()
            .map(|(artifact, text)| (*artifact, text.as_bytes()))
            .collect();
        let mut expected = Vec::new();
        write_json(&mut expected, &Check::new().records("ep_1", &bytes)).unwrap();
        let answer = service.check(&body);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.text.as_bytes(), expected);
    }
}

#[test]
fn wrong_post_is_a_problem_that_says_why() {
    let service = Service::demo();
    for (body, why) in [
        ("", "EOF"),
        ("[1]", "not a request"),
        (r#"{"episode_id":"e"}"#, "records"),
        (r#"{"episode_id":"e","records":{"state":""}}"#, "`state`"),
        (r#"{"episode_id":"e","records":{},"x":1}"#, "`x`"),
    ] {
        let (status, said) = service.check(body).problem();
        assert!(
            status == 400 && said.contains(why),
            "{body}: {status} {said}"
        );
    }
    let request = service.agent.post(format!("{}api/v1/check", service.url));
    let answer = Answer::of(
        request
            .header("content-type", "text/plain")
            .send("{}")
            .unwrap(),
    );
    assert_eq!(answer.problem().0, 415);
}

#[test]
fn shared_id_is_a_conflict_with_keys() {
    let temp = tempfile::tempdir().unwrap();
    for group in ["a", "b"] {
        let run = temp.path().join(format!("episodes/{group}/ep_1"));
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    }
    let service = Service::start(temp.path(), &[]);
    service.wait_for(2);
    let answer = service.get("api/v1/runs/ep_1");
    assert_eq!(answer.problem().0, 409);
    let keys = answer.json()["keys"].clone();
    assert_eq!(keys, json!(["episodes/a/ep_1", "episodes/b/ep_1"]));
    let of_key = keys[1].as_str().unwrap().replace('/', "%2F");
    let run = service.get(&format!("api/v1/runs/{of_key}")).json();
    assert_eq!(run["episode_dir"], keys[1]);
}

#[test]
fn pages_do_not_shift_while_runs_arrive() {
    let temp = tempfile::tempdir().unwrap();
    let add = |number: usize| {
        let run = temp.path().join(format!("episodes/ep_{number:03}"));
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    };
    (10..30).for_each(add);
    let service = Service::start(temp.path(), &[]);
    service.wait_for(20);
    let (mut met, mut cursor) = (Vec::new(), String::new());
    for page in 0.. {
        let list = service
            .get(&format!("api/v1/runs?limit=6&sort=id{cursor}"))
            .json();
        let items = list["items"].as_array().unwrap();
        met.extend(
            items
                .iter()
                .map(|item| item["id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = list["next"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
        // It comes first in the order, and is on no later page.
        add(page);
        service.wait_for(21 + page as u64);
    }
    let expected: Vec<String> = (10..30).map(|number| format!("ep_{number:03}")).collect();
    assert_eq!(met, expected);
}

#[test]
fn changes_arrive_with_the_item_of_the_run() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("episodes")).unwrap();
    let service = Service::start(temp.path(), &[]);
    let mut changes = service.changes();
    let run = temp.path().join("episodes/ep_1");
    copy_dir(&corpus().join("demo/episodes/ep_03_edited"), &run);
    let mut next = |name: &str| {
        let wanted = format!("event: {name}");
        changes.by_ref().find(|line| *line == wanted).unwrap();
        let data = changes.by_ref().find(|line| line.starts_with("data: "));
        serde_json::from_str::<Value>(&data.unwrap()["data: ".len()..]).unwrap()
    };
    let item = next("verdict");
    assert_eq!(
        (&item["id"], &item["valid"]),
        (&json!("ep_1"), &json!(false))
    );
    let listed = service.get("api/v1/runs").json();
    assert_eq!(listed["items"][0]["id"], item["id"]);
    fs::remove_dir_all(&run).unwrap();
    assert_eq!(next("gone"), json!({"dir": "episodes/ep_1"}));
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let service = Service::demo();
    let host = service.address().to_owned();
    let ask = |headers: &str| service.raw(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n"));
    assert_eq!(ask(&format!("Host: {host}")), "HTTP/1.1 200 OK");
    let port = host.rsplit_once(':').unwrap().1;
    for foreign in [
        &format!("evil.example:{port}"),
        "evil.example",
        "127.0.0.1:1",
    ] {
        assert!(
            ask(&format!("Host: {foreign}")).contains(" 421 "),
            "{foreign}"
        );
    }
    for origin in ["http://evil.example", "null"] {
        let headers = format!("Host: {host}\r\nOrigin: {origin}");
        assert!(ask(&headers).contains(" 403 "), "{origin}");
    }
    assert_eq!(
        ask(&format!("Host: {host}\r\nOrigin: http://{host}")),
        "HTTP/1.1 200 OK"
    );
    assert!(ask("X: y").contains(" 400 "));
}

#[test]
fn every_answer_has_the_policy() {
    let service = Service::demo();
    for path in ["", "api/v1/runs", "nowhere", "metrics"] {
        let answer = service.agent.get(format!("{}{path}", service.url)).call();
        let headers = answer.unwrap().headers().clone();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
}

#[test]
fn reachable_address_needs_a_token() {
    let refused = run(&["serve", "demo", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--token-file"),
        "{}",
        stderr(&refused)
    );
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("token");
    let args = |file: &Path| {
        let args = [
            "demo",
            "--listen",
            "0.0.0.0:0",
            "--token-file",
            file.to_str().unwrap(),
        ];
        args.map(str::to_owned)
    };
    fs::write(&file, "short\n").unwrap();
    let refused = run(&["serve", "--token-file", file.to_str().unwrap()]);
    assert!(
        stderr(&refused).contains("16 to 4096"),
        "{}",
        stderr(&refused)
    );
    fs::write(&file, "0123456789abcdef\n").unwrap();
    let args = args(&file);
    let service = Service::start(&corpus(), &args.each_ref().map(|arg| &**arg));
    assert_eq!(service.get("api/v1/runs").problem().0, 401);
    assert_eq!(service.get("healthz").status, 200);
    let asked = service.agent.get(format!("{}api/v1/runs", service.url));
    let asked = asked.header("authorization", "Bearer 0123456789abcdef");
    assert_eq!(Answer::of(asked.call().unwrap()).status, 200);
}

#[test]
fn two_hundred_clients_are_answered_at_once() {
    let service = Service::demo();
    let sockets: Vec<TcpStream> = (0..200).map(|_| service.socket()).collect();
    let request = format!(
        "GET /api/v1/runs HTTP/1.1\r\nHost: {}\r\n\r\n",
        service.address()
    );
    for mut socket in &sockets {
        socket.write_all(request.as_bytes()).unwrap();
    }
    for socket in &sockets {
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).unwrap();
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    }
}

#[test]
fn slow_clients_keep_nobody_waiting() {
    let service = Service::demo();
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut socket = service.socket();
            socket
                .write_all(b"POST /api/v1/check HTTP/1.1\r\nHost: 127")
                .unwrap();
            socket
        })
        .collect();
    assert_eq!(service.get("api/v1/runs").status, 200);
    assert_eq!(
        service.check(r#"{"episode_id":"e","records":{}}"#).status,
        200
    );
    drop(slow);
}

#[test]
fn body_without_end_is_refused_in_little_memory() {
    let service = Service::demo();
    let before = service.memory_kib();
    let mut socket = service.socket();
    write!(
        socket,
        "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        service.address()
    )
    .unwrap();
    let chunk = [b"10000\r\n", &*vec![b' '; 0x10000], b"\r\n"].concat();
    // The service closes the connection after the limit of 8 MiB.
    let sent = (0..10_000)
        .take_while(|_| socket.write_all(&chunk).is_ok())
        .count();
    assert!(sent < 10_000, "{sent}");
    let mut answer = String::new();
    let _ = socket.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains(" 413 "), "{answer}");
    let grown = service.memory_kib() - before;
    assert!(grown < 40 << 10, "{grown} KiB");
    let large = format!("{{\"episode_id\":\"{}\"", "x".repeat(9 << 20));
    let mut socket = service.socket();
    let head = format!(
        "POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        service.address(),
        large.len()
    );
    socket.write_all(head.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&socket).read_line(&mut line).unwrap();
    assert!(line.contains(" 413 "), "{line}");
    assert_eq!(service.get("healthz").status, 200);
}

#[test]
fn hostile_texts_are_escaped_in_every_answer() {
    let (temp, _) = hostile_run();
    let service = Service::start(temp.path(), &[]);
    service.wait_for(1);
    let item = service.get("api/v1/runs").json()["items"][0].clone();
    let dir = item["dir"].as_str().unwrap().bytes();
    let key = dir.map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>();
    let key = key.concat();
    for path in [
        "api/v1/runs".to_owned(),
        format!("api/v1/runs/{key}"),
        format!("api/v1/runs/{key}/events"),
        format!("api/v1/runs/{key}x"),
        "api/v1/runs?%1B=%1B".to_owned(),
        "api/v1/statistics".to_owned(),
        "metrics".to_owned(),
    ] {
        let answer = service.get(&path);
        let is_hostile = |c: &char| *c != '\n' && runvet::printable::is_hostile(*c);
        assert_eq!(answer.text.chars().find(is_hostile), None, "{path}");
        assert!(commands(&answer.text).is_empty(), "{path}");
    }
}

#[test]
fn service_ends_cleanly_when_terminated() {
    let service = Service::demo();
    let changes = service.changes();
    let idle = service.socket();
    assert_eq!(service.end(), (Some(0), String::new()));
    drop((changes, idle));
}
