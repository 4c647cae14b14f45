"""That a theorem applies is checked on the posted prices: each hypothesis, and the run."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

import hadaropt
from hadaropt import Allocation, Cluster, Instance, Job, Schedule
from hadaropt.certificates import (
    certify,
    posted,
    read_certificate,
    verify,
    write_certificate,
)
from hadaropt.certificates.posted_document import Table as Prices
from hadaropt.errors import CertificateError
from hadaropt.io import instance_from_document
from hadaropt.policies import PrimalDual
from hadaropt.theory import CASES_OF_T4
from hadaropt.utility import Linear
from tests.instances_strategy import tiny_instances
from tests.oracle import optimum

PRICES = ["zero_start", "exponential", "last_unit", "telescoped", "linear", "step"]


def queue(spread=1, parallelism="mixed"):
    """Six gangs of 1 and 2 on four GPUs of two nodes."""
    jobs = tuple(
        Job(
            f"j{j}",
            j % 3,
            1 + j % 2,
            8 + 3 * (j % 4),
            {"A": 6, "B": 4},
            Linear(20 + 9 * j, 2),
            spread,
        )
        for j in range(6)
    )
    cluster = Cluster.of({"n0": {"A": 2}, "n1": {"B": 2}})
    return Instance(cluster, jobs, 7, 1, parallelism=parallelism)


def stated(price="zero_start", instance=None):
    instance = queue() if instance is None else instance
    run = hadaropt.run_online(instance, PrimalDual(price))
    made = certify(instance, run, posted=True)
    assert made.posted is not None
    return instance, run, made


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize(
    ("spread", "parallelism"), [(1, "single_type"), (1, "mixed"), ("0.5", "forked")]
)
def test_the_theorem_of_a_run_is_checked(price, spread, parallelism):
    instance, run, made = stated(price, queue(spread, parallelism))
    found = verify(instance, made)
    assert found.claimed_theorem is None
    assert found.applied is not None
    applied = found.applied
    assert (applied.id, applied.claimed) == ("T4", run.theorem.id)
    assert applied.constant == run.theorem.constant
    assert found.bound <= found.applied.constant * found.value + found.applied.additive


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(tiny_instances(max_jobs=3, max_rounds=3, max_nodes=2, max_gpus=2, total_gpus=4))
def test_what_applies_is_true_and_whatever_is_true_applies(document):
    instance = instance_from_document(document)
    for price in PRICES:
        run = hadaropt.run_online(instance, PrimalDual(price))
        made = certify(instance, run, posted=True)
        assert (made.posted is None) == (run.theorem is None)
        if run.theorem is not None:
            applied = verify(instance, made).applied
            assert optimum(document)[0] <= applied.constant * made.value + applied.additive


def changed(made, table=0, **parts):
    tables = list(made.posted.tables)
    tables[table] = replace(tables[table], **parts)
    return replace(made, posted=replace(made.posted, tables=tuple(tables)))


def of_used(made):
    """The index of a table with prices > 0."""
    return next(i for i, table in enumerate(made.posted.tables) if table.prices[-1])


def claiming(made, **parts):
    return replace(made, theorem={**made.theorem, **parts})


def test_each_hypothesis_is_needed():
    instance, _, made = stated()
    i = of_used(made)
    prices = made.posted.tables[i].prices
    falling = (*prices[:-1], prices[-2] - 1)
    for tampered, why in (
        (changed(made, i, prices=falling), "hypothesis M"),
        (changed(made, i, prices=tuple(max(0, p - 1) for p in prices)), "hypothesis F"),
        (claiming(made, constant="9/8"), "theorem.constant.*hypothesis I"),
        (claiming(made, constant="1/2"), "theorem.constant.*must be >= 1"),
        (claiming(made, additive="-1/9"), "theorem.additive.*at least 0"),
    ):
        with pytest.raises(CertificateError, match=why):
            verify(instance, tampered)


def test_charges_stay_below_the_dual_price_and_are_all_there():
    instance, _, made = stated("telescoped")
    i = of_used(made)
    table = made.posted.tables[i]
    first = table.charges[0]
    high = (table.prices[0] + 1, *(table.prices[0] + 1 for _ in first[1:]))
    with pytest.raises(CertificateError, match="hypothesis C"):
        verify(instance, changed(made, i, charges=(high, *table.charges[1:])))
    with pytest.raises(CertificateError, match="must charge bundles of up to"):
        verify(instance, changed(made, i, charges=((), *table.charges[1:])))
    with pytest.raises(CertificateError, match="must have 2 rows"):
        verify(instance, changed(made, i, charges=table.charges[:1]))


def test_the_constant_is_the_smallest_for_which_the_increments_hold():
    """The check finds t1 by itself, and accepts what the run claims and nothing less."""
    for price in PRICES:
        instance, run, made = stated(price)
        exact = run.theorem.constant
        assert verify(instance, claiming(made, constant=str(exact + 1))).applied
        if exact > 1:
            with pytest.raises(CertificateError, match="hypothesis I"):
                verify(instance, claiming(made, constant=str(exact - Fraction(1, 10**12))))


def test_the_additive_covers_the_prices_at_the_start():
    instance, run, made = stated("exponential")
    assert run.theorem.additive > 0
    with pytest.raises(CertificateError, match=r"theorem\.additive"):
        verify(instance, claiming(made, additive=str(run.theorem.additive - Fraction(1, 10**12))))


def test_the_final_prices_are_those_of_the_run():
    instance, run, made = stated()
    sold = certify(instance, dict(list(made.prices.items())[1:]), schedule=run.schedule)
    with pytest.raises(CertificateError, match="must be those that the run leaves behind"):
        verify(instance, replace(sold, posted=made.posted, theorem=made.theorem))


def test_another_schedule_is_not_that_run():
    instance, run, made = stated()
    empty = certify(instance, made.prices, schedule=Schedule.empty(instance))
    with pytest.raises(CertificateError, match="must be those that the run leaves behind"):
        verify(instance, replace(empty, posted=made.posted, theorem=made.theorem))
    assert certify(instance, run, schedule=Schedule.empty(instance), posted=True).posted is None
    assert certify(instance, run, schedule=run.schedule, posted=True).posted == made.posted


def test_accepted_schedules_are_irredundant_and_worth_their_charge():
    instance, _, made = stated()
    claim = ("T7", Fraction(10**6), Fraction(10**6))
    top = Prices((10**30,) * 3, None)
    dear = replace(made, posted=replace(made.posted, tables=(top,) * len(made.posted.tables)))
    payoffs = [Fraction(0)] * len(instance.jobs)
    schedule = hadaropt.run_online(instance, PrimalDual()).schedule
    with pytest.raises(CertificateError, match="no less than it is worth"):
        posted.check_applied(instance, dear, claim, schedule, payoffs)
    # j0 makes 6 of 8 iterations in a round on A: two are enough, a third is one too many
    for rounds in ((0,), ()):
        idle = Schedule((tuple(Allocation(t, ((0, 0, 1),)) for t in rounds), *[()] * 5))
        why = "must complete its job" if rounds else "must be those"
        with pytest.raises(CertificateError, match=why):
            posted.check_applied(instance, made, claim, idle, payoffs)
    slow = Job("a", 0, 1, 6, {"A": 6, "B": 1}, Linear(20, 1))
    alone = Instance(Cluster.of({"n0": {"A": 1, "B": 1}}), (slow,), 4, 1)
    _, _, one = stated("zero_start", alone)
    wasteful = Schedule(((Allocation(0, ((0, 1, 1),)), Allocation(1, ((0, 0, 1),))),))
    with pytest.raises(CertificateError, match="not without any of its rounds"):
        posted.check_applied(alone, one, claim, wasteful, [Fraction(0)])


def test_tables_are_as_long_as_any_run_needs():
    instance, _, made = stated()
    i = of_used(made)
    prices = made.posted.tables[i].prices
    for wrong in (prices[:-1], (*prices, prices[-1])):
        with pytest.raises(CertificateError, match="must hold 3 to 3 prices"):
            verify(instance, changed(made, i, prices=wrong))


def test_every_place_has_a_table():
    instance, _, made = stated()
    place = next(iter(made.posted.table_of))
    fewer = {p: i for p, i in made.posted.table_of.items() if p != place}
    with pytest.raises(CertificateError, match="must name every place"):
        verify(instance, replace(made, posted=replace(made.posted, table_of=fewer)))


def test_prices_on_types_need_that_nodes_do_not_matter():
    for other in (queue("0.5"), queue(1, "forked")):
        run = hadaropt.run_online(other, PrimalDual(pool="type"))
        assert run.theorem is None
        made = certify(other, run, posted=True)
        assert made.posted is None
        _, _, pooled = stated()
        theorem = pooled.theorem
        with pytest.raises(CertificateError, match=r"pool = type, must be node: on types, j"):
            verify(other, replace(made, posted=pooled.posted, theorem=theorem))


@pytest.mark.parametrize("name", ("T4", *CASES_OF_T4))
def test_what_applies_is_the_master_theorem_whatever_case_is_named(name):
    """The tables of zero_start are no step price: only that they satisfy T4 was checked."""
    instance, _, made = stated("zero_start")
    found = verify(instance, claiming(made, id=name))
    assert (found.applied.id, found.applied.claimed) == ("T4", name)
    text = str(found)
    assert "T4 applies" in text
    assert (f"its case {name} is claimed, not checked" in text) == (name != "T4")


def test_theorems_of_other_hypotheses_are_not_claimed_by_tables():
    instance, _, made = stated()
    for theorem, why in (
        ({"id": "T14"}, "theorem"),
        ({**made.theorem, "id": "T14"}, "theorem.id = T14, must be one of T4, T9, T5"),
        ({"id": "T7", "constant": "3"}, "must state constant and additive"),
        (None, "must be left out without a theorem"),
    ):
        with pytest.raises(CertificateError, match=why):
            verify(instance, replace(made, theorem=theorem))
    bare = replace(made, level="L0", prices={}, upper_payoffs={}, bound=None, guarantee=None)
    with pytest.raises(CertificateError, match="posted, must be left out at other levels"):
        verify(instance, bare)


def test_without_posted_prices_the_theorem_stays_a_claim():
    instance, run, made = stated()
    assert certify(instance, run).posted is None
    found = verify(instance, replace(made, posted=None))
    assert (found.claimed_theorem, found.applied) == ("T7", None)


def test_posted_prices_are_written_and_read(tmp_path):
    for price in ("zero_start", "telescoped"):
        instance, _, made = stated(price, queue("0.5", "forked"))
        write_certificate(made, tmp_path / "run.json", instance)
        document = json.loads((tmp_path / "run.json").read_text())
        assert document["format"] == "hadaropt-certificate/2"
        again = read_certificate(tmp_path / "run.json", instance)
        assert again.posted == made.posted
        assert verify(instance, again).applied == verify(instance, made).applied
