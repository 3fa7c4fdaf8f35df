"""The events of a conversation of OpenHands -> a recorded run.

Usage: python3 openhands.py LOG.json RUN_DATA
"""
import json
import sys
from pathlib import Path

from recording import record

log = Path(sys.argv[1])
events = json.loads(log.read_text())
events = events["history"] if isinstance(events, dict) else events
task = next(it["args"]["content"] for it in events if it.get("source") == "user" and "args" in it)
seen = {it["cause"]: it for it in events if "observation" in it and "cause" in it}

commands, end = [], {"status": "partial", "reason": "the agent did not finish"}
for event in events:
    if event.get("source") != "agent" or "action" not in event:
        continue
    # Times of the log have no zone; runvet takes them to be in UTC.
    found = seen.get(event["id"], event)
    commands.append({"at": found["timestamp"]})
    if event["action"] == "finish":
        end = {"status": "ok"}
    elif found is event:
        commands.append({"note": {"phase": f"openhands.{event['action']}", "payload": event["args"]}})
    else:
        failed = found["observation"] == "error" or found.get("extras", {}).get("exit_code")
        act = {"tool": event["action"], "input": event["args"], "output": found.get("content")}
        commands.append({"act": act | {"result_status": "error" if failed else "ok"}})
commands.append({"finish": end})
record(sys.argv[2], log.stem, task, events[0]["timestamp"], commands)
