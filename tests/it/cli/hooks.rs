//! The hooks for pre-commit, run by the real program: with the configurations that the documents
//! show, in a scratch repository, on real commits.

use std::fs;
use std::path::Path;

use crate::support::markdown::{root, shown};
use crate::support::pre_commit::{Hooked, config_with};
use crate::support::repository::Repository;

fn search_path(first: &Path) -> String {
    format!("{}:{}", first.display(), std::env::var("PATH").unwrap())
}

#[test]
fn hooks_are_declared_alike_for_each_way_to_get_runvet() {
    let declared = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: Vec<&str> = declared
        .split("- id: ")
        .skip(1)
        .collect();
    let [rust, python, system] = ["rust", "python", "system"].map(|language| {
        let way = format!("language: {language}\n");
        let of_language = hooks
            .iter()
            .filter(move |hook| hook.contains(&way));
        of_language
            .map(|hook| {
                hook.replace(&format!("-{language}\n"), "\n")
                    .replace(language, "")
            })
            .collect::<Vec<_>>()
    });
    assert_eq!(rust.len(), 2);
    assert_eq!(rust, python);
    assert_eq!(rust, system);
}

#[test]
fn hooks_that_init_writes_start_as_the_shipped_ones() {
    let starts = |file: &str| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let lines = text
            .lines()
            .map(|line| line.trim().to_owned());
        let mut starts: Vec<String> = lines
            .filter(|line| line.starts_with("files:") || line.starts_with("entry:"))
            .collect();
        starts.sort();
        starts.dedup();
        starts
    };
    assert_eq!(
        starts(".pre-commit-hooks.yaml"),
        starts("src/cli/init/pre-commit.yaml")
    );
}

#[test]
fn hooks_stop_commits_of_bad_runs() {
    let hooks = Repository::with(&[]);
    fs::copy(
        root().join(".pre-commit-hooks.yaml"),
        hooks
            .path()
            .join(".pre-commit-hooks.yaml"),
    )
    .unwrap();
    hooks.commit();
    hooks.git(&["tag", "v0.3.0"]);
    let path = search_path(
        Path::new(env!("CARGO_BIN_EXE_runvet"))
            .parent()
            .unwrap(),
    );
    // The binary under test is on the search path.
    let config = config_with(hooks.path(), "v0.3.0", "-system");
    let Some(hooked) = Hooked::new(&config, vec![("PATH".into(), path)]) else {
        return;
    };

    let repository = &hooked.repository;
    hooked.change("ep_good");
    hooked.passes("a good run that changed, beside a bad one that did not");
    fs::write(repository.path().join("runvet.toml"), "").unwrap();
    repository.git(&["add", "runvet.toml"]);
    hooked.fails("episode/id");
    repository.git(&[
        "rm",
        "--quiet",
        "--force",
        "-r",
        "runvet.toml",
        "runs/episodes/ep_bad",
    ]);
    hooked.passes("a bad run that goes away");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
    repository.git(&["reset", "--quiet", "--hard"]);
    let web = repository
        .path()
        .join("web/manifest.json");
    fs::create_dir(web.parent().unwrap()).unwrap();
    fs::write(web, "{}").unwrap();
    repository.git(&["add", "--all"]);
    hooked.passes("a file that has the name of an artifact");
    repository.git(&["rm", "--quiet", "runs/episodes/ep_good/summary.json"]);
    hooked.fails("lifecycle/artifacts");
}

#[test]
fn hook_of_an_installed_command_stops_commits_of_bad_runs() {
    let path = search_path(
        Path::new(env!("CARGO_BIN_EXE_runvet"))
            .parent()
            .unwrap(),
    );
    let config = shown("docs/ci.md", "yaml", "language: system");
    let Some(hooked) = Hooked::new(&config, vec![("PATH".into(), path)]) else {
        return;
    };
    hooked.change("ep_good");
    hooked.passes("a good run that changed, beside a bad one that did not");
    hooked.make_bad("ep_good");
    hooked.fails("runs/episodes/ep_good/state.json");
}
