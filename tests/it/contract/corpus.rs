//! The corpus: good run data without findings, and bad run data with exactly the expected findings.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use runvet::finding::{Report, RuleInfo, Severity};
use runvet::gate::all_rules;
use serde_json::Value;

use crate::support::corpus::{Expectation, corpus, expecting_cases, good_cases};

/// The findings, one per line: rule, file within the case, and pointer, if any.
fn found(report: &Report, case: &Path) -> Vec<String> {
    let findings = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings);
    let mut found: Vec<String> = findings
        .map(|finding| {
            let file = Path::new(&finding.location.file)
                .strip_prefix(case)
                .unwrap()
                .display()
                .to_string();
            let pointer = finding
                .location
                .pointer
                .as_ref()
                .map(|pointer| format!(" {pointer:?}"))
                .unwrap_or_default();
            format!("{} {file}{pointer}", finding.rule)
        })
        .collect();
    found.sort();
    found
}

fn expected(case: &Path) -> Vec<String> {
    let mut expected: Vec<String> = Expectation::of(case)
        .findings
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap();
            let pointer = finding
                .get("pointer")
                .map(|_| format!(" {:?}", text("pointer")))
                .unwrap_or_default();
            format!("{} {}{pointer}", text("rule"), text("file"))
        })
        .collect();
    expected.sort();
    expected
}

#[test]
fn good_cases_have_no_finding_and_no_skip() {
    for case in good_cases() {
        let report = Expectation::of(&case)
            .gate()
            .run([&case])
            .unwrap();
        assert_eq!(report.totals.episodes, 1, "{}", case.display());
        assert_eq!(found(&report, &case), [] as [&str; 0], "{}", case.display());
        assert_eq!(report.episodes[0].skipped, [], "{}", case.display());
    }
}

#[test]
fn bad_cases_have_exactly_the_expected_findings() {
    let mut wrong = Vec::new();
    for case in expecting_cases("bad")
        .into_iter()
        .chain(expecting_cases("broken"))
    {
        let (found, expected) = (
            found(
                &Expectation::of(&case)
                    .gate()
                    .run([&case])
                    .unwrap(),
                &case,
            ),
            expected(&case),
        );
        if found != expected {
            wrong.push(format!(
                "{}\n  found    {found:?}\n  expected {expected:?}",
                case.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rules that something in a run may wake: those of hooks look at calls before they are made.
fn rules_of_runs() -> impl Iterator<Item = &'static RuleInfo> {
    all_rules().filter(|rule| !rule.id.starts_with("hook/"))
}

#[test]
fn every_rule_has_a_bad_case() {
    let named: BTreeSet<String> = expecting_cases("bad")
        .iter()
        .map(|case| {
            case.parent()
                .unwrap()
                .strip_prefix(corpus().join("bad"))
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    for rule in rules_of_runs() {
        assert!(
            named.contains(&*rule.id),
            "corpus/bad/{} is missing",
            rule.id
        );
    }
    for case in expecting_cases("bad") {
        let rule = case
            .parent()
            .unwrap()
            .strip_prefix(corpus().join("bad"))
            .unwrap()
            .display()
            .to_string();
        assert!(
            expected(&case)
                .iter()
                .any(|line| line.starts_with(&rule)),
            "{} does not expect {rule}",
            case.display()
        );
    }
}

#[test]
fn cases_of_each_rule_are_counted() {
    let line = |rule: &RuleInfo| {
        let cases = expecting_cases(&format!("bad/{}", rule.id)).len();
        let word = if cases == 1 { "case" } else { "cases" };
        format!("{} {cases} {word}\n", rule.id)
    };
    let lines: String = rules_of_runs().map(line).collect();
    crate::support::bless::check("src/judge/rules/cases.txt", &lines);
}

#[test]
fn bad_case_is_silent_when_its_rule_is_off() {
    use runvet::finding::Level;
    for rule in rules_of_runs() {
        for case in expecting_cases(&format!("bad/{}", rule.id)) {
            let gate = Expectation::of(&case).gate();
            let mut gate = gate
                .level(&rule.id, Level::Off)
                .unwrap();
            let report = gate.run([&case]).unwrap();
            let spoken = report
                .episodes
                .iter()
                .flat_map(|episode| &episode.findings)
                .any(|finding| finding.rule == rule.id);
            let listed = report
                .episodes
                .iter()
                .flat_map(|episode| &episode.skipped)
                .any(|skip| skip.rule == rule.id);
            assert!(!spoken && !listed, "{}", case.display());
        }
    }
}

#[test]
fn location_names_the_bytes_its_pointer_leads_to() {
    for case in expecting_cases("bad")
        .into_iter()
        .chain(expecting_cases("broken"))
    {
        let report = Expectation::of(&case)
            .gate()
            .run([&case])
            .unwrap();
        for finding in report
            .episodes
            .iter()
            .flat_map(|episode| &episode.findings)
        {
            assert!(matches!(
                finding.severity,
                Severity::Error | Severity::Warning
            ));
            let others = finding
                .related
                .iter()
                .map(|related| &related.location);
            for location in std::iter::once(&finding.location).chain(others) {
                let Some(offset) = location.offset else {
                    continue;
                };
                let bytes = fs::read(&location.file).unwrap();
                let before = &bytes[..usize::try_from(offset).unwrap()];
                let line = before
                    .split(|byte| *byte == b'\n')
                    .count() as u64;
                let line_start = before
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(0, |newline| newline + 1);
                let column = String::from_utf8_lossy(&before[line_start..])
                    .chars()
                    .count() as u64
                    + 1;
                assert_eq!(
                    (location.line, location.column),
                    (Some(line), Some(column)),
                    "{finding:?}"
                );
                let cut = &bytes[before.len()
                    ..before.len() + usize::try_from(location.length.unwrap()).unwrap()];
                let Some(pointer) = &location.pointer else {
                    continue;
                };
                let text = if Path::new(&location.file).extension() == Some("jsonl".as_ref()) {
                    bytes
                        .split(|byte| *byte == b'\n')
                        .nth(usize::try_from(line).unwrap() - 1)
                        .unwrap()
                } else {
                    &bytes
                };
                let whole: Value = serde_json::from_slice(text).unwrap();
                let value = whole.pointer(pointer).unwrap();
                let key = pointer
                    .rsplit('/')
                    .next()
                    .unwrap()
                    .replace("~1", "/")
                    .replace("~0", "~");
                let cut: Value = serde_json::from_slice(cut).unwrap();
                // A key if the finding is about one (it may be written with escapes), else the
                // value.
                assert!(
                    cut == *value || cut == key,
                    "{finding:?}: {cut} is neither {key} nor {value}"
                );
            }
        }
    }
}
