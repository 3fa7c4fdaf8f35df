//! One episode -> its report: load, run every rule, locate, sort.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::locate::Locator;
use super::{Check, causes, tidy};
use crate::digest::Digest;
use crate::facts::{Recorded, Run, UNKNOWN_LIFECYCLE, UNKNOWN_REACH};
use crate::finding::{
    CAUSE, Card, EpisodeReport, Finding, Lifecycle, Location, Related, RuleInfo, STILL_CHANGING,
    Skip, SkipReason,
};
use crate::load::{self, Buffers, Loaded, Trouble};
use crate::outline::Listening;
use crate::rule::{Check as RuleCheck, Draft, Drafted, Findings, Need, Record, Room, Rule};
use crate::rules;
use crate::source::{Artifact, EpisodeKey, Place};
use crate::store::{Artifacts, Movement};

/// The rule that says what can't be read.
const UNREADABLE: &str = "record/unreadable";

/// The names of an episode.
pub(super) struct Identity<'e> {
    /// Its location.
    pub(super) key: EpisodeKey,
    /// Its id, if that is known before its records are read.
    pub(super) id: Option<&'e str>,
    /// Its id if nothing else gives one.
    pub(super) name: &'e str,
}

/// Checks an episode, and lets `also` use all that was loaded for it.
pub(super) fn episode<R>(
    check: &Check,
    episode: Identity<'_>,
    files: &dyn Artifacts,
    listening: Option<Listening<'_>>,
    buffers: &mut Buffers,
    also: impl FnOnce(&Loaded<'_, '_>) -> R,
) -> (EpisodeReport, R) {
    let wanted = check.wanted;
    load::episode(files, episode.id, wanted, listening, buffers, |loaded| {
        let dir = episode.key.to_string();
        let (mut drafts, mut skips) = drafts(check, &loaded, &dir);
        if loaded.troubles.lacking().is_some() {
            skips.push(Skip::lacking(UNREADABLE));
        }
        let causes = add_causes(&mut drafts, &loaded);
        let id = loaded.run.stage.id.as_ref().map_or_else(
            || episode.name.to_owned(),
            |(id, _)| id.clone().into_owned(),
        );
        let findings = locate(drafts, &causes, &loaded, &episode.key, &id);
        let (state, summary) = (loaded.run.state.read(), loaded.run.summary.read());
        let mut report = EpisodeReport {
            id,
            dir,
            key: episode.key,
            lifecycle: loaded.run.stage.lifecycle,
            mode: summary
                .and_then(|summary| summary.text(&["flags", "mode"]))
                .map(Cow::into_owned),
            adapter: state
                .and_then(|state| state.text(&["episode", "using"]))
                .map(Cow::into_owned),
            valid: None,
            findings,
            skipped: tidy(skips),
            suppressed: Vec::new(),
            suppressed_skips: Vec::new(),
            card: check.keeps_cards.then(|| Box::new(card(&loaded))),
        };
        report.decide();
        (report, also(&loaded))
    })
}

/// Adds the causes of findings to them, and returns the places of all causes.
fn add_causes(drafts: &mut [Drafted], loaded: &Loaded<'_, '_>) -> Vec<Place> {
    let mut causes = causes::of_violations(drafts);
    if let Some(timeline) = loaded.run.timeline.read()
        && !(drafts.is_empty() || timeline.slips.is_empty())
    {
        causes.append(&mut causes::add(drafts, &timeline.slips));
    }
    causes
}

/// What the rules find in an episode in a directory, and what they could not judge.
fn drafts(check: &Check, loaded: &Loaded<'_, '_>, dir: &str) -> (Vec<Drafted>, Vec<Skip>) {
    let standings = Standings::new(loaded);
    let (mut drafts, mut skips) = (Vec::new(), Vec::new());
    let mut room = Room::new(dir);
    let is_sound = loaded.troubles.by_sort.is_empty() && standings.are_all_judged();
    for (rule, level) in rules::ALL.iter().zip(&check.levels) {
        let Some(severity) = level.severity() else {
            continue;
        };
        let is_of_loading = matches!(rule.check, RuleCheck::Loading(_));
        if is_sound && is_of_loading && rule.needs.is_empty() {
            continue;
        }
        let findings = Findings {
            info: &rule.info,
            severity,
            count: 0,
            listed: 0,
            room: &mut room,
            drafts: &mut drafts,
            skips: &mut skips,
        };
        judge(rule, loaded, &standings, findings);
    }
    (drafts, skips)
}

/// What a list of runs shows of an episode.
fn card(loaded: &Loaded<'_, '_>) -> Card {
    Card::of(
        loaded.state.text.as_ref().ok().map(|text| text.root()),
        loaded.summary.text.as_ref().ok().map(|text| text.root()),
    )
}

