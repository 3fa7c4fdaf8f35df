//! The programs of `docs/bring-your-runs.md`: traces and logs of other programs become runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::support::binary::stderr;
use crate::support::recording::{complaints, json, only_run};
use crate::support::skip::skip;

/// A program of `examples/`, which finds the tested binary; `None` where there is no Python.
fn example(program: &str, log: impl AsRef<Path>, runs: &Path) -> Option<Output> {
    let binary = Path::new(env!("CARGO_BIN_EXE_runvet")).parent().unwrap();
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
    let actions = state["outcomes"]["actions"].as_array().unwrap().iter();
    let text = |it: &Value| it.as_str().unwrap_or("-").to_owned();
    let word = |it: &Value| {
        let words = [&it["tool"], &it["step_id"], &it["result_status"]];
        words.map(text).join(" ")
    };
    actions.map(word).collect()
}

fn status(run: &Path) -> Value {
    json(run.join("state.json"))["outcomes"]["status"].clone()
}

#[test]
fn traces_of_three_instrumentations_become_runs() {
    for (file, expected) in [
        ("openllmetry.jsonl", &["gpt-5 - ok", "gpt-5 - ok"][..]),
        (
            "openinference.json",
            &[
                "gpt-5 step-1 ok",
                "gpt-5 step-1 ok",
                "list_tickets step-1 ok",
                "gpt-5 step-1 ok",
                "counter step-1 ok",
                "count_tickets step-1 ok",
                "gpt-5 step-1 ok",
                "support step-1 ok",
            ],
        ),
        (
            "langfuse.json",
            &[
                "list_tickets step-1 ok",
                "ask - ok",
                "write_report step-2 error",
            ],
        ),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let runs = temp.path().join("runs");
        let Some(made) = example("convert.py", format!("traces/{file}"), &runs) else {
            return;
        };
        assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""), "{file}");
        let run = only_run(&runs);
        assert_eq!(actions(&run), expected, "{file}");
        assert_eq!(status(&run), "ok");
        let said = complaints(&runs);
        // The agent went on after its tool had failed.
        let is_known = |it: &String| file == "langfuse.json" && it.contains("strict/steps");
        assert!(said.iter().all(is_known), "{file}: {said:?}");
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
            attribute("gen_ai.tool.name", name),
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

/// Converts a text; returns the output, the run data and what keeps it.
fn converted(text: &str) -> Option<(Output, PathBuf, tempfile::TempDir)> {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("traces.json");
    fs::write(&file, text).unwrap();
    let runs = temp.path().join("out/runs");
    let made = example("convert.py", &file, &runs)?;
    Some((made, runs, temp))
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
        let hex = value.as_str().filter(|_| key.ends_with("Id"));
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
        let Some((made, runs, _temp)) = converted(&text) else {
            return;
        };
        assert_eq!(stderr(&made), "", "{text}");
        let run = only_run(&runs);
        assert!(run.ends_with(format!("ep_{:032x}", 0xabc)));
        let expected = [
            "model - ok",
            "search step-2 ok",
            "sub step-2 ok",
            "write step-1 error",
        ];
        assert_eq!(actions(&run), expected);
        assert_eq!(status(&run), "error");
        assert_eq!(complaints(&runs), [""; 0]);
        let state = fs::read_to_string(run.join("state.json")).unwrap();
        assert_eq!(first.get_or_insert(state.clone()), &state, "{text}");
    }
}

