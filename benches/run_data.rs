//! A seed -> run data of any size, in the form that runtimes write: minified, with sorted keys.
//!
//! A small episode has a state of about 2.3 KB, a summary of 1 KB and a timeline of 11 KB. Some
//! runs are in progress; others ended with success, with an error, by a veto, partially, or by an
//! abort. Runvet finds nothing in them unless a defect is requested, which a test checks.
//!
//! The recorder does not write them: it would write one shape of event where runtimes write many,
//! and it refuses the defects. What is measured would become another thing.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// `SplitMix64`: the same seed gives the same data everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        let index = self.below(from.len() as u64);
        from[usize::try_from(index).expect("below a length")]
    }

    /// A number from 0 to 1 with three decimals.
    fn score(&mut self) -> f64 {
        f64::from(u16::try_from(self.below(1001)).expect("below 1001")) / 1000.0
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        let (time, version) = (a >> 32, (a >> 16) & 0xFFFF);
        format!(
            "{time:08x}-{version:04x}-5{:03x}-8{:03x}-{:012x}",
            a & 0xFFF,
            b >> 52,
            b & 0xFFFF_FFFF_FFFF
        )
    }
}

const TOOL: &str = "adapter:core.minimal";
const PLANNER: &str = "planner.minimal";
const VERBS: [&str; 6] = [
    "Answer",
    "Summarize",
    "Close",
    "Look into",
    "Escalate",
    "Übersetze",
];
const SUBJECTS: [&str; 6] = [
    "the ticket \"Can't log in\"",
    "the open tickets of the week",
    "the outage report — second draft",
    "a customer's question on C:\\temp",
    "the invoice over 12 €",
    "what the monitor says\nsince noon",
];
const STEPS: [(&str, &str); 5] = [
    ("detect", "Collect what is known about it"),
    ("analyze", "Find out what is asked for"),
    ("act", "Write the answer and have it read"),
    ("act", "Send the answer"),
    ("verify", "Check the answer against the sources"),
];

/// The timestamp a number of microseconds after the first event.
fn instant(microseconds: u64) -> String {
    let (seconds, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let (day, hour, minute, second) = (hours / 24 + 1, hours % 24, minutes % 60, seconds % 60);
    assert!(day <= 31, "the run ends in the month in which it started");
    format!("2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}+00:00")
}

/// How a run ended, or that it is in progress.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ok,
    Pending,
    Error,
    Vetoed,
    Aborted,
    Partial,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Pending => "pending",
            Self::Error => "error",
            Self::Vetoed => "vetoed",
            Self::Aborted => "aborted",
            Self::Partial => "partial",
        }
    }

    /// The final status of the step in the middle of the plan.
    fn of_middle_step(self) -> &'static str {
        match self {
            Self::Ok => "done",
            Self::Pending | Self::Aborted => "pending",
            Self::Error => "failed",
            Self::Vetoed => "vetoed",
            Self::Partial => "skipped",
        }
    }
}

/// A run under construction.
struct Run<'r> {
    id: &'r str,
    random: &'r mut Random,
    status: Status,
    task: String,
    seed: u64,
    started: u64,
    now: u64,
    /// The event that causes the next one.
    cause: Option<String>,
    planned: Vec<Value>,
    labels: Vec<String>,
    planned_at: String,
    directions: u64,
    actions: Vec<Value>,
    events: Vec<Value>,
}

impl<'r> Run<'r> {
    fn new(id: &'r str, random: &'r mut Random, status: Status) -> Self {
        let started = random.below(27 * 86_400_000_000);
        let task = format!("{} {}", random.pick(&VERBS), random.pick(&SUBJECTS));
        let seed = random.below(1000);
        let mut run = Self {
            id,
            random,
            status,
            task,
            seed,
            started,
            now: started,
            cause: None,
            planned: Vec::new(),
            labels: Vec::new(),
            planned_at: String::new(),
            directions: 0,
            actions: Vec::new(),
            events: Vec::new(),
        };
        run.begin();
        run
    }

