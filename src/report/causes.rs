//! Findings of all episodes -> their causes: those with the same rule, place and kind of mistake.

use crate::ground::finding::{EpisodeReport, Finding, Severity};
use crate::ground::source::Artifact;
use std::collections::BTreeMap;

/// The maximum number of causes that are kept; run data chooses how many there are.
const MAX_CAUSES: usize = 2_000;

/// The findings of each cause.
#[derive(Default)]
pub(super) struct Causes {
    known: BTreeMap<SharedCause, CauseFindings>,
    /// The number of findings of causes that are not kept.
    pub(super) others: u64,
}

/// The properties common to findings that most likely come from one mistake in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SharedCause {
    severity: Severity,
    rule: String,
    /// The name of the file.
    file: String,
    /// The pointer, in which `*` stands for the indices of arrays.
    pointer: Option<String>,
    /// The message without the values that it shows.
    mistake: String,
}

/// The findings of one cause, or of one rule.
pub(super) struct CauseFindings {
    pub(super) findings: u64,
    pub(super) runs: u64,
    /// The directory of the first, and the first.
    pub(super) dir: String,
    pub(super) first: Finding,
}

impl Causes {
    pub(super) fn add(&mut self, episode: &EpisodeReport) {
        let mut causes: BTreeMap<SharedCause, (u64, &Finding)> = BTreeMap::new();
        for finding in episode.by_weight() {
            let (number, _) = causes
                .entry(SharedCause::of(finding))
                .or_insert((0, finding));
            *number += 1;
        }

        for (cause, (number, first)) in causes {
            if self.known.len() >= MAX_CAUSES && !self.known.contains_key(&cause) {
                self.others += number;
                continue;
            }

            let found = self
                .known
                .entry(cause)
                .or_insert_with(|| CauseFindings::new(episode, first));
            found.findings += number;
            found.runs += 1;
        }
    }

    /// Takes all of them, those of most runs first, then those of most findings.
    pub(super) fn take(&mut self) -> Vec<CauseFindings> {
        let mut all: Vec<CauseFindings> = std::mem::take(&mut self.known)
            .into_values()
            .collect();
        all.sort_by_key(|found| std::cmp::Reverse((found.runs, found.findings)));
        all
    }
}

impl SharedCause {
    fn of(finding: &Finding) -> Self {
        let location = &finding.location;
        let name = location
            .file
            .rsplit('/')
            .next()
            .unwrap_or_default();

        Self {
            severity: finding.severity,
            rule: finding.rule.clone(),
            file: name.to_owned(),
            pointer: location
                .pointer
                .as_deref()
                .map(without_indices),
            mistake: without_values(&finding.message),
        }
    }
}

impl CauseFindings {
    /// Returns findings of which none is counted yet.
    pub(super) fn new(episode: &EpisodeReport, first: &Finding) -> Self {
        Self {
            findings: 0,
            runs: 0,
            dir: episode.dir.clone(),
            first: first.clone(),
        }
    }

    /// Returns the lines of the configuration that ignore them, but for the reason.
    pub(super) fn ignore(&self) -> Vec<String> {
        let file = self
            .first
            .location
            .artifact
            .map(Artifact::file_name);
        let pointer = self
            .first
            .location
            .pointer
            .as_deref()
            .map(without_indices);
        let pointer = pointer
            .as_deref()
            .filter(|it| !it.is_empty());
        let keys = [
            ("rule", Some(&*self.first.rule)),
            ("episode", Some("**")),
            ("file", file),
            ("pointer", pointer),
            ("reason", Some("")),
        ];
        // A JSON string is one of TOML too.
        let line = |(key, value)| Some(format!("{key} = {}", serde_json::Value::from(value?)));
        let lines = keys.into_iter().filter_map(line);

        std::iter::once("[[ignore]]".to_owned())
            .chain(lines)
            .collect()
    }
}

/// Returns a JSON Pointer in which `*` stands for each index.
fn without_indices(pointer: &str) -> String {
    let is_index = |token: &str| {
        !token.is_empty()
            && token
                .bytes()
                .all(|it| it.is_ascii_digit())
    };

    pointer
        .split('/')
        .map(|token| if is_index(token) { "*" } else { token })
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns a message without the texts in double quotes and the digits in it.
fn without_values(message: &str) -> String {
    let (mut kind, mut is_quoted) = (String::new(), false);
    for c in message.chars() {
        if c == '"' {
            is_quoted = !is_quoted;
        }
        let shown = if c.is_ascii_digit() { '0' } else { c };
        let is_repeated = shown == '0' && kind.ends_with('0');
        if !is_quoted && !is_repeated {
            kind.push(shown);
        }
    }

    kind
}

#[cfg(test)]
mod tests {
    use super::{without_indices, without_values};

    #[test]
    fn values_and_indices_do_not_matter() {
        assert_eq!(without_indices("/a/10/b~1c/0"), "/a/*/b~1c/*");
        assert_eq!(without_indices(""), "");
        let one = without_values(r#"`a[1]` is "x", not "y", on line 7"#);
        assert_eq!(
            one,
            without_values(r#"`a[23]` is "", not "z", on line 110"#)
        );
        assert_ne!(one, without_values(r#"`b[1]` is "x", not "y", on line 7"#));
    }
}
