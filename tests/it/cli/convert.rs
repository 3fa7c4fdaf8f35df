//! `docs/bring-your-runs.md`: traces in each form, and logs of other programs, become runs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::support::binary::{run, stderr};
use crate::support::recording::{complaints, json, only_run};
use crate::support::skip::skip;

/// A program of `examples/`, which finds the tested binary; `None` where there is no Python.
fn example(program: &str, log: impl AsRef<Path>, runs: &Path) -> Option<Output> {
    let binary = Path::new(env!("CARGO_BIN_EXE_runvet"))
        .parent()
        .unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let paths = [binary.to_owned()].into_iter();
    let paths = paths.chain(std::env::split_paths(&path));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("python3")
        .env("PATH", std::env::join_paths(paths).unwrap())
        .arg(root.join("examples").join(program))
        .arg(root.join("tests").join(log))
        .arg(runs)
        .output();
    if output.is_err() {
        skip("there is no python3");
    }
    output.ok()
}

/// What a run says of its actions: the tool, the step and how it ended.
fn actions(run: &Path) -> Vec<String> {
    let state = json(run.join("state.json"));
    let actions = state["outcomes"]["actions"]
        .as_array()
        .unwrap()
        .iter();
    let text = |it: &Value| it.as_str().unwrap_or("-").to_owned();
    let word = |it: &Value| {
        let words = [&it["tool"], &it["step_id"], &it["result_status"]];
        words.map(text).join(" ")
    };
    actions.map(word).collect()
}

/// What a run says of its calls: the tool, its kind, how it ended, and the agent.
fn calls(run: &Path) -> Vec<String> {
    let state = json(run.join("state.json"));
    let actions = state["outcomes"]["actions"]
        .as_array()
        .cloned();
    let text = |it: &Value| it.as_str().unwrap_or("-").to_owned();
    let words = |it: &Value| {
        let words = ["tool", "kind", "result_status", "x-agent"].map(|name| text(&it[name]));
        words.join(" ")
    };
    actions
        .unwrap_or_default()
        .iter()
        .map(words)
        .collect()
}

fn status(run: &Path) -> Value {
    json(run.join("state.json"))["outcomes"]["status"].clone()
}

/// Imports a log.
fn import(log: &Path, runs: &Path) -> Output {
    run(&[
        "import",
        log.to_str().unwrap(),
        "--into",
        runs.to_str().unwrap(),
        "--quiet",
    ])
}

#[test]
fn traces_of_three_instrumentations_become_runs() {
    for (file, expected) in [
        ("openllmetry.jsonl", &[][..]),
        (
            "openinference.json",
            &[
                "list_tickets tool ok counter",
                "counter delegate ok support",
                "count_tickets tool ok support",
                "support delegate ok -",
            ],
        ),
        (
            "langfuse.json",
            &["list_tickets tool ok -", "write_report tool error -"],
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let runs = temp.path().join("runs");
        let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
        let made = import(&traces.join(file), &runs);
        assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""), "{file}");
        let run = only_run(&runs);
        assert_eq!(calls(&run), expected, "{file}");
        assert_eq!(status(&run), "ok");
        assert_eq!(complaints(&runs), [""; 0], "{file}");
    }
}

/// A span with an operation, the tool or model of which has its name.
fn span(number: u64, parent: u64, operation: &str, name: &str, status: impl Into<Value>) -> Value {
    let status: Value = status.into();
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    json!({
        "traceId": format!("{:032x}", 0xabc),
        "spanId": format!("{number:016x}"),
        "parentSpanId": if parent == 0 { String::new() } else { format!("{parent:016x}") },
        "name": format!("{operation} {name}"),
        "startTimeUnixNano": (1_772_366_400_000_000_000 + number * 1_000_000_000).to_string(),
        "endTimeUnixNano": (1_772_366_500_000_000_000 - number * 1_000_000_000).to_string(),
        "attributes": [
            attribute("gen_ai.operation.name", operation),
            attribute(if operation == "invoke_agent" { "gen_ai.agent.name" } else { "gen_ai.tool.name" }, name),
            attribute("gen_ai.tool.call.arguments", "{\"n\": [1, 18446744073709551616, NaN]}"),
        ],
        "status": { "code": status },
    })
}

fn request(spans: &[Value]) -> Value {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
}

/// An agent with a tool that fails and a sub-agent.
fn agent(failed: impl Fn() -> Value) -> [Value; 5] {
    [
        span(1, 0, "invoke_agent", "main", failed()),
        span(2, 1, "execute_tool", "write", failed()),
        span(3, 1, "invoke_agent", "sub", json!(1)),
        span(4, 3, "execute_tool", "search", json!(null)),
        span(5, 1, "chat", "model", json!(0)),
    ]
}

