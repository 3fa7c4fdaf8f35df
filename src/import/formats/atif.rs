//! `agent/trajectory.json` of Harbor, and exports of other agents in the form ATIF -> a
//! conversation, with its sub-agents, its parts and the verdict of its trial.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::call::{id_of_path, is_denial};
use super::super::conversation::{Call, Conversation, Ending, Outcome, Usage};
use super::super::fields::{
    Picture, count, first_text, is_true, items, number, some_text, text, texts, time,
};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};
use crate::recorder::call::{arguments, kind};

pub(super) const FORMAT: Format = Format {
    name: "atif",
    form: "it has `steps` and a `schema_version` of ATIF, or is the result of a trial",
    is_form,
    ties: Ties::First(ties),
    read,
};

/// The levels of sub-agents that are followed.
const MAX_DEPTH: usize = 16;

fn is_form(head: &[Value]) -> bool {
    head.first()
        .is_some_and(|first| is_trajectory(first) || is_result(first))
}

fn is_trajectory(value: &Value) -> bool {
    text(value, "/schema_version").starts_with("ATIF-v")
        && value
            .get("steps")
            .is_some_and(Value::is_array)
}

/// Returns `true` for the `result.json` of a trial, which lies above its trajectory.
fn is_result(value: &Value) -> bool {
    ["trial_name", "task_name", "verifier_result"]
        .iter()
        .all(|name| value.get(name).is_some())
}

fn ties(file: &LogFile, value: &Value, ties: &mut BTreeSet<String>) {
    if is_result(value) {
        ties.insert(format!("trial {}", dir_of(&file.name)));
        return;
    }

    ties.insert(format!("trial {}", dir_of(dir_of(&file.name))));
    ties.insert(format!("file {}", file.name));
    let session = some_text(value, "/session_id");
    ties.extend(session.map(|session| format!("session {session}")));

    for path in references(value) {
        ties.insert(format!("file {}", beside(&file.name, &path)));
    }
}

fn dir_of(name: &str) -> &str {
    name.rsplit_once('/')
        .map_or("", |(dir, _)| dir)
}

fn beside(name: &str, path: &str) -> String {
    format!("{}/{path}", dir_of(name))
        .trim_start_matches('/')
        .replace("/./", "/")
}

/// Returns the paths of the files that a trajectory refers to: those of sub-agents and of its next
/// part.
fn references(trajectory: &Value) -> Vec<String> {
    items(trajectory, "/steps")
        .iter()
        .flat_map(|step| {
            items(step, "/observation/results")
                .iter()
                .flat_map(|result| items(result, "/subagent_trajectory_ref"))
        })
        .filter_map(|it| some_text(it, "/trajectory_path"))
        .chain(next_part(trajectory))
        .collect()
}

fn next_part(trajectory: &Value) -> Option<String> {
    let places = [
        "/continued_trajectory_ref",
        "/continued_trajectory_ref/trajectory_path",
    ];
    first_text(trajectory, &places)
}

/// The trajectories of a log by the names of their files.
struct Files<'l> {
    log: &'l Log<'l>,
    by_name: BTreeMap<String, (usize, Value)>,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut by_name: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    let mut results: BTreeMap<String, Value> = BTreeMap::new();
    while let Some(entry) = log.next()? {
        let Some(file) = log.files.get(entry.file) else {
            continue;
        };
        if is_result(&entry.value) {
            results.insert(dir_of(&file.name).to_owned(), entry.value);
        } else if is_trajectory(&entry.value) {
            by_name.insert(file.name.clone(), (entry.file, entry.value));
        }
    }

    if by_name.is_empty()
        && log
            .files
            .iter()
            .all(|file| !file.file.is_given)
    {
        log.nothing_yet = Some("its trial has no trajectory".into());
        return Ok(());
    }

    let files = Files { log, by_name };
    let referred: BTreeSet<String> = files
        .by_name
        .iter()
        .flat_map(|(name, (_, trajectory))| {
            references(trajectory)
                .into_iter()
                .map(|path| beside(name, &path))
        })
        .collect();
    let mut runs: Vec<Conversation> = Vec::new();

    for (name, (_, trajectory)) in &files.by_name {
        if referred.contains(name) {
            continue;
        }

        let id = first_text(trajectory, &["/session_id", "/trajectory_id"])
            .unwrap_or_else(|| id_of_path(name));
        // Parts of one run may have its id in common, and nothing else.
        if let Some(run) = runs.iter_mut().find(|run| run.id == id) {
            files.add(run, name, 0);
            continue;
        }

        let mut run = Conversation {
            id,
            source: name
                .rsplit('/')
                .next()
                .map(str::to_owned),
            ..Conversation::default()
        };

        files.add(&mut run, name, 0);
        if let Some(result) = results.get(dir_of(dir_of(name))) {
            judge(&mut run, result);
        }

        runs.push(run);
    }

    for run in runs {
        take(log, run);
    }

    Ok(())
}

