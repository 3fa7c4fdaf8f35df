"""The plugin for pytest, in a pytest of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import CORPUS

PLUGIN = ("-p", "pytest_runvet", "-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugins of other packages take seconds to load, in each pytest."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_each_episode_is_a_test(
    pytester: pytest.Pytester, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where the wheel is installed, pytest finds the plugin by itself.
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    ran = pytester.runpytest_subprocess(*PLUGIN[2:], "--runvet", str(demo), "-v")
    ran.assert_outcomes(passed=2, failed=3)
    ran.stdout.fnmatch_lines(["*ep_01_answer/*PASSED*", "*ep_03_edited*FAILED*"])
    ran.stdout.fnmatch_lines(["*error*projection/outcomes*", "*task_score*"])
    assert "Traceback" not in ran.stdout.str() and ran.ret == 1


def test_ids_can_be_given_back(pytester: pytest.Pytester, demo: Path) -> None:
    edited = f"{demo.name}/episodes/ep_03_edited/state.json::runvet"
    (demo.parent / demo.name).rename(pytester.path / demo.name)
    ran = pytester.runpytest_subprocess(*PLUGIN, "--runvet", demo.name)
    rules = "2 errors: *"
    ran.stdout.fnmatch_lines(["collected 5 items", f"FAILED {edited} - {rules}"])
    again = pytester.runpytest_subprocess(*PLUGIN, edited)
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["collected 1 item", f"FAILED {edited} - {rules}"])
    both = pytester.runpytest_subprocess(*PLUGIN, "--runvet", demo.name, edited)
    both.assert_outcomes(passed=2, failed=3)
    (pytester.path / "empty").mkdir()
    assert pytester.runpytest_subprocess(*PLUGIN, "empty/state.json::runvet").ret != 0


def test_settings_stand_in_the_ini_file(pytester: pytest.Pytester, demo: Path) -> None:
    (pytester.path / "runvet.toml").write_text('[rules]\n"*" = "off"\n"state/*" = "warning"\n')
    ini = f"[pytest]\nrunvet = {demo}\nrunvet_config = runvet.toml\n"
    pytester.makeini(ini)
    (pytester.path / "below").mkdir()
    pytester.runpytest_subprocess(*PLUGIN, "-c", "tox.ini").assert_outcomes(passed=5)
    pytester.makeini(f"{ini}runvet_deny_warnings = true\n")
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=4, failed=1)


def test_nothing_is_imported_before_it_is_needed(pytester: pytest.Pytester, good: Path) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_before():
            assert not [name for name in sys.modules if name.split(".")[0] == "runvet"]

        def test_after(runvet_validate):
            assert "runvet" in sys.modules
        """
    )
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=2)


def test_episodes_are_selected_by_name(pytester: pytest.Pytester, demo: Path) -> None:
    ran = pytester.runpytest_subprocess(*PLUGIN, "--runvet", str(demo), "-k", "paused")
    ran.assert_outcomes(passed=1, deselected=4)


def test_settings_and_faults_of_the_option(pytester: pytest.Pytester, demo: Path) -> None:
    config = pytester.path / "runvet.toml"
    config.write_text('[rules]\n"*" = "off"\n"events/torn-tail" = "warning"\n')
    option = ("--runvet", str(demo), "--runvet-config", str(config))
    pytester.runpytest_subprocess(*PLUGIN, *option).assert_outcomes(passed=5)
    (demo / "episodes" / "state.json").write_text("{}")
    ran = pytester.runpytest_subprocess(*PLUGIN, *option)
    ran.assert_outcomes(passed=5, failed=1)
    for wrong in ("nowhere", str(pytester.path)):
        ran = pytester.runpytest_subprocess(*PLUGIN, "--runvet", wrong)
        assert ran.ret == pytest.ExitCode.USAGE_ERROR


def test_rules_of_a_team_fail_the_runs(pytester: pytest.Pytester, good: Path) -> None:
    config = str(CORPUS / "team" / "sixty" / "runvet.toml")
    option = ("--runvet", str(good), "--runvet-config", config)
    ran = pytester.runpytest_subprocess(*PLUGIN, *option)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*sixty/act-has-a-cost*"])


def test_fixture_follows_the_nearest_configuration(pytester: pytest.Pytester, good: Path) -> None:
    team = CORPUS / "team" / "sixty"
    shutil.copytree(team, pytester.path, dirs_exist_ok=True)
    pytester.makepyfile(f"""
        def test_it(runvet_validate):
            runvet_validate({str(good)!r})

        def test_without(runvet_validate):
            runvet_validate({str(good)!r}, config=None)
        """)
    ran = pytester.runpytest_subprocess(*PLUGIN)
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*sixty/act-has-a-cost*", "checked with the settings of *runvet.toml"])


def test_fixture_fails_with_the_findings(pytester: pytest.Pytester, demo: Path, good: Path) -> None:
    pytester.makepyfile(
        f"""
        def test_good(runvet_validate):
            assert runvet_validate({str(good)!r}).totals.episodes == 1

        def test_bad(runvet_validate):
            runvet_validate({str(demo)!r})

        def test_bad_but_off(runvet_validate):
            assert runvet_validate({str(demo)!r}, rules={{"*": "off", "events/torn-tail": "warning"}}).ok

        def test_nothing(runvet_validate):
            runvet_validate()
        """
    )
    ran = pytester.runpytest_subprocess(*PLUGIN)
    ran.assert_outcomes(passed=2, failed=2)
    ran.stdout.fnmatch_lines(["*projection/outcomes*", "no episode is below ."])
