"""Solves at once: in threads, in asyncio, in process pools, beside abandoned and foreign runs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import highspy
import pytest

import hadaropt
from hadaropt.mip import highs
from hadaropt.mip.highs import HighsModel
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from tests.cli.conftest import SMALL_OPTIMUM, make_instance
from tests.mip.test_highs import knapsack

ROOT = Path(__file__).parents[2]


def ilp(threads: int) -> float:
    outcome = HighsModel(knapsack(7), threads=threads).run()
    assert outcome.termination == "optimal"
    assert outcome.objective is not None
    return round(outcome.objective, 6)


def one_of_each(k: int) -> object:
    """Solve by another method for each k, and return the bound."""
    instance = make_instance()
    match k % 5:
        case 0:
            return hadaropt.solve(instance).value
        case 1:
            return hadaropt.solve_ilp(instance, threads=1 + k % 3).value
        case 2:
            return hadaropt.solve_ilp(instance, threads=2).value
        case 3:
            assert hadaropt.solve_lp(instance).bound >= SMALL_OPTIMUM
        case _:
            assert solve_configuration_lp(instance).bound >= SMALL_OPTIMUM
    return SMALL_OPTIMUM


def test_threads_solve_at_once_with_any_mixture_of_thread_counts() -> None:
    alone = ilp(1)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ilp, [1, 2, 3, 2, 1, 3, 2, 1]))
    assert set(found) == {alone}


def test_every_method_runs_beside_every_other() -> None:
    with ThreadPoolExecutor(5) as pool:
        assert set(pool.map(one_of_each, range(10))) == {SMALL_OPTIMUM}


def test_asyncio_solves_in_threads() -> None:
    async def both() -> list[object]:
        return await asyncio.gather(*(asyncio.to_thread(one_of_each, k) for k in range(4)))

    assert set(asyncio.run(both())) == {SMALL_OPTIMUM}


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_process_pools_solve_after_the_parent_has_solved(start: str) -> None:
    # In a process of its own, without other threads: those of this one must not be forked.
    program = textwrap.dedent(
        f"""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
        from tests.environment.test_concurrency import SMALL_OPTIMUM, ilp, one_of_each
        if __name__ == "__main__":
            here = {{one_of_each(k) for k in range(4)}}, ilp(2)
            with ProcessPoolExecutor(2, mp_context=get_context({start!r})) as pool:
                there = set(pool.map(one_of_each, range(4))), set(pool.map(ilp, [2, 1]))
            assert here[0] == there[0] == {{SMALL_OPTIMUM}}, (here, there)
            assert there[1] == {{here[1]}}, (here, there)
            print("same")
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout == "same\n", done.stderr


def test_a_solve_beside_an_abandoned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """An abandoned run goes on in its thread; it holds nothing that others need."""
    deaf = HighsModel(knapsack(8))
    inner, released = deaf._highs, threading.Event()

    class Deaf:
        def __getattr__(self, name: str) -> object:
            return getattr(inner, name)

        def run(self) -> object:
            released.wait()
            return inner.run()

    deaf._highs, deaf._mip = Deaf(), False
    monkeypatch.setattr(highs, "GRACE_SECONDS", 0.01)
    assert deaf.run(time_limit=0.0).raw_status == "did not stop at its time limit"
    abandoned = next(iter(highs._running))
    try:
        assert ilp(1) == ilp(2)
        assert hadaropt.solve(make_instance()).value == SMALL_OPTIMUM
    finally:
        released.set()
    abandoned.join()
    assert abandoned.ended
    assert abandoned not in highs._running


def test_foreign_use_of_the_solver_in_the_same_thread_does_no_harm() -> None:
    def foreign_then_ours() -> object:
        foreign = highspy.Highs()
        foreign.silent()
        foreign.setOptionValue("threads", 2)
        foreign.addVar(0.0, 1.0)
        assert foreign.run() == highspy.HighsStatus.kOk
        return HighsModel(knapsack(6), background=False).run().termination

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(foreign_then_ours).result() == "optimal"
