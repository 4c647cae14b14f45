"""What the package proves, its verifier accepts; the two enumerate apart, on purpose."""

from __future__ import annotations

from random import Random

from hadaropt.certificates import certify, verify
from hadaropt.offline.tree.branch_and_price import branch_and_price
from tests.certificates.odd import PARALLELISMS, odd_instance


def check(rng: Random) -> None:
    """Solve one odd instance in all three models; every certificate verifies, and none contradicts.

    Raises
    ------
    CertificateError
        If the verifier refuses what the prover made.
    AssertionError
        If a proved optimum is not verified as one, or a richer model is worth less.
    """
    instance = odd_instance(rng)
    before = None
    for parallelism in PARALLELISMS:
        problem = instance.with_parallelism(parallelism)
        result = branch_and_price(problem)
        found = verify(problem, certify(problem, result))
        assert found.proved == (result.status == "proved"), (parallelism, found, result.status)
        if found.proved:
            assert before is None or found.value >= before, parallelism
            before = found.value
        priced = verify(problem, certify(problem, result.prices or {}, schedule=result.schedule))
        assert priced.bound is not None and priced.bound >= found.value
