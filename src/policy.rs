//! What a team declares -> its schemas, vocabularies, rules and orders, ready to judge events.
//!
//! In come TOML files, packs and schema files; out comes a team's policy, or all mistakes in it
//! with their places. [`config_file`] reads a user's TOML file and explains its mistakes,
//! [`expression`] parses and evaluates the expressions of rules, within limits, and [`team`] has
//! the declarations and the judges, which follow a timeline event by event.
//!
//! Nothing here reads run data: a judge gets events and answers with drafts of findings.

pub(crate) mod config_file;
pub(crate) mod expression;
pub(crate) mod team;
