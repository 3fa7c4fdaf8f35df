"""The plugin for pytest, in a pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

PLUGIN = ("-p", "runvet._pytest", "-p", "no:cacheprovider")


def plugin() -> tuple[str, ...]:
    """How to load the plugin: where runvet is installed, its entry point does it."""
    from importlib.metadata import entry_points

    names = {it.value for it in entry_points(group="pytest11")}
    return PLUGIN[2:] if "runvet._pytest" in names else PLUGIN


def test_each_episode_is_a_test(pytester: pytest.Pytester, demo: Path) -> None:
    ran = pytester.runpytest_subprocess(*plugin(), "--runvet", str(demo), "-v")
    ran.assert_outcomes(passed=2, failed=3)
    ran.stdout.fnmatch_lines(["*ep_01_answer*PASSED*", "*ep_03_edited*FAILED*"])
    ran.stdout.fnmatch_lines(["*error*projection/outcomes*", "*task_score*"])
    assert "Traceback" not in ran.stdout.str() and ran.ret == 1


def test_episodes_are_selected_by_name(pytester: pytest.Pytester, demo: Path) -> None:
    ran = pytester.runpytest_subprocess(*plugin(), "--runvet", str(demo), "-k", "paused")
    ran.assert_outcomes(passed=1, deselected=4)


def test_settings_and_faults_of_the_option(pytester: pytest.Pytester, demo: Path) -> None:
    config = pytester.path / "runvet.toml"
    config.write_text('[rules]\n"*" = "off"\n"events/torn-tail" = "warning"\n')
    option = ("--runvet", str(demo), "--runvet-config", str(config))
    pytester.runpytest_subprocess(*plugin(), *option).assert_outcomes(passed=5)
    (demo / "episodes" / "state.json").write_text("{}")
    ran = pytester.runpytest_subprocess(*plugin(), *option)
    ran.assert_outcomes(passed=5, failed=1)
    for wrong in ("nowhere", str(pytester.path)):
        ran = pytester.runpytest_subprocess(*plugin(), "--runvet", wrong)
        assert ran.ret == pytest.ExitCode.USAGE_ERROR


def test_fixture_fails_with_the_findings(pytester: pytest.Pytester, demo: Path, good: Path) -> None:
    pytester.makepyfile(
        f"""
        def test_good(runvet_validate):
            assert runvet_validate({str(good)!r}).totals.episodes == 1

        def test_bad(runvet_validate):
            runvet_validate({str(demo)!r})

        def test_bad_but_off(runvet_validate):
            assert runvet_validate({str(demo)!r}, rules={{"*": "off", "events/torn-tail": "warning"}}).ok

        def test_nothing(runvet_validate, tmp_path):
            runvet_validate(tmp_path)
        """
    )
    ran = pytester.runpytest_subprocess(*plugin())
    ran.assert_outcomes(passed=2, failed=2)
    ran.stdout.fnmatch_lines(["*projection/outcomes*", "*no episode is below*"])
