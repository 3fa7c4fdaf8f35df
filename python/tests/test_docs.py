"""The pages on Python: every block is executed, and prints what the page shows."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ["python.md", "hold-back.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", PAGES)
def test_every_block_prints_what_the_page_shows(in_root: Path, name: str) -> None:
    page = ROOT / "docs" / name
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    known: dict[str, object] = {"__name__": "page"}
    printed, executed = None, 0
    bless = os.environ.get("BLESS") == "1"
    shown_now: dict[str, str] = {}
    for block in blocks:
        language, body = block.groups()
        if language == "python":
            assert printed in (None, ""), f"the page does not show {printed!r}"
            # A block keeps its place in tracebacks.
            line = text.count("\n", 0, block.start(2))
            tree = ast.increment_lineno(ast.parse(body), line)
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(tree, str(page), "exec"), known)
            printed, executed = output.getvalue(), executed + 1
        elif language == "text":
            if bless:
                shown_now[body] = printed or ""
            else:
                line = text.count("\n", 0, block.start()) + 1
                rewrites = "BLESS=1 python/check test_docs.py rewrites the page"
                assert printed == body, f"line {line} of {page}; {rewrites}"
            printed = None
    assert executed > 4 and printed in (None, "")
    for body, now in shown_now.items():
        text = text.replace(f"```text\n{body}```", f"```text\n{now}```")
    if bless:
        page.write_text(text)


def test_blocks_of_the_description_of_the_wheel_are_right(in_root: Path) -> None:
    blocks = BLOCK.findall((ROOT / "python" / "README.md").read_text())
    ((_, code), (_, shown)) = [it for it in blocks if it[0] in ("python", "text")]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(code, "python/README.md", "exec"), {})
    assert output.getvalue() == shown