    /// Adds an event and advances the clock; returns the timestamp of the event.
    fn event(&mut self, phase: &str, agent: &str, payload: Value) -> String {
        let timestamp = instant(self.now);
        let took = 400 + self.random.below(30_000);
        let mut event = json!({"agent_id": agent, "episode_id": self.id, "evidence_ids": [], "phase": phase,
            "timestamp": timestamp});
        if self.cause.is_some() && !matches!(phase, "observe" | "terminate" | "insight" | "memory")
        {
            event["caused_by"] = json!(self.cause);
            let milliseconds = f64::from(u32::try_from(took).expect("a short time")) / 1000.0;
            event["metrics"] = json!({"completed_at": instant(self.now + took), "duration_ms": milliseconds,
                "started_at": timestamp});
        }
        if phase == "insight" {
            // Written by another component, which does not write ids.
        } else {
            let id = self.random.uuid();
            event["id"] = json!(id);
            self.cause = Some(id);
        }
        event["payload"] = payload;
        self.events.push(event);
        self.now += took;
        timestamp
    }

    fn begin(&mut self) {
        let (task, seed) = (self.task.clone(), self.seed);
        self.event(
            "start",
            "system",
            json!({"seed": seed, "task": task, "using": "core.minimal"}),
        );
        let at = instant(self.now);
        let snapshot = json!({"history": [], "seed": seed, "state_path": "state.json", "tags": {}, "task": task,
            "tools_seen": [], "using": "core.minimal"});
        self.event(
            "observe",
            "system",
            json!({"experimental": {"snapshot": snapshot}, "tags": {}, "task": task, "timestamp": at}),
        );
        let ready = self.random.score();
        self.event(
            "interpret",
            "system",
            json!({"signals": [{"name": "ready", "score": ready, "value": true}]}),
        );
        let count = 3 + u64::from(self.random.below(4) == 0);
        for index in 0..count {
            // The last step is always the one that verifies.
            let place = if index + 1 == count {
                STEPS.len() - 1
            } else {
                usize::try_from(index).expect("a few")
            };
            let (kind, description) = STEPS[place];
            self.labels.push(format!("{kind}:{description}"));
            self.planned.push(json!({"description": description, "id": format!("step-{}", index + 1), "kind": kind,
                "status": "pending"}));
        }
        self.planned[0]["inputs"] =
            json!({"queue": "support", "ticket": self.random.below(1_000_000)});
        self.planned[0]["rationale"] = json!("The answer needs it");
        let payload = json!({"rationale": "minimal planner", "source": PLANNER, "step_records": self.planned,
            "steps": self.labels});
        self.planned_at = self.event("plan", PLANNER, payload);
        for _ in 0..self.random.below(3) {
            let (score, target) = (
                self.random.score(),
                format!("step-{}", 1 + self.random.below(count)),
            );
            let payload = json!({"decision": "hint", "score": score, "target": target});
            self.event("direction", "policy:core.minimal", payload);
            self.events.last_mut().expect("just added")["event_type"] = json!("direction.hint");
            self.directions += 1;
        }
    }

    /// A step is proposed and allowed, or vetoed.
    fn propose(&mut self, step: usize, decision: &str) {
        let planned = &self.planned[step];
        let (id, kind, description) = (
            planned["id"].clone(),
            planned["kind"].clone(),
            planned["description"].clone(),
        );
        let candidate = self.random.uuid();
        let hash = format!(
            "sha256:{:016x}{:016x}",
            self.random.next(),
            self.random.next()
        );
        let payload = json!({"action_candidate_id": candidate, "kind": "adapter",
            "payload": {"adapter_label": TOOL, "plan_step_description": description, "plan_step_id": id,
                        "plan_step_kind": kind},
            "schema_version": "action_candidate/1.0.0", "state_hash": hash, "state_ref": "state.json"});
        self.event("action_candidate", TOOL, payload);
        let score = self.random.score();
        let payload = json!({"decision": decision, "decision_id": candidate, "enforced": true,
            "mode": "enforce", "policy_id": "policy:core.minimal", "rule_id": "rules.default",
            "schema_version": "governance/1.0.0", "score": score});
        self.event("governance", "policy:core.minimal", payload);
    }

