//! A seed -> what happens in a run: its events, one after another.

use serde_json::{Value, json};

use super::Random;

pub(super) const TOOL: &str = "adapter:core.minimal";
pub(super) const PLANNER: &str = "planner.minimal";
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
pub(super) fn instant(microseconds: u64) -> String {
    let (seconds, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let (day, hour, minute, second) = (hours / 24 + 1, hours % 24, minutes % 60, seconds % 60);
    assert!(day <= 31, "the run ends in the month in which it started");
    format!("2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}+00:00")
}

/// How a run ended, or that it is in progress.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    Pending,
    Error,
    Vetoed,
    Aborted,
    Partial,
}

impl Status {
    pub(super) fn word(self) -> &'static str {
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
pub(super) struct Run<'r> {
    pub(super) id: &'r str,
    pub(super) random: &'r mut Random,
    /// Whether it differs from all others in more than texts and numbers.
    pub(super) differs: bool,
    /// Whether it takes many actions.
    pub(super) is_busy: bool,
    pub(super) status: Status,
    pub(super) task: String,
    pub(super) seed: u64,
    pub(super) tags: Value,
    pub(super) started: u64,
    pub(super) now: u64,
    /// The event that causes the next one.
    pub(super) cause: Option<String>,
    pub(super) planned: Vec<Value>,
    pub(super) labels: Vec<String>,
    pub(super) planned_at: String,
    pub(super) directions: u64,
    pub(super) actions: Vec<Value>,
    pub(super) events: Vec<Value>,
}

impl<'r> Run<'r> {
    pub(super) fn new(id: &'r str, random: &'r mut Random, differs: bool, status: Status) -> Self {
        let started = random.below(27 * 86_400_000_000);
        let task = format!("{} {}", random.pick(&VERBS), random.pick(&SUBJECTS));
        let seed = random.below(1000);
        let mut run = Self {
            id,
            random,
            differs,
            is_busy: false,
            status,
            task,
            seed,
            tags: json!({"channel": "mail", "priority": "high", "team": "support"}),
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
    pub(super) fn event(&mut self, phase: &str, agent: &str, payload: Value) -> String {
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
        let count = if self.differs {
            self.vary_tags();
            self.is_busy = self.random.below(6) == 0;
            1 + self.random.below(12)
        } else {
            3 + u64::from(self.random.below(4) == 0)
        };
        self.plan(count);
        self.planned[0]["inputs"] =
            json!({"queue": "support", "ticket": self.random.below(1_000_000)});
        self.planned[0]["rationale"] = json!("The answer needs it");
        if self.differs {
            self.vary_steps();
        }
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
            self.events
                .last_mut()
                .expect("just added")["event_type"] = json!("direction.hint");
            self.directions += 1;
        }
    }

    /// Plans a number of steps, of which the last one verifies.
    fn plan(&mut self, count: u64) {
        for index in 0..count {
            let last = STEPS.len() - 1;
            let place = if index + 1 == count {
                last
            } else {
                usize::try_from(index).expect("a few") % last
            };
            let (kind, description) = STEPS[place];
            self.labels
                .push(format!("{kind}:{description}"));
            self.planned.push(json!({"description": description, "id": format!("step-{}", index + 1), "kind": kind,
                "status": "pending"}));
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

    /// A step is executed, in some runs after it was tried before.
    fn act(&mut self, step: usize, status: &str) {
        let tries = if self.differs { self.tries() } else { 0 };
        for _ in 0..tries {
            self.act_once(step, "running");
        }
        self.act_once(step, status);
    }

    /// The event and the action agree.
    fn act_once(&mut self, step: usize, status: &str) {
        self.propose(step, "allow");
        let id = self.planned[step]["id"].clone();
        let excerpt = format!(
            "{} (ticket {})",
            self.labels[step],
            self.random.below(1_000_000)
        );
        let result = if status == "done" { "ok" } else { "error" };
        let mut action = json!({"id": format!("act-{}", self.actions.len() + 1), "input_excerpt": excerpt,
            "kind": "adapter", "provenance": PLANNER, "result_artifacts": [], "result_status": result, "step_id": id,
            "tool": TOOL});
        if self.differs {
            self.vary_action(&mut action);
        }
        let mut payload = action.clone();
        payload["action_id"] = payload["id"].take();
        payload
            .as_object_mut()
            .expect("an object")
            .remove("id");
        payload["outcome"] = json!(result);
        payload["step_status"] = json!(status);
        let timestamp = self.event("act", TOOL, payload);
        if self.differs {
            self.shorten_action(&mut action);
        }
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
    pub(super) fn round(&mut self) {
        let step = usize::try_from(
            self.random
                .below(self.planned.len() as u64),
        )
        .expect("a few");
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

    pub(super) fn take_steps(&mut self) {
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
}
