//! What runvet says, as it says it: `tests/blessed/sentences.txt` lists every sentence of the
//! corpus, of wrong texts, of conditions and of configurations, of the service, and every error of
//! the cases. `make bless` writes it; whoever reviews a change reads the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use runvet::finding::{EpisodeReport, Finding, Location};
use runvet::gate::{ConfigError, Gate};
use runvet::read::policy::{Advice, Policy, Scope};
use runvet::record::{Action, State, StepKind};
use runvet::recorder::{Assertion, End, Recorder, Session, StepDraft, Task};
use runvet::source::Artifact;
use runvet::store::episodes_of;
use serde_json::Value;

use crate::support::bless;
use crate::support::cases::printed_files;
use crate::support::corpus::{Expectation, corpus, expecting_cases};
use crate::support::markdown::read;
use crate::support::project::Project;
use crate::support::runs::{copy_dir, run_of};
use crate::support::service::Service;

const BLESSED: &str = "tests/blessed/sentences.txt";

/// Texts that are not the JSON of a record, each in the place of the state and of an event.
const TEXTS: [&str; 34] = [
    "",
    "x",
    "[]",
    "7",
    "{",
    "[",
    "{\"a\": [1",
    "{\"a\": \"b",
    "{\"a\" 1}",
    "{\"a\": 1 \"b\": 2}",
    "{\"a\": [1 2]}",
    "{a: 1}",
    "{'a': 1}",
    "{\"a\": 1,}",
    "{\"a\": [1,]}",
    "{\"a\": }",
    "{\"a\": 01}",
    "{\"a\": 1.}",
    "{\"a\": -}",
    "{\"a\": 1e}",
    "{\"a\": None}",
    "{\"a\": True}",
    "{\"a\": NaN}",
    "{\"a\": \"\t\"}",
    "{\"a\": \"\\x\"}",
    "{\"a\": \"\\u12\"}",
    "{\"a\": \"\\ud83d\"}",
    "{\"a\": \"C:\\dir\"}",
    "{} {}",
    "{} // done",
    "\u{feff}{}",
    "{\0}",
    "\0\0\0\0",
    "\"{\\\"phase\\\": \\\"act\\\"}\"",
];

/// Conditions whose value can't be told, as `check` of a rule about each event.
const CONDITIONS: [&str; 40] = [
    "1 + 'a' == 2",
    "'a' - 1 == 2",
    "-'a' == 1",
    "!1",
    "1 && true",
    "'a' < 1",
    "1 ? true : false",
    "1 / 0 == 1",
    "1 % 0 == 1",
    "9223372036854775807 + 1 > 0",
    "-(-9223372036854775807 - 1) > 0",
    "size(1) == 1",
    "int('x') == 1",
    "int(1e30) == 1",
    "uint(-1) == 1u",
    "double('x') == 1.0",
    "timestamp('x') == timestamp('y')",
    "duration('x') == duration('y')",
    "duration('999999999999999999h') > duration('1s')",
    "timestamp('9999-12-31T23:59:59Z') + duration('1h') > timestamp('2026-03-01T12:00:00Z')",
    "'a'.matches('(')",
    "1.matches('a')",
    "1.startsWith('a')",
    "[1][2] == 1",
    "[1]['a'] == 1",
    "{'a': 1}['b'] == 1",
    "{'a': 1}.b == 1",
    "{'a': 1, 'a': 2}.size() == 1",
    "{1.5: 1}.size() == 1",
    "1[0] == 1",
    "1.a == 1",
    "1 in 2",
    "1.exists(x, true)",
    "event.payload",
    "timestamp('0000-01-01T00:00:00Z') - duration('1h') < timestamp('2026-03-01T12:00:00Z')",
    "[1].exists(1, true)",
    "[1].exists(x)",
    "event..payload",
    "1 +* 2",
    "'a",
];

/// What earlier events are asked for and do not have, as `check` of a rule about each event.
const EARLIER: [&str; 7] = [
    "earlier('s').min() < 1",
    "earlier('s').last().payload.none == 1",
    "earlier('s').map(e, e.payload).max() > 1",
    "earlier('s').map(e, e.payload).sum() > 1",
    "earlier('s').map(e, 9223372036854775807).sum() > 1",
    "earlier('s').map(e, 'x').sum() > 1",
    "earlier('s').map(e, e.phase == 'start' ? '1' : 2).max() > 1",
];

