"""The search against theorem R3: it finds something bad, and notices a theorem that is broken."""

from dataclasses import replace
from fractions import Fraction

import pytest

from benchmarks.adversaries import room
from hadaropt.bench.adversary.space import UNIT, Offer, Play
from hadaropt.bench.ratio.contestants import make_contestant
from hadaropt.errors import InvariantError

SOON = Play(
    ((1,),),
    3,
    (*[Offer(0, 1, 1, (1,), 11 * UNIT, 3)] * 2, Offer(0, 1, 1, (1,), 10 * UNIT, 1)),
)


def judge(machines=2):
    policy = make_contestant("round:hadar:guaranteed")
    return room.RoomJudge(policy, room.CLASS, machines=machines)


def test_a_play_is_scored_by_the_optimum_of_the_small_cluster():
    """Two machines complete 11 + 11 at once and lose 10, which one machine need not."""
    judged = judge()(SOON, Fraction(0))
    assert (judged.primal, judged.against) == (22, 32)
    assert judge(1)(SOON, Fraction(0)).primal == 22
    assert judge(3)(SOON, Fraction(0)).primal == 32
    assert judge()(SOON, Fraction(2)) is None


def test_a_broken_theorem_ends_the_search(monkeypatch):
    right = room.run_rounds

    def wrong(*args, **options):
        run = right(*args, **options)
        return replace(run, theorem=replace(run.theorem, constant=Fraction(31, 22)))

    monkeypatch.setattr(room, "run_rounds", wrong)
    with pytest.raises(InvariantError, match="R3 is broken"):
        judge()(SOON, Fraction(0))


def test_the_command_prints_the_worst_and_what_was_allowed(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["room", "--evaluations", "60"])
    assert room.main() == 0
    out = capsys.readouterr().out
    assert "2 machines for one: " in out and "allowed there: R3" in out
