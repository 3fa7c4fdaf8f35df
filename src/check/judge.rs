//! One episode -> its report: load, run every rule, locate, sort.

use std::borrow::Cow;

use super::{Checker, Settings, causes, coverage, findings, tidy};
use crate::draft::{Compared, Draft, Drafted, FindingMemory, Findings};
use crate::facts::{Run, UNKNOWN_LIFECYCLE, UNKNOWN_REACH, Usable};
use crate::finding::{
    Card, Coverage, EpisodeReport, Level, Lifecycle, STILL_CHANGING, Skip, SkipReason, UNREADABLE,
};
use crate::load::{self, Buffers, Loaded, Trouble};
use crate::outline::Listening;
use crate::rule::{Check, Need, Record, Rule};
use crate::rules::RuleSet;
use crate::source::{EpisodeKey, Place};
use crate::store::{Artifacts, Movement};

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
    checker: &Checker,
    episode: Identity<'_>,
    files: &dyn Artifacts,
    listening: Option<Listening<'_>>,
    buffers: &mut Buffers,
    also: impl FnOnce(&Loaded<'_, '_>) -> R,
) -> (EpisodeReport, R) {
    let levels = &*checker.levels_of(&episode.key);
    let Checker {
        settings, wanted, ..
    } = checker;
    load::episode(files, episode.id, wanted, listening, buffers, |loaded| {
        let dir = episode.key.to_string();
        let is_covered = settings.is_covered();
        let mut coverage = is_covered.then(|| coverage::silent(settings, levels));
        let (mut drafts, mut skips) =
            judge_all(settings, levels, &loaded, &dir, |rule, compared| {
                if let (Some(coverage), Compared::Something) = (&mut coverage, compared) {
                    coverage.insert(rule.info.id.to_string(), Coverage::Sound);
                }
            });
        if loaded.troubles.lacking().is_some() {
            skips.push(Skip::lacking(UNREADABLE));
        }
        if let Some(coverage) = &mut coverage {
            coverage::demand(settings, levels, &loaded, coverage, &mut drafts, &skips);
        }
        let causes = add_causes(&settings.rules, &mut drafts, &loaded);
        let id = loaded.run.stage.id.as_ref().map_or_else(
            || episode.name.to_owned(),
            |(id, _)| id.clone().into_owned(),
        );
        let findings = findings::locate(&settings.rules, drafts, &causes, &id, |places| {
            places.locate(&loaded, &episode.key)
        });
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
            coverage: coverage.filter(|_| settings.keep_coverage),
            card: settings.keep_cards.then(|| Box::new(card(&loaded))),
            is_unchecked: levels.iter().all(|level| *level == Level::Off),
        };
        coverage::cover(&mut report);
        report.decide(|rule| settings.rules.level_of(levels, rule));
        (report, also(&loaded))
    })
}

/// Adds the causes of findings to them, and returns the places of all causes.
fn add_causes(rules: &RuleSet, drafts: &mut [Drafted], loaded: &Loaded<'_, '_>) -> Vec<Place> {
    let mut causes = causes::of_violations(drafts);
    if let Some(timeline) = loaded.run.timeline.read()
        && !(drafts.is_empty() || timeline.slips.is_empty())
    {
        causes.append(&mut causes::add(rules, drafts, &timeline.slips));
    }
    causes
}