/// Requests to the service of the demo: method, path, and a header.
const REQUESTS: [&str; 47] = [
    "GET nowhere",
    "GET api/v1/check",
    "POST api/v1/runs",
    "GET api/v1/runs?limt=1",
    "GET api/v1/runs?limit=0",
    "GET api/v1/runs?limit=1&limit=2",
    "GET api/v1/runs?sort=size",
    "GET api/v1/runs?cursor=x",
    "GET api/v1/runs?valid=maybe",
    "GET api/v1/runs?has=nothing",
    "GET api/v1/runs?call=nothing",
    "GET api/v1/groups?by=nothing",
    "GET api/v1/runs?verdict=maybe",
    "GET api/v1/runs?since=soon",
    "GET api/v1/runs?until=soon",
    "GET api/v1/runs?duration=long",
    "GET api/v1/runs?latency=total_ms..x",
    "GET api/v1/runs?metric=task_score..x..y",
    "GET api/v1/runs?silent_for=long",
    "GET api/v1/runs/ep_99",
    "GET api/v1/runs/ep_01_answer?x=1",
    "GET api/v1/runs/ep_01_answer/events?cursor=x",
    "GET api/v1/runs/ep_01_answer/events?limit=1001",
    "GET api/v1/runs/ep_01_answer/records/notes.txt",
    "GET api/v1/runs/ep_02_paused/records/summary.json",
    "GET api/v1/runs/ep_twice",
    "GET api/v1/diff?left=ep_01_answer",
    "GET api/v1/diff?left=ep_01_answer&right=ep_99",
    "GET api/v1/schemas/odd",
    "GET api/v1/rules?x=1",
    "GET api/v1/statistics?since=soon",
    "GET runs/ep_99",
    "POST api/v1/check",
    "POST api/v1/check | Content-Type: text/plain",
    "POST api/v1/check | Content-Type: application/json",
    "POST api/v1/check | Content-Type: application/json\r\nContent-Length: 99999999999",
    "GET api/v1/runs | Host: runs.example",
    "GET api/v1/runs | Host: a\r\nHost: b",
    "GET api/v1/runs | Origin: http://evil.example",
    "GET api/v1/runs | Origin: a\r\nOrigin: b",
    "GET login?code=x",
    "GET api/v1/changes?x=1",
    "GET api/v1/runs | Hostless: yes",
    "GET api/v1/runs?q=\"",
    "GET page/run?dir=ep_99",
    "GET page/rule?name=plan/none",
    "GET page/overview?x=1",
];

/// The sentences of a section, below what they have in common, each with the first place that
/// shows it.
#[derive(Default)]
struct Sentences(BTreeMap<String, BTreeMap<String, String>>);

impl Sentences {
    fn add(&mut self, common: &str, sentence: &str, place: &str) {
        let below = self
            .0
            .entry(common.to_owned())
            .or_default();
        below
            .entry(one_line(sentence).replace(env!("CARGO_PKG_VERSION"), "[VERSION]"))
            .or_insert_with(|| place.to_owned());
    }

    /// Adds a finding; its rule, its help and what is said of other places are common to many.
    fn add_finding(&mut self, finding: &Finding, case: &str, below: &Path) {
        let mut common = format!("{}\nhelp: {}", finding.rule, one_line(&finding.help));
        for related in &finding.related {
            let related = format!("\nrelated: {}", one_line(&related.message));
            if !common.ends_with(&related) {
                common += &related;
            }
        }
        let place = placed(&finding.location, below);
        self.add(&common, &finding.message, &format!("{case} {place}"));
    }

    /// Adds what a report says of an episode: its findings, and why rules were skipped.
    fn add_report(&mut self, report: &EpisodeReport, case: &str, below: &Path) {
        for finding in &report.findings {
            self.add_finding(finding, case, below);
        }
        for skip in &report.skipped {
            self.add("not judged", &skip.reason, &format!("{case} {}", skip.rule));
        }
    }

