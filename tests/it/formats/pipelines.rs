//! The formats for pipelines, with the same findings: all agree, and each follows its standard.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use quick_xml::events::Event;
use runvet::check::{Check, all_rules};
use runvet::finding::{EpisodeReport, Finding, Level, Report, Severity};
use runvet::report::{Closing, Format, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::{FORMATS, stderr};
use crate::support::corpus::corpus;
use crate::support::hostile::hostile_run;
use crate::support::python::python;
use crate::support::runs::copy_dir;
use crate::support::sarif::hold_to_the_sarif_schema;

/// A copy of the corpus, with a run in which every text is hostile, and one whose directory has an
/// odd name.
static RUN_DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let (temp, _) = hostile_run();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(corpus())
        .arg(temp.path())
        .status()
        .unwrap();
    assert!(copied.success());
    let odd = temp
        .path()
        .join("c:/episodes")
        .join(OsStr::from_bytes(b"-ep \xff%41#?:[x](y)`,@me"));
    copy_dir(&corpus().join("demo/episodes/ep_03_edited"), &odd);
    temp
});

fn runvet(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .arg("validate")
        .args(args)
        .arg(".")
        .current_dir(dir)
        .env_clear()
        .output()
        .unwrap()
}

fn print(format: &str) -> String {
    let output = runvet(RUN_DATA.path(), &["--format", format]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn json(format: &str) -> Value {
    serde_json::from_str(&print(format)).unwrap()
}

static REPORT: LazyLock<Report> = LazyLock::new(|| serde_json::from_value(json("json")).unwrap());

fn findings() -> impl Iterator<Item = &'static Finding> {
    REPORT.episodes.iter().flat_map(|episode| &episode.findings)
}

/// The path that a URI in a log stands for.
fn path_of(uri: &str) -> PathBuf {
    assert!(
        uri.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
        "{uri}"
    );
    let mut parts = uri.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    RUN_DATA.path().join(std::ffi::OsString::from_vec(bytes))
}

/// The offset of a line and a column, which counts code points.
fn offset_of(bytes: &[u8], line: u64, column: u64) -> usize {
    let lines_before = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(usize::try_from(line).unwrap() - 1);
    let start: usize = lines_before.map(<[u8]>::len).sum();
    let characters_before = usize::try_from(column).unwrap() - 1;
    let mut starts =
        (start..=bytes.len()).filter(|at| bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80));
    starts.nth(characters_before).unwrap()
}

#[test]
fn sarif_follows_its_official_schema() {
    hold_to_the_sarif_schema(&json("sarif"));
}

#[test]
fn sarif_lists_every_rule_with_help() {
    let log = json("sarif");
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    let ids: Vec<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, all_rules().map(|rule| rule.id).collect::<Vec<_>>());
    for (rule, meta) in rules.iter().zip(all_rules()) {
        assert_eq!(
            (&rule["help"]["text"], &rule["help"]["markdown"]),
            (&meta.hint.into(), &meta.page.into())
        );
        assert!(
            rule["helpUri"].as_str().unwrap().ends_with(meta.id),
            "{rule}"
        );
        let expected = match meta.level {
            Level::Off => json!({"level": "warning", "enabled": false}),
            level => json!({"level": level.word(), "enabled": true}),
        };
        assert_eq!(rule["defaultConfiguration"], expected);
    }
}

