//! What `runvet serve` does -> rows: how much memory its list takes, how soon it shows runs, and
//! how fast it answers.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use crate::data::{EPISODES, MANY_EPISODES};
use crate::goals::{Goal, Row};
use crate::measure::{median, ratio};
use crate::{Bench, ROUNDS, empty_handler, peers};

/// The number of times that the service is started on all runs.
const STARTS: usize = 3;

/// The time after which runs should have been judged.
const TOO_LONG: Duration = Duration::from_secs(600);

/// Lists of runs with filters and orders: what the p95 is taken of is the slowest.
const LISTS: [&str; 4] = [
    "ended=error&sort=-duration",
    "valid=true&tag=team:support&sort=task",
    "q=ticket&since=2026-03-05&until=2026-03-25",
    "outcome=success&mode=meta&valid=true&sort=-id",
];

/// The number of connections that ask at the same time.
const CONNECTIONS: &str = "4";

/// A running service, which ends with the value.
pub(crate) struct Service {
    child: Child,
    url: String,
    agent: Agent,
    started: Instant,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts `runvet serve`.
    pub(crate) fn start(runvet: &Path, dir: &Path) -> Self {
        let mut command = Command::new(runvet);
        command
            .args(["serve", "--no-config"])
            .arg(dir);
        Self::run(&mut command)
    }

