//! `agent/trajectory.json` of Harbor, and exports of other agents in the form ATIF -> a
//! conversation, with its sub-agents, its parts and the verdict of its trial.

mod agent_step;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::call::id_of_path;
use super::super::conversation::{Conversation, Ending, Usage};
use super::super::fields::{
    count, first_text, is_true, items, members, number, object, some_text, text, texts, time,
    value_at,
};
use super::super::log::{Log, LogFile};
use super::{Format, Take, Ties};
use agent_step::AgentStep;

use crate::ground::Own;

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
    text(value, "/schema_version").starts_with("ATIF-v") && value_at(value, "/steps").is_array()
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

/// A trajectory, and the number of its file in the log.
struct Trajectory {
    file_number: usize,
    value: Value,
}

/// The trajectories of a log by the names of their files.
struct Files<'l> {
    log: &'l Log<'l>,
    by_name: BTreeMap<String, Trajectory>,
}

/// Where a trajectory lies, and how many sub-agents above it are others.
#[derive(Clone, Copy)]
struct Place<'f> {
    file_number: usize,
    name: &'f str,
    depth: usize,
}

fn read(log: &mut Log<'_>, take: &mut Take<'_>) -> Result<(), String> {
    let mut by_name: BTreeMap<String, Trajectory> = BTreeMap::new();
    let mut results: BTreeMap<String, Value> = BTreeMap::new();
    while let Some(entry) = log.next()? {
        let file = log.files.own(entry.file);
        let value = entry.value;
        if is_result(&value) {
            results.insert(dir_of(&file.name).to_owned(), value);
        } else if is_trajectory(&value) {
            let file_number = entry.file;
            by_name.insert(file.name.clone(), Trajectory { file_number, value });
        }
    }

    let is_given = |file: &LogFile| file.file.is_given;
    if by_name.is_empty() && !log.files.iter().any(is_given) {
        log.nothing_yet = Some("its trial has no trajectory".into());
        return Ok(());
    }

    let files = Files { log, by_name };
    for run in files.runs(&results) {
        take(log, run);
    }

    Ok(())
}

impl Files<'_> {
    /// Returns the conversations of the trajectories to which no other refers.
    fn runs(&self, results: &BTreeMap<String, Value>) -> Vec<Conversation> {
        let referred: BTreeSet<String> = self
            .by_name
            .iter()
            .flat_map(|(name, trajectory)| {
                references(&trajectory.value)
                    .into_iter()
                    .map(|path| beside(name, &path))
            })
            .collect();
        let mut runs: Vec<Conversation> = Vec::new();

        for (name, trajectory) in &self.by_name {
            if referred.contains(name) {
                continue;
            }

            let id = first_text(&trajectory.value, &["/session_id", "/trajectory_id"])
                .unwrap_or_else(|| id_of_path(name));
            // Parts of one run may have its id in common, and nothing else.
            if let Some(run) = runs.iter_mut().find(|run| run.id == id) {
                self.add(run, name, 0);
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

            self.add(&mut run, name, 0);
            if let Some(result) = results.get(dir_of(dir_of(name))) {
                judge(&mut run, result);
            }

            runs.push(run);
        }

        runs
    }

    /// Adds a trajectory and the parts that continue it.
    fn add(&self, conversation: &mut Conversation, name: &str, depth: usize) {
        let mut name = name.to_owned();
        let mut seen = BTreeSet::new();
        while seen.insert(name.clone())
            && let Some(trajectory) = self.by_name.get(&name)
        {
            let place = Place {
                file_number: trajectory.file_number,
                name: &name,
                depth,
            };
            self.steps(conversation, place, &trajectory.value);
            let Some(path) = next_part(&trajectory.value) else {
                break;
            };
            name = beside(&name, &path);
        }
    }

    /// Adds the steps of a trajectory, with those of its sub-agents.
    fn steps(&self, conversation: &mut Conversation, place: Place<'_>, trajectory: &Value) {
        add_tags(conversation, trajectory);
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
                _ => AgentStep::new(self.log, place.file_number, step).add(conversation),
            }

            if place.depth < MAX_DEPTH {
                self.sub_agents(conversation, place, trajectory, step);
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

    /// Takes in the trajectories of the sub-agents that a step began.
    fn sub_agents(
        &self,
        conversation: &mut Conversation,
        place: Place<'_>,
        trajectory: &Value,
        step: &Value,
    ) {
        for result in items(step, "/observation/results") {
            for reference in items(result, "/subagent_trajectory_ref") {
                let Some((agent, part)) =
                    self.sub_agent(conversation.cwd.clone(), place, trajectory, reference)
                else {
                    conversation.skip("trajectory of a sub-agent that is not there");
                    continue;
                };
                conversation.absorb(&agent, part);
                conversation
                    .parents
                    .insert(agent, text(result, "/source_call_id").to_owned());
            }
        }
    }

    /// Returns the name and the conversation of a sub-agent, whose trajectory lies in the same file
    /// or in one beside it.
    fn sub_agent(
        &self,
        cwd: Option<String>,
        place: Place<'_>,
        trajectory: &Value,
        reference: &Value,
    ) -> Option<(String, Conversation)> {
        let mut part = Conversation {
            cwd,
            ..Conversation::default()
        };

        let id = some_text(reference, "/trajectory_id");
        let is_meant = |it: &&Value| id.is_some() && some_text(it, "/trajectory_id") == id;
        let embedded = items(trajectory, "/subagent_trajectories")
            .iter()
            .find(is_meant);
        let path = some_text(reference, "/trajectory_path").map(|path| beside(place.name, &path));
        let in_file = path
            .as_ref()
            .and_then(|path| self.by_name.get(path));
        let found = embedded.or(in_file.map(|found| &found.value))?;
        let agent = first_text(found, &["/trajectory_id", "/session_id"])
            .unwrap_or_else(|| "sub-agent".into());

        let depth = place.depth + 1;
        match path.filter(|_| embedded.is_none()) {
            Some(path) => self.add(&mut part, &path, depth),
            None => self.steps(&mut part, Place { depth, ..place }, found),
        }

        // What the log says of the whole has what its parts cost.
        let has_total = number(trajectory, "/final_metrics/total_cost_usd").is_some();
        part.cost = part.cost.filter(|_| !has_total);
        Some((agent, part))
    }
}

/// Adds what a trajectory says of its agent.
fn add_tags(conversation: &mut Conversation, trajectory: &Value) {
    let cwds = ["/agent/extra/cwds/0", "/agent/extra/cwd"];
    for (tag, places) in [
        ("agent", &["/agent/name"][..]),
        ("version", &["/agent/version"]),
        ("model", &["/agent/model_name"]),
        ("cwd", &cwds),
        ("branch", &["/agent/extra/git_branches/0"]),
    ] {
        conversation.tag(tag, first_text(trajectory, places).unwrap_or_default());
    }

    conversation.cwd = first_text(trajectory, &cwds).or(conversation.cwd.take());
}

fn message(step: &Value) -> String {
    texts(value_at(step, "/message"))
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

    let usage = object(step, "/metrics").map(usage);
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

/// Adds the verdict of a trial: what its verifier found, and the exception that ended it.
fn judge(conversation: &mut Conversation, result: &Value) {
    conversation.tag("trial", text(result, "/trial_name"));
    for (name, value) in members(result, "/verifier_result/rewards") {
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
