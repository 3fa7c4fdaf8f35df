//! One episode -> its report: load, run every rule, locate, sort.

use std::borrow::Cow;
use std::sync::Arc;

use super::across::{APART, AcrossRuns};
use super::{CheckSettings, Checker, causes, coverage, findings, locate, tidy};
use crate::ground::Own;
use crate::ground::draft::{Drafted, FindingMemory, Findings};
use crate::ground::finding::{
    Coverage, EpisodeReport, Level, RunEntry, STILL_CHANGING, Severity, Skip, UNREADABLE, Verdict,
};
use crate::ground::parallel::locked;
use crate::ground::source::{Entries, EpisodeKey, Place};
use crate::judge::load::{self, Buffers, Loaded};
use crate::judge::rule::{Check, Context, Rule};
use crate::judge::rules::RuleSet;
use crate::reading::facts::{InState, InSummary};
use crate::reading::outline::Listening;
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
    also: &dyn Fn(&Loaded<'_, '_>) -> R,
) -> (EpisodeReport, R) {
    let (id, request) = (episode.id, &checker.request);
    load::episode(files, id, request, listening, buffers, |loaded| {
        let report = report(checker, episode, &loaded, files.entries());
        (report, also(&loaded))
    })
}

/// Judges an episode that was loaded.
#[inline]
fn report(
    checker: &Checker,
    episode: Identity<'_>,
    loaded: &Loaded<'_, '_>,
    entries: Entries,
) -> EpisodeReport {
    let settings = &checker.settings;
    let levels = &*checker.levels_of(&episode.key);
    let dir = episode.key.to_string();
    let mut coverage = settings
        .is_covered()
        .then(|| coverage::silent(settings, levels));
    let across = locked(&checker.across).clone();
    let known = (&*dir, across.as_deref());
    let (mut drafts, mut skips) = judge_all(settings, levels, loaded, known, |rule| {
        if let Some(coverage) = &mut coverage {
            coverage.insert(rule.info.id.to_string(), Coverage::Sound);
        }
    });

    if loaded.troubles.lacking().is_some() {
        skips.push(Skip::lacking(UNREADABLE));
    }
    if let Some(coverage) = &mut coverage {
        coverage::demand(settings, levels, loaded, coverage, &mut drafts, &skips);
    }

    let causes = add_causes(&settings.rules, &mut drafts, loaded);
    let stage = &loaded.run.stage;
    let id = stage
        .id
        .as_ref()
        .map_or(episode.name, |(id, _)| id)
        .to_owned();
    let findings = findings::locate(&settings.rules, drafts, &causes, &id, |places| {
        locate::locate(places, loaded, &episode.key)
    });
    let entry = settings
        .keep_cards
        .then(|| Arc::new(card(&id, &dir, loaded, entries)));
    let mut report = EpisodeReport {
        id,
        dir,
        key: episode.key,
        lifecycle: stage.lifecycle,
        mode: mode(loaded).map(Cow::into_owned),
        adapter: adapter(loaded).map(Cow::into_owned),
        valid: None,
        verdict: Verdict::default(),
        findings,
        skipped: tidy(skips),
        suppressed: Vec::new(),
        suppressed_skips: Vec::new(),
        coverage: coverage.filter(|_| settings.keep_coverage),
        entry,
        is_unchecked: settings.judges_nothing_of(levels, stage),
        sealed: None,
    };

    conclude(settings, levels, &mut report);
    report
}

/// Decides what the findings and skips of an episode mean.
#[inline]
fn conclude(settings: &CheckSettings, levels: &[Level], report: &mut EpisodeReport) {
    coverage::cover(report);
    report.decide(|rule| settings.rules.level_of(levels, rule));
}

/// Returns the mode that the summary names.
fn mode<'l>(loaded: &'l Loaded<'_, '_>) -> Option<Cow<'l, str>> {
    loaded
        .run
        .summary
        .read()?
        .text(InSummary::Mode)
}

/// Returns the adapter that the state names.
fn adapter<'l>(loaded: &'l Loaded<'_, '_>) -> Option<Cow<'l, str>> {
    loaded
        .run
        .state
        .read()?
        .text(InState::Adapter)
}

/// Returns the data that a list of runs shows of a run.
fn card(id: &str, dir: &str, loaded: &Loaded<'_, '_>, entries: Entries) -> RunEntry {
    let named = RunEntry::named(id, dir, loaded.run.stage.lifecycle);
    let tools = loaded
        .timeline
        .calls
        .clone()
        .and_then(Result::ok);
    let entry = RunEntry {
        mode: mode(loaded).map(Arc::from),
        tools: tools.unwrap_or_default(),
        ..named.with_records(loaded.state.written(), loaded.summary.written())
    };

    load::with_progress(entry, entries, loaded.timeline.opened())
}

