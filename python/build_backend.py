"""Builds the wheel: first the command, so that it is in the wheel beside the module, then both.

PEP 517 knows no step before a build, and maturin builds either a command or a module. So this is
a backend that builds the command, puts it where maturin takes scripts from, and calls maturin.
Command and module are of one package, so runvet itself is compiled once, and linked twice.

    python3 python/build_backend.py [PROFILE [TARGET]]  # only the command, for a build by maturin

With a TARGET such as `x86_64-unknown-linux-gnu.2.28`, cargo-zigbuild links it for that C library.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "Cargo.toml"
SCRIPTS = ROOT / "python" / "wheel.data" / "scripts"


def put_command(profile, platform=None):
    """Builds the command, and puts it into the wheel's scripts; maturin then builds beside it."""
    cargo = os.environ.get("CARGO", "cargo")
    # The package has its own lock: in a directory of its own, neither build undoes what the other
    # has done.
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python"
    os.environ["CARGO_TARGET_DIR"] = str(target)
    build = [cargo, "zigbuild", "--target", platform] if platform else [cargo, "build"]
    subprocess.run(
        [*build, "--manifest-path", PACKAGE, "--locked", "--bin", "runvet", "--profile", profile],
        check=True,
    )
    name = "runvet.exe" if sys.platform == "win32" else "runvet"
    directory = "debug" if profile == "dev" else profile
    # The version of the C library is no part of the directory's name.
    platform = (platform or os.environ.get("CARGO_BUILD_TARGET", "")).partition(".")[0]
    built = target / platform / directory / name
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    shutil.copy2(built, SCRIPTS / name)


def profile_of(settings):
    """The profile that the builder asked for: `pip install --config-settings profile=dev .`"""
    return (settings or {}).get("profile") or os.environ.get("RUNVET_BUILD_PROFILE", "release")


def build(kind, directory, settings, metadata):
    import maturin

    settings = dict(settings or {})
    profile = profile_of(settings)
    settings.pop("profile", None)
    put_command(profile)
    arguments = os.environ.get("MATURIN_PEP517_ARGS", "")
    os.environ["MATURIN_PEP517_ARGS"] = f"{arguments} --profile {profile}".strip()
    return getattr(maturin, kind)(directory, settings, metadata)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return build("build_wheel", wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return build("build_editable", wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    import maturin

    # maturin looks for the directory of scripts even then, and would pack what a build left there.
    shutil.rmtree(SCRIPTS, ignore_errors=True)
    SCRIPTS.mkdir(parents=True)
    return maturin.build_sdist(sdist_directory, config_settings)


def get_requires_for_build_wheel(config_settings=None):
    import maturin

    return maturin.get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    import maturin

    # maturin looks for the directory of scripts even then.
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


if __name__ == "__main__":
    put_command(*sys.argv[1:] or ["release"])
