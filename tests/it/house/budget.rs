//! Each room of `src/` keeps to its budget of lines of code, which ARCHITECTURE.md lists.

use std::collections::BTreeMap;
use std::fs;

use crate::support::markdown::root;
use crate::support::sources::{code, sources};

/// The number of lines by which a room may stay below its budget: what is saved is not spent
/// unseen.
const SLACK: usize = 20;

/// The lines of code in each room: no blank lines, no comments, no tests.
fn rooms() -> BTreeMap<String, usize> {
    let mut rooms = BTreeMap::new();
    for (file, text) in sources() {
        if file.ends_with("/tests.rs") || text.contains("#![cfg(test)]") {
            continue;
        }
        let room = file.trim_start_matches("src/").split(['/', '.']).next();
        let code = code(&text);
        let lines = code.lines().filter(|line| !line.trim().is_empty());
        *rooms.entry(room.unwrap().to_owned()).or_default() += lines.count();
    }
    rooms
}

/// The rows of the table of budgets.
fn budgets() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text.split_once("## Budgets").expect("a section on budgets");
    let rows = section.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (room, lines) = (cells.next()?, cells.next()?);
        Some((room.trim_matches('`').to_owned(), lines.parse().ok()?))
    });
    rows.collect()
}

#[test]
fn rooms_keep_to_their_budgets() {
    let (rooms, budgets) = (rooms(), budgets());
    let mut wrong = Vec::new();
    for (room, lines) in &rooms {
        match budgets.get(room) {
            None => wrong.push(format!("{room} has {lines} lines and no budget")),
            Some(budget) if lines > budget => wrong.push(format!(
                "{room} has {lines} lines, above its budget of {budget}: make it smaller, or raise the budget and say why in the commit"
            )),
            Some(budget) if lines + SLACK < *budget => wrong.push(format!(
                "{room} has {lines} lines, well below its budget of {budget}: lower the budget"
            )),
            Some(_) => {}
        }
    }
    let gone = budgets.keys().filter(|room| !rooms.contains_key(*room));
    wrong.extend(gone.map(|room| format!("{room} has a budget and does not exist")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
