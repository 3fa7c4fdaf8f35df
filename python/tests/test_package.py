"""The installed package: the command and the module belong together."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import types
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
from conftest import ROOT

import runvet

PACKAGE = Path(runvet.__file__).parent


def test_command_and_module_have_one_version() -> None:
    told = subprocess.run(
        [runvet.find_runvet_bin(), "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout == f"runvet {runvet.__version__}\n"
    assert version("runvet") == runvet.__version__


def test_wheel_says_for_whom_it_is() -> None:
    told = metadata("runvet")
    assert told["Author"] == "the runvet authors" and told.get_all("Project-URL") is None
    classifiers = told.get_all("Classifier") or []
    assert {"Typing :: Typed", "Framework :: Pytest"} <= {*classifiers}
    assert {"store", "spark", "ray", "inspect", "langchain", "mcp", "opentelemetry"} <= {*(told.get_all("Provides-Extra") or [])}
    description = str(told.get_payload() or told["Description"])
    # A link or an image that is relative leads nowhere on the page of a registry.
    assert description.startswith("# runvet for Python")
    assert not re.search(r"\]\((?!https?:)", description)


@pytest.mark.parametrize(("name", "missing"), [("spark", "pyspark"), ("ray", "pyarrow"), ("ray", "ray")])
def test_engine_that_is_missing_is_told_with_its_extra(
    name: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"runvet.{name}", raising=False)
    with pytest.raises(ImportError, match=f"{missing}.*; the extra `{name}` of runvet installs it"):
        importlib.import_module(f"runvet.{name}")


def interpreters() -> list[str]:
    """Each minor version of Python from 3.11 on that is on this machine."""
    directories = [Path(it) for it in os.environ["PATH"].split(os.pathsep)]
    directories += Path.home().glob(".pyenv/versions/*/bin")
    found: dict[str, str] = {}
    for directory in directories:
        for python in sorted(directory.glob("python3.*")):
            if re.fullmatch(r"python3\.(1[1-9]|[2-9]\d)", python.name):
                # The shim of a version manager may have none behind it.
                code = "import venv, sys; print(sys.implementation.name)"
                ran = subprocess.run([python, "-c", code], capture_output=True, check=False)
                if ran.stdout == b"cpython\n":
                    found.setdefault(python.name, str(python))
    return sorted(found.values())


def test_wheel_works_in_every_python_that_is_here(tmp_path: Path, in_root: Path) -> None:
    code = (
        "import runvet, subprocess, sys\n"
        "assert runvet.validate('corpus/demo').totals.invalid == 3\n"
        "with runvet.Recorder(sys.argv[1]).begin('a task') as run:\n"
        "    run.plan([('a', 'act', 'do it')])\n"
        "    with run.step('a') as step:\n"
        "        step.outputs['n'] = 1\n"
        "assert runvet.open(sys.argv[1]).state(run.id)['outcomes']['status'] == 'ok'\n"
        "subprocess.run([runvet.find_runvet_bin(), 'validate', sys.argv[1]], check=True)\n"
    )
    (wheel,) = Path(os.environ["RUNVET_WHEELS"]).glob("*.whl")
    tried = interpreters()
    assert tried
    for python in tried:
        fresh = tmp_path / Path(python).name
        subprocess.run([python, "-m", "venv", "--without-pip", fresh], check=True)
        pip = [sys.executable, "-m", "pip", "--python", fresh / "bin" / "python", "install"]
        subprocess.run([*pip, "--quiet", "--no-index", wheel], check=True)
        ran = [fresh / "bin" / "python", "-W", "error", "-c", code, fresh / "runs"]
        subprocess.run(ran, check=True, stdout=subprocess.DEVNULL)


def test_source_distribution_has_the_command(tmp_path: Path) -> None:
    python = Path(os.environ["CARGO_TARGET_DIR"], "python-build", "bin", "python")
    code = "import sys, build_backend; build_backend.build_sdist(sys.argv[1])"
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "python")}
    subprocess.run(
        [python, "-c", code, tmp_path], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as files:
        directory = packed.name.removesuffix(".tar.gz")
        manifest = files.extractfile(f"{directory}/python/Cargo.toml")
        assert manifest is not None
        # The builder leaves out what it does not pack.
        commands = tomllib.loads(manifest.read().decode()).get("bin", [])
        assert [it["name"] for it in commands] == ["runvet"]
        assert f"{directory}/python/{commands[0]['path']}" in files.getnames()


def test_module_runs_as_the_command(in_root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "runvet", "validate", "corpus/demo", "--format", "json"],
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stdout.decode() == runvet.validate("corpus/demo").to_json()


def test_command_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="runvet"):
        runvet.find_runvet_bin()


def test_public_names_are_documented() -> None:
    for name in runvet.__all__:
        thing = getattr(runvet, name)
        if isinstance(thing, type) or isinstance(thing, types.FunctionType):
            assert thing.__doc__, name
            members = vars(thing) if isinstance(thing, type) else {}
            for member, value in members.items():
                is_public = not member.startswith("_") and callable(value)
                if is_public and not issubclass(thing, BaseException):
                    assert value.__doc__, f"{name}.{member}"


def test_every_source_says_first_what_it_is() -> None:
    for source in PACKAGE.glob("*.py"):
        assert source.read_text().startswith('"""'), source
        wide = [line for line in source.read_text().splitlines() if len(line) > 100]
        assert not wide, (source, wide)


def test_star_import_leaves_open_alone() -> None:
    assert "open" not in runvet.__all__
    assert callable(runvet.open)


def test_docstrings_are_right() -> None:
    assert doctest.testmod(runvet).failed == 0


def test_import_is_quick_and_prints_nothing() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import runvet"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert ran.stdout == ""
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "runvet._runvet" in loaded
    assert not loaded & {"dataclasses", "inspect", "re", "pathlib", "pyarrow", "pytest"}


def test_names_are_loaded_from_the_modules_that_have_them() -> None:
    assert set(runvet.__all__) <= {*dir(runvet)}
    with pytest.raises(AttributeError, match="'runvet' has no attribute 'nothing'"):
        _ = runvet.nothing  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

    source = ast.parse((PACKAGE / "__init__.py").read_text())
    imported = {
        (name.name, node.module)
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module is not None
        for name in node.names
    }
    lazy = vars(runvet)["_MODULES"]
    assert imported == set(lazy.items())
