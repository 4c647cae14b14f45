"""Policies and schedulers of another package take part by their entry points."""

from __future__ import annotations

import pytest

from hadaropt.bench.ratio.policy_text import policy_content, policy_from_text
from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.online.run import run_online
from hadaropt.plugins import POLICIES, plugin_facts, plugin_names
from hadaropt.policies import PrimalDual, make_policy, policy_names, price_names
from hadaropt.simulate.registry import make_scheduler, scheduler_names
from tests.bench.conftest import write_package


def test_they_are_found_by_name(package):
    assert {"lazy", "hangs", "dies", "raises"} <= set(policy_names())
    assert make_policy("lazy").name == "lazy"
    assert "backwards" in scheduler_names()
    assert make_scheduler("backwards").name == "backwards"


def test_a_price_function_is_found_by_name_and_makes_a_policy(package):
    assert "square" in price_names()
    assert "primal_dual:square" in policy_names()
    policy = policy_from_text("primal-dual:square[U=2]")
    assert policy.name == "primal_dual:square[U*2]"
    run = run_online(generate("small_uniform", seed=1, num_jobs=4, num_rounds=4), policy)
    assert run.policy == policy.name
    facts = policy_content("primal_dual:square[U=2]")
    assert (facts["package"], facts["entry"]) == ("fake-contestants", "fake_contestants:Square")


def test_a_price_function_takes_part_in_the_ratio_bench(package, bench, tmp_path):
    code, document, _ = bench(
        "ratio", "--families=small_uniform", "--policies=primal_dual:square,fifo", "--seeds=1",
        "--parallelism=mixed", "--jobs=3", "--rounds=3", "--workers=1", f"--out={tmp_path / 'out'}",
    )  # fmt: skip
    assert code == 0
    theorems = {cell["policy"]: cell["theorem"] for cell in document["cells"]}
    assert theorems == {"primal_dual:square": "T4", "fifo": ""}


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("squar", 'did you mean "square"'),
        ("eight", "must make a price function: an object with a name and tables"),
        ("renamed", 'must make a price function of that name, not of "another"'),
    ],
)
def test_a_price_function_that_cannot_be_used_is_named(package, price, said):
    with pytest.raises(InstanceError, match=said):
        run_online(generate("small_uniform", seed=1), PrimalDual(price=price))


def test_without_packages_there_are_the_built_in_ones_only():
    assert "lazy" not in policy_names()
    assert "backwards" not in scheduler_names()
    assert plugin_names("hadaropt.none") == ()


def test_what_a_result_depends_on(package):
    facts = plugin_facts(POLICIES, "lazy")
    assert (facts["package"], facts["version"]) == ("fake-contestants", "1.0")
    package.write_text(package.read_text() + "\n# changed\n")
    assert plugin_facts(POLICIES, "lazy")["sha256"] != facts["sha256"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lasy", 'did you mean "lazy"'),
        ("seven", "must make a hadaropt.policies.Policy"),
        ("absent", "of fake-contestants cannot be used: AttributeError"),
    ],
)
def test_what_cannot_be_used_is_named(package, name, said):
    with pytest.raises(InstanceError, match=said):
        make_policy(name)


def test_an_unknown_scheduler_names_the_nearest():
    with pytest.raises(InstanceError, match='did you mean "tiresias"'):
        make_scheduler("tiresas")


def test_a_name_that_is_taken_is_refused(tmp_path, monkeypatch):
    write_package(tmp_path / "other", "[hadaropt.policies]\nfifo = fake_contestants:Lazy\n")
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    with pytest.raises(InstanceError, match="registered by fake-contestants and by hadaropt"):
        policy_names()
