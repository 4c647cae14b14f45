"""``hadaropt models``."""

from __future__ import annotations

from fractions import Fraction


def test_the_three_optima_and_their_ratios(run, instance_file):
    answer = run("models", instance_file, "--json")
    assert answer.code == 0
    document = answer.document
    values = [Fraction(model["objective"]) for model in document["models"].values()]
    assert list(document["models"]) == ["single_type", "mixed", "forked"]
    assert values == sorted(values)
    assert [gain["after"] for gain in document["gains"]] == ["mixed", "forked", "forked"]
    for gain in document["gains"]:
        ratio = [Fraction(document["models"][gain[k]]["objective"]) for k in ("after", "before")]
        assert Fraction(gain["least"]) == Fraction(gain["most"]) == ratio[0] / ratio[1]
    told = run("models", instance_file)
    assert told.code == 0
    assert "mixed / single_type" in told.out


def test_no_time_still_encloses(run, instance_file):
    answer = run("models", instance_file, "--time-limit", "0", "--json")
    assert answer.code in (0, 3)
    for model in answer.document["models"].values():
        assert Fraction(model["objective"]) <= Fraction(model["bound"])


def test_the_help_says_what_the_limit_is_for(run):
    assert "For each of the three solves." in " ".join(run("models", "--help").out.split())
