//! What makes runs differ from each other, as those of real users do: how many steps they plan and
//! actions they take, with which tools, what they remember, and which optional keys they have.

use serde_json::{Value, json};

use super::Random;
use super::run::Run;

const WORDS: [&str; 12] = [
    "ticket",
    "customer",
    "outage",
    "invoice",
    "región",
    "retry",
    "queue",
    "monitor",
    "draft",
    "quote \"A\"",
    "path C:\\tmp",
    "note\nend",
];
const KEYS: [&str; 12] = [
    "account",
    "region",
    "window",
    "threshold",
    "history",
    "owner",
    "retries",
    "limits",
    "samples",
    "labels",
    "budget",
    "locale",
];

impl Random {
    /// Whether it is one of a number of cases.
    fn is_one_in(&mut self, cases: u64) -> bool {
        self.below(cases) == 0
    }

    fn words(&mut self, most: u64) -> String {
        let words: Vec<&str> = (0..=self.below(most))
            .map(|_| self.pick(&WORDS))
            .collect();
        words.join(" ")
    }

    fn list(&mut self, most: u64, item: impl Fn(&mut Self) -> Value) -> Value {
        (0..self.below(most + 1))
            .map(|_| item(self))
            .collect()
    }

    fn object(&mut self, depth: u64) -> Value {
        let members = (0..self.below(4)).map(|_| (self.pick(&KEYS).to_owned(), self.value(depth)));
        Value::Object(members.collect())
    }

    /// A value of any type.
    fn value(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.is_one_in(2)),
            2 => json!(self.below(100_000)),
            3 => json!(self.score()),
            4 => json!(self.words(8)),
            5 => self.list(3, |random| random.value(depth - 1)),
            _ => self.object(depth - 1),
        }
    }

    /// A call of a tool: its name, what it takes and what it gives.
    fn call(&mut self) -> (&'static str, Value, Value) {
        let (mut input, mut output);
        let tool = match self.below(6) {
            0 => {
                input = json!({"query": self.words(6), "limit": self.below(20)});
                let hit =
                    |random: &mut Self| json!({"title": random.words(5), "score": random.score()});
                output = json!({"hits": self.list(4, hit), "took_ms": self.below(900)});
                "mcp:search"
            }
            1 => {
                input =
                    json!({"argv": self.list(4, |random| json!(random.words(1))), "cwd": "/srv"});
                output = json!({"exit_code": self.below(2), "stdout": self.words(20)});
                "adapter:shell"
            }
            2 => {
                input = json!({"method": "GET", "url": "https://example.org/api", "headers": self.object(0)});
                output = json!({"status": 200, "body": self.object(2)});
                "adapter:http"
            }
            3 => {
                input = json!({"statement": "select 1", "params": self.list(3, |random| random.value(0))});
                output = json!({"rows": self.list(4, |random| random.list(3, |random| random.value(0)))});
                "mcp:sql"
            }
            4 => {
                input =
                    json!({"path": format!("notes/{}.md", self.below(100)), "encoding": "utf-8"});
                output = json!({"text": self.words(30), "truncated": self.is_one_in(5)});
                "adapter:files"
            }
            _ => {
                let message =
                    |random: &mut Self| json!({"role": "user", "content": random.words(12)});
                input = json!({"messages": self.list(3, message), "temperature": self.score()});
                output = json!({"text": self.words(25), "usage": {"prompt": self.below(9000), "completion": self.below(900)}});
                "adapter:model"
            }
        };
        for side in [&mut input, &mut output] {
            if self.is_one_in(4) {
                side[self.pick(&KEYS)] = self.value(1);
            }
        }
        (tool, input, output)
    }
}

