//! Every rule's page is complete, and its example is true: after the edit to a good run, runvet
//! finds what the page says.
//!
//! A page's example consists of fenced blocks; the word after the language says what a block does
//! to the good run:
//!
//! | info string | what it does |
//! |---|---|
//! | `diff` | replaces lines of a record or an event, printed with an indent of two spaces and sorted keys; a line `@@ state.json @@` or `@@ events.jsonl, line 3 @@` names it |
//! | `json append=FILE` | adds lines |
//! | `text append=FILE` | adds text without a newline at its end |
//! | `text write=FILE` | replaces the content |
//! | `sh` | `rm FILE` and `mkdir FILE` |
//! | `toml` | is the configuration |
//! | `text finds` | lists all findings: rule, file and, where there is one, pointer |
//!
//! A rule that is off by default is checked as a warning.
//!
//! `run=paused` on the first block takes the run in progress instead of the one that has ended.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use runvet::finding::{Level, RuleInfo};
use runvet::gate::{Gate, all_rules};
use serde_json::Value;

struct Block<'p> {
    info: Vec<&'p str>,
    text: String,
}

impl Block<'_> {
    fn setting(&self, name: &str) -> Option<&str> {
        self.info.iter().find_map(|word| {
            word.strip_prefix(name)?
                .strip_prefix('=')
        })
    }
}

/// The fenced blocks of a section.
fn blocks(section: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), false) => {
                blocks.push(Block {
                    info: info.split_whitespace().collect(),
                    text: String::new(),
                });
                inside = true;
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                let block = blocks.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

/// Replaces the lines of a JSON text that a part of a diff names.
fn replaced(json: &str, hunk: &[&str]) -> String {
    let value: Value = serde_json::from_str(json).unwrap();
    let printed = serde_json::to_string_pretty(&value).unwrap();
    let side = |other: char| -> String {
        let lines = hunk
            .iter()
            .filter(|line| !line.starts_with(other));
        lines
            .flat_map(|line| [&line[1..], "\n"])
            .collect()
    };
    let (old, new) = (side('+'), side('-'));
    let text = printed + "\n";
    assert_eq!(text.matches(&old).count(), 1, "not once:\n{old}\n{text}");
    let value: Value = serde_json::from_str(&text.replace(&old, &new)).unwrap();
    value.to_string()
}

/// Makes the change that a diff describes.
fn change(diff: &str, dir: &Path) {
    let lines: Vec<&str> = diff.lines().collect();
    for hunk in lines.chunk_by(|_, next| !next.starts_with("@@")) {
        let (head, hunk) = hunk.split_first().unwrap();
        let head = head.trim_matches(['@', ' ']);
        let (file, number) = head
            .split_once(", line ")
            .unwrap_or((head, "1"));
        let index = number.parse::<usize>().unwrap() - 1;
        let text = fs::read_to_string(dir.join(file)).unwrap();
        let mut lines: Vec<String> = text
            .lines()
            .map(str::to_owned)
            .collect();
        lines[index] = replaced(&lines[index], hunk);
        fs::write(dir.join(file), lines.join("\n") + "\n").unwrap();
    }
}

fn apply(block: &Block<'_>, dir: &Path) {
    let path = |file: &str| dir.join(file);
    let read = |file: &str| fs::read_to_string(path(file)).unwrap();
    let write = |file: &str, text: String| fs::write(path(file), text).unwrap();
    if block.info[0] == "diff" {
        change(&block.text, dir);
    } else if let Some(file) = block.setting("append") {
        let text = if block.info[0] == "json" {
            &*block.text
        } else {
            block.text.trim_end_matches('\n')
        };
        write(file, read(file) + text);
    } else if let Some(file) = block.setting("write") {
        write(file, block.text.clone());
    } else if block.info[0] == "sh" {
        for line in block.text.lines() {
            match line.split_once(' ').unwrap() {
                ("rm", file) => fs::remove_file(path(file)).unwrap(),
                ("mkdir", file) => fs::create_dir(path(file)).unwrap(),
                _ => panic!("`{line}` is not understood"),
            }
        }
    }
}

/// Makes the edits of an example to a good run and returns what runvet finds, and what the page
/// promises.
fn found_and_promised(rule: &RuleInfo) -> (BTreeSet<String>, BTreeSet<String>) {
    let example = rule
        .page
        .split("\n## ")
        .find(|section| section.starts_with("Example"))
        .expect("a section `## Example`");
    let (results, edits): (Vec<_>, Vec<_>) = blocks(example)
        .into_iter()
        .partition(|block| block.info.contains(&"finds"));
    let run = edits
        .iter()
        .find_map(|block| block.setting("run"))
        .unwrap_or("terminal");
    let temp = tempfile::tempdir().unwrap();
    let dir = temp
        .path()
        .join("episodes")
        .join(if run == "paused" {
            "ep_paused"
        } else {
            "ep_answer"
        });
    fs::create_dir_all(&dir).unwrap();
    let good = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus/good")
        .join(run)
        .join("episodes");
    for file in fs::read_dir(good.join(dir.file_name().unwrap()))
        .unwrap()
        .map(Result::unwrap)
    {
        fs::copy(file.path(), dir.join(file.file_name())).unwrap();
    }
    for block in &edits {
        apply(block, &dir);
    }

    let config = edits
        .iter()
        .find(|block| block.info[0] == "toml");
    let config = config.map_or("", |block| &*block.text);
    let gate = Gate::default().with_config(Path::new("runvet.toml"), config, None);
    let gate = gate.unwrap();
    let mut gate = match rule.level {
        Level::Off => gate
            .level(&rule.id, Level::Warning)
            .unwrap(),
        _ => gate,
    };
    let report = gate.run([temp.path()]).unwrap();
    let found = report
        .episodes
        .iter()
        .flat_map(|episode| &episode.findings)
        .map(|finding| {
            let file = Path::new(&finding.location.file)
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            [finding.rule.clone(), file]
                .into_iter()
                .chain(finding.location.pointer.clone())
                .collect::<Vec<_>>()
                .join(" ")
        });
    let promised = results
        .iter()
        .flat_map(|block| block.text.lines())
        .map(|line| line.trim_end().to_owned());
    (found.collect(), promised.collect())
}

#[test]
fn page_examples_are_true() {
    let mut wrong = Vec::new();
    // The cases of hooks show those of their rules.
    for rule in all_rules().filter(|rule| !rule.id.starts_with("hook/")) {
        let (found, promised) = found_and_promised(rule);
        if found != promised
            || !found
                .iter()
                .any(|finding| finding.starts_with(&*rule.id))
        {
            wrong.push(format!(
                "{}:\n  runvet finds   {found:?}\n  the page says  {promised:?}",
                rule.id
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_have_their_sections() {
    for rule in all_rules() {
        let sections: Vec<&str> = rule
            .page
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(
            sections,
            ["Why it matters", "Example", "How to fix it"],
            "the page of {}",
            rule.id
        );
        for section in rule.page.split("\n## ").skip(1) {
            let (name, text) = section
                .split_once('\n')
                .unwrap_or((section, ""));
            let id = &rule.id;
            assert!(
                !text.trim().is_empty(),
                "{name:?} of the page of {id} is empty"
            );
        }
        let what = rule
            .page
            .split("\n## ")
            .next()
            .unwrap_or_default()
            .trim();
        assert!(
            !what.is_empty() && !what.starts_with('#'),
            "the page of {} says first what the rule means",
            rule.id
        );
    }
}
