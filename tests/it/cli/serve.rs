//! The answers of `runvet serve`: lists, runs, events, sums, checks and changes.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use runvet::gate::Gate;
use runvet::report::write_json;
use runvet::source::Artifact;
use serde_json::{Value, json};

use crate::support::binary::{run, runvet, stdout};
use crate::support::corpus::corpus;
use crate::support::recording::Talk;
use crate::support::runs::copy_dir;
use crate::support::service::{Answer, Service};
use crate::support::skip::skip;

#[test]
fn service_lists_runs_by_filters() {
    let service = Service::demo();
    let answer = service.get("api/v1/runs");
    assert_eq!((answer.status, &*answer.kind), (200, "application/json"));
    let list = answer.json();
    assert_eq!((&list["total"], &list["next"]), (&json!(5), &Value::Null));
    assert_eq!(
        (&list["judged"], &list["complete"]),
        (&json!(5), &json!(true))
    );
    let few = service
        .get("api/v1/runs?q=EP_01")
        .json();
    assert_eq!((&few["total"], &few["judged"]), (&json!(1), &json!(5)));
    let since = |query| {
        service
            .get(&format!("api/v1/runs?{query}"))
            .json()["since"]
            .clone()
    };
    assert_eq!(since("since=2026-03-01"), "2026-03-01T00:00:00Z");
    assert_eq!(
        since("since=2026-03-01T13:00:00.50%2B01:00"),
        "2026-03-01T12:00:00.5Z"
    );
    assert_eq!(since("since=(none)"), Value::Null);
    let first = service
        .get("api/v1/runs?q=EP_01")
        .json()["items"][0]
        .clone();
    assert_eq!(first["dir"], "demo/episodes/ep_01_answer");
    assert_eq!(
        (&first["valid"], &first["status"]),
        (&json!(true), &json!("ok"))
    );
    let all: BTreeSet<String> = service
        .ids("sort=id")
        .into_iter()
        .collect();
    let of = |query| {
        service
            .ids(query)
            .into_iter()
            .collect::<BTreeSet<_>>()
    };
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
fn several_directories_are_served_as_one() {
    let service = Service::start(&corpus(), &["demo", "good/terminal"]);
    while service.get("readyz").status != 200 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let list = service.get("api/v1/runs").json();
    assert_eq!(
        (&list["total"], &list["judged"], &list["complete"]),
        (&json!(6), &json!(6), &json!(true))
    );
    assert!(
        service
            .ids("sort=id")
            .contains(&"ep_answer".to_owned())
    );
    for (dirs, said) in [
        (["demo", "demo/episodes"], "demo/episodes lies in demo"),
        (["demo", "./demo"], "demo lies in ./demo"),
        (["demo", "gone"], "can't watch gone"),
    ] {
        let mut command = runvet(&["serve", dirs[0], dirs[1]]);
        let output = command
            .current_dir(corpus())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{dirs:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn wrong_query_is_a_problem_that_says_why() {
    let service = Service::demo();
    for (query, why) in [
        ("limt=1", "limt"),
        ("limit=0", "`limit`"),
        ("limit=x", "`limit` is a number"),
        ("sort=size", "`sort`"),
        ("cursor=x", "`cursor`"),
        ("valid=maybe", "`valid`"),
        ("since=soon", "`since`"),
        ("has=nothing", "`has`"),
        ("call=maybe", "`call`"),
        ("duration=NaN..1", "a range has the form LOW..HIGH"),
    ] {
        let (status, said) = service
            .get(&format!("api/v1/runs?{query}"))
            .problem();
        assert!(
            status == 400 && said.contains(why),
            "{query}: {status} {said}"
        );
    }
    let words = vec!["w"; 33].join("+");
    for list in ["runs", "runs/ep_01_answer/events"] {
        let asked = service.get(&format!("api/v1/{list}?q={words}"));
        assert_eq!(asked.problem(), (400, "`q` has more than 32 words".into()));
    }
    let named_twice = service.get("api/v1/runs/ep_01_answer/events?dir=x");
    let why = "the address names a run: leave `dir` out";
    assert_eq!(named_twice.problem(), (400, why.into()));
    let unnamed = service.get("api/v1/events");
    assert_eq!(unnamed.problem(), (400, "`dir` is missing".into()));
    let dir = "demo/episodes/ep_01_answer";
    let missing = service.get(&format!("api/v1/attachment?dir={dir}&name=attachments/x"));
    let why = "there is no attachment \"attachments/x\" with this digest";
    assert_eq!(missing.problem(), (404, why.into()));
    assert_eq!(
        service
            .get("api/v1/runs/ep_99")
            .problem()
            .0,
        404
    );
    assert_eq!(
        service
            .get("api/v1/schemas/odd")
            .problem()
            .0,
        404
    );
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
    let by_query = service.get("api/v1/run?dir=demo/episodes/ep_03_edited");
    assert_eq!(by_key.text, by_query.text);
    assert_eq!(by_key.text, shown.text);
}

#[test]
fn repeated_filter_admits_each_of_its_values() {
    let service = Service::demo();
    let count = |query: &str| service.ids(query).len();
    assert_eq!(count("valid=true&valid=false&valid=undecided"), 5);
    let one = count("status=ok");
    assert!(one > 0 && one < 5);
    let statuses = service.get("api/v1/statistics").json()["statuses"].clone();
    let names = statuses.as_object().unwrap().keys();
    let all: Vec<String> = names
        .map(|name| format!("status={name}"))
        .collect();
    assert_eq!(count(&all.join("&")), 5);
    let of = |query: &str| {
        let list = service.get(&format!("api/v1/runs/ep_01_answer/events{query}"));
        list.json()["items"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        of("?phase=act&phase=plan"),
        of("?phase=act") + of("?phase=plan")
    );
    let (status, said) = service
        .get("api/v1/runs?q=a&q=b")
        .problem();
    assert_eq!((status, said.contains("`q`")), (400, true), "{said}");
}

#[test]
fn service_gives_records_byte_for_byte() {
    let service = Service::demo();
    let dir = corpus().join("demo/episodes/ep_01_answer");
    for (name, kind) in [
        ("state.json", "application/json"),
        ("events.jsonl", "application/jsonl"),
    ] {
        let answer = service.get(&format!("api/v1/runs/ep_01_answer/records/{name}"));
        assert_eq!((answer.status, &*answer.kind), (200, kind));
        assert_eq!(answer.text, fs::read_to_string(dir.join(name)).unwrap());
    }
    let missing = |name: &str| {
        let (status, said) = service
            .get(&format!("api/v1/runs/ep_01_answer/records/{name}"))
            .problem();
        assert_eq!(status, 404);
        said
    };
    assert!(missing("..%2F..%2Fdemo.toml").contains("state.json"));
    let temp = tempfile::tempdir().unwrap();
    let run = temp.path().join("episodes/ep_1");
    copy_dir(&dir, &run);
    let line = "{\"phase\":\"observe\",\"pad\":\"".to_owned() + &"x".repeat(1000) + "\"}\n";
    fs::write(run.join("events.jsonl"), line.repeat(5_000)).unwrap();
    fs::remove_file(run.join("summary.json")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", run.join("summary.json")).unwrap();
    let service = Service::start(temp.path(), &[]);
    service.wait_for(1);
    let long = service.get("api/v1/runs/ep_1/records/events.jsonl");
    assert!(long.text == line.repeat(5_000));
    let (status, said) = service
        .get("api/v1/runs/ep_1/records/summary.json")
        .problem();
    assert!(status == 404 && said.contains("symbolic link"), "{said}");
}

#[test]
fn service_compares_runs_as_diff_does() {
    let service = Service::demo();
    let compared = service.get("api/v1/diff?left=ep_01_answer&right=ep_03_edited");
    let runs = ["ep_01_answer", "ep_03_edited"].map(|id| format!("demo/episodes/{id}"));
    let printed = run(&["diff", &runs[0], &runs[1], "--json"]);
    assert_eq!(compared.text, stdout(&printed).trim_end());
    assert_eq!(
        service
            .get("api/v1/diff?left=ep_01_answer&right=x")
            .problem()
            .0,
        404
    );
    let (status, said) = service
        .get("api/v1/diff?left=ep_01_answer")
        .problem();
    assert!(status == 400 && said.contains("`right`"), "{said}");
}

#[test]
fn records_may_be_posted_as_json() {
    let service = Service::demo();
    let dir = corpus().join("demo/episodes/ep_01_answer");
    let given = |artifact: Artifact| {
        let text = fs::read_to_string(dir.join(artifact.file_name())).ok()?;
        let json = if matches!(artifact, Artifact::Events | Artifact::Learn) {
            let lines = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap());
            Value::Array(lines.collect())
        } else {
            serde_json::from_str(&text).unwrap()
        };
        Some((artifact.file_name().to_owned(), json))
    };
    let records: serde_json::Map<String, Value> = Artifact::ALL
        .into_iter()
        .filter_map(given)
        .collect();
    assert!(records.len() > 2);
    let body = json!({"episode_id": "ep_01_answer", "records": records});
    let report = service.check(&body.to_string()).json();
    assert_eq!(
        (&report["valid"], &report["findings"]),
        (&json!(true), &json!([]))
    );
    let body = json!({"episode_id": "e", "records": {"state.json": 5}});
    assert_eq!(service.check(&body.to_string()).json()["valid"], false);
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
        lines.extend(
            items
                .iter()
                .map(|item| item["line"].as_u64().unwrap()),
        );
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
    let found = |query: &str| {
        let list = service.get(&format!("api/v1/runs/ep_01_answer/events?{query}"));
        let list = list.json();
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|item| item["line"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("q=COLLECT"), [3, 5, 10]);
    assert_eq!(found("q=collect+act-1&phase=act"), [5]);
    assert_eq!(found("q=collect&limit=1&cursor=4"), [5]);
    assert_eq!(found("q=nowhere"), [0; 0]);
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
    let runs = &report["totals"]["episodes"];
    assert_eq!((&sums["judged"], &sums["found"]), (runs, runs));
    let list = service.get("api/v1/runs").json();
    assert_eq!((&list["judged"], &list["found"]), (runs, runs));
    let metrics = service.get("metrics");
    assert!(
        metrics
            .kind
            .starts_with("application/openmetrics-text")
    );
    let line = format!(
        "runvet_runs{{verdict=\"invalid\"}} {}",
        report["totals"]["invalid"]
    );
    assert!(metrics.text.contains(&line), "{}", metrics.text);
    assert!(metrics.text.ends_with("# EOF\n"));
    assert_eq!(service.get("healthz").text, "ok\n");
}

#[test]
fn unchanged_answer_is_not_sent_again() {
    let service = Service::demo();
    for path in [
        "",
        "api/v1/runs",
        "api/v1/runs/ep_01_answer",
        "static/script.js",
    ] {
        let ask = |tag: &str| {
            let asked = service
                .agent
                .get(format!("{}{path}", service.url));
            asked
                .header("if-none-match", tag)
                .call()
                .unwrap()
        };
        let first = ask("\"other\"");
        assert_eq!(first.status(), 200, "{path}");
        assert_eq!(first.headers()["cache-control"], "private, no-cache");
        let tag = first.headers()["etag"]
            .to_str()
            .unwrap();
        let strong = tag.trim_start_matches("W/");
        for known in [tag, &format!("\"other\", {tag}"), strong, "*"] {
            let again = ask(known);
            assert_eq!(
                (
                    again.status().as_u16(),
                    again.headers()["etag"]
                        .to_str()
                        .unwrap()
                ),
                (304, tag)
            );
            assert_eq!(
                again
                    .into_body()
                    .read_to_string()
                    .unwrap(),
                ""
            );
        }
    }
    let wrong = service
        .agent
        .get(format!("{}api/v1/runs?limit=x", service.url));
    let wrong = wrong
        .header("if-none-match", "*")
        .call()
        .unwrap();
    assert_eq!(wrong.status(), 400);
    assert_eq!(wrong.headers()["cache-control"], "no-store");
}

#[test]
fn monitoring_reads_both_text_formats() {
    let service = Service::demo();
    service.check(r#"{"episode_id": "ep_1", "records": {}}"#);
    let ask = |wanted: &str| {
        let asked = service
            .agent
            .get(format!("{}metrics", service.url));
        Answer::of(
            asked
                .header("accept", wanted)
                .call()
                .unwrap(),
        )
    };
    let open = ask("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5");
    assert!(
        open.kind
            .starts_with("application/openmetrics-text; ")
    );
    assert!(open.text.ends_with("# EOF\n"), "{}", open.text);
    let classic = ask("text/plain");
    assert_eq!(classic.kind, "text/plain; version=0.0.4; charset=utf-8");
    let has = |line: &str| {
        classic
            .text
            .lines()
            .any(|it| it == line)
    };
    for line in [
        &*format!(
            "runvet_build_info{{version=\"{}\"}} 1",
            env!("CARGO_PKG_VERSION")
        ),
        "runvet_complete 1",
        "runvet_runs_in_progress 1",
        "runvet_rule_findings{rule=\"lifecycle/links\",severity=\"error\"} 0",
        "runvet_checks_total 1",
        "runvet_check_duration_seconds_count 1",
        "# HELP runvet_checks_total Episodes that were posted and checked.",
        "# TYPE runvet_checks_total counter",
        "# TYPE runvet_build_info gauge",
    ] {
        assert!(has(line), "{line} is not in {}", classic.text);
    }
    // The samples have the same order each time.
    let names = |answer: &Answer| {
        let lines = answer
            .text
            .lines()
            .map(|line| line.rsplit_once(' '));
        lines
            .map(|parts| parts.unwrap().0.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&ask("text/plain")), names(&classic));
    // Each sample belongs to a family that is declared before it.
    let mut family = "";
    for line in classic.text.lines() {
        if let Some(declared) = line.strip_prefix("# TYPE ") {
            family = declared.split_once(' ').unwrap().0;
        } else if !line.starts_with("# HELP ") {
            assert!(line.starts_with(family), "{line} is not of {family}");
        }
    }
}

#[test]
fn service_gives_rules_schemas_and_its_description() {
    let service = Service::demo();
    let rules = service.get("api/v1/rules").json();
    let rules = rules["items"].as_array().unwrap();
    assert_eq!(rules.len(), runvet::gate::all_rules().count());
    let schema = service.get("api/v1/schemas/state");
    assert_eq!(schema.text, runvet::Schema::State.text());
    for path in described(&service) {
        let query = match &*path {
            "api/v1/diff" => "?left=ep_01_answer&right=ep_01_answer",
            "api/v1/groups" => "?by=team",
            // No run of the demo has an attachment.
            "api/v1/changes" | "api/v1/attachment" => continue,
            "api/v1/run" | "api/v1/events" => "?dir=demo/episodes/ep_01_answer",
            "api/v1/record" => "?dir=ep_01_answer&name=state.json",
            _ => "",
        };
        assert_eq!(service.get(&(path + query)).status, 200);
    }
}

/// The addresses of the description that answer GET, with a run and a record for what they name.
fn described(service: &Service) -> Vec<String> {
    let described = service
        .get("api/v1/openapi.json")
        .json();
    let paths = described["paths"]
        .as_object()
        .unwrap()
        .iter();
    let read = paths.filter(|(_, methods)| methods.get("get").is_some());
    let addresses = read.map(|(path, _)| {
        let path = path.replace("records/{name}", "records/state.json");
        let path = path.replace("{id}", "ep_01_answer");
        path.replace("{name}", "state")[1..].to_owned()
    });
    addresses.collect()
}

#[test]
fn posted_records_get_the_report_of_the_library() {
    let service = Service::demo();
    for case in ["demo/episodes/ep_01_answer", "demo/episodes/ep_03_edited"] {
        let read = |artifact: Artifact| {
            let text = fs::read_to_string(
                corpus()
                    .join(case)
                    .join(artifact.file_name()),
            );
            Some((artifact, text.ok()?))
        };
        let records: Vec<(Artifact, String)> = Artifact::ALL
            .into_iter()
            .filter_map(read)
            .collect();
        let named = records
            .iter()
            .map(|(artifact, text)| (artifact.file_name(), json!(text)));
        let named: serde_json::Map<String, Value> = named
            .map(|(name, text)| (name.to_owned(), text))
            .collect();
        let body = json!({"episode_id": "ep_1", "records": named}).to_string();
        let bytes: Vec<(Artifact, &[u8])> = records
            .iter()
            .map(|(artifact, text)| (*artifact, text.as_bytes()))
            .collect();
        let mut expected = Vec::new();
        write_json(&mut expected, &Gate::default().records("ep_1", &bytes)).unwrap();
        let answer = service.check(&body);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.text.as_bytes(), expected);
    }
}

#[test]
fn wrong_post_is_a_problem_that_says_why() {
    let service = Service::demo();
    for (body, why) in [
        ("", "the text is empty"),
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
    let request = service
        .agent
        .post(format!("{}api/v1/check", service.url));
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
        let run = temp
            .path()
            .join(format!("episodes/{group}/ep_1"));
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    }
    let service = Service::start(temp.path(), &[]);
    service.wait_for(2);
    let answer = service.get("api/v1/runs/ep_1");
    assert_eq!(answer.problem().0, 409);
    let keys = answer.json()["keys"].clone();
    assert_eq!(keys, json!(["episodes/a/ep_1", "episodes/b/ep_1"]));
    let of_key = keys[1]
        .as_str()
        .unwrap()
        .replace('/', "%2F");
    let run = service
        .get(&format!("api/v1/runs/{of_key}"))
        .json();
    assert_eq!(run["episode_dir"], keys[1]);
}

#[test]
#[cfg(target_os = "linux")]
fn run_is_found_by_the_text_of_a_path_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let temp = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"ep_\xff");
    let run = temp.path().join("episodes").join(name);
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    let service = Service::start(temp.path(), &[]);
    service.wait_for(1);
    let run = service
        .get("api/v1/runs/episodes%2Fep_%EF%BF%BD")
        .json();
    assert_eq!(run["episode_dir"], "episodes/ep_\u{FFFD}");
    let none = service.get("api/v1/runs/episodes%2Fep_%EF%BF%BE");
    assert_eq!(none.problem().0, 404);
}

#[test]
fn pages_do_not_shift_while_runs_arrive() {
    let temp = tempfile::tempdir().unwrap();
    let add = |number: usize| {
        let run = temp
            .path()
            .join(format!("episodes/ep_{number:03}"));
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
    let expected: Vec<String> = (10..30)
        .map(|number| format!("ep_{number:03}"))
        .collect();
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
        changes
            .by_ref()
            .find(|line| *line == wanted)
            .unwrap();
        let data = changes
            .by_ref()
            .find(|line| line.starts_with("data: "));
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
fn verdict_changes_with_a_file_that_a_schema_judges() {
    let temp = tempfile::tempdir().unwrap();
    let run = temp.path().join("episodes/ep_answer");
    copy_dir(&corpus().join("good/terminal/episodes/ep_answer"), &run);
    let config = temp.path().join("runvet.toml");
    let text = "[[schema]]\nid = 'acme/scores'\nrecord = 'scores.json'\n\
                title = 't'\nschema = { type = 'object', required = ['a'] }\n";
    fs::write(&config, text).unwrap();
    let service = Service::start(temp.path(), &["--config", config.to_str().unwrap()]);
    service.wait_for(1);
    fs::write(run.join("scores.json"), "{}").unwrap();
    let is_found = |_| {
        std::thread::sleep(Duration::from_millis(20));
        service.ids("rule=acme/scores") == ["ep_answer"]
    };
    assert!((0..3000).any(is_found));
}

#[test]
fn runs_are_filtered_and_sorted_by_a_metric() {
    let service = Service::start(&corpus().join("demo"), &[]);
    service.wait_for(5);
    let list = |query: &str| {
        service
            .get(&format!("api/v1/runs?{query}"))
            .json()
    };
    let scores = |list: &Value| -> Vec<f64> {
        let items = list["items"].as_array().unwrap().iter();
        let scores = items.flat_map(|item| {
            item["metrics"]
                .as_array()
                .unwrap()
                .clone()
        });
        let scores = scores.filter(|metric| metric[0] == "task_score");
        scores
            .map(|metric| metric[1].as_f64().unwrap())
            .collect()
    };
    let all = list("metric=task_score&sort=metric:task_score");
    assert!(scores(&all).is_sorted() && scores(&all).len() > 1, "{all}");
    let high = list("metric=task_score..0.9..");
    assert_eq!(scores(&high), [0.95]);
    let summed = service.get("api/v1/statistics").json()["metrics"]["task_score"].clone();
    assert_eq!(summed["count"], json!(scores(&all).len()));
    assert_eq!(
        service
            .get("api/v1/runs?sort=metrics")
            .status,
        400
    );
}

#[test]
fn runs_are_found_by_their_tools_and_their_texts() {
    let service = Service::demo();
    let tools = service.get("api/v1/statistics").json()["tools"].clone();
    let called = tools["adapter:core.minimal"]["episodes"]
        .as_u64()
        .unwrap();
    let of = |query: &str| service.ids(query).len() as u64;
    assert_eq!(of("tool=adapter:core.minimal"), called);
    assert_eq!(of("tool=adapter:core.minimal&tool=other"), called);
    assert_eq!((of("tool=other"), of("call=denied")), (0, 0));
    // A page that is full ends the search; `next` goes on until each run was searched once.
    let (mut searched, mut found, mut cursor) = (0, Vec::new(), String::new());
    loop {
        let query = format!("api/v1/runs?text=SUMMARIZE+tickets&limit=1&sort=id{cursor}");
        let page = service.get(&query).json();
        assert_eq!(page["total"], 5);
        let item = &page["items"][0];
        let hits = item["hits"].as_array().unwrap();
        assert_eq!(
            (hits.len(), &hits[0]["file"], &item["more_hits"]),
            (3, &json!("events.jsonl"), &json!(true))
        );
        found.push(item["id"].as_str().unwrap().to_owned());
        searched += page["searched"]["runs"]
            .as_u64()
            .unwrap();
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((searched, found.len()), (5, 5));
    assert!(found.is_sorted());
    let none = service
        .get("api/v1/runs?text=nowhere")
        .json();
    assert_eq!(
        (&none["items"], &none["searched"]["runs"]),
        (&json!([]), &json!(5))
    );
    let refused = service.get("api/v1/runs?text=summarize&sort=x");
    assert_eq!(refused.status, 400);
}

#[test]
fn text_that_can_not_be_read_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let episode = temp.path().join("runs/episodes/ep_1");
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &episode);
    fs::remove_file(episode.join("summary.json")).unwrap();
    fs::create_dir(episode.join("summary.json")).unwrap();
    let service = Service::start(&temp.path().join("runs"), &[]);
    service.wait_for(1);
    let page = service
        .get("api/v1/runs?text=nowhere")
        .json();
    let unread = page["searched"]["unread"]
        .as_array()
        .unwrap();
    assert!(
        unread.len() == 1
            && unread[0]
                .as_str()
                .unwrap()
                .contains("summary.json")
    );
}

#[test]
fn groups_are_those_of_the_command() {
    let service = Service::demo();
    let groups = service.get("api/v1/groups?by=team");
    let printed = run(&["compare", "demo", "--by", "team", "--format", "json"]);
    assert_eq!(groups.text, stdout(&printed).trim_end());
    let (status, said) = service
        .get("api/v1/groups?by=nothing")
        .problem();
    assert!(status == 404 && said.contains("no run that can be compared"));
    let (status, said) = service
        .get("api/v1/groups?by=team&base=x")
        .problem();
    assert!(status == 404 && said.contains("expected one of \"support\""));
}

#[test]
fn run_in_progress_is_followed_and_found_when_it_is_silent() {
    let temp = tempfile::tempdir().unwrap();
    let timeline = fs::read_to_string(corpus().join("demo/episodes/ep_01_answer/events.jsonl"));
    let timeline = timeline.unwrap();
    let lines: Vec<&str> = timeline.lines().collect();
    let events = |run: &str, number: usize| {
        let dir = temp.path().join("episodes").join(run);
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("events.jsonl");
        fs::write(&path, format!("{}\n", lines[..number].join("\n"))).unwrap();
        fs::File::options()
            .append(true)
            .open(path)
            .unwrap()
    };
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    events("ep_busy", 2);
    events("ep_stuck", 2)
        .set_modified(an_hour_ago)
        .unwrap();
    let service = Service::start(temp.path(), &[]);
    service.wait_for(2);
    let found = service
        .get("api/v1/runs?silent_for=30m")
        .json();
    assert_eq!(
        (&found["total"], &found["items"][0]["id"]),
        (&json!(1), &json!("ep_stuck"))
    );
    let wrong = service.get("api/v1/runs?silent_for=long");
    assert_eq!(wrong.status, 400);
    let mut changes = service.changes();
    events("ep_busy", 3);
    changes
        .by_ref()
        .find(|line| line == "event: written")
        .unwrap();
    assert_eq!(
        changes.next().unwrap(),
        r#"data: {"dir":"episodes/ep_busy"}"#
    );
    let total = service
        .get("api/v1/runs?silent_for=2h")
        .json()["total"]
        .clone();
    assert_eq!(total, json!(0));
}

#[test]
fn answers_are_compressed_where_the_client_allows_it() {
    let service = Service::demo();
    let ask = |path: &str, tag: &str| {
        let asked = service
            .agent
            .get(format!("{}{path}", service.url));
        let asked = asked.header("accept-encoding", "gzip");
        asked
            .header("if-none-match", tag)
            .call()
            .unwrap()
    };
    for path in ["", "static/script.js", "api/v1/rules", "page/overview"] {
        let packed = ask(path, "none");
        let headers = packed.headers().clone();
        assert_eq!(headers["content-encoding"], "gzip", "{path}");
        assert_eq!(headers["vary"], "accept-encoding", "{path}");
        let mut text = String::new();
        let packed = packed.into_body().into_reader();
        let mut unpacked = flate2::read::GzDecoder::new(packed);
        unpacked
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, service.get(path).text, "{path}");
        let again = ask(path, headers["etag"].to_str().unwrap());
        assert_eq!(again.status(), 304, "{path}");
        assert_eq!(again.headers()["vary"], "accept-encoding", "{path}");
    }
    let small = ask("healthz", "none");
    assert!(
        small
            .headers()
            .get("content-encoding")
            .is_none()
    );
    let stream = ask("api/v1/changes", "none");
    assert!(
        stream
            .headers()
            .get("content-encoding")
            .is_none()
    );
}

#[test]
fn fault_goes_when_its_cause_is_gone() {
    let temp = tempfile::tempdir().unwrap();
    let episodes = temp.path().join("episodes");
    copy_dir(
        &corpus().join("demo/episodes/ep_01_answer"),
        &episodes.join("ep_1"),
    );
    let service = Service::start(temp.path(), &[]);
    service.wait_for(1);
    let mut changes = service.changes();
    let mut next = || {
        let is_whole = |line: &String| line == "event: whole";
        changes.by_ref().find(is_whole).unwrap();
        let data = changes.next().unwrap();
        let whole: Value = serde_json::from_str(data.trim_start_matches("data: ")).unwrap();
        json!({"complete": whole["complete"], "faults": whole["faults"]})
    };
    // Artifacts do not lie in `episodes` itself.
    fs::write(episodes.join("events.jsonl"), "{}\n").unwrap();
    while next() != json!({"complete": false, "faults": 1}) {}
    let sums = service.get("api/v1/statistics").json();
    let path = sums["faults"][0]["path"]
        .as_str()
        .unwrap();
    assert!(path.ends_with("episodes"), "{sums}");
    fs::remove_file(episodes.join("events.jsonl")).unwrap();
    while next() != json!({"complete": true, "faults": 0}) {}
    let sums = service.get("api/v1/statistics").json();
    assert_eq!(
        (&sums["faults"], &sums["complete"]),
        (&json!([]), &json!(true))
    );
    let empty = || {
        let sums = service.get("api/v1/statistics").json();
        sums["totals"]["not_judged"]["empty"].clone()
    };
    fs::create_dir(episodes.join("ep_empty")).unwrap();
    while empty() != json!(1) {
        next();
    }
    fs::remove_dir(episodes.join("ep_empty")).unwrap();
    while empty() != json!(0) {
        next();
    }
}

#[test]
fn killed_writer_loses_nothing_that_it_acknowledged() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("episodes")).unwrap();
    let service = Service::start(temp.path(), &[]);
    let mut talk = Talk::new(temp.path(), &["--task", "Sum up"]);
    for number in 0..50 {
        let note = json!({"note": {"phase": "observe", "payload": {"number": number}}});
        assert_eq!(talk.ask(&note.to_string())["ok"], true);
    }
    talk.child.kill().unwrap();
    talk.child.wait().unwrap();
    service.wait_for(1);
    let path = format!("api/v1/runs/{}/events?phase=observe&limit=1000", talk.id);
    let events = service.get(&path).json();
    let numbers = events["items"]
        .as_array()
        .unwrap()
        .iter();
    let numbers: Vec<&Value> = numbers
        .map(|item| &item["event"]["payload"]["number"])
        .collect();
    assert_eq!(json!(numbers), json!((0..50).collect::<Vec<_>>()));
    let run = service
        .get(&format!("api/v1/runs/{}", talk.id))
        .json();
    assert_eq!(run["valid"], true, "{run}");
}

#[test]
fn service_writes_nothing() {
    let temp = tempfile::tempdir().unwrap();
    for name in ["ep_01_answer", "ep_02_paused", "ep_03_edited"] {
        let run = corpus()
            .join("demo/episodes")
            .join(name);
        copy_dir(
            &run,
            &temp
                .path()
                .join("runs/episodes")
                .join(name),
        );
    }
    let listing = || {
        let (mut open, mut listed) = (vec![temp.path().to_owned()], BTreeSet::new());
        while let Some(path) = open.pop() {
            let metadata = path.symlink_metadata().unwrap();
            let times = (metadata.modified().unwrap(), metadata.permissions());
            if metadata.is_dir() {
                let below = fs::read_dir(&path).unwrap();
                open.extend(below.map(|entry| entry.unwrap().path()));
            }
            listed.insert(format!("{path:?} {} {times:?}", metadata.len()));
        }
        listed
    };
    let before = listing();
    assert!(before.len() > 10, "{before:?}");
    let service = Service::start(temp.path(), &["runs"]);
    service.wait_for(3);
    for path in [
        "",
        "api/v1/runs",
        "api/v1/runs/ep_03_edited",
        "api/v1/statistics",
        "metrics",
    ] {
        assert_eq!(service.get(path).status, 200, "{path}");
    }
    assert_eq!(
        service
            .check(r#"{"episode_id":"e","records":{}}"#)
            .status,
        200
    );
    assert_eq!(service.end(), (Some(0), String::new()));
    assert_eq!(listing(), before);
}

#[test]
fn every_address_refuses_a_parameter_that_it_does_not_know() {
    let service = Service::demo();
    let of_page = [
        "",
        "page/overview",
        "page/run",
        "page/rule",
        "page/groups",
        "static/style.css",
    ];
    for address in described(&service)
        .into_iter()
        .chain(of_page.map(str::to_owned))
    {
        let (status, said) = service
            .get(&format!("{address}?statuz=error"))
            .problem();
        assert!(
            status == 400 && said.contains("unknown field `statuz`"),
            "{address}: {status} {said}"
        );
    }
    let posted = format!("{}api/v1/check?statuz=error", service.url);
    let posted = service
        .agent
        .post(posted)
        .send("{}")
        .unwrap();
    assert_eq!(Answer::of(posted).problem().0, 400);
}

#[test]
fn head_has_the_headers_of_get() {
    let service = Service::demo();
    for address in [
        "",
        "api/v1/runs?limit=2",
        "api/v1/runs/ep_01_answer",
        "api/v1/runs/ep_99",
        "api/v1/runs/ep_01_answer/records/state.json",
        "api/v1/check",
        "static/script.js",
    ] {
        let headers = |method: &str| {
            let mut socket = service.socket();
            let host = service.address();
            let request = "HTTP/1.1\r\nAccept-Encoding: gzip\r\nConnection: close\r\nHost:";
            write!(socket, "{method} /{address} {request} {host}\r\n\r\n").unwrap();
            let mut text = Vec::new();
            socket.read_to_end(&mut text).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            // Where there is no body, nothing says how it is sent.
            let own = ["date: ", "transfer-encoding: "];
            let lines = head.lines();
            let lines = lines.filter(|line| {
                !own.iter()
                    .any(|name| line.starts_with(name))
            });
            let lines: BTreeSet<String> = lines.map(str::to_owned).collect();
            (lines, body.is_empty())
        };
        let (get, head) = (headers("GET"), headers("HEAD"));
        assert_eq!(get.0, head.0, "{address}");
        assert_eq!((get.1, head.1), (false, true), "{address}");
    }
}

#[test]
fn page_of_a_run_is_found_by_its_id() {
    let temp = tempfile::tempdir().unwrap();
    for group in ["a", "b"] {
        let run = temp
            .path()
            .join(format!("episodes/{group}/ep_1"));
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    }
    let one = temp.path().join("episodes/a/ep_2");
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &one);
    let service = Service::start(temp.path(), &[]);
    service.wait_for(3);
    for (name, dir) in [
        ("ep_2", "episodes/a/ep_2"),
        ("episodes/b/ep_1", "episodes/b/ep_1"),
    ] {
        let page = service
            .get(&format!("page/run?dir={name}"))
            .json();
        assert_eq!(page["row"]["dir"], dir, "{page}");
    }
    let several = service.get("page/run?dir=ep_1").json();
    assert_eq!(
        several["keys"],
        json!(["episodes/a/ep_1", "episodes/b/ep_1"])
    );
}

#[test]
fn statistics_tell_broken_records_from_broken_rules_and_one_day_from_others() {
    let temp = tempfile::tempdir().unwrap();
    for run in ["ep_01_answer", "ep_03_edited"] {
        let from = corpus().join("demo/episodes").join(run);
        copy_dir(&from, &temp.path().join("episodes").join(run));
    }
    let service = Service::start(temp.path(), &["--no-config"]);
    service.wait_for(2);
    let sums = service.get("api/v1/statistics").json();
    let verdicts = json!({"valid": 1, "invalid": 1, "breaks_rule": 0, "undecided": 0});
    assert_eq!(sums["verdicts"], verdicts);
    let days = sums["days"].as_object().unwrap();
    assert_eq!(days.len(), 1, "{sums}");
    let day = &days["2026-03-01"];
    assert_eq!(day["verdicts"], verdicts);
    let runs = day["outcomes"]
        .as_object()
        .unwrap()
        .values();
    assert_eq!(
        runs.map(|it| it.as_u64().unwrap())
            .sum::<u64>(),
        2
    );
    assert_eq!(sums["undated"], 0);
}

#[test]
fn monitoring_sees_outcomes_silent_runs_and_when_runs_arrive() {
    let temp = tempfile::tempdir().unwrap();
    let episodes = temp.path().join("episodes");
    for run in ["ep_01_answer", "ep_02_paused"] {
        copy_dir(
            &corpus().join("demo/episodes").join(run),
            &episodes.join(run),
        );
    }
    let timeline = fs::read_to_string(episodes.join("ep_01_answer/events.jsonl")).unwrap();
    let first: String = timeline
        .split_inclusive('\n')
        .take(2)
        .collect();
    let old = SystemTime::now() - Duration::from_secs(1_000);
    for run in ["ep_stuck", "ep_02_paused"] {
        let path = episodes.join(run).join("events.jsonl");
        if run == "ep_stuck" {
            fs::create_dir(episodes.join(run)).unwrap();
            fs::write(&path, &first).unwrap();
        }
        for file in fs::read_dir(episodes.join(run)).unwrap() {
            let file = fs::File::options()
                .append(true)
                .open(file.unwrap().path());
            file.unwrap().set_modified(old).unwrap();
        }
    }
    let begun = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let begun = begun.unwrap().as_secs_f64().floor();
    let service = Service::start(temp.path(), &["--rule", "plan/*=off"]);
    service.wait_for(3);
    let sample = |name: &str| -> Option<f64> {
        let text = service.get("metrics").text;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().parse().unwrap())
    };
    assert_eq!(
        sample("runvet_runs_by_outcome{outcome=\"success\"}"),
        Some(1.0)
    );
    assert_eq!(
        sample("runvet_runs_by_outcome{outcome=\"error\"}"),
        Some(0.0)
    );
    assert_eq!(
        sample("runvet_runs_by_outcome{outcome=\"none\"}"),
        Some(2.0)
    );
    // One waits, and is not silent.
    assert_eq!(sample("runvet_runs_in_progress "), Some(2.0));
    assert_eq!(sample("runvet_runs_paused "), Some(1.0));
    assert_eq!(sample("runvet_runs_silent{for=\"15m\"}"), Some(1.0));
    assert_eq!(sample("runvet_runs_silent{for=\"1h\"}"), Some(0.0));
    let verdict = sample("runvet_last_verdict_timestamp_seconds").unwrap();
    assert!(verdict >= begun, "{verdict}");
    // A run that was there at the start arrived when it started.
    let last = sample("runvet_last_run_timestamp_seconds").unwrap();
    assert!(last > 0.0 && last < begun, "{last}");
    let text = service.get("metrics").text;
    assert!(!text.contains("rule=\"plan/"), "{text}");
    assert!(text.contains("rule=\"lifecycle/links\""), "{text}");
    let from = corpus().join("demo/episodes/ep_03_edited");
    copy_dir(&from, &episodes.join("ep_03_edited"));
    service.wait_for(4);
    assert!(sample("runvet_last_run_timestamp_seconds").unwrap() >= begun);
    for name in [
        "cpu_seconds_total",
        "resident_memory_bytes",
        "start_time_seconds",
        "max_fds",
    ] {
        let value = sample(&format!("process_{name}"));
        assert!(value.is_some() || !cfg!(target_os = "linux"), "{name}");
    }
}

#[test]
fn alert_rules_say_what_their_cases_want() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
    let rules = fs::read_to_string(project.join("alerts.yml")).unwrap();
    let service = Service::demo();
    let numbers = service.get("metrics").text;
    let names = rules.split(|it: char| !it.is_ascii_lowercase() && it != '_');
    let names: BTreeSet<&str> = names
        .filter(|it| it.starts_with("runvet_"))
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        assert!(numbers.contains(&format!("\n{name}")), "{name}");
    }
    let promtool = Command::new("promtool")
        .args(["test", "rules", "alerts.test.yml"])
        .current_dir(project)
        .output();
    match promtool {
        Err(_) => skip("there is no promtool: it is in the package `prometheus` of Debian"),
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat())
        ),
    }
}

