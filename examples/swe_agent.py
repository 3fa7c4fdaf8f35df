"""A trajectory of SWE-agent -> a recorded run.

Usage: python3 swe_agent.py LOG.traj RUN_DATA
"""
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

from recording import record

log = Path(sys.argv[1])
trajectory = json.loads(log.read_text())
info, history = trajectory["info"], trajectory.get("history", [])
task = next((it["content"] for it in history if it["role"] == "user"), log.stem)
task = task if isinstance(task, str) else task[0]["text"]

# The log has no times: the run has that of its file, and each event says that its time is unknown.
written = datetime.fromtimestamp(log.stat().st_mtime, timezone.utc)
commands = [{"at": None}]
for step in trajectory["trajectory"]:
    commands.append({"note": {"phase": "reason", "payload": {"thought": step.get("thought", "")}}})
    act = {"tool": "shell", "input": step["action"], "output": step["observation"]}
    if "execution_time" in step:
        act["duration_ms"] = 1000 * step["execution_time"]
    commands.append({"act": act})
end = {"status": "ok", "metrics": info.get("model_stats", {})}
if info.get("exit_status") != "submitted":
    end |= {"status": "partial", "reason": str(info.get("exit_status"))}
commands.append({"finish": end})
record(sys.argv[2], log.stem, task, written.isoformat(), commands)
