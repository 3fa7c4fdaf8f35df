//! The format `sarif` follows its standard, and has the findings of the report.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use runvet::finding::{EpisodeReport, Finding, Level};
use runvet::gate::{Gate, all_rules};
use serde_json::{Value, json};

use crate::support::binary::run;
use crate::support::corpus::corpus;
use crate::support::printed::{REPORT, RUN_DATA, findings, json, runvet};
use crate::support::runs::{copy_dir, copy_of, replace};
use crate::support::sarif::hold_to_the_sarif_schema;

/// The path that a URI in a log stands for.
fn path_of(uri: &str) -> PathBuf {
    assert!(
        uri.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
        "{uri}"
    );
    let mut parts = uri.split('%');
    let mut bytes = parts
        .next()
        .unwrap()
        .as_bytes()
        .to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    RUN_DATA
        .path()
        .join(std::ffi::OsString::from_vec(bytes))
}

/// The offset of a line and a column, which counts code points.
fn offset_of(bytes: &[u8], line: u64, column: u64) -> usize {
    let lines_before = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(usize::try_from(line).unwrap() - 1);
    let start: usize = lines_before.map(<[u8]>::len).sum();
    let characters_before = usize::try_from(column).unwrap() - 1;
    let mut starts = (start..=bytes.len()).filter(|at| {
        bytes
            .get(*at)
            .is_none_or(|byte| byte & 0xC0 != 0x80)
    });
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
    assert_eq!(
        ids,
        all_rules()
            .map(|rule| &*rule.id)
            .collect::<Vec<_>>()
    );
    for (rule, meta) in rules.iter().zip(all_rules()) {
        assert_eq!(
            (&rule["help"]["text"], &rule["help"]["markdown"]),
            (&meta.hint.clone().into(), &meta.page.clone().into())
        );
        assert!(
            rule["helpUri"]
                .as_str()
                .unwrap()
                .ends_with(&*meta.id),
            "{rule}"
        );
        let expected = match meta.level {
            Level::Off => json!({"level": "warning", "enabled": false}),
            Level::Ask => json!({"level": "error", "enabled": true}),
            level => json!({"level": level.to_string(), "enabled": true}),
        };
        assert_eq!(rule["defaultConfiguration"], expected);
    }
}

#[test]
fn sarif_regions_are_the_offending_text() {
    let log = json("sarif");
    let results = log["runs"][0]["results"]
        .as_array()
        .unwrap();
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
            let path = path_of(
                physical["artifactLocation"]["uri"]
                    .as_str()
                    .unwrap(),
            );
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
    let results = log["runs"][0]["results"]
        .as_array()
        .unwrap();
    let of = |result: &Value| {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        (
            result["ruleId"]
                .as_str()
                .unwrap()
                .to_owned(),
            result["level"]
                .as_str()
                .unwrap()
                .to_owned(),
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
            severity.to_string(),
            location.offset,
            fingerprint.clone(),
        )
    });
    assert_eq!(
        results
            .iter()
            .map(of)
            .collect::<Vec<_>>(),
        expected.collect::<Vec<_>>()
    );
    for (result, finding) in results.iter().zip(findings()) {
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(
            !result["message"]["text"]
                .as_str()
                .unwrap()
                .contains("]("),
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
        let report = Gate::default().run([path]).unwrap();
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
    let copy = temp
        .path()
        .join("elsewhere/episodes/group/ep_03_edited");
    copy_dir(&case, &copy);
    assert_eq!(fingerprints(&copy), fingerprints(&case), "a move");
    for file in ["state.json", "events.jsonl"] {
        let text = fs::read_to_string(copy.join(file)).unwrap();
        fs::write(copy.join(file), format!("\n\n{text}")).unwrap();
    }
    let (before, after) = (fingerprints(&case), fingerprints(&copy));
    let names = |all: &[(String, Option<u64>)]| {
        all.iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
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
fn sarif_has_as_many_results_as_code_scanning_keeps_with_some_of_each_rule() {
    let (temp, dir) = copy_of("good/terminal");
    replace(&dir.join("summary.json"), "\"ep_answer\"", "\"ep_other\"");
    let mut events = fs::read_to_string(dir.join("events.jsonl")).unwrap();
    for index in 0..9_000 {
        writeln!(events, r#"{{"phase":"observe","payload":{{"n":{index}}}}}"#).unwrap();
    }
    fs::write(dir.join("events.jsonl"), events).unwrap();
    let output = run(&[
        "validate",
        "--format",
        "sarif",
        temp.path().to_str().unwrap(),
    ]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"]
        .as_array()
        .unwrap();
    assert_eq!(results.len(), 5_000);
    let has = |rule: &str| {
        results
            .iter()
            .any(|result| result["ruleId"] == rule)
    };
    assert!(has("events/schema") && has("episode/id"));
    let invocation = &log["runs"][0]["invocations"][0];
    let unlisted = invocation["properties"]["unlisted"]
        .as_u64()
        .unwrap();
    assert!(unlisted >= 4_000, "{unlisted}");
    let told = invocation["toolExecutionNotifications"].to_string();
    assert!(
        told.contains(&format!("{unlisted} results are not listed")),
        "{told}"
    );
}
