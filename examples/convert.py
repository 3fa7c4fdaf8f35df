"""Spans of a trace, as OTLP JSON with the GenAI attributes -> run data that runvet can check.

Usage: python3 convert.py SPANS.json RUN_DATA
"""
import json
import os
import sys
from datetime import datetime, timezone

LINKS = {"events": "events.jsonl", "learn": "learn.jsonl", "summary": "summary.json", "manifest": "manifest.json"}


def instant(nanoseconds):
    return datetime.fromtimestamp(int(nanoseconds) / 1e9, timezone.utc).isoformat(timespec="milliseconds")


def attributes(span):
    return {each["key"]: each["value"].get("stringValue") for each in span.get("attributes", [])}


def convert(agent, tools, run_data):
    run, about = f"ep_{agent['traceId']}", attributes(agent)
    started, ended = instant(agent["startTimeUnixNano"]), instant(agent["endTimeUnixNano"])
    task = about.get("gen_ai.agent.description") or agent["name"]
    steps, actions, acts = [], [], []
    for number, tool in enumerate(sorted(tools, key=lambda span: int(span["endTimeUnixNano"])), 1):
        failed, name = tool.get("status", {}).get("code") == 2, attributes(tool).get("gen_ai.tool.name")
        action = {"id": tool["spanId"], "tool": name, "step_id": f"step-{number}", "result_status": "error" if failed else "ok"}
        status, done = "failed" if failed else "done", instant(tool["endTimeUnixNano"])
        steps.append({"id": action["step_id"], "kind": "act", "description": tool["name"], "status": status})
        actions.append({**action, "timestamp": done})
        acts.append({"phase": "act", "timestamp": done, "payload": {**action, "step_status": status}})
    failed = agent.get("status", {}).get("code") == 2
    outcomes = {"status": "error" if failed else "ok", "actions": actions}
    planned = [{**step, "status": "pending"} for step in steps]
    events = [
        {"phase": "start", "timestamp": started, "payload": {"task": task}},
        {"phase": "plan", "timestamp": started, "payload": {"source": "trace", "step_records": planned}},
        *acts,
        {"phase": "terminate", "timestamp": ended, "payload": {"status": outcomes["status"]}},
        {"phase": "runtime", "event_type": "run.state_projection", "timestamp": ended, "payload": {"outcomes": outcomes, "links": LINKS}},
    ]
    state = {
        "version": "1.0", "state_schema_version": "1.0.0", "episode": {"id": run, "started_at": started},
        "goal": {"task": task}, "plan": {"source": "trace", "updated_at": started, "steps": steps},
        "outcomes": outcomes, "links": LINKS,
    }
    summary = {
        "schema_version": "1.3.0", "episode_id": run, "task": task, "started_at": started,
        "duration_sec": (int(agent["endTimeUnixNano"]) - int(agent["startTimeUnixNano"])) / 1e9,
        "adapter_result": "error" if failed else "success", "outcome": "error" if failed else "success_unverified",
        "verification": {"provided": False}, "flags": {"intuition": False, "mode": "minimal"},
        "metrics": {"success": 0, "plan_count": 1, "act_count": len(acts), "reflect_count": 0, "veto_count": 0},
    }
    directory = os.path.join(run_data, "episodes", run)
    os.makedirs(directory)
    lines = "".join(json.dumps(event) + "\n" for event in events)
    texts = {"events.jsonl": lines, "learn.jsonl": "", "summary.json": json.dumps(summary), "manifest.json": json.dumps({"episode_id": run, "files": []}), "state.json": json.dumps(state)}
    for name, text in texts.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        resources = json.load(file)["resourceSpans"]
    spans = [span for resource in resources for scope in resource["scopeSpans"] for span in scope["spans"]]
    for agent in spans:
        if attributes(agent).get("gen_ai.operation.name") == "invoke_agent":
            tools = [span for span in spans if span["traceId"] == agent["traceId"] and attributes(span).get("gen_ai.operation.name") == "execute_tool"]
            convert(agent, tools, sys.argv[2])
