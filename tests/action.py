"""Runs the steps of action.yml as a runner would, in the working directory, and prints what they say and what came of it.

    python3 action.py ROOT INPUTS

ROOT is the project, INPUTS a JSON object. Steps that use another action are passed over: the cache is taken to hold what is
wanted, so that nothing is installed, unless `RUNVET_CACHE` is `empty`. `ACTION_REF` is the tag, branch or
commit by which the action is used, and `ACTION_SERVER` where its releases are. The last line is a JSON object: the exit code of the
step that failed or 0, the outputs of the action, and the directories below HOME that later steps have on their PATH.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml


def main(root, given):
    action = yaml.safe_load((root / "action.yml").read_text())
    unknown = given.keys() - action["inputs"].keys()
    assert not unknown, unknown
    known = {f"inputs.{name}": given.get(name, about["default"]) for name, about in action["inputs"].items()}
    known |= {"github.action_path": str(root), "runner.os": "Linux", "runner.arch": "X64"}
    known |= {
        "github.action_ref": os.environ.get("ACTION_REF", "main"),
        "github.action_repository": "example/runvet",
        "github.server_url": os.environ.get("ACTION_SERVER", "file:///nowhere"),
    }
    if os.environ.get("RUNVET_CACHE") != "empty":
        known["steps.cache.outputs.cache-hit"] = "true"

    def filled(text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda name: known.get(name[1], ""), text)

    def holds(condition):
        parts = [re.fullmatch(r"(\S+) != '(.*)'", part).groups() for part in condition.split(" && ")]
        return all(known.get(name, "") != value for name, value in parts)

    code, added = 0, []
    with tempfile.TemporaryDirectory() as temp:
        environment = os.environ | {"RUNNER_TEMP": temp, "HOME": os.environ.get("RUNVET_HOME", temp)}
        for index, step in enumerate(action["runs"]["steps"]):
            if code or "run" not in step or not holds(step.get("if", "always != 'x'")):
                continue
            assert step["shell"] == "bash" and "${{" not in step["run"], "texts of others are no part of a script"
            outputs, paths = Path(temp, f"outputs-{index}"), Path(temp, f"paths-{index}")
            files = {"GITHUB_OUTPUT": str(outputs), "GITHUB_PATH": str(paths)}
            step_environment = environment | {name: filled(value) for name, value in step.get("env", {}).items()} | files
            bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            code = subprocess.run(bash, env=step_environment).returncode
            for line in outputs.read_text().splitlines() if outputs.exists() else []:
                name, value = line.split("=", 1)
                known[f"steps.{step['id']}.outputs.{name}"] = value
            for path in paths.read_text().splitlines() if paths.exists() else []:
                environment["PATH"] = f"{path}:{environment['PATH']}"
                added.append(os.path.relpath(path, environment["HOME"]))
    assert re.fullmatch(r"runvet-\S+", known["steps.wanted.outputs.key"])
    sys.stdout.flush()
    outputs = {name: filled(about["value"]) for name, about in action["outputs"].items()}
    print(json.dumps({"code": code} | outputs | {"path": added}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
