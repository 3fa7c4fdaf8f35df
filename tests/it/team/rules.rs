//! Rules that a team writes as expressions are judged over the events and the records of a run.

use super::run::{found, project};
use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;

fn rule(keys: &str) -> String {
    format!("[[rule]]\nid = 'a/b'\nmessage = 'wrong: {{value}}'\n{keys}\n")
}

const SMALL: &str = r#"{"tool":"refund","input":{"amount":5e2}}"#;
const LARGE: &str = r#"{"tool":"refund","input":{"amount":500.01}}"#;
const NONE: &str = r#"{"tool":"refund","input":{}}"#;
const OTHER: &str = r#"{"tool":"look","input":{"amount":900}}"#;
const EACH: &str = "each = { tool = 'refund' }\n";

/// What a rule finds in four events: its keys, and the findings.
#[test]
fn rules_are_judged_for_each_event() {
    let limit = "check = 'event.payload.input.amount <= 500'\nat = '/payload/input/amount'";
    let absent = "4 `check` can't be evaluated: there is no `amount` in `event.payload.input`, at \
                  `event.payload.input.amount`";
    for (keys, expected) in [
        (limit, vec!["3 wrong: 500.01", absent]),
        (
            "check = 'event.payload.input.amount <= 500'\nwhen = 'has(event.payload.input.amount)'",
            vec![
                r#"3 wrong: {"phase":"act","timestamp":"2026-03-01T12:00:02Z","payload":{"tool":"refund","in…"#,
            ],
        ),
        (
            "check = 'size(event.payload.input) > 0 ? \"\" : \"empty \" + event.payload.tool'",
            vec!["4 empty refund"],
        ),
        (
            "check = 'event.payload.input.amount'\nwhen = 'has(event.payload.input.amount)'",
            vec![
                "2 `check` can't be evaluated: its value is an int, not a bool or a string",
                "3 `check` can't be evaluated: its value is a double, not a bool or a string",
            ],
        ),
        (
            "check = 'true'\nwhen = 'event.payload.when'",
            vec![
                "2 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`",
                "3 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`",
                "4 `when` can't be evaluated: there is no `when` in `event.payload`, at `event.payload.when`",
            ],
        ),
        (
            "check = \"tools['refund'] == 3 && counts['act'] == 4\"",
            vec![],
        ),
        ("check = \"tools['look'] > 1\"", vec!["2 ", "3 ", "4 "]),
        (
            "check = 'event.payload.tool != params.tool'",
            vec!["2 ", "3 ", "4 "],
        ),
        (
            "check = \"state.outcomes.status == 'ok' && summary.outcome == 'success'\"",
            vec![],
        ),
        (
            "check = \"run.lifecycle == 'terminal' && run.dir == 'ep_1' && run.status == 'ok'\"",
            vec![],
        ),
    ] {
        let config = format!(
            "{}[params]\ntool = 'refund'\n",
            rule(&format!("{EACH}{keys}"))
        );
        let project = project(&config, &[OTHER, SMALL, LARGE, NONE], true);
        let found = found(&project, &[]);
        let agree = |(found, expected): (&String, &&str)| found.starts_with(expected);
        assert_eq!(found.len(), expected.len(), "{keys}: {found:?}");
        assert!(found.iter().zip(&expected).all(agree), "{keys}: {found:?}");
    }
}

