"""The Coq checker accepts the exact bound of a run and nothing below it."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from hadaropt.certificates import certify
from hadaropt.certificates.coq import HEADER, coq_terms, export_coq, schedule_term
from hadaropt.errors import CertificateError, ScheduleError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import instance_from_document, schedule_from_document
from hadaropt.schedule import Allocation, Schedule, check_schedule
from hadaropt.utility import Linear
from tests import oracle
from tests.certificates.coq_checker import accepted, needs_coq, verdicts
from tests.certificates.samples import crowd
from tests.certificates.test_payoffs import indexed, priced
from tests.instances_strategy import tiny_instances


def lowered(certificate, scale, job):
    """The same claim, one unit of 1/scale lower; the payoff of the job makes up for it."""
    unit = Fraction(1, scale)
    payoffs = dict(certificate.upper_payoffs)
    if job is not None:
        payoffs[job] -= unit
    return replace(certificate, bound=certificate.bound - unit, upper_payoffs=payoffs)


@needs_coq
def test_coq_accepts_the_exact_payoffs_and_no_less():
    terms, expected = [], []

    @given(priced())
    @settings(max_examples=80, derandomize=True, database=None, deadline=None)
    def gather(case):
        document, by_name, _ = case
        instance = instance_from_document(document)
        certificate = certify(instance, indexed(instance, by_name))
        for j, job in enumerate(instance.jobs):
            payoff = certificate.upper_payoffs.get(job.name, Fraction(0))
            assert payoff == oracle.max_payoff(document, j, by_name)
        tried = [(certificate, True)]
        scale = coq_terms(instance, certificate).scale
        tried += [
            (lowered(certificate, scale, job), False) for job in (None, *certificate.upper_payoffs)
        ]
        for claim, verdict in tried:
            found = coq_terms(instance, claim)
            terms.append(f"check_l1 {found.instance} ({found.certificate})")
            expected.append(verdict)

    gather()
    assert verdicts(HEADER, terms) == expected


@pytest.fixture
def instance():
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 1}, "n1": {"V100": 1, "P100": 2}})
    speeds = {"V100": "0.75", "P100": "0.31"}
    jobs = tuple(
        Job(f"j{j}", j % 2, 1 + j % 2, 300 + 41 * j, speeds, Linear("9.5", "1/3"), Fraction(9, 10))
        for j in range(4)
    )
    return Instance(cluster, jobs, 5)


PRICES = {(t, r): Fraction(3 - r - t // 2, 7) for t in range(3) for r in range(2)}
NODE_PRICES = {
    (t, h, r): Fraction(1 + h + r, 5) for t in range(4) for h in range(2) for r in (0, 1)
}


@needs_coq
@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
@pytest.mark.parametrize("prices", [PRICES, NODE_PRICES], ids=["type", "node"])
def test_exported_certificate_is_accepted(instance, parallelism, prices):
    instance = instance.with_parallelism(parallelism)
    assert accepted(export_coq(instance, certify(instance, prices)))


@needs_coq
def test_tampered_certificates_are_rejected(instance):
    certificate = certify(instance, PRICES)
    payoffs = certificate.upper_payoffs
    negative = {**certificate.prices, (4, 0): Fraction(-1, 7)}
    unit = Fraction(1, coq_terms(instance, certificate).scale)
    tampered = [
        replace(certificate, bound=certificate.bound - unit),
        replace(certificate, prices=negative),
        replace(certificate, prices={**certificate.prices, (0, 0): Fraction(1)}),
        replace(certificate, upper_payoffs={**payoffs, "j0": payoffs["j0"] - unit}),
        replace(certificate, upper_payoffs={"j1": Fraction(1000)}, bound=Fraction(2000)),
    ]
    assert accepted(export_coq(instance, certificate))
    found = [coq_terms(instance, claim) for claim in tampered]
    terms = [f"check_l1 {claim.instance} ({claim.certificate})" for claim in found]
    assert verdicts(HEADER, terms) == [False] * len(tampered)
    assert not accepted(export_coq(instance, tampered[0]))


@needs_coq
def test_divisors_are_sound_and_coarse_ones_may_only_reject(instance):
    certificate = certify(instance, PRICES)
    coarse = {job.name: 200 for job in instance.jobs}
    generous = replace(
        certificate,
        upper_payoffs={job.name: Fraction(10) for job in instance.jobs},
        bound=certificate.bound - sum(certificate.upper_payoffs.values()) + 40,
    )
    assert not accepted(export_coq(instance, certificate, coarse))
    assert accepted(export_coq(instance, generous, coarse))


def mutants(schedule, instance):
    """Schedules that differ from a given one in a single allocation."""
    nodes, types = len(instance.cluster.nodes), len(instance.cluster.accelerators)
    for j, allocations in enumerate(schedule.jobs):
        for i, a in enumerate(allocations):
            (h, r, n), *rest = a.gpus
            changed = [
                replace(a, round=allocations[-1].round + 1),
                replace(a, round=max(0, a.round - 1)),
                replace(a, gpus=((h, r, n + 1), *rest)),
                replace(a, gpus=(((h + 1) % nodes, r, n), *rest)),
                replace(a, gpus=((h, (r + 1) % types, n), *rest)),
                replace(a, copies=not a.copies),
            ]
            for other in changed:
                row = (*allocations[:i], other, *allocations[i + 1 :])
                distinct = len({b.round for b in row}) == len(row)
                places = {g[:2] for g in other.gpus}
                inside = all(b.round < instance.num_rounds for b in row)
                if distinct and inside and len(places) == len(other.gpus):
                    yield Schedule((*schedule.jobs[:j], row, *schedule.jobs[j + 1 :]))


@needs_coq
@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
def test_coq_judges_schedules_as_python_does(parallelism):
    terms, expected = [], []

    @given(tiny_instances(parallelism, min_jobs=1))
    @settings(max_examples=25, derandomize=True, database=None, deadline=None)
    def gather(document):
        instance = instance_from_document(document)
        value, best = oracle.optimum(document)
        schedule = schedule_from_document(best, instance)
        claim = coq_terms(instance, certify(instance, {}, schedule=schedule))
        assert claim.value == value * claim.scale
        for candidate in (schedule, *mutants(schedule, instance)):
            try:
                worth = check_schedule(instance, replace(candidate, value=None)).value
            except ScheduleError:
                worth = None
            rows = schedule_term(instance, candidate)
            for v in (claim.value, claim.value + 1):
                terms.append(f"check_schedule {claim.instance} ({rows}) {v}")
                expected.append(worth is not None and worth * claim.scale == v)

    gather()
    assert sum(expected) >= 25
    assert verdicts(HEADER, terms) == expected


@pytest.mark.parametrize("late", [-1, 2, 10**12])
def test_rounds_beyond_the_horizon_are_refused_and_fill_no_memory(late):
    instance = crowd(4, 2)
    schedule = Schedule(((Allocation(0, ((0, 0, 2),)), Allocation(late, ((0, 0, 2),))), (), ()))
    with pytest.raises(ScheduleError, match=f"round {late}, must be a round from 0 to 1"):
        schedule_term(instance, schedule)


def test_export_refuses_what_it_cannot_express(instance):
    with pytest.raises(CertificateError, match="level"):
        export_coq(instance, certify(instance, None))
