//! `--group-by cause`: one finding for many, and the ignore that covers them.

use std::fs;

use serde_json::{Value, json};

use crate::support::binary::{stderr, stdout};
use crate::support::project::Project;

#[test]
fn causes_come_by_their_runs_and_their_ignores_cover_them() {
    let project = Project::new("");
    // A runtime that writes a key of its own in each action.
    for name in ["ep_01_answer", "ep_03_edited", "ep_05_misnamed"] {
        let path = project.path(&format!("runs/demo/episodes/{name}/state.json"));
        let text = fs::read_to_string(&path).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        for action in state["outcomes"]["actions"].as_array_mut().unwrap() {
            action["tools"] = json!([name]);
        }
        fs::write(path, state.to_string()).unwrap();
    }
    let args = ["validate", "--group-by", "cause", "runs"];
    let output = project.run(&args);
    let said = stdout(&output);
    assert!(
        said.starts_with("state/schema: ") && said.contains(" findings in 3 runs, such as in "),
        "{said}"
    );
    assert_eq!(said.matches("must not have the field `tools`").count(), 1);

    // Each ignore that is shown covers what it is shown for.
    let ignores: Vec<&str> = said
        .split("\n\n")
        .filter_map(|part| part.find("[[ignore]]").map(|at| &part[at..]))
        .collect();
    let first = "[[ignore]]\nrule = \"state/schema\"\nepisode = \"**\"\nfile = \"state.json\"\n\
                 pointer = \"/outcomes/actions/*/tools\"\nreason = \"\"";
    assert_eq!(ignores[0], first);
    project.write("runvet.toml", first);
    let output = project.run(&args);
    assert!(
        stderr(&output).contains("the reason is empty"),
        "{output:?}"
    );
    let all = ignores
        .join("\n")
        .replace("reason = \"\"", "reason = \"theirs\"");
    project.write("runvet.toml", &all);
    let output = project.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn report_is_by_cause_where_a_rule_has_more_than_a_screen_of_findings() {
    let project = Project::new("");
    let actions = |number: usize| {
        let path = project.path("runs/demo/episodes/ep_01_answer/state.json");
        let mut state: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let all = state["outcomes"]["actions"].as_array_mut().unwrap();
        let mut action = all[0].clone();
        action["tools"] = json!([]);
        all.resize(number, action.clone());
        all.fill(action);
        fs::write(path, state.to_string()).unwrap();
    };
    let validate = |args: &[&str]| {
        let all = [
            &[
                "validate",
                "--select=state/schema",
                "runs/demo/episodes/ep_01_answer",
            ],
            args,
        ];
        stdout(&project.run(&all.concat())).to_owned()
    };
    // 20 findings are shown one by one, in a pipe too.
    actions(20);
    let said = validate(&[]);
    assert_eq!(
        said.matches("must not have the field").count(),
        20,
        "{said}"
    );
    assert!(
        said.starts_with("runs/demo/episodes/ep_01_answer"),
        "{said}"
    );
    assert!(!said.contains("[[ignore]]"), "{said}");
    actions(21);
    let said = validate(&[]);
    assert!(
        said.starts_with("state/schema: 21 findings in 1 run, such as in "),
        "{said}"
    );
    assert_eq!(said.matches("must not have the field").count(), 1, "{said}");
    assert!(said.contains("--group-by episode"), "{said}");
    assert_eq!(said, validate(&["--max-findings=1"]));
    // Unless another form is asked for, or all of them.
    for args in [
        &["--group-by=episode"][..],
        &["--group-by=rule"],
        &["--max-findings=0"],
    ] {
        let said = validate(args);
        let shown = if args[0] == "--max-findings=0" {
            21
        } else {
            20
        };
        assert_eq!(
            said.matches("must not have the field").count(),
            shown,
            "{args:?}"
        );
    }
}
