//! `record/unreadable`: an artifact exists but can't be read.

use crate::document::MAX_VALUES;
use crate::draft::Draft;
use crate::finding::Level;
use crate::load::Trouble;
use crate::rule::{BuiltIn, Check, Rule};
use crate::rules::examined;
use crate::source::Place;
use crate::store::{MAX_RECORD_BYTES, Unreadable};

pub(crate) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/unreadable",
    level: Level::Error,
    title: "an artifact exists but can't be read",
    hint: "Make it a regular file that the user who runs runvet can read, or remove it.",
    page: include_str!("unreadable.md"),
    check: Check::Loading(word, examined::artifacts),
});

/// What to do about a record or a line beyond a limit.
const SHORTEN: &str = "Keep large outputs in files of their own and name them in the record.";

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        // A fault of the machine, which another check may not meet.
        Trouble::Unreadable {
            why: Unreadable::Lacking(_),
            ..
        } => None,
        Trouble::Unreadable { artifact, why } => {
            let message = format!("{artifact} can't be read: {why}");
            let is_beyond = matches!(why, Unreadable::TooLarge(_) | Unreadable::TooManyValues(_));
            let draft = Draft::new(Place::whole(*artifact), message).besides(why);
            Some(draft.help(is_beyond.then(|| SHORTEN.to_owned())))
        }
        Trouble::LineTooLong(line) => {
            let message = format!(
                "line {} is longer than the limit of {} MiB",
                line.number,
                MAX_RECORD_BYTES >> 20
            );
            let draft = Draft::new(Place::line_bytes(*line, 0..0), message);
            Some(draft.besides(&line.length).help(Some(SHORTEN.to_owned())))
        }
        Trouble::LineTooFull { line, content } => {
            let number = line.number;
            let message = format!("line {number} has more than {MAX_VALUES} keys and values");
            let draft = Draft::new(Place::line_bytes(*line, 0..0), message);
            Some(draft.besides(content).help(Some(SHORTEN.to_owned())))
        }
        _ => None,
    }
}
