"""The path of the command in the wheel."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def find_runvet_bin() -> Path:
    """The path of the command `runvet` that belongs to this package.

    Raises FileNotFoundError where it is not installed, as in a source tree.
    """
    name = "runvet" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    # The last one is for `pip install --target`.
    places = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", scheme=user)),
        Path(sys.prefix) / "bin",
        Path(__file__).resolve().parent.parent / "bin",
    ]
    for place in places:
        if os.access(place / name, os.X_OK) and (place / name).is_file():
            return place / name
    listed = ", ".join(str(place) for place in places)
    raise FileNotFoundError(f"the command {name} was not found in {listed}")
