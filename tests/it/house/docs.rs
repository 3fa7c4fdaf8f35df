//! The documents are true: their tables, outputs, examples, links and names are compared with the
//! code.
//!
//! A fenced block shows by its info string what it is held against:
//!
//! | info string | what the block must be |
//! |---|---|
//! | `console` | if it starts with `$ runvet `: commands, each with what it prints; a line `…` stands for lines left out |
//! | `json report-of=PATH` | the report of the run data at the path |
//! | `LANGUAGE file=FILE` | that file, if it starts with the file's first two lines, else a part of it |
//! | `rust` | in `docs/library.md`, a documentation test of the library |

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use runvet::Schema;
use runvet::gate::all_rules;
use serde_json::Value;

use crate::support::bless;
use crate::support::documents::{alone, commands, documents, help_of, links, runvet};
use crate::support::markdown::{blocks, prose, read, root};

/// The line that stands for lines left out.
const LEFT_OUT: &str = "…";

/// The texts in backticks, outside fenced blocks.
fn code_spans(prose: &str) -> Vec<&str> {
    prose
        .split("\n\n")
        .flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2))
        .collect()
}

/// What a block should show of a text, where a line `…` stands for any number of lines: as many
/// lines as now at the beginning and at the end, and in between those that still occur.
fn abridged(actual: &str, shown: &str) -> String {
    let actual: Vec<&str> = actual.lines().collect();
    let shown: Vec<&str> = shown.lines().collect();
    let parts: Vec<&[&str]> = shown
        .split(|line| *line == LEFT_OUT)
        .collect();
    let [first, between @ .., last] = &parts[..] else {
        return actual.join("\n");
    };
    if first.len() + last.len() > actual.len() {
        return actual.join("\n");
    }
    let (start, rest) = actual.split_at(first.len());
    let (mut rest, end) = rest.split_at(rest.len() - last.len());
    let mut kept = start.to_vec();
    for part in between {
        let at = (0..=rest.len()).find(|start| rest[*start..].starts_with(part));
        if let Some(at) = at {
            kept.push(LEFT_OUT);
            kept.extend(*part);
            rest = &rest[at + part.len()..];
        }
    }
    kept.push(LEFT_OUT);
    kept.extend(end);
    kept.join("\n")
}

/// A block of commands with what they print, as it should be.
fn with_outputs(block: &str) -> String {
    let mut expected = String::new();
    let mut code: Option<i32> = None;
    for part in format!("\n{}", block.trim_end())
        .split("\n$ ")
        .skip(1)
    {
        let (command, shown) = part
            .split_once('\n')
            .unwrap_or((part, ""));
        let printed = if command == "echo $?" {
            code.expect("a command before `echo $?`")
                .to_string()
        } else {
            let output = runvet(
                command
                    .strip_prefix("runvet ")
                    .unwrap_or_else(|| panic!("`{command}` is not run")),
            );
            code = output.status.code();
            String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
        };
        let shown = abridged(printed.trim_end(), shown.trim_end());
        writeln!(expected, "$ {command}\n{shown}").unwrap();
    }
    expected
}

#[test]
fn documents_show_what_runvet_prints() {
    let _alone = alone();
    let mut run = 0;
    for document in documents() {
        let text = read(&document);
        let mut expected = text.clone();
        for block in blocks(&text)
            .into_iter()
            .rev()
            .filter(|block| block.info == "console")
        {
            let shown = &text[block.body.clone()];
            if shown.starts_with("$ runvet ") {
                run += 1;
                let printed = with_outputs(shown);
                if printed != shown {
                    eprintln!("{document} shows\n{shown}\nwhere this is printed\n{printed}");
                }
                expected.replace_range(block.body, &printed);
            }
        }
        bless::check(&document, &expected);
    }
    assert!(run > 0, "no document shows what runvet prints");
}