/// The spans with other names of fields or other ids.
fn rewritten(spans: &[Value], edit: impl Fn(&str, &Value) -> (String, Value)) -> Vec<Value> {
    let edited = |span: &Value| {
        let members = span.as_object().unwrap().iter();
        let members = members.map(|(key, value)| edit(key, value));
        Value::Object(members.collect())
    };
    spans.iter().map(edited).collect()
}

#[test]
fn trace_in_any_form_is_the_same_run() {
    let spans = agent(|| json!(2));
    let base64 = rewritten(&spans, |key, value| {
        let hex = value
            .as_str()
            .filter(|_| key.ends_with("Id"));
        let Some(hex) = hex else {
            return (key.into(), value.clone());
        };
        let digits = (0..hex.len()).step_by(2);
        let bytes = digits.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
        let text = BASE64.encode(&bytes.collect::<Vec<u8>>());
        (key.into(), text.into())
    });
    let snake = rewritten(&spans, |key, value| {
        let mut snake = String::new();
        for c in key.chars() {
            snake.extend(c.is_ascii_uppercase().then_some('_'));
            snake.push(c.to_ascii_lowercase());
        }
        (snake, value.clone())
    });
    let mut shuffled = spans.to_vec();
    shuffled.reverse();
    let lines = spans
        .iter()
        .map(|it| format!("{}\n", request(std::slice::from_ref(it))));
    let texts = [
        request(&spans).to_string(),
        request(&agent(|| json!("STATUS_CODE_ERROR"))).to_string(),
        request(&agent(|| json!("ERROR"))).to_string(),
        request(&base64).to_string(),
        json!({"resource_spans": [{"scope_spans": [{"spans": snake}]}]}).to_string(),
        format!("\u{feff}{:#}", request(&shuffled)),
        lines.collect(),
        // A collector that tries again writes a span twice.
        json!([request(&spans), request(&spans)]).to_string(),
    ];
    let mut first = None;
    for text in texts {
        let temp = tempfile::tempdir().unwrap();
        let (file, runs) = (temp.path().join("traces.json"), temp.path().join("runs"));
        fs::write(&file, &text).unwrap();
        let made = import(&file, &runs);
        assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""), "{text}");
        let run = only_run(&runs);
        assert!(run.ends_with(format!("ep_{:032x}", 0xabc)));
        let expected = [
            "search tool ok sub",
            "sub delegate ok -",
            "write edit error -",
        ];
        assert_eq!(calls(&run), expected);
        assert_eq!(status(&run), "error");
        assert_eq!(complaints(&runs), [""; 0]);
        let state = fs::read_to_string(run.join("state.json")).unwrap();
        assert_eq!(first.get_or_insert(state.clone()), &state, "{text}");
    }
}

#[test]
fn log_of_swe_agent_is_recorded_afterwards() {
    let temp = tempfile::tempdir().unwrap();
    let Some(made) = example("swe_agent.py", "logs/swe_agent.traj", temp.path()) else {
        return;
    };
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let run = temp.path().join("episodes/swe_agent");
    assert_eq!(actions(&run), ["shell - -", "shell - -"]);
    assert_eq!(
        json(run.join("summary.json"))["outcome"],
        "success_unverified"
    );
    assert_eq!(complaints(temp.path()), [""; 0]);

    // The exit code shows a log that is not recorded as a whole.
    let log = temp.path().join("wrong.traj");
    let wrong = json!({"info": {}, "trajectory": [{"action": f64::MAX, "observation": {"$serde_json::private::RawValue": 1}}]});
    fs::write(&log, wrong.to_string()).unwrap();
    let made = example("swe_agent.py", &log, temp.path()).unwrap();
    assert_eq!(made.status.code(), Some(1));
    assert!(stderr(&made).contains("is not recorded as a whole"));
}

#[test]
fn logs_of_older_versions_are_imported() {
    let temp = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for log in ["openhands.json", "inspect.json"] {
        let made = import(&root.join("tests/logs").join(log), temp.path());
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    }
    let episodes = temp.path().join("episodes");
    let eval = "DmTbvUvRbCTTFXLA2Uhrqf-browser";
    for (run, expected, outcome) in [
        (
            "openhands".into(),
            &["run - ok", "run - error", "finish - ok"][..],
            "success_unverified",
        ),
        (
            format!("{eval}-page-1-1"),
            &["web_browser_go - ok"],
            "goal_not_achieved",
        ),
        (format!("{eval}-2-1"), &["bash - error"], "error"),
    ] {
        let run = episodes.join(run);
        assert_eq!(actions(&run), expected);
        assert_eq!(json(run.join("summary.json"))["outcome"], outcome);
    }
    let page = json(episodes.join(format!("{eval}-page-1-1/state.json")));
    assert_eq!(page["outcomes"]["actions"][0]["output"], "A long page.");
    assert_eq!(complaints(temp.path()), [""; 0]);
}