    /// Adds the mistakes of a configuration.
    fn add_mistakes(&mut self, error: &ConfigError, place: &str) {
        for mistake in std::iter::once(error).chain(&error.others) {
            let help = mistake
                .help
                .as_deref()
                .unwrap_or("none");
            let common = format!("help: {}", one_line(help));
            self.add(&common, &mistake.message, place);
        }
    }

    fn section(&self, title: &str) -> String {
        let mut section = format!("# {title}\n\n");
        for (common, sentences) in &self.0 {
            writeln!(section, "{common}").unwrap();
            for (sentence, place) in sentences {
                writeln!(section, "  {sentence}\n    at {place}").unwrap();
            }
            section.push('\n');
        }
        section
    }
}

/// A text on one line, whose line breaks are visible.
fn one_line(text: &str) -> String {
    text.replace('\n', "⏎")
}

/// A place: the file, without the directory of its case, and the pointer or the line in it.
fn placed(location: &Location, below: &Path) -> String {
    let file = Path::new(&location.file);
    let file = file
        .strip_prefix(below)
        .unwrap_or(file)
        .display();
    match (&location.pointer, location.line) {
        (Some(pointer), _) if !pointer.is_empty() => format!("{file} {pointer}"),
        (_, Some(line)) => format!("{file}:{line}"),
        _ => file.to_string(),
    }
}

/// What is found in the cases of the corpus.
fn of_the_corpus() -> Sentences {
    let mut sentences = Sentences::default();
    for case in ["bad", "broken"]
        .into_iter()
        .flat_map(expecting_cases)
    {
        let report = Expectation::of(&case)
            .gate()
            .run([&case])
            .unwrap();
        let name = case
            .strip_prefix(corpus())
            .unwrap()
            .display()
            .to_string();
        for episode in &report.episodes {
            sentences.add_report(episode, &name, &case);
        }
        for fault in &report.faults {
            sentences.add("fault", &fault.message, &name);
        }
    }
    sentences
}

/// The records of a good run.
fn good_records() -> Vec<(Artifact, Vec<u8>)> {
    let dir = run_of("good/terminal");
    Artifact::ALL
        .into_iter()
        .map(|artifact| (artifact, fs::read(dir.join(artifact.file_name())).unwrap()))
        .collect()
}

fn judge(gate: &mut Gate, records: &[(Artifact, Vec<u8>)]) -> EpisodeReport {
    let records: Vec<_> = records
        .iter()
        .map(|(artifact, bytes)| (*artifact, bytes.as_slice()))
        .collect();
    gate.records("ep_answer", &records)
}

/// What is found in a good run whose state, or whose timeline, has a text that is not JSON.
fn of_wrong_texts() -> Sentences {
    let mut sentences = Sentences::default();
    let wrong: Vec<Vec<u8>> = TEXTS
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .chain([
            b"{\"a\": \"\xff\"}".to_vec(),
            b"{\0\"\0a\0\"\0:\x001\0}\0".to_vec(),
            b"\x1f\x8b\x08\0".to_vec(),
            b"\xff\xfe{\0}\0".to_vec(),
        ])
        .collect();
    let mut gate = Gate::default();
    gate = gate
        .select(["record/json-syntax", "events/syntax", "state/schema"])
        .unwrap();
    for text in wrong {
        let shown = one_line(
            &String::from_utf8_lossy(&text)
                .escape_debug()
                .to_string(),
        );
        for artifact in [Artifact::State, Artifact::Events] {
            let mut records = good_records();
            let (_, bytes) = records
                .iter_mut()
                .find(|(of, _)| *of == artifact)
                .unwrap();
            match artifact {
                Artifact::Events => bytes.extend([&text[..], b"\n"].concat()),
                _ => bytes.clone_from(&text),
            }
            let report = judge(&mut gate, &records);
            for finding in &report.findings {
                sentences.add_finding(finding, &format!("`{shown}`"), Path::new(""));
            }
        }
    }
    sentences
}

