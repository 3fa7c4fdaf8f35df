"""Traces of agents -> run data, by the name that this had before `runvet.import_logs`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from ._check import PathLike
from ._import import import_logs


def convert(files: Iterable[PathLike], run_data: PathLike) -> list[Path]:
    """Imports traces; returns the directories of their runs. Use `runvet.import_logs` instead.

    Raises `ValueError` where something could not be imported.
    """
    message = "runvet.spans.convert becomes runvet.import_logs(*files, into=run_data)"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    imported = import_logs(*files, into=run_data, format="otlp")
    refused = [f"{run.id}: {run.reason}" for run in imported.runs if run.change == "refused"]
    if not imported.ok:
        raise ValueError("; ".join([*imported.errors, *refused]))
    return [run.path for run in imported.runs]