/// What the rules find in an episode in a directory, and what they could not judge; passes on
/// whether each rule that could be judged had anything to compare.
fn judge_all(
    settings: &Settings,
    levels: &[Level],
    loaded: &Loaded<'_, '_>,
    dir: &str,
    mut answer: impl FnMut(&Rule, Compared),
) -> (Vec<Drafted>, Vec<Skip>) {
    let standings = Standings::new(loaded);
    let (mut drafts, mut skips) = (Vec::new(), Vec::new());
    let mut memory = FindingMemory::new(dir);
    let is_sound = loaded.troubles.by_sort.is_empty() && standings.are_all_judged();
    for (of, level) in settings.rules.placed().zip(levels) {
        let Some(severity) = level.severity() else {
            continue;
        };
        if let Check::Loading(_, examined) = of.rule.check
            && is_sound
            && of.rule.needs.is_empty()
        {
            answer(of.rule, examined(loaded));
            continue;
        }
        let findings = Findings::new(
            &of.rule.info.id,
            of.index,
            severity,
            &mut memory,
            &mut drafts,
            &mut skips,
        );
        if let Some(compared) = judge(of.rule, loaded, &standings, findings) {
            answer(of.rule, compared);
        }
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
pub(super) fn hold_back(checker: &Checker, report: &mut EpisodeReport, movement: &Movement) {
    if movement.is_none() {
        return;
    }
    let rules = &checker.settings.rules;
    let (findings, skips) = (&mut report.findings, &mut report.skipped);
    findings.retain(|finding| {
        let rule = finding.rule_index.and_then(|index| rules.get(index));
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
    coverage::cover(report);
    let levels = checker.levels_of(&report.key);
    report.decide(|rule| rules.level_of(&levels, rule));
}

/// Checks one rule and returns whether it had anything to compare, or says why it can't be checked.
fn judge(
    rule: &Rule,
    loaded: &Loaded<'_, '_>,
    standings: &Standings<'_>,
    mut findings: Findings<'_>,
) -> Option<Compared> {
    let run = loaded.run;
    if !standings.lack_nothing {
        for record in rule.reads {
            if let Usable::Unjudged(reason) = standings.of(*record) {
                findings.skip(reason);
            }
        }
        // If a rule lacks several things, only the first is reported.
        for record in rule.check.records() {
            match standings.of(*record) {
                Usable::Read(()) => {}
                Usable::NotDue => return None,
                Usable::Unjudged(reason) => {
                    findings.skip(reason);
                    return None;
                }
            }
        }
        if let Some(reason) = rule.needs.iter().find_map(|need| unmet(run, *need)) {
            findings.skip(&reason);
            return None;
        }
    }
    let compared = match (&rule.check, &run.state, &run.summary, &run.timeline) {
        (Check::Loading(word, examined), ..) => {
            loading(*word, loaded, &mut findings);
            examined(loaded)
        }
        (Check::Team(check), ..) => check.judge(loaded, &mut findings)?,
        (Check::Run(check), ..) => check(run, &mut findings),
        (Check::State(check), Usable::Read(state), ..) => check(*state, &run.stage, &mut findings),
        (Check::Summary(check), _, Usable::Read(summary), _) => check(*summary, &mut findings),
        (Check::Records(check), Usable::Read(state), Usable::Read(summary), _) => {
            check(*state, *summary, &mut findings)
        }
        (Check::StateTimeline(check), Usable::Read(state), _, Usable::Read(timeline)) => {
            check(*state, timeline, &run.stage, &mut findings)
        }
        (Check::SummaryTimeline(check), _, Usable::Read(summary), Usable::Read(timeline)) => {
            check(*summary, timeline, &mut findings)
        }
        _ => return None,
    };
    findings.close();
    Some(compared)
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
    state: Usable<()>,
    summary: Usable<()>,
    timeline: Usable<()>,
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
        let are_read = records.map(|record| matches!(record, Usable::Read(())));
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
        .all(|record| !matches!(record, Usable::Unjudged(_)))
    }

    fn of(&self, record: Record) -> &Usable<()> {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use std::sync::Arc;

    use super::super::Worker;
    use super::*;
    use crate::gate::Gate;
    use crate::rules;
    use std::path::Path as FilePath;

    /// Rules that look whether an artifact is there, which can always be told.
    const OF_PRESENCE: [&str; 3] = [
        "events/missing",
        "lifecycle/early-artifacts",
        "state/not-yet",
    ];

    /// What each rule that can be judged answers, and whether it finds something.
    fn answers(check: &Checker, loaded: &Loaded<'_, '_>) -> BTreeMap<String, (Compared, bool)> {
        let mut answers = BTreeMap::new();
        let (drafts, _) = judge_all(
            &check.settings,
            &check.levels,
            loaded,
            "",
            |rule, compared| {
                answers.insert(rule.info.id.to_string(), (compared, false));
            },
        );
        for drafted in drafts {
            let rule = check
                .settings
                .rules
                .get(drafted.rule_index)
                .expect("a rule");
            answers.get_mut(&*rule.info.id).expect("an answer").1 = true;
        }
        answers
    }

    fn all_on() -> Gate {
        // Without a vocabulary, its rule has nothing to compare in any run.
        let config = "[vocabulary]\nphase = '*'";
        let gate = Gate::default().with_config(FilePath::new("runvet.toml"), config, None);
        let gate = gate.expect("a vocabulary");
        gate.level("*", Level::Error).expect("all rules")
    }

    /// The rules with an answer in some episode of a part of the corpus.
    fn rules_with(part: &str, is_wanted: impl Fn((Compared, bool)) -> bool) -> BTreeSet<String> {
        let (gate, mut rules) = (all_on(), BTreeSet::new());
        let check = gate.checker();
        let mut worker = Worker::new(Arc::clone(&check), None);
        for episode in gate.discover(&[part]).episodes {
            let answered = worker.directory(&episode, None, |loaded| answers(&check, loaded));
            let (_, answers) = answered.expect("an episode");
            let wanted = answers.into_iter().filter(|(_, answer)| is_wanted(*answer));
            rules.extend(wanted.map(|(rule, _)| rule));
        }
        rules
    }

    fn of_empty_run() -> BTreeMap<String, (Compared, bool)> {
        let (check, files) = (all_on().checker(), crate::store::InMemory::default());
        let mut worker = Worker::new(Arc::clone(&check), None);
        let answers = |loaded: &Loaded<'_, '_>| answers(&check, loaded);
        worker
            .artifacts(&"ep_1".into(), None, &files, None, answers)
            .1
    }

    #[test]
    fn rule_that_finds_something_compared_something() {
        let wrong = rules_with("corpus", |answer| answer == (Compared::Nothing, true));
        assert_eq!(wrong, BTreeSet::new());
    }

    #[test]
    fn every_rule_is_sound_in_a_good_run() {
        let sound = rules_with("corpus/good", |answer| {
            answer == (Compared::Something, false)
        });
        let ids = rules::ALL.iter().map(|rule| rule.info.id.to_string());
        let never: Vec<String> = ids.filter(|id| !sound.contains(id)).collect();
        // It judges the answers of the others.
        assert_eq!(never, ["coverage/required"]);
    }

    #[test]
    fn every_rule_has_nothing_to_compare_in_some_run() {
        let mut nothing = rules_with("corpus", |(compared, _)| compared == Compared::Nothing);
        let of_empty_run = of_empty_run().into_iter();
        nothing.extend(
            of_empty_run
                .filter(|(_, it)| it.0 == Compared::Nothing)
                .map(|(rule, _)| rule),
        );
        let ids = rules::ALL.iter().map(|rule| &*rule.info.id);
        let never: Vec<&str> = ids.filter(|id| !nothing.contains(*id)).collect();
        // What is absent is compared too: a state, a timeline, links.
        let of_answers = "coverage/required";
        assert_eq!(
            never,
            [
                "state/not-yet",
                "events/missing",
                "lifecycle/links",
                of_answers
            ]
        );
    }

    #[test]
    fn rule_has_nothing_to_compare_in_an_empty_run() {
        let something = of_empty_run().into_iter();
        let something = something.filter(|(_, it)| it.0 == Compared::Something);
        let something: Vec<String> = something.map(|(rule, _)| rule).collect();
        assert_eq!(something, OF_PRESENCE);
    }
}
