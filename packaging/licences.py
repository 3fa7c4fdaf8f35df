"""Prints the licences of the crates that are linked into runvet, with their texts as the crates bring them.

    python3 packaging/licences.py
"""

import json
import os
import subprocess
from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")


def linked():
    """The packages of the command on Linux, without those that only build or test it, in order."""
    cargo = os.environ.get("CARGO", "cargo")
    asked = [cargo, "metadata", "--locked", "--format-version", "1"]
    asked += ["--filter-platform", "x86_64-unknown-linux-musl"]
    graph = json.loads(subprocess.run(asked, check=True, capture_output=True).stdout)
    needs = {node["id"]: node["deps"] for node in graph["resolve"]["nodes"]}
    packages = {package["id"]: package for package in graph["packages"]}
    macros = {
        name
        for name, package in packages.items()
        if any("proc-macro" in target["kind"] for target in package["targets"])
    }
    root = graph["resolve"]["root"]
    found, left = {root} | macros, [root]
    while left:
        for needed in needs[left.pop()]:
            is_linked = any(kind["kind"] is None for kind in needed["dep_kinds"])
            if is_linked and needed["pkg"] not in found:
                found.add(needed["pkg"])
                left.append(needed["pkg"])
    packages = [packages[name] for name in found - macros - {root}]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def main():
    packages = linked()
    print(f"runvet is linked with {len(packages)} crates. Each stands here with its licence.")
    for package in packages:
        title = f"{package['name']} {package['version']}: {package['license']}"
        print(f"\n{'=' * len(title)}\n{title}\n{package['repository'] or ''}")
        directory = Path(package["manifest_path"]).parent
        texts = [file for file in directory.iterdir() if file.name.upper().startswith(NAMES)]
        for file in sorted(file for file in texts if file.is_file()):
            print(f"\n{file.read_text(errors='replace').strip()}")
        if not texts:
            print("\n(The crate brings no text; it is that of the licence above.)")


if __name__ == "__main__":
    main()
