"""Runs one stage over a simulated listing and prints the peak of this process's memory in MB.

    python peak.py plan SPLITS      # plans 100,000,000 episodes in one directory
    python peak.py read EPISODES    # reads one split with EPISODES episodes
"""

from __future__ import annotations

import sys
from pathlib import Path

from simulated import Simulated

from runvet import batch
from runvet.batch import _planning
from runvet.batch._finding import Range, found_in
from runvet.store import Location


def main(stage: str, number: int) -> None:
    episodes = 100_000_000 if stage == "plan" else number
    store = Simulated([("episodes/", episodes)])
    location = Location("s3://bucket/runs", open=lambda _: store)
    if stage == "plan":
        # Of a page, the planner keeps the same whatever its length; short ones are made sooner.
        _planning.PAGE = 50
        assert len(batch.plan(location, number)) > number * 0.8
    else:
        assert sum(1 for _ in found_in(location, Range())) == number
    # Unlike `ru_maxrss`, this does not begin with the memory of the process that started this one.
    status = Path("/proc/self/status").read_text()
    print(int(status.partition("VmHWM:")[2].split()[0]) * 1024 // 1_000_000)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
