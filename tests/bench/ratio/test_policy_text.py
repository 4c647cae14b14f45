"""Contestants as text, and what identifies them."""

from __future__ import annotations

from hadaropt.bench.ratio.policy_text import policy_content, policy_from_text
from hadaropt.generate import generate
from hadaropt.online.run import run_online
from hadaropt.policies import policy_names, price_names


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
