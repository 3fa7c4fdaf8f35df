"""The declarations of a team are judged, listed and rendered."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from conftest import command

import runvet
from runvet.batch import Settings

PACK = """
[[schema]]
id = "acme/order"
where = { tool = "adapter:*" }
at = "/payload"
file = "order.schema.json"
title = "an act names its order"
url = "https://acme.example/order"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    config = tmp_path / "runvet.toml"
    config.write_text('packs = ["pack.toml"]\n')
    (tmp_path / "pack.toml").write_text(PACK)
    (tmp_path / "order.schema.json").write_text('{"required": ["order"]}')
    return config


def test_rule_of_a_team_is_one_of_the_check(in_root: Path, config: Path) -> None:
    check = runvet.Check(config=config)
    assert check.rules()[-1].id == "acme/order"
    assert [rule.id for rule in check.rules()[:-1]] == [rule.id for rule in runvet.rules()]
    report = check.run("corpus/good/terminal")
    assert {finding.rule for finding in report.episodes[0].findings} == {"acme/order"}
    again = pickle.loads(pickle.dumps(report))
    for made in (report, again, report.episodes[0]):
        assert "https://acme.example/order" in made.render("sarif")
    with pytest.raises(runvet.UnknownRule, match="did you mean `acme/order`"):
        runvet.Check(config=config, rules={"acme/ordr": "off"})
    off = runvet.Check(config=config, rules={"acme/*": "off"})
    assert off.run("corpus/good/terminal").ok


def test_mistake_in_a_pack_is_one_of_the_configuration(config: Path) -> None:
    (config.parent / "order.schema.json").write_text('{"type": "objekt"}')
    with pytest.raises(runvet.ConfigError, match="objekt"):
        runvet.Check(config=config)


def test_mistakes_are_told_all_at_once_and_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "packs" / "runvet.toml"
    config.parent.mkdir()
    config.write_text('packs = ["p1.toml"]\nexlude = []\n[rules]\n"plan/nothing" = "off"\n')
    (config.parent / "p1.toml").write_text('[[rule]]\nid = "acme/one"\ncheck = "nope("\nmessage = "m"\n')
    told = command("validate", "--config", "packs/runvet.toml", cwd=tmp_path).stderr.decode()
    for call in (runvet.Check, lambda config: runvet.Recorder("runs", config=config)):
        with pytest.raises(runvet.ConfigError) as raised:
            call(config=Path("packs/runvet.toml"))
        error = raised.value
        first, *others = str(error).splitlines()
        assert first.startswith("packs/p1.toml:3:")
        assert (error.file, error.line) == (Path("packs/p1.toml"), 3)
        assert [str(it) for it in error.others] == others
        assert [(it.file, it.line) for it in error.others] == [
            (Path("packs/runvet.toml"), 2), (Path("packs/runvet.toml"), 4)
        ]
        assert all(f"{it.file}:{it.line}:{it.column}" in told for it in (error, *error.others))
        assert str(pickle.loads(pickle.dumps(error)).others[1]) == others[1]


def test_digest_of_settings_covers_packs_and_schema_files(config: Path) -> None:
    def digest() -> str:
        return Settings(runvet.Check(config=config)).digest("s3://b/runs")

    before = digest()
    assert digest() == before
    (config.parent / "order.schema.json").write_text('{"required": ["order", "x"]}')
    schema = digest()
    (config.parent / "pack.toml").write_text(PACK + 'why = "money"\n')
    assert len({before, schema, digest()}) == 3


def test_files_travel_with_a_check(in_root: Path, config: Path) -> None:
    baseline = config.parent / "baseline.json"
    config.write_text(config.read_text() + 'baseline = "baseline.json"\n')
    command("validate", "--no-config", "--write-baseline", str(baseline), "corpus/good/terminal")
    check = runvet.Check(config=config)
    report = check.run("corpus/good/terminal")
    assert report.episodes[0].findings
    text = pickle.dumps(check)
    for name in ("runvet.toml", "pack.toml", "order.schema.json", "baseline.json"):
        (config.parent / name).unlink()
    there = pickle.loads(text)
    assert there.run("corpus/good/terminal") == report
    assert Settings(there).digest("s3://b/runs") == Settings(check).digest("s3://b/runs")
    assert pickle.loads(pickle.dumps(there)).rules() == check.rules()
