//! Data about one run -> its page: header, reason of failure, findings, steps, timeline, records.

use maud::{Markup, html};

use super::badges::badge;
use super::calendar::time;
use super::findings::Places;
use super::item::tag_text;
use super::units::{duration, offset, thousands};
use super::{
    Bodies, EventBody, RunSheet, TrackEvent, TrackItem, conversation, details, events, findings,
    plan, records, waterfall,
};
use crate::ground::document::OwnedDocument;
use crate::ground::finding::{EpisodeReport, Lifecycle, RunEntry, Verdict};
use crate::ground::printable::{brief, cut_after, escape, in_address};
use crate::ground::source::Artifact;
use crate::ground::timestamp::Timestamp;
use crate::reading::dashboard::{Reason, ReasonKind};
use crate::reading::outline::error_text;

/// The number of characters of the task that the title shows; the state below has all of it.
const MAX_TITLE_CHARS: usize = 160;

/// The number of characters of another value that the header shows.
const MAX_VALUE_CHARS: usize = 400;

/// The number of tags that the header shows at first; the others can be opened.
const MAX_TAGS: usize = 12;

/// The parts of the page, each with the end of its anchor and its title.
const PARTS: [(&str, &str); 7] = [
    ("findings", "Findings"),
    ("conversation", "Conversation"),
    ("steps", "Steps"),
    ("timeline", "Timeline"),
    ("events", "Events"),
    ("details", "Details"),
    ("records", "Records"),
];

/// Returns the page of a run as text. Its anchors start with a prefix that no other page beside it
/// has.
pub(crate) fn run_text(page: &RunSheet, prefix: &str, bodies: Bodies) -> String {
    let report = &page.dashboard.report;
    let places = Places::of(report, prefix);
    let mut parts = PARTS.to_vec();

    if report.findings.is_empty() {
        // Nothing to read first.
        parts.rotate_left(1);
        parts.swap(5, 6);
    }

    let page = html! {
        article.run aria-labelledby={ (prefix) "title" } {
            (header(page, prefix))
            @if let Some(reason) = page.dashboard.reason.as_ref().filter(|it| !is_unverified(it)) {
                (why(reason, &first_error(page, prefix), prefix))
            }
            @for (file, reason) in &page.dashboard.overview.unreadable {
                p.notice.is-warn { code { (file) } " can't be shown: " (escape(reason)) }
            }
            nav.parts aria-label="Parts of this run" {
                @for (name, title) in parts.iter().filter(|(name, _)| has(page, name)) {
                    a href={ "#" (prefix) (name) } { (title) (number_of(page, name)) }
                }
            }
            @let findings = part(prefix, PARTS[0], &findings::findings(report, &places));
            @if !report.findings.is_empty() { (findings) }
            @if has(page, "conversation") {
                (part(prefix, PARTS[1], &conversation::conversation(&page.messages, page.more_messages, prefix)))
            }
            (part(prefix, PARTS[2], &plan::steps(&page.dashboard.plan, &page.actions, prefix)))
            (part(prefix, PARTS[3], &waterfall::waterfall(&page.track, &page.density, prefix)))
            (part(prefix, PARTS[4], &events::events(&page.dashboard.timeline, &page.track, prefix, &places, bodies)))
            (part(prefix, PARTS[5], &details::details(&page.dashboard.overview)))
            @if report.findings.is_empty() { (findings) }
            (part(prefix, PARTS[6], &html! {
                div.records {
                    (records::record(Artifact::State, &page.state, &places))
                    (records::record(Artifact::Summary, &page.summary, &places))
                    (records::record(Artifact::Manifest, &page.manifest, &places))
                    (records::of_lines(Artifact::Learn, &page.learn, &places))
                }
            }))
        }
    };

    page.into_string()
}

fn part(prefix: &str, (name, title): (&str, &str), body: &Markup) -> Markup {
    html! {
        section.part id={ (prefix) (name) } {
            h2 { (title) }
            (body)
        }
    }
}

/// Returns `true` if a run has a part: one without messages has no conversation.
fn has(page: &RunSheet, part: &str) -> bool {
    part != "conversation" || !page.messages.is_empty()
}

fn number_of(page: &RunSheet, part: &str) -> Markup {
    let number = match part {
        "findings" => page.dashboard.report.findings.len() as u64,
        "conversation" => page.messages.len() as u64,
        "events" => page.dashboard.timeline.events,
        _ => return html! {},
    };

    html! { " " span.count { (thousands(number)) } }
}

