//! Makes run data of any size from a seed: records of the shape that runtimes write, minified, with sorted keys.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// `SplitMix64`: the same seed gives the same data everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn small(&mut self, bound: u16) -> u16 {
        u16::try_from(self.below(bound.into())).expect("below the bound")
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from[usize::from(self.small(u16::try_from(from.len()).expect("a few")))]
    }
}

/// The events between a run's first and last ones, as many as asked for.
const PHASES: [&str; 6] = ["observe", "interpret", "act", "reflect", "learn", "memory"];

fn instant(milliseconds: u64) -> String {
    let (seconds, fraction) = (milliseconds / 1000, milliseconds % 1000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    format!("2026-03-01T{:02}:{:02}:{:02}.{fraction:03}000+00:00", hours % 24, minutes % 60, seconds % 60)
}

/// The three records of one episode: state, summary (where the run has ended) and timeline.
pub(crate) struct Episode {
    pub(crate) state: Value,
    pub(crate) summary: Option<Value>,
    pub(crate) events: Vec<Value>,
}

/// Makes an episode; about one in ten goes on, some have failed or were vetoed.
pub(crate) fn episode(id: &str, random: &mut Random, events: u64) -> Episode {
    let status = match random.below(20) {
        0 | 1 => "pending",
        2 => "error",
        3 => "vetoed",
        4 => "partial",
        _ => "ok",
    };
    let ended = status != "pending";
    let kinds = ["detect", "act", "verify"];
    let steps: Vec<Value> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| {
            json!({"description": format!("Step {} of the work on ticket {}", index + 1, random.below(100_000)),
                   "id": format!("step-{}", index + 1), "kind": kind, "status": "pending"})
        })
        .collect();
    let envelope = |at: u64, phase: &str, agent: &str, payload: Value| {
        json!({"agent_id": agent, "episode_id": id, "evidence_ids": [], "id": format!("ev-{at:08}"),
               "metrics": {"completed_at": instant(at + 5), "duration_ms": 5.0, "started_at": instant(at)},
               "payload": payload, "phase": phase, "timestamp": instant(at)})
    };
    let task = format!("Work on ticket {}", random.below(100_000));
    let mut timeline = vec![
        envelope(0, "start", "system", json!({"seed": 7, "task": task, "using": "core.minimal"})),
        envelope(10, "plan", "planner.minimal", json!({"source": "planner.minimal", "step_records": steps})),
    ];
    let mut persisted = steps.clone();
    let mut actions = Vec::new();
    for (index, step) in persisted.iter_mut().enumerate() {
        let at = 20 + 10 * index as u64;
        let (action, step_id) = (format!("act-{}", index + 1), format!("step-{}", index + 1));
        let done = if status == "vetoed" && index == 1 { "vetoed" } else { "done" };
        let excerpt = format!("Look at \"{}\" and tell what it says", random.below(1_000_000));
        timeline.push(envelope(
            at,
            "act",
            "adapter:core.minimal",
            json!({
            "action_id": action, "input_excerpt": excerpt, "kind": "adapter", "result_status": "ok",
            "step_id": step_id, "step_status": done, "tool": "adapter:core.minimal"}),
        ));
        actions.push(json!({"id": action, "input_excerpt": excerpt, "kind": "adapter", "result_status": "ok",
            "step_id": step_id, "timestamp": instant(at), "tool": "adapter:core.minimal"}));
        step["status"] = done.into();
    }
    for index in 0..events {
        let phase = random.pick(&PHASES);
        let note = format!("Note {} on what was seen: {:016x}{:016x}", index, random.next(), random.next());
        timeline.push(envelope(
            60 + index,
            phase,
            "system",
            json!({
            "basis": ["step:step-1:detect", "step:step-2:act", "step:step-3:verify"], "note": note,
            "score": f64::from(random.small(1000)) / 1000.0, "signals": [{"name": "ready", "value": true}]}),
        ));
    }
    let links = if ended {
        json!({"events": "events.jsonl", "learn": "learn.jsonl", "manifest": "manifest.json", "summary": "summary.json"})
    } else {
        json!({"events": "events.jsonl", "learn": "learn.jsonl"})
    };
    let outcomes = json!({"actions": actions, "artifacts": ["report.md"], "metrics": {"efficiency": 0.7, "task_score": 0.75},
        "status": status, "summary": "Completed 3 steps."});
    let last = 60 + events;
    let mut projection = envelope(last, "runtime", "system", json!({"links": links, "outcomes": outcomes}));
    projection["event_type"] = "run.state_projection".into();
    timeline.push(projection);
    let state = json!({
        "beliefs": [{"confidence": 0.9, "provenance": "act-1", "statement": "The ticket is open"}],
        "episode": {"id": id, "intuition_mode": "advisory", "seed": 7, "started_at": instant(0), "tags": {}, "using": "core.minimal"},
        "goal": {"task": task, "type": "task"}, "links": links,
        "memory": {"facts": [{"key": "tickets", "value": 3}], "scratchpad": ""}, "outcomes": outcomes,
        "plan": {"rationale": "minimal planner", "source": "planner.minimal", "steps": persisted, "updated_at": instant(10)},
        "state_schema_version": "1.0.0", "version": "1.0"});
    let (outcome, success) = if status == "error" { ("error", 0) } else { ("success", 1) };
    let summary = ended.then(|| json!({
        "adapter_result": "success", "duration_sec": 0.15, "episode_id": id,
        "flags": {"direction": {"applied": 0, "last_diff": [], "threshold": 0.5, "vetoed": 0}, "intuition": false, "mode": "meta"},
        "insight": {"metrics": {"branching_factor": 0, "plan_adherence": 0.6667, "plan_revisions": 0, "tool_coverage": 1.0}},
        "metrics": {"act_count": 3, "latencies": {"first_action_ms": 25, "total_ms": 150}, "learn_applied": 0,
                    "learn_proposals": 0, "plan_count": 1, "reflect_count": 1, "success": success,
                    "veto_count": u8::from(status == "vetoed")},
        "outcome": outcome, "schema_version": "1.3.0", "started_at": instant(0), "tags": {}, "task": task,
        "verification": {"assertions": [], "error": null, "passed": null, "policy": {"ignore": [".git"], "symlinks": "skip"},
                         "provided": false, "snapshots": null, "workspace_diff": null}}));
    Episode { state, summary, events: timeline }
}