    /// A step is executed; the event and the action agree.
    fn act(&mut self, step: usize, status: &str) {
        self.propose(step, "allow");
        let id = self.planned[step]["id"].clone();
        let excerpt = format!(
            "{} (ticket {})",
            self.labels[step],
            self.random.below(1_000_000)
        );
        let result = if status == "done" { "ok" } else { "error" };
        let action = json!({"id": format!("act-{}", self.actions.len() + 1), "input_excerpt": excerpt,
            "kind": "adapter", "provenance": PLANNER, "result_artifacts": [], "result_status": result, "step_id": id,
            "tool": TOOL});
        let mut payload = action.clone();
        payload["action_id"] = payload["id"].take();
        payload.as_object_mut().expect("an object").remove("id");
        payload["outcome"] = json!(result);
        payload["step_status"] = json!(status);
        let timestamp = self.event("act", TOOL, payload);
        let mut action = action;
        action["timestamp"] = json!(timestamp);
        self.actions.push(action);
        self.planned[step]["status"] = json!(status);
    }

    /// A step gets a status without being executed.
    fn pass_over(&mut self, step: usize, status: &str) {
        if status == "vetoed" {
            self.propose(step, "veto");
        }
        let payload = json!({"reasons": self.labels, "step_id": self.planned[step]["id"], "step_status": status,
            "synthetic": true});
        self.event("act", TOOL, payload);
        self.planned[step]["status"] = json!(status);
    }

    /// What a long run repeats: try a step, and note the result.
    fn round(&mut self) {
        let step = usize::try_from(self.random.below(self.planned.len() as u64)).expect("a few");
        self.propose(step, "allow");
        let (id, ticket) = (
            self.planned[step]["id"].clone(),
            self.random.below(1_000_000),
        );
        let payload = json!({"input_excerpt": format!("{} (ticket {ticket})", self.labels[step]),
            "outcome": "ok", "step_id": id, "step_status": "running", "tool": TOOL});
        self.event("act", TOOL, payload);
        let said = format!(
            "{{\"ticket\": {ticket}, \"state\": \"open\"}}\n{:016x} — done",
            self.random.next()
        );
        self.event(
            "observe",
            "system",
            json!({"tool_output": {"excerpt": said, "truncated": false}}),
        );
        let signals = json!([{"name": "progress", "score": self.random.score(), "value": true}]);
        self.event("interpret", "system", json!({"signals": signals}));
    }

    fn take_steps(&mut self) {
        let middle = self.planned.len() / 2;
        for step in 0..middle {
            self.act(step, "done");
        }
        match self.status.of_middle_step() {
            "pending" => return,
            status @ ("done" | "failed") => self.act(middle, status),
            status => self.pass_over(middle, status),
        }
        if matches!(self.status, Status::Ok | Status::Partial) {
            for step in middle + 1..self.planned.len() {
                if self.random.below(4) == 0 {
                    self.pass_over(step, "skipped");
                } else {
                    self.act(step, "done");
                }
            }
        }
    }

