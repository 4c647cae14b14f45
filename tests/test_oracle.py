"""The oracle against optima worked out by hand, against plainer enumeration, and against itself."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.instances_strategy import contended_instances, prices, tiny_instances
from tests.oracle import Json

PEAKS = {"kind": "table", "values": [100, 90, 80, 70]}


def job(name: str, throughput: Json, **fields: Any) -> Json:
    """A job of one GPU and one iteration, unless told otherwise."""
    plain = {"release": 0, "gang_size": 1, "iterations": 1, "utility": PEAKS}
    return {"name": name, "throughput": throughput, **plain, **fields}


def instance(nodes: list[Json], jobs: list[Json], rounds: int = 4, **fields: Any) -> Json:
    """An instance with rounds of one second."""
    types = list(dict.fromkeys(r for gpus in nodes for r in gpus))
    return {
        "format": "hadaropt-instance/1",
        "name": "hand",
        "round_seconds": 1,
        "num_rounds": rounds,
        "parallelism": "mixed",
        "accelerators": types,
        "nodes": [{"name": f"n{h}", "gpus": gpus} for h, gpus in enumerate(nodes)],
        "jobs": jobs,
        **fields,
    }


def models(inst: Json) -> tuple[Fraction, Fraction, Fraction]:
    """Optimum under single_type, mixed and forked."""
    single, mixed, forked = (
        oracle.optimum({**inst, "parallelism": p})[0] for p in ("single_type", "mixed", "forked")
    )
    return single, mixed, forked


V, P, K = "V100", "P100", "K80"


def test_one_job_runs_on_its_fastest_type() -> None:
    # 4 it/s * 360 s = 1440 a round: 4000 iterations take three rounds; on P100 (540) eight.
    inst = instance(
        [{V: 2}, {P: 2}],
        [
            job(
                "a",
                {V: Decimal("4.0"), P: Decimal("1.5")},
                gang_size=2,
                iterations=4000,
                utility={"kind": "linear", "peak": 100, "decay": 4},
            )
        ],
        rounds=12,
        round_seconds=360,
    )
    value, schedule = oracle.optimum(inst)
    assert value == 92
    assert schedule["jobs"][0]["completion"] == 2
    assert [e["gpus"] for e in schedule["jobs"][0]["rounds"]] == [{"n0": {V: 2}}] * 3


def test_mixed_gang_runs_at_its_slowest_type() -> None:
    # One GPU of each type: a gang of 2 must mix, 2 iterations a round; 4 iterations take two.
    inst = instance([{V: 1, P: 1}], [job("a", {V: 5, P: 2}, gang_size=2, iterations=4)])
    assert models(inst) == (0, 90, 90)


def test_spread_factor_is_applied_then_floored_exactly() -> None:
    # Two nodes, one GPU each: floor(10 * 0.29) = 2 a round, 7 iterations take four rounds.
    inst = instance(
        [{V: 1}, {V: 1}],
        [job("a", {V: 10}, gang_size=2, iterations=7, spread_factor=Decimal("0.29"))],
    )
    assert models(inst) == (70, 70, 70)
    inst["jobs"][0]["spread_factor"] = 1
    assert models(inst) == (100, 100, 100)


def test_progress_is_floored_from_the_decimal_literal() -> None:
    assert 0.29 * 100 < 29  # what a double would make of it
    inst = instance([{V: 1}], [job("a", {V: Decimal("0.29")}, iterations=29)], round_seconds=100)
    assert models(inst) == (100, 100, 100)
    inst["jobs"][0]["iterations"] = 30
    assert models(inst) == (90, 90, 90)


def test_copies_add_up() -> None:
    inst = instance([{V: 1}, {V: 1}], [job("a", {V: 1}, iterations=2)])
    assert models(inst) == (90, 90, 100)


@pytest.mark.parametrize(
    ("consolidation", "value"), [(0, 100), (1, 90), (10, 90), (11, 90), ("1/10", 90)]
)
def test_consolidation_shortens_every_round_with_copies(consolidation: Any, value: int) -> None:
    # Two copies do 2 * floor(10 - c); one gang does 10. Of 20 iterations only c = 0 does all at
    # once; with c >= 10 copies do nothing and the one gang remains.
    inst = instance(
        [{V: 1}, {V: 1}],
        [job("a", {V: 1}, iterations=20)],
        round_seconds=10,
        consolidation_seconds=consolidation,
    )
    assert models(inst) == (90, 90, value)


@pytest.mark.parametrize(("copies", "value"), [(1, 80), (2, 90), (3, 100), (7, 100)])
def test_max_copies(copies: int, value: int) -> None:
    nodes = [{V: 1}, {V: 1}, {V: 1}]
    inst = instance(nodes, [job("a", {V: 1}, iterations=3, max_copies=copies)])
    assert models(inst) == (80, 80, value)


def test_progress_is_floored_per_copy() -> None:
    # floor(3/2) + floor(3/2) = 2, not 3: three iterations take two rounds, not one.
    inst = instance([{V: 1}, {V: 1}], [job("a", {V: "3/2"}, iterations=3)])
    assert models(inst) == (80, 80, 90)


def test_a_copy_stays_inside_one_node() -> None:
    # Gangs of 2: nodes 1 + 1 hold one spread gang, never a copy each.
    inst = instance([{V: 1}, {V: 1}], [job("a", {V: 1}, gang_size=2, iterations=2)])
    assert models(inst) == (90, 90, 90)
    inst["nodes"] = [{"name": "n0", "gpus": {V: 2}}, {"name": "n1", "gpus": {V: 2}}]
    assert models(inst) == (90, 90, 100)


def test_one_node_holds_one_copy_even_when_two_would_fit() -> None:
    inst = instance([{V: 2}], [job("a", {V: 1}, iterations=2, max_copies=2)])
    assert models(inst) == (90, 90, 90)


def test_rho_never_applies_to_copies() -> None:
    inst = instance([{V: 1}, {V: 1}], [job("a", {V: 1}, iterations=2, spread_factor="1/100")])
    assert models(inst) == (90, 90, 100)


@pytest.mark.parametrize(("rounds", "value"), [(1, 100), (2, 190)])
def test_two_gangs_on_a_slower_type_only(rounds: int, value: int) -> None:
    # Capacity (2, 2), both gangs of 2 run on K80 only: rows on prefixes of the order V100, K80
    # (2 and 4 GPUs) would let both run at once.
    both = [job(n, {V: 0, K: 1}, gang_size=2) for n in "ab"]
    inst = instance([{V: 2, K: 2}], both, rounds=rounds)
    assert models(inst) == (value, value, value)


def test_order_matters() -> None:
    # One GPU, two rounds: a first gives 10 + 3, b first gives 8 + 7.
    inst = instance(
        [{V: 1}],
        [
            job("a", {V: 1}, utility={"kind": "linear", "peak": 10, "decay": 3}),
            job("b", {V: 1}, utility={"kind": "linear", "peak": 8, "decay": 5}),
        ],
    )
    value, schedule = oracle.optimum(inst)
    assert value == 15
    assert [j["completion"] for j in schedule["jobs"]] == [1, 0]


def test_a_job_pauses_for_an_urgent_one() -> None:
    urgent = {"kind": "step", "peak": 15, "deadline": 1}
    inst = instance(
        [{V: 1}],
        [job("a", {V: 1}, iterations=2), job("b", {V: 1}, release=1, utility=urgent)],
        rounds=3,
    )
    value, schedule = oracle.optimum(inst)
    assert value == 80 + 15
    assert [e["round"] for e in schedule["jobs"][0]["rounds"]] == [0, 2]


def test_a_job_moves_to_another_type_while_running() -> None:
    # b needs the V100 in round 1 (its only type); a then goes on on the P100: 2 + 1 = 3.
    inst = instance(
        [{V: 1}, {P: 1}],
        [job("a", {V: 2, P: 1}, iterations=3), job("b", {V: 1}, release=1)],
        rounds=2,
    )
    value, schedule = oracle.optimum(inst)
    assert value == 190
    assert [list(e["gpus"]) for e in schedule["jobs"][0]["rounds"]] == [["n0"], ["n1"]]


def test_jobs_order_the_types_differently() -> None:
    inst = instance(
        [{V: 1, P: 1}],
        [job("a", {V: 3, P: 1}, iterations=3), job("b", {V: 1, P: 3}, iterations=3)],
    )
    assert models(inst) == (200, 200, 200)


def test_ragged_nodes_force_one_gang_to_spread() -> None:
    # Nodes of 3 and 1, two gangs of 2: one fits inside the large node, the other takes what is
    # left, one GPU on each node, at half speed.
    both = [job(n, {V: 2}, gang_size=2, iterations=2, spread_factor="1/2") for n in "ab"]
    assert models(instance([{V: 3}, {V: 1}], both)) == (190, 190, 190)
    assert models(instance([{V: 2}, {V: 2}], both)) == (200, 200, 200)


@pytest.mark.parametrize(
    "change",
    [{"release": 4}, {"release": 9}, {"gang_size": 2}, {"throughput": {V: 0}}, {"throughput": {}}],
)
def test_unschedulable_jobs_are_worth_nothing(change: Json) -> None:
    inst = instance([{V: 1}], [{**job("a", {V: 1}), **change}])
    assert models(inst) == (0, 0, 0)
    assert oracle.optimum(inst)[1]["jobs"] == []


def test_no_jobs() -> None:
    assert models(instance([{V: 1}], [])) == (0, 0, 0)


def test_utilities_by_hand() -> None:
    def values(*rounds: int, **u: Any) -> list[Fraction]:
        one = job("a", {V: 1}, iterations=6, utility=u)
        return [oracle.utility(instance([{V: 1}], [one], round_seconds=4), one, d) for d in rounds]

    assert values(1, 2, 4, kind="linear", peak=10, decay="7/2") == [10, Fraction(13, 2), 0]
    assert values(2, 3, kind="step", peak=10, deadline=Decimal("2.5")) == [10, 0]
    assert values(1, 3, kind="effective_throughput", scale=2) == [3, 1]
    assert values(1, 3, kind="completion", weight=2, horizon="5/2") == [3, 0]
    assert values(1, 2, 3, kind="table", values=[3, 1]) == [3, 1, 0]
    # 10 / (1 + e) = 2.6894142136999512..., 10 / (1 + 1/e) = 7.3105857863000487...
    sigmoid = values(1, 2, 3, kind="sigmoid", peak=10, steepness=1, deadline=2)
    assert sigmoid == [Fraction("7.310585786"), 5, Fraction("2.689414214")]
    # 1e-9 / 2 lies half-way between 0 and 1e-9, 3e-9 / 2 between 1e-9 and 2e-9: to even.
    half = {"kind": "sigmoid", "steepness": 0, "deadline": 1}
    assert values(1, **half, peak=Decimal("1e-9")) == [0]
    assert values(1, **half, peak=Decimal("3e-9")) == [Fraction(2, 10**9)]
    assert values(3, **{**half, "steepness": 10**9}, peak=1) == [0]  # exp overflows to infinity


def test_round_options_by_hand() -> None:
    one = job("a", {V: 2, P: 1}, gang_size=2, spread_factor="1/2")
    inst = instance([{V: 2, P: 1}, {P: 1}], [one], parallelism="forked")
    found = {(o.progress, o.use, o.copies) for o in oracle.round_options(inst, one)}
    a, b, c = ("n0", V), ("n0", P), ("n1", P)
    assert found == {
        (2, ((a, 2),), False),
        (1, ((a, 1), (b, 1)), False),
        (0, ((a, 1), (c, 1)), False),
        (0, ((b, 1), (c, 1)), False),
    }
    inst["nodes"][1]["gpus"][P] = 2
    copies = {o[:2] for o in oracle.round_options(inst, one) if o.copies}
    assert copies == {(3, ((a, 2), (c, 2))), (2, ((a, 1), (b, 1), (c, 2)))}


def test_pricing_by_hand() -> None:
    # Two of three rounds, two GPUs in each: round 1 is dear, so waiting for round 2 pays.
    one = job("a", {V: 1}, gang_size=2, iterations=2)
    one["utility"] = {"kind": "table", "values": [20, 15, 12]}
    inst = instance([{V: 2}], [one], rounds=3)
    dear = {(0, V): 1, (1, V): 5, (2, V): 1}
    assert oracle.least_costs(inst, 0, dear) == [None, 12, 4]
    assert oracle.max_payoff(inst, 0, dear) == 8
    assert oracle.max_payoff(inst, 0, {(0, "n0", V): 1, (1, "n0", V): 5, (2, "n0", V): 1}) == 8
    assert oracle.least_costs(inst, 0, dear, {(2, V): 1}) == [None, 12, 12]
    assert oracle.least_costs(inst, 0, dear, {(2, "n0", V): 1, (1, V): 0}) == [None] * 3
    assert oracle.max_payoff(inst, 0, {(t, V): 9 for t in range(3)}) == 0


def test_it_shares_no_code_with_the_library() -> None:
    code = "import sys; before = set(sys.modules); import tests.oracle; "
    code += "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) - set(sys.stdlib_module_names) == {"tests"}


# ---------------------------------------------------------------- the oracle against itself


def plain_optimum(inst: Json) -> Fraction:
    """Every combination of options in every round; no dominance, no capping, no skipping."""
    cells, everyone = oracle.capacity(inst), inst["jobs"]
    options = [[None, *oracle.round_options(inst, j)] for j in everyone]

    def best(t: int, left: tuple[int, ...]) -> Fraction:
        if t == oracle.num_rounds(inst):
            return Fraction(0)
        top = Fraction(0)
        for choice in itertools.product(*options):
            used: dict[Any, int] = {}
            for o in choice:
                for cell, n in o.use if o else ():
                    used[cell] = used.get(cell, 0) + n
            if any(n > cells[cell] for cell, n in used.items()):
                continue
            after, gain = list(left), Fraction(0)
            for i, o in enumerate(choice):
                if o and (left[i] == 0 or t < oracle.release(everyone[i])):
                    break
                after[i] -= min(left[i], o.progress) if o else 0
                if left[i] and not after[i]:
                    gain += oracle.utility(inst, everyone[i], t - oracle.release(everyone[i]) + 1)
            else:
                top = max(top, gain + best(t + 1, tuple(after)))
        return top

    return best(0, tuple(oracle.iterations(j) for j in everyone))


@settings(deadline=None, max_examples=150)
@given(tiny_instances(max_jobs=2, max_rounds=2, max_gpus=2, total_gpus=4, max_gang=2))
def test_optimum_equals_plain_enumeration(inst: Json) -> None:
    assert oracle.optimum(inst)[0] == plain_optimum(inst)


@settings(deadline=None, max_examples=60)
@given(contended_instances(max_jobs=3, max_rounds=3))
def test_optimum_equals_plain_enumeration_when_contended(inst: Json) -> None:
    assert oracle.optimum(inst)[0] == plain_optimum(inst)


@settings(deadline=None, max_examples=300)
@given(st.one_of(tiny_instances(max_jobs=4, max_scale=500), contended_instances()))
def test_optimal_schedule_is_feasible_and_worth_it(inst: Json) -> None:
    value, schedule = oracle.optimum(inst)
    checked, completion = oracle.schedule_value(inst, schedule)
    assert checked == value
    finished = {name: f for name, f in completion.items() if f is not None}
    assert finished == {j["name"]: j["completion"] for j in schedule["jobs"]}


@settings(deadline=None, max_examples=300)
@given(st.one_of(tiny_instances(), contended_instances()))
def test_models_are_nested(inst: Json) -> None:
    single, mixed, forked = models(inst)
    assert single <= mixed <= forked
    assert forked <= models({**inst, "consolidation_seconds": 0})[2]


@settings(deadline=None, max_examples=200)
@given(contended_instances(), st.data())
def test_more_of_anything_never_hurts(inst: Json, data: st.DataObject) -> None:
    value = oracle.optimum(inst)[0]
    node = data.draw(st.sampled_from(range(len(inst["nodes"]))))
    kind = data.draw(st.sampled_from(inst["accelerators"]))
    more = copy.deepcopy(inst)
    gpus = more["nodes"][node]["gpus"]
    gpus[kind] = gpus.get(kind, 0) + 1
    assert oracle.optimum(more)[0] >= value
    assert oracle.optimum({**inst, "num_rounds": inst["num_rounds"] + 1})[0] >= value
    assert oracle.optimum({**inst, "jobs": inst["jobs"][1:]})[0] <= value
    whole = [{**j, "spread_factor": 1} for j in inst["jobs"]]
    assert oracle.optimum({**inst, "jobs": whole})[0] >= value


@settings(deadline=None, max_examples=150)
@given(tiny_instances(min_jobs=1, max_jobs=1, total_gpus=4), st.data())
def test_pricing_equals_enumeration_of_schedules(inst: Json, data: st.DataObject) -> None:
    k = data.draw(prices(inst, data.draw(st.booleans())))
    everything = oracle.job_schedules(inst, 0)
    payoffs = [s.value - sum(oracle.option_cost(o, t, k) for t, o in s.rounds) for s in everything]
    assert oracle.max_payoff(inst, 0, k) == max([Fraction(0), *payoffs])
    for f, cost in enumerate(oracle.least_costs(inst, 0, k)):
        by_then = [
            sum((oracle.option_cost(o, t, k) for t, o in s.rounds), Fraction(0))
            for s in everything
            if s.completion <= f
        ]
        assert cost == min(by_then, default=None)


@settings(deadline=None, max_examples=100)
@given(tiny_instances(min_jobs=1, max_jobs=1, total_gpus=4))
def test_every_enumerated_schedule_is_feasible(inst: Json) -> None:
    for s in oracle.job_schedules(inst, 0)[:50]:
        document = oracle.schedule_json(
            inst, s.value, [oracle.job_json("j0", s.completion, s.rounds)]
        )
        assert oracle.schedule_value(inst, document) == (s.value, {"j0": s.completion})


@settings(deadline=None, max_examples=200)
@given(contended_instances(), st.data())
def test_weak_duality(inst: Json, data: st.DataObject) -> None:
    k = data.draw(prices(inst, per_node=True))
    rounds = range(oracle.num_rounds(inst))
    cells = oracle.capacity(inst)
    bound = sum(c * k[t, h, r] for t in rounds for (h, r), c in cells.items())
    bound += sum(oracle.max_payoff(inst, j, k) for j in range(len(inst["jobs"])))
    assert oracle.optimum(inst)[0] <= bound


# ---------------------------------------------------------------- the judge


def valid() -> tuple[Json, Json]:
    """A forked instance and a schedule with copies (a) and a mixed gang (b)."""
    inst = instance(
        [{V: 1, P: 1}, {V: 1, P: 1}],
        [
            job("a", {V: 1}, iterations=4),
            job("b", {V: 2, P: 1}, gang_size=2, iterations=2, release=1, spread_factor="1/2"),
        ],
        parallelism="forked",
    )
    both = {"n0": {V: 1}, "n1": {V: 1}}
    a = [{"round": t, "gpus": copy.deepcopy(both), "copies": True} for t in (0, 1)]
    b = [{"round": t, "gpus": {"n0": {V: 1, P: 1}}} for t in (2, 3)]
    return inst, oracle.schedule_json(
        inst,
        Fraction(90 + 80),
        [
            {"name": "a", "completion": 1, "rounds": a},
            {"name": "b", "completion": 3, "rounds": b},
        ],
    )


def test_judge_accepts() -> None:
    inst, schedule = valid()
    assert oracle.schedule_value(inst, schedule) == (170, {"a": 1, "b": 3})


def test_running_in_vain_is_feasible() -> None:
    inst, schedule = valid()
    schedule["jobs"][0].update(completion=None, rounds=schedule["jobs"][0]["rounds"][:1])
    schedule["jobs"].pop()
    schedule["objective"] = "0"
    assert oracle.schedule_value(inst, schedule) == (0, {"a": None, "b": None})


@pytest.mark.parametrize(
    ("place", "new", "reason"),
    [
        (("jobs", 0, "name"), "z", "unknown or listed twice"),
        (("jobs", 1, "name"), "a", "unknown or listed twice"),
        (("jobs", 0, "rounds", 0, "round"), 1, "has a round twice"),
        (("jobs", 1, "rounds", 0, "round"), 0, "outside its window"),
        (("jobs", 1, "rounds", 0, "round"), 4, "outside its window"),
        (("jobs", 1, "rounds", 1, "gpus"), {"n0": {V: 2}}, "exceed the capacity"),
        (("jobs", 1, "rounds", 0, "gpus"), {"n9": {V: 2}}, "unknown node"),
        (("jobs", 1, "rounds", 0, "gpus"), {"n0": {"T4": 2}}, "unknown type"),
        (("jobs", 1, "rounds", 0, "gpus"), {"n0": {V: 1}}, "1 GPUs held, not 2"),
        (("jobs", 0, "rounds", 0, "gpus"), {"n0": {P: 1}, "n1": {V: 1}}, "no progress there"),
        (("jobs", 0, "rounds", 0, "gpus"), {"n0": {V: 1}}, "1 copies"),
        (("jobs", 0, "rounds", 0, "gpus"), {"n0": {V: 1}, "n1": {V: 2}}, "a copy without exactly"),
        (("jobs", 0, "rounds", 0, "copies"), False, "2 GPUs held, not 1"),
        (("jobs", 1, "rounds", 0, "round"), 1, "exceed the capacity"),
        (("jobs", 1, "completion"), 2, "claims completion"),
        (("objective",), "169", "170 true"),
    ],
)
def test_judge_refuses(place: tuple[Any, ...], new: Any, reason: str) -> None:
    inst, schedule = valid()
    target: Any = schedule
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = new
    with pytest.raises(ValueError, match=reason):
        oracle.schedule_value(inst, schedule)


def test_judge_refuses_a_run_after_completion() -> None:
    inst, schedule = valid()
    schedule["jobs"][0]["rounds"].append({"round": 3, "gpus": {"n1": {V: 1}}})
    with pytest.raises(ValueError, match="after completion"):
        oracle.schedule_value(inst, schedule)


def test_judge_refuses_two_types_in_a_single_type_gang() -> None:
    inst, schedule = valid()
    inst["parallelism"] = "single_type"
    schedule["jobs"].pop(0)
    with pytest.raises(ValueError, match="single_type"):
        oracle.schedule_value(inst, schedule)


def test_hash_ignores_form_and_sees_meaning() -> None:
    inst, _ = valid()
    same = copy.deepcopy(inst)
    same.update(name="other", round_seconds=Decimal("1.0"), consolidation_seconds="0")
    same["jobs"][0].update(max_copies=2, spread_factor="3/3")
    same["jobs"][0]["throughput"][P] = 0
    assert oracle.instance_sha256(same) == oracle.instance_sha256(inst)
    same["jobs"].reverse()
    assert oracle.instance_sha256(same) != oracle.instance_sha256(inst)