impl Files<'_> {
    /// Adds a trajectory and the parts that continue it.
    fn add(&self, conversation: &mut Conversation, name: &str, depth: usize) {
        let mut name = name.to_owned();
        let mut seen = BTreeSet::new();
        while seen.insert(name.clone())
            && let Some((file, trajectory)) = self.by_name.get(&name)
        {
            self.steps(conversation, (*file, &name), trajectory, depth);
            let Some(path) = next_part(trajectory) else {
                break;
            };
            name = beside(&name, &path);
        }
    }

    fn steps(
        &self,
        conversation: &mut Conversation,
        (file, name): (usize, &str),
        trajectory: &Value,
        depth: usize,
    ) {
        for (tag, places) in [
            ("agent", &["/agent/name"][..]),
            ("version", &["/agent/version"]),
            ("model", &["/agent/model_name"]),
            ("cwd", &["/agent/extra/cwds/0", "/agent/extra/cwd"]),
            ("branch", &["/agent/extra/git_branches/0"]),
        ] {
            conversation.tag(tag, first_text(trajectory, places).unwrap_or_default());
        }

        let cwd = first_text(trajectory, &["/agent/extra/cwds/0", "/agent/extra/cwd"]);
        conversation.cwd = cwd.or(conversation.cwd.take());
        let steps = items(trajectory, "/steps");
        conversation.is_by_time = steps
            .iter()
            .all(|step| time(step, "/timestamp").is_some());

        let mut cost = None;
        for step in steps {
            if conversation.is_by_time {
                conversation.moment(time(step, "/timestamp"));
            } else {
                conversation.not_before(time(step, "/timestamp"));
            }

            let is_aside = is_true(step, "/extra/is_sidechain");
            conversation.agent = is_aside
                .then(|| some_text(step, "/extra/agent_id").unwrap_or_else(|| "sidechain".into()));
            if is_true(step, "/is_copied_context") {
                conversation.skip("copied step");
                continue;
            }

            cost = number(step, "/metrics/cost_usd")
                .map(|more| cost.unwrap_or_default() + more)
                .or(cost);
            match text(step, "/source") {
                "user" => drop(conversation.message("user", &message(step))),
                "system" => system(conversation, step),
                _ => self.agent_step(conversation, file, step),
            }

            let refs = items(step, "/observation/results").iter();
            for result in refs.filter(|_| depth < MAX_DEPTH) {
                for it in items(result, "/subagent_trajectory_ref") {
                    let call = text(result, "/source_call_id");
                    self.sub_agent(conversation, (file, name), trajectory, it, call, depth);
                }
            }
        }

        conversation.agent = None;
        conversation.spent(number(trajectory, "/final_metrics/total_cost_usd").or(cost));
        if conversation.usage().is_empty() {
            let of = |name: &str| count(trajectory, &format!("/final_metrics/total_{name}"));
            conversation.totals = Some(Usage {
                input: of("prompt_tokens"),
                output: of("completion_tokens"),
                cache_read: of("cached_tokens"),
                cache_write: 0,
            });
        }
    }

    /// Takes in the trajectory of a sub-agent, which lies in the same file or in one beside it.
    fn sub_agent(
        &self,
        conversation: &mut Conversation,
        (file, name): (usize, &str),
        trajectory: &Value,
        reference: &Value,
        call: &str,
        depth: usize,
    ) {
        let mut part = Conversation {
            cwd: conversation.cwd.clone(),
            ..Conversation::default()
        };

        let id = some_text(reference, "/trajectory_id");
        let is_meant = |it: &&Value| id.is_some() && some_text(it, "/trajectory_id") == id;
        let embedded = items(trajectory, "/subagent_trajectories")
            .iter()
            .find(is_meant);
        let path = some_text(reference, "/trajectory_path").map(|path| beside(name, &path));
        let in_file = path
            .as_ref()
            .and_then(|path| self.by_name.get(path));
        let found = embedded.or(in_file.map(|(_, found)| found));
        let Some(found) = found else {
            return conversation.skip("trajectory of a sub-agent that is not there");
        };
        let agent = first_text(found, &["/trajectory_id", "/session_id"])
            .unwrap_or_else(|| "sub-agent".into());

        match path.filter(|_| embedded.is_none()) {
            Some(path) => self.add(&mut part, &path, depth + 1),
            None => self.steps(&mut part, (file, name), found, depth + 1),
        }

        // What the log says of the whole has what its parts cost.
        let has_total = number(trajectory, "/final_metrics/total_cost_usd").is_some();
        part.cost = part.cost.filter(|_| !has_total);
        conversation.absorb(&agent, part);
        conversation
            .parents
            .insert(agent, call.to_owned());
    }

    fn agent_step(&self, conversation: &mut Conversation, file: usize, step: &Value) {
        conversation.tag("model", text(step, "/model_name"));
        if step
            .get("llm_call_count")
            .and_then(Value::as_u64)
            != Some(0)
        {
            let answer = conversation.answer("");
            answer.say(&message(step));
            answer.think(text(step, "/reasoning_content"));
            answer.model = some_text(step, "/model_name");
            answer.usage = step
                .get("metrics")
                .filter(|it| it.is_object())
                .map(usage);
        }

        let results = items(step, "/observation/results");
        let began: BTreeSet<&str> = results
            .iter()
            .filter(|it| !items(it, "/subagent_trajectory_ref").is_empty())
            .map(|it| text(it, "/source_call_id"))
            .collect();
        let mut waiting: BTreeMap<usize, (String, bool)> = BTreeMap::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();

        for (number, it) in items(step, "/tool_calls")
            .iter()
            .enumerate()
        {
            let id = some_text(it, "/tool_call_id")
                .unwrap_or_else(|| format!("step {} {number}", count(step, "/step_id")));
            let tool = text(it, "/function_name");
            let input = arguments(
                it.get("arguments")
                    .cloned()
                    .unwrap_or_default(),
            );
            let is_command = kind(tool, &input) == "execute";
            let mut call = Call::new(&id, tool, Value::Object(input));
            if began.contains(id.as_str()) {
                call.extensions
                    .insert("kind".into(), "delegate".into());
            }

            conversation.call(call);
            places.insert(id.clone(), number);
            waiting.insert(number, (id, is_command));
        }

        for result in results {
            let known = text(result, "/source_call_id");
            let known = places
                .get(known)
                .and_then(|place| waiting.remove(place));
            if let Some((id, is_command)) = known {
                let said = Said::of(step, &id, result);
                let outcome = self.outcome(conversation, file, &said, is_command);
                conversation.result(&id, outcome);
            } else if let Some((_, (last, is_command))) = waiting.pop_last() {
                // One result for all: it is that of the last call.
                let said = Said::of(step, &last, result);
                let outcome = self.outcome(conversation, file, &said, is_command);
                for (id, _) in std::mem::take(&mut waiting).into_values() {
                    conversation.result(&id, Outcome::default());
                }
                conversation.result(&last, outcome);
            } else {
                let said = texts(
                    result
                        .get("content")
                        .unwrap_or(&Value::Null),
                );
                conversation.note("observe", json!({"kind": "observation", "text": said}));
            }
        }
    }

    fn outcome(
        &self,
        conversation: &mut Conversation,
        file: usize,
        said: &Said<'_>,
        is_command: bool,
    ) -> Outcome {
        let content = said
            .result
            .get("content")
            .unwrap_or(&Value::Null);
        let printed = texts(content);
        let mut outcome = Outcome::new(said.status(&printed, is_command), printed);

        for part in items(content, "") {
            if text(part, "/type") != "image" {
                continue;
            }

            let path = text(part, "/source/path");
            match self
                .log
                .beside(file, path)
                .zip(path.rsplit_once('.'))
            {
                Some((content, (_, extension))) => {
                    let extension = extension
                        .to_ascii_lowercase()
                        .replace("jpg", "jpeg");
                    let picture = Picture { extension, content };
                    outcome.pictures.push(picture);
                }
                None => conversation.skip("picture that is not there"),
            }
        }

        outcome
    }
}

