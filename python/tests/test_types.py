"""The types: of the extension, of the package, and of a program that uses all of it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import runvet

TESTS = Path(__file__).resolve().parent
PACKAGE = Path(runvet.__file__).parent


def run(*arguments: str | Path) -> None:
    environment = dict(os.environ)
    # An installed package is found without it.
    if PACKAGE.parent.name != "site-packages":
        environment["MYPYPATH"] = str(PACKAGE.parent)
    ran = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=TESTS,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_sample_has_the_types_that_mypy_expects() -> None:
    run("mypy", "--strict", "--no-incremental", "sample.py")


def test_sample_has_the_types_that_basedpyright_expects() -> None:
    run("basedpyright", "--level", "error", "--pythonpath", sys.executable, "sample.py")


def test_package_is_typed_throughout() -> None:
    # Those of engines are checked beside them, in `engines/test_types.py`.
    engines = r"runvet/(spark|ray)\.py$"
    run("mypy", "--strict", "--no-incremental", "--exclude", engines, "-p", "runvet", "-p", "pytest_runvet")


def test_stub_says_what_the_extension_has() -> None:
    run("mypy.stubtest", "runvet._runvet")


def test_sample_uses_everything() -> None:
    text = (TESTS / "sample.py").read_text()
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    # Names of types alone, which annotations of users may need.
    types = {"Advice", "Assertion", "Checking", "Difference", "Events", "Level", "Numbers"}
    types |= {"PathLike", "Plan", "Record", "RunEntry", "Skip", "Suppressed", "Summary", "Totals"}
    # Tested with logs, in test_import.py.
    types |= {"Imported", "ImportedRun", "NotJudged", "import_logs"}
    assert set(runvet.__all__) - types - used == set()
