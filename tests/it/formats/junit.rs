//! The format `junit` follows its schema, and has the findings of the report.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quick_xml::events::Event;

use crate::support::corpus::corpus;
use crate::support::printed::{REPORT, RUN_DATA, print, runvet};
use crate::support::python::python;
use crate::support::runs::copy_dir;

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
                let attribute = start
                    .try_get_attribute(name)
                    .unwrap()
                    .unwrap();
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
                        suites
                            .insert(suite.clone(), counts)
                            .is_none(),
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
                finding.severity, finding.rule, finding.message
            );
            assert!(
                case.text
                    .lines()
                    .any(|text| text.ends_with(&line)),
                "{line}\n{case:?}"
            );
        }
    }
    for (suite, counts) in &suites {
        let of_suite: Vec<&Case> = cases
            .iter()
            .filter(|case| case.suite == *suite)
            .collect();
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