/// Replaces findings that may be wrong, because the records of two generations were read, by skips.
/// Findings that depend only on unchanged records stay.
pub(super) fn hold_back(report: &mut EpisodeReport, movement: &Movement) {
    if movement.is_none() {
        return;
    }
    let (findings, skips) = (&mut report.findings, &mut report.skipped);
    findings.retain(|finding| {
        let rule = rules::ALL.iter().find(|rule| rule.info.id == finding.rule);
        let rests_on = rule
            .zip(finding.location.artifact)
            .and_then(|(rule, artifact)| rule.rests_on(artifact));
        let holds = rests_on.is_some_and(|artifacts| !movement.touches(artifacts));
        if !holds {
            skips.push(Skip::new(&*finding.rule, &STILL_CHANGING));
        }
        holds
    });
    report.skipped = tidy(std::mem::take(&mut report.skipped));
    report.decide();
}

/// Checks one rule, or says why it can't be checked.
fn judge(
    rule: &Rule,
    loaded: &Loaded<'_, '_>,
    standings: &Standings<'_>,
    mut findings: Findings<'_>,
) {
    let run = loaded.run;
    if !standings.lack_nothing {
        for record in rule.reads {
            if let Recorded::Unjudged(reason) = standings.of(*record) {
                findings.skip(reason);
            }
        }
        // If a rule lacks several things, only the first is reported.
        for record in rule.check.records() {
            match standings.of(*record) {
                Recorded::Read(()) => {}
                Recorded::NotDue => return,
                Recorded::Unjudged(reason) => return findings.skip(reason),
            }
        }
        if let Some(reason) = rule.needs.iter().find_map(|need| unmet(run, *need)) {
            return findings.skip(&reason);
        }
    }
    match (&rule.check, &run.state, &run.summary, &run.timeline) {
        (RuleCheck::Loading(word), ..) => loading(*word, loaded, &mut findings),
        (RuleCheck::Run(check), ..) => check(run, &mut findings),
        (RuleCheck::State(check), Recorded::Read(state), ..) => {
            check(*state, &run.stage, &mut findings);
        }
        (RuleCheck::Summary(check), _, Recorded::Read(summary), _) => {
            check(*summary, &mut findings);
        }
        (RuleCheck::Records(check), Recorded::Read(state), Recorded::Read(summary), _) => {
            check(*state, *summary, &mut findings);
        }
        (RuleCheck::StateTimeline(check), Recorded::Read(state), _, Recorded::Read(timeline)) => {
            check(*state, timeline, &run.stage, &mut findings);
        }
        (
            RuleCheck::SummaryTimeline(check),
            _,
            Recorded::Read(summary),
            Recorded::Read(timeline),
        ) => check(*summary, timeline, &mut findings),
        _ => {}
    }
    findings.close();
}

/// Turns troubles into findings of a rule. All troubles of one sort belong to one rule.
fn loading(
    word: fn(&Trouble) -> Option<Draft>,
    loaded: &Loaded<'_, '_>,
    findings: &mut Findings<'_>,
) {
    for troubles in &loaded.troubles.by_sort {
        let before = findings.count;
        troubles
            .met
            .iter()
            .filter_map(word)
            .for_each(|draft| findings.push(draft));
        if findings.count > before {
            findings.more(troubles.more);
        }
    }
}

/// Whether each record can be judged by, and if not, why: asked once for all rules.
struct Standings<'l> {
    state: Recorded<()>,
    summary: Recorded<()>,
    timeline: Recorded<()>,
    loaded: &'l Loaded<'l, 'l>,
    /// Whether no rule lacks anything, as in most runs that have ended.
    lack_nothing: bool,
}

impl<'l> Standings<'l> {
    fn new(loaded: &'l Loaded<'l, 'l>) -> Self {
        let run = loaded.run;
        let mut standings = Self {
            state: run.state.as_ref().map(|_| ()),
            summary: run.summary.as_ref().map(|_| ()),
            timeline: run.timeline.as_ref().map(|_| ()),
            loaded,
            lack_nothing: false,
        };
        let records = [&standings.state, &standings.summary, &standings.timeline];
        let are_read = records.map(|record| matches!(record, Recorded::Read(())));
        standings.lack_nothing = are_read == [true; 3]
            && standings.are_all_judged()
            && Need::ALL.into_iter().all(|need| unmet(run, need).is_none());
        standings
    }

