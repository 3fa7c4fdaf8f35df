//! The other formats for pipelines, with the same findings: all agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use runvet::finding::{Deny, Finding, Level, ReportedFault, Severity, Totals};
use runvet::gate::{Gate, all_rules};
use runvet::report::{Closing, Format, Options};
use runvet::source::Artifact;
use serde_json::Value;

use crate::support::corpus::corpus;
use crate::support::printed::{REPORT, RUN_DATA, findings, json, print, runvet};

/// The name, the properties and the text of a workflow command, as GitHub's runner reads them.
fn read_command(line: &str) -> (String, BTreeMap<String, String>, String) {
    let (head, text) = line
        .strip_prefix("::")
        .and_then(|line| line.split_once("::"))
        .unwrap();
    let (name, properties) = head.split_once(' ').unwrap();
    let decoded = |text: &str, pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .fold(text.to_owned(), |text, (escaped, plain)| {
                text.replace(escaped, plain)
            })
    };
    let data = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")];
    let in_property = [
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%25", "%"),
    ];
    let properties = properties
        .split(',')
        .map(|property| property.split_once('=').unwrap());
    let properties = properties
        .map(|(name, value)| (name.into(), decoded(value, &in_property)))
        .collect();
    (name.into(), properties, decoded(text, &data))
}

#[test]
fn github_gets_ten_annotations_and_a_count_of_the_rest() {
    let text = print("github");
    let lines: Vec<&str> = text.lines().collect();
    let (last, commands) = lines.split_last().unwrap();
    assert_eq!(commands.len(), 10);
    let errors: Vec<&Finding> = findings()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    let mut rules = BTreeSet::new();
    for line in commands {
        let (name, properties, text) = read_command(line);
        assert_eq!(name, "error");
        let is_it = |finding: &&&Finding| {
            runvet::printable::escape(&finding.location.file) == properties["file"]
                && properties["title"] == format!("runvet: {}", finding.rule)
                && text == format!("{}\n{}", finding.message, finding.help)
        };
        let finding = errors.iter().find(is_it).unwrap();
        assert_eq!(
            properties.get("line"),
            finding
                .location
                .line
                .map(|line| line.to_string())
                .as_ref()
        );
        rules.insert(&finding.rule);
    }
    assert_eq!(rules.len(), 10, "some of each rule come before many of one");
    let all = REPORT.totals.errors + REPORT.totals.warnings;
    assert!(
        last.ends_with(&format!("; 10 annotations shown, {} not", all - 10)),
        "{last}"
    );
    assert!(
        last.starts_with(&format!("runvet: {} episodes: ", REPORT.totals.episodes)),
        "{last}"
    );
    // Warnings get the remaining space.
    let output = runvet(
        &RUN_DATA.path().join("corpus/demo"),
        &["--format", "github"],
    );
    let names: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("::"))
        .map(|line| read_command(line).0)
        .collect();
    assert_eq!(
        names,
        [
            "error", "error", "error", "error", "error", "error", "warning"
        ]
    );
}

#[test]
fn github_counts_faults_among_its_annotations() {
    let fault = serde_json::json!({"path": "runs", "message": "it can't be listed"});
    let faults: Vec<ReportedFault> = serde_json::from_value(vec![fault; 12].into()).unwrap();
    let (totals, mut text) = (Totals::default(), Vec::new());
    let closing = Closing::new(&totals).faults(&faults);
    let mut renderer = Format::Github.renderer(&Options::default());
    renderer
        .end(&mut text, &closing)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.ends_with("; 10 annotations shown, 2 not\n"), "{text}");
}

