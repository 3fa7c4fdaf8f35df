//! Reports -> a log in SARIF 2.1.0, for code scanning and editors: some results, and a count of the
//! rest.

use std::io::{self, Write};
use std::path::Path;

use serde_json::value::RawValue;

use super::choice::Choice;
use super::json::{json, json_list, json_object};
use super::{Closing, Renderer};
use crate::ground::finding::{
    self, EpisodeReport, Finding, Level, RuleInfo, Severity, Tool, Unjudged,
};
use crate::ground::printable::in_address;
use crate::store::path;

/// The address of the SARIF schema.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The address of runvet's sources; empty if `Cargo.toml` names no repository.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The maximum number of results: GitHub keeps no more of a run, and refuses a run with more than
/// 25,000.
const MAX_RESULTS: usize = 5_000;

/// The maximum number of tags of a rule: GitHub refuses a rule with more.
const MAX_TAGS: usize = 20;

/// The maximum number of notifications about faults and rules that could not be judged. They come
/// after all results and are held until then; the rest are counted.
const MAX_NOTIFICATIONS: usize = 1_000;

pub(super) struct Sarif {
    rules: Vec<RuleInfo>,
    results: Choice,
    notifications: Vec<Box<RawValue>>,
    unjudged: u64,
}

impl Sarif {
    pub(super) fn new(rules: Vec<RuleInfo>) -> Self {
        Self {
            rules,
            results: Choice::new(MAX_RESULTS),
            notifications: Vec::new(),
            unjudged: 0,
        }
    }

    fn result_of(
        &self,
        episode: &EpisodeReport,
        finding: &Finding,
        suppressions: &[Box<RawValue>],
    ) -> Box<RawValue> {
        let related = finding
            .related
            .iter()
            .map(|it| location(episode, &it.location, Some(&it.message)));
        let text = format!("{}. {}", finding.message, finding.help);

        json_object([
            ("ruleId", json(&finding.rule)),
            ("ruleIndex", json(&self.index(&finding.rule))),
            ("level", json(&finding.severity)),
            ("message", message(&text)),
            (
                "locations",
                json(&[location(episode, &finding.location, None)]),
            ),
            ("relatedLocations", json_list(related)),
            (
                "partialFingerprints",
                json_object([("runvet/v1", json(&finding.fingerprint))]),
            ),
            // Written even if empty: if one result has the property, all must have it.
            ("suppressions", json(&suppressions)),
        ])
    }

    fn index(&self, rule: &str) -> Option<usize> {
        self.rules
            .iter()
            .position(|info| info.id == rule)
    }
}

impl Renderer for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\n \"tool\":"
        )?;

        let tool = Tool::this();
        let driver = json_object([
            ("name", json(&tool.name)),
            ("semanticVersion", json(&tool.version)),
            (
                "informationUri",
                json(&(!REPOSITORY.is_empty()).then_some(REPOSITORY)),
            ),
            (
                "rules",
                json(
                    &self
                        .rules
                        .iter()
                        .map(rule)
                        .collect::<Vec<_>>(),
                ),
            ),
        ]);
        write!(out, "{}", json_object([("driver", driver)]))?;

        out.write_all(b",\n \"columnKind\":\"unicodeCodePoints\",\n \"results\":[")
    }

    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        for finding in &episode.findings {
            let result = self
                .result_of(episode, finding, &[])
                .to_string();
            self.results
                .add(finding.severity, &finding.rule, 1, result);
        }

        for suppressed in &episode.suppressed {
            let justification = suppressed
                .reason
                .as_deref()
                .unwrap_or("listed in the baseline");
            let suppression = json_object([
                ("kind", json("external")),
                ("justification", json(justification)),
            ]);
            let finding = &suppressed.finding;
            let result = self.result_of(episode, finding, &[suppression]);
            let group = format!("suppressed {}", finding.rule);
            self.results
                .add(finding.severity, &group, 1, result.to_string());
        }

        for Unjudged { reason, rules, .. } in episode.unjudged() {
            self.unjudged += 1;
            if self.notifications.len() < MAX_NOTIFICATIONS {
                let text = format!("Not judged: {} ({reason})", rules.join(", "));
                let place = episode.key.as_path();
                self.notifications
                    .push(notification("warning", &text, Some(place)));
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, closing: &Closing<'_>) -> io::Result<()> {
        let (results, unlisted) = self.results.in_order();
        for (index, result) in results.iter().enumerate() {
            let separator = if index == 0 { "\n  " } else { ",\n  " };
            write!(out, "{separator}{result}")?;
        }

        let mut notifications: Vec<_> = closing
            .faults
            .iter()
            .take(MAX_NOTIFICATIONS)
            .map(|it| notification("error", &it.message, Some(Path::new(&it.path))))
            .collect();
        self.notifications
            .truncate(MAX_NOTIFICATIONS - notifications.len());
        notifications.append(&mut self.notifications);
        if unlisted > 0 {
            let text = format!("{unlisted} results are not listed: of each rule, some are");
            notifications.insert(0, notification("warning", &text, None));
        }

        out.write_all(b"],\n \"invocations\":[")?;
        // The numbers count also what no notification lists.
        let properties = json_object([
            ("faults", json(&closing.faults.len())),
            ("unjudged", json(&self.unjudged)),
            ("unlisted", json(&unlisted)),
            ("not_judged", json(&closing.totals.not_judged)),
        ]);
        let invocation = json_object([
            ("executionSuccessful", json(&closing.is_complete)),
            ("toolExecutionNotifications", json(&notifications)),
            ("properties", properties),
        ]);
        write!(out, "{invocation}")?;

        out.write_all(b"]}]}\n")
    }
}