#[test]
fn finding_points_at_the_value_or_at_the_nearest_one_around_it() {
    let config = rule(&format!(
        "{EACH}check = 'false'\nat = '/payload/input/amount'"
    ));
    let project = project(&config, &[LARGE, NONE, r#"{"tool":"refund"}"#], true);
    let report = project.report(&[], &["--select", "a/b"]);
    let findings = &report.episodes[0].findings;
    let pointers = findings.iter().map(|it| it.location.pointer.as_deref());
    let pointers: Vec<Option<&str>> = pointers.collect();
    let expected = ["/payload/input/amount", "/payload/input", "/payload"];
    assert_eq!(pointers, expected.map(Some));
}

#[test]
fn rules_are_judged_once_for_a_run() {
    let needs_end = "check = 'summary != null'\nneeds = 'ended'";
    for (keys, has_ended, expected) in [
        (
            "check = \"counts == {'act': 2.0} && tools == {'refund': 2}\"",
            true,
            vec![],
        ),
        ("check = 'has(counts.plan)'", true, vec!["0 wrong: nothing"]),
        ("check = 'summary != null'", false, vec!["0 wrong: nothing"]),
        (needs_end, false, vec![]),
        (needs_end, true, vec![]),
        (
            "check = 'size(state.goal.task) > 99'\nin = 'state'\nat = '/goal/task'",
            true,
            vec!["1 wrong: \"Summarize the open tickets\""],
        ),
        (
            "check = 'state.outcomes.absent'\nin = 'state'\nat = '/outcomes/absent/x'",
            true,
            vec![
                "1 `check` can't be evaluated: there is no `absent` in `state.outcomes`, at `state.outcomes.absent`",
            ],
        ),
    ] {
        let project = project(&rule(keys), &[SMALL, LARGE], has_ended);
        assert_eq!(found(&project, &[]), expected, "{keys}");
    }
}

#[test]
fn record_that_can_not_be_judged_is_skipped_and_an_absent_one_is_null() {
    let config = rule("check = \"summary.outcome == 'success'\"");
    let project = project(&config, &[SMALL], true);
    let summary = project.path("runs/episodes/ep_1/summary.json");
    std::fs::write(&summary, "{").unwrap();
    let skipped = found(&project, &[]);
    assert_eq!(skipped, ["skipped: summary.json can't be judged"]);
    std::fs::write(
        &summary,
        r#"{"schema_version":"0.9.0","outcome":"success"}"#,
    )
    .unwrap();
    let skipped = found(&project, &[]);
    assert_eq!(
        skipped,
        ["skipped: summary.json is of version \"0.9.0\", which is not supported"]
    );
    std::fs::remove_file(&summary).unwrap();
    assert_eq!(
        found(&project, &[]),
        ["0 `check` can't be evaluated: `summary` is null, not a map, at `summary.outcome`"]
    );
}

#[test]
fn of_an_older_version_the_facts_are_there() {
    let version = "[[version]]\nrecord = 'summary'\nis = '1.2.*'\nschema = {}\n";
    let check = "check = \"!has(summary.duration_sec) && summary.metrics == {'success': 1} && \
                 summary.task == 'x' && size(summary.tags) == 1\"";
    let project = project(&(version.to_owned() + &rule(check)), &[SMALL], true);
    project.write(
        "runs/episodes/ep_1/summary.json",
        r#"{"schema_version":"1.2.0","task":"x","duration_sec":"long","metrics":{"success":1,"act_count":-1},"tags":{"a":"b"}}"#,
    );
    assert_eq!(found(&project, &[]), [""; 0]);
}

#[test]
fn line_that_is_no_event_proves_nothing_that_is_counted() {
    let events = [SMALL, "torn", LARGE];
    let counting = project(&rule("check = 'has(tools.refund)'"), &events, true);
    assert_eq!(
        found(&counting, &[]),
        ["skipped: line 2 of events.jsonl is not an event, and could be the one that matters"]
    );
    let each = rule(&format!("{EACH}check = 'event.payload.input.amount < 501'"));
    assert_eq!(found(&project(&each, &events, true), &[]), [""; 0]);
}

#[test]
fn expression_that_runs_away_is_a_fault() {
    let items = vec!["1"; 20_000].join(",");
    let payload = format!("{{\"tool\":\"refund\",\"items\":[{items}]}}");
    let check = "check = 'event.payload.items.all(a, event.payload.items.all(b, a == b))'";
    let project = project(&rule(&format!("{EACH}{check}")), &[LARGE, &payload], true);
    // A fault at any level; the verdict is open where what it may have missed is an error.
    for (level, verdict) in [("error", "undecided"), ("warning", "valid, with 1 warning")] {
        let level = format!("a/b={level}");
        let args = ["validate", "--select", "a/b", "--rule", &level, "runs"];
        let output = project.run(&args);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        let said = [stdout(&output), stderr(&output)].concat();
        for part in ["a/b could not be judged: ", "more steps", verdict] {
            assert!(said.contains(part), "{said}");
        }
    }
    // What was found before stands.
    let found = found(&project, &[]);
    assert_eq!(found.len(), 2, "{found:?}");
}

/// The keys of a rule, and parts of the message.
const MISTAKES: &[(&str, &str)] = &[
    ("check = 'evnt.payload'", "unknown name `evnt`"),
    (
        "check = 'event.payload'",
        "`event` is allowed only in rules that have `each`",
    ),
    ("each = {}\ncheck = 'evnt.payload'", "did you mean `event`?"),
    ("check = 'true || x'", "unknown name `x`"),
    ("check = 'sise(state)'", "did you mean `size`?"),
    (
        "check = 'true &&'",
        "the expression ends where more is expected",
    ),
    (
        "check = 'true'\nat = '/x'",
        "`at` is allowed only in rules with `each` or `in`",
    ),
    (
        "check = 'true'\neach = {}\nin = 'state'",
        "`in` is allowed only in rules without `each`",
    ),
    (
        "check = 'true'\neach = {}\nneeds = 'ended'",
        "`needs` is allowed only in rules without `each`",
    ),
    ("check = 'true'\nneeds = 'endet'", "endet"),
    ("when = 'true'", "check"),
    (
        "check = 'params.x > 1'\n[[rule.example]]\nevents = ['1']\nfires = []",
        "is a JSON object",
    ),
    (
        "check = 'true'\n[[rule.example]]\nstate = '{'\nfires = []",
        "is not JSON",
    ),
];

#[test]
fn mistakes_in_rules_are_named_at_their_places() {
    for (keys, message) in MISTAKES {
        let output = project(&rule(keys), &[], true).run(&["validate", "runs"]);
        assert_eq!(output.status.code(), Some(2), "{keys}");
        let said = stderr(&output);
        assert!(said.contains(message), "{keys}: {said}");
    }
    let output =
        project(&rule("check = \"'a' == evnt.payload\""), &[], true).run(&["validate", "runs"]);
    let said = stderr(&output);
    assert!(said.contains("runvet.toml:4:17"), "{said}");
    let messages = rule("check = 'true'").replace("{value}", "{count}");
    let output = project(&messages, &[], true).run(&["validate", "runs"]);
    let said = stderr(&output);
    assert!(
        said.contains("`{count}` is not available in this message"),
        "{said}"
    );
}

#[test]
fn examples_of_rules_are_judged() {
    let example = |keys: &str| {
        let example = "[[rule.example]]\nevents = ['{\"payload\":{\"tool\":\"refund\"}}', '{}']\n";
        let config = format!("{}{example}{keys}", rule("check = 'tools.refund < 1'"));
        let output = project(&config, &[], true).run(&["rules", "--test"]);
        let said = stdout(&output);
        let said = said.lines().find(|line| line.starts_with("a/b")).unwrap();
        (output.status.code().unwrap(), said.to_owned())
    };
    assert_eq!(
        example("fires = [0]"),
        (0, "a/b: 1 example, all with the declared result".into())
    );
    let (code, said) = example("fires = [1]");
    assert!(
        code == 1
            && said
                .ends_with(": expected no finding without a line; there was one: wrong: nothing"),
        "{said}"
    );
}

/// The pack of the documentation is right, and finds what a run shows.
#[test]
fn pack_of_conduct_is_tested_and_judges() {
    let config = corpus().join("team/conduct/runvet.toml");
    let config = config.to_str().unwrap();
    let project = Project::new("");
    let output = project.run(&["rules", "--test", "--config", config]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let runs = corpus().join("team/refunds/runs");
    let output = project.run(&[
        "validate",
        "--config",
        config,
        "--format",
        "concise",
        runs.to_str().unwrap(),
    ]);
    let said = stdout(&output);
    assert!(
        said.contains("error acme/refund-limit: `check` can't be evaluated"),
        "{said}"
    );
}

#[test]
fn examples_take_records_from_their_events() {
    let said = |check: &str| {
        let events = r#"[
  '{"phase":"plan","payload":{"step_records":[{"id":"s","kind":"act","description":"d","status":"pending"}]}}',
  '{"payload":{"tool":"pay","kind":"x","step_id":"s","step_status":"done","action_id":"a","amount":9}}',
  '{"payload":{"tool":"look"}}']"#;
        let rule = rule(&format!("in = 'summary'\ncheck = \"{check}\""));
        let config = format!("{rule}[[rule.example]]\nevents = {events}\nfires = []\n");
        let output = project(&config, &[], true).run(&["rules", "--test"]);
        stdout(&output).to_owned()
    };
    for check in [
        "state.outcomes.actions.map(a, a.tool) == ['pay', 'look']",
        "state.outcomes.actions[0].id == 'a' && state.outcomes.actions[0].amount == 9",
        "state.plan.steps[0].status == 'done' && state.episode.started_at.endsWith('00:00:01Z')",
        "summary.duration_sec == 2 && summary.metrics.act_count == 2",
    ] {
        let said = said(check);
        // What fails is only that no example fires.
        let expected = "a/b: the rule has no example in which it finds something\n";
        assert_eq!(said, expected, "{check}");
    }
    let wrong = said("size(state.outcomes.actions) == 3");
    let expected = "expected no finding without a line; there was one: wrong: {";
    assert!(wrong.contains(expected), "{wrong}");
}
