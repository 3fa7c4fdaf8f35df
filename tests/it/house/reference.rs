//! The code -> the reference pages that are made of it: `make bless` rewrites them.

use std::collections::BTreeSet;
use std::fmt::Write;

use runvet::Schema;
use runvet::finding::RuleInfo;
use runvet::gate::all_rules;
use serde_json::Value;

use crate::support::bless;
use crate::support::documents::{alone, commands, documents, help_of, links, runvet};
use crate::support::markdown::read;
use crate::support::service::Service;

/// Compares the part of a document that has this name with what the code says, or rewrites it.
fn check_part(document: &str, name: &str, expected: &str) {
    let text = read(document);
    let start = format!("<!-- made by `make bless`: {name} -->\n");
    let (before, rest) = text
        .split_once(&start)
        .unwrap_or_else(|| panic!("{document} has no part {name}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let made = format!("{before}{start}\n{expected}\n<!-- end -->{after}");
    bless::check(document, &made);
}

/// A page with its headings one level lower, to be put below another heading.
fn demoted(page: &str) -> String {
    let mut is_code = false;
    let line = |line: &str| {
        is_code ^= line.starts_with("```");
        if line.starts_with('#') && !is_code {
            format!("#{line}\n")
        } else {
            format!("{line}\n")
        }
    };
    page.lines().map(line).collect()
}

#[test]
fn summary_of_the_site_is_that_of_the_index() {
    let _alone = alone();
    let index = read("docs/README.md");
    let mut summary = "# Summary\n\n[runvet](README.md)\n".to_owned();
    for line in index.lines() {
        if let Some(group) = line.strip_prefix("## ") {
            write!(summary, "\n# {group}\n\n").unwrap();
        } else if let Some((page, _)) = line
            .split_once("): ")
            .filter(|_| line.starts_with("- ["))
        {
            writeln!(summary, "{page})").unwrap();
        }
    }
    bless::check("docs/SUMMARY.md", &summary);
    let listed = links(&summary);
    let absent: Vec<String> = documents()
        .into_iter()
        .filter_map(|document| {
            document
                .strip_prefix("docs/")
                .map(str::to_owned)
        })
        .filter(|page| page != "SUMMARY.md" && !listed.contains(page))
        .collect();
    assert!(absent.is_empty(), "docs/README.md does not list {absent:?}");
}

#[test]
fn rule_document_is_made_of_the_pages() {
    let _alone = alone();
    let row = |rule: &RuleInfo| {
        let RuleInfo {
            id, level, title, ..
        } = rule;
        format!("| [`{id}`](#{id}) | {level} | {title} |\n")
    };
    let page = |rule: &RuleInfo| {
        let explained = runvet(&format!("explain {}", rule.id)).stdout;
        let page = demoted(&String::from_utf8(explained).unwrap());
        format!("\n<a id=\"{}\"></a>\n\n{page}", rule.id)
    };
    let rows: String = all_rules().map(row).collect();
    let pages: String = all_rules().map(page).collect();
    let head = "# Rules\n\nEvery rule, with the page that `runvet explain` prints for it. The id of \
                a rule is its anchor.";
    let columns = "| rule | level | what it finds |\n|------|-------|---------------|";
    let text = format!("{head}\n\n{columns}\n{rows}{pages}");
    bless::check("docs/rules.md", &text);
}

#[test]
fn page_of_the_options_is_made_of_the_help() {
    let _alone = alone();
    let mut page = "# Options\n\nWhat `--help` says of every command. [Commands](commands.md) \
                    shows what the commands print.\n"
        .to_owned();
    for command in commands() {
        let help = help_of(&command);
        write!(page, "\n## runvet {command}\n\n```text\n").unwrap();
        for line in help.lines() {
            writeln!(page, "{}", line.trim_end()).unwrap();
        }
        page.push_str("```\n");
    }
    bless::check("docs/options.md", &page);
}

#[test]
fn table_of_settings_is_made_of_the_schema_and_the_help() {
    let _alone = alone();
    let schema: Value = serde_json::from_str(Schema::Config.text()).unwrap();
    let help = help_of("validate");
    let mut table = "| key in `runvet.toml` | variable | flag | what it sets |\n\
                     |----------------------|----------|------|--------------|\n"
        .to_owned();
    for (key, setting) in schema["properties"]
        .as_object()
        .unwrap()
    {
        let variable = format!("RUNVET_{}", key.to_uppercase().replace('-', "_"));
        // The levels of several rules are a table in the file, and one flag for each rule.
        let flag = format!("--{}", if key == "rules" { "rule" } else { key });
        let is_option = help.contains(&format!("[env: {variable}]"));
        let cell = |word: &str| {
            if is_option {
                format!("`{word}`")
            } else {
                String::new()
            }
        };
        let (variable, flag) = (cell(&variable), cell(&flag));
        let about = setting["description"].as_str().unwrap();
        writeln!(table, "| `{key}` | {variable} | {flag} | {about} |").unwrap();
    }
    check_part("docs/configuration.md", "settings", &table);
}

#[test]
fn table_of_metrics_is_made_of_what_the_service_says() {
    let _alone = alone();
    let metrics = Service::demo().get("metrics").text;
    let mut table =
        "| name | kind | what it counts |\n|------|------|----------------|\n".to_owned();
    for line in metrics.lines() {
        let Some((name, about)) = line
            .strip_prefix("# HELP ")
            .and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let kind = metrics
            .lines()
            .find_map(|line| line.strip_prefix(&format!("# TYPE {name} ")))
            .unwrap();
        let end = match kind {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        writeln!(table, "| `{name}{end}` | {kind} | {about} |").unwrap();
    }
    check_part("docs/service.md", "metrics", &table);
}

/// The number of bytes, milliseconds or things that a unit stands for.
fn factor(unit: &str) -> u64 {
    match unit {
        "" | "ms" => 1,
        "s" => 1_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        other => panic!("{other} is not a unit of a limit"),
    }
}

/// A value as a constant in the code has it.
fn coded_value(expression: &str) -> u64 {
    let factor = if expression.contains("from_secs") {
        1_000
    } else {
        1
    };
    let expression = expression
        .trim_start_matches("Duration::from_millis(")
        .trim_start_matches("Duration::from_secs(")
        .trim_end_matches(')')
        .replace('_', "");
    let (number, shift) = expression
        .split_once(" << ")
        .unwrap_or((&expression, "0"));
    (factor * number.parse::<u64>().unwrap()) << shift.parse::<u32>().unwrap()
}

/// A number with commas between thousands.
fn written(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups
        .map(|it| std::str::from_utf8(it).unwrap())
        .collect();
    groups.join(",")
}

#[test]
fn limits_page_says_what_the_code_says() {
    let _alone = alone();
    let page = read("docs/limits.md");
    let (mut listed, mut made) = (BTreeSet::new(), String::new());
    for line in page.lines() {
        if !line.starts_with("| ") || !line.contains("` in `") {
            writeln!(made, "{line}").unwrap();
            continue;
        }
        let (limit, rest) = line
            .trim_start_matches("| ")
            .split_once(" | ")
            .unwrap();
        let place = rest
            .trim_end_matches([' ', '|'])
            .rsplit(" | ")
            .next()
            .unwrap();
        let (name, file) = place
            .trim_matches('`')
            .split_once("` in `")
            .unwrap();
        let code = read(file);
        let in_rust = code.split_once(&format!("const {name}: "));
        let in_python = code.split_once(&format!("\n{name} = "));
        let expression = match (in_rust, in_python) {
            (Some((_, rest)), _) => {
                rest.split_once(" = ")
                    .unwrap()
                    .1
                    .split_once(';')
                    .unwrap()
                    .0
            }
            (None, Some((_, rest))) => rest.lines().next().unwrap(),
            (None, None) => panic!("{file} has no {name}"),
        };
        let unit = limit
            .split_once(' ')
            .map_or("", |(_, unit)| unit);
        let (value, factor) = (coded_value(expression), factor(unit));
        assert_eq!(value % factor, 0, "{line} needs a smaller unit");
        let limit = format!("{} {unit}", written(value / factor));
        writeln!(made, "| {} | {rest}", limit.trim_end()).unwrap();
        assert!(
            listed.insert((name.to_owned(), file.to_owned())),
            "{name} occurs twice"
        );
    }
    bless::check("docs/limits.md", &made);
    assert!(listed.len() > 30, "{} limits", listed.len());
}

/// The limits that pages of rules name: the page, what it says, its unit, and the constant.
const ON_PAGES: [[&str; 5]; 4] = [
    [
        "record/unreadable",
        "the limit is {} for `state.json`",
        "MiB",
        "MAX_RECORD_BYTES",
        "src/store/read/limits.rs",
    ],
    [
        "record/unreadable",
        "{} for `events.jsonl` as a whole",
        "GiB",
        "MAX_TIMELINE_BYTES",
        "src/store/read/limits.rs",
    ],
    [
        "record/unreadable",
        "may have {} keys and values",
        "",
        "MAX_VALUES",
        "src/ground/document.rs",
    ],
    [
        "strict/learn",
        "a line longer than {}",
        "MiB",
        "MAX_RECORD_BYTES",
        "src/store/read/limits.rs",
    ],
];

#[test]
fn pages_of_rules_name_the_limits_of_the_code() {
    for [page, sentence, unit, name, file] in ON_PAGES {
        let code = read(file);
        let (_, rest) = code
            .split_once(&format!("const {name}: "))
            .unwrap();
        let expression = rest
            .split_once(" = ")
            .unwrap()
            .1
            .split_once(';')
            .unwrap()
            .0;
        let limit = format!("{} {unit}", written(coded_value(expression) / factor(unit)));
        let sentence = sentence.replace("{}", limit.trim_end());
        let text = read(&format!("src/judge/rules/{page}.md"));
        let text = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(text.contains(&sentence), "{page} says that {sentence}");
    }
}
