//! Sixty rules of a team, all at once: each entry point gives the verdict of the command.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use runvet::gate::Gate;
use serde_json::Value;

use crate::support::binary::{runvet, stdout};
use crate::support::corpus::corpus;
use crate::support::service::Service;

const CONFIG: &str = "team/sixty/runvet.toml";

/// The rule and fingerprint of each finding in each run.
type Verdicts = BTreeMap<String, Vec<(String, String)>>;

/// The verdict that a line of a report gives on a run; other lines give none.
fn verdict(line: &str) -> Option<(String, Vec<(String, String)>)> {
    let line: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = line
        .get("findings")?
        .as_array()
        .unwrap()
        .iter();
    let findings = findings.map(|it| (text(&it["rule"]), text(&it["fingerprint"])));
    Some((text(&line["dir"]), findings.collect()))
}

fn of_the_command(runs: &str, jobs: &str) -> Verdicts {
    let args = ["validate", runs, "--config", CONFIG];
    let options = ["--format", "ndjson", "--jobs", jobs];
    let mut command = runvet(&[&args[..], &options].concat());
    let output = command
        .current_dir(corpus())
        .output()
        .unwrap();
    stdout(&output)
        .lines()
        .filter_map(verdict)
        .collect()
}

fn of_watch(runs: &str, count: usize) -> Verdicts {
    let mut child = runvet(&["watch", runs, "--config", CONFIG, "--format", "ndjson"])
        .current_dir(corpus())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines = lines.map_while(Result::ok);
    let verdicts = lines
        .filter_map(|line| verdict(&line))
        .take(count)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    verdicts
}

fn of_the_library(runs: &str) -> Verdicts {
    let config = corpus().join(CONFIG);
    let text = std::fs::read_to_string(&config).unwrap();
    let mut gate = Gate::default()
        .with_config(&config, &text, None)
        .unwrap();
    let report = gate.run([corpus().join(runs)]).unwrap();
    let episodes = report
        .episodes
        .into_iter()
        .map(|episode| {
            let dir = episode
                .dir
                .strip_prefix(&format!("{}/", corpus().display()));
            let findings = episode.findings.iter();
            let findings = findings.map(|it| (it.rule.clone(), it.fingerprint.clone()));
            (dir.unwrap().to_owned(), findings.collect())
        });
    episodes.collect()
}

#[test]
fn sixty_rules_have_one_verdict_through_every_door() {
    let runs = "good";
    let verdicts = of_the_command(runs, "1");
    let all = verdicts.values().flatten();
    let of_team: BTreeSet<&str> = all
        .map(|(rule, _)| &**rule)
        .filter(|rule| rule.starts_with("sixty/"))
        .collect();
    assert!(
        of_team.len() >= 45,
        "{} of 60 rules find something",
        of_team.len()
    );
    assert!(verdicts.len() > 30);

    assert_eq!(of_the_command(runs, "8"), verdicts);
    assert_eq!(of_the_library(runs), verdicts);
    assert_eq!(of_watch(runs, verdicts.len()), verdicts);

    let service = Service::start(&corpus(), &[runs, "--config", CONFIG]);
    service.wait_for(verdicts.len() as u64);
    while service.get("api/v1/statistics").json()["complete"] != true {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let list = service
        .get("api/v1/runs?limit=1000")
        .json();
    for item in list["items"].as_array().unwrap() {
        let findings = &verdicts[item["dir"].as_str().unwrap()];
        assert_eq!(item["errors"], findings.len());
        let rules: BTreeSet<&str> = findings
            .iter()
            .map(|(rule, _)| &**rule)
            .collect();
        let listed = item["rules"].as_array().unwrap().iter();
        assert_eq!(
            listed
                .map(|it| it.as_str().unwrap())
                .collect::<BTreeSet<_>>(),
            rules
        );
    }
}