#[test]
fn what_could_not_be_judged_is_listed_first_where_it_decides() {
    let dir = corpus().join("good/terminal/episodes/ep_answer");
    let mut gate = Gate::default()
        .level("events/syntax", Level::Off)
        .unwrap();
    let mut report = |end: &str| {
        let texts = Artifact::ALL.map(|artifact| {
            let text = fs::read_to_string(dir.join(artifact.file_name())).unwrap();
            let text = text.replace("\"learn_applied\":0", "\"learn_applied\":5");
            let end = if artifact == Artifact::Events {
                end
            } else {
                ""
            };
            (artifact, text + end)
        });
        let records = texts
            .each_ref()
            .map(|(artifact, text)| (*artifact, text.as_bytes()));
        gate.records("ep_answer", &records)
    };
    let mut episodes = vec![report(""); 10];
    episodes.push(report("x\n"));
    let mut deny = Deny::default();
    for format in [Format::Github, Format::Markdown] {
        let mut first = |unjudged: bool| {
            deny.unjudged = unjudged;
            let mut renderer = format.renderer(&Options::default().deny(deny));
            let (mut text, mut totals) = (Vec::new(), Totals::default());
            for episode in &episodes {
                totals.add(episode);
                renderer
                    .episode(&mut text, episode)
                    .unwrap();
            }
            renderer
                .end(&mut text, &Closing::new(&totals))
                .unwrap();
            let text = String::from_utf8(text).unwrap();
            let mut lines = text
                .lines()
                .skip_while(|line| !line.contains("ep_answer"));
            lines.next().unwrap().to_owned()
        };
        assert!(first(false).contains("warning"), "{format:?}");
        let line = first(true);
        let is_it = line.contains("not judged: ") && line.contains("line 12 of events.jsonl");
        assert!(is_it && !line.contains("warning"), "{line}");
    }
}

#[test]
fn job_summary_is_appended() {
    let temp = tempfile::tempdir().unwrap();
    let summary = temp.path().join("summary.md");
    fs::write(&summary, "# of another step\n").unwrap();
    let with = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
        command
            .arg("validate")
            .args(args)
            .current_dir(RUN_DATA.path())
            .env_clear()
            .env("GITHUB_STEP_SUMMARY", &summary);
        command.output().unwrap()
    };
    with(&["--format", "json", "corpus/demo"]);
    with(&["--format", "github", "corpus/demo", "nowhere"]);
    assert_eq!(
        fs::read_to_string(&summary).unwrap(),
        "# of another step\n",
        "not asked for, or not done"
    );
    let github = with(&["--format", "github", "corpus/demo"]);
    let markdown = with(&["--format", "markdown", "corpus/demo"]).stdout;
    let expected = format!(
        "# of another step\n{}",
        String::from_utf8(markdown).unwrap()
    );
    assert_eq!(fs::read_to_string(&summary).unwrap(), expected);
    let file = temp.path().join("annotations.txt");
    with(&[
        "--output",
        &format!("github={}", file.display()),
        "corpus/demo",
    ]);
    assert_eq!(fs::read(&file).unwrap(), github.stdout);
    assert_eq!(
        fs::read_to_string(&summary)
            .unwrap()
            .matches("### runvet")
            .count(),
        2
    );
}

