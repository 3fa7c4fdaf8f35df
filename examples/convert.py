"""Traces of agents -> run data: the program `python -m runvet.spans`, without installing it.

Usage: python3 convert.py TRACES.json... RUN_DATA
"""
import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).resolve().parents[1] / "python/runvet/spans.py"), run_name="__main__")
