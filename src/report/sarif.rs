//! Reports -> a log in SARIF 2.1.0, for code scanning and editors: some results, and a count of the
//! rest.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::choice::Choice;
use super::json::write_json;
use super::{Closing, Renderer};
use crate::finding::{
    self, EpisodeReport, Finding, Level, ReportedFault, RuleInfo, Severity, Tool, Unjudged,
};
use crate::printable::in_address;
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
    notifications: Vec<Notification>,
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

    fn add(&mut self, of: &Finding, group: &str, result: &SarifResult<'_>) -> io::Result<()> {
        let mut text = Vec::new();
        write_json(&mut text, result)?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        self.results.add(of.severity, group, 1, text);
        Ok(())
    }

    fn result_of<'r>(
        &self,
        episode: &EpisodeReport,
        finding: &'r Finding,
        suppressions: Vec<SarifSuppression<'r>>,
    ) -> SarifResult<'r> {
        let related = finding.related.iter();
        let related =
            related.map(|related| location(episode, &related.location, Some(&related.message)));
        SarifResult {
            rule_id: &finding.rule,
            rule_index: self.index(&finding.rule),
            level: finding.severity.word(),
            message: message(&format!("{}. {}", finding.message, finding.help)),
            locations: [location(episode, &finding.location, None)],
            related_locations: related.collect(),
            partial_fingerprints: Fingerprints {
                runvet: &finding.fingerprint,
            },
            suppressions,
        }
    }

    fn index(&self, rule: &str) -> Option<usize> {
        self.rules.iter().position(|info| info.id == rule)
    }
}

impl Renderer for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\n \"tool\":"
        )?;
        let tool = Tool::this();
        let information_uri = (!REPOSITORY.is_empty()).then_some(REPOSITORY);
        let rules = self.rules.iter().map(SarifRule::of).collect();
        let driver = Driver {
            name: &tool.name,
            semantic_version: &tool.version,
            information_uri,
            rules,
        };
        write_json(out, &SarifTool { driver })?;
        out.write_all(b",\n \"columnKind\":\"unicodeCodePoints\",\n \"results\":[")
    }

    fn episode(&mut self, _: &mut dyn Write, episode: &EpisodeReport) -> io::Result<()> {
        for finding in &episode.findings {
            let result = self.result_of(episode, finding, Vec::new());
            self.add(finding, &finding.rule, &result)?;
        }
        for suppressed in &episode.suppressed {
            let justification = suppressed
                .reason
                .as_deref()
                .unwrap_or("listed in the baseline");
            let suppression = SarifSuppression {
                kind: "external",
                justification,
            };
            let finding = &suppressed.finding;
            let result = self.result_of(episode, finding, vec![suppression]);
            self.add(finding, &format!("suppressed {}", finding.rule), &result)?;
        }
        for Unjudged { reason, rules, .. } in episode.unjudged() {
            self.unjudged += 1;
            if self.notifications.len() < MAX_NOTIFICATIONS {
                let message = message(&format!("Not judged: {} ({reason})", rules.join(", ")));
                let notification = Notification {
                    level: "warning",
                    message,
                    locations: vec![whole(uri(episode.key.as_path()))],
                };
                self.notifications.push(notification);
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
        let (faults, unjudged) = (closing.faults.iter(), &mut self.notifications);
        let mut notifications: Vec<Notification> =
            faults.take(MAX_NOTIFICATIONS).map(fault).collect();
        unjudged.truncate(MAX_NOTIFICATIONS - notifications.len());
        notifications.append(unjudged);
        if unlisted > 0 {
            let text = format!("{unlisted} results are not listed: of each rule, some are");
            notifications.insert(
                0,
                Notification {
                    level: "warning",
                    message: message(&text),
                    locations: Vec::new(),
                },
            );
        }
        out.write_all(b"],\n \"invocations\":[")?;
        let invocation = Invocation {
            execution_successful: closing.is_complete,
            tool_execution_notifications: &notifications,
            properties: Properties {
                faults: closing.faults.len(),
                unjudged: self.unjudged,
                unlisted,
            },
        };
        write_json(out, &invocation)?;
        out.write_all(b"]}]}\n")
    }
}

#[derive(Serialize)]
struct SarifTool<'r> {
    driver: Driver<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'r> {
    name: &'r str,
    semantic_version: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_uri: Option<&'static str>,
    rules: Vec<SarifRule<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule<'r> {
    id: &'r str,
    short_description: SarifMessage,
    help: Help<'r>,
    help_uri: String,
    default_configuration: Configuration,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<RuleProperties<'r>>,
}

