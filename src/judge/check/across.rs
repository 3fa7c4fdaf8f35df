//! The timelines of many runs -> what rules find that look at all of them in the order of time.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use super::Checker;
use crate::ground::document::{Kind, Node, Tape};
use crate::ground::draft::{Compared, Draft, Drafted, FindingMemory, Findings};
use crate::ground::finding::{Severity, SkipKind, SkipReason};
use crate::ground::parallel::in_order;
use crate::ground::source::{Artifact, EpisodeKey, Line, Place};
use crate::ground::timestamp::{Instant, Timestamp};
use crate::judge::rule::TeamCheck;
use crate::policy::team::{EventText, RunValues, TeamJudges};
use crate::store::{Artifacts as _, Directory, EpisodeDir, LineRead, Lines, MAX_RECORD_BYTES};

/// The number of events that are kept for such rules.
const MAX_EVENTS: usize = 2_000_000;

/// The reason where only a part of the runs is looked at.
pub(super) const APART: SkipReason = SkipReason::new(
    SkipKind::Missing,
    "it judges all runs together, and this check does not look at whole run-data directories",
);

/// What rules over all runs find in each.
#[derive(Debug)]
pub(crate) struct AcrossRuns {
    found: BTreeMap<(TeamCheck, String), Vec<Draft>>,
    /// The limits that rules met.
    met: BTreeMap<TeamCheck, SkipReason>,
}

/// An event that such a rule may name.
struct AcrossEvent {
    time: Option<Instant>,
    /// The place of its run.
    run: usize,
    line: Line,
    text: Box<[u8]>,
}

