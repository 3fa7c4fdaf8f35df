//! The timelines of many runs -> what rules find that look at all of them in the order of time.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use super::Checker;
use crate::ground::Own;
use crate::ground::document::{Kind, Node, OwnedDocument, Tape};
use crate::ground::draft::{Compared, Draft, Findings};
use crate::ground::finding::{MAX_FINDINGS_PER_RULE, SkipKind, SkipReason};
use crate::ground::parallel::in_order;
use crate::ground::source::{Artifact, EpisodeKey, Line, Place};
use crate::ground::timestamp::{Instant, Timestamp};
use crate::judge::load::Attachments;
use crate::judge::rule::TeamCheck;
use crate::policy::team::{EventText, RunValues, TeamJudges};
use crate::store::{Artifacts as _, EpisodeDir, LineRead, Lines, MAX_RECORD_BYTES, OpenEpisode};

/// The number of events that are kept for such rules, and of their bytes.
const MAX_EVENTS: usize = 2_000_000;
const MAX_BYTES: usize = 1 << 30;

/// The number of events after which findings are shared out to their runs: no more than a rule
/// lists of one run.
const STRETCH: u64 = 256;

/// The reason where only a part of the runs is looked at.
pub(super) const APART: SkipReason = SkipReason::new(
    SkipKind::Missing,
    "it judges all runs together, and this check does not look at whole run-data directories",
);

/// What rules over all runs find in each.
#[derive(Debug)]
pub(crate) struct AcrossRuns {
    found: BTreeMap<(TeamCheck, String), FoundInRun>,
    /// The limits that rules met.
    met: BTreeMap<TeamCheck, SkipReason>,
}

/// What a rule finds in one run.
#[derive(Debug, Default)]
struct FoundInRun {
    drafts: Vec<Draft>,
    /// The number of findings beyond those that are listed.
    more: usize,
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
        let keys: Vec<EpisodeKey> = runs
            .iter()
            .map(EpisodeDir::key)
            .collect();
        let mut across = Self {
            found: BTreeMap::new(),
            met: BTreeMap::new(),
        };

        let numbered: Vec<(usize, &EpisodeDir)> = runs.iter().enumerate().collect();
        let (mut events, mut held) = (Vec::new(), Held::default());
        in_order(
            &numbered,
            jobs,
            || (),
            |(), (run, episode)| events_of(checker, &judges, *run, episode),
            |of_run| {
                for event in &of_run {
                    held.take(event);
                }

                events.extend(of_run);
                if held.limit().is_some() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        if let Some(limit) = held.limit() {
            let why = format!("it looks at more than {limit} of all runs");
            let met = |check| (check, SkipReason::bound(&why));
            across.met = checks.into_iter().map(met).collect();
            return Some(across);
        }

        let bytes = |run: usize| {
            keys.own(run)
                .as_path()
                .as_os_str()
                .as_encoded_bytes()
        };

        events.sort_by(|a, b| {
            let order = |it: &AcrossEvent| (it.time.is_some(), bytes(it.run), it.line);
            a.time
                .cmp(&b.time)
                .then_with(|| order(a).cmp(&order(b)))
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
            } else {
                for check in checks
                    .iter()
                    .filter(|check| judges.is_about(**check, &view))
                {
                    let why =
                        "the event has no instant, so it has no place among those of all runs";
                    let draft = Draft::new(Place::event(line, ""), why);
                    self.add(*check, draft, events, keys);
                }
            }

            if number % STRETCH == 0 {
                self.share_out(&mut judges, checks, events, keys);
            }
        }

        self.share_out(&mut judges, checks, events, keys);
    }

    /// Notes what rules found so far, each finding with its run, so that a run has those of its
    /// own however many there are in others.
    fn share_out(
        &mut self,
        judges: &mut TeamJudges,
        checks: &[TeamCheck],
        events: &[AcrossEvent],
        keys: &[EpisodeKey],
    ) {
        for check in checks {
            self.note(judges, *check, events, keys);
        }
        judges.forget_findings();
    }

    /// Notes what a rule found.
    fn note(
        &mut self,
        judges: &TeamJudges,
        check: TeamCheck,
        events: &[AcrossEvent],
        keys: &[EpisodeKey],
    ) {
        let reported = judges.reported(check, None);
        for draft in reported.drafts {
            self.add(check, draft, events, keys);
        }

        if let Some(skip) = reported.skips.into_iter().next() {
            self.met
                .insert(check, SkipReason::bound(&skip.reason));
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

        let of_run = self
            .found
            .entry((check, keys.own(run).to_string()))
            .or_default();
        if of_run.drafts.len() < MAX_FINDINGS_PER_RULE {
            of_run.drafts.push(draft);
        } else {
            of_run.more += 1;
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
        if let Some(FoundInRun { drafts, more }) = found {
            for draft in drafts {
                findings.push(draft.clone());
            }
            findings.more(*more);
        }

        if let Some(met) = self.met.get(&check) {
            findings.skip(met);
        }

        Compared::when(found.is_some())
    }
}

/// The events that are kept.
#[derive(Default)]
struct Held {
    events: usize,
    bytes: usize,
}

impl Held {
    fn take(&mut self, event: &AcrossEvent) {
        self.events += 1;
        self.bytes += event.text.len();
    }

    /// Returns the limit that they exceed.
    fn limit(&self) -> Option<String> {
        if self.events > MAX_EVENTS {
            return Some(format!("{MAX_EVENTS} events"));
        }
        (self.bytes > MAX_BYTES).then(|| format!("{} MiB of events", MAX_BYTES >> 20))
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
    let (mut events, mut held) = (Vec::new(), Held::default());
    let Ok(directory) = OpenEpisode::open(episode, checker.settings.links.clone()) else {
        return events;
    };
    let Ok(opened) = directory.open(Artifact::Events) else {
        return events;
    };
    let attachments = Attachments::new(&directory, judges);
    let mut timeline = Lines::new(opened, Vec::new(), MAX_RECORD_BYTES);
    let mut tape = Tape::default();

    while held.limit().is_none()
        && let Ok(Some(read)) = timeline.next_line_with(|| ())
    {
        let LineRead::Text { line, bytes, .. } = read else {
            continue;
        };
        let Ok(document) = tape.read_record(bytes) else {
            continue;
        };
        let root = document.root();
        let is_repeated = || {
            root.at(&["payload", "x-repeated"])
                .is_some_and(|it| it.kind() == Kind::True)
        };

        if root.kind() != Kind::Object || is_repeated() {
            continue;
        }

        let whole = attachments.whole(root);
        let root = whole
            .as_ref()
            .map_or(root, OwnedDocument::root);
        let view = judges
            .index
            .view(line, EventText::Parsed(root));
        if judges.concerns(&view) {
            let time = root
                .get("timestamp")
                .and_then(Node::text)
                .and_then(|text| Timestamp::parse(&text));
            let event = AcrossEvent {
                time: time.map(Timestamp::exact),
                run,
                line,
                text: root.document().text().as_bytes().into(),
            };

            held.take(&event);
            events.push(event);
        }
    }

    events
}
