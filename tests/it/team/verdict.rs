//! A run whose records agree and that breaks a rule of the team is distinguished from one whose
//! records contradict each other, in every format, page and metric.

use std::fs;

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

#[test]
fn service_tells_broken_rules_from_broken_records() {
    let project = project();
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
    assert_eq!(
        service
            .get("api/v1/runs?verdict=odd")
            .status,
        400
    );
}
