//! What loading found by a team's declarations -> findings.

mod expression;
mod order;

use crate::draft::{Compared, Draft, Findings};
use crate::facts::Usable;
use crate::finding::{SkipKind, SkipReason};
use crate::load::{Declared, FoundBySchema, Loaded, Met, Outside, What};
use crate::source::{Artifact, Pointer};
use crate::team::{Judged, Team};

/// What of a team's declarations a rule checks.
#[derive(Clone, Debug)]
pub(crate) enum TeamCheck {
    /// A schema.
    Schema {
        /// Its place among all.
        index: usize,
        judged: Judged,
        /// Whether the team says what to do about a finding.
        has_help: bool,
    },
    /// An order: its place among all.
    Order(usize),
    /// A rule in the expression language: its place among all.
    Rule(usize),
    /// The vocabularies.
    Vocabulary,
}

impl TeamCheck {
    /// Words what was found; `None` where nothing could be judged.
    pub(crate) fn judge(
        &self,
        loaded: &Loaded<'_, '_>,
        findings: &mut Findings<'_>,
    ) -> Option<Compared> {
        match self {
            Self::Schema {
                index,
                judged,
                has_help,
            } => schema(*index, *judged, *has_help, loaded, findings),
            Self::Order(index) => order::judge(*index, loaded, findings),
            Self::Rule(index) => expression::judge(*index, loaded, findings),
            Self::Vocabulary => vocabulary(loaded, findings),
        }
    }

    /// Words what was found in one event, or in one record, at the moment of its writing.
    pub(crate) fn at_once(&self, team: &Team, declared: &Declared, findings: &mut Findings<'_>) {
        match self {
            Self::Schema {
                index,
                judged,
                has_help,
            } => {
                if let Some(found) = declared.by_schema.get(*index) {
                    by_schema(found, *judged, *has_help, findings);
                }
            }
            Self::Order(index) => order::at_once(*index, team, declared, findings),
            Self::Rule(index) => {
                if let Some(found) = declared.by_rule.get(*index) {
                    expression::by_rule(found, findings);
                }
            }
            Self::Vocabulary => outside(declared, findings),
        }
    }
}

fn schema(
    index: usize,
    judged: Judged,
    has_help: bool,
    loaded: &Loaded<'_, '_>,
    findings: &mut Findings<'_>,
) -> Option<Compared> {
    let found = loaded.declared.by_schema.get(index)?;
    let of_artifact = judged.artifact().and_then(|it| unjudged(it, loaded));
    if let Some(reason) = of_artifact.as_ref().or(found.unjudged.as_ref()) {
        findings.skip(reason);
    }
    by_schema(found, judged, has_help, findings);
    let examined = loaded.declared.examined.schemas.contains(&index);
    Compared::when(examined || !found.met.is_empty())
}

fn by_schema(found: &FoundBySchema, judged: Judged, has_help: bool, findings: &mut Findings<'_>) {
    for Met { place, what } in &found.met {
        let file = place.file_name();
        findings.push(match what {
            What::Violation(violation) => {
                let draft = Draft::new(place.clone(), violation.message(judged.name()));
                draft.help(violation.help().filter(|_| !has_help))
            }
            What::TooMany => {
                let name = judged.name();
                let message = format!("{name} violates its schema in more places than are listed");
                Draft::new(place.clone(), message)
            }
            What::Unusable(why) => {
                Draft::new(place.clone(), format!("{file} can't be judged: {why}"))
            }
            What::Absent => {
                let draft = Draft::new(place.clone(), format!("there is no {file}"));
                draft.help((!has_help).then(|| format!("Write {file}, which the schema expects.")))
            }
        });
    }
    findings.more(found.more);
}

/// Why an artifact, or a part of it, is not judged.
fn unjudged(artifact: Artifact, loaded: &Loaded<'_, '_>) -> Option<SkipReason> {
    let of = |usable: &Usable<()>| match usable {
        Usable::Unjudged(reason) => Some(reason.clone()),
        Usable::Read(()) | Usable::NotDue => None,
    };
    match artifact {
        // What violates the schema of the reference, or is of another version, is there.
        Artifact::State => of(&loaded.state.shape).filter(|_| loaded.state.text.is_err()),
        Artifact::Summary => of(&loaded.summary.shape).filter(|_| loaded.summary.text.is_err()),
        Artifact::Events => of(&loaded.run.timeline.as_ref().map(|_| ())),
        Artifact::Learn => of(&loaded.learn.lines),
        Artifact::Manifest => of(&loaded.manifest.files).filter(|reason| {
            reason.kind != SkipKind::Missing && loaded.manifest.document.is_none()
        }),
    }
}

fn vocabulary(loaded: &Loaded<'_, '_>, findings: &mut Findings<'_>) -> Option<Compared> {
    if !loaded.declared.has_vocabulary {
        return None;
    }
    if let Some(reason) = unjudged(Artifact::Events, loaded) {
        findings.skip(&reason);
        return None;
    }
    outside(loaded.declared, findings);
    Compared::when(loaded.declared.examined.vocabulary)
}

fn outside(declared: &Declared, findings: &mut Findings<'_>) {
    let (outside, more) = declared.outside();
    for value in outside {
        findings.push(draft(value));
    }
    findings.more(more);
}

fn draft(value: &Outside) -> Draft {
    let Outside {
        place,
        shown,
        events,
        nearest,
    } = value;
    let key = place.pointer().map(Pointer::dotted);
    let key = key.unwrap_or_default();
    let also = match events - 1 {
        0 => String::new(),
        1 => ", and 1 more event has this value".to_owned(),
        more => format!(", and {more} more events have this value"),
    };
    let message = format!("`{key}` is {shown}, which the vocabulary lacks{also}");
    let help = nearest
        .as_ref()
        .map(|word| format!("Did you mean {}?", crate::printable::quote(word)));
    Draft::new(place.clone(), message)
        .besides(events)
        .help(help)
}
