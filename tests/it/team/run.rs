//! Repositories with runs, and what a team's rules find in them.

use crate::support::corpus::corpus;
use crate::support::markdown::root;
use crate::support::project::Project;
use crate::support::runs::copy_dir;

/// A repository with one run, whose events have these payloads, one second apart. Whole
/// events, and lines that are not objects, stand as they are.
pub(super) fn project(config: &str, payloads: &[&str], has_ended: bool) -> Project {
    let project = Project::new(config);
    std::fs::remove_dir_all(project.path("runs")).unwrap();
    let case = if has_ended {
        "good/terminal"
    } else {
        "good/paused"
    };
    let found = std::fs::read_dir(corpus().join(case).join("episodes")).unwrap();
    let episode = found
        .map(|entry| entry.unwrap().path())
        .next()
        .unwrap();
    copy_dir(&episode, &project.path("runs/episodes/ep_1"));
    let lines = payloads
        .iter()
        .enumerate()
        .map(|(index, payload)| {
            if payload.starts_with("{\"phase\"") || !payload.ends_with('}') {
                format!("{payload}\n")
            } else {
                let time = format!("2026-03-01T12:00:{index:02}Z");
                format!("{{\"phase\":\"act\",\"timestamp\":\"{time}\",\"payload\":{payload}}}\n")
            }
        });
    project.write(
        "runs/episodes/ep_1/events.jsonl",
        &lines.collect::<String>(),
    );
    project
}

/// A repository with one sound run that has ended.
pub(super) fn repository(config: &str) -> Project {
    let project = Project::new(config);
    std::fs::remove_dir_all(project.path("runs")).unwrap();
    copy_dir(
        &corpus().join("good/terminal/episodes/ep_answer"),
        &project.path("runs/episodes/ep_answer"),
    );
    project
}

pub(super) const DECLARED: &str = "packs = ['gate/pack.toml']\n";

pub(super) const PACK: &str = include_str!("../../cases/pack/pack.toml");

/// A repository with a pack, whose schema refers to another file.
pub(super) fn with_pack(config: &str) -> Project {
    let project = repository(&format!("{DECLARED}{config}"));
    copy_dir(&root().join("tests/cases/pack"), &project.path("gate"));
    project
}
