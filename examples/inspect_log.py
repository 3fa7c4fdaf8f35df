"""The samples of a log of Inspect, in JSON -> recorded runs.

Usage: python3 inspect_log.py LOG.json RUN_DATA
"""
import json
import sys
from pathlib import Path

from recording import record


def whole(value, attachments):
    """A value, with the texts that the log has apart."""
    if isinstance(value, str) and value.startswith("attachment://"):
        return attachments.get(value.removeprefix("attachment://"), value)
    if isinstance(value, dict):
        return {name: whole(it, attachments) for name, it in value.items()}
    return [whole(it, attachments) for it in value] if isinstance(value, list) else value


def act(event):
    is_tool = event["event"] == "tool"
    return {
        "tool": event["function"] if is_tool else event["model"],
        "input": event["arguments"] if is_tool else event["input"],
        "output": event.get("error") or (event["result"] if is_tool else event["output"]),
        "result_status": "error" if event.get("error") else "ok",
        "duration_ms": 1000 * (event.get("working_time") or 0),
    }


def end(sample, is_whole):
    values = {name: score["value"] for name, score in (sample.get("scores") or {}).items()}
    verdicts = {name: value for name, value in values.items() if value in ("C", "I")}
    assertions = [{"name": name, "passed": value == "C"} for name, value in verdicts.items()]
    metrics = {name: value for name, value in values.items() if name not in verdicts}
    if sample.get("error"):
        return {"status": "error", "error": sample["error"]["message"], "metrics": metrics}
    if sample.get("limit"):
        return {"status": "partial", "reason": f"limit: {sample['limit']['type']}", "metrics": metrics}
    if not (is_whole or values):
        return {"status": "aborted", "reason": "the evaluation was stopped"}
    return {"status": "ok", "assertions": assertions, "metrics": metrics}


log = json.loads(Path(sys.argv[1]).read_text())
for sample in log["samples"]:
    sample = whole(sample, sample.get("attachments", {}))
    events = [it for it in sample["events"] if it["event"] in ("model", "tool") and not it.get("pending")]
    commands = []
    # Inspect writes them in the order of their beginnings: times may go back.
    for event in events:
        commands += [{"at": event.get("completed") or event["timestamp"]}, {"act": act(event)}]
    commands.append({"finish": end(sample, log["status"] == "success")})
    task = sample["input"] if isinstance(sample["input"], str) else json.dumps(sample["input"])
    run = f"{log['eval']['task']}-{sample['id']}-{sample['epoch']}-{log['eval']['run_id']}"
    record(sys.argv[2], run, task, sample["events"][0]["timestamp"], commands)
