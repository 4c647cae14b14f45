"""Experiments that run, resume and run again."""

from __future__ import annotations

import dataclasses

from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.ratio.sweep import ratio_groups, sweep_ratio
from hadaropt.bench.results.experiment import experiment
from hadaropt.certificates import verify
from hadaropt.certificates.format import certificate_from_document
from hadaropt.sweep import Store


def test_optima_are_computed_once_and_their_certificates_verify():
    suite = RatioSuite(("small_uniform",), ("fifo", "random"), 1, ("forked",), 4, 4)
    store = Store(None)
    (found,) = sweep_ratio([suite], store)
    (group,) = ratio_groups([suite])
    assert len(store) == 3
    instance = suite.instance(*found.place)
    document = store.certificate(group.optimum.key)
    verified = verify(instance, certificate_from_document(document, instance))
    assert verified.value == found.cells[0].best
    assert verified.proved
    again = dataclasses.replace(suite, policies=("fifo", "random", "greedy_density"))
    (more,) = sweep_ratio([again], store)
    assert len(store) == 4
    assert [cell.policy for cell in more.cells] == list(again.policies)


def test_each_against_itself(bench):
    names = "yarn,srtf,srtf[iterations=unknown]"
    found = experiment({"policies": ["fifo", "fifo[iterations=2]"], "baseline": "itself"})
    assert (found.compares, found.baseline) == (True, "itself")
    arguments = ("--policies=fifo,fifo[iterations=2]", "--baseline=itself", "--families=six_class")
    sizes = ("--seeds=2", "--jobs=4", "--rounds=4", "--parallelism=mixed", "--workers=1")
    code, document, _ = bench("ratio", *arguments, *sizes)
    assert code == 0
    assert [row["name"] for row in document["paired"]] == ["fifo[iterations*2]"]
    code, document, _ = bench(
        "schedulers", f"--schedulers={names}", "--seeds=1", "--jobs=6", "--workers=1"
    )
    assert code == 0
    assert {cell["scheduler"] for cell in document["cells"]} == set(names.split(","))
