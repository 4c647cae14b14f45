"""That T9 applies to posted prices of one resource: checked, and each hypothesis needed."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

import hadaropt
from hadaropt import Cluster, Instance, Job, Schedule
from hadaropt.certificates import certify, read_certificate, verify, write_certificate
from hadaropt.certificates.coq_run import run_claims
from hadaropt.errors import CertificateError
from hadaropt.policies import PrimalDual
from hadaropt.utility import Table
from tests.certificates.test_posted import changed, claiming


def market(values, gpus=4, gang=1):
    """Jobs of one round on GPUs of one type, worth ``values``."""
    jobs = tuple(
        Job(f"j{j}", 0, gang, 1, {"A": 1}, Table((value,))) for j, value in enumerate(values)
    )
    return Instance(Cluster.of({"n0": {"A": gpus}}), jobs, 1, 1)


def stated(values=(3, 5, 4, 9, 30, 100, 80, 100), **parts):
    instance = market(values, **parts)
    run = hadaropt.run_online(instance, PrimalDual("threshold"))
    assert run.theorem.id == "T9"
    return instance, run, certify(instance, run, posted=True)


def test_the_theorem_of_unit_demand_is_checked():
    instance, run, made = stated()
    found = verify(instance, made)
    assert found.claimed_theorem is None
    assert (found.applied.id, found.applied.claimed) == ("T9", "T9")
    assert found.applied.constant == run.theorem.constant
    assert "T9 applies: its hypotheses hold" in str(found)
    assert run_claims(instance, made).unit.constant == run.theorem.constant


def test_what_applies_is_true():
    rng = Random(7)
    for _ in range(60):
        values = [rng.choice((1, 2, 3, 10, 40, 100)) for _ in range(rng.randint(1, 9))]
        gpus = rng.randint(1, 5)
        instance, _, made = stated(values, gpus=gpus)
        applied = verify(instance, made).applied
        optimum = sum(sorted(values)[-gpus:])
        assert optimum <= applied.constant * made.value + applied.additive
        assert applied.missed == 0


def test_each_hypothesis_of_t9_is_needed():
    instance, run, made = stated()
    prices = made.posted.tables[0].prices
    huge = {**made.theorem, "constant": "1000"}
    for tampered, why in (
        (changed(made, 0, prices=(*prices[:-1], prices[-2] - 1)), "hypothesis M"),
        (changed(made, 0, prices=(*prices[:-1], prices[-1] - 1)), "hypothesis F"),
        (claiming(made, constant=str(run.theorem.constant - Fraction(1, 10**9))), "hypothesis K"),
        (claiming(made, constant="1/2"), "must be >= 1"),
        (claiming(made, additive="-1"), "theorem.additive.*at least 0"),
        (changed(made, 0, charges=((1,),) * 5), "posted.tables.0..charges, must be left out"),
        (changed(made, 0, prices=prices[:-1]), "must hold 5 to 5 prices"),
    ):
        with pytest.raises(CertificateError, match=why):
            verify(instance, tampered)
    dear = replace(changed(made, 0, prices=(prices[-1],) * 5), theorem=huge)
    with pytest.raises(CertificateError, match="hypothesis K"):
        verify(instance, dear)


def test_a_price_below_every_value_is_needed():
    """At a first price of 3 a job worth 3 is turned away."""
    instance, _, made = stated((3, 5))
    scale = made.posted.scale
    high = changed(made, 0, prices=tuple(int(scale * p) for p in (3, 3, 4, 4, 5)))
    claim = {**made.theorem, "constant": "100", "additive": "100"}
    idle = certify(instance, {(0, 0): Fraction(3)}, schedule=Schedule.empty(instance))
    with pytest.raises(CertificateError, match=r"below L = .*hypothesis K"):
        verify(instance, replace(idle, posted=high.posted, theorem=claim))


def test_with_few_sold_the_best_values_count():
    """Nobody is turned away at the first price: who is left out has been missed."""
    instance, run, made = stated((3, 5))
    assert verify(instance, made).applied.missed == 0
    left = Schedule((run.schedule.jobs[0], ()))
    price = Fraction(made.posted.tables[0].prices[1]) / made.posted.scale
    short = certify(instance, {(0, 0): price}, schedule=left)
    short = replace(short, posted=made.posted, theorem=made.theorem)
    with pytest.raises(CertificateError, match=r"theorem\.additive = 0, must be at least 5"):
        verify(instance, short)
    assert verify(instance, claiming(short, additive="5")).applied.missed == 5


def test_one_resource_and_unit_demand_are_needed():
    for other in (market((4, 8), gang=2), replace(market((4, 8)), num_rounds=2)):
        run = hadaropt.run_online(other, PrimalDual("zero_start"))
        made = certify(other, run, posted=True)
        with pytest.raises(CertificateError, match=r"theorem\.id = T9, needs"):
            verify(other, claiming(made, id="T9"))


def test_nobody_is_worth_anything():
    instance, _, made = stated((0, 0))
    assert verify(instance, made).applied.id == "T9"


def test_it_is_written_and_read(tmp_path):
    instance, _, made = stated()
    write_certificate(made, tmp_path / "run.json", instance)
    assert json.loads((tmp_path / "run.json").read_text())["theorem"]["id"] == "T9"
    assert verify(instance, read_certificate(tmp_path / "run.json", instance)).applied.id == "T9"
