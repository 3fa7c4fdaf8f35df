//! What a change of the code does to known runs: the verdicts on the corpus, and on 10,000 seeded
//! runs, are those in `tests/blessed`. `tests/run` prints the impact.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use runvet::finding::EpisodeReport;
use runvet::gate::Gate;
use runvet::source::Artifact;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::binary::{runvet, stderr, stdout};
use crate::support::bless;
use crate::support::run_data::{self, Random, Records};

const CORPUS: &str = "tests/blessed/corpus.ndjson";
const SEEDED: &str = "tests/blessed/seeded.json";
const RUNS: u64 = 10_000;

/// Writes what `tests/run` prints.
fn tell(name: &str, impact: &str) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("impact-{name}"));
    fs::write(path, format!("impact on {name}: {impact}\n")).unwrap();
}

/// A line of a report, as far as reports are compared.
fn brief(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    let Some(findings) = line.get("findings") else {
        return "{\"totals\":{}}\n".to_owned();
    };
    let findings = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            json!({"rule": it["rule"], "severity": it["severity"], "message": "",
            "fingerprint": it["fingerprint"]})
        });
    let skipped = line["skipped"]
        .as_array()
        .unwrap()
        .iter();
    let brief = json!({"dir": line["dir"], "valid": line["valid"],
        "findings": findings.collect::<Vec<_>>(),
        "skipped": skipped.map(|it| json!({"rule": it["rule"]})).collect::<Vec<_>>()});
    format!("{brief}\n")
}

#[test]
fn verdicts_on_the_corpus_are_blessed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let validate = |options: &[&str]| {
        let given = ["validate", "corpus", "--no-config", "--verify-manifest"];
        let args = [&given, options].concat();
        runvet(&args)
            .current_dir(root)
            .output()
            .unwrap()
    };
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        let output = validate(&["--format", "ndjson"]);
        let lines: String = stdout(&output)
            .lines()
            .map(brief)
            .collect();
        bless::check(CORPUS, &lines);
    }
    let output = validate(&["--against", CORPUS, "--fail-above", "0"]);
    tell("the corpus", stdout(&output));
    assert!(
        output.status.success(),
        "{}{}\nrun `make bless` and look at the difference",
        stdout(&output),
        stderr(&output)
    );
}

/// How often a rule says something of the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count {
    error: u64,
    warning: u64,
    skipped: u64,
}

impl Count {
    fn add(counts: &mut BTreeMap<String, Self>, report: &EpisodeReport) {
        for finding in &report.findings {
            let count = counts
                .entry(finding.rule.clone())
                .or_default();
            match finding.severity.to_string().as_str() {
                "error" => count.error += 1,
                _ => count.warning += 1,
            }
        }
        for skip in &report.skipped {
            counts
                .entry(skip.rule.clone())
                .or_default()
                .skipped += 1;
        }
    }
}

/// Changes one thing in a text: a line, a digit, a key or a word.
fn mutate(text: &mut String, random: &mut Random) {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut pick = |bound: usize| usize::try_from(random.below(bound as u64)).unwrap();
    let first = if lines.len() > 1 { 0 } else { 3 };
    let (kind, at) = (first + pick(7 - first), pick(lines.len()));
    let other = pick(lines.len());
    match kind {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at]),
        2 => lines.swap(at, other),
        _ => {}
    }
    let mut changed = lines.concat();
    let (from, to) = [
        ("\":", "x\":"),
        ("true", "false"),
        ("\"ok\"", "\"error\""),
        ("0", "7"),
    ][kind.saturating_sub(3)];
    let places: Vec<usize> = changed
        .match_indices(from)
        .map(|(at, _)| at)
        .collect();
    if kind > 2 && !places.is_empty() {
        let at = places[pick(places.len())];
        changed.replace_range(at..at + from.len(), to);
    }
    *text = changed;
}

/// The seeded runs, each with one mutation, and what the rules say of them.
fn counted() -> BTreeMap<String, Count> {
    let mut gate = strict();
    let mut random = Random(12);
    let mut counts = BTreeMap::new();
    for index in 0..RUNS {
        let id = format!("ep_{index:08}");
        let mut records = run_data::records(&id, &mut random, None);
        let Records {
            state,
            summary,
            events,
        } = &mut records;
        let texts = [Some(state), summary.as_mut(), Some(events)];
        let which = usize::try_from(random.below(3)).unwrap();
        if let Some(text) = texts.into_iter().nth(which).flatten() {
            mutate(text, &mut random);
        }
        let mut given = vec![
            (Artifact::State, records.state.as_bytes()),
            (Artifact::Events, records.events.as_bytes()),
        ];
        let summary = records
            .summary
            .as_deref()
            .map(str::as_bytes);
        given.extend(summary.map(|summary| (Artifact::Summary, summary)));
        Count::add(&mut counts, &gate.records(&id, &given));
    }
    counts
}

#[test]
fn numbers_of_findings_in_seeded_runs_are_blessed() {
    let counts = counted();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SEEDED);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let before: BTreeMap<String, Count> = serde_json::from_str(&before).unwrap_or_default();
    let rules = before.keys().chain(counts.keys());
    let rules: std::collections::BTreeSet<&String> = rules.collect();
    let of = |counts: &BTreeMap<String, Count>, rule| {
        counts
            .get(rule)
            .copied()
            .unwrap_or_default()
    };
    let changed = rules.into_iter().filter_map(|rule| {
        let (was, is) = (of(&before, rule), of(&counts, rule));
        (was != is).then(|| format!("\n  {rule}: {was:?} -> {is:?}"))
    });
    let changed: String = changed.collect();
    let said = if changed.is_empty() { "none" } else { &changed };
    tell("seeded runs", said);
    assert!(counts.len() > 40, "{} rules say something", counts.len());
    bless::check(
        SEEDED,
        &format!("{}\n", serde_json::to_string_pretty(&counts).unwrap()),
    );
}

/// Every rule, those that are off by default too.
fn strict() -> Gate {
    let rules = runvet::gate::all_rules();
    rules.fold(Gate::default(), |check, rule| {
        let level = match rule.level {
            runvet::finding::Level::Off => runvet::finding::Level::Warning,
            level => level,
        };
        check.level(&rule.id, level).unwrap()
    })
}
