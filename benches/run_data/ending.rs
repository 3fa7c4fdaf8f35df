//! A run that has taken its steps -> its last events, its state and its summary.

use serde_json::{Value, json};

use super::Episode;
use super::run::{PLANNER, Run, Status, TOOL, instant};

impl Run<'_> {
    pub(super) fn end(mut self) -> Episode {
        let has_ended = self.status != Status::Pending;
        if has_ended {
            self.reflect();
        }
        let links = if has_ended {
            json!({"events": "events.jsonl", "learn": "learn.jsonl", "manifest": "manifest.json",
                "summary": "summary.json"})
        } else {
            json!({"events": "events.jsonl", "learn": "learn.jsonl"})
        };
        let outcomes = self.outcomes();
        let mut evidence = outcomes.clone();
        if self.differs {
            self.vary_evidence(&mut evidence);
        }
        self.event(
            "runtime",
            "system",
            json!({"links": links, "outcomes": evidence}),
        );
        self.events
            .last_mut()
            .expect("just added")["event_type"] = json!("run.state_projection");
        let summary = if has_ended {
            Some(self.terminate())
        } else {
            let step = self.planned[self.planned.len() / 2]["id"].clone();
            self.event(
                "approval",
                "system",
                json!({"step_id": step, "waiting": true}),
            );
            None
        };
        Episode {
            state: self.state(&links, &outcomes),
            summary,
            events: self.events,
        }
    }

    fn reflect(&mut self) {
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

    fn outcomes(&mut self) -> Value {
        let error = if self.status == Status::Error {
            json!({"code": "timeout"})
        } else {
            Value::Null
        };
        let mut outcomes = json!({"actions": self.actions, "artifacts": ["report.md"], "error": error,
            "metrics": {"efficiency": self.random.score(), "steps_completed": self.actions.len(),
                        "steps_total": self.planned.len(), "task_score": self.random.score()},
            "status": self.status.word(), "summary": self.said()});
        if self.differs {
            self.vary_outcomes(&mut outcomes);
        }
        outcomes
    }

    /// Adds the last events of a run that has ended; returns its summary.
    fn terminate(&mut self) -> Value {
        let message = json!({"message": self.said(), "status": self.status.word()});
        self.event("terminate", "system", message);
        let mut summary = self.summary();
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
        if self.differs {
            self.vary_summary(&mut summary);
        }
        summary
    }

    fn state(&mut self, links: &Value, outcomes: &Value) -> Value {
        self.planned[0]["outputs"] = json!({"found": self.random.below(100), "truncated": false});
        let believed_at = self
            .actions
            .first()
            .map(|action| action["timestamp"].clone());
        let mut state = json!({
            "beliefs": [{"confidence": self.random.score(), "provenance": "act-1", "statement": "Nobody has answered it",
                         "timestamp": believed_at}],
            "episode": {"id": self.id, "intuition_mode": "advisory", "seed": self.seed,
                        "started_at": instant(self.started), "tags": self.tags, "using": TOOL},
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
        if self.differs {
            self.vary_state(&mut state);
        }
        state
    }

    fn said(&self) -> String {
        format!("Took {} steps.", self.actions.len())
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
            "tags": self.tags,
            "task": self.task,
            "verification": verification})
    }
}
