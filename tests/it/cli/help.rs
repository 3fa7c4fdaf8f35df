//! Help on the command line: options stand under their own headings.

use std::process::Output;

use crate::support::binary::stdout;
use crate::support::corpus::corpus;
use crate::support::documents::commands;
use crate::support::terminal::{self, Width};

fn demo(args: &[&str]) -> Output {
    terminal::runvet(&corpus().join("demo"), args, Width::Narrow)
}

#[test]
fn heading_of_the_rules_has_their_options_alone() {
    let under = |command: &str| {
        let help = stdout(&demo(&[command, "--help"])).to_owned();
        let (_, rest) = help.split_once("\nRules, baseline and configuration:\n")?;
        let section = rest
            .lines()
            .take_while(|line| line.is_empty() || line.starts_with(' '));
        let names = section.filter(|line| line.trim_start().len() + 6 >= line.len());
        let names = names
            .filter(|line| !line.is_empty())
            .map(str::to_owned);
        Some(names.collect::<Vec<_>>())
    };
    let options = under("coverage").unwrap();
    let mut number = 0;
    for command in commands() {
        if let Some(found) = under(&command) {
            assert_eq!(found, options, "{command}");
            number += 1;
        }
    }
    assert!(number > 8, "{number}");
}
