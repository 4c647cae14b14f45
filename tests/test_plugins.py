"""Policies and schedulers of another package take part by their entry points."""

from __future__ import annotations

import pytest

from hadaropt.errors import InstanceError
from hadaropt.generate import generate
from hadaropt.online.run import run_online
from hadaropt.plugins import POLICIES, make_plugin, plugin_facts, plugin_names
from hadaropt.policies import PrimalDual, make_policy, policy_names
from hadaropt.simulate.registry import make_scheduler, scheduler_names
from tests.fake_package import write_package


def test_they_are_found_by_name(package):
    assert {"lazy", "hangs", "dies", "raises"} <= set(policy_names())
    assert make_policy("lazy").name == "lazy"
    assert "backwards" in scheduler_names()
    assert make_scheduler("backwards").name == "backwards"


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


def test_an_entry_point_that_is_not_there_is_named():
    with pytest.raises(InstanceError, match=r'entry point of hadaropt.policies = "gone", is not'):
        make_plugin(POLICIES, "gone")


def test_two_packages_of_one_name_are_both_named(tmp_path, monkeypatch):
    points = "[hadaropt.none]\nsame = fake_contestants:Lazy\n"
    for name in ("one", "two"):
        write_package(tmp_path / name, points)
        facts = next((tmp_path / name).glob("*.dist-info"))
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        facts.rename(tmp_path / name / f"{name}-1.dist-info")
        monkeypatch.syspath_prepend(str(tmp_path / name))
    with pytest.raises(InstanceError, match=r"registered by (one and by two|two and by one)"):
        plugin_names("hadaropt.none")