/// Returns the description of a rule.
fn rule(info: &RuleInfo) -> Box<RawValue> {
    let title: String = info
        .title
        .chars()
        .take(1)
        .flat_map(char::to_uppercase)
        .chain(info.title.chars().skip(1))
        .chain(['.'])
        .collect();
    // Without a page, the name that `runvet explain` takes.
    let address = (info.address()).unwrap_or_else(|| format!("urn:runvet:rule:{}", info.id));
    // The level of its findings; for a rule that is off by default, once it is enabled.
    let level = info
        .level
        .severity()
        .unwrap_or(Severity::Warning);
    let tags = info
        .tags
        .get(..MAX_TAGS)
        .unwrap_or(&info.tags);
    let properties = (!tags.is_empty()).then(|| json_object([("tags", json(tags))]));

    json_object([
        ("id", json(&info.id)),
        ("shortDescription", json_object([("text", json(&title))])),
        (
            "help",
            json_object([("text", json(&info.hint)), ("markdown", json(&info.page))]),
        ),
        ("helpUri", json(&address)),
        (
            "defaultConfiguration",
            json_object([
                ("level", json(&level)),
                ("enabled", json(&(info.level != Level::Off))),
            ]),
        ),
        ("properties", json(&properties)),
    ])
}

/// Returns a message, escaped so that `[text](target)` is not a link.
fn message(text: &str) -> Box<RawValue> {
    json_object([("text", json(&text.replace("](", "]\\u{28}")))])
}

fn notification(level: &str, text: &str, path: Option<&Path>) -> Box<RawValue> {
    let place = path.map(|path| {
        let artifact = json_object([("uri", json(&uri(path)))]);
        let physical = json_object([("artifactLocation", artifact)]);
        json_object([("physicalLocation", physical)])
    });

    json_object([
        ("level", json(level)),
        ("message", message(text)),
        ("locations", json_list(place)),
    ])
}

fn location(episode: &EpisodeReport, at: &finding::Location, says: Option<&str>) -> Box<RawValue> {
    let region = || {
        Some(json_object([
            ("startLine", json(&at.line?)),
            ("startColumn", json(&at.column?)),
            ("endLine", json(&at.end_line?)),
            ("endColumn", json(&at.end_column?)),
            ("byteOffset", json(&at.offset?)),
            ("byteLength", json(&at.length?)),
        ]))
    };

    let path = match at.artifact {
        Some(artifact) => episode
            .key
            .as_path()
            .join(artifact.file_name()),
        // The report was read back from JSON, which has no artifact.
        None => at.file.clone().into(),
    };

    let uri = uri(path.strip_prefix(".").unwrap_or(&path));
    let physical = json_object([
        ("artifactLocation", json_object([("uri", json(&uri))])),
        ("region", json(&region())),
    ]);
    // The pointer to the whole document is empty, so it is not a name.
    let logical = at
        .pointer
        .as_deref()
        .filter(|pointer| !pointer.is_empty())
        .map(|name| json_object([("fullyQualifiedName", json(name))]));

    json_object([
        ("physicalLocation", physical),
        ("logicalLocations", json_list(logical)),
        ("message", json(&says.map(message))),
    ])
}

/// Returns the URI of a path: relative if the path is, with all reserved characters escaped.
fn uri(path: &Path) -> String {
    let scheme = if path.is_absolute() { "file://" } else { "" };
    format!("{scheme}{}", in_address(path::bytes(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_keeps_every_byte_of_a_path() {
        let uri_of = |path: &[u8]| uri(&path::from_bytes(path.to_vec()));
        assert_eq!(uri_of(b"runs/ep_1/state.json"), "runs/ep_1/state.json");
        assert_eq!(uri_of(b"/runs/ep 1"), "file:///runs/ep%201");
        assert_eq!(
            uri_of(b"c:/a?b#c%20\xff\xc3\xa9"),
            "c%3A/a%3Fb%23c%2520%FF%C3%A9"
        );
        assert_eq!(uri_of(b"../ep"), "../ep");
    }
}
