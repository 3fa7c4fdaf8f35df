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
        .lines()
        .filter_map(|line| line.split_once("ignore = [")?.1.strip_suffix(']'))
        .collect();
    let first = "{ rule = \"state/schema\", episode = \"**\", file = \"state.json\", pointer = \
                 \"/outcomes/actions/*/tools\", reason = \"\" }";
    assert_eq!(ignores[0], first);
    project.write("runvet.toml", &format!("ignore = [{first}]"));
    let output = project.run(&args);
    assert!(
        stderr(&output).contains("the reason is empty"),
        "{output:?}"
    );
    let all = ignores
        .join(", ")
        .replace("reason = \"\"", "reason = \"theirs\"");
    project.write("runvet.toml", &format!("ignore = [{all}]"));
    let output = project.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}
