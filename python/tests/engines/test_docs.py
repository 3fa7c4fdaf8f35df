"""The page on scale: every block is executed, and prints what the page shows."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "scale.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_block_prints_what_the_page_shows(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    text = PAGE.read_text()
    known: dict[str, object] = {"__name__": "page"}
    printed, executed = "", 0
    try:
        for block in BLOCK.finditer(text):
            language, body = block.groups()
            line = text.count("\n", 0, block.start(2))
            if language == "python":
                assert printed == "", f"the page does not show {printed!r}"
                tree = ast.increment_lineno(ast.parse(body), line)
                with contextlib.redirect_stdout(io.StringIO()) as output:
                    exec(compile(tree, str(PAGE), "exec"), known)
                printed, executed = output.getvalue(), executed + 1
            elif language == "text":
                assert printed == body, f"line {line}"
                printed = ""
            elif not body.startswith("pip install"):
                # Whoever reads this has installed it.
                subprocess.run(["sh", "-ec", body], check=True, env={**os.environ, "PATH": path})
                executed += 1
    finally:
        for name, end in (("spark", "stop"), ("ray", "shutdown")):
            if name in known:
                getattr(known[name], end)()
    assert executed > 6 and printed == ""
    assert (tmp_path / "next.parquet").is_file()