fn message(step: &Value) -> String {
    texts(
        step.get("message")
            .unwrap_or(&Value::Null),
    )
}

fn system(conversation: &mut Conversation, step: &Value) {
    let said = message(step);
    let results = items(step, "/observation/results");
    let summary: Vec<String> = results
        .iter()
        .filter_map(|it| it.get("content"))
        .map(texts)
        .filter(|it| !it.is_empty())
        .collect();
    let words = said.to_ascii_lowercase();
    let names_it = words.contains("summariz") || words.contains("compact");
    let is_compaction = text(step, "/extra/context_management/type") == "compaction"
        || (names_it && !results.is_empty());
    if !is_compaction {
        conversation.message("system", &said);
        return;
    }

    let summary = if summary.is_empty() {
        said
    } else {
        summary.join("\n")
    };

    let usage = step
        .get("metrics")
        .filter(|it| it.is_object())
        .map(usage);
    conversation.compaction(json!({"summary": summary, "usage": usage.map(Usage::members)}));
}

/// Returns the usage of a step, whose input has what a cache read and wrote.
fn usage(metrics: &Value) -> Usage {
    Usage {
        input: count(metrics, "/prompt_tokens"),
        output: count(metrics, "/completion_tokens"),
        cache_read: count(metrics, "/cached_tokens"),
        cache_write: count(metrics, "/extra/cache_creation_input_tokens"),
    }
}

