"""The types of the package, where the engines are installed."""

from __future__ import annotations

import subprocess
import sys


def test_package_is_typed_throughout() -> None:
    packages = ["-p", "runvet", "-p", "pyspark_runvet"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
