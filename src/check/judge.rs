//! One episode -> its report: load, run every rule, locate, sort.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use super::locate::Locator;
use super::{Check, tidy};
use crate::digest::Digest;
use crate::facts::{Recorded, Run, UNKNOWN_REACH};
use crate::finding::{
    EpisodeReport, Finding, Lifecycle, Location, Related, RuleInfo, STILL_CHANGING, Severity, Skip,
    is_valid,
};
use crate::load::{self, Buffers, Loaded};
use crate::rule::{Check as RuleCheck, Draft, Findings, Need, Record, Rule};
use crate::rules;
use crate::source::Artifact;
use crate::store::{self, EpisodeDir, Files, Movement};

/// Judges an episode, and takes from the same reading of it what else is wanted.
pub(super) fn episode<R>(
    check: &Check,
    episode: &EpisodeDir,
    files: &Files<'_>,
    buffers: &mut Buffers,
    also: impl FnOnce(&Run<'_>) -> R,
) -> (EpisodeReport, R) {
    load::episode(files, episode.id.as_deref(), buffers, |mut loaded| {
        let mut drafts = Vec::new();
        let mut skips = std::mem::take(&mut loaded.skips);
        for (rule, level) in rules::ALL.iter().zip(&check.levels) {
            let Some(severity) = level.severity() else {
                skips.retain(|skip| skip.rule != rule.info.id);
                continue;
            };
            let findings = Findings {
                info: &rule.info,
                severity,
                count: 0,
                drafts: &mut drafts,
                skips: &mut skips,
            };
            judge(rule, &loaded, findings);
        }
        let id = loaded
            .run
            .id
            .as_ref()
            .map_or_else(|| episode.name.clone(), |(id, _)| id.clone().into_owned());
        let findings = locate(drafts, &loaded, &episode.path, &id);
        let (state, summary) = (loaded.run.state.read(), loaded.run.summary.read());
        let report = EpisodeReport {
            id,
            dir: store::display(&episode.path),
            path: episode.path.clone(),
            lifecycle: loaded.run.lifecycle,
            mode: summary
                .and_then(|summary| summary.0.text(&["flags", "mode"]))
                .map(Cow::into_owned),
            adapter: state
                .and_then(|state| state.0.text(&["episode", "using"]))
                .map(Cow::into_owned),
            valid: is_valid(&findings),
            findings,
            skipped: tidy(skips),
            suppressed: Vec::new(),
        };
        (report, also(loaded.run))
    })
}

/// Holds back what may be wrong only because records of two generations were read, and says so.
/// What rests on records that stood still, stands.
pub(super) fn hold_back(report: &mut EpisodeReport, movement: &Movement) {
    if movement.is_none() {
        return;
    }
    let (findings, skips) = (&mut report.findings, &mut report.skipped);
    findings.retain(|finding| {
        let rule = rules::ALL.iter().find(|rule| rule.info.id == finding.rule);
        let artifact = Path::new(&finding.location.file)
            .file_name()
            .and_then(OsStr::to_str);
        let artifact = artifact.and_then(Artifact::from_file_name);
        let rests_on = rule
            .zip(artifact)
            .and_then(|(rule, artifact)| rule.rests_on(artifact));
        let stands = rests_on.is_some_and(|artifacts| !movement.touches(artifacts));
        if !stands {
            skips.push(Skip::new(&*finding.rule, &STILL_CHANGING));
        }
        stands
    });
    report.valid = is_valid(&report.findings);
    report.skipped = tidy(std::mem::take(&mut report.skipped));
}

/// Judges one rule, or says why it can't be judged.
fn judge(rule: &Rule, loaded: &Loaded<'_, '_>, mut findings: Findings<'_>) {
    let run = loaded.run;
    for record in rule.reads {
        if let Err(Some(reason)) = read(run, *record) {
            findings.skip(reason);
        }
    }
    // A rule that lacks several things gives the first reason.
    let records: &[Record] = match rule.check {
        RuleCheck::Loading(_) | RuleCheck::Run(_) => &[],
        RuleCheck::State(_) => &[Record::State],
        RuleCheck::Summary(_) => &[Record::Summary],
        RuleCheck::Records(_) => &[Record::State, Record::Summary],
        RuleCheck::StateTimeline(_) => &[Record::State, Record::Timeline],
        RuleCheck::SummaryTimeline(_) => &[Record::Summary, Record::Timeline],
    };
    let lacking = records
        .iter()
        .map(|record| read(run, *record))
        .find_map(Result::err);
    let lacking = lacking.or_else(|| {
        rule.needs
            .iter()
            .find_map(|need| unmet(run, *need))
            .map(Some)
    });
    if let Some(reason) = lacking {
        if let Some(reason) = reason {
            findings.skip(reason);
        }
        return;
    }
    let (state, summary, timeline) = (run.state.read(), run.summary.read(), run.timeline.read());
    match (&rule.check, state, summary, timeline) {
        (RuleCheck::Loading(trouble), ..) => {
            for (_, draft) in loaded
                .troubles
                .drafts
                .iter()
                .filter(|(met, _)| met == trouble)
            {
                findings.push(draft.clone());
            }
            findings.count = loaded.troubles.count(*trouble);
        }
        (RuleCheck::Run(check), ..) => check(run, &mut findings),
        (RuleCheck::State(check), Some(state), ..) => check(state, run, &mut findings),
        (RuleCheck::Summary(check), _, Some(summary), _) => check(summary, &mut findings),
        (RuleCheck::Records(check), Some(state), Some(summary), _) => {
            check(state, summary, &mut findings);
        }
        (RuleCheck::StateTimeline(check), Some(state), _, Some(timeline)) => {
            check(state, timeline, run, &mut findings);
        }
        (RuleCheck::SummaryTimeline(check), _, Some(summary), Some(timeline)) => {
            check(summary, timeline, &mut findings);
        }
        _ => {}
    }
    findings.close();
}

/// Whether a record can be judged by; if not, why, unless nothing is amiss with that.
fn read(run: &Run<'_>, record: Record) -> Result<(), Option<String>> {
    fn reason<T>(recorded: &Recorded<T>) -> Result<(), Option<String>> {
        match recorded {
            Recorded::Read(_) => Ok(()),
            Recorded::NotDue => Err(None),
            Recorded::Unjudged(reason) => Err(Some((*reason).into())),
        }
    }
    match record {
        Record::State => reason(&run.state),
        Record::Summary => reason(&run.summary),
        Record::Timeline => reason(&run.timeline),
    }
}

/// Why a condition does not hold.
fn unmet(run: &Run<'_>, need: Need) -> Option<String> {
    match need {
        Need::Lifecycle => (run.lifecycle == Lifecycle::Unknown)
            .then(|| "the records do not tell whether the run has ended".into()),
        Need::WholeTimeline => {
            let line = run.timeline.read()?.broken_line?;
            Some(format!(
                "line {} of events.jsonl is no event, and may have been the one that matters",
                line.number
            ))
        }
        Need::Reach => run.reach().is_none().then(|| UNKNOWN_REACH.into()),
    }
}

/// Finds the bytes of all places, sorts the findings, and gives each its fingerprint.
fn locate(
    drafts: Vec<(&'static RuleInfo, Severity, Draft)>,
    loaded: &Loaded<'_, '_>,
    dir: &Path,
    id: &str,
) -> Vec<Finding> {
    if drafts.is_empty() {
        return Vec::new();
    }
    let mut locator = Locator::default();
    for (.., draft) in &drafts {
        locator.want(&draft.place);
        draft
            .related
            .iter()
            .for_each(|(place, _)| locator.want(place));
    }
    let mut locations = locator.locate(loaded, dir).into_iter();
    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|(info, severity, draft)| Finding {
            rule: info.id.into(),
            severity,
            message: draft.message,
            help: draft.help.unwrap_or_else(|| info.hint.into()),
            fingerprint: String::new(),
            location: locations.next().unwrap_or_default(),
            related: draft
                .related
                .into_iter()
                .map(|(_, message)| Related {
                    message,
                    location: locations.next().unwrap_or_default(),
                })
                .collect(),
        })
        .collect();
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.location.offset, finding.location.length);
        (&a.location.file, key(a), &a.rule, &a.message).cmp(&(
            &b.location.file,
            key(b),
            &b.rule,
            &b.message,
        ))
    });
    let mut met: BTreeMap<Digest, u64> = BTreeMap::new();
    for finding in &mut findings {
        let essence = essence(finding, id);
        let nth = met.entry(essence).or_default();
        finding.fingerprint = Digest::of([essence.bytes(), &nth.to_le_bytes()]).to_string();
        *nth += 1;
    }
    findings
}

/// What of a finding stays the same wherever the episode lies and whatever is written before the
/// place.
fn essence(finding: &Finding, id: &str) -> Digest {
    let place = |location: &Location| {
        let file = Path::new(&location.file).file_name().unwrap_or_default();
        let pointer = location.pointer.as_deref().unwrap_or_default();
        let text = location
            .digest
            .as_ref()
            .map(Digest::bytes)
            .unwrap_or_default();
        Digest::of([file.as_encoded_bytes(), pointer.as_bytes(), text])
    };
    let others = finding
        .related
        .iter()
        .map(|related| place(&related.location));
    let places: Vec<Digest> = std::iter::once(place(&finding.location))
        .chain(others)
        .collect();
    Digest::of(
        [id.as_bytes(), finding.rule.as_bytes()]
            .into_iter()
            .chain(places.iter().map(Digest::bytes)),
    )
}
