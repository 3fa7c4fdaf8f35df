"""Writes run data for the tests of the page: the demo, runs of three weeks, a long timeline, and a hostile run."""

import base64
import datetime
import json
import random
import re
import shutil
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "corpus"
TASKS = [
    "Summarize the open tickets",
    "Refactor the payment module",
    "Triage the flaky tests of the week",
    "Write the release notes",
    "Answer a question about an invoice",
]
EVIL = (
    "</noscript></script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    "<svg onload='window.hacked = 1'>\" onmouseover=\"window.hacked = 1\" javascript:window.hacked=1 {{7*7}}"
)


def write(directory, runs=90):
    """Writes the demo and a number of runs like it."""
    shutil.rmtree(directory, ignore_errors=True)
    episodes = directory / "episodes"
    shutil.copytree(CORPUS / "demo" / "episodes", episodes)
    dice = random.Random(7)
    for number in range(runs):
        one(episodes / f"ep_{number:04d}", number, dice)
    long_timeline(episodes / "ep_long")
    failed(episodes / "ep_timeout")
    printing(episodes / "ep_printing")


def one(directory, number, dice):
    """A run like the first of the demo, at another time, and sometimes with a mistake."""
    first = datetime.datetime(2026, 3, 1, 12)
    start = datetime.datetime(2026, 2, 20) + datetime.timedelta(days=dice.randint(0, 20), seconds=dice.randint(0, 80000))
    scale = dice.lognormvariate(2.5, 1.2)

    def moved(match):
        at = datetime.datetime.fromisoformat(match[0][:26])
        return (start + (at - first) * scale).strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"

    source = CORPUS / "demo" / "episodes" / "ep_01_answer"
    texts = {}
    for path in source.iterdir():
        if not path.is_file():
            continue
        text = re.sub(r"2026-03-01T12:00:00\.\d{6}\+00:00", moved, path.read_text())
        texts[path.name] = text.replace("ep_01_answer", directory.name).replace(TASKS[0], TASKS[number % 5])
    state, summary = json.loads(texts["state.json"]), json.loads(texts["summary.json"])
    summary["duration_sec"] = round(0.15 * scale, 3)
    latencies = {"first_action_ms": 40, "planning_ms": 20, "execution_ms": 50, "total_ms": 150}
    summary["metrics"]["latencies"] = {name: round(value * scale, 2) for name, value in latencies.items()}
    state["episode"]["tags"] = summary["tags"] = {"team": dice.choice(["support", "billing", "platform"])}
    state["episode"]["using"] = dice.choice(["adapter:core.minimal", "adapter:core.minimal", "adapter:shell"])
    mistake = dice.random()
    if mistake < 0.06:
        state["plan"]["steps"][1]["status"] = "pending"
    elif mistake < 0.10:
        state["outcomes"]["metrics"]["task_score"] = 0.95
    elif mistake < 0.13:
        del state["links"]["learn"]
    elif mistake < 0.15:
        summary["duration_sec"] = -1
    elif mistake < 0.18:
        summary["metricz"] = {}
    texts["state.json"], texts["summary.json"] = json.dumps(state), json.dumps(summary)
    directory.mkdir()
    for name, text in texts.items():
        (directory / name).write_text(text)


def event(phase, seconds, agent, payload, **fields):
    at = datetime.datetime(2026, 3, 12, 9) + datetime.timedelta(seconds=seconds)
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"
    return {"phase": phase, "timestamp": stamp, "agent_id": agent, "payload": payload, **fields}


def long_timeline(directory):
    """A timeline in which one of a thousand acts fails."""
    steps = [{"id": f"step-{at}", "kind": "act", "description": f"Part {at}", "status": "pending"} for at in range(3)]
    events = [
        event("start", 0, "system", {"task": "Migrate the archive"}),
        event("plan", 1, "planner", {"source": "planner", "step_records": steps}),
    ]
    for at in range(1000):
        failed = at == 500
        payload = {"step_id": f"step-{at % 3}", "tool": "copy", "result_status": "error" if failed else "ok"}
        events.append(event("act" if at % 4 == 0 or failed else "observe", 2 + at, f"worker-{at % 3}", payload))
    directory.mkdir()
    (directory / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in events))


