//! `record/unreadable`: an artifact exists but can't be read.

use crate::ground::document::MAX_VALUES;
use crate::judge::load::Trouble;
use crate::judge::rule::{Artifact, BuiltIn, Compared, Context, Draft, Level, Place, Rule};
use crate::store::{MAX_RECORD_BYTES, Unreadable};

pub(in crate::judge) static RULE: Rule = Rule::new(BuiltIn {
    id: "record/unreadable",
    level: Level::Error,
    title: "an artifact exists but can't be read",
    hint: "Make it a regular file that the user who runs runvet can read, or remove it.",
    page: include_str!("unreadable.md"),
    check,
});

fn check(ctx: &mut Context<'_>) -> Option<Compared> {
    ctx.troubles(word);
    Compared::when(
        Artifact::ALL
            .into_iter()
            .any(|it| ctx.has(it)),
    )
}

/// The advice on a record or a line beyond a limit.
const SHORTEN: &str = "Keep large outputs in files of their own and name them in the record.";

/// The advice on a link.
const UNLINK: &str = "Put the file itself in place: `git annex get` and `git annex unlock` (or the same of `datalad`), `dvc config cache.type copy` and `dvc checkout`, `cp -L` elsewhere. `--follow-links=DIR` follows links into DIR, such as `.git/annex` or `/nix/store`.";

fn word(trouble: &Trouble) -> Option<Draft> {
    match trouble {
        // A fault of the machine, which another check may not meet.
        Trouble::Unreadable {
            why: Unreadable::Lacking(_),
            ..
        } => None,
        Trouble::Unreadable { artifact, why } => {
            let message = format!("{artifact} can't be read: {why}");
            let fetch = |command| {
                format!(
                    "Fetch the file: `{command}`. Then `--follow-links=DIR` reads it, where DIR is the store."
                )
            };

            let help = match why {
                Unreadable::NotFetched(command) => Some(fetch(command)),
                Unreadable::TooLarge(_) | Unreadable::TooManyValues(_) => Some(SHORTEN.to_owned()),
                Unreadable::Link | Unreadable::Outside | Unreadable::Dangling => {
                    Some(UNLINK.to_owned())
                }
                _ => None,
            };

            let draft = Draft::new(Place::whole(*artifact), message).besides(why);
            Some(draft.help(help))
        }
        Trouble::LineTooLong(line) => {
            let (number, limit) = (line.number, MAX_RECORD_BYTES >> 20);
            let message = format!("line {number} is longer than the limit of {limit} MiB");
            let draft = Draft::new(Place::line_bytes(*line, 0..0), message);
            Some(
                draft
                    .besides(&line.length)
                    .help(Some(SHORTEN.to_owned())),
            )
        }
        Trouble::LineTooFull { line, content } => {
            let number = line.number;
            let message = format!("line {number} has more than {MAX_VALUES} keys and values");
            let draft = Draft::new(Place::line_bytes(*line, 0..0), message);
            Some(
                draft
                    .besides(content)
                    .help(Some(SHORTEN.to_owned())),
            )
        }
        _ => None,
    }
}