#[test]
fn run_is_that_of_its_agent_or_else_of_a_root_span() {
    let call = |number, parent| span(number, parent, "execute_tool", "t", json!(0));
    let other = |number, parent| span(number, parent, "span", "POST", json!(0));
    let mut open = agent(|| json!(0));
    open[0]["endTimeUnixNano"] = json!("0");
    open[3].as_object_mut().unwrap().remove("endTimeUnixNano");
    let main = |spans: &[Value]| {
        [other(9, 0), span(1, 9, "chat", "m", json!(0))]
            .into_iter()
            .chain(spans.iter().cloned())
            .collect::<Vec<_>>()
    };
    for (what, spans, task, ending, steps) in [
        (
            "no agent",
            vec![other(1, 0), call(2, 1)],
            "span POST",
            "ok",
            1,
        ),
        (
            "work outside of it",
            main(&[span(2, 9, "agent", "a", json!(0)), call(3, 2)]),
            "span POST",
            "ok",
            1,
        ),
        (
            "nothing outside of it",
            vec![other(9, 0), span(1, 9, "agent", "a", json!(0)), call(3, 1)],
            "agent a",
            "ok",
            1,
        ),
        (
            "spans between are missing",
            vec![span(1, 0, "agent", "a", json!(0)), call(3, 7)],
            "agent a",
            "ok",
            1,
        ),
        (
            "two agents",
            vec![
                span(1, 0, "agent", "a", json!(0)),
                span(2, 0, "agent", "b", json!(2)),
            ],
            "trace",
            "error",
            2,
        ),
        (
            "the root is missing",
            vec![call(2, 1), call(3, 1)],
            "trace",
            "aborted",
            2,
        ),
        (
            "it is open",
            open.to_vec(),
            "invoke_agent main",
            "aborted",
            2,
        ),
        (
            "a call alone",
            vec![span(1, 0, "chat", "m", json!(0))],
            "chat m",
            "ok",
            0,
        ),
    ] {
        let Some((made, runs, _temp)) = converted(&request(&spans).to_string()) else {
            return;
        };
        assert_eq!(stderr(&made), "", "{what}");
        let run = only_run(&runs);
        let state = json(run.join("state.json"));
        assert_eq!(status(&run), ending, "{what}");
        let said = state["goal"]["task"].as_str().unwrap();
        assert!(said.starts_with(task), "{what}: {said}");
        assert_eq!(
            state["plan"]["steps"].as_array().unwrap().len(),
            steps,
            "{what}"
        );
        let said = complaints(&runs);
        assert_eq!(said, [""; 0], "{what}");
    }
}