impl Run<'_> {
    pub(super) fn vary_steps(&mut self) {
        for step in &mut self.planned {
            if self.random.is_one_in(3) {
                step["inputs"] = self.random.object(1);
            }
            if self.random.is_one_in(4) {
                step["rationale"] = json!(self.random.words(8));
            }
        }
    }

    /// The number of times that a step is tried before it succeeds or fails. A run has at most 12
    /// steps and 40 actions.
    pub(super) fn tries(&mut self) -> usize {
        let tries = self
            .random
            .below(if self.is_busy { 6 } else { 2 });
        let left = 28_usize.saturating_sub(self.actions.len());
        usize::try_from(tries)
            .expect("a few")
            .min(left)
    }

    /// Makes an action one with another tool.
    pub(super) fn vary_action(&mut self, action: &mut Value) {
        let (tool, input, output) = self.random.call();
        action["tool"] = json!(tool);
        (action["input"], action["output"]) = (input, output);
        if self.random.is_one_in(3) {
            action["duration_ms"] = json!(self.random.below(9000));
        }
        if self.random.is_one_in(5) {
            action["x-trace"] = json!(self.random.uuid());
        }
        if self.random.is_one_in(4) {
            remove(action, "provenance");
        }
    }

    /// Most actions of a state leave out what the tool took and gave.
    pub(super) fn shorten_action(&mut self, action: &mut Value) {
        for side in ["input", "output"] {
            if !self.random.is_one_in(4) {
                remove(action, side);
            }
        }
    }

    pub(super) fn vary_outcomes(&mut self, outcomes: &mut Value) {
        for _ in 0..self.random.below(4) {
            outcomes["metrics"][self.random.pick(&KEYS)] = json!(self.random.score());
        }
        outcomes["artifacts"] = self
            .random
            .list(3, |random| json!(format!("{}.md", random.below(9))));
        if self.random.is_one_in(5) {
            remove(outcomes, "summary");
        }
    }

    /// Most writers repeat a part of the outcomes in the projection event.
    pub(super) fn vary_evidence(&mut self, evidence: &mut Value) {
        for key in ["actions", "artifacts", "error", "summary"] {
            if !self.random.is_one_in(3) {
                remove(evidence, key);
            }
        }
    }

    pub(super) fn vary_state(&mut self, state: &mut Value) {
        if self.random.is_one_in(3) {
            state["x-runtime"] = json!({"build": self.random.below(900), "host": "worker"});
        }
        let random = &mut *self.random;
        let at = state["plan"]["updated_at"].clone();
        let belief = |random: &mut Random| {
            let mut belief = json!({"confidence": random.score(), "provenance": "act-1", "statement": random.words(10)});
            if random.is_one_in(2) {
                belief["timestamp"] = at.clone();
            }
            belief
        };
        let fact = |random: &mut Random| {
            let mut fact = json!({"key": random.pick(&KEYS), "value": random.value(2)});
            for (key, value) in [("provenance", json!("act-1")), ("timestamp", at.clone())] {
                if random.is_one_in(3) {
                    fact[key] = value;
                }
            }
            fact
        };
        state["beliefs"] = random.list(10, belief);
        state["memory"]["facts"] = random.list(8, fact);
        state["memory"]["scratchpad"] = json!(random.words(60));
        let steps = state["plan"]["steps"].as_array_mut();
        for step in steps.expect("an array") {
            if step["status"] == "done" && random.is_one_in(3) {
                step["outputs"] = random.object(1);
            }
        }
        for (object, key) in [
            ("goal", "type"),
            ("episode", "seed"),
            ("episode", "intuition_mode"),
            ("plan", "rationale"),
            ("memory", "scratchpad"),
        ] {
            if random.is_one_in(5) {
                remove(&mut state[object], key);
            }
        }
    }

    pub(super) fn vary_summary(&mut self, summary: &mut Value) {
        for key in ["insight", "ports"] {
            if self.random.is_one_in(4) {
                remove(summary, key);
            }
        }
        summary["verification"]["assertions"] = if summary["verification"]["passed"] == true {
            let assertion = |random: &mut Random| json!({"name": random.words(4), "passed": true});
            self.random.list(4, assertion)
        } else {
            json!([])
        };
    }

    pub(super) fn vary_tags(&mut self) {
        self.tags = self.random.object(0);
    }
}

fn remove(object: &mut Value, key: &str) {
    object
        .as_object_mut()
        .expect("an object")
        .remove(key);
}