    /// Starts the service that does nothing.
    fn empty() -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        Self::run(Command::new(program).arg(empty_handler::NAME))
    }

    /// Starts a program that prints its address first.
    fn run(command: &mut Command) -> Self {
        let started = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the service starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        let _ = BufReader::new(stdout).read_line(&mut url);
        let config = Agent::config_builder()
            .proxy(None)
            .timeout_global(Some(TOO_LONG));
        Self {
            child,
            url: url.trim_end().to_owned(),
            agent: config.build().into(),
            started,
        }
    }

    /// What an answer is read from.
    pub(crate) fn open(&self, path: &str) -> Result<impl Read + use<>, String> {
        let answer = self
            .agent
            .get(format!("{}{path}", self.url))
            .call();
        let answer = answer.map_err(|error| format!("the service does not answer: {error}"))?;
        Ok(answer.into_body().into_reader())
    }

    pub(crate) fn json(&self, path: &str) -> Result<Value, String> {
        let mut text = String::new();
        let read = self
            .open(path)?
            .read_to_string(&mut text);
        read.map_err(|error| format!("the service does not answer: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }

    /// Waits for the first page with runs. Returns at most the time from the first verdict to the
    /// page: the last page without runs had been asked for before that verdict.
    fn first_page(&self) -> Result<Duration, String> {
        loop {
            let asked = Instant::now();
            let page = self.json("api/v1/runs?limit=20")?;
            let begun = Instant::now();
            if page["total"] != 0 {
                return Ok(begun - asked);
            }
            self.check_time()?;
        }
    }

    /// Waits until all runs have been judged.
    pub(crate) fn wait_for(&self, runs: u64) -> Result<Duration, String> {
        loop {
            let page = self.json("api/v1/runs?limit=1")?;
            if page["total"] == runs && self.json("api/v1/statistics")?["complete"] == true {
                return Ok(self.started.elapsed());
            }
            self.check_time()?;
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn check_time(&self) -> Result<(), String> {
        let is_late = self.started.elapsed() > TOO_LONG;
        let late = || "the service has not judged all runs in time".to_owned();
        (!is_late)
            .then_some(())
            .ok_or_else(late)
    }

    /// The memory that the service has now, in bytes.
    fn memory(&self) -> Result<u64, String> {
        let file = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(file).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| {
            line.split_whitespace()
                .next()?
                .parse()
                .ok()
        });
        let unknown = || "this system does not say how much memory a process has".to_owned();
        kibibytes
            .map(|kibibytes: u64| kibibytes * 1024)
            .ok_or_else(unknown)
    }

    /// Puts load on an address, for a number of seconds; posts a file, if there is one.
    fn load(
        &self,
        tool: &Path,
        load: [&str; 2],
        path: &str,
        body: &[&Path],
    ) -> Result<Load, String> {
        let [connections, duration] = load;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/validate/wrk.lua");
        let mut command = Command::new(tool);
        command.args(["-t", "1", "-c", connections, "-d", duration, "-s"]);
        command
            .arg(script)
            .arg(format!("{}{path}", self.url));
        command
            .arg("--")
            .args(body)
            .stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| format!("wrk: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let result = printed
            .lines()
            .find(|line| line.starts_with('{'));
        let result: Value = result
            .and_then(|line| serde_json::from_str(line).ok())
            .ok_or_else(|| format!("wrk: {}", String::from_utf8_lossy(&output.stderr)))?;
        let number = |name: &str| {
            result[name]
                .as_f64()
                .unwrap_or_default()
        };
        let (requests, failed) = (number("requests"), number("failed"));
        if failed > 0.0 || requests < 1.0 {
            return Err(format!(
                "{path}: {failed} of {requests} requests have failed"
            ));
        }
        Ok(Load {
            rate: requests / number("seconds"),
            p95: number("p95_seconds"),
        })
    }
}

/// How fast an address answers.
struct Load {
    /// Requests in a second.
    rate: f64,
    /// The time in which 95 of 100 requests are answered, in seconds.
    p95: f64,
}

pub(crate) fn serve(bench: &mut Bench) {
    let tool = peers::wrk();
    match &tool {
        Ok(_) => bench.peers.push("wrk".to_owned()),
        Err(why) => bench.leave_out("the service under load", why),
    }
    let tool = tool.ok();
    if let Err(why) = index(bench, tool.as_deref()) {
        bench.leave_out("the list of the service", &why);
    }
    if let Some(tool) = tool
        && let Err(why) = check(bench, &tool)
    {
        bench.leave_out("`POST /api/v1/check`", &why);
    }
}

/// The list of all runs.
fn index(bench: &mut Bench, tool: Option<&Path>) -> Result<(), String> {
    let (few, many) = (bench.data.small(), bench.data.many());
    let service = Service::start(&bench.runvet, &few);
    service.wait_for(EPISODES)?;
    let base = service.memory()?;
    drop(service);
    let (mut pages, mut all, mut memory) = (Vec::new(), Vec::new(), 0);
    for start in 1..=STARTS {
        let service = Service::start(&bench.runvet, &many);
        pages.push(service.first_page()?.as_secs_f64());
        all.push(
            service
                .wait_for(MANY_EPISODES)?
                .as_secs_f64(),
        );
        memory = memory.max(service.memory()?);
        if let Some(tool) = tool.filter(|_| start == STARTS)
            && let Err(why) = lists(bench, &service, tool)
        {
            bench.leave_out("filtered pages", &why);
        }
    }
    bench.keep(
        json!({"case": "serve-index", "memory_of_10000": base, "memory": memory,
        "first_page_seconds": pages, "seconds": all}),
    );
    let slowest = pages
        .iter()
        .copied()
        .fold(0.0, f64::max)
        * 1e3;
    let work = "the first page after the first verdict, of 100,000 runs";
    bench.row(Row::plain(work, slowest, "ms", Goal::AtMost(200.0)));
    let work = "100,000 runs judged and listed";
    bench.row(Row::plain(work, median(&all), "s", Goal::None));
    let more = memory.saturating_sub(base) / (MANY_EPISODES - EPISODES);
    let bytes = f64::from(u32::try_from(more).expect("a few kilobytes"));
    let work = "memory for each run of the list";
    bench.row(Row::plain(work, bytes, "bytes", Goal::AtMost(2000.0)));
    Ok(())
}

/// Pages of the list with filters.
fn lists(bench: &mut Bench, service: &Service, tool: &Path) -> Result<(), String> {
    let mut slowest: f64 = 0.0;
    for list in LISTS {
        let path = format!("api/v1/runs?limit=100&{list}");
        if service.json(&path)?["total"] == 0 {
            return Err(format!("no run passes {list}"));
        }
        let load = service.load(tool, ["1", "2s"], &path, &[])?;
        bench.keep(json!({"case": "serve-lists", "name": list, "p95_seconds": load.p95}));
        slowest = slowest.max(load.p95);
    }
    let work = "a filtered page of 100,000 runs, 95th percentile";
    bench.row(Row::plain(work, slowest * 1e3, "ms", Goal::AtMost(50.0)));
    Ok(())
}

/// Records that are posted, beside a service that only reads them.
fn check(bench: &mut Bench, tool: &Path) -> Result<(), String> {
    let dir = bench.data.one();
    let body = bench.data.0.join("check.json");
    fs::write(&body, request(&dir)).expect("the request can be written");
    let service = Service::start(&bench.runvet, &dir);
    service.wait_for(1)?;
    let idle = Service::empty();
    let load = [CONNECTIONS, "2s"];
    let (mut checks, mut empty, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let nothing = idle
            .load(tool, load, "", &[&body])?
            .rate;
        let check = service
            .load(tool, load, "api/v1/check", &[&body])?
            .rate;
        memory.push(service.memory()?);
        if round > 0 {
            checks.push(check);
            empty.push(nothing);
        }
    }
    bench.keep(
        json!({"case": "serve-check", "checks_per_second": checks, "empty_per_second": empty,
        "memory": memory}),
    );
    let work = "`POST /api/v1/check` of a small episode";
    let row = Row::plain(work, ratio(&checks, &empty), "×", Goal::AtLeast(0.5));
    bench.row(row.rates(median(&checks), "empty handler", median(&empty)));
    let megabytes = memory
        .iter()
        .map(|bytes| crate::goals::megabytes(*bytes));
    let megabytes: Vec<f64> = megabytes.collect();
    let growth = megabytes[ROUNDS] / megabytes[0];
    let work = "its memory after all rounds, beside that after the first";
    bench.row(Row::plain(work, growth, "×", Goal::AtMost(1.1)));
    Ok(())
}

/// The body of a request that checks an episode.
fn request(dir: &Path) -> String {
    let episode = dir.join("episodes/ep_00000000");
    let mut records = serde_json::Map::new();
    for name in [
        "state.json",
        "summary.json",
        "events.jsonl",
        "learn.jsonl",
        "manifest.json",
    ] {
        if let Ok(text) = fs::read_to_string(episode.join(name)) {
            records.insert(name.to_owned(), text.into());
        }
    }
    json!({"episode_id": "ep_00000000", "records": records}).to_string()
}
