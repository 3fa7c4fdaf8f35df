"""The types of the package, where the engines are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark_runvet

import runvet


def test_package_is_typed_throughout() -> None:
    package = Path(runvet.__file__).parent
    registered = Path(pyspark_runvet.__file__).parent
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", package, registered],
        env={**os.environ, "MYPYPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