    fn end(mut self) -> Episode {
        let ended = self.status != Status::Pending;
        if ended {
            let success = self.status == Status::Ok;
            self.event(
                "reflect",
                "system",
                json!({"reasons": self.labels, "success": success}),
            );
            let payload = json!({"applied": false, "basis": self.labels, "policy_id": "policy:core.minimal",
                "proposal": [], "scope": "episode"});
            self.event("learn", "system", payload);
        }
        let links = if ended {
            json!({"events": "events.jsonl", "learn": "learn.jsonl", "manifest": "manifest.json",
                "summary": "summary.json"})
        } else {
            json!({"events": "events.jsonl", "learn": "learn.jsonl"})
        };
        let error = if self.status == Status::Error {
            json!({"code": "timeout"})
        } else {
            Value::Null
        };
        let outcomes = json!({"actions": self.actions, "artifacts": ["report.md"], "error": error,
            "metrics": {"efficiency": self.random.score(), "steps_completed": self.actions.len(),
                        "steps_total": self.planned.len(), "task_score": self.random.score()},
            "status": self.status.word(), "summary": format!("Took {} steps.", self.actions.len())});
        self.event(
            "runtime",
            "system",
            json!({"links": links, "outcomes": outcomes}),
        );
        self.events.last_mut().expect("just added")["event_type"] = json!("run.state_projection");
        let summary = if ended {
            let message = json!({"message": outcomes["summary"], "status": self.status.word()});
            self.event("terminate", "system", message);
            let summary = self.summary();
            let mut metrics = summary["metrics"].clone();
            metrics["phase_ms"] = json!({"act": 15, "interpret": 5, "plan": 5, "reflect": 5});
            self.now += 900_000;
            self.event(
                "insight",
                "system",
                json!({"metrics": metrics, "summary_path": "summary.json"}),
            );
            let skipped = json!({"capability": "long_term_memory", "reason": "port_missing", "status": "skipped"});
            self.event("memory", "memory", skipped);
            Some(summary)
        } else {
            let step = self.planned[self.planned.len() / 2]["id"].clone();
            self.event(
                "approval",
                "system",
                json!({"step_id": step, "waiting": true}),
            );
            None
        };
        self.planned[0]["outputs"] = json!({"found": self.random.below(100), "truncated": false});
        let believed_at = self.actions[0]["timestamp"].clone();
        let state = json!({
            "beliefs": [{"confidence": self.random.score(), "provenance": "act-1", "statement": "Nobody has answered it",
                         "timestamp": believed_at}],
            "episode": {"id": self.id, "intuition_mode": "advisory", "seed": self.seed,
                        "started_at": instant(self.started), "tags": {"channel": "mail", "priority": "high", "team": "support"}, "using": TOOL},
            "goal": {"task": self.task, "type": "task"},
            "links": links,
            "memory": {"facts": [{"key": "ticket_count", "provenance": "act-1", "timestamp": believed_at,
                                  "value": self.random.below(100)},
                                 {"key": "oldest", "value": null}],
                       "scratchpad": "Read the oldest ticket first; the others of the same customer may say the same."},
            "outcomes": outcomes,
            "plan": {"rationale": "minimal planner", "source": PLANNER, "steps": self.planned,
                     "updated_at": self.planned_at},
            "state_schema_version": "1.0.0",
            "version": "1.0"});
        Episode {
            state,
            summary,
            events: self.events,
        }
    }

    fn summary(&mut self) -> Value {
        let verified = self.status == Status::Ok && self.random.below(2) == 0;
        let (result, outcome) = match self.status {
            Status::Ok if verified => ("success", "success"),
            Status::Ok => ("success", "success_unverified"),
            Status::Error => ("error", "error"),
            _ => ("success", "goal_not_achieved"),
        };
        let verification = if verified {
            json!({"assertions": [{"name": "report exists", "passed": true}], "error": null, "passed": true,
                "policy": {"ignore": [".git", "__pycache__"], "symlinks": "skip"}, "provided": true,
                "snapshots": {"post": "snapshots/post.json", "pre": "snapshots/pre.json"},
                "workspace_diff": {"added": ["report.md"], "deleted": [], "modified": []}})
        } else {
            json!({"assertions": [], "error": null, "passed": null,
                "policy": {"ignore": [".git", "__pycache__"], "symlinks": "skip"}, "provided": false,
                "snapshots": null, "workspace_diff": null})
        };
        let total = u32::try_from((self.now - self.started) / 1000).expect("less than a month");
        json!({
            "adapter_result": result,
            "duration_sec": f64::from(total) / 1000.0,
            "episode_id": self.id,
            "flags": {"direction": {"applied": 0, "last_diff": [], "policy": "policy:core.minimal@1.0.0",
                                    "threshold": 0.5, "vetoed": 0},
                      "intuition": false, "mode": "meta"},
            "insight": {"metrics": {"branching_factor": self.directions, "plan_adherence": 0.6667, "plan_revisions": 0,
                                    "tool_coverage": 1.0}},
            "metrics": {"act_count": self.actions.len(),
                        "latencies": {"execution_ms": 50.5, "first_action_ms": 25, "planning_ms": 20, "total_ms": total},
                        "learn_applied": 0, "learn_proposals": 0, "plan_count": 1, "reflect_count": 1,
                        "success": u8::from(self.status == Status::Ok),
                        "veto_count": u8::from(self.status == Status::Vetoed)},
            "outcome": outcome,
            "ports": {"config": "config/1.0-rc1"},
            "schema_version": "1.3.0",
            "started_at": instant(self.started),
            "tags": {"channel": "mail", "priority": "high", "team": "support"},
            "task": self.task,
            "verification": verification})
    }
}

/// The records of one episode: state, summary (if the run has ended) and timeline.
struct Episode {
    state: Value,
    summary: Option<Value>,
    events: Vec<Value>,
}

