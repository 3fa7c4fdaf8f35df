//! What a team declares is judged as built-in rules are: at its place, from every entry point.

use std::path::Path;

use runvet::finding::Skip;
use runvet::gate::Gate;
use serde_json::Value;

use super::run::{DECLARED, repository, with_pack};
use crate::support::binary::{run, stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::runs::copy_dir;

/// The findings of the team's rules: rule, file, line and pointer.
fn found(project: &Project) -> Vec<String> {
    let report = project.report(&[], &[]);
    let findings = report.episodes.iter().flat_map(|episode| &episode.findings);
    let found = findings.map(|finding| {
        let location = &finding.location;
        let file = location.file.rsplit('/').next().unwrap().to_owned();
        let pointer = location.pointer.clone().unwrap_or_default();
        format!(
            "{} {file}:{} {pointer}",
            finding.rule,
            location.line.unwrap_or_default()
        )
    });
    found.collect()
}

/// A schema of the team in TOML, and what it finds in the run.
const SCHEMAS: &[(&str, &[&str])] = &[
    // Each test of a selector must hold, and the last of a list may.
    (
        "where = { phase = 'act', tool = 'adapter:*' }\nschema = { required = ['x'] }",
        &["a/b events.jsonl:5 ", "a/b events.jsonl:6 "],
    ),
    (
        "where = { phase = 'act', '/payload/synthetic' = true }\nschema = { required = ['x'] }",
        &["a/b events.jsonl:7 "],
    ),
    (
        "where = { phase = ['start', 'terminate'] }\nschema = { required = ['x'] }",
        &["a/b events.jsonl:1 ", "a/b events.jsonl:11 "],
    ),
    (
        "where = { phase = 'act', tool = { not = 'adapter:*' } }\nschema = false_here",
        &[],
    ),
    (
        "where = { kind = { not = ['x', 'y'] } }\nat = '/payload'\nschema = { required = ['x'] }",
        &["a/b events.jsonl:5 /payload", "a/b events.jsonl:6 /payload"],
    ),
    (
        "where = { '/payload/x-attempt' = 1.0, phase = 'act' }\nschema = { required = ['x'] }",
        &["a/b events.jsonl:5 ", "a/b events.jsonl:6 "],
    ),
    (
        "where = { '/payload/x-attempt' = '1' }\nschema = { required = ['x'] }",
        &[],
    ),
    // A value is judged where the pointer leads, and at its own place.
    (
        "at = '/payload/seed'\nschema = { type = 'string' }",
        &["a/b events.jsonl:1 /payload/seed"],
    ),
    (
        "at = '/payload/step_records/1'\nschema = { properties = { kind = { const = 1 } } }",
        &["a/b events.jsonl:3 /payload/step_records/1/kind"],
    ),
    (
        "record = 'action'\nwhere = { tool = 'adapter:*' }\nat = '/x-attempt'\nschema = { minimum = 2 }",
        &[
            "a/b state.json:1 /outcomes/actions/0/x-attempt",
            "a/b state.json:1 /outcomes/actions/1/x-attempt",
        ],
    ),
    (
        "record = 'state'\nat = '/episode'\nschema = { maxProperties = 1 }",
        &["a/b state.json:1 /episode"],
    ),
    (
        "record = 'summary'\nschema = { required = ['cost'] }",
        &["a/b summary.json:1 "],
    ),
    (
        "record = 'learn'\nschema = { required = ['lesson'] }",
        &["a/b learn.jsonl:1 "],
    ),
    (
        "record = 'manifest'\nat = '/files'\nschema = { maxItems = 1 }",
        &["a/b manifest.json:1 /files"],
    ),
    // A built-in schema, and an older dialect.
    (
        "where = { phase = 'start' }\nschema = { '$ref' = 'urn:runvet:schema:summary' }",
        &["a/b events.jsonl:1 "],
    ),
    (
        "where = { phase = 'start' }\nat = '/payload/seed'\nschema = { '$schema' = 'http://json-schema.org/draft-04/schema#', maximum = 7, exclusiveMaximum = true }",
        &["a/b events.jsonl:1 /payload/seed"],
    ),
    (
        "at = '/payload/task'\nschema = { format = 'email' }",
        &[
            "a/b events.jsonl:1 /payload/task",
            "a/b events.jsonl:2 /payload/task",
        ],
    ),
];

#[test]
fn schema_judges_what_it_names_at_its_place() {
    for (table, expected) in SCHEMAS {
        let table = table.replace("false_here", "{ not = {} }");
        let project = repository(&format!("[[schema]]\nid = 'a/b'\n{table}"));
        assert_eq!(found(&project), *expected, "{table}");
    }
}

#[test]
fn threads_and_a_strict_rule_change_nothing() {
    let config = "[[schema]]\nid = 'a/b'\nwhere = { tool = 'u' }\nat = '/payload/input'\nschema = { properties = { n = { maximum = 3 } } }\n[vocabulary]\n'/payload/team' = ['x', 'y']\n[[order]]\nid = 'a/o'\neach = { tool = 'u' }\nat-most = 15000\nsame = '/payload/team'\nmessage = '{count} calls of {same}'";
    let project = repository(config);
    let line = |index: usize| {
        let (tool, team) = (
            [b'u', b't'][index % 2],
            [b'x', b'y', b'z'][usize::from(index % 5_000 == 7) * 2],
        );
        let n = if index % 9_000 == 42 { 4 } else { index % 4 };
        format!(
            "{{\"phase\":\"observe\",\"timestamp\":\"2026-03-01T12:00:00Z\",\"payload\":{{\"tool\":\"{}\",\"team\":\"{}\",\"input\":{{\"n\":{n}}}}}}}\n",
            char::from(tool),
            char::from(team)
        )
    };
    let lines: String = (0..40_000).map(line).collect();
    let file = "runs/episodes/ep_answer/events.jsonl";
    let before = std::fs::read_to_string(project.path(file)).unwrap();
    let (start, rest) = before.split_once('\n').unwrap();
    project.write(file, &format!("{start}\n{lines}{rest}"));
    let team = |args: &[&str]| {
        let report = project.report(&[], args);
        let findings = report.episodes[0].findings.iter();
        let of_team =
            findings.filter(|it| it.rule.starts_with("a/") || it.rule == "team/vocabulary");
        let shown = of_team.map(|it| format!("{} {:?} {}", it.rule, it.location.line, it.message));
        shown.collect::<Vec<_>>()
    };
    let one = team(&["--jobs", "1"]);
    assert_eq!(one.len(), 7, "{one:?}");
    let order = one.iter().find(|it| it.starts_with("a/o"));
    assert!(
        order.is_some_and(|it| it.contains("15001 calls of \"x\"")),
        "{one:?}"
    );
    assert!(
        one[6].contains("and 7 more events have this value")
            || one.iter().any(|it| it.contains("7 more")),
        "{one:?}"
    );
    assert_eq!(one, team(&["--jobs", "4"]));
    assert_eq!(one, team(&["--rule", "strict/*=warning"]));
}

/// Events that are read by skeletons, which many share, are judged as those that are read whole.
#[test]
fn known_skeleton_changes_nothing() {
    const TEAM: &str = "
        [vocabulary]
        '/payload/n' = [1, 2]
        tool = ['u', 'v*']
        [[schema]]
        id = 'a/b'
        where = { tool = ['u', 'w'], '/payload/n' = { not = 3 } }
        at = '/payload/input'
        schema = { properties = { n = { type = 'integer', maximum = 3 }, s = { minLength = 2, enum = ['ab', 'a'] } } }
        [[schema]]
        id = 'a/c'
        where = { '/payload/n' = { not = 2 } }
        schema = { properties = { payload = { properties = { tool = { pattern = '^u' } } } } }
        [[order]]
        id = 'a/d'
        each = { tool = 'u' }
        none-earlier = { tool = 'v*' }
        same = '/payload/n'
        within = '5s'
        message = 'm {same} {count}'
        [[order]]
        id = 'a/e'
        each = { tool = { not = 'u' } }
        at-most = 2
        same = '/payload/input'
        message = 'm {same} {count}'
        [[rule]]
        id = 'a/f'
        each = { '/payload/input/s' = 'a*' }
        check = 'event.payload.n != 3'
        message = 'm'";
    let project = repository(TEAM);
    let line = |index: usize| {
        let tool = ["u", "v", "w", "u\\u0076", "vv"][index % 5];
        let input = [
            "{\"n\":N}",
            "{\"s\":\"ab\"}",
            "{\"s\":\"b\",\"n\":2}",
            "{\"n\":\"N\"}",
            "[N]",
            "true",
        ][index % 6]
            .replace('N', &(index % 7).to_string());
        let n = ["1", "1.0", "2", "3", "\"1\"", "null"][index / 5 % 6];
        let time = format!(
            "2026-03-01T12:{:02}:{:02}Z",
            index / 60 % 60,
            index * 7 % 60
        );
        format!(
            "{{\"phase\":\"observe\",\"timestamp\":\"{time}\",\"payload\":{{\"tool\":\"{tool}\",\"n\":{n},\"input\":{input}}}}}\n"
        )
    };
    let file = "runs/episodes/ep_answer/events.jsonl";
    let before = std::fs::read_to_string(project.path(file)).unwrap();
    let (start, rest) = before.split_once('\n').unwrap();
    let lines: String = (0..1_000).map(line).collect();
    project.write(file, &format!("{start}\n{lines}{rest}"));
    let team = |args: &[&str]| {
        let report = project.report(&[], args);
        let findings = report.episodes[0].findings.iter();
        let of_team =
            findings.filter(|it| it.rule.starts_with("a/") || it.rule == "team/vocabulary");
        let shown = of_team.map(|it| format!("{} {:?} {}", it.rule, it.location.line, it.message));
        shown.collect::<Vec<_>>()
    };
    let by_skeletons = team(&[]);
    for rule in ["a/b", "a/c", "a/d", "a/e", "a/f", "team/vocabulary"] {
        assert!(by_skeletons.iter().any(|it| it.starts_with(rule)), "{rule}");
    }
    assert_eq!(by_skeletons, team(&["--rule", "strict/*=warning"]));
}

#[test]
fn value_outside_of_a_vocabulary_is_one_finding_with_its_number() {
    let project = repository(
        "[vocabulary]\nphase = ['Direc-TION', 'start', 'act', 'o*', 'plan', 'terminate', 'reflect', 'learn', 'runtime']\n'/payload/x-attempt' = 2\ntool = ['adapter:core.minimol']",
    );
    let report = project.report(&[], &[]);
    let messages: Vec<(&str, &str)> = report.episodes[0]
        .findings
        .iter()
        .map(|it| (&*it.message, &*it.help))
        .collect();
    let hint = "Correct the program that writes the value, or add the value to `[vocabulary]`.";
    assert_eq!(
        messages,
        [
            (
                "`phase` is \"direction\", which the vocabulary lacks",
                "Did you mean \"Direc-TION\"?"
            ),
            (
                "`payload.tool` is \"adapter:core.minimal\", which the vocabulary lacks, and 1 more event has this value",
                "Did you mean \"adapter:core.minimol\"?"
            ),
            (
                "`payload.x-attempt` is 1, which the vocabulary lacks, and 1 more event has this value",
                hint
            ),
        ]
    );
}

#[test]
fn rule_of_a_team_is_a_rule_like_any_other() {
    let project = with_pack("");
    let of_rule = [
        "acme/order events.jsonl:5 /payload",
        "acme/order events.jsonl:6 /payload",
    ];
    assert_eq!(found(&project), of_rule);
    let errors = |args: &[&str]| {
        let report = project.report(&[], args);
        (
            report.totals.errors,
            report.totals.warnings,
            report.totals.ignored + report.totals.baselined,
        )
    };
    assert_eq!(errors(&[]), (2, 0, 0));
    assert_eq!(errors(&["--rule", "acme/*=warning"]), (0, 2, 0));
    assert_eq!(errors(&["--rule", "acme/order=off"]), (0, 0, 0));
    assert_eq!(errors(&["--select", "acme/order"]), (2, 0, 0));
    assert_eq!(errors(&["--select", "plan/*"]), (0, 0, 0));
    let refused = project.run(&["validate", "--rule", "acme/ordr=off", "runs"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("did you mean `acme/order`?"),
        "{}",
        stderr(&refused)
    );

    project.write("runvet.toml", &format!("{DECLARED}[[ignore]]\nrule = 'acme/order'\nepisode = '*'\npointer = '/payload'\nreason = 'old'"));
    assert_eq!(errors(&[]), (0, 0, 2));
    project.write(
        "runvet.toml",
        &format!("{DECLARED}[[override]]\npaths = ['runs']\nrules = {{ 'acme/*' = 'warning' }}"),
    );
    assert_eq!(errors(&[]), (0, 2, 0));
    project.write("runvet.toml", DECLARED);
    let written = project.run(&["validate", "--write-baseline", "known.json", "runs"]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert_eq!(errors(&["--baseline", "known.json"]), (0, 0, 2));
}

#[test]
fn template_of_a_message_is_never_shown() {
    let config = "packs = ['pack.toml']\n[params]\nmost = 500\n";
    let pack = "[params]\nmost = 9\n[[rule]]\nid = 'a/most'\nat = '/payload/tool'\n\
        message = '{value} is above {params.most}'\neach = { phase = 'act' }\n\
        check = 'has(event.phase) && params.most < 5'\n";
    let project = Project::new(config);
    project.write("pack.toml", pack);
    let explained = project.run(&["explain", "a/most"]);
    let page = stdout(&explained);
    assert!(
        page.contains("VALUE is above 500. The rule is declared"),
        "{explained:?}"
    );
    assert!(page.contains("- `params.most` is 500\n"), "{page}");
    // It does not send its reader to itself.
    assert!(!page.contains("runvet explain"), "{page}");
    let html = format!("html={}", project.path("page.html").display());
    let sarif = format!("sarif={}", project.path("page.sarif").display());
    project.run(&["validate", "runs", "--output", &html, "--output", &sarif]);
    let shown = [
        std::fs::read_to_string(project.path("page.html")).unwrap(),
        std::fs::read_to_string(project.path("page.sarif")).unwrap(),
        stdout(&project.run(&["rules"])).to_owned(),
        stdout(&project.run(&["rules", "--format", "json"])).to_owned(),
    ];
    for text in shown {
        assert!(text.contains("VALUE is above 500"), "{text:.500}");
        assert!(!text.contains("{value} is") && !text.contains("{params."));
    }
}

#[test]
fn rule_of_a_team_is_explained_and_listed() {
    let project = with_pack("");
    let explained = project.run(&["explain", "acme/order"]);
    let page = stdout(&explained);
    for part in [
        "# acme/order (error)",
        "gate/pack.toml:5",
        "Money is paid",
        "\"order\"",
        "Pass the order on.",
        "https://acme.example/order",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let listed = project.run(&["rules", "--format", "json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let last = listed["rules"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["id"], &last["group"], &last["tags"][0]),
        (&"acme/order".into(), &"acme".into(), &"money".into())
    );
    assert!(stdout(&project.run(&["rules"])).contains("an act names its order"));
    assert!(!stdout(&project.run(&["rules", "--no-config"])).contains("acme/"));
    assert_eq!(
        project
            .run(&["explain", "--no-config", "acme/order"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn every_format_knows_the_rule_of_a_team() {
    let project = with_pack("");
    let formats = [
        "human", "json", "ndjson", "sarif", "junit", "github", "gitlab", "markdown", "html",
    ];
    for format in formats {
        let output = project.run(&["validate", "--format", format, "runs"]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stdout(&output).contains("acme/order"), "{format}");
    }
    let sarif = project.run(&["validate", "--format", "sarif", "runs"]);
    let sarif: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    let run = &sarif["runs"][0];
    let index = usize::try_from(run["results"][0]["ruleIndex"].as_u64().unwrap()).unwrap();
    let rule = &run["tool"]["driver"]["rules"][index];
    assert_eq!(rule["id"], "acme/order");
    assert_eq!(rule["helpUri"], "https://acme.example/order");
    assert_eq!(rule["help"]["text"], "Pass the order on.");
    assert_eq!(rule["properties"]["tags"][0], "money");
}

#[test]
fn gate_of_the_library_knows_the_rules_of_a_team() {
    let project = with_pack("");
    let path = project.path("runvet.toml");
    let gate = Gate::default().with_config(&path, DECLARED, None).unwrap();
    assert!(gate.find_rule("acme/order").is_ok());
    let mut gate = gate
        .level("acme/order", runvet::finding::Level::Warning)
        .unwrap();
    let report = gate.run([project.path("runs")]).unwrap();
    assert_eq!((report.totals.errors, report.totals.warnings), (0, 2));
    assert!(
        Gate::default()
            .with_config(Path::new("runvet.toml"), DECLARED, None)
            .is_err()
    );
}

#[test]
fn key_that_a_schema_declares_is_no_slip() {
    let project = repository("");
    for (file, from, to) in [
        ("events.jsonl", "\"seed\":7", "\"seed\":7,\"x\":1"),
        (
            "events.jsonl",
            "\"step_status\":\"done\"",
            "\"step_status\":\"done\",\"actionid\":\"q\"",
        ),
        ("events.jsonl", "\"action_id\":\"act-1\",", ""),
        ("summary.json", "{", "{\"artifact\":1,"),
    ] {
        let path = format!("runs/episodes/ep_answer/{file}");
        let text = std::fs::read_to_string(project.path(&path)).unwrap();
        assert!(text.contains(from), "{from}");
        project.write(&path, &text.replacen(from, to, 1));
    }
    let slips = || {
        let findings = project
            .report(
                &[],
                &[
                    "--select",
                    "events/misspelled",
                    "--select",
                    "record/misspelled-field",
                ],
            )
            .episodes
            .remove(0);
        let rules = findings.findings.into_iter().map(|it| it.rule);
        rules.collect::<Vec<_>>()
    };
    let before = slips();
    assert!(!before.is_empty());
    project.write("runvet.toml", "[[schema]]\nid = 'a/b'\nwhere = { phase = 'act' }\nat = '/payload'\nschema = { properties = { actionid = {} } }\n[[schema]]\nid = 'a/c'\nrecord = 'summary'\nschema = { properties = { artifact = {} } }");
    assert_eq!(slips(), [] as [&str; 0], "{before:?}");
}

/// What the gate of a directory of `corpus/team` finds there, each with its rule and file.
fn found_in(name: &str) -> Vec<String> {
    let dir = corpus().join("team").join(name);
    let config = dir.join("runvet.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let mut gate = Gate::default().with_config(&config, &text, None).unwrap();
    let report = gate.run([dir.join("runs")]).unwrap();
    let episodes = report.episodes.iter();
    let skipped = episodes
        .clone()
        .flat_map(|it| &it.skipped)
        .map(|it| it.rule.clone());
    let found = episodes.flat_map(|it| &it.findings);
    let found = found.map(|it| {
        let pointer = it.location.pointer.as_deref().unwrap_or_default();
        format!("{} {pointer}", it.rule)
    });
    found.chain(skipped).collect()
}

#[test]
fn pack_finds_what_the_record_format_leaves_open() {
    let runs = corpus().join("team/refunds/runs");
    assert_eq!(Gate::default().run([runs]).unwrap().totals.valid, 1);
    assert_eq!(
        found_in("refunds"),
        [
            "acme/refund-input /payload/input",
            "team/vocabulary /payload/tool"
        ]
    );
}

#[test]
fn record_of_a_declared_version_is_judged_by_its_schema() {
    let runs = corpus().join("team/archive/runs");
    let report = Gate::default().run([&runs]).unwrap();
    let rules: Vec<&str> = report.episodes[0]
        .findings
        .iter()
        .map(|it| &*it.rule)
        .collect();
    assert_eq!(rules, ["summary/version"]);
    let help = &report.episodes[0].findings[0].help;
    assert!(
        help.contains("`[[version]]`") && help.contains("`outcome`"),
        "{help}"
    );
    assert_eq!(found_in("archive"), [] as [&str; 0]);

    let schema = "file = 'old.json'";
    let version = |is: &str| format!("[[version]]\nrecord = 'summary'\nis = '{is}'\n{schema}");
    let project = repository(&version("1.*"));
    project.write(
        "old.json",
        r#"{"properties":{"duration_sec":{"maximum":0.1},"flags":false}}"#,
    );
    let rules = |report: runvet::finding::Report| {
        let findings = report.episodes.into_iter().flat_map(|it| it.findings);
        let found =
            findings.map(|it| format!("{} {}", it.rule, it.location.pointer.unwrap_or_default()));
        found.collect::<Vec<_>>()
    };
    // The current version, and a newer one of its major, stay with the built-in schema.
    assert_eq!(rules(project.report(&[], &[])), [] as [&str; 0]);
    let file = "runs/episodes/ep_answer/summary.json";
    let text = std::fs::read_to_string(project.path(file)).unwrap();
    project.write(file, &text.replace("1.3.0", "1.9.0"));
    assert_eq!(
        rules(project.report(&[], &[])),
        ["summary/newer-version /schema_version"]
    );
    // An older one, and one that is no version, are judged by what is declared.
    for other in ["1.2.0", "1.x"] {
        project.write(
            file,
            &text
                .replace("1.3.0", other)
                .replace("\"outcome\"", "\"outcom\""),
        );
        assert_eq!(
            rules(project.report(&[], &[])),
            ["summary/schema /duration_sec", "summary/schema /flags"],
            "{other}"
        );
    }
    project.write("runvet.toml", &version("2.*"));
    assert_eq!(
        rules(project.report(&[], &[])),
        ["summary/version /schema_version"]
    );
}

#[test]
fn examples_of_a_schema_are_judged() {
    let table = "[[schema]]\nid = 'a/b'\nat = '/payload'\nschema = { required = ['n'] }\n";
    let example = |value: &str, valid: bool| {
        format!("[[schema.example]]\nvalue = '{value}'\nvalid = {valid}\n")
    };
    let (good, bad) = (example("{\"n\": 1}", true), example("{}", false));
    let project = repository("");
    for (text, code, shown) in [
        (
            format!("{table}{good}{bad}"),
            0,
            "a/b: 2 examples, all with the declared result",
        ),
        (
            format!("{table}{good}"),
            1,
            "a/b: the schema has no example in which it finds something",
        ),
        (
            table.to_owned(),
            1,
            "a/b: the schema has no example in which it finds something",
        ),
        (
            format!("{table}{bad}{}", example("{}", true)),
            1,
            "a/b: runvet.toml:9: the example is declared valid, but the schema refuses it: the value lacks the required field `n`",
        ),
        (
            format!("{table}{}", example("{\"n\": 1}", false)),
            1,
            "a/b: runvet.toml:6: the example is declared invalid, but the schema allows it",
        ),
    ] {
        project.write("runvet.toml", &text);
        let output = project.run(&["rules", "--test", "--all"]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{text}{}",
            stderr(&output)
        );
        assert!(stdout(&output).contains(shown), "{text}{}", stdout(&output));
        assert!(
            stdout(&output).contains("plan/projection: "),
            "{}",
            stdout(&output)
        );
    }
    project.write("runvet.toml", &format!("{table}{}", example("{", false)));
    let refused = project.run(&["rules", "--test"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("[runvet.toml:6:9]"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn file_besides_the_artifacts_is_judged() {
    let of = |record: &str, expect: &str, at: &str| {
        format!(
            "[[schema]]\nid = 'a/b'\nrecord = '{record}'\n{expect}\nat = '{at}'\nschema = {{ properties = {{ score = {{ maximum = 1 }} }} }}"
        )
    };
    let project = repository("");
    let dir = "runs/episodes/ep_answer";
    let with = |config: &str, file: &str, text: &str| {
        project.write("runvet.toml", config);
        let path = format!("{dir}/{file}");
        project.write(&path, text);
        let found = found(&project);
        std::fs::remove_file(project.path(&path)).unwrap();
        found
    };
    let scores = of("scores.json", "", "");
    assert_eq!(
        with(&scores, "scores.json", "{\"score\": 1}"),
        [] as [&str; 0]
    );
    let shown = with(&scores, "scores.json", "{\n \"score\": 2}");
    assert_eq!(shown, ["a/b scores.json:2 /score"]);
    assert_eq!(with(&scores, "scores.json", "{"), ["a/b scores.json:0 "]);
    assert_eq!(
        with(&of("scores.json", "", "/x"), "scores.json", "{}"),
        [] as [&str; 0]
    );
    // Of several lines each that is not blank.
    let trace = of("trace.jsonl", "", "/a");
    let lines = "{\"a\":{\"score\":0}}\n\n{\"a\":{\"score\":3}}\n[\n{\"a\":{\"score\":4}}";
    assert_eq!(
        with(&trace, "trace.jsonl", lines),
        [
            "a/b trace.jsonl:3 /a/score",
            "a/b trace.jsonl:4 ",
            "a/b trace.jsonl:5 /a/score"
        ]
    );
    // No link is followed.
    project.write("runvet.toml", &scores);
    std::os::unix::fs::symlink("state.json", project.path(&format!("{dir}/scores.json"))).unwrap();
    assert_eq!(found(&project), ["a/b scores.json:0 "]);
    std::fs::remove_file(project.path(&format!("{dir}/scores.json"))).unwrap();

    // Whether it must be there.
    for (expect, expected) in [("always", 1), ("ended", 1), ("optional", 0)] {
        let expect = format!("expect = '{expect}'");
        project.write("runvet.toml", &of("scores.json", &expect, ""));
        assert_eq!(found(&project).len(), expected, "{expect}");
    }
    std::fs::remove_dir_all(project.path(dir)).unwrap();
    copy_dir(
        &corpus().join("good/paused/episodes/ep_paused"),
        &project.path("runs/episodes/ep_paused"),
    );
    for (expect, expected) in [("always", 1), ("ended", 0)] {
        let expect = format!("expect = '{expect}'");
        project.write("runvet.toml", &of("scores.json", &expect, ""));
        assert_eq!(found(&project).len(), expected, "{expect}");
    }
    // The end of a run in progress may still be written.
    project.write("runvet.toml", &trace);
    project.write("runs/episodes/ep_paused/trace.jsonl", "{}\n{\"a\": ");
    assert_eq!(found(&project), [] as [&str; 0]);
    // Nobody knows whether the run has ended.
    let ended = of("scores.json", "expect = 'ended'", "");
    project.write("runvet.toml", &ended);
    project.write("runs/episodes/ep_paused/state.json", "{}");
    let report = project.report(&[], &[]);
    let skipped = report.episodes[0].skipped.iter();
    let skipped = skipped.filter(|skip| skip.rule == "a/b").map(Skip::kind);
    assert_eq!(skipped.collect::<Vec<_>>(), ["lifecycle"]);
}

#[test]
fn unfinished_line_of_the_learning_timeline_counts_once_the_run_has_ended() {
    let config = "[[schema]]\nid = 'a/b'\nrecord = 'learn'\nschema = { type = 'object' }";
    let (project, torn) = (repository(config), "{}\n{\"a\": ");
    project.write("runs/episodes/ep_answer/learn.jsonl", torn);
    copy_dir(
        &corpus().join("good/paused/episodes/ep_paused"),
        &project.path("runs/episodes/ep_paused"),
    );
    project.write("runs/episodes/ep_paused/learn.jsonl", torn);
    assert_eq!(found(&project), ["a/b learn.jsonl:2 "]);
}

#[test]
fn page_of_a_rule_of_a_team_has_its_examples() {
    let corpus = corpus();
    let explained = |team: &str, rule: &str| {
        let config = corpus.join("team").join(team).join("runvet.toml");
        let output = run(&["explain", "--config", config.to_str().unwrap(), rule]);
        stdout(&output).to_owned()
    };
    let page = explained("refunds", "acme/refund-input");
    let shown = "## Examples\n\nValid:\n\n```json\n{\"order_id\": \"o-17\", \"amount\": 20}\n```\n\n\
                 Invalid:\n\n```json\n{\"order_id\": \"o-17\"}\n```\n\n## How to fix it";
    assert!(page.contains(shown), "{page}");
    let page = explained("escalations", "acme/escalate-first");
    assert!(
        page.contains("Findings: line 3:\n\n```json\n{\"payload\""),
        "{page}"
    );
    let page = explained("escalations", "acme/refunds-settle");
    let shown = "No finding, in a run that has not ended:\n";
    assert!(page.contains(shown), "{page}");
    let page = explained("conduct", "acme/success-has-evidence");
    assert!(
        page.contains("Findings: the whole run:\n\n```json\n{\"goal\""),
        "{page}"
    );
}