/// What is said of conditions that can't be judged.
fn of_conditions() -> Sentences {
    let mut sentences = Sentences::default();
    let of_event = CONDITIONS.map(|check| ("", check));
    let long = [
        format!("{}true{}", "(".repeat(2_000), ")".repeat(2_000)),
        format!("{}true", "true && ".repeat(20_000)),
        format!("[1]{}", ".map(x, x)".repeat(90)),
        format!("earlier('s').map(e, '{}').max() == ''", "x".repeat(257)),
    ];
    let of_earlier = EARLIER
        .into_iter()
        .chain(long.iter().map(|check| &**check))
        .map(|check| ("\n[selector]\ns = {}", check));
    for (selector, check) in of_event.into_iter().chain(of_earlier) {
        let text = format!(
            "[[rule]]\nid = 'a/b'\nmessage = 'm'\neach = {{}}\ncheck = \"{check}\"{selector}"
        );
        let gate = Gate::default().with_config("runvet.toml".as_ref(), &text, None);
        let place = format!(
            "`{}`",
            check
                .chars()
                .take(60)
                .collect::<String>()
        );
        match gate {
            Err(error) => sentences.add_mistakes(&error, &place),
            Ok(gate) => {
                let report = judge(&mut gate.select(["a/b"]).unwrap(), &good_records());
                sentences.add_report(&report, &place, Path::new(""));
            }
        }
    }
    sentences
}

/// A configuration whose schema refers to 100 schemas, each of which refers to 100, and so on.
fn branching_schema() -> String {
    let all_of = |item: &str| format!("{{ allOf = [{}] }}", vec![item; 100].join(","));
    let within = [
        all_of("{ '$ref' = '#/$defs/b' }"),
        all_of("{ minimum = 1 }"),
        all_of("{ '$ref' = '#/$defs/a' }"),
    ];
    let [a, b, whole] = within;
    let whole = whole.trim_start_matches('{');
    format!("[[schema]]\nid = 'a/b'\nschema = {{ '$defs' = {{ a = {a}, b = {b} }},{whole}")
}

/// What is said of the configurations in `tests/cases/mistakes.txt`.
fn of_configurations() -> Sentences {
    let project = Project::new("");
    copy_dir(
        &run_of("good/terminal"),
        &project.path("runs/episodes/ep_answer"),
    );
    project.write("runs/episodes/ep_answer/pack.toml", "");
    let path = project.path("runvet.toml");
    let dir = path.parent().unwrap().to_str().unwrap();

    let mut sentences = Sentences::default();
    let mut add = |text: &str, place: &str| {
        let gate = Gate::default().with_config(&path, text, None);
        let mut error = gate
            .err()
            .unwrap_or_else(|| panic!("no mistake: {text}"));
        error.message = error.message.replace(dir, "[DIR]");
        sentences.add_mistakes(&error, place);
    };
    add(
        &branching_schema(),
        "a schema that branches 1,000,000 times",
    );
    for row in read("tests/cases/mistakes.txt").lines() {
        let Some((text, _)) = row.split_once(" | ") else {
            continue;
        };
        if text.starts_with("# ") {
            continue;
        }
        add(&text.replace('⏎', "\n"), &format!("`{text}`"));
    }
    sentences
}

/// What a service answers to requests that it refuses.
fn of_the_service() -> Sentences {
    let project = Project::new("");
    for dir in ["one", "two"] {
        let run = format!("runs/{dir}/episodes/ep_twice");
        copy_dir(&run_of("good/terminal"), &project.path(&run));
    }
    project.write("token", "a-token-of-a-service");
    let open = Service::start(&project.path(""), &["runs"]);
    open.wait_for(7);
    let guarded = Service::start(&project.path(""), &["runs", "--token-file", "token"]);

    let mut sentences = Sentences::default();
    let mut ask = |service: &Service, request: &str| {
        let place = format!("`{}`", request.replace("\r\n", ", "));
        let (status, said) = answer(service, request);
        for sentence in said {
            sentences.add(&status, &sentence, &place);
        }
    };
    for request in REQUESTS {
        ask(&open, request);
    }
    for request in ["GET api/v1/runs", "GET ", "GET ?code=x"] {
        ask(&guarded, request);
    }
    sentences
}