#[derive(Serialize)]
struct RuleProperties<'r> {
    tags: &'r [String],
}

#[derive(Serialize)]
struct Help<'r> {
    text: &'r str,
    markdown: &'r str,
}

#[derive(Serialize)]
struct Configuration {
    /// The level of its findings; for a rule that is off by default, once it is enabled.
    level: &'static str,
    enabled: bool,
}

impl<'r> SarifRule<'r> {
    fn of(info: &'r RuleInfo) -> Self {
        let first = info.title.chars().take(1).flat_map(char::to_uppercase);
        let title = first
            .chain(info.title.chars().skip(1))
            .chain(['.'])
            .collect();
        Self {
            id: &info.id,
            short_description: SarifMessage { text: title },
            help: Help {
                text: &info.hint,
                markdown: &info.page,
            },
            // Without a page, the name that `runvet explain` takes.
            help_uri: (info.address()).unwrap_or_else(|| format!("urn:runvet:rule:{}", info.id)),
            properties: (!info.tags.is_empty()).then(|| RuleProperties {
                tags: info.tags.get(..MAX_TAGS).unwrap_or(&info.tags),
            }),
            default_configuration: Configuration {
                level: info.level.severity().unwrap_or(Severity::Warning).word(),
                enabled: info.level != Level::Off,
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'r> {
    rule_id: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: SarifMessage,
    locations: [SarifLocation<'r>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<SarifLocation<'r>>,
    partial_fingerprints: Fingerprints<'r>,
    /// Written even if empty: if one result has the property, all must have it.
    suppressions: Vec<SarifSuppression<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'r> {
    execution_successful: bool,
    tool_execution_notifications: &'r [Notification],
    properties: Properties,
}

#[derive(Serialize)]
struct Properties {
    /// The number of faults, and of reasons why rules could not be judged: also of those that no
    /// notification lists.
    faults: usize,
    unjudged: u64,
    /// The number of results that are not listed.
    unlisted: u64,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: SarifMessage,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<SarifLocation<'static>>,
}

#[derive(Serialize)]
struct SarifSuppression<'r> {
    kind: &'static str,
    justification: &'r str,
}

#[derive(Serialize)]
struct Fingerprints<'r> {
    #[serde(rename = "runvet/v1")]
    runvet: &'r str,
}

#[derive(Serialize)]
struct SarifMessage {
    text: String,
}

#[derive(Serialize)]
struct SarifLocation<'r> {
    #[serde(rename = "physicalLocation")]
    physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Vec::is_empty")]
    logical: Vec<LogicalLocation<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifMessage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u64,
    end_line: u64,
    end_column: u64,
    byte_offset: u64,
    byte_length: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'r> {
    fully_qualified_name: &'r str,
}

/// Returns a message, escaped so that `[text](target)` is not a link.
fn message(text: &str) -> SarifMessage {
    SarifMessage {
        text: text.replace("](", "]\\u{28}"),
    }
}

fn fault(fault: &ReportedFault) -> Notification {
    Notification {
        level: "error",
        message: message(&fault.message),
        locations: vec![whole(uri(Path::new(&fault.path)))],
    }
}

fn whole(uri: String) -> SarifLocation<'static> {
    let physical = PhysicalLocation {
        artifact_location: ArtifactLocation { uri },
        region: None,
    };
    SarifLocation {
        physical,
        logical: Vec::new(),
        message: None,
    }
}

fn location<'r>(
    episode: &EpisodeReport,
    at: &'r finding::Location,
    says: Option<&str>,
) -> SarifLocation<'r> {
    let region = || {
        Some(Region {
            start_line: at.line?,
            start_column: at.column?,
            end_line: at.end_line?,
            end_column: at.end_column?,
            byte_offset: at.offset?,
            byte_length: at.length?,
        })
    };
    let path = match at.artifact {
        Some(artifact) => episode.key.as_path().join(artifact.file_name()),
        // The report was read back from JSON, which has no artifact.
        None => at.file.clone().into(),
    };
    let mut location = whole(uri(path.strip_prefix(".").unwrap_or(&path)));
    location.physical.region = region();
    // The pointer to the whole document is empty, so it is not a name.
    let pointer = at.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    location.logical = pointer
        .into_iter()
        .map(|name| LogicalLocation {
            fully_qualified_name: name,
        })
        .collect();
    location.message = says.map(message);
    location
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