fn header(page: &RunSheet, prefix: &str) -> Markup {
    let run = &page.dashboard.overview.entry;
    let report = &page.dashboard.report;
    html! {
        header.run-header {
            p.crumb { code { (escape(&run.episode_id)) } }
            h1 id={ (prefix) "title" } {
                @match &run.task {
                    Some(task) => (escape(&cut_after(task, MAX_TITLE_CHARS))),
                    None => span.dim { "A run without a task" },
                }
            }
            p.badges {
                @let outcome = run.outcome.as_deref();
                @let status = run.status.as_deref().filter(|status| says_more(status, outcome));
                @if let Some(outcome) = outcome {
                    (badge(outcome, &cut_after(outcome, MAX_VALUE_CHARS)))
                }
                @if let Some(status) = status {
                    " " (badge(status, &cut_after(status, MAX_VALUE_CHARS)))
                }
                @if run.paused.is_some() {
                    " " span.badge.warn { "paused" }
                } @else if outcome.is_none() {
                    " " span.badge { (report.lifecycle.stage()) }
                }
                " "
                @if run.lifecycle == Lifecycle::NonTerminal && page.state.is_err()
                    && report.verdict == Verdict::Valid
                {
                    span.badge { "in progress: judged when it persists" }
                } @else {
                    (verdict(report))
                }
            }
            @if page.dashboard.reason.as_ref().is_none_or(is_unverified) {
                (first_error(page, prefix))
            }
            (figures(run, &run_figures(page)))
            (tags(run))
        }
    }
}

/// Returns `true` if a status says another thing than the outcome beside it.
fn says_more(status: &str, outcome: Option<&str>) -> bool {
    match outcome {
        Some(outcome) => status != outcome && status != "ok",
        None => true,
    }
}

/// Returns `true` if nothing is known against a run but that nobody verified its result.
fn is_unverified(reason: &Reason) -> bool {
    reason.kind == ReasonKind::Unverified
}

/// Returns a link to the first call that failed or was vetoed, or else to the first such event,
/// with its words.
fn first_error(page: &RunSheet, prefix: &str) -> Markup {
    let marked: Vec<&TrackEvent> = page
        .track
        .iter()
        .filter_map(TrackItem::event)
        .filter(|event| event.row.mark.is_some())
        .map(|it| &**it)
        .collect();
    let first = marked
        .iter()
        .find_map(|event| Some((event.row.line, words_of_call(event)?)))
        .or_else(|| {
            let event = marked.first()?;
            Some((event.row.line, event.row.summary.clone()))
        });

    html! {
        @if let Some((line, words)) = first {
            p.first-error {
                "First error: "
                a href={ "#" (prefix) "L" (line) } { bdi { (escape(&words)) } }
                " " span.dim { "line " (thousands(line)) }
            }
        }
    }
}

/// Returns the tool of a call that failed, and its words: its error, the last line that it printed
/// to standard error, or its status.
fn words_of_call(event: &TrackEvent) -> Option<String> {
    let EventBody::Whole(document) = &event.body else {
        return None;
    };
    let payload = document.root().get("payload")?;
    let tool = payload.get("tool")?.text()?;
    let error = payload
        .get("error")
        .and_then(error_text)
        .or_else(|| {
            payload
                .at(&["output", "error"])
                .and_then(error_text)
        });
    let printed = || {
        payload
            .at(&["output", "stderr"])?
            .text()?
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .map(brief)
    };

    let status = || {
        payload
            .get("result_status")?
            .text()
            .map(|it| brief(&it))
    };

    let words = error.or_else(printed).or_else(status)?;
    Some(format!("{}: {words}", brief(&tool)))
}

/// Returns further values of the whole run: the format that it was imported from, what proves its
/// records, its seed, and the metrics of its outcomes.
fn run_figures(page: &RunSheet) -> Vec<(String, String)> {
    let [state, summary] = [&page.state, &page.summary].map(|record| {
        record
            .as_ref()
            .ok()
            .map(OwnedDocument::root)
    });
    let seed = state.and_then(|state| state.at(&["episode", "seed"]));
    let seed = seed
        .or_else(|| summary?.get("seed"))
        .filter(|seed| !seed.is_null());
    let metrics = page
        .dashboard
        .overview
        .outcome_metrics
        .first
        .iter()
        .take(details::MAX_METRICS)
        .map(|(name, value)| (name.clone(), super::units::grouped(value)));
    let seed = seed.map(|seed| ("seed".to_owned(), brief(seed.raw())));
    let imported = page
        .dashboard
        .timeline
        .imported
        .clone()
        .map(|format| ("imported from".to_owned(), format));
    let anchored = page.dashboard.timeline.anchored();
    let proofs = [("timeline", anchored), ("seal", page.seal.clone())];
    let proofs = (proofs.into_iter()).filter_map(|(name, words)| Some((name.to_owned(), words?)));

    (imported.into_iter())
        .chain(proofs)
        .chain(seed)
        .chain(metrics)
        .collect()
}