#[test]
fn what_can_not_be_converted_leaves_nothing_and_ends_with_1() {
    let good = || span(1, 0, "invoke_agent", "a", json!(0));
    let with = |edit: &dyn Fn(&mut Value)| {
        let mut bad = span(2, 0, "invoke_agent", "b", json!(0));
        bad["traceId"] = json!(format!("{:032x}", 0xdef));
        edit(&mut bad);
        request(&[good(), bad]).to_string()
    };
    let cases = [
        (
            request(&[span(1, 0, "span", "GET", json!(0))]).to_string(),
            "none of 1 spans is of an agent, a model or a tool",
        ),
        (String::new(), "none of 0 spans"),
        ("not JSON \u{1b}[2J".into(), "is not a trace in JSON"),
        (
            r#"{"version": 2, "samples": []}"#.into(),
            "is not a trace in JSON",
        ),
        (
            with(&|it| it["status"]["code"] = json!("FATAL")),
            "the status of a span is 'FATAL'",
        ),
        (with(&|it| it["spanId"] = json!("")), "a span has no id"),
        (
            with(&|it| it["traceId"] = json!("../../x")),
            "is not a trace in JSON",
        ),
        (
            with(&|it| it["traceId"] = json!("abcd")),
            "is not the id of a span or a trace",
        ),
        (
            with(&|it| it["parentSpanId"] = it["spanId"].clone()),
            "are parts of each other",
        ),
        (
            with(&|it| it["startTimeUnixNano"] = json!("9e99")),
            "is not a trace in JSON",
        ),
        (
            with(&|it| it["startTimeUnixNano"] = json!("9".repeat(30))),
            "is not a time",
        ),
        (
            with(&|it| it["startTimeUnixNano"] = json!(0)),
            "does not say when it began",
        ),
        (
            with(&|it| it["attributes"] = json!("x")),
            "is not a trace in JSON",
        ),
        (
            with(&|it| it["name"] = json!("x")) + "[".repeat(100_000).as_str(),
            "is not a trace in JSON",
        ),
    ];
    for (text, why) in cases {
        let Some((made, runs, temp)) = converted(&text) else {
            return;
        };
        let said = stderr(&made);
        assert!(
            said.starts_with("error: nothing is converted: ") && said.contains(why),
            "{why}: {said}"
        );
        assert!(
            !said.contains('\u{1b}') && !said.contains("Traceback"),
            "{said}"
        );
        assert_eq!(made.status.code(), Some(1));
        assert!(!runs.join("episodes").exists() && !temp.path().join("out").exists());
    }
    // A trace of other spans beside is counted.
    let mut other = span(7, 0, "span", "GET", json!(0));
    other["traceId"] = json!(format!("{:032x}", 0xdef));
    let (made, runs, _temp) = converted(&request(&[good(), other]).to_string()).unwrap();
    assert!(
        stderr(&made).ends_with("left out: 1\n"),
        "{}",
        stderr(&made)
    );
    only_run(&runs);
    // A run that is there stays as it is.
    let (made, runs, temp) = converted(&request(&[good()]).to_string()).unwrap();
    assert_eq!(made.status.code(), Some(0));
    let before = fs::read_to_string(only_run(&runs).join("state.json")).unwrap();
    fs::write(
        temp.path().join("traces.json"),
        request(&agent(|| json!(2))).to_string(),
    )
    .unwrap();
    let again = example("convert.py", temp.path().join("traces.json"), &runs).unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("already"));
    assert_eq!(
        fs::read_to_string(only_run(&runs).join("state.json")).unwrap(),
        before
    );
    assert_eq!(fs::read_dir(temp.path().join("out")).unwrap().count(), 1);
}

#[test]
fn logs_of_other_programs_are_recorded_afterwards() {
    let temp = tempfile::tempdir().unwrap();
    for (program, log) in [
        ("swe_agent.py", "swe_agent.traj"),
        ("openhands.py", "openhands.json"),
        ("inspect_log.py", "inspect.json"),
    ] {
        let Some(made) = example(program, format!("logs/{log}"), temp.path()) else {
            return;
        };
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    }
    let episodes = temp.path().join("episodes");
    let eval = "DmTbvUvRbCTTFXLA2Uhrqf";
    for (run, expected, outcome) in [
        (
            "swe_agent".into(),
            &["shell - -", "shell - -"][..],
            "success_unverified",
        ),
        (
            "openhands".into(),
            &["run - ok", "run - error"],
            "success_unverified",
        ),
        (
            format!("browser-page_1-1-{eval}"),
            &["openai/gpt-5 - ok", "web_browser_go - ok"],
            "success",
        ),
        (format!("browser-2-1-{eval}"), &["bash - error"], "error"),
    ] {
        let run = episodes.join(run);
        assert_eq!(actions(&run), expected);
        assert_eq!(json(run.join("summary.json"))["outcome"], outcome);
    }
    let page = json(episodes.join(format!("browser-page_1-1-{eval}/state.json")));
    assert_eq!(page["outcomes"]["actions"][1]["output"], "A long page.");
    // The log has times that go back.
    let said = complaints(temp.path());
    assert!(
        said.iter().all(|it| it.contains("strict/time-order")),
        "{said:?}"
    );

    // The exit code shows a log that is not recorded as a whole.
    let log = temp.path().join("wrong.traj");
    let wrong = json!({"info": {}, "trajectory": [{"action": f64::MAX, "observation": {"$serde_json::private::RawValue": 1}}]});
    fs::write(&log, wrong.to_string()).unwrap();
    let made = example("swe_agent.py", &log, temp.path()).unwrap();
    assert_eq!(made.status.code(), Some(1));
    assert!(stderr(&made).contains("is not recorded as a whole"));
}