/// The status and the sentences of an answer.
fn answer(service: &Service, request: &str) -> (String, Vec<String>) {
    let (line, headers) = request
        .split_once(" | ")
        .unwrap_or((request, ""));
    let (method, path) = line.split_once(' ').unwrap();
    let host = if headers.starts_with("Host") {
        String::new()
    } else {
        format!("Host: {}\r\n", service.address())
    };
    let headers = match headers {
        "" => String::new(),
        headers => format!("{headers}\r\n"),
    };
    let mut socket = service.socket();
    write!(
        socket,
        "{method} /{path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    socket
        .read_to_string(&mut text)
        .unwrap();

    let (head, page) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    let body: Value = serde_json::from_str(page).unwrap_or(Value::Null);
    let detail = body["detail"].as_str();
    let said = detail.map_or_else(|| texts(page), |detail| vec![detail.to_owned()]);
    (status.to_owned(), said)
}

/// The texts of a page with enough words to be sentences.
fn texts(page: &str) -> Vec<String> {
    let texts = page
        .split('<')
        .filter_map(|tag| tag.split_once('>'));
    let texts = texts.map(|(_, text)| {
        text.split_whitespace()
            .collect::<Vec<_>>()
    });
    texts
        .filter(|words| words.len() > 3)
        .map(|words| words.join(" "))
        .collect()
}

/// Runs whose pages have little to show, or too much: their state, and their timeline.
fn sparse_runs() -> [(&'static str, String, String); 5] {
    let version = "{\"version\":\"1.0\"}".to_owned();
    let failed = version.replace('}', ",\"outcomes\":{\"status\":\"error\"}}");
    let beliefs: Vec<String> = (0..2_000)
        .map(|number| format!("\"x{number}\""))
        .collect();
    let many = version.replace('}', &format!(",\"beliefs\":[{}]}}", beliefs.join(",")));
    let event = "{\"phase\":\"act\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{}}\n";
    let labels = event
        .replace("{}}", "{\"steps\":[\"a\",\"b\"]}}")
        .replace("act", "plan");
    [
        ("ep_empty", version.clone(), String::new()),
        ("ep_failed", failed, event.to_owned()),
        ("ep_labels", version.clone(), labels),
        ("ep_many", many, String::new()),
        ("ep_long", version, event.repeat(20_000)),
    ]
}

/// What pages of a service say of runs that lack what is usually there.
fn of_pages() -> Sentences {
    let project = Project::new("");
    for (id, state, events) in sparse_runs() {
        fs::create_dir_all(project.path("sparse/episodes").join(id)).unwrap();
        project.write(&format!("sparse/episodes/{id}/state.json"), &state);
        project.write(&format!("sparse/episodes/{id}/events.jsonl"), &events);
    }
    let lines = "{\"proposal\":{}}\n".repeat(20_000);
    project.write("sparse/episodes/ep_long/learn.jsonl", &lines);
    let service = Service::start(&project.path(""), &["sparse"]);
    service.wait_for(5);

    let mut sentences = Sentences::default();
    let runs = sparse_runs().map(|(id, ..)| format!("page/run?dir=sparse/episodes/{id}"));
    for path in runs
        .into_iter()
        .chain(["page/overview".to_owned()])
    {
        for text in texts(&service.get(&path).text) {
            // The events of a page are those of the run.
            if !text.starts_with('{') {
                sentences.add("texts", &text, &path);
            }
        }
    }
    sentences
}

/// A policy that stops every run.
struct Stopping;

impl Policy for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn advise(&self, _: &State) -> Advice {
        Advice::Veto {
            reason: "enough".into(),
            scope: Scope::Run,
        }
    }
}

/// What the library refuses, where no command leads to it.
fn of_the_library() -> Sentences {
    let temp = tempfile::tempdir().unwrap();
    let recorder = Recorder::new(temp.path());
    let begin = |id: &str| recorder.begin(Task::new("t").id(id));
    let mut sentences = Sentences::default();
    let mut add = |place: &str, refused: String| {
        sentences.add(place, &refused, "[library]");
    };

    let refused = recorder
        .clone()
        .threshold(2.0)
        .begin(Task::new("t"));
    add("threshold", refused.unwrap_err().to_string());
    let odd = OsStr::from_bytes(b"\xff");
    let refused = recorder.begin(Task::new("t").workspace(odd));
    add("workspace", refused.unwrap_err().to_string());

    let mut run = begin("ep_1").unwrap();
    add(
        "believe",
        run.believe("s", 2.0, "p")
            .unwrap_err()
            .to_string(),
    );
    let unnamed = StepDraft::new("", StepKind::Act, "a");
    add(
        "plan",
        run.plan([unnamed], "s")
            .unwrap_err()
            .to_string(),
    );
    let mut action = Action::default();
    action
        .extensions
        .insert("mine".into(), 1.into());
    add(
        "act",
        run.act(None, action)
            .unwrap_err()
            .to_string(),
    );
    add(
        "finish",
        run.end(End::ok().score(f64::NAN))
            .unwrap_err()
            .to_string(),
    );
    run.pause("wait").unwrap();
    let with_policy = recorder.clone().policy(Stopping);
    add(
        "resume",
        with_policy
            .resume("ep_1")
            .unwrap_err()
            .to_string(),
    );

    fs::write(temp.path().join("file"), "text").unwrap();
    let task = Task::new("t").workspace(temp.path());
    let task = task.verify(Assertion::file_contains("file", "other"));
    let judged = recorder
        .begin(task)
        .unwrap()
        .finish(End::ok())
        .unwrap();
    add(
        "verify",
        serde_json::to_value(&judged.summary).unwrap()["verification"]["assertions"][0]["reason"]
            .to_string(),
    );

    let found = episodes_of("s3://bucket", ["episodes/ep_1//state.json"]);
    for fault in &found.faults {
        add("keys", fault.to_string());
    }

    let mut session = Session::new(begin("ep_2").unwrap());
    let mut reply = |line: &str| String::from_utf8(session.reply(line.as_bytes())).unwrap();
    add("reply", reply(&" ".repeat((64 << 20) + 1)));
    reply("{\"finish\":\"ok\"}");
    add("reply", reply("{\"jot\":\"late\"}"));
    let mut session = Session::new(
        with_policy
            .begin(Task::new("t"))
            .unwrap(),
    );
    let mut reply = |line: &str| String::from_utf8(session.reply(line.as_bytes())).unwrap();
    reply("{\"plan\":[\"a\"]}");
    add("policy", reply("{\"open\":\"step-1\"}"));
    sentences
}

/// The errors that commands, and sessions of the recorder, print in the cases.
fn of_commands() -> Sentences {
    let mut sentences = Sentences::default();
    for file in printed_files() {
        let name = file
            .name
            .trim_start_matches("tests/cases/");
        let mut lines = file
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .peekable();
        while let Some(line) = lines.next() {
            for error in errors_of(line) {
                let help = lines
                    .peek()
                    .filter(|next| next.starts_with("help: "));
                let help = help.map_or("help: none", |help| help);
                sentences.add(help, &error, name);
            }
        }
    }
    sentences
}

/// The errors on a line that a command printed: that of the command, or those in JSON.
fn errors_of(line: &str) -> BTreeSet<String> {
    if line.starts_with("error: ") {
        return BTreeSet::from([line.to_owned()]);
    }
    let answer: Value = serde_json::from_str(line).unwrap_or(Value::Null);
    let error = &answer["error"];
    let sentence = error["message"]
        .as_str()
        .map(|message| {
            let kind = error["kind"]
                .as_str()
                .unwrap_or_default();
            format!("error ({kind}): {}", one_line(message))
        });
    sentence.into_iter().collect()
}

#[test]
fn sentences_are_those_that_are_blessed() {
    // A part of the cases has a part of the errors.
    if std::env::var_os("CASES").is_some() {
        return;
    }
    let sections = [
        ("Findings in the corpus", of_the_corpus()),
        ("Findings in texts that are not JSON", of_wrong_texts()),
        ("Conditions that can't be judged", of_conditions()),
        ("Mistakes in configurations", of_configurations()),
        ("Refusals of the service", of_the_service()),
        ("Sentences of pages", of_pages()),
        ("Refusals of the library", of_the_library()),
        ("Errors of commands and of the recorder", of_commands()),
    ];
    let text: String = sections
        .iter()
        .map(|(title, sentences)| sentences.section(title))
        .collect();
    bless::check(BLESSED, &text);
}