/// The texts of one episode's records.
pub(crate) struct Records {
    pub(crate) state: String,
    pub(crate) summary: Option<String>,
    pub(crate) events: String,
}

/// The number of defects that an episode can have. Each makes it invalid.
const DEFECTS: u64 = 6;

/// Makes an episode without or with a defect. One run in ten is in progress, one in five has not
/// succeeded.
pub(crate) fn records(id: &str, random: &mut Random, defect: Option<u64>) -> Records {
    let status = match random.below(20) {
        0 | 1 => Status::Pending,
        2 => Status::Error,
        3 => Status::Vetoed,
        4 => Status::Aborted,
        5 => Status::Partial,
        _ => Status::Ok,
    };
    let mut run = Run::new(id, random, status);
    run.take_steps();
    let mut episode = run.end();
    match defect.map(|defect| defect % DEFECTS) {
        Some(0) => episode.state["goal"]["task"] = json!(5),
        Some(1) => episode.state["links"] = json!({"events": "events.jsonl"}),
        Some(2) => episode.events[0]["timestamp"] = json!("2026-02-01T11:00:00Z"),
        Some(3) => episode.state["plan"]["steps"][0]["status"] = json!("running"),
        Some(4) => episode.state["outcomes"]["actions"][0]["tool"] = json!("adapter:other"),
        _ => {}
    }
    let mut events = lines(&episode.events);
    if defect.map(|defect| defect % DEFECTS) == Some(5) {
        // A line in the middle has lost its second half.
        let mut ends = events.match_indices('\n').map(|(end, _)| end).skip(3);
        let (before, end) = (
            ends.next().expect("a fourth line"),
            ends.next().expect("a fifth line"),
        );
        let broken = before + (end - before) / 2;
        events.replace_range(broken..end, "");
    }
    Records {
        state: format!("{}\n", episode.state),
        summary: episode.summary.map(|summary| format!("{summary}\n")),
        events,
    }
}

fn lines(events: &[Value]) -> String {
    let mut lines = String::new();
    for event in events {
        writeln!(lines, "{event}").expect("a string takes all");
    }
    lines
}

/// Writes episodes below `dir/episodes`; every `broken_every`-th one is broken (0: none).
pub(crate) fn write(dir: &Path, episodes: u64, broken_every: u64) -> io::Result<()> {
    let mut random = Random(1);
    for index in 0..episodes {
        let id = format!("ep_{index:08}");
        let defect = (broken_every > 0 && index % broken_every == 0).then(|| index / broken_every);
        let records = records(&id, &mut random, defect);
        let home = dir.join("episodes").join(&id);
        fs::create_dir_all(&home)?;
        fs::write(home.join("events.jsonl"), &records.events)?;
        write_records(&home, &records)?;
    }
    Ok(())
}

/// Writes all artifacts except the timeline.
fn write_records(home: &Path, records: &Records) -> io::Result<()> {
    fs::write(home.join("state.json"), &records.state)?;
    fs::write(home.join("learn.jsonl"), "")?;
    if let Some(summary) = &records.summary {
        fs::write(home.join("summary.json"), summary)?;
        fs::write(home.join("manifest.json"), "{\"files\":[]}\n")?;
    }
    Ok(())
}

/// Writes one episode whose timeline has at least a number of bytes, and no two equal lines.
pub(crate) fn write_long(dir: &Path, bytes: u64) -> io::Result<()> {
    let mut random = Random(2);
    let home = dir.join("episodes").join("ep_long");
    fs::create_dir_all(&home)?;
    let mut run = Run::new("ep_long", &mut random, Status::Ok);
    let mut file = BufWriter::new(fs::File::create(home.join("events.jsonl"))?);
    let mut written = 0;
    while written < bytes {
        let text = lines(&std::mem::take(&mut run.events));
        file.write_all(text.as_bytes())?;
        written += text.len() as u64;
        run.round();
    }
    run.take_steps();
    let episode = run.end();
    file.write_all(lines(&episode.events).as_bytes())?;
    file.flush()?;
    let (state, summary) = (
        format!("{}\n", episode.state),
        episode.summary.map(|summary| format!("{summary}\n")),
    );
    write_records(
        &home,
        &Records {
            state,
            summary,
            events: String::new(),
        },
    )
}
