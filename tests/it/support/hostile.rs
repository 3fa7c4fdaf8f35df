//! A malicious run, and the checks for its effects.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::corpus::corpus;

/// A run in which every text tries to control the terminal or to forge a line of the report.
pub(crate) fn hostile_run() -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let evil = "\u{1b}[2J\u{9b}31m\u{7}\r\n0 episodes: all valid\n::error::x\u{202e}\u{200b}\u{1b}]8;;http://x\u{7}\n\
         \r::error::y ##[error]z ##vso[task.complete] ##teamcity[x] ]]>&<!--'\"`|```\n[x](http://x){0}%0A@all##[error]x##vso[task.complete]\u{fffe}";
    let dir = temp
        .path()
        .join("episodes")
        .join(format!("ep{evil}").replace('/', "_"));
    fs::create_dir_all(&dir).unwrap();
    let good = corpus().join("good/terminal/episodes/ep_answer");
    let mut state: Value =
        serde_json::from_str(&fs::read_to_string(good.join("state.json")).unwrap()).unwrap();
    state["goal"]["task"] = evil.into();
    state["episode"]["id"] = evil.into();
    state["outcomes"]["status"] = evil.into();
    state["outcomes"]["actions"][0][evil] = evil.into();
    state["links"][evil] = evil.into();
    state["episode"]["using"] = evil.into();
    state["plan"]["steps"][0]["status"] = evil.into();
    state["plan"]["steps"][1]["description"] = evil.into();
    fs::write(dir.join("state.json"), state.to_string()).unwrap();
    fs::write(
        dir.join("summary.json"),
        format!("{{\"schema_version\":\"{}\"", evil.replace('\n', "")),
    )
    .unwrap();
    let events = fs::read_to_string(good.join("events.jsonl")).unwrap();
    fs::write(
        dir.join("events.jsonl"),
        format!("{events}\u{1b}[31m\u{202e}\n"),
    )
    .unwrap();
    (temp, dir)
}

/// The lines that a CI runner obeys as commands: for GitHub's, `::` at the start after optional
/// whitespace, and `##[` anywhere; for Azure's, `##vso[`; for that of `TeamCity`, `##teamcity[`.
pub(crate) fn commands(text: &str) -> Vec<&str> {
    let is_command = |line: &&str| {
        let anywhere = ["##[", "##vso[", "##teamcity["];
        line.trim_start().starts_with("::")
            || anywhere
                .iter()
                .any(|start| line.contains(start))
    };
    text.lines()
        .filter(is_command)
        .collect()
}