/// Writes episodes below `dir/episodes`; of every `broken_every` one is broken (0: none).
pub(crate) fn write(dir: &Path, episodes: u64, broken_every: u64, events: u64) -> io::Result<()> {
    let mut random = Random(1);
    for index in 0..episodes {
        let id = format!("ep_{index:08}");
        let mut episode = episode(&id, &mut random, events);
        if broken_every > 0 && index % broken_every == 0 {
            match index / broken_every % 4 {
                0 => episode.state["goal"]["task"] = json!(5),
                1 => episode.state["links"] = json!({"events": "events.jsonl"}),
                2 => episode.events[0]["timestamp"] = json!("2026-03-01T11:00:00Z"),
                _ => episode.state["plan"]["steps"][0]["status"] = json!("running"),
            }
        }
        let home = dir.join("episodes").join(&id);
        fs::create_dir_all(&home)?;
        write_episode(&home, &episode)?;
    }
    Ok(())
}

fn write_episode(home: &Path, episode: &Episode) -> io::Result<()> {
    fs::write(home.join("state.json"), format!("{}\n", episode.state))?;
    let mut events = BufWriter::new(fs::File::create(home.join("events.jsonl"))?);
    for event in &episode.events {
        writeln!(events, "{event}")?;
    }
    fs::write(home.join("learn.jsonl"), "")?;
    if let Some(summary) = &episode.summary {
        fs::write(home.join("summary.json"), format!("{summary}\n"))?;
        fs::write(home.join("manifest.json"), "{\"files\":[]}\n")?;
    }
    Ok(())
}

/// Writes one episode whose timeline has at least so many bytes.
pub(crate) fn write_long(dir: &Path, bytes: u64) -> io::Result<()> {
    let mut random = Random(2);
    let home = dir.join("episodes").join("ep_long");
    fs::create_dir_all(&home)?;
    let mut episode = episode("ep_long", &mut random, 20_000);
    let last = episode.events.pop();
    let middle: Vec<String> = episode.events.iter().skip(5).map(|event| format!("{event}\n")).collect();
    let mut events = BufWriter::new(fs::File::create(home.join("events.jsonl"))?);
    for event in episode.events.iter().take(5) {
        writeln!(events, "{event}")?;
    }
    let mut written = 0;
    for line in middle.iter().cycle() {
        events.write_all(line.as_bytes())?;
        written += line.len() as u64;
        if written >= bytes {
            break;
        }
    }
    if let Some(last) = &last {
        writeln!(events, "{last}")?;
    }
    events.flush()?;
    episode.events.clear();
    let Episode { state, summary, .. } = &episode;
    fs::write(home.join("state.json"), format!("{state}\n"))?;
    fs::write(home.join("learn.jsonl"), "")?;
    if let Some(summary) = summary {
        fs::write(home.join("summary.json"), format!("{summary}\n"))?;
        fs::write(home.join("manifest.json"), "{\"files\":[]}\n")?;
    }
    Ok(())
}