def printing(directory):
    """A timeline with the output of commands: one of 120 lines, and one of 100,000 bytes."""
    def output(lines):
        return "".join(f"line {at}\n" for at in range(1, lines)) + "1 failed: NEEDLEOUT\n"

    acts = [event("act", at, "worker", {"step_id": "test", "stdout": output(lines)}) for at, lines in [(3, 120), (4, 10_000)]]
    steps = [{"id": "test", "kind": "act", "description": "Run the tests", "status": "pending"}]
    events = [
        event("start", 0, "system", {"task": "Run the tests"}),
        event("plan", 1, "planner", {"source": "planner", "step_records": steps}),
        event("act", 2, "worker", {"step_id": "test", "step_status": "running"}),
        *acts,
    ]
    directory.mkdir()
    (directory / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in events))


PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC")


def telling(directory):
    """A run whose events say things in all the ways that runtimes do."""
    chat = [{"role": "user", "content": "How many\ntickets?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Forty-two"}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]}]
    large = "".join(f"{at} a line of two megabytes\n" for at in range(70_000))
    bomb = bytearray(base64.b64decode(PNG))
    bomb[16:24] = (60_000).to_bytes(4) * 2
    action = {"kind": "adapter", "provenance": "a", "result_artifacts": [], "step_id": "s", "tool": "\u0623\u062f\u0627\u0629",
              "result_status": "ok", "duration_ms": 400}
    actions = [{**action, "id": "act-1", "output": {"stdout": "one\ntwo\n", "code": 0}},
               {**action, "id": "act-2", "output": large[:100_000]},
               {**action, "id": "act-3"}]
    events = [
        event("start", 0, "system", {"task": "Tell everything"}),
        event("observe", 1, "a", {"score": 0.25, "text": "first\nsecond"}),
        event("review", 2, "a", {"messages": chat}),
        event("observe", 3, "a", {"observation": {"stdout": "12 files"}, "decision": "go"}),
        event("act", 4, "a", {"step_id": "s", "action_id": "act-1", "result_status": "ok"}),
        event("act", 5, "a", {"step_id": "s", "id": "act-2", "result_status": "ok", "output": large}),
        event("observe", 6, "a", {"screenshot": PNG, "bomb": base64.b64encode(bomb).decode(), "vector": "data:image/svg+xml;base64," + base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.hacked = 1'/>" * 3).decode()}),
        event("observe", 7, "\u05d0\u05d1\u05d2 \U0001f468\U0001f3fd\u200d\U0001f680", {"text": "\U0001f468\U0001f3fd\u200d\U0001f680 a\u200db"}),
        event("observe", 8, "a", {"values": {f"key {at}": {"at": at} for at in range(30_000)}}),
        *[event("observe", 10 + at, "a", {"text": f"filler {at}"}) for at in range(400)],
        event("act", 500, "a", {"step_id": "s", "action_id": "act-3", "result_status": "ok"}),
        *[event("observe", 600 + at, "a", {"text": f"filler {at}"}) for at in range(300)],
        event("terminate", 1000, "system", {"status": "ok"}),
    ]
    directory.mkdir(parents=True)
    (directory / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in events))
    state = {
        "version": "1.0", "state_schema_version": "1.0.0",
        "episode": {"id": directory.name, "started_at": events[0]["timestamp"], "using": "adapter:shell",
                    "tags": {f"tag {at}": f"value {at}" for at in range(40)}},
        "goal": {"task": "Tell everything"},
        "plan": {"steps": [{"id": "s", "kind": "act", "description": "Say", "status": "done"}]},
        "outcomes": {"status": "ok", "actions": actions},
        "links": {"events": "events.jsonl", "learn": "learn.jsonl"},
    }
    (directory / "state.json").write_text(json.dumps(state))


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def talking(directory, turns, history=True, parcel="a parcel"):
    """A conversation in which each call of a model has the whole history, or only what is new."""
    directory.mkdir(parents=True)
    started = event("start", 0, "system", {"task": "Find the parcel"})
    known, new, lines = [], [message("system", "You are **kind**.")], [started]
    for turn in range(turns):
        call = {"id": f"call-{turn}", "type": "function", "function": {"name": "orders.find", "arguments": json.dumps({"order": turn})}}
        scan = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
        asked = [{"type": "text", "text": f"Where is {parcel} {turn}? " + "It is late. " * 20 + f"Asked in turn {turn}."}] + ([scan] if turn == 0 else [])
        new.append(message("user", asked))
        for answer in [message("assistant", None, tool_calls=[call]), message("assistant", f"It is in *Leipzig {turn}*. " + "Please wait. " * 30)]:
            known += new
            usage = {"prompt_tokens": 1200 + turn, "completion_tokens": 310}
            lines.append(event("act", len(lines), "support", {
                "action_id": f"act-{len(lines)}", "tool": "llm", "model": "fable-5", "result_status": "ok", "duration_ms": 1500,
                "input": {"messages": list(known if history else new)}, "output": {"message": answer, "usage": usage, "cost_usd": 0.0125}}))
            known, new = known + [answer], []
            if answer["content"] is None:
                new = [message("tool", f"order {turn}: " + "scanned in Leipzig; " * 60, tool_call_id=call["id"])]
    (directory / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return started["timestamp"]


def failed(directory):
    """A run that failed: steps that are opened and closed, a direction, a pause, and an error."""
    step = lambda name, status, **more: {"step_id": name, "step_status": status, **more}
    steps = [
        {"id": "collect", "kind": "detect", "description": "Collect the invoices", "status": "pending"},
        {"id": "compare", "kind": "analyze", "description": "Compare them with the orders", "status": "pending"},
        {"id": "refund", "kind": "act", "description": "Pay the difference back", "status": "pending"},
    ]
    action = {"kind": "adapter", "provenance": "worker.erp", "result_artifacts": []}
    collected = {**action, "id": "act-1", "step_id": "collect", "tool": "erp.invoices", "result_status": "ok",
                 "duration_ms": 4500, "input": {"month": "2026-02"}, "output": "412 invoices\n3 of them twice\n"}
    refunded = {**action, "id": "act-2", "step_id": "refund", "tool": "erp.refund", "result_status": "error",
                "duration_ms": 30000, "input": {"amount": 1210.5}, "output": {"stderr": "connect: timed out\n"}}
    said = lambda action: {"action_id": action["id"], **{key: it for key, it in action.items() if key != "id"}}
    events = [
        event("start", 0, "system", {"task": "Reconcile the invoices of February"}),
        event("plan", 1.2, "planner.llm", {"source": "planner.llm", "step_records": steps}),
        event("direction", 1.6, "policy:finance", {"decision": "hint", "target": "refund"}, event_type="direction.hint"),
        event("act", 2, "worker.erp", step("collect", "running")),
        event("act", 6.5, "worker.erp", step("collect", "done", **said(collected))),
        event("act", 6.6, "worker.llm", step("compare", "running")),
        event("observe", 8, "worker.llm", {"message": "412 invoices, 409 orders"}),
        event("act", 14, "worker.llm", step("compare", "done", result_status="ok", tool="llm.compare")),
        event("approval", 14.5, "system", {"step_id": "refund", "waiting": True}, event_type="run.paused"),
        event("direction", 3614, "policy:finance", {"decision": "allow", "target": "refund"}),
        event("act", 3615, "worker.erp", step("refund", "running")),
        event("act", 3645, "worker.erp", step("refund", "failed", **said(refunded),
              error="TimeoutError: the bank did not answer in 30 s")),
        event("terminate", 3646, "system", {"status": "error"}),
    ]
    directory.mkdir()
    (directory / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in events))
    plan = {"steps": [{**record, "status": status} for record, status in zip(steps, ["done", "done", "running"])]}
    state = {
        "version": "1.0", "state_schema_version": "1.0.0",
        "episode": {"id": directory.name, "started_at": events[0]["timestamp"], "using": "adapter:shell",
                    "tags": {"team": "billing"}},
        "goal": {"task": "Reconcile the invoices of February"},
        "plan": plan,
        "outcomes": {"status": "error", "actions": [collected, refunded], "error": {"type": "TimeoutError", "message": "the bank did not answer in 30 s"}},
        "links": {"events": "events.jsonl", "learn": "learn.jsonl"},
    }
    (directory / "state.json").write_text(json.dumps(state))


def write_hostile(directory):
    """Writes a run in which every text and every name tries to become markup."""
    shutil.rmtree(directory, ignore_errors=True)
    source = CORPUS / "demo" / "episodes" / "ep_03_edited"
    shutil.copytree(source, directory / "episodes" / "ep_\u202egnp")
    episode = directory / "episodes" / ("ep" + EVIL.replace("/", "_"))
    episode.mkdir(parents=True)
    for name in ["state.json", "summary.json", "events.jsonl"]:
        lines = [json.dumps(poisoned(json.loads(line))) for line in (source / name).read_text().splitlines()]
        (episode / name).write_text("\n".join(lines) + "\n")


def poisoned(value):
    if isinstance(value, str) and not value.startswith("20"):
        return EVIL + value
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    if isinstance(value, dict):
        return {key: poisoned(item) for key, item in value.items()} | {EVIL: 1}
    return value