/// Adds the causes of findings to them, and returns the places of all causes.
fn add_causes(rules: &RuleSet, drafts: &mut [Drafted], loaded: &Loaded<'_, '_>) -> Vec<Place> {
    let mut causes = causes::of_violations(drafts);
    if let Some(timeline) = loaded.run.timeline.read()
        && !(drafts.is_empty() || timeline.kept.typos.is_empty())
    {
        causes.append(&mut causes::add(rules, drafts, &timeline.kept.typos));
    }

    causes
}

/// Returns the findings of the rules in an episode in a directory, and the rules that could not be
/// judged; passes on each rule that had something to compare.
fn judge_all<'l>(
    settings: &'l CheckSettings,
    levels: &[Level],
    loaded: &'l Loaded<'l, 'l>,
    (dir, across): (&str, Option<&AcrossRuns>),
    mut compared: impl FnMut(&Rule),
) -> (Vec<Drafted>, Vec<Skip>) {
    let (mut drafts, mut skips) = (Vec::new(), Vec::new());
    let mut memory = FindingMemory::new(dir);
    // Of no rule yet.
    let findings = Findings::new("", 0, Severity::Error, &mut memory, &mut drafts, &mut skips);
    let mut context = Context::new(loaded, findings);

    for (of, level) in settings.rules.placed().zip(levels) {
        if let Some(severity) = level.severity()
            && context.judge(of, severity).is_some()
        {
            compared(of.rule);
        }
    }

    for of in settings.rules.placed_made() {
        let Check::Team(check) = of.rule.check else {
            continue;
        };
        let severity = levels.own(of.index).severity();
        if let Some(severity) = severity.filter(|_| loaded.judges.is_across(check)) {
            let (id, index) = (&*of.rule.info.id, of.index);
            let (memory, drafts, skips) = (&mut memory, &mut drafts, &mut skips);
            let mut findings = Findings::new(id, index, severity, memory, drafts, skips);

            match across {
                Some(across)
                    if across
                        .report(check, dir, &mut findings)
                        .is_some() =>
                {
                    compared(of.rule);
                }
                Some(_) => {}
                None => findings.skip(&APART),
            }

            findings.close();
        }
    }

    (drafts, skips)
}