#[test]
fn sarif_regions_are_the_offending_text() {
    let log = json("sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let mut cut = 0;
    for result in results {
        let related = result
            .get("relatedLocations")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for location in result["locations"]
            .as_array()
            .unwrap()
            .iter()
            .chain(related)
        {
            let physical = &location["physicalLocation"];
            let path = path_of(physical["artifactLocation"]["uri"].as_str().unwrap());
            let Some(region) = physical.get("region") else {
                continue;
            };
            let number = |name: &str| region[name].as_u64().unwrap();
            let bytes =
                fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let start = offset_of(&bytes, number("startLine"), number("startColumn"));
            let end = offset_of(&bytes, number("endLine"), number("endColumn"));
            let (offset, length) = (number("byteOffset"), number("byteLength"));
            assert_eq!(
                (start as u64, (end - start) as u64),
                (offset, length),
                "{result}"
            );
            // The corpus tests that these bytes are the value or the key; this tests that both ways
            // lead to the same bytes.
            cut += 1;
            let Some(pointer) = location["logicalLocations"][0]["fullyQualifiedName"].as_str()
            else {
                continue;
            };
            let text: Value = serde_json::from_slice(&bytes[start..end]).unwrap();
            let key = pointer
                .rsplit('/')
                .next()
                .unwrap()
                .replace("~1", "/")
                .replace("~0", "~");
            let line = bytes
                .split(|byte| *byte == b'\n')
                .nth(usize::try_from(number("startLine")).unwrap() - 1)
                .unwrap();
            let whole: Value = serde_json::from_slice(if path.ends_with("events.jsonl") {
                line
            } else {
                &bytes
            })
            .unwrap();
            assert!(
                whole.pointer(pointer) == Some(&text) || text == key,
                "{result}: {text}"
            );
        }
    }
    assert!(cut > 150, "{cut} regions were cut");
    assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
}

#[test]
fn sarif_has_the_findings_of_the_report() {
    let log = json("sarif");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |result: &Value| {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        (
            result["ruleId"].as_str().unwrap().to_owned(),
            result["level"].as_str().unwrap().to_owned(),
            region["byteOffset"].as_u64(),
            result["partialFingerprints"]["runvet/v1"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    };
    let expected = findings().map(|finding| {
        let Finding {
            rule,
            severity,
            fingerprint,
            location,
            ..
        } = finding;
        (
            rule.clone(),
            severity.word().to_owned(),
            location.offset,
            fingerprint.clone(),
        )
    });
    assert_eq!(
        results.iter().map(of).collect::<Vec<_>>(),
        expected.collect::<Vec<_>>()
    );
    for (result, finding) in results.iter().zip(findings()) {
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(
            !result["message"]["text"].as_str().unwrap().contains("]("),
            "a message makes no links: {result}"
        );
        let related = result
            .get("relatedLocations")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        assert_eq!(related, finding.related.len());
    }
    // Rules that could not be checked are reported as well.
    let notifications = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    let reasons = |episode: &EpisodeReport| {
        episode
            .skipped
            .iter()
            .map(|skip| skip.reason.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(
        notifications.len(),
        REPORT
            .episodes
            .iter()
            .map(|episode| reasons(episode).len())
            .sum::<usize>()
    );
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
    let output = runvet(RUN_DATA.path(), &["--format", "sarif", "nowhere"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

#[test]
fn fingerprints_survive_moves_and_are_distinct() {
    let fingerprints = |path: &Path| {
        let report = Check::new().run([path]).unwrap();
        let findings = report
            .episodes
            .into_iter()
            .flat_map(|episode| episode.findings);
        findings
            .map(|finding| (finding.fingerprint, finding.location.line))
            .collect::<Vec<_>>()
    };
    let case = corpus().join("demo/episodes/ep_03_edited");
    let temp = tempfile::tempdir().unwrap();
    let copy = temp.path().join("elsewhere/episodes/group/ep_03_edited");
    copy_dir(&case, &copy);
    assert_eq!(fingerprints(&copy), fingerprints(&case), "a move");
    for file in ["state.json", "events.jsonl"] {
        let text = fs::read_to_string(copy.join(file)).unwrap();
        fs::write(copy.join(file), format!("\n\n{text}")).unwrap();
    }
    let (before, after) = (fingerprints(&case), fingerprints(&copy));
    let names = |all: &[(String, Option<u64>)]| {
        all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&after), names(&before), "shifted lines");
    assert_ne!(after, before, "the lines were shifted");
    let text = fs::read_to_string(copy.join("events.jsonl")).unwrap();
    fs::write(
        copy.join("events.jsonl"),
        text.replace("\"task_score\":0.75", "\"task_score\":0.65"),
    )
    .unwrap();
    let changed = names(&fingerprints(&copy));
    assert_eq!(changed.len(), before.len());
    assert_eq!(
        changed
            .iter()
            .filter(|name| !names(&before).contains(name))
            .count(),
        1,
        "one value changed"
    );

    for episode in &REPORT.episodes {
        let distinct: BTreeSet<&str> = episode
            .findings
            .iter()
            .map(|finding| &*finding.fingerprint)
            .collect();
        assert_eq!(distinct.len(), episode.findings.len(), "{}", episode.dir);
    }
}

#[test]
fn junit_has_one_suite_for_one_directory() {
    let temp = tempfile::tempdir().unwrap();
    for dir in [
        "runs/x",
        "runs/y/episodes/ep_answer",
        "runs/z",
        "other/ep_answer",
    ] {
        let case = corpus().join("good/terminal/episodes/ep_answer");
        copy_dir(&case, &temp.path().join(dir));
    }
    let output = runvet(temp.path(), &["--format", "junit", "."]);
    let (cases, suites) = read_junit(std::str::from_utf8(&output.stdout).unwrap());
    let names = std::str::from_utf8(&output.stdout)
        .unwrap()
        .matches("<testsuite ")
        .count();
    assert_eq!((cases.len(), names), (4, suites.len()), "{suites:?}");
    assert_eq!(suites["runs"].0, 2, "{suites:?}");
}

#[test]
fn junit_follows_its_schema() {
    let temp = tempfile::tempdir().unwrap();
    let mut reports = Vec::new();
    for (name, args) in [
        ("all", &[][..]),
        ("strict", &["--deny-warnings"]),
        ("none", &["--allow-empty"]),
    ] {
        let empty = temp.path().join("empty");
        fs::create_dir_all(&empty).unwrap();
        let dir = if name == "none" {
            &empty
        } else {
            RUN_DATA.path()
        };
        let report = temp.path().join(format!("{name}.xml"));
        fs::write(
            &report,
            runvet(dir, &[&["--format", "junit"], args].concat()).stdout,
        )
        .unwrap();
        reports.push(report);
    }
    let Some(mut python) = python("junit", &["xmlschema==4.3.2", "elementpath==5.1.4"]) else {
        return;
    };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let judged = python
        .args([tests.join("junit.py"), tests.join("standards/junit-10.xsd")])
        .args(&reports)
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&judged.stdout),
        String::from_utf8_lossy(&judged.stderr),
    );
    assert!(judged.status.success(), "{out}{err}");
}

/// A case of a `JUnit` report: its suite and its name, and the name and text of its element, if
/// any.
#[derive(Debug, PartialEq, Eq)]
struct Case {
    suite: String,
    name: String,
    element: String,
    text: String,
}

/// The cases of a report, and the counts that its suites give.
fn read_junit(xml: &str) -> (Vec<Case>, BTreeMap<String, (usize, usize)>) {
    let (mut cases, mut suites) = (Vec::<Case>::new(), BTreeMap::new());
    let mut suite = String::new();
    let mut reader = quick_xml::Reader::from_str(xml);
    loop {
        let event = reader.read_event().unwrap();
        if let Event::Start(start) | Event::Empty(start) = &event {
            let attribute = |name: &str| {
                let attribute = start.try_get_attribute(name).unwrap().unwrap();
                attribute
                    .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                    .unwrap()
                    .into_owned()
            };
            match start.name().as_ref() {
                "testsuite" => {
                    suite = attribute("name");
                    let counts = (
                        attribute("tests").parse().unwrap(),
                        attribute("failures").parse().unwrap(),
                    );
                    assert!(
                        suites.insert(suite.clone(), counts).is_none(),
                        "{suite} occurs twice"
                    );
                }
                "testcase" => {
                    let name = attribute("name");
                    cases.push(Case {
                        suite: suite.clone(),
                        name,
                        element: String::new(),
                        text: String::new(),
                    });
                }
                "testsuites" => {}
                element => cases.last_mut().unwrap().element = element.into(),
            }
        }
        match event {
            Event::Eof => return (cases, suites),
            Event::Text(text) => cases
                .last_mut()
                .into_iter()
                .for_each(|case| case.text += &text),
            Event::GeneralRef(reference) => {
                cases.last_mut().unwrap().text +=
                    quick_xml::escape::resolve_predefined_entity(&reference).unwrap();
            }
            _ => {}
        }
    }
}

#[test]
fn junit_has_a_suite_per_directory_and_a_case_per_episode() {
    let (cases, suites) = read_junit(&print("junit"));
    assert_eq!(cases.len(), REPORT.episodes.len());
    for (case, episode) in cases.iter().zip(&REPORT.episodes) {
        let shown = runvet::printable::escape(&episode.id);
        assert_eq!(case.name, shown);
        assert!(
            episode.dir.starts_with(&case.suite) || case.suite == ".",
            "{case:?}"
        );
        let expected = match (
            episode.valid,
            episode.findings.is_empty() && episode.skipped.is_empty(),
        ) {
            (Some(false), _) => "failure",
            (Some(true), false) => "system-out",
            (Some(true), true) => "",
            (None, _) => "error",
        };
        assert_eq!(case.element, expected, "{case:?}");
        for finding in &episode.findings {
            let line = format!(
                " {} {}: {}",
                finding.severity.word(),
                finding.rule,
                finding.message
            );
            assert!(
                case.text.lines().any(|text| text.ends_with(&line)),
                "{line}\n{case:?}"
            );
        }
    }
    for (suite, counts) in &suites {
        let of_suite: Vec<&Case> = cases.iter().filter(|case| case.suite == *suite).collect();
        let failures = of_suite
            .iter()
            .filter(|case| case.element == "failure")
            .count();
        assert_eq!(*counts, (of_suite.len(), failures), "{suite}");
    }
    assert!(
        suites.contains_key("corpus/demo") && suites.contains_key("c:") && suites.contains_key("."),
        "{suites:?}"
    );
    let strict = runvet(RUN_DATA.path(), &["--format", "junit", "--deny-warnings"]);
    let (strict, _) = read_junit(std::str::from_utf8(&strict.stdout).unwrap());
    let failures = strict
        .iter()
        .filter(|case| case.element == "failure")
        .count();
    assert_eq!(
        failures,
        REPORT
            .episodes
            .iter()
            .filter(|episode| !episode.findings.is_empty())
            .count()
    );
}

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
    for (line, finding) in commands.iter().zip(&errors) {
        let (name, properties, text) = read_command(line);
        assert_eq!(name, "error");
        assert_eq!(
            properties["file"],
            runvet::printable::escape(&finding.location.file)
        );
        assert_eq!(
            properties.get("line"),
            finding.location.line.map(|line| line.to_string()).as_ref()
        );
        assert_eq!(properties["title"], format!("runvet: {}", finding.rule));
        assert_eq!(text, format!("{}\n{}", finding.message, finding.help));
    }
    let all = REPORT.totals.errors + REPORT.totals.warnings;
    assert!(
        last.ends_with(&format!("; 10 findings annotated, {} not", all - 10)),
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
    let (found, unjudged): (Vec<&Value>, Vec<&Value>) =
        issues.iter().partition(|issue| issue["severity"] != "info");
    assert!(
        unjudged
            .iter()
            .all(|issue| issue["check_name"] == "not-judged")
    );
    assert!(!unjudged.is_empty());
    assert_eq!(found.len(), findings().count());
    for (issue, finding) in found.iter().zip(findings()) {
        assert_eq!(issue["description"], *finding.message);
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
            format!("{file}{place}: {} {rule}: {message}", severity.word())
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
    // Notes on what could not be judged never displace a finding.
    let (notes, lines): (Vec<&str>, Vec<&str>) = concise
        .lines()
        .partition(|line| line.contains(": note: not judged: "));
    assert!(
        inside[..end]
            .iter()
            .zip(lines.iter().chain(&notes))
            .all(|(listed, line)| listed == line)
    );
    let unlisted: usize = text
        .lines()
        .last()
        .unwrap()
        .split(' ')
        .nth(3)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    assert_eq!(end + unlisted, concise.lines().count());
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
    let rows = text.lines().filter(|line| line.starts_with('|'));
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
fn statistics_add_up_to_the_totals() {
    let output = runvet(RUN_DATA.path(), &["--format", "json", "--statistics"]);
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    let statistics = report.statistics.unwrap();
    for (tallies, is_whole) in [
        (&statistics.rules, false),
        (&statistics.modes, true),
        (&statistics.adapters, true),
    ] {
        let sum = |of: fn(&runvet::finding::Tally) -> u64| tallies.values().map(of).sum::<u64>();
        assert_eq!(sum(|tally| tally.errors), report.totals.errors);
        assert_eq!(sum(|tally| tally.warnings), report.totals.warnings);
        assert!(!is_whole || sum(|tally| tally.episodes) == report.totals.episodes);
    }
    let with_mode = REPORT
        .episodes
        .iter()
        .filter(|episode| episode.mode.as_deref() == Some("meta"))
        .count() as u64;
    assert_eq!(statistics.modes["meta"].episodes, with_mode);
    assert!(with_mode > 0 && statistics.adapters.contains_key("adapter:core.minimal"));
    let human = runvet(&corpus().join("demo"), &["--statistics"]);
    let human = String::from_utf8(human.stdout).unwrap();
    let row = human
        .lines()
        .find(|line| line.starts_with("lifecycle/artifacts  "))
        .unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["lifecycle/artifacts", "1", "2", "0"]
    );
    let ndjson = runvet(
        &corpus().join("demo"),
        &["--statistics", "--format", "ndjson"],
    )
    .stdout;
    assert_eq!(String::from_utf8(ndjson).unwrap().lines().count(), 6);
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
        by_rule.contains("not judged: plan/projection, in 1 episode\n"),
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
fn report_in_a_file_is_the_one_on_stdout() {
    let temp = tempfile::tempdir().unwrap();
    let file = |format: &str| temp.path().join(format!("{format}.out"));
    let outputs: Vec<String> = FORMATS
        .iter()
        .map(|format| format!("{format}={}", file(format).display()))
        .collect();
    let args: Vec<&str> = outputs
        .iter()
        .flat_map(|output| ["--output", output])
        .collect();
    let output = runvet(RUN_DATA.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), print("human"));
    for format in FORMATS {
        assert_eq!(
            fs::read_to_string(file(format)).unwrap(),
            print(format),
            "{format}"
        );
    }
    assert_eq!(
        fs::read_dir(temp.path()).unwrap().count(),
        FORMATS.len(),
        "nothing else is left"
    );
}

#[test]
fn report_file_is_written_whole_or_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("report.json");
    let setting = format!("json={}", file.display());
    let demo = corpus().join("demo");
    let code = |args: &[&str]| {
        runvet(&demo, &[&["--output", &setting], args].concat())
            .status
            .code()
    };
    let names = || {
        fs::read_dir(temp.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect::<BTreeSet<_>>()
    };

    assert_eq!(
        (code(&["nowhere"]), names().len()),
        (Some(2), 0),
        "what is not done is not written"
    );
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(code(&["nowhere"]), Some(2));
    assert_eq!(
        code(&["--output", "sarif=/nowhere/at/all"]),
        Some(2),
        "another can't be written"
    );
    assert_eq!(
        code(&["--output", &format!("sarif={}", file.display())]),
        Some(2),
        "two in one file"
    );
    assert_eq!(
        code(&["--output", "json=/dev/null"]),
        Some(2),
        "a device is never replaced by a file"
    );
    assert_eq!(code(&["--output", "yaml=report.yaml"]), Some(2));
    assert_eq!(code(&["--output", "json="]), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");

    let link = temp.path().join("link.json");
    std::os::unix::fs::symlink("report.json", &link).unwrap();
    let through = format!("json={}", link.display());
    assert_eq!(
        runvet(&demo, &["--output", &through]).status.code(),
        Some(1)
    );
    assert!(
        fs::symlink_metadata(&link).unwrap().is_symlink(),
        "a link stays"
    );
    let report: Report = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(report.totals.episodes, 5);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640,
        "as do permissions"
    );
    assert_eq!(names().len(), 2);
    // A new file has the same permissions as the files of other programs.
    let fresh = temp.path().join("fresh");
    let touched = temp.path().join("touched");
    fs::write(&touched, "").unwrap();
    runvet(&demo, &["--output", &format!("json={}", fresh.display())]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&fresh), mode(&touched));
}

#[test]
fn report_file_never_replaces_a_link_or_a_device() {
    let temp = tempfile::tempdir().unwrap();
    let demo = corpus().join("demo");
    for (name, target) in [
        ("dangling", "missing.json"),
        ("dangling-dir", "missing/x.json"),
        ("loop", "loop"),
        ("out", "/proc/self/fd/1"),
    ] {
        let link = temp.path().join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        for option in [
            vec!["--output".to_owned(), format!("json={}", link.display())],
            vec!["--write-baseline".to_owned(), link.display().to_string()],
        ] {
            let output = runvet(
                &demo,
                &option.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert!(
                stderr(&output).starts_with(&format!("error: can't write {}: ", link.display())),
                "{}",
                stderr(&output)
            );
            assert!(
                fs::symlink_metadata(&link).unwrap().is_symlink(),
                "{name} stays"
            );
        }
    }
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 4);
    // Otherwise a log to which other programs also print would be lost.
    let log = temp.path().join("log");
    let stdout = fs::File::create(&log).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_runvet"));
    command
        .current_dir(&demo)
        .args(["validate", "--output"])
        .arg(format!("json={}", log.display()))
        .stdout(stdout);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("standard output or standard error is redirected to it"),
        "{}",
        stderr(&output)
    );
    let output = runvet(&demo, &["--output", "json=-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("`-` is not a file"),
        "{}",
        stderr(&output)
    );
    let output = runvet(&demo, &["--output", "json=nowhere/x.json"]);
    assert_eq!(
        stderr(&output),
        "error: can't write nowhere/x.json: its directory does not exist\n"
    );
}

#[test]
fn renderers_hold_bounded_memory_for_any_number_of_episodes() {
    let report = Check::new().run([corpus().join("bad")]).unwrap();
    let closing = Closing::new(&report.totals);
    let options = Options::default().rules(all_rules());
    for (format, holds_at_most) in [
        (Format::Concise, 0),
        (Format::Json, 0),
        (Format::Ndjson, 0),
        (Format::Gitlab, 0),
        // A thousand notifications, with the names of the rules that were not judged.
        (Format::Sarif, 600_000),
        (Format::Github, 20_000),
        (Format::Markdown, 60_000),
    ] {
        let mut renderer = format.renderer(&options);
        let mut out = Vec::new();
        renderer.begin(&mut out).unwrap();
        let before = out.len();
        for _ in 0..50 {
            report
                .episodes
                .iter()
                .for_each(|episode| renderer.episode(&mut out, episode).unwrap());
        }
        let written = out.len() - before;
        renderer.end(&mut out, &closing).unwrap();
        let held = out.len() - before - written;
        // Text that is written at the end, beyond the totals, was held in memory until then.
        assert!(held <= holds_at_most.max(200), "{held} bytes were held");
        assert!(holds_at_most == 0 || held > 0);
    }
}