#[test]
fn documents_show_the_reports_of_runvet() {
    let _alone = alone();
    let mut compared = 0;
    for document in documents() {
        let text = read(&document);
        for block in blocks(&text)
            .iter()
            .filter(|block| block.info.split_whitespace().next() == Some("json"))
        {
            let shown: Value = serde_json::from_str(&text[block.body.clone()])
                .unwrap_or_else(|error| panic!("{document}: a block that is not JSON: {error}"));
            if let Some(path) = block.setting("report-of") {
                let printed = runvet(&format!("validate --format json {path}")).stdout;
                let printed: Value = serde_json::from_slice(&printed).unwrap();
                assert!(
                    printed == shown,
                    "{document}: the report of {path} is\n{printed:#}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no document shows a report");
}

#[test]
fn documents_show_the_files_of_the_repository() {
    let _alone = alone();
    let mut compared = 0;
    for document in documents() {
        let text = read(&document);
        let mut expected = text.clone();
        for block in blocks(&text).into_iter().rev() {
            let Some(file) = block.setting("file") else {
                continue;
            };
            let (shown, whole) = (&text[block.body.clone()], read(file));
            if shown
                .lines()
                .take(2)
                .eq(whole.lines().take(2))
            {
                expected.replace_range(block.body, &whole);
            } else {
                assert!(
                    whole.contains(shown),
                    "{document} shows what is not in {file}:\n{shown}"
                );
            }
            compared += 1;
        }
        bless::check(&document, &expected);
    }
    assert!(compared > 0, "no document shows a file");
}

/// The name by which a link finds a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>()
        .to_lowercase()
        .replace(' ', "-")
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    let _alone = alone();
    let (mut followed, mut wrong) = (0, Vec::new());
    for document in documents() {
        let text = read(&document);
        for link in links(&text)
            .into_iter()
            .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            followed += 1;
            let (file, heading) = link
                .split_once('#')
                .map_or((&*link, None), |(file, heading)| (file, Some(heading)));
            let path = match file {
                "" => PathBuf::from(&document),
                file => Path::new(&document)
                    .parent()
                    .unwrap()
                    .join(file),
            };
            if !root().join(&path).exists() {
                wrong.push(format!("{document}: {link}"));
            } else if let Some(heading) = heading {
                let target = prose(&read(&path.display().to_string()));
                let is_named = target
                    .lines()
                    .any(|line| match line.strip_prefix("<a id=\"") {
                        Some(name) => name.split('"').next() == Some(heading),
                        None => {
                            line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading
                        }
                    });
                if !is_named {
                    wrong.push(format!("{document}: {link}"));
                }
            }
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
    assert!(
        followed > all_rules().count(),
        "the table of rules links the page of every rule"
    );
}

/// What a text in backticks names, if it can be found.
enum Named<'s> {
    /// A file or directory of the repository.
    Path(&'s str),
    /// A test of the test binary `it`: its module and its function.
    Test(&'s str, &'s str),
    /// A target of the Makefile.
    Target(&'s str),
    /// An option of the command line.
    Option(&'s str),
}

/// The file of a module of the test binary `it`, in any of its directories.
fn test_file(module: &str) -> Option<String> {
    let guarantees = fs::read_dir(root().join("tests/it")).unwrap();
    let names = guarantees.map(|entry| {
        entry
            .unwrap()
            .file_name()
            .into_string()
            .unwrap()
    });
    let mut files = names.map(|guarantee| format!("tests/it/{guarantee}/{module}.rs"));
    files.find(|file| root().join(file).is_file())
}

impl<'s> Named<'s> {
    fn of(span: &'s str) -> Option<Self> {
        let is_plain = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_alphanumeric() || "/._-".contains(c))
        };
        let word = span.split_whitespace().next()?;
        if let Some(target) = span
            .strip_prefix("make ")
            .filter(|target| is_plain(target))
        {
            Some(Self::Target(target))
        } else if word.starts_with("--") {
            Some(Self::Option(word.split('=').next()?))
        } else if let Some((module, test)) = span
            .split_once("::")
            .filter(|(a, b)| is_plain(a) && is_plain(b))
        {
            test_file(module)
                .is_some()
                .then_some(Self::Test(module, test))
        } else {
            let first = span.split('/').next()?;
            let is_path =
                span.contains('/') && first != "." && is_plain(span) && root().join(first).is_dir();
            is_path.then_some(Self::Path(span))
        }
    }

    fn is_there(&self, help: &str) -> bool {
        match self {
            Self::Path(path) => root().join(path).exists(),
            Self::Test(module, test) => {
                test_file(module).is_some_and(|file| read(&file).contains(&format!("fn {test}(")))
            }
            Self::Target(target) => read("Makefile")
                .lines()
                .any(|line| line.starts_with(&format!("{target}:"))),
            Self::Option(option) => help
                .split(|c: char| c.is_whitespace() || ",[".contains(c))
                .any(|word| word == *option),
        }
    }
}

/// The help texts of all commands.
fn help() -> String {
    commands()
        .iter()
        .map(|command| help_of(command))
        .collect::<String>()
        + &help_of("")
}

#[test]
fn tables_list_every_command_schema_and_module() {
    let _alone = alone();
    let rows = |document: &str| {
        let text = read(document);
        let rows = text
            .lines()
            .filter(|line| line.starts_with('|'));
        rows.collect::<Vec<_>>().join("\n")
    };
    let (pages, schemas) = (rows("docs/commands.md"), rows("docs/schemas.md"));
    for command in commands() {
        let name = format!("`runvet {command}`");
        assert!(pages.contains(&name), "docs/commands.md lacks {name}");
    }
    for schema in Schema::ALL {
        let row = format!("| [{schema}](");
        assert!(schemas.contains(&row), "docs/schemas.md lacks {row}");
    }
    let (library, modules) = (read("src/lib.rs"), rows("docs/library.md"));
    let declared = library
        .split("\npub mod ")
        .skip(1)
        .map(|declared| declared.split(';').next().unwrap());
    // What a wing holds is public by a group of names.
    let exported = library
        .split("\npub use ")
        .filter_map(|line| {
            line.split_once("::{")?
                .1
                .split('}')
                .next()
        })
        .flat_map(|names| names.split(", "));
    for module in declared.chain(exported) {
        let name = format!("`runvet::{module}`");
        assert!(modules.contains(&name), "docs/library.md lacks {name}");
    }
}

#[test]
fn documents_name_what_exists() {
    let _alone = alone();
    let batch = read("python/runvet/batch/__main__.py").replace(['"', '('], " ");
    let help = help() + &help_of("schema infer") + &batch;
    let mut wrong = Vec::new();
    for document in documents() {
        let prose = prose(&read(&document));
        let spans = code_spans(&prose);
        wrong.extend(
            spans
                .iter()
                .filter(|span| Named::of(span).is_some_and(|named| !named.is_there(&help)))
                .map(|span| format!("{document}: {span}")),
        );
        // A line of the form "`this` in `that/file`" says what is in a file.
        for pair in prose
            .split("` in `")
            .collect::<Vec<_>>()
            .windows(2)
        {
            let text = pair[0].rsplit('`').next().unwrap();
            let file = pair[1].split('`').next().unwrap();
            if root().join(file).is_file() && !read(file).contains(text) {
                wrong.push(format!("{document}: {text} in {file}"));
            }
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn architecture_names_every_stage() {
    let _alone = alone();
    let architecture = read("ARCHITECTURE.md");
    let sources = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let absent: BTreeSet<String> = sources
        .map(|name| format!("`src/{}`", name.to_str().unwrap()))
        .filter(|name| name.ends_with(".rs`") && !architecture.contains(name))
        .collect();
    assert!(
        absent.is_empty(),
        "ARCHITECTURE.md says nothing of {absent:?}"
    );
}

/// Words in a row that two pages may share: a sentence, but no paragraph.
const MAX_SHARED_WORDS: usize = 20;

#[test]
fn no_page_says_what_another_says() {
    // These are made of what is said elsewhere.
    let derived = ["CHANGELOG.md", "docs/options.md", "docs/rules.md"];
    let mut said: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for document in documents()
        .into_iter()
        .filter(|it| !derived.contains(&it.as_str()))
    {
        let text = prose(&read(&document));
        for part in text
            .split("\n\n")
            .flat_map(|it| it.split("\n|"))
        {
            let words = part.split(|c: char| !c.is_alphanumeric());
            let words: Vec<String> = words
                .filter(|it| !it.is_empty())
                .map(str::to_lowercase)
                .collect();
            for run in words.windows(MAX_SHARED_WORDS + 1) {
                let first = said
                    .entry(run.to_vec())
                    .or_insert(document.clone());
                if *first != document {
                    twice.insert(format!("{first} and {document}: {}", run.join(" ")));
                }
            }
        }
    }
    assert!(
        twice.is_empty(),
        "one page should link the other: {twice:#?}"
    );
}