/// Replaces findings that may be wrong, because the records of two generations were read, by skips.
/// Findings that depend only on unchanged records stay.
pub(super) fn hold_back(checker: &Checker, report: &mut EpisodeReport, movement: &Movement) {
    if movement.is_none() {
        return;
    }

    let (findings, skips) = (&mut report.findings, &mut report.skipped);
    findings.retain(|finding| {
        let holds = finding
            .rests_on
            .is_some_and(|artifacts| !movement.touches(artifacts));
        if !holds {
            skips.push(Skip::new(&*finding.rule, &STILL_CHANGING));
        }
        holds
    });
    report.skipped = tidy(std::mem::take(&mut report.skipped));
    conclude(&checker.settings, &checker.levels_of(&report.key), report);
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path as FilePath;
    use std::sync::Arc;

    use super::super::Worker;
    use super::*;
    use crate::gate::Gate;
    use crate::ground::finding::SkipKind;
    use crate::ground::source::Artifact;
    use crate::judge::rule::PlacedRule;
    use crate::judge::rules;

    /// Rules that look whether an artifact is there, which can always be told.
    const OF_PRESENCE: [&str; 4] = [
        "events/missing",
        "lifecycle/early-artifacts",
        "lifecycle/unended",
        "state/not-yet",
    ];

    /// Returns of each rule that could judge a run whether it compared and found something.
    fn answers(check: &Checker, loaded: &Loaded<'_, '_>) -> BTreeMap<String, (bool, bool)> {
        let Checker {
            settings, levels, ..
        } = check;
        let mut compared = BTreeSet::new();
        let (drafts, skips) = judge_all(settings, levels, loaded, ("", None), |rule| {
            compared.insert(rule.info.id.to_string());
        });
        let answer = |of: PlacedRule<'_>| {
            let id = of.rule.info.id.to_string();
            let has_found = drafts
                .iter()
                .any(|it| it.rule_index == of.index);
            let answer = (compared.contains(&id), has_found);
            let is_skipped = skips.iter().any(|skip| skip.rule == id);
            (answer != (false, false) || !is_skipped).then_some((id, answer))
        };
        settings
            .rules
            .placed()
            .filter_map(answer)
            .collect()
    }

    fn all_on() -> Gate {
        // Without a vocabulary, its rule has nothing to compare in any run.
        let config = "[vocabulary]\nphase = '*'";
        let gate = Gate::default()
            .with_config(FilePath::new("runvet.toml"), config, None)
            .expect("a vocabulary");
        gate.level("*", Level::Error)
            .expect("all rules")
    }

    /// Returns the rules with an answer in some episode of a part of the corpus.
    fn rules_with(part: &str, is_wanted: impl Fn((bool, bool)) -> bool) -> BTreeSet<String> {
        let (gate, mut rules) = (all_on(), BTreeSet::new());
        let check = gate.checker();
        let mut worker = Worker::new(Arc::clone(&check));
        for episode in gate.discover(&[part]).episodes {
            let answered = worker.directory(&episode, None, |loaded| answers(&check, loaded));
            let (_, answers) = answered.expect("an episode");
            let request = answers
                .into_iter()
                .filter(|(_, answer)| is_wanted(*answer));
            rules.extend(request.map(|(rule, _)| rule));
        }
        rules
    }

    fn of_empty_run() -> BTreeMap<String, (bool, bool)> {
        let (check, files) = (all_on().checker(), crate::store::InMemory::default());
        let mut worker = Worker::new(Arc::clone(&check));
        let answers = |loaded: &Loaded<'_, '_>| answers(&check, loaded);
        worker
            .artifacts(&"ep_1".into(), None, &files, None, answers)
            .1
    }

    #[test]
    fn rule_that_finds_something_compared_something() {
        let wrong = rules_with("corpus", |answer| answer == (false, true));
        assert_eq!(wrong, BTreeSet::new());
    }

    #[test]
    fn every_rule_is_sound_in_a_good_run() {
        let sound = rules_with("corpus/good", |answer| answer == (true, false));
        let ids = rules::ALL
            .iter()
            .map(|rule| rule.info.id.to_string());
        let never: Vec<String> = ids
            .filter(|id| !sound.contains(id))
            .collect();
        // One judges the answers of the others, and one is judged by hooks alone.
        assert_eq!(never, ["coverage/required", "hook/own-files"]);
    }

    #[test]
    fn every_rule_has_nothing_to_compare_in_some_run() {
        let mut nothing = rules_with("corpus", |(compared, _)| !compared);
        let of_empty_run = of_empty_run().into_iter();
        nothing.extend(
            of_empty_run
                .filter(|(_, it)| !it.0)
                .map(|(rule, _)| rule),
        );
        let ids = rules::ALL
            .iter()
            .map(|rule| &*rule.info.id);
        let never: Vec<&str> = ids
            .filter(|id| !nothing.contains(*id))
            .collect();
        // What is absent is compared too: a state, a timeline, links. Where the others have nothing
        // to compare, they are skipped.
        assert_eq!(
            never,
            [
                "record/duplicate-key",
                "record/misspelled-field",
                "state/schema",
                "state/not-yet",
                "events/missing",
                "episode/id",
                "lifecycle/links",
                "lifecycle/unended",
                "strict/agreement"
            ]
        );
    }

    #[test]
    fn rule_has_nothing_to_compare_in_an_empty_run() {
        let something = of_empty_run()
            .into_iter()
            .filter(|(_, it)| it.0);
        let something: Vec<String> = something
            .map(|(rule, _)| rule)
            .collect();
        assert_eq!(something, OF_PRESENCE);
    }

    /// Rules that judge events that are there, and conclude nothing from the absence of others.
    const OF_PRESENT_EVENTS: [&str; 2] = ["events/second-start", "actions/unrecorded"];

    #[test]
    fn rules_that_miss_events_say_what_they_follow_from() {
        let events = include_str!("../../../corpus/good/terminal/episodes/ep_answer/events.jsonl");
        let events = format!("{events}not an event\n");
        let state = include_bytes!("../../../corpus/good/terminal/episodes/ep_answer/state.json");
        let summary =
            include_bytes!("../../../corpus/good/terminal/episodes/ep_answer/summary.json");
        let records = [
            (Artifact::State, &state[..]),
            (Artifact::Summary, &summary[..]),
            (Artifact::Events, events.as_bytes()),
        ];
        let skipped = all_on()
            .records("ep_answer", &records)
            .skipped;
        let misses_events = |rule: &&&Rule| {
            let mut skips = skipped.iter();
            skips.any(|skip| skip.rule == rule.info.id && skip.kind == SkipKind::NoEvent)
        };
        let rules: Vec<_> = rules::ALL
            .iter()
            .filter(misses_events)
            .collect();
        assert!(rules.len() > 15, "{}", rules.len());
        for rule in rules {
            let id = &*rule.info.id;
            let is_caused = !rule.follows_from.is_empty();
            assert!(
                is_caused || OF_PRESENT_EVENTS.contains(&id),
                "{id} lacks `follows_from`"
            );
        }
    }
}
