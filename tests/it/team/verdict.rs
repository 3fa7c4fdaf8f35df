//! A run whose records agree and that breaks a rule of the team is distinguished from one whose
//! records contradict each other, in every format, page and metric.

use std::fs;

use crate::support::binary::stdout;
use crate::support::corpus::corpus;
use crate::support::project::Project;
use crate::support::runs::copy_dir;
use crate::support::service::Service;

/// A project with three runs: a sound one, one that breaks the rule of the team, and one that
/// contradicts itself besides.
fn project() -> Project {
    let rule = "[[rule]]\nid = 'a/task'\ncheck = \"state.goal.task != 'forbidden'\"\n\
                message = 'a forbidden task'\n";
    let project = Project::new(rule);
    fs::remove_dir_all(project.path("runs")).unwrap();
    for (id, is_forbidden, is_broken) in [
        ("ep_sound", false, false),
        ("ep_team", true, false),
        ("ep_both", true, true),
    ] {
        let dir = project.path("runs/episodes").join(id);
        copy_dir(&corpus().join("demo/episodes/ep_01_answer"), &dir);
        for file in ["state.json", "summary.json", "events.jsonl"] {
            let text = fs::read_to_string(dir.join(file)).unwrap();
            let mut text = text.replace("ep_01_answer", id);
            if is_forbidden {
                text = text.replace("Summarize the open tickets", "forbidden");
            }
            if is_broken && file == "state.json" {
                text = text
                    .replace("\"seed\":7", "\"seed\":\"x\"")
                    .replace("2026-", "2025-");
            }
            fs::write(dir.join(file), text).unwrap();
        }
    }
    project
}

fn validate(project: &Project, format: &str, path: &str) -> String {
    let output = project.run(&["validate", "--format", format, path]);
    stdout(&output).to_owned()
}

#[test]
fn broken_rule_of_a_team_has_its_own_words_and_count() {
    let project = project();
    for format in ["human", "agent", "markdown", "github"] {
        let all = validate(&project, format, "runs");
        let counts = "3 episodes: 1 valid, 1 invalid, 1 breaks a rule of the team (";
        assert!(all.contains(counts), "{format}: {all}");
        let one = validate(&project, format, "runs/episodes/ep_team");
        let only = "1 episode: breaks a rule of the team (1 error)";
        assert!(one.contains(only), "{format}: {one}");
        assert!(!one.contains("invalid"), "{format}: {one}");
    }
    let agent = validate(&project, "agent", "runs/episodes/ep_team");
    assert!(!agent.contains("Repair the program that writes"), "{agent}");
    let junit = validate(&project, "junit", "runs");
    let said = "The records agree; the run breaks a rule of the team.";
    assert_eq!(junit.matches(said).count(), 1, "{junit}");
    let view = project.run(&["view", "runs/episodes/ep_team"]);
    let records = "Records: breaks a rule of the team (1 error)";
    assert!(stdout(&view).contains(records), "{}", stdout(&view));
}

#[test]
fn report_has_the_verdict_beside_what_it_always_had() {
    let project = project();
    let report: serde_json::Value =
        serde_json::from_str(&validate(&project, "json", "runs")).unwrap();
    let verdicts = report["episodes"].as_array().unwrap().iter();
    let verdicts = verdicts.map(|it| (it["valid"].as_bool(), it["verdict"].as_str().unwrap()));
    assert!(verdicts.eq([
        (Some(false), "invalid"),
        (Some(true), "valid"),
        (Some(false), "breaks_rule"),
    ]));
    let totals = &report["totals"];
    assert_eq!(
        (&totals["invalid"], &totals["breaks_rule"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn page_and_metrics_tell_broken_rules_from_broken_records() {
    let project = project();
    project.run(&["validate", "--output", "html=page.html", "runs"]);
    let page = fs::read_to_string(project.path("page.html")).unwrap();
    let answer = page.split("<h2 id=\"answer\">").nth(1).unwrap();
    let answer = answer.split("</h2>").next().unwrap();
    assert_eq!(
        answer,
        "<a href=\"#/runs?verdict=invalid\">1 of 3 runs</a> can't be trusted, \
         <a href=\"#/runs?verdict=breaks_rule\">1</a> breaks a rule of the team"
    );
    let service = Service::start(&project.path(""), &["runs"]);
    while service.get("readyz").status != 200 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let metrics = service.get("metrics").text;
    assert!(
        metrics.contains("runvet_runs_breaking_rules 1\n"),
        "{metrics}"
    );
    let sums = service.get("api/v1/statistics").json();
    let verdicts = serde_json::json!({"valid": 1, "invalid": 1, "breaks_rule": 1, "undecided": 0});
    assert_eq!(sums["verdicts"], verdicts);
    assert_eq!(service.ids("verdict=breaks_rule"), ["ep_team"]);
    assert_eq!(service.ids("verdict=invalid"), ["ep_both"]);
    assert_eq!(service.ids("valid=false").len(), 2);
    assert_eq!(service.get("api/v1/runs?verdict=odd").status, 400);
}
