"""Every command answers with the keys that docs/json.md names."""

import json
import re
from pathlib import Path

import pytest

from hadaropt.cli.common.answer import SCHEMA
from hadaropt.cli.entry import make_app, pages

ROOT = Path(__file__).parents[2]
TINY = ROOT / "examples" / "tiny.json"
PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
EVERYWHERE = {"schema", "command", "exit_code"}
LONG = {"bench ratio", "bench schedulers", "bench run", "bench rerun", "bench runtime", "train"}
"""Sweeps, the runtime suite and real training take long; their rows hold the keys in the source."""

CALLS = [
    "solve TINY -o best.json --certificate best.cert.json",
    "online TINY --certificate run.cert.json",
    "models TINY",
    "check TINY best.json",
    "verify TINY best.cert.json",
    "explain TINY b",
    "theorem T7",
    "theorem",
    "export TINY -o tiny.mps",
    "generate small_uniform --seed 1 -o small.json",
    "generate gavel_like --workload --jobs 3 --seed 1 -o workload.json",
    "simulate workload.json --scheduler yarn",
    "compare workload.json --schedulers yarn,las",
    "plot gantt TINY best.json -o gantt.png",
    "plot trajectories TINY -o run.png",
    "plot anytime TINY --time-limit 1 -o anytime.png",
    "trace inspect trace.csv",
    "audit trace.csv --cluster V100=2x4",
    "trace fetch",
    "doctor",
    "adversary --policy fifo --jobs 2 --rounds 1 --gpus 1 --evaluations 3",
    "report ratios",
]
TRACE = "job_id,submission_time,duration,num_gpu\na,0,100,1\nb,100,50,2\n"


def documented() -> dict[str, tuple[set[str], set[str]]]:
    """Return command -> (keys that are always there, keys of some answers)."""
    found = {}
    for commands, keys in re.findall(r"^\| (`.*?`) \| (.*) \|$", PAGE, re.M):
        some = set(re.findall(r"\[`(\w+)`\]", keys))
        own = set(re.findall(r"`(\w+)`", keys)) - some
        for command in re.findall(r"`([a-z ]+)`", commands):
            found[command] = (own, some)
    return found


def test_the_page_has_every_command():
    commands = {
        " ".join(path) for path, page in pages(make_app()) if page.default_command is not None
    }
    assert set(documented()) == commands
    tried = {re.match(r"(?:plot |trace )?[a-z]+", call)[0] for call in CALLS}
    assert tried | LONG == commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("json")


@pytest.mark.parametrize("call", CALLS)
def test_keys_are_those_of_the_page(run, folder, monkeypatch, call):
    """(In this order: later calls read what earlier ones wrote.)"""
    monkeypatch.chdir(folder)
    if "plot" in call:
        pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    if "trace.csv" in call:
        Path("trace.csv").write_text(TRACE)
    if call.startswith("report"):
        pytest.importorskip("polars", reason="the extra bench is not installed")
        options = "--families small_uniform --policies fifo --parallelism mixed --seeds 1"
        sizes = "--jobs 3 --rounds 3 --workers 1 -o ratios --json"
        made = run("bench", "ratio", *options.split(), *sizes.split()).document
        assert set(made) - EVERYWHERE == documented()["bench ratio"][0]
        assert made["schema"] == SCHEMA
    answer = run(*(TINY if token == "TINY" else token for token in call.split()), "--json")
    document = answer.document
    assert answer.code in (0, 3), answer.err
    assert next(iter(document)) == "schema" and document["schema"] == SCHEMA == 1
    always, some = documented()[document["command"]]
    keys = set(document)
    assert always | EVERYWHERE <= keys <= always | some | EVERYWHERE


def test_errors_carry_the_number_of_the_schema_too(run):
    for arguments, command in ((("chek",), False), (("check", "absent", "x"), False)):
        document = run(*arguments, "--json").document
        assert document["schema"] == SCHEMA and document["error"]["kind"]
        assert ("command" in document) is command


def test_keys_of_long_commands_stand_in_the_source():
    sources = "\n".join(
        (ROOT / "hadaropt" / "cli" / name).read_text(encoding="utf-8")
        for name in ("bench/run.py", "bench/rerun.py", "bench/runtime.py", "train/command.py")
    )
    for command in LONG:
        for key in documented()[command][0]:
            assert json.dumps(key) in sources, (command, key)