#[test]
fn gitlab_gets_every_finding_with_its_own_fingerprint() {
    let issues = json("gitlab");
    let issues = issues.as_array().unwrap();
    let fingerprints: BTreeSet<&str> = issues
        .iter()
        .map(|issue| issue["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(fingerprints.len(), issues.len());
    let (found, unjudged): (Vec<&Value>, Vec<&Value>) = issues
        .iter()
        .partition(|issue| issue["severity"] != "info");
    assert!(
        unjudged
            .iter()
            .all(|issue| issue["check_name"] == "not-judged")
    );
    assert!(!unjudged.is_empty());
    assert_eq!(found.len(), findings().count());
    for (issue, finding) in found.iter().zip(findings()) {
        let description = format!("{}. {}", finding.message, finding.help);
        assert_eq!(issue["description"], description);
        assert_eq!(issue["check_name"], *finding.rule);
        assert_eq!(
            issue["severity"],
            if finding.severity == Severity::Error {
                "major"
            } else {
                "minor"
            }
        );
        assert_eq!(issue["location"]["path"], *finding.location.file);
        assert_eq!(
            issue["location"]["lines"]["begin"],
            finding.location.line.unwrap_or(1)
        );
    }
}

#[test]
fn concise_has_a_line_for_each_finding() {
    let text = print("concise");
    let (notes, lines): (Vec<&str>, Vec<&str>) = text
        .lines()
        .partition(|line| line.contains(": note: not judged: "));
    assert!(!notes.is_empty());
    assert_eq!(lines.len(), findings().count());
    for (line, finding) in lines.iter().zip(findings()) {
        let Finding {
            rule,
            severity,
            message,
            location,
            ..
        } = finding;
        let place = match (location.line, location.column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            _ => String::new(),
        };
        let file = runvet::printable::escape(&location.file);
        assert_eq!(
            *line,
            format!("{file}{place}: {severity} {rule}: {message}")
        );
    }
}

#[test]
fn markdown_counts_all_and_lists_in_one_fence() {
    let text = print("markdown");
    assert!(text.len() < 60_000, "{} bytes", text.len());
    assert!(text.starts_with(&format!(
        "### runvet: {} episodes: {} valid",
        REPORT.totals.episodes, REPORT.totals.valid
    )));
    let fence = text
        .lines()
        .find(|line| line.starts_with("```"))
        .unwrap()
        .trim_end_matches("text");
    let inside: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with(fence))
        .skip(1)
        .collect();
    let end = inside
        .iter()
        .position(|line| line.trim_start().starts_with(fence))
        .unwrap();
    assert!(
        inside[end + 1..]
            .iter()
            .all(|line| line.is_empty() || line.starts_with("Not listed here: ")),
        "{text}"
    );
    let concise = print("concise");
    let listed = &inside[..end];
    let is_help = |line: &&&str| line.starts_with("help for ");
    let helps = listed.iter().filter(is_help).count();
    let rules: BTreeSet<_> = findings()
        .map(|finding| &finding.rule)
        .collect();
    assert_eq!(helps, rules.len(), "one for each rule");
    // Notes on what could not be judged never displace a finding.
    let at = |part: &str| {
        listed
            .iter()
            .position(|line| line.contains(part))
            .unwrap_or(end)
    };
    assert!(at(": warning ") < at("help for ") && at("help for ") < at(": note: not judged: "));
    for line in listed
        .iter()
        .filter(|line| !is_help(line))
    {
        assert!(concise.lines().any(|it| it == *line), "{line}");
    }
    let unlisted: usize = text
        .lines()
        .last()
        .unwrap()
        .split(' ')
        .nth(3)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    assert_eq!(end - helps + unlisted, concise.lines().count());
    for rule in findings()
        .map(|finding| &finding.rule)
        .collect::<BTreeSet<_>>()
    {
        let of_rule = || findings().filter(|finding| finding.rule == *rule);
        let errors = of_rule()
            .filter(|finding| finding.severity == Severity::Error)
            .count();
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| `{rule}` |")))
            .unwrap();
        assert!(
            row.ends_with(&format!("| {errors} | {} |", of_rule().count() - errors)),
            "{row}"
        );
    }
    // A table keeps its columns with any name of an adapter.
    let output = runvet(RUN_DATA.path(), &["--format", "markdown", "--statistics"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with('|'));
    assert!(rows.clone().count() > 10);
    for row in rows {
        assert_eq!(
            (row.matches('|').count(), row.matches('`').count() % 2),
            (5, 0),
            "{row}"
        );
    }
}

#[test]
fn coverage_tells_a_sound_rule_from_one_that_compared_nothing() {
    let covered = |case: &str, more: &[&str]| {
        let options = [&["--format", "json", "--coverage"], more].concat();
        let output = runvet(&corpus().join(case), &options);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let said = |report: &Value, rule: &str| report["episodes"][0]["coverage"][rule].clone();
    let sound = covered("good/terminal", &[]);
    assert_eq!(said(&sound, "lifecycle/links"), "sound");
    let without_digests = covered("good/terminal", &["--verify-manifest"]);
    assert_eq!(said(&without_digests, "manifest/digest"), "nothing");
    for episode in covered("demo", &[])["episodes"]
        .as_array()
        .unwrap()
    {
        let said = |by: &Value| episode["coverage"][by["rule"].as_str().unwrap()].clone();
        for finding in episode["findings"].as_array().unwrap() {
            assert_eq!(said(finding), "found");
        }
        for skip in episode["skipped"].as_array().unwrap() {
            assert!(said(skip) == "skipped" || said(skip) == "found", "{skip}");
        }
    }
    let plain = serde_json::to_value(&REPORT.episodes).unwrap();
    let mut plain = plain.as_array().unwrap().iter();
    assert!(plain.all(|episode| episode.get("coverage").is_none()));
}

#[test]
fn statistics_add_up_to_the_totals() {
    let output = runvet(RUN_DATA.path(), &["--format", "json", "--statistics"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (statistics, totals) = (&report["statistics"], &report["totals"]);
    for (facet, is_whole) in [("rules", false), ("modes", true), ("adapters", true)] {
        let tallies = statistics[facet].as_object().unwrap();
        let sum = |of| -> u64 {
            tallies
                .values()
                .map(|it| it[of].as_u64().unwrap())
                .sum()
        };
        assert_eq!(sum("errors"), totals["errors"]);
        assert_eq!(sum("warnings"), totals["warnings"]);
        assert!(!is_whole || totals["episodes"] == sum("episodes"));
    }
    let with_mode = REPORT
        .episodes
        .iter()
        .filter(|episode| episode.mode.as_deref() == Some("meta"))
        .count() as u64;
    assert_eq!(statistics["modes"]["meta"]["episodes"], with_mode);
    assert!(
        with_mode > 0
            && statistics["adapters"]
                .get("adapter:core.minimal")
                .is_some()
    );
    let human = runvet(&corpus().join("demo"), &["--statistics"]);
    let human = String::from_utf8(human.stdout).unwrap();
    let row = human
        .lines()
        .find(|line| line.starts_with("lifecycle/artifacts  "))
        .unwrap();
    assert_eq!(
        row.split_whitespace()
            .collect::<Vec<_>>(),
        ["lifecycle/artifacts", "1", "2", "0"]
    );
    let ndjson = runvet(
        &corpus().join("demo"),
        &["--statistics", "--format", "ndjson"],
    )
    .stdout;
    assert_eq!(
        String::from_utf8(ndjson)
            .unwrap()
            .lines()
            .count(),
        6
    );
}

#[test]
fn report_by_rule_has_the_findings_of_that_by_episode() {
    let demo = corpus().join("demo");
    let of = |args: &[&str]| String::from_utf8(runvet(&demo, args).stdout).unwrap();
    let (by_rule, by_episode) = (of(&["--group-by", "rule"]), of(&[]));
    let places = |text: &str| {
        let mut places: Vec<String> = text
            .lines()
            .filter(|line| line.contains("─["))
            .map(str::to_owned)
            .collect();
        places.sort();
        places
    };
    assert_eq!(places(&by_rule), places(&by_episode));
    let headings: Vec<&str> = by_rule
        .lines()
        .filter(|line| line.ends_with(" finding") || line.ends_with(" findings"))
        .collect();
    assert_eq!(
        headings[..2],
        [
            "events/torn-tail: 1 finding",
            "lifecycle/artifacts: 2 findings"
        ]
    );
    assert!(
        by_rule.contains("not judged: 14 rules in 1 episode, first in "),
        "{by_rule}"
    );
    assert_eq!(
        by_rule.lines().last(),
        Some("To learn more about a rule: runvet explain events/torn-tail")
    );
    let cut = of(&["--group-by", "rule", "--max-findings", "1"]);
    assert!(
        cut.contains("lifecycle/artifacts: 1 more finding not shown (--max-findings 1)"),
        "{cut}"
    );
}

#[test]
fn renderers_hold_bounded_memory_for_any_number_of_episodes() {
    let report = Gate::default()
        .run([corpus().join("bad")])
        .unwrap();
    let closing = Closing::new(&report.totals);
    let options = Options::default().rules(all_rules());
    for (format, holds_at_most) in [
        (Format::Concise, 0),
        (Format::Json, 0),
        (Format::Ndjson, 0),
        (Format::Gitlab, 0),
        // Five thousand results, and a thousand notifications.
        (Format::Sarif, 6_000_000),
        (Format::Github, 20_000),
        (Format::Markdown, 60_000),
        // The first finding of each rule.
        (Format::Agent, 60_000),
    ] {
        // What is written at the end for no episodes: the totals.
        let mut totals = Vec::new();
        let mut renderer = format.renderer(&options);
        renderer.begin(&mut totals).unwrap();
        let before = totals.len();
        renderer
            .end(&mut totals, &closing)
            .unwrap();
        let totals = totals.len() - before;

        let mut renderer = format.renderer(&options);
        let mut out = Vec::new();
        renderer.begin(&mut out).unwrap();
        let before = out.len();
        for _ in 0..50 {
            report
                .episodes
                .iter()
                .for_each(|episode| {
                    renderer
                        .episode(&mut out, episode)
                        .unwrap();
                });
        }
        let written = out.len() - before;
        renderer
            .end(&mut out, &closing)
            .unwrap();
        let held = out.len() - before - written;
        // Text that is written at the end, beyond the totals, was held in memory until then.
        assert!(
            held <= totals + holds_at_most,
            "{held} bytes were held, with totals of {totals}"
        );
        assert!(holds_at_most == 0 || held > 0);
    }
}

/// Run data in which many runs have one warning, and the last one has errors.
fn many_warnings(runs: usize) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let state = r#"{"goal": {}, "extra": 1, "plan": {"steps": []}}"#;
    for run in 0..runs {
        let dir = temp
            .path()
            .join(format!("episodes/ep_{run:04}"));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("events.jsonl"), "").unwrap();
    }
    let last = temp.path().join("episodes/ep_9999");
    fs::create_dir_all(&last).unwrap();
    fs::write(last.join("state.json"), state).unwrap();
    temp
}

#[test]
fn errors_come_before_any_number_of_warnings() {
    let temp = many_warnings(600);
    for (format, option) in [("markdown", "--deny-warnings"), ("github", "--quiet")] {
        let output = runvet(temp.path(), &["--format", format, option, "."]);
        let text = String::from_utf8(output.stdout).unwrap();
        let mut rules = BTreeSet::new();
        let concise = runvet(temp.path(), &["--format", "concise", "."]);
        for line in String::from_utf8(concise.stdout)
            .unwrap()
            .lines()
        {
            if let Some((_, rest)) = line.split_once(": error ") {
                rules.insert(
                    rest.split(':')
                        .next()
                        .unwrap()
                        .to_owned(),
                );
            }
        }
        assert!(rules.len() > 1, "{rules:?}");
        let is_warning = |line: &str| line.contains(": warning ") || line.starts_with("::warning");
        let listed = text
            .lines()
            .skip_while(|line| !line.starts_with("```"));
        let listed: Vec<&str> = match format {
            "github" => text.lines().collect(),
            _ => listed.collect(),
        };
        let first = listed
            .iter()
            .position(|line| is_warning(line))
            .unwrap_or(listed.len());
        for rule in rules.iter().take(10) {
            assert!(
                listed[..first]
                    .iter()
                    .any(|line| line.contains(rule)),
                "{format}: {rule}"
            );
        }
    }
}
