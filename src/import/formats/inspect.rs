//! Logs of Inspect, `.json` or `.eval` -> a conversation for each sample and epoch, with scores.

mod events;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::conversation::{Conversation, Ending, Usage};
use super::super::fields::{count, items, members, number, some_text, text, texts, time, value_at};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};
use crate::ground::digest::FileDigest;
use events::Events;

pub(super) const FORMAT: Format = Format {
    name: "inspect",
    form: "it has `eval` with a task, a model and a time",
    is_form,
    ties: Ties::Every(ties),
    read,
};

fn is_form(head: &[Value]) -> bool {
    head.first().is_some_and(|first| {
        let is_known = |name| !text(first, name).is_empty();
        let status = text(first, "/status");
        let is_log = ["started", "success", "cancelled", "error"].contains(&status);
        // A log that runs still says what is evaluated, and not yet how it went.
        let is_start = first.get("plan").is_some() && first.get("version").is_some();
        (is_log || is_start)
            && ["/eval/task", "/eval/model", "/eval/created"]
                .into_iter()
                .all(is_known)
    })
}

/// Returns the samples in a value: those of a log, or the value, if it is one.
fn samples(value: &Value) -> &[Value] {
    let is_sample = value.get("epoch").is_some() && value.get("id").is_some();
    match value.get("samples") {
        Some(Value::Array(samples)) => samples,
        _ if is_sample => std::slice::from_ref(value),
        _ => &[],
    }
}

/// A sample that was done stays in the log of an evaluation that is tried again.
fn ties(_: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    ties.extend(
        samples(value)
            .iter()
            .filter_map(|it| some_text(it, "/uuid")),
    );
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let latest = latest(log.files)?;
    let mut eval = Value::Null;
    let mut is_running = false;
    let mut number = 0;

    while let Some(entry) = log.next()? {
        let value = entry.value;
        if let Some(of_file) = value.get("eval") {
            eval = of_file.clone();
            is_running = matches!(text(&value, "/status"), "" | "started");
        }

        for sample in samples(&value) {
            let uuid = text(sample, "/uuid");
            number += 1;
            if latest
                .get(uuid)
                .is_none_or(|(_, file)| *file == entry.file)
            {
                take(log, conversation(&eval, sample));
            }
        }
    }

    if number == 0 && is_running {
        log.nothing_yet = Some("the evaluation runs still, and has no sample yet".into());
    }

    Ok(())
}

/// Returns for each sample that several logs have when the last of them was made, and its number.
fn latest(files: &[LogFile]) -> Result<BTreeMap<String, (String, usize)>, String> {
    let mut latest: BTreeMap<String, (String, usize)> = BTreeMap::new();
    if files.len() < 2 {
        return Ok(latest);
    }

    let mut log = Log::new(files);
    let mut created = String::new();
    while let Some(entry) = log.next()? {
        created = some_text(&entry.value, "/eval/created").unwrap_or(created);
        for uuid in samples(&entry.value)
            .iter()
            .filter_map(|it| some_text(it, "/uuid"))
        {
            let this = (created.clone(), entry.file);
            let known = latest.entry(uuid).or_default();
            *known = this.max(std::mem::take(known));
        }
    }

    Ok(latest)
}

