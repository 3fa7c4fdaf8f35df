"""Makes a virtual environment with packages, where it is not made yet, and prints the path of its Python.

    python3 environment.py DIR PACKAGE...

Of several that want the same one at once, the first makes it and the others wait.

Exit: 0; 77, it can't be made here, with the reason on standard output.
"""

import fcntl
import subprocess
import sys
from pathlib import Path


def skip(reason):
    print(reason)
    sys.exit(77)


def main(directory, packages):
    python, done = directory / "bin" / "python", directory / "installed"
    directory.parent.mkdir(parents=True, exist_ok=True)
    turn = directory.with_suffix(".lock").open("w")
    fcntl.flock(turn, fcntl.LOCK_EX)
    if not done.exists() or done.read_text() != str(packages):
        try:
            import ensurepip  # noqa: F401
            import venv
        except ImportError as missing:
            skip(f"this python3 can't make virtual environments: {missing}")
        venv.create(directory, clear=True, with_pip=True)
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--retries", "1", *packages]
        installed = subprocess.run(pip if packages else [python, "-V"], capture_output=True, text=True)
        if "after connection broken by" in installed.stderr and installed.returncode != 0:
            skip("pip reaches no package index")
        if installed.returncode != 0:
            sys.exit(installed.stderr)
        done.write_text(str(packages))
    print(python)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
