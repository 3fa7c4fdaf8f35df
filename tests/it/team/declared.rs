//! What a team declares is judged as built-in rules are: at its place, from every entry point.

use std::collections::BTreeSet;
use std::path::Path;

use runvet::finding::Skip;
use runvet::gate::Gate;
use serde_json::Value;

use crate::support::binary::{stderr, stdout};
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::runs::copy_dir;

/// A repository with one sound run that has ended.
fn project(config: &str) -> Project {
    let project = Project::new(config);
    std::fs::remove_dir_all(project.path("runs")).unwrap();
    copy_dir(
        &corpus().join("good/terminal/episodes/ep_answer"),
        &project.path("runs/episodes/ep_answer"),
    );
    project
}

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
        let project = project(&format!("[[schema]]\nid = 'a/b'\n{table}"));
        assert_eq!(found(&project), *expected, "{table}");
    }
}

#[test]
fn threads_and_a_strict_rule_change_nothing() {
    let config = "[[schema]]\nid = 'a/b'\nwhere = { tool = 'u' }\nat = '/payload/input'\nschema = { properties = { n = { maximum = 3 } } }\n[vocabulary]\n'/payload/team' = ['x', 'y']\n[[order]]\nid = 'a/o'\neach = { tool = 'u' }\nat-most = 15000\nsame = '/payload/team'\nmessage = '{count} calls of {same}'";
    let project = project(config);
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
    let project = project(TEAM);
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
    let project = project(
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

const DECLARED: &str = "packs = ['gate/pack.toml']\n";

const PACK: &str = "[selector]
acts = { phase = 'act', tool = 'adapter:*' }

[[schema]]
id = 'acme/order'
where = 'acts'
at = '/payload'
file = 'act.json'
title = 'an act names its order'
why = 'Money is paid by order.'
help = 'Pass the order on.'
url = 'https://acme.example/order'
tags = ['money']
";

/// A repository with a pack, whose schema refers to another file.
fn with_pack(config: &str) -> Project {
    let project = project(&format!("{DECLARED}{config}"));
    std::fs::create_dir_all(project.path("gate/defs")).unwrap();
    project.write("gate/pack.toml", PACK);
    project.write(
        "gate/act.json",
        r#"{"required":["order"],"properties":{"x-attempt":{"$ref":"defs/n%20.json#/$defs/n"}}}"#,
    );
    project.write("gate/defs/n .json", r#"{"$defs":{"n":{"minimum":1}}}"#);
    project
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

/// What stands in `runvet.toml` (`⏎` for a new line), the place, and parts of the message and help.
const MISTAKES: &str = r#"[[schema]]⏎id = 'plan/x'⏎schema = {} | 2:6 | the group `plan` belongs to the built-in rules |
[[schema]]⏎id = 'coverage/x'⏎schema = {} | 2:6 | belongs to the built-in rules |
[[schema]]⏎id = 'Acme'⏎schema = {} | 2:6 | an id is a group and a subject |
[[schema]]⏎id = 'a/b'⏎schema = {}⏎[[schema]]⏎id = 'a/b'⏎schema = {} | 5:6 | the id `a/b` is taken by runvet.toml:2 |
[[schema]]⏎id = 'a/b' | 2:6 | the schema is missing |
[[schema]]⏎schema = {} | 1:1 | the key `id` is missing |
[[schema]]⏎id = 'a/b'⏎file = 'x.json'⏎schema = {} | 4:10 | exclude each other |
[[schema]]⏎id = 'a/b'⏎file = 'x.json' | 3:8 | "x.json" can't be read |
[[schema]]⏎id = 'a/b'⏎file = 'runs/episodes/ep_answer/state.json' | 3:8 | lies inside run data |
[[schema]]⏎id = 'a/b'⏎schema = { type = 'txt' } | 3:19 | can't be used |
[[schema]]⏎id = 'a/b'⏎schema = { '$ref' = 'https://x.example/y' } | 3:21 | "https://x.example/y" can't be read |
[[schema]]⏎id = 'a/b'⏎schema = { '$ref' = '../x.json' } | 3:21 | "x.json" can't be read: it is neither |
[[schema]]⏎id = 'a/b'⏎schema = { pattern = '(?=x)' } | 3:22 | can't be used |
[[schema]]⏎id = 'a/b'⏎schema = { format = 'emial' } | 3:21 | can't be used |
[[schema]]⏎id = 'a/b'⏎at = 'payload'⏎schema = {} | 3:6 | a JSON Pointer starts with `/` |
[[schema]]⏎id = 'a/b'⏎record = 'evnt'⏎schema = {} | 3:10 | unknown value "evnt" | did you mean `event`?
[[schema]]⏎id = 'a/b'⏎record = 'state.json'⏎schema = {} | 3:10 | unknown value "state.json" | did you mean `state`?
[[schema]]⏎id = 'a/b'⏎record = '../x.json'⏎schema = {} | 3:10 | unknown value "../x.json" |
[[schema]]⏎id = 'a/b'⏎record = 'x.json'⏎where = { tool = 'x' }⏎schema = {} | 4:9 | `where` is allowed only with the records |
[[schema]]⏎id = 'a/b'⏎record = 'state'⏎expect = 'always'⏎schema = {} | 4:10 | `expect` is allowed only with files |
[[schema]]⏎id = 'a/b'⏎record = 'state'⏎where = { tool = 'x' }⏎schema = {} | 4:9 | `where` is allowed only with the records |
[[schema]]⏎id = 'a/b'⏎where = { tol = 'x' }⏎schema = {} | 3:11 | unknown key "tol" of a selector | did you mean `tool`?
[[schema]]⏎id = 'a/b'⏎record = 'action'⏎where = { phase = 'x' }⏎schema = {} | 4:11 | unknown key "phase" |
[[schema]]⏎id = 'a/b'⏎where = { tool = [] }⏎schema = {} | 3:18 | expected a text, a number |
[[schema]]⏎id = 'a/b'⏎where = { tool = { nt = 'x' } }⏎schema = {} | 3:20 | unknown key "nt" | did you mean `not`?
[[schema]]⏎id = 'a/b'⏎where = { '/day' = { not = ['x', 2026-01-01] } }⏎schema = {} | 3:34 | expected a text, a number |
[[schema]]⏎id = 'a/b'⏎where = 'refund'⏎schema = {}⏎[selector]⏎refunds = {} | 3:9 | no selector called "refund" | did you mean `refunds`?
[[schema]]⏎id = 'a/b'⏎lvl = 'error'⏎schema = {} | 3:1 | unknown key "lvl" | did you mean `level`?
[vocabulary]⏎tool = [] | 2:8 | expected a text, a number, a boolean, or a list |
[vocabulary]⏎tool = [2026-01-01] | 2:9 | expected a text, a number |
[params]⏎expires = 12:00:00 | 2:11 | expected a text, a number or a boolean |
[vocabulary]⏎tools = ['x'] | 2:1 | unknown key "tools" | did you mean `tool`?
packs = ['x.toml'] | 1:10 | the pack "x.toml" can't be read |
packs = ['runs/episodes/ep_answer/pack.toml'] | 1:10 | lies inside run data |
[[schema]]⏎id = 'a/b'⏎schema = {}⏎[rules]⏎'a/c' = 'off' | 5:1 | no rule called `a/c` | did you mean `a/b`?"#;

#[test]
fn mistake_is_refused_with_place_and_nearest_name() {
    let project = project("");
    project.write("runs/episodes/ep_answer/pack.toml", "");
    for row in MISTAKES.lines() {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let text = cells[0].replace('⏎', "\n");
        project.write("runvet.toml", &text);
        let output = project.run(&["validate", "runs"]);
        let shown = stderr(&output);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), ""),
            "{text}"
        );
        assert!(
            shown.contains(&format!("[runvet.toml:{}]", cells[1])),
            "{text}\n{shown}"
        );
        let words = shown.split_whitespace().filter(|word| *word != "│");
        let words = words.collect::<Vec<_>>().join(" ");
        for part in &cells[2..] {
            assert!(words.contains(part), "{part}: {text}\n{shown}");
        }
    }
}

#[test]
fn mistakes_of_a_pack_and_its_schemas_are_all_told_at_once() {
    let project = with_pack("nonsense = 1\n");
    project.write(
        "gate/pack.toml",
        &format!(
            "{PACK}\n[[schema]]\nid = 'acme/order'\nfile = 'none.json'\n\n[[unknown]]\nx = 1\n\
             [[schema]]\nid = 'acme/same'\nfile = 'act.json'\n"
        ),
    );
    project.write("gate/act.json", "{\"type\": \"objekt\"}");
    let output = project.run(&["validate", "runs"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = stderr(&output);
    for place in [
        "[runvet.toml:2:1]",
        "[gate/pack.toml:16:6]",
        "[gate/pack.toml:17:8]",
        "[gate/pack.toml:19:3]",
        "[gate/act.json:1:10]",
    ] {
        assert_eq!(shown.matches(place).count(), 1, "{place}: {shown}");
    }
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("named by gate/pack.toml:8"), "{shown}");

    project.write("runvet.toml", DECLARED);
    project.write("gate/act.json", "{\"type\": }");
    let shown = project.run(&["validate", "runs"]);
    assert!(
        stderr(&shown).contains("[gate/act.json:1:10]"),
        "{}",
        stderr(&shown)
    );
}

#[test]
fn mistake_is_told_in_the_file_that_has_it() {
    let project = with_pack("");
    project.write("gate/a.json", "{}");
    let said = |files: [&str; 2]| {
        project.write("gate/act.json", files[0]);
        project.write("gate/defs/n .json", files[1]);
        let output = project.run(&["validate", "runs"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!stderr(&output).contains("file:"), "{}", stderr(&output));
        stderr(&output).to_owned()
    };
    let refers = "{\n\"items\": {\"$ref\": \"defs/n%20.json#/$defs/n\"}, \"minimum\": 1}";
    let defs = "{\"$defs\": {\"n\": 1}}";
    for (files, places) in [
        (
            [
                refers,
                "{\"$defs\": {\"n\":\n {\"type\": [\"a\"], \"pattern\": \"(\"}}}",
            ],
            &["defs/n .json:2:11"][..],
        ),
        (
            [refers, "{\"$defs\": {\"n\":\n {\"pattern\": \"(\"}}}"],
            &["defs/n .json:2:14"],
        ),
        (
            [
                "{\"type\": \"objct\", \"minimum\": \"x\", \"pattern\": \"(\"}",
                defs,
            ],
            &["act.json:1:10", "act.json:1:30", "act.json:1:46"],
        ),
        ([refers, "{\"$defs\": }"], &["defs/n .json:1:11"]),
        ([refers, "{\"$defs\": {}}"], &["act.json:2:19"]),
        ([refers, " "], &["act.json:2:19"]),
        (["{\"$ref\": \"none.json\"}", defs], &["act.json:1:10"]),
        (
            [
                "{\"items\": {\"$ref\": \"a.json\"},\n\"not\": {\"$ref\": \"data.json\"}}",
                defs,
            ],
            &["act.json:2:17"],
        ),
        (
            [
                "{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n\"format\": \"emial\",\n\
                 \"not\": {\"$ref\": \"none.json\", \"format\": \"emial\"}}",
                defs,
            ],
            &["act.json:2:11", "act.json:3:17"],
        ),
        (["", defs], &["pack.toml:8:8"]),
    ] {
        let said = said(files);
        assert_eq!(said.matches("error: ").count(), places.len(), "{said}");
        for place in places {
            assert!(said.contains(&format!("[gate/{place}")), "{place}: {said}");
        }
        assert!(said.contains("gate/pack.toml:8"), "{said}");
    }
}

#[test]
fn rule_that_lacks_a_key_is_read_as_far_as_it_goes() {
    let project = project(
        "[[order]]\nid = 'a/b'\nnever = false\nwithin = '0s'\n[[rule]]\nid = 'a/b'\ncheck = 'x'\n\
         mesage = 'm'\n[[rule]]\neach = 'none'\ncheck = 1\n",
    );
    let output = project.run(&["validate", "runs"]);
    let said = stderr(&output).lines();
    let places: Vec<&str> = said
        .filter_map(|line| line.split_once("[runvet.toml:")?.1.strip_suffix(']'))
        .collect();
    let expected = [
        "1:1", "1:1", "3:9", "4:10", "6:6", "7:10", "8:1", "9:1", "9:1", "10:8", "11:9",
    ];
    assert_eq!(places, expected, "{}", stderr(&output));
}

/// The author of run data could have written what a link leads to, wherever the link is.
#[test]
fn link_into_run_data_is_refused() {
    let is_refused = |link: &str, way: &[&str]| {
        let project = with_pack("");
        let way = [&[link], way].concat();
        std::fs::rename(project.path(link), project.path(way.last().unwrap())).unwrap();
        for link in way.windows(2) {
            std::os::unix::fs::symlink(project.path(link[1]), project.path(link[0])).unwrap();
        }
        let output = project.run(&["validate", "runs"]);
        let is_refused = stderr(&output).contains("inside run data");
        assert_eq!(output.status.code(), Some(if is_refused { 2 } else { 1 }));
        is_refused
    };
    let inside = "runs/episodes/ep_answer/x";
    for link in ["runvet.toml", "gate/pack.toml", "gate/act.json", "gate"] {
        assert!(is_refused(link, &[inside]), "{link}");
        assert!(is_refused(link, &["near", inside, "outside"]), "{link}");
        assert!(!is_refused(link, &["near", "outside"]), "{link}");
    }
}

#[test]
fn file_that_a_checkout_below_episodes_names_is_read() {
    let project = project("");
    std::fs::create_dir_all(project.path("episodes/checkout/gate")).unwrap();
    project.write("episodes/checkout/ci.toml", "packs = ['gate/pack.toml']");
    project.write("episodes/checkout/gate/pack.toml", "nonsense = 1");
    let args = ["validate", "--config", "ci.toml", "../../runs"];
    let output = project.run_in("episodes/checkout", &[], &args);
    assert!(stderr(&output).contains("unknown key \"nonsense\""));
}

#[test]
fn pack_is_what_its_schema_says() {
    let schema: Value = serde_json::from_str(runvet::Schema::Pack.text()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let pack: Value = serde_json::to_value(toml::from_str::<toml::Table>(PACK).unwrap()).unwrap();
    assert!(validator.is_valid(&pack));
    let known = |schema: &Value| -> BTreeSet<String> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let config: Value = serde_json::from_str(runvet::Schema::Config.text()).unwrap();
    assert!(
        known(&schema).is_subset(&known(&config)),
        "runvet.toml takes what a pack takes"
    );
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
    let project = project("");
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
    let project = project(&version("1.*"));
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
    let project = project("");
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
        let output = project.run(&["rules", "--test"]);
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
    let project = project("");
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
    let (project, torn) = (project(config), "{}\n{\"a\": ");
    project.write("runs/episodes/ep_answer/learn.jsonl", torn);
    copy_dir(
        &corpus().join("good/paused/episodes/ep_paused"),
        &project.path("runs/episodes/ep_paused"),
    );
    project.write("runs/episodes/ep_paused/learn.jsonl", torn);
    assert_eq!(found(&project), ["a/b learn.jsonl:2 "]);
}
