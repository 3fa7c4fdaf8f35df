//! The wings of `src/` have one order, and every import goes to an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::markdown::read;
use crate::support::sources::{code, sources};

/// Every wing of `src/`, the lowest first, as the architecture lists them. A wing may import those
/// before it.
fn wings() -> Vec<String> {
    let architecture = read("ARCHITECTURE.md");
    let (_, table) = architecture
        .split_once("| wing | rooms | what it does |")
        .unwrap();
    table
        .lines()
        .skip(2)
        .take_while(|row| row.starts_with('|'))
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split("`src/").skip(1))
        .map(|path| {
            path.split('.')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// The files of the crate but those of tests.
fn production() -> impl Iterator<Item = (String, String)> {
    sources()
        .into_iter()
        .filter(|(file, text)| !file.ends_with("/tests.rs") && !text.contains("#![cfg(test)]"))
}

/// A module of the crate, as the parts of its path: `["facts", "plan", "compare"]`.
type Module<'s> = Vec<&'s str>;

fn module(file: &str) -> Module<'_> {
    let path = file
        .trim_start_matches("src/")
        .trim_end_matches(".rs");
    path.split('/').collect()
}

/// A path that code names: the module that it starts at, and the first name after that.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named<'s> {
    from: Module<'s>,
    name: &'s str,
}

/// What code names by paths that start with `crate::` or `super::`.
fn named<'s>(module: &[&'s str], code: &'s str) -> Vec<Named<'s>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = ["crate::", "super::"];
    let mut found = Vec::new();
    for (at, start) in starts
        .iter()
        .flat_map(|start| code.match_indices(start))
        .filter(|(at, _)| !code[..*at].ends_with("::") && !code[..*at].ends_with(is_word))
    {
        let mut from = if start == "crate::" {
            Vec::new()
        } else {
            module[..module.len() - 1].to_vec()
        };
        let mut rest = &code[at + start.len()..];
        while let Some(above) = rest.strip_prefix("super::") {
            from.pop();
            rest = above;
        }
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(group) => outermost(group),
            None => vec![rest],
        };
        for name in names {
            let name = name
                .trim_start()
                .split(|c| !is_word(c))
                .next()
                .unwrap();
            if !name.is_empty() && name != "self" {
                let from = from.clone();
                found.push(Named { from, name });
            }
        }
    }
    found
}

/// The items of a group of imports, up to its closing brace: each as the rest of the text from it.
fn outermost(group: &str) -> Vec<&str> {
    let mut items = vec![group];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(&group[at + 1..]),
            _ => {}
        }
    }
    items
}

/// For each module with children: what the parent re-exports or imports from which child.
fn children_that_define(files: &BTreeMap<String, String>) -> BTreeMap<(Module<'_>, &str), &str> {
    let mut defined = BTreeMap::new();
    for (file, text) in files {
        let parent = module(file);
        for line in text.split(';') {
            let Some((_, path)) = line.rsplit_once("use ") else {
                continue;
            };
            let Some((child, names)) = path.split_once("::") else {
                continue;
            };
            let is_child = files.contains_key(&format!("src/{}/{child}.rs", parent.join("/")));
            if is_child {
                for name in names.split(|c: char| !c.is_alphanumeric() && c != '_') {
                    defined.insert((parent.clone(), name), child);
                }
            }
        }
    }
    defined
}

#[test]
fn every_import_goes_to_an_earlier_wing() {
    let mut wrong = Vec::new();
    let wings = wings();
    let place = |wing: &str| {
        wings
            .iter()
            .position(|known| *known == wing)
    };
    for (file, text) in production() {
        let module = module(&file);
        let own = place(module[0]).unwrap_or_else(|| panic!("{file}: add it to ARCHITECTURE.md"));
        for Named { from, name } in named(&module, &code(&text)) {
            let top = from.first().copied().unwrap_or(name);
            match place(top) {
                None => wrong.push(format!(
                    "{file} imports `{top}` through the crate's root, but must name its wing"
                )),
                Some(imported) if imported > own => wrong.push(format!(
                    "{file} imports {top}, which comes after {} in ARCHITECTURE.md",
                    module[0]
                )),
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_a_module_do_not_import_in_circles() {
    // A path from the crate's root is one from the wing on, for a file of that wing.
    let files: BTreeMap<String, String> = production()
        .map(|(file, text)| {
            let module = module(&file);
            let own = format!("crate::{}::", module[0]);
            let up = "super::".repeat(module.len() - 1);
            let code = code(&text).replace(&own, &up);
            (file, code)
        })
        .collect();
    let defined = children_that_define(&files);
    let mut imports: BTreeMap<Module<'_>, BTreeSet<Module<'_>>> = BTreeMap::new();
    for (file, text) in &files {
        let module = module(file);
        for Named { from, name } in named(&module, text) {
            let is_file = files.contains_key(&format!(
                "src/{}.rs",
                [&from[..], &[name]].concat().join("/")
            ));
            let child = if is_file {
                Some(name)
            } else {
                defined
                    .get(&(from.clone(), name))
                    .copied()
            };
            let is_within = module.starts_with(&from) && module.len() > from.len();
            if let (Some(child), true, false) = (child, is_within, from.is_empty()) {
                let file = module[..=from.len()].to_vec();
                let imported = [&from[..], &[child]].concat();
                if file != imported {
                    imports
                        .entry(file)
                        .or_default()
                        .insert(imported);
                }
            }
        }
    }
    while !imports.is_empty() {
        let ends: Vec<Module<'_>> = imports
            .iter()
            .filter(|(_, imported)| {
                imported
                    .iter()
                    .all(|file| !imports.contains_key(file))
            })
            .map(|(file, _)| file.clone())
            .collect();
        assert!(!ends.is_empty(), "files import in circles: {imports:?}");
        imports.retain(|file, _| !ends.contains(file));
    }
}

#[test]
fn names_are_found_in_paths_and_in_groups() {
    let code = "use ^::{a, b::{c, d}, self}; use @::e::F; ^::^::g(); x@::h";
    let code = code
        .replace('^', "super")
        .replace('@', "crate");
    let found = named(&["m", "n", "o"], &code);
    let named = |from: &[&'static str], name| Named {
        from: from.to_vec(),
        name,
    };
    assert_eq!(
        found,
        [
            named(&[], "e"),
            named(&["m", "n"], "a"),
            named(&["m", "n"], "b"),
            named(&["m"], "g"),
        ]
    );
}