/// What a step says of the result of a call.
struct Said<'s> {
    result: &'s Value,
    /// What it says of the call besides, as converters of Codex do.
    details: &'s Value,
}

impl<'s> Said<'s> {
    fn of(step: &'s Value, id: &str, result: &'s Value) -> Self {
        let of_call = step
            .pointer("/extra/tool_call_details")
            .and_then(|details| details.get(id));
        let is_alone = items(step, "/tool_calls").len() == 1;
        let of_step = step.get("extra").filter(|_| is_alone);

        Self {
            result,
            details: of_call
                .or(of_step)
                .unwrap_or(&Value::Null),
        }
    }

    fn status(&self, printed: &str, is_command: bool) -> Option<&'static str> {
        let has_line = |line: &str| {
            printed
                .lines()
                .any(|it| it.trim() == line)
        };

        let statuses = [
            text(self.result, "/extra/status"),
            text(self.result, "/extra/execution_status"),
            text(self.details, "/status"),
        ];

        if is_denial(printed) || statuses.contains(&"declined") {
            Some("denied")
        } else if has_line("[interrupted] True") {
            Some("cancelled")
        } else if ["error", "failed", "failure"]
            .iter()
            .any(|it| statuses.contains(it))
            || self.is_error()
            || has_line("[error] tool reported failure")
            || (is_command && exit_codes(printed).any(|code| code != 0))
        {
            Some("error")
        } else {
            None
        }
    }

    fn is_error(&self) -> bool {
        let is_set = ["is_error", "tool_result_is_error"]
            .iter()
            .any(|name| is_true(self.result, &format!("/extra/{name}")));
        let codes = ["exit_code", "return_code", "returncode"]
            .iter()
            .map(|name| number(self.result, &format!("/extra/{name}")));
        let more = ["metadata", "tool_metadata"]
            .iter()
            .map(|name| number(self.details, &format!("/{name}/exit_code")));

        is_set
            || self.result.pointer("/extra/success") == Some(&Value::Bool(false))
            || some_text(self.result, "/extra/error").is_some()
            || codes
                .chain(more)
                .flatten()
                .any(|code| code != 0.0)
    }
}

/// Returns the exit codes that a command's output names in lines of their own.
fn exit_codes(printed: &str) -> impl Iterator<Item = i64> {
    const MARKS: [&str; 4] = [
        "Exit Code: ",
        "Exit code ",
        "[exit_code] ",
        "Process exited with code ",
    ];

    printed.lines().filter_map(|line| {
        let line = line.trim();
        MARKS
            .iter()
            .find_map(|mark| line.strip_prefix(mark))?
            .trim()
            .parse()
            .ok()
    })
}

/// Adds the verdict of a trial: what its verifier found, and the exception that ended it.
fn judge(conversation: &mut Conversation, result: &Value) {
    conversation.tag("trial", text(result, "/trial_name"));
    let rewards = result.pointer("/verifier_result/rewards");
    for (name, value) in rewards
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let Some(reward) = value.as_f64() else {
            conversation.skip("reward that is no number");
            continue;
        };

        conversation
            .metrics
            .insert(name.clone(), value.clone());

        let passed = (reward - 1.0).abs() < f64::EPSILON;
        conversation
            .assertions
            .push((name.clone(), passed));
    }

    let exception = text(result, "/exception_info/exception_type").to_owned();
    if !exception.is_empty() {
        conversation.cancel_open();
        let is_stop = exception.contains("Timeout") || exception.contains("Cancel");
        conversation.end = Some(if is_stop {
            Ending::Aborted(exception)
        } else {
            Ending::Error(exception)
        });
    } else if !conversation.assertions.is_empty() {
        conversation.end = Some(Ending::Ok);
    }
}