    /// Whether there is no record that can't be judged.
    fn are_all_judged(&self) -> bool {
        let loaded = self.loaded;
        [
            &self.state,
            &self.summary,
            &self.timeline,
            &loaded.state.shape,
            &loaded.summary.shape,
            &loaded.learn.lines,
            &loaded.manifest.files,
        ]
        .into_iter()
        .all(|record| !matches!(record, Recorded::Unjudged(_)))
    }

    fn of(&self, record: Record) -> &Recorded<()> {
        match record {
            Record::State => &self.state,
            Record::Summary => &self.summary,
            Record::Timeline | Record::EveryEvent | Record::EventIds => &self.timeline,
            Record::StateShape => &self.loaded.state.shape,
            Record::SummaryShape => &self.loaded.summary.shape,
            Record::LearnLines => &self.loaded.learn.lines,
            Record::NamedFiles => &self.loaded.manifest.files,
        }
    }
}

/// Why a condition does not hold; `None` if it holds.
fn unmet(run: &Run<'_>, need: Need) -> Option<SkipReason> {
    match need {
        Need::Lifecycle => (run.stage.lifecycle == Lifecycle::Unknown).then_some(UNKNOWN_LIFECYCLE),
        Need::WholeTimeline => {
            let line = run.timeline.read()?.broken_line?;
            Some(SkipReason::no_event(line.number))
        }
        Need::Reach => (!run.timeline.read()?.has_reach()).then_some(UNKNOWN_REACH),
    }
}

/// The place of a rule among all rules, which have their places after [`CAUSE`].
fn rank(info: &RuleInfo) -> usize {
    let place = rules::ALL
        .iter()
        .position(|rule| std::ptr::eq(&raw const rule.info, info));
    place.map_or(CAUSE, |place| place + 1)
}

/// Finds the bytes of all places, sorts the findings, and gives each its fingerprint.
fn locate(
    drafts: Vec<Drafted>,
    causes: &[Place],
    loaded: &Loaded<'_, '_>,
    key: &EpisodeKey,
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
            .chain(&draft.causes)
            .for_each(|(place, _)| locator.want(place));
    }
    let mut locations = locator.locate(loaded, key).into_iter();
    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|drafted| {
            let (info, _, draft) = &drafted;
            let rank = if causes.contains(&draft.place) {
                CAUSE
            } else {
                rank(info)
            };
            located(drafted, rank, &mut locations, id)
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
    tell_apart(&mut findings);
    findings
}

/// Makes the fingerprints of findings differ that have the same one.
fn tell_apart(findings: &mut [Finding]) {
    let mut met: BTreeMap<String, u64> = BTreeMap::new();
    for finding in findings {
        let nth = met.entry(finding.fingerprint.clone()).or_default();
        let parts = [finding.fingerprint.as_bytes(), &nth.to_le_bytes()];
        finding.fingerprint = Digest::of(parts).to_string();
        *nth += 1;
    }
}

/// A finding at its places, the next ones, with the fingerprint of all that are alike.
fn located(
    (info, severity, draft): Drafted,
    rank: usize,
    locations: &mut impl Iterator<Item = Location>,
    id: &str,
) -> Finding {
    let location = locations.next().unwrap_or_default();
    let mut related = |places: Vec<(Place, String)>| -> Vec<Related> {
        let messages = places.into_iter().map(|(_, message)| message);
        let related = messages.map(|message| Related {
            message,
            location: locations.next().unwrap_or_default(),
        });
        related.collect()
    };
    let mut finding = Finding {
        rank,
        rule: info.id.into(),
        severity,
        message: draft.message,
        help: draft.help.unwrap_or_else(|| info.hint.into()),
        fingerprint: String::new(),
        location,
        related: related(draft.related),
    };
    finding.fingerprint = identity(&finding, id, &draft.besides).to_string();
    finding.related.extend(related(draft.causes));
    finding
}

/// What names a finding: what stays the same when the episode moves, keys change places, or text is
/// added before the place.
fn identity(finding: &Finding, id: &str, besides: &str) -> Digest {
    let place = |location: &Location| {
        let file = location.artifact.map_or("", Artifact::file_name);
        let pointer = location.pointer.as_deref().unwrap_or_default();
        let text = location
            .digest
            .as_ref()
            .map(Digest::bytes)
            .unwrap_or_default();
        Digest::of([file.as_bytes(), pointer.as_bytes(), text])
    };
    let others = finding
        .related
        .iter()
        .map(|related| place(&related.location));
    let places: Vec<Digest> = std::iter::once(place(&finding.location))
        .chain(others)
        .collect();
    Digest::of(
        [id, &*finding.rule, besides]
            .map(str::as_bytes)
            .into_iter()
            .chain(places.iter().map(Digest::bytes)),
    )
}
