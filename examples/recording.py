"""What a log says happened -> a run, recorded by `runvet record`."""
import json
import re
import subprocess
import sys


def record(run_data, run, task, started_at, commands):
    """Records a run with an id and a start, and prints its directory."""
    run = re.sub("[^A-Za-z0-9_.:-]", "_", run).lstrip(".:-")[:128]
    given = ["--run-data", run_data, f"--task={task[:200]}", "--id", run, "--started-at", started_at]
    lines = "".join(json.dumps(command) + "\n" for command in commands)
    made = subprocess.run(["runvet", "record", *given], input=lines, stdout=subprocess.PIPE, text=True)
    if made.returncode:
        sys.exit(f"error: the log is not recorded as a whole: {run}")
    print(json.loads(made.stdout.splitlines()[-1])["path"])