/// Who writes a run must not have the records of another directory served.
#[test]
fn link_in_place_of_a_directory_is_not_followed() {
    let temp = tempfile::tempdir().unwrap();
    let episodes = temp.path().join("episodes");
    let run = episodes.join("ep_1");
    copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    let outside = tempfile::tempdir().unwrap();
    for at in ["ep_1", "."] {
        let private = outside.path().join(at);
        fs::create_dir_all(&private).unwrap();
        fs::write(
            private.join("state.json"),
            r#"{"goal": {"task": "private"}}"#,
        )
        .unwrap();
        fs::write(private.join("events.jsonl"), "{\"phase\": \"private\"}\n").unwrap();
    }
    // Nobody looks before the test is over.
    let service = Service::start(temp.path(), &["--poll", "3600"]);
    service.wait_for(1);
    for (place, target) in [(&run, outside.path()), (&episodes, outside.path())] {
        let away = place.with_extension("away");
        fs::rename(place, &away).unwrap();
        std::os::unix::fs::symlink(target, place).unwrap();
        for part in ["", "/records/state.json", "/events"] {
            let answer = service.get(&format!("api/v1/runs/ep_1{part}"));
            let text = answer.json().to_string();
            assert!(
                answer.status != 200 && !text.contains("private"),
                "{part}: {text}"
            );
        }
        fs::remove_file(place).unwrap();
        fs::rename(&away, place).unwrap();
        assert_eq!(
            service
                .get("api/v1/runs/ep_1/events")
                .status,
            200
        );
    }
}

#[test]
fn changes_go_on_after_the_last_id() {
    fn verdict(changes: &mut impl Iterator<Item = String>) -> String {
        changes
            .find(|line| line == "event: verdict")
            .unwrap();
        changes
            .find(|line| line.starts_with("data: "))
            .unwrap()
    }

    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("episodes")).unwrap();
    let service = Service::start(temp.path(), &[]);
    let of_run = |id: &str| {
        let run = temp.path().join("episodes").join(id);
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &run);
    };
    let mut changes = service.changes();
    let first = changes
        .find(|line| line.starts_with("id: "))
        .unwrap();
    of_run("ep_1");
    assert!(verdict(&mut changes).contains("ep_1"));
    drop(changes);
    of_run("ep_2");
    service.wait_for(2);
    let last = first.trim_start_matches("id: ");
    let mut changes = service.changes_after(last);
    assert!(verdict(&mut changes).contains("ep_1"));
    assert!(verdict(&mut changes).contains("ep_2"));
    let mut changes = service.changes_after("0-7");
    changes
        .find(|line| line == "event: lost")
        .unwrap();
}
