"""`python -m runvet` is the command `runvet`."""

from __future__ import annotations

import os
import subprocess
import sys

from ._bin import find_runvet_bin


def main() -> None:
    command = os.fspath(find_runvet_bin())
    arguments = [command, *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(arguments, check=False).returncode)
    os.execv(command, arguments)


if __name__ == "__main__":
    main()