/// Returns a text, or a number as one.
fn word(value: &Value, at: &str) -> String {
    match value.pointer(at) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn conversation(eval: &Value, sample: &Value) -> Conversation {
    let (id, epoch) = (word(sample, "/id"), word(sample, "/epoch"));
    let of_eval = || {
        let (run, task) = (text(eval, "/run_id"), text(eval, "/task"));
        format!("{run}-{task}-{id}-{epoch}")
    };

    let events = items(sample, "/events");
    let events = if events.is_empty() {
        items(sample, "/transcript/events")
    } else {
        events
    };

    let first = events
        .first()
        .and_then(|event| time(event, "/timestamp"));
    let mut conversation = Conversation {
        id: some_text(sample, "/uuid").unwrap_or_else(of_eval),
        source: some_text(eval, "/task_id").or_else(|| some_text(eval, "/task")),
        sha256: Some(FileDigest::of(sample.to_string().as_bytes()).to_string()),
        started_at: time(sample, "/started_at")
            .or(first)
            .or(time(eval, "/created")),
        is_by_time: true,
        is_over: true,
        ..Conversation::default()
    };

    conversation.tag("sample", id);
    conversation.tag("epoch", epoch);
    conversation.tag("task", text(eval, "/task"));
    conversation.tag("model", text(eval, "/model"));
    conversation.tag("version", text(eval, "/packages/inspect_ai"));
    add_retries(&mut conversation, sample, !events.is_empty());

    let mut found = Events::new(conversation, sample);
    found.add_task(value_at(sample, "/input"));
    if events.is_empty() {
        found.messages(items(sample, "/messages"));
    } else {
        found.events(events);
    }

    let mut conversation = found.end();
    totals(&mut conversation, sample);
    add_scores(&mut conversation, sample);
    conversation.end = Some(ending(&conversation, sample));
    conversation
}

fn add_scores(conversation: &mut Conversation, sample: &Value) {
    for (name, score) in members(sample, "/scores") {
        judge(conversation, name, value_at(score, "/value"));
    }

    if let Some(value) = sample.pointer("/score/value") {
        judge(conversation, "score", value);
    }
}

/// Adds the tries before, whose events are not done again.
fn add_retries(conversation: &mut Conversation, sample: &Value, has_times: bool) {
    for retry in items(sample, "/error_retries") {
        conversation.at = conversation
            .started_at
            .filter(|_| has_times);

        let error = value_at(retry, "/message");
        conversation.retry(&Value::Null, error);
        for _ in items(retry, "/events") {
            conversation.skip("event of a try before");
        }
    }

    conversation.at = None;
}

/// Takes what the log says of all models of a sample, if no event of it has a usage.
fn totals(conversation: &mut Conversation, sample: &Value) {
    let models = members(sample, "/model_usage").map(|(_, model)| model);
    if conversation.usage().is_empty() {
        conversation.totals = models
            .clone()
            .map(usage)
            .reduce(Usage::add);
    }

    if conversation.cost.is_none() {
        for model in models {
            conversation.spent(number(model, "/total_cost"));
        }
    }
}

/// Returns a usage, whose input has no tokens of a cache, or has them in older versions: the total
/// tells it.
fn usage(of: &Value) -> Usage {
    let (input, output) = (count(of, "/input_tokens"), count(of, "/output_tokens"));
    let cache_read = count(of, "/input_tokens_cache_read");
    let cache_write = count(of, "/input_tokens_cache_write");
    let is_inside = count(of, "/total_tokens") == input.saturating_add(output);
    let beside = cache_read.saturating_add(cache_write);

    Usage {
        input: if is_inside {
            input
        } else {
            input.saturating_add(beside)
        },
        output,
        cache_read,
        cache_write,
    }
}

/// Adds a score as a metric and an assertion; one of several parts is one each.
fn judge(conversation: &mut Conversation, name: &str, value: &Value) {
    if let Value::Object(parts) = value {
        for (part, value) in parts {
            if value.is_object() {
                conversation.skip("score that is no number");
            } else {
                judge(conversation, &format!("{name}/{part}"), value);
            }
        }
        return;
    }

    let Some(score) = score(value) else {
        return conversation.skip("score that is no number");
    };
    conversation
        .metrics
        .insert(name.to_owned(), score.into());

    let passed = (score - 1.0).abs() < f64::EPSILON;
    conversation
        .assertions
        .push((name.to_owned(), passed));
}

/// Returns a score as a number, as Inspect counts it.
fn score(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(passed) => Some(if *passed { 1.0 } else { 0.0 }),
        Value::Number(number) => number.as_f64(),
        Value::String(word) => match word.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            word => match word.to_ascii_lowercase().as_str() {
                "yes" | "true" => Some(1.0),
                "no" | "false" => Some(0.0),
                number => number
                    .parse()
                    .ok()
                    .filter(|it: &f64| it.is_finite()),
            },
        },
        _ => None,
    }
}

fn ending(conversation: &Conversation, sample: &Value) -> Ending {
    let is_there = |name: &str| {
        sample
            .get(name)
            .is_some_and(Value::is_object)
    };

    if is_there("invalidation") {
        let reason = text(sample, "/invalidation/reason");
        return Ending::Aborted(format!("invalidated: {reason}"));
    }

    if is_there("error") {
        let message = text(sample, "/error/message");
        let is_stop = message.starts_with("CancelledError(") || message.starts_with("Cancelled(");
        return if is_stop {
            Ending::Aborted("cancelled".into())
        } else {
            Ending::Error(message.to_owned())
        };
    }

    if is_there("limit") {
        let kind = text(sample, "/limit/type");
        let limit = number(sample, "/limit/limit").map_or(String::new(), |it| format!(" {it}"));
        return Ending::Aborted(format!("limit: {kind}{limit}"));
    }

    if !conversation.assertions.is_empty() || conversation.ending() == Ending::Ok {
        return Ending::Ok;
    }

    Ending::Partial("the sample ends without a score and without an answer".into())
}

/// Returns the text of the last message of the user in an input.
fn task(input: &Value) -> String {
    let of_user = |message: &&Value| text(message, "/role") == "user";
    match items(input, "")
        .iter()
        .rev()
        .find(of_user)
    {
        Some(message) => texts(value_at(message, "/content")),
        None => input
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    }
}
