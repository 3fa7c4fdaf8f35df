//! `make rule` starts a rule as CONTRIBUTING.md describes it, run in a copy of the files that it
//! reads and writes, and `make bless` runs the tests that write files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use runvet::gate::Gate;
use tempfile::TempDir;

use crate::support::binary::{stderr, stdout};
use crate::support::markdown::{read, root};
use crate::support::skip::skip;

/// A copy of the tool and of the files that it works on.
struct House(TempDir);

impl House {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for part in ["tools", "src", "corpus/good/terminal", "rustfmt.toml"] {
            let (from, to) = (root().join(part), temp.path().join(part));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let mut copy = Command::new("cp");
            assert!(
                copy.arg("-r")
                    .args([from, to])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        Self(temp)
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.0.path().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Runs the tool; where there is no Python, the calling test is skipped.
    #[track_caller]
    fn start(&self, rule: &str) -> Option<Output> {
        let mut python = Command::new("python3");
        let output = python
            .arg(self.path("tools/rule"))
            .arg(rule)
            .output();
        if output.is_err() {
            skip("there is no python3");
        }
        output.ok()
    }
}

/// The lines that one text has and another has not.
fn added<'t>(before: &str, after: &'t str) -> Vec<&'t str> {
    let mut before: Vec<&str> = before.lines().collect();
    let is_new = |line: &&str| match before
        .iter()
        .position(|old| old == line)
    {
        Some(at) => {
            before.remove(at);
            false
        }
        None => true,
    };
    after.lines().filter(is_new).collect()
}

#[test]
fn make_rule_writes_the_rule_its_page_its_lines_and_a_case() {
    let house = House::new();
    let Some(output) = house.start("plan/updated-before-start") else {
        return;
    };
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    assert!(stdout(&output).contains("make bless"));

    let rule = house.read("src/judge/rules/plan/updated_before_start.rs");
    assert!(rule.starts_with("//! `plan/updated-before-start`: "));
    // It compiles as long as the other rules have this form.
    assert!(
        read("src/judge/rule.rs")
            .contains("    BuiltIn(fn(&mut Context<'_>) -> Option<Compared>),")
            && rule.contains("\nfn check(ctx: &mut Context<'_>) -> Option<Compared> {\n")
    );
    let model = read("src/judge/rules/started_at/summary.rs");
    let fields = |rule: &str| -> Vec<String> {
        let (_, rest) = rule
            .split_once("pub(in crate::judge) static RULE")
            .unwrap();
        let lines = rest
            .split("\n})")
            .next()
            .unwrap()
            .lines();
        lines
            .map(|line| {
                line.split(':')
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(fields(&rule), fields(&model));

    let rules = house.read("src/judge/rules.rs");
    let line = "    &plan::updated_before_start::RULE,";
    assert_eq!(added(&read("src/judge/rules.rs"), &rules), [line]);
    assert!(
        rules.contains(&format!("    &plan::still_running::RULE,\n{line}\n")),
        "behind its group"
    );
    let group = house.read("src/judge/rules/plan.rs");
    assert_eq!(
        added(&read("src/judge/rules/plan.rs"), &group),
        ["pub(super) mod updated_before_start;"]
    );

    let page = house.read("src/judge/rules/plan/updated_before_start.md");
    for section in ["Why it matters", "Example", "How to fix it"] {
        assert!(page.contains(&format!("\n## {section}\n")));
    }
    let case = "corpus/bad/plan/updated-before-start/case";
    assert!(
        house
            .read(&format!("{case}/expect.json"))
            .contains("\"plan/updated-before-start\"")
    );
    let report = Gate::default()
        .run([house.path(case)])
        .unwrap();
    assert_eq!((report.totals.episodes, report.totals.valid), (1, 1));

    let again = house
        .start("plan/updated-before-start")
        .unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(
        stderr(&again).contains("src/judge/rules/plan/updated_before_start.rs is there already")
    );
}

#[test]
fn make_rule_fits_its_group() {
    let house = House::new();
    for (rule, level, expected) in [
        (
            "strict/zero",
            "Off",
            "\"rules\": {\"strict/*\": \"warning\"}",
        ),
        ("summary/zero", "Warning", "[\n  {\"rule\""),
        ("new-group/zero", "Error", "[\n  {\"rule\""),
    ] {
        if house.start(rule).is_none() {
            return;
        }
        let path = rule.replace('-', "_");
        let code = house.read(&format!("src/judge/rules/{path}.rs"));
        assert!(
            code.contains(&format!("    level: Level::{level},\n")),
            "{code}"
        );
        let case = house.read(&format!("corpus/bad/{rule}/case/expect.json"));
        assert!(case.contains(expected), "{case}");
        serde_json::from_str::<serde_json::Value>(&case).unwrap();
        let page = house.read(&format!("src/judge/rules/{path}.md"));
        assert_eq!(page.contains("off by default"), level == "Off", "{page}");
    }
}

#[test]
fn make_bless_runs_the_tests_that_write_whatever_fails() {
    let bless = |cargo: &str| {
        let mut bless = Command::new("python3");
        bless
            .arg(root().join("tools/bless"))
            .env("CARGO", cargo);
        bless.output().ok()
    };
    let (Some(named), Some(failed)) = (bless("echo"), bless("false")) else {
        return skip("there is no python3");
    };
    let named = stdout(&named);
    assert!(named.contains("test --locked --lib -- --exact"), "{named}");
    for test in [
        " look::schemas::generated::schema_files_are_derived_from_the_types",
        " serve::openapi::description_is_derived_from_the_types",
        " cli::view::dashboards_of_the_demo_match_the_snapshots",
        " contract::corpus::cases_of_each_rule_are_counted",
        " house::reference::rule_document_is_made_of_the_pages",
    ] {
        assert!(named.contains(test), "{test}: {named}");
    }
    assert!(!named.contains("house::docs::links_lead"), "{named}");
    assert_eq!(failed.status.code(), Some(1));
}

#[test]
fn make_rule_writes_what_rustfmt_leaves_alone() {
    let house = House::new();
    for rule in ["actions/above", "summary/zero", "new-group/subject"] {
        let Some(output) = house.start(rule) else {
            return;
        };
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    }
    assert!(
        house
            .read("src/judge/rules.rs")
            .contains("mod manifest;\nmod names;\nmod new_group;\nmod plan;\n")
    );
    assert!(
        house
            .read("src/judge/rules/new_group.rs")
            .ends_with("\n\npub(super) mod subject;\n")
    );
    let mut rustfmt = Command::new("rustfmt");
    rustfmt
        .args(["--check", "--edition", "2024"])
        .arg(house.path("src/judge/rules.rs"));
    let formatted = rustfmt.output().unwrap();
    assert!(formatted.status.success(), "{}", stdout(&formatted));
}

#[test]
fn make_rule_refuses_names_that_are_unfit() {
    let house = House::new();
    for name in [
        "",
        "plan",
        "plan/",
        "Plan/x",
        "plan/x_y",
        "plan/type",
        "../x",
        "a/b/c",
        "plan/-x",
    ] {
        let Some(output) = house.start(name) else {
            return;
        };
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            stderr(&output).starts_with("tools/rule: "),
            "{name}: {}",
            stderr(&output)
        );
    }
    assert_eq!(
        added(
            &read("src/judge/rules.rs"),
            &house.read("src/judge/rules.rs")
        ),
        [""; 0]
    );
    assert!(!Path::new(&house.path("corpus/bad")).exists());
}