/// Returns all tags of a run, each a link to the runs that have it.
fn tags(run: &RunEntry) -> Markup {
    let tag = |tag| {
        let text = tag_text(tag);
        let href = super::charts::runs(&[&format!("tag={}", in_address(&text))]);
        html! { li { a.tag href=(href) { bdi { (escape(&cut_after(&text, MAX_VALUE_CHARS))) } } } }
    };

    let (first, rest) = run
        .tags
        .split_at(run.tags.len().min(MAX_TAGS));

    html! {
        @if !first.is_empty() { ul.tags aria-label="Tags" { @for it in first { (tag(it)) } } }
        @if !rest.is_empty() {
            details {
                summary { (thousands(rest.len() as u64)) " more tags" }
                ul.tags aria-label="More tags" { @for it in rest { (tag(it)) } }
            }
        }
    }
}

fn figures(run: &RunEntry, more: &[(String, String)]) -> Markup {
    let at = |text: &str| {
        let at = Timestamp::parse(text);
        at.map_or_else(|| text.to_owned(), |at| time(at.unix_seconds()))
    };

    let paused = run.paused.as_deref();
    let figures = [
        (
            "started",
            (run.started_at.as_deref().map(at)).or_else(|| run.time_unknown().map(Into::into)),
        ),
        (
            "paused since",
            paused
                .and_then(|it| it.since.as_deref())
                .map(at),
        ),
        (
            "paused for",
            paused.and_then(|it| it.reason.as_deref().map(Into::into)),
        ),
        ("now", run.now.as_deref().map(Into::into)),
        ("duration", run.duration_sec.map(duration)),
        ("adapter", run.adapter.as_deref().map(Into::into)),
        ("mode", run.mode.as_deref().map(Into::into)),
        ("directory", Some(run.dir.clone())),
    ];

    html! {
        dl.figures {
            @for (name, value) in figures {
                @if let Some(value) = value {
                    div { dt { (name) } dd { (escape(&cut_after(&value, MAX_VALUE_CHARS))) } }
                }
            }
            @for (name, value) in more { div { dt { (escape(name)) } dd { (escape(value)) } } }
        }
    }
}

/// Returns the verdict of the check in a word or two.
pub(super) fn verdict(report: &EpisodeReport) -> Markup {
    let (tone, words) = match report.verdict {
        Verdict::Valid if report.skipped.is_empty() => ("dim", "valid"),
        Verdict::Valid => ("dim", "valid, not all rules judged"),
        Verdict::Undecided => ("warn", "undecided"),
        verdict => ("bad", verdict.phrase(1)),
    };

    html! { span.badge.(tone) { (words) } }
}

fn why(reason: &Reason, first_error: &Markup, prefix: &str) -> Markup {
    let class = match reason.kind {
        ReasonKind::Failed | ReasonKind::GoalNotAchieved => "bad",
        ReasonKind::Vetoed | ReasonKind::Aborted => "warn",
        ReasonKind::Unverified => "dim",
    };

    html! {
        section.why.(class) {
            h2 {
                (reason.kind.sentence_start())
                @if let Some(step) = &reason.step_id { " at " (escape(step)) }
                @if let Some(by) = &reason.by { " by " (escape(by)) }
            }
            p.text {
                @match &reason.text {
                    Some(text) => (escape(text)),
                    None => "The records do not say why.",
                }
            }
            (first_error)
            @if !reason.stderr.is_empty() {
                div.snippet { pre { @for line in &reason.stderr { (escape(line)) "\n" } } }
            }
            p.note {
                @if let Some(action) = &reason.action_id { (escape(action)) " · " }
                @match reason.line {
                    Some(line) if reason.file == Artifact::Events.file_name() => {
                        a href={ "#" (prefix) "L" (line) } { (reason.file) ":" (line) }
                    }
                    Some(line) => { (reason.file) ":" (line) }
                    None => (reason.file),
                }
                @if let Some(at) = reason.offset_sec { " · " (offset(at)) }
            }
        }
    }
}