impl AcrossRuns {
    /// Reads the timelines of runs; `None` where no rule looks at all of them.
    pub(crate) fn of(checker: &Checker, runs: &[EpisodeDir], jobs: NonZeroUsize) -> Option<Self> {
        let judges = checker.team().across()?;
        let checks = judges.checks_across();
        let keys: Vec<EpisodeKey> = runs.iter().map(EpisodeDir::key).collect();
        let mut across = Self {
            found: BTreeMap::new(),
            met: BTreeMap::new(),
        };
        let numbered: Vec<(usize, &EpisodeDir)> = runs.iter().enumerate().collect();
        let mut events = Vec::new();
        in_order(
            &numbered,
            jobs,
            || (),
            |(), (run, episode)| events_of(checker, &judges, *run, episode),
            |of_run| {
                events.extend(of_run);
                if events.len() > MAX_EVENTS {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        if events.len() > MAX_EVENTS {
            let why = format!("it looks at more than {MAX_EVENTS} events of all runs");
            let met = |check| (check, SkipReason::bound(&why));
            across.met = checks.into_iter().map(met).collect();
            return Some(across);
        }
        let bytes = |run: usize| {
            keys.get(run)
                .map(|key| key.as_path().as_os_str().as_encoded_bytes())
        };
        events.sort_by(|a, b| {
            let order = |it: &AcrossEvent| (it.time.is_some(), bytes(it.run), it.line);
            a.time.cmp(&b.time).then_with(|| order(a).cmp(&order(b)))
        });
        across.judge(judges, &checks, &events, &keys);
        Some(across)
    }

    fn judge(
        &mut self,
        mut judges: TeamJudges,
        checks: &[TeamCheck],
        events: &[AcrossEvent],
        keys: &[EpisodeKey],
    ) {
        let index = std::sync::Arc::clone(&judges.index);
        let mut tape = Tape::default();
        for (number, event) in (1..).zip(events) {
            let Ok(document) = tape.read_record(&event.text) else {
                continue;
            };
            let line = Line {
                number,
                length: event.text.len(),
                ..Line::BEFORE_ALL
            };
            let view = index.view(line, EventText::Parsed(document.root()));
            let values = RunValues {
                state: Ok(None),
                summary: Ok(None),
                run: None,
                counted: None,
            };
            if event.time.is_some() {
                judges.event(&view, &values);
                continue;
            }
            for check in checks {
                if judges.is_about(*check, &view) {
                    let why =
                        "the event has no instant, so it has no place among those of all runs";
                    let draft = Draft::new(Place::event(line, ""), why);
                    self.add(*check, draft, events, keys);
                }
            }
        }
        for check in checks {
            self.note(&judges, *check, events, keys);
        }
    }

    /// Notes what a rule found.
    fn note(
        &mut self,
        judges: &TeamJudges,
        check: TeamCheck,
        events: &[AcrossEvent],
        keys: &[EpisodeKey],
    ) {
        let (mut memory, mut drafts) = (FindingMemory::new(""), Vec::new());
        let mut skips = Vec::new();
        let severity = Severity::Error;
        let mut findings = Findings::new("", 0, severity, &mut memory, &mut drafts, &mut skips);
        let _ = judges
            .judge(check)
            .and_then(|judge| judge.report(None, &mut findings));
        for Drafted { draft, .. } in drafts {
            self.add(check, draft, events, keys);
        }
        if let Some(skip) = skips.into_iter().next() {
            self.met.insert(check, SkipReason::bound(&skip.reason));
        }
    }

    /// Adds a finding to those of its run.
    fn add(
        &mut self,
        check: TeamCheck,
        mut draft: Draft,
        events: &[AcrossEvent],
        keys: &[EpisodeKey],
    ) {
        let event = |place: &Place| {
            let number = usize::try_from(place.line?.number).ok()?;
            events.get(number.checked_sub(1)?)
        };
        let Some((run, line)) = event(&draft.place).map(|event| (event.run, event.line)) else {
            return;
        };
        draft.place.line = Some(line);
        // What is related in another run has no place in the report of this one.
        draft.related.retain_mut(|(place, _)| {
            let other = event(place).filter(|other| other.run == run);
            place.line = other.map(|other| other.line);
            other.is_some()
        });
        if let Some(key) = keys.get(run) {
            let of_run = self.found.entry((check, key.to_string())).or_default();
            of_run.push(draft);
        }
    }

    /// Reports what a rule found in a run.
    pub(super) fn report(
        &self,
        check: TeamCheck,
        run: &str,
        findings: &mut Findings<'_>,
    ) -> Option<Compared> {
        let found = self.found.get(&(check, run.to_owned()));
        for draft in found.into_iter().flatten() {
            findings.push(draft.clone());
        }
        if let Some(met) = self.met.get(&check) {
            findings.skip(met);
        }
        Compared::when(found.is_some())
    }
}

/// Returns the events of a run that rules over all runs may name. That a timeline, or a line of it,
/// can't be read is a finding of another rule.
fn events_of(
    checker: &Checker,
    judges: &TeamJudges,
    run: usize,
    episode: &EpisodeDir,
) -> Vec<AcrossEvent> {
    let mut events = Vec::new();
    let links = checker.settings.links.clone();
    let directory = Directory::open(episode, links).ok();
    let opened = directory
        .as_ref()
        .and_then(|it| it.open(Artifact::Events).ok());
    let Some(opened) = opened else {
        return events;
    };
    let mut timeline = Lines::new(opened, Vec::new(), MAX_RECORD_BYTES);
    let mut tape = Tape::default();
    while let Ok(Some(read)) = timeline.next_line_with(|| ()) {
        let LineRead::Text { line, bytes, .. } = read else {
            continue;
        };
        let Ok(document) = tape.read_record(bytes) else {
            continue;
        };
        let root = document.root();
        let is_repeated = || {
            let repeated = root.at(&["payload", "x-repeated"]);
            repeated.is_some_and(|it| it.kind() == Kind::True)
        };
        if root.kind() != Kind::Object || is_repeated() {
            continue;
        }
        let view = judges.index.view(line, EventText::Parsed(root));
        if judges.concerns(&view) {
            let time = root.get("timestamp").and_then(Node::text);
            let time = time.and_then(|text| Timestamp::parse(&text));
            events.push(AcrossEvent {
                time: time.map(Timestamp::exact),
                run,
                line,
                text: bytes.into(),
            });
        }
    }
    events
}
