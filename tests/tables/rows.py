"""Reads run data with json.loads alone, and compares the rows with those of `runvet table`.

Usage: rows.py RUN_DATA RUNVET. Prints the number of rows of each table; exits with 1 at the first
difference. What only a check knows (`valid`, `errors`, `warnings`, all of `findings`) comes from the
report in NDJSON.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

csv.field_size_limit(1 << 30)
LATENCIES = ["first_action_ms", "total_ms", "planning_ms", "execution_ms"]
COUNTS = ["success", "plan_count", "act_count", "reflect_count", "veto_count"]
COUNTS += ["learn_proposals", "learn_applied"]
INSIGHT = ["plan_adherence", "tool_coverage", "branching_factor", "plan_revisions"]
STEP = ["id", "kind", "description", "status", "rationale"]
WORDS = ["id", "kind", "tool", "step_id", "result_status"]
PARTS = ["input_excerpt", "input", "output", "provenance", "result_artifacts"]
EVENT = ["phase", "event_type", "timestamp", "agent_id"]
JSON = {"tags", "error", "other_latencies", "other_metrics", "outcome_metrics", "inputs", "outputs"}
JSON |= {"others", "payload", "related", "beyond_double", *PARTS}


def at(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text(value, *path):
    value = at(value, *path)
    return value if isinstance(value, str) else None


def number(value, *path):
    value = at(value, *path)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def boolean(value, *path):
    value = at(value, *path)
    return value if isinstance(value, bool) else None


def word(value, *path):
    value = at(value, *path)
    return value if value is None or isinstance(value, str) else json.dumps(value)


def others(value, columns):
    left = {k: v for k, v in value.items() if k not in columns} if isinstance(value, dict) else {}
    return left or None


def record(path):
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def lines(path):
    if not path.exists():
        return
    for at_line, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        yield at_line, event if isinstance(event, dict) else None


def run_row(report, state, summary):
    row = {"lifecycle": report["lifecycle"]}
    row["task"] = text(state, "goal", "task") or text(summary, "task")
    row["started_at"] = text(state, "episode", "started_at") or text(summary, "started_at")
    row["adapter"] = text(state, "episode", "using")
    row["mode"] = text(summary, "flags", "mode")
    row["seed"] = number(state, "episode", "seed")
    tags = at(state, "episode", "tags")
    row["tags"] = at(summary, "tags") if tags is None else tags
    row["status"] = text(state, "outcomes", "status")
    row["error"] = at(state, "outcomes", "error")
    row["outcome"] = text(summary, "outcome")
    row["adapter_result"] = text(summary, "adapter_result")
    row["verification_provided"] = boolean(summary, "verification", "provided")
    row["verification_passed"] = boolean(summary, "verification", "passed")
    row["verification_error"] = text(summary, "verification", "error")
    row["duration_sec"] = number(summary, "duration_sec")
    row |= {name: number(summary, "metrics", name) for name in COUNTS}
    row |= {name: number(summary, "metrics", "latencies", name) for name in LATENCIES}
    row |= {name: number(summary, "insight", "metrics", name) for name in INSIGHT}
    for name, path in (("steps", ("plan", "steps")), ("actions", ("outcomes", "actions"))):
        items = at(state, *path)
        row[name] = len(items) if isinstance(items, list) else None
    row["other_latencies"] = others(at(summary, "metrics", "latencies"), LATENCIES)
    row["other_metrics"] = others(at(summary, "metrics"), [*COUNTS, "latencies"])
    row["outcome_metrics"] = at(state, "outcomes", "metrics")
    row["beyond_double"] = None
    episode = at(state, "episode")
    is_silent = isinstance(episode, dict) and "intuition_mode" not in episode
    row["intuition_mode"] = "advisory" if is_silent else text(state, "episode", "intuition_mode")
    return row


def rows_of(report):
    home = Path(report["dir"])
    state, summary = record(home / "state.json"), record(home / "summary.json")
    yield "runs", run_row(report, state, summary)
    for index, step in enumerate(at(state, "plan", "steps") or []):
        row = {"index": index} | {name: text(step, name) for name in STEP}
        row |= {"inputs": at(step, "inputs"), "outputs": at(step, "outputs")}
        yield "steps", row | {"others": others(step, [*STEP, "inputs", "outputs"])}
    for index, action in enumerate(at(state, "outcomes", "actions") or []):
        row = {"index": index} | {name: word(action, name) for name in WORDS}
        row |= {"timestamp": text(action, "timestamp")}
        row |= {"duration_ms": number(action, "duration_ms")}
        row |= {name: at(action, name) for name in PARTS}
        known = [*WORDS, *PARTS, "timestamp", "duration_ms"]
        yield "actions", row | {"others": others(action, known), "beyond_double": None}
    for line, event in lines(home / "events.jsonl"):
        row = {"line": line} | {name: text(event, name) for name in EVENT}
        row |= {"event_episode_id": text(event, "episode_id")}
        row |= {"step_id": word(event, "payload", "step_id"), "payload": at(event, "payload")}
        row |= {"others": others(event, [*EVENT, "episode_id", "payload"])}
        yield "events", row | {"fault": event is None}
    for finding in report["findings"]:
        names = ["rule", "severity", "message", "help", "fingerprint", "file", "pointer"]
        names += ["line", "column", "end_line", "end_column", "offset", "length", "related"]
        yield "findings", {name: finding.get(name) for name in names}


def cell(name, value):
    """A value as the cell of a CSV file means it."""
    if value is None:
        return ""
    if name in JSON:
        return json.loads(value)
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


def main(data, runvet):
    call = [runvet, "validate", "--no-config", "--quiet", "--format", "ndjson", data]
    ndjson = subprocess.run(call, capture_output=True, text=True).stdout.splitlines()
    reports = [json.loads(line) for line in ndjson][:-1]
    expected = {name: [] for name in ("runs", "steps", "actions", "events", "findings")}
    for report in reports:
        severities = [finding["severity"] for finding in report["findings"]]
        head = {"dir": report["dir"], "episode_id": report["id"], "valid": report["valid"]}
        head |= {"errors": severities.count("error"), "warnings": severities.count("warning")}
        for name, row in rows_of(report):
            expected[name].append(head | row)
    for name, rows in expected.items():
        table = [runvet, "table", name, "--no-config", data, "--format"]
        for jobs in ("1", "3"):
            call = [*table, "ndjson", "--jobs", jobs]
            written = subprocess.run(call, capture_output=True, text=True).stdout
            got = [json.loads(line) for line in written.splitlines()]
            assert len(got) == len(rows), f"{name}: {len(got)} rows, not {len(rows)}"
            for a, b in zip(got, rows):
                row = dict(a)
                assert row.pop("runvet_version") and len(row.pop("settings")) == 16
                for column, value in row.items():
                    if column in JSON and value is not None:
                        row[column] = json.loads(value)
                if name == "events":
                    row["fault"] = row["fault"] is not None
                assert row == b, f"{name}: {row}\nis not {b}"
        written = subprocess.run([*table, "csv"], capture_output=True, text=True).stdout
        cells = csv.DictReader(written.splitlines(keepends=True), strict=True)
        for a, b in zip(cells, got, strict=True):
            for column, value in b.items():
                value, read = cell(column, value), a[column]
                if column in JSON and read:
                    read = json.loads(read)
                elif isinstance(value, int | float):
                    read = float(read)
                assert read == value, f"{name}.{column}: {read!r} is not {value!r}"
        print(name, len(rows))


main(*sys.argv[1:])
